"""What hands may have done in the five-in-a-row games so that the board looks so.

A look at the board is compared with the position: pieces that appeared, vanished or
changed colour, and chips that were turned over or back. Two kinds of story are told.

*Legal stories* are turns in the order of play, up to `MOST_TURNS` if looks were
missed. Each turn puts right one square, so the search is as wide as the few squares
that differ. Of turns of one team that could be interchanged only one order is told.

*The slip*: everything at once, by hands that broke rules, with every code that
names it. There is one for each look that no rule allows in a single turn.

Priors are natural logarithms of weights relative to "nothing was done". They say:
a turn is e times rarer than none; about 8 of 104 cards take a piece instead of placing
one; one look in twenty is missed; chips are mostly turned over as proposed; players
slip in a turn of two hundred, in about every other game, more often by putting a chip
down the wrong way up, by pushing one onto the neighbouring square or by forgetting to
turn a run over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import and_, or_

from companion.rules.board import EMPTY, TURNED, Cell, Look
from companion.rules.game import Explanation
from companion.rules.run_faults import Faults, retracted
from companion.rules.run_rules import SIDE, Setup
from companion.rules.run_slips import Change, Sight, Slips, team_of_chips
from companion.rules.run_turns import (
    Claim,
    Place,
    Remove,
    RunPosition,
    RunTurn,
    Swap,
    Table,
    TurnOver,
)
from companion.rules.verdict import Violation
from companion.rules.windows import Window, bits

MOST_TURNS = 4
"""Turns that are told of one look."""

PLACED = -1.0
TAKEN = PLACED + math.log(8 / 104)
TURNED_OVER = -0.5
OTHER_RUNS = -2.0
LATE_CLAIM = -5.0
MISSED_LOOK = math.log(1 / 20)
"""Nats for each turn on the board after the first."""
SLIP = math.log(1 / 200)
UPSIDE_DOWN = PLACED + math.log(1 / 30)
FORGOTTEN = -3.0
"""Nats for chips of a run that lie colour up, some or all."""
PUSHED = -4.0
"""Nats for a chip pushed onto a neighbouring square; further away it is a slip."""
ANOTHER_PIECE = -5.0
"""Nats for each piece after the first of a slip."""
ELSEWHERE = -1.0
"""Nats for putting the piece that takes another's place somewhere else."""
ANOTHER_OWN = math.log(1 / 20)
"""Nats for a second piece that a player on turn puts down: that is soon done, and no
turns in a row look like it."""
ANOTHER_CHIP = -0.5
"""Nats for each chip after the first that a slip turns over, or back."""

_FORGOTTEN = "run-not-turned-over"
_MOVED = frozenset(("chip-moved", "frozen-chip-moved"))
_LEFT_COLOUR_UP = frozenset((_FORGOTTEN, "run-partly-turned-over"))


