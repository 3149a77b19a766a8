"""Mirrored light, and taking it off a photo.

A window, lamp or flash that is mirrored in a board, or that shines into the lens, lays
a veil over part of a photo: light V is added to what the board reflects there,

    photo(x) = gain(x) * empty(x) + V(x)     linear light,

whereas a lamp that merely shines brighter changes the gain alone. Both make the board
brighter, but a veil leaves the print's contrast as it was: in a block of pixels the
slope of a line through (empty, photo) is the gain, whatever the veil is. So that this
holds for narrow veils, too, and along a shadow's edge, only that part of the print
counts that rises neither down nor across the block: a veil that does is then no matter.
Blur makes all slopes smaller alike, so gains count relative to the board's median.

Not every block tells: pieces, hands and their shadows hide the print, and what is burnt
out has none. The others are weighted by how much is printed on them, and their scatter,
on the board and near by, says how far the mean of some is to be believed (Wiener 1949).

The empty board's photo may have one, too, that others have not. What it has there more
than the gain explains is found in the same way, and taken off the empty board.

Of photos a fourth of a veil is left: what is taken too much from a dark piece makes it
another, which is worse than a piece that is seen a little paler than it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from types import EllipsisType

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image, grey_of
from vision.rectify import CELL, MARGIN
from vision.srgb import LINEAR, encode

Floats = npt.NDArray[np.float32]
Blocks = tuple[npt.NDArray[np.intp], ...] | EllipsisType

_BLOCK = CELL // 3  # px
_REACH = 1.5  # blocks; standard deviation of what is averaged around one
_LIKE = 0.93  # correlation of a block with its print
_PRINT = 0.1  # squared contrast of a block at half of which more tells no more
_SHOWN = 249  # 8-bit value above which less is shown than was there
_BLURS = (1.0, 2.0)  # px; standard deviations
_BLOCKS = 20  # that tell; fewer tell nothing
# A lamp that is gone shows where blocks near each other lost light. Of each counts what
# is more than a part that it may seem to have lost anyway, up to another part; along a
# square of so many blocks a side that has to be as much as all the light on two. Of 60
# drawn tables it was found on 8 of the 17 where one was mirrored at calibration, faint
# ones among them, and on none of the others.
_ANYWAY, _COUNTS, _NEAR, _LOST = np.float32(0.2), 0.5, 5, 2.0
_DOUBT = 12.0  # scatter counts that often: errors of neighbours are not independent
_SEEN = 0.15  # of the brightest print; a veil that nowhere is as bright is left
# Parts of that: what no block of a photo seems to have more of, and by which none has
# become brighter since. Both together are the half from which veils are looked for.
_CLEAR, _SLIGHT = 0.3, 0.2
_BRIGHT = 0.95  # of the blocks are darker than that
_TAKEN = 0.75  # part that is taken off
_TINT = (0.5, 2.0)  # how far a veil's colours may differ from grey
_THICK = 0.05  # of the brightest print; a veil below that misleads nobody
_WIDE = 0.2  # of the squares; hardly a lamp covers as many, see `mirrored`
_BLURRED = 0.85  # of the contrast; where less is left, blur may be why
_HAZY = 0.7  # of the contrast, blur apart; where less is left all may be veiled
_TOE = np.float32(0.02)  # of white; with less, another tone curve may be why
_FAINT = np.float32(1e-7)  # variance of linear light that is as good as none
_LITTLE = np.float32(1e-3)  # of white

_PIXELS = _BLOCK**2
_RISE = (np.arange(_BLOCK) - (_BLOCK - 1) / 2) / np.arange(_BLOCK).std()
_PLANES = np.stack(
    (np.ones(_PIXELS), np.repeat(_RISE, _BLOCK), np.tile(_RISE, _BLOCK))
).astype(np.float32)
"""(3, pixels) what is the same all over a block, rises down, and rises across."""


@dataclass(frozen=True, slots=True, eq=False)
class Veil:
    """What mirrored light does to a rectified photo.

    Attributes:
        added: (rows, columns, 3) linear light by blocks, white is 1; None where none
            is to be seen.
        hazy: there is one all over the board, told by contrast that is missing
            everywhere, and not by blur.
        lifted: the empty board's photo has one that is not in this: how many blocks
            show their print, and tell it; 0 if it has none.
        clear: there is none of any kind, and nothing that is nearly one.
    """

    added: Floats | None
    hazy: bool = False
    lifted: int = 0
    clear: bool = False


class Veils:
    """Finds the veils on rectified photos of one board. Mutable.

    The last photo that is clear is remembered: another one that shows its print nowhere
    brighter, and is not darker on the whole, has no veil, either.

    Args:
        empty: the rectified photo of the empty board, (H, W, 3).
    """

    def __init__(self, empty: Image) -> None:
        self._empty, self._print = empty, _Print(_linear(grey_of(empty)))
        self._clear: Floats | None = None

    @cached_property
    def _blurred(self) -> list[tuple[Image, _Print]]:
        """The empty board as blurred photos show it, which few photos are held to."""
        pictures = [
            np.asarray(cv2.GaussianBlur(self._empty, (0, 0), sigma), np.uint8)
            for sigma in _BLURS
        ]
        return [(picture, _Print(_linear(grey_of(picture)))) for picture in pictures]

    def on(self, photo: Image, grey: Image) -> Veil:
        """Return the veil on a rectified photo.

        Args:
            photo: (H, W, 3).
            grey: (H, W) how bright it is.
        """
        means = _means(grey)
        if self._clear is not None and not self._brighter(grey, means, self._clear):
            return Veil(None)
        veil = self._looked_for(photo, _linear(grey))
        self._clear = means if veil.clear else None
        return veil

    def _brighter(self, grey: Image, means: Floats, clear: Floats) -> bool:
        """Return whether print is brighter than in a clear photo, or most is darker.

        Args:
            grey: (H, W) how bright a photo is.
            means: (rows, columns) the same of its blocks, linear light.
            clear: the same, of the clear photo; where by now something brighter covers
                the print, it is made as bright.
        """
        change, slight = means - clear, _SLIGHT * _SEEN * _brightest(means)
        if 2 * np.count_nonzero(change < -slight) > change.size:
            return True
        blocks = np.nonzero(change > slight)
        if not blocks[0].size:
            return False
        if (self._print.shown(_linear(grey), blocks).alike > _LIKE).any():
            return True
        clear[blocks] = means[blocks]
        return False

    def _looked_for(self, photo: Image, light: Floats) -> Veil:
        """Return the veil on a rectified photo, (H, W, 3), of which light is grey."""
        free = _not_burnt(photo)
        sharp = self._print.shown(light)
        seen = _veil(sharp, free)
        lifted = _lifted(sharp, free, seen)
        if seen.veil is None and seen.left > _BLURRED:
            clear = seen.most < _CLEAR and not lifted
            return Veil(None, lifted=lifted, clear=clear)
        # Blur takes more contrast from fine print than from broad: if that is why, it
        # is none against print as blurred.
        every = [(self._empty, sharp)]
        every += [(picture, a_print.shown(light)) for picture, a_print in self._blurred]
        empty, best = max(every, key=lambda both: np.median(both[1].alike[free]))
        told = _veil(best, free)
        more = (1 - told.left) * np.median(best.mean[free])
        hazy = bool(told.left < _HAZY and more > _TOE)
        if hazy:
            told = _veil(best, free, left=1.0)
        veil = told.veil
        if veil is None or (seen.veil is None and not hazy):
            return Veil(None, hazy, lifted)
        shown = _Print(_linear(empty)).shown(_linear(photo))
        weight = shown.weight * (veil * told.tells)[..., None]
        whole = (weight * veil[..., None]).sum(axis=(0, 1)) + np.float32(1e-9)
        tint = (weight * shown.added(told.left)).sum(axis=(0, 1)) / whole
        added = np.asarray(veil[..., None] * np.clip(tint, *_TINT), np.float32)
        return Veil(added, hazy, lifted)


def mirrored(veil: Veil, grey: Image) -> npt.NDArray[np.bool_]:
    """Return the squares (rows, columns) on which something large is mirrored.

    Lamps lay a veil over few squares. What lies over many is a window or the sky, and
    is mirrored in polished pieces, too, from elsewhere as each of them lies; so it
    cannot be taken off them. Of 360 drawn photos of usual lights two have such a veil,
    of 351 by a window or a large lamp 141; of other 360 of each none was hazy, and 109.

    Args:
        veil: on the photo.
        grey: (H, W) how bright the photo is, with the veil.
    """
    middles = slice(MARGIN + CELL // 2, -MARGIN, CELL)
    if veil.added is None:
        return np.full_like(grey[middles, middles], veil.hazy, bool)
    means = _means(grey)
    whole = cv2.resize(veil.added.mean(axis=-1), grey.shape[::-1])[middles, middles]
    thick = whole > _THICK * np.quantile(means, _BRIGHT)
    return np.asarray(thick & (thick.mean() > _WIDE) | veil.hazy)


def without(veil: Floats, photo: Image, part: float = _TAKEN) -> Image:
    """Return a photo without most of a veil.

    Args:
        veil: (rows, columns, 3), see `Veil.added`.
        photo: (H, W, 3).
        part: of it that is taken off.
    """
    light = _linear(photo) - np.float32(part) * cv2.resize(veil, photo.shape[1::-1])
    return encode(light)


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """What blocks of a photo show of their print, (rows, columns[, 3]) each.

    Attributes:
        gain: slope of the photo against the empty board.
        mean: of the photo.
        bare: mean of the empty board.
        weight: how much is printed there.
        alike: correlation with the print.
    """

    gain: Floats
    mean: Floats
    bare: Floats
    weight: Floats
    alike: Floats

    def added(self, left: float) -> Floats:
        """Return what is more than the gain explains.

        Args:
            left: part of the contrast that is left all over the board.
        """
        return np.asarray(self.mean - self.gain / np.float32(left) * self.bare)

    def lost(self, left: float) -> Floats:
        """Return what the empty board has more than the gain explains, see `added`."""
        gain = np.maximum(self.gain, np.float32(1e-6))
        return np.asarray(self.bare - np.float32(left) * self.mean / gain)


class _Print:
    """What is printed on a board's blocks.

    Args:
        empty: (H, W) or (H, W, 3) linear light.
    """

    def __init__(self, empty: Floats) -> None:
        tiles = _tiles(empty)
        planes = _planes(tiles)
        self._mean = planes[..., 0]
        self._own = np.asarray(tiles - planes @ _PLANES, np.float32)
        self._power = np.maximum(_product(self._own, self._own), _FAINT)
        contrast = self._power / np.square(self._mean + _LITTLE)
        self._weight = contrast / (1 + contrast / np.float32(_PRINT))

    def shown(self, photo: Floats, at: Blocks = ...) -> _Shown:
        """Return what is shown of it by a photo, in linear light.

        Args:
            photo: (H, W) or (H, W, 3).
            at: rows and columns, (N,) each, of blocks that are asked about.
        """
        tiles, own, own_power = _tiles(photo, at), self._own[at], self._power[at]
        planes = _planes(tiles)
        both = _product(own, tiles)
        power = _product(tiles, tiles) - np.einsum("...i,...i->...", planes, planes)
        alike = both / np.sqrt(own_power * np.maximum(power, _FAINT))
        gain = np.asarray(both / own_power, np.float32)
        return _Shown(gain, planes[..., 0], self._mean[at], self._weight[at], alike)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What the print tells of a grey veil.

    Attributes:
        veil: (rows, columns), see `Veil.added`; None where none is to be seen.
        left: part of the contrast that is left on most of the board, 1 where that
            cannot be told.
        tells: blocks that tell.
        most: how bright a veil they tell of at most, as a part of what one must have.
    """

    veil: Floats | None
    left: float
    tells: npt.NDArray[np.bool_]
    most: float


