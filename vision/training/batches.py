"""Photos of random tables as the networks take them, varied as they are learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from companion.rules.board import Look
from vision.empty_board import EmptyBoard, Sight
from vision.frame import Image
from vision.pieces.looks import NAMED, name_of
from vision.pieces.network import RIM
from vision.pieces.seen import CELL_PX
from vision.pose import lean_at
from vision.rectify import CELL
from vision.srgb import LINEAR, encode
from vision.training.photos import SAME_LIGHT

MOST = 6
"""Looks that a table can have: three teams' chips, and those turned over."""

TOUCHED = 0.02
"""Part of a square from which something is said to cover it."""

RECOLOURED = 0.5
"""Share of boards whose colours are mixed."""

BENT, LEANT = 0.12, 0.12
"""Log units; how tone curve and lean are varied."""

Rng = np.random.Generator

_NAMED, _LEFT_OUT = 0.3, 0.03  # share of boards without samples, of looks without
_CAST = 0.03  # log units; light taken wrongly
_BADLY, _EXPOSED = 0.1, (-5.0, 2.0)  # share of photos; log gain of linear light
_SUN, _MIRRORED = 0.25, 0.1  # share of photos
_PATCH, _RIM = (0.5, 4.0), (0.5, 12.0)  # cells; px; half a side, and its half-shadow
_SUNNY, _WHITE = (0.3, 5.0), (0.03, 1.5)  # times the other light; of white
_CONTRASTED, _CONTRAST = 0.15, 0.3  # share of photos; log units of the tone curve
_NOISE, _NIGHT = 0.04, 0.2  # log units; noise at most, by day and in the dark
_BOARD_IMAGE = (0.7, 2.0)  # log px; size of lamps that are mirrored in the board


@dataclass(frozen=True, slots=True)
class _Lamps:
    """How often lamps are mirrored, and in how many pieces.

    No piece should be drowned in one: nobody could tell it from a white piece, so
    none would ever be sure.

    Attributes:
        share: of photos.
        most: pieces of a photo.
        sizes: log px, of their images in pieces.
    """

    share: float
    most: int
    sizes: tuple[float, float]


_IN_PEGS = _Lamps(0.2, 3, (-1.2, -0.5))
_IN_CHIPS = _Lamps(0.3, 8, (-0.3, 0.4))


@dataclass(slots=True, eq=False)
class Table:
    """One table's photos.

    Attributes:
        picture: (N, CHANNELS, H, W) float16, photos as the network sees them.
        lean: (2, rows, columns).
        truth: (N, rows, columns) 0 for empty, 2 and more for looks.
        covered: (N, rows, columns) part of each square that something covers.
        names: (MOST, NAMED) of the looks.
        count: of the looks.
        chequered: whether the board is, see `EmptyBoard`.
        shows: for each photo that may be the samples' one, and each look, the cells
            (M,) to take it from.
        sights: N, of the photos, or none of them if they were not kept.
    """

    picture: Tensor
    lean: Tensor
    truth: Tensor
    covered: Tensor
    names: Tensor
    count: int
    chequered: bool
    shows: list[list[npt.NDArray[np.intp]]]
    sights: Sequence[Sight]


def load(file: Path, *, closely: bool = False) -> Table:
    """Read what `vision.training.photos` wrote.

    Args:
        file: of one table.
        closely: keep all pixels of its photos.
    """
    with np.load(file) as table:
        photos, truth = table["photos"], table["truth"].astype(np.int64)
        side = int(np.sqrt(truth.shape[1]))
        empty, photos = in_other_light(table["empty"], photos, int(file.stem))
        board = EmptyBoard(empty, side, side)
        sights = [board.under(photo) for photo in photos]
        inner = slice(RIM, -RIM)
        # Of a copy, for a sight keeps what it has shown.
        pictures = [replace(sight).whole[:, inner, inner] for sight in sights]
        truth = truth.reshape(-1, side, side)
        covered = table["covered"].reshape(-1, side, side)
        looks = [Look(str(name)) for name in table["names"]]
        names = np.zeros((MOST, NAMED), np.float32)
        names[: len(looks)] = [name_of(look) for look in looks]
        lean = lean_at(table["eye"], table["cell_mm"], side, side)
    free = covered < TOUCHED
    # The first photos are in the light of the empty board's.
    shows = [
        [
            np.flatnonzero((truth[photo] == number) & free[photo])
            for number in range(1, len(looks) + 1)
        ]
        for photo in range(SAME_LIGHT)
    ]
    return Table(
        torch.from_numpy(np.array(pictures, np.float16)),
        torch.from_numpy(lean).permute(2, 0, 1),
        torch.from_numpy(truth + (truth > 0)),
        torch.from_numpy(covered),
        torch.from_numpy(names),
        len(looks),
        board.chequered,
        shows,
        sights if closely else [],
    )


