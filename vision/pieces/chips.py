"""Chips and pegs on printed squares: which look has every cell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import repeat
from math import log

import numpy as np
import numpy.typing as npt

from companion.rules.board import EMPTY, TURNED, Cell, Look, square, team_of
from vision.appearance import apart
from vision.empty_board import EmptyBoard, Floats, Sight
from vision.pieces import plain, relation
from vision.pieces.closer import BURIED, CELLS, CLEAR, FAR, Numbers
from vision.pieces.eyes import MIRRORED, ROTATED, UPRIGHT, Eyes, View, under_hand
from vision.pieces.heads import Heads
from vision.pieces.looks import TEAMS, name_of
from vision.pieces.memory import Memory, likeliest
from vision.pieces.network import Lessons, Thoughts, normal
from vision.pieces.prints import Finely, Printed
from vision.pieces.relation import SAMPLE, Known, Relation

_COVERED = 0.5  # probability
_DOUBT = 5e-6  # probability of an error where the networks know of none
_SURE = 0.99  # probability
# Probability from which print nearly agrees with eyes that are sure: of 333 squares of
# which it was not sure, either, 5 were wrong, and where it was less sure 14 of 98.
_AGREES = 0.95
_CERTAIN = 0.999  # probability of pieces that are as good as samples
# What the eyes learnt that look first, and those asked in doubt: by the kind of board,
# and for high pieces: pegs, which are what nobody turns over, and those that are looked
# at above the board.
_PAPER: tuple[Lessons, Lessons] = "paper", "pegs"
_CHEQUERED: tuple[Lessons, Lessons] = "chequered", "paper"
_HIGH: tuple[Lessons, Lessons] = "tall-paper", "tall-pegs"
# What those learnt that look at pieces beside cells; on chequered boards the second
# alone is asked. And the weight of each, and of what was thought before: each is too
# sure of what it had not learnt, pegs above all. Where nothing is mirrored, of doubts
# whether one stands there 90 % had been told rightly before, and 62 % after the first
# of them. Of 1,890 drawn boards, pegs, draughtsmen and chips, 81.2 % are exact and 28
# squares wrong by all three, 79.9 % and 37 by the first alone; by all three at 0.4
# 79.5 % and 21. Without samples the first that is asked has the last word: by all
# three 264 squares of 144 strange boards were wrong instead of 82.
_BESIDE: tuple[Lessons, ...] = "paper", "chequered"
_WEIGHT = {1: np.float32(1), 2: np.float32(0.65), 3: np.float32(0.5)}  # by how many say
# Of the eyes that look first, and of those asked in doubt.
_VIEWS: tuple[tuple[View, ...], ...] = (UPRIGHT, ROTATED, MIRRORED), (ROTATED,)
_TOGETHER = 0.65  # weight of each of two pairs of networks, see `_closely`
_RARE = 13.6  # nats, see `_with_foreign`
_BEHIND = np.float32(log(2))  # odds of a cover: 46 of 68 such were, see `Heads`
# What leaves that many squares in doubt, a mirrored window or a print that is like a
# piece, misleads about others of the photo, too: of 157 such readings of drawn boards,
# usual and strange ones and some by windows, squares cost 0.22 nats as they were told,
# and 0.18 to the power of 0.6 or 0.7; of 1,123 others least as they are. A hand that
# leaves squares in doubt does not mislead.
_SEVERAL, _MODEST = 3, np.float32(0.7)
# So does what is mirrored in polished pieces, see `veil.mirrored`, but only where the
# print shows it, too: of 540 drawn pieces beside it, told with 0.97 or more, all were
# told rightly. Pieces under it are told from two sights, see `_either`. Of 392 photos
# with samples 77 are exact, 7 squares wrong and 5,200 open by the power of 0.85 of what
# they tell, by 0.7 52, 4 and 6,200, as told 104, 17 and 4,600; of 102 by names 2, 8 and
# 2,000 by 0.7, and 6, 12 and 1,700 by 0.85.
_MIRRORED = {"samples": np.float32(0.85), "names": np.float32(0.7)}
_LIGHTS = np.float32(-0.2), np.float32(0.2)  # log units more, see `_otherwise`
# Parts of the height that is measured, which is rather less than it is. Of 208 boards
# with pegs 82 % were exact by 0.35 of what it is, 78 and 71 % by 0.25 and 0.6, and 70 %
# on the board; chips of 12 mm are told best 6 mm above it. Lower ones are like those of
# the lessons, and pegs of 12 to 18 mm are told less surely on a plane of 4 mm.
_OF_PEGS, _OF_CHIPS = 0.45, 0.75
_HIGH_PEGS, _HIGH_CHIPS = 14.0, 5.0  # mm, as they are measured
# Log units by which a chip is brighter than its sample where a lamp is mirrored in it.
_HIGHLIGHT = 0.08
_AT_ONCE, _SIGHTINGS = 3, 12  # of a look: from one photo, and in all
_PRINTS = 30  # chips of a photo at most whose print is looked at

RATHER = log(0.5)
"""Log-probability, nats, above which nothing else is as likely."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What is told of a photo, see `ChipReader.read`.

    Attributes:
        log_p: (cells, 2 + K), see `Thoughts`.
        theirs: what the other eyes thought; None if they were not asked.
        several: squares were in doubt before print was looked at, see `_MODEST`.
        printed: (N,) cells that were told by print.
    """

    log_p: Floats
    theirs: Thoughts | None = None
    several: bool = False
    printed: Numbers = field(default_factory=lambda: np.zeros(0, np.intp))


class ChipReader:
    """Tells which look every cell of a board has. Mutable.

    What pieces look like it learns from the samples, and then from pieces that surely
    have a look, for those were seen by other lights, too. Looks that are not among the
    samples go by their names until then; so do the colours that no piece should have,
    for one may come from another box, and would else be taken for what it is most like.

    Args:
        board: the empty board.
        lean: (rows, columns, 2) in the samples' photo, see `Network.seen`.
        cell_mm: width and height of a square.
        looks: all that pieces can have.
        samples: photo of some of them; None without.
        kinds: what lies where in it.
        finely: shows that photo finely; None if nobody can.
        raised: whether pieces are looked at above the board, see `plane_of`.

    Attributes:
        apart: how far looks are from the most similar ones, by the samples.
    """

    def __init__(
        self,
        board: EmptyBoard,
        lean: Floats,
        cell_mm: tuple[float, float],
        looks: Sequence[Look],
        samples: Sight | None,
        kinds: Mapping[Cell, Look],
        finely: Finely | None = None,
        *,
        raised: bool = False,
    ) -> None:
        teams = {team_of(look) for look in looks}
        foreign = [Look(team) for team in TEAMS if team not in teams]
        self._looks, self._names = looks, (EMPTY, *looks, *foreign)
        self._backs = backs_of(looks)
        self._cells = [
            square(row, column)
            for row in range(board.rows)
            for column in range(board.columns)
        ]
        lessons = _PAPER if self._backs and not raised else _HIGH
        taught = _CHEQUERED if board.chequered else lessons
        self._beside_lessons = _BESIDE[board.chequered :]
        self._eyes, self._others = (
            Eyes(looks, foreign, had, views)
            for had, views in zip(taught, _VIEWS, strict=True)
        )
        self._samples: tuple[Sight, Floats, dict[int, Look]] | None = None
        self._highlights: Floats | None = None
        # Who knows the looks by their names alone does not know how much they differ.
        self.apart: dict[Look, float] = {}
        self._heads = None if self._backs else Heads(cell_mm)
        self._print = Printed(cell_mm, looks) if self._backs else None
        if samples is not None and kinds:
            shown = {self._cells.index(cell): look for cell, look in kinds.items()}
            for eyes in (self._eyes, self._others):
                eyes.learn(samples, lean, shown)
            self._samples = samples, lean, shown
            self.apart = apart(samples.parts, kinds)
            if self._backs:
                self._highlights = self._of_samples(samples.highlights, shown)
            if finely is not None and self._print is not None:
                self._print.learn(samples, finely(), shown)
            if self._heads is not None:
                self._heads.learn(samples, lean, shown, np.array(list(shown)))
        far = [self.apart.get(look, np.inf) for look in looks]
        self._far = np.array([np.inf, np.inf, *far], np.float32)
        self._memory, self._of_veiled = (
            Memory(self._backs, self._far) for _ in range(2)
        )
        self._of_lights = Memory(self._backs, self._far, all_lasts=True)

    def read(
        self,
        sight: Sight,
        lean: Floats,
        finely: Finely | None = None,
        *,
        learn: bool = True,
    ) -> tuple[dict[Cell, dict[Look, float]], frozenset[Cell], frozenset[Cell]]:
        """Read a photo.

        Args:
            sight: of it.
            lean: (rows, columns, 2), see `Network.seen`.
            finely: shows it finely; None if nobody can.
            learn: what pieces look like, while few were seen.

        Returns:
            natural log-probabilities by cell and look, the cells hidden, and those
            with chips that are dazzled, see `Observation`.
        """
        thoughts = self._eyes.think(sight, lean, UPRIGHT)
        told = self._answers(sight, lean, thoughts, finely, self._memory)
        if not under_hand(told.log_p):
            log_p = self._otherwise(sight, lean, finely, thoughts, told.log_p)
            told = replace(told, log_p=self._memory.settled(sight, log_p))
            again = doubtful(told.log_p, CLEAR, self._backs)
            self._eyes.look_again(again, self._far[told.log_p.argmax(axis=1)])
        known, theirs = told.log_p, told.theirs
        log_p = self._with_foreign(thoughts, theirs, known)
        # A faded piece is learnt before it is sure that it is from no other box.
        kinds = self._sure(known, log_p) if learn else {}
        if kinds:
            self._eyes.learn(sight, lean, kinds, thoughts.own)
            if theirs is not None:
                self._others.learn(sight, lean, kinds, theirs.own)
            if self._heads is not None and self._samples is None:
                self._heads.learn(sight, lean, kinds, _pieces(log_p))
            if finely is not None and self._print is not None:
                self._print.learn(sight, finely(), kinds)
        covers = plain.covers(sight, log_p[:, 0] > RATHER)
        log_p[covers, 1] = np.logaddexp(*log_p[covers, :2].T)
        log_p[covers, 0] = FAR
        known_by = "names" if self._samples is None else "samples"
        power = np.where(sight.mirror, _MIRRORED[known_by], 1)
        log_p = _modestly(log_p, power, self._backs, told)
        log_p = plain.not_bare(sight, lean, log_p, chips=bool(self._backs))
        log_p = plain.reached_over(sight, log_p)
        dazzled = self._dazzled(sight, log_p)
        # What a peg's head is in front of is not known, but no hand is in the photo.
        buried = np.flatnonzero(log_p[:, 1] >= log(_COVERED))
        p = np.exp(self._behind_heads(sight, lean, log_p))
        covered = p[:, 1]
        # What may be covered may be anything, and no drawing teaches everything: that
        # part of the belief is even.
        even = covered + _DOUBT * (1 - covered)
        p = p[:, _but(1, columns=p.shape[1])] * (1 - _DOUBT)
        table = np.log(p + (even / len(self._names))[:, None]).tolist()
        hidden = frozenset(self._cells[cell] for cell in buried)
        lines = map(dict, map(zip, repeat(self._names), table))
        found = dict(zip(self._cells, lines, strict=True))
        for cell in hidden:
            del found[cell]
        return found, hidden, frozenset(self._cells[cell] for cell in dazzled)

    def _answers(
        self,
        sight: Sight,
        lean: Floats,
        thoughts: Thoughts,
        finely: Finely | None,
        memory: Memory,
    ) -> Answers:
        """Return what is told of a photo, with as much care as needed.

        A photo with a hand in it is not worth any: there will be one without. A card
        may stay, but covers less.

        Args:
            sight: of the photo.
            lean: (rows, columns, 2), see `Network.seen`.
            thoughts: of it at first sight.
            finely: shows it finely; None if nobody can.
            memory: of sights like this one.
        """
        first = self._plainly(sight, thoughts.log_p)
        if under_hand(first):
            return Answers(first)
        asked = doubtful(first, CLEAR, self._backs)
        known, told = memory.told(sight, first, asked)
        log_p = first.copy()
        log_p[known] = told
        answer = Answers(log_p)
        unknown = np.zeros(len(first), bool)
        unknown[asked] = unknown[memory.belied(first)] = True
        unknown[known] = False
        left = np.flatnonzero(unknown)
        if left.size:
            # Networks answer by themselves; what is plain is added in the end.
            log_p[left] = thoughts.log_p[left]
            before = replace(thoughts, log_p=log_p)
            log_p, theirs = self._closely(sight, lean, before, left)
            log_p = self._beside(sight, lean, log_p)
            log_p[known] = told  # other views saw those at first sight alone
            answer = Answers(log_p, theirs)
            answer = self._by_print(sight, finely, first, answer, left)
            answer = replace(answer, log_p=self._plainly(sight, answer.log_p))
            left = np.union1d(left, answer.printed)
            memory.keep(sight, first, answer.log_p, left)
        return answer

    def _otherwise(
        self,
        sight: Sight,
        lean: Floats,
        finely: Finely | None,
        thoughts: Thoughts,
        log_p: Floats,
    ) -> Floats:
        """Return (cells, 2 + K) what is told of a photo that is seen otherwise, too.

        By a mirrored window with it and without it.

        Elsewhere, where chips are in doubt, they are seen as if light, which is
        measured beside them, had been less, and as if it had been more: the mean of all
        three counts. Of 1,350 drawn photos by usual lights and by bars 16 more are
        exact of the 139 with chips that were not, 361 squares open instead of 462, and
        8 wrong either way; a doubt costs 0.34 nats instead of 0.62. Pegs, which are
        told less by colours alone, cost more then. It takes longer than all the rest,
        so what those lights tell is remembered, whatever it is.

        Args:
            sight: of the photo.
            lean: (rows, columns, 2), see `Network.seen`.
            finely: shows it finely; None if nobody can.
            thoughts: of it at first sight.
            log_p: (cells, 2 + K) what is told of it.
        """
        if sight.veiled is not None:
            veiled = self._answers_apart(sight.veiled, lean, finely, self._of_veiled)
            return _either(log_p, veiled, sight.mirror)
        if not self._backs:
            return log_p
        asked = doubtful(log_p, _SURE, self._backs, len(log_p))
        if not asked.size:
            return log_p
        others = np.full_like(log_p, np.nan)
        memory, first = self._of_lights, thoughts.log_p
        known, others[known] = memory.told(sight, first, asked)
        left = np.setdiff1d(asked, known)
        if left.size:
            told = [
                self._answers_apart(lit, lean, finely, Memory(self._backs, self._far))
                for lit in (replace(sight, light=sight.light + by) for by in _LIGHTS)
            ]
            others[left] = np.mean(told, axis=0)[left]
            memory.keep(sight, first, others, left)
        log_p = log_p.copy()
        log_p[asked] = normal((log_p[asked] + 2 * others[asked]) / np.float32(3))
        return log_p

    def _answers_apart(
        self, sight: Sight, lean: Floats, finely: Finely | None, memory: Memory
    ) -> Floats:
        """Return (cells, 2 + K) what is told of a photo that nobody took like that."""
        thoughts = self._eyes.think(sight, lean, UPRIGHT, apart=True)
        return self._answers(sight, lean, thoughts, finely, memory).log_p

    def _plainly(self, sight: Sight, log_p: Floats) -> Floats:
        """Return (cells, 2 + K) what is thought where it is plain to be seen, too.

        Nobody asks where all is clear, but for which piece lies somewhere.
        """
        vague = doubtful(log_p, CLEAR, self._backs)
        if (log_p[vague, 0] < FAR).all() and (log_p[:, 1] < log(1 - CLEAR)).all():
            return log_p
        asked = np.flatnonzero(log_p[:, 0] < log(CLEAR))
        return plain.by_print(sight, log_p, asked, chips=bool(self._backs))

    def _closely(
        self, sight: Sight, lean: Floats, thoughts: Thoughts, asked: Numbers
    ) -> tuple[Floats, Thoughts | None]:
        """Return what is thought after a closer look, and what the other eyes thought.

        Cells that are not clear are looked at closely. Where that leaves doubt, the
        photo is seen upside down, too: both networks were taught turned tables, yet
        answer a little otherwise, and the mean is better than one answer. What is in
        doubt even then is seen mirrored, and shown upside down to eyes that had other
        lessons. What one pair doubts, the other mostly does not, and they seldom are
        wrong together. The upright view has no say then: a cell is in doubt because
        that view misled, and it misleads both pairs. By 0.65 of each pair's other
        views 93.6 % of 2,080 drawn boards were exact and 8 squares wrong; by 0.6 of
        both views of both, upright and upside down, 93.1 % and 11, and of strange
        boards 67.3 % instead of 64.6.
        """
        log_p = self._eyes.closely(sight, lean, thoughts, asked, UPRIGHT)
        if not doubtful(log_p, _SURE, self._backs).size:
            return log_p, None
        rotated = self._again(sight, lean, asked, ROTATED)
        log_p = normal(np.float32(0.5) * (log_p + rotated))
        asked = doubtful(log_p, _SURE, self._backs)
        if not asked.size:
            return log_p, None
        mirrored = self._again(sight, lean, asked, MIRRORED)
        mine = np.float32(0.5) * (rotated[asked] + mirrored[asked])
        theirs = self._others.think(sight, lean, ROTATED)
        other = self._others.closely(sight, lean, theirs, asked, ROTATED)
        log_p[asked] = normal(np.float32(_TOGETHER) * (mine + other[asked]))
        return log_p, theirs

    def _beside(self, sight: Sight, lean: Floats, log_p: Floats) -> Floats:
        """Return (cells, 2 + K) what is thought after a look at pieces beside cells."""
        asked = doubtful(log_p, _SURE, self._backs)
        if asked.size:
            told = [
                relation.trained(lessons).log_p(sight.around, lean, log_p, asked, known)
                for lessons, known in self._known.items()
            ]
            if self._samples is not None:
                told.append(log_p[asked])
            log_p[asked] = normal(_WEIGHT[len(told)] * np.sum(told, axis=0))
        return log_p

    def _by_print(
        self,
        sight: Sight,
        finely: Finely | None,
        first: Floats,
        told: Answers,
        looked: Numbers,
    ) -> Answers:
        """Return what is told after a look at what is printed on chips.

        On those that were looked at closely, where that tells otherwise than first
        sight, or either is unsure, and prints of both looks in question were seen
        before: the other eyes may be sure then, and wrong. Of 4,754 such squares of
        games and drawn tables of which they were sure 46 were wrong; by print they are
        of 4,650, and 4 are. (There, first sight had not to be sure: with that, of
        35,600 drawn squares 2 are wrong instead of 3, and 355 open instead of 347; and
        of a path-traced photo three backs with a bar no longer pass for faces.) On
        those that are in doubt as soon as others are (see `_MODEST`). And where they
        surely were something else, on all that pass for the same: a light makes backs
        pass for faces.
        """
        log_p, backs = told.log_p, self._backs
        several = doubtful(log_p, _SURE, backs).size >= _SEVERAL
        told = replace(told, several=several)
        if finely is None or self._print is None:
            return told
        modest = normal(_MODEST * log_p) if several else log_p
        (seemed, q), (was, p) = likeliest(first[looked], backs), likeliest(log_p, backs)
        vague = looked[(was[looked] != seemed) | (p[looked] < CLEAR) | (q < _SURE)]
        vague = vague[self._print.tells(log_p, vague)]
        asked = np.union1d(vague, doubtful(modest, _SURE, backs, _PRINTS))
        asked = asked[np.logaddexp.reduce(log_p[asked, 2:], axis=1) > RATHER]
        if not asked.size:
            return told
        before, log_p = log_p, log_p.copy()
        by_print = partial(self._print.log_p, sight, finely(), before)
        log_p[asked] = _clearer(before[asked], by_print(asked), backs)
        now, _ = likeliest(log_p[asked], backs)
        wrong = asked[(p[asked] > _SURE) & (was[asked] != now)]
        more = np.setdiff1d(np.flatnonzero(np.isin(was, was[wrong])), asked)
        if more.size:
            log_p[more] = _clearer(before[more], by_print(more), backs)
        return replace(told, log_p=log_p, printed=np.union1d(asked, more))

    @cached_property
    def _known(self) -> dict[Lessons, Known]:
        """What is known of the looks; it takes time, and few photos need it."""
        every = self._beside_lessons[: 1 if self._samples is None else None]
        return {lessons: self._known_by(relation.trained(lessons)) for lessons in every}

    def _known_by(self, eyes: Relation) -> Known:
        named = eyes.named([name_of(look) for look in self._looks])
        if self._samples is None:
            return named
        sight, lean, shown = self._samples
        cells = np.array(list(shown))
        seen = eyes.seen(sight.around(cells), lean.reshape(-1, 2)[cells])
        looks = np.array([self._looks.index(look) for look in shown.values()])
        return Known.of((named, Known.all(seen, looks, SAMPLE, cells)))

    def _again(self, sight: Sight, lean: Floats, asked: Numbers, view: View) -> Floats:
        thoughts = self._eyes.think(sight, lean, view)
        return self._eyes.closely(sight, lean, thoughts, asked, view)

    def _with_foreign(
        self, thoughts: Thoughts, theirs: Thoughts | None, log_p: Floats
    ) -> Floats:
        """Return (cells, 2 + K + F) log-probabilities, F colours that nobody plays.

        What lies there is a piece as surely as before; whose, is asked anew, with the
        scores of the first look. They tell less of colours known by their names alone:
        of 7,500 drawn pieces that were surely read none had more than 9 nats against
        it, of 1,100 from other boxes 40 %. From there a piece is less than 0.99 sure.
        Of another 5,721 from other boxes 1,673 were surely taken for one's own where
        only the eyes that look first were asked, 1,544 by the mean with the others,
        where those had been asked at all. (To ask them because a piece may be from
        another box is no help: by a strong light fewer are doubted, but 1,922 taken.)

        Args:
            thoughts: of the network.
            theirs: of the other one; None if it was not asked.
            log_p: (cells, 2 + K).
        """
        known, width = log_p.shape[1], 1 + len(self._names)
        if known == width:
            return log_p
        wider = np.full((len(log_p), width), -np.inf, np.float32)
        wider[:, :known] = log_p
        piece = np.logaddexp.reduce(log_p[:, 2:], axis=1)
        pieces = np.flatnonzero(piece > RATHER)
        others = self._eyes.foreign(thoughts, pieces)
        if theirs is not None:
            others = np.float32(0.5) * (others + self._others.foreign(theirs, pieces))
        wider[pieces, known:] = others + piece[pieces, None] - _RARE
        return normal(wider)

    def _of_samples(self, values: Floats, shown: Mapping[int, Look]) -> Floats:
        """Return (2 + K,) the largest of (cells,) values of each look's samples.

        It is 0 at least, and infinite for what has no sample.
        """
        most = np.full(2 + len(self._looks), np.inf, np.float32)
        columns = [2 + self._looks.index(look) for look in shown.values()]
        most[columns] = 0
        np.maximum.at(most, columns, values[list(shown)])
        return most

    def _dazzled(self, sight: Sight, log_p: Floats) -> Numbers:
        """Return cells with chips in which a lamp is mirrored, by (cells, 2 + K + F).

        Those are brighter than their samples. Without samples it is not known.
        """
        pieces = _pieces(log_p)
        if self._highlights is None or not pieces.size:
            return pieces[:0]
        best = 2 + log_p[pieces, 2 : len(self._highlights)].argmax(axis=1)
        brighter = sight.highlights[pieces] - self._highlights[best]
        return np.asarray(pieces[brighter > _HIGHLIGHT])

    def _behind_heads(self, sight: Sight, lean: Floats, log_p: Floats) -> Floats:
        """Return (cells, 2 + K + F) what is told where heads may be others'."""
        if self._heads is None:
            return log_p
        behind = self._heads.behind(sight, lean, _pieces(log_p))
        log_p[behind, 1] = np.logaddexp(log_p[behind, 1], _BEHIND)
        log_p[behind] = normal(log_p[behind])
        return log_p

    def _sure(self, known: Floats, log_p: Floats) -> dict[int, Look]:
        """Return cells where pieces surely have looks of which few were seen.

        Args:
            known: (cells, 2 + K) if pieces are of known colours.
            log_p: (cells, 2 + K + F), see `_with_foreign`.
        """
        kinds = {}
        for column, look in enumerate(self._looks, 2):
            if self._eyes.sightings(look) < _SIGHTINGS:
                likely = np.flatnonzero(log_p[:, column] > RATHER)
                share = np.exp(known[likely, column])
                best = np.argsort(-share, kind="stable")[:_AT_ONCE]
                sure = likely[best[share[best] >= _CERTAIN]]
                kinds.update(dict.fromkeys(sure.tolist(), look))
        return kinds


