"""A closer look at the cells of which the network is not sure.

The network sees a photo at half its resolution, which is enough for most cells. The few
others are looked at once more with all pixels: each with half a cell around it, the
samples, and the photo's own surest pieces of the looks in question. As in
`vision.pieces.network`, what is seen there is held against each look, as the samples
have it and as this photo has it, knowing how far pieces of one look differ in it.
Attention goes by the place and by what catches the eye, so that the colour of a small
peg is the peg's alone. It was taught on drawn tables
(`vision.training.closely`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from vision.pieces.network import (
    Floats,
    Lessons,
    Thoughts,
    Trained,
    attended,
    difference,
    normal,
    positive,
    quarters_of,
    shade_and_tint,
    weights,
)
from vision.rectify import CELL

CHANNELS = 7
"""Colour, change from the empty board (log B, G, R each), brightness."""

MAPS = 4
"""Maps of attention; each finds a colour of what lies on a cell."""

TOLD = 3 * MAPS + 26
"""Numbers that describe a look: colours (log B, G, R), and what was learnt."""

SPREAD = 2 * MAPS + 1
"""Numbers that say how far pieces of one look differ in a photo."""

STRIKING = 5
"""Numbers that say of a place how much it catches the eye."""

SIDE = 2 * CELL
"""Side of what is looked at around a cell's middle, px."""

CLEAR = 0.999
"""Probability from which a cell needs no closer look."""

BURIED = 0.98
"""Probability of a cover from which nothing is looked for on a cell."""

CELLS = 10
"""Cells of a photo that are looked at closely, at most."""

CERTAIN = 0.99
"""Probability of pieces to compare with."""

COMPARED = 2
"""Pieces at most that each look is compared with."""

IN_QUESTION = 1e-3
"""Probability of a look that is worth comparing with."""

FAR = -12.0
"""Log-probability, nats; what is less likely is not told apart any more."""


Numbers = npt.NDArray[np.intp]
"""(N,) numbers of cells."""

Around = Callable[[Numbers], Floats]
"""Shows a photo around cells, see `Sight.around`."""


