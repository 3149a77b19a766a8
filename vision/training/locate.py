"""Teach where chips' tops are seen: python -m vision.training.locate FOLDER --out FILE.

The network is the one that `vision.pieces.tops` runs, written once more for PyTorch; in
the end the two are held against each other. It learns from the tables of
`vision.training.photos` whose photos are fine.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.empty_board import EmptyBoard
from vision.pieces.closer import CHANNELS, SIDE
from vision.pieces.tops import STEP, Tops
from vision.rectify import CELL
from vision.training.batches import BENT, TOUCHED, Rng, bent, in_other_light, turned
from vision.training.course import held_back, parser_of, save, teach, together
from vision.training.doubts import packed, unpacked
from vision.training.learn import begin, weights_of
from vision.training.photos import coarse

_PIECES = 12  # of each photo that are learnt from
_BATCH = 48
_NOISE = 0.03  # log units
_HALF = 0.02  # squares; errors that are larger cost no more than they are


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Some of one table's pieces.

    Attributes:
        crops: (N, CHANNELS, SIDE, SIDE), see `doubts.packed`.
        at: (N, 2) where tops are seen, right and down of squares' middles, in squares.
        radius: () as a part of the root of a square's area.
        chequered: () whether the board is, see `EmptyBoard`.
    """

    crops: npt.NDArray[np.uint8]
    at: npt.NDArray[np.float32]
    radius: float
    chequered: bool

    @classmethod
    def load(cls, file: Path) -> Pieces:
        """Read what `vision.training.photos` wrote."""
        seed = int(file.stem)
        rng = np.random.default_rng((12, seed))
        with np.load(file) as table:
            empty, photos = in_other_light(table["empty"], table["photos"], seed)
            tops, covered = table["tops"], table["covered"]
            width, height = map(float, table["cell_mm"])
            side = min(width, height)
            radius = float(table["radius"]) * side / np.sqrt(width * height)
        rows = round(np.sqrt(tops.shape[1]))
        board = EmptyBoard(coarse(empty), rows, rows)
        crops, at = [], []
        for photo, there, hidden in zip(photos, tops, covered, strict=True):
            free = np.flatnonzero(~np.isnan(there[:, 0]) & (hidden < TOUCHED))
            some = rng.permutation(free)[:_PIECES]
            if some.size:
                seen = board.under(coarse(photo)).around(some)
                crops.append(packed(seen.swapaxes(0, 1)))
                at.append(there[some])
        return cls(np.concatenate(crops), np.concatenate(at), radius, board.chequered)


class Locator(nn.Module):
    """`vision.pieces.tops.Tops`, to be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, 24, 6, 2, 2)
        self.conv2 = nn.Conv2d(24, 24, 3, 1, 1)
        self.conv3 = nn.Conv2d(24, 48, 3, 2, 1)
        self.conv4 = nn.Conv2d(48, 48, 3, 1, 1)
        self.told = nn.Conv2d(48, 4, 1)
        nn.init.constant_(self.told.bias[3], 0.34)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """Return what `Tops.find` does, of crops (N, CHANNELS, SIDE, SIDE)."""
        relu = functional.relu
        z = relu(self.conv1(crops.contiguous(memory_format=torch.channels_last)))
        z = z + relu(self.conv2(z))
        z = relu(self.conv3(z))
        z = z + relu(self.conv4(z))
        where, right, down, radius = self.told(z).unbind(1)
        places = SIDE // STEP
        at = (torch.arange(places) - (places - 1) / 2) * (STEP / CELL)
        share = where.flatten(1).softmax(-1).view_as(where)
        off = (share * (right * (STEP / CELL) + at)).sum((1, 2))
        below = (share * (down * (STEP / CELL) + at[:, None])).sum((1, 2))
        return torch.stack((off, below), -1), (share * radius).sum((1, 2))


def _batch_of(tables: Sequence[Pieces], rng: Rng) -> tuple[Tensor, Tensor, Tensor]:
    """Return crops, where tops are seen, and radii; each table is turned anew."""
    crops, at, radii = [], [], []
    for number in rng.integers(len(tables), size=_BATCH // 4):
        table = tables[number]
        some = rng.integers(len(table.crops), size=4)
        seen = torch.from_numpy(unpacked(table.crops[some]))
        there = torch.from_numpy(table.at[some])
        seen, there = turned(seen, there, rng)
        order = rng.permutation(3)
        seen = bent(
            seen[:, [*order, *(order + 3), 6]], float(np.exp(rng.normal(0, BENT)))
        )
        crops.append(seen + torch.randn(seen.shape) * float(rng.uniform(0, _NOISE)))
        at.append(there)
        radii.append(torch.full((4,), table.radius))
    return torch.cat(crops), torch.cat(at), torch.cat(radii)


def _off(found: tuple[Tensor, Tensor], at: Tensor, radius: Tensor) -> Tensor:
    """Return what errors cost, (N,)."""
    away = torch.cat((found[0] - at, (found[1] - radius)[:, None]), -1)
    return functional.huber_loss(
        away, torch.zeros_like(away), reduction="none", delta=_HALF
    ).sum(-1)


def judge(locator: Locator, tables: Sequence[Pieces]) -> str:
    """Return how well tops are found that were not learnt from."""
    away, wide = [], []
    for table in tables:
        with torch.no_grad():
            at, radius = locator(torch.from_numpy(unpacked(table.crops)))
        away.append(np.hypot(*(at.numpy() - table.at).T))
        wide.append(float(radius.median()) - table.radius)
    every = np.concatenate(away)
    shares = ", ".join(f"{part:.4f}" for part in np.quantile(every, (0.5, 0.9, 0.99)))
    return (
        f"half of {len(every)} tops are off by less than, nine of ten, all but one of "
        f"a hundred: {shares} squares; radii by {np.abs(wide).mean():.4f}"
    )


def _learn(rank: int, tables: Sequence[Pieces], wishes: argparse.Namespace) -> None:
    rng = np.random.default_rng((1, rank))
    held, others = held_back(tables, wishes.boards)
    locator = Locator()
    begin(locator, wishes.start)

    def price() -> Tensor:
        crops, at, radius = _batch_of(others, rng)
        return _off(locator(crops), at, radius).mean() / _HALF**2

    def report(how: str, average: Locator) -> None:
        crops = unpacked(held[0].crops)
        with torch.no_grad():
            expected = average(torch.from_numpy(crops))[0].numpy()
        found = Tops(weights_of(average)).find(crops.swapaxes(0, 1))[0]
        print(
            f"{how}; {judge(average, held)}; off {np.abs(found - expected).max():.4f}"
        )
        save(wishes.out, weights_of(average))

    teach(locator, list(locator.parameters()), price, report, wishes)


def main() -> None:
    """Train, and write the weights."""
    parser = parser_of("Teach where chips' tops are seen.", 6_000)
    together(_learn, Pieces.load, parser.parse_args())


if __name__ == "__main__":
    main()
