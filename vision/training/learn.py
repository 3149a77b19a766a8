"""Fit the eyes' network to photos of random tables: python -m vision.training.learn.

The network is the one that `vision.pieces.network` runs; here it is written once
more for PyTorch, which finds its weights. In the end the two are held against each
other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, distributed, multiprocessing, nn
from torch.nn import functional

from companion.rules.board import Look
from vision.empty_board import EmptyBoard
from vision.frame import Image
from vision.pieces import network as program
from vision.pieces.looks import NAMED, name_of
from vision.pieces.network import (
    AROUND,
    CELL_PX,
    CHANNELS,
    RIM,
    STEP,
    TOLD,
    WEIGHTS,
)
from vision.pose import lean_at
from vision.training.photos import SAME_LIGHT

MOST = 6
"""Looks that a table can have: three teams' chips, and those turned over."""

_HELD = 40  # tables that are not learnt from
_PROCESSES = 2  # that learn together
_TABLES, _PHOTOS = 5, 2  # of each in a step, and of each table to be read
_FIRST = 0.3  # weight of what is thought before the photo is seen as a whole
_WARM_UP = 300  # steps
_MEMORY = 0.999  # of the moving average of weights that is kept in the end
_NAMED, _LEFT_OUT = 0.2, 0.03  # share of boards without samples, of looks without
_RECOLOURED = 0.5  # share of boards whose colours are mixed
_BENT, _LEANT = 0.12, 0.12  # log units; how tone curve and lean are varied
_CAST = 0.03  # log units; light taken wrongly
_NOISE, _NIGHT = 0.04, 0.2  # log units; noise at most, by day and in the dark
_SHINING = 0.5  # share of photos in which lamps are mirrored
_ON_PIECES = 0.8  # share of mirror images that pieces make
_THINGS = 0.15  # share of boards on which some thing lies
_WHOSE = 0.25  # weight of whose a turned chip is
_COVERED, _TOUCHED = 0.5, 0.02  # of a square
_SURE = 0.99  # probability from which an answer is given


