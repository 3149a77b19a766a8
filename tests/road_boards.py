"""Road games on small maps, written as the booklet's figures are read out."""

import re
from collections.abc import Iterable, Mapping

from companion.games.boston import BOSTON, boston_map
from companion.record import header_of
from companion.rules.board import Cell, hexagon
from companion.rules.game import Player
from companion.rules.road_map import (
    Power,
    RoadMap,
    RoadOptions,
    RoadRules,
    Roads,
    Space,
    roads_of,
)
from companion.rules.road_position import RoadPosition
from companion.rules.road_setup import RoadSetup
from companion.rules.roads import RoadGame

COLOURS = ("red", "green", "blue", "yellow")
NAMES = ("Ann", "Ben", "Cleo", "Dan")


def open_boston(teams: str = "red green", **rules: object) -> RoadGame:
    """Set Boston up for Ann, Ben, ... with these cars; quick_trip=True and so on."""
    players = [
        {"name": name, "team": team}
        for name, team in zip(NAMES, teams.split(), strict=False)
    ]
    header = {
        "record": 1,
        "game": "boston",
        "players": players,
        "rules": {name.replace("_", "-"): value for name, value in rules.items()},
    }
    return BOSTON.open(header_of(header))


def parse_figure(text: str) -> tuple[RoadMap, dict[Cell, Roads]]:
    """Read "(2,0)R(NW N SW) (3,1)water (3,3)tunnel(N NW)" as a map and its tiles."""
    spaces: dict[Cell, Space] = {}
    tiles: dict[Cell, Roads] = {}
    tunnels: dict[Cell, Roads] = {}
    for column, row, kind, sides in re.findall(
        r"\((\d+),(\d+)\)(\w+)(?:\(([A-Z ]+)\))?", text
    ):
        cell = hexagon(int(column), int(row))
        if kind == "R":
            tiles[cell] = roads_of(sides.split())
        elif kind == "tunnel":
            tunnels[cell] = roads_of(sides.split())
        spaces[cell] = Space.EMPTY if kind == "R" else Space(kind)
    names = {
        cell: f"place {cell}"
        for cell, space in spaces.items()
        if space is Space.DESTINATION
    }
    return RoadMap(spaces, names, tunnels), tiles


def setup_on(road_map: RoadMap, players: int = 2, **options: bool) -> RoadSetup:
    """Return a sitting on a map of one's own, with Boston's tiles and powers."""
    seated = tuple(
        Player(name, colour)
        for name, colour in zip(NAMES[:players], COLOURS, strict=False)
    )
    powers = BOSTON.powers if options.get("specials") else {}
    return RoadSetup(
        RoadRules(road_map, BOSTON.copies),
        RoadOptions(**options),
        seated,
        tuple(powers.get(player.team, Power()) for player in seated),
    )


def boston_position(
    cars: Iterable[str],
    tiles: Mapping[str, str] | None = None,
    cones: Iterable[str] = (),
    cubes: Iterable[str] | None = None,
    starts: Iterable[str] | None = None,
    to_move: int = 0,
) -> RoadPosition:
    """Return a position in mid-game.

    Args:
        cars: where each player's car stands.
        tiles: roads by space, {"4,5": "N SE"}.
        cones: spaces with a cone.
        cubes: for each player the spaces with a cube, "5,4 3,0"; none if left out.
        starts: where the cars started; off the printed map if left out.
        to_move: who is on turn.
    """
    at = tuple(Cell(car) for car in cars)
    return RoadPosition(
        tiles={
            Cell(cell): roads_of(sides.split()) for cell, sides in (tiles or {}).items()
        },
        cones=frozenset(Cell(cell) for cell in cones),
        cars=at,
        starts=tuple(map(Cell, starts)) if starts else (Cell("-,-"),) * len(at),
        cubes=tuple(
            frozenset(map(Cell, cells.split())) for cells in cubes or [""] * len(at)
        ),
        first_tiles=len(at),
        to_move=to_move,
    )


BOSTON_MAP = boston_map()
