"""Finding a grid by the lines between its squares on the photo of an empty board.

Squares that touch, or over which there lies a picture, have no outline of their own,
but straight edges lie between them. Parallel lines meet in a vanishing point of the
picture. Where the line through two of these is sent to infinity, their lines are
parallel and evenly spaced again (Hartley and Zisserman 2004, Multiple View Geometry,
2.7.2): edges lie on two combs whose numbers of teeth are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

import cv2
import numpy as np
import numpy.typing as npt

from calibration.layout import Lattice
from vision.frame import Image
from vision.pose import CORNERS, BoardPose, Lens, Points, goes_round

Array = npt.NDArray[np.float64]

Edges = npt.NDArray[np.float64]
"""(N, 2, 2) px, both ends of straight edges."""

_SHORTEST = 12.0  # px
_MOST = 4000  # edges; the longest are taken
_TRIALS = 5  # pairs of combs that a pose is fitted to
_BENDS = (0.0, -0.12)  # k1 to begin with; from one alone others are not always found


def ruled(image: Image, shape: tuple[int, int]) -> list[Lattice]:
    """Return grids of lines in a picture, the plainest first.

    Args:
        image: of the empty board.
        shape: columns and rows of the layout, which may lie on its side.
    """
    edges = _edges(image)
    size = image.shape[1], image.shape[0]
    combs = sorted(_combs(edges, shape, size), key=lambda comb: -comb[0])
    found = [
        _fitted(edges, _Guess(np.append(corners, bend / _BENT), extent, size))
        for _, corners, extent in combs[:_TRIALS]
        for bend in _BENDS
    ]
    return [grid for _, grid in sorted(filter(None, found), key=lambda pair: -pair[0])]


def _edges(image: Image) -> Edges:
    """Return straight edges of brightness or colour (von Gioi and others 2010)."""
    detector = cv2.createLineSegmentDetector()
    edges = np.empty((0, 2, 2))
    for plane in cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2LAB)):
        full = np.zeros_like(plane)
        cv2.normalize(plane, full, 0, 255, cv2.NORM_MINMAX)
        found = detector.detect(full)[0]
        if found is not None:
            edges = np.concatenate((edges, found.reshape(-1, 2, 2)))
    length = _lengths(edges)
    longest = np.argsort(-length, kind="stable")[:_MOST]
    return edges[longest[length[longest] > _SHORTEST]]


def _lengths(edges: Edges) -> Array:
    return np.asarray(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1))


# -- vanishing points -----------------------------------------------------------

_PENCILS = 5  # vanishing points that are looked for
_PAIRS = 400  # of edges that are tried for each
_ASIDE = np.sin(np.radians(1.5))  # of the angle between an edge and its pencil's line
_TELLING = 0.12  # half diagonals; longer edges tell no more


@dataclass(frozen=True, slots=True, eq=False)
class _Pencil:
    """Edges on lines through one point.

    Attributes:
        point: (3,) homogeneous, as `_normal` maps the picture.
        member: (N,) which edges lie on such lines.
    """

    point: Array
    member: npt.NDArray[np.bool_]


def _normal(size: tuple[int, int]) -> Array:
    """Return (3, 3) what maps px to half diagonals from the picture's middle."""
    (x, y), half = Lens(size).frame()
    return np.array(((1 / half, 0, -x / half), (0, 1 / half, -y / half), (0, 0, 1)))


def _mapped(points: Points, size: tuple[int, int]) -> Array:
    """Return (N, 3) points, px, as `_normal` maps them."""
    return np.asarray(np.c_[points, np.ones(len(points))] @ _normal(size).T)


def _pencils(edges: Edges, size: tuple[int, int]) -> Iterator[_Pencil]:
    """Yield the vanishing points of most edges, each without those before it.

    By random pairs of edges (RANSAC), then by all of their own in least squares.
    """
    rng = np.random.default_rng(0)
    one, other = (_mapped(edges[:, end], size) for end in (0, 1))
    lines = np.cross(one, other)
    lines /= np.linalg.norm(lines[:, :2], axis=1, keepdims=True)
    middle, way = (one + other)[:, :2] / 2, (other - one)[:, :2]
    length = np.linalg.norm(way, axis=1)
    weight = np.minimum(length, _TELLING)

    def members(points: Array) -> npt.NDArray[np.bool_]:
        goal = points[:, None, :2] - middle * points[:, None, 2:]
        aside = goal[..., 0] * way[:, 1] - goal[..., 1] * way[:, 0]
        far = np.linalg.norm(goal, axis=-1) * length
        return np.asarray(np.abs(aside) < _ASIDE * far)

    free = np.ones(len(edges), bool)
    for _ in range(_PENCILS):
        if free.sum() < _PENCILS:
            return
        share = free * weight**2
        pairs = rng.choice(len(edges), (2, _PAIRS), p=share / share.sum())
        points = np.cross(lines[pairs[0]], lines[pairs[1]])
        # Lines of a board that is seen as a whole do not meet in the picture.
        points = points[np.linalg.norm(points[:, :2], axis=1) > np.abs(points[:, 2])]
        if not len(points):
            return
        best = points[((members(points) & free) @ weight).argmax()]
        for _ in range(4):
            own = members(best[np.newaxis])[0] & free
            best = np.linalg.svd(lines[own] * weight[own, np.newaxis])[2][-1]
        pencil = _Pencil(best, members(best[np.newaxis])[0])
        yield pencil
        free &= ~pencil.member


