"""Boards whose squares have no outline are found by their lines, and by markers."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.corners import find_grid
from calibration.lines import ruled
from companion.rules.board import SquareBoard
from tests.scenes import ROWS, overhead
from vision.markers import find_markers
from vision.scene import BoardStyle, Ink, draw

FACES = [line.split() for line in ROWS]
OUTER = np.array(((0, 0), (10, 0), (10, 10), (0, 10)))
LIGHT_DARK = "#d8cfb8", "#4a6b4f"
CHEQUERS = tuple(LIGHT_DARK[at // 10 % 2 ^ at % 2] for at in range(100))
STRIPES = tuple(LIGHT_DARK[at // 10 % 2] for at in range(100))


def board(*, rows=ROWS, roll=0.0, k1=0.0, size=(800, 600), **style):
    """Return a scene of a board on which squares touch."""
    bare = overhead(SquareBoard.of(rows, (50, 44)), 20, size)
    view = replace(bare.view, roll=roll, k1=k1).fitted(bare.board, 0.85)
    made = BoardStyle(**{"gap": 0, "markers": False, **style})
    return replace(bare, view=view, board_style=made)


def off(pose, scene):
    """Return how far the corners of a lattice are off, in cells; it may be turned."""
    shape = scene.board.columns, scene.board.rows
    seen = pose.to_board(scene.corners())
    assert sorted(np.ptp(np.round(seen), axis=0)) == sorted(shape)
    assert np.round(seen).min() == 0
    return np.abs(seen - np.round(seen)).max()


@pytest.mark.parametrize(
    "style",
    [
        {"papers": CHEQUERS},
        {"papers": CHEQUERS, "picture": 0.3},
        {"ink": Ink(arrangement="none", line="#555555")},
    ],
    ids=["chequers", "picture", "lines"],
)
def test_lines_between_squares_are_found(style):
    """Through a lens, and askew: every corner to a tenth of a cell."""
    scene = board(roll=8, k1=-0.1, **style)

    first = ruled(draw(scene), (10, 10))[0]

    assert off(first.pose, scene) < 0.1
    assert first.whole


def test_a_layout_may_lie_on_its_side():
    """Nine lines one way and eleven the other, whichever way that is."""
    rows = [" ".join(row.split()[1:9]) for row in ROWS]
    papers = tuple(
        CHEQUERS[row * 10 + column] for row in range(10) for column in range(8)
    )
    scene = board(rows=rows, roll=90, papers=papers)

    first = ruled(draw(scene), (8, 10))[0]

    assert first.extent == (10, 8)
    assert off(first.pose, scene) < 0.1


def test_lines_must_be_seen_both_ways():
    """Where rows are but stripes, nothing says where columns begin."""
    scene = board(papers=STRIPES, ink=Ink(arrangement="none", line=""))

    assert ruled(draw(scene), (10, 10)) == []


@pytest.mark.parametrize("picture", [0.0, 0.5])
def test_chequers_are_found_the_right_way_round(picture):
    """The print says it, though no square has an outline, and a photo lies under it."""
    ink = Ink(arrangement="middle")
    scene = board(papers=CHEQUERS, picture=picture, ink=ink, roll=180)

    grid = find_grid(draw(scene), FACES)

    assert grid is not None
    assert grid.sure
    assert grid.pose.to_board(scene.corners()) == pytest.approx(OUTER, abs=0.1)


# -- markers --------------------------------------------------------------------

BLANK = {"ink": Ink(arrangement="none", line="#555555"), "margin": 0.9}


def seen(scene, faces=FACES):
    """Return the grid of a scene by the markers in its photo."""
    photo = draw(scene)
    found = find_markers(photo, "apriltag-36h11", small=True)
    assert len(found) > 1 or not scene.board_style.markers
    return find_grid(photo, faces, found)


@pytest.mark.parametrize("roll", [0, 90])
def test_markers_say_which_way_round_a_board_lies(roll):
    """Where nothing is printed on the squares."""
    scene = board(roll=roll, size=(1000, 750), markers=True, **BLANK)

    grid = seen(scene)

    assert grid.sure
    assert grid.marked
    assert grid.pose.to_board(scene.corners()) == pytest.approx(OUTER, abs=0.1)


def test_without_markers_a_blank_board_may_lie_any_way():
    """Its grid is known, and offered as if it lay upright."""
    scene = board(size=(640, 480), **BLANK)

    grid = seen(scene)

    assert not grid.sure
    assert grid.whole
    assert grid.pose.to_board(scene.corners()) == pytest.approx(OUTER, abs=0.1)


def test_markers_do_not_overrule_the_print_of_another_board():
    """Who names the wrong board is told so."""
    mixed = np.random.default_rng(3).permutation(np.array(FACES).reshape(-1))
    scene = board(size=(1000, 750), markers=True, margin=0.9, gap=0.08)

    grid = seen(scene, mixed.reshape(10, 10).tolist())

    assert grid.whole
    assert not grid.sure