class Network(nn.Module):
    """`vision.pieces.network.Network`, to be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, 32, 2, 2)
        self.conv2 = nn.Conv2d(32, 48, 3, 2, 1)
        self.conv3 = nn.Conv2d(48, 48, 3, 1, 1)
        self.conv4 = nn.Conv2d(48, 64, 5, 3)
        self.around = nn.Conv2d(64 + 2, 64, 3, 1, 1)
        self.ground = nn.Linear(128, 2)
        self.attend = nn.Linear(128, 2 * AROUND**2)
        self.own = nn.Linear(128, TOLD - 6)
        self.see = nn.Linear(128, 64)
        self.look = nn.Linear(TOLD, 64, bias=False)
        self.differ = nn.Linear(8 + TOLD, 64, bias=False)
        self.pair = nn.Linear(64, 32)
        self.score = nn.Linear(32, 1)
        self.whole = nn.Linear(128, 32)
        self.whole_see = nn.Linear(32, 64, bias=False)
        self.whole_ground = nn.Linear(32, 2, bias=False)
        self.again = nn.Linear(32 + 1 + 8 + TOLD, 32)
        self.change = nn.Linear(32, 1)
        self.hint1 = nn.Linear(TOLD + NAMED + 1, 48)
        self.hint2 = nn.Linear(48, TOLD)
        nn.init.zeros_(self.hint2.weight)
        nn.init.zeros_(self.hint2.bias)
        self.name1 = nn.Linear(NAMED, 64)
        self.name2 = nn.Linear(64, TOLD)

    def seen(self, picture: Tensor, lean: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is seen on each cell, (B, N, 128) and (B, N, TOLD).

        Args:
            picture: (B, CHANNELS, H, W).
            lean: (B, 2, rows, columns).
        """
        z = picture.contiguous(memory_format=torch.channels_last)
        # Half as precise, twice as fast: enough to learn with, not to judge.
        with torch.autocast("cpu", torch.bfloat16, enabled=torch.is_grad_enabled()):
            for layer in (self.conv1, self.conv2, self.conv3, self.conv4):
                z = functional.relu(layer(z))
            near = functional.relu(self.around(torch.cat((z, lean), 1)))
        h = torch.cat((z, near), 1).float().flatten(2).transpose(1, 2)
        squares = functional.avg_pool2d(picture[:, :3], 2)
        around = functional.unfold(squares, AROUND, stride=STEP).unflatten(1, (3, -1))
        where = self.attend(h).unflatten(-1, (2, -1)).softmax(-1)
        colours = torch.einsum("bcwp,bnpc->bcwn", where, around).flatten(-2)
        return h, torch.cat((colours, self.own(h)), -1)

    def forward(
        self, h: Tensor, own: Tensor, looks: Tensor, absent: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (B, N, 2 + K), at first and at last.

        Args:
            h: (B, N, 128), see `seen`.
            own: (B, N, TOLD), see `seen`.
            looks: (B, K, TOLD).
            absent: (B, 2 + K) columns that say nothing.
        """
        whole = functional.relu(self.whole(h.mean(1)))
        pair = self.see(h)[:, :, None] + self.look(looks)[:, None]
        pair = pair + self.whole_see(whole)[:, None, None]
        pair = functional.relu(
            pair + self.differ(_difference(own[:, :, None], looks[:, None]))
        )
        inner = functional.relu(self.pair(pair))
        ground = self.ground(h) + self.whole_ground(whole)[:, None]
        first = torch.cat((ground, self.score(inner)[..., 0]), -1)
        first = first.masked_fill(absent[:, None], -1e9)
        others, typical = _typical(first.softmax(-1)[..., 2:], own, looks)
        again = (inner, others.log1p(), _difference(own[:, :, None], typical))
        change = self.change(functional.relu(self.again(torch.cat(again, -1))))
        last = first + functional.pad(change[..., 0], (2, 0))
        return first.log_softmax(-1), last.log_softmax(-1)

    def shown(self, own: Tensor, names: Tensor, true: Tensor) -> Tensor:
        """Return (..., TOLD) what looks are like that were seen once.

        Args:
            own: (..., TOLD) what was seen.
            names: (..., NAMED) of the looks.
            true: (..., 1) 1 where the colours have the names.
        """
        hint = torch.cat((own, names * true, true), -1)
        return own + torch.as_tensor(self.hint2(functional.relu(self.hint1(hint))))

    def called(self, names: Tensor) -> Tensor:
        """Return (..., TOLD) what pieces of a name (..., NAMED) look like."""
        told = self.name2(functional.relu(self.name1(names)))
        return told + functional.pad(names[..., :6], (0, TOLD - 6))

    def log_p(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (B, P, rows, columns, 2 + MOST), first and last."""
        photos = batch.picture.shape[1]
        lean = batch.lean.repeat_interleave(photos, 0)
        h, own = (
            part.unflatten(0, (-1, photos))
            for part in self.seen(batch.picture.flatten(0, 1), lean)
        )
        there = batch.places[..., None].expand(-1, -1, TOLD)
        shown = self.shown(
            own[:, 0].gather(1, there),
            batch.names,
            batch.true[:, None, None].expand(-1, MOST, 1),
        )
        looks = torch.where(batch.by_name[..., None], self.called(batch.names), shown)
        absent = torch.arange(-2, MOST)[None] >= batch.count[:, None]
        first, last = self(
            h[:, 1:].flatten(0, 1),
            own[:, 1:].flatten(0, 1),
            looks.repeat_interleave(photos - 1, 0),
            absent.repeat_interleave(photos - 1, 0),
        )
        shape = *batch.truth.shape, 2 + MOST
        return first.reshape(shape), last.reshape(shape)

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights as `vision.pieces.network` wants them."""
        state = {name: array.numpy() for name, array in self.state_dict().items()}
        for name, array in state.items():
            if array.ndim == 2:
                state[name] = array.T
            elif array.ndim == 4:
                state[name] = array.transpose(2, 3, 1, 0).reshape(-1, len(array))
        return {
            name: np.ascontiguousarray(array, np.float16)
            for name, array in state.items()
        }

    def adopt(self, weights: Mapping[str, np.ndarray]) -> None:
        """Go on from weights as `weights` gives them."""
        state = {}
        for name, now in self.state_dict().items():
            array = weights[name].astype(np.float32)
            if now.ndim == 2:
                array = array.T
            elif now.ndim == 4:
                out, into, height, width = now.shape
                square = array.reshape(height, width, into, out)
                array = square.transpose(3, 2, 0, 1)
            state[name] = torch.from_numpy(np.ascontiguousarray(array))
        self.load_state_dict(state)


def _typical(share: Tensor, own: Tensor, looks: Tensor) -> tuple[Tensor, Tensor]:
    """Return what each look is like elsewhere in the photo.

    Args:
        share: (B, N, K) what is thought of each cell.
        own: (B, N, TOLD) what is seen there.
        looks: (B, K, TOLD) as the samples or the names have it.

    Returns:
        how many other cells have the look (B, N, K, 1), and (B, N, K, TOLD).
    """
    others = (share.sum(1, keepdim=True) - share)[..., None]
    total = torch.einsum("bnk,bnd->bkd", share, own)[:, None]
    total = total - share[..., None] * own[:, :, None]
    drift = (total - others * looks[:, None]).sum(2, keepdim=True)
    drift = drift / (others.sum(2, keepdim=True) + 1)
    return others, (total + looks[:, None] + drift) / (others + 1)


def _difference(own: Tensor, looks: Tensor) -> Tensor:
    """Return (..., 8 + TOLD) numbers that say how pieces differ from looks."""
    away = own - looks
    return torch.cat(
        (
            _alike(away[..., :3]),
            _alike(away[..., 3:6]),
            away[..., :6].clamp(-1, 1),
            away[..., 6:].abs(),
        ),
        -1,
    )


def _alike(away: Tensor) -> Tensor:
    """Return four numbers that say how alike colours are, from their difference."""
    shade = away.mean(-1, keepdim=True)
    tint = ((away - shade) ** 2).sum(-1, keepdim=True)
    return torch.cat(
        (
            (2 * shade).clamp(-1, 1),
            1 / (1 + 100 * tint),
            1 / (1 + 10 * tint),
            1 / (1 + 25 * shade**2),
        ),
        -1,
    )


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
        shows: for each photo that may be the samples' one, and each look, the cells
            (M,) to take it from.
    """

    picture: Tensor
    lean: Tensor
    truth: Tensor
    covered: Tensor
    names: Tensor
    count: int
    shows: list[list[npt.NDArray[np.intp]]]


def load(file: Path) -> Table:
    """Read what `vision.training.photos` wrote."""
    with np.load(file) as table:
        photos, truth = table["photos"], table["truth"].astype(np.int64)
        side = int(np.sqrt(truth.shape[1]))
        empty, photos = in_lamplight(table["empty"], photos, int(file.stem))
        board = EmptyBoard(empty, side, side)
        inner = slice(RIM, -RIM)
        pictures = [board.relative(photo)[:, inner, inner] for photo in photos]
        truth = truth.reshape(-1, side, side)
        covered = table["covered"].reshape(-1, side, side)
        looks = [Look(str(name)) for name in table["names"]]
        names = np.zeros((MOST, NAMED), np.float32)
        names[: len(looks)] = [name_of(look) for look in looks]
        lean = lean_at(table["eye"], table["cell_mm"], side, side)
    free = covered < _TOUCHED
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
        shows,
    )


