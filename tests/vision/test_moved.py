"""A board that was bumped, or a camera put elsewhere, is found again."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.looking import position_of, position_rows
from companion.rules.board import Cell, Look, SquareBoard
from tests.scenes import calibrated, disagreements, overhead, pieces, sequence_board
from vision.empty_board import Fit
from vision.frame import Frame
from vision.markers import find_markers
from vision.pose import BoardPose
from vision.refind import Finder
from vision.scene import BoardStyle, Hand, Light, Piece, PieceStyle, Sensor, draw
from vision.scene.print import Ink
from vision.scene.random_tables import STATES

KINDS = {Cell("c3"): Look("white"), Cell("g3"): Look("red")}
POSITION = "....r..w../.w....../r..w...../....rr..w/./ww/......r.../..r...w"


@pytest.fixture(scope="module", params=[True, False], ids=["markers", "print"])
def table(request):
    board = sequence_board((50, 50))
    bare = replace(
        overhead(board, 15, (1296, 972)), board_style=BoardStyle(markers=request.param)
    )
    return calibrated(bare, KINDS), replace(bare, pieces=pieces(POSITION), seed=3)


@pytest.mark.parametrize(
    ("degrees", "x", "y", "scale"),
    [(0, 3, 2, 1.0), (4, 40, -25, 1.0), (-30, 0, 0, 0.8), (180, 10, 0, 0.9)],
)
def test_a_moved_board_is_read_on(table, degrees, x, y, scale):
    """Shifted, turned or seen from elsewhere, the position is read, and it is said."""
    made, scene = table
    turn = cv2.getRotationMatrix2D((648, 486), degrees, scale)
    turn[:, 2] += (x, y)
    moved = cv2.warpAffine(draw(scene), turn, (1296, 972), borderValue=(60, 70, 80))

    seen = made.reader().read(Frame(np.asarray(moved, np.uint8)))

    assert seen.moved == (degrees != 0)
    assert {cell: seen.likely(cell) for cell in scene.board.cells} == scene.looks()


def test_a_board_under_an_arm_is_not_looked_for_elsewhere(table, monkeypatch):
    """What is left of its print says where it lies; to look takes a second."""
    made, scene = table
    photo = draw(scene)
    photo[:, 400:850] = (90, 120, 160)
    monkeypatch.setattr(Finder, "find", None)

    seen = made.reader().read(Frame(photo))

    hidden = {cell for cell in scene.board.cells if seen.likely(cell) is None}
    assert len(hidden) > 0.4 * len(scene.board.cells)
    said = {cell: seen.likely(cell) for cell in scene.board.cells if cell not in hidden}
    assert said.items() <= scene.looks().items()
    assert not seen.moved


@pytest.mark.parametrize(("tilt", "azimuth"), [(45, 0), (30, 70), (0, 180), (40, -140)])
def test_a_camera_put_elsewhere_finds_the_board_again(table, tilt, azimuth):
    """On a stand, or across the table: the position is read, and it is said."""
    made, scene = table
    view = replace(scene.view, tilt=tilt, azimuth=azimuth, roll=5).fitted(scene.board)

    seen = made.reader().read(Frame(draw(replace(scene, view=view))))

    assert seen.moved
    assert {cell: seen.likely(cell) for cell in scene.board.cells} == scene.looks()


@pytest.mark.parametrize("distance", [1.5, 2.4])
def test_a_camera_put_far_away_finds_the_board_again(table, distance):
    """The whole board is then a quarter as wide as the picture."""
    made, scene = table
    view = replace(scene.view, tilt=40, azimuth=120, roll=5).fitted(scene.board)
    view = replace(view, distance=distance * view.distance)
    far = replace(scene, view=view, sensor=Sensor(noise=3.0, blur=1.0))

    seen = made.reader().read(Frame(draw(far)))

    assert seen.moved
    assert {cell: seen.likely(cell) for cell in scene.board.cells} == scene.looks()


def test_samples_are_taken_where_the_board_lies(table):
    """Who puts them down may nudge the board; colours' names alone would not do."""
    _, scene = table
    other = PieceStyle(colours={"white": "#2c3f77", "red": "#d8a520"})
    scene = replace(scene, piece_style=other)
    made = calibrated(replace(scene, pieces={}), KINDS)
    turn = cv2.getRotationMatrix2D((648, 486), 4, 1)
    turn[:, 2] += (60, -45)
    nudged = cv2.warpAffine(made.samples, turn, (1296, 972), borderValue=(60, 70, 80))

    seen = replace(made, samples=nudged).reader().read(Frame(draw(scene)))

    assert not seen.moved
    assert {cell: seen.likely(cell) for cell in scene.board.cells} == scene.looks()
    assert min(seen.confidence(cell) for cell in scene.board.cells) > 0.99


