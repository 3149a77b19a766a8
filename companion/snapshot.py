"""What everything shows, and what people may ask for: all that crosses threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.rules.board import Cell, Look
from companion.rules.game import Highlight, Player
from companion.rules.verdict import Kind, Violation


@dataclass(frozen=True, slots=True)
class News:
    """One entry of the story: an accepted turn, or a violation that was seen.

    Attributes:
        number: place in the record, from 1.
        by: the player's number, None for events that are nobody's turn.
        text: a plain sentence.
        codes: violation codes, () for an accepted turn.
        card: the card played; None when nobody named it.
        at: ISO 8601 with offset.
        before, after: keys of the pictures around a violation, "" for none.
    """

    number: int
    by: int | None
    text: str
    at: str
    codes: tuple[str, ...] = ()
    card: str | None = None
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Where the match stands.

    Attributes:
        best_of: games of the match (1, 3, 5); None: a time limit or a single sitting.
        ends_at: ISO 8601, when a time limit ends the match; None without one.
        game_number: the running game, from 1.
        wins: games won by team, in seating order of the teams.
        winner: the team that won the match, "tie", or None while it goes on.
    """

    best_of: int | None
    ends_at: str | None
    game_number: int
    wins: Mapping[str, int]
    winner: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that the page and the lights show; the only thing that crosses threads.

    Attributes:
        number: counts up with every change.
        game, title, piece_kind: which game, "gridlock", "Gridlock 3x5", "chips".
        unwitnessed: sentences naming rules that the table cannot see.
        state: the verdict keys of record-format.md (turn, score, position, ...).
        looks: what the referee believes lies on each cell.
        printed: what is printed on each cell, "" for nothing.
        outlines: corners of each cell in mm, clockwise from the top left.
        extras: what only this game shows (where cars can drive to, ...), JSON.
        highlights: what is worth lighting.
        kind, text: the last verdict and its sentence.
        violations: what is wrong on the table now, () when all is well.
        doubtful: squares to show again.
        status: "watching", "hand", "moved", "unclear", "lost", "no-camera" or "over".
        status_text: the sentence for it.
        cards: cards that may be named for the last turn, () if there are none.
        fitting: so many of them, the first ones, explain that turn.
        card_for: that turn, in words.
        story: the newest last, at most the last 200.
        choices: looks that a square may be corrected to, () where none is read.
        board: as the record's header names it; None: the game's own.
        sighted: whether a camera reads this game; if not, turns are told.
        offered: the games that can be begun here.
        recorded: the game was played already: nothing can be asked for.
    """

    number: int
    game: str
    title: str
    piece_kind: str
    players: tuple[Player, ...]
    rules: Mapping[str, Any]
    unwitnessed: tuple[str, ...]
    state: Mapping[str, Any]
    looks: Mapping[Cell, Look]
    printed: Mapping[Cell, str]
    outlines: Mapping[Cell, tuple[tuple[float, float], ...]]
    size_mm: tuple[float, float]
    extras: Mapping[str, Any]
    highlights: tuple[Highlight, ...]
    kind: Kind
    text: str
    violations: tuple[Violation, ...]
    doubtful: tuple[Cell, ...]
    status: str
    status_text: str
    cards: tuple[str, ...]
    story: tuple[News, ...]
    score: Score
    choices: tuple[Look, ...] = ()
    board: Any = None
    fitting: int = 0
    card_for: str = ""
    sighted: bool = True
    offered: tuple[str, ...] = ()
    recorded: bool = False


# What people ask for on the page. Each is answered by the next snapshot, or
# refused with a sentence; `ticket` lets the asker find the answer.


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Drop the last accepted line."""


@dataclass(frozen=True, slots=True)
class Correct:
    """The square looks otherwise than the referee believes."""

    cell: Cell
    look: Look


@dataclass(frozen=True, slots=True)
class NameCard:
    """Name the card of the last turn."""

    card: str


@dataclass(frozen=True, slots=True)
class AcceptTable:
    """The players accept the table as it now lies; `to_move` plays next."""

    to_move: int | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """A record line told by a player: a pass, a dead card, or any action."""

    line: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewMatch:
    """Begin a match.

    Attributes:
        header: a record header (record-format.md).
        best_of: 1, 3 or 5; None with a time limit or for an open sitting.
        minutes: a time limit; None without one.
    """

    header: Mapping[str, Any]
    best_of: int | None = 1
    minutes: float | None = None


Request = TakeBack | Correct | NameCard | AcceptTable | Tell | NewMatch
