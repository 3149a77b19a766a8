"""Hexagons, and the roads of tiles that lie on them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.board import HEX_SIDES, Cell, HexBoard, column_row, hexagon
from companion.rules.road_map import pattern_of, roads_of, sides_of, turned
from tests.road_boards import BOSTON_MAP

roads = st.integers(1, 63)


def test_roads_are_named_clockwise():
    """Side names become bits and come back in order from N (game-facts 6.3)."""
    assert roads_of(["SE", "N"]) == 5
    assert sides_of(54) == ["NE", "SE", "SW", "NW"]


@given(roads=roads)
def test_sides_and_roads_say_the_same(roads: int):
    """Writing and reading the sides changes nothing."""
    assert roads_of(sides_of(roads)) == roads


@given(roads=roads, one=st.integers(0, 11), two=st.integers(0, 11))
def test_turns_add_up(roads: int, one: int, two: int):
    """Two turns are one; six sixths are none; no road is lost."""
    assert turned(turned(roads, one), two) == turned(roads, one + two)
    assert turned(roads, 6) == roads
    assert len(sides_of(turned(roads, one))) == len(sides_of(roads))
    assert "NE" in sides_of(turned(roads_of(["N"]), 1))


@given(one=roads, two=roads)
def test_a_pattern_is_what_turning_leaves(one: int, two: int):
    """Two sets of roads have one pattern just if a turn makes one the other."""
    is_turn = any(turned(one, n) == two for n in range(6))

    assert (pattern_of(one) == pattern_of(two)) == is_turn


def test_mirror_images_are_different_tiles():
    """Straight with a branch to the left is not the one with a branch to the right."""
    left, right = roads_of(["N", "S", "NW"]), roads_of(["N", "NE", "S"])

    assert pattern_of(left) != pattern_of(right)
    assert len({pattern_of(roads) for roads in range(1, 64)}) == 13


BOARD = BOSTON_MAP.board


def test_cells_are_in_reading_order():
    """From the top, each row from the left."""
    assert BOARD.cells[:6] == ("3,0", "5,0", "7,0", "9,0", "2,1", "4,1")
    assert BOARD.cells[-1] == "4,17"


@pytest.mark.parametrize("cell", BOARD.cells)
def test_neighbours_share_a_side(cell: Cell):
    """A neighbour's opposite side is the same line, and looks back."""
    corners = BOARD.outline(cell)
    for side, beside in enumerate(BOARD.neighbours(cell)):
        if beside is None:
            continue
        ends = corners[side], corners[(side + 1) % 6]
        others = BOARD.outline(beside)
        back = (side + 3) % 6
        for end, other in zip(
            ends, (others[(back + 1) % 6], others[back]), strict=True
        ):
            assert math.dist(end, other) < 1e-9
        assert BOARD.neighbours(beside)[back] == cell


def test_outlines_are_regular_and_inside_the_board():
    """Six sides of the given length, clockwise from the top left; none sticks out."""
    board = HexBoard({hexagon(0, 1): "", hexagon(1, 0): "Home"}, side_mm=10.0)
    width, height = board.size_mm

    for cell in board.cells:
        corners = board.outline(cell)
        for one, two in zip(corners, corners[1:] + corners[:1], strict=True):
            assert math.isclose(math.dist(one, two), 10.0)
        assert all(0 <= x <= width and 0 <= y <= height for x, y in corners)
        area = sum(
            a[0] * b[1] - b[0] * a[1]
            for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
        )
        assert area > 0  # clockwise, as y grows downwards
        assert corners[0] == min(corners, key=lambda p: (round(p[1], 6), p[0]))
    assert (round(width, 3), round(height, 3)) == (35.0, 25.981)
    assert board.label(hexagon(1, 0)) == "Home"
    assert board.cells == ("1,0", "0,1")


def test_a_name_says_column_and_row():
    """Double-height coordinates, as they are printed in the record."""
    assert hexagon(6, 15) == "6,15"
    assert column_row(Cell("6,15")) == (6, 15)
    assert HEX_SIDES == ("N", "NE", "SE", "S", "SW", "NW")
    assert BOARD.neighbours(Cell("0,3")) == (None, "1,2", "1,4", "0,5", None, None)