def test_a_board_without_lines_is_read_and_followed():
    """Where squares meet there is nothing but noise: their own print has to do."""
    rows = [" ".join(STATES[row : row + 10]) for row in range(0, 40, 4)]
    plain = overhead(SquareBoard.of(rows, (50, 50)), 15, (1296, 972))
    ink = Ink(paper="#e4e2da", arrangement="badge")
    style = BoardStyle(ground=ink.paper, ink=ink, wear=0, markers=False)
    bare = replace(plain, board_style=style, sensor=Sensor(noise=3.0, blur=1.0))
    x, y = bare.view.target
    table = calibrated(bare, KINDS)

    for squares in (0.0, 0.15, 0.7):
        moved = replace(bare.view, target=(x + 50 * squares, y))
        scene = replace(bare, view=moved, pieces=pieces(POSITION), seed=3)
        seen = table.reader().read(Frame(draw(scene)))
        assert seen.moved == (squares > 0)
        assert {cell: seen.likely(cell) for cell in scene.board.cells} == scene.looks()


def test_a_dark_board_without_lines_is_read_in_dim_light():
    """Noise passes for print where squares meet; the squares know better."""
    ink = Ink(paper="#38322c", black="#d8d4c8", red="#d8a0a8", arrangement="middle")
    style = BoardStyle(ground="#2020c0", ink=ink, gap=0, wear=0, markers=False)
    plain = overhead(sequence_board((50, 50)), 15, (1296, 972))
    dim = Light(key=(0.3, 0.28, 0.25), ambient=(0.1, 0.1, 0.1))
    bare = replace(plain, board_style=style, light=dim, sensor=Sensor(noise=3.5))

    seen, scene = _played(bare)

    assert not seen.moved
    assert len(seen.log_p) >= 90
    assert _agrees(seen, scene)


def test_noise_on_dark_squares_is_not_their_print():
    """It is never the same again, so the board would never be where it was."""
    ink = Ink(paper="#241c14", arrangement="none")
    style = BoardStyle(ground="#7a4aa0", ink=ink, wear=0, markers=False)
    plain = overhead(sequence_board((50, 50)), 15, (1296, 972))
    bare = replace(plain, board_style=style, sensor=Sensor(noise=3.5))

    seen, scene = _played(bare)

    assert not seen.moved
    assert len(seen.log_p) >= 80
    said, true = position_of(scene.board, seen), position_rows(scene.looks())
    assert disagreements(said, true) in ([], [("?", "r")])


def _played(bare):
    """Return what is read of a game where nothing moved, and its scene."""
    scene = replace(bare, pieces=pieces(POSITION), seed=3)
    return calibrated(bare, KINDS).reader().read(Frame(draw(scene))), scene


def _shifted(scene, squares):
    """Return the scene with the camera some squares (right, down) farther on."""
    x, y = np.array(scene.view.target) + 50 * np.array(squares)
    return replace(scene, view=replace(scene.view, target=(float(x), float(y))))


def _agrees(seen, scene):
    """Tell whether no square that was given is wrong."""
    looks = scene.looks()
    return all(seen.likely(cell) == looks[cell] for cell in seen.log_p)


@pytest.mark.parametrize("squares", [(1, 0), (-1, 0), (0, 1), (1, 1), (0.5, 0)])
def test_a_board_moved_by_whole_squares_is_not_read_as_if_it_lay_still(table, squares):
    """Lines lie on lines again, but no piece on its own square."""
    made, scene = table

    seen = made.reader().read(Frame(draw(_shifted(scene, squares))))

    assert seen.moved
    assert len(seen.log_p) >= 80
    assert _agrees(seen, scene)


