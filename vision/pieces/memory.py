"""What was told of a cell, for as long as it looks as it did then.

A camera above a table sees the same pieces again and again, and what was in doubt at
first sight is in doubt at the next. Held against what was seen then, it needs no other
closer look, which takes half as long as all the rest. Only clear answers are kept:
where doubt stayed, another photo and what was learnt of the pieces since may tell more.

And what looks the same is the same: where the eyes see one piece in a photo and another
in the next, but the cell looks as it did, one answer is wrong, nobody knows which, and
the mean of both holds (of the log-probabilities, as of two views of one photo).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import cv2
import numpy as np
import numpy.typing as npt

from companion.observation import relit
from vision.empty_board import Sight
from vision.pieces.closer import Numbers
from vision.pieces.network import CELL_PX, RIM, Floats, normal

_SEEN = 6  # planes of `Sight.whole` that change with what lies there
_SIDE = 2 * CELL_PX  # px of half the resolution; a cell with half a cell around it
_PART = 2  # px of those whose mean is compared: pieces are broader, noise is not
# Log units, root mean square. Of 1,190 drawn pieces put in place of others none differs
# by less; of as many that stay, in photos with other noise, every other one does.
_SAME = 0.03
# Nats. The referee asks for further looks until they add up to an answer; one that is
# less clear would only come back, and never be more.
_CLEAR = log(0.9998)
_LIKELY = 0.1  # probability by which first sights of the same thing may differ
_COARSE = 3  # px of half the resolution whose mean is compared to find what is alike
# What cells that are alike differ by at most, as a multiple of what most cells do: of
# 1,187 drawn pieces 94.5 %, in photos with other noise and new pieces; of as many that
# were turned over between, or exchanged, 1.1 %: light or colour makes those all but
# alike.
_AS_MOST = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """One cell as it was looked at.

    Attributes:
        seen: what was seen there and around.
        first: (2 + K) `Thoughts.log_p` at first sight.
        told: (2 + K) the same after a closer look.
    """

    seen: Floats
    first: Floats
    told: Floats

    def again(self, sight: Sight, first: Floats, cell: int) -> bool:
        """Return whether the cell looks the same in another photo, see `Memory`."""
        apart = np.abs(np.exp(first[cell]) - np.exp(self.first)).max()
        differ = _seen(sight, cell) - self.seen
        return bool(apart < _LIKELY and np.square(differ).mean() < _SAME**2)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """A photo, and (cells, 2 + K) the log-probabilities that were told of it."""

    sight: Sight
    log_p: Floats


class Memory:
    """Remembers what was told of cells. Mutable.

    Args:
        looks: how many pieces can have.
        backs: columns of turned chips in `Thoughts.log_p`; which one is all the same.
    """

    def __init__(self, looks: int, backs: Sequence[int]) -> None:
        self._piece = np.arange(2 + looks)
        self._piece[list(backs)] = min(backs, default=0)
        self._looked: dict[int, _Looked] = {}
        self._last: _Told | None = None
        self._disputed: dict[int, _Told] = {}

    def surprising(self, log_p: Floats) -> Numbers:
        """Return cells whose piece is another one than in the last photo.

        Args:
            log_p: (cells, 2 + K) `Thoughts.log_p`.
        """
        if self._last is None:
            return np.array([], np.intp)
        was, now = self._best(self._last.log_p), self._best(log_p)
        return np.flatnonzero((was != now) & (was >= 2) & (now >= 2))

    def settled(self, sight: Sight, log_p: Floats) -> Floats:
        """Return (cells, 2 + K) log-probabilities, knowing what else cells passed for.

        Args:
            sight: of a photo.
            log_p: (cells, 2 + K) what is told of it.
        """
        settled = log_p.copy()
        if self._last is not None:
            last = self._last
            new = np.flatnonzero(self._best(last.log_p) != self._best(log_p))
            if new.size:
                new = new[_alike(last.sight, sight)[new]]
            self._disputed = dict.fromkeys(new.tolist(), last) | {
                cell: before
                for cell, before in self._disputed.items()
                if _alike(before.sight, sight)[cell]
            }
            for cell, before in self._disputed.items():
                both = log_p[cell] + before.log_p[cell]
                settled[cell] = normal(np.float32(0.5) * both)
        self._last = _Told(sight, settled)
        return settled

    def _best(self, log_p: Floats) -> Numbers:
        return np.asarray(self._piece[log_p.argmax(axis=1)])

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
            for cell in asked.tolist()
            if cell in self._looked and self._looked[cell].again(sight, first, cell)
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
        for cell in cells.tolist():
            self._looked.pop(cell, None)
            if told[cell].max() > _CLEAR:
                both = first[cell].copy(), told[cell].copy()
                self._looked[cell] = _Looked(_seen(sight, cell), *both)


def _seen(sight: Sight, cell: int) -> Floats:
    """Return what is seen on a cell and around it, without noise."""
    row, column = divmod(cell, sight.empty.columns)
    top, left = row * CELL_PX, column * CELL_PX
    planes = sight.whole[:_SEEN, top : top + _SIDE, left : left + _SIDE]
    places = _SIDE // _PART
    parts = planes.reshape(_SEEN, places, _PART, places, _PART)
    return np.asarray(parts.mean(axis=(2, 4)))


def _alike(one: Sight, other: Sight) -> npt.NDArray[np.bool_]:
    """Return (cells,) whether cells look the same in two photos, see `_AS_MOST`.

    In another light nothing does: what is dark is noise, and glare goes elsewhere.
    """
    if relit(one.most_light, other.most_light):
        return np.zeros(one.empty.rows * one.empty.columns, bool)
    inner, rows, columns = slice(RIM, -RIM), one.empty.rows, one.empty.columns
    change = one.whole[:_SEEN, inner, inner] - other.whole[:_SEEN, inner, inner]
    parts = columns * CELL_PX // _COARSE, _SEEN * rows * CELL_PX // _COARSE
    coarse = cv2.resize(
        change.reshape(-1, change.shape[-1]), parts, interpolation=cv2.INTER_AREA
    )
    power = np.square(coarse).reshape(_SEEN, -1, parts[0]).sum(axis=0)
    differ = cv2.resize(power, (columns, rows), interpolation=cv2.INTER_AREA).ravel()
    return np.asarray(differ <= _AS_MOST**2 * np.median(differ))
