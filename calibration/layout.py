"""Which squares of a printed grid are which, by what is printed on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image
from vision.pose import BoardPose, Points

_ALIKE, _LEAD = 0.55, 0.12  # correlation of like squares; over the next best way
_LOOSE = 0.03  # cells


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The grid of printed squares in a picture.

    Attributes:
        pose: maps cells (x right, y down as the layout is written, one unit a
            cell) to the picture.
        likeness: how much alike squares of one card look, and how much more so
            than in the next best way to lay the layout on the picture; 0 to 1.
        error: root mean square distance of the seen cells from the grid, in cells.
    """

    pose: BoardPose
    likeness: float
    lead: float
    error: float

    @property
    def sure(self) -> bool:
        """No other place or turn of the layout comes near."""
        return self.likeness > _ALIKE and self.lead > _LEAD and self.error < _LOOSE

    def corners(self, columns: int, rows: int) -> Points:
        """Return the outer corners in the picture, from the first cell clockwise."""
        outer = ((0, 0), (columns, 0), (columns, rows), (0, rows))
        return self.pose.to_image(np.array(outer, np.float64))


_PATCH = 14  # px a cell when squares are compared


def laid(
    image: Image,
    faces: Sequence[Sequence[str]],
    pose: BoardPose,
    extent: tuple[int, int],
    error: float,
) -> Grid:
    """Lay the layout on the lattice in the way in which like squares look alike."""
    columns, rows = len(faces[0]), len(faces)
    slack = max(1, max(columns, rows) - min(extent) + 1)
    wide, high = extent[0] + 2 * slack, extent[1] + 2 * slack
    alike = _likeness(image, pose, (-slack, -slack), (wide, high))
    pairs = _pairs(faces)
    ways: list[tuple[float, int, tuple[int, int]]] = []
    for turn in range(4):
        span = (columns, rows) if turn % 2 == 0 else (rows, columns)
        at = _turned(columns, rows, turn)
        for y in range(high - span[1] + 1):
            for x in range(wide - span[0] + 1):
                place = (at[:, 1] + y) * wide + at[:, 0] + x
                score = alike[place[pairs[:, 0]], place[pairs[:, 1]]].mean()
                ways.append((float(score), turn, (x - slack, y - slack)))
    ways.sort(reverse=True)
    likeness, turn, corner = ways[0]
    cells = _turned(columns, rows, turn) + 0.5 + corner
    upright = np.array(
        [(c + 0.5, r + 0.5) for r in range(rows) for c in range(columns)]
    )
    turned, _ = cv2.findHomography(upright, cells.astype(np.float64), 0)
    laid = BoardPose(pose.image_from_board @ turned, pose.lens)
    return Grid(laid, likeness, likeness - ways[1][0], error)


def _pairs(faces: Sequence[Sequence[str]]) -> npt.NDArray[np.intp]:
    """Return (N, 2) the cells, counted row by row, that show the same card."""
    where: dict[str, list[int]] = {}
    for index, face in enumerate(face for row in faces for face in row):
        where.setdefault(face, []).append(index)
    return np.array(
        [pair for cells in where.values() for pair in combinations(cells, 2)], np.intp
    ).reshape(-1, 2)


def _turned(columns: int, rows: int, turn: int) -> npt.NDArray[np.intp]:
    """Return (N, 2) where the cells lie, x and y, after quarter turns clockwise."""
    y, x = (part.reshape(-1) for part in np.mgrid[:rows, :columns])
    for _ in range(turn):
        x, y, columns, rows = rows - 1 - y, x, rows, columns
    return np.stack((x, y), axis=1)


def _likeness(
    image: Image, pose: BoardPose, corner: tuple[int, int], extent: tuple[int, int]
) -> npt.NDArray[np.float32]:
    """Return (N, N) how well the cells of a part of the lattice correlate."""
    step = 1 / _PATCH
    x = corner[0] + (np.arange(extent[0] * _PATCH) + 0.5) * step
    y = corner[1] + (np.arange(extent[1] * _PATCH) + 0.5) * step
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    seen = pose.to_image(points).astype(np.float32).reshape(len(y), len(x), 2)
    calm = cv2.GaussianBlur(image, (0, 0), 1.0)
    flat = cv2.remap(calm, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR)
    cells = np.asarray(flat, np.float32).reshape(
        extent[1], _PATCH, extent[0], _PATCH, 3
    )
    # The outer parts of squares are alike on the whole board.
    inner = cells.transpose(0, 2, 1, 3, 4)[:, :, 2:-2, 2:-2]
    patch = np.log(inner + 8).reshape(extent[0] * extent[1], -1, 3)
    patch = patch - patch.mean(axis=1, keepdims=True)
    vector = patch.reshape(len(patch), -1)
    # What all squares share says nothing about which of them are the same.
    vector = vector - np.median(vector, axis=0)
    vector /= np.maximum(np.linalg.norm(vector, axis=1, keepdims=True), 0.5)
    return np.asarray(vector @ vector.T)
