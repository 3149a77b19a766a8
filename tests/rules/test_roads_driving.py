"""Where cars can drive, against the booklet's figures and a plain walk search."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.rules.board import Cell
from companion.rules.road_map import Space, sides_of
from companion.rules.road_network import Stop
from companion.rules.road_position import RoadPosition
from companion.rules.road_setup import RoadSetup
from tests.plain_roads import PlainTable
from tests.road_boards import (
    BOSTON_MAP,
    boston_position,
    open_boston,
    parse_figure,
    setup_on,
)

FIGURE_1 = """
(2,0)R(NW N SW SE) (1,1)R(N SW SE) (3,1)water (0,2)R(NW N NE S) (2,2)R(NW S)
(1,3)R(N SW SE) (3,3)R(N NE S SW) (0,4)park (2,4)R(NW NE S) (1,5)R(NW NE SW SE)
(3,5)destination (0,6)empty (2,6)R(NW NE)
"""
FIGURE_2 = """
(2,0)R(N NE S SW) (1,1)R(NW NE) (3,1)R(N SW SE) (0,2)R(N NW S SE) (2,2)R(N SE)
(1,3)R(N S NW NE) (3,3)tunnel(N NW) (0,4)R(N SW SE) (2,4)R(NW NE SW SE)
(1,5)tunnel(N NW) (3,5)R(N NW SW SE) (0,6)R(N NW SW SE) (2,6)R(NW NE)
"""


@pytest.mark.parametrize(
    ("figure", "car", "reachable"),
    [
        (FIGURE_1, "1,3", "1,3 2,4 3,3 3,5 2,6 1,5"),
        (FIGURE_2, "0,4", "0,4 0,2 1,3 1,5 3,3 2,2 2,0 1,1"),
    ],
    ids=["roads", "tunnels"],
)
def test_the_figures_of_the_booklet(figure: str, car: str, reachable: str):
    """One drive leads to exactly the spaces that the booklet marks (game-facts 6.4)."""
    road_map, tiles = parse_figure(figure)
    position = RoadPosition(tiles=tiles, cars=(Cell(car),), cubes=(frozenset(),))

    ends = setup_on(road_map).network(position, 0).leg(Cell(car))

    assert ends == set(reachable.split())


# -- against a plain search over walks -----------------------------------------------


def plain_table(setup: RoadSetup, position: RoadPosition) -> PlainTable:
    """Return the same table to the second opinion."""
    return PlainTable(
        colours=[player.team for player in setup.players],
        options={
            "specials": setup.options.specials,
            "traffic": setup.options.traffic,
            "congestion": setup.options.congestion,
        },
        tiles={cell: set(sides_of(roads)) for cell, roads in position.tiles.items()},
        cones=set(position.cones),
        cars=list(position.cars),
        cubes=[set(cells) for cells in position.cubes],
    )


EMPTY_SPACES = sorted(
    cell for cell, space in BOSTON_MAP.spaces.items() if space is Space.EMPTY
)
ALL_SPACES = sorted(BOSTON_MAP.spaces)
PLACES = sorted(BOSTON_MAP.names)


@st.composite
def positions(draw: st.DrawFn) -> tuple[RoadSetup, RoadPosition]:
    """Draw a crowded map: tiles with many roads, cars, cones, cubes, any variant."""
    players = draw(st.integers(2, 4))
    setup = setup_on(
        BOSTON_MAP,
        players,
        congestion=draw(st.booleans()),
        traffic=draw(st.booleans()),
        specials=draw(st.booleans()),
    )
    roads = st.one_of(st.integers(1, 63), st.sampled_from((63, 55, 54, 43)))
    tiles = {
        cell: sides
        for cell in EMPTY_SPACES
        if (sides := draw(st.one_of(st.just(0), roads, roads)))
    }
    standing = st.sampled_from([*tiles, *PLACES, *BOSTON_MAP.tunnels])
    return setup, RoadPosition(
        tiles=tiles,
        cones=draw(st.frozensets(st.sampled_from(ALL_SPACES), max_size=2)),
        cars=tuple(draw(standing) for _ in range(players)),
        cubes=tuple(
            draw(st.frozensets(st.sampled_from(PLACES), max_size=6))
            for _ in range(players)
        ),
    )


@settings(max_examples=150, deadline=None)
@given(drawn=positions(), player=st.integers(0, 3))
def test_reach_agrees_with_a_search_over_all_walks(
    drawn: tuple[RoadSetup, RoadPosition], player: int
):
    """Legs, and legs after forced stops, lead where any walk with 1 or 2 stops does."""
    setup, position = drawn
    player %= len(position.cars)

    network = setup.network(position, player)

    table = plain_table(setup, position)
    assert network.reach(position.cars[player], 3) == [
        table.reach(player, stops) for stops in (1, 2, 3)
    ]


@settings(max_examples=100, deadline=None)
@given(drawn=positions())
def test_the_stops_named_on_the_way_are_as_few_as_can_be(
    drawn: tuple[RoadSetup, RoadPosition],
):
    """Driving by the stops named takes legal legs, and no walk makes do with less."""
    setup, position = drawn
    start = position.cars[0]
    network = setup.network(position, 0)
    table = plain_table(setup, position)
    by_stops = [table.reach(0, stops) for stops in range(1, 12)]

    for end in by_stops[-1]:
        legs = [start, *network.stops_between(start, Cell(end)), end]
        assert all(b in network.leg(a) for a, b in pairwise(legs))
        assert end in by_stops[len(legs) - 2]
        assert len(legs) == 2 or end not in by_stops[len(legs) - 3]


# -- forced stops, case by case -------------------------------------------------------

STREET = """
(0,1)R(S N) (0,3)R(N S) (0,5)R(N S) (0,7)R(N S) (0,9)R(N S) (0,11)destination
"""


def on_the_street(cones: str, car: str = "0,1", **options: bool) -> list[set[Cell]]:
    """Return reach with 1 and 2 stops on a straight street, a car at its far end."""
    road_map, tiles = parse_figure(STREET)
    position = RoadPosition(
        tiles=tiles,
        cones=frozenset(map(Cell, cones.split())),
        cars=(Cell(car), Cell("0,11")),
        cubes=(frozenset(), frozenset()),
    )
    return setup_on(road_map, **options).network(position, 0).reach(Cell(car), 2)


def test_a_cone_is_a_stop_that_can_be_driven_on_from():
    """Past one cone the second stop leads anywhere (BOS-20)."""
    one, two = on_the_street("0,5")

    assert one == {"0,1", "0,3", "0,5"}
    assert two == {"0,1", "0,3", "0,5", "0,7", "0,9", "0,11"}


def test_two_cones_in_a_row_end_the_drive():
    """Behind a second cone nothing can be reached in the turn (rulings 5.4)."""
    one, two = on_the_street("0,3 0,5")

    assert one == {"0,3"}
    assert two == {"0,1", "0,3", "0,5"}


def test_leaving_a_cone_costs_nothing_but_coming_back_does():
    """A cone on the start space is no stop until it is entered again (BOS-A1)."""
    one, two = on_the_street("0,1")

    assert one == {"0,1", "0,3", "0,5", "0,7", "0,9", "0,11"}
    assert two == one


def test_cars_are_in_the_way_only_with_traffic():
    """Another player's car is a forced stop in the variant alone (BOS-V4)."""
    free, _ = on_the_street("", car="0,3")
    _, both = on_the_street("0,5 0,9", car="0,3", traffic=True)

    assert "0,11" in free
    assert both == {"0,1", "0,3", "0,5", "0,7", "0,9"}


