"""Which squares of a lattice are which, by what is printed on them, or by markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image
from vision.pose import CORNERS, BoardPose, Points

Point = npt.NDArray[np.float64]
"""(2,) x and y."""

Prints = npt.NDArray[np.float32]
"""(N, D) how each cell differs from most, as unit vectors or shorter."""

Likeness = npt.NDArray[np.float64]
"""(N, N) how much more alike two cells are than any two; standard deviations."""

# Of 3,600 shuffled layouts the plainest came to 12, of 720 with squares in common with
# the board 14, of the wrong ways of the board's own 2.
_PLAIN = 16.0  # likeness of like squares, times its lead over the next best way
_ALIKE = 3.0  # likeness of like squares where markers say so too
_EVENED = 0.2  # power of what cells have in common, see `_likeness`
_LOOSE = 0.03  # cells
_BLANK = 0.6  # correlation of squares with the one most like them, at most
_BESIDE = 2.5  # cells; how far from the grid's corner its marker lies at most
_FEW = 2  # markers that agree; one may be something else


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Squares in a picture, of which it is not known yet which is which.

    Attributes:
        pose: maps cells (one unit each, x rather right and y rather down in the
            picture) to the picture; the outermost begin at 0.
        extent: columns and rows, as they lie in the picture.
        error: root mean square distance of what is seen from the lattice, in cells.
        whole: all of a board's squares are seen, and nothing else that is like them.
    """

    pose: BoardPose
    extent: tuple[int, int]
    error: float
    whole: bool


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The grid of printed squares in a picture.

    Attributes:
        pose: maps cells (x right, y down as the layout is written, one unit a
            cell) to the picture.
        likeness: how much more alike squares of one card look than any others: the
            median of such pairs (or their mean, if that is less), times the square
            root of how many there are.
        lead: by how much more than in the next best way to lay the layout on the
            picture.
        error: root mean square distance of what is seen from the grid, in cells.
        whole: it is known where all squares lie, if not which is which.
        marked: whether markers say which way round it lies.
    """

    pose: BoardPose
    likeness: float
    lead: float
    error: float
    whole: bool
    marked: bool = False

    @property
    def printed(self) -> bool:
        """No other place or turn of the layout on the print comes near."""
        return self.evidence > _PLAIN

    @property
    def evidence(self) -> float:
        """How plain it is which square is which."""
        return self.likeness * self.lead

    @property
    def sure(self) -> bool:
        """It is known which square is which, and where."""
        return (self.printed or self.marked) and self.error < _LOOSE

    def corners(self, columns: int, rows: int) -> Points:
        """Return the outer corners in the picture, from the first cell clockwise."""
        return self.pose.to_image(CORNERS * np.array((columns, rows), np.float64))


_PATCH = 14  # px a cell when squares are compared


def laid(
    image: Image,
    faces: Sequence[Sequence[str]],
    lattice: Lattice,
    markers: Mapping[int, Point],
) -> Grid:
    """Lay the layout on the lattice in the way in which like squares look alike.

    Where they do not say it, markers around the whole lattice do, unless squares show
    another layout. Where nothing says it, a whole lattice is taken to lie upright in
    the picture.

    Args:
        image: of the empty board, smoothed: noise makes all squares different.
        faces: what is printed on the squares, row by row.
        lattice: of all squares, or of a part of them.
        markers: middles, px, by number, see `find_grid`.
    """
    shape, extent = (len(faces[0]), len(faces)), lattice.extent
    slack = max(1, max(shape) - min(extent) + 1)
    wide, high = extent[0] + 2 * slack, extent[1] + 2 * slack
    prints = _prints(image, lattice.pose, (-slack, -slack), (wide, high))
    ways = _ways(_likeness(prints), faces, (wide, high))
    likeness, turn, (x, y) = ways[0]
    corner = x - slack, y - slack
    grid = Grid(
        _placed(lattice.pose, shape, turn, corner),
        likeness,
        likeness - ways[1][0],
        lattice.error,
        lattice.whole,
    )
    if grid.printed or not lattice.whole:
        return grid
    marked = _marked(lattice, markers, shape)
    if marked is not None:
        own = slice(slack, -slack)
        squares = prints.reshape(high, wide, -1)[own, own].reshape(-1, prints.shape[1])
        agrees = (turn, corner) == (marked, (0, 0)) and likeness > _ALIKE
        if agrees or _twins(squares) < _BLANK:
            pose = _placed(lattice.pose, shape, marked, (0, 0))
            return replace(grid, pose=pose, marked=True)
    if extent == shape:
        return replace(grid, pose=lattice.pose)
    return replace(grid, whole=False)


def _ways(
    alike: Likeness, faces: Sequence[Sequence[str]], extent: tuple[int, int]
) -> list[tuple[float, int, tuple[int, int]]]:
    """Return the likeness of like squares, for all quarter turns and first cells.

    Args:
        alike: of all cells of a part of the lattice, row by row.
        faces: what is printed on the squares, row by row.
        extent: columns and rows of that part.

    Returns:
        the best way first.
    """
    columns, rows = len(faces[0]), len(faces)
    wide, high = extent
    pairs = _pairs(faces)
    ways: list[tuple[float, int, tuple[int, int]]] = []
    for turn in range(4):
        span = (columns, rows) if turn % 2 == 0 else (rows, columns)
        at = _turned(columns, rows, turn)
        firsts = list(product(range(wide - span[0] + 1), range(high - span[1] + 1)))
        scores = np.zeros(len(firsts))
        if len(pairs):
            one, other = (at[:, 1] * wide + at[:, 0])[pairs.T]
            beyond = np.array([y * wide + x for x, y in firsts])[:, None]
            like = alike[one + beyond, other + beyond]
            # Another layout may have some pairs in common with the board's.
            # Nor should the median leap where squares are of but two kinds.
            scores = np.minimum(np.median(like, axis=1), like.mean(axis=1))
        scores *= len(pairs) ** 0.5
        ways += [
            (score, turn, first)
            for score, first in zip(scores.tolist(), firsts, strict=True)
        ]
    return sorted(ways, reverse=True)


def _placed(
    pose: BoardPose, shape: tuple[int, int], turn: int, corner: tuple[int, int]
) -> BoardPose:
    """Return the pose of a layout that is turned and begins at a cell."""
    columns, rows = shape
    cells = _turned(columns, rows, turn) + 0.5 + corner
    upright = np.array(
        [(c + 0.5, r + 0.5) for r in range(rows) for c in range(columns)]
    )
    turned, _ = cv2.findHomography(upright, cells.astype(np.float64), 0)
    return BoardPose(pose.image_from_board @ turned, pose.lens)


def _twins(prints: Prints) -> float:
    """Return how squares correlate with the one that is most like them, as a rule."""
    others = prints @ prints.T - 2 * np.eye(len(prints), dtype=np.float32)
    return float(np.median(others.max(axis=1)))


def _marked(
    lattice: Lattice, markers: Mapping[int, Point], shape: tuple[int, int]
) -> int | None:
    """Return the quarter turns that lay the layout between its markers.

    Args:
        lattice: of all squares.
        markers: middles, px, by number; those from 0 to 3 count, see `find_grid`.
        shape: columns and rows of the layout.
    """
    numbers = [number for number in range(4) if number in markers]
    if len(numbers) < _FEW:
        return None
    seen = lattice.pose.to_board(np.array([markers[number] for number in numbers]))
    for turn in range(4):
        if lattice.extent != (shape if turn % 2 == 0 else shape[::-1]):
            continue
        corner = CORNERS[(np.array(numbers) + turn) % 4]
        beyond = (seen - corner * lattice.extent) * (2 * corner - 1)
        if ((beyond > 0) & (beyond < _BESIDE)).all():
            return turn
    return None


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


def _prints(
    image: Image, pose: BoardPose, corner: tuple[int, int], extent: tuple[int, int]
) -> Prints:
    """Return what is on the cells of a part of the lattice, row by row."""
    step = 1 / _PATCH
    x = corner[0] + (np.arange(extent[0] * _PATCH) + 0.5) * step
    y = corner[1] + (np.arange(extent[1] * _PATCH) + 0.5) * step
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    seen = pose.to_image(points).astype(np.float32).reshape(len(y), len(x), 2)
    flat = cv2.remap(image, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR)
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
    return np.asarray(vector)


def _likeness(prints: Prints) -> Likeness:
    """Return how much more alike cells are than any two.

    Chequers, patches and the picture under the squares make many cells alike, and
    those of one card hardly more: they are few of the directions in which cells
    differ, but the longest. All are made more nearly as long (as whitening would
    make them just as long, and noise as loud as print).
    """
    apart = (prints - prints.mean(axis=0)).astype(np.float64)
    values, vectors = np.linalg.eigh(apart @ apart.T)
    values = np.where(values > 1e-6 * values[-1], values, 0)
    alike = (vectors * values**_EVENED) @ vectors.T
    size = np.sqrt(np.maximum(np.diagonal(alike), 1e-9))
    alike /= size[:, None] * size
    spread = alike[~np.eye(len(alike), dtype=bool)].std()
    return np.asarray(alike / max(spread, 1e-9))
