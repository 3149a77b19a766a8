"""Fit the eyes' network to photos of random tables: python -m vision.training.learn.

The network is the one that `vision.pieces.network` runs; here it is written once
more for PyTorch, which finds its weights. In the end the two are held against each
other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.rules.board import Look
from vision.empty_board import EmptyBoard
from vision.frame import Image
from vision.pieces import network as program
from vision.pieces.looks import NAMED, name_of
from vision.pieces.network import CELL_PX, CHANNELS, RIM, SAMPLE, TOLD, WEIGHTS
from vision.training.photos import SAME_LIGHT

MOST = 6
"""Looks that a table can have: three teams' chips, and those turned over."""

_HELD = 40  # tables that are not learnt from
_BOARDS = 8  # in a step
_WARM_UP = 300  # steps
_MEMORY = 0.998  # of the moving average of weights that is kept in the end
_NAMED, _LEFT_OUT = 0.15, 0.03  # share of boards without samples, of looks without
_RECOLOURED = 0.5  # share of boards whose colours are mixed
_BENT, _LEANT = 0.12, 0.12  # log units; how tone curve and lean are varied
_CAST, _NOISE = 0.03, 0.04  # log units; light taken wrongly, and noise at most
_SHINING = 0.3  # share of boards on which lamps are mirrored
_ON_PIECES = 0.7  # share of mirror images that pieces make
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
        self.attend = nn.Linear(128, 2 * 8 * 8)
        self.own = nn.Linear(128, TOLD - 6)
        self.seen = nn.Linear(128, 64)
        self.look = nn.Linear(TOLD, 64, bias=False)
        self.differ = nn.Linear(8 + TOLD, 64, bias=False)
        self.pair = nn.Linear(64, 32)
        self.score = nn.Linear(32, 1)
        self.sample1 = nn.Conv2d(CHANNELS + 2, 24, 3)
        self.sample2 = nn.Conv2d(24, 32, 4, 2)
        self.where = nn.Conv2d(32, 2, 1)
        self.sample3 = nn.Linear(32 * 8 * 8, 64)
        self.sample4 = nn.Linear(64, TOLD - 6)
        self.hint1 = nn.Linear(TOLD + NAMED + 1, 48)
        self.hint2 = nn.Linear(48, TOLD)
        nn.init.zeros_(self.hint2.weight)
        nn.init.zeros_(self.hint2.bias)
        self.name1 = nn.Linear(NAMED, 64)
        self.name2 = nn.Linear(64, TOLD)

    def forward(self, picture: Tensor, lean: Tensor, looks: Tensor) -> Tensor:
        """Return scores (B, rows, columns, 2 + K).

        Args:
            picture: (B, CHANNELS, H, W).
            lean: (B, 2, rows, columns).
            looks: (B, K, TOLD).
        """
        z = picture
        for layer in (self.conv1, self.conv2, self.conv3, self.conv4):
            z = functional.relu(layer(z))
        near = functional.relu(self.around(torch.cat((z, lean), 1)))
        h = torch.cat((z, near), 1).permute(0, 2, 3, 1)
        squares = functional.avg_pool2d(picture[:, :3], 2)
        around = functional.unfold(squares, 8, stride=6)
        around = around.view(len(h), 3, 64, *h.shape[1:3])
        where = self.attend(h).unflatten(-1, (2, 64)).softmax(-1)
        colours = torch.einsum("brcwp,bnprc->brcwn", where, around).flatten(-2)
        own = torch.cat((colours, self.own(h)), -1)[:, :, :, None]
        away = own - looks[:, None, None]
        differ = torch.cat(
            (
                _alike(away[..., :3]),
                _alike(away[..., 3:6]),
                away[..., :6].clamp(-1, 1),
                away[..., 6:].abs(),
            ),
            -1,
        )
        pair = self.seen(h)[:, :, :, None] + self.look(looks)[:, None, None]
        pair = functional.relu(pair + self.differ(differ))
        score = self.score(functional.relu(self.pair(pair)))[..., 0]
        return torch.cat((self.ground(h), score), -1)

    def shown(self, samples: Tensor, names: Tensor, true: Tensor) -> Tensor:
        """Return (N, TOLD) what samples look like.

        Args:
            samples: (N, CHANNELS + 2, SAMPLE, SAMPLE).
            names: (N, NAMED) of the looks.
            true: (N,) 1 where the colours have the names.
        """
        z = functional.relu(self.sample2(functional.relu(self.sample1(samples))))
        colour = functional.avg_pool2d(samples[:, :3, 2:-2, 2:-2], 2).flatten(2)
        weight = self.where(z).flatten(2).softmax(-1)
        colours = torch.einsum("nwp,ncp->nwc", weight, colour).flatten(1)
        rest = self.sample4(functional.relu(self.sample3(z.flatten(1))))
        told = torch.cat((colours, rest), 1)
        hint = torch.cat((told, names * true[:, None], true[:, None]), 1)
        return told + torch.as_tensor(self.hint2(functional.relu(self.hint1(hint))))

    def called(self, names: Tensor) -> Tensor:
        """Return (N, TOLD) what pieces of a name (N, NAMED) look like."""
        told = self.name2(functional.relu(self.name1(names)))
        return told + functional.pad(names[:, :6], (0, TOLD - 6))

    def log_p(self, batch: Batch) -> Tensor:
        """Return log-probabilities (B, rows, columns, 2 + MOST)."""
        names = batch.names.flatten(0, 1)
        true = batch.true[:, None].expand(-1, MOST).flatten()
        shown = self.shown(batch.samples.flatten(0, 1), names, true)
        called = self.called(names)
        looks = torch.where(batch.by_name.view(-1, 1), called, shown)
        looks = looks.view(len(batch.picture), -1, TOLD)
        scores = self(batch.picture, batch.lean, looks)
        absent = torch.arange(-2, MOST)[None] >= batch.count[:, None]
        scores = scores.masked_fill(absent[:, None, None], -1e9)
        return torch.as_tensor(scores.log_softmax(-1))

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights as `vision.pieces.network` wants them."""
        state = {name: array.numpy() for name, array in self.state_dict().items()}
        for name, array in state.items():
            if array.ndim == 2:
                state[name] = array.T
            elif array.ndim == 4:
                state[name] = array.transpose(2, 3, 1, 0).reshape(-1, len(array))
        rows = state["sample3.weight"].reshape(32, 8, 8, -1).transpose(1, 2, 0, 3)
        state["sample3.weight"] = rows.reshape(32 * 8 * 8, -1)
        return {
            name: np.ascontiguousarray(array, np.float16)
            for name, array in state.items()
        }

    def adopt(self, weights: Mapping[str, np.ndarray]) -> None:
        """Go on from weights as `weights` gives them."""
        state = {}
        for name, now in self.state_dict().items():
            if name not in weights:  # a layer that is new
                state[name] = now
                continue
            array = weights[name].astype(np.float32)
            if name == "sample3.weight":
                rows = array.reshape(8, 8, 32, -1).transpose(2, 0, 1, 3)
                array = rows.reshape(32 * 8 * 8, -1)
            if now.ndim == 2:
                array = array.T
            elif now.ndim == 4:
                out, into, height, width = now.shape
                square = array.reshape(height, width, into, out)
                array = square.transpose(3, 2, 0, 1)
            state[name] = torch.from_numpy(np.ascontiguousarray(array))
        self.load_state_dict(state)


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
        shows: for each look, (M, 3) photos and squares to take a sample from.
    """

    picture: Tensor
    lean: Tensor
    truth: Tensor
    covered: Tensor
    names: Tensor
    count: int
    shows: list[npt.NDArray[np.intp]]


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
        eye, middles = table["eye"], np.arange(side) + 0.5
        lean = np.stack(
            np.meshgrid(
                (middles * table["cell_mm"][0] - eye[0]) / eye[2],
                (middles * table["cell_mm"][1] - eye[1]) / eye[2],
            )
        )
    free = covered < _TOUCHED
    shows = []
    for number in range(1, len(looks) + 1):
        places = np.argwhere((truth == number) & free)
        # The first two photos are in the light of the empty board's.
        same = places[places[:, 0] < SAME_LIGHT]
        shows.append(same if len(same) else places)
    return Table(
        torch.from_numpy(np.array(pictures, np.float16)),
        torch.from_numpy(lean.astype(np.float32)),
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
    """Boards as the network takes them, (B, ...), and what it should say.

    Attributes:
        picture: (B, CHANNELS, H, W).
        lean: (B, 2, rows, columns).
        samples: (B, MOST, CHANNELS + 2, SAMPLE, SAMPLE).
        names: (B, MOST, NAMED).
        by_name: (B, MOST) there is no sample.
        count: (B,) looks.
        truth: (B, rows, columns).
        covered: (B, rows, columns).
        true: (B,) 1 where the colours have the names.
    """

    picture: Tensor
    lean: Tensor
    samples: Tensor
    names: Tensor
    by_name: Tensor
    count: Tensor
    truth: Tensor
    covered: Tensor
    true: Tensor

    @classmethod
    def of(cls, boards: Sequence[tuple[Tensor, ...]]) -> Batch:
        """Lay boards on each other."""
        return cls(*(torch.stack(column) for column in zip(*boards, strict=True)))


def board(
    table: Table, at: int, rng: np.random.Generator, *, named: float, left_out: float
) -> tuple[Tensor, ...]:
    """Return photo number `at` of a table as a part of a `Batch`.

    Args:
        table: the table.
        at: number of the photo.
        rng: picks the samples.
        named: probability that there are no samples at all.
        left_out: probability that one look has none.
    """
    samples = torch.zeros((MOST, CHANNELS + 2, SAMPLE, SAMPLE))
    by_name = torch.from_numpy(rng.random(MOST) < left_out)
    by_name |= rng.random() < named
    for sample, places, own in zip(samples, table.shows, by_name, strict=False):
        if not len(places):
            own.fill_(True)
            continue
        photo, row, column = (int(part) for part in places[rng.integers(len(places))])
        y, x = row * CELL_PX, column * CELL_PX
        sample[:CHANNELS] = table.picture[photo, :, y : y + SAMPLE, x : x + SAMPLE]
        sample[CHANNELS:] = table.lean[:, row, column, None, None]
    return (
        table.picture[at].float(),
        table.lean,
        samples,
        table.names,
        by_name,
        torch.tensor(table.count),
        table.truth[at],
        table.covered[at],
        torch.tensor(1.0),
    )


def varied(parts: tuple[Tensor, ...], rng: np.random.Generator) -> tuple[Tensor, ...]:
    """Turn, mirror and recolour a board, and bend its tone curve.

    Colours that are known by name alone keep it.
    """
    picture, lean, samples, names, by_name, count, truth, covered, true = parts
    bend = float(np.exp(rng.normal(0, _BENT)))
    order = np.arange(3)
    if not by_name[: int(count)].any() and rng.random() < _RECOLOURED:
        order, true = rng.permutation(3), true * 0
    # Logarithms of values to a power; brightness is 1 where white is.
    scale = torch.tensor([bend] * CHANNELS).view(-1, 1, 1)
    shift = torch.zeros(CHANNELS, 1, 1)
    shift[6] = 1 - bend
    channels = torch.from_numpy(np.concatenate((order, order + 3, (6, 7, 8))))
    picture = (picture * scale + shift).clamp(-3, 1.5)[channels]
    shown = (samples[:, :CHANNELS] * scale + shift).clamp(-3, 1.5)[:, channels]
    leant = float(np.exp(rng.normal(0, _LEANT)))
    lean, tilt = lean * leant, samples[:, CHANNELS:] * leant
    planes = [picture, shown, truth, covered]
    for axis, sign in ((-1, (-1.0, 1.0)), (-2, (1.0, -1.0))):
        if rng.random() < 0.5:
            planes = [plane.flip(axis) for plane in planes]
            turn = torch.tensor(sign).view(2, 1, 1)
            lean, tilt = lean.flip(axis) * turn, tilt * turn
    if rng.random() < 0.5:
        planes = [plane.transpose(-1, -2) for plane in planes]
        lean, tilt = lean.transpose(-1, -2).flip(0), tilt.flip(1)
    picture, shown, truth, covered = planes
    samples = torch.cat((shown, tilt), 1)
    noise = torch.from_numpy(rng.normal(0, _CAST, (3, 1, 1)).astype(np.float32))
    grain = rng.standard_normal((3, *picture.shape[1:]), dtype=np.float32)
    noise = noise + torch.from_numpy(grain * np.float32(rng.uniform(0, _NOISE)))
    picture[:7] += torch.cat((noise, noise, noise.mean(0, keepdim=True)))
    if rng.random() < _SHINING:
        picture[:7] += _shine(picture, truth, rng)
    return picture, lean, samples, names, by_name, count, truth, covered, true


def _shine(picture: Tensor, truth: Tensor, rng: np.random.Generator) -> Tensor:
    """Return what the mirror images of lamps, white and round, add (7, H, W).

    Most are on pieces, which are smoother than the board.
    """
    height, width = picture.shape[1:]
    down, across = np.mgrid[:height, :width].astype(np.float32)
    shine = np.zeros((height, width), np.float32)
    pieces = np.argwhere(truth.numpy() > 1)
    for _ in range(rng.integers(1, 9)):
        y, x = rng.uniform(0, (height, width))
        if len(pieces) and rng.random() < _ON_PIECES:
            middle = (pieces[rng.integers(len(pieces))] + 0.5) * CELL_PX + 4
            y, x = middle + rng.normal(0, 2, 2)
        size, strength = rng.uniform(1.2, 8), rng.uniform(0.1, 1.5)
        away = (down - y) ** 2 + (across - x) ** 2
        shine += strength * np.exp(-away / (2 * size**2))
    colour = picture[:3]
    change = (colour.exp() + torch.from_numpy(shine)).clamp(max=1.3).log() - colour
    change = change.clamp(min=0)
    return torch.cat((change, change, change.mean(0, keepdim=True)))


def with_thing(
    parts: tuple[Tensor, ...], other: Table, rng: np.random.Generator
) -> tuple[Tensor, ...]:
    """Lay a thing on a board: a piece of a photo of another table."""
    picture, *rest, covered, true = parts
    height, width = picture.shape[1:]
    y, x = np.mgrid[:height, :width] - rng.uniform(0, (height, width))[:, None, None]
    angle, half = rng.uniform(0, np.pi), rng.uniform(3, 30, 2)
    across = np.abs(x * np.cos(angle) + y * np.sin(angle)) / half[0]
    down = np.abs(y * np.cos(angle) - x * np.sin(angle)) / half[1]
    away = np.hypot(across, down) if rng.random() < 0.5 else np.maximum(across, down)
    mask = torch.from_numpy(((1 - away) * half.min()).clip(0, 1).astype(np.float32))
    picture = picture.clone()
    shown = other.picture[int(rng.integers(len(other.picture)))].float()
    shown = shown.roll((int(rng.integers(height)), int(rng.integers(width))), (1, 2))
    thing, picture[7] = shown[:3], picture[7].lerp(shown[7], mask)
    if rng.random() < 0.4:  # things of one colour
        thing = thing[:, :1, :1] + 0.1 * (thing - thing[:, :1, :1])
    tint = rng.normal(0, (0.3, 0.15, 0.15, 0.15))
    thing = (
        thing + torch.from_numpy((tint[0] + tint[1:]).astype(np.float32))[:, None, None]
    )
    change = (thing - picture[:3]) * mask
    change = torch.cat((change, change, change.mean(0, keepdim=True)))
    picture[:7] += change
    own = functional.avg_pool2d(mask[None, None, 4:-4, 4:-4], CELL_PX)[0, 0]
    return (picture, *rest, torch.maximum(covered, own), true)


def loss(log_p: Tensor, batch: Batch) -> Tensor:
    """Return the mean cost, nats a square.

    A covered square should be called covered; beside one both answers are good.
    """
    true = log_p.gather(-1, batch.truth[..., None])[..., 0]
    # Whose a turned chip is may not be to be seen: that should not drown the rest.
    back = functional.pad(batch.names[:, :, -1], (2, 0))[:, None, None] > 0
    backs = log_p.masked_fill(~back, -1e9).logsumexp(-1)
    turned = (back & (torch.arange(2 + MOST) == batch.truth[..., None])).any(-1)
    true = torch.where(turned, backs + _WHOSE * (true - backs), true)
    covered = log_p[..., 1]
    near = functional.max_pool2d(batch.covered[:, None], 3, 1, 1)[:, 0] > _TOUCHED
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
        batch = Batch.of(
            [
                board(table, at, rng, named=float(named), left_out=0.0)
                for at in range(len(table.picture))
            ]
        )
        with torch.no_grad():
            p = network.log_p(batch).exp()
        written = torch.cat((torch.zeros(2), table.names[:, -1])) > 0
        p = torch.cat((p, p[..., written].sum(-1, keepdim=True)), -1)
        best, said = p.max(-1)
        sure = (best > _SURE) & (said != 1)
        back = written[batch.truth] & (
            (said == 2 + MOST) | torch.cat((written, torch.tensor([True])))[said]
        )
        good = sure & ((said == batch.truth) | back)
        free = batch.covered.flatten(1).amax(1) < _TOUCHED
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


def _one(
    table: Table, tables: Sequence[Table], rng: np.random.Generator
) -> tuple[Tensor, ...]:
    at = int(rng.integers(len(table.picture)))
    parts = board(table, at, rng, named=_NAMED, left_out=_LEFT_OUT)
    if rng.random() < _THINGS:
        parts = with_thing(parts, tables[int(rng.integers(len(tables)))], rng)
    return varied(parts, rng)


def _off(network: Network, table: Table) -> float:
    """Return by how much the program's own network differs, nats at most."""
    parts = board(table, 0, np.random.default_rng(0), named=0.0, left_out=0.5)
    batch = Batch.of([parts])
    with torch.no_grad():
        expected = network.log_p(batch)[0, :, :, : 2 + table.count].numpy()
    own = program.Network(network.weights())
    looks = [
        own.called(name.numpy()) if by_name else own.shown(sample.numpy(), name.numpy())
        for name, by_name, sample in zip(
            batch.names[0], batch.by_name[0], batch.samples[0], strict=True
        )
    ]
    found = own.log_p(
        batch.picture[0].numpy(),
        batch.lean[0].permute(1, 2, 0).numpy(),
        np.array(looks[: table.count]),
    )
    return float(np.abs(found - expected).max())


def main() -> None:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description="Teach the eyes.")
    parser.add_argument("folder", type=Path, help="of photos")
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--rate", type=float, default=2e-3, help="at first")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    wishes = parser.parse_args()
    # One thread, one seed: the same machine finds the same weights.
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    files = sorted(wishes.folder.glob("*.npz"))
    if not files:
        sys.exit(f"There are no photos in {wishes.folder}; make them first.")
    held = min(_HELD, len(files) // 2)
    tables = [load(file) for file in files]
    unseen, seen = tables[:held], tables[held:]
    network, average = Network(), Network()
    if wishes.start:
        with np.load(wishes.start) as file:
            network.adopt(dict(file))
    average.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), wishes.rate, weight_decay=1e-3)
    lately = 0.0
    for step in range(1, wishes.steps + 1):
        left = 0.5 * (1 + np.cos(np.pi * step / wishes.steps))
        for group in optimiser.param_groups:
            group["lr"] = wishes.rate * min(1, step / _WARM_UP) * (left + 0.01)
        chosen = [seen[number] for number in rng.integers(0, len(seen), _BOARDS)]
        batch = Batch.of([_one(table, seen, rng) for table in chosen])
        cost = loss(network.log_p(batch), batch)
        optimiser.zero_grad()
        cost.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        memory = min(_MEMORY, step / (step + 10))
        with torch.no_grad():
            for kept, now in zip(
                average.parameters(), network.parameters(), strict=True
            ):
                kept.lerp_(now, 1 - memory)
        lately += 0.02 * (cost.item() - lately)
        if step % 1000 == 0 or step == wishes.steps:
            print(f"{step} steps, {lately:.5f} nats; {judge(average, unseen, False)}")
            sys.stdout.flush()
            weights: dict[str, Any] = average.weights()
            with wishes.out.open("wb") as out:
                np.savez_compressed(out, **weights)
    print(f"By the colours' names: {judge(average, unseen, True)}")
    print(
        f"With the weights as they are kept, nats off: {_off(average, unseen[0]):.4f}"
    )


if __name__ == "__main__":
    main()
