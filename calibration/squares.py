"""Finding printed squares on the photo of an empty board, one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, tee

import cv2
import numpy as np
import numpy.typing as npt

from calibration.layout import Lattice
from vision.empty_board import Floats
from vision.frame import Image
from vision.pose import BoardPose, Lens, Points

MOST = 0.8
"""Share of the squares of a lattice of which most are seen."""

_PART = 0.2  # share of the squares that a grid is fitted to at least

Outlines = list[npt.NDArray[np.float64]]
"""Of each (N, 2) px, closed."""


def candidates(image: Image) -> Iterator[Outlines]:
    """Yield lists of closed outlines, each found in another way.

    Lines that are faint or worn leak, and what leaks is one shape with its neighbour:
    thinner shapes come apart there.
    """
    lab = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.float32)
    planes = [
        np.asarray(cv2.GaussianBlur(plane, (0, 0), 0.8), np.float32)
        for plane in cv2.split(lab)
    ]
    masks = chain(*map(_flat_parts, planes), _between_lines(planes[0]))
    for thinner, each in zip(_THINNER, tee(masks, len(_THINNER)), strict=True):
        for mask in each:
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


def grow(outlines: Outlines) -> dict[int, tuple[int, int]]:
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
    size = np.log(_areas(sides))
    places = {start: (0, 0)}
    taken = {(0, 0): start}
    # From middle to middle is a little more than a side: by how much, the first
    # pair of neighbours tells.
    steps = {start: sides[start] * 1.12}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        unlike = np.abs(size - size[here]) >= 0.45
        for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
            place = list(places[here])
            place[axis] += sign
            key = place[0], place[1]
            if key in taken:
                continue
            step = steps[here][axis]
            goal = middles[here] + sign * step
            away = np.hypot(*(middles - goal).T)
            away[unlike] = np.inf
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


def fit(
    outlines: Outlines,
    grown: dict[int, tuple[int, int]],
    shape: tuple[int, int],
    size: tuple[int, int],
) -> Lattice | None:
    """Fit a pose with a lens to outlines and their places; None for too few."""
    places = np.array(list(grown.values())).reshape(-1, 2)
    if len(grown) < _PART * shape[0] * shape[1] or np.ptp(places, axis=0).min() < 3:
        return None
    places -= places.min(axis=0)
    chosen = [outlines[index] for index in grown]
    target = places + 0.5
    seen = np.array([_middle(outline) for outline in chosen])
    pose, error = _fit_pose(target, seen, size)
    for _ in range(3):
        # A square's middle in the picture is not the picture of its middle.
        flat = _boxes(pose, chosen).mean(axis=1)
        if not np.isfinite(flat).all():
            return None
        pose, error = _fit_pose(target, pose.to_image(flat), size)
    wide, high = (int(last) + 1 for last in places.max(axis=0))
    known = (wide, high) in (shape, shape[::-1])
    return Lattice(pose, (wide, high), error, known and _whole(places, (wide, high)))


def _whole(places: npt.NDArray[np.intp], extent: tuple[int, int]) -> bool:
    """Tell whether most squares are seen, in each outermost line at least half."""
    seen = np.zeros(extent, bool)
    seen[places[:, 0], places[:, 1]] = True
    rim = (seen[0], seen[-1], seen[:, 0], seen[:, -1])
    return bool(seen.mean() > MOST and min(line.mean() for line in rim) > 0.5)


_FINEST = 0.003  # of k1: 2 px at the corners of a photo of 1,296 x 972
_MOST_BENT = 0.35  # k1; there the model bends back at 0.65 of half the diagonal
_EARNED = 10.8  # F of 1 and many degrees of freedom, passed by chance once in 1,000
_NEAR = 0.25  # cells; outlines as near to a square's middle are its own
_SIDES = (0.6, 1.05)  # cells
_POINTS = 60  # at least, of an outline; more do not tell its sides better


def completed(
    lattice: Lattice, outlines: Outlines, size: tuple[int, int]
) -> Lattice | None:
    """Fit a lattice once more, to all that was seen of its squares in any way.

    Away from the squares that it was found by, a lattice is not exact.

    Returns:
        the lattice, None where few squares were seen.
    """
    pose, extent = lattice.pose, lattice.extent
    outlines = [outline[:: max(1, len(outline) // _POINTS)] for outline in outlines]
    means = np.array([outline.mean(axis=0) for outline in outlines]).reshape(-1, 2)
    for _ in range(4):
        rough = pose.to_board(means)
        near = np.abs(rough - np.floor(rough) - 0.5).max(axis=1) < 2 * _NEAR
        near &= ((rough > 0) & (rough < extent)).all(axis=1)
        boxes = _boxes(pose, [outlines[at] for at in np.flatnonzero(near)])
        middles, sides = boxes.mean(axis=1), boxes[:, 1] - boxes[:, 0]
        own = np.abs(middles - np.floor(middles) - 0.5) < _NEAR
        own &= (sides > _SIDES[0]) & (sides < _SIDES[1])
        middles = middles[own.all(axis=1)]
        places, which = np.unique(np.floor(middles), axis=0, return_inverse=True)
        if len(places) < _PART * extent[0] * extent[1]:
            return None
        # Each square counts once, in however many ways it was seen.
        usual = [np.median(middles[which == at], axis=0) for at in range(len(places))]
        pose, error = _fit_pose(places + 0.5, pose.to_image(np.array(usual)), size)
    whole = lattice.whole or _whole(places.astype(int), extent)
    return Lattice(pose, extent, error, whole)


def _boxes(pose: BoardPose, outlines: Outlines) -> npt.NDArray[np.float64]:
    """Return (N, 2, 2) the least and the greatest x and y of outlines, in cells.

    All but a twenty-fifth at each end: corners are round, and ink runs out.
    """
    if not outlines:
        return np.empty((0, 2, 2))
    count = np.array([len(outline) for outline in outlines])
    flat = pose.to_board(np.concatenate(outlines))
    whose = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count
    ends = np.round(np.outer((0.04, 0.96), count - 1)).astype(int) + first
    # All are sorted at once, each outline beyond the one before it.
    beyond = np.ptp(flat, axis=0) + 1
    ordered = np.sort(flat + np.outer(whose, beyond), axis=0)[ends]
    return np.asarray(
        ordered.swapaxes(0, 1) - np.outer(np.arange(len(count)), beyond)[:, None]
    )


def _fit_pose(
    target: Points, seen: Points, size: tuple[int, int]
) -> tuple[BoardPose, float]:
    """Fit a homography and a radial lens; the error is in cells, robust.

    A lens must earn its place, for noise alone always bends a little: an F test of
    one parameter more, the squares' errors taken for independent and normal. A lens
    that only few squares speak for would bend the board away from all the others.
    """

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
        away = replace(pose, lens=Lens(size)).to_board(straight) - target
        square = np.minimum((away**2).sum(axis=1), 0.15**2)
        return pose, float(np.sqrt(square.mean()))

    best = plain = fit(0.0)
    step, middle = 0.1, 0.0
    while step > _FINEST:
        before = middle
        for k in (before - step, before + step):
            trial = fit(k)
            if abs(k) < _MOST_BENT and trial[1] < best[1]:
                best, middle = trial, k
        if middle == before:
            step /= 2
    freedom = 2 * len(target) - 9  # eight of the homography, one of the lens
    gained = plain[1] ** 2 - best[1] ** 2
    return best if gained * freedom > _EARNED * best[1] ** 2 else plain
