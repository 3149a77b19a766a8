"""What is read on photos that were path-traced, by another program than the lessons."""

from pathlib import Path

import pytest

from calibration.wizard import calibrate, parse_kinds
from companion.looking import position_of
from tests.scenes import LOOKS, ROWS, disagreements
from vision.frame import Frame
from vision.picture import read_picture

TRACED = Path(__file__).parents[1] / "traced"
STATES = (
    "TN AZ NM ND FL ME OK DE MO NJ",
    "AL AR PA SC WI TX OH ID NH FL",
    "NY MT MT WA NH CO TN NV KS AK",
    "TX MN OR RI PA IN WA MI CA KS",
    "NM DE NE MN NE MD MO CA VT ID",
    "VA SD UT OH IL MA ME SD CO HI",
    "IL MI WY IA AL KY KY CT LA GA",
    "OR WY MS OK AZ NV AK NC MS IN",
    "MD WI SC HI WV IA MA CT UT NY",
    "GA AR LA ND WV RI VA VT NC NJ",
)


def left_open(table, photo, kinds, true, *, rows=ROWS, named=False):
    """Return what lies on the squares of a photo that are left open; no other is wrong.

    Args:
        table: folder of its photos.
        photo: its name.
        kinds: what lies where in the samples photo.
        true: the position.
        rows: of the board.
        named: looks are known by their names alone.
    """

    def picture(name):
        return read_picture(TRACED / table / f"{name}.jpg")

    shown = parse_kinds(kinds, list(LOOKS.values()))
    known = {"samples": picture("samples"), "kinds": shown}
    if named:
        known = {"looks": tuple(shown.values())}
    calibrated = calibrate("gridlock", rows, picture("empty"), **known).table

    seen = calibrated.reader().read(Frame(picture(photo)))

    wrong = disagreements(position_of(calibrated.squares(), seen), true)
    assert {said for said, _ in wrong} <= {"?"}
    return [other for _, other in wrong]


@pytest.mark.parametrize(
    ("named", "most"), [(False, 4), (True, 2)], ids=["samples", "names"]
)
def test_a_label_without_a_word_is_no_face_by_a_lamp_either(named, most):
    """Plain round labels, by a warm lamp that the dished faces around them mirror."""
    left = left_open(
        "labels",
        "lamp",
        "c3=blue g3=blue-turned e5=yellow c7=yellow-turned",
        ".........B/.b.y.y..Yy/..y....yyB/.B...B...Y/b.YYY...y./"
        ".y....Yyy./ybb......./......y.../b..b...b../..YB...by.",
        named=named,
    )

    assert len(left) <= most


def test_a_bar_on_the_teams_own_colour_is_no_face_below_a_lamp():
    """Faces are told as before; some of both may stay open."""
    left = left_open(
        "bars",
        "lamp",
        "c3=green g3=white e5=red c7=green-turned g7=white-turned i8=red-turned",
        ".ggw....../..rr..r.r./.rw..rw..w/..r...w.../.g.....w../"
        ".....g.G../....grrG../www.w.wGrg/.rg.gr.G.r/.rr.g..Gr.",
    )

    assert len(left) <= 10


def test_squares_below_a_mirrored_sky_are_seen_to_be_bare():
    """Most contrast is lost all over a chequered board; pieces mirror the sky, too."""
    left = left_open(
        "sky",
        "sky",
        "c3=green g3=blue e5=yellow c7=green-turned g7=blue-turned i8=yellow-turned",
        "..by.y..g./.y......../.g...g.ygg/..y.b...g./ygy..bb.y./"
        "......gg.b/g..ggg..bg/.b.y.g...y/b..yybggb./.......yb.",
        rows=STATES,
    )

    assert "." not in left


@pytest.mark.parametrize("named", [False, True], ids=["samples", "names"])
def test_a_white_peg_on_a_white_ring_is_not_overlooked(named):
    """The eyes take it for the ring, by another light than the calibration's."""
    left = left_open(
        "corner",
        "ceiling",
        "c3=green g3=red e5=white",
        "w........./w........./...r....../........../........../...r....r./....g.g.../"
        "........../.........w/.........w",
        named=named,
    )

    assert "." not in left
    assert len(left) <= 10
