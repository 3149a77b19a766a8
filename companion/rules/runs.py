"""Five in a row with cards: three games that differ in `RunRules` only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Any, ClassVar

from companion.rules.board import Cell, Look
from companion.rules.cards import Tally
from companion.rules.game import (
    Explanation,
    Game,
    Header,
    Highlight,
    Line,
    Meaning,
    Outcome,
)
from companion.rules.run_bounds import prior_bound
from companion.rules.run_faults import Faults, retracted
from companion.rules.run_lines import Lines
from companion.rules.run_rules import RunRules, Setup
from companion.rules.run_sight import Eyes
from companion.rules.run_turns import (
    Claim,
    Dead,
    Draws,
    MissedDraw,
    Pass,
    Penalty,
    Pending,
    Place,
    Remove,
    Reshuffle,
    RunPosition,
    RunTurn,
    ShowOnly,
    Swap,
    Table,
    TurnOver,
)
from companion.rules.run_words import Words
from companion.rules.verdict import Violation
from companion.rules.windows import LENGTH, Window


@dataclass(frozen=True, slots=True)
class RunKind:
    """A five-in-a-row game that can be set up."""

    rules: RunRules

    @property
    def name(self) -> str:
        """The id of record-format.md."""
        return self.rules.name

    @property
    def title(self) -> str:
        """The name on the box."""
        return self.rules.title

    @property
    def boards(self) -> Sequence[str]:
        """Names of the boards that ship with the program, the default first."""
        return self.rules.boards

    @property
    def teams(self) -> Sequence[str]:
        """Colours of the pieces, in the usual order."""
        return self.rules.colours

    @property
    def told(self) -> bool:
        """The camera sees what is done."""
        return False

    @property
    def house_rules(self) -> Mapping[str, Sequence[object]]:
        """The options of record-format.md."""
        return {name: tuple(values) for name, values in self.rules.house_rules.items()}

    def open(self, header: Header) -> RunGame:
        """Set the game up.

        Raises:
            HeaderError: impossible players or teams, unknown board or house rule.
        """
        return RunGame(Setup(self.rules.with_house_rules(header.rules), header))


class RunGame(Game[RunPosition, RunTurn]):
    """One sitting of a five-in-a-row game.

    Args:
        setup: rules, seats and board.
    """

    piece_kind: ClassVar[str] = "chips"

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.name = setup.rules.name
        self.title = setup.rules.title
        self.unwitnessed = setup.rules.unwitnessed
        self.board = setup.board
        self.players = setup.players
        self._rules = setup.rules
        self._lines = Lines(setup)
        self._faults = Faults(setup)
        self._eyes = Eyes(setup, self._faults, self.apply)
        self._words = Words(setup, self._faults)
        self._appliers: dict[type, Callable[[RunPosition, Any], RunPosition]] = {
            Place: self._place,
            Remove: self._remove,
            Swap: self._swap,
            Dead: self._dead,
            Pass: self._pass,
            Claim: self._claim,
            MissedDraw: self._missed_draw,
            Penalty: self._penalty,
            Reshuffle: self._reshuffle,
            ShowOnly: lambda position, _turn: _quiet(position),
            TurnOver: self._turn_over,
            Table: self._table,
        }

    # -- told ---------------------------------------------------------------

    def start(self) -> RunPosition:
        """Return the empty board, the first player on turn."""
        teams, players = len(self.setup.teams), len(self.players)
        return RunPosition(
            chips=(0,) * teams,
            turned=0,
            face_up=0,
            claims=((),) * teams,
            score=(0,) * teams,
            turn=0,
            ended=None,
            tally=Tally(),
            dead=0,
            passes=0,
            reshuffles=0,
            draws=Draws(owed=(0,) * players, lost=(0,) * players),
            mover=None,
            due=0,
            last=0,
            made=(),
            unverified=False,
            pending=None,
        )

    def turn_of(self, position: RunPosition, line: Line) -> RunTurn:
        """Read a record line.

        Raises:
            NotationError: the line is malformed.
        """
        return self._lines.read(position, line)

    def line_of(self, position: RunPosition, turn: RunTurn) -> dict[str, Any]:
        """Write a turn as a record line."""
        return self._lines.write(turn)

    def violations(self, position: RunPosition, turn: RunTurn) -> tuple[Violation, ...]:
        """Return every rule the turn breaks, the most specific first."""
        return self._faults.of(position, turn)

    def apply(self, position: RunPosition, turn: RunTurn) -> RunPosition:
        """Return the position after a turn, legal or physically possible."""
        return self._appliers[type(turn)](position, turn)

    def to_move(self, position: RunPosition) -> int | None:
        """Return the player on turn, None once the game is over."""
        return position.turn if position.ended is None else None

    def outcome(self, position: RunPosition) -> Outcome | None:
        """Return how the game ended."""
        if position.ended is None:
            return None
        teams = self.setup.team_of
        winners = tuple(n for n, team in enumerate(teams) if team in position.ended)
        runs = f"{self.setup.needed} {self._rules.run}{'s' * (self.setup.needed > 1)}"
        return Outcome(winners, runs if winners else "everybody passed")

    def state(self, position: RunPosition) -> dict[str, Any]:
        """Return the verdict keys that describe a position."""
        taken = reduce(or_, position.chips)
        return {
            "turn": self.to_move(position),
            "score": dict(zip(self.setup.teams, position.score, strict=True)),
            "position": self._lines.position_text(position.chips, position.turned),
            "dead": sorted(
                card
                for card in self.setup.playing_cards
                if not self.setup.homes[card] & ~taken
            ),
            "over": self._over(position),
        }

    def _over(self, position: RunPosition) -> dict[str, Any] | None:
        if position.ended is None:
            return None
        if not position.ended:
            return {"tie": True}
        return {"winner": self.setup.teams[position.ended[0]]}

    def effects(self, position: RunPosition) -> dict[str, Any]:
        """Return the runs that the last line claimed, and if it was taken on trust."""
        effects: dict[str, Any] = {}
        if position.made:
            effects["runs"] = self._lines.run_names(position.made)
        if position.unverified:
            effects["unverified"] = True
        return effects

    def describe(self, position: RunPosition, turn: RunTurn) -> str:
        """Say in a plain sentence what is done."""
        return self._words.describe(position, turn, self.apply(position, turn))

    def highlights(self, position: RunPosition) -> tuple[Highlight, ...]:
        """Return what is worth lighting, the most important first."""
        names = self.setup.squares.names
        meanings: list[Highlight] = []
        teams = range(len(self.setup.teams))
        runs = [self._runs(position, team) for team in teams]
        for winner in position.ended or ():
            squares = reduce(or_, (window.mask for window in runs[winner]), 0)
            team = self.setup.teams[winner]
            meanings.append(Highlight(Meaning.WON, names(squares), team))
        if position.pending is not None:
            squares = position.pending.squares
            meanings.append(Highlight(Meaning.TURN_OVER, names(squares)))
        if position.last:
            meanings.append(Highlight(Meaning.LAST_TURN, names(position.last)))
        for team, windows in zip(self.setup.teams, runs, strict=True):
            for window in windows:
                meanings.append(Highlight(Meaning.RUN, names(window.mask), team))
        return tuple(meanings)

    def _runs(self, position: RunPosition, team: int) -> Sequence[Window]:
        """Return a team's runs; their squares may include free corners."""
        if self._rules.share is not None:
            return self._faults.claimed(position, team)
        own = position.chips[team]
        return [w for w in self.setup.squares.windows if not w.mask & ~own]

    def extras(self, position: RunPosition) -> dict[str, Any]:
        """Return what the page can show of hands and goals.

        Returns:
            `run`: what players call a run. `needed`: runs that win. `hands`: how
            many cards each player should hold between turns, by number. `draws`:
            who draws now, and how many. `owed`: who draws how many more after the
            next play.
        """
        hand = self._rules.hands[len(self.players)]
        draws = position.draws
        return {
            "run": self._rules.run,
            "needed": self.setup.needed,
            "hands": {
                str(player): max(0, hand - lost - owed)
                for player, (lost, owed) in enumerate(
                    zip(draws.lost, draws.owed, strict=True)
                )
            },
            "draws": (
                {}
                if position.mover is None or position.ended is not None
                else {str(position.mover): position.due}
            ),
            "owed": {str(n): owed for n, owed in enumerate(draws.owed) if owed},
        }

    def card_choices(
        self, position: RunPosition, turn: RunTurn
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the cards that explain the turn, and all others."""
        if not isinstance(turn, Place | Remove | Swap):
            return (), ()
        cards = self.setup.deck.cards
        fitting = tuple(
            card
            for card in cards
            if not self.violations(position, replace(turn, card=card))
        )
        return fitting, tuple(card for card in cards if card not in fitting)

    # -- seen ---------------------------------------------------------------

    def looks(self) -> tuple[Look, ...]:
        """Return every look a square can have."""
        return self._eyes.looks()

    def appearance(self, position: RunPosition) -> Mapping[Cell, Look]:
        """Return what the camera should see on every square."""
        return self._eyes.appearance(position)

    def explanations(
        self, position: RunPosition, seen: Mapping[Cell, Look]
    ) -> Iterator[Explanation[RunTurn]]:
        """Yield what hands may have done so that the squares look as seen."""
        yield from self._eyes.stories(position, self._eyes.sight(position, seen))

    def prior_bound(self, position: RunPosition, seen: Mapping[Cell, Look]) -> float:
        """Return a log-prior that no explanation of these looks exceeds."""
        return prior_bound(self.setup, position, self._eyes.sight(position, seen))

    def adopt(
        self, position: RunPosition, seen: Mapping[Cell, Look], to_move: int
    ) -> RunTurn:
        """Return the event "the players accept the table as it now lies"."""
        sight = self._eyes.sight(position, seen)
        return self._eyes.table(position, sight, to_move)

    # -- what turns do ------------------------------------------------------

    def _place(self, position: RunPosition, turn: Place) -> RunPosition:
        team, bit = self.setup.team_of[turn.by], 1 << turn.square
        chips = position.chips
        if reduce(or_, chips) & bit:  # a covered square: the new piece is what counts
            chips = tuple(other & ~bit for other in chips)
        own = chips[team] | bit
        chips = (*chips[:team], own, *chips[team + 1 :])
        after = self._acted(position, chips, turn)
        counts = own | self.setup.free
        squares = self.setup.squares
        if (counts & squares.reach[turn.square]).bit_count() < LENGTH:
            return after  # too few pieces around for five in a row
        if self._rules.share is None:
            return self._counted(after, team, turn.square)
        if turn.runs is not None:
            return self._claimed(after, team, turn.runs)
        complete = [
            window
            for window in squares.through[turn.square]
            if window.mask & counts == window.mask
        ]
        if not complete:
            return after
        claimed = self._faults.claimed(position, team)
        made = self._largest(complete, position.turned, claimed)
        after = self._claimed(after, team, [window.mask for window in made])
        if not (turn.face_up and made):
            return after
        fresh = after.turned & ~position.turned
        return after._replace(
            face_up=after.face_up | fresh,
            pending=Pending(turn.square, after.made, fresh),
        )

    def _remove(self, position: RunPosition, turn: Remove) -> RunPosition:
        kept = ~(1 << turn.square)
        chips = tuple(chips & kept for chips in position.chips)
        return self._acted(position, chips, turn)._replace(
            turned=position.turned & kept, face_up=position.face_up & kept
        )

    def _swap(self, position: RunPosition, turn: Swap) -> RunPosition:
        team, bit = self.setup.team_of[turn.by], 1 << turn.square
        chips = tuple(
            chips | bit if number == team else chips & ~bit
            for number, chips in enumerate(position.chips)
        )
        after = self._acted(position, chips, turn)
        return self._counted(after, team, turn.square)

    def _dead(self, position: RunPosition, turn: Dead) -> RunPosition:
        tally = self._faults.tally_after(position, turn) or position.tally
        if self._rules.dead_ends_turn:
            return _quiet(position)._replace(
                tally=tally, turn=self._next(turn.by), mover=turn.by, due=1
            )
        return _quiet(position)._replace(tally=tally, dead=position.dead + 1)

    def _pass(self, position: RunPosition, turn: Pass) -> RunPosition:
        passes = position.passes + 1
        rules = self._rules
        tied = (
            rules.tie_rounds is not None
            and passes >= rules.tie_rounds * len(self.players)
            and (position.reshuffles > 0 or not rules.tie_after_reshuffle)
        )
        return _quiet(position)._replace(
            tally=self._faults.tally_after(position, turn) or position.tally,
            turn=self._next(turn.by),
            passes=passes,
            dead=0,
            ended=() if tied else position.ended,
            unverified=True,
        )

    def _claim(self, position: RunPosition, turn: Claim) -> RunPosition:
        return self._claimed(_quiet(position), self.setup.team_of[turn.by], turn.runs)

    def _missed_draw(self, position: RunPosition, turn: MissedDraw) -> RunPosition:
        draws = position.draws
        if self._rules.late_draw:
            missed = position.due if turn.by == position.mover else 1
            draws = draws._replace(owed=_plus(draws.owed, turn.by, missed))
        else:
            draws = draws._replace(lost=_plus(draws.lost, turn.by, 1))
        return _quiet(position)._replace(draws=draws)

    def _penalty(self, position: RunPosition, turn: Penalty) -> RunPosition:
        lost = position.draws.lost
        if self._rules.talk_costs_card:
            for player, team in enumerate(self.setup.team_of):
                if team == turn.team:
                    lost = _plus(lost, player, 1)
        return _quiet(position)._replace(draws=position.draws._replace(lost=lost))

    def _reshuffle(self, position: RunPosition, _: Reshuffle) -> RunPosition:
        return _quiet(position)._replace(
            tally=Tally(), passes=0, reshuffles=position.reshuffles + 1
        )

    def _turn_over(self, position: RunPosition, turn: TurnOver) -> RunPosition:
        pending = position.pending
        if pending is None:
            return _quiet(position)._replace(face_up=position.face_up & ~turn.squares)
        before = retracted(position, pending)
        team = next(
            n for n, chips in enumerate(before.chips) if chips & pending.squares
        )
        after = self._claimed(before, team, turn.runs)
        # Told at once, the runs were news of their own line, and so they are here.
        return after if position.made else after._replace(made=())

    def _table(self, position: RunPosition, turn: Table) -> RunPosition:
        windows = self.setup.squares.windows
        claimed = reduce(
            or_, (windows[n].mask for runs in turn.claims for n in runs), 0
        )
        claimed &= ~self.setup.free
        if self._rules.share is None:
            score = tuple(self._rows(chips) for chips in turn.chips)
        else:
            score = tuple(map(len, turn.claims))
        winners = (n for n, runs in enumerate(score) if runs >= self.setup.needed)
        winner = next(winners, None)
        return _quiet(position)._replace(
            chips=turn.chips,
            turned=turn.turned | claimed,
            face_up=claimed & ~turn.turned,
            claims=turn.claims,
            score=score,
            turn=turn.to_move,
            ended=None if winner is None else (winner,),
            dead=0,
            passes=0,
            last=0,
            pending=None,
        )

    # -- parts of turns -----------------------------------------------------

    def _acted(
        self,
        position: RunPosition,
        chips: tuple[int, ...],
        turn: Place | Remove | Swap,
    ) -> RunPosition:
        """Return the position after a turn on the board, but for runs that it made."""
        by, draws, due = turn.by, position.draws, 1
        if self._rules.dead_draws_later:
            due += position.dead
        if draws.owed[by]:
            due += draws.owed[by]
            draws = draws._replace(owed=_plus(draws.owed, by, -draws.owed[by]))
        return RunPosition(
            chips,
            position.turned,
            position.face_up,
            position.claims,
            position.score,
            turn=(by + 1) % len(self.players),
            ended=position.ended,
            tally=self._faults.tally_after(position, turn) or position.tally,
            dead=0,
            passes=0,
            reshuffles=position.reshuffles,
            draws=draws,
            mover=by,
            due=due,
            last=1 << turn.square,
            made=(),
            unverified=False,
            pending=position.pending,
        )

    def _next(self, by: int) -> int:
        return (by + 1) % len(self.players)

    def _claimed(
        self, position: RunPosition, team: int, runs: Sequence[int]
    ) -> RunPosition:
        """Return the position after a team claimed runs, given by their squares."""
        by_mask = self.setup.squares.by_mask
        made = tuple(sorted(by_mask[run].number for run in runs if run in by_mask))
        if not made:
            return position
        claims = list(position.claims)
        claims[team] = tuple(sorted(claims[team] + made))
        score = list(position.score)
        score[team] = len(claims[team])
        return position._replace(
            turned=position.turned | reduce(or_, runs) & ~self.setup.free,
            claims=tuple(claims),
            score=tuple(score),
            ended=(team,) if score[team] >= self.setup.needed else position.ended,
            made=made,
        )

    def _counted(self, position: RunPosition, team: int, square: int) -> RunPosition:
        """Count the rows that a peg on a square made."""
        growth = self._faults.rows_at(position, team, square)
        if not growth:
            return position
        score = _plus(position.score, team, growth)
        won = score[team] >= self.setup.needed
        return position._replace(score=score, ended=(team,) if won else position.ended)

    def _largest(
        self, complete: Sequence[Window], turned: int, claimed: Sequence[Window]
    ) -> tuple[Window, ...]:
        """Return the largest set that may be claimed, the first of equal ones."""
        share = self._rules.share
        assert share is not None
        single = [window for window in complete if share((window,), turned, claimed)]
        best: tuple[Window, ...] = ()

        def extend(chosen: tuple[Window, ...], start: int) -> None:
            nonlocal best
            if len(chosen) > len(best):
                best = chosen
            for number in range(start, len(single)):
                more = (*chosen, single[number])
                if len(more) == 1 or share(more, turned, claimed):
                    extend(more, number + 1)

        extend((), 0)
        return best

    def _rows(self, own: int) -> int:
        """Return the rows that a team's pegs make."""
        return sum(
            self._rules.rows_in(length)
            for line in self.setup.squares.lines
            for length in _stretches(own, line)
        )


def _quiet(position: RunPosition) -> RunPosition:
    """Return the position without the news of the line before."""
    return position._replace(made=(), unverified=False)


def _plus(numbers: tuple[int, ...], index: int, more: int) -> tuple[int, ...]:
    return (*numbers[:index], numbers[index] + more, *numbers[index + 1 :])


def _stretches(own: int, line: Iterable[int]) -> Iterator[int]:
    """Yield the lengths of the unbroken stretches on a line."""
    for taken, squares in groupby(line, lambda number: own >> number & 1):
        if taken:
            yield sum(1 for _ in squares)