class Eyes:
    """Compares looks with positions and tells stories.

    Args:
        setup: the sitting.
        faults: what turns break.
        apply: what turns do.
    """

    def __init__(
        self,
        setup: Setup,
        faults: Faults,
        apply: Callable[[RunPosition, RunTurn], RunPosition],
    ) -> None:
        self._setup = setup
        self._faults = faults
        self._apply = apply
        self._squares = setup.squares
        self._blank = dict.fromkeys(setup.squares.cells, EMPTY)
        sides = (0, 1) if setup.rules.share else (0,)
        self._meaning: dict[Look, tuple[int | None, int]] = {EMPTY: (None, 0)} | {
            Look(team + TURNED * side): (number, side)
            for number, team in enumerate(setup.teams)
            for side in sides
        }

    def looks(self) -> tuple[Look, ...]:
        """Return every look that a square can have."""
        return tuple(self._meaning)

    def appearance(self, position: RunPosition) -> dict[Cell, Look]:
        """Return how every square looks."""
        looks = self._blank.copy()
        turned = position.turned & ~position.face_up
        cells = self._squares.cells
        for team, chips in zip(self._setup.teams, position.chips, strict=True):
            up, over = Look(team), Look(team + TURNED)
            for number in bits(chips & ~turned):
                looks[cells[number]] = up
            for number in bits(chips & turned):
                looks[cells[number]] = over
        return looks

    def sight(self, position: RunPosition, seen: Mapping[Cell, Look]) -> Sight:
        """Return what lies on the board if some squares look as seen."""
        number = self._squares.number
        other = over = 0
        new = [0] * len(position.chips)
        for cell, look in seen.items():
            bit = 1 << number[cell]
            team, side = self._meaning[look]
            other |= bit
            if team is not None:
                new[team] |= bit
            if side:
                over |= bit
        turned = position.turned & ~position.face_up
        return Sight(
            tuple(
                was & ~other | now for was, now in zip(position.chips, new, strict=True)
            ),
            turned & ~other | over,
        )

    # -- legal stories ------------------------------------------------------

    def stories(
        self, position: RunPosition, target: Sight
    ) -> Iterator[Explanation[RunTurn]]:
        """Yield what players may have done, the likely ones first.

        Yields:
            At least one explanation for any look.
        """
        if _visible(position) == target:
            yield Explanation((), 0.0)
            return
        told = list(self._told(position, target, Explanation((), 0.0), MOST_TURNS))
        if not any(len(_on_board(story.turns)) <= 1 for story in told):
            told.append(self._slip(position, target))
        yield from sorted(told, key=lambda story: -story.log_prior)

    def _told(
        self,
        position: RunPosition,
        target: Sight,
        story: Explanation[RunTurn],
        left: int,
    ) -> Iterator[Explanation[RunTurn]]:
        """Yield how a story can go on until the board looks right.

        Args:
            position: what the story has led to.
            target: what the board looks like.
            story: the turns so far.
            left: how many turns on the board it may still have.
        """
        if story.turns and _visible(position) == target:
            yield story
            return
        missed = MISSED_LOOK if _on_board(story.turns) else 0.0
        for turn, cost in self._steps(position, target, story.turns):
            on_board = isinstance(turn, Place | Remove | Swap)
            after = self._apply(position, turn)
            if _differences(after, target) > left - on_board:
                continue
            broken = self._faults.of(position, turn)
            if broken:
                # Not turning a run over does not keep the next player from playing.
                if story.violations or {v.code for v in broken} != {_FORGOTTEN}:
                    continue
                cost += FORGOTTEN
            if on_board:
                cost += missed
            longer = Explanation(
                (*story.turns, turn),
                story.log_prior + cost,
                (*story.violations, *broken),
            )
            yield from self._told(after, target, longer, left - on_board)

    def _steps(
        self, position: RunPosition, target: Sight, turns: tuple[RunTurn, ...]
    ) -> Iterator[tuple[RunTurn, float]]:
        """Yield what may be done next towards the target, and how likely that is."""
        fresh = target.turned & ~(position.turned & ~position.face_up)
        if fresh and not (turns and isinstance(turns[-1], TurnOver | Claim)):
            yield from self._turnings(position, fresh)
        if position.ended is None:
            yield from self._board_turns(position, target, turns)

    def _board_turns(
        self, position: RunPosition, target: Sight, turns: tuple[RunTurn, ...]
    ) -> Iterator[tuple[RunTurn, float]]:
        """Yield what the player on turn may do to a square to make it look right."""
        by, team = position.turn, self._setup.team_of[position.turn]
        taken = reduce(or_, position.chips)
        for square in bits(target.chips[team] & ~taken):
            if self._told_in_order(turns, by, square):
                yield from self._placings(position, target, by, square)
        kept = reduce(or_, map(and_, position.chips, target.chips))
        for square in bits(taken & ~position.chips[team] & ~kept):
            if not self._setup.rules.replaces:
                yield Remove(by, None, square), TAKEN
            elif target.chips[team] >> square & 1:
                yield Swap(by, None, square), TAKEN

    def _told_in_order(self, turns: tuple[RunTurn, ...], by: int, square: int) -> bool:
        """Return whether a placing comes after the team's earlier ones, by square."""
        team = self._setup.team_of[by]
        return not any(
            isinstance(turn, Place)
            and self._setup.team_of[turn.by] == team
            and turn.square > square
            for turn in turns
        )

    def _placings(
        self, position: RunPosition, target: Sight, by: int, square: int
    ) -> Iterator[tuple[Place, float]]:
        """Yield the placings on a square: its runs turned over, or still colour up."""
        proposed = Place(by, None, square, face_up=True)
        after = self._apply(position, proposed)
        bit = 1 << square
        if after.pending is None:
            if not target.turned & bit:
                yield Place(by, None, square), PLACED
            return
        team = self._setup.team_of[by]
        fresh = target.turned & ~(position.turned & ~position.face_up)
        fresh &= after.chips[team]
        if not target.turned & after.pending.squares:
            yield proposed, PLACED
            return
        before = retracted(after, after.pending)
        for runs in self._run_sets(before, team, fresh, square):
            if tuple(window.number for window in runs) == after.made:
                yield Place(by, None, square), PLACED + TURNED_OVER
            else:
                masks = tuple(window.mask for window in runs)
                yield Place(by, None, square, masks), PLACED + OTHER_RUNS

    def _turnings(
        self, position: RunPosition, fresh: int
    ) -> Iterator[tuple[RunTurn, float]]:
        """Yield how chips may have been turned over without a piece being placed."""
        pending = position.pending
        if pending is not None:
            before = retracted(position, pending)
            team = team_of_chips(before, pending.squares)
            fresh &= before.chips[team]
            for runs in self._run_sets(before, team, fresh, pending.square):
                proposed = tuple(window.number for window in runs) == pending.runs
                turn = TurnOver(
                    position.mover, self._new_chips(before, runs), _masks(runs)
                )
                yield turn, TURNED_OVER if proposed else OTHER_RUNS
            return
        late = fresh & position.face_up
        if late:
            yield TurnOver(position.mover, late, ()), TURNED_OVER
        elif position.ended is None:
            by, team = position.turn, self._setup.team_of[position.turn]
            for runs in self._run_sets(position, team, fresh & position.chips[team]):
                yield Claim(by, _masks(runs)), LATE_CLAIM

    def _run_sets(
        self, position: RunPosition, team: int, fresh: int, square: int | None = None
    ) -> list[tuple[Window, ...]]:
        """Return the sets of runs that a team may claim by turning chips over.

        Args:
            position: its claims and turned chips are those from before.
            team: whose runs.
            fresh: the team's chips that are newly turned.
            square: the piece that completed them, None for any.

        Returns:
            The sets that turn all of them; if there are none, those that turn some.
        """
        share = self._setup.rules.share
        if share is None or not fresh:
            return []
        closed = fresh | position.turned & position.chips[team] | self._setup.free
        claimed = self._faults.claimed(position, team)
        squares = self._squares
        windows = squares.near(fresh) if square is None else squares.through[square]
        single = [
            window
            for window in windows
            if window.mask & closed == window.mask
            and window.mask & fresh
            and share((window,), position.turned, claimed)
        ]
        found: list[tuple[Window, ...]] = []

        def extend(chosen: tuple[Window, ...], start: int) -> None:
            for number in range(start, len(single)):
                more = (*chosen, single[number])
                if share(more, position.turned, claimed):
                    found.append(more)
                    extend(more, number + 1)

        extend((), 0)
        exact = [runs for runs in found if self._new_chips(position, runs) == fresh]
        return exact or found

    def _new_chips(self, position: RunPosition, runs: tuple[Window, ...]) -> int:
        """Return the chips that runs turn over."""
        mask = reduce(or_, (window.mask for window in runs), 0)
        return mask & ~self._setup.free & ~position.turned

    # -- the slip -----------------------------------------------------------

    def _slip(self, position: RunPosition, target: Sight) -> Explanation[RunTurn]:
        change = Change.between(position, target, self._setup.team_of[position.turn])
        slips = Slips(self._setup, self._faults, self._apply, position, change)
        broken = slips.find()
        # Accepted, it was the turn of the team whose piece appeared.
        to_move = position.turn
        for team, appeared in enumerate(change.appeared):
            if appeared:
                to_move = self._after(position.turn, team)
        turn = self.table(slips.after_placing(), target, to_move)
        return Explanation((turn,), self._rarity(change, broken), broken)

    def _after(self, player: int, team: int) -> int:
        """Return who plays after the next turn of a team."""
        players = len(self._setup.players)
        while self._setup.team_of[player] != team:
            player = (player + 1) % players
        return (player + 1) % players

    def _rarity(self, change: Change, broken: tuple[Violation, ...]) -> float:
        """Return how surprising a slip is, in nats."""
        codes = [violation.code for violation in broken]
        others = [code for code in codes if code not in _LEFT_COLOUR_UP]
        forgotten = FORGOTTEN if len(others) < len(codes) else 0.0
        if not others:
            return forgotten
        replaces = self._setup.rules.replaces
        if others[0] in _MOVED:
            return forgotten + moved(change, replaces=replaces)
        return forgotten + slipped(change, replaces=replaces)

    def table(self, position: RunPosition, target: Sight, to_move: int) -> Table:
        """Return the event that the players accept what lies on the board.

        Runs stay claimed if their chips lie as before or turned over; chips that
        were newly turned over make runs where they can.
        """
        open_before = position.face_up & ~target.turned
        claims: list[tuple[int, ...]] = []
        for team, own in enumerate(target.chips):
            closed = own & (target.turned | open_before) | self._setup.free
            kept = [
                window
                for window in self._faults.claimed(position, team)
                if window.mask & closed == window.mask
            ]
            covered = reduce(or_, (window.mask for window in kept), 0)
            before = position._replace(
                chips=target.chips,
                turned=covered & ~self._setup.free,
                claims=tuple(
                    tuple(window.number for window in kept) if n == team else ()
                    for n in range(len(target.chips))
                ),
            )
            fresh = own & target.turned & ~covered
            sets = self._run_sets(before, team, fresh)
            new = sets[0] if sets else ()
            claims.append(tuple(sorted(window.number for window in (*kept, *new))))
        return Table(target.chips, target.turned, tuple(claims), to_move)


