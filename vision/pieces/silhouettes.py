"""How high the pieces of a table are, measured on their silhouettes.

From the side a piece hides more of the board than from above: one of radius r whose
top is h above the board is seen as a disc of that radius, swept by h times the lean
(`lean_at`). Of all such shapes, at any place near its square's middle, the one is
looked for that holds most of what has another tint than the empty board, and least of
what has not: each pixel counts by how much more, or less, its tint differs than half of
what the piece's does. (Shadows change the shade alone, but in the dark.) All pieces of
a table have one radius and one height, so what they say is added up.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import cv2
import numpy as np

from vision.empty_board import Sight
from vision.pieces.closer import Numbers
from vision.pieces.heads import any_behind, middles
from vision.pieces.network import Floats, shade_and_tint
from vision.rectify import CELL, MARGIN

_SIDE = 3  # px; of what is looked at at once, an eighth of a square
_RADII = np.arange(0.18, 0.44, 0.03)  # squares
_HEIGHTS = np.arange(0, 1, 0.02)  # squares
_OFF = 5  # px that pieces lie off the middle of their square at most, either way
_RIM = 16  # px; that and the largest radius
_LONGEST = 38  # px that shapes are swept by at most: longer ones tell no more
_NEAR = slice(_RIM - 6, None), slice(_RIM - 10, _RIM + 11)  # px; where it may be
_SMALLEST = int(np.pi * (CELL * _RADII[0]) ** 2)  # px that a piece covers at least
_LEAST = 0.3  # log units by which the tint of pieces must differ from the board's
_LEANING = 0.6  # where things lean less, pieces are told well on the board itself
_BEHIND = 2.0  # squares; those with others so far behind them are not measured


class Silhouettes:
    """Knows how high pieces are. Mutable.

    Of drawn tables whose samples were seen from a side, 67 had some to measure: chips
    of 2.5 to 5 mm were told to be 0 to 5 mm high, and draughtsmen of 7 to 12 mm 3 mm
    less than they are on average, one of 14 of them less than 4 mm. Pegs of 12 to
    40 mm, whose feet are thinner than their heads, were told 7 to 10 mm less.

    Args:
        cell_mm: width and height of a square.

    Attributes:
        count: pieces that were measured.
    """

    def __init__(self, cell_mm: tuple[float, float]) -> None:
        self._wide, high = cell_mm
        # Squares may be oblong; lengths are measured in widths of one.
        self._stretch = np.array((1, self._wide / high), np.float32)
        self._agree = np.zeros((len(_HEIGHTS), len(_RADII)), np.float32)
        self.count = 0

    @property
    def height(self) -> float:
        """How high pieces are, mm; 0 unless that is known."""
        best, _ = np.unravel_index(self._agree.argmax(), self._agree.shape)
        return float(_HEIGHTS[best]) * self._wide

    def measure(
        self, sight: Sight, lean: Floats, known: Iterable[int], pieces: Numbers
    ) -> None:
        """Measure known pieces, but for those that may have others behind them.

        Args:
            sight: of a photo, straightened on the board itself.
            lean: (rows, columns, 2) there, see `lean_at`.
            known: cells where they lie.
            pieces: (N,) cells where some seem to lie.
        """
        alone = [cell for cell in known if self._shows(lean, cell, pieces)]
        if not alone:
            return
        _, tint = shade_and_tint(np.moveaxis(sight.change, 0, -1))
        changed = np.asarray(cv2.blur(np.sqrt(tint), (_SIDE, _SIDE)), np.float32)
        places, ways = self._middles(lean, np.array(alone)), lean.reshape(-1, 2)[alone]
        for middle, way in zip(places, ways, strict=True):
            far = float(np.linalg.norm(way))
            seen = self._seen(changed, middle, np.asarray(way / far, np.float32))
            differs = float(np.sort(seen[_NEAR], axis=None)[-_SMALLEST])
            if differs >= _LEAST:
                self._agree += _agreement(np.minimum(seen / differs, 1) - 0.5, far)
                self.count += 1

    def _shows(self, lean: Floats, cell: int, pieces: Numbers) -> bool:
        """Return whether a piece's side is seen, and nothing is behind it."""
        way = lean.reshape(-1, 2)[cell]
        far = float(np.linalg.norm(way))
        if far < _LEANING:
            return False
        away = self._middles(lean, pieces) - self._middles(lean, np.array([cell]))
        return not any_behind(away, np.asarray(way / far, np.float32), _BEHIND)

    def _middles(self, lean: Floats, cells: Numbers) -> Floats:
        """Return (N, 2) where cells are, right and down of the first one's middle."""
        return np.asarray(middles(lean, cells) / self._stretch, np.float32)

    def _seen(self, changed: Floats, middle: Floats, way: Floats) -> Floats:
        """Return what is seen beside a line, (along, across) px.

        Args:
            changed: (H, W) by how much the tint differs from the empty board's.
            middle: (2,) where the line begins, see `_middles`.
            way: (2,) of length 1.
        """
        along = np.arange(-_RIM, _LONGEST + _RIM + 1, dtype=np.float32)
        across = np.arange(-_RIM, _RIM + 1, dtype=np.float32)
        beside = np.array((-way[1], way[0]), np.float32)
        places = along[:, None, None] * way + across[:, None] * beside
        at = MARGIN + (CELL * middle + places) * self._stretch + (CELL - 1) / 2
        x, y = at[..., 0].astype(np.float32), at[..., 1].astype(np.float32)
        edge = cv2.BORDER_CONSTANT  # nothing is seen beyond the rim
        return np.asarray(cv2.remap(changed, x, y, cv2.INTER_LINEAR, borderMode=edge))


def _agreement(seen: Floats, far: float) -> Floats:
    """Return (heights, radii) the sums of what shapes hold at their best places.

    Args:
        seen: (along, across) px, above 0 where a piece may be, else below.
        far: how far things lean there.
    """
    before = np.pad(seen.cumsum(axis=0), ((1, 0), (0, 0)))
    swept = np.rint(np.minimum(CELL * far * _HEIGHTS, _LONGEST)).astype(int)
    off = np.arange(-_OFF, _OFF + 1)
    ends = swept[:, None] + _OFF + off
    best = np.empty((len(_HEIGHTS), len(_RADII)), np.float32)
    for column, radius in enumerate(CELL * _RADII):
        lines, half = _disc(float(radius))
        across = _RIM + off[:, None] + lines
        near = before[_RIM + off[:, None, None] - half, across].sum(axis=-1)
        along = _RIM + np.arange(-_OFF, _LONGEST + _OFF + 1)
        far_end = before[along[:, None, None] + half + 1, across].sum(axis=-1)
        best[:, column] = (far_end[ends] - near).max(axis=(1, 2))
    return best


@cache
def _disc(radius: float) -> tuple[Numbers, Numbers]:
    """Return the lines that a disc lies on, and half its width on each, px."""
    lines = np.arange(-int(radius), int(radius) + 1)
    return lines, np.rint(np.sqrt(radius**2 - lines**2)).astype(int)