class Closer(Trained):
    """The trained network; see `vision.training.closely`."""

    def log_p(
        self,
        around: Around,
        lean: Floats,
        thoughts: Thoughts,
        asked: Numbers,
        looks: Floats,
        named: npt.NDArray[np.bool_],
    ) -> Floats:
        """Return (N, 2 + K) natural log-probabilities of the cells asked for.

        Args:
            around: shows the photo.
            lean: (rows, columns, 2), see `Network.seen`.
            thoughts: what the network thinks of the same photo.
            asked: (N,) numbers of cells.
            looks: (K, TOLD), see `seen` and `called`.
            named: (K,) whether a look is known by its name alone.
        """
        of, count = self._weights, len(asked)
        which, cells = _surest(thoughts.log_p, asked)
        both = np.concatenate((asked, cells))
        h, own = self.seen(around(both), lean.reshape(-1, 2)[both])
        others, total = np.zeros((len(looks), 1), np.float32), np.zeros_like(looks)
        np.add.at(others, which, 1)
        np.add.at(total, which, own[count:])
        moved = (total - others * looks).sum(axis=0) / (others.sum() + 1)
        apart = own[count:] - (total / np.maximum(others, 1))[which]
        typical = (total + looks + moved) / (others + 1)
        spread = _spread(np.asarray(apart), float(np.maximum(others - 1, 0).sum()))
        spreads = np.broadcast_to(spread, (count, SPREAD))
        h = np.concatenate((h[:count], spreads, thoughts.h[asked]), axis=-1)
        own = own[:count]
        before = thoughts.log_p[asked]
        told = np.empty((len(looks), count, 3), np.float32)
        told[..., 0], told[..., 1] = np.log1p(others), named[:, None]
        told[..., 2] = np.maximum(before[:, 2:].T, FAR) / 4
        why = [part[:, asked] for part in thoughts.why]
        pair = np.concatenate((*why, told), axis=-1)
        pair = pair @ of["more.weight"]
        pair += h @ of["see.weight"] + of["see.bias"]
        pair += difference(own, looks[:, None], MAPS) @ of["differ.weight"]
        pair += difference(own, typical[:, None], MAPS) @ of["again.weight"]
        pair = self._layer("pair", positive(pair))
        score = pair @ of["score.weight"] + of["score.bias"]
        ground = self._layer("ground1", h) @ of["ground2.weight"] + of["ground2.bias"]
        return normal(before + np.concatenate((ground, score[..., 0].T), axis=-1))

    def seen(self, crops: Floats, lean: Floats) -> tuple[Floats, Floats]:
        """Return what is seen on each of N cells: (N, 128), and (N, TOLD).

        Args:
            crops: (CHANNELS, N, SIDE, SIDE), see `Sight.around`.
            lean: (N, 2), see `Network.seen`.
        """
        of, count = self._weights, len(lean)
        quarters = quarters_of(crops)
        z = self._layer("conv1", quarters.reshape(-1, count * CELL * CELL).T)
        z = z.reshape(count, CELL, CELL, -1)
        z = self._thinly("2", z, 3, 2, 1)
        z = self._thinly("3", z, 3, 1, 1)
        z = self._thinly("4", z, 3, 2, 1)
        z = self._thinly("5", z, 3, 1, 0)
        h = self._layer("told", np.concatenate((z.reshape(count, -1), lean), axis=-1))
        squares = (quarters[:, :6].sum(axis=0) / 4).reshape(6, count, -1)
        strike = (h @ of["strike.weight"] + of["strike.bias"]).reshape(count, MAPS, -1)
        where = (h @ of["attend.weight"] + of["attend.bias"]).reshape(count, MAPS, -1)
        where += strike @ _striking(squares).transpose(1, 0, 2)
        learnt = h @ of["own.weight"] + of["own.bias"]
        colours = attended(where, squares[:3].transpose(1, 2, 0)).reshape(count, -1)
        return h, np.concatenate((colours, learnt), axis=-1)


@cache
def trained(lessons: Lessons) -> Closer:
    """Return a closer look that comes with the program."""
    return Closer(weights(f"closer-{lessons}"))


def _surest(log_p: Floats, asked: Numbers) -> tuple[Numbers, Numbers]:
    """Return looks that are in question, and cells that surely have them.

    Args:
        log_p: (cells, 2 + K).
        asked: (N,) cells that are in question.

    Returns:
        (M,) looks and (M,) cells.
    """
    p = np.exp(log_p[:, 2:])
    doubted = p[asked].max(axis=0) > IN_QUESTION
    p[asked] = 0
    first = np.argsort(-p, axis=0, kind="stable")[:COMPARED]
    sure = (p[first, np.arange(len(doubted))] >= CERTAIN) & doubted
    rank, look = np.nonzero(sure)
    return look, first[rank, look]


def _spread(apart: Floats, free: float) -> Floats:
    """Return (SPREAD,) how far pieces differ from the mean of their look.

    Args:
        apart: (M, TOLD) by how much each does.
        free: degrees of freedom: pieces, less one for every look they have.
    """
    shade, tint = shade_and_tint(apart[:, : 3 * MAPS].reshape(-1, MAPS, 3))
    both = np.concatenate((tint.sum(axis=0), (shade**2).sum(axis=0)))
    known = np.log(both / max(free, 1.0) + 1e-4) / 4 * (free > 0)
    return np.append(known, np.log1p(free)).astype(np.float32)


def _striking(squares: Floats) -> Floats:
    """Return (STRIKING, ...) what catches the eye of colour and change (6, ...)."""
    light, shade = squares.reshape(2, 3, *squares.shape[1:]).sum(axis=1) / 3
    tint = np.sqrt(((squares[3:] - shade) ** 2).sum(axis=0) + 1e-3)
    chroma = np.sqrt(((squares[:3] - light) ** 2).sum(axis=0) + 1e-3)
    return 4 * np.stack((tint, chroma, np.abs(shade), shade, light))