def in_other_light(
    empty: Image, photos: Sequence[Image], seed: int
) -> tuple[Image, list[Image]]:
    """Return photos of a table in harder light than is drawn.

    Args:
        empty: (H, W, 3) the empty board.
        photos: of the table; the first are in the empty board's light.
        seed: picks the lights.
    """
    empty, lit = in_lamplight(empty, photos, seed)
    for spoilt in (beside_windows, badly_exposed, contrasted):
        lit[SAME_LIGHT:] = spoilt(lit[SAME_LIGHT:], seed)
    return empty, lit


def in_lamplight(
    empty: Image, photos: Sequence[Image], seed: int
) -> tuple[Image, list[Image]]:
    """Return photos as a camera without white balance takes them by lamps.

    Half of the tables stay as they are. Of the others, some were calibrated by a
    lamp, and some are only read by it. An old lamp leaves little of the blue.

    Args:
        empty: (H, W, 3) the empty board.
        photos: of the table; the first are in the empty board's light.
        seed: picks the lamps.
    """
    rng = np.random.default_rng((6, seed))
    if rng.random() < 0.5:
        return empty, list(photos)
    first = _a_lamp(rng) if rng.random() < 0.6 else np.ones(3)
    lit = []
    for number, photo in enumerate(photos):
        same = number < SAME_LIGHT or rng.random() < 0.3
        lit.append(_lit(rng, photo, first if same else _a_lamp(rng)))
    return _lit(rng, empty, first), lit


def beside_windows(photos: Sequence[Image], seed: int) -> list[Image]:
    """Return photos, on some of which the sun falls, or in which a window is mirrored.

    Harder ones than are drawn: the sun is stronger, and what is mirrored has nothing
    of the other lamps' colour.

    Args:
        photos: (H, W, 3) each.
        seed: picks them, and what is there.
    """
    rng = np.random.default_rng((8, seed))
    return [_beside_window(rng, photo) for photo in photos]


def _beside_window(rng: Rng, photo: Image) -> Image:
    """Return a photo with sun or a mirrored window, or as it is."""
    dice = rng.random()
    if dice >= _SUN + _MIRRORED:
        return photo
    sunny = dice < _SUN
    strengths, tints = (_SUNNY, 0.2) if sunny else (_WHITE, 0.1)
    strength = np.exp(rng.uniform(*np.log(strengths)))
    tint = np.exp(rng.normal(0, tints, 3)).astype(np.float32)
    window = strength * _patch(rng, photo) * tint
    light = LINEAR[photo]
    if sunny:
        light *= 1 + window
        # Cameras expose for all of the picture, or for what is brightest.
        light *= (1 + strength) ** -rng.uniform(0.2, 1)
    else:
        light += window
    return _seen(rng, light)


def _patch(rng: Rng, photo: Image) -> npt.NDArray[np.float32]:
    """Return where a window's light falls (H, W, 1), 0 to 1.

    Four corners, or a round one that fades; often parallel to the board.
    """
    height, width = photo.shape[:2]
    y, x = np.mgrid[:height, :width] - rng.uniform(0, (height, width))[:, None, None]
    turn = rng.normal(0, 0.05) if rng.random() < 0.4 else rng.uniform(0, np.pi)
    half = CELL * rng.uniform(*_PATCH, 2)
    across = np.abs(x * np.cos(turn) + y * np.sin(turn))
    down = np.abs(y * np.cos(turn) - x * np.sin(turn))
    if rng.random() < 0.3:
        away = (across / half[0]) ** 2 + (down / half[1]) ** 2
        return np.asarray(np.exp(-2 * away), np.float32)[..., None]
    inside = np.minimum(half[0] - across, half[1] - down)
    rim = np.exp(rng.uniform(*np.log(_RIM)))
    return np.asarray((inside / rim + 0.5).clip(0, 1), np.float32)[..., None]


def badly_exposed(photos: Sequence[Image], seed: int) -> list[Image]:
    """Return photos some of which are nearly dark, or burnt out.

    Args:
        photos: (H, W, 3) each.
        seed: picks them, and what is wrong with them.
    """
    rng = np.random.default_rng((7, seed))
    return [
        _lit(rng, photo, np.full(3, np.exp(rng.uniform(*_EXPOSED))), rng.uniform(1, 3))
        if rng.random() < _BADLY
        else photo
        for photo in photos
    ]


