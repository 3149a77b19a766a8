"""Record lines of the five-in-a-row games: from a line to a turn, and back.

A live game needs three things that a told one does not have; they extend the format
of record-format.md, whose readers ignore the first and never meet the others in an
export (`companion.record.exported`), unless a table was accepted.

* `"unturned": true` in a `place` line: a camera saw the piece and the referee claimed
  the largest set of runs, but the chips of those runs still lie colour up.
* `{"turned": ["a1", ...], "run": [[...]]}`: the chips were turned over then. `run`
  gives the runs that the players chose, which replace the proposed ones.
* `{"table": ROWS, "turn": i, "claims": {"white": [[...]], ...}}`: the players accept
  the table as it lies, or put a square right; player i is on turn, and exactly the runs
  in `claims` are kept. A chip of such a run may stand in `ROWS` colour up, and a chip
  on a free corner, where the players leave it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.errors import NotationError, quoted
from companion.rules.board import Cell
from companion.rules.game import Line
from companion.rules.run_rules import ROW_STARTS, SIDE, Setup
from companion.rules.run_turns import (
    NOT_SHOWN,
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
from companion.rules.windows import bits, mask_of

LETTERS = {
    "white": "w",
    "red": "r",
    "blue": "b",
    "green": "g",
    "yellow": "y",
    "black": "k",
}
"""How a position writes each colour (record-format.md)."""

_TOLD = (
    *("place", "remove", "swap", "dead", "pass", "claim"),
    *("missed_draw", "penalty", "reshuffle"),
)
_KINDS = frozenset(_TOLD)


class Lines:
    """Reads and writes the lines of one sitting."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._number = setup.squares.number
        self._deck = setup.deck
        self._players = len(setup.players)
        self._claims = setup.rules.share is not None
        self._letters = "".join(LETTERS[team] for team in setup.teams)
        self._readers = {
            "place": self._place,
            "remove": self._remove,
            "swap": self._swap,
            "dead": self._dead,
            "pass": self._pass,
            "claim": self._claim,
            "missed_draw": self._missed_draw,
            "penalty": self._penalty,
            "reshuffle": self._reshuffle,
            "turned": self._turned,
            "table": self._table,
            "card": self._show_only,
        }

    # -- reading ------------------------------------------------------------

    def read(self, position: RunPosition, line: Line) -> RunTurn:
        """Return the turn that a line tells.

        Raises:
            NotationError: the line is malformed.
        """
        kind = self._kind(line)
        by = position.turn
        if "by" in line:
            by = line["by"]
            if type(by) is not int or not 0 <= by < self._players:
                raise NotationError(
                    f'"by" must be a player\'s number, not {quoted(by)}.'
                )
        card = NOT_SHOWN
        if "card" in line:
            card = line["card"]
            if card is not None:
                self._check_card(card)
        return self._readers[kind](line, by, card)

    def _kind(self, line: Line) -> str:
        kinds = [key for key in line if key in _KINDS]
        if len(kinds) == 1:
            return kinds[0]
        if kinds:
            raise NotationError(
                f"a line does one thing, this one does {len(kinds)}: "
                f"{', '.join(kinds)}."
            )
        for key in ("turned", "table", "card"):
            if key in line:
                return key
        raise NotationError(f"a line needs one of {', '.join(_TOLD)}.")

    def _check_card(self, card: object) -> None:
        if type(card) is not str or card not in self._deck:
            raise NotationError(f"{quoted(card)} is no card of this game.")

    def _square(self, name: object) -> int:
        if type(name) is not str or name not in self._number:
            last = self._setup.squares.cells[-1]
            raise NotationError(
                f"{quoted(name)} is no square; they go from a1 to {last}."
            )
        return self._number[Cell(name)]

    def _place(self, line: Line, by: int, card: str | None) -> RunTurn:
        square = self._square(line["place"])
        face_up = line.get("unturned") is True
        return Place(by, card, square, self._run_of(line), face_up)

    def _remove(self, line: Line, by: int, card: str | None) -> RunTurn:
        square = self._square(line["remove"])
        return Remove(by, card, square, self._run_of(line) or ())

    def _swap(self, line: Line, by: int, card: str | None) -> RunTurn:
        self._run_of(line)  # nothing is claimed with a swap, but a run has a form
        return Swap(by, card, self._square(line["swap"]))

    def _dead(self, line: Line, by: int, _: str | None) -> RunTurn:
        self._check_card(line["dead"])
        return Dead(by, line["dead"])

    def _pass(self, line: Line, by: int, card: str | None) -> RunTurn:
        _true(line, "pass")
        return Pass(by, card)

    def _claim(self, line: Line, by: int, _: str | None) -> RunTurn:
        if not self._claims:
            raise NotationError(
                f"{self._setup.rules.run}s are counted in this game, not claimed."
            )
        runs = self._runs(line["claim"])
        if not runs:
            raise NotationError(f'"claim" names no {self._setup.rules.run}.')
        return Claim(by, runs)

    def _missed_draw(self, line: Line, by: int, _: str | None) -> RunTurn:
        _true(line, "missed_draw")
        return MissedDraw(by)

    def _penalty(self, line: Line, _: int, __: str | None) -> RunTurn:
        if line["penalty"] != "table-talk":
            raise NotationError(
                f'the only penalty is "table-talk", not {quoted(line["penalty"])}.'
            )
        return Penalty(self._team(line.get("team")))

    def _reshuffle(self, line: Line, _: int, __: str | None) -> RunTurn:
        _true(line, "reshuffle")
        return Reshuffle()

    def _show_only(self, line: Line, by: int, card: str | None) -> RunTurn:
        return ShowOnly(by, card)

    def _turned(self, line: Line, by: int, _: str | None) -> RunTurn:
        squares = self._set(line["turned"])
        return TurnOver(by, squares, self._runs(line.get("run")))

    def _table(self, line: Line, _: int, __: str | None) -> RunTurn:
        to_move = line.get("turn")
        if type(to_move) is not int or not 0 <= to_move < self._players:
            raise NotationError(
                f'"turn" must be a player\'s number, not {quoted(to_move)}.'
            )
        chips, turned = self.position_of(line["table"])
        claims = line.get("claims", {})
        if type(claims) is not dict:
            raise NotationError('"claims" must give the runs of each team.')
        kept: list[tuple[int, ...]] = [()] * len(self._setup.teams)
        for name, runs in claims.items():
            kept[self._team(name)] = tuple(
                sorted(self._window(mask) for mask in self._runs(runs))
            )
        return Table(chips, turned, tuple(kept), to_move)

    def _team(self, name: object) -> int:
        if type(name) is not str or name not in self._setup.teams:
            teams = " or ".join(self._setup.teams)
            raise NotationError(f'"team" must be {teams}, not {quoted(name)}.')
        return self._setup.teams.index(name)

    def _run_of(self, line: Line) -> tuple[int, ...] | None:
        return self._runs(line["run"]) if "run" in line and self._claims else None

    def _runs(self, value: object) -> tuple[int, ...]:
        if type(value) is not list:
            raise NotationError(
                f"runs are a list of lists of squares, not {quoted(value)}."
            )
        return tuple(self._set(squares) for squares in value)

    def _set(self, names: object) -> int:
        if type(names) is not list:
            raise NotationError(f"squares are given as a list, not as {quoted(names)}.")
        numbers = [self._square(name) for name in names]
        if len(set(numbers)) < len(numbers):
            raise NotationError(f"a square stands twice in {quoted(names)}.")
        return mask_of(numbers)

    def _window(self, mask: int) -> int:
        window = self._setup.squares.by_mask.get(mask)
        if window is None:
            names = ", ".join(self._setup.squares.names(mask))
            raise NotationError(f"{names} are not five in a line.")
        return window.number

    def position_of(self, text: object) -> tuple[tuple[int, ...], int]:
        """Return the pieces of each team and the turned ones of a written position.

        Raises:
            NotationError: it is not ten rows of ten known letters.
        """
        rows = text.split("/") if type(text) is str else []
        if len(rows) != SIDE or any(len(row) != SIDE for row in rows):
            raise NotationError(f"a position is {SIDE} rows of {SIDE}, joined by /.")
        chips = [0] * len(self._setup.teams)
        turned = 0
        for number, letter in enumerate("".join(rows)):
            if letter == ".":
                continue
            team = self._letters.find(letter.lower())
            if team < 0 or (letter.isupper() and not self._claims):
                raise NotationError(
                    f"{quoted(letter)} stands for nothing in this game."
                )
            chips[team] |= 1 << number
            turned |= letter.isupper() << number
        return tuple(chips), turned

    # -- writing ------------------------------------------------------------

    def position_text(self, chips: tuple[int, ...], turned: int) -> str:
        """Write a position: ten rows from the top, joined by "/"."""
        board = ["."] * len(self._setup.squares.cells)
        for letter, mask in zip(self._letters, chips, strict=True):
            for number in bits(mask):
                board[number] = letter.upper() if turned >> number & 1 else letter
        return "/".join("".join(board[n : n + SIDE]) for n in ROW_STARTS)

    def run_names(self, runs: Iterable[int]) -> list[list[str]]:
        """Write windows, given by their numbers, in order."""
        squares = self._setup.squares
        return [
            [squares.cells[n] for n in squares.windows[number].squares]
            for number in sorted(runs)
        ]

    def write(self, turn: RunTurn) -> dict[str, Any]:
        """Return the line that `read` reads as this turn."""
        line = self._body(turn)
        return line if turn.by is None else {"by": turn.by, **line}

    def _body(self, turn: RunTurn) -> dict[str, Any]:
        cells = self._setup.squares.cells
        match turn:
            case Place(_, card, square, runs, face_up):
                line = {**_card(card), "place": cells[square]}
                if runs is not None:
                    line["run"] = self._masks(runs)
                return {**line, "unturned": True} if face_up else line
            case Remove(_, card, square, runs):
                run = {"run": self._masks(runs)} if runs else {}
                return {**_card(card), "remove": cells[square], **run}
            case Swap(_, card, square):
                return {**_card(card), "swap": cells[square]}
            case TurnOver(_, squares, runs):
                names = list(self._setup.squares.names(squares))
                return {"turned": names, "run": self._masks(runs)}
            case Table(chips, turned, claims, to_move):
                return {
                    "table": self.position_text(chips, turned),
                    "turn": to_move,
                    "claims": {
                        team: self.run_names(runs)
                        for team, runs in zip(self._setup.teams, claims, strict=True)
                    },
                }
            case _:
                return self._body_without_squares(turn)

    def _body_without_squares(self, turn: RunTurn) -> dict[str, Any]:
        match turn:
            case Dead(_, card):
                return {"dead": card}
            case Pass(_, card):
                return {"pass": True, **_card(card)}
            case Claim(_, runs):
                return {"claim": self._masks(runs)}
            case MissedDraw():
                return {"missed_draw": True}
            case Penalty(team):
                return {"penalty": "table-talk", "team": self._setup.teams[team]}
            case Reshuffle():
                return {"reshuffle": True}
            case ShowOnly(_, card):
                return {"card": card}
        raise AssertionError(turn)

    def _masks(self, runs: Iterable[int]) -> list[list[str]]:
        squares = self._setup.squares
        return [
            [squares.cells[n] for n in squares.by_mask[mask].squares]
            if mask in squares.by_mask
            else list(squares.names(mask))
            for mask in runs
        ]


def _card(card: str | None) -> dict[str, Any]:
    return {} if card == NOT_SHOWN else {"card": card}


def _true(line: Line, key: str) -> None:
    if line[key] is not True:
        raise NotationError(f'"{key}" must be true, not {quoted(line[key])}.')
