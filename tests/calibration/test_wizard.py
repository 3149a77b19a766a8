"""A table calibrated from two photos reads what lies on the board."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.wizard import parse_corners, parse_kinds
from companion.errors import NotationError
from companion.rules.board import Cell, Look
from tests.scenes import calibrated, overhead, pieces, sequence_board
from vision.frame import Frame
from vision.scene import draw

KINDS = {
    Cell("c3"): Look("white"),
    Cell("g3"): Look("red"),
    Cell("e5"): Look("white-turned"),
    Cell("c7"): Look("red-turned"),
}


def test_positions_are_read_exactly():
    """Chips up and turned over, off their squares' centres, are all read."""
    board = sequence_board((50, 50))
    bare = overhead(board, 20)
    table = calibrated(bare, KINDS)
    position = (
        ".r...w..../....W...../..r......r/.w.w.R..../....wwwww./RRRRR..../r../..w"
    )
    scattered = {
        cell: replace(piece, offset=(0.2 * np.cos(k), 0.2 * np.sin(k)), rotation=40 * k)
        for k, (cell, piece) in enumerate(pieces(position).items())
    }
    scene = replace(bare, pieces=scattered, seed=9)

    seen = table.reader().read(Frame(draw(scene)))

    assert seen.hidden == frozenset()
    assert {cell: seen.likely(cell) for cell in board.cells} == scene.looks()
    assert min(seen.confidence(cell) for cell in board.cells) > 0.9


@pytest.mark.parametrize(
    "text",
    ["", "1,2 3,4 5,6", "0,0 0,9 9,9 9,0", "1,1 1,1 1,1 1,1", "0,0 9,0 9,9 0,9 5,5"],
)
def test_impossible_corners_are_refused(text):
    """Corners that do not go round a board clockwise are refused with a sentence."""
    with pytest.raises(NotationError, match="--corners"):
        parse_corners(text)


def test_corners_are_read_as_written():
    """Four points are read in their order."""
    points = parse_corners("0,0 90.5,1 91,70 -1,69")

    assert points.tolist() == [[0, 0], [90.5, 1], [91, 70], [-1, 69]]


@pytest.mark.parametrize("text", ["c3", "c3=", "3c=white", "c3=pink", "c3=white-up"])
def test_unreadable_kinds_are_refused(text):
    """A sample that is not written as it must be is refused with a sentence."""
    with pytest.raises(NotationError):
        parse_kinds(text, [Look("white"), Look("white-turned")])