@pytest.mark.parametrize(
    ("teams", "options", "player", "forced"),
    [
        ("red green", {}, 0, "3,2"),
        ("red green", {"traffic": True}, 0, "3,2 5,4"),
        ("red green", {"traffic": True}, 1, "3,2 0,3"),
        ("red green", {"congestion": True}, 0, "3,2 8,7"),
        ("red green", {"specials": True, "traffic": True, "congestion": True}, 0, ""),
        ("red yellow", {"specials": True}, 0, ""),
        ("green yellow", {"specials": True}, 0, "3,2 5,4"),
        ("green yellow", {"specials": True}, 1, "3,2"),
        ("green yellow", {}, 0, "3,2"),
    ],
)
def test_what_forces_whom_to_stop(
    teams: str, options: dict[str, bool], player: int, forced: str
):
    """Cones stop all but red, yellow's car the others, red is never stopped (V3-V8)."""
    game = open_boston(teams, **options)
    position = boston_position(
        ["0,3", "5,4"], cones=["3,2"], cubes=["8,7 0,3", "8,7 5,4"]
    )

    extras = game.extras(position)

    assert set(extras["forced"][str(player)]) == set(forced.split())


def test_the_duck_boat_swims():
    """Water is to blue as a destination; roads must still face it (BOS-V5)."""
    # 5,0 faces the river, 5,2 does not; Boston Garden (7,0) lies beside it.
    tiles = {"5,0": "SE", "5,2": "SE S", "7,2": "NW S"}
    position = boston_position(["7,0", "10,7"], tiles)
    reach = {
        team: set(
            open_boston(f"{team} yellow", specials=True).extras(position)["reach"]["0"][
                "one"
            ]
        )
        for team in ("blue", "green")
    }

    assert reach["blue"] == {"6,1", "7,0", "5,0", "7,2", "7,4", "5,16"}
    assert reach["green"] == set()


