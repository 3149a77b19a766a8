"""A road game as set up: pieces, house rules, players, and what follows from them."""

from collections.abc import Collection
from dataclasses import dataclass

from companion.rules.board import Cell
from companion.rules.game import Player
from companion.rules.road_map import Power, RoadOptions, RoadRules
from companion.rules.road_network import Network, Stop
from companion.rules.road_position import RoadPosition


@dataclass(frozen=True, slots=True)
class RoadSetup:
    """What is fixed for one sitting (rulings 5).

    Attributes:
        powers: what each player's car may do; nothing without the variant.
    """

    rules: RoadRules
    options: RoadOptions
    players: tuple[Player, ...]
    powers: tuple[Power, ...]

    @property
    def has_start_cube(self) -> bool:
        """Whether a cube goes onto the start: not in the long game (BOS-V2)."""
        return self.options.places <= self.rules.cubes

    @property
    def goal(self) -> int:
        """How many cubes on the board win (BOS-22, BOS-V2)."""
        return min(self.options.places, self.rules.cubes)

    @property
    def has_cones(self) -> bool:
        """Whether cones are in play: in Quick Trip by house rule only (BOS-V1)."""
        return not self.options.quick_trip or self.options.quick_trip_cones

    def name(self, cell: Cell) -> str:
        """Return a space as sentences name it: "Harvard (0,3)", "4,5"."""
        name = self.rules.map.names.get(cell)
        return f"{name} ({cell})" if name else str(cell)

    def network(self, position: RoadPosition, player: int) -> Network:
        """Return the roads as a player's car finds them (BOS-V3 to V8)."""
        road_map, power = self.rules.map, self.powers[player]
        return Network(
            road_map.board,
            {**road_map.printed_roads(power.drives_on), **position.tiles},
            road_map.tunnels,
            {} if power.never_stopped else self._forced_stops(position, player),
        )

    def zones(self, position: RoadPosition, player: int | None = None) -> set[Cell]:
        """Return the spaces under construction, around cones and cars that are cones.

        Args:
            position: the table now.
            player: whose own car does not count; None: all zones there are.
        """
        neighbours = self.rules.map.board.neighbours
        centres = self._cones(position, player)
        return centres | {
            cell for centre in centres for cell in neighbours(centre) if cell
        }

    def _cones(self, position: RoadPosition, player: int | None) -> set[Cell]:
        cars = {
            car
            for owner, car in enumerate(position.cars)
            if self.powers[owner].is_cone and owner != player
        }
        return cars | position.cones

    def _forced_stops(
        self, position: RoadPosition, player: int
    ) -> dict[Stop, Collection[Cell]]:
        forced: dict[Stop, Collection[Cell]] = {
            Stop.CONE: self._cones(position, player)
        }
        if self.options.congestion:
            forced[Stop.CONGESTION] = _congested(position)
        if self.options.traffic:
            forced[Stop.TRAFFIC] = {
                car for owner, car in enumerate(position.cars) if owner != player
            }
        return forced

    def on_board(self, cell: Cell) -> tuple[Cell, ...]:
        """Return a cell to light, () for one that the board does not have."""
        return (cell,) if cell in self.rules.map.spaces else ()


def _congested(position: RoadPosition) -> set[Cell]:
    """Return the destinations with two or more cubes (BOS-V3)."""
    once: set[Cell] = set()
    twice: set[Cell] = set()
    for cubes in position.cubes:
        twice |= once & cubes
        once |= cubes
    return twice
