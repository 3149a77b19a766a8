import numpy as np
import pytest

from companion.rules.board import Cell, SquareBoard
from vision.frame import Frame
from vision.pose import BoardPose, Lens
from vision.settle import STILL_S, Stillness

SIZE = 1296, 972
CORNERS = np.array([[200.0, 100], [1000, 100], [1000, 900], [200, 900]])


@pytest.fixture
def stillness():
    board = SquareBoard([[""] * 10] * 10)
    pose = BoardPose.from_corners(CORNERS, board.size_mm, Lens(SIZE))
    return Stillness(board, lambda: pose)


@pytest.fixture(params=[1, 2], ids=["as calibrated", "half as large"])
def film(stillness, request):
    """Return a function that shows pictures to a Stillness, ten a second."""
    rng = np.random.default_rng(7)
    table = rng.integers(40, 200, (61, 81, 3)).repeat(16, 0).repeat(16, 1)[:972, :1296]
    shown = 0

    def show(hand=None, gain=1.0, frames=1, lamp=False, lit=()):
        nonlocal shown
        answers = []
        for _ in range(frames):
            picture = table * gain + rng.normal(0, 4, table.shape)
            if hand is not None:
                picture[hand : hand + 150, 600:720] = (90, 120, 190)
            if lamp:
                picture[410:510, 590:690] += 60
            image = np.clip(picture, 0, 255).astype(np.uint8)
            image = image[:: request.param, :: request.param]
            answers.append(stillness.settled(Frame(image, shown / 10, shown), lit))
            shown += 1
        return answers

    return show


def test_a_still_table_is_at_rest_after_a_while(film):
    """Noise is no motion; rest is told only after it has lasted."""
    answers = film(frames=7)

    assert not any(answers[: round(STILL_S * 10)])
    assert answers[-1]


def test_a_moving_hand_is_motion(film):
    """While a hand moves the table is not at rest, and for a moment after it."""
    film(frames=7)

    assert [film(hand=place)[0] for place in (100, 200, 300)] == [False] * 3
    assert not film()[0]
    assert film(frames=7)[-1]


def test_a_change_of_the_light_is_no_motion(film):
    """Exposure that drifts, the same everywhere, does not look like a hand."""
    film(frames=7)

    assert all(film(gain=1 + step / 100)[0] for step in range(1, 6))


def test_a_lamp_that_blinks_is_no_motion(film):
    """A lit square may blink; what blinks where no lamp is is a movement."""
    film(frames=7)

    assert all(film(lamp=on, lit=[Cell("f5")])[0] for on in (True, False, True))
    assert not film(lamp=False)[0]


def test_a_hand_over_a_lit_square_is_motion(film):
    """A hand is larger than a lit square."""
    film(frames=7)

    assert not film(hand=300, lit=[Cell("f5")])[0]


def test_a_camera_of_another_size_starts_again(stillness):
    """When the size of the pictures changes nothing is at rest yet."""
    wide, tall = np.zeros((90, 160, 3), np.uint8), np.zeros((160, 90, 3), np.uint8)

    assert not stillness.settled(Frame(wide, 0.0))
    assert stillness.settled(Frame(wide, 1.0))
    assert not stillness.settled(Frame(tall, 2.0))
