"""Fit the eyes' network to photos of random tables: python -m vision.training.learn.

The network is the one that `vision.pieces.network` runs; here it is written once
more for PyTorch, which finds its weights. In the end the two are held against each
other.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.pieces import network as program
from vision.pieces.looks import NAMED
from vision.pieces.network import CHANNELS, MAPS, TOLD
from vision.pieces.seen import AROUND, STEP
from vision.training.batches import (
    MOST,
    Batch,
    Rng,
    Table,
    load,
    photos_of,
    richest,
    some_photos,
    varied,
    with_thing,
)
from vision.training.course import (
    held_back,
    keep,
    loss,
    parser_of,
    teach,
    together,
)

_TABLES, _PHOTOS = 5, 2  # of each in a step, and of each table to be read
_FIRST = 0.3  # weight of what is thought before the photo is seen as a whole
_THINGS = 0.15  # share of boards on which some thing lies


@dataclass(slots=True, eq=False)
class Thoughts:
    """What is thought of M photos, see `Network.forward` and `Network.seen`.

    Attributes:
        first: (M, N, 2 + K)
        last: (M, N, 2 + K)
        why: (M, N, K, 64)
        h: (M, N, 128)
    """

    first: Tensor
    last: Tensor
    why: Tensor
    h: Tensor


class Trunk(nn.Module):
    """The first convolutions of both networks.

    Args:
        channels: of what is looked at.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 32, 2, 2)
        self.thin2 = nn.Conv2d(32, 16, 1, bias=False)
        self.conv2 = nn.Conv2d(16, 48, 3, 2, 1)
        self.thin3 = nn.Conv2d(48, 24, 1, bias=False)
        self.conv3 = nn.Conv2d(24, 48, 3, 1, 1)
        self.thin4 = nn.Conv2d(48, 24, 1, bias=False)

    def convolved(self, z: Tensor) -> Tensor:
        """Return what is seen of planes (B, channels, h, w), for a fourth."""
        z = functional.relu(self.conv1(z))
        z = functional.relu(self.conv2(self.thin2(z)))
        z = functional.relu(self.conv3(self.thin3(z)))
        return torch.as_tensor(self.thin4(z))


class Network(Trunk):
    """`vision.pieces.network.Network`, to be trained."""

    def __init__(self) -> None:
        super().__init__(CHANNELS)
        self.conv4 = nn.Conv2d(24, 64, 5, 3)
        self.around = nn.Conv2d(64 + 2, 64, 3, 1, 1)
        self.ground = nn.Linear(128, 2)
        self.attend = nn.Linear(128, MAPS * AROUND**2)
        self.own = nn.Linear(128, TOLD - 3 * MAPS)
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
            z = functional.relu(self.conv4(self.convolved(z)))
            near = functional.relu(self.around(torch.cat((z, lean), 1)))
        h = torch.cat((z, near), 1).float().flatten(2).transpose(1, 2)
        squares = functional.avg_pool2d(picture[:, :3], 2)
        around = functional.unfold(squares, AROUND, stride=STEP).unflatten(1, (3, -1))
        where = self.attend(h).unflatten(-1, (MAPS, -1)).softmax(-1)
        colours = torch.einsum("bnwp,bcpn->bnwc", where, around).flatten(-2)
        return h, torch.cat((colours, self.own(h)), -1)

    def forward(
        self, h: Tensor, own: Tensor, looks: Tensor, absent: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-probabilities (B, N, 2 + K), at first and at last, and why.

        The last are (B, N, K, 64) numbers that say how looks agree with cells.

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
            pair + self.differ(difference(own[:, :, None], looks[:, None]))
        )
        inner = functional.relu(self.pair(pair))
        ground = self.ground(h) + self.whole_ground(whole)[:, None]
        first = torch.cat((ground, self.score(inner)[..., 0]), -1)
        first = first.masked_fill(absent[:, None], -1e9)
        others, typical = _typical(first.softmax(-1)[..., 2:], own, looks)
        again = (inner, others.log1p(), difference(own[:, :, None], typical))
        seen = functional.relu(self.again(torch.cat(again, -1)))
        last = first + functional.pad(self.change(seen)[..., 0], (2, 0))
        why = torch.cat((inner, seen), -1)
        return first.log_softmax(-1), last.log_softmax(-1), why

    def shown(self, own: Tensor, names: Tensor, true: Tensor) -> Tensor:
        """Return (..., TOLD) what looks are like that were seen once.

        Args:
            own: (..., TOLD) what was seen.
            names: (..., NAMED) of the looks.
            true: (..., 1) 1 where the colours have the names.
        """
        hint = torch.cat((own, names * true, true), -1)
        return own + torch.as_tensor(self.hint2(functional.relu(self.hint1(hint))))

    def think(self, batch: Batch) -> Thoughts:
        """Return what `forward` does, (B * P, N, ...), and what it is told."""
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
        looks = torch.where(batch.by_name[..., None], called(self, batch.names), shown)
        absent = torch.arange(-2, MOST)[None] >= batch.count[:, None]
        h, own = h[:, 1:].flatten(0, 1), own[:, 1:].flatten(0, 1)
        looks = looks.repeat_interleave(photos - 1, 0)
        absent = absent.repeat_interleave(photos - 1, 0)
        first, last, why = self(h, own, looks, absent)
        return Thoughts(first, last, why, h)

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights as `vision.pieces.network` wants them."""
        return weights_of(self)


def called(network: nn.Module, names: Tensor) -> Tensor:
    """Return (..., told) what pieces of a name (..., NAMED) look like."""
    told = network.name2(functional.relu(network.name1(names)))
    return told + functional.pad(names[..., :6], (0, told.shape[-1] - 6))


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


def difference(own: Tensor, looks: Tensor, maps: int = MAPS) -> Tensor:
    """Return what `vision.pieces.network.difference` does."""
    away = own - looks
    colours = away[..., : 3 * maps]
    alike = _alike(colours.unflatten(-1, (maps, 3))).flatten(-2)
    return torch.cat((alike, colours.clamp(-1, 1), away[..., 3 * maps :].abs()), -1)


def _alike(away: Tensor) -> Tensor:
    """Return four numbers that say how alike colours are, from their difference."""
    shade, tint = shade_and_tint(away)
    return torch.stack(
        (
            (2 * shade).clamp(-1, 1),
            1 / (1 + 100 * tint),
            1 / (1 + 10 * tint),
            1 / (1 + 25 * shade**2),
        ),
        -1,
    )


def shade_and_tint(away: Tensor) -> tuple[Tensor, Tensor]:
    """Return what `vision.pieces.network.shade_and_tint` does."""
    shade = away.mean(-1)
    return shade, (away - shade[..., None]).square().sum(-1)


def looks_of(
    own: program.Network, batch: Batch, seen: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return (K, TOLD) what the program's network is told of one table's looks.

    Args:
        own: the program's network.
        batch: photos of the table.
        seen: (cells, TOLD) on the samples' photo.
    """
    count = int(batch.count)
    told = [
        own.called(name.numpy()) if by_name else own.shown(seen[place], name.numpy())
        for name, by_name, place in zip(
            batch.names[0], batch.by_name[0], batch.places[0], strict=True
        )
    ]
    return np.array(told[:count])