@pytest.fixture(scope="module", params=["#555555", ""], ids=["lines", "gaps"])
def unprinted(request):
    ink = Ink(arrangement="none", line=request.param)
    bare = replace(
        overhead(sequence_board((50, 50)), 10, (1296, 972)),
        board_style=BoardStyle(ink=ink, markers=False),
    )
    return calibrated(bare, KINDS), replace(bare, pieces=pieces(POSITION), seed=3)


@pytest.mark.parametrize("squares", [(1, 0), (0, -1), (-1, 1)])
def test_a_board_without_print_that_moved_by_whole_squares_is_found(unprinted, squares):
    """Squares look like those beside them; only the grid's edges do not."""
    made, scene = unprinted

    seen = made.reader().read(Frame(draw(_shifted(scene, squares))))

    assert seen.moved
    assert len(seen.log_p) >= 80
    assert _agrees(seen, scene)


@pytest.fixture(scope="module")
def wooden():
    """Return a table whose squares have grain alone, its scene, and the photo."""
    bare = replace(
        overhead(sequence_board((50, 50)), 10, (1296, 972)),
        board_style=BoardStyle(ink=Ink(arrangement="none"), wood=0.7, markers=False),
    )
    scene = replace(bare, pieces=pieces(POSITION), seed=3)
    return calibrated(bare, KINDS), scene, draw(scene)


def _put_back(scene, photo, order):
    """Return a photo in which the board lies where it lay, but other corners where."""
    corners = scene.corners().astype(np.float32)
    height, width = photo.shape[:2]
    turn = cv2.getPerspectiveTransform(corners, corners[list(order)])
    turned = cv2.warpPerspective(photo, turn, (width, height))
    middle = corners.mean(axis=0)
    board = np.zeros((height, width), np.uint8)
    outline = (middle + 1.1 * (corners - middle)).astype(np.int32)
    cv2.fillConvexPoly(board, outline, 1)
    return np.where(board[..., None] > 0, turned, photo)


@pytest.mark.parametrize("order", [(1, 2, 3, 0), (2, 3, 0, 1)], ids=["90", "180"])
def test_a_wooden_board_that_was_turned_about_is_found(wooden, order):
    """All lines lie on lines again; the grain alone knows which way round it lies."""
    made, scene, photo = wooden

    seen = made.reader().read(Frame(_put_back(scene, photo, order)))

    assert seen.moved
    assert len(seen.log_p) >= 95
    assert _agrees(seen, scene)


def test_a_wooden_board_that_is_mirrored_is_not_read(wooden):
    """No pose explains it, however well all lines lie."""
    made, scene, photo = wooden

    assert not made.reader().read(Frame(_put_back(scene, photo, (1, 0, 3, 2)))).log_p


def test_another_board_with_the_same_print_is_told(table):
    """Its lines and cards are where they should be, but no square is as it was."""
    made, scene = table
    colours = ("#b03030", "#3050a0")
    papers = tuple(colours[(row + column) % 2] for row, column in np.ndindex(10, 10))
    style = replace(scene.board_style, papers=papers)

    seen = made.reader().read(Frame(draw(replace(scene, board_style=style))))

    assert len(seen.hidden) > 50
    assert seen.note.startswith("Little of this board is to be made out")


def test_a_hand_on_the_edge_of_a_board_without_print_does_not_move_it(unprinted):
    """What is not to be seen of the edge is seen nowhere else."""
    made, scene = unprinted
    hand = Hand((450.0, 250.0), heading=0.0)
    reader = made.reader()

    seen = reader.read(Frame(draw(replace(scene, hands=(hand,)))))

    assert not seen.moved
    assert not seen.note
    assert 5 <= len(seen.hidden) <= 45
    assert _agrees(seen, scene)


