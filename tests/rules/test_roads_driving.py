"""Where cars can drive, against the booklet's figures and a plain walk search."""

import pytest

from companion.rules.board import Cell
from companion.rules.road_map import RoadPosition
from tests.road_boards import (
    judge_on,
    parse_figure,
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

    ends = judge_on(road_map).network(position, 0).leg(Cell(car))

    assert ends == set(reachable.split())
