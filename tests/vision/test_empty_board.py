"""What the empty board's own photo tells of its light."""

import cv2
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


def test_squares_without_print_of_their_own_show_none():
    """They would be taken to show it wherever the board is looked for."""
    rng = np.random.default_rng(1)
    made = np.full((2 * MARGIN + 4 * CELL, 2 * MARGIN + 5 * CELL, 3), 160, np.uint8)
    inner = made[MARGIN:-MARGIN, MARGIN:-MARGIN]
    for column in range(2):
        square = inner[:, column * CELL : (column + 1) * CELL]
        square[:] = rng.integers(90, 230, square.shape, np.uint8)

    shown = EmptyBoard(made, 4, 5).shown(made).reshape(4, 5)

    assert (shown[:, :2] > 0.8).all()
    assert np.isnan(shown[:, 2:]).all()


def test_a_photo_of_one_colour_shows_no_print():
    """Nor does the inside of a lens cap, or a sheet of paper."""
    rng = np.random.default_rng(1)
    side = SIDE * CELL + 2 * MARGIN
    board = EmptyBoard(rng.integers(90, 230, (side, side, 3), np.uint8), SIDE, SIDE)

    for value in range(256):
        photo = np.full((side, side, 3), value, np.uint8)

        assert np.abs(board.shown(photo)).max() < 0.1
        assert board.fit(photo).alike < 0.1


def _least_shown(board, photo):
    """Return how well all squares show their fine print."""
    return board.least_shown(board.fine(photo), np.arange(SIDE * SIDE))


def _lettered():
    """Return a rectified board with something fine and something bold on squares."""
    side = SIDE * CELL + 2 * MARGIN
    board = np.full((side, side, 3), 210, np.uint8)
    for down, right in np.ndindex(SIDE, SIDE):
        x, y = (MARGIN + CELL * at for at in (right, down))
        cv2.putText(board, "58"[right % 2], (x + 2, y + 10), 0, 0.3, (60, 60, 60), 1)
        cv2.circle(board, (x + 15, y + 15), 4, (20, 20, 20), 2)
    return board


def test_fine_print_is_seen_in_the_shadows_of_bars():
    """They have edges, where the rest of the print is hardly to be known."""
    made = _lettered()
    board = EmptyBoard(made, SIDE, SIDE)
    across = np.arange(made.shape[1])[None, :] + 2 * np.arange(made.shape[0])[:, None]
    shade = np.where(across // 20 % 2, 0.4, 1.0)[..., None]
    noise = np.random.default_rng(7).normal(0, 2, made.shape)
    photo = np.clip(made * shade + noise, 0, 255).astype(np.uint8)

    assert np.median(board.all_shown(photo)) < 0.9
    assert np.median(_least_shown(board, photo)) > 0.9


def test_a_chip_beside_the_boldest_print_hides_what_is_fine():
    made = _lettered()
    board = EmptyBoard(made, SIDE, SIDE)
    photo = made.copy()
    corner = MARGIN + 3 * CELL + 7
    cv2.circle(photo, (corner, corner), 7, (90, 90, 200), -1)

    shown = _least_shown(board, photo).reshape(SIDE, SIDE)

    assert shown[3, 3] < 0.6
    assert np.delete(shown.ravel(), 33).min() > 0.9


def test_lines_around_a_square_do_not_say_what_lies_in_it():
    side = SIDE * CELL + 2 * MARGIN
    made = np.full((side, side, 3), 200, np.uint8)
    made[MARGIN + 1 :: CELL] = made[:, MARGIN + 1 :: CELL] = 40

    assert np.isnan(_least_shown(EmptyBoard(made, SIDE, SIDE), made)).all()


def test_the_ground_of_chequers_is_the_light_and_not_the_chequers():
    """A chip looks the same on both kinds of squares, wherever the light is as much."""
    plain, chequered = (
        EmptyBoard(_chequered(dark, 0.3), SIDE, SIDE).ground for dark in (1.0, 0.3)
    )

    from_plain = chequered - plain

    assert np.ptp(plain) > 0.5
    assert np.ptp(from_plain) < 0.1


def test_boards_are_chequered_by_their_squares_and_not_by_their_light():
    """A lamp beside a board makes no chequers, and takes none away."""
    plain, shaded, chequered, dim = (
        EmptyBoard(_chequered(dark, falloff), SIDE, SIDE)
        for dark, falloff in ((1.0, 0.0), (1.0, 0.6), (0.6, 0.6), (0.6, 2.0))
    )

    assert not plain.chequered
    assert not shaded.chequered
    assert chequered.chequered
    assert dim.chequered
