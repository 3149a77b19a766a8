"""Pieces are as high as they are measured, and seen where they stand."""

from dataclasses import replace

import numpy as np
import pytest

from companion.looking import position_of
from companion.rules.board import TURNED, Cell, Look
from tests.scenes import (
    calibrated,
    disagreements,
    overhead,
    pieces,
    pose_of,
    sequence_board,
)
from vision.frame import Frame
from vision.raised import RaisedBoard
from vision.scene import PieceStyle, draw

MEN = {
    Cell("c3"): Look("green"),
    Cell("g3"): Look("red"),
    Cell("c7"): Look("green" + TURNED),
    Cell("g7"): Look("red" + TURNED),
}
PEGS = {Cell("c3"): Look("green"), Cell("g6"): Look("red")}


@pytest.fixture
def stand():
    """Return a board seen from a side."""
    bare = overhead(sequence_board((50, 50)), 48, (864, 648))
    return replace(bare, view=replace(bare.view, azimuth=20).fitted(bare.board))


def test_a_raised_plane_is_seen_above_the_board(stand):
    """Points of a plane are seen where a camera shows what is so high."""
    pose = pose_of(stand)
    places = np.random.default_rng(0).uniform((0, 0), stand.board.size_mm, (20, 2))

    seen = pose.raised(30, pose.eye(pose.focal())).to_image(places)

    high = np.insert(places, 2, 30, axis=1)
    assert np.abs(seen - stand.view.project(high)).max() < 1


@pytest.mark.parametrize(
    ("style", "kinds", "least", "most"),
    [
        (PieceStyle(height=3), MEN, 0, 3),
        (PieceStyle(height=11), MEN, 5, 12),
        (PieceStyle(shape="peg", radius=0.2, height=14), PEGS, 0, 15),
        (PieceStyle(shape="peg", radius=0.2, height=36), PEGS, 22, 37),
    ],
    ids=["chips", "draughtsmen", "pegs", "tall pegs"],
)
def test_heights_are_measured_on_silhouettes(stand, style, kinds, least, most):
    """Samples seen from a side tell how high pieces are."""
    table = calibrated(replace(stand, piece_style=style), kinds)

    assert least <= table.reader()._silhouettes.height <= most


def test_seen_from_above_nothing_tells_how_high_pieces_are(stand):
    """A camera that looks down sees no sides of pieces, and need not."""
    men = replace(stand, piece_style=PieceStyle(height=11))
    above = replace(men, view=replace(stand.view, tilt=5))

    reader = calibrated(above, MEN).reader()

    assert reader._silhouettes.count == 0
    assert reader._raised is None


def test_print_lies_aside_in_both_photos_wherever_the_camera_is(stand):
    """An empty board shows no change on a raised plane, not from elsewhere either."""
    view = replace(stand.view, tilt=35, azimuth=25).fitted(stand.board, 0.8)
    moved = replace(stand, view=view)
    empty, photo = draw(stand), draw(moved)
    raised = RaisedBoard(stand.board, empty, pose_of(stand), 12)

    at_first = np.abs(raised.under(empty, pose_of(stand)).whole[3:6]).mean()
    then = np.abs(raised.under(photo, pose_of(moved)).whole[3:6]).mean()
    again = np.abs(raised.under(empty, pose_of(stand)).whole[3:6]).mean()

    assert at_first < 0.01
    assert then < 0.06  # a board that is drawn otherwise differs by 0.1 and more
    assert again == at_first


@pytest.mark.parametrize("samples", [True, False], ids=["samples", "names"])
def test_draughtsmen_are_read_from_a_side(samples):
    """Their tops are seen a third of a square aside, and some as ones turned over."""
    stand = overhead(sequence_board((42, 50)), 50, (640, 480))
    stand = replace(stand, piece_style=PieceStyle(height=12, radius=0.34))
    table = calibrated(stand, MEN)
    if not samples:
        table = replace(table, samples=None, kinds={})
    rows = "r..g...R..", "..G..r...g", ".R..g..G..", "....r...R.", "g..R...G.."
    position = "/".join((*rows, *(row[::-1] for row in rows)))
    reader = table.reader()

    for seed in range(3):
        photo = draw(replace(stand, pieces=pieces(position), seed=seed))
        said = position_of(stand.board, reader.read(Frame(photo)))
        assert not disagreements(said, position)
