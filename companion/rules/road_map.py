"""What roads are made of: tiles, spaces, the printed map and a position on it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from companion.errors import HeaderError
from companion.rules.board import HEX_SIDES, Cell, HexBoard

Roads = int
"""The sides a space is open on, one bit a side: N=1 NE=2 SE=4 S=8 SW=16 NW=32."""

ALL_SIDES: Roads = 0b111111


def roads_of(sides: Iterable[str]) -> Roads:
    """Return the bits of some of `HEX_SIDES`: N and SE are 5."""
    return sum(1 << HEX_SIDES.index(side) for side in sides)


def sides_of(roads: Roads) -> list[str]:
    """Return the names of the sides, clockwise from N."""
    return [side for bit, side in enumerate(HEX_SIDES) if roads >> bit & 1]


def written(roads: Roads) -> str:
    """Return roads as sentences name them: "N-SE"."""
    return "-".join(sides_of(roads))


def turned(roads: Roads, sixths: int) -> Roads:
    """Return the roads of a tile turned clockwise by sixths of a full turn."""
    sixths %= 6
    return (roads << sixths | roads >> (6 - sixths)) & ALL_SIDES


_PATTERNS = tuple(
    min(turned(roads, sixths) for sixths in range(6)) for roads in range(64)
)


def pattern_of(roads: Roads) -> Roads:
    """Return the same number for all orientations of a tile, and for no other tile."""
    return _PATTERNS[roads]


class Space(Enum):
    """What is printed on a space (BOS-06)."""

    EMPTY = "empty"
    DESTINATION = "destination"
    TUNNEL = "tunnel"
    WATER = "water"
    PARK = "park"


class RoadMap:
    """A printed map: what each space is, and which are neighbours.

    Args:
        spaces: what is printed on each cell.
        names: the destinations' names.
        tunnels: the sides on which each tunnel's roads come out.
    """

    def __init__(
        self,
        spaces: Mapping[Cell, Space],
        names: Mapping[Cell, str],
        tunnels: Mapping[Cell, Roads],
    ) -> None:
        self.spaces = spaces
        self.names = names
        self.tunnels = tunnels
        self.board = HexBoard({cell: names.get(cell, "") for cell in spaces})

    def printed_roads(self, drives_on: Collection[Space] = ()) -> dict[Cell, Roads]:
        """Return the open sides of the spaces that need no tile (BOS-08).

        Args:
            drives_on: obstacles that are open on all sides too.
        """
        open_spaces = {Space.DESTINATION, *drives_on}
        roads = {
            cell: ALL_SIDES
            for cell, space in self.spaces.items()
            if space in open_spaces
        }
        return {**roads, **self.tunnels}


@dataclass(frozen=True, slots=True)
class Power:
    """What one colour's car may do that no other may (BOS-V5 to V8).

    Attributes:
        drives_on: obstacles that are to this car as destinations are.
        never_stopped: no space forces this car to stop.
        is_cone: to the other players this car is a construction cone.
    """

    drives_on: frozenset[Space] = frozenset()
    never_stopped: bool = False
    is_cone: bool = False


@dataclass(frozen=True, slots=True)
class RoadOptions:
    """House rules, by the names of record-format.md."""

    quick_trip: bool = False
    quick_trip_cones: bool = False
    congestion: bool = False
    traffic: bool = False
    specials: bool = False
    places: int = 6


CHOICES: Mapping[str, tuple[bool, ...] | tuple[int, ...]] = {
    **dict.fromkeys(
        ("quick-trip", "quick-trip-cones", "congestion", "traffic", "specials"),
        (False, True),
    ),
    "places": (6, 5, 7),
}
"""House rules and their values, the default first (record-format.md)."""


def read_options(rules: Mapping[str, object]) -> RoadOptions:
    """Read the house rules of a header.

    Raises:
        HeaderError: an unknown name or value.
    """
    values: dict[str, Any] = {}
    for name, value in rules.items():
        if name not in CHOICES:
            raise HeaderError(
                f'There is no house rule "{name}" in this game: its house rules are '
                f"{', '.join(CHOICES)}."
            )
        # In JSON true is not 1.
        if (type(value), value) not in [(type(c), c) for c in CHOICES[name]]:
            choices = ", ".join(str(choice).lower() for choice in CHOICES[name])
            raise HeaderError(f'The house rule "{name}" is one of {choices}.')
        values[name.replace("-", "_")] = value
    return RoadOptions(**values)


@dataclass(frozen=True, slots=True)
class RoadRules:
    """The pieces of a road game, and how far a turn goes.

    Attributes:
        copies: how many tiles there are of each pattern (`pattern_of`).
        cubes: of each player.
        hand: tiles in a hand, so how many can be placed in a turn (BOS-12).
        build_actions, trip_actions: at most so many in a turn.
        stops: of a drive; a drive of a trip has one.
    """

    map: RoadMap
    copies: Mapping[Roads, int]
    cones: int = 2
    cubes: int = 6
    hand: int = 2
    build_actions: int = 4
    trip_actions: int = 3
    stops: int = 2
