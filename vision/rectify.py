"""The board seen straight from above, as a small picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.frame import Image
from vision.pose import BoardPose

CELL = 24
"""Side of a cell in the rectified picture, px, whatever its shape in mm."""

MARGIN = CELL // 2
"""Rim around the grid in the rectified picture, px."""

_OVERSAMPLING = 2
_STRIDE = 4  # samples; in between, a homography and a lens are as good as linear


class Rectifier:
    """Samples a picture on a regular grid in board space.

    Args:
        pose: where the board lies.
        cell_mm: width and height of a cell.
        columns: cells in a row.
        rows: cells in a column.

    The rectified picture has `rows * CELL + 2 * MARGIN` rows.
    """

    def __init__(
        self, pose: BoardPose, cell_mm: tuple[float, float], columns: int, rows: int
    ) -> None:
        step = CELL * _OVERSAMPLING
        width = (columns * CELL + 2 * MARGIN) * _OVERSAMPLING
        height = (rows * CELL + 2 * MARGIN) * _OVERSAMPLING
        self._size = (width // _OVERSAMPLING, height // _OVERSAMPLING)
        # One place more all around, for there is nothing beyond to interpolate with.
        down, across = height // _STRIDE + 2, width // _STRIDE + 2
        x = ((np.arange(across) - 0.5) * _STRIDE / step - MARGIN / CELL) * cell_mm[0]
        y = ((np.arange(down) - 0.5) * _STRIDE / step - MARGIN / CELL) * cell_mm[1]
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        coarse = pose.to_image(grid).reshape(down, across, 2)
        # A cell much larger than its samples is shrunk first, or print would alias.
        span = np.linalg.norm(np.diff(coarse, axis=1), axis=2) / _STRIDE
        self._shrink = max(1, int(np.median(span) + 0.5))
        size = across * _STRIDE, down * _STRIDE
        seen = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)
        seen = seen[_STRIDE:-_STRIDE, _STRIDE:-_STRIDE]
        seen = (seen + 0.5) / self._shrink - 0.5
        self._maps = cv2.convertMaps(
            seen[..., 0].astype(np.float32),
            seen[..., 1].astype(np.float32),
            cv2.CV_16SC2,
        )

    def __call__(self, image: Image) -> Image:
        """Return the rectified picture, uint8 BGR; black where the picture ends."""
        if self._shrink > 1:
            height, width = image.shape[:2]
            size = (width // self._shrink, height // self._shrink)
            image = cv2.resize(  # type: ignore[assignment]
                image[: size[1] * self._shrink, : size[0] * self._shrink],
                size,
                interpolation=cv2.INTER_AREA,
            )
        fine = cv2.remap(image, *self._maps, cv2.INTER_LINEAR)
        return np.asarray(
            cv2.resize(fine, self._size, interpolation=cv2.INTER_AREA), np.uint8
        )
