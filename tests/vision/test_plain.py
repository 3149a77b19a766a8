"""What squares plainly are, by sums."""

import cv2
import numpy as np
import pytest

from vision.empty_board import EmptyBoard
from vision.pieces.plain import by_print, not_bare, reached_over, tints
from vision.rectify import CELL, MARGIN


def printed(rows=4):
    """Return the picture of a board whose squares bear spots, each its own."""
    board = np.full((CELL * rows + 2 * MARGIN,) * 2 + (3,), 200, np.uint8)
    for number in range(rows * rows):
        at = tuple(MARGIN + CELL // 2 + CELL * n for n in divmod(number, rows)[::-1])
        cv2.circle(board, at, 4 + number // 2, (40, 40, 160), -1)
    return board


def photo_of(board, rng):
    """Return what a camera makes of it."""
    return np.clip(board + rng.normal(0, 3, board.shape), 0, 255).astype(np.uint8)


def thought(empty, covered, piece):
    """Return what is thought of 16 squares that all look alike to the eyes."""
    return np.log(np.tile(np.float32((empty, covered, piece)), (16, 1)))


@pytest.mark.parametrize("chips", [False, True])
def test_what_shows_its_print_is_not_covered(chips):
    """Beside a hand; and no chip lies there. Pegs hide little, but some fine print."""
    board = printed()
    hand = photo_of(board, np.random.default_rng(3))
    hand[: MARGIN + 2 * CELL] = 120, 150, 190
    log_p = thought(0.08, 0.9, 0.02)

    sight = EmptyBoard(board, 4, 4).under(hand)
    told = np.exp(by_print(sight, log_p, np.arange(16), chips=chips))

    np.testing.assert_allclose(told[:8], np.exp(log_p[:8]))
    assert told[8:, 1].max() < 1e-3
    assert told[8:10, 2].max() < 1e-3
    assert (told[10:, 2] < 1e-3).all() if chips else (told[10:, 2] > 0.15).all()


def test_bold_print_does_not_say_what_fine_print_denies():
    """A chip as light as the paper hides a letter, and not the spot beside it."""
    board = np.full((CELL * 4 + 2 * MARGIN,) * 2 + (3,), 200, np.uint8)
    for down, right in np.ndindex(4, 4):
        x, y = (MARGIN + CELL * at for at in (right, down))
        cv2.putText(board, "A", (x + 2, y + 9), 0, 0.3, (150, 150, 150), 1)
        cv2.circle(board, (x + 17, y + 17), 4, (30, 30, 30), -1)
    photo = photo_of(board, np.random.default_rng(6))
    photo[MARGIN : MARGIN + 11, MARGIN : MARGIN + 11] = 200
    log_p = thought(0.6, 1e-4, 0.4)
    sight = EmptyBoard(board, 4, 4).under(photo)

    told = np.exp(by_print(sight, log_p, np.arange(16), chips=True))

    assert sight.all_shown[0] > 0.95
    assert told[0, 2] > 0.39
    assert told[1:, 2].max() < 1e-3


@pytest.mark.parametrize(
    ("lean", "chips", "told"),
    [(0.6, False, True), (0.8, False, False), (0.8, True, True)],
    ids=["peg", "peg seen from the side", "chip"],
)
def test_a_middle_that_looks_otherwise_is_not_bare(lean, chips, told):
    """Something white hides the spot there; shade and noise hide none.

    From the side that may be the head of a peg in front.
    """
    board = printed()
    photo = photo_of(board, np.random.default_rng(5))
    shade = slice(MARGIN + CELL, MARGIN + 2 * CELL)
    photo[shade, shade] = photo[shade, shade] * 0.6
    corner = MARGIN + 3 * CELL + CELL // 2
    cv2.circle(photo, (corner, corner), CELL // 4, (210, 215, 215), -1)
    log_p = thought(0.9999, 5e-5, 5e-5)
    sight = EmptyBoard(board, 4, 4).under(photo)

    leaning = np.full((4, 4, 2), (0, lean), np.float32)
    p = np.exp(not_bare(sight, leaning, log_p, chips=chips))

    assert (p[-1, 0] < 0.9) == told
    np.testing.assert_allclose(p[:-1], np.exp(log_p[:-1]))


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        ((60, 90, 160), True),
        ((100, 100, 100), False),
        ((4, 12, 24), False),
    ],
    ids=["hand", "shadow", "dark"],
)
def test_what_reaches_in_over_the_rim_is_hardly_a_piece(thing, told):
    """Only its end is on the board; a chip beside the rim does not lie so far out."""
    board = np.full((CELL * 4 + 2 * MARGIN,) * 2 + (3,), 180, np.uint8)
    photo = photo_of(board, np.random.default_rng(9))
    photo[-MARGIN - CELL // 2 :, MARGIN + 2 * CELL : MARGIN + 3 * CELL] = thing
    cv2.circle(photo, (MARGIN + 8, MARGIN + CELL // 2), 11, (60, 90, 160), -1)
    log_p = thought(0.003, 0.001, 0.996)
    sight = EmptyBoard(board, 4, 4).under(photo)

    p = np.exp(reached_over(sight, log_p))

    below = 14  # the third of the last row
    assert (p[below, 2] < 0.9) == told
    np.testing.assert_allclose(
        np.delete(p, below, 0), np.delete(np.exp(log_p), below, 0)
    )


def test_a_tint_in_the_dark_counts_less():
    """A few levels of stray light are much of what there is."""
    side = CELL * 8 + 2 * MARGIN
    empty = np.full((side, side, 3), 120, np.uint8)
    dark, bright = (
        slice(MARGIN + CELL * at, MARGIN + CELL * (at + 1)) for at in (1, 5)
    )
    empty[dark, dark] = 20
    photo = empty.copy()
    for place in (dark, bright):
        photo[place, place, 0] //= 2

    seen = tints(EmptyBoard(empty, 8, 8).under(photo))[::2, ::2]

    assert seen[5, 5] > 0.4
    assert 0.2 < seen[1, 1] / seen[5, 5] < 0.4
    assert np.delete(seen.ravel(), (9, 45)).max() < 0.1


def test_a_faint_glare_on_dark_lines_is_no_cover():
    """It tells of another light where squares meet, but on them it hardly shows."""
    ground = np.full((CELL * 8 + 2 * MARGIN,) * 2 + (3,), 120, np.uint8)
    ground[..., 0] = 60
    at = (np.arange(len(ground)) - MARGIN) % CELL
    lines = (at < 3) | (at >= CELL - 3)
    ground[lines] = ground[:, lines] = 8, 40, 8
    glare = np.zeros_like(ground)
    glare[: MARGIN + 2 * CELL, : MARGIN + 2 * CELL] = 22
    covered = ground.copy()
    on = slice(MARGIN + CELL * 5, MARGIN + CELL * 6)
    covered[on, on] = 110, 90, 60

    board = EmptyBoard(ground, 8, 8)
    seen = [
        tints(board.under(photo))[::2, ::2] for photo in (ground // 2 + glare, covered)
    ]

    assert seen[0].max() < 0.3
    assert seen[1][5, 5] > 0.4
