"""Teach to tell chips by print: python -m vision.training.compare FOLDER --out FILE.

The network is the one that `vision.pieces.prints` runs, written once more for PyTorch;
in the end the two are held against each other. It learns from what
`vision.training.doubts` kept of fine photos: chips that the other eyes doubt, and some
that they do not, so that it learns to see before it learns to doubt.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.empty_board import Floats
from vision.pieces import prints as program
from vision.pieces.closer import FAR, Numbers
from vision.pieces.prints import (
    BASIS,
    LARGE,
    LARGER,
    MEANS,
    RINGS,
    SHARE,
    TOLD,
)
from vision.pieces.relation import ABOUT, BESIDE, PAIR, SAMPLE, SAY, Known, about, apart
from vision.training.batches import BENT, TOUCHED, Rng
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
from vision.training.learn import begin, weights_of
from vision.training.relate import Photo, given, photos_in, soberest

_PHOTOS = 6  # of a step
_UNDOUBTED = 0.3  # weight of chips that are in no doubt
_FEWER = 0.4  # share of photos some of whose chips are not compared with
_OTHERS = 8  # chips of a table's other photos at most that are compared with
_DROPPED = 0.1  # share of what is seen of pairs that is left out
_NOISE = 0.02  # log units
_CHECKED = 8  # photos on which the program has to see the same
_HIDDEN, _TOGETHER, _LAST = 128, 48, 24  # numbers of pairs, of looks, of answers


@dataclass(slots=True, eq=False)
class Batch:
    """Chips of one photo, and what they are held against.

    Attributes:
        own: (Q, TOLD) chips in question.
        theirs: (R, TOLD) the others.
        about: (Q, R, ABOUT) what is known of pairs.
        apart: (Q, R) whether they are two.
        look: (R,) of the others.
        before: (Q, 2 + K) what was thought.
        truth: (Q,) by columns of `before`.
        backs: (Q, 2 + K) columns of turned chips.
        doubted: (Q,)
    """

    own: Tensor
    theirs: Tensor
    about: Tensor
    apart: Tensor
    look: Tensor
    before: Tensor
    truth: Tensor
    backs: Tensor
    doubted: Tensor


def batch_of(photo: Photo, rng: Rng | None) -> Batch | None:
    """Return one photo's chips, varied if there is chance; None without any.

    Args:
        photo: of a table.
        rng: picks whom they are held against, and varies colours.
    """
    table, _ = photo
    asked, known = _rows(photo, rng)
    if not asked.size or not known.size:
        return None
    whom, away = _others(photo, asked, known)
    two = (table.cell[asked][:, None] != whom.cell) | (whom.kind == SAMPLE)
    own, theirs = map(torch.from_numpy, (table.rings[asked], whom.seen))
    if rng is not None:
        order, bend = rng.permutation(3).tolist(), float(np.exp(rng.normal(0, BENT)))
        noise = float(rng.uniform(0, _NOISE))
        own, theirs = (_varied(seen, order, bend, noise) for seen in (own, theirs))
    backs = np.append([False, False], table.names[:, -1] > 0)
    return Batch(
        own,
        theirs,
        torch.from_numpy(about(whom.kind, away)),
        torch.from_numpy(two),
        torch.from_numpy(whom.look),
        torch.from_numpy(table.before[asked, : 2 + len(table.names)]),
        torch.from_numpy(table.truth[asked]),
        torch.from_numpy(np.tile(backs, (len(asked), 1))),
        torch.from_numpy(table.doubted[asked]),
    )


def _rows(photo: Photo, rng: Rng | None) -> tuple[Numbers, Numbers]:
    """Return a photo's chips in question, and those that they are held against."""
    table, number = photo
    here = table.photo == number
    chips = (table.truth > 1) & (table.covered < TOUCHED)
    asked = np.flatnonzero(here & chips & (table.look < 0))
    sample = table.photo < 0
    known = np.flatnonzero((here | sample) & (table.look >= 0))
    if rng is not None:
        if rng.random() < _FEWER:
            known = known[sample[known] | (rng.random(len(known)) < rng.random())]
        if rng.random() < _FEWER:
            # What was seen of other photos is known, too, as if there were samples.
            others = np.flatnonzero(~here & ~sample & (table.look >= 0))
            known = np.append(known, rng.permutation(others)[: rng.integers(_OTHERS)])
            if rng.random() < _FEWER:
                known = known[~sample[known]]
    return asked, known


def _others(photo: Photo, asked: Numbers, known: Numbers) -> tuple[Known, Floats]:
    """Return what rows in question are held against, and how far off it lies."""
    table, number = photo
    kind = np.where(table.photo[known] == number, BESIDE, SAMPLE)
    whom = Known(table.rings[known], table.look[known], kind, table.cell[known])
    return whom, apart(table.cell[asked], whom.cell, int(table.columns))


