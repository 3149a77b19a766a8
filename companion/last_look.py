"""What squares seemed to be in the last look of which it is known what they were.

Glare, a lamp's image in a chip, or a print like a chip stay where they are: what they
feign in one look they feign in the next. So a square speaks for a change only as far
as it does so more strongly than when nothing had changed; and one that was read well
and now is not has hardly been misread just now, so it speaks the more strongly.

The model: log-likelihood ratios for "changed" have a mean of 9 nats (what most squares
give) where that is true, of -9 where it is not, and, being honest, a variance of 18.
Where the eyes hardly tell two looks apart, as pieces of the last look show, both are
less. Of a square that has not changed the ratios correlate (`CORRELATION`) from look to
look, but for one in twenty, and but for looks in another light: those are worth what
they say. Errors have longer tails than normal ones: what spoke for a change in vain is
worth by how much it has grown, less 2 nats. That holds for all looks since the square
changed, for lights come back.

What a square looks like tells more, in the same light: one that looks as it did has
hardly changed, whatever the eyes make of it, and one that does not was touched. Both
count beside what it is read as (`Appearance`). By how much it would look otherwise if
its piece were gone, or turned back, it showed as that was put, or turned over; of other
pieces the samples say. And what was touched need not feign what it did before.

And what a light made of all pieces of one look, or of some, it makes of the next one of
them: of n that lay there in the last look k seemed to have another, so one that is put
there now, or pushed, seems to have it, too, with a probability of k / (n + 1).

On 30 simulated games, of 700,000 readings of squares on which nothing had changed 32
were wrong, none of them from below -3 nats in the look before.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.observation import (
    CORRELATION,
    FLOOR,
    Altered,
    Appearance,
    Observation,
    any_of,
    normal,
    relit,
)
from companion.rules.board import EMPTY, Cell, Look

MEAN, LEAST = 9.0, 1.0
"""Nats by which looks are told apart on average, and at least."""
SUDDEN = 1 / 20
"""How often a square's errors are new though the light is not."""
REPEATED = 2.0
"""Nats for "unchanged" where a square errs as it did before (odds of 7 to 1)."""


@dataclass(frozen=True, slots=True)
class _Square:
    """What a square seemed to be when it was known what it was.

    Attributes:
        true: the look it had.
        before: by how many nats others seemed likelier in the last look.
        worst: the most they ever did since it has this one.
        appearance: what the table looked like then.
        changed: by how much it changed as it got that look, see `Changes`.
    """

    true: Look
    before: Mapping[Look, float]
    worst: Mapping[Look, float]
    appearance: Appearance | None
    changed: Mapping[Look, float]