def contrasted(photos: Sequence[Image], seed: int) -> list[Image]:
    """Return photos some of which have another tone curve than the empty board's.

    Cameras choose it by what they see (libcamera's contrast algorithm, among others).

    Args:
        photos: (H, W, 3) each.
        seed: picks them, and their curves.
    """
    rng = np.random.default_rng((9, seed))
    levels = np.arange(256) / 255
    toned = []
    for photo in photos:
        curve = levels ** np.exp(rng.normal(0, _CONTRAST))
        values = np.rint(255 * curve).astype(np.uint8)
        toned.append(values[photo] if rng.random() < _CONTRASTED else photo)
    return toned


def _a_lamp(rng: Rng) -> npt.NDArray[np.float64]:
    """Return by what a lamp multiplies linear blue, green, red."""
    warmth = rng.uniform(0, 1)
    level = np.exp(rng.normal(0, 0.2))
    gains = level * np.array((1 - 0.88 * warmth, 1 - 0.45 * warmth, 1.0))
    return np.asarray(gains, np.float64)


def _lit(
    rng: Rng, photo: Image, gains: npt.NDArray[np.float64], noise: float = 1.0
) -> Image:
    """Return a photo in more or less of linear blue, green, red, and its noise."""
    if (gains == 1).all():
        return photo
    return _seen(rng, LINEAR[photo] * gains.astype(np.float32), noise)


def _seen(rng: Rng, light: npt.NDArray[np.float32], noise: float = 1.0) -> Image:
    """Return the picture of light, with the camera's noise in 8-bit values."""
    values = encode(light) + rng.normal(0, noise, light.shape).astype(np.float32)
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


@dataclass(slots=True, eq=False)
class Batch:
    """Photos of tables as the network takes them, (B, ...), and what it should say.

    Attributes:
        picture: (B, 1 + P, CHANNELS, H, W); the first shows the samples.
        lean: (B, 2, rows, columns).
        places: (B, MOST) cells of the samples.
        names: (B, MOST, NAMED).
        by_name: (B, MOST) there is no sample.
        count: (B,) looks.
        truth: (B, P, rows, columns).
        covered: (B, P, rows, columns).
        true: (B,) 1 where the colours have the names.
    """

    picture: Tensor
    lean: Tensor
    places: Tensor
    names: Tensor
    by_name: Tensor
    count: Tensor
    truth: Tensor
    covered: Tensor
    true: Tensor

    @classmethod
    def of(cls, tables: Sequence[Batch]) -> Batch:
        """Lay batches of one table each on each other."""
        return cls(
            *(
                torch.cat([getattr(table, part.name) for table in tables])
                for part in fields(cls)
            )
        )


def photos_of(
    table: Table,
    at: int,
    others: Sequence[int],
    rng: Rng,
    *,
    named: float,
    left_out: float,
) -> Batch:
    """Return photos of a table.

    Args:
        table: the table.
        at: number of the photo that shows samples.
        others: numbers of those to be read.
        rng: picks the samples.
        named: probability that there are no samples at all.
        left_out: probability that one look has none.
    """
    by_name = rng.random(MOST) < left_out
    by_name |= rng.random() < named
    places = np.zeros(MOST, np.int64)
    for number, cells in enumerate(table.shows[at]):
        if len(cells):
            places[number] = cells[rng.integers(len(cells))]
        else:
            by_name[number] = True
    return Batch(
        table.picture[[at, *others]].float()[None],
        table.lean[None],
        torch.from_numpy(places)[None],
        table.names[None],
        torch.from_numpy(by_name)[None],
        torch.tensor([table.count]),
        table.truth[others][None],
        table.covered[others][None],
        torch.ones(1),
    )


def richest(table: Table) -> int:
    """Return the number of the photo that shows most of the looks."""
    looks = [sum(len(cells) > 0 for cells in shown) for shown in table.shows]
    return looks.index(max(looks))


@dataclass(frozen=True, slots=True, eq=False)
class Variation:
    """What was done to the photos of one table.

    Attributes:
        bend: power to which values were taken.
        channels: (7,) order of the first channels.
        cells: (rows, columns) which cell lies there now.
        flipped: axes.
        transposed: whether they were, after that.
        changes: (1 + P, 7, H, W) what was added in the end.
        grain: (1 + P,) noise that is in them, log units.
    """

    bend: float
    channels: Tensor
    cells: Tensor
    flipped: Sequence[int]
    transposed: bool
    changes: Tensor
    grain: Tensor


