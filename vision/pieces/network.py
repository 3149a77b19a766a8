"""The network that tells which look every cell has.

A trunk of four convolutions turns the picture of each cell and a third of a cell
around it into 64 numbers, a fifth looks at the cells around; they tell whether the
cell is empty or covered. Every look the table's pieces can have is then held against
the cell: two maps of attention say where the inner part and the rim of what lies there
are, and how far it is, in their colours and in what was learnt, from what the same
network sees of the look's sample gives one score a look. So any number of looks can be
told apart, also ones that the network was never shown.

Light and blur change all pieces of a photo alike. So every cell is held against the
looks once more, this time as the photo's other cells show them, each with the weight
of what was thought of it at first: a step of soft k-means from the samples (Ren et al.
2018, Meta-learning for semi-supervised few-shot classification). It was taught on drawn
tables (`vision.training`). Cells that look as they did are neither looked at nor
thought of again (`vision.pieces.seen`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.pieces.seen import AROUND, STEP, Box, Seen
from vision.rectify import MARGIN
from vision.windows import windows

Floats = npt.NDArray[np.float32]

Lessons = Literal["paper", "chequered", "pegs", "tall-paper", "tall-pegs"]
"""What weights learnt last: boards of one paper, chequered ones, or, on from those,
boards of one paper with pegs of any shape; the first and the last of these then went on
with pegs of any height. See `vision.training`."""

RIM = MARGIN // 2 - 4
"""Rim of the rectified picture that is not looked at, px of half the resolution."""

CHANNELS = 9
"""Colour, change from the empty board (log B, G, R each), brightness, contrasts."""

MAPS = 2
"""Maps of attention; each finds a colour of what lies on a cell."""

TOLD = 32
"""Numbers that describe a look: two colours (log B, G, R), and what was learnt."""

_BEFORE, _AFTER = 8, 4  # px that the first convolutions see beyond a cell's window
_NO_LOOKS = np.zeros((0, TOLD), np.float32)
_THIRDS = np.full(3, 1 / 3, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Thoughts:
    """What is thought of the N cells of a photo.

    Attributes:
        log_p: (N, 2 + K) natural log-probabilities of an empty cell, of a covered
            one, and of the K looks.
        h: (N, 128) what kind of thing is seen there, see `Seen`.
        own: (N, TOLD) what it is like.
        first: (N, 2 + K) how well cells agree with that at first, nats.
        foreign: (N, F) how well they agree with looks that no piece should have.
        why: (K, N, 32) how the looks agree with it, at first and in the whole photo.
    """

    log_p: Floats
    h: Floats
    own: Floats
    first: Floats
    foreign: Floats
    why: tuple[Floats, Floats]

    def of(self, cells: npt.NDArray[np.intp]) -> Thoughts:
        """Return what is thought of M cells, in their order."""
        inner, again = self.why
        return Thoughts(
            self.log_p[cells],
            self.h[cells],
            self.own[cells],
            self.first[cells],
            self.foreign[cells],
            (inner[:, cells], again[:, cells]),
        )


class Trained:
    """What networks have in common: weights, and layers made of them.

    Args:
        weights: arrays by the names that the training gives them.
    """

    def __init__(self, weights: Mapping[str, npt.NDArray[np.floating]]) -> None:
        self._weights = {
            name: array.astype(np.float32) for name, array in weights.items()
        }

    def called(self, name: Floats) -> Floats:
        """Return (told,) what pieces of a name look like (see `looks.name_of`)."""
        of = self._weights
        told = self._layer("name1", name) @ of["name2.weight"] + of["name2.bias"]
        told[:6] += name[:6]
        return np.asarray(told)

    def _thinly(
        self, number: str, planes: Floats, side: int, step: int, rim: int
    ) -> Floats:
        """Return a convolution's positive output, (..., rows, columns, out).

        It sees half of the channels, each a sum of all of them: a third cheaper,
        and as good (linear bottlenecks, Sandler et al. 2018, MobileNetV2).
        """
        weight = self._weights[f"thin{number}.weight"]
        thin, inner = _framed(planes, weight.shape[1], rim)
        np.matmul(planes, weight, out=inner)
        return self._layer(f"conv{number}", _taps(thin, side, step))

    def _convolved(
        self, name: str, planes: Floats, side: int, step: int, rim: int
    ) -> Floats:
        """Return what `_thinly` does, of all channels."""
        framed, inner = _framed(planes, planes.shape[-1], rim)
        inner[:] = planes
        return self._layer(name, _taps(framed, side, step))

    def _layer(self, name: str, values: Floats) -> Floats:
        """Return a linear layer's positive output, (..., out)."""
        weight = self._weights[f"{name}.weight"]
        # One large product is faster than numpy's many small ones.
        out = values.reshape(-1, len(weight)) @ weight
        out += self._weights[f"{name}.bias"]
        return positive(out).reshape(*values.shape[:-1], weight.shape[1])