def test_markers_on_the_table_do_not_hide_that_the_board_moved():
    """They say that nothing moved, but squares show the print of those beside them."""
    bare = replace(
        overhead(sequence_board((50, 50)), 0, (1296, 972)),
        board_style=BoardStyle(markers=True),
    )
    scene = replace(bare, pieces=pieces(POSITION), seed=3)
    made, photo = calibrated(bare, KINDS), draw(scene)
    (left, top), _, (right, bottom), _ = bare.corners().round().astype(int)
    grid = photo[top:bottom, left:right]
    photo[top:bottom, left:right] = np.roll(grid, (right - left) // 10, axis=1)

    seen = made.reader().read(Frame(photo))

    assert not seen.log_p
    assert "put it back" in seen.note


def test_a_board_of_which_two_markers_are_seen_is_found_by_its_print():
    """Eight corners beside each other do not say where the other side lies."""
    bare = replace(
        overhead(sequence_board((50, 50)), 15, (1296, 972)),
        board_style=BoardStyle(markers=True),
    )
    made = calibrated(bare, KINDS)
    scene = replace(bare, pieces=pieces(POSITION), sensor=Sensor(noise=4.0, blur=1.0))
    turn = cv2.getRotationMatrix2D((648, 486), 20, 0.65)
    far = cv2.warpAffine(draw(scene), turn, (1296, 972), borderValue=(60, 70, 80))
    photo = np.asarray(far, np.uint8)
    assert len(find_markers(photo, "apriltag-36h11")) == 2

    seen = made.reader().read(Frame(photo))

    assert seen.moved
    assert {cell: seen.likely(cell) for cell in scene.board.cells} == scene.looks()


def test_a_board_is_followed_by_less_than_a_pixel(table):
    """Less than a hundredth of a cell off, pieces are not where they are looked for."""
    made, scene = table
    shift = np.float32(((1, 0, 0.5), (0, 1, 0)))
    moved = cv2.warpAffine(draw(scene), shift, (1296, 972), flags=cv2.INTER_CUBIC)
    reader = made.reader()
    corners = np.array(((0, 0), scene.board.size_mm))
    before = reader.pose.to_image(corners)

    seen = reader.read(Frame(np.asarray(moved, np.uint8)))

    assert not seen.moved
    followed = reader.pose.to_image(corners) - before
    np.testing.assert_allclose(followed.mean(axis=0), (0.5, 0), atol=0.25)


def _noise():
    noise = np.random.default_rng(1).integers(0, 255, (30, 40, 3), np.uint8)
    return cv2.resize(noise, (1296, 972), interpolation=cv2.INTER_CUBIC)


@pytest.mark.parametrize(
    "spoil",
    [lambda photo: _noise(), np.zeros_like, np.fliplr, np.flipud],
    ids=["elsewhere", "lens cap", "mirrored", "upside down"],
)
def test_a_board_out_of_sight_is_said_to_be_lost(table, spoil):
    """A photo of something else gives no position, and a sentence what to do."""
    made, scene = table

    seen = made.reader().read(Frame(np.ascontiguousarray(spoil(draw(scene)))))

    assert not seen.log_p
    assert seen.hidden == frozenset(scene.board.cells)
    assert "calibrate the table again" in seen.note


def test_a_board_that_lies_aside_fits_worse_than_one_that_is_hardly_seen():
    """Where pieces hide all print, what they look like instead is chance."""
    hardly = Fit(shift=0.0, strange=0.0, alike=-0.3, aside=False)
    aside = replace(hardly, alike=0.4, aside=True)

    assert hardly.badness < aside.badness


def test_a_place_where_lines_fit_but_no_print_shows_is_not_the_board(monkeypatch):
    """On a full board that lies upside down, lines lie on lines and pieces on cells."""
    board = sequence_board((50, 50))
    plain = BoardStyle(markers=False)
    bare = replace(overhead(board, 0, (1296, 972)), board_style=plain)
    reader = calibrated(bare, KINDS).reader()
    full = replace(
        bare,
        view=replace(bare.view, azimuth=20),
        pieces={cell: Piece(Look("red")) for cell in board.cells},
    )
    turned = np.roll(full.corners(), 2, axis=0)
    wrong = BoardPose.from_corners(turned, board.size_mm, reader.pose.lens)
    monkeypatch.setattr(Finder, "find", lambda *_: iter([(wrong, False)]))

    seen = reader.read(Frame(draw(full)))

    assert not seen.log_p
    assert "was not found again" in seen.note


def test_a_full_board_is_read_although_its_print_is_not_to_be_seen(table):
    """Pieces all over the board hide it, but are what is to be read."""
    made, scene = table
    board = scene.board
    lying = {
        cell: Piece(Look("red" if number % 3 else "white"))
        for number, cell in enumerate(board.cells)
        if number % 20
    }
    full = replace(scene, pieces=lying)

    seen = made.reader().read(Frame(draw(full)))

    assert {cell: seen.likely(cell) for cell in board.cells} == full.looks()
