"""Finding the printed grid on the photo of an empty board."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image
from vision.pose import BoardPose, Lens, Points

_WORK = 1400  # px; longer photos are shrunk for the search


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A grid of printed squares in a picture, its orientation not yet known.

    Attributes:
        pose: maps cells (x right, y down, one unit a cell) to the picture.
        found: share of the cells whose outline was seen.
        error: root mean square distance of the seen cells from the grid, in cells.
    """

    pose: BoardPose
    found: float
    error: float


def find_grid(image: Image, columns: int, rows: int) -> Grid | None:
    """Look for columns x rows printed squares.

    Squares may be outlined, or differ in brightness or colour from the ground
    between them. Every closed outline that could be a square is a candidate;
    candidates whose neighbours lie where their sides say make a lattice.
    """
    factor = min(1.0, _WORK / max(image.shape[:2]))
    small = image
    if factor < 1:
        small = np.asarray(
            cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    size = small.shape[1], small.shape[0]
    best: Grid | None = None
    for outlines in _candidates(small):
        lattice = _grow(outlines)
        grid = _fit(outlines, lattice, (columns, rows), size)
        if grid and (best is None or _merit(grid) > _merit(best)):
            best = grid
    if best is None:
        return None
    full = image.shape[1], image.shape[0]
    return Grid(best.pose.scaled(1 / factor, full), best.found, best.error)


def _merit(grid: Grid) -> float:
    return grid.found - 4 * grid.error


Outlines = list[npt.NDArray[np.float64]]


def _candidates(image: Image) -> Iterator[Outlines]:
    """Yield lists of closed outlines, each found in another way."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    everything: Outlines = []
    for channel in (0, 1, 2):
        plane = cv2.GaussianBlur(lab[..., channel], (0, 0), 0.8)
        if channel:
            low, high = float(plane.min()), float(plane.max())
            plane = cv2.convertScaleAbs(
                plane, None, 255 / max(high - low, 1), -low * 255 / max(high - low, 1)
            )
        for block in (21, 51, 101):
            for offset in (4, -4):
                mask = cv2.adaptiveThreshold(
                    plane,
                    255,
                    cv2.ADAPTIVE_THRESH_MEAN_C,
                    cv2.THRESH_BINARY,
                    block,
                    offset,
                )
                outlines = [*_outlines(np.asarray(mask, np.uint8))]
                everything += outlines
                yield outlines
    yield everything


def _outlines(mask: npt.NDArray[np.uint8]) -> Iterator[npt.NDArray[np.float64]]:
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
) -> Grid | None:
    """Fit columns x rows cells with a lens to a lattice of outlines."""
    columns, rows = shape
    if len(lattice) < 0.3 * columns * rows:
        return None
    index = list(lattice)
    places = np.array([lattice[k] for k in index])
    corner = _window(places, shape)
    inside = ((places >= corner) & (places < corner + shape)).all(axis=1)
    places = places[inside] - corner
    chosen = [outlines[index[k]] for k in np.flatnonzero(inside)]
    if len(chosen) < 0.3 * columns * rows or len(np.unique(places[:, 0])) < 4:
        return None
    target = places + 0.5
    seen = np.array([_middle(outline) for outline in chosen])
    pose, error = _fit_pose(target, seen, size)
    for _ in range(3):
        # A square's middle in the picture is not the picture of its middle.
        flat = np.array([_box_middle(pose.to_board(outline)) for outline in chosen])
        if not np.isfinite(flat).all():
            return None
        seen = pose.to_image(flat)
        pose, error = _fit_pose(target, seen, size)
    return Grid(pose, len(chosen) / (columns * rows), error)


def _box_middle(outline: Points) -> npt.NDArray[np.float64]:
    low, high = np.percentile(outline, (4, 96), axis=0)
    return np.asarray((low + high) / 2)


def _window(
    places: npt.NDArray[np.int_], shape: tuple[int, int]
) -> npt.NDArray[np.int_]:
    """Return the corner of the columns x rows window that holds the most places."""
    low, high = places.min(axis=0), places.max(axis=0)
    best, most = low, -1
    for x in range(low[0], max(low[0], high[0] - shape[0] + 1) + 1):
        for y in range(low[1], max(low[1], high[1] - shape[1] + 1) + 1):
            corner = np.array((x, y))
            held = int(
                ((places >= corner) & (places < corner + shape)).all(axis=1).sum()
            )
            if held > most:
                best, most = corner, held
    return np.asarray(best)


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


def corners_of(grid: Grid, columns: int, rows: int) -> Points:
    """Return the grid's outer corners in the picture, from its first cell clockwise."""
    outer = np.array(((0, 0), (columns, 0), (columns, rows), (0, rows)), np.float64)
    return grid.pose.to_image(outer)
