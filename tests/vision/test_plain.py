"""What squares plainly are, by sums."""

import numpy as np

from vision.empty_board import EmptyBoard
from vision.pieces.plain import tints
from vision.rectify import CELL, MARGIN


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
