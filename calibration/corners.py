"""Finding the printed grid on the photo of an empty board."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

import cv2
import numpy as np
import numpy.typing as npt

from vision.empty_board import Floats
from vision.frame import Image
from vision.pose import BoardPose, Lens, Points

_WORK = 1400  # px; longer photos are shrunk for the search
_ALIKE, _LEAD = 0.55, 0.12  # correlation of like squares; over the next best way
_LOOSE = 0.03  # cells
_PART = 0.2  # share of the squares that a grid is fitted to at least
_ENOUGH = 12  # lattices of most squares on which the layout does not lie


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


def find_grid(image: Image, faces: Sequence[Sequence[str]]) -> Grid | None:
    """Look for the printed squares of a layout.

    Squares may be outlined, or differ in brightness or colour from the ground
    between them. Every closed outline that could be a square is a candidate;
    candidates whose neighbours lie where their sides say make a lattice. Which
    way round the board lies, and which part of the lattice it is, the print says
    itself: two squares with the same card must look the same.

    Returns:
        the grid, None if no lattice fits the layout.
    """
    factor = min(1.0, _WORK / max(image.shape[:2]))
    small = image
    if factor < 1:
        small = np.asarray(
            cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    grid = _searched(small, faces)
    if grid is None:
        return None
    full = image.shape[1], image.shape[0]
    return replace(grid, pose=grid.pose.scaled(1 / factor, full))


def _searched(image: Image, faces: Sequence[Sequence[str]]) -> Grid | None:
    """Return the first grid that is sure and shows most squares, or the best."""
    shape, size = (len(faces[0]), len(faces)), (image.shape[1], image.shape[0])
    best: Grid | None = None
    every: Outlines = []
    complete = 0
    for outlines in _candidates(image):
        every += outlines
        lattice = _grow(outlines)
        fitted = _fit(outlines, lattice, shape, size)
        if fitted is None:
            continue
        grid = _laid(image, faces, *fitted)
        if best is None or _merit(grid) > _merit(best):
            best = grid
        if len(lattice) > 0.8 * shape[0] * shape[1]:
            complete += 1
            if grid.sure:
                best = grid
            # Where the squares are seen well in vain, it is another layout.
            if grid.sure or complete == _ENOUGH:
                break
    completed = None if best is None else _completed(best.pose, every, shape, size)
    if completed is None:
        return best
    whole = _laid(image, faces, completed[0], shape, completed[1])
    return whole if whole.sure else best


def _merit(grid: Grid) -> tuple[bool, float]:
    return grid.sure, grid.likeness + grid.lead - 4 * grid.error


Outlines = list[npt.NDArray[np.float64]]


def _candidates(image: Image) -> Iterator[Outlines]:
    """Yield lists of closed outlines, each found in another way.

    Lines that are faint or worn leak, and what leaks is one shape with its neighbour:
    thinner shapes come apart there.
    """
    lab = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.float32)
    planes = [
        np.asarray(cv2.GaussianBlur(plane, (0, 0), 0.8), np.float32)
        for plane in cv2.split(lab)
    ]
    for thinner in _THINNER:
        masks = [_flat_parts(plane) for plane in planes]
        for mask in chain(*masks, _between_lines(planes[0])):
            yield [*_outlines(np.asarray(cv2.erode(mask, thinner), np.uint8))]


_THINNER = (
    np.ones((1, 1), np.uint8),
    np.asarray(cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)), np.uint8),
    np.ones((3, 3), np.uint8),
)
"""What shapes are eroded by: nothing, then half a pixel or one on each side."""


def _flat_parts(plane: Floats) -> Iterator[Image]:
    """Yield masks of what is brighter or darker than what is around it."""
    for reach in (12, 25, 6):
        mean = cv2.GaussianBlur(plane, (0, 0), reach)
        spread = cv2.GaussianBlur((plane - mean) ** 2, (0, 0), reach)
        # A flat part shall stay flat: what varies less is noise.
        level = (plane - mean) / (np.sqrt(spread) + 0.7)
        for threshold in (0.0, 0.5, -0.5):
            for mask in (level > threshold, level < threshold):
                yield mask.astype(np.uint8)


def _between_lines(bright: Floats) -> Iterator[Image]:
    """Yield masks of what is left without thin dark lines, however faint.

    Bold letters beside them do not matter to a black-hat transform.
    """
    for width in (7, 13):
        brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
        line = cv2.morphologyEx(bright, cv2.MORPH_BLACKHAT, brush)
        usual = np.median(line)
        scatter = np.median(np.abs(line - usual))
        for times in (1, 2, 4):
            yield (line < usual + times * scatter).astype(np.uint8)


def _outlines(mask: Image) -> Iterator[npt.NDArray[np.float64]]:
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    largest = mask.shape[0] * mask.shape[1] / 40
    for contour in contours:
        if len(contour) < 40:
            continue
        area = cv2.contourArea(contour)
        if not 120 < area < largest:
            continue
        hull = cv2.convexHull(contour)
        if area < 0.8 * cv2.contourArea(hull):
            continue
        # A square with rounded corners fills most of the best four-cornered frame.
        frame = cv2.approxPolyDP(hull, 0.06 * cv2.arcLength(hull, True), True)
        if len(frame) != 4 or area < 0.75 * cv2.contourArea(frame):
            continue
        yield contour.reshape(-1, 2).astype(np.float64)


def _grow(outlines: Outlines) -> dict[int, tuple[int, int]]:
    """Give outlines whole-numbered places in the largest lattice."""
    if len(outlines) < 12:
        return {}
    middles = np.array([_middle(outline) for outline in outlines])
    sides = np.array([_sides(outline) for outline in outlines])
    best: dict[int, tuple[int, int]] = {}
    tried: set[int] = set()
    order = np.argsort(np.abs(np.log(_areas(sides) / np.median(_areas(sides)))))
    for start in order[:60]:
        if int(start) in tried:
            continue
        lattice = _flood(int(start), middles, sides)
        tried |= lattice.keys()
        if len(lattice) > len(best):
            best = lattice
    return best


def _areas(sides: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])


def _middle(outline: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    moments = cv2.moments(outline.astype(np.float32).reshape(-1, 1, 2))
    area = moments["m00"] or 1.0
    return np.array((moments["m10"] / area, moments["m01"] / area))


def _sides(outline: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a square's two side vectors, the rightmost first."""
    hull = cv2.convexHull(outline.astype(np.float32).reshape(-1, 1, 2))
    frame = cv2.approxPolyDP(hull, 0.06 * cv2.arcLength(hull, True), True)
    a, b, c, d = frame.reshape(4, 2).astype(np.float64)
    first, second = (b - a + c - d) / 2, (c - b + d - a) / 2
    ways = [first, second, -first, -second]
    right = max(range(4), key=lambda k: ways[k][0])
    # Clockwise from right is down, y pointing down.
    down = max((ways[(right + 1) % 4], ways[(right + 3) % 4]), key=lambda w: w[1])
    return np.array((ways[right], down))