def test_the_park_ranger_crosses_the_parks():
    """Green drives from park to park and onto tiles that face them (BOS-V6, A23)."""
    tiles = {"5,6": "S", "4,11": "NE", "6,7": "N"}
    position = boston_position(["5,6", "10,7"], tiles)
    reach = {
        team: set(
            open_boston(f"{team} yellow", specials=True).extras(position)["reach"]["0"][
                "one"
            ]
        )
        for team in ("green", "blue")
    }

    assert reach["green"] == {"5,6", "5,8", "6,9", "5,10", "4,11"}
    assert reach["blue"] == set()


def test_a_cone_in_the_tunnel_stops_underground_too():
    """Driving from tunnel to tunnel enters the far end's space (BOS-A12)."""
    tiles = {"7,2": "S", "5,14": "S"}
    position = boston_position(["7,2", "0,3"], tiles, cones=["5,16"])
    reach = open_boston().extras(position)["reach"]["0"]

    assert set(reach["one"]) == {"7,2", "7,4", "5,16"}
    assert set(reach["two"]) == {"7,2", "7,4", "5,16", "5,14"}


def test_reasons_in_the_way_are_told_apart():
    """The reason that alone is in the way comes first, else as they come on the way."""
    road_map, tiles = parse_figure(STREET)
    setup = setup_on(road_map, traffic=True)
    position = RoadPosition(
        tiles=tiles,
        cones=frozenset({Cell("0,7")}),
        cars=(Cell("0,1"), Cell("0,5")),
        cubes=(frozenset(), frozenset()),
    )
    network = setup.network(position, 0)

    assert network.hindrances(Cell("0,1"), Cell("0,7")) == [Stop.TRAFFIC]
    assert network.hindrances(Cell("0,1"), Cell("0,9")) == [Stop.TRAFFIC, Stop.CONE]
    assert network.hindrances(Cell("0,1"), Cell("0,3")) == []


def test_a_reason_that_alone_is_in_the_way_comes_before_a_shorter_way():
    """The way with one stop has two reasons; without cones the other way is free."""
    road_map, tiles = parse_figure(
        """
        (1,0)R(SW SE) (0,1)destination (0,3)R(N SE) (2,1)R(NW S) (2,3)R(N SW)
        (1,4)R(NW NE)
        """
    )
    visited = frozenset({Cell("0,1")})
    position = RoadPosition(
        tiles=tiles,
        cones=frozenset({Cell("2,1"), Cell("2,3")}),
        cars=(Cell("1,0"), Cell("0,1")),
        cubes=(visited, visited),
    )
    network = setup_on(road_map, congestion=True, traffic=True).network(position, 0)

    assert network.stops_between(Cell("1,0"), Cell("1,4")) == ["0,1"]
    assert network.hindrances(Cell("1,0"), Cell("1,4")) == [
        Stop.CONE,
        Stop.CONGESTION,
        Stop.TRAFFIC,
    ]
