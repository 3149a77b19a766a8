"""A pair of networks, and what they know of the pieces of one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import Literal

import numpy as np

from companion.rules.board import Look
from vision.appearance import difference, least_apart
from vision.empty_board import Floats, Parts, Sight
from vision.pieces import closer, network
from vision.pieces.closer import BURIED, Numbers
from vision.pieces.looks import name_of
from vision.pieces.network import RIM, Lessons, Thoughts, Trained
from vision.pieces.seen import Seen


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
        """Return (..., 2) how points are seen to lean, see `Network.seen`."""
        return lean * np.array((self.across, self.down), np.float32)

    def order(self, rows: int, columns: int) -> Numbers:
        """Return which cell is seen where each cell lies; it is its own inverse."""
        cells = np.arange(rows * columns).reshape(rows, columns)
        return cells[:: self.down, :: self.across].ravel()


UPRIGHT, ROTATED, MIRRORED = View(), View(-1, -1), View(1, -1)

# By how many times as much as noise cells differ in two photos where something else may
# lie: of 2,900 pieces that were turned over or exchanged all but 5 differ by more, of
# those that stayed 3 %.
_TOUCHED = 3.0
_CARD = 6  # squares that a card covers at most
_LATER = 8  # lessons that wait at most; each keeps a photo of most of a megabyte


@dataclass(frozen=True, slots=True, eq=False)
class _Lesson:
    """Pieces that surely have looks, see `Eyes.learn`."""

    sight: Sight
    lean: Floats
    kinds: Mapping[int, Look]
    seen: Floats | None

    @property
    def where(self) -> Numbers:
        """The pieces' cells, (N,)."""
        return np.array(list(self.kinds))


class _Told:
    """What eyes know of the looks by one way to see. Mutable.

    Most photos ask for one way alone, so the others learn when they are asked.

    Args:
        looks: that pieces have.
        called: (K, told) what they are like by their names.
        see: returns (N, told) what a lesson's pieces are like.
    """

    def __init__(
        self,
        looks: Sequence[Look],
        called: Sequence[Floats],
        see: Callable[[_Lesson], Iterable[Floats]],
    ) -> None:
        self._told, self._see = np.array(called), see
        self._seen: dict[Look, list[Floats]] = {look: [] for look in looks}
        self._lessons: list[_Lesson] = []

    def learn(self, lesson: _Lesson) -> None:
        """Learn from a lesson, soon."""
        self._lessons.append(lesson)
        if len(self._lessons) > _LATER:
            self()

    def __call__(self) -> Floats:
        """Return (K, told) what the looks are like, by all lessons.

        The same array as long as nothing was learnt.
        """
        for lesson in self._lessons:
            for look, own in zip(lesson.kinds.values(), self._see(lesson), strict=True):
                self._seen[look].append(own)
        if self._lessons:
            self._told = self._told.copy()
            for number, seen in enumerate(self._seen.values()):
                if seen:
                    self._told[number] = np.mean(seen, axis=0)
            self._lessons = []
        return self._told


