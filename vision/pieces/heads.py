"""Heads of tall pegs, which are seen beside their feet.

What is h above the board, or above the plane on which pieces are looked at
(`vision.raised`), is seen h times the lean away from its place (`lean_at`). So a peg is
seen along a line, from its foot to its head, and from the side heads are seen over
squares behind. What is there is a piece, but none that stands there: such a one would
show its own head, farther off still. Where none is seen, and the head of another piece
should be, the square may be behind that.

How tall pegs are, and how much they differ from an empty board, is measured on the
samples; without any, on what is surely a peg. The line ends where less than half is
seen of what differs most.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from vision.empty_board import Sight
from vision.pieces.closer import Numbers
from vision.pieces.network import Floats
from vision.pieces.seen import CELL_PX
from vision.rectify import MARGIN

_SIDE = 3  # px; of what is looked at at once, a fourth of a square
_STEPS = np.arange(0, 2, 0.05, dtype=np.float32)  # squares along the line
_NEAR = 0.95  # squares; no farther off is what differs most
_LEANING = 0.4  # from which lean a height can be measured
_ASIDE = 0.75  # squares from the line; pieces farther off do not lengthen it
_HEAD = 0.2  # squares; half a head, more or less
_PLAY = 0.05 * np.arange(-3, 6, dtype=np.float32)  # squares by which heads are off
_ANYTHING = 1 / 3  # of what a sample shows; less is no head
_BEHIND = 0.6  # squares; what is seen so near to a square's middle passes for its own
_BESIDE = 0.5  # squares; heads that are seen nearer to their feet are on their square


class Heads:
    """Knows where the heads of a table's pegs should be seen. Mutable.

    Before eyes had lessons with tall pegs, 66 of 13,325 drawn ones that were surely
    read by samples were wrong, and it doubted 46 of those and 22 others. Since then 2
    of 11,035 are, and it doubts none; without samples it still is needed.

    Args:
        cell_mm: width and height of a square.
    """

    def __init__(self, cell_mm: tuple[float, float]) -> None:
        # Heights are in widths of a square: lean to the right then is in squares.
        self._stretch = np.array((1, cell_mm[0] / cell_mm[1]), np.float32)
        self._heights: list[float] = []
        self._height, self._shown = np.float32(0), np.inf

    def learn(
        self, sight: Sight, lean: Floats, known: Iterable[int], pieces: Numbers
    ) -> None:
        """Measure known pegs, but for those that may have others behind them.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2) there, see `lean_at`.
            known: cells where they stand.
            pieces: (N,) cells where some seem to stand.
        """
        changed, others = _changed(sight), middles(lean, pieces)
        for cell in known:
            (way,) = self._leaning(lean, np.array([cell]))
            far = float(np.linalg.norm(way))
            if far < _LEANING:
                continue
            middle, way = middles(lean, np.array([cell])), way / np.float32(far)
            if any_behind(others - middle, way, _STEPS[-1]):
                continue
            line = _along(changed, middle, way[None], _STEPS)[0]
            most = int(line[_STEPS < _NEAR].argmax())
            less = line[most:] < line[most] / 2
            tall = float(_STEPS[most + int(less.argmax()) - 1] - _HEAD)
            # It ends in the picture, and is longer than half a head is wide: what
            # hardly differs from the board, as white pegs on white, shows no height.
            if less.any() and tall > 0:
                self._heights.append(tall / far)
                self._shown = min(self._shown, float(line[most]))
        if self._heights:
            # Shadows make some seem taller, what differs little others less tall.
            self._height = np.float32(np.median(self._heights))

    def behind(self, sight: Sight, lean: Floats, pieces: Numbers) -> Numbers:
        """Return the cells that may be behind the heads of other pieces.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2) there.
            pieces: (N,) cells where some seem to stand.
        """
        feet = middles(lean, pieces)
        shift = self._height * self._leaning(lean, pieces)
        far = np.linalg.norm(shift, axis=1, keepdims=True)
        away = np.linalg.norm(feet[:, None] - (feet + shift), axis=-1)
        np.fill_diagonal(away, np.inf)
        hidden = (away < _BEHIND).any(axis=1) & (far[:, 0] > _BESIDE)
        if not hidden.any():
            return pieces[:0]
        pieces, feet, shift, far = (
            every[hidden] for every in (pieces, feet, shift, far)
        )
        seen = _along(_changed(sight), feet, shift / far, far + _PLAY)
        shown = seen.max(axis=1)
        return np.asarray(pieces[shown < _ANYTHING * self._shown])

    def _leaning(self, lean: Floats, cells: Numbers) -> Floats:
        """Return (N, 2) squares by which things of height 1 lean right and down."""
        return np.asarray(lean.reshape(-1, 2)[cells] * self._stretch, np.float32)


def middles(lean: Floats, cells: Numbers) -> Floats:
    """Return (N, 2) squares, right and down, from the middle of the first."""
    down, right = np.divmod(cells, lean.shape[1])
    return np.stack((right, down), axis=-1).astype(np.float32)


def any_behind(away: Floats, way: Floats, reach: float) -> bool:
    """Return whether pieces stand behind another, so that its end is not seen.

    Args:
        away: (N, 2) squares from it to pieces; it may be among them.
        way: (2,) of length 1 along which it leans.
        reach: squares along that; what is farther off does not count.
    """
    along = away @ way
    aside = np.linalg.norm(away - along[:, None] * way, axis=1)
    return bool(((along > 0) & (along < reach) & (aside < _ASIDE)).any())


def _changed(sight: Sight) -> Floats:
    """Return (H / 2, W / 2) by how much a photo differs from the empty board.

    Log units; each pixel stands for what is around it.
    """
    change = np.sqrt(np.square(sight.whole[3:6]).sum(axis=0))
    return np.asarray(cv2.blur(change, (_SIDE, _SIDE)), np.float32)


def _along(changed: Floats, middles: Floats, way: Floats, steps: Floats) -> Floats:
    """Return (N, M) what is seen along ways.

    Args:
        changed: see `_changed`; beyond its rim is what is seen there.
        middles: (N, 2) squares where ways begin.
        way: (N, 2) of length 1.
        steps: (M,) or (N, M) squares along it.
    """
    places = middles[:, None] + way[:, None] * steps[..., None]
    at = (MARGIN // 2 + (places + 0.5) * CELL_PX - 0.5).astype(np.float32)
    x, y = at[..., 0], at[..., 1]
    edge = cv2.BORDER_REPLICATE
    return np.asarray(cv2.remap(changed, x, y, cv2.INTER_LINEAR, borderMode=edge))
