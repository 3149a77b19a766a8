"""What is done in the five-in-a-row games, and the position that it leaves.

Squares are bit numbers and sets of squares are masks (`windows.py`). A card is its
name, `None` where nobody saw it, and `NOT_SHOWN` where the line does not mention it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from companion.rules.cards import Tally

NOT_SHOWN = ""
"""The line names no card, not even one that nobody saw."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece is put on a square.

    Attributes:
        runs: sets of squares that are claimed; None: the largest legal set is.
        face_up: the chips of the claimed runs still lie colour up. Only a camera
            tells this; it expects them to be turned over.
    """

    by: int
    card: str | None
    square: int
    runs: tuple[int, ...] | None = None
    face_up: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """A piece is taken off the board; `runs` are claimed with it, wrongly."""

    by: int
    card: str | None
    square: int
    runs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """An opposing piece is taken and an own one put in its place."""

    by: int
    card: str | None
    square: int


@dataclass(frozen=True, slots=True)
class Dead:
    """A dead card is announced and discarded."""

    by: int
    card: str


@dataclass(frozen=True, slots=True)
class Pass:
    """The player cannot act; `card` was given up with it."""

    by: int
    card: str | None = NOT_SHOWN


@dataclass(frozen=True, slots=True)
class Claim:
    """Runs that were overlooked are claimed before the turn is played."""

    by: int
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MissedDraw:
    """The player forgot to draw before the next one had played."""

    by: int


@dataclass(frozen=True, slots=True)
class Penalty:
    """A team talked at the table."""

    team: int
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """The discards become the draw pile."""

    by: int | None = None


@dataclass(frozen=True, slots=True)
class ShowOnly:
    """A card is laid down and nothing is done."""

    by: int
    card: str | None


@dataclass(frozen=True, slots=True)
class TurnOver:
    """The chips of the pending runs are seen turned over; bookkeeping, not a turn.

    Attributes:
        squares: the chips that were turned.
        runs: the runs that they make, which are claimed instead of the proposed ones.
    """

    by: int | None
    squares: int
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The players accept the table as it lies.

    Attributes:
        chips: pieces by team.
        turned: those that lie turned over.
        claims: numbers of the windows that stay claimed, by team.
        to_move: the player on turn.
    """

    chips: tuple[int, ...]
    turned: int
    claims: tuple[tuple[int, ...], ...]
    to_move: int
    by: int | None = None


RunTurn = (
    Place
    | Remove
    | Swap
    | Dead
    | Pass
    | Claim
    | MissedDraw
    | Penalty
    | Reshuffle
    | ShowOnly
    | TurnOver
    | Table
)


class Draws(NamedTuple):
    """What is known of hands.

    Attributes:
        owed: cards that each player draws beyond the usual one, after the next play.
        lost: by how many cards each player's hand stays smaller.
    """

    owed: tuple[int, ...]
    lost: tuple[int, ...]


class Pending(NamedTuple):
    """Runs that are claimed while their chips lie colour up.

    Attributes:
        square: the square whose chip completed them.
        runs: numbers of the windows.
        squares: the chips that must be turned over.
    """

    square: int
    runs: tuple[int, ...]
    squares: int


class RunPosition(NamedTuple):
    """A position: an immutable value, a named tuple because it is made in every turn.

    Attributes:
        chips: pieces by team.
        turned: pieces of claimed runs, whichever side the camera sees.
        face_up: those of them that lie colour up all the same.
        claims: numbers of the claimed windows by team, in order.
        score: runs by team.
        turn: the player on turn, or who would be if the game were not over.
        ended: teams that won, () for a tie, None while the game goes on.
        tally: the cards played.
        dead: dead cards in this turn.
        passes: passes in a row.
        reshuffles: how often the cards were shuffled again.
        draws: debts and losses of cards.
        mover: who acted last on the board, and may draw; None before the first turn.
        due: how many cards that player draws.
        last: squares of the last action on the board.
        made: windows claimed by the last line.
        unverified: the last line was accepted unseen.
        pending: runs to be turned over, None when there are none.
    """

    chips: tuple[int, ...]
    turned: int
    face_up: int
    claims: tuple[tuple[int, ...], ...]
    score: tuple[int, ...]
    turn: int
    ended: tuple[int, ...] | None
    tally: Tally
    dead: int
    passes: int
    reshuffles: int
    draws: Draws
    mover: int | None
    due: int
    last: int
    made: tuple[int, ...]
    unverified: bool
    pending: Pending | None