def _flood(
    start: int, middles: npt.NDArray[np.float64], sides: npt.NDArray[np.float64]
) -> dict[int, tuple[int, int]]:
    area = _areas(sides)
    places = {start: (0, 0)}
    taken = {(0, 0): start}
    # From middle to middle is a little more than a side: by how much, the first
    # pair of neighbours tells.
    steps = {start: sides[start] * 1.12}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
            place = list(places[here])
            place[axis] += sign
            key = place[0], place[1]
            if key in taken:
                continue
            step = steps[here][axis]
            goal = middles[here] + sign * step
            away = np.linalg.norm(middles - goal, axis=1)
            alike = np.abs(np.log(area / area[here])) < 0.45
            away[~alike] = np.inf
            near = int(away.argmin())
            if away[near] > 0.22 * np.linalg.norm(step) or near in places:
                continue
            places[near] = key
            taken[key] = near
            fresh = steps[here].copy()
            fresh[axis] = sign * (middles[near] - middles[here])
            steps[near] = fresh
            queue.append(near)
    return places


def _fit(
    outlines: Outlines,
    lattice: dict[int, tuple[int, int]],
    shape: tuple[int, int],
    size: tuple[int, int],
) -> tuple[BoardPose, tuple[int, int], float] | None:
    """Fit a pose with a lens to a lattice of outlines.

    Returns:
        the pose from lattice places, how many places wide and high the lattice
        is, and the error in cells; None for too small a lattice.
    """
    places = np.array(list(lattice.values())).reshape(-1, 2)
    if len(lattice) < _PART * shape[0] * shape[1] or np.ptp(places, axis=0).min() < 3:
        return None
    places -= places.min(axis=0)
    chosen = [outlines[index] for index in lattice]
    target = places + 0.5
    seen = np.array([_middle(outline) for outline in chosen])
    pose, error = _fit_pose(target, seen, size)
    for _ in range(3):
        # A square's middle in the picture is not the picture of its middle.
        flat = _boxes(pose, chosen).mean(axis=1)
        if not np.isfinite(flat).all():
            return None
        pose, error = _fit_pose(target, pose.to_image(flat), size)
    wide, high = places.max(axis=0) + 1
    return pose, (int(wide), int(high)), error


