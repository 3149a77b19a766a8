"""What is fixed while a card-grid game is played: seats, cards, house rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.errors import HeaderError, quoted
from companion.rules.combinations import Chart
from companion.rules.game import Player

BONUS = 6
"""For the first player to go out (GHL-17)."""

PENALTY = 2
"""For each line, each wild and each lock card left in a grid (GHL-21)."""

LAST_TURNS = 2
"""Turns that the others have after somebody went out (GHL-19)."""


@dataclass(frozen=True, slots=True)
class CardGridOptions:
    """House rules; the defaults are those of rulings section 7.

    Attributes:
        wilds, locks: whether these cards are played with.
        rounds: how many are played; None: until `points` are reached.
        points: the total that ends the game; None: `rounds` alone do.
        open_lines: lines left for who eliminated none, "three" or "six".
        final_double_lock: what two lock cards cost in the second last turn: the
            turn ("forfeit"), or only the cells they lock ("locked-cells-only").
    """

    wilds: bool = True
    locks: bool = True
    rounds: int | None = None
    points: int | None = 111
    open_lines: str = "three"
    final_double_lock: str = "forfeit"


def options_of(rules: Mapping[str, object], title: str) -> CardGridOptions:
    """Read the house rules of a header.

    Raises:
        HeaderError: an unknown name or value; the sentence lists what there is.
    """
    for name, value in rules.items():
        if name not in HOUSE_RULES:
            raise HeaderError(
                f'{title} has no house rule "{name}"; it has {", ".join(HOUSE_RULES)}.'
            )
        allowed, values = HOUSE_RULES[name]
        if not allowed(value):
            raise HeaderError(
                f'The house rule "{name}" is {values}, not {quoted(value)}.'
            )
    options = CardGridOptions(
        **{name.replace("-", "_"): value for name, value in rules.items()}  # type: ignore[arg-type]
    )
    if options.rounds is None and options.points is None:
        raise HeaderError(
            'Without a number of "rounds" the game needs "points" to end at.'
        )
    return options


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_count_or_none(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


HOUSE_RULES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "wilds": (_is_truth, "true or false"),
    "locks": (_is_truth, "true or false"),
    "rounds": (_is_count_or_none, "a whole number from 1 or null"),
    "points": (_is_count_or_none, "a whole number from 1 or null"),
    "open-lines": (lambda value: value in ("three", "six"), '"three" or "six"'),
    "final-double-lock": (
        lambda value: value in ("forfeit", "locked-cells-only"),
        '"forfeit" or "locked-cells-only"',
    ),
}


OFFERS: Mapping[str, Sequence[object]] = {
    "wilds": (True, False),
    "locks": (True, False),
    "rounds": (None, 1, 2, 3, 4, 5),
    "points": (111, 50, 200, None),
    "open-lines": ("three", "six"),
    "final-double-lock": ("forfeit", "locked-cells-only"),
}
"""Values worth offering for each house rule, the default first."""


@dataclass(frozen=True, slots=True)
class CardGridRules:
    """What is fixed for one sitting.

    Attributes:
        players: in seating order.
        chart: what combinations are worth.
        copies: how often each face is in the deck or decks, 0 if left out.
        options: the house rules.
    """

    players: tuple[Player, ...]
    chart: Chart
    copies: Mapping[str, int]
    options: CardGridOptions

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The players who add their totals up, each alone without teams."""
        by_team: dict[str, tuple[int, ...]] = {}
        for number, player in enumerate(self.players):
            team = player.team or str(number)
            by_team[team] = (*by_team.get(team, ()), number)
        return tuple(by_team.values())

    def name(self, player: int) -> str:
        """Return a player's name."""
        return self.players[player].name or f"Player {player + 1}"