def plane_of(looks: Sequence[Look], height: float) -> float:
    """Return on which plane pieces are told best, mm above the board.

    Where they look most like those of the lessons, which were seen on the board: chips
    of 2.5 to 6 mm, the thick ones among them seldom, and pegs of 12 to 40 mm.

    Args:
        looks: all that pieces can have.
        height: of the pieces, mm, see `Silhouettes`.
    """
    chips = backs_of(looks)
    part, high = (_OF_CHIPS, _HIGH_CHIPS) if chips else (_OF_PEGS, _HIGH_PEGS)
    return part * height if height >= high else 0.0


def _clearer(before: Floats, by_print: Floats, backs: Sequence[int]) -> Floats:
    """Return (N, 2 + K) what is told of chips after a look at their print.

    Print overrules eyes that are sure. Where it surely says the same, they stay as sure
    as they were, and where it nearly does, both count.

    Args:
        before: (N, 2 + K) what was thought before.
        by_print: (N, 2 + K) what print says, see `Printed`.
        backs: columns of the looks of turned chips.
    """
    (was, p), (now, agreed) = (likeliest(told, backs) for told in (before, by_print))
    clearer = (was == now) & (p > _SURE) & (p > agreed)
    told = np.where((clearer & (agreed > _SURE))[:, None], before, by_print)
    both = clearer & (agreed > _AGREES) & (agreed <= _SURE)
    told[both] = normal(np.float32(0.5) * (before[both] + by_print[both]))
    return told