def _veil(
    shown: _Shown, free: npt.NDArray[np.bool_], left: float | None = None
) -> _Told:
    """Return what is told of a grey veil.

    Args:
        shown: of grey light.
        free: blocks that are not burnt out.
        left: part of the contrast that would be left all over the board without a
            veil; None to take that which is left on most of it.
    """
    tells = free & (shown.alike > _LIKE)
    if tells.sum() < _BLOCKS:
        return _Told(None, 1.0, tells, inf)
    weight = shown.weight * tells.astype(np.float32)
    share = shown.gain * (shown.bare + _LITTLE) / (shown.mean + _LITTLE)
    if left is None:
        left = _median(share[tells], weight[tells])
    least = _SEEN * _brightest(shown.mean[free])
    veil, most = _believed(shown.added(left), weight, least)
    return _Told(veil, left, tells, most / least)


def _lifted(shown: _Shown, free: npt.NDArray[np.bool_], told: _Told) -> int:
    """Return how many blocks say that the empty board has a veil, see `Veil.lifted`.

    Args:
        shown: of grey light.
        free: blocks that are not burnt out.
        told: by the same blocks, of a veil on the photo.
    """
    # With less contrast all over, or more, the tone curve may be another one, and
    # others, too, make a little more of it where it is bright. A hand leaves single
    # blocks that tell, far from others, and what they tell is odd.
    toned = not _BLURRED < told.left < 1 / _BLURRED
    if toned or told.tells.sum() < _BLOCKS:
        return 0
    lost, least = shown.lost(told.left), _SEEN / 2 * _brightest(shown.bare[free])
    share = (lost / np.maximum(shown.bare, _LITTLE) - _ANYWAY).clip(0, _COUNTS)
    share[~told.tells | (lost < least)] = 0
    near = cv2.boxFilter(share, -1, (_NEAR, _NEAR), normalize=False)
    return int(told.tells.sum()) if near.max() >= _LOST else 0