# -- combs ----------------------------------------------------------------------

_APART = np.cos(np.radians(30))  # of the least angle between the lines of a grid
_NEAR = 0.3  # of the scale in the picture's middle; what is farther away is no board
_TOOTH = 0.07  # of a cell; half of a comb's tooth
_WIDTHS = (1 / 45, 1 / 8)  # of a cell, in all that is seen
_FINER = 0.995  # width of a cell to the next that is tried
_COMBS = 2  # of a pencil that are gone after


@dataclass(frozen=True, slots=True)
class _Comb:
    score: float
    start: float
    step: float


def _combs(
    edges: Edges, shape: tuple[int, int], size: tuple[int, int]
) -> Iterator[tuple[float, Points, tuple[int, int]]]:
    """Yield how plain two combs are, the (4, 2) corners of their grid, its extent."""
    middle, weight = _mapped(edges.mean(axis=1), size), _lengths(edges)
    pencils = _pencils(edges, size)
    # Lines between columns run rather up and down.
    upright = sorted(pencils, key=lambda p: abs(p.point[0]) / np.hypot(*p.point[:2]))
    for pair in combinations(upright, 2):
        ways = [pencil.point[:2] / np.hypot(*pencil.point[:2]) for pencil in pair]
        if abs(ways[0] @ ways[1]) > _APART:
            continue
        infinity = np.cross(pair[0].point, pair[1].point)
        if abs(infinity[2]) < _NEAR * np.linalg.norm(infinity[:2]):
            # The board would reach the horizon.
            continue
        infinity /= infinity[2]
        flat = [np.cross(pencil.point, (0, 0, 1)) for pencil in pair]
        flat = [row / np.linalg.norm(row) for row in flat]
        near = middle @ infinity > _NEAR
        back = np.linalg.inv(np.array((*flat, infinity)) @ _normal(size))
        for extent in sorted({shape, shape[::-1]}):
            teeth = []
            for pencil, row, cells in zip(pair, flat, extent, strict=True):
                own = pencil.member & near
                places = (middle[own] @ row) / (middle[own] @ infinity)
                teeth.append(_teeth(places, weight[own], cells + 1))
            for x, y in product(*teeth):
                outer = CORNERS * np.array(extent)
                at = (x.start, y.start) + outer * (x.step, y.step)
                seen = np.c_[at, np.ones(4)] @ back.T
                yield x.score * y.score, _upright(seen[:, :2] / seen[:, 2:]), extent


