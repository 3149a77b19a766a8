"""A strong lamp that is mirrored in the empty board's photo is told by that photo."""

from dataclasses import replace

import numpy as np
import pytest

from companion.rules.board import Cell, Look
from tests.scenes import overhead, sequence_board
from vision.empty_board import EmptyBoard
from vision.pose import BoardPose, Lens
from vision.rectify import CELL, Rectifier
from vision.scene import BoardStyle, Glare, Light, Piece, SunPatch, draw

DIM = Light(key=(0.12, 0.12, 0.11), ambient=(0.03, 0.03, 0.03))
LAMP = replace(DIM, glare=(Glare((325.0, 137.0), 75, 2.0),))
BRIGHT = replace(DIM, glare=(Glare((325.0, 137.0), 75, 4.0),))
FAINT = replace(DIM, glare=(Glare((325.0, 137.0), 75, 0.1),))
SUN = replace(DIM, sun=(SunPatch((325.0, 137.0), (90, 90), 30, 2.0, 15),))


@pytest.fixture(scope="module")
def bare():
    scene = overhead(sequence_board(), 20, (1296, 972))
    return replace(scene, light=DIM, board_style=BoardStyle(markers=False))


@pytest.fixture(scope="module")
def flat(bare):
    """Draws a scene, rectified."""
    board = bare.board
    pose = BoardPose.from_corners(bare.corners(), board.size_mm, Lens(bare.view.size))
    rectify = Rectifier(pose, board.cell_mm, board.columns, board.rows)
    return lambda scene: rectify(draw(scene))


def seen_at(change, row, column):
    """Return how much the middle of a square differs, by (3, H / 2, W / 2)."""
    cell = CELL // 2
    top, left = cell // 2 + row * cell, cell // 2 + column * cell
    part = slice(top + cell // 3, top + 2 * cell // 3), slice(left + 4, left + 8)
    return np.abs(change[:, *part]).mean()


def test_it_is_taken_off_the_board(bare, flat):
    """Also for photos on which it still shines."""
    lit, true = flat(replace(bare, light=LAMP)), EmptyBoard(flat(bare), 10, 10)
    board = EmptyBoard(lit, 10, 10)

    seen = board.under(flat(replace(bare, light=LAMP, seed=3))).empty

    veiled = np.abs(board.log - true.log).mean(axis=0) > 0.3
    off, was = (np.abs(own.log - true.log)[:, veiled].mean() for own in (seen, board))
    assert was > 0.4
    assert off < 0.8 * was


def test_pieces_below_it_differ_from_the_board(bare, flat):
    """By more than what the lamp makes of both would."""
    red = {Cell("g4"): Piece(Look("red")), Cell("c8"): Piece(Look("red"))}
    played = replace(bare, light=LAMP, pieces=red, seed=3)
    board = EmptyBoard(flat(replace(bare, light=LAMP)), 10, 10)
    photo = flat(played)

    change = board.under(photo).whole[3:6]

    below, far = seen_at(change, 3, 6), seen_at(change, 7, 2)
    with_lamp = EmptyBoard(photo, 10, 10).half - board.half
    assert below > 1.5 * seen_at(with_lamp, 3, 6)
    assert far == pytest.approx(seen_at(with_lamp, 7, 2), rel=0.1)


@pytest.mark.parametrize("light", [DIM, SUN, FAINT], ids=["none", "sun", "faint"])
def test_other_light_stays(bare, flat, light):
    """What falls on the board makes paper brighter, and lines as much."""
    board = EmptyBoard(flat(replace(bare, light=light)), 10, 10)

    assert board.under(flat(replace(bare, light=light, seed=3))).empty is board


def test_it_does_not_make_a_board_chequered(bare, flat):
    """Its squares are brighter where it is mirrored, but of one paper."""
    assert not EmptyBoard(flat(replace(bare, light=BRIGHT)), 10, 10).chequered
