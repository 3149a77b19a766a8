"""Fit the closer look to photos of random tables: python -m vision.training.closely.

The network is the one that `vision.pieces.closer` runs, written once more for PyTorch.
It learns on the cells of which the eyes' network, learnt before, is not sure.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.pieces import closer as program
from vision.pieces import network
from vision.pieces.closer import (
    BURIED,
    CELLS,
    CERTAIN,
    CHANNELS,
    CLEAR,
    COMPARED,
    FAR,
    IN_QUESTION,
    MAPS,
    SIDE,
    SPREAD,
    STRIKING,
    TOLD,
)
from vision.pieces.looks import NAMED
from vision.pieces.network import RIM
from vision.pieces.seen import CELL_PX
from vision.rectify import CELL
from vision.training.batches import (
    MOST,
    TOUCHED,
    Batch,
    Table,
    Variation,
    bent,
    load,
    photos_of,
    richest,
    some_photos,
    varied,
)
from vision.training.course import (
    held_back,
    keep,
    loss,
    parser_of,
    teach,
    together,
)
from vision.training.learn import (
    Network,
    Trunk,
    adopt,
    called,
    difference,
    looks_of,
    shade_and_tint,
    weights_of,
)

_WHY = 64  # numbers that say how a look agrees with a cell
_LEARNT = 0.9999  # probability below which cells are learnt from
_TABLES, _PHOTOS = 4, 3  # of each in a step, and of each table to be read
_PEGS = 0.35  # share of tables with pegs, beside those among all
_COLOUR = 0.3  # weight of telling looks apart by colour alone
_CHECKED = 8  # tables on which the program has to see the same
_SQUARES = 100  # cost is nats a photo
# By map, how much what `_striking` returns counts at first: everything a little, then
# more of it, then tint or brightness by itself.
_STRIKING_FIRST = (
    (0.5, 0.0, 0.3, 0.0, 0.0),
    (1.0, 0.0, 0.6, 0.0, 0.0),
    (1.5, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 1.5, 0.0, 0.0),
)
_PIECE = 4.0  # px of half the resolution; how far from the middle pieces reach


@dataclass(slots=True, eq=False)
class Seen:
    """What is seen of N cells.

    Attributes:
        h: (N, 128 + SPREAD), see `Closer.seen`.
        own: (N, TOLD)
        looks: (N, K, TOLD) as samples or names have them.
        typical: (N, K, TOLD) as the photo has them.
        others: (N, K, 1) pieces of the photo in them.
        named: (N, K, 1) 1 for looks that are known by their names alone.
    """

    h: Tensor
    own: Tensor
    looks: Tensor
    typical: Tensor
    others: Tensor
    named: Tensor


@dataclass(slots=True, eq=False)
class Before:
    """What the eyes' network thinks of N cells, see `Thoughts`.

    Attributes:
        h: (N, 128)
        why: (N, K, _WHY)
        log_p: (N, 2 + K)
    """

    h: Tensor
    why: Tensor
    log_p: Tensor


class Closer(Trunk):
    """`vision.pieces.closer.Closer`, to be trained."""

    def __init__(self) -> None:
        super().__init__(CHANNELS)
        self.conv4 = nn.Conv2d(24, 64, 3, 2, 1)
        self.thin5 = nn.Conv2d(64, 32, 1, bias=False)
        self.conv5 = nn.Conv2d(32, 96, 3)
        self.told = nn.Linear(96 * 16 + 2, 128)
        self.attend = nn.Linear(128, MAPS * CELL**2)
        self.strike = nn.Linear(128, MAPS * STRIKING)
        self.own = nn.Linear(128, TOLD - 3 * MAPS)
        self.see = nn.Linear(256 + SPREAD, 96)
        self.differ = nn.Linear(4 * MAPS + TOLD, 96, bias=False)
        self.again = nn.Linear(4 * MAPS + TOLD, 96, bias=False)
        self.more = nn.Linear(_WHY + 3, 96, bias=False)
        self.pair = nn.Linear(96, 48)
        self.score = nn.Linear(48, 1)
        self.ground1 = nn.Linear(256 + SPREAD, 48)
        self.ground2 = nn.Linear(48, 2)
        self.name1 = nn.Linear(NAMED, 64)
        self.name2 = nn.Linear(64, TOLD)
        y, x = np.mgrid[:CELL, :CELL] - (CELL - 1) / 2
        middle = torch.from_numpy(-(y**2 + x**2) / (2 * _PIECE**2)).flatten()
        with torch.no_grad():
            # It starts where pieces are, on what has changed its tint or brightness,
            self.attend.bias.copy_(middle.repeat(MAPS))
            self.strike.weight.zero_()
            self.strike.bias.copy_(torch.tensor(_STRIKING_FIRST).flatten())
            # and with what was thought before.
            for layer in (self.score, self.ground2):
                layer.weight.zero_()
                layer.bias.zero_()

    def seen(self, crops: Tensor, lean: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is seen on cells, (N, 128) and (N, TOLD).

        Args:
            crops: (N, CHANNELS, SIDE, SIDE).
            lean: (N, 2).
        """
        z = crops.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16, enabled=torch.is_grad_enabled()):
            z = functional.relu(self.conv4(self.convolved(z)))
            z = functional.relu(self.conv5(self.thin5(z)))
        h = functional.relu(self.told(torch.cat((z.float().flatten(1), lean), 1)))
        squares = functional.avg_pool2d(crops[:, :6], 2)
        strike = self.strike(h).unflatten(-1, (MAPS, -1))
        where = strike @ _striking(squares).flatten(2)
        where = (where + self.attend(h).unflatten(-1, (MAPS, -1))).softmax(-1)
        colours = where @ squares[:, :3].flatten(2).transpose(1, 2)
        return h, torch.cat((colours.flatten(1), self.own(h)), -1)

    def forward(self, seen: Seen, before: Before) -> Tensor:
        """Return log-probabilities (N, 2 + K) of N cells."""
        own, h = seen.own[:, None], torch.cat((seen.h, before.h), -1)
        sure = before.log_p[:, 2:, None].clamp(min=FAR) / 4
        told = (before.why, seen.others.log1p(), seen.named, sure)
        pair = self.more(torch.cat(told, -1)) + self.see(h)[:, None]
        pair = pair + self.differ(difference(own, seen.looks, MAPS))
        pair = pair + self.again(difference(own, seen.typical, MAPS))
        score = self.score(functional.relu(self.pair(functional.relu(pair))))
        ground = self.ground2(functional.relu(self.ground1(h)))
        change = torch.cat((ground, score[..., 0]), -1)
        return (before.log_p + change).log_softmax(-1)

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights as `vision.pieces.closer` wants them."""
        weights = weights_of(self)
        # There, a pixel's channels are next to each other.
        told, lean = weights["told.weight"][:-2], weights["told.weight"][-2:]
        told = told.reshape(96, 16, -1).swapaxes(0, 1).reshape(told.shape)
        return {**weights, "told.weight": np.concatenate((told, lean))}

    def adopt(self, weights: Mapping[str, np.ndarray]) -> None:
        """Take over weights as `weights` gives them."""
        told, lean = weights["told.weight"][:-2], weights["told.weight"][-2:]
        told = told.reshape(16, 96, -1).swapaxes(0, 1).reshape(told.shape)
        adopt(self, {**weights, "told.weight": np.concatenate((told, lean))})


def _striking(squares: Tensor) -> Tensor:
    """Return (B, STRIKING, h, w) what catches the eye, of colour and change (B, 6)."""
    colour, change = squares[:, :3], squares[:, 3:]
    light, shade = colour.mean(1, True), change.mean(1, True)
    tint = ((change - shade).square().sum(1, True) + 1e-3).sqrt()
    chroma = ((colour - light).square().sum(1, True) + 1e-3).sqrt()
    return 4 * torch.cat((tint, chroma, shade.abs(), shade, light), 1)


def _spread(apart: Tensor, photo: Tensor, free: Tensor) -> Tensor:
    """Return (photos, SPREAD) how far pieces differ from the mean of their look.

    Args:
        apart: (M, TOLD) by how much each does.
        photo: (M,) where it lies.
        free: (photos,) degrees of freedom.
    """
    shade, tint = shade_and_tint(apart[:, : 3 * MAPS].unflatten(-1, (MAPS, 3)))
    both = torch.zeros(len(free), 2 * MAPS)
    both = both.index_add(0, photo, torch.cat((tint, shade.square()), -1))
    known = (both / free.clamp(min=1)[:, None] + 1e-4).log() / 4
    return torch.cat((known * (free > 0)[:, None], free.log1p()[:, None]), -1)


class Metric(nn.Module):
    """How far colours are from each other, learnt along: a teacher of attention.

    Looks should be told apart by colour alone as well as may be (Snell et al. 2017,
    Prototypical networks), so attention has to find where the pieces are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tint = nn.Parameter(torch.full((MAPS,), 3.0))
        self.shade = nn.Parameter(torch.full((MAPS,), 1.0))

    def forward(self, own: Tensor, looks: Tensor) -> Tensor:
        """Return log-likelihoods (N, K) of colours for looks (N, K, 3 * MAPS)."""
        away = (own[:, None] - looks).unflatten(-1, (MAPS, 3))
        shade, tint = shade_and_tint(away)
        return -(tint * self.tint.exp() + shade.square() * self.shade.exp()).sum(-1)

    def cost(self, own: Tensor, looks: Tensor, named: Tensor, truth: Tensor) -> Tensor:
        """Return the mean cost, nats a piece, of pieces whose look was shown.

        Args:
            own: (N, 3 * MAPS).
            looks: (N, K, 3 * MAPS).
            named: (N, K) looks without samples.
            truth: (N,) 2 and more for looks.
        """
        number = (truth - 2).clamp(min=0)[:, None]
        shown = (truth > 1) & ~named.gather(1, number)[:, 0]
        if not shown.any():
            return 0 * (own.sum() + self.tint.sum() + self.shade.sum())
        log_p = self(own[shown], looks[shown]).masked_fill(named[shown], -1e9)
        return functional.cross_entropy(log_p, number[shown, 0])