def some_photos(table: Table, count: int, rng: Rng) -> tuple[Batch, list[int]]:
    """Return some photos of a table to learn from, and their numbers."""
    at = richest(table) if rng.random() < 0.5 else int(rng.integers(SAME_LIGHT))
    others = [number for number in range(len(table.picture)) if number != at]
    chosen = [int(number) for number in rng.choice(others, count, replace=False)]
    batch = photos_of(table, at, chosen, rng, named=_NAMED, left_out=_LEFT_OUT)
    return batch, [at, *chosen]


def varied(batch: Batch, rng: Rng) -> tuple[Batch, Variation]:
    """Turn, mirror and recolour the photos of one table, and bend their tone curve.

    Colours that are known by name alone keep it.
    """
    lean, true = batch.lean, batch.true
    bend = float(np.exp(rng.normal(0, BENT)))
    order = np.arange(3)
    known = batch.by_name[0, : int(batch.count)].any()
    if not known and rng.random() < RECOLOURED:
        order, true = rng.permutation(3), true * 0
    channels = torch.from_numpy(np.concatenate((order, order + 3, (6, 7, 8))))
    picture = bent(batch.picture, bend)[:, :, channels]
    lean = lean * float(np.exp(rng.normal(0, LEANT)))
    cells = torch.arange(lean[0, 0].numel()).view(lean.shape[-2:])
    planes = [picture, batch.truth, batch.covered, cells]
    flipped = []
    for axis, sign in ((-1, (-1.0, 1.0)), (-2, (1.0, -1.0))):
        if rng.random() < 0.5:
            planes = [plane.flip(axis) for plane in planes]
            flipped.append(axis)
            lean = lean.flip(axis) * torch.tensor(sign).view(2, 1, 1)
    transposed = rng.random() < 0.5
    if transposed:
        planes = [plane.transpose(-1, -2) for plane in planes]
        lean = lean.transpose(-1, -2).flip(1)
    picture, truth, covered, cells = planes
    places = cells.flatten().argsort()[batch.places]
    # A glossy face mirrors lamps, the paper on a turned chip does not.
    glossy = np.append((False, False), batch.names[0, :, -1].numpy() == 0)
    samples = np.stack(np.divmod(places[0].numpy(), cells.shape[1]), axis=-1)
    lying = [
        samples[glossy[2:]],
        *(np.argwhere(glossy[position.numpy()]) for position in truth[0]),
    ]
    # Pegs, which are small, are never turned.
    lamps = _IN_PEGS if glossy[2 : 2 + int(batch.count)].all() else _IN_CHIPS
    spoilt = [
        _spoilt(photo, pieces, lamps, rng)
        for photo, pieces in zip(picture[0], lying, strict=True)
    ]
    changes = torch.stack([change for change, _ in spoilt])
    # Flipped planes are copies: what is added here is added to nothing else.
    picture = picture.contiguous()
    picture[0, :, :7] += changes
    return (
        replace(
            batch,
            picture=picture,
            lean=lean,
            places=places,
            truth=truth,
            covered=covered,
            true=true,
        ),
        Variation(
            bend,
            channels[:7],
            cells,
            flipped,
            transposed,
            changes,
            torch.tensor([grain for _, grain in spoilt]),
        ),
    )


def turned(crops: Tensor, ways: Tensor, rng: Rng) -> tuple[Tensor, Tensor]:
    """Turn and mirror crops (N, C, H, W), all alike, and ways (N, 2) right and down."""
    for axis in (0, 1):
        if rng.random() < 0.5:
            crops = crops.flip(3 - axis)
            ways = ways * torch.tensor([(-1.0, 1.0), (1.0, -1.0)][axis])
    if rng.random() < 0.5:
        crops, ways = crops.transpose(2, 3), ways.flip(1)
    return crops, ways


def bent(planes: Tensor, bend: float) -> Tensor:
    """Return what photos (..., 7 or more, H, W) show by another tone curve.

    They are logarithms of values to a power; brightness is 1 where white is.
    """
    shift = torch.zeros(planes.shape[-3], 1, 1)
    shift[6] = 1 - bend
    return (planes * bend + shift).clamp(-3, 1.5)


