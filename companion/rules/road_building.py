"""Which rules building breaks (BOS-10 to BOS-18)."""

from collections.abc import Iterator

from companion.rules.board import Cell
from companion.rules.road_map import Roads, Space, pattern_of, written
from companion.rules.road_position import RoadPosition
from companion.rules.road_setup import RoadSetup
from companion.rules.road_turns import (
    ClearCone,
    LayTile,
    RemoveTile,
    RotateTile,
    SetCone,
)
from companion.rules.verdict import Violation

_NO_TILES = {
    Space.DESTINATION: ("tile-on-destination", "BOS-12", "a destination"),
    Space.TUNNEL: ("tile-on-tunnel", "BOS-12", "a tunnel"),
    Space.WATER: ("tile-on-obstacle", "BOS-06", "water"),
    Space.PARK: ("tile-on-obstacle", "BOS-06", "a park"),
}


def bad_building(
    setup: RoadSetup,
    position: RoadPosition,
    by: int,
    action: LayTile | RotateTile | RemoveTile | SetCone | ClearCone,
) -> Iterator[Violation]:
    """Yield every rule that one building action breaks."""
    match action:
        case LayTile(cell, roads):
            yield from _bad_laying(setup, position, cell, roads)
        case RotateTile(cell, roads):
            yield from _bad_turning(setup, position, by, cell, roads)
        case RemoveTile(cell):
            yield from _bad_removal(setup, position, by, cell)
        case SetCone(cell):
            yield from _bad_cone(setup, position, cell)
        case ClearCone(cell):
            yield from _bad_clearing(setup, position, cell)


def _bad_laying(
    setup: RoadSetup, position: RoadPosition, cell: Cell, roads: Roads
) -> Iterator[Violation]:
    space = setup.rules.map.spaces.get(cell)
    if space is None:
        yield Violation(
            "tile-off-board",
            f"{cell} is off the board: lay the tile on an empty space.",
            "BOS-06",
        )
    elif space in _NO_TILES:
        code, rule, what = _NO_TILES[space]
        yield Violation(
            code,
            f"{setup.name(cell)} is {what}: lay the tile on an empty space.",
            rule,
            (cell,),
        )
    elif cell in position.tiles:
        yield Violation(
            "tile-stacked",
            f"A tile lies on {cell} already: remove it first, that is an action of "
            "its own.",
            "BOS-12",
            (cell,),
        )
    pattern = pattern_of(roads)
    copies = setup.rules.copies.get(pattern, 0)
    lying = sum(pattern_of(tile) == pattern for tile in position.tiles.values())
    if lying >= copies:
        yield Violation(
            "tile-pattern-impossible",
            f"All tiles with roads like {written(roads)} ({copies}) lie on the "
            f"board already: look again at the tile on {cell}.",
            "BOS-01",
            setup.on_board(cell),
        )


def _bad_turning(
    setup: RoadSetup, position: RoadPosition, by: int, cell: Cell, roads: Roads
) -> Iterator[Violation]:
    lying = position.tiles.get(cell)
    if lying is None:
        yield _nothing_there(setup, "tile lies", cell, "BOS-13")
        return
    if cell in setup.zones(position, by):
        yield _in_zone(setup, "rotated", cell, "BOS-13")
    if pattern_of(roads) != pattern_of(lying):
        yield Violation(
            "tile-misaligned",
            f"The tile on {cell} has roads {written(lying)}; no turn makes them "
            f"{written(roads)}: lay the old tile back, or remove it and place the "
            "new one.",
            "BOS-13",
            (cell,),
        )


def _bad_removal(
    setup: RoadSetup, position: RoadPosition, by: int, cell: Cell
) -> Iterator[Violation]:
    if cell not in position.tiles:
        yield _nothing_there(setup, "tile lies", cell, "BOS-14")
        return
    if cell in setup.zones(position, by):
        yield _in_zone(setup, "removed", cell, "BOS-14")
    if cell in position.cars:
        owner = setup.players[position.cars.index(cell)].name
        yield Violation(
            "tile-removed-under-car",
            f"{owner}'s car stands on {cell}: put its tile back.",
            "BOS-14",
            (cell,),
        )


def _bad_cone(
    setup: RoadSetup, position: RoadPosition, cell: Cell
) -> Iterator[Violation]:
    if not setup.has_cones:
        yield _no_cones()
        return
    if cell in position.cones:
        yield Violation(
            "cone-stacked",
            f"A cone stands on {setup.name(cell)} already: set the other one up "
            "elsewhere.",
            "BOS-15",
            (cell,),
        )
    if len(position.cones) >= setup.rules.cones:
        yield Violation(
            "cone-count-wrong",
            f"All {setup.rules.cones} cones are on the board: clear one before you "
            f"set one up on {setup.name(cell)}.",
            "BOS-16",
            (cell,),
        )


def _bad_clearing(
    setup: RoadSetup, position: RoadPosition, cell: Cell
) -> Iterator[Violation]:
    if not setup.has_cones:
        yield _no_cones()
    elif cell not in position.cones:
        yield _nothing_there(setup, "cone stands", cell, "BOS-16")


def _nothing_there(setup: RoadSetup, what: str, cell: Cell, rule: str) -> Violation:
    return Violation(
        "nothing-there",
        f"No {what} on {setup.name(cell)}: look again which space it was.",
        rule,
        setup.on_board(cell),
    )


def _in_zone(setup: RoadSetup, done: str, cell: Cell, rule: str) -> Violation:
    return Violation(
        f"tile-{done}-in-construction-zone",
        f"{cell} is in a construction zone, where no tile may be {done}: put it "
        "back as it was.",
        rule,
        (cell,),
    )


def _no_cones() -> Violation:
    return Violation(
        "cone-count-wrong",
        "This Quick Trip is played without cones: leave them beside the board.",
        "BOS-V1",
    )
