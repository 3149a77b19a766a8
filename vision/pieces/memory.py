"""What was told of a cell, for as long as it looks as it did then.

A camera above a table sees the same pieces again and again, and what was in doubt at
first sight is in doubt at the next. Held against what was seen then, it needs no other
closer look, which takes half as long as all the rest. Only clear answers are kept, or
those that a few looks gave: where doubt stayed, another photo and what was learnt of
the pieces since may tell more. (Looks that cost much are worth keeping whatever they
tell.)

And where the eyes see one piece in a photo and another in the next, but the cell looks
as it did, one of the answers is wrong: then it may still be what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from vision.appearance import difference, least_apart
from vision.empty_board import Parts, Sight
from vision.pieces.closer import CELLS, Numbers
from vision.pieces.network import Floats, normal

# By how many times as much as noise cells differ at most that look the same: of pieces
# that stayed 95 % do, and of those that were turned over or exchanged, a tenth of one.
_SAME = 2.0
# Nats. The referee asks for further looks until they add up to an answer; one that is
# less clear would only come back, and never be more. Unless several looks gave it:
# then the referee has heard it as often.
_LASTING, _CLEAR = log(0.9998), log(0.999)
_OFTEN = 3  # looks at the same thing
_LIKELY = 0.1  # probability by which first sights of the same thing may differ
_SURE = 0.99  # probability of an answer
_DISPUTED = 3.0  # nats by which a new answer leads at most where nothing else is new


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """One cell as it was looked at.

    Attributes:
        parts: of the photo in which it was looked at.
        first: (2 + K) `Thoughts.log_p` at first sight.
        told: (2 + K) the same after a closer look.
        best: column of its likeliest look, see `likeliest`.
        times: that it was told the same, one look after the other.
    """

    parts: Parts
    first: Floats
    told: Floats
    best: int
    times: int


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What was told of a photo.

    Attributes:
        parts: of the photo.
        looks: (cells,) columns of the likeliest looks.
        best: (cells,) the same, where all turned chips are one look.
        sure: (cells,) whether those are answers.
    """

    parts: Parts
    looks: Numbers
    best: Numbers
    sure: npt.NDArray[np.bool_]


