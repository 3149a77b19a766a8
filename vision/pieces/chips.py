"""Chips and pegs on printed squares: which look has every cell?

Three things may explain a pixel: the printed board (see `vision.empty_board`), a
chip of a known look whose disc lies at most a third of a cell off centre, or
something strange. A cell is read by comparing what its pixels cost as print and
as each chip. Where too much stays strange - a hand, a card, a glare - the cell is
hidden: nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import EMPTY, Cell, Look, square
from vision.empty_board import CAP, Comparison, EmptyBoard, Floats, middle
from vision.frame import Image
from vision.rectify import CELL, MARGIN

RINGS = 5
"""Rings of equal width in which a chip's look is described, from the centre."""

EDGE = 0.9
"""Radii; the outermost part of a chip mixes with the ground and is left out."""

REACH = CELL // 3
"""How far off a cell's centre the middle of its chip is looked for, px."""

TURNED = "-turned"

Ints = npt.NDArray[np.intp]

_TEMPER = 0.1  # neighbouring pixels repeat each other: evidence counts this much
_PRIOR = -3.0  # nats; a chip may lie in many places, an empty cell looks one way
_SHINE = 2.0  # nats; what it costs a chip's pixel to mirror a lamp
_INK, _NO_INK = 2.0, 0.2  # nats; about a sixth of a written chip's pixels are dark
_TINT, _FINISH = 0.015, 0.03  # log units; how even a chip is along a ring
_EDGED = 5.0  # nats; a shadow seldom ends just around a chip's place
_SHADOW = 0.4  # log units; how deep shadows usually are
_SHADE = 0.12  # log units; how well the light on a chip is known
_LOOK_CLOSER = -0.3  # nats a pixel; cells with less evidence for a chip are empty,
_ODD = 0.6  # if they are not odd: nats a pixel for the print
_SIDE = 0.22  # cells; how far the body of a tall piece shows beside its head
_RIM = 1.6  # radii; how far a chip's side, edge and print of its shadow reach


@dataclass(frozen=True, slots=True, eq=False)
class ChipLook:
    """How a chip looks, relative to the light on the ground of its square.

    Attributes:
        rings: (RINGS, 3) log B, G, R from the centre to the rim.
        spread: (RINGS,) standard deviation within a ring, log units.
        known: standard deviation with which its tint is known, log units.
        written: there may be dark print on it anywhere, as on most backs.
    """

    rings: Floats
    spread: Floats
    known: float = 0.04
    written: bool = False


