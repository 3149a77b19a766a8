"""What the eyes report: for every cell, how probable each look is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from companion.rules.board import Cell, Look, both_turned

FLOOR = math.log(1e-6)
"""Log-probability of a look the reader gave no number for (nats)."""

CORRELATION = 0.9
"""How much of one look's error returns in the next look at a still table.

Glare, shadows and print stay where they are from frame to frame; only sensor
noise is new. Measured on 30 simulated games: 0.93 in the same light, 0.82 in another.
So n looks are worth n / (1 + (n - 1) * 0.9), never more than 1.11 independent ones
(Kish's design effect).
"""

RELIT = 0.05
"""Log units by which another light differs (`Observation.light`).

In 36 simulated games no look differed by more than 0.008 from the one before in the
same light, and in another none by less than 0.053.
"""


@dataclass(frozen=True, slots=True)
class Altered:
    """By how many nats a cell speaks for having another look than before.

    Attributes:
        nats: whichever; more than 0 if it was touched.
        by_look: those for some looks.
    """

    nats: float = 0.0
    by_look: Mapping[Look, float] = field(default_factory=dict)

    def to(self, look: Look) -> float:
        """Return by how many nats it speaks for having a look by now."""
        return self.by_look.get(look, self.nats)


Changes = Mapping[Cell, Mapping[Look, float]]
"""By how much cells changed, see `Appearance.changed`, as they got the looks that they
have, by the looks they had before; of those of which that is known."""


class Appearance(Protocol):
    """What the table looked like, whatever lay there."""

    def altered(
        self, before: Self, lying: Mapping[Cell, Look], changes: Changes
    ) -> Mapping[Cell, Altered]:
        """Return how cells speak for having another look than before.

        Of those of which it can be told.

        Args:
            before: what it looked like then.
            lying: the looks of cells then.
            changes: they would change by as much again to be what they were.
        """

    def changed(self, before: Self) -> Mapping[Cell, float]:
        """Return by how much cells look otherwise than before, in the same light."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at the table, or several of the same still table added up.

    Attributes:
        log_p: natural log-probabilities by cell and look, of the cells that
            were seen; each cell's probabilities sum to 1.
        hidden: cells that something covered; nothing is known of them.
        looks: how many looks are added up here.
        moved: the board or camera moved since calibration and was found again.
        note: a sentence for the user when not all is well ("" otherwise).
        misread: looks that squares have as players say, and those that were read.
        light: on most of the board against the calibration's, natural logarithms of
            blue, green and red; () where nobody measured it.
        relit: that is another one than when it was last known how the table lies.
        misleading: by that one, as players say, something was misread.
        appearance: what the table looked like; None where nobody kept it.
        dazzled: cells with chips in which a lamp is mirrored; of what it makes of
            them the eyes know little.
        touched: cells that do not look as when it was last known how the table lies.
    """

    log_p: Mapping[Cell, Mapping[Look, float]]
    hidden: frozenset[Cell] = frozenset()
    looks: int = 1
    moved: bool = False
    note: str = ""
    misread: frozenset[tuple[Look, Look]] = frozenset()
    light: tuple[float, ...] = ()
    relit: bool = False
    misleading: bool = False
    appearance: Appearance | None = None
    dazzled: frozenset[Cell] = frozenset()
    touched: frozenset[Cell] = frozenset()

    def likely(self, cell: Cell) -> Look | None:
        """Return the most probable look of a cell, None where it is hidden."""
        looks = self.log_p.get(cell)
        return max(looks, key=looks.__getitem__) if looks else None

    def confidence(self, cell: Cell) -> float:
        """Return the probability (0..1) of the most probable look, 0 where hidden."""
        looks = self.log_p.get(cell)
        return math.exp(max(looks.values())) if looks else 0.0

    def differing(self, lying: Mapping[Cell, Look]) -> dict[Cell, Look]:
        """Return what seems to lie otherwise than it did, each square by itself.

        Args:
            lying: what lay there; whose a turned chip is makes no difference.
        """
        likely = {cell: self.likely(cell) or look for cell, look in lying.items()}
        return {
            cell: look
            for cell, look in likely.items()
            if look != lying[cell] and not both_turned(look, lying[cell])
        }

    def knowing(self, looks: Mapping[Cell, Look]) -> Observation:
        """Return the look with squares of which it is known what lies there."""
        known = {cell: {look: 0.0} for cell, look in looks.items()}
        read = ((look, self.likely(cell)) for cell, look in looks.items())
        misread = {(look, other) for look, other in read if other not in (look, None)}
        return replace(
            self,
            log_p={**self.log_p, **known},
            hidden=self.hidden - looks.keys(),
            misread=frozenset(misread),
        )

    def __add__(self, other: Observation) -> Observation:
        """Add another look at the same still table.

        What only one of the two saw is kept. Evidence grows with the effective
        number of looks, not with their count (see CORRELATION).
        """
        log_p = {**self.log_p, **other.log_p}
        for cell in self.log_p.keys() & other.log_p.keys():
            log_p[cell] = _combined(
                self.log_p[cell], self.looks, other.log_p[cell], other.looks
            )
        return Observation(
            log_p,
            (self.hidden | other.hidden) - log_p.keys(),
            self.looks + other.looks,
            other.moved,
            other.note,
            light=other.light,
            appearance=other.appearance,
            dazzled=other.dazzled,
        )


def relit(one: Iterable[float], other: Iterable[float]) -> bool:
    """Tell whether two lights are different ones, see `Observation.light`."""
    return any(abs(a - b) > RELIT for a, b in zip(one, other, strict=False))


def _combined(
    a: Mapping[Look, float], looks_a: int, b: Mapping[Look, float], looks_b: int
) -> dict[Look, float]:
    worth_a, worth_b = _worth(looks_a), _worth(looks_b)
    total = looks_a + looks_b
    scale = _worth(total) / total
    summed = {
        look: scale
        * (
            a.get(look, FLOOR) / worth_a * looks_a
            + b.get(look, FLOOR) / worth_b * looks_b
        )
        for look in a.keys() | b.keys()
    }
    return normal(summed)


def normal(log_p: Mapping[Look, float]) -> dict[Look, float]:
    """Return natural logarithms shifted so that their probabilities sum to 1."""
    top = max(log_p.values())
    norm = top + math.log(sum(math.exp(value - top) for value in log_p.values()))
    return {look: value - norm for look, value in log_p.items()}


def any_of(log_p: Iterable[float]) -> float:
    """Return the log-probability that one of several things is so, never two at once.

    `FLOOR` where they are too unlikely to be told, or none at all.
    """
    whole = sum(map(math.exp, log_p))
    return math.log(whole) if whole else FLOOR


def _worth(looks: int) -> float:
    return looks / (1 + (looks - 1) * CORRELATION)