class Memory:
    """Remembers what was told of cells. Mutable.

    Args:
        backs: columns of turned chips in `Thoughts.log_p`; which one is all the same.
        apart: (2 + K,) how far looks are from the most similar ones, of white, see
            `vision.appearance.apart`; a piece of one that hardly is may have been
            turned over though the cell looks as it did.
        all_lasts: whether doubts are kept, too.
    """

    def __init__(
        self, backs: Sequence[int], apart: Floats, *, all_lasts: bool = False
    ) -> None:
        self._backs, self._apart, self._all_lasts = backs, apart, all_lasts
        self._looked: dict[int, _Looked] = {}
        self._last: _Told | None = None
        self._disputed: dict[int, _Told] = {}

    def settled(self, sight: Sight, log_p: Floats) -> Floats:
        """Return (cells, 2 + K) log-probabilities, knowing what else cells passed for.

        Args:
            sight: of a photo.
            log_p: (cells, 2 + K) what is told of it.
        """
        settled, (best, p) = log_p.copy(), likeliest(log_p, self._backs)
        if self._last is not None:
            self._dispute(self._last, best)
        photos = set(self._disputed.values())
        needed = {before: _needed(before.parts, sight.parts) for before in photos}
        self._disputed = {
            cell: before
            for cell, before in self._disputed.items()
            if self._apart[before.looks[cell]] > needed[before][cell]
        }
        for cell, before in self._disputed.items():
            was = before.looks[cell]
            least = log_p[cell].max() - _DISPUTED
            settled[cell, was] = max(log_p[cell, was], least)
            settled[cell] = normal(settled[cell])
        if self._disputed:
            best, p = likeliest(settled, self._backs)
        self._last = _Told(sight.parts, settled.argmax(axis=1), best, p > _SURE)
        return settled

    def _dispute(self, last: _Told, best: Numbers) -> None:
        """Note where a piece surely was another one in the last photo."""
        changed = last.sure & (last.best != best)
        if np.count_nonzero(changed) > CELLS:  # another position
            self._disputed = {}
        else:
            pieces = np.flatnonzero(changed & (last.best >= 2) & (best >= 2))
            self._disputed |= dict.fromkeys(pieces.tolist(), last)

    def belied(self, first: Floats) -> Numbers:
        """Return (N,) cells with other pieces, at first sight, than were told there.

        They need not be in doubt: first sight was sure, and wrong, before.

        Args:
            first: (cells, 2 + K) `Thoughts.log_p` of a photo.
        """
        cells = np.array(list(self._looked), np.intp)
        if not cells.size:
            return cells
        was = np.array([looked.best for looked in self._looked.values()])
        now, _ = likeliest(first[cells], self._backs)
        return np.asarray(cells[(was != now) & (was >= 2) & (now >= 2)])

    def told(
        self, sight: Sight, first: Floats, asked: Numbers
    ) -> tuple[Numbers, Floats]:
        """Return which cells look as they did, and what was told of them.

        Args:
            sight: of a photo.
            first: (cells, 2 + K) `Thoughts.log_p` at first sight.
            asked: (N,) cells.

        Returns:
            (M,) cells, and (M, 2 + K) of each.
        """
        known = [
            cell
            for cell in self._again(sight, first, asked)
            if self._lasts(self._looked[cell])
        ]
        told = [self._looked[cell].told for cell in known]
        width = first.shape[1]
        return np.array(known, np.intp), np.array(told, np.float32).reshape(-1, width)

    def keep(self, sight: Sight, first: Floats, told: Floats, cells: Numbers) -> None:
        """Remember what was told of cells, if it is clear; see `told`.

        Args:
            sight: of a photo.
            first: (cells, 2 + K) at first sight.
            told: (cells, 2 + K) in the end.
            cells: (N,) that were looked at.
        """
        again = self._again(sight, first, cells)
        best, _ = likeliest(told, self._backs)
        for cell in cells.tolist():
            before = self._looked.pop(cell, None)
            if told[cell].max() <= _CLEAR and not self._all_lasts:
                continue
            times = 1
            if (
                before is not None
                and cell in again
                and before.told.argmax() == told[cell].argmax()
            ):
                times += before.times
            both = first[cell].copy(), told[cell].copy()
            self._looked[cell] = _Looked(sight.parts, *both, best[cell], times)

    def _lasts(self, looked: _Looked) -> bool:
        """Return whether a cell needs no other look."""
        clear = looked.told.max() > _LASTING or looked.times >= _OFTEN
        return bool(clear or self._all_lasts)

    def _again(self, sight: Sight, first: Floats, cells: Numbers) -> list[int]:
        """Return those of (N,) cells that look as they did when they were looked at."""
        looked = [cell for cell in cells.tolist() if cell in self._looked]
        photos = {self._looked[cell].parts for cell in looked}
        needed = {before: _needed(before, sight.parts) for before in photos}
        again = []
        for cell in looked:
            before = self._looked[cell]
            apart = np.abs(np.exp(first[cell]) - np.exp(before.first)).max()
            far = self._apart[before.best] > needed[before.parts][cell]
            if far and apart < _LIKELY:
                again.append(cell)
        return again


def likeliest(log_p: Floats, backs: Sequence[int]) -> tuple[Numbers, Floats]:
    """Return (N,) columns of the likeliest looks, and their probabilities.

    Args:
        log_p: (N, 2 + K), see `Thoughts`.
        backs: columns of turned chips; all count as the first of them.
    """
    p = np.exp(log_p)
    if backs:
        first, *others = backs
        p[:, first] += p[:, others].sum(axis=1)
        p[:, others] = 0.0
    best = p.argmax(axis=1)
    return best, p[np.arange(len(p)), best]


def _needed(before: Parts, now: Parts) -> Floats:
    """Return (cells,) how far apart looks must be to be the same in two photos.

    Infinite for cells that look otherwise, see `_SAME`. In another light all do: what
    is dark is noise, and glare goes elsewhere.
    """
    told = difference(now, before)
    if told is None:
        return np.full(before.light[..., 0].size, np.inf, np.float32)
    differ, noise = told
    least = least_apart(before, noise)
    return np.where(differ.ravel() < _SAME, np.float32(least), np.float32(np.inf))
