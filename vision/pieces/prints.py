"""The very last look: chips told by what is printed on them, ring by ring.

Which side of a chip is up is often said by a thin ring or a word, which a few pixels
hardly show. But all that is printed goes round the middle, so where that is known
(`vision.pieces.tops`) each ring's mean has little noise: its colour, and how much it
changes along the ring, by the power of its angular frequencies, since nobody knows how
a chip is turned. What a doubtful chip shows is held against samples and sure pieces,
one by one; what the pairs say is put together for each look, as in
`vision.pieces.relation`. Only which piece lies there is asked, not whether one does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import median

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import Look
from vision.empty_board import Floats, Sight, logarithms
from vision.frame import Image
from vision.pieces import tops
from vision.pieces.closer import FAR, Numbers
from vision.pieces.network import Trained, normal, positive, weights
from vision.pieces.relation import (
    BESIDE,
    SAMPLE,
    SAY,
    Known,
    about,
    agreed,
    apart,
    nearest,
)
from vision.rectify import FINE

Finely = Callable[[], Image]
"""Returns a photo, rectified, at `FINE` px a cell."""

RINGS, SPOKES = 24, 48
"""Where chips are looked at: on so many rings, at so many places along each."""

REACH = 1.2
"""How far the rings reach, in radii: to what is beside the chip."""

BANDS = (1, 3), (3, 7), (7, 13), (13, 25)
"""Angular frequencies that are taken together, turns, from and to before."""

TOGETHER = 3
"""Rings of which those are taken together."""

MEANS = 3 * RINGS
"""Numbers that say what colours the rings have."""

TOLD = MEANS + len(BANDS) * RINGS // TOGETHER + 1
"""Numbers that say what is seen of a chip: rings' colours, how they change, and how
surely the chip's middle is known."""

NETWORKS = "prints", "prints-windows"
"""Two that learnt from other tables, the second with windows that are mirrored.

On 290 tables that neither had learnt doubts cost less by the mean of both than by
either; see `vision.training`.
"""

LARGE, LARGER = 3.0, 6.0
"""Log units are small; by so much are colours taken, and differences of rings."""

BASIS = np.array(((1 / 3, 1, 0), (1 / 3, -1, -1), (1 / 3, 0, 1)), np.float32)
"""Makes of log B, G, R how bright it is, and two tints."""

_PART = (np.arange(RINGS, dtype=np.float32) + 0.5) * (REACH / RINGS)  # radii
_TURN = np.arange(SPOKES, dtype=np.float32) * (2 * np.pi / SPOKES)
_RIGHT, _DOWN = _PART[:, None] * np.cos(_TURN), _PART[:, None] * np.sin(_TURN)
_OFF = np.arange(-2, 3, dtype=np.float32)  # px, either way
_NEAR = np.stack(np.meshgrid(_OFF, _OFF), axis=-1).reshape(-1, 2)
_ALL = slice(None), slice(None)  # rings and places on each
_FEWER = slice(None, int(RINGS / REACH), 2), slice(None, None, 2)  # on the chip alone
_MOST = np.float32(0.3)  # log units; what differs more is a word, or mirrored
_TRIMMED = SPOKES // 8  # places at either end that do not count: lamps are mirrored
_LATER = 8  # photos at most that wait to be learnt from; each has two megabytes
_NOISE = np.float32(1e-4)  # log units, squared
_NEAREST = np.float32(0.01)  # squares; nobody knows middles better
_INNER = _PART * (_PART < 0.9)  # radii; what is outside may be the chip's side

SHARE = (_INNER / _INNER.sum())[:, None]
"""(RINGS, 1) how much rings count in a chip's mean colour."""


class Prints(Trained):
    """The trained network; see `vision.training.compare`."""

    def log_p(self, own: Floats, known: Known, away: Floats, before: Floats) -> Floats:
        """Return (N, 2 + K) natural log-probabilities of N chips.

        Args:
            own: (N, TOLD), see `Rings`.
            known: R things that they are held against; there are no names among them.
            away: (N, R) how far off they lie, squares along both axes.
            before: (N, 2 + K) what was thought before.
        """
        of, looks = self._weights, before.shape[1] - 2
        gain, rest = parted(own)
        their_gain, their_rest = parted(known.seen)
        told = differences(gain[:, None] - their_gain, rest[:, None] - their_rest)
        pair = told @ of["differ.weight"]
        pair += about(known.kind, away) @ of["about.weight"]
        mine = rest[:, None] @ of["mine.weight"] + of["mine.bias"]
        pair += mine + their_rest @ of["theirs.weight"]
        pair = self._layer("pair", positive(pair))
        say = pair @ of["say.weight"] + of["say.bias"]
        agree = agreed(pair, say[..., 0].clip(-SAY, SAY), known.look, looks)
        agree = self._layer("look", agree)
        score = agree @ of["score.weight"] + of["score.bias"]
        pieces = before[:, 2:].clip(FAR, None)
        part = (pieces / 4)[..., None]
        change = self._layer("change1", np.concatenate((agree, part), axis=-1))
        score = of["trust"] * score + change @ of["change2.weight"] + of["change2.bias"]
        pieces = normal(of["sober"] * (of["before"] * pieces + score[..., 0]))
        whole = np.logaddexp.reduce(before[:, 2:], axis=1, keepdims=True)
        return np.concatenate((before[:, :2], pieces + whole), axis=1)