def _visible(position: RunPosition) -> Sight:
    return Sight(position.chips, position.turned & ~position.face_up)


def _differences(position: RunPosition, target: Sight) -> int:
    """Return on how many squares other pieces lie; each needs a turn at least."""
    pairs = zip(position.chips, target.chips, strict=True)
    return reduce(or_, (was ^ now for was, now in pairs)).bit_count()


def _on_board(turns: tuple[RunTurn, ...]) -> list[RunTurn]:
    return [turn for turn in turns if isinstance(turn, Place | Remove | Swap)]


def _masks(runs: tuple[Window, ...]) -> tuple[int, ...]:
    return tuple(window.mask for window in runs)


def slipped(change: Change, *, replaces: bool) -> float:
    """Return how likely a slip is that put, took or turned over what changed.

    Args:
        change: what is different.
        replaces: whether pieces that are taken make room for own ones.
    """
    flips = (change.closed | change.opened).bit_count()
    own, gone = change.appeared[change.own], reduce(or_, change.vanished)
    two = change.handled == 2 and not change.exchanged
    if two and own == change.pieces and not change.face_down:
        more = ANOTHER_OWN
    elif two and replaces and own and gone and own | gone == change.pieces:
        more = ELSEWHERE
    else:
        more = ANOTHER_PIECE * max(0, change.handled - 1)
    put = change.face_down and change.handled == 1 and not flips
    first = UPSIDE_DOWN if put else SLIP
    return first + more + ANOTHER_CHIP * max(0, flips - 1)


def moved(change: Change, *, replaces: bool) -> float:
    """Return how likely a piece went elsewhere; another may have been played.

    Args:
        change: what is different.
        replaces: whether pieces that are taken make room for own ones; then it is
            another slip if one is gone.
    """
    others = change.pieces & ~reduce(or_, (gone | new for _, gone, new in change.moves))
    gone = others & ~reduce(or_, change.appeared) if replaces else 0
    near = any(_side_by_side(start, end) for _, start, end in change.moves)
    played = PLACED * (others & ~gone).bit_count() + ANOTHER_PIECE * gone.bit_count()
    return played + (PUSHED if near else SLIP)


def _side_by_side(one: int, other: int) -> bool:
    """Return whether two masks of one square are neighbours, also across corners."""
    row, column = divmod(one.bit_length() - 1, SIDE)
    other_row, other_column = divmod(other.bit_length() - 1, SIDE)
    return max(abs(row - other_row), abs(column - other_column)) == 1
