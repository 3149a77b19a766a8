"""Turns of the five-in-a-row games in plain sentences."""

from __future__ import annotations

from companion.rules.run_faults import Faults
from companion.rules.run_rules import Setup
from companion.rules.run_turns import (
    Claim,
    Dead,
    MissedDraw,
    Pass,
    Penalty,
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


class Words:
    """Says what is done in one sitting."""

    def __init__(self, setup: Setup, faults: Faults) -> None:
        self._setup = setup
        self._rules = setup.rules
        self._cells = setup.squares.cells
        self._names = faults.names
        self._name = faults.name

    def describe(self, position: RunPosition, turn: RunTurn, after: RunPosition) -> str:
        """Say what a turn does.

        Args:
            position: the position before it.
            turn: what is done.
            after: the position after it.
        """
        says = f"{self._action(position, turn)}{self._runs(after)}."
        if after.ended is not None and position.ended is None:
            winners = " and ".join(self._setup.teams[n] for n in after.ended)
            win = f"{winners.capitalize()} win{'s' if len(after.ended) == 1 else ''}!"
            says += f" {win}" if winners else " The game is a tie."
        return says

    def _action(self, position: RunPosition, turn: RunTurn) -> str:
        by = turn.by if turn.by is not None else position.turn
        name, piece = self._name(by), self._rules.piece
        team = self._setup.teams[self._setup.team_of[by]]
        match turn:
            case Place(_, card, square):
                cell = self._cells[square]
                return f"{name} puts a {team} {piece} on {cell}{_with(card)}"
            case Remove(_, card, square):
                return (
                    f"{name} takes the {piece} off {self._cells[square]}{_with(card)}"
                )
            case Swap(_, card, square):
                cell = self._cells[square]
                return f"{name} replaces the {piece} on {cell}{_with(card)}"
            case Dead(_, card):
                return f"{name} turns in the dead card {card}"
            case Pass(_, card):
                return f"{name} passes{f' and gives up {card}' if card else ''}"
            case Claim():
                return f"{name} turns over what was overlooked"
            case _:
                return self._event(turn, name)

    def _event(self, turn: RunTurn, name: str) -> str:
        match turn:
            case MissedDraw():
                return f"{name} forgot to draw a card"
            case Penalty(team):
                return f"Team {self._setup.teams[team]} talked at the table"
            case Reshuffle():
                return "The discards are shuffled and become the draw pile"
            case ShowOnly(_, card):
                return f"{name} lays down {card or 'a card'} and does nothing"
            case TurnOver(_, squares):
                return f"{self._names(squares)} are turned over"
            case Table(to_move=to_move):
                player = self._name(to_move)
                return f"The table is accepted as it lies; {player} is on turn"
        raise AssertionError(turn)

    def _runs(self, after: RunPosition) -> str:
        if not after.made:
            return ""
        ends = (self._setup.squares.windows[n].squares for n in after.made)
        runs = " and ".join(
            f"{self._cells[squares[0]]} to {self._cells[squares[-1]]}"
            for squares in ends
        )
        return f": {self._rules.run} {runs}"


def _with(card: str | None) -> str:
    return f" with {card}" if card else ""
