"""The board seen straight from above, as a small picture."""

from __future__ import annotations

from functools import cached_property
from math import log2

import cv2
import numpy as np

from vision.frame import Image
from vision.pose import BoardPose

CELL = 24
"""Side of a cell in the rectified picture, px, whatever its shape in mm."""

MARGIN = CELL // 2
"""Rim around the grid in the rectified picture, px."""

FINE = 2 * CELL
"""Side of a cell where print on pieces is looked at, px."""

_STRIDE = 4  # samples; in between, a homography and a lens are as good as linear


class Rectifier:
    """Samples a picture on a regular grid in board space.

    Args:
        pose: where the board lies.
        cell_mm: width and height of a cell.
        columns: cells in a row.
        rows: cells in a column.
        cell: side of a cell, px; the rim around the grid is half as wide.

    The rectified picture has `(rows + 1) * cell` rows.
    """

    def __init__(
        self,
        pose: BoardPose,
        cell_mm: tuple[float, float],
        columns: int,
        rows: int,
        cell: int = CELL,
    ) -> None:
        self._shows = pose, cell_mm, columns, rows
        width, height = (columns + 1) * cell, (rows + 1) * cell
        # One place more all around, for there is nothing beyond to interpolate with.
        down, across = height // _STRIDE + 2, width // _STRIDE + 2
        x = ((np.arange(across) - 0.5) * _STRIDE / cell - 0.5) * cell_mm[0]
        y = ((np.arange(down) - 0.5) * _STRIDE / cell - 0.5) * cell_mm[1]
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        coarse = pose.to_image(grid).reshape(down, across, 2)
        # A picture finer than its samples is halved first: print would alias, and
        # what noise is left is the less the more pixels have a say.
        span = np.linalg.norm(np.diff(coarse, axis=1), axis=2) / _STRIDE
        self._halvings = max(0, round(log2(max(float(np.median(span)), 1))))
        size = across * _STRIDE, down * _STRIDE
        seen = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)
        # Each by itself: minima over both, side by side, take five times as long, and
        # `cv2.split` even ten times.
        to_x, to_y = (
            np.ascontiguousarray(seen[_STRIDE:-_STRIDE, _STRIDE:-_STRIDE, way])
            for way in (0, 1)
        )
        part = 2**self._halvings
        # Only what is looked at is halved, and never nothing.
        most = np.array(pose.lens.size) // part - 2
        near = np.array((to_x.min(), to_y.min())) / part
        far = np.array((to_x.max(), to_y.max())) / part
        first = (np.floor(near) - 1).clip(0, most)
        last = (np.ceil(far) + 2).clip(first + 2, None)
        (left, top), (right, bottom) = (
            np.minimum(edge * part, 1e6).astype(int) for edge in (first, last)
        )
        self._window = slice(top, bottom), slice(left, right)
        self._to_x = np.asarray((to_x - left + 0.5) / part - 0.5, np.float32)
        self._to_y = np.asarray((to_y - top + 0.5) / part - 0.5, np.float32)

    def __call__(self, image: Image) -> Image:
        """Return the rectified picture, uint8 BGR; black where the picture ends."""
        image = image[self._window]
        part = 2**self._halvings
        height, width = (side // part * part for side in image.shape[:2])
        image = image[:height, :width]
        for _ in range(self._halvings):  # one by four takes three times as long
            height, width = height // 2, width // 2
            image = cv2.resize(  # type: ignore[assignment]
                image, (width, height), interpolation=cv2.INTER_AREA
            )
        # Four channels are faster than three, by more than it takes to add one.
        four = cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
        flat = cv2.remap(four, self._to_x, self._to_y, cv2.INTER_LINEAR)
        return np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGRA2BGR), np.uint8)

    def finely(self, image: Image) -> Image:
        """Return the same at `FINE` px a cell."""
        return self._fine(image)

    @cached_property
    def _fine(self) -> Rectifier:
        """Few photos need it."""
        return Rectifier(*self._shows, FINE)
