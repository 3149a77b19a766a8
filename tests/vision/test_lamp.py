"""A strong lamp that is mirrored in the empty board's photo is told by that photo."""

from dataclasses import replace

import pytest

from companion.rules.board import SquareBoard
from tests.scenes import overhead, rectifier_of, sequence_board
from vision.empty_board import EmptyBoard
from vision.scene import BoardStyle, Glare, Light, SunPatch, draw

DIM = Light(key=(0.12, 0.12, 0.11), ambient=(0.03, 0.03, 0.03))
G4 = (325.0, 137.0)
LAMP = replace(DIM, glare=(Glare(G4, 75, 1.0),))
STRONG = replace(DIM, glare=(Glare(G4, 75, 4.0),))
FAINT = replace(DIM, glare=(Glare(G4, 75, 0.05),))
SUN = replace(DIM, sun=(SunPatch(G4, (90, 90), 30, 2.0, 15),))
BOARD = sequence_board()
MARKERLESS = BoardStyle(markers=False)


def lamp(light, board=BOARD):
    """Return where a lamp is seen on the drawn photo of an empty board."""
    scene = overhead(board, 20, (1296, 972))
    scene = replace(scene, light=light, board_style=MARKERLESS)
    flat = rectifier_of(scene)(draw(scene))
    return EmptyBoard(flat, board.rows, board.columns).lamp()


@pytest.mark.parametrize("light", [LAMP, STRONG], ids=["lamp", "strong"])
def test_it_is_seen_where_it_is_mirrored(light):
    """Also one so strong that squares seem to be of several colours."""
    assert lamp(light) == (3, 6)


@pytest.mark.parametrize("light", [DIM, SUN, FAINT], ids=["none", "sun", "faint"])
def test_other_light_is_none(light):
    """What falls on the board makes paper brighter, and lines as much."""
    assert lamp(light) is None


def test_few_squares_tell_of_none():
    """A surface through a dozen places bends as the lamp does."""
    few = SquareBoard.of(["XX 2S 3S XX"] * 4, (50, 39))

    assert lamp(replace(DIM, glare=(Glare((100, 60), 75, 4.0),)), few) is None
