"""What was told of a cell, for as long as it looks as it did then.

A camera above a table sees the same pieces again and again, and what was in doubt at
first sight is in doubt at the next. Held against what was seen then, it needs no other
closer look, which takes half as long as all the rest. Only clear answers are kept, or
those that a few looks gave: where doubt stayed, another photo and what was learnt of
the pieces since may tell more.

And where the eyes see one piece in a photo and another in the next, but the cell looks
as it did, one of the answers is wrong: then it may still be what it was.
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
from vision.pieces.closer import CELLS, Numbers
from vision.pieces.network import Floats, normal
from vision.pieces.seen import CELL_PX
from vision.rectify import MARGIN

_SEEN = 6  # planes of `Sight.whole` that change with what lies there
_SIDE = 2 * CELL_PX  # px of half the resolution; a cell with half a cell around it
_PART = 2  # px of those whose mean is compared: pieces are broader, noise is not
# Log units, root mean square. Of 1,190 drawn pieces put in place of others none differs
# by less; of as many that stay, in photos with other noise, every other one does.
_SAME = 0.03
# Nats. The referee asks for further looks until they add up to an answer; one that is
# less clear would only come back, and never be more. Unless several looks gave it:
# then the referee has heard it as often.
_LASTING, _CLEAR = log(0.9998), log(0.999)
_OFTEN = 3  # looks at the same thing
_LIKELY = 0.1  # probability by which first sights of the same thing may differ
_EDGE, _COARSE = 2, 4  # px; parts of cells' middles are compared, see `_alike`
# What cells that are alike differ by at most, as a multiple of what most cells do. That
# is noise, for in play few change (with more than `CELLS` it is another position). Of
# 1,168 drawn pieces 95.4 % are alike in photos with other noise and new pieces beside
# them; of as many that were turned over between, or exchanged, 0.3 %, which light or
# colour hides. (From there to 4.0 are 1.5 and 0.4 %, which says next to nothing.)
_AS_MOST = 3.5
_SURE = 0.99  # probability of an answer
_DISPUTED = 3.0  # nats by which a new answer leads at most where nothing else is new


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """One cell as it was looked at.

    Attributes:
        seen: what was seen there and around.
        first: (2 + K) `Thoughts.log_p` at first sight.
        told: (2 + K) the same after a closer look.
        times: that it was told the same, one look after the other.
    """

    seen: Floats
    first: Floats
    told: Floats
    times: int

    @property
    def lasting(self) -> bool:
        """Whether that needs no other look."""
        return bool(self.told.max() > _LASTING or self.times >= _OFTEN)

    def again(self, sight: Sight, first: Floats, cell: int) -> bool:
        """Return whether the cell looks the same in another photo, see `Memory`."""
        apart = np.abs(np.exp(first[cell]) - np.exp(self.first)).max()
        differ = _seen(sight, cell) - self.seen
        return bool(apart < _LIKELY and np.square(differ).mean() < _SAME**2)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What was told of a photo.

    Attributes:
        sight: the photo.
        looks: (cells,) columns of the likeliest looks.
        best: (cells,) the same, where all turned chips are one look.
        sure: (cells,) whether those are answers.
    """

    sight: Sight
    looks: Numbers
    best: Numbers
    sure: npt.NDArray[np.bool_]


class Memory:
    """Remembers what was told of cells. Mutable.

    Args:
        backs: columns of turned chips in `Thoughts.log_p`; which one is all the same.
    """

    def __init__(self, backs: Sequence[int]) -> None:
        self._backs = backs
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
        alike = {before: _alike(before.sight, sight) for before in photos}
        self._disputed = {
            cell: before
            for cell, before in self._disputed.items()
            if alike[before][cell]
        }
        for cell, before in self._disputed.items():
            was = before.looks[cell]
            least = log_p[cell].max() - _DISPUTED
            settled[cell, was] = max(log_p[cell, was], least)
            settled[cell] = normal(settled[cell])
        if self._disputed:
            best, p = likeliest(settled, self._backs)
        self._last = _Told(sight, settled.argmax(axis=1), best, p > _SURE)
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
        told = np.stack([looked.told for looked in self._looked.values()])
        (was, _), (now, _) = (likeliest(p, self._backs) for p in (told, first[cells]))
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
            for cell in asked.tolist()
            if cell in self._looked
            and self._looked[cell].lasting
            and self._looked[cell].again(sight, first, cell)
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
            before = self._looked.pop(cell, None)
            if told[cell].max() <= _CLEAR:
                continue
            times = 1
            if (
                before is not None
                and before.told.argmax() == told[cell].argmax()
                and before.again(sight, first, cell)
            ):
                times += before.times
            both = first[cell].copy(), told[cell].copy()
            self._looked[cell] = _Looked(_seen(sight, cell), *both, times)


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
    inner, edge = slice(MARGIN // 2, -MARGIN // 2), slice(_EDGE, -_EDGE)
    cells = _SEEN, one.empty.rows, CELL_PX, one.empty.columns, CELL_PX
    change = one.whole[:_SEEN, inner, inner] - other.whole[:_SEEN, inner, inner]
    middles = change.reshape(cells)[:, :, edge, :, edge]
    parts = (CELL_PX - 2 * _EDGE) // _COARSE
    shape = _SEEN, one.empty.rows, parts, one.empty.columns, parts
    size = shape[3] * parts, shape[0] * shape[1] * parts
    coarse = cv2.resize(
        middles.reshape(-1, size[0] * _COARSE), size, interpolation=cv2.INTER_AREA
    )
    differ = np.square(coarse).reshape(shape).sum(axis=(0, 2, 4)).ravel()
    return np.asarray(differ <= _AS_MOST**2 * np.median(differ))