def _believed(
    added: Floats, weight: Floats, least: float
) -> tuple[Floats | None, float]:
    """Return light (rows, columns) as it is around blocks, as far as that is known.

    And how much it is at most.

    Args:
        added: what is measured on each of them.
        weight: how much each tells.
        least: if nowhere is more, there is none.
    """
    around = _around(weight) + np.float32(1e-9)
    veil = _around(weight * added) / around
    most = float(veil.max())
    # Once more what that leaves: narrow veils would be flattened (Tukey 1977). No veil
    # is more than doubled by that.
    if most <= least / 2:
        return None, most
    veil += _around(weight * (added - veil)) / around
    if veil.max() <= least:
        return None, most
    away = weight * (added - veil) ** 2
    scatter = 2 * np.median(away[weight > 0]) + _around(away)
    variance = scatter / (4 * np.pi * _REACH**2 * around)
    veil = np.maximum(veil, 0)
    veil *= veil**2 / (veil**2 + _DOUBT**2 * variance + np.float32(1e-9))
    return veil if veil.max() > least else None, most


def _brightest(means: Floats) -> float:
    """Return how bright the brightest blocks are, see `_BRIGHT`."""
    place = int(_BRIGHT * (means.size - 1))
    return float(np.partition(means, place, axis=None)[place])


