"""A table calibrated from two photos reads what lies on the board."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration import wizard
from calibration.wizard import calibrate, parse_corners, parse_kinds
from companion.errors import BoardNotFound, NotationError
from companion.observation import Observation
from companion.rules.board import Cell, Look
from tests.scenes import (
    KINDS,
    LOOKS,
    ROWS,
    calibrated,
    overhead,
    pieces,
    sequence_board,
    with_samples,
)
from vision.frame import Frame
from vision.scene import BoardStyle, Glare, Hand, Ink, Light, Piece, draw


def test_positions_are_read_exactly():
    """Chips up and turned over, off their squares' centres, are all read."""
    board = sequence_board((50, 50))
    bare = overhead(board, 20)
    table = calibrated(bare, KINDS)
    position = (
        ".r...w..../....W...../..r......r/.w.w.R..../....wwwww./RRRRR..../r../..w"
    )
    scattered = {
        cell: replace(piece, offset=(0.2 * np.cos(k), 0.2 * np.sin(k)), rotation=40 * k)
        for k, (cell, piece) in enumerate(pieces(position).items())
    }
    scene = replace(bare, pieces=scattered, seed=9)

    seen = table.reader().read(Frame(draw(scene)))

    assert seen.hidden == frozenset()
    assert {cell: seen.likely(cell) for cell in board.cells} == scene.looks()
    assert min(seen.confidence(cell) for cell in board.cells) > 0.9


@pytest.fixture(scope="module")
def shown():
    """Return a bare scene, and the photo of the samples on it."""
    bare = overhead(sequence_board((50, 50)), 20)
    return bare, draw(with_samples(bare, KINDS))


def warnings(shown, kinds, samples=None):
    """Return what the wizard doubts of what is said of samples."""
    bare, photo = shown
    return calibrate(
        "gridlock",
        ROWS,
        draw(bare),
        corners=bare.corners(),
        samples=photo if samples is None else samples,
        kinds=kinds,
        looks=tuple(LOOKS[letter] for letter in "wWrRbBgG"),
    ).warnings


def test_a_board_with_another_print_is_told_from_none(shown):
    """Who named the wrong board is not sent to look for corners alone."""
    rows = tuple(" ".join(reversed(row.split())) for row in ROWS[1:-1] + ROWS[:2])

    with pytest.raises(BoardNotFound, match="--board, or give the grid's corners"):
        calibrate("gridlock", rows, draw(shown[0]))
    with pytest.raises(BoardNotFound, match="not to be made out"):
        calibrate("gridlock", ROWS, np.full_like(shown[1], 90))


@pytest.mark.parametrize(("level", "says"), [(4, "more light"), (252, "dim the light")])
def test_a_photo_on_which_nothing_can_be_seen_is_taken_again(level, says):
    """Nobody can give the corners of what is not to be seen."""
    with pytest.raises(BoardNotFound, match=says):
        calibrate("gridlock", ROWS, np.full((480, 640, 3), level, np.uint8))


@pytest.mark.parametrize(("side", "cut"), [(0, 0.25), (1, 0.3), (1, 0.45)])
def test_a_board_that_is_cut_off_is_to_be_taken_whole(shown, side, cut):
    """Corners outside of the photo would be offered, and refused when given."""
    photo = np.swapaxes(draw(shown[0]), 0, side)
    part = np.swapaxes(photo[int(len(photo) * cut) :], 0, side)

    with pytest.raises(BoardNotFound, match="whole board in it"):
        calibrate("gridlock", ROWS, part)


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [
        (lambda photo: photo, ""),
        (lambda photo: cv2.convertScaleAbs(photo, alpha=2.2), "dim the light"),
        (lambda photo: np.repeat(photo[..., 1:2], 3, axis=2), "night mode"),
    ],
    ids=["good", "burnt out", "grey"],
)
def test_an_empty_photo_that_shows_little_is_told(shown, spoilt, says):
    """Also without samples: up to 60 of 1,200 squares were read wrongly with one."""
    bare, _ = shown

    done = calibrate("gridlock", ROWS, spoilt(draw(bare)), corners=bare.corners())

    assert len(done.warnings) == bool(says)
    assert says in "".join(done.warnings)