def _either(log_p: Floats, veiled: Floats, mirror: npt.NDArray[np.bool_]) -> Floats:
    """Return (cells, 2 + K) what is told of a photo seen without its veil, and with it.

    The print tells what the board mirrors. A polished piece mirrors what is elsewhere,
    as it lies, or nothing; what was taken off it may not have been there. So the mean
    counts of both, but for bare squares. Of 7,800 drawn pieces on 392 such photos each
    cost 0.42 nats without the veil, and 0.27 by the mean; chips alone 0.33, 0.30 with
    the veil and 0.25, pegs 0.65, 0.23 and 0.31.

    Args:
        log_p: (cells, 2 + K) without the veil.
        veiled: (cells, 2 + K) with it.
        mirror: (cells,) under it.
    """
    cells = mirror & (log_p[:, 0] < log(_SURE))
    both = log_p.copy()
    both[cells] = normal(np.logaddexp(log_p[cells], veiled[cells]))
    return both


def _modestly(
    log_p: Floats, mirrored: Floats, backs: Sequence[int], told: Answers
) -> Floats:
    """Return (cells, 2 + K + F) what is told of a photo, see `_MODEST`.

    What is printed on chips was held against the same photo's, so that misleads less.

    Args:
        log_p: (cells, 2 + K + F) as if all cells were seen well.
        mirrored: (cells,) powers for pieces, see `_MIRRORED`.
        backs: columns of the looks of turned chips.
        told: of the photo.
    """
    several = not under_hand(log_p) and doubtful(log_p, _SURE, backs).size >= _SEVERAL
    several |= told.several
    if not several and (mirrored == 1).all():
        return log_p
    power = np.full((len(log_p), 1), _MODEST if several else 1, np.float32)
    power[told.printed] = 1
    pieces = _pieces(log_p)
    power[pieces, 0] *= mirrored[pieces]
    return normal(power * log_p)


