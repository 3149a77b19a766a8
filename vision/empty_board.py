"""The empty board's own photo, against which every other photo is seen.

Colours are logarithms of picture values, so that a change of light is an offset:
values follow light by a power law (the camera's tone curve), and a power law turns
a factor of light into a factor of values. What a rectified pixel shows is then

    log(photo) = log(empty photo) + light(x, y)

where nothing lies, and light varies slowly but for shadows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, product
from math import hypot, sqrt
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image, grey_of
from vision.lamp import lamp_at, surface
from vision.pose import Points
from vision.rectify import CELL, MARGIN
from vision.srgb import LINEAR
from vision.veil import Veil, Veils, mirrored, without
from vision.windows import windows

Floats = npt.NDArray[np.float32]

_DARK = 6.0  # added to 8-bit values before the logarithm: black is only noise
_LIKE = 0.5  # correlation of a place where squares meet with its print
_PRINT = 0.02  # of the strongest print; weaker places tell nothing
_FAINT = 0.02  # log units (standard deviation); fainter print is lost in noise
_GREY, _COLOURED = 0.5, 2.0  # 8-bit values by which channels differ
_LIT = 20.0, 235.0  # 8-bit values between which a picture's mean shows something
_BURNT = 250  # 8-bit value; where all channels reach it nothing is told apart
_LEAST_PRINT = 0.08  # log units; less of a square's print, or of its own, tells nothing
_NOISE = 8.0  # 8-bit values; nor does this: cameras at night have up to 7
_CHEQUERED = 0.1  # log units by which grounds differ; of one paper up to 0.1
_TELLING = 10  # squares of a print of their own, without which nothing is told
_FREE = 0.15  # share of the squares that is taken to be free
_DIFFER = 2.0  # correlation, of all places; below, edges are no edges
_RATHER = 0.2  # of that; boards that lie as they should show less than -0.2
_CLEARLY = 0.97  # correlation that squares reach with no other's print
_ASIDE = (
    (slice(None), slice(None)),
    (slice(1, None), slice(None, -1)),
    (slice(None, -1), slice(1, None)),
)
"""Rows or columns, and those that lie no or one square before or after them."""

_FINE = 0.03  # log units (standard deviation); fainter fine print tells nothing
_STROKE = 5  # px; what is half as wide is fine print
_HALVES = slice(1, CELL // 2), slice(CELL // 2, -1)
_PARTS = (
    (slice(CELL // 4, -CELL // 4),) * 2,
    (slice(2, -2),) * 2,
    *product(_HALVES, _HALVES),
)
"""Parts of a square, rows and columns: its middle, all but its rim, and quarters."""

_TURNED = 0.2  # correlation; boards that lie as they should show 0.35 less

_MORE = 1.1  # times as many blocks tell more of a lamp than those before
_AROUND = CELL + 2 * MARGIN  # px; side of what is seen around a cell
_LOG = np.log((np.arange(256) + _DARK) / (255 + _DARK)).astype(np.float32)


def exposure(image: Image) -> Literal["dark", "lit", "burnt"]:
    """Return whether a (H, W, 3) picture is so dark or bright that it shows nothing."""
    mean = sum(cv2.mean(image)) / image.shape[2]
    dark, burnt = _LIT
    return "dark" if mean < dark else "burnt" if mean > burnt else "lit"


def burnt_out(image: Image, within: Points | None = None) -> float:
    """Return the share of a (H, W, 3) picture that is so bright that it shows nothing.

    Args:
        image: 8-bit values.
        within: (N, 2) px, the corners of the part that counts; None for all of it.
    """
    part = np.full(image.shape[:2], within is None, np.uint8)
    if within is not None:
        cv2.fillPoly(part, [np.rint(within).astype(np.int32)], 1)
    return float((image.min(axis=2)[part > 0] >= _BURNT).mean())


def colourless(image: Image) -> bool:
    """Tell whether a (H, W, 3) picture shows no colours, as in night mode."""
    return _chroma(image) < _GREY


def log_planes(image: Image) -> Floats:
    """Return (3, H, W) logarithms of a (H, W, 3) picture's values; white is 0."""
    planes = np.empty((3, *image.shape[:2]), np.float32)
    for plane, values in zip(planes, cv2.split(image), strict=True):
        cv2.LUT(values, _LOG, dst=plane)
    return planes


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a rectified photo lies on the empty board.

    Attributes:
        shift: px by which the print lies beside where it should.
        strange: share of the places where squares meet that do not look like it.
        alike: correlation of squares with what is printed on them and not on all, of
            those that show it best; 1 where no print tells.
        aside: whether squares, or the grid's edges where no print tells, look like
            what is beside them rather than like themselves, or, where no print tells,
            all squares like the board turned about or mirrored.
    """

    shift: float
    strange: float
    alike: float
    aside: bool

    @property
    def badness(self) -> float:
        """The smaller the better: a strange tenth is as bad as a shift of a px."""
        # However little of its print is seen: a board that lies aside fits worse.
        unlike = 1.0 if self.aside else min(1 - self.alike, 0.99)
        return self.strange + 0.1 * min(self.shift, 3.0) + unlike


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """The print where squares meet, (N, pixels) of the N places.

    Attributes:
        print: brightness, log units, of mean 0.
        power: (N,) the sum of its squares.
        ways: (2, N, pixels) what to multiply a change with, and to sum, for the shift
            in px, down and right, that explains it best (least squares; a little ridge
            where print is faint).
        telling: (N,) where there is print enough.
    """

    print: Floats
    power: Floats
    ways: Floats
    telling: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Pairs of places where squares meet, a square aside in several ways.

    Attributes:
        at, other: (M,) numbers of the places, way by way.
        first: (ways,) where each way begins among them.
        differ: (ways,) by how much the prints of a way's pairs differ, in all.
    """

    at: npt.NDArray[np.intp]
    other: npt.NDArray[np.intp]
    first: list[int]
    differ: npt.NDArray[np.float64]


