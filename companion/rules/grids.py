"""A player's 3x3 grid of cards, and all players' grids as one board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, sqrt
from typing import Literal

from companion.rules.board import Cell, Point, square
from companion.rules.combinations import FACE_DOWN, GONE, LOCK, Chart

Direction = Literal["row", "column"]
Arrows = Literal["row", "column", "both"]
Trio = tuple[int, int, int]
"""The places of one row or column; places of a grid are 0..8, row by row."""

TRIOS: Mapping[Direction, tuple[Trio, ...]] = {
    "row": ((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    "column": ((0, 3, 6), (1, 4, 7), (2, 5, 8)),
}
PLACE_NAMES = (
    *("top left", "top middle", "top right"),
    *("middle left", "centre", "middle right"),
    *("bottom left", "bottom middle", "bottom right"),
)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Three cards eliminated together, from the left or the top."""

    cards: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Grid:
    """One player's cards in a round.

    Attributes:
        cards: nine faces row by row, "?" face down, "" gone.
        direction: that of the first elimination, which binds the later ones.
        locks: lock cards flipped up since the player's last turn began, by
            place; they bind in the next turn.
        locked: the places that lock cards bind now.
        clusters: what has been eliminated, the oldest first.
    """

    cards: tuple[str, ...] = (FACE_DOWN,) * 9
    direction: Direction | None = None
    locks: tuple[tuple[int, Arrows], ...] = ()
    locked: frozenset[int] = frozenset()
    clusters: tuple[Cluster, ...] = ()

    @property
    def is_out(self) -> bool:
        """Whether all nine cards are eliminated."""
        return not any(self.cards)

    @property
    def face_down(self) -> tuple[int, ...]:
        """The places of the cards that lie face down."""
        return tuple(n for n, card in enumerate(self.cards) if card == FACE_DOWN)

    def with_card(self, place: int, card: str) -> Grid:
        """Return the grid with another card face up at a place."""
        return replace(
            self, cards=(*self.cards[:place], card, *self.cards[place + 1 :])
        )

    def with_flipped(self, place: int, card: str, arrows: Arrows) -> Grid:
        """Return the grid with a card flipped up, which may be a lock card."""
        flipped = self.with_card(place, card)
        if card != LOCK:
            return flipped
        return replace(flipped, locks=(*self.locks, (place, arrows)))

    def with_locks_bound(self) -> Grid:
        """Return the grid as its owner's turn begins: the new locks bind (GHL-10)."""
        return replace(self, locks=(), locked=_reach(self.locks))

    def without_locks(self) -> Grid:
        """Return the grid as its owner's turn ends: nothing is locked any more."""
        return replace(self, locked=frozenset())

    def points(self, chart: Chart, trio: Trio) -> int:
        """Return what a row or column is worth as it lies, 0 for nothing."""
        return chart.points([self.cards[place] for place in trio])

    def complete(self, chart: Chart, direction: Direction) -> tuple[Trio, ...]:
        """Return the lines of a direction that go now, from the top or left.

        Lines with a locked cell wait (GHL-12). Those against the direction begun
        (GHL-14) all have a gap and so make no combination.
        """
        return tuple(
            trio
            for trio in TRIOS[direction]
            if not self.locked.intersection(trio) and self.points(chart, trio)
        )

    def best_direction(self, chart: Chart) -> Direction:
        """Return the direction in which more points are complete, else rows."""
        return max(
            TRIOS,
            key=lambda direction: sum(
                self.points(chart, trio) for trio in self.complete(chart, direction)
            ),
        )

    def without(
        self, chart: Chart, direction: Direction, trios: tuple[Trio, ...]
    ) -> Grid:
        """Return the grid with complete lines of one direction eliminated."""
        if not trios:
            return self
        going = {place for trio in trios for place in trio}
        return replace(
            self,
            cards=tuple(
                GONE if place in going else card
                for place, card in enumerate(self.cards)
            ),
            direction=direction,
            clusters=self.clusters
            + tuple(
                Cluster(
                    tuple(self.cards[place] for place in trio),
                    self.points(chart, trio),
                )
                for trio in trios
            ),
        )


def trio_through(place: int, direction: Direction) -> Trio:
    """Return the row or the column of a place."""
    return TRIOS[direction][place // 3 if direction == "row" else place % 3]


def _reach(locks: tuple[tuple[int, Arrows], ...]) -> frozenset[int]:
    """Return the places that the arrows of lock cards point along."""
    return frozenset(
        place
        for lock, arrows in locks
        for direction in TRIOS
        if arrows in ("both", direction)
        for place in trio_through(lock, direction)
    )


def line_name(trio: Trio) -> str:
    """Name a line as people do: "the top row", "the left column"."""
    first, second, _ = trio
    if second == first + 1:
        return f"the {('top', 'middle', 'bottom')[first // 3]} row"
    return f"the {('left', 'middle', 'right')[first]} column"


class GridsBoard:
    """The grids of all players on one table: cells "p0:a1" to "p0:c3" and so on.

    The grids lie in a block, in seating order, row by row. No board is printed;
    cards are taken as poker size, 63 x 88 mm.

    Args:
        players: how many grids there are.
    """

    card_mm = (63.0, 88.0)
    gap_mm = 5.0
    """Between the cards of a grid; between grids it is eight times as wide."""

    def __init__(self, players: int) -> None:
        self.players = players
        self._columns = ceil(sqrt(players))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells: the players in order, each grid row by row."""
        return tuple(
            grid_cell(player, place)
            for player in range(self.players)
            for place in range(9)
        )

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the block of grids."""
        rows = ceil(self.players / self._columns)
        (right, bottom) = self._corner(self._columns - 1, rows - 1)
        grid_width, grid_height = self._grid_mm
        return right + grid_width, bottom + grid_height

    @property
    def _grid_mm(self) -> tuple[float, float]:
        width, height = self.card_mm
        return 3 * width + 2 * self.gap_mm, 3 * height + 2 * self.gap_mm

    def _corner(self, column: int, row: int) -> Point:
        width, height = self._grid_mm
        return column * (width + 8 * self.gap_mm), row * (height + 8 * self.gap_mm)

    def outline(self, cell: Cell) -> tuple[Point, ...]:
        """Return the corners of a card's place, clockwise from its top left."""
        player, place = divmod(self.cells.index(cell), 9)
        grid_row, grid_column = divmod(player, self._columns)
        left, top = self._corner(grid_column, grid_row)
        row, column = divmod(place, 3)
        width, height = self.card_mm
        x = left + column * (width + self.gap_mm)
        y = top + row * (height + self.gap_mm)
        return (x, y), (x + width, y), (x + width, y + height), (x, y + height)

    def label(self, cell: Cell) -> str:
        """Return "": nothing is printed on the table."""
        return ""


def grid_cell(player: int, place: int) -> Cell:
    """Name a place of a player's grid: player 0, place 2 (top right) is "p0:c1"."""
    return Cell(f"p{player}:{square(*divmod(place, 3))}")