def _linear(picture: Image) -> Floats:
    return np.asarray(cv2.LUT(picture, LINEAR), np.float32)


def _tiles(picture: Floats, at: Blocks = ...) -> Floats:
    """Return the pixels of blocks, (rows, columns[, 3], pixels), or of N of them."""
    height, width, *rest = picture.shape
    tiles = picture.reshape(height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK, *rest)
    tiles = tiles.transpose(0, 2, *range(4, tiles.ndim), 1, 3)[at]
    return np.asarray(tiles.reshape(*tiles.shape[:-2], _PIXELS))


def _means(grey: Image) -> Floats:
    """Return how bright blocks are, (rows, columns) linear light."""
    size = grey.shape[1] // _BLOCK, grey.shape[0] // _BLOCK
    means = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    return _linear(np.asarray(means, np.uint8))


def _planes(tiles: Floats) -> Floats:
    """Return what blocks have of `_PLANES`, (..., 3)."""
    return np.asarray(tiles @ _PLANES.T / np.float32(_PIXELS), np.float32)


def _product(one: Floats, other: Floats) -> Floats:
    """Return the mean along the last axis of what both make."""
    both = np.einsum("...i,...i->...", one, other)
    return np.asarray(both / np.float32(one.shape[-1]))


def _not_burnt(picture: Image) -> npt.NDArray[np.bool_]:
    """Return the blocks (rows, columns) where all values of all pixels are shown."""
    size = picture.shape[1] // _BLOCK, picture.shape[0] // _BLOCK
    brightest = picture.reshape(size[1], _BLOCK, -1).max(axis=1)
    _, burnt = cv2.threshold(brightest, _SHOWN, 255, cv2.THRESH_BINARY)
    return np.asarray(cv2.resize(burnt, size, interpolation=cv2.INTER_AREA) == 0)


def _around(blocks: Floats) -> Floats:
    return np.asarray(cv2.GaussianBlur(blocks, (0, 0), _REACH))


def _median(values: Floats, weights: Floats) -> float:
    """Return the weighted median."""
    order = np.argsort(values)
    shares = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(shares, 0.5 * shares[-1])])
