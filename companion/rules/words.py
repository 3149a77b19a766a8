"""Codes of cards, looks and places in words, for eyes and for ears."""

from __future__ import annotations

import re
from collections.abc import Iterable

from companion.rules.board import TURNED, Cell, Look, team_of
from companion.rules.game import Meaning, Player
from companion.rules.grids import PLACE_NAMES

CARD = re.compile(r"([2-9TJQKA])([SHDC])")
SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
RANKS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
COLOURS = {"R": "red", "G": "green", "B": "blue", "Y": "yellow"}
"""The colour letters of GRID#LOCK cards."""
SPECIALS = frozenset({"JOKER", "ADD", "REMOVE", "LOCK"})

MEANING_WORDS = {
    Meaning.RUN: "In a finished run",
    Meaning.LAST_TURN: "Last turn",
    Meaning.WRONG: "Not as it should be",
    Meaning.LOOK_HERE: "Please show again",
    Meaning.TURN_OVER: "To be turned over",
    Meaning.REACHABLE: "Can be reached",
    Meaning.WON: "Won",
}


def is_suited(printed: Iterable[str]) -> bool:
    """Tell whether a board prints playing cards; "KS" may also be Kansas."""
    cards = (label for label in printed if len(label) == 2 and label != "XX")
    return all(CARD.fullmatch(card) for card in cards)


def card_name(card: str, *, suited: bool = True) -> str:
    """Say a card's code in words: "7H" is "7 of hearts", "R7" is "red 7"."""
    if suited and (match := CARD.fullmatch(card)):
        rank, suit = match.groups()
        return f"{RANKS.get(rank, rank)} of {SUITS[suit]}"
    if len(card) == 2 and card[0] in COLOURS and card[1].isdigit():
        return f"{COLOURS[card[0]]} {card[1]}"
    if card == "#":
        return "wild card"
    return f"{card.capitalize()} card" if card in SPECIALS else card


def look_name(look: Look) -> str:
    """Say a look in words: "red-turned" is "red, turned over"."""
    return ", ".join(_part_name(part) for part in look.split("+"))


def either(cell: Cell, looks: Iterable[Look]) -> str:
    """Ask which look a cell has, as in "Is e5 empty or white?"."""
    return f"Is {cell} {' or '.join(sorted(map(look_name, looks)))}?"


def _part_name(part: str) -> str:
    kind, _, what = part.partition(":")
    if what:  # "tile:N-SE", "car:red", "cube:blue"
        return f"tile {what}" if kind == "tile" else f"{what} {kind}"
    if part.endswith(TURNED):
        return f"{team_of(part)}, turned over"
    is_card = part in ("#", "LOCK") or (part[:1] in COLOURS and part[1:].isdigit())
    return card_name(part) if is_card else part.replace("-", " ")


def place_name(cell: Cell, players: tuple[Player, ...]) -> str:
    """Say a cell in words: "p0:a1" is "Ann, top left", others are as they are."""
    owner, _, place = cell.partition(":")
    if not place:
        return cell
    where = PLACE_NAMES[3 * (int(place[1:]) - 1) + "abc".index(place[0])]
    return f"{players[int(owner[1:])].name}, {where}"