class ChipReader:
    """Tells which look every cell of a board has.

    Args:
        board: the empty board.
        looks: chips by the look they have, turned ones too.
        radius: of a chip, in cell widths and heights.
    """

    def __init__(
        self,
        board: EmptyBoard,
        looks: Mapping[Look, ChipLook],
        radius: tuple[float, float],
    ) -> None:
        self._board = board
        self._names = tuple(looks)
        # Looks that cannot be told apart are weighed once.
        self._distinct, self._which = _distinct(list(looks.values()))
        self._overall = [_overall(look) for look in self._distinct]
        self._disc = _disc(radius)
        self._patch = _Patch(radius)
        self._cells = [
            square(row, column)
            for row in range(board.rows)
            for column in range(board.columns)
        ]

    def read(
        self, photo: Image
    ) -> tuple[dict[Cell, dict[Look, float]], frozenset[Cell]]:
        """Read a rectified photo.

        Returns:
            natural log-probabilities by cell and look, and the cells hidden.
        """
        seen = self._board.compare(photo)
        gains, places = self._locate(seen)
        nats = gains.reshape(len(gains), -1).T * (4 * _TEMPER)
        best = gains.max(axis=0).reshape(-1)
        odd = self._share(seen.cost).reshape(-1) > _ODD
        near = np.nonzero(odd | (best > _LOOK_CLOSER * self._disc.sum()))[0]
        order = near[np.argsort(best[near])]
        chips = self._patch.weigh(seen, places.reshape(-1, 2)[order], self._distinct)
        nats[order] = chips.gains.T * _TEMPER
        hidden = self._hidden(seen, order, chips)
        return self._named(nats[:, self._which] + _PRIOR, hidden)

    def _named(
        self, nats: Floats, hidden: npt.NDArray[np.bool_]
    ) -> tuple[dict[Cell, dict[Look, float]], frozenset[Cell]]:
        table = np.concatenate((np.zeros((len(nats), 1), np.float32), nats), axis=1)
        table -= table.max(axis=1, keepdims=True)
        table -= np.log(np.exp(table).sum(axis=1, keepdims=True))
        names = (EMPTY, *self._names)
        log_p = {
            cell: dict(zip(names, line, strict=True))
            for cell, line, covered in zip(
                self._cells, table.tolist(), hidden.tolist(), strict=True
            )
            if not covered
        }
        return log_p, frozenset(self._cells) - log_p.keys()

    def _locate(self, seen: Comparison) -> tuple[Floats, Ints]:
        """Look for the best place of a chip in every cell.

        Returns:
            (K, rows, columns) how many nats each look explains better than the
            print does, at half the resolution; (rows, columns, 2) y, x of the
            middle of the best.
        """
        colour, noise = _half(seen.colour), _half(seen.variance).mean(axis=0) / 2
        cost = _half(seen.cost[None])[0]
        step, reach = CELL // 2, REACH // 2
        first = (MARGIN + CELL // 2) // 2 - reach
        rows, columns = self._board.rows, self._board.columns
        found = []
        for mean, variance in self._overall:
            chip = _chip_cost(colour, mean, noise, variance + _SHADE**2, None)
            gain = cv2.filter2D(
                cost - chip, -1, self._disc, borderType=cv2.BORDER_REPLICATE
            )
            windows = np.lib.stride_tricks.sliding_window_view(
                gain, (2 * reach + 1, 2 * reach + 1)
            )[first::step, first::step][:rows, :columns]
            found.append(windows.reshape(rows, columns, -1))
        gains = np.stack(found)
        at = gains.max(axis=0).argmax(axis=-1)
        dy, dx = np.divmod(at, 2 * reach + 1)
        y = np.arange(rows)[:, None] * CELL + 2 * (first + dy)
        x = np.arange(columns) * CELL + 2 * (first + dx)
        return gains.max(axis=-1), np.stack((y, x), axis=-1)

    def _hidden(
        self, seen: Comparison, order: Ints, chips: _Weighed
    ) -> npt.NDArray[np.bool_]:
        """Return which cells something strange covers, (cells,)."""
        is_chip = chips.gains.max(axis=0) * _TEMPER + _PRIOR > 0
        # Single odd pixels are noise; a thing has a size.
        unexplained = cv2.blur(seen.cost, (5, 5)) > _STRANGE
        self._patch.clear(unexplained, chips.places[is_chip])
        share = self._share(unexplained)
        hidden = (share > _STRANGE_SHARE).reshape(-1)
        hidden[order[is_chip & (chips.strange > _STRANGE_CHIP)]] = True
        hidden[order[is_chip & (chips.surround > _STRANGE_SURROUND)]] = True
        odd = seen.strange > _STRANGE_NODE
        corners = odd[:-1, :-1].astype(int) + odd[:-1, 1:] + odd[1:, :-1] + odd[1:, 1:]
        hidden |= corners.reshape(-1) >= 2
        # Beside something large, what looks like a chip may be a part of it, and a
        # chip may lie half below it.
        thing = ((share > _THING) | (corners >= 1)).astype(np.uint8)
        near = cv2.dilate(thing, np.ones((3, 3), np.uint8)).reshape(-1) > 0
        hidden[order[is_chip & near[order]]] = True
        return np.asarray(hidden)

    def _share(self, mask: npt.NDArray[np.bool_] | Floats) -> Floats:
        """Return (rows, columns) the mean of each cell, for a mask the part set."""
        inner = mask[MARGIN:-MARGIN, MARGIN:-MARGIN].astype(np.float32)
        size = self._board.columns, self._board.rows
        return np.asarray(cv2.resize(inner, size, interpolation=cv2.INTER_AREA))


_THING = 0.12  # of a cell's pixels; more than the odd spot
_STRANGE = 4.0  # nats; a pixel that costs more is explained by nothing known
_STRANGE_SHARE = 0.06  # of a cell's pixels, outside chips
_STRANGE_CHIP = 0.6  # of a chip's pixels
_STRANGE_SURROUND = 0.6  # of the pixels around a chip
_STRANGE_NODE = 3.2  # nats a pixel where squares meet


@dataclass(frozen=True, slots=True, eq=False)
class _Weighed:
    """What looking closer at N places gave.

    Attributes:
        places: (N, 2) y, x of the middles.
        gains: (K, N) nats that each look explains better than the print does.
        strange: (N,) share of the disc's pixels that the best look leaves strange.
        surround: (N,) share of the pixels around it that print leaves strange.
    """

    places: Ints
    gains: Floats
    strange: Floats
    surround: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Offsets:
    """Pixels (P,) of a shape, relative to its middle."""

    y: Ints
    x: Ints

    def at(self, middles: Ints, shape: tuple[int, ...]) -> Ints:
        """Return (N, P) flat indices into a picture for the shape at (N, 2) y, x.

        What would lie outside the picture is taken from its border.
        """
        y = (middles[:, :1] + self.y).clip(0, shape[0] - 1)
        x = (middles[:, 1:] + self.x).clip(0, shape[1] - 1)
        return np.asarray(y * shape[1] + x)


class _Patch:
    """The pixels of a chip around its middle."""

    def __init__(self, radius: tuple[float, float]) -> None:
        reach = max(_RIM, 1 + _SIDE / max(radius))
        half = ceil(max(radius) * CELL * reach)
        y, x = np.mgrid[-half : half + 1, -half : half + 1]
        away = np.hypot(x / radius[0], y / radius[1]) / CELL
        body = away < EDGE
        self._ring = (away[body] / EDGE * RINGS).astype(np.intp)
        self._body = _Offsets(y[body], x[body])
        self._disc = _Offsets(y[away < 1], x[away < 1])
        zone, near = away < reach, away > 1.15
        self._zone = _Offsets(y[zone], x[zone])
        self._around = _Offsets(y[zone & near], x[zone & near])

    def weigh(self, seen: Comparison, places: Ints, looks: list[ChipLook]) -> _Weighed:
        """Compare looks at places; the later places lie on top of the earlier."""
        shape = seen.cost.shape
        owner = np.full(seen.cost.size, -1)
        numbers = np.arange(len(places))[:, None]
        owner[self._disc.at(places, shape)] = numbers
        at = self._body.at(places, shape)
        mine = owner[at] == numbers
        print_cost = _shadowed(seen, at)
        colour, noise = _taken(seen.colour, at), _taken(seen.variance, at).mean(axis=0)
        exact = _taken(seen.exact, at)
        bright = np.exp(colour)
        gains = np.empty((len(looks), len(places)), np.float32)
        strange = np.empty_like(gains)
        for k, look in enumerate(looks):
            mean = look.rings.T[:, self._ring][:, None, :]
            rest = colour - mean
            offset, odds = _fit_light(rest, look.known)
            spread = look.spread[self._ring] ** 2
            cost = _chip_cost(colour - offset, mean, noise, spread, exact)
            cost = np.minimum(cost, _shine_cost(bright, mean))
            if look.written:
                cost = np.minimum(cost + _NO_INK, _ink_cost(rest, noise))
            gains[k] = ((print_cost - cost) * mine).sum(axis=-1)
            gains[k] -= odds / _TEMPER
            strange[k] = (cost >= CAP).mean(axis=-1)
        best = gains.argmax(axis=0)
        at = self._around.at(places, shape)
        around = ((_taken(seen.cost, at) > _STRANGE) & (owner[at] < 0)).mean(axis=-1)
        return _Weighed(places, gains, strange[best, np.arange(len(places))], around)

    def clear(self, mask: npt.NDArray[np.bool_], places: Ints) -> None:
        """Unset the pixels that chips at these places explain, rims included."""
        mask.reshape(-1)[self._zone.at(places, mask.shape)] = False


def _distinct(looks: list[ChipLook]) -> tuple[list[ChipLook], Ints]:
    """Return the different looks, and which of them each of the given ones is."""
    found: list[ChipLook] = []
    which = []
    for look in looks:
        for number, other in enumerate(found):
            if np.array_equal(look.rings, other.rings):
                which.append(number)
                break
        else:
            which.append(len(found))
            found.append(look)
    return found, np.array(which, np.intp)


def _overall(look: ChipLook) -> tuple[Floats, float]:
    """Return a chip's mean colour (3, 1, 1) and its variance over the whole disc."""
    area = np.arange(RINGS) * 2 + 1.0
    share = area / area.sum()
    mean = share @ look.rings
    within = share @ (look.spread**2)
    between = (share @ (look.rings - mean) ** 2).mean()
    return mean.astype(np.float32)[:, None, None], float(within + between)


def _chip_cost(
    colour: Floats,
    mean: Floats,
    noise: Floats,
    spread: Floats | float,
    exact: Floats | None,
) -> Floats:
    """Return the nats for explaining pixels by a chip's colour.

    Args:
        colour: (3, ...) log colours.
        mean: (3, ...) the chip's.
        noise: variance of the pixels' colours.
        spread: variance of the chip's brightness; its tint is steadier.
        exact: see `Comparison`; None to let the less exact explanation go free,
            as in a search.
    """
    rest = colour - mean
    shade = (rest[0] + rest[1] + rest[2]) / 3
    rest *= rest
    tint = rest[0] + rest[1] + rest[2] - 3 * shade * shade
    tint_variance = noise + 0.5 * spread + _TINT**2
    shade_variance = noise / 3 + spread + _FINISH**2
    cost = 0.5 * (tint / tint_variance + shade * shade / shade_variance)
    if exact is not None:
        cost += np.log(tint_variance) + 0.5 * np.log(shade_variance) - exact
    return np.asarray(np.clip(cost, 0, CAP))


def _shine_cost(seen: Floats, mean: Floats) -> Floats:
    """Return the nats for explaining values by a chip that mirrors a white lamp."""
    chip = np.exp(mean)
    lack = np.maximum(1.3 - chip, 0.2)
    part = (seen - chip) / lack
    shine = np.clip((part[0] + part[1] + part[2]) / 3, 0, 1)
    rest = seen - chip - shine * lack
    odd = (rest[0] ** 2 + rest[1] ** 2 + rest[2] ** 2) / 0.1**2
    return np.asarray(_SHINE + 0.5 * odd)


def _taken(planes: Floats, at: Ints) -> Floats:
    """Return (..., N, P) the pixels at flat indices of (..., H, W) planes."""
    return planes.reshape(*planes.shape[:-2], -1).take(at, axis=-1)


def _shadowed(seen: Comparison, at: Ints) -> Floats:
    """Return the print's cost (N, P) for N patches, each perhaps in a shadow.

    As a chip's light may be fitted, so may the print's: a shadow that lies evenly
    over a patch is one surprise, not one for every pixel.
    """
    shade = _taken(seen.shade, at)
    usual = np.minimum(middle(shade[:, ::2]), 0)[:, None]
    rest = shade - usual
    cost = 0.5 * (_taken(seen.tint, at) + rest * rest / _taken(seen.even, at))
    odds = _EDGED + 0.5 * (usual / _SHADOW) ** 2
    share = odds / (_TEMPER * at.shape[1])
    return np.asarray(np.minimum(_taken(seen.cost, at), np.minimum(CAP, cost) + share))


def _fit_light(rest: Floats, known: float) -> tuple[Floats, Floats]:
    """Fit how the light on chips differs from what is expected.

    Args:
        rest: (3, N, P) log colours of N chips' pixels less the look's.
        known: standard deviation with which the look's tint is known.

    Returns:
        (3, N, 1) the difference of each chip, and (N,) nats for how unlikely it is.
    """
    usual = middle(rest[:, :, ::2])
    shade = usual.mean(axis=0)
    tint = (usual - shade).clip(-2 * known, 2 * known)
    shaded = _SHADE + known
    shade = shade.clip(-2 * shaded, 2 * shaded)
    odds = 0.5 * ((shade / shaded) ** 2 + (tint**2).sum(axis=0) / known**2)
    return (shade + tint)[..., None], odds


def _ink_cost(rest: Floats, noise: Floats) -> Floats:
    """Return the nats for explaining pixels by dark print on a chip."""
    shade = (rest[0] + rest[1] + rest[2]) / 3
    tint = rest[0] ** 2 + rest[1] ** 2 + rest[2] ** 2 - 3 * shade * shade
    return np.where(shade < 0, _INK + 0.5 * tint / (noise + 0.1**2), CAP)


def _half(planes: Floats) -> Floats:
    """Return (K, H, W) planes at half size."""
    size = planes.shape[2] // 2, planes.shape[1] // 2
    return np.stack(
        [cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in planes]
    )


def _disc(radius: tuple[float, float]) -> Floats:
    """Return the mask of a chip at half the resolution."""
    half = ceil(max(radius) * CELL / 2)
    y, x = np.mgrid[-half : half + 1, -half : half + 1] / (CELL / 2)
    inside = np.hypot(x / radius[0], y / radius[1]) <= 0.95
    return np.asarray(inside, np.float32)