@cache
def trained(name: str) -> Prints:
    """Return a network that comes with the program.

    Args:
        name: one of `NETWORKS`.
    """
    return Prints(weights(name))


def told(own: Floats, known: Known, away: Floats, before: Floats) -> Floats:
    """Return what all networks say on average, see `Prints.log_p`."""
    says = [trained(name).log_p(own, known, away, before) for name in NETWORKS]
    mean = np.mean(says, axis=0)
    whole = np.logaddexp.reduce(before[:, 2:], axis=1, keepdims=True)
    return np.concatenate((before[:, :2], normal(mean[:, 2:]) + whole), axis=1)


class Printed:
    """What is printed on a table's chips, as far as it was seen. Mutable.

    Most photos do not ask for it, so what there is to learn waits until one does.

    Args:
        cell_mm: width and height of a square.
        looks: that chips have.
    """

    def __init__(self, cell_mm: tuple[float, float], looks: Sequence[Look]) -> None:
        self._rings, self._looks = Rings(cell_mm), looks
        self._learnt: set[int] = set()
        self._known: list[Known] = []
        self._lessons: list[tuple[Sight, Image, Mapping[int, Look]]] = []

    def learn(self, sight: Sight, fine: Image, kinds: Mapping[int, Look]) -> None:
        """Learn what is printed on chips that surely have looks, soon.

        Args:
            sight: of a photo.
            fine: the photo at `FINE` px a cell.
            kinds: what lies where, by the cells' numbers.
        """
        self._lessons.append((sight, fine, kinds))
        self._learnt.update(map(self._looks.index, kinds.values()))
        if len(self._lessons) > _LATER:
            self._look_at_lessons()

    def tells(self, before: Floats, asked: Numbers) -> npt.NDArray[np.bool_]:
        """Return (N,) of which chips both looks in question were learnt.

        Who has seen one of two sides alone, or none, can't tell them apart.

        Args:
            before: (cells, 2 + K) what was thought before.
            asked: (N,) cells where the chips lie.
        """
        both = np.argsort(before[asked, 2:], axis=1)[:, -2:]
        return np.asarray(np.isin(both, list(self._learnt)).all(axis=1))

    def log_p(
        self, sight: Sight, fine: Image, before: Floats, asked: Numbers
    ) -> Floats:
        """Return (N, 2 + K) natural log-probabilities of N chips.

        Args:
            sight: of a photo.
            fine: the photo at `FINE` px a cell.
            before: (cells, 2 + K) what was thought before.
            asked: cells where the chips lie.
        """
        self._look_at_lessons()
        look, cells = nearest(before, asked, sight.empty.columns)
        seen = self._rings.seen(sight, fine, np.concatenate((asked, cells)))
        own, others = seen[: len(asked)], seen[len(asked) :]
        known = Known.of((*self._known, Known.all(others, look, BESIDE, cells)))
        if not known.look.size:
            return before[asked]
        away = apart(asked, known.cell, sight.empty.columns)
        return told(own, known, away, before[asked])

    def _look_at_lessons(self) -> None:
        for sight, fine, kinds in self._lessons:
            cells = np.array(list(kinds))
            looks = np.array([self._looks.index(look) for look in kinds.values()])
            seen = self._rings.seen(sight, fine, cells, sure=True)
            self._known.append(Known.all(seen, looks, SAMPLE, cells))
        self._lessons = []