class Network(Trained):
    """The trained network; see `vision.training.learn`."""

    def think(
        self,
        seen: Seen,
        looks: Floats,
        foreign: Floats = _NO_LOOKS,
        before: Thoughts | None = None,
    ) -> Thoughts:
        """Return what is thought of each cell.

        Args:
            seen: of the photo.
            looks: (K, TOLD), see `shown` and `called`.
            foreign: (F, TOLD) the same of looks that no piece should have.
            before: what was thought of an earlier photo, by the same looks. It holds
                for cells that are not seen anew.
        """
        of, cells = self._weights, np.flatnonzero(seen.fresh)
        if before is None:
            cells = np.arange(len(seen.h))
        elif not cells.size:
            return before
        h, own = seen.h[cells], seen.own[cells]
        whole = self._layer("whole", seen.h.mean(axis=0))
        ground = h @ of["ground.weight"] + of["ground.bias"]
        ground += whole @ of["whole_ground.weight"]
        inner, scores = self._held(h, own, whole, np.concatenate((looks, foreign)))
        inner, strange = inner[: len(looks)], scores[:, len(looks) :]
        own_first = np.concatenate((ground, scores[:, : len(looks)]), axis=-1)
        first = own_first
        if before is not None:
            first = _renewed(before.first, cells, own_first)
        others, typical = _typical(shares(first)[:, 2:].T, seen.own, looks, cells)
        whole_photo = (inner, np.log1p(others), difference(own, typical))
        again = self._layer("again", np.concatenate(whole_photo, axis=-1))
        change = again @ of["change.weight"] + of["change.bias"]
        last = own_first.copy()
        last[:, 2:] += change[..., 0].T
        log_p = normal(last)
        if before is not None:
            log_p = _renewed(before.log_p, cells, log_p)
            strange = _renewed(before.foreign, cells, strange)
            inner = _renewed(before.why[0], cells, inner)
            again = _renewed(before.why[1], cells, again)
        return Thoughts(log_p, seen.h, seen.own, first, strange, (inner, again))

    def _held(
        self, h: Floats, own: Floats, whole: Floats, looks: Floats
    ) -> tuple[Floats, Floats]:
        """Hold N cells against K looks: return (K, N, 32) numbers, and (N, K) scores.

        Args:
            h: (N, 128), see `seen`.
            own: (N, TOLD), see `seen`.
            whole: (32,) what is seen of the whole photo.
            looks: (K, TOLD).
        """
        of = self._weights
        see = h @ of["see.weight"] + of["see.bias"]
        see += whole @ of["whole_see.weight"]
        pair = difference(own, looks[:, None]) @ of["differ.weight"]
        pair += see
        pair += (looks @ of["look.weight"])[:, None]
        inner = self._layer("pair", positive(pair))
        score = inner @ of["score.weight"] + of["score.bias"]
        return inner, score[..., 0].T

    def seen(self, picture: Floats, lean: Floats, before: Seen | None = None) -> Seen:
        """Return what is seen on each cell.

        Args:
            picture: (CHANNELS, H, W), see `Sight.whole`, without its rim.
            lean: (rows, columns, 2) how far a point is seen off its place (right,
                down) for each unit of its height.
            before: what was seen in another photo of the board. Cells that look as
                they did, and all around them do, are not looked at again, but for those
                in doubt.
        """
        rows, columns = lean.shape[:2]
        board = Box(slice(0, rows), slice(0, columns))
        changed = None if before is None else before.changed(picture, lean)
        if before is None or changed is None:
            changed, now = [board], self._unseen(picture, lean)
        else:
            now = before.copy()
        by_itself = now.alone[1:-1, 1:-1, : -lean.shape[-1]]
        for box in changed:
            by_itself[box.cells] = self._alone(picture, box)
            box.windows(now.colour)[:] = box.windows(picture[: len(now.colour)])
        h, own = (whole.reshape(rows, columns, -1) for whole in (now.h, now.own))
        fresh = now.fresh.reshape(rows, columns)
        for box in changed:
            wider = box.wider(board)
            fresh[wider.cells] = True
            colour = wider.windows(picture[: len(now.colour)])
            h[wider.cells], own[wider.cells] = self._beside(
                colour, now.alone[wider.framed]
            )
        return now

    def _unseen(self, picture: Floats, lean: Floats) -> Seen:
        """Return room for what will be seen on each cell."""
        rows, columns, ways = lean.shape
        known = len(self._weights["conv4.bias"])
        alone = np.zeros((rows + 2, columns + 2, known + ways), np.float32)
        alone[1:-1, 1:-1, known:] = lean
        h = np.empty((rows * columns, len(self._weights["own.weight"])), np.float32)
        own = np.empty((rows * columns, TOLD), np.float32)
        fresh, doubted = np.zeros((2, rows * columns), bool)
        return Seen(h, own, np.empty_like(picture[:3]), alone, fresh, doubted)

    def _alone(self, picture: Floats, box: Box) -> Floats:
        """Return what is seen of each cell of a box by itself, (rows, columns, C)."""
        down, across = (
            slice(max(side.start - _BEFORE, 0), side.stop + _AFTER)
            for side in box.shown
        )
        quarters = quarters_of(picture[..., down, across])
        height, width = quarters.shape[2:]
        z = self._layer("conv1", quarters.reshape(-1, height * width).T)
        z = z.reshape(height, width, -1)
        z = self._thinly("2", z, 3, 2, 1)
        z = self._thinly("3", z, 3, 1, 1)
        # By now one place is four px.
        own_down, own_across = (
            slice((side.start - more.start) // 4, (side.stop - more.start) // 4)
            for side, more in zip(box.shown, (down, across), strict=True)
        )
        return self._thinly("4", z[own_down, own_across], 5, 3, 0)

    def _beside(self, colour: Floats, alone: Floats) -> tuple[Floats, Floats]:
        """Return `Seen.h` and `Seen.own` of some cells, (rows, columns, ...).

        Args:
            colour: (3, H, W) the photo's colours there.
            alone: (rows + 2, columns + 2, C), see `Seen`.
        """
        of = self._weights
        known = len(of["conv4.bias"])
        z, around = alone[1:-1, 1:-1, :known], self._layer("around", _taps(alone, 3, 1))
        shape = z.shape[:2]
        h = np.concatenate((z, around), axis=-1).reshape(-1, 2 * known)
        where = (h @ of["attend.weight"] + of["attend.bias"]).reshape(len(h), MAPS, -1)
        mean = cv2.merge(quarters_of(colour).sum(axis=0) / 4)
        around = windows(mean, AROUND, STEP).reshape(len(h), -1, 3)
        learnt = h @ of["own.weight"] + of["own.bias"]
        colours = attended(where, around).reshape(len(h), -1)
        own = np.concatenate((colours, learnt), axis=-1)
        return h.reshape(*shape, -1), own.reshape(*shape, -1)

    def shown(self, seen: Floats, name: Floats) -> Floats:
        """Return (TOLD,) what a look is like of which a sample was seen.

        Args:
            seen: (TOLD,) on its cell, see `seen`.
            name: (NAMED,) of the look, see `looks.name_of`; it helps a little.
        """
        of = self._weights
        hint = self._layer("hint1", np.concatenate((seen, name, [1]), dtype=np.float32))
        return np.asarray(seen + hint @ of["hint2.weight"] + of["hint2.bias"])


@cache
def trained(lessons: Lessons) -> Network:
    """Return a network that comes with the program."""
    return Network(weights(f"network-{lessons}"))


def weights(name: str) -> dict[str, npt.NDArray[np.float16]]:
    """Return weights that come with the program."""
    with np.load(Path(__file__).with_name(f"{name}.npz")) as file:
        return dict(file)


def quarters_of(planes: Floats) -> Floats:
    """Return (4, ..., h, w) each one of the four pixels that make a square."""
    return np.stack([planes[..., y::2, x::2] for y in range(2) for x in range(2)])


def positive(values: Floats) -> Floats:
    """Return values, which are changed, with 0 for negative ones.

    Numpy takes eight times as long.
    """
    line = values.reshape(1, -1)
    cv2.threshold(line, 0, 0, cv2.THRESH_TOZERO, dst=line)
    return line.reshape(values.shape)


def _framed(planes: Floats, channels: int, rim: int) -> tuple[Floats, Floats]:
    """Return zeros for planes (..., h, w, C) with a rim, and what is in it."""
    *many, height, width, _ = planes.shape
    framed = np.zeros((*many, height + 2 * rim, width + 2 * rim, channels), np.float32)
    return framed, framed[..., rim : rim + height, rim : rim + width, :]


def _taps(planes: Floats, side: int, step: int) -> Floats:
    """Return what convolutions of (..., h, w, C) see, (..., rows, columns, taps)."""
    seen = windows(planes, side, step)
    return seen.reshape(*seen.shape[:-3], -1)


def _renewed(every: Floats, cells: npt.NDArray[np.intp], now: Floats) -> Floats:
    """Return what was thought of all cells, (..., N, numbers), but of M what is now."""
    renewed = every.copy()
    renewed[..., cells, :] = now
    return renewed


def _typical(
    share: Floats, own: Floats, looks: Floats, cells: npt.NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Return what each look is like elsewhere in the photo than on M cells.

    The mean of what is seen there, and once, as if it were another cell, of the look
    as the samples have it, moved by as much as all looks are on the whole.

    Args:
        share: (K, N) what is thought of each cell.
        own: (N, TOLD) what is seen there.
        looks: (K, TOLD) as the samples or the names have it.
        cells: (M,) of the N.

    Returns:
        how many other cells have the look (K, M, 1), and (K, M, TOLD).
    """
    whole, total = share @ own, share.sum(axis=1, keepdims=True)
    share, mine = share[:, cells], own[cells]
    others = total - share
    # By how much all looks are moved, (M, TOLD): what is seen elsewhere less the looks.
    moved = whole.sum(axis=0) - share.sum(axis=0)[:, None] * mine - others.T @ looks
    moved /= others.sum(axis=0)[:, None] + 1
    others = others[..., None]
    typical = share[..., None] * mine
    np.subtract((whole + looks)[:, None], typical, out=typical)
    typical += moved
    typical /= others + 1
    return others, typical


def difference(own: Floats, looks: Floats, maps: int = MAPS) -> Floats:
    """Return (..., 4 * maps + told) numbers that say how pieces differ from looks.

    Args:
        own: (..., told) what is seen of pieces: colours, and what was learnt.
        looks: (..., told) what they are held against.
        maps: of attention, one for each colour.
    """
    away = own - looks
    colours, learnt = away[..., : 3 * maps], away[..., 3 * maps :]
    # A shadow changes brightness, but not the tint.
    shade, tint = shade_and_tint(colours.reshape(-1, 3))
    alike = np.empty((4, len(shade)), np.float32)
    alike[0] = (2 * shade).clip(-1, 1)
    alike[1], alike[2], alike[3] = 100 * tint, 10 * tint, 25 * shade * shade
    alike[1:] += 1
    np.reciprocal(alike[1:], out=alike[1:])
    told = np.empty((*away.shape[:-1], 4 * maps + away.shape[-1]), np.float32)
    told[..., : 4 * maps] = alike.T.reshape(*away.shape[:-1], 4 * maps)
    colours.clip(-1, 1, out=told[..., 4 * maps : 7 * maps])
    np.abs(learnt, out=told[..., 7 * maps :])
    return told


def shade_and_tint(away: Floats) -> tuple[Floats, Floats]:
    """Return the mean (...) of log B, G, R (..., 3), and the squares of the rest."""
    shade = away @ _THIRDS
    rest = away - shade[..., None]
    return shade, np.einsum("...c,...c->...", rest, rest)


def shares(scores: Floats) -> Floats:
    """Return numbers that add up to 1 along the last axis (softmax)."""
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def attended(where: Floats, seen: Floats) -> Floats:
    """Return (N, maps, C) the mean of what is seen, weighed by attention.

    Args:
        where: (N, maps, places) logarithms of the weights, which are changed.
        seen: (N, places, C).
    """
    where -= where.max(axis=-1, keepdims=True)
    np.exp(where, out=where)
    # Sums are divided, not weights: that are fewer numbers than `shares` has.
    return np.asarray(where @ seen / where.sum(axis=-1, keepdims=True))


def normal(scores: Floats) -> Floats:
    """Return logarithms of numbers that add up to 1 along the last axis."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)))