@dataclass(frozen=True, slots=True, eq=False)
class _Before:
    """The last photo that was thought of, see `Eyes.think`.

    Attributes:
        seen: on its cells.
        parts: of the photo.
        told: (K, TOLD) what looks were known to be like.
        thoughts: of it.
    """

    seen: Seen
    parts: Parts
    told: Floats
    thoughts: Thoughts


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
        self._looks, self._first = looks, views[0]

        def called(of: Trained, looks: Sequence[Look]) -> list[Floats]:
            return [of.called(name_of(look)) for look in looks]

        self._told = {
            view: _Told(looks, called(self._network, looks), partial(self._seen, view))
            for view in views
        }
        self._closely_told = _Told(
            looks, called(self._closer, looks), self._seen_closely
        )
        self._foreign = np.array(called(self._network, foreign))
        self._sightings: Counter[Look] = Counter()
        self._before: _Before | None = None
        self._apart: Floats | float = np.inf

    def think(
        self, sight: Sight, lean: Floats, view: View, *, apart: bool = False
    ) -> Thoughts:
        """Return what is thought of each cell at first sight.

        Args:
            sight: of a photo.
            lean: (rows, columns, 2), see `Network.seen`.
            view: of it.
            apart: from the photos before it and after it; other views always are.
        """
        apart |= view != UPRIGHT
        told = self._told[view]()
        seen_before = thought_before = None
        if not apart and self._before is not None:
            before = self._before
            seen_before = before.seen
            change = difference(sight.parts, before.parts)
            if change is not None:
                differ, noise = change
                touched = seen_before.doubted | (differ.ravel() > _TOUCHED)
                touched |= self._apart < least_apart(before.parts, noise)
                seen_before = replace(seen_before, doubted=touched)
            if before.told is told:
                thought_before = before.thoughts
        seen = self._network.seen(*_seen_by(view, sight, lean), seen_before)
        thoughts = self._network.think(seen, told, self._foreign, thought_before)
        if view != UPRIGHT:
            return thoughts.of(view.order(*lean.shape[:2]))
        if not apart and not under_hand(thoughts.log_p):
            self._before = _Before(seen, sight.parts, told, thoughts)
        return thoughts

    def look_again(self, cells: Numbers, apart: Floats) -> None:
        """Look at some cells in the next photo, too, though it shows nothing new.

        Args:
            cells: (N,) that are in doubt.
            apart: (cells,) how far looks of pieces are from the most similar ones, of
                white: what lies there may be another one that looks new by no more.
        """
        self._apart = apart
        if self._before is not None:
            doubted = self._before.seen.doubted
            doubted[:] = False
            doubted[cells] = True

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
            lean: (rows, columns, 2), see `Network.seen`.
            thoughts: of the same photo in the same view.
            asked: (N,) the cells.
            view: of it.
        """

        def around(cells: Numbers) -> Floats:
            return view.planes(sight.around(cells))

        log_p, told = thoughts.log_p.copy(), self._closely_told()
        named = np.array([not self._sightings[look] for look in self._looks])
        log_p[asked] = self._closer.log_p(
            around, view.lean(lean), thoughts, asked, told, named
        )
        return log_p

    def foreign(self, thoughts: Thoughts, cells: Numbers) -> Floats:
        """Return (M, F) how much better M cells agree with looks of no piece, nats.

        Than with all looks that pieces have; at first sight.

        Args:
            thoughts: of a photo.
            cells: (M,).
        """
        own = np.logaddexp.reduce(thoughts.first[cells, 2:], axis=1, keepdims=True)
        return np.asarray(thoughts.foreign[cells] - own)

    def sightings(self, look: Look) -> int:
        """Return how many pieces of a look were seen."""
        return self._sightings[look]

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
            lean: (rows, columns, 2), see `Network.seen`.
            kinds: what lies where, by the cells' numbers.
            seen: `Thoughts.own` of the first view, if it was thought of.
        """
        self._sightings.update(kinds.values())
        lesson = _Lesson(sight, lean, kinds, seen)
        for told in (*self._told.values(), self._closely_told):
            told.learn(lesson)

    def _seen(self, view: View, lesson: _Lesson) -> list[Floats]:
        """Return (N, TOLD) what a view shows of a lesson's pieces."""
        sight, lean, own = lesson.sight, lesson.lean, lesson.seen
        if own is None or view != self._first:
            seen = self._network.seen(*_seen_by(view, sight, lean)).own
            own = seen[view.order(*lean.shape[:2])]
        names = map(name_of, lesson.kinds.values())
        return list(map(self._network.shown, own[lesson.where], names))

    def _seen_closely(self, lesson: _Lesson) -> Floats:
        """Return (N, told) what a closer look shows of a lesson's pieces."""
        where, lean = lesson.where, lesson.lean.reshape(-1, 2)
        return self._closer.seen(lesson.sight.around(where), lean[where])[1]


def _seen_by(view: View, sight: Sight, lean: Floats) -> tuple[Floats, Floats]:
    """Return what `Network.seen` takes of a view of a photo."""
    picture = view.planes(sight.whole[:, RIM:-RIM, RIM:-RIM])
    return picture, view.lean(lean)[:: view.down, :: view.across]


def under_hand(log_p: Floats) -> bool:
    """Return whether more is buried than under a card, by (cells, 2 + K)."""
    return bool(np.count_nonzero(log_p[:, 1] >= log(BURIED)) > _CARD)
