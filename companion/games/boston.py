"""Gridlock: Boston (Justin Richer, Bespoke Engineering): its map, tiles and cars."""

from functools import cache
from importlib import resources

from companion.rules.board import Cell, hexagon
from companion.rules.road_map import (
    Power,
    RoadMap,
    Roads,
    Space,
    pattern_of,
    roads_of,
)
from companion.rules.roads import RoadKind

DESTINATIONS = {
    "Hv": "Harvard",
    "Fw": "Fenway Park",
    "Fa": "Museum of Fine Arts",
    "Mi": "MIT",
    "Cs": "Copley Square",
    "Sh": "Symphony Hall",
    "Ms": "Museum of Science",
    "Bg": "Boston Garden",
    "Td": "Theater District",
    "Fh": "Faneuil Hall",
    "Ne": "North End",
    "Aq": "Aquarium",
}
_TUNNELS = {"T1": ("N", "NW"), "T2": ("N", "NW")}
_OTHERS = {"o": Space.EMPTY, "~~": Space.WATER, "##": Space.PARK}

TILES = (
    # roads as drawn in the booklet, copies (game-facts 6.3)
    ("N SE", 8),
    ("N NW", 4),
    ("N S", 6),
    ("N NE SE SW NW", 4),
    ("NE S NW", 4),
    ("N S NW", 6),
    ("N NE S", 6),
    ("N NE SE", 4),
    ("NE SE SW NW", 6),
    ("NE SE S SW", 4),
    ("N NE S NW", 4),
    ("N NE SE S SW NW", 2),
    # Rotaries: to drive on they are as the others.
    ("S", 1),
    ("NE S NW", 2),
    ("NE SE SW NW", 2),
    ("N NE SE S SW NW", 1),
)

POWERS = {
    "blue": Power(drives_on=frozenset({Space.WATER})),  # duck boat
    "green": Power(drives_on=frozenset({Space.PARK})),  # park ranger
    "red": Power(never_stopped=True),  # emergency services
    "yellow": Power(is_cone=True),  # construction vehicle
}


def _copies() -> dict[Roads, int]:
    copies: dict[Roads, int] = {}
    for sides, count in TILES:
        pattern = pattern_of(roads_of(sides.split()))
        copies[pattern] = copies.get(pattern, 0) + count
    return copies


@cache
def boston_map() -> RoadMap:
    """Return the printed map (game-facts 6.2), read from its layout."""
    layout = resources.files("companion.games").joinpath("layouts/boston.txt")
    lines = layout.read_text("utf-8").splitlines()
    spaces: dict[Cell, Space] = {}
    names: dict[Cell, str] = {}
    tunnels: dict[Cell, Roads] = {}
    for row, line in enumerate(lines[1:]):
        for column in range(11):
            # Columns are three characters wide, after a margin of six.
            code = line[6 + 3 * column : 9 + 3 * column].strip()
            cell = hexagon(column, row)
            if code in DESTINATIONS:
                spaces[cell] = Space.DESTINATION
                names[cell] = DESTINATIONS[code]
            elif code in _TUNNELS:
                spaces[cell] = Space.TUNNEL
                tunnels[cell] = roads_of(_TUNNELS[code])
            elif code:
                spaces[cell] = _OTHERS[code]
    return RoadMap(spaces, names, tunnels)


BOSTON = RoadKind(
    name="boston",
    title="Gridlock: Boston",
    teams=("red", "green", "blue", "yellow"),
    map=boston_map,
    copies=_copies(),
    powers=POWERS,
)