def _spoilt(
    picture: Tensor,
    pieces: npt.NDArray[np.intp],
    lamps: _Lamps,
    rng: Rng,
) -> tuple[Tensor, float]:
    """Return what a cast, noise and the mirror images of lamps add.

    Args:
        picture: (CHANNELS, H, W).
        pieces: (N, 2) rows and columns where some lie.
        lamps: mirrored in them.
        rng: picks all of it.

    Returns:
        (7, H, W), and the noise, log units.
    """
    noise = torch.from_numpy(rng.normal(0, _CAST, (3, 1, 1)).astype(np.float32))
    grain = rng.standard_normal((3, *picture.shape[1:]), dtype=np.float32)
    most = rng.uniform(0, _NIGHT if rng.random() < 0.15 else _NOISE)
    noise = noise + torch.from_numpy(grain * np.float32(most))
    change = torch.cat((noise, noise, noise.mean(0, keepdim=True)))
    if rng.random() < lamps.share:
        change += _shine(picture[:3] + noise, pieces, lamps, rng)
    return change, most


def _shine(
    colour: Tensor,
    pieces: npt.NDArray[np.intp],
    lamps: _Lamps,
    rng: Rng,
) -> Tensor:
    """Return what the mirror images of lamps, white and round, add (7, H, W).

    Most are on pieces, whose faces are smoother than the board.

    Args:
        colour: (3, H, W).
        pieces: (N, 2) rows and columns where some lie.
        lamps: mirrored in them.
        rng: picks places and sizes.
    """
    height, width = colour.shape[1:]
    down, across = np.ogrid[:height, :width]
    shine = np.zeros((height, width), np.float32)
    for _ in range(rng.integers(3)):
        y, x = rng.uniform(0, (height, width))
        size, strength = np.exp(rng.uniform(*_BOARD_IMAGE)), rng.uniform(0.1, 0.6)
        shine += _blob(down - y, across - x, size, strength)
    for middle in rng.permutation(pieces)[: rng.integers(1, lamps.most + 1)]:
        # A glossy piece has the lamp's image in it, the board around a glimmer.
        y, x = (middle + 0.5) * CELL_PX + 4 + rng.normal(0, 1.5, 2)
        size = np.exp(rng.uniform(*lamps.sizes))
        strength = rng.uniform(0.3, 2.5)
        shine += _blob(down - y, across - x, size, strength)
        if rng.random() < 0.5:
            faint = rng.uniform(0.05, 0.4)
            shine += _blob(down - y, across - x, 3 * size, faint)
    change = (colour.exp() + torch.from_numpy(shine)).clamp(max=1.3).log() - colour
    change = change.clamp(min=0)
    return torch.cat((change, change, change.mean(0, keepdim=True)))


def _blob(
    down: npt.NDArray[np.float64],
    across: npt.NDArray[np.float64],
    size: float,
    strength: float,
) -> npt.NDArray[np.float32]:
    """Return a round spot (H, W), from distances (H, 1) and (1, W) to its middle."""
    fall = np.exp(down**2 / (-2 * size**2)) * np.exp(across**2 / (-2 * size**2))
    return np.asarray(strength * fall, np.float32)


def with_thing(
    photo: Tensor, covered: Tensor, other: Table, rng: Rng
) -> tuple[Tensor, Tensor]:
    """Lay a thing on a board: a piece of a photo of another table.

    Args:
        photo: (CHANNELS, H, W).
        covered: (rows, columns) part of each square.
        other: the other table.
        rng: picks place and shape.

    Returns:
        both, with the thing.
    """
    height, width = photo.shape[1:]
    y, x = np.mgrid[:height, :width] - rng.uniform(0, (height, width))[:, None, None]
    angle, half = rng.uniform(0, np.pi), rng.uniform(3, 30, 2)
    across = np.abs(x * np.cos(angle) + y * np.sin(angle)) / half[0]
    down = np.abs(y * np.cos(angle) - x * np.sin(angle)) / half[1]
    away = np.hypot(across, down) if rng.random() < 0.5 else np.maximum(across, down)
    mask = torch.from_numpy(((1 - away) * half.min()).clip(0, 1).astype(np.float32))
    photo = photo.clone()
    shown = other.picture[int(rng.integers(len(other.picture)))].float()
    shown = shown.roll((int(rng.integers(height)), int(rng.integers(width))), (1, 2))
    thing, photo[7] = shown[:3], photo[7].lerp(shown[7], mask)
    if rng.random() < 0.4:  # things of one colour
        thing = thing[:, :1, :1] + 0.1 * (thing - thing[:, :1, :1])
    tint = rng.normal(0, (0.3, 0.15, 0.15, 0.15))
    thing = (
        thing + torch.from_numpy((tint[0] + tint[1:]).astype(np.float32))[:, None, None]
    )
    change = (thing - photo[:3]) * mask
    change = torch.cat((change, change, change.mean(0, keepdim=True)))
    photo[:7] += change
    own = functional.avg_pool2d(mask[None, None, 4:-4, 4:-4], CELL_PX)[0, 0]
    return photo, torch.maximum(covered, own)