class Rings:
    """Shows what is printed on a table's chips. Mutable: learns how large they are.

    Args:
        cell_mm: width and height of a square.
    """

    def __init__(self, cell_mm: tuple[float, float]) -> None:
        width, height = cell_mm
        # A radius is a part of the root of a square's area, see `Tops.find`.
        sides = np.array((height / width, width / height), np.float32)
        self._sides = FINE * np.sqrt(sides)
        self._radii: list[float] = []

    def seen(
        self, sight: Sight, fine: Image, cells: Numbers, *, sure: bool = False
    ) -> Floats:
        """Return (N, TOLD) what is seen of chips on N cells.

        Args:
            sight: of a photo.
            fine: the photo at `FINE` px a cell.
            cells: where the chips lie.
            sure: they surely are some, so all are as large.
        """
        at, radii, spread = tops.trained().find(sight.around(cells))
        if sure:
            self._radii += radii.tolist()
        radius = median(self._radii or radii.tolist())
        down, right = np.divmod(cells, sight.empty.columns)
        middles = (np.stack((right, down), axis=-1) + 1 + at) * FINE - 0.5
        reach = radius * self._sides
        middles = _centred(fine, middles.astype(np.float32), reach)
        light = sight.cell_light[down, right]
        return _described(_unrolled(fine, middles, reach), light, spread)


def parted(seen: Floats) -> tuple[Floats, Floats]:
    """Return a chip's mean colour (..., 3), and what is seen besides (..., TOLD).

    Both in the colours of `BASIS`, taken by `LARGE`.

    Args:
        seen: (..., TOLD), see `Rings`.
    """
    rings = seen[..., :MEANS].reshape(*seen.shape[:-1], RINGS, 3) @ (LARGE * BASIS)
    gain = (SHARE * rings).sum(axis=-2)
    rest = (rings - gain[..., None, :]).reshape(*seen.shape[:-1], MEANS)
    return gain, np.concatenate((rest, seen[..., MEANS:]), axis=-1)


def differences(gain: Floats, rest: Floats) -> Floats:
    """Return (..., 2 * (3 + TOLD)) what is said of how chips differ.

    Args:
        gain: (..., 3) by how much their colours do, see `parted`.
        rest: (..., TOLD) by how much all else does.
    """
    far = np.concatenate((gain, rest), axis=-1)
    far[..., 3 : 3 + MEANS] *= LARGER / LARGE
    return np.concatenate((far, np.abs(far)), axis=-1)


def _centred(fine: Image, middles: Floats, radius: Floats) -> Floats:
    """Return (N, 2) middles to a px: those around which rings are most of one colour.

    Of 511 chips of drawn photos half were known to 1.1 px before, and to 0.8 after.

    Args:
        fine: (H, W, 3) the photo.
        middles: (N, 2) px, right and down, nearly.
        radius: (2,) px, across and down.
    """
    near = middles[:, None] + _NEAR
    rings = _unrolled(fine, near.reshape(-1, 2), radius, _FEWER)
    usual = np.median(rings, axis=2, keepdims=True)
    away = np.minimum(np.abs(rings - usual), _MOST).sum(axis=-1).mean(axis=2)
    best = (away @ _PART[_FEWER[0]]).reshape(len(near), -1).argmin(axis=1)
    return np.asarray(near[np.arange(len(near)), best])


def _unrolled(
    fine: Image, middles: Floats, radius: Floats, where: tuple[slice, slice] = _ALL
) -> Floats:
    """Return (N, RINGS, SPOKES, 3) log colours on rings around N middles.

    Args:
        fine: (H, W, 3) the photo.
        middles: (N, 2) px, right and down.
        radius: (2,) px, across and down.
        where: rings, and places on each.
    """
    right = middles[:, 0, None, None] + radius[0] * _RIGHT[where]
    down = middles[:, 1, None, None] + radius[1] * _DOWN[where]
    seen = cv2.remap(
        fine,
        right.reshape(len(middles), -1),
        down.reshape(len(middles), -1),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return logarithms(np.asarray(seen, np.uint8)).reshape(*right.shape, 3)


def _described(rings: Floats, light: Floats, spread: Floats) -> Floats:
    """Return (N, TOLD) what is seen on rings (N, RINGS, SPOKES, 3).

    Args:
        rings: log colours.
        light: (N, 3) how it changed there, log units.
        spread: (N,) of the places where the middles may be, squares.
    """
    inner = np.sort(rings, axis=2)[:, :, _TRIMMED:-_TRIMMED]
    means = inner.mean(axis=2) - light[:, None]
    power = np.abs(np.fft.rfft(rings.mean(axis=-1), axis=2) / SPOKES) ** 2
    bands = np.stack(
        [power[..., low:high].sum(axis=-1) for low, high in BANDS], axis=-1
    )
    bands = bands.reshape(len(rings), -1, TOGETHER, len(BANDS)).mean(axis=2)
    change = np.log(bands + _NOISE) / 2
    flat = means.reshape(len(rings), -1), change.reshape(len(rings), -1)
    vague = np.log(spread + _NEAREST)[:, None]
    return np.concatenate((*flat, vague), axis=1).astype(np.float32)
