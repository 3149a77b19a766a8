"""What the empty board's own photo tells of its light."""

import numpy as np

from vision.empty_board import EmptyBoard
from vision.rectify import CELL, MARGIN

SIDE = 10


def _chequered(dark, falloff):
    """Return a rectified board of two greys that is darker to the right and below."""
    side = SIDE * CELL + 2 * MARGIN
    down, across = np.indices((side, side)) - MARGIN
    squares = np.where((down // CELL + across // CELL) % 2, dark, 1.0)
    light = np.exp(-falloff * (down + 2 * across) / (SIDE * CELL))
    return np.repeat((200 * squares * light)[..., None], 3, 2).astype(np.uint8)


def test_the_ground_of_chequers_is_the_light_and_not_the_chequers():
    """A chip looks the same on both kinds of squares, wherever the light is as much."""
    plain, chequered = (
        EmptyBoard(_chequered(dark, 0.3), SIDE, SIDE).ground for dark in (1.0, 0.3)
    )

    from_plain = chequered - plain

    assert np.ptp(plain) > 0.5
    assert np.ptp(from_plain) < 0.1
