"""Chips and pegs on printed squares: which look has every cell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import EMPTY, TURNED, Cell, Look, square
from vision.empty_board import EmptyBoard, Floats, Sight
from vision.frame import Image
from vision.pieces import closer, network
from vision.pieces.closer import BURIED, CELLS, CLEAR, FAR, Around, Numbers
from vision.pieces.looks import TEAMS, name_of
from vision.pieces.network import (
    CELL_PX,
    RIM,
    Thoughts,
    Trained,
    normal,
    shade_and_tint,
)
from vision.rectify import MARGIN

_COVERED = 0.5  # probability
_DOUBT = 5e-6  # probability of an error where the networks know of none
_SURE = 0.99  # probability
_CERTAIN = 0.999  # probability of pieces that are as good as samples
_CARD = 6  # squares that a card covers at most
_COVER = 0.5  # log units; of 97,000 drawn empty squares none had more than 0.40
_STRANGE = 0.3  # log units; where all is empty 384 drawn photos had no more than 0.29
_RARE = 13.6  # nats, see `_with_foreign`
_AT_ONCE, _SIGHTINGS = 3, 12  # of a look: from one photo, and in all

RATHER = log(0.5)
"""Log-probability, nats, above which nothing else is as likely."""


class ChipReader:
    """Tells which look every cell of a board has. Mutable.

    What pieces look like it learns from the samples, and then from pieces that surely
    have a look, for those were seen by other lights, too. Looks that are not among the
    samples go by their names until then; so do the colours that no piece should have,
    for one may come from another box, and would else be taken for what it is most like.

    Args:
        board: the empty board.
        lean: (rows, columns, 2) as in the photos of the calibration, see
            `Network.think`.
        looks: all that pieces can have.
        samples: rectified photo of some of them; None without.
        kinds: what lies where in it.
    """

    def __init__(
        self,
        board: EmptyBoard,
        lean: Floats,
        looks: Sequence[Look],
        samples: Image | None,
        kinds: Mapping[Cell, Look],
    ) -> None:
        self._board = board
        self._network = network.trained(chequered=board.chequered)
        self._closer = closer.trained(chequered=board.chequered)
        teams = {look.removesuffix(TURNED) for look in looks}
        foreign = [Look(team) for team in TEAMS if team not in teams]
        self._names = (EMPTY, *looks, *foreign)
        self._foreign = np.array(
            [self._network.called(name_of(look)) for look in foreign]
        )
        self._backs = [
            2 + number for number, look in enumerate(looks) if look.endswith(TURNED)
        ]
        self._cells = [
            square(row, column)
            for row in range(board.rows)
            for column in range(board.columns)
        ]
        # In this order: the network, the same upside down, the closer look.
        taught: tuple[Trained, ...] = (self._network, self._network, self._closer)
        self._told = [
            np.array([of.called(name_of(look)) for look in looks]) for of in taught
        ]
        self._named = np.ones(len(looks), bool)
        self._sightings: dict[Look, list[tuple[Floats, ...]]] = {
            look: [] for look in looks
        }
        if samples is not None and kinds:
            sight = board.under(samples)
            _, seen = self._network.seen(_inner(sight), lean)
            self._learn(sight, lean, seen, kinds)

    def read(
        self, photo: Image, lean: Floats, *, learn: bool = True
    ) -> tuple[dict[Cell, dict[Look, float]], frozenset[Cell]]:
        """Read a rectified photo.

        Args:
            photo: the board, rectified.
            lean: (rows, columns, 2), see `Network.think`.
            learn: what pieces look like, while few were seen.

        Returns:
            natural log-probabilities by cell and look, and the cells hidden.
        """
        sight = self._board.under(photo)
        thoughts = self._network.think(_inner(sight), lean, self._told[0])
        known = self._log_p(sight, lean, thoughts)
        log_p = self._with_foreign(thoughts, known)
        # A faded piece is learnt before it is sure that it is from no other box.
        kinds = self._sure(known, log_p) if learn else {}
        if kinds:
            self._learn(sight, lean, thoughts.own, kinds)
        # Networks know the boards that they were taught on: what has another tint than
        # the empty square is something, and if no piece that is known, a cover.
        tints = _tints(sight)
        covers = tints[::2, ::2].ravel() > _COVER
        covers |= _between(tints, log_p[:, 0] > RATHER)
        log_p[covers, 1] = np.logaddexp(*log_p[covers, :2].T)
        log_p[covers, 0] = FAR
        covered = np.exp(log_p[:, 1])
        # What may be covered may be anything, and no drawing teaches everything: that
        # part of the belief is even.
        even = covered + _DOUBT * (1 - covered)
        p = np.exp(np.delete(log_p, 1, axis=1)) * (1 - _DOUBT)
        table = np.log(p + (even / len(self._names))[:, None]).tolist()
        hidden = frozenset(
            cell
            for cell, part in zip(self._cells, covered.tolist(), strict=True)
            if part >= _COVERED
        )
        found = {
            cell: dict(zip(self._names, line, strict=True))
            for cell, line in zip(self._cells, table, strict=True)
            if cell not in hidden
        }
        return found, hidden

    def _log_p(self, sight: Sight, lean: Floats, thoughts: Thoughts) -> Floats:
        """Return (cells, 2 + K) what `Thoughts.log_p` is, with as much care as needed.

        Cells that are not clear are looked at closely. Where that leaves doubt, the
        photo is seen upside down, too: both networks were taught turned tables, yet
        answer a little otherwise, and the mean is better than one answer. A photo with
        a hand in it is not worth that: there will be one without. A card may stay, but
        covers less.
        """
        asked = _free(thoughts.log_p, CLEAR, self._backs)
        buried = np.count_nonzero(thoughts.log_p[:, 1] >= np.log(BURIED))
        if buried > _CARD or not asked.size:
            return thoughts.log_p
        log_p = self._closely(sight.around, lean, thoughts, asked)
        if not _free(log_p, _SURE, self._backs).size:
            return log_p
        picture, lean = _rotated(_inner(sight), lean)
        thoughts = self._network.think(picture, lean, self._told[1])
        last = len(log_p) - 1

        def around(cells: Numbers) -> Floats:
            return sight.around(last - cells)[..., ::-1, ::-1]

        rotated = self._closely(around, lean, thoughts, last - asked)
        return normal(np.float32(0.5) * (log_p + rotated[::-1]))

    def _with_foreign(self, thoughts: Thoughts, log_p: Floats) -> Floats:
        """Return (cells, 2 + K + F) log-probabilities, F colours that nobody plays.

        What lies there is a piece as surely as before; whose, is asked anew, with the
        scores of the first look. They tell less of colours known by their names alone:
        of 7,500 drawn pieces that were surely read none had more than 9 nats against
        it, of 1,100 from other boxes 40 %. From there a piece is less than 0.99 sure.

        Args:
            thoughts: of the network.
            log_p: (cells, 2 + K).
        """
        if not len(self._foreign):
            return log_p
        every = np.concatenate((self._told[0], self._foreign))
        pieces = np.flatnonzero(log_p[:, 2:].max(axis=1) > RATHER)
        scores = self._network.scores(thoughts, pieces, every)
        known = len(self._told[0])
        own = np.logaddexp.reduce(scores[:, :known], axis=1, keepdims=True)
        piece = np.logaddexp.reduce(log_p[pieces, 2:], axis=1, keepdims=True)
        wider = np.full((len(log_p), 2 + len(every)), -np.inf, np.float32)
        wider[:, : 2 + known] = log_p
        wider[pieces, 2 + known :] = scores[:, known:] - own + piece - _RARE
        return normal(wider)

    def _closely(
        self, around: Around, lean: Floats, thoughts: Thoughts, asked: Numbers
    ) -> Floats:
        """Return what `Thoughts.log_p` is after a closer look at some cells."""
        log_p = thoughts.log_p.copy()
        log_p[asked] = self._closer.log_p(
            around, lean, thoughts, asked, self._told[2], self._named
        )
        return log_p

    def _sure(self, known: Floats, log_p: Floats) -> dict[Cell, Look]:
        """Return pieces that surely have looks of which few were seen.

        Args:
            known: (cells, 2 + K) if pieces are of known colours.
            log_p: (cells, 2 + K + F), see `_with_foreign`.
        """
        kinds = {}
        for look, sightings in self._sightings.items():
            if len(sightings) < _SIGHTINGS:
                column = 1 + self._names.index(look)
                likely = log_p[:, column] > RATHER
                share = np.where(likely, np.exp(known[:, column]), 0)
                best = np.argsort(-share, kind="stable")[:_AT_ONCE]
                sure = best[share[best] >= _CERTAIN]
                kinds.update({self._cells[cell]: look for cell in sure})
        return kinds

    def _learn(
        self, sight: Sight, lean: Floats, seen: Floats, kinds: Mapping[Cell, Look]
    ) -> None:
        """Learn what pieces look like from a photo.

        Args:
            sight: of the photo.
            lean: (rows, columns, 2), see `Network.think`.
            seen: (cells, TOLD) what the network sees of it, see `Network.seen`.
            kinds: what lies where.
        """
        _, rotated = self._network.seen(*_rotated(_inner(sight), lean))
        cells = np.array([self._cells.index(cell) for cell in kinds])
        _, close = self._closer.seen(sight.around(cells), lean.reshape(-1, 2)[cells])
        ways = seen[cells], rotated[::-1][cells]
        for look, own, *both_ways in zip(kinds.values(), close, *ways, strict=True):
            both = (self._network.shown(way, name_of(look)) for way in both_ways)
            self._sightings[look].append((*both, own))
        for number, sightings in enumerate(self._sightings.values()):
            for told, *own_there in zip(self._told, *sightings, strict=True):
                if own_there:
                    told[number] = np.mean(own_there, axis=0)
            self._named[number] = not sightings


def _tints(sight: Sight) -> Floats:
    """Return by how much the tint changed on squares and between them, log units.

    (2 rows - 1, 2 columns - 1) places, half a square apart; the first is the middle of
    the first square.
    """
    rim, half, side = MARGIN // 2, CELL_PX // 2, CELL_PX - 2 * (CELL_PX // 6)
    places = [
        cv2.blur(plane[rim:-rim, rim:-rim], (side, side))[half::half, half::half]
        for plane in sight.whole[3:6]
    ]
    _, squares = shade_and_tint(np.stack(places, axis=-1))
    return np.sqrt(squares)


def _between(tints: Floats, empty: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return (cells,) beside places that changed though all around looks empty.

    A piece on a line is on none of its squares; what leans over one stands on another.

    Args:
        tints: see `_tints`.
        empty: (cells,).
    """
    around = np.ones(tints.shape, bool)
    squares = around[::2, ::2]
    squares[:] = empty.reshape(squares.shape)
    around[1::2] = around[:-2:2] & around[2::2]
    around[:, 1::2] = around[:, :-2:2] & around[:, 2::2]
    changed = (around & (tints > _STRANGE)).astype(np.uint8)
    changed[::2, ::2] = 0
    return np.asarray(cv2.dilate(changed, np.ones((3, 3)))[::2, ::2].ravel() > 0)


def _inner(sight: Sight) -> Floats:
    return sight.whole[:, RIM:-RIM, RIM:-RIM]


def _rotated(picture: Floats, lean: Floats) -> tuple[Floats, Floats]:
    """Return what `Network.think` takes of the same photo upside down."""
    return picture[:, ::-1, ::-1], -lean[::-1, ::-1]


def _free(log_p: Floats, below: float, backs: Sequence[int] = ()) -> Numbers:
    """Return cells, not buried, without an answer of a probability, least sure first.

    They are no more than as many as were looked at together when the look was learnt:
    a photo with more of them is a bad one. That a chip lies turned over is an answer,
    whosever it is: backs may be alike, and the referee knows who had put it there.

    Args:
        log_p: (cells, 2 + K), see `Thoughts`.
        below: the probability.
        backs: columns of the looks of turned chips.
    """
    p = np.exp(log_p)
    best = np.delete(p, (1, *backs), axis=-1).max(axis=-1)
    best = np.maximum(best, p[:, list(backs)].sum(axis=-1))
    free = np.flatnonzero((best < below) & (p[:, 1] < BURIED))
    return free[np.argsort(best[free], kind="stable")][:CELLS]