class LastLook:
    """Remembers it. Mutable."""

    def __init__(self) -> None:
        self._known: dict[Cell, _Square] = {}
        self._light: tuple[float, ...] = ()

    def keep(self, observation: Observation, looks: Mapping[Cell, Look]) -> None:
        """Remember a look of which it is known what all squares really had."""
        self._light = observation.light
        appearance = observation.appearance
        differ: dict[Appearance, Mapping[Cell, float]] = {}
        for cell, log_p in observation.log_p.items():
            true, now = looks[cell], _ratios(log_p, looks[cell])
            known, worst = self._known.get(cell), now
            changed: Mapping[Look, float] = {}
            if known and known.true == true:
                worst, changed = _most(now, known.worst), known.changed
            elif known and known.appearance and appearance:
                before = known.appearance
                if before not in differ:
                    differ[before] = appearance.changed(before)
                changed = _changed(known, true, differ[before].get(cell))
            self._known[cell] = _Square(true, now, worst, appearance, changed)

    def misread(self, cell: Cell, true: Look, log_p: Mapping[Look, float]) -> None:
        """Remember what a square was read as when players said what it is."""
        known = self._known.get(cell)
        if known and known.true == true:
            ratios = _ratios(log_p, true).items()
            likelier = {look: by for look, by in ratios if by > 0}
            worst = _most(likelier, known.worst)
            self._known[cell] = replace(known, worst=worst)

    def compared(
        self, observation: Observation, looks: Mapping[Cell, Look]
    ) -> Observation:
        """Return a look as it speaks to somebody who remembers the last one.

        Args:
            observation: the look.
            looks: what all squares are known to have had last.
        """
        log_p = dict(observation.log_p)
        other = relit(observation.light, self._light)
        altered = self._altered(observation.appearance)
        feigned = {} if other else self._feigned()
        means = {} if other else self._means()
        for cell, known in self._known.items():
            if cell not in log_p or looks[cell] != known.true:
                continue
            read, change = log_p[cell], altered.get(cell, Altered())
            if known.true == EMPTY:
                read = _perhaps_feigned(read, feigned)
            elif change.nats > 0 and not other:
                read = _perhaps_feigned(read, self._feigned(but=cell))
            worth = {}
            for look, now in _ratios(read, known.true).items():
                told = _worth(
                    now,
                    None if other else known.before.get(look, -MEAN),
                    known.worst.get(look, -MEAN) + REPEATED,
                    means.get((known.true, look), MEAN),
                )
                worth[look] = max(told, now) if change.nats > 0 else told
                worth[look] += change.to(look)
            log_p[cell] = normal({known.true: 0.0, **worth})
        touched = frozenset(cell for cell, by in altered.items() if by.nats > 0)
        return replace(observation, log_p=log_p, relit=other, touched=touched)

    def _feigned(self, but: Cell | None = None) -> dict[tuple[Look, Look], float]:
        """Return how likely pieces of a look seem to have another, by the last look.

        Args:
            but: a cell that does not count.
        """
        of: Counter[Look] = Counter()
        seemed: Counter[tuple[Look, Look]] = Counter()
        for cell, known in self._known.items():
            if known.true != EMPTY and cell != but:
                of[known.true] += 1
                others = known.before.items()
                seemed.update((known.true, look) for look, by in others if by > 0)
        return {
            (true, look): times / (of[true] + 1)
            for (true, look), times in seemed.items()
            if look != EMPTY
        }

    def _means(self) -> dict[tuple[Look, Look], float]:
        """Return by how many nats looks were told apart from others, by the last look.

        The mean of what pieces of a look gave, and once of what most squares give.
        """
        of: Counter[Look] = Counter()
        sums: defaultdict[tuple[Look, Look], float] = defaultdict(float)
        for known in self._known.values():
            of[known.true] += 1
            for look, by in known.before.items():
                sums[known.true, look] += min(-by, MEAN)
        return {
            (true, look): max((told + MEAN) / (of[true] + 1), LEAST)
            for (true, look), told in sums.items()
        }

    def _altered(self, appearance: Appearance | None) -> dict[Cell, Altered]:
        """Return how squares speak for a change since they were known."""
        if appearance is None:
            return {}
        lay: dict[Appearance, dict[Cell, Look]] = {}
        for cell, known in self._known.items():
            if known.appearance is not None:
                lay.setdefault(known.appearance, {})[cell] = known.true
        changes = {cell: known.changed for cell, known in self._known.items()}
        altered: dict[Cell, Altered] = {}
        for before, looks in lay.items():
            altered |= appearance.altered(before, looks, changes)
        return altered


def _changed(known: _Square, true: Look, by: float | None) -> dict[Look, float]:
    """Return by how much a square changed from the looks that it had, as it got one.

    Args:
        known: the square before.
        true: the look it has now.
        by: how much it changed, if that is known.
    """
    if by is None:
        return {}
    changed = {known.true: by}
    # By the triangle inequality.
    if EMPTY in known.changed and true != EMPTY:
        changed[EMPTY] = abs(known.changed[EMPTY] - by)
    return changed


def _ratios(log_p: Mapping[Look, float], true: Look) -> dict[Look, float]:
    """Return by how many nats the other looks are likelier than the true one."""
    own = log_p.get(true, FLOOR)
    return {
        look: max(FLOOR, min(p - own, -FLOOR))
        for look, p in log_p.items()
        if look != true
    }


def _most(
    some: Mapping[Look, float], others: Mapping[Look, float]
) -> dict[Look, float]:
    """Return the larger one of two numbers for each look."""
    return {
        look: max(part, others.get(look, part))
        for look, part in {**others, **some}.items()
    }


def _perhaps_feigned(
    log_p: Mapping[Look, float], feigned: Mapping[tuple[Look, Look], float]
) -> dict[Look, float]:
    """Return what is told of a square whose piece was put there, or pushed.

    Args:
        log_p: what it seems to be.
        feigned: how likely pieces of a look seem to have another, in this light.
    """
    told = dict(log_p)
    for (true, look), p in feigned.items():
        if true in told and look in told:
            told[true] = any_of((told[true], math.log(p) + log_p[look]))
    return told


def _worth(now: float, before: float | None, again: float, mean: float) -> float:
    """Return a log-likelihood ratio, nats, knowing what it was without a change.

    Args:
        now: in this look.
        before: in the last one, None if that was in another light.
        again: how much likelier it is without a change, for what it ever was since
            the square changed.
        mean: by how many nats these looks are told apart.
    """
    if before is None:
        return now - max(again, 0.0)
    expected = -mean + CORRELATION * (before + mean)
    left = 1 - CORRELATION**2
    # Of honest ratios the variance is twice the mean.
    like = ((now + mean) ** 2 - (now - expected) ** 2 / left) / (4 * mean)
    again = max(like - math.log(left) / 2, again)
    return now - math.log(SUDDEN + (1 - SUDDEN) * math.exp(again))