_NEAR = 0.25  # cells; outlines as near to a square's middle are its own
_SIDES = (0.6, 1.05)  # cells


def _completed(
    pose: BoardPose, outlines: Outlines, shape: tuple[int, int], size: tuple[int, int]
) -> tuple[BoardPose, float] | None:
    """Fit a grid once more, to all that was seen of its squares in any way.

    Away from the squares that it was found by, a grid is not exact.

    Returns:
        the pose and the error in cells; None where few squares were seen.
    """
    means = np.array([outline.mean(axis=0) for outline in outlines])
    for _ in range(4):
        rough = pose.to_board(means)
        near = np.abs(rough - np.floor(rough) - 0.5).max(axis=1) < 2 * _NEAR
        near &= ((rough > 0) & (rough < shape)).all(axis=1)
        boxes = _boxes(pose, [outlines[at] for at in np.flatnonzero(near)])
        middles, sides = boxes.mean(axis=1), boxes[:, 1] - boxes[:, 0]
        own = np.abs(middles - np.floor(middles) - 0.5) < _NEAR
        own &= (sides > _SIDES[0]) & (sides < _SIDES[1])
        middles = middles[own.all(axis=1)]
        places, which = np.unique(np.floor(middles), axis=0, return_inverse=True)
        if len(places) < _PART * shape[0] * shape[1]:
            return None
        # Each square counts once, in however many ways it was seen.
        usual = [np.median(middles[which == at], axis=0) for at in range(len(places))]
        pose, error = _fit_pose(places + 0.5, pose.to_image(np.array(usual)), size)
    return pose, error


_PATCH = 14  # px a cell when squares are compared


def _laid(
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


def _boxes(pose: BoardPose, outlines: Outlines) -> npt.NDArray[np.float64]:
    """Return (N, 2, 2) the least and the greatest x and y of outlines, in cells."""
    if not outlines:
        return np.empty((0, 2, 2))
    flat = pose.to_board(np.concatenate(outlines))
    parts = np.split(flat, np.cumsum([len(outline) for outline in outlines])[:-1])
    return np.array([np.percentile(part, (4, 96), axis=0) for part in parts])


def _fit_pose(
    target: Points, seen: Points, size: tuple[int, int]
) -> tuple[BoardPose, float]:
    """Fit a homography and a radial lens; the error is in cells, robust."""

    def fit(k1: float) -> tuple[BoardPose, float]:
        lens = Lens(size, k1)
        straight = lens.undistort(seen)
        matrix, mask = cv2.findHomography(target, straight, cv2.RANSAC, 2.0)
        if matrix is None:
            return BoardPose(np.eye(3), lens), np.inf
        keep = mask.reshape(-1) > 0
        if keep.sum() >= 8:
            matrix, _ = cv2.findHomography(target[keep], straight[keep], 0)
        pose = BoardPose(np.asarray(matrix, np.float64), lens)
        away = pose.to_board(seen) - target
        square = np.minimum((away**2).sum(axis=1), 0.15**2)
        return pose, float(np.sqrt(square.mean()))

    best = fit(0.0)
    step, middle = 0.1, 0.0
    for _ in range(6):
        trials = [(fit(k), k) for k in (middle - step, middle + step)]
        for trial, k in trials:
            # A lens must earn its place: noise alone always bends a little.
            if trial[1] < best[1] * 0.995:
                best, middle = trial, k
        step /= 2
    return best
