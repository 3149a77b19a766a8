"""The last look: cells still in doubt, held against pieces beside them.

A person who doubts a piece looks from it to others nearby, in the same light. So does
this: what is seen around a cell in doubt is held against the samples, the names, and
sure pieces of the photo that lie nearest, one by one; what the pairs say is weighed and
put together for each look (a relation network, Sung et al. 2018, Learning to compare).
It sees more than `vision.pieces.closer` and takes longer, but few photos need it. It
was taught on what the other eyes doubt in drawn photos (`vision.training.relate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from vision.pieces.closer import CERTAIN, FAR, Around, Numbers
from vision.pieces.network import (
    Floats,
    Lessons,
    Trained,
    difference,
    normal,
    positive,
    quarters_of,
    shares,
    weights,
)

MAPS = 4
"""Maps of attention; each finds a colour of what lies on a cell."""

KNOWN = 192
"""Numbers that say what is seen, beside its colours."""

SEEN = 9 * MAPS + KNOWN
"""Numbers of what is seen: log colours, what is seen, and all colours with changes."""

DIFFERING, WHOLE = slice(3 * MAPS + KNOWN), slice(3 * MAPS, None)
"""Those that `difference` takes, and those that tell all."""

PAIR = 64
"""Numbers that say how a cell and a piece agree."""

SAMPLE, BESIDE, NAME = 0, 1, 2
"""Kinds of what cells are held against."""

NEAREST = 4
"""Pieces of the photo at most that each look is compared with."""

ABOUT = 6
"""Numbers that say of what cells are held against what it is, and how far away."""

SAY = 15.0
"""Nats by which a pair counts more or less than others at most."""

_TOGETHER = 8  # crops whose sums fit into a processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """R things that cells are held against.

    Attributes:
        seen: (R, SEEN), see `Relation.seen` and `Relation.called`.
        look: (R,) the number of each one's look.
        kind: (R,) `SAMPLE`, `BESIDE` or `NAME`.
        cell: (R,) where it lies in the photo; only that of `BESIDE` counts.
    """

    seen: Floats
    look: Numbers
    kind: Numbers
    cell: Numbers

    @classmethod
    def all(cls, seen: Floats, look: Numbers, kind: int, cell: Numbers) -> Known:
        """Return things of one kind."""
        return cls(seen, look, np.full(len(look), kind), cell)

    @classmethod
    def of(cls, every: Sequence[Known]) -> Known:
        """Put things together."""
        return cls(
            np.concatenate([known.seen for known in every]),
            np.concatenate([known.look for known in every]),
            np.concatenate([known.kind for known in every]),
            np.concatenate([known.cell for known in every]),
        )


class Relation(Trained):
    """The trained network; see `vision.training.relate`."""

    def log_p(
        self,
        around: Around,
        lean: Floats,
        log_p: Floats,
        asked: Numbers,
        known: Known,
    ) -> Floats:
        """Return (N, 2 + K) natural log-probabilities of the cells asked for.

        Beyond the tables that it learnt from the network is more or less sure than it
        ought to be. So its logarithms are multiplied by what tables that were held back
        ask for (temperature scaling, Guo et al. 2017; `relate.temperature`).

        Args:
            around: shows the photo.
            lean: (rows, columns, 2), see `Network.seen`.
            log_p: (cells, 2 + K) what was thought before, see `Thoughts`.
            asked: (N,) numbers of cells.
            known: samples and names of the looks.
        """
        columns = lean.shape[1]
        look, cells = nearest(log_p, asked, columns)
        both = np.concatenate((asked, cells))
        seen = self.seen(around(both), lean.reshape(-1, 2)[both])
        beside = Known.all(seen[len(asked) :], look, BESIDE, cells)
        every = Known.of((known, beside))
        away = apart(asked, every.cell, columns)
        told = self.held(seen[: len(asked)], every, away, log_p[asked])
        return normal(self._weights["sober"] * told)

    def seen(self, crops: Floats, lean: Floats) -> Floats:
        """Return (N, SEEN) what is seen on each of N cells.

        Args:
            crops: (CHANNELS, N, SIDE, SIDE), see `Sight.around`.
            lean: (N, 2), see `Network.seen`.
        """
        some = [
            slice(first, first + _TOGETHER) for first in range(0, len(lean), _TOGETHER)
        ]
        return np.concatenate([self._seen(crops[:, of], lean[of]) for of in some])

    def named(self, names: Sequence[Floats]) -> Known:
        """Return looks as their names have them (see `looks.name_of`)."""
        every = np.arange(len(names))
        seen = np.array([self.called(name) for name in names])
        return Known.all(seen, every, NAME, every)

    def called(self, name: Floats) -> Floats:
        """Return (SEEN,) what pieces of a name look like (see `looks.name_of`)."""
        of = self._weights
        told = self._layer("name1", name) @ of["name2.weight"] + of["name2.bias"]
        return _in_order(told[:KNOWN], told[KNOWN:].reshape(MAPS, 6))

    def _seen(self, crops: Floats, lean: Floats) -> Floats:
        of, count = self._weights, len(lean)
        z = self._convolved("conv1", crops.transpose(1, 2, 3, 0), 6, 2, 2)
        z += self._convolved("conv2", z, 3, 1, 1)
        where = (z @ of["attend.weight"]).reshape(count, -1, MAPS) + of["place"]
        z = self._convolved("conv3", z, 3, 2, 1)
        z += self._convolved("conv4", z, 3, 1, 1)
        z = self._convolved("conv5", z, 3, 2, 1)
        z += self._convolved("conv6", z, 3, 1, 1)
        z = self._layer("thin", z).reshape(count, -1)
        h = self._layer("told", np.concatenate((z, lean), axis=-1))
        squares = (quarters_of(crops[:6]).sum(axis=0) / 4).reshape(6, count, -1)
        colours = shares(where.swapaxes(1, 2)) @ squares.transpose(1, 2, 0)
        return _in_order(h, colours)

    def held(self, own: Floats, known: Known, away: Floats, before: Floats) -> Floats:
        """Hold N cells against R things: return (N, 2 + K) log-probabilities.

        Args:
            own: (N, SEEN).
            known: the things.
            away: (N, R) how far off they lie, squares along both axes.
            before: (N, 2 + K) what was thought before.
        """
        of, looks = self._weights, before.shape[1] - 2
        pair = difference(own[:, None, DIFFERING], known.seen[:, DIFFERING], MAPS)
        pair = pair @ of["differ.weight"]
        pair += about(known.kind, away) @ of["about.weight"]
        pair += own[:, None, WHOLE] @ of["mine.weight"] + of["mine.bias"]
        pair += known.seen[:, WHOLE] @ of["theirs.weight"]
        pair = self._layer("pair", positive(pair))
        say = pair @ of["say.weight"] + of["say.bias"]
        agree = agreed(pair, say[..., 0].clip(-SAY, SAY), known.look, looks)
        agree = self._layer("look", agree)
        score = agree @ of["score.weight"] + of["score.bias"]
        ground = self._layer("ground1", own[:, WHOLE])
        found = ground @ of["ground2.weight"] + of["ground2.bias"]
        before = before.clip(FAR, None)
        part = before * np.float32(1 / 4)
        change = self._change(
            "change", np.concatenate((agree, part[:, 2:, None]), axis=-1)
        )
        beyond = np.concatenate((ground, part[:, :2], _two_best(part[:, 2:])), axis=-1)
        trust, weight = of["trust"]
        out = trust * before
        out[:, :2] += weight * found + self._change("ground_change", beyond)
        out[:, 2:] += (weight * score + change)[..., 0]
        return normal(out)

    def _change(self, name: str, values: Floats) -> Floats:
        of = self._weights
        out = self._layer(f"{name}1", values) @ of[f"{name}2.weight"]
        return np.asarray(out + of[f"{name}2.bias"])


@cache
def trained(lessons: Lessons) -> Relation:
    """Return a network that comes with the program; by paper or chequers."""
    return Relation(weights(f"relation-{lessons}"))


def agreed(pair: Floats, say: Floats, look: Numbers, looks: int) -> Floats:
    """Put together how N cells agree with R things, for each of K looks.

    Args:
        pair: (N, R, P) how they agree.
        say: (N, R) how much each counts, nats.
        look: (R,) of the things.
        looks: K.

    Returns:
        (N, K, 3 P + 1) the mean by what counts, the most, by how much the mean is other
        than those of all looks are on average, and how many things there were.
    """
    count, parts = pair.shape[0], pair.shape[-1]
    agree = np.zeros((count, looks, 3 * parts + 1), np.float32)
    for number in range(looks):
        its = look == number
        if its.any():
            share = shares(say[:, its])[:, None]
            agree[:, number, :parts] = (share @ pair[:, its])[:, 0]
            agree[:, number, parts : 2 * parts] = pair[:, its].max(axis=1)
            agree[:, number, -1] = np.log1p(np.count_nonzero(its))
    mean = agree[..., :parts].mean(axis=1, keepdims=True)
    agree[..., 2 * parts : -1] = agree[..., :parts] - mean
    return agree


def nearest(log_p: Floats, asked: Numbers, columns: int) -> tuple[Numbers, Numbers]:
    """Return the pieces that cells in doubt are held against.

    Those that lie nearest to each of the cells, in turn.

    Args:
        log_p: (cells, 2 + K).
        asked: (N,) the cells in doubt.
        columns: of the board.

    Returns:
        (M,) looks and (M,) cells that surely have them, `NEAREST` of a look at most.
    """
    p = np.exp(log_p[:, 2:])
    p[asked] = 0
    looks, cells = [], []
    for look, share in enumerate(p.T):
        sure = np.flatnonzero(share >= CERTAIN)
        order = np.argsort(apart(asked, sure, columns), axis=1, kind="stable")
        some = list(dict.fromkeys(order[:, :NEAREST].T.ravel().tolist()))[:NEAREST]
        looks += [look] * len(some)
        cells += sure[some].tolist()
    return np.array(looks, np.intp), np.array(cells, np.intp)


def apart(some: Numbers, others: Numbers, columns: int) -> Floats:
    """Return (N, M) how far cells are from others, squares along both axes."""
    places = [np.stack(np.divmod(cells, columns), axis=-1) for cells in (some, others)]
    away = np.abs(places[0][:, None] - places[1])
    return np.asarray(away.sum(axis=-1), np.float32)


def about(kind: Numbers, away: Floats, *, named: bool = True) -> Floats:
    """Return (..., ABOUT) what is known of things that cells are held against.

    Args:
        kind: (...) of each.
        away: (...) how far off it lies; only that of `BESIDE` counts.
        named: colours have names; in some lessons they have none.
    """
    told = np.zeros((*away.shape, ABOUT), np.float32)
    told[..., :3] = np.eye(3, dtype=np.float32)[kind]
    told[..., 3] = told[..., BESIDE] / (1 + away)
    told[..., 4] = told[..., BESIDE] * away / 10
    told[..., 5] = named
    return told


def _two_best(values: Floats) -> Floats:
    """Return (N, 2) the greatest two of each row, or what is there, and little."""
    wider = np.pad(values, ((0, 0), (0, 1)), constant_values=FAR / 4)
    return np.sort(wider, axis=1)[:, :-3:-1]


def _in_order(h: Floats, colours: Floats) -> Floats:
    """Return what `difference` takes, and after it all colours again.

    Args:
        h: (..., KNOWN).
        colours: (..., MAPS, 6) log colours, and changes from the empty board.
    """
    flat = colours.reshape(*h.shape[:-1], -1)
    plain = colours[..., :3].reshape(*h.shape[:-1], -1)
    return np.concatenate((plain, h, flat), axis=-1)
