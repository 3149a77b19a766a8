"""What a closer look told, for as long as a cell looks as it did then.

A camera above a table sees the same pieces again and again, and what was in doubt at
first sight is in doubt at the next. Held against what was seen then, it needs no other
closer look, which takes half as long as all the rest. Only clear answers are kept:
where doubt stayed, another photo and what was learnt of the pieces since may tell more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from vision.empty_board import Sight
from vision.pieces.closer import Numbers
from vision.pieces.network import CELL_PX, Floats

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


class Memory:
    """Remembers what closer looks told of cells. Mutable."""

    def __init__(self) -> None:
        self._looked: dict[int, _Looked] = {}

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
