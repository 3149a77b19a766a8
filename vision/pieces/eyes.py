"""A pair of networks, and what they know of the pieces of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from companion.rules.board import Look
from vision.empty_board import Floats, Sight
from vision.pieces import closer, network
from vision.pieces.closer import Around, Numbers
from vision.pieces.looks import name_of
from vision.pieces.network import RIM, Lessons, Thoughts, Trained


class Eyes:
    """The network and the closer look, told what a table's pieces look like. Mutable.

    Args:
        looks: that pieces have.
        foreign: that none should have.
        lessons: that they had.
    """

    def __init__(
        self, looks: Sequence[Look], foreign: Sequence[Look], lessons: Lessons
    ) -> None:
        self._network = network.trained(lessons)
        self._closer = closer.trained(lessons)
        # In this order: the network, the same upside down, the closer look.
        taught: tuple[Trained, ...] = (self._network, self._network, self._closer)
        self._told = [
            np.array([of.called(name_of(look)) for look in looks]) for of in taught
        ]
        called = [self._network.called(name_of(look)) for look in foreign]
        self._foreign = np.array(called)
        self._named = np.ones(len(looks), bool)
        self._sightings: dict[Look, list[tuple[Floats, ...]]] = {
            look: [] for look in looks
        }

    def think(self, sight: Sight, lean: Floats) -> Thoughts:
        """Return what is thought of each cell at first sight.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2), see `Network.think`.
        """
        return self._network.think(_inner(sight), lean, self._told[0])

    def closely(
        self, sight: Sight, lean: Floats, thoughts: Thoughts, asked: Numbers
    ) -> Floats:
        """Return (cells, 2 + K) `Thoughts.log_p` after a closer look at some cells.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2), see `Network.think`.
            thoughts: of the same photo.
            asked: (N,) the cells.
        """
        return self._closely(sight.around, lean, thoughts, asked)

    def upside_down(self, sight: Sight, lean: Floats, asked: Numbers) -> Floats:
        """Return what `closely` does, of the photo turned upside down."""
        picture, lean = _rotated(_inner(sight), lean)
        thoughts = self._network.think(picture, lean, self._told[1])
        last = len(thoughts.log_p) - 1

        def around(cells: Numbers) -> Floats:
            return sight.around(last - cells)[..., ::-1, ::-1]

        return self._closely(around, lean, thoughts, last - asked)[::-1]

    def foreign(self, thoughts: Thoughts, cells: Numbers) -> Floats:
        """Return (M, F) how much better M cells agree with looks of no piece, nats.

        Than with all looks that pieces have; at first sight.

        Args:
            thoughts: of a photo.
            cells: (M,).
        """
        own = np.logaddexp.reduce(thoughts.scores[cells], axis=1, keepdims=True)
        return self._network.scores(thoughts, cells, self._foreign) - own

    def sightings(self, look: Look) -> int:
        """Return how many pieces of a look were seen."""
        return len(self._sightings[look])

    def seen(self, sight: Sight, lean: Floats) -> Floats:
        """Return (cells, TOLD) what a photo shows on each cell, see `Network.seen`."""
        return self._network.seen(_inner(sight), lean)[1]

    def learn(
        self, sight: Sight, lean: Floats, seen: Floats, kinds: Mapping[int, Look]
    ) -> None:
        """Learn what pieces look like from a photo.

        Args:
            sight: of the photo.
            lean: (rows, columns, 2), see `Network.think`.
            seen: (cells, TOLD) in the same photo.
            kinds: what lies where, by the cells' numbers.
        """
        where = np.array(list(kinds))
        _, rotated = self._network.seen(*_rotated(_inner(sight), lean))
        _, close = self._closer.seen(sight.around(where), lean.reshape(-1, 2)[where])
        ways = seen[where], rotated[::-1][where]
        for look, own, *both_ways in zip(kinds.values(), close, *ways, strict=True):
            both = (self._network.shown(way, name_of(look)) for way in both_ways)
            self._sightings[look].append((*both, own))
        for number, sightings in enumerate(self._sightings.values()):
            for told, *own_there in zip(self._told, *sightings, strict=True):
                if own_there:
                    told[number] = np.mean(own_there, axis=0)
            self._named[number] = not sightings

    def _closely(
        self, around: Around, lean: Floats, thoughts: Thoughts, asked: Numbers
    ) -> Floats:
        log_p = thoughts.log_p.copy()
        log_p[asked] = self._closer.log_p(
            around, lean, thoughts, asked, self._told[2], self._named
        )
        return log_p


def _inner(sight: Sight) -> Floats:
    return sight.whole[:, RIM:-RIM, RIM:-RIM]


def _rotated(picture: Floats, lean: Floats) -> tuple[Floats, Floats]:
    """Return what `Network.think` takes of the same photo upside down."""
    return picture[:, ::-1, ::-1], -lean[::-1, ::-1]
