"""The printed grid is found on a photo of the empty board, however it lies."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.corners import find_grid
from calibration.lens import cell_aspect
from tests.scenes import ROWS, overhead, sequence_board
from vision.pose import BoardPose, Lens
from vision.scene import BoardStyle, draw
from vision.scene.random_tables import random_table

FACES = [line.split() for line in ROWS]


@pytest.mark.parametrize(
    ("azimuth", "roll", "k1", "cell"),
    [(0, 0, 0, (50, 50)), (10, 95, -0.15, (50, 39)), (170, 10, 0, (42, 50))],
)
def test_grid_is_found_the_right_way_round(azimuth, roll, k1, cell):
    """Turned, tilted and bent by a lens: corners to a tenth of a cell, in order."""
    board = sequence_board(cell)
    bare = overhead(board, 25, (1296, 972))
    view = replace(bare.view, azimuth=azimuth, roll=roll, k1=k1).fitted(board, 0.8)
    scene = replace(bare, view=view, board_style=BoardStyle(markers=False))

    grid = find_grid(draw(scene), FACES)

    assert_found(grid, scene)


def assert_found(grid, scene):
    """Every corner is known to a tenth of a cell."""
    assert grid is not None
    assert grid.sure
    sides = np.roll(scene.corners(), -1, axis=0) - scene.corners()
    away = np.linalg.norm(grid.corners(10, 10) - scene.corners(), axis=1)
    assert away.max() < 0.1 * np.linalg.norm(sides, axis=1).min() / 10


def test_a_wide_lens_is_found():
    """As wide as those of webcams, and wider (k1 of 0.23 half diagonals)."""
    bare = overhead(sequence_board((50, 50)), 8, (1296, 972))
    view = replace(bare.view, hfov=90, k1=-0.15).fitted(bare.board, 0.8)
    scene = replace(bare, view=view)

    grid = find_grid(draw(scene), FACES)

    assert_found(grid, scene)
    assert grid.pose.lens.k1 == pytest.approx(-0.234, abs=0.02)


@pytest.mark.parametrize("seed", [231, 237, 292])
def test_faint_and_worn_lines_are_enough(seed):
    """Squares that run into each other are told apart when they are made thinner."""
    scene = random_table(seed).bare

    grid = find_grid(draw(scene), FACES)

    assert_found(grid, scene)


def test_a_grid_of_few_squares_is_fitted_to_all_that_were_seen():
    """Some are found in one way, some in another; together they reach the corners."""
    table = random_table(205)

    grid = find_grid(
        draw(table.bare), [row.split() for row in table.bare.board.written]
    )

    assert_found(grid, table.bare)


def test_noise_is_not_taken_for_a_lens():
    """Few worn squares, all of them in the middle, bent what lies outside."""
    table = random_table(5017)

    grid = find_grid(
        draw(table.bare), [row.split() for row in table.bare.board.written]
    )

    assert_found(grid, table.bare)
    assert grid.pose.lens.k1 == table.bare.view.k1 == 0


def test_another_layout_is_not_sure():
    """A board that shows other cards than the layout says is not taken for it."""
    scene = overhead(sequence_board((50, 50)), 10, (1296, 972))
    mixed = np.random.default_rng(3).permutation(np.array(FACES).reshape(-1))

    grid = find_grid(draw(scene), mixed.reshape(10, 10).tolist())

    assert grid is None or not grid.sure


@pytest.mark.parametrize("azimuth", [20, -50])
def test_aspect_is_told_by_perspective(azimuth):
    """Cells of 50 x 39 mm are known as such from one tilted photo."""
    board = sequence_board((50, 39))
    bare = overhead(board, 35, (1296, 972))
    view = replace(bare.view, azimuth=azimuth).fitted(board)
    corners = replace(bare, view=view).corners()
    pose = BoardPose.from_corners(corners, (10, 10), Lens(view.size))

    assert cell_aspect(pose.image_from_board, view.size) == pytest.approx(
        50 / 39, abs=0.01
    )
