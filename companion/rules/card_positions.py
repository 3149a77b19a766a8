"""Where a card-grid game stands, and what can be told from that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from companion.rules.combinations import FACE_DOWN, GONE, LOCK, WILD, Chart
from companion.rules.game import Player
from companion.rules.grids import TRIOS, Cluster, Direction, Grid, trio_through

BONUS = 6
"""For the first player to go out (GHL-17)."""

PENALTY = 2
"""For each line, each wild and each lock card left in a grid (GHL-21)."""

LAST_TURNS = 2
"""Turns that the others have after somebody went out (GHL-19)."""


class Phase(Enum):
    """The words of record-format.md."""

    START = "start"
    PLAY = "play"
    FINAL = "final"
    ROUND_OVER = "round-over"
    GAME_OVER = "game-over"


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


@dataclass(frozen=True, slots=True)
class Elimination:
    """Three cards that the last action took out of a grid."""

    by: int
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class CardGridPosition:
    """A moment of a game.

    Attributes:
        round: from 0.
        phase: FINAL from the moment somebody is out.
        grids: by player.
        to_move: the player on turn, before play the one who will begin; None
            while the final flip or the next round is due, or all is over.
        discards: the discard pile since it was last shuffled, the top last.
        pile: how many cards are left to draw.
        first_out: who ended the normal part of the round, None until then.
        turns_left: last turns by player, once the final flip is done.
        totals: points of the rounds that are over, by player.
        eliminated: what the last action removed.
        changed: the places where the last action put or flipped cards, by player.
    """

    round: int
    phase: Phase
    grids: tuple[Grid, ...]
    to_move: int | None
    pile: int
    totals: tuple[int, ...]
    discards: tuple[str, ...] = ()
    first_out: int | None = None
    turns_left: tuple[int, ...] = ()
    eliminated: tuple[Elimination, ...] = ()
    changed: tuple[tuple[int, int], ...] = ()


def dealt(
    rules: CardGridRules, round_number: int, totals: tuple[int, ...]
) -> CardGridPosition:
    """Return a round as it is dealt, before anybody flips a card (GHL-02, GHL-04)."""
    players = len(rules.players)
    return CardGridPosition(
        round=round_number,
        phase=Phase.START,
        grids=(Grid(),) * players,
        to_move=round_number % players,
        pile=sum(rules.copies.values()) - 9 * players - 1,
        totals=totals,
    )


def flip_due(position: CardGridPosition) -> bool:
    """Tell whether the final flip comes next."""
    return position.phase is Phase.FINAL and position.to_move is None


def skip_due(rules: CardGridRules, position: CardGridPosition) -> bool:
    """Tell whether lock cards cost the player on turn this last turn (GHL-20)."""
    if position.phase is not Phase.FINAL or position.to_move is None:
        return False
    cards = [card for card in position.grids[position.to_move].cards if card != GONE]
    if position.turns_left[position.to_move] == LAST_TURNS:
        return len(cards) == 3 and LOCK in cards
    return rules.options.final_double_lock == "forfeit" and cards.count(LOCK) >= 2


def score(rules: CardGridRules, position: CardGridPosition, player: int) -> int:
    """Return a player's points of the round; what is left costs when it is over."""
    grid = position.grids[player]
    points = sum(cluster.points for cluster in grid.clusters)
    points += BONUS if position.first_out == player else 0
    if position.phase in (Phase.ROUND_OVER, Phase.GAME_OVER):
        points -= PENALTY * (
            _open_lines(rules, grid) + grid.cards.count(WILD) + grid.cards.count(LOCK)
        )
    return points


def _open_lines(rules: CardGridRules, grid: Grid) -> int:
    if grid.direction is None and rules.options.open_lines == "six":
        return 6
    return sum(card != GONE for card in grid.cards) // 3


def leaders(rules: CardGridRules, position: CardGridPosition) -> tuple[int, ...]:
    """Return the players with the highest total, of teams all members."""
    sums = {team: sum(position.totals[n] for n in team) for team in rules.teams}
    best = max(sums.values())
    return tuple(
        sorted(n for team, total in sums.items() if total == best for n in team)
    )


def is_last_round(rules: CardGridRules, position: CardGridPosition) -> bool:
    """Tell whether the round just ended was the last (GHL-22, GHL-A20)."""
    options = rules.options
    if options.rounds is not None and position.round + 1 >= options.rounds:
        return True
    return options.points is not None and any(
        sum(position.totals[n] for n in team) >= options.points for team in rules.teams
    )


def seen(position: CardGridPosition, drawing: bool = False) -> Counter[str]:
    """Count the faces that lie open: cells, eliminated cards, discards.

    Args:
        position: where the game stands.
        drawing: a card is being drawn; if the pile is empty, all discards but
            the top one become the pile before, and are unseen again.
    """
    reshuffled = drawing and position.pile == 0
    counts = Counter(position.discards[-1:] if reshuffled else position.discards)
    for grid in position.grids:
        counts.update(card for card in grid.cards if card not in (FACE_DOWN, GONE))
        for cluster in grid.clusters:
            counts.update(cluster.cards)
    return counts


def lines_to_go(rules: CardGridRules, grid: Grid, place: int) -> list[Direction]:
    """Return the directions in which the line through a place goes now.

    That with more points stands first, of equals the row.
    """
    going: list[Direction] = [
        direction
        for direction in TRIOS
        if trio_through(place, direction) in grid.complete(rules.chart, direction)
    ]
    return sorted(
        going,
        key=lambda direction: -grid.points(rules.chart, trio_through(place, direction)),
    )