def in_lamplight(
    empty: Image, photos: Sequence[Image], seed: int
) -> tuple[Image, Sequence[Image]]:
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
        return empty, photos
    first = _a_lamp(rng) if rng.random() < 0.6 else np.ones(3)
    lit = []
    for number, photo in enumerate(photos):
        same = number < SAME_LIGHT or rng.random() < 0.3
        lit.append(_lit(rng, photo, first if same else _a_lamp(rng)))
    return _lit(rng, empty, first), lit


def _a_lamp(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return by what a lamp multiplies linear blue, green, red."""
    warmth = rng.uniform(0, 1)
    level = np.exp(rng.normal(0, 0.2))
    gains = level * np.array((1 - 0.88 * warmth, 1 - 0.45 * warmth, 1.0))
    return np.asarray(gains, np.float64)


def _lit(
    rng: np.random.Generator, photo: Image, gains: npt.NDArray[np.float64]
) -> Image:
    if (gains == 1).all():
        return photo
    linear = (np.arange(256) / 255) ** 2.2
    seen = np.stack(
        [
            (255 * (linear * gain) ** (1 / 2.2)).astype(np.float32)[plane]
            for plane, gain in zip(cv2.split(photo), gains, strict=True)
        ],
        axis=-1,
    )
    seen += rng.normal(0, 1, seen.shape).astype(np.float32)
    return np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8)


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
    rng: np.random.Generator,
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


def _richest(table: Table) -> int:
    """Return the number of the photo that shows most of the looks."""
    looks = [sum(len(cells) > 0 for cells in shown) for shown in table.shows]
    return looks.index(max(looks))


def varied(batch: Batch, rng: np.random.Generator) -> Batch:
    """Turn, mirror and recolour the photos of one table, and bend their tone curve.

    Colours that are known by name alone keep it.
    """
    lean, true = batch.lean, batch.true
    bend = float(np.exp(rng.normal(0, _BENT)))
    order = np.arange(3)
    known = batch.by_name[0, : int(batch.count)].any()
    if not known and rng.random() < _RECOLOURED:
        order, true = rng.permutation(3), true * 0
    # Logarithms of values to a power; brightness is 1 where white is.
    scale = torch.tensor([bend] * CHANNELS).view(-1, 1, 1)
    shift = torch.zeros(CHANNELS, 1, 1)
    shift[6] = 1 - bend
    channels = torch.from_numpy(np.concatenate((order, order + 3, (6, 7, 8))))
    picture = (batch.picture * scale + shift).clamp(-3, 1.5)[:, :, channels]
    lean = lean * float(np.exp(rng.normal(0, _LEANT)))
    cells = torch.arange(lean[0, 0].numel()).view(lean.shape[-2:])
    planes = [picture, batch.truth, batch.covered, cells]
    for axis, sign in ((-1, (-1.0, 1.0)), (-2, (1.0, -1.0))):
        if rng.random() < 0.5:
            planes = [plane.flip(axis) for plane in planes]
            lean = lean.flip(axis) * torch.tensor(sign).view(2, 1, 1)
    if rng.random() < 0.5:
        planes = [plane.transpose(-1, -2) for plane in planes]
        lean = lean.transpose(-1, -2).flip(1)
    picture, truth, covered, cells = planes
    places = cells.flatten().argsort()[batch.places]
    samples = np.stack(np.divmod(places[0].numpy(), cells.shape[1]), axis=-1)
    lying = [samples, *(np.argwhere(position.numpy() > 1) for position in truth[0])]
    for photo, pieces in zip(picture[0], lying, strict=True):
        noise = torch.from_numpy(rng.normal(0, _CAST, (3, 1, 1)).astype(np.float32))
        grain = rng.standard_normal((3, *photo.shape[1:]), dtype=np.float32)
        most = _NIGHT if rng.random() < 0.15 else _NOISE
        noise = noise + torch.from_numpy(grain * np.float32(rng.uniform(0, most)))
        photo[:7] += torch.cat((noise, noise, noise.mean(0, keepdim=True)))
        if rng.random() < _SHINING:
            photo[:7] += _shine(photo, pieces, rng)
    return replace(
        batch,
        picture=picture,
        lean=lean,
        places=places,
        truth=truth,
        covered=covered,
        true=true,
    )


def _shine(
    picture: Tensor, pieces: npt.NDArray[np.intp], rng: np.random.Generator
) -> Tensor:
    """Return what the mirror images of lamps, white and round, add (7, H, W).

    Most are on pieces, which are smoother than the board.

    Args:
        picture: (CHANNELS, H, W).
        pieces: (N, 2) rows and columns where some lie.
        rng: picks places and sizes.
    """
    height, width = picture.shape[1:]
    down, across = np.mgrid[:height, :width].astype(np.float32)
    shine = np.zeros((height, width), np.float32)
    for _ in range(rng.integers(1, 9)):
        y, x = rng.uniform(0, (height, width))
        if len(pieces) and rng.random() < _ON_PIECES:
            middle = (pieces[rng.integers(len(pieces))] + 0.5) * CELL_PX + 4
            y, x = middle + rng.normal(0, 2, 2)
        size, strength = np.exp(rng.uniform(0.2, 2)), rng.uniform(0.2, 1.6)
        away = (down - y) ** 2 + (across - x) ** 2
        shine += strength * np.exp(-away / (2 * size**2))
    colour = picture[:3]
    change = (colour.exp() + torch.from_numpy(shine)).clamp(max=1.3).log() - colour
    change = change.clamp(min=0)
    return torch.cat((change, change, change.mean(0, keepdim=True)))


def with_thing(
    photo: Tensor, covered: Tensor, other: Table, rng: np.random.Generator
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


def loss(log_p: Tensor, batch: Batch) -> Tensor:
    """Return the mean cost, nats a square.

    A covered square should be called covered; beside one both answers are good.
    """
    true = log_p.gather(-1, batch.truth[..., None])[..., 0]
    # Whose a turned chip is may not be to be seen: that should not drown the rest.
    back = functional.pad(batch.names[:, :, -1], (2, 0))[:, None, None, None] > 0
    backs = log_p.masked_fill(~back, -1e9).logsumexp(-1)
    turned = (back & (torch.arange(2 + MOST) == batch.truth[..., None])).any(-1)
    true = torch.where(turned, backs + _WHOSE * (true - backs), true)
    covered = log_p[..., 1]
    near = functional.max_pool2d(batch.covered, 3, 1, 1) > _TOUCHED
    beside = torch.where(near, torch.logaddexp(true, covered), true)
    return -torch.where(batch.covered > _COVERED, covered, beside).mean()


def judge(network: Network, tables: Sequence[Table], named: bool) -> str:
    """Return how well boards are read that were not learnt from.

    Turned chips count as right whosever they are taken for: their backs may be
    alike.
    """
    rng = np.random.default_rng(0)
    wrong, given, squares, exact, clean, beside = 0, 0, 0, 0, 0, 0
    for table in tables:
        at = _richest(table)
        others = [number for number in range(len(table.picture)) if number != at]
        batch = photos_of(table, at, others, rng, named=float(named), left_out=0.0)
        with torch.no_grad():
            p = network.log_p(batch)[1][0].exp()
        truth, covered = batch.truth[0], batch.covered[0]
        written = torch.cat((torch.zeros(2), table.names[:, -1])) > 0
        p = torch.cat((p, p[..., written].sum(-1, keepdim=True)), -1)
        best, said = p.max(-1)
        sure = (best > _SURE) & (said != 1)
        back = written[truth] & (
            (said == 2 + MOST) | torch.cat((written, torch.tensor([True])))[said]
        )
        good = sure & ((said == truth) | back)
        free = covered.flatten(1).amax(1) < _TOUCHED
        clean += int(free.sum())
        exact += int(good[free].flatten(1).all(1).sum())
        squares += sure[free].numel()
        given += int(sure[free].sum())
        wrong += int((sure & ~good)[free].sum())
        beside += int((sure & ~good)[~free].sum())
    return (
        f"{exact / clean:.1%} of {clean} boards exact, {wrong} wrong and "
        f"{squares - given} unknown of {squares}; {beside} wrong beside hands"
    )


def _one(table: Table, tables: Sequence[Table], rng: np.random.Generator) -> Batch:
    at = _richest(table) if rng.random() < 0.5 else int(rng.integers(SAME_LIGHT))
    others = [number for number in range(len(table.picture)) if number != at]
    others = [int(number) for number in rng.choice(others, _PHOTOS, replace=False)]
    batch = photos_of(table, at, others, rng, named=_NAMED, left_out=_LEFT_OUT)
    for number in range(_PHOTOS):
        if rng.random() < _THINGS:
            other = tables[int(rng.integers(len(tables)))]
            photo, covered = batch.picture[0, 1 + number], batch.covered[0, number]
            photo[:], covered[:] = with_thing(photo, covered, other, rng)
    return varied(batch, rng)


def _off(network: Network, table: Table) -> float:
    """Return by how much the program's own network differs, nats at most."""
    rng = np.random.default_rng(0)
    batch = photos_of(table, _richest(table), [2], rng, named=0.0, left_out=0.5)
    with torch.no_grad():
        expected = network.log_p(batch)[1][0, 0, :, :, : 2 + table.count].numpy()
    own = program.Network(network.weights())
    samples, photo = batch.picture[0].numpy()
    lean = batch.lean[0].permute(1, 2, 0).numpy()
    seen = own.seen(samples, lean).reshape(-1, TOLD)
    looks = [
        own.called(name.numpy()) if by_name else own.shown(seen[place], name.numpy())
        for name, by_name, place in zip(
            batch.names[0], batch.by_name[0], batch.places[0], strict=True
        )
    ]
    found = own.log_p(photo, lean, np.array(looks[: table.count]))
    return float(np.abs(found - expected).max())


def _share_slopes(parameters: Sequence[nn.Parameter]) -> None:
    """Give all processes the mean of their gradients."""
    slopes = torch.cat([own.grad.reshape(-1) for own in parameters])
    distributed.all_reduce(slopes)
    sizes = [own.numel() for own in parameters]
    for own, slope in zip(parameters, slopes.split(sizes), strict=True):
        own.grad = slope.view_as(own) / _PROCESSES


def _between(start: Mapping[str, Tensor] | None, learnt: Network) -> Network:
    """Return the mean of the weights gone on from and those that were learnt.

    It keeps what both know (Wortsman et al. 2022, Robust fine-tuning).
    """
    if start is None:
        return learnt
    mean = Network()
    mean.load_state_dict(
        {name: (start[name] + now) / 2 for name, now in learnt.state_dict().items()}
    )
    return mean


def _learn(
    rank: int, tables: Sequence[Table], wishes: argparse.Namespace, meet: str
) -> None:
    """Learn as one of the processes that go step by step together."""
    distributed.init_process_group(
        "gloo", init_method=f"file://{meet}", rank=rank, world_size=_PROCESSES
    )
    torch.manual_seed(1)
    rng = np.random.default_rng((1, rank))
    held = min(_HELD, len(tables) // 2)
    unseen, seen = tables[:held], tables[held:]
    network, average = Network(), Network()
    if wishes.start:
        with np.load(wishes.start) as file:
            network.adopt(dict(file))
    average.load_state_dict(network.state_dict())
    start = deepcopy(average.state_dict()) if wishes.start else None
    network.to(memory_format=torch.channels_last)
    parameters = list(network.parameters())
    optimiser = torch.optim.AdamW(parameters, wishes.rate, weight_decay=1e-3)
    lately = 0.0
    for step in range(1, wishes.steps + 1):
        left = 0.5 * (1 + np.cos(np.pi * step / wishes.steps))
        for group in optimiser.param_groups:
            group["lr"] = wishes.rate * min(1, step / _WARM_UP) * (left + 0.01)
        chosen = [seen[number] for number in rng.integers(0, len(seen), _TABLES)]
        batch = Batch.of([_one(table, seen, rng) for table in chosen])
        first, last = network.log_p(batch)
        cost = loss(last, batch)
        optimiser.zero_grad()
        (cost + _FIRST * loss(first, batch)).backward()
        _share_slopes(parameters)
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        memory = min(_MEMORY, step / (step + 10))
        with torch.no_grad():
            for mean, now in zip(average.parameters(), parameters, strict=True):
                mean.lerp_(now, 1 - memory)
        lately += 0.02 * (cost.item() - lately)
        if rank == 0 and (step % 1000 == 0 or step == wishes.steps):
            kept = _between(start, average)
            print(f"{step} steps, {lately:.5f} nats; {judge(kept, unseen, False)}")
            sys.stdout.flush()
            weights: dict[str, Any] = kept.weights()
            with wishes.out.open("wb") as out:
                np.savez_compressed(out, **weights)
    if rank == 0:
        off = _off(kept, unseen[0])
        print(f"By the colours' names: {judge(kept, unseen, True)}")
        print(f"With the weights as they are kept, nats off: {off:.4f}")
    distributed.destroy_process_group()


def main() -> None:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description="Teach the eyes.")
    parser.add_argument("folder", type=Path, help="of photos")
    parser.add_argument("--steps", type=int, default=26_000)
    parser.add_argument(
        "--start", type=Path, help="weights to go on from; the mean is kept"
    )
    parser.add_argument("--rate", type=float, default=2e-3, help="at first")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    wishes = parser.parse_args()
    # One thread and one seed a process: the same machine finds the same weights.
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    files = sorted(wishes.folder.glob("*.npz"))
    if not files:
        sys.exit(f"There are no photos in {wishes.folder}; make them first.")
    tables = [load(file) for file in files]
    with TemporaryDirectory() as meet:
        multiprocessing.start_processes(
            _learn,
            (tables, wishes, f"{meet}/here"),
            nprocs=_PROCESSES,
            start_method="fork",
        )


if __name__ == "__main__":
    main()
