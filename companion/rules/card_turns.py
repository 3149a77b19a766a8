"""Turns of the card-grid games, as record lines tell them (record-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from companion.errors import NotationError, quoted
from companion.rules.combinations import LOCK
from companion.rules.game import Line
from companion.rules.grids import Arrows, Direction

Pile = Literal["draw", "discard"]
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class StartFlip:
    """A player flips the first card; `arrows` counts for a lock card only."""

    by: int | None
    place: int
    shows: str
    arrows: Arrows = "both"


@dataclass(frozen=True, slots=True)
class FirstDiscard:
    """The first card is turned up as the discard pile."""

    card: str
    by: None = None


@dataclass(frozen=True, slots=True)
class Take:
    """A card is taken, then placed or discarded.

    Attributes:
        source: the pile it comes from.
        card: the card drawn, None from the discard pile.
        put, old: the place where it goes and the card that lay there; `old` may
            be None where that one lies face up.
        flip, shows, arrows: the card flipped up after a discard.
        eliminate: which line goes where two are complete; None: the referee's choice.
    """

    by: int | None
    source: Pile
    card: str | None = None
    put: int | None = None
    old: str | None = None
    flip: int | None = None
    shows: str | None = None
    arrows: Arrows = "both"
    eliminate: Direction | None = None


@dataclass(frozen=True, slots=True)
class FinalFlip:
    """All face-down cards of those who are not out are flipped up.

    Attributes:
        shows: the faces by player and place.
        arrows: of the lock cards among them; left out: "both".
        eliminate: the direction that a player wants to go.
    """

    shows: Mapping[int, Mapping[int, str]]
    arrows: Mapping[int, Mapping[int, Arrows]] = field(default_factory=dict)
    eliminate: Mapping[int, Direction] = field(default_factory=dict)
    by: None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """A turn is lost to lock cards."""

    by: int | None


@dataclass(frozen=True, slots=True)
class NextRound:
    """The cards are dealt anew."""

    by: None = None


CardTurn = StartFlip | FirstDiscard | Take | FinalFlip | Skip | NextRound


class TurnReader:
    """Reads the record lines of one game, checking all that needs no position.

    Args:
        players: how many sit at the table.
        faces: the cards that may be named.
    """

    def __init__(self, players: int, faces: Collection[str]) -> None:
        self._players = {str(player): player for player in range(players)}
        self._faces = faces
        self._kinds: dict[str, Callable[[Line, int | None], CardTurn]] = {
            "start": self._start,
            "discard": self._discard,
            "take": self._take,
            "final_flip": self._final_flip,
            "skip": self._skip,
            "next_round": self._next_round,
        }

    def read(self, line: Line, to_move: int | None) -> CardTurn:
        """Read a line; without "by" it is the turn of the player on turn.

        Raises:
            NotationError: the line is malformed.
        """
        kinds = [kind for kind in self._kinds if kind in line]
        if len(kinds) != 1:
            named = " and ".join(kinds) or "none"
            raise NotationError(
                f"a line has exactly one of {', '.join(self._kinds)}; this has {named}."
            )
        by = self._by(line["by"]) if "by" in line else to_move
        return self._kinds[kinds[0]](line, by)

    def _start(self, line: Line, by: int | None) -> StartFlip:
        place = _place(line["start"])
        return StartFlip(by, place, self._needed_card(line, "shows"), _arrows_of(line))

    def _discard(self, line: Line, by: int | None) -> FirstDiscard:
        return FirstDiscard(self._card(line["discard"]))

    def _take(self, line: Line, by: int | None) -> Take:
        """Read what its form of a turn has; other keys are ignored."""
        source = _one_of(line["take"], _PILES, "take")
        return Take(
            by,
            source,
            card=self._needed_card(line, "card") if source == "draw" else None,
            put=_optional(line, "put", _place),
            old=_optional(line, "old", self._card) if "put" in line else None,
            flip=_optional(line, "flip", _place),
            shows=self._needed_card(line, "shows") if "flip" in line else None,
            arrows=_arrows_of(line) if "flip" in line else "both",
            eliminate=_optional(line, "eliminate", _direction),
        )

    def _final_flip(self, line: Line, by: int | None) -> FinalFlip:
        return FinalFlip(
            self._by_player(line["final_flip"], _by_place(self._card)),
            self._by_player(line.get("arrows", {}), _by_place(_arrows)),
            self._by_player(line.get("eliminate", {}), _direction),
        )

    def _skip(self, line: Line, by: int | None) -> Skip:
        _true(line["skip"], "skip")
        return Skip(by)

    def _next_round(self, line: Line, by: int | None) -> NextRound:
        _true(line["next_round"], "next_round")
        return NextRound()

    def _by(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise NotationError(f'"by" is a player\'s number, not {quoted(value)}.')
        if value not in self._players.values():
            raise NotationError(
                f'"by" is a player\'s number from 0 to {len(self._players) - 1}, '
                f"not {value}."
            )
        return value

    def _card(self, value: object) -> str:
        if not isinstance(value, str) or value not in self._faces:
            raise NotationError(
                f"{quoted(value)} is no card; cards are written R7, #, or {LOCK}."
            )
        return value

    def _needed_card(self, line: Line, key: str) -> str:
        if key not in line:
            raise NotationError(f'"{key}" is missing: name the card.')
        return self._card(line[key])

    def _by_player(self, value: object, read: Callable[[object], V]) -> dict[int, V]:
        if not isinstance(value, dict) or not value.keys() <= self._players.keys():
            raise NotationError(
                f'here belongs an object of players\' numbers, {{"1": ...}}, '
                f"not {quoted(value)}."
            )
        return {self._players[player]: read(item) for player, item in value.items()}


def line_of(turn: CardTurn) -> dict[str, Any]:
    """Write a turn as a record line."""
    line: dict[str, Any] = {} if turn.by is None else {"by": turn.by}
    match turn:
        case StartFlip():
            line |= {"start": _cell(turn.place), "shows": turn.shows}
            line |= _arrows_line(turn.shows, turn.arrows)
        case FirstDiscard():
            line["discard"] = turn.card
        case Take():
            line |= _take_line(turn)
        case FinalFlip():
            line |= _final_flip_line(turn)
        case Skip():
            line["skip"] = True
        case NextRound():
            line["next_round"] = True
    return line


def _take_line(turn: Take) -> dict[str, Any]:
    line = {
        "take": turn.source,
        "card": turn.card,
        "put": None if turn.put is None else _cell(turn.put),
        "old": turn.old,
        "flip": None if turn.flip is None else _cell(turn.flip),
        "shows": turn.shows,
        "eliminate": turn.eliminate,
    }
    return {key: value for key, value in line.items() if value is not None} | (
        _arrows_line(turn.shows, turn.arrows)
    )


def _arrows_line(shows: str | None, arrows: Arrows) -> dict[str, Any]:
    return {"arrows": arrows} if shows == LOCK else {}


def _final_flip_line(turn: FinalFlip) -> dict[str, Any]:
    line: dict[str, Any] = {"final_flip": _written(turn.shows)}
    if turn.arrows:
        line["arrows"] = _written(turn.arrows)
    if turn.eliminate:
        line["eliminate"] = {str(by): way for by, way in turn.eliminate.items()}
    return line


def _written(faces: Mapping[int, Mapping[int, str]]) -> dict[str, dict[str, str]]:
    return {
        str(by): {_PLACE_KEYS[place]: face for place, face in cards.items()}
        for by, cards in faces.items()
    }


def _cell(place: int) -> list[int]:
    return list(divmod(place, 3))


_PILES: tuple[Pile, ...] = ("draw", "discard")
_DIRECTIONS: tuple[Direction, ...] = ("row", "column")
_ARROWS: tuple[Arrows, ...] = ("row", "column", "both")
_PLACE_KEYS = tuple(f"{place // 3},{place % 3}" for place in range(9))


def _place(value: object) -> int:
    """Read a cell, [row, column] from 0."""
    if (
        not isinstance(value, list)
        or len(value) != 2
        or any(isinstance(n, bool) or not isinstance(n, int) for n in value)
        or not all(0 <= n <= 2 for n in value)
    ):
        raise NotationError(
            f"a cell is [row, column], each from 0 to 2, not {quoted(value)}."
        )
    row, column = value
    return int(3 * row + column)


def _by_place(read: Callable[[object], V]) -> Callable[[object], dict[int, V]]:
    def read_all(value: object) -> dict[int, V]:
        if not isinstance(value, dict) or not value.keys() <= set(_PLACE_KEYS):
            raise NotationError(
                f'here belongs an object of cells, {{"0,2": ...}}, not {quoted(value)}.'
            )
        return {_PLACE_KEYS.index(key): read(item) for key, item in value.items()}

    return read_all


def _one_of(value: object, words: Collection[V], what: str) -> V:
    for word in words:
        if word == value:
            return word
    raise NotationError(f'"{what}" is one of {", ".join(map(str, words))}.')


def _direction(value: object) -> Direction:
    return _one_of(value, _DIRECTIONS, "eliminate")


def _arrows(value: object) -> Arrows:
    return _one_of(value, _ARROWS, "arrows")


def _arrows_of(line: Line) -> Arrows:
    """Read the arrows of the card that a line shows; only a lock card has any."""
    arrows = _arrows(line["arrows"]) if "arrows" in line else "both"
    return arrows if line.get("shows") == LOCK else "both"


def _optional(line: Line, key: str, read: Callable[[object], V]) -> V | None:
    return read(line[key]) if key in line else None


def _true(value: object, key: str) -> None:
    if value is not True:
        raise NotationError(f'"{key}" is written true.')
