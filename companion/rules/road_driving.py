"""Which rules driving breaks (BOS-19 to BOS-21)."""

from collections.abc import Iterable, Iterator

from companion.rules.board import Cell
from companion.rules.road_map import ALL_SIDES, written
from companion.rules.road_network import Network, Stop
from companion.rules.road_position import RoadPosition
from companion.rules.road_setup import RoadSetup
from companion.rules.road_turns import Drive
from companion.rules.verdict import Violation, Witness

_STOPS = {
    Stop.CONE: "construction",
    Stop.CONGESTION: "congestion",
    Stop.TRAFFIC: "another car",
}
_STOP_RULES = {Stop.CONE: "BOS-20", Stop.CONGESTION: "BOS-V3", Stop.TRAFFIC: "BOS-V4"}


def bad_driving(
    setup: RoadSetup, position: RoadPosition, by: int, drive: Drive
) -> Iterator[Violation]:
    """Yield every rule that driving to one stop breaks."""
    yield from _bad_way(setup, position, by, drive.cell)
    if drive.scores:
        yield from _bad_cube(setup, position, by, drive.cell)


def _bad_way(
    setup: RoadSetup, position: RoadPosition, by: int, cell: Cell
) -> Iterator[Violation]:
    network, start = setup.network(position, by), position.cars[by]
    car = f"{setup.players[by].name}'s car"
    if not network.open_sides.get(cell):
        on_board = cell in setup.rules.map.spaces
        over = f"No road leads over {setup.name(cell)}"
        yield Violation(
            "car-off-road",
            f"{over if on_board else f'{cell} is off the board'}: put {car} back on "
            f"{setup.name(start)}.",
            "BOS-07",
            setup.on_board(cell),
        )
    elif network.open_sides.get(start) and cell not in network.leg(start):
        why = network.hindrances(start, cell)
        if why:
            yield from _skipped(setup, network, start, cell, why)
        else:
            yield from _no_way(setup, network, start, cell, car)


def _skipped(
    setup: RoadSetup, network: Network, start: Cell, end: Cell, why: Iterable[Stop]
) -> Iterator[Violation]:
    between = network.stops_between(start, end)
    stops = ", then at ".join(
        f"{setup.name(cell)} for "
        + " and ".join(_STOPS[reason] for reason in network.reasons(cell))
        for cell in between
    )
    most = setup.rules.stops
    too_many = len(between) >= most
    remedy = "make that a stop of the drive, or end it there"
    if too_many:
        last = setup.name(between[most - 1])
        remedy = f"with {most} stops it can go no further than {last}"
    text = (
        f"On the way from {setup.name(start)} to {setup.name(end)} the car has to "
        f"stop at {stops}: {remedy}."
    )
    for reason in why:
        code = f"{reason.value}-stop-skipped"
        yield Violation(code, text, _STOP_RULES[reason], tuple(between))
    if too_many:
        yield Violation("too-many-stops", text, "BOS-19", tuple(between))


def _no_way(
    setup: RoadSetup, network: Network, start: Cell, end: Cell, car: str
) -> Iterator[Violation]:
    yield Violation(
        "no-road-path",
        f"No road leads from {setup.name(start)} to {setup.name(end)}: put {car} back.",
        "BOS-08",
        (start, end),
    )
    tunnels = setup.rules.map.tunnels
    unmarked = Network(
        setup.rules.map.board,
        {**network.open_sides, **dict.fromkeys(tunnels, ALL_SIDES)},
        tunnels,
        {},
    )
    if end in unmarked.leg(start):
        sides = "; ".join(f"{at}: {written(tunnels[at])}" for at in tunnels)
        yield Violation(
            "tunnel-wrong-side",
            f"Tunnels are entered and left by their marked sides only ({sides}).",
            "BOS-08",
            (end,),
        )


def _bad_cube(
    setup: RoadSetup, position: RoadPosition, by: int, cell: Cell
) -> Iterator[Violation]:
    name = setup.players[by].name
    if cell not in setup.rules.map.names:
        yield Violation(
            "cube-on-non-destination",
            f"{cell} is no destination: {name} takes the cube back.",
            "BOS-21",
            setup.on_board(cell),
        )
    elif cell in position.cubes[by]:
        yield Violation(
            "cube-duplicate",
            f"{name} has a cube on {setup.name(cell)} already: take the second one "
            "back.",
            "BOS-21",
            (cell,),
        )
    elif cell == position.starts[by]:
        yield Violation(
            "cube-without-card",
            f"{setup.name(cell)} is where {name} started, so it is no secret goal: "
            "take the cube back.",
            "BOS-V2",
            (cell,),
            Witness.CARD,
        )