def _varied(seen: Tensor, order: list[int], bend: float, noise: float) -> Tensor:
    """Return what is seen (N, TOLD) in other colours, with another tone curve."""
    rings = seen[:, :MEANS].unflatten(1, (RINGS, 3))[..., order] * bend
    rings = rings + torch.randn(rings.shape) * noise
    return torch.cat((rings.flatten(1), seen[:, MEANS:]), 1)


class Prints(nn.Module):
    """`vision.pieces.prints.Prints`, to be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.differ = nn.Linear(2 * (3 + TOLD), _HIDDEN, bias=False)
        self.about = nn.Linear(ABOUT, _HIDDEN, bias=False)
        self.mine = nn.Linear(TOLD, _HIDDEN)
        self.theirs = nn.Linear(TOLD, _HIDDEN, bias=False)
        self.pair = nn.Linear(_HIDDEN, PAIR)
        self.say = nn.Linear(PAIR, 1)
        self.look = nn.Linear(3 * PAIR + 1, _TOGETHER)
        self.score = nn.Linear(_TOGETHER, 1)
        self.change1 = nn.Linear(_TOGETHER + 1, _LAST)
        self.change2 = nn.Linear(_LAST, 1)
        self.trust = nn.Parameter(torch.tensor(0.7))
        self.before = nn.Parameter(torch.tensor(0.7))
        nn.init.zeros_(self.change2.weight)
        nn.init.zeros_(self.change2.bias)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (Q, 2 + K): by itself, and with all thought."""
        relu, drop = functional.relu, self._dropped
        gain, rest = _parted(batch.own)
        their_gain, their_rest = _parted(batch.theirs)
        far = torch.cat(
            (
                gain[:, None] - their_gain,
                (rest[:, None] - their_rest) * _larger(),
            ),
            -1,
        )
        pair = self.differ(torch.cat((far, far.abs()), -1)) + self.about(batch.about)
        pair = pair + self.mine(rest)[:, None]
        pair = pair + self.theirs(their_rest)
        pair = relu(self.pair(drop(relu(pair))))
        say = self.say(pair)[..., 0].clamp(-SAY, SAY).exp() * batch.apart
        looks = batch.before.shape[1] - 2
        its = functional.one_hot(batch.look, looks).float()
        total = (say @ its)[..., None]
        mean = torch.einsum("qrp,qr,rk->qkp", pair, say, its) / (total + 1e-6)
        there = batch.apart[..., None] * its
        most = (pair[:, :, None] * there[..., None]).amax(1)
        count = there.sum(1)[..., None].log1p()
        usual = mean.mean(1, True)
        agree = torch.cat((mean, most, mean - usual, count), -1)
        agree = relu(self.look(agree))
        score = self.score(agree)[..., 0]
        pieces = batch.before[:, 2:].clamp(min=FAR)
        part = torch.cat((agree, (pieces / 4)[..., None]), -1)
        change = self.change2(relu(self.change1(part)))[..., 0]
        last = self.before * pieces + self.trust * score + change
        whole = batch.before[:, 2:].logsumexp(1, True)
        return tuple(
            torch.cat((batch.before[:, :2], told.log_softmax(-1) + whole), 1)
            for told in (score, last)
        )

    def _dropped(self, values: Tensor) -> Tensor:
        return functional.dropout(values, _DROPPED, torch.is_grad_enabled())


def _parted(seen: Tensor) -> tuple[Tensor, Tensor]:
    """Return what `vision.pieces.prints.parted` does."""
    basis, share = torch.from_numpy(LARGE * BASIS), torch.from_numpy(SHARE)
    rings = seen[:, :MEANS].unflatten(1, (RINGS, 3)) @ basis
    gain = (share * rings).sum(1)
    rest = (rings - gain[:, None]).flatten(1)
    return gain, torch.cat((rest, seen[:, MEANS:]), 1)


def _larger() -> Tensor:
    """Return by what differences are multiplied, see `prints.differences`."""
    return torch.where(torch.arange(TOLD) < MEANS, LARGER / LARGE, 1.0)


def _cost(log_p: Tensor, batch: Batch, weight: Tensor) -> Tensor:
    """Return the sum of the costs, nats, by weights (Q,)."""
    free = torch.zeros(len(batch.truth))
    costs = priced(log_p.clamp(min=-20), batch.truth, free, batch.backs, free > 0)
    return (costs * weight).sum()


def _asked(batch: Batch) -> Tensor:
    """Return which chips the program would ask about, (Q,)."""
    return batch.doubted & (given(batch.before, batch)[0] <= SURE)  # type: ignore[arg-type]