@dataclass(slots=True, eq=False)
class Closeups:
    """Photos of one table with all their pixels.

    Attributes:
        table: the table.
        numbers: (1 + P,) of its photos.
        variation: what was done to them; None for nothing.
    """

    table: Table
    numbers: Sequence[int]
    variation: Variation | None = None

    def crops(self, photos: Tensor, cells: Tensor) -> Tensor:
        """Return (N, CHANNELS, SIDE, SIDE) what is around N cells of photos."""
        table, made = self.table, self.variation
        there = made.cells.flatten()[cells] if made else cells
        crops = torch.empty(len(cells), CHANNELS, SIDE, SIDE)
        for photo in photos.unique().tolist():
            sight = table.sights[self.numbers[photo]]
            its = photos == photo
            around = torch.from_numpy(sight.around(there[its].numpy()))
            crops[its] = around.transpose(0, 1)
        return _varied(crops, made, photos, cells) if made else crops


def _varied(crops: Tensor, made: Variation, photos: Tensor, cells: Tensor) -> Tensor:
    """Do to what is around N cells (N, CHANNELS, SIDE, SIDE) what photos went through.

    Noise at half the resolution is the mean of four pixels': three parts of what they
    have is still missing.
    """
    crops = bent(crops, made.bend)[:, made.channels]
    crops = crops.flip(tuple(made.flipped))
    if made.transposed:
        crops = crops.transpose(-1, -2)
    wide = functional.pad(made.changes, (RIM,) * 4, mode="replicate")
    windows = wide.unfold(2, SIDE // 2, CELL_PX).unfold(3, SIDE // 2, CELL_PX)
    columns = made.cells.shape[1]
    added = windows[photos, :, cells // columns, cells % columns]
    added = functional.interpolate(added, scale_factor=2.0, mode="bilinear")
    grain = torch.randn(len(crops), 3, SIDE, SIDE)
    grain = grain * (3**0.5 * made.grain[photos])[:, None, None, None]
    return crops + added + torch.cat((grain, grain, grain.mean(1, keepdim=True)), 1)


@dataclass(slots=True, eq=False)
class Asked:
    """Which cells are looked at, and what with; numbers of photos, cells and looks.

    Attributes:
        photo: (N,) of the cells in question.
        cell: (N,)
        sure_photo: (M,) of cells that surely have a look in question.
        sure_cell: (M,)
        sure_look: (M,)
    """

    photo: Tensor
    cell: Tensor
    sure_photo: Tensor
    sure_cell: Tensor
    sure_look: Tensor

    @classmethod
    def of(cls, log_p: Tensor, below: float) -> Asked:
        """Choose by what was thought before, (photos, cells, 2 + K)."""
        p = log_p.exp()
        best = torch.cat((p[..., :1], p[..., 2:]), -1).amax(-1)
        ask = (p[..., 1] < BURIED) & (best < below)
        least, order = torch.where(ask, best, 2).topk(CELLS, largest=False)
        photo, rank = (least < 2).nonzero(as_tuple=True)
        cell = order[photo, rank]
        chosen = torch.zeros_like(ask)
        chosen[photo, cell] = True
        doubt = torch.where(chosen[..., None], p[..., 2:], 0).amax(1, keepdim=True)
        known = torch.where(chosen[..., None] | (doubt <= IN_QUESTION), 0, p[..., 2:])
        sure, where = known.topk(COMPARED, 1)
        sure_photo, nth, look = (sure >= CERTAIN).nonzero(as_tuple=True)
        return cls(photo, cell, sure_photo, where[sure_photo, nth, look], look)


def read(
    closer: Closer,
    eyes: Network,
    batch: Batch,
    closeups: Sequence[Closeups],
    below: float,
    metric: Metric | None = None,
) -> tuple[Tensor, Tensor]:
    """Read photos of B tables, and look closely where in doubt.

    Args:
        closer: looks closely.
        eyes: looked before.
        batch: the photos.
        closeups: the same with all their pixels.
        below: probability below which a cell is in doubt.
        metric: tells how well colours were told apart; None does not.

    Returns:
        log-probabilities (B, P, rows, columns, 2 + MOST), and the metric's cost.
    """
    with torch.no_grad():
        before = eyes.think(batch)
    shape = *batch.truth.shape, 2 + MOST
    photos, columns = batch.truth.shape[1], batch.truth.shape[-1]
    asked = Asked.of(before.last, below)
    if not len(asked.photo):
        return before.last.reshape(shape), torch.zeros(())
    absent = torch.arange(MOST)[None] >= batch.count[:, None]
    table, look = (~batch.by_name & ~absent).nonzero(as_tuple=True)
    samples, sure = len(table), len(asked.sure_cell)
    of_photo = torch.cat((asked.sure_photo, asked.photo))
    of_cell = torch.cat((asked.sure_cell, asked.cell))
    tables = torch.cat((table, of_photo // photos))
    numbers = torch.cat((torch.zeros_like(table), 1 + of_photo % photos))
    cells = torch.cat((batch.places[table, look], of_cell))
    crops = torch.empty(len(cells), CHANNELS, SIDE, SIDE)
    for number, closeup in enumerate(closeups):
        its = tables == number
        crops[its] = closeup.crops(numbers[its], cells[its])
    lean = batch.lean[tables, :, cells // columns, cells % columns]
    h, own = closer.seen(crops, lean)
    looks = called(closer, batch.names).index_put((table, look), own[:samples])
    looks = looks.repeat_interleave(photos, 0)
    h, own = h[samples + sure :], own[samples:]
    others = torch.zeros(len(looks), MOST, 1)
    total = torch.zeros(len(looks), MOST, TOLD)
    at = asked.sure_photo, asked.sure_look
    others = others.index_put(at, torch.ones(sure, 1), accumulate=True)
    total = total.index_put(at, own[:sure], accumulate=True)
    moved = (total - others * looks).sum(1, keepdim=True)
    moved = moved / (others.sum(1, keepdim=True) + 1)
    apart = own[:sure] - (total / others.clamp(min=1))[at]
    spread = _spread(apart, asked.sure_photo, (others - 1).clamp(min=0).sum((1, 2)))
    typical = (total + looks + moved) / (others + 1)
    named = batch.by_name.repeat_interleave(photos, 0)[..., None].float()
    photo, cell = asked.photo, asked.cell
    h = torch.cat((h, spread[photo]), -1)
    seen = Seen(
        h, own[sure:], looks[photo], typical[photo], others[photo], named[photo]
    )
    thought = Before(
        before.h[photo, cell], before.why[photo, cell], before.last[photo, cell]
    )
    last = before.last.index_put((photo, cell), closer(seen, thought)).reshape(shape)
    if metric is None:
        return last, torch.zeros(())
    truth, covered = (
        values.flatten(2).flatten(0, 1)[of_photo, of_cell]
        for values in (batch.truth, batch.covered)
    )
    free = covered < TOUCHED
    unknown = (batch.by_name | absent).repeat_interleave(photos, 0)[of_photo]
    return last, metric.cost(
        own[free, : 3 * MAPS],
        looks[of_photo][free, :, : 3 * MAPS],
        unknown[free],
        truth[free],
    )


def _off(closer: Closer, eyes: Network, table: Table) -> float:
    """Return by how much the program's own network differs, probability at most."""
    rng, at = np.random.default_rng(0), richest(table)
    every = 1.1  # more than any probability: a photo may be clear all over
    batch = photos_of(table, at, [2], rng, named=0.0, left_out=0.5)
    with torch.no_grad():
        found = read(closer, eyes, batch, [Closeups(table, [at, 2])], every)[0]
        asked = Asked.of(eyes.think(batch).last, every).cell.numpy()
    before, own = network.Network(eyes.weights()), program.Closer(closer.weights())
    samples, photo = batch.picture[0].numpy()
    lean = batch.lean[0].permute(1, 2, 0).numpy()
    known = looks_of(before, batch, before.seen(samples, lean).own)
    named = batch.by_name[0, : table.count].numpy()
    places = batch.places[0].numpy()
    shown = table.sights[at].around(places)
    _, seen = own.seen(shown, lean.reshape(-1, 2)[places])
    by_name = [own.called(name.numpy()) for name in batch.names[0]]
    looks = np.where(named[:, None], by_name[: table.count], seen[: table.count])
    thoughts = before.think(before.seen(photo, lean), known)
    around = table.sights[2].around
    log_p = own.log_p(around, lean, thoughts, asked, looks, named)
    expected = found.flatten(0, 3)[asked, : 2 + table.count].exp().numpy()
    return float(np.abs(np.exp(log_p) - expected).max(initial=0.0))


def _learn(rank: int, tables: Sequence[Table], wishes: argparse.Namespace) -> None:
    rng = np.random.default_rng((1, rank))
    unseen, seen = held_back(tables, wishes.boards)
    # Pegs are small, so they need it most; they are never turned over.
    pegs = [table for table in seen if not table.names[:, -1].any()]
    eyes = Network()
    with np.load(wishes.eyes) as file:
        adopt(eyes, dict(file))
    eyes.to(memory_format=torch.channels_last).requires_grad_(False)
    pupil, metric = Closer(), Metric()
    if wishes.start:
        with np.load(wishes.start) as file:
            pupil.adopt(dict(file))

    def cost() -> Tensor:
        batches, closeups = [], []
        for _ in range(_TABLES):
            some = pegs if rng.random() < _PEGS else seen
            table = some[int(rng.integers(len(some)))]
            batch, chosen = some_photos(table, _PHOTOS, rng)
            batch, made = varied(batch, rng)
            batches.append(batch)
            closeups.append(Closeups(table, chosen, made))
        batch = Batch.of(batches)
        log_p, colour = read(pupil, eyes, batch, closeups, _LEARNT, metric)
        return _SQUARES * loss(log_p, batch) + _COLOUR * colour

    def report(how: str, average: Closer) -> None:
        def look(batch: Batch, table: Table, chosen: Sequence[int]) -> Tensor:
            closeups = [Closeups(table, chosen)]
            return read(average, eyes, batch, closeups, CLEAR)[0]

        # Where two pieces are as sure, either may be the one compared with.
        apart = sorted(_off(average, eyes, table) for table in unseen[:_CHECKED])
        off = " ".join(f"{part:.4f}" for part in apart)
        keep(how, look, unseen, off, average.weights(), wishes.out)

    parameters = [*pupil.parameters(), *metric.parameters()]
    teach(pupil, parameters, cost, report, wishes)


def main() -> None:
    """Train, and write the weights."""
    parser = parser_of("Teach the closer look.", 14_000)
    parser.add_argument(
        "--eyes", type=Path, required=True, help="weights of those that look before"
    )
    wishes = parser.parse_args()
    together(_learn, partial(load, closely=True), wishes)


if __name__ == "__main__":
    main()