def _off(network: Network, table: Table) -> float:
    """Return by how much the program's own network differs, nats at most."""
    rng = np.random.default_rng(0)
    batch = photos_of(table, richest(table), [2], rng, named=0.0, left_out=0.5)
    with torch.no_grad():
        expected = network.think(batch).last[0, :, : 2 + table.count].numpy()
    own = program.Network(network.weights())
    samples, photo = batch.picture[0].numpy()
    lean = batch.lean[0].permute(1, 2, 0).numpy()
    looks = looks_of(own, batch, own.seen(samples, lean).own)
    return float(np.abs(own.think(own.seen(photo, lean), looks).log_p - expected).max())


def weights_of(module: nn.Module) -> dict[str, np.ndarray]:
    """Return weights as numpy multiplies with them, float16."""
    state = {name: array.numpy() for name, array in module.state_dict().items()}
    for name, array in state.items():
        if array.ndim == 2:
            state[name] = array.T
        elif array.ndim == 4:
            state[name] = array.transpose(2, 3, 1, 0).reshape(-1, len(array))
    return {
        name: np.ascontiguousarray(array, np.float16) for name, array in state.items()
    }


def begin(module: nn.Module, start: Path | None) -> None:
    """Let a module go on from a file's weights, if there is one."""
    if start:
        with np.load(start) as file:
            adopt(module, dict(file))


def adopt(module: nn.Module, weights: Mapping[str, np.ndarray]) -> None:
    """Take over weights as `weights_of` gives them."""
    state = {}
    for name, now in module.state_dict().items():
        array = weights[name].astype(np.float32)
        if now.ndim == 2:
            array = array.T
        elif now.ndim == 4:
            out, into, height, width = now.shape
            square = array.reshape(height, width, into, out)
            array = square.transpose(3, 2, 0, 1)
        state[name] = torch.from_numpy(np.ascontiguousarray(array))
    module.load_state_dict(state)


def _one(table: Table, tables: Sequence[Table], rng: Rng) -> Batch:
    batch, _ = some_photos(table, _PHOTOS, rng)
    for number in range(_PHOTOS):
        if rng.random() < _THINGS:
            other = tables[int(rng.integers(len(tables)))]
            photo, covered = batch.picture[0, 1 + number], batch.covered[0, number]
            photo[:], covered[:] = with_thing(photo, covered, other, rng)
    return varied(batch, rng)[0]


def _cost(network: Network, batch: Batch) -> Tensor:
    """Return the mean cost, nats a square."""
    shape = *batch.truth.shape, 2 + MOST
    thoughts = network.think(batch)
    first = loss(thoughts.first.reshape(shape), batch)
    return loss(thoughts.last.reshape(shape), batch) + _FIRST * first


def _learn(rank: int, tables: Sequence[Table], wishes: argparse.Namespace) -> None:
    rng = np.random.default_rng((1, rank))
    unseen, seen = held_back(tables, wishes.boards)
    network = Network()
    begin(network, wishes.start)

    def cost() -> Tensor:
        chosen = [seen[number] for number in rng.integers(0, len(seen), _TABLES)]
        batch = Batch.of([_one(table, seen, rng) for table in chosen])
        return _cost(network, batch)

    def report(how: str, average: Network) -> None:
        def read(batch: Batch, *_: object) -> Tensor:
            log_p = average.think(batch).last
            return log_p.reshape(*batch.truth.shape, 2 + MOST)

        off = f"{_off(average, unseen[0]):.4f} nats"
        keep(how, read, unseen, off, average.weights(), wishes.out)

    teach(network, network.parameters(), cost, report, wishes)


def main() -> None:
    """Train, and write the weights."""
    wishes = parser_of("Teach the eyes.", 28_000).parse_args()
    together(_learn, load, wishes)


if __name__ == "__main__":
    main()
