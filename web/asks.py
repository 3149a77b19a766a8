"""What people ask for on the page: JSON to requests, or a sentence why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.errors import CompanionError
from companion.record import check_names, header_of, open_game
from companion.rules.board import Cell, Look
from companion.snapshot import (
    AcceptTable,
    Correct,
    NameCard,
    NewMatch,
    Request,
    TakeBack,
    Tell,
)

Body = Mapping[str, Any]


class BadRequest(CompanionError):
    """The page asked for something in a way nobody understands."""


def text(body: Body, key: str) -> str:
    """Return a short text.

    Raises:
        BadRequest: it is missing, no text, empty or longer than 80 characters.
    """
    value = body.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= 80:
        raise BadRequest(f'"{key}" must be a text of 1 to 80 characters.')
    return value


def number(body: Body, key: str, least: float, most: float) -> float:
    """Return a number within its bounds.

    Raises:
        BadRequest: it is missing, no number or out of bounds.
    """
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRequest(f'"{key}" must be a number.')
    if not least <= value <= most:
        raise BadRequest(f'"{key}" must be between {least:g} and {most:g}.')
    return value


def _take_back(body: Body) -> TakeBack:
    return TakeBack()


def _correct(body: Body) -> Correct:
    return Correct(Cell(text(body, "cell")), Look(text(body, "look")))


def _name_card(body: Body) -> NameCard:
    return NameCard(text(body, "card"))


def _accept(body: Body) -> AcceptTable:
    if body.get("to_move") is None:
        return AcceptTable()
    return AcceptTable(int(number(body, "to_move", 0, 17)))


def _tell(body: Body) -> Tell:
    line = body.get("line")
    if not isinstance(line, dict) or not line:
        raise BadRequest('"line" must be a line of the record, {"pass": true}.')
    return Tell(line)


def _new_match(body: Body) -> NewMatch:
    header = body.get("header")
    if not isinstance(header, dict):
        raise BadRequest('"header" must be the first line of a record.')
    game = open_game(header_of(header))
    check_names(player.name for player in game.players)
    best_of = body.get("best_of")
    if best_of not in (None, 1, 3, 5) or isinstance(best_of, bool):
        raise BadRequest("A match is the best of 1, 3 or 5 games.")
    minutes = body.get("minutes")
    return NewMatch(
        header, best_of, None if minutes is None else number(body, "minutes", 1, 1440)
    )


ASKS: Mapping[str, Callable[[Body], Request]] = {
    "take-back": _take_back,
    "correct": _correct,
    "card": _name_card,
    "accept": _accept,
    "tell": _tell,
    "match": _new_match,
}
"""By the last part of the address: /ask/take-back."""