def _pieces(log_p: Floats) -> Numbers:
    """Return the cells on which pieces seem to lie, by (cells, 2 + K)."""
    return np.flatnonzero((log_p[:, :2] < RATHER).all(axis=1))


def _but(*left_out: int, columns: int) -> list[int]:
    """Return the numbers of all columns but some."""
    return [column for column in range(columns) if column not in left_out]


def backs_of(looks: Sequence[Look]) -> list[int]:
    """Return the columns of turned chips in `Thoughts.log_p`."""
    return [2 + number for number, look in enumerate(looks) if look.endswith(TURNED)]


def doubtful(
    log_p: Floats, below: float, backs: Sequence[int] = (), most: int = CELLS
) -> Numbers:
    """Return cells, not buried, without an answer of a probability, least sure first.

    They are no more than as many as were looked at together when the look was learnt:
    a photo with more of them is a bad one. That a chip lies turned over is an answer,
    whosever it is: backs may be alike, and the referee knows who had put it there.

    Args:
        log_p: (cells, 2 + K), see `Thoughts`.
        below: the probability.
        backs: columns of the looks of turned chips.
        most: how many.
    """
    p = np.exp(log_p)
    covered, turned = p[:, 1].copy(), p[:, list(backs)].sum(axis=-1)
    p[:, [1, *backs]] = 0
    best = np.maximum(p.max(axis=-1), turned)
    free = np.flatnonzero((best < below) & (covered < BURIED))
    return free[np.argsort(best[free], kind="stable")][:most]