def test_a_lamp_that_is_mirrored_in_the_empty_board_is_told(shown):
    """Of a drawn game 17 chips below one passed for bare squares, surely."""
    bare, _ = shown
    dim = Light(key=(0.12, 0.12, 0.11), ambient=(0.03, 0.03, 0.03))
    lit = replace(bare, light=replace(dim, glare=(Glare((325, 175), 75, 1),)))

    done = calibrate("gridlock", ROWS, draw(lit), corners=bare.corners())

    (said,) = done.warnings
    assert said.startswith("A lamp is mirrored in the board around g4 ")
    assert "take the photos again" in said


@pytest.fixture
def unsearched(monkeypatch):
    """Let no grid be looked for, which takes seconds, on a Raspberry Pi many."""
    monkeypatch.setattr(wizard, "find_grid", lambda *_: pytest.fail("searched"))


@pytest.mark.usefixtures("unsearched")
def test_corners_of_next_to_nothing_are_refused(shown):
    """They go round clockwise, but no board can be read between them."""
    bare, photo = shown
    thin = bare.corners() * (0.02, 1)

    with pytest.raises(BoardNotFound, match="less than 4 px"):
        calibrate("gridlock", ROWS, photo, corners=thin)


@pytest.mark.usefixtures("unsearched")
def test_a_sample_on_no_square_is_refused(shown):
    """The sentence names the square."""
    _, photo = shown
    kinds = KINDS | {Cell("k3"): Look("white")}

    with pytest.raises(NotationError, match="no square k3 on this board"):
        calibrate("gridlock", ROWS, photo, samples=photo, kinds=kinds)


def test_squares_that_are_not_made_out_are_said_to_be_taken_as_even(shown):
    """A wide lens would bend them, and no look at the photo told so."""
    bare, _ = shown
    hidden = cv2.GaussianBlur(draw(bare), (0, 0), 15)

    done = calibrate("gridlock", ROWS, hidden, corners=bare.corners())

    (warning,) = done.warnings
    assert "not to be made out between --corners" in warning


def test_corners_of_a_blank_board_are_offered(shown):
    """Nothing says which way round it lies; where it lies, and the lens, is known."""
    bare, _ = shown
    view = replace(bare.view, k1=-0.1).fitted(bare.board)
    blank = BoardStyle(markers=False, ink=Ink(arrangement="none", line="#555555"))
    scene = replace(bare, view=view, board_style=blank)
    photo = draw(scene)
    with pytest.raises(BoardNotFound, match="begins at the upper left") as refused:
        calibrate("gridlock", ROWS, photo)
    offered = parse_corners(str(refused.value).split('"')[1])

    table = calibrate("gridlock", ROWS, photo, corners=offered).table

    assert offered == pytest.approx(scene.corners(), abs=3)
    assert -0.1 < table.lens.k1 < -0.02


def test_samples_that_are_as_said_raise_no_doubt(shown):
    """Also turned ones, though colours' names do not tell whose they are."""
    assert warnings(shown, KINDS) == ()


def test_a_sample_on_a_wrong_square_is_doubted(shown):
    """Both squares are named: where nothing lies, and where it is not said."""
    wrong = {Cell("d3"): Look("white"), **{c: KINDS[c] for c in list(KINDS)[1:]}}

    assert warnings(shown, wrong) == (
        "c3 looks white in the samples photo, but --kinds names no piece there; "
        "check that, and calibrate again if it is wrong.",
        "d3 looks empty in the samples photo, but --kinds says white; "
        "check that, and calibrate again if it is wrong.",
    )


@pytest.mark.parametrize("unsaid", list(KINDS))
def test_a_sample_that_is_not_named_is_told(shown, unsaid):
    """Also a turned one; nobody is sent to clear a board that is empty."""
    (doubt,) = warnings(shown, {c: KINDS[c] for c in KINDS if c != unsaid})

    assert unsaid in doubt
    assert "--kinds" in doubt


@pytest.mark.parametrize("other", ["blue", "red-turned"])
def test_a_sample_of_another_look_is_doubted(shown, other):
    """Colours mixed up, or sides, would be mixed up in every game."""
    (doubt,) = warnings(shown, KINDS | {Cell("g3"): Look(other)})

    assert doubt.startswith("g3 looks red in the samples photo, but --kinds says")


