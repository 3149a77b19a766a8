"""Where the heads of pegs are looked for."""

import cv2
import numpy as np
import pytest

from vision.empty_board import EmptyBoard
from vision.pieces.heads import Heads
from vision.rectify import CELL, MARGIN

SIDE = 10
LEAN = np.tile(np.float32((0, -1)), (SIDE, SIDE, 1))  # what is high is seen above
TALL, TALLER = 0.65, 1.3  # squares from their feet to where heads end


def photo(pegs):
    """Return a bright board with dark pegs of some lengths, squares, on cells."""
    image = np.full((2 * MARGIN + SIDE * CELL,) * 2 + (3,), 200, np.uint8)
    for line in range(SIDE + 1):
        at = MARGIN + line * CELL
        image[at - 1 : at + 1] = image[:, at - 1 : at + 1] = 120
    for cell, length in pegs.items():
        y, x = (MARGIN + at * CELL + CELL // 2 for at in divmod(cell, SIDE))
        cv2.line(image, (x, y), (x, y - int(length * CELL)), (30, 30, 60), 9)
    return image


def learnt(samples):
    """Return an empty board, and the heads of pegs that were seen on it."""
    board, heads = EmptyBoard(photo({}), SIDE, SIDE), Heads((50.0, 50.0))
    heads.learn(board.under(photo(samples)), LEAN, samples, np.array([*samples]))
    return board, heads


def test_a_peg_that_seems_taller_than_the_others_makes_no_heads_vanish():
    """One in a shadow does; heads that are where they should be are found."""
    board, heads = learnt({22: TALL, 27: TALLER, 52: TALL})
    stand = {64: TALL, 74: TALL}

    assert heads.behind(board.under(photo(stand)), LEAN, np.array([*stand])).size == 0


@pytest.mark.parametrize("others", [TALL, 0.0])
def test_what_shows_no_head_may_be_behind_another(others):
    """The head of the peg in front is all that is seen; one sample shows how tall."""
    board, heads = learnt({22: TALL, 27: others, 52: others})
    seen = board.under(photo({74: TALL}))

    assert heads.behind(seen, LEAN, np.array([64, 74])).tolist() == [64]
