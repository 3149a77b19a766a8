"""How things stand on a road map between two turns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.rules.board import Cell
from companion.rules.road_map import Roads
from companion.rules.road_turns import RoadTurn


@dataclass(frozen=True, slots=True)
class RoadPosition:
    """The table between two turns. Players are their numbers.

    Attributes:
        cars: where each player's car stands; () before the start.
        starts: where each car stood at the start.
        cubes: the destinations each player has a cube on.
        first_tiles: how many players have laid their first tile.
        to_move: who is on turn; None once the last turns are over.
        winner: who has reached all goals.
        last_turns: how many players may still take one after the win.
        last: the turn that led here, None before the first.
    """

    tiles: Mapping[Cell, Roads] = field(default_factory=dict)
    cones: frozenset[Cell] = frozenset()
    cars: tuple[Cell, ...] = ()
    starts: tuple[Cell, ...] = ()
    cubes: tuple[frozenset[Cell], ...] = ()
    first_tiles: int = 0
    to_move: int | None = 0
    winner: int | None = None
    last_turns: int = 0
    last: RoadTurn | None = None
