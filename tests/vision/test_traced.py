"""What is read on photos that were path-traced, by another program than the lessons."""

from pathlib import Path

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


def _said(name, **known):
    """Return what is read on one photo of a table that was calibrated just so."""
    table = calibrate("gridlock", ROWS, _photo("empty"), **known).table
    seen = table.reader().read(Frame(_photo(name)))
    return position_of(table.squares(), seen)


def test_a_label_without_a_word_is_a_back_by_a_lamp_too():
    """Plain round labels, by a warm lamp that the dished faces around them mirror."""
    said = _said("lamp", samples=_photo("samples"), kinds=KINDS)

    assert disagreements(said, LAMP) == []


def test_a_label_without_a_word_is_taken_for_no_face_by_the_names_alone():
    """What one photo does not tell stays open."""
    said = _said("lamp", looks=tuple(KINDS.values()))

    wrong = disagreements(said, LAMP)
    assert {mine for mine, _ in wrong} <= {"?"}
    assert len(wrong) < 10
