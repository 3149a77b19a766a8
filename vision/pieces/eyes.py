"""A pair of networks, and what they know of the pieces of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from companion.rules.board import Look
from vision.empty_board import Floats, Sight
from vision.pieces import closer, network
from vision.pieces.closer import Numbers
from vision.pieces.looks import name_of
from vision.pieces.network import RIM, Lessons, Thoughts, Trained


@dataclass(frozen=True, slots=True)
class View:
    """How a photo is held before the eyes; they were taught all.

    Attributes:
        down: -1 where its last row comes first, else 1.
        across: -1 where its last column comes first, else 1.
    """

    down: Literal[1, -1] = 1
    across: Literal[1, -1] = 1

    def planes(self, planes: Floats) -> Floats:
        """Return planes (..., H, W) as they are seen."""
        return planes[..., :: self.down, :: self.across]

    def lean(self, lean: Floats) -> Floats:
        """Return (..., 2) how points are seen to lean, see `Network.think`."""
        return lean * np.array((self.across, self.down), np.float32)

    def order(self, rows: int, columns: int) -> Numbers:
        """Return which cell is seen where each cell lies; it is its own inverse."""
        cells = np.arange(rows * columns).reshape(rows, columns)
        return cells[:: self.down, :: self.across].ravel()


UPRIGHT, ROTATED, MIRRORED = View(), View(-1, -1), View(1, -1)


class Eyes:
    """The network and the closer look, told what a table's pieces look like. Mutable.

    Args:
        looks: that pieces have.
        foreign: that none should have.
        lessons: that they had.
        views: that they will be asked for; `learn` may be told what the first shows.
    """

    def __init__(
        self,
        looks: Sequence[Look],
        foreign: Sequence[Look],
        lessons: Lessons,
        views: Sequence[View],
    ) -> None:
        self._network = network.trained(lessons)
        self._closer = closer.trained(lessons)
        self._views = views
        # The network, once for each view, and last the closer look.
        taught: list[Trained] = [*([self._network] * len(views)), self._closer]
        self._told = [
            np.array([of.called(name_of(look)) for look in looks]) for of in taught
        ]
        called = [self._network.called(name_of(look)) for look in foreign]
        self._foreign = np.array(called)
        self._named = np.ones(len(looks), bool)
        self._sightings: dict[Look, list[tuple[Floats, ...]]] = {
            look: [] for look in looks
        }

    def think(self, sight: Sight, lean: Floats, view: View) -> Thoughts:
        """Return what is thought of each cell at first sight.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2), see `Network.think`.
            view: of it.
        """
        told = self._told[self._views.index(view)]
        thoughts = self._network.think(*_seen_by(view, sight, lean), told)
        return thoughts if view == UPRIGHT else thoughts.of(view.order(*lean.shape[:2]))

    def closely(
        self,
        sight: Sight,
        lean: Floats,
        thoughts: Thoughts,
        asked: Numbers,
        view: View,
    ) -> Floats:
        """Return (cells, 2 + K) `Thoughts.log_p` after a closer look at some cells.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2), see `Network.think`.
            thoughts: of the same photo in the same view.
            asked: (N,) the cells.
            view: of it.
        """

        def around(cells: Numbers) -> Floats:
            return view.planes(sight.around(cells))

        log_p = thoughts.log_p.copy()
        log_p[asked] = self._closer.log_p(
            around, view.lean(lean), thoughts, asked, self._told[-1], self._named
        )
        return log_p

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

    def learn(
        self,
        sight: Sight,
        lean: Floats,
        kinds: Mapping[int, Look],
        seen: Floats | None = None,
    ) -> None:
        """Learn what pieces look like from a photo.

        Args:
            sight: of the photo.
            lean: (rows, columns, 2), see `Network.think`.
            kinds: what lies where, by the cells' numbers.
            seen: `Thoughts.own` of the first view, if it was thought of.
        """
        where = np.array(list(kinds))
        _, close = self._closer.seen(sight.around(where), lean.reshape(-1, 2)[where])
        known = [] if seen is None else [seen]
        other = (self._seen(sight, lean, view) for view in self._views[len(known) :])
        ways = (way[where] for way in (*known, *other))
        for look, own, *views in zip(kinds.values(), close, *ways, strict=True):
            shown = (self._network.shown(way, name_of(look)) for way in views)
            self._sightings[look].append((*shown, own))
        for number, sightings in enumerate(self._sightings.values()):
            for told, *own_there in zip(self._told, *sightings, strict=True):
                if own_there:
                    told[number] = np.mean(own_there, axis=0)
            self._named[number] = not sightings

    def _seen(self, sight: Sight, lean: Floats, view: View) -> Floats:
        """Return (cells, TOLD) what a view shows on each cell, see `Network.seen`."""
        own = self._network.seen(*_seen_by(view, sight, lean))[1]
        return own[view.order(*lean.shape[:2])]


def _seen_by(view: View, sight: Sight, lean: Floats) -> tuple[Floats, Floats]:
    """Return what `Network.think` takes of a view of a photo."""
    picture = view.planes(sight.whole[:, RIM:-RIM, RIM:-RIM])
    return picture, view.lean(lean)[:: view.down, :: view.across]