def _teeth(places: Array, weight: Array, count: int) -> list[_Comb]:
    """Return the combs of so many teeth on which more weight lies than elsewhere."""
    if len(places) < count:
        return []
    order = np.argsort(places)
    places, total = places[order], np.r_[0, np.cumsum(weight[order])]

    def between(low: Array, high: Array) -> Array:
        ends = np.searchsorted(places, (low, high))
        return np.asarray(total[ends[1]] - total[ends[0]])

    low, high = np.percentile(places, (0.5, 99.5))
    if low == high:
        return []
    narrow, wide = (part * (high - low) * 10 / (count - 1) for part in _WIDTHS)
    combs = []
    for step in wide * _FINER ** np.arange(np.log(narrow / wide) / np.log(_FINER)):
        tooth = _TOOTH * step
        start = np.arange(low - step, high - (count - 2) * step, tooth / 2)
        if not len(start):
            continue
        at = start[:, np.newaxis] + step * np.arange(count)
        on = between(at - tooth, at + tooth)
        # The frame around a board must not outweigh the lines on it.
        usual = np.median(np.sort(on, axis=1)[:, count // 2 :], axis=1)
        on = np.minimum(on, 2 * usual[:, np.newaxis]).sum(axis=1)
        all_over = between(at[:, 0] - tooth, at[:, -1] + tooth)
        by_chance = 2 * _TOOTH * count / (count - 1 + 2 * _TOOTH)
        score = on - by_chance * all_over
        best = score.argmax()
        combs.append(_Comb(float(score[best]), float(start[best]), float(step)))
    chosen: list[_Comb] = []
    for comb in sorted(combs, key=lambda comb: -comb.score):
        if len(chosen) < _COMBS and not any(_same(comb, other) for other in chosen):
            chosen.append(comb)
    return chosen


def _same(one: _Comb, other: _Comb) -> bool:
    alike = abs(np.log(one.step / other.step)) < 0.03
    return bool(alike and abs(one.start - other.start) < 0.5 * one.step)


def _upright(corners: Points) -> Points:
    """Return a grid's corners clockwise, from the one that is upper left."""
    if corners[1, 0] < corners[0, 0]:
        corners = corners[[1, 0, 3, 2]]
    return corners if goes_round(corners) else corners[[3, 2, 1, 0]]


# -- the pose -------------------------------------------------------------------

_ROUNDS = 8
_OWN = 0.25  # cells; how near edges are a line's own
_AGREE = 0.08  # cells; edges farther off count less and less
_SPREAD = 0.02  # cells; of sides around their lines
_BENT = 0.1  # k1 as it often is
_MOST_BENT = 4.0  # times that
_FROM = 2  # round; before that a lens would bend to anything
_WITHIN = 5  # round; before that the rim holds the grid in place
_APIECE = 4.0  # px between points of an edge
_PARTS = 10  # of a side
_WHOLE = 0.4  # of the lines each way, where none can be missed
# Edges are often off all the same way: one side of a gap, or a shadow's.
_DOUBT = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """What is known of the pose of a grid.

    Attributes:
        known: (9,) the corners, px, and k1 in units of `_BENT`.
        extent: columns and rows, as they lie in the picture.
        size: of the picture, px.
    """

    known: Array
    extent: tuple[int, int]
    size: tuple[int, int]

    @property
    def corners(self) -> Points:
        """(4, 2) px, clockwise."""
        return self.known[:8].reshape(4, 2)

    @property
    def pose(self) -> BoardPose:
        """Maps cells to the picture."""
        lens = Lens(self.size, float(self.known[8]) * _BENT)
        return BoardPose.from_corners(self.corners, self.extent, lens)

    def off_by(self, step: Array) -> _Guess:
        """Return what lies (9,) beyond what is known."""
        return replace(self, known=self.known + step)


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """The sides of cells along which edges lie.

    Attributes:
        extent: columns and rows.
        line: (S, 2) their middles on the grid, in cells.
        axis: (S,) the coordinate that is the same all along, 0 or 1.
        off: (S,) how far the edges lie beyond, in cells.
        seen: (S,) share of the length along which edges lie.
    """

    extent: tuple[int, int]
    line: Array
    axis: npt.NDArray[np.intp]
    off: Array
    seen: Array

    def across(self, points: Points) -> Array:
        """Return (S,) the coordinate of (S, 2) that is the same along each side."""
        return points[np.arange(len(self.axis)), self.axis]

    def inner(self) -> npt.NDArray[np.bool_]:
        """Return which do not lie on the rim: of its gap only one side is seen."""
        number = self.across(self.line)
        return (number > 0) & (number < np.array(self.extent)[self.axis])

    def share(self, axis: int, spread: float) -> float:
        """Return the share of the lines at whole x, or y, that is seen nearly there."""
        own = self.axis == axis
        near = 1 / (1 + (self.off[own] / spread) ** 2)
        length = (self.extent[axis] + 1) * self.extent[1 - axis]
        return float(self.seen[own] @ near) / length


def _fitted(edges: Edges, guess: _Guess) -> tuple[float, Lattice] | None:
    """Fit corners and a lens to the edges along the lines.

    Each side of a cell counts once, however many edges lie along it: both sides of a
    gap between two squares, say, whose middle is the grid's line. By Gauss and Newton,
    with Cauchy's weights, and a lens that is likely to bend little.

    Returns:
        how much more lies along lines than halfway between them, and the lattice; None
        where lines are not seen both ways.
    """
    extent = guess.extent
    at = guess.pose.to_board(edges.mean(axis=1))
    traced = _traced(edges[((at > -1) & (at < np.array(extent) + 1)).all(axis=1)])
    for done in range(_ROUNDS):
        sides = _sides(guess.pose, traced, extent)
        if len(sides.off) < len(guess.known):
            return None
        guess = _step(guess, sides, lens=done >= _FROM, inner=done >= _WITHIN)
        if not goes_round(guess.corners) or abs(guess.known[8]) > _MOST_BENT:
            return None
    pose = guess.pose
    sides = _sides(pose, traced, extent)
    if min(sides.share(axis, _AGREE) for axis in (0, 1)) < _WHOLE:
        return None
    half = np.array(((1, 0, 0.5), (0, 1, 0.5), (0, 0, 1)))
    halfway = _sides(BoardPose(pose.image_from_board @ half, pose.lens), traced, extent)
    plain = sum(
        sides.share(axis, _SPREAD) - halfway.share(axis, _SPREAD) for axis in (0, 1)
    )
    off = sides.off[sides.inner() & (np.abs(sides.off) < _AGREE)]
    error = _DOUBT * float(np.sqrt(np.mean(off**2)))
    return plain, Lattice(pose, extent, error, whole=True)


def _step(guess: _Guess, sides: _Sides, *, lens: bool, inner: bool) -> _Guess:
    """Return what is known of the pose after one step of Gauss and Newton.

    Args:
        guess: what was known before.
        sides: where they are seen if that is so.
        lens: whether it may bend.
        inner: whether sides on the rim do not count.
    """
    edge = sides.line.copy()
    edge[np.arange(len(edge)), sides.axis] += sides.off
    seen = guess.pose.to_image(edge)

    def off(step: Array) -> Array:
        return sides.across(guess.off_by(step).pose.to_board(seen) - sides.line)

    steps = np.diag([0.5] * 8 + [0.01])
    slope = np.array([(off(step) - sides.off) / step.sum() for step in steps])
    weight = np.sqrt(sides.seen / (1 + (sides.off / _AGREE) ** 2)) / _SPREAD
    if inner:
        weight *= sides.inner()
    stiff = np.array([0.0] * 8 + [1.0 if lens else 1e6])
    left = np.vstack((slope.T * weight[:, np.newaxis], stiff))
    right = np.append(sides.off * weight, guess.known[8] if lens else 0.0)
    return guess.off_by(-np.linalg.lstsq(left, right)[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Traced:
    """Edges and points along them.

    Attributes:
        edges: (N, 2, 2) px, both ends.
        points: (P, 2) px.
        edge: (P,) which edge each lies on.
    """

    edges: Edges
    points: Points
    edge: npt.NDArray[np.intp]


def _traced(edges: Edges) -> _Traced:
    """Return edges with points along them."""
    count = np.maximum(_lengths(edges) // _APIECE, 2).astype(int)
    edge = np.repeat(np.arange(len(edges)), count)
    first = np.cumsum(count) - count
    part = ((np.arange(len(edge)) - first[edge] + 0.5) / count[edge])[:, np.newaxis]
    points = edges[edge, 0] * (1 - part) + edges[edge, 1] * part
    return _Traced(edges, points, edge)


def _sides(pose: BoardPose, traced: _Traced, extent: tuple[int, int]) -> _Sides:
    """Return the sides along which edges lie if the grid lies so."""
    ends = pose.to_board(traced.edges.reshape(-1, 2)).reshape(-1, 2, 2)
    run = np.abs(ends[:, 1] - ends[:, 0])
    straight = (run.min(axis=1) < 0.1 * run.max(axis=1))[traced.edge]
    flat = pose.to_board(traced.points)
    each, axis = np.arange(len(flat)), run.argmin(axis=1)[traced.edge]
    across, along = flat[each, axis], flat[each, 1 - axis]
    line = np.round(across)
    most = np.array(extent)
    own = straight & (np.abs(across - line) < _OWN)
    own &= (line >= 0) & (line <= most[axis]) & (along >= 0) & (along < most[1 - axis])
    axis, off, along = axis[own], (across - line)[own], along[own]
    # Numbered by axis, line, and place along it.
    shape = 2, max(extent) + 1, max(extent)
    where = axis, line[own].astype(int), along.astype(int)
    side = np.ravel_multi_index(where, shape)
    part = np.unique(side * _PARTS + (along % 1 * _PARTS).astype(int))
    found, count = np.unique(part // _PARTS, return_counts=True)
    weight = 1 / (1 + (off / _AGREE) ** 2) ** 2
    mean = np.bincount(side, weight * off)[found] / np.bincount(side, weight)[found]
    way, number, place = np.unravel_index(found, shape)
    down = (way == 0)[:, np.newaxis]
    upright = np.stack((number, place + 0.5), axis=1)
    middle = np.where(down, upright, upright[:, ::-1])
    return _Sides(extent, middle, way, mean, count / _PARTS)