def test_a_sample_under_a_hand_is_doubted(shown):
    """What is covered would be learnt as the piece."""
    bare, _ = shown
    x, y = np.mean(bare.board.outline(Cell("e5")), axis=0)
    covered = replace(with_samples(bare, KINDS), hands=(Hand((float(x), float(y))),))

    assert "Something covers e5 in the samples photo; take it again." in warnings(
        shown, KINDS, draw(covered)
    )


def test_photos_that_were_exchanged_are_refused(shown):
    """Else bare squares would be learnt as the pieces, without a word."""
    bare, photo = shown
    lying = replace(bare, pieces=with_samples(bare, KINDS).pieces)

    with pytest.raises(BoardNotFound, match="photos exchanged"):
        warnings((lying, photo), KINDS, draw(bare))


def test_one_likeness_does_not_tell_that_photos_were_exchanged():
    """Bare squares, held against the samples, mostly look covered, or like a piece."""
    misread = Cell("e5")
    bare = Observation({misread: {Look("white-turned"): 0.0}}, KINDS.keys() - {misread})
    lying = {cell: {look: 0.0} for cell, look in KINDS.items()}
    samples = Observation({**lying, misread: {Look("white"): 0.0}})

    assert not wizard._are_there(KINDS, bare, samples)
    assert wizard._are_there(KINDS, Observation(lying), samples)


def test_pieces_and_hands_in_the_photo_of_the_empty_board_are_told(shown):
    """All later photos would be held against them."""
    bare, photo = shown
    game = replace(bare, pieces={Cell("b8"): Piece(LOOKS["r"])})
    x, y = np.mean(bare.board.outline(Cell("h8")), axis=0)
    hand = replace(bare, hands=(Hand((float(x), float(y))),))

    (lying,) = warnings((game, photo), KINDS)
    (covered,) = warnings((hand, photo), KINDS)

    assert lying.startswith("Something lies on b8 in the photo of the empty board;")
    assert "clear it" in lying
    assert covered.startswith("Something covers ")
    assert "h8" in covered


def test_an_empty_photo_without_colours_is_refused(shown):
    """A camera in night mode shows no tint that later photos could be held against."""
    bare, photo = shown
    grey = cv2.cvtColor(draw(bare), cv2.COLOR_BGR2GRAY)

    with pytest.raises(
        BoardNotFound, match=r"empty board cannot be read\..*night mode"
    ):
        calibrate(
            "gridlock",
            ROWS,
            cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR),
            corners=bare.corners(),
            samples=photo,
            kinds=KINDS,
        )


@pytest.mark.parametrize("turns", [0, 1])
def test_corners_that_the_print_belies_are_doubted(shown, turns):
    """A board that is read from another corner is read wrongly, square by square."""
    bare, _ = shown
    given = np.roll(bare.corners(), turns, axis=0)

    done = calibrate("gridlock", ROWS, draw(bare), corners=given)

    assert len(done.warnings) == turns
    for warning in done.warnings:
        said = parse_corners(warning.split('"')[1])
        assert said == pytest.approx(bare.corners(), abs=2)


def test_a_samples_photo_without_the_board_is_refused(shown):
    """No piece could be learnt from it; it is said what is wrong with it."""
    wood = np.full_like(shown[1], (60, 70, 80))

    with pytest.raises(
        BoardNotFound, match=r"samples photo cannot be read\. The board"
    ):
        warnings(shown, KINDS, wood)


@pytest.mark.parametrize(
    "text",
    ["", "1,2 3,4 5,6", "0,0 0,9 9,9 9,0", "1,1 1,1 1,1 1,1", "0,0 9,0 9,9 0,9 5,5"],
)
def test_impossible_corners_are_refused(text):
    """Corners that do not go round a board clockwise are refused with a sentence."""
    with pytest.raises(NotationError, match="--corners"):
        parse_corners(text)


def test_corners_are_read_as_written():
    """Four points are read in their order."""
    points = parse_corners("0,0 90.5,1 91,70 -1,69")

    assert points.tolist() == [[0, 0], [90.5, 1], [91, 70], [-1, 69]]


@pytest.mark.parametrize(
    "text", ["", "c3", "c3=", "3c=white", "c3=pink", "c3=white-up"]
)
def test_unreadable_kinds_are_refused(text):
    """A sample that is not written as it must be is refused with a sentence."""
    with pytest.raises(NotationError):
        parse_kinds(text, [Look("white"), Look("white-turned")])
