"""Pictures that show the board where it was, but not as it is, are not read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.wizard import calibrate
from companion.rules.board import Cell, Look
from tests.scenes import ROWS, calibrated, overhead, pieces, sequence_board
from vision.frame import Frame
from vision.scene import draw

KINDS = {Cell("c3"): Look("white"), Cell("g3"): Look("red")}
POSITION = "....r..w../.w....../r..w...../....rr..w/./ww/......r.../..r...w"


@pytest.fixture(scope="module")
def bare():
    return overhead(sequence_board((50, 50)), 8, (1296, 972))


@pytest.fixture(scope="module")
def photo(bare):
    return draw(replace(bare, pieces=pieces(POSITION), seed=3))


@pytest.fixture(scope="module")
def table(bare):
    return calibrated(bare, KINDS)


def read(table, photo):
    return table.reader().read(Frame(np.ascontiguousarray(photo, np.uint8)))


def grey(photo):
    return cv2.cvtColor(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)


def test_a_picture_taken_in_night_mode_is_not_read(table, photo):
    """Without colours, teams would be guessed."""
    seen = read(table, grey(photo))

    assert not seen.log_p
    assert len(seen.hidden) == 100
    assert "night mode" in seen.note
    assert not seen.moved


def test_what_is_burnt_out_or_dark_is_not_blamed_on_night_mode(table, photo):
    """There, no camera shows colours."""
    for level in (2, 255):
        assert "night mode" not in read(table, np.full_like(photo, level)).note


@pytest.mark.parametrize(
    ("level", "remedy"), [(2, "make more light"), (250, "dim the light")]
)
def test_a_picture_without_light_is_not_taken_for_a_moved_board(
    table, photo, level, remedy
):
    seen = read(table, np.full_like(photo, level))

    assert remedy in seen.note
    assert not seen.moved


def test_a_camera_without_colours_is_let_do(bare, photo):
    """Who calibrated with it was shown as little; what it shows is read as it is."""
    looks = tuple(KINDS.values())
    made = calibrate(
        "gridlock", ROWS, grey(draw(bare)), corners=bare.corners(), looks=looks
    ).table
    empty = read(made, grey(draw(replace(bare, seed=4))))

    assert "night mode" not in empty.note
    assert len(empty.log_p) == 100


@pytest.mark.parametrize("axis", [0, 1], ids=["upside down", "left to right"])
def test_a_mirrored_picture_is_not_read(table, photo, axis):
    """In its middle the standard board lies on itself, and white on print is a chip."""
    seen = read(table, np.flip(photo, axis))

    assert not seen.log_p
    assert "mirrored" in seen.note


def test_a_picture_on_its_head_is_not_taken_for_a_mirrored_one(table, photo):
    """The board was only turned: it is found, and read."""
    seen = read(table, photo[::-1, ::-1])

    assert len(seen.log_p) >= 90
    assert "mirrored" not in seen.note
