"""What is read on photos that were path-traced, by another program than the lessons."""

from pathlib import Path

import pytest

from calibration.wizard import calibrate
from companion.looking import position_of
from companion.rules.board import Cell, Look
from tests.scenes import ROWS, disagreements
from vision.frame import Frame
from vision.picture import read_picture

TRACED = Path(__file__).parents[1] / "traced"
KINDS = {
    Cell("c3"): Look("blue"),
    Cell("g3"): Look("blue-turned"),
    Cell("e5"): Look("yellow"),
    Cell("c7"): Look("yellow-turned"),
}
LAMP = (
    ".........B/.b.y.y..Yy/..y....yyB/.B...B...Y/b.YYY...y./"
    ".y....Yyy./ybb......./......y.../b..b...b../..YB...by."
)


def _photo(name):
    return read_picture(TRACED / f"{name}.jpg")


@pytest.mark.parametrize(("way", "left_open"), [("samples", 4), ("names", 2)])
def test_a_label_without_a_word_is_no_face_by_a_lamp_either(way, left_open):
    """Plain round labels, by a warm lamp that the dished faces around them mirror."""
    samples = {"samples": _photo("samples"), "kinds": KINDS}
    known = samples if way == "samples" else {"looks": tuple(KINDS.values())}
    table = calibrate("gridlock", ROWS, _photo("empty"), **known).table

    seen = table.reader().read(Frame(_photo("lamp")))

    wrong = disagreements(position_of(table.squares(), seen), LAMP)
    assert {said for said, _ in wrong} <= {"?"}
    assert len(wrong) <= left_open