def judge(prints: Prints, photos: Sequence[Photo]) -> str:
    """Return how well doubts are answered that were not learnt from."""
    costs, answered, wrong = np.zeros(2), np.zeros(2, int), np.zeros(2, int)
    doubts, tables = 0, set()
    for photo in photos:
        batch = batch_of(photo, None)
        if batch is None:
            continue
        asked = _asked(batch)
        with torch.no_grad():
            after = prints(batch)[1]
        doubts += int(asked.sum())
        if asked.any():
            tables.add(id(photo[0]))
        for at, log_p in enumerate((batch.before, after)):
            sure, right = (part[asked] for part in given(log_p, batch))  # type: ignore[arg-type]
            costs[at] += float(_cost(log_p, batch, asked.float()))
            answered[at] += int((sure > SURE).sum())
            wrong[at] += int(((sure > SURE) & ~right).sum())
    costs /= max(doubts, 1)
    return (
        f"{doubts} doubts of {len(tables)} readings, before and after: "
        f"{costs[0]:.3f}, {costs[1]:.3f} nats; {answered[0]}, {answered[1]} answered, "
        f"{wrong[0]}, {wrong[1]} of them wrong"
    )


def temperature(prints: Prints, tables: Sequence[Doubts]) -> float:
    """Return by what logarithms should be taken, see `relate.temperature`."""
    steps = np.geomspace(0.4, 2, 33)
    costs = np.zeros((len(tables), len(steps)))
    for own, table in zip(costs, tables, strict=True):
        asked = 0
        for photo in photos_in([table]):
            batch = batch_of(photo, None)
            if batch is None:
                continue
            wanted = _asked(batch).float()
            with torch.no_grad():
                last = prints(batch)[1]
            whole = last[:, 2:].logsumexp(1, True)
            for at, step in enumerate(steps.tolist()):
                told = (step * (last[:, 2:] - whole)).log_softmax(-1) + whole
                sober = torch.cat((last[:, :2], told), 1)
                own[at] += float(_cost(sober, batch, wanted))
            asked += int(wanted.sum())
        own /= max(asked, 1)
    return soberest(steps, costs)


def _off(prints: Prints, photo: Photo) -> float:
    """Return by how much the program's own network differs, probability at most."""
    batch = batch_of(photo, None)
    if batch is None:
        return 0.0
    with torch.no_grad():
        expected = prints(batch)[1].exp().numpy()
    table, _ = photo
    asked, known = _rows(photo, None)
    whom, away = _others(photo, asked, known)
    own = program.Prints({**weights_of(prints), "sober": np.array(1, np.float16)})
    before = table.before[asked, : 2 + len(table.names)]
    found = np.exp(own.log_p(table.rings[asked], whom, away, before))
    alone = ~(table.cell[asked][:, None] == table.cell[known]).any(axis=1)
    return float(np.abs(found - expected)[alone].max(initial=0.0))


def _learn(rank: int, tables: Sequence[Doubts], wishes: argparse.Namespace) -> None:
    rng = np.random.default_rng((1, rank))
    held, others = held_back(tables, wishes.boards, HELD * LIGHTS)
    judged, seen = photos_in(held), photos_in(others)
    # One table's doubts are much alike, so tables count the less the more they have.
    often = np.array(
        [
            (0.3 + (table.doubted & (table.photo == number)).sum())
            / np.sqrt(max(float(table.doubted.sum()), 5.0))
            for table, number in seen
        ]
    )
    shares = often / often.sum()
    prints = Prints()
    begin(prints, wishes.start)

    def price() -> Tensor:
        cost, weights = torch.zeros(()), torch.zeros(())
        for number in rng.choice(len(seen), _PHOTOS, p=shares):
            batch = batch_of(seen[number], rng)
            if batch is None:
                continue
            alone, last = prints(batch)
            doubted = batch.doubted.float()
            weight = torch.where(batch.doubted, 1, _UNDOUBTED)
            cost = cost + _cost(alone, batch, weight) / 2 + _cost(last, batch, doubted)
            weights = weights + weight.sum()
        return cost / weights.clamp(min=1)

    def report(how: str, average: Prints) -> None:
        off = max(_off(average, photo) for photo in judged[:_CHECKED])
        print(f"{how}; {judge(average, judged)}; off {off:.4f}")
        sober = temperature(average, held)
        save(wishes.out, {**weights_of(average), "sober": np.array(sober, np.float16)})

    teach(prints, list(prints.parameters()), price, report, wishes)


def main() -> None:
    """Train, and write the weights."""
    parser = parser_of("Teach to tell chips by what is printed on them.", 6_000)
    together(_learn, Doubts.load, parser.parse_args())


if __name__ == "__main__":
    main()