class EmptyBoard:
    """The printed board as the empty photo shows it.

    Args:
        empty: the rectified photo of the empty board.
        rows: cells in a column.
        columns: cells in a row.

    Attributes:
        log: (3, H, W) its log colours.
        ground: (3, H, W) those of the squares' bright ground.
        half, half_ground: (3, H / 2, W / 2) the same at half the size.
        half_darkest: (H / 2, W / 2) the darkest of its log colours there.
        half_contrast: (H / 2, W / 2) within the four pixels that make one, log units.
        chequered: whether the squares' grounds are of several colours.
    """

    def __init__(self, empty: Image, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self._photo, self._veils = empty, Veils(empty)
        self._unlit, self._told = self, 0
        self.log = log_planes(empty)
        cells = self._ground_of_cells()
        light = surface(cells)
        self.chequered = bool(np.abs(cells - light).mean() > _CHEQUERED)
        ground = _between(light)
        rim = ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN))
        self.ground = np.pad(ground, rim, mode="edge")
        self.half = _halved(empty)
        self.half_darkest = self.half.min(axis=0)
        self.half_ground = np.ascontiguousarray(self.ground[:, ::2, ::2])
        self.half_contrast = _contrast(grey_of(empty))
        self._half_nodes = _at_nodes(self.half, CELL // 2)
        self._half_print = _centred(self._half_nodes.mean(axis=0))
        self._coloured = _chroma(empty) > _COLOURED

    def _ground_of_cells(self) -> Floats:
        """Return (3, rows, columns) the log colour of each square's bright ground."""
        inner = self.log[:, MARGIN:-MARGIN, MARGIN:-MARGIN]
        cells = inner.reshape(3, self.rows, CELL, self.columns, CELL)
        cells = cells.transpose(0, 1, 3, 2, 4).reshape(3, self.rows, self.columns, -1)
        bright = cells.mean(axis=0)
        middle = int(bright.shape[-1] * 0.75)
        order = np.argpartition(bright, middle, axis=-1)[..., middle - 20 : middle + 20]
        return np.asarray(np.take_along_axis(cells, order[None], -1).mean(axis=-1))

    def lamp(self) -> tuple[int, int] | None:
        """Return the row and column where a strong lamp is mirrored; None if none is.

        Of what lies below it this photo tells little, see `vision.lamp`.
        """
        return lamp_at(_at_nodes(LINEAR[self._photo].transpose(2, 0, 1)))

    def fit(self, photo: Image) -> Fit:
        """Tell whether a rectified photo shows the board where it should be.

        The shift is measured where squares meet, at places half of which may be
        covered. Their light is taken out; what is left is explained by a shift
        (Lucas and Kanade 1981), each place by itself, and the median counts.
        These places look alike a whole square away; what is printed on the squares
        does not, nor do the grid's edges. Where nothing is printed there is grain.
        """
        grey = grey_of(photo)
        now = _centred(logarithms(self._nodes_of(grey)))
        nodes = self._print_nodes
        shifts = np.einsum("wnp,np->wn", nodes.ways, now - nodes.print)
        shift = hypot(*middle(shifts).tolist())
        power = _power(now)
        own = _correlation(np.einsum("np,np->n", nodes.print, now), nodes.power, power)
        strange = own[nodes.telling] < _LIKE
        part = np.count_nonzero(strange) / max(strange.size, 1)
        alike, aside = self._alike(grey)
        aside = aside or self._edges_aside(now, power, own) or self._turned(grey)
        return Fit(shift, part, alike, aside)

    def greys(self, photo: Image) -> bool:
        """Tell whether a photo has no colours though the empty board's has.

        Night mode leaves none at all. What is dark or burnt out has none anyway.
        """
        dark, burnt = _LIT
        grey = self._coloured and colourless(photo)
        return grey and bool(dark < photo.mean() < burnt)

    def mirrors(self, photo: Image) -> bool:
        """Tell whether squares show the print's mirror image, whichever way round."""
        grey = grey_of(photo)
        ways = [grey[:, ::-1], grey[::-1]]
        if self.rows == self.columns:
            ways += [grey.T, grey[::-1, ::-1].T]
        fits = (self._alike(mirrored) for mirrored in ways)
        return any(alike > _LIKE and not aside for alike, aside in fits)

    def shown(self, photo: Image) -> Floats:
        """Return (cells,) how well each square shows its own print, see `Fit.alike`.

        Where nothing is printed that is not on all squares, it is NaN.
        """
        prints, _, printed = self._prints
        return _alike_where(self._own(grey_of(photo)), prints, printed)

    def all_shown(self, photo: Image) -> Floats:
        """Return (cells,) how well each square shows its print, what all have, too.

        Where hardly anything is printed, it is NaN.
        """
        now = _of_norm_1(self._bright(grey_of(photo)))
        return _alike_where(now, *self._all_prints)

    def fine(self, photo: Image) -> Floats:
        """Return (H, W) the fine print that a photo shows, log units.

        What it differs by from the empty board is smoothed, but for its edges (a
        median), and taken off. Of light and shadows, sharp as they may be, that leaves
        print; of what lies there, what there is of its own.
        """
        bright, fine = self._brightness
        apart = logarithms(grey_of(photo)) - bright
        return np.asarray(fine + apart - _smooth(apart))

    def least_shown(self, fine: Floats, cells: npt.NDArray[np.intp]) -> Floats:
        """Return (N,) how well squares show fine print where they show it least.

        Each part of a square with fine print counts, for a chip may lie beside the
        boldest. Without any in its middle it is NaN: the lines around a square are seen
        beside a chip, too.

        Args:
            fine: what `fine` returns of a photo.
            cells: (N,) numbers of squares.
        """
        parts = _parts(self._squares(fine)[np.divmod(cells, self.columns)])
        shown = [
            np.einsum("np,np->n", _of_norm_1(_centred(part)), its[cells])
            for part, its in zip(parts, self._fine_prints, strict=True)
        ]
        least = np.where(np.isnan(shown[0]), shown[0], np.fmin.reduce(shown))
        return np.asarray(least, np.float32)

    def _alike(self, grey: Image) -> tuple[float, bool]:
        """Return `Fit.alike`, and `Fit.aside` as the squares show it."""
        if not self._print_tells:
            return 1.0, False
        prints, _, printed = self._prints
        now = self._own(grey)
        own = _shown(now, prints, printed)
        if own >= _CLEARLY:
            return own, False
        most = max(
            _shown(now[down, right], prints[up, left], printed[up, left])
            for (down, up), (right, left) in product(_ASIDE, _ASIDE)
        )
        return own, most > max(own, _LIKE)

    def _turned(self, grey: Image) -> bool:
        """Return whether squares without print look like the board turned or mirrored.

        On wood every square has a grain of its own. It is too faint to tell of one
        square what it is, but all squares together know which way round they lie.
        """
        if self._print_tells:
            return False
        now = _grain(logarithms(self._inside(grey)))
        own, *others = (
            float(np.einsum("rcp,rcp->", now, way)) / (self.rows * self.columns)
            for way in self._grains
        )
        return max(others) > own + _TURNED

    @cached_property
    def _grains(self) -> list[Floats]:
        """Return what squares show, (rows, columns, pixels), in all ways round.

        The first is as it should be.
        """
        bright = self.log.mean(axis=0)
        ways = [bright, bright[::-1, ::-1], bright[:, ::-1], bright[::-1]]
        if self.rows == self.columns:
            ways += [np.rot90(bright), np.rot90(bright, 3)]
            ways += [bright.T, bright[::-1, ::-1].T]
        return [_grain(self._inside(way)) for way in ways]

    def _edges_aside(self, now: Floats, power: Floats, own: Floats) -> bool:
        """Return whether the grid's edges are seen a square aside.

        Places on the edges differ from those farther in. By how much all together
        correlate better with the print a square aside than with their own is to be
        what the prints differ by, or the opposite where the board lies as it should.

        Args:
            now: (N, pixels) what places where squares meet show, of mean 0.
            power: (N,) the sum of its squares.
            own: (N,) their correlation with their print.
        """
        edges, nodes = self._edges, self._print_nodes
        if edges is None:
            return False
        at, other = edges.at, edges.other
        both = (now @ nodes.print.T)[at, other]
        more = _correlation(both, nodes.power[other], power[at]) - own[at]
        return bool((np.add.reduceat(more, edges.first) > _RATHER * edges.differ).any())

    @cached_property
    def _edges(self) -> _Edges | None:
        """The places to be held against those a square aside.

        None where the squares' own print tells, or where places hardly differ.
        """
        if self._print_tells:
            return None
        nodes = self._print_nodes
        alike = _correlation(
            nodes.print @ nodes.print.T, nodes.power[:, None], nodes.power
        )
        number = np.arange(len(nodes.print)).reshape(self.rows + 1, self.columns + 1)
        edges = []
        for (down, up), (right, left) in product(_ASIDE, _ASIDE):
            at, other = number[down, right].ravel(), number[up, left].ravel()
            firm = nodes.telling[at] & nodes.telling[other]
            at, other = at[firm], other[firm]
            differ = float((1 - alike[at, other]).sum())
            if differ > _DIFFER:
                edges.append((at, other, differ))
        if not edges:
            return None
        ats, others, differs = zip(*edges, strict=True)
        first = [0, *accumulate(map(len, ats))][:-1]
        return _Edges(
            np.concatenate(ats), np.concatenate(others), first, np.array(differs)
        )

    def _own(self, grey: Image) -> Floats:
        """Return what squares show that is not on all, (rows, columns, pixels)."""
        return _of_norm_1(_without(self._prints[1], self._bright(grey)))

    def _bright(self, grey: Image) -> Floats:
        """Return what squares show, (rows, columns, pixels) log units of mean 0."""
        return _centred(logarithms(self._inside(grey)))

    @cached_property
    def _print_tells(self) -> bool:
        """Whether squares enough have a print of their own."""
        return bool(self._prints[2].sum() >= _TELLING)

    @cached_property
    def _prints(self) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Return what is printed on single squares, what is on all, and where any is.

        The first are (rows, columns, pixels) of mean 0 and norm 1, and have no part of
        what is on all.
        """
        bright, least = self._print
        common = np.median(bright, axis=(0, 1))
        common /= np.linalg.norm(common) + 1e-6
        own = _without(common, bright)
        return _of_norm_1(own), common, _power(own) > least**2

    @cached_property
    def _all_prints(self) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return what is printed on squares, what all have, too, and where any is.

        The first are (rows, columns, pixels) of mean 0 and norm 1.
        """
        bright, least = self._print
        return _of_norm_1(bright), _power(bright) > least**2

    @cached_property
    def _brightness(self) -> tuple[Floats, Floats]:
        """Return how bright the board is, and its fine print, (H, W) log units."""
        bright = np.asarray(self.log.mean(axis=0), np.float32)
        return bright, bright - _smooth(bright)

    @cached_property
    def _fine_prints(self) -> list[Floats]:
        """Return what fine print there is on `_PARTS`, each (cells, pixels).

        Of mean 0 and norm 1, and NaN where there is not enough to tell.
        """
        _, fine = self._brightness
        parts = map(_centred, _parts(self._squares(fine).reshape(-1, CELL, CELL)))
        faint = np.float32(np.nan)
        return [
            np.where(part.std(axis=1, keepdims=True) > _FINE, _of_norm_1(part), faint)
            for part in parts
        ]

    def _squares(self, plane: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a plane (H, W) square by square, (rows, columns, CELL, CELL)."""
        inner = plane[MARGIN:-MARGIN, MARGIN:-MARGIN]
        return inner.reshape(self.rows, CELL, self.columns, CELL).swapaxes(1, 2)

    @cached_property
    def _print(self) -> tuple[Floats, Floats]:
        """Return what squares show, and the norm from which that tells something.

        (rows, columns, pixels) of mean 0, and (rows, columns).
        """
        pixels = self._inside(self.log.mean(axis=0))
        values = (255 + _DARK) * np.exp(pixels.mean(axis=-1))  # in one log unit
        least = np.maximum(_LEAST_PRINT, _NOISE / values) * np.sqrt(pixels.shape[-1])
        return _centred(pixels), np.asarray(least, np.float32)

    def _inside(self, plane: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return every other pixel of squares, (rows, columns, pixels)."""
        rim = slice(CELL // 12, -CELL // 12, 2)
        return self._squares(plane)[..., rim, rim].reshape(self.rows, self.columns, -1)

    @cached_property
    def _print_nodes(self) -> _Nodes:
        bright = self.log.mean(axis=0)
        calm = cv2.GaussianBlur(bright, (3, 3), 0)
        shown = _centred(self._nodes_of(bright))
        down = self._nodes_of(cv2.Sobel(calm, cv2.CV_32F, 0, 1, scale=-1 / 8))
        right = self._nodes_of(cv2.Sobel(calm, cv2.CV_32F, 1, 0, scale=-1 / 8))
        a, b, c = (
            (one * other).sum(axis=1, keepdims=True)
            for one, other in ((down, down), (down, right), (right, right))
        )
        firm = 1e-3 * (a + c) + 1e-3
        det = (a + firm) * (c + firm) - b * b
        ways = ((c + firm) * down - b * right, (a + firm) * right - b * down)
        power = _power(shown)
        return _Nodes(
            shown,
            power,
            np.stack(ways) / det,
            power > max(_PRINT * power.max(), _FAINT**2 * shown.shape[1]),
        )

    def _nodes_of(self, plane: npt.NDArray[Any]) -> npt.NDArray[Any]:
        nodes = _at_nodes(plane[None])[0]
        return np.asarray(nodes.reshape(-1, nodes.shape[-1]))

    def under(self, photo: Image) -> Sight:
        """Return how a rectified photo shows the board in its light."""
        grey = grey_of(photo)
        board, veil = self._as_it_is(photo, grey)
        mirror = mirrored(veil, grey).ravel()
        if veil.added is None:
            return board._sight(photo, grey, mirror)
        veiled = board._sight(photo, grey, mirror) if mirror.any() else None
        photo = without(veil.added, photo)
        return board._sight(photo, grey_of(photo), mirror, veiled)

    def _sight(
        self,
        photo: Image,
        grey: Image,
        mirror: npt.NDArray[np.bool_],
        veiled: Sight | None = None,
    ) -> Sight:
        half = _halved(photo)
        nodes = _at_nodes(half, CELL // 2)
        light = _light(nodes, self._half_nodes, self._half_print)
        return Sight(self, photo, grey, half, light, mirror, veiled)

    def _as_it_is(self, photo: Image, grey: Image) -> tuple[EmptyBoard, Veil]:
        """Return the board to hold a photo against, and the photo's veil.

        A lamp that was mirrored in the empty board's photo, and is not in this one,
        is taken off the board: what is printed there would seem changed. How bright
        it was is told by the first photo without it, until one shows more of the print.
        A photo that does not tell, for a hand or pieces hide that print, is held
        against that board, too, unless the lamp is seen on it.
        """
        veil = self._veils.on(photo, grey)
        if veil.lifted > _MORE * self._told:
            lamp = Veils(photo).on(self._photo, grey_of(self._photo)).added
            if lamp is not None:
                bare = without(lamp, self._photo, part=1)
                self._unlit = EmptyBoard(bare, self.rows, self.columns)
                self._told = veil.lifted
        if self._unlit is self:
            return self, veil
        other = self._unlit._veils.on(photo, grey)
        if veil.lifted or other.added is None:
            return self._unlit, other
        return self, veil


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What cells look like in a photo, in a few numbers that may be kept for long.

    Attributes:
        colours: (rows, columns, 12) four parts of cells' middles: B, G, R of white.
        light: (rows, columns, 3) see `Sight.cell_light`.
        most_light: see `Sight.most_light`.
    """

    colours: Floats
    light: Floats
    most_light: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Sight:
    """A rectified photo against the empty board, in the light of the photo.

    Attributes:
        empty: the empty board.
        photo: (H, W, 3), without its veil.
        grey: (H, W) how bright it is.
        half: (3, H / 2, W / 2) log colours of the photo at half its size.
        light: (3, rows + 1, columns + 1) how it changed where squares meet, log units.
        mirror: (cells,) whether something large is mirrored there, see `mirrored`.
        veiled: the same with the veil, where something large is mirrored anywhere.
    """

    empty: EmptyBoard
    photo: Image
    grey: Image
    half: Floats
    light: Floats
    mirror: npt.NDArray[np.bool_]
    veiled: Sight | None = None

    @cached_property
    def most_light(self) -> tuple[float, ...]:
        """How it changed on most of the board: log B, G, R."""
        return tuple(middle(self.light.reshape(3, -1)).tolist())

    @cached_property
    def cell_light(self) -> Floats:
        """How it changed on each cell, (rows, columns, 3): log B, G, R."""
        sides = self.light[:, :-1] + self.light[:, 1:]
        cells = sides[..., :-1] + sides[..., 1:]
        return np.asarray(cells.transpose(1, 2, 0) / np.float32(4))

    @cached_property
    def parts(self) -> Parts:
        """What the cells look like, in a few numbers each."""
        rows, columns = self.empty.rows, self.empty.columns
        start = MARGIN + CELL // 6  # the middle is two thirds of a cell wide
        photo = self.photo[start : start + rows * CELL, start : start + columns * CELL]
        size = 3 * columns, 3 * rows
        parts = cv2.resize(photo, size, interpolation=cv2.INTER_AREA)
        parts = parts.reshape(rows, 3, columns, 3, 3)[:, :2, :, :2]
        parts = parts.transpose(0, 2, 1, 3, 4).reshape(rows, columns, 12)
        colours = np.asarray(parts / np.float32(255))
        return Parts(colours, self.cell_light, self.most_light)

    @cached_property
    def whole(self) -> Floats:
        """The photo as the network sees it, (9, H / 2, W / 2).

        Log colour relative to the light on the squares' ground (3), change from
        the empty board in the photo's light (3), the photo's own brightness, and
        the contrast within the four pixels that make one, now and on the empty
        board; see `vision.pieces.network`.
        """
        empty, log = self.empty, self.half
        light = _between(self.light, CELL // 2)
        seen = np.empty((9, *log.shape[1:]), np.float32)
        _against(log, light, empty.half, empty.half_ground, seen)
        seen[7] = _contrast(self.grey)
        seen[8] = empty.half_contrast
        return np.asarray(np.clip(seen, -3, 1.5, out=seen))

    @property
    def highlights(self) -> Floats:
        """How much brighter than its ground each cell is where it is brightest.

        (cells,) log units: the second of 36 parts, each by its darkest channel.
        """
        rows, columns = self.empty.rows, self.empty.columns
        # All planes as one picture: a part of it is two px wide, the rim three parts.
        _, height, width = self.whole.shape
        size = width // 2, 3 * height // 2
        parts = cv2.resize(
            self.whole[:3].reshape(-1, width), size, interpolation=cv2.INTER_AREA
        )
        parts = parts.reshape(3, -1, size[0])[:, 3:-3, 3:-3].min(axis=0)
        parts = parts.reshape(rows, 6, columns, 6).swapaxes(1, 2)
        parts = np.partition(parts.reshape(rows * columns, -1), -2, axis=-1)
        return np.asarray(parts[:, -2])

    @property
    def shown(self) -> Floats:
        """How well each square shows its own print, (cells,): `EmptyBoard.shown`."""
        return self.empty.shown(self.photo)

    @property
    def all_shown(self) -> Floats:
        """The same with what all squares have: `EmptyBoard.all_shown`."""
        return self.empty.all_shown(self.photo)

    def least_shown(self, cells: npt.NDArray[np.intp]) -> Floats:
        """How well N squares show fine print, (N,): `EmptyBoard.least_shown`."""
        return self.empty.least_shown(self._fine, cells)

    @cached_property
    def _fine(self) -> Floats:
        return self.empty.fine(self.photo)

    @property
    def change(self) -> Floats:
        """How all of it differs from the empty board, (3, H, W) log units."""
        return log_planes(self.photo) - _between(self.light) - self.empty.log

    def around(self, cells: npt.NDArray[np.intp]) -> Floats:
        """Return the photo around N cells with all its pixels, (7, N, side, side).

        The same as the first seven of `whole`, of each cell with its rim.
        """
        empty = self.empty
        photo = _around(self.photo.transpose(2, 0, 1), cells, empty.columns)
        log = logarithms(photo)
        bare, ground = (
            _around(planes, cells, empty.columns)
            for planes in (empty.log, empty.ground)
        )
        light = _between_around(self.light, cells, empty.columns)
        seen = np.empty((7, *log.shape[1:]), np.float32)
        _against(log, light, bare, ground, seen)
        return np.asarray(np.clip(seen, -3, 1.5, out=seen))


def _around(
    planes: npt.NDArray[Any], cells: npt.NDArray[np.intp], columns: int
) -> npt.NDArray[Any]:
    """Return what of planes (C, H, W) is around N cells, (C, N, side, side)."""
    seen = windows(planes[..., None], _AROUND, CELL)[..., 0]
    return np.asarray(seen[:, cells // columns, cells % columns])


def _against(
    log: Floats, light: Floats, empty: Floats, ground: Floats, seen: Floats
) -> None:
    """Write into `seen` what a photo shows against the empty board, see `Sight.whole`.

    Args:
        log: (3, H, W) the photo.
        light: (3, H, W) how the light on it changed.
        empty: (3, H, W) the empty board.
        ground: (3, H, W) its squares' bright ground.
        seen: (7 or more, H, W) colour, change and brightness.
    """
    np.subtract(log, light, out=seen[:3])
    np.subtract(seen[:3], empty, out=seen[3:6])
    seen[:3] -= ground
    np.add(log[0], log[1], out=seen[6])
    seen[6] += log[2]
    seen[6] *= np.float32(1 / 3)
    seen[6] += 1


def logarithms(values: Image) -> Floats:
    """Return the logarithms of a picture's values, in any order."""
    found = cv2.LUT(values.reshape(len(values), -1), _LOG)
    return np.asarray(found.reshape(values.shape), np.float32)


def _chroma(photo: Image) -> float:
    """Return by how much channels differ on average, 8-bit values, in each 8th row."""
    # Rows that lie together are split four times as fast.
    blue, green, red = cv2.split(np.ascontiguousarray(photo[::8]))
    apart = cv2.norm(blue, green, cv2.NORM_L1) + cv2.norm(green, red, cv2.NORM_L1)
    return apart / blue.size


def _without(common: Floats, squares: Floats) -> Floats:
    """Return squares (..., pixels) less their part of what is on all, of norm 1."""
    return np.asarray(squares - (squares @ common)[..., None] * common)


def _alike_where(now: Floats, prints: Floats, printed: npt.NDArray[np.bool_]) -> Floats:
    """Return (cells,) the correlation of squares with prints, NaN where none are.

    Args:
        now: (rows, columns, pixels) of mean 0 and norm 1.
        prints: the same.
        printed: (rows, columns) where something is.
    """
    alike = np.einsum("rcp,rcp->rc", now, prints)
    return np.where(printed, alike, np.float32(np.nan)).reshape(-1)


def _shown(now: Floats, prints: Floats, printed: npt.NDArray[np.bool_]) -> float:
    """Return the correlation of what squares show with prints, see `Fit.alike`.

    Args:
        now: (rows, columns, pixels) of mean 0 and norm 1.
        prints: the same.
        printed: (rows, columns) where something is.
    """
    alike = np.einsum("rcp,rcp->rc", now, prints)[printed]
    if not alike.size:
        return -1.0
    least = int((1 - _FREE) * (alike.size - 1))
    return float(np.partition(alike, least)[least])


def _light(now: Floats, then: Floats, print_: Floats) -> Floats:
    """Return how the light changed, (3, rows + 1, columns + 1) log units.

    It is measured where four squares meet: pieces seldom lie there.

    Args:
        now: (3, rows + 1, columns + 1, N) log colours of the pixels there.
        then: those of the empty board.
        print_: (rows + 1, columns + 1, N) its brightness, less the mean of each place.
    """
    nodes = middle(now - then)
    bright = _centred(now.mean(axis=0))
    both = np.einsum("rcp,rcp->rc", print_, bright)
    # Where the print is not to be seen, a hand's colour would pass for light.
    firm = _correlation(both, _power(print_), _power(bright)) > _LIKE
    trust = np.where(firm, 1.0, 1e-3).astype(np.float32)
    down, across = map(_blur, trust.shape)
    around = (down @ (nodes * trust) @ across.T) / (down @ trust @ across.T)
    own = 0.7 * trust
    return np.asarray(own * nodes + (1 - own) * around)


@cache
def _blur(places: int) -> Floats:
    """Return what blurs a line of places, Gaussian with a standard deviation of one."""
    line = np.eye(places, dtype=np.float32)
    return np.asarray(cv2.GaussianBlur(line, (1, 9), 1.0), np.float32)


def _centred(values: Floats) -> Floats:
    """Return values (..., N) less their mean."""
    return np.asarray(values - (values @ _even(values.shape[-1]))[..., None])


@cache
def _even(count: int) -> Floats:
    """Return weights that make a mean; numpy's own takes three times as long."""
    return np.full(count, 1 / count, np.float32)


def _grain(squares: Floats) -> Floats:
    """Return what is on single squares (rows, columns, pixels), of norm 1.

    Neither what is on all, nor what light adds that falls from one side.
    """
    own = _centred(squares)
    own -= own.mean(axis=(0, 1))
    slopes = _slopes(own.shape[-1])
    return _of_norm_1(np.asarray(own - own @ slopes.T @ slopes, np.float32))


@cache
def _slopes(pixels: int) -> Floats:
    """Return planes over a square that rise across and down, (2, pixels) of norm 1."""
    side = round(sqrt(pixels))
    rise = np.arange(side, dtype=np.float32) - (side - 1) / 2
    planes = np.stack((np.tile(rise, side), np.repeat(rise, side)))
    return np.asarray(planes / np.linalg.norm(planes[0]), np.float32)


def _of_norm_1(values: Floats) -> Floats:
    """Return values (..., N) with sums of squares of 1."""
    return np.asarray(values / (np.sqrt(_power(values)) + 1e-6)[..., None])


def _parts(squares: Floats) -> list[Floats]:
    """Return the pixels of parts of squares (N, CELL, CELL), (N, pixels): `_PARTS`."""
    return [squares[:, down, right].reshape(len(squares), -1) for down, right in _PARTS]


def _smooth(plane: Floats) -> Floats:
    """Return log units (H, W) without fine lines, but with their edges.

    In steps of 1/4096, for medians of whole numbers take a fifth of the time.
    """
    steps = (plane * np.float32(4096) + np.float32(32768)).astype(np.uint16)
    smooth = cv2.medianBlur(steps, _STROKE).astype(np.float32)
    return np.asarray((smooth - np.float32(32768)) * np.float32(1 / 4096))


def _power(values: Floats) -> Floats:
    """Return the sums (...) of the squares of values (..., N)."""
    return np.asarray(np.einsum("...p,...p->...", values, values))


def _correlation(both: Floats, one: Floats, other: Floats) -> Floats:
    """Return how well values of mean 0 correlate.

    Args:
        both: (...) the sums of their products.
        one: (...) the sums of the squares of the ones.
        other: (...) of the others.
    """
    return np.asarray(both / np.sqrt(one * other + 1e-6))


def _at_nodes(planes: npt.NDArray[Any], cell: int = CELL) -> npt.NDArray[Any]:
    """Return (..., rows + 1, columns + 1, N) the pixels around corners of cells."""
    half, rim = cell // 5, cell * MARGIN // CELL
    inner = planes[..., rim - half :, rim - half :, None]
    seen = windows(inner, 2 * half, cell)
    return np.asarray(seen.reshape(*seen.shape[:-3], -1))


def middle(values: Floats) -> Floats:
    """Return the medians along the last axis, an order faster than numpy's."""
    low, high = (values.shape[-1] - 1) // 2, values.shape[-1] // 2
    ordered = np.sort(values, axis=-1)
    return np.asarray(0.5 * (ordered[..., low] + ordered[..., high]))


def _halved(image: Image) -> Floats:
    """Return (3, H / 2, W / 2) logarithms of a picture at half its size."""
    size = image.shape[1] // 2, image.shape[0] // 2
    return log_planes(
        np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    )


def _contrast(grey: Image) -> Floats:
    """Return (H / 2, W / 2) log units between the brightest and the darkest of four."""
    high, low = cv2.max(grey[::2], grey[1::2]), cv2.min(grey[::2], grey[1::2])
    high = np.maximum(high[:, ::2], high[:, 1::2])
    low = np.minimum(low[:, ::2], low[:, 1::2])
    return np.asarray(cv2.LUT(high, _LOG) - cv2.LUT(low, _LOG), np.float32)


def _between(nodes: Floats, cell: int = CELL) -> Floats:
    """Interpolate (3, rows, columns) values, one a cell apart, to every pixel."""
    rows, columns = nodes.shape[1:]
    planes = np.empty((3, rows * cell, columns * cell), np.float32)
    for plane, node in zip(planes, nodes, strict=True):
        size = plane.shape[::-1]
        cv2.resize(node, size, dst=plane, interpolation=cv2.INTER_LINEAR)
    return planes


def _between_around(nodes: Floats, cells: npt.NDArray[np.intp], columns: int) -> Floats:
    """Return what `_between` does, but around N cells alone, (3, N, side, side)."""
    places = np.arange(-1, 3)
    down, right = (
        (at[:, None] + places).clip(0, size - 1)
        for at, size in zip(np.divmod(cells, columns), nodes.shape[1:], strict=True)
    )
    near = nodes[:, down[:, :, None], right[:, None]]
    planes = near.reshape(-1, len(places) ** 2) @ _to_pixels()
    return np.asarray(planes.reshape(3, len(cells), _AROUND, _AROUND))


@cache
def _to_pixels() -> Floats:
    """Return what makes of 4 x 4 nodes around a cell its pixels, (16, pixels)."""
    at = (np.arange(_AROUND) + 0.5) / CELL - 0.5
    along = np.maximum(1 - np.abs(at[:, None] - np.arange(-1, 3)), 0)
    return np.ascontiguousarray(np.kron(along, along).T, np.float32)
