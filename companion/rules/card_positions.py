"""Where a card-grid game stands, and what can be told from that."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum

from companion.rules.card_rules import BONUS, LAST_TURNS, PENALTY, CardGridRules
from companion.rules.combinations import FACE_DOWN, GONE, LOCK, WILD
from companion.rules.grids import TRIOS, Cluster, Direction, Grid, trio_through


class Phase(Enum):
    """The words of record-format.md."""

    START = "start"
    PLAY = "play"
    FINAL = "final"
    ROUND_OVER = "round-over"
    GAME_OVER = "game-over"


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

    @property
    def flip_due(self) -> bool:
        """Whether the final flip comes next."""
        return self.phase is Phase.FINAL and self.to_move is None

    def with_grid(self, player: int, grid: Grid) -> CardGridPosition:
        """Return the position with another grid of one player."""
        grids = self.grids
        return replace(self, grids=(*grids[:player], grid, *grids[player + 1 :]))


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
