import math

import numpy as np
import pytest

from companion.observation import Observation
from companion.rules.board import Look
from tests.bench.tally import answers_of, corner_error, wilson
from tests.scenes import sequence_board


def test_answers_count_what_was_given():
    """An unknown square is no answer; "*" is right for any turned chip, only."""
    board = sequence_board()
    turned = {Look("red-turned"): math.log(0.5), Look("white-turned"): math.log(0.5)}
    seen = Observation(dict.fromkeys(board.cells, turned))
    said = "?*" + "*" * 98
    truth = "rr" + "R" * 97 + " "

    answers = answers_of(board, said, seen, truth)

    assert [answer.cell for answer in answers if answer.wrong] == ["b1"]
    assert len(answers) == 98
    assert answers[0].probability == pytest.approx(1)


def test_the_worst_corner_is_measured_in_cells():
    """A corner half a cell off is half a cell off, however large the picture."""
    true = np.array(((10, 10), (110, 10), (110, 110), (10, 110)), float)
    found = true + np.array(((0, 0), (5, 0), (0, 0), (0, 1)))

    assert corner_error(found, true, 10, 10) == pytest.approx(0.5)


def test_an_interval_knows_how_little_was_counted():
    """No errors in few squares promise less than no errors in many."""
    assert wilson(0, 30)[1] == pytest.approx(0.1135, abs=1e-3)
    assert wilson(0, 20_000)[1] == pytest.approx(1.92e-4, rel=1e-2)
    assert wilson(0, 0) == (0.0, 1.0)
