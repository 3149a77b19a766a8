"""The network that tells which look every cell has.

A trunk of four convolutions turns the picture of each cell and a third of a cell
around it into 64 numbers, a fifth looks at the cells around; they tell whether the
cell is empty or covered. Every look the table's pieces can have is then held against
the cell: two maps of attention say where the inner part and the rim of what lies there
are, and how far their colours are from the look's gives one score a look. So any number
of looks can be told apart, also ones that the network was never shown. It was taught on
drawn tables (`vision.training`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.rectify import CELL, MARGIN

Floats = npt.NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("network.npz")

RIM = MARGIN // 2 - 4
"""Rim of the rectified picture that is not looked at, px of half the resolution."""

CHANNELS = 9
"""Colour, change from the empty board (log B, G, R each), brightness, contrasts."""

TOLD = 32
"""Numbers that describe a look: two colours (log B, G, R), and what was learnt."""

CELL_PX = CELL // 2
"""Side of a cell in the network's picture, px."""

SAMPLE = CELL_PX + 8
"""Side of the picture of a sample: its cell and a third of one all around."""

_STEP = CELL_PX // 2  # squares in a cell
_AROUND = _STEP + 2  # squares in which the piece of a cell is looked for


class Network:
    """The trained network.

    Args:
        weights: arrays by the names that `vision.training.learn` gives them.
    """

    def __init__(self, weights: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self._weights = {
            name: array.astype(np.float32) for name, array in weights.items()
        }

    def log_p(self, picture: Floats, lean: Floats, looks: Floats) -> Floats:
        """Return (rows, columns, 2 + K) natural log-probabilities.

        They are of an empty cell, of a covered one, and of the K looks.

        Args:
            picture: (CHANNELS, H, W), see `EmptyBoard.relative`, without its rim.
            lean: (rows, columns, 2) how far a point is seen off its place (right,
                down) for each unit of its height.
            looks: (K, TOLD), see `shown` and `called`.
        """
        of = self._weights
        quarters = np.stack(
            [picture[:, y::2, x::2] for y in range(2) for x in range(2)]
        )
        height, width = quarters.shape[2:]
        z = self._layer("conv1", quarters.reshape(-1, height * width).T)
        z = z.reshape(height, width, -1)
        z = self._layer("conv2", _windows(z, 3, 2, 1))
        z = self._layer("conv3", _windows(z, 3, 1, 1))
        z = self._layer("conv4", _windows(z, 5, 3, 0))
        near = _windows(np.concatenate((z, lean), axis=-1), 3, 1, 1)
        h = np.concatenate((z, self._layer("around", near)), axis=-1)
        ground = h @ of["ground.weight"] + of["ground.bias"]
        colour = quarters[:, :3].sum(axis=0) / 4
        pair = self._difference(h, colour, looks) @ of["differ.weight"]
        pair += h @ of["seen.weight"] + of["seen.bias"]
        pair += (looks @ of["look.weight"])[:, None, None]
        np.maximum(pair, 0, out=pair)
        score = self._layer("pair", pair) @ of["score.weight"] + of["score.bias"]
        scores = np.moveaxis(score[..., 0], 0, -1)
        table = np.concatenate((ground, scores), axis=-1)
        table -= table.max(axis=-1, keepdims=True)
        table -= np.log(np.exp(table).sum(axis=-1, keepdims=True))
        return np.asarray(table)

    def _difference(self, h: Floats, colour: Floats, looks: Floats) -> Floats:
        """Return how the piece on each cell differs from looks, (K, rows, columns, N).

        Where its inner part and its rim are is told by two maps of attention.
        """
        of = self._weights
        where = _shares(
            (h @ of["attend.weight"] + of["attend.bias"]).reshape(*h.shape[:2], 2, -1)
        )
        around = np.lib.stride_tricks.sliding_window_view(
            colour, (_AROUND, _AROUND), (1, 2)
        )[:, ::_STEP, ::_STEP].transpose(1, 2, 3, 4, 0)
        colours = where @ around.reshape(*h.shape[:2], -1, 3)
        own = np.concatenate(
            (
                colours.reshape(*h.shape[:2], -1),
                h @ of["own.weight"] + of["own.bias"],
            ),
            axis=-1,
        )
        away = own - looks[:, None, None]
        return np.concatenate(
            (
                _alike(away[..., :3]),
                _alike(away[..., 3:6]),
                np.clip(away[..., :6], -1, 1),
                np.abs(away[..., 6:]),
            ),
            axis=-1,
        )

    def shown(self, sample: Floats, name: Floats) -> Floats:
        """Return (TOLD,) what a sample looks like.

        Args:
            sample: (CHANNELS + 2, SAMPLE, SAMPLE) the relative picture around its
                cell, and the lean there.
            name: (NAMED,) of its look, see `looks.name_of`; it helps a little.
        """
        of = self._weights
        z = self._layer("sample1", _windows(np.moveaxis(sample, 0, -1), 3, 1, 0))
        z = self._layer("sample2", _windows(z, 4, 2, 0))
        where = (z @ of["where.weight"] + of["where.bias"]).reshape(-1, 2)
        middle = sample[:3, 2:-2, 2:-2].reshape(3, len(z), 2, len(z), 2)
        colours = _shares(where.T) @ middle.mean(axis=(2, 4)).reshape(3, -1).T
        rest = self._layer("sample3", z.reshape(-1)) @ of["sample4.weight"]
        told = np.append(colours.reshape(-1), rest + of["sample4.bias"])
        hint = self._layer("hint1", np.concatenate((told, name, [1]), dtype=np.float32))
        return np.asarray(told + hint @ of["hint2.weight"] + of["hint2.bias"])

    def called(self, name: Floats) -> Floats:
        """Return (TOLD,) what pieces of a name look like (see `looks.name_of`)."""
        of = self._weights
        told = self._layer("name1", name) @ of["name2.weight"] + of["name2.bias"]
        told[:6] += name[:6]
        return np.asarray(told)

    def _layer(self, name: str, values: Floats) -> Floats:
        """Return a linear layer's positive output, (..., out)."""
        out = values @ self._weights[f"{name}.weight"]
        out += self._weights[f"{name}.bias"]
        return np.asarray(np.maximum(out, 0, out=out))


@cache
def trained() -> Network:
    """Return the network that comes with the program."""
    with np.load(WEIGHTS) as file:
        return Network(dict(file))


def _windows(planes: Floats, side: int, step: int, rim: int) -> Floats:
    """Return the windows of (h, w, C), (rows, columns, side * side * C)."""
    if rim:
        height, width, channels = planes.shape
        wider = np.zeros((height + 2 * rim, width + 2 * rim, channels), np.float32)
        wider[rim:-rim, rim:-rim] = planes
        planes = wider
    seen = np.lib.stride_tricks.sliding_window_view(planes, (side, side), (0, 1))
    seen = seen[::step, ::step].transpose(0, 1, 3, 4, 2)
    return np.ascontiguousarray(seen).reshape(*seen.shape[:2], -1)


def _alike(away: Floats) -> Floats:
    """Return four numbers (..., 4) that say how alike colours are.

    Brightness and tint are held apart, for a shadow changes one of them.

    Args:
        away: (..., 3) difference of log B, G, R.
    """
    shade = away.mean(axis=-1, keepdims=True)
    tint = ((away - shade) ** 2).sum(axis=-1, keepdims=True)
    return np.concatenate(
        (
            np.clip(2 * shade, -1, 1),
            1 / (1 + 100 * tint),
            1 / (1 + 10 * tint),
            1 / (1 + 25 * shade * shade),
        ),
        axis=-1,
    )


def _shares(scores: Floats) -> Floats:
    """Return numbers that add up to 1 along the last axis (softmax)."""
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))
