"""Decks, and the account of the cards that must have been played.

The account answers one question: is there a choice of cards that explains
everything since the last reshuffle? A shown card is itself. A piece that was put on a
square while nobody saw the card came from the square's own card or from a card that
can stand in for it; an unseen removal or exchange came from the cards that do that.
So an unseen action has one own card and at most one pool to fall back on, and the
matching problem dissolves: of the unseen actions with the same own card at most
`copies - shown` used it, the others drew from the pool. Everything can be explained
if no card is shown more often than it exists and no pool is overdrawn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

NUMBERED = tuple(rank + suit for suit in "SHDC" for rank in "A23456789TQK")
"""The 48 cards without jacks and jokers."""

_POSTAL_CODES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE "
    "NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY"
)

STATES = tuple(_POSTAL_CODES.split())
"""The postal codes of the fifty states."""

_WIDTH = 4
_FIELD = (1 << _WIDTH) - 1


class Tally(NamedTuple):
    """Cards since the last reshuffle: counters of four bits each, packed in integers.

    Copying a few integers is what makes a position cheap. No counter can overflow:
    `Deck` makes only accounts that can be explained, and no card exists more
    than four times.

    Attributes:
        shown: how often each card was shown.
        unseen: how many unseen actions have each card as their own.
        drawn: how many cards each pool has given, shown or needed.
    """

    shown: int = 0
    unseen: int = 0
    drawn: int = 0


class _Entry(NamedTuple):
    """A card: its counter, its copies, its pool, and the pool that can stand in."""

    shift: int
    copies: int
    pool: int | None
    stand_in: int | None


class Deck:
    """The cards of a game, and which of them can stand in for others.

    Args:
        copies: how often each card exists.
        pools: sets of special cards that do the same thing; no card is in two.
        stand_ins: for a card the number of the pool that can take its place.
    """

    def __init__(
        self,
        copies: Mapping[str, int],
        pools: Sequence[Collection[str]],
        stand_ins: Mapping[str, int],
    ) -> None:
        pool_of = {card: n for n, cards in enumerate(pools) for card in cards}
        self._entries = {
            card: _Entry(n * _WIDTH, count, pool_of.get(card), stand_ins.get(card))
            for n, (card, count) in enumerate(copies.items())
        }
        self._sizes = tuple(sum(copies[card] for card in cards) for cards in pools)

    @cached_property
    def cards(self) -> tuple[str, ...]:
        """All different cards."""
        return tuple(self._entries)

    def __contains__(self, card: object) -> bool:
        return card in self._entries

    def copies(self, card: str) -> int:
        """Return how often a card exists."""
        return self._entries[card].copies

    def times_shown(self, tally: Tally, card: str) -> int:
        """Return how often a card was shown since the last reshuffle."""
        return tally.shown >> self._entries[card].shift & _FIELD

    def show(self, tally: Tally, card: str) -> Tally | None:
        """Return the account after a card was shown, None if that is impossible."""
        shift, copies, pool, stand_in = self._entries[card]
        times = tally.shown >> shift & _FIELD
        if times >= copies:
            return None
        drawn: int | None = tally.drawn
        if pool is not None:
            drawn = self._drawn(tally, pool)
        elif tally.unseen and times + (tally.unseen >> shift & _FIELD) >= copies:
            # An unseen action that could have been this card was a stand-in.
            drawn = self._drawn(tally, stand_in)
        if drawn is None:
            return None
        return Tally(tally.shown + (1 << shift), tally.unseen, drawn)

    def act_unseen(self, tally: Tally, card: str) -> Tally | None:
        """Return the account after an unseen action whose own card is `card`."""
        shift, copies, _, stand_in = self._entries[card]
        times = (tally.shown >> shift & _FIELD) + (tally.unseen >> shift & _FIELD)
        drawn = tally.drawn if times < copies else self._drawn(tally, stand_in)
        if drawn is None:
            return None
        return Tally(tally.shown, tally.unseen + (1 << shift), drawn)

    def draw_unseen(self, tally: Tally, pool: int) -> Tally | None:
        """Return the account after an unseen action that only a pool can explain."""
        drawn = self._drawn(tally, pool)
        return None if drawn is None else Tally(tally.shown, tally.unseen, drawn)

    def _drawn(self, tally: Tally, pool: int | None) -> int | None:
        if pool is None:
            return None
        if tally.drawn >> pool * _WIDTH & _FIELD >= self._sizes[pool]:
            return None
        return tally.drawn + (1 << pool * _WIDTH)
