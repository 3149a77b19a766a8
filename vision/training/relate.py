"""Teach the last look: python -m vision.training.relate FOLDER --out FILE.

The network is the one that `vision.pieces.relation` runs, written once more for
PyTorch; in the end the two are held against each other. It learns from what
`vision.training.doubts` kept: cells that the other eyes doubt, and some that they do
not, so that it learns to see before it learns to doubt.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.empty_board import Floats
from vision.pieces import relation as program
from vision.pieces.closer import CHANNELS, FAR, Numbers
from vision.pieces.looks import NAMED
from vision.pieces.relation import (
    ABOUT,
    BESIDE,
    DIFFERING,
    KNOWN,
    MAPS,
    NAME,
    PAIR,
    SAMPLE,
    SAY,
    WHOLE,
    Known,
    about,
    apart,
)
from vision.rectify import CELL
from vision.training.batches import (
    BENT,
    LEANT,
    MOST,
    RECOLOURED,
    TOUCHED,
    Rng,
    bent,
    turned,
)
from vision.training.course import (
    HELD,
    SURE,
    held_back,
    parser_of,
    priced,
    save,
    teach,
    together,
)
from vision.training.doubts import LIGHTS, Doubts
from vision.training.learn import begin, difference, weights_of

_PHOTOS = 5  # of a step
_UNDOUBTED = 0.25  # weight of cells that are in no doubt
_OFTEN, _MOST_OFTEN = 0.3, 5.0  # how often a photo without doubts is seen, and any
_PEGS = 1.5  # times as often
_FEWER = 0.3  # share of photos some of whose pieces are not compared with
_NOISE = 0.03  # log units
_ABSENT = -40.0  # nats
_PIECE = 5.0  # px of half the resolution; how far from the middle pieces reach
_CHECKED = 8  # photos on which the program has to see the same

Photo = tuple[Doubts, int]
"""What was kept of a table, and the number of one of its photos."""


@dataclass(slots=True, eq=False)
class Batch:
    """Cells in question, and what they are held against.

    Attributes:
        crops: (N, CHANNELS, SIDE, SIDE) of cells and known pieces.
        lean: (N, 2).
        names: (M, NAMED); they are numbered on from the crops.
        asked: (Q,) crops of cells in question.
        mine, theirs: (P,) crop of a cell, and what it is held against.
        about: (P, ABOUT) what is known of such a pair.
        slot: (P,) number of the cell among Q, and of the look, as one.
        absent: (Q, MOST) looks that a table does not have.
        backs: (Q, 2 + MOST) columns of turned chips.
        before: (Q, 2 + MOST) what was thought.
        truth: (Q,)
        covered: (Q,)
        doubted: (Q,)
    """

    crops: Tensor
    lean: Tensor
    names: Tensor
    asked: Tensor
    mine: Tensor
    theirs: Tensor
    about: Tensor
    slot: Tensor
    absent: Tensor
    backs: Tensor
    before: Tensor
    truth: Tensor
    covered: Tensor
    doubted: Tensor

    @classmethod
    def of(cls, parts: Sequence[Batch]) -> Batch:
        """Lay photos on each other."""
        crops, names, asked = 0, sum(len(part.crops) for part in parts), 0
        for part in parts:
            named = part.theirs >= len(part.crops)
            part.theirs += torch.where(named, names - len(part.crops), crops)
            part.mine += crops
            part.asked += crops
            part.slot += asked * MOST
            crops, names = crops + len(part.crops), names + len(part.names)
            asked += len(part.truth)
        return cls(
            *(
                torch.cat([getattr(part, field.name) for part in parts])
                for field in fields(cls)
            )
        )


def batch_of(photo: Photo, rng: Rng | None) -> Batch:
    """Return one photo, varied if there is chance.

    Args:
        photo: of a table.
        rng: turns, mirrors and recolours it, and leaves out known pieces.
    """
    table, number = photo
    rows = np.flatnonzero((table.photo == number) | (table.photo < 0))
    sample, look = table.photo[rows] < 0, table.look[rows]
    crops = torch.from_numpy(table.shown(rows))
    lean = torch.from_numpy(table.lean[rows])
    asked, known = np.flatnonzero(look < 0), look >= 0
    count, named = len(table.names), True
    if rng is not None:
        if rng.random() < _FEWER:
            known &= sample | (rng.random(len(rows)) < rng.random())
        shown = len(set(look[sample])) == count
        named = not shown or rng.random() >= RECOLOURED
        crops, lean = _varied(crops, lean, rng, recoloured=not named)
    names = table.names if named else table.names[:0]
    cell = table.cell[rows]
    pairs = known & ((cell != cell[asked, None]) | sample)
    # The names follow on the crops.
    pairs = np.pad(pairs, ((0, 0), (0, len(names))), constant_values=True)
    kind = np.pad(
        np.where(sample, SAMPLE, BESIDE), (0, len(names)), constant_values=NAME
    )
    who, whom = np.nonzero(pairs)
    away = np.pad(
        apart(cell[asked], cell, int(table.columns)), ((0, 0), (0, len(names)))
    )
    told = about(kind[whom], away[who, whom], named=named)
    looks = np.concatenate((look, np.arange(len(names))))
    slot = who * MOST + looks[whom]
    backs = np.zeros((len(asked), 2 + MOST), bool)
    backs[:, 2 : 2 + count] = table.names[:, -1] > 0
    absent = np.arange(MOST) >= np.full((len(asked), 1), count)
    its = rows[asked]
    parts = names, asked, asked[who], whom, told, slot, absent, backs
    answers = (
        table.before[its],
        table.truth[its],
        table.covered[its],
        table.doubted[its],
    )
    return Batch(crops, lean, *map(torch.from_numpy, (*parts, *answers)))


def _varied(
    crops: Tensor, lean: Tensor, rng: Rng, *, recoloured: bool
) -> tuple[Tensor, Tensor]:
    """Turn and mirror crops (N, CHANNELS, SIDE, SIDE), bend and mix their colours."""
    crops, lean = turned(crops, lean, rng)
    if recoloured:
        order = rng.permutation(3)
        crops = crops[:, [*order, *(order + 3), 6]]
    bend, leant = np.exp(rng.normal(0, (BENT, LEANT))).tolist()
    crops = bent(crops, bend)
    crops = crops + torch.randn(crops.shape) * float(rng.uniform(0, _NOISE))
    return crops, lean * leant


class Relation(nn.Module):
    """`vision.pieces.relation.Relation`, to be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, 64, 6, 2, 2)
        self.conv2 = nn.Conv2d(64, 64, 3, 1, 1)
        self.conv3 = nn.Conv2d(64, 96, 3, 2, 1)
        self.conv4 = nn.Conv2d(96, 96, 3, 1, 1)
        self.conv5 = nn.Conv2d(96, 128, 3, 2, 1)
        self.conv6 = nn.Conv2d(128, 128, 3, 1, 1)
        self.thin = nn.Conv2d(128, 48, 1)
        self.told = nn.Linear(48 * (CELL // 4) ** 2 + 2, KNOWN)
        self.attend = nn.Conv2d(64, MAPS, 1, bias=False)
        y, x = np.mgrid[:CELL, :CELL] - (CELL - 1) / 2
        middle = torch.from_numpy(-(y**2 + x**2) / (2 * _PIECE**2)).float()
        self.place = nn.Parameter(middle.flatten().repeat(MAPS, 1))
        seen = KNOWN + 6 * MAPS
        self.name1 = nn.Linear(NAMED, 64)
        self.name2 = nn.Linear(64, seen)
        self.mine = nn.Linear(seen, 128)
        self.theirs = nn.Linear(seen, 128, bias=False)
        self.differ = nn.Linear(7 * MAPS + KNOWN, 128, bias=False)
        self.about = nn.Linear(ABOUT, 128, bias=False)
        self.pair = nn.Linear(128, PAIR)
        self.say = nn.Linear(PAIR, 1)
        self.look = nn.Linear(3 * PAIR + 1, 64)
        self.score = nn.Linear(64, 1)
        self.change1 = nn.Linear(64 + 1, 32)
        self.change2 = nn.Linear(32, 1)
        self.ground1 = nn.Linear(seen, 64)
        self.ground2 = nn.Linear(64, 2)
        self.ground_change1 = nn.Linear(64 + 4, 32)
        self.ground_change2 = nn.Linear(32, 2)
        self.trust = nn.Parameter(torch.tensor((0.7, 0.5)))
        for layer in (self.change2, self.ground_change2):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def seen(self, crops: Tensor, lean: Tensor) -> Tensor:
        """Return what is seen on cells, (N, SEEN), as the program has it.

        Args:
            crops: (N, CHANNELS, SIDE, SIDE).
            lean: (N, 2).
        """
        relu = functional.relu
        z = crops.contiguous(memory_format=torch.channels_last)
        # Half as precise, twice as fast: enough to learn with, not to judge.
        with torch.autocast("cpu", torch.bfloat16, enabled=torch.is_grad_enabled()):
            z = relu(self.conv1(z))
            z = z + relu(self.conv2(z))
            where = self.attend(z)
            z = relu(self.conv3(z))
            z = z + relu(self.conv4(z))
            z = relu(self.conv5(z))
            z = z + relu(self.conv6(z))
            z = relu(self.thin(z))
        # As numpy has it: a pixel's channels are next to each other.
        flat = z.float().permute(0, 2, 3, 1).flatten(1)
        h = relu(self.told(torch.cat((flat, lean), 1)))
        squares = functional.avg_pool2d(crops[:, :6], 2).flatten(2)
        where = (where.float().flatten(2) + self.place).softmax(-1)
        return _in_order(h, where @ squares.transpose(1, 2))

    def called(self, names: Tensor) -> Tensor:
        """Return (..., SEEN) what pieces of a name (..., NAMED) look like."""
        told = self.name2(functional.relu(self.name1(names)))
        return _in_order(told[:, :KNOWN], told[:, KNOWN:].unflatten(-1, (MAPS, 6)))

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (Q, 2 + MOST): by itself, and with all thought."""
        relu = functional.relu
        own = self.seen(batch.crops, batch.lean)
        every = torch.cat((own, self.called(batch.names)))
        mine, theirs = batch.mine, batch.theirs
        ours, others = own[mine][:, DIFFERING], every[theirs][:, DIFFERING]
        pair = self.differ(difference(ours, others, MAPS)) + self.about(batch.about)
        pair = pair + self.mine(own[:, WHOLE])[mine]
        pair = pair + self.theirs(every[:, WHOLE])[theirs]
        pair = relu(self.pair(relu(pair)))
        asked, slot = len(batch.truth), batch.slot
        say = self.say(pair).clamp(-SAY, SAY).exp()
        none = torch.zeros(asked * MOST, PAIR)
        total = none[:, :1].index_add(0, slot, say)
        mean = none.index_add(0, slot, say * pair) / (total + 1e-6)
        most = none.scatter_reduce(0, slot[:, None].expand_as(pair), pair, "amax")
        count = none[:, :1].index_add(0, slot, torch.ones_like(say))
        mean, most, count = (
            part.unflatten(0, (asked, MOST)) for part in (mean, most, count.log1p())
        )
        there = (~batch.absent).float()[..., None]
        usual = (mean * there).sum(1, True) / there.sum(1, True)
        agree = torch.cat((mean, most, mean - usual, count), -1)
        agree = relu(self.look(agree))
        ground = relu(self.ground1(own[batch.asked][:, WHOLE]))
        absent = functional.pad(batch.absent, (2, 0))
        alone = torch.cat((self.ground2(ground), self.score(agree)[..., 0]), -1)
        alone = alone.masked_fill(absent, _ABSENT)
        before = batch.before.clamp(min=FAR)
        likely = torch.cat((agree, before[:, 2:, None] / 4), -1)
        change = self.change2(relu(self.change1(likely)))[..., 0]
        best = before[:, 2:].topk(2, -1).values
        beyond = torch.cat((ground, before[:, :2] / 4, best / 4), -1)
        beyond = self.ground_change2(relu(self.ground_change1(beyond)))
        last = self.trust[0] * before + self.trust[1] * alone
        last = last + torch.cat((beyond, change), -1)
        last = last.masked_fill(absent, _ABSENT)
        return alone.log_softmax(-1), last.log_softmax(-1)


def _in_order(h: Tensor, colours: Tensor) -> Tensor:
    """Return what `vision.pieces.relation._in_order` does."""
    return torch.cat((colours[..., :3].flatten(1), h, colours.flatten(1)), -1)


def cost(log_p: Tensor, batch: Batch, weight: Tensor) -> Tensor:
    """Return the mean cost, nats a cell, by weights (Q,)."""
    beside = batch.covered > TOUCHED
    costs = priced(log_p, batch.truth, batch.covered, batch.backs, beside)
    return (costs * weight).sum() / weight.sum().clamp(min=1e-6)


def given(log_p: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return how sure answers are (Q,), and whether they are right (Q,).

    That a chip is turned over is an answer, whosever it is.
    """
    p = log_p.exp()
    back = (p * batch.backs).sum(-1)
    best, said = p.masked_fill(batch.backs, 0).index_fill(1, torch.tensor(1), 0).max(-1)
    turned = batch.backs.gather(-1, batch.truth[:, None])[:, 0]
    right = torch.where(back > best, turned, said == batch.truth)
    return torch.maximum(best, back), right


def temperature(relation: Relation, tables: Sequence[Doubts]) -> float:
    """Return by what logarithms should be taken for cells that are asked about.

    The least that costs no more than the best, by one standard error of what they
    differ by: a wrong answer is worse than none. Each table counts the same: cells of
    one are doubted for the same reasons.
    """
    steps = np.geomspace(0.5, 2, 29)
    costs = np.zeros((len(tables), len(steps)))
    for own, table in zip(costs, tables, strict=True):
        photos = _doubted([table])
        if not photos:
            continue
        batch = Batch.of([batch_of(photo, None) for photo in photos])
        asked = batch.doubted & (given(batch.before, batch)[0] <= SURE)
        with torch.no_grad():
            last = relation(batch)[1]
        own[:] = [
            float(cost((step * last).log_softmax(-1), batch, asked.float()))
            for step in steps.tolist()
        ]
    return soberest(steps, costs)


def soberest(steps: npt.NDArray[np.float64], costs: npt.NDArray[np.float64]) -> float:
    """Return the least step that costs no more than the best, see `temperature`.

    Args:
        steps: (S,) rising.
        costs: (tables, S) of each.
    """
    more = costs - costs[:, [costs.mean(axis=0).argmin()]]
    error = more.std(axis=0) / np.sqrt(len(costs))
    return float(steps[(more.mean(axis=0) <= error).argmax()])


def judge(relation: Relation, photos: Sequence[Photo]) -> str:
    """Return how well doubts are answered that were not learnt from."""
    costs, boards = np.zeros(2), np.zeros(2, int)
    answered, wrong, doubts = np.zeros(2, int), np.zeros(2, int), 0
    for photo in photos:
        batch = batch_of(photo, None)
        asked = batch.doubted & (batch.covered < TOUCHED)
        with torch.no_grad():
            after = relation(batch)[1]
        doubts += int(asked.sum())
        for at, log_p in enumerate((batch.before, after)):
            sure, right = (part[asked] for part in given(log_p, batch))
            costs[at] += float(cost(log_p, batch, asked.float()) * asked.sum())
            answered[at] += int((sure > SURE).sum())
            wrong[at] += int(((sure > SURE) & ~right).sum())
            boards[at] += bool(((sure > SURE) & right).all())
    costs /= max(doubts, 1)
    return (
        f"{len(photos)} photos with {doubts} doubts, before and after: "
        f"{costs[0]:.3f}, {costs[1]:.3f} nats; {answered[0]}, {answered[1]} answered, "
        f"{wrong[0]}, {wrong[1]} of them wrong; {boards[0]}, {boards[1]} boards exact"
    )


def _off(relation: Relation, photo: Photo) -> float:
    """Return by how much the program's own network differs, probability at most."""
    batch = batch_of(photo, None)
    with torch.no_grad():
        expected = relation(batch)[1][batch.doubted].exp().numpy()
    table, number = photo
    own = program.Relation(weights_of(relation))
    its = table.photo == number
    asked, sample, beside = (
        np.flatnonzero(some)
        for some in (its & table.doubted, table.photo < 0, its & (table.look >= 0))
    )

    def seen(rows: Numbers) -> Floats:
        return own.seen(table.shown(rows).swapaxes(0, 1), table.lean[rows])

    known = [own.named(list(table.names))]
    for rows, kind in ((sample, SAMPLE), (beside, BESIDE)):
        if rows.size:
            known.append(
                Known.all(seen(rows), table.look[rows], kind, table.cell[rows])
            )
    whom = Known.of(known)
    away = apart(table.cell[asked], whom.cell, int(table.columns))
    before = table.before[asked, : 2 + len(table.names)]
    found = np.exp(own.held(seen(asked), whom, away, before))
    return float(np.abs(found - expected[:, : found.shape[1]]).max())


def _learn(rank: int, tables: Sequence[Doubts], wishes: argparse.Namespace) -> None:
    rng = np.random.default_rng((1, rank))
    held, others = held_back(tables, wishes.boards, HELD * LIGHTS)
    doubted, seen = _doubted(held), photos_in(others)
    often = np.array([_often(photo) for photo in seen])
    shares = often / often.sum()
    relation = Relation()
    begin(relation, wishes.start)

    def price() -> Tensor:
        some = rng.choice(len(seen), _PHOTOS, p=shares)
        batch = Batch.of([batch_of(seen[number], rng) for number in some])
        alone, last = relation(batch)
        doubts = batch.doubted.float()
        weight = torch.where(batch.doubted, 1, _UNDOUBTED)
        return cost(alone, batch, weight) + cost(last, batch, doubts)

    def report(how: str, average: Relation) -> None:
        off = max(_off(average, photo) for photo in doubted[:_CHECKED])
        print(f"{how}; {judge(average, doubted)}; off {off:.4f}")
        sober = temperature(average, held)
        save(wishes.out, {**weights_of(average), "sober": np.array(sober, np.float16)})

    teach(relation, list(relation.parameters()), price, report, wishes)


def photos_in(tables: Sequence[Doubts]) -> list[Photo]:
    """Return all photos of tables."""
    return [
        (table, number)
        for table in tables
        for number in np.unique(table.photo[table.photo >= 0]).tolist()
    ]


def _doubted(tables: Sequence[Doubts]) -> list[Photo]:
    return [photo for photo in photos_in(tables) if _doubts(photo)]


def _doubts(photo: Photo) -> int:
    table, number = photo
    return int(table.doubted[table.photo == number].sum())


def _often(photo: Photo) -> float:
    """Return how often a photo is seen, for what is in doubt in it."""
    pegs = not photo[0].names[:, -1].any()
    return min((_OFTEN + _doubts(photo)) * (_PEGS if pegs else 1), _MOST_OFTEN)


def main() -> None:
    """Train, and write the weights."""
    parser = parser_of("Teach the last look.", 13_000)
    together(_learn, Doubts.load, parser.parse_args())


if __name__ == "__main__":
    main()
