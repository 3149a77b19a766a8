"""Pictures of scenes are geometrically and photometrically what they claim to be."""

import math
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.rules.board import TURNED, Cell, Look, SquareBoard
from tests.scenes import LOOKS, overhead, pieces, sequence_board
from vision.scene import (
    Bars,
    BoardStyle,
    Card,
    Glare,
    Hand,
    Light,
    Piece,
    PieceStyle,
    Sensor,
    SunPatch,
    View,
    Window,
    covered,
    draw,
)
from vision.scene.draw import draw_light
from vision.scene.pieces import Back
from vision.scene.print import MARKS
from vision.scene.random_tables import random_table, strange_table

BOARD = sequence_board()
CLEAN = Sensor(noise=0, blur=0, vignette=0, quality=0)


def patch(picture, scene, point, height=0.0, reach=2):
    x, y = scene.view.project([(*point, height)])[0].round().astype(int)
    return picture[y - reach : y + reach + 1, x - reach : x + reach + 1].reshape(-1, 3)


@pytest.mark.parametrize("k1", [0.0, -0.2, 0.08])
@pytest.mark.parametrize("tilt", [0, 30, 55])
def test_ground_undoes_project(k1, tilt):
    """A pixel shows the point of the board that is projected to it."""
    view = View((250, 195), 900, tilt=tilt, azimuth=20, roll=7, k1=k1)
    points = np.random.default_rng(1).uniform((0, 0), (500, 390), (50, 2))

    seen = view.project(np.column_stack((points, np.zeros(50))))

    assert np.abs(view.ground(seen) - points).max() < 0.5


def test_what_is_far_aside_stays_out_of_the_picture():
    """A barrel lens does not fold far points back into the middle."""
    view = View((250, 195), 500, tilt=55, hfov=80, k1=-0.2)

    seen = view.project([(x, 195, 0) for x in range(600, 4000, 100)])

    assert np.all(np.diff(seen[:, 0]) > 0)


def test_raised_points_move_away_from_the_camera():
    """A point above the board appears farther from the camera than its foot."""
    view = View((250, 195), 900, tilt=40)

    foot, head = view.project([(250, 195, 0), (250, 195, 30)])

    assert head[1] < foot[1] - 5
    assert abs(head[0] - foot[0]) < 0.01


@pytest.mark.parametrize(("tilt", "k1"), [(0, 0.0), (35, -0.15)])
def test_markers_are_found_where_they_were_stuck(tilt, k1):
    """OpenCV finds the four tags, each where the camera model puts it."""
    scene = overhead(BOARD, tilt, (1296, 972))
    scene = replace(scene, view=replace(scene.view, k1=k1))
    margin = scene.board_style.margin_mm(BOARD) / 2
    width, height = BOARD.size_mm
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)

    found, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(draw(scene))

    where = {
        int(number): np.reshape(corners, (-1, 2)).mean(0)
        for number, corners in zip(np.reshape(ids, -1), found, strict=True)
    }
    expected = scene.view.project(
        [
            (-margin, -margin, 0),
            (width + margin, -margin, 0),
            (width + margin, height + margin, 0),
            (-margin, height + margin, 0),
        ]
    )
    assert sorted(where) == [0, 1, 2, 3]
    for number, point in enumerate(expected):
        assert np.linalg.norm(where[number] - point) < 1.5


def test_same_scene_same_picture():
    """A scene gives the same pixels again; another seed only other noise."""
    scene = replace(overhead(BOARD), pieces=pieces("....r"), seed=5)

    first, again = draw(scene), draw(replace(scene))
    other = draw(replace(scene, seed=6))

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.abs(first.astype(int) - other).mean() < 6


@pytest.mark.parametrize("tilt", [0, 45])
def test_a_chip_has_its_colour_where_it_lies(tilt):
    """A red chip's face is red, a blue one's blue, and its square is covered."""
    scene = replace(overhead(BOARD, tilt), pieces=pieces("/..r...b"), sensor=CLEAN)
    height = scene.piece_style.height

    picture = draw(scene)

    red = np.median(patch(picture, scene, scene.place(Cell("c2")), height), 0)
    blue = np.median(patch(picture, scene, scene.place(Cell("g2")), height), 0)
    assert red[2] > 2 * max(red[0], red[1])
    assert blue[0] > 1.5 * max(blue[1], blue[2])


def test_turned_chip_shows_its_label():
    """A chip that lies turned over shows paper where its colour was."""
    scene = replace(overhead(BOARD), pieces=pieces("../..R"), sensor=CLEAN)
    x, y = scene.place(Cell("c2"))

    picture = draw(scene)

    face = patch(picture, scene, (x, y + 4), scene.piece_style.height)
    assert face.min() > 90


@pytest.mark.parametrize(("reach", "seen"), [(0.5, "prr"), (0.8, "ppr"), (1.0, "ppp")])
def test_the_print_on_a_back_reaches_as_far_as_it_is_said_to(reach, seen):
    """Paper lies in the middle of a red chip's back, and red around it."""
    bare = overhead(BOARD, 0, (1296, 972))
    plain = Back("#e8e6e0", "#000000", reach, (), matt=True)
    style = replace(bare.piece_style, back=plain, ridges=0, gloss=0)
    scene = replace(bare, pieces=pieces("../..R"), piece_style=style, sensor=CLEAN)

    picture = draw(scene)

    found = ""
    for part in (0.3, 0.65, 0.9):
        x, y = scene.place(Cell("c2"))
        x += part * style.radius * 39
        blue, _, red = patch(picture, scene, (x, y), style.height, 0)[0].tolist()
        found += "r" if red > 2 * blue else "p"
    assert found == seen


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_on_a_back_is_drawn_on_the_teams_colour(mark):
    """White in the middle of a red chip's back, red beside it, however it is turned."""
    bare = overhead(BOARD, 0, (1296, 972))
    back = Back("", "#e8e6e0", 0.9, (), matt=True, mark=mark)
    style = replace(bare.piece_style, back=back, ridges=0, gloss=0)
    turned = {Cell("c2"): Piece(LOOKS["R"], rotation=30)}
    scene = replace(bare, pieces=turned, piece_style=style, sensor=CLEAN)
    x, y = scene.place(Cell("c2"))
    turns = np.radians(np.arange(0, 360, 15))
    beside = 0.85 * style.radius * 39 * np.stack((np.cos(turns), np.sin(turns)), axis=1)

    picture = draw(scene)

    blue, _, red = patch(picture, scene, (x, y), style.height, 0)[0].tolist()
    assert blue > 0.8 * red
    for dx, dy in beside:
        blue, _, red = patch(picture, scene, (x + dx, y + dy), style.height, 0)[0]
        assert red > 2.0 * blue


@pytest.mark.parametrize("slope", [-0.1, 0.08])
def test_a_polished_chip_mirrors_the_lamp_where_its_face_leans_to_it(slope):
    """The lamp's image is where the face stands half-way between lamp and camera."""
    at = Cell("e5")
    bare = overhead(BOARD, 0, (1296, 972))
    x, y = bare.middle(at)
    height = bare.piece_style.height
    # Far above the chip, so that what the camera sees of it is seen from above.
    view = replace(bare.view, target=(x, y))
    lean = float(np.tan(2 * np.arctan(slope)))
    style = replace(bare.piece_style, ridges=0.0, dome=0.2, gloss=1.0)
    scene = replace(
        bare,
        view=view,
        pieces={at: Piece(Look("blue"))},
        piece_style=style,
        light=Light(towards=(lean, 0.0, 1.0)),
        sensor=CLEAN,
    )
    matt = replace(scene, piece_style=replace(style, gloss=0.0))

    image = draw(scene).astype(int).sum(2) - draw(matt).astype(int).sum(2)

    brightest = np.argwhere(image > 0.9 * image.max()).mean(0)[::-1]
    radius = style.radius * min(scene.board.cell_mm)
    # The face bends what the camera's distance has not bent yet.
    turns = style.dome / radius + 0.5 / view.distance
    expected = view.project([(x + slope / turns, y, height)])[0]
    assert np.linalg.norm(brightest - expected) < 1.5
    assert image.max() > 300


def test_pegs_have_heads_from_balls_to_discs():
    """By a lamp from the side a ball is bright on one side; a disc's top is even."""
    bare = overhead(BOARD, 0, (1296, 972))
    peg = PieceStyle(shape="peg", radius=0.2, height=20.0, gloss=0)
    scene = replace(
        bare,
        pieces=pieces("////....r"),
        light=Light(towards=(-1, 0, 0.8)),
        sensor=CLEAN,
    )
    x, y = scene.place(Cell("e5"))

    def across(style):
        picture = draw(replace(scene, piece_style=style)).astype(int).sum(2)
        reach = 0.5 * style.radius * 39
        ends = [(x + part * reach, y) for part in (-1, 0, 1)]
        return [patch(picture[..., None], scene, at, 19, 1).mean() for at in ends]

    ball, low = across(peg), across(replace(peg, head=0.3))
    disc = across(replace(peg, head=0.3, blunt=8.0))
    assert np.ptp(ball) > 1.3 * np.ptp(low) > 2 * np.ptp(disc)
    assert ball[0] > 1.1 * ball[1] > 1.2 * ball[2]
    assert np.ptp(disc) < 6


def test_a_peg_stands_on_a_stem_of_its_width():
    """Seen from the side, as much as the stem is wide of what is below the head."""
    bare = overhead(BOARD, 55, (1296, 972))
    scene = replace(bare, pieces=pieces("////....r"), sensor=CLEAN)
    x, y = scene.place(Cell("e5"))
    row, column = scene.view.project([(x, y, 2)])[0].round().astype(int)[::-1]

    def width(stem):
        style = PieceStyle(shape="peg", radius=0.25, height=22.0, stem=stem)
        picture = draw(replace(scene, piece_style=style)).astype(int)
        blue, _, red = picture[row, column - 30 : column + 31].T
        return int((red > 2 * blue).sum())

    assert 1.4 < width(0.8) / width(0.5) < 1.7


def test_squares_have_holes_for_pegs():
    """Their middles are dark as far as the hole goes, and not beyond."""
    blank = SquareBoard.of((" ".join(["2S"] * 10),) * 10, (50.0, 39.0))
    bare = overhead(blank, 0, (1296, 972))
    ink = replace(bare.board_style.ink, arrangement="none")
    plain = replace(bare, board_style=BoardStyle(ink=ink), sensor=CLEAN)
    drilled = replace(plain, board_style=BoardStyle(ink=ink, hole=0.12))

    pictures = [draw(scene).astype(int) for scene in (plain, drilled)]

    at, reach = plain.middle(Cell("d6")), 0.12 * 39
    for part, dark in ((0, True), (0.7, True), (1.4, False)):
        here = at[0] + part * reach, at[1]
        whole, hole = (patch(seen, plain, here, 0, 0).mean() for seen in pictures)
        assert (hole < 0.3 * whole) == dark


def test_shadow_falls_away_from_the_lamp():
    """With the lamp on the left the board is darker to the right of a chip."""
    scene = replace(
        overhead(BOARD, 0, (1296, 972)),
        pieces=pieces("////....r"),
        light=Light(towards=(-1, 0, 0.8), softness=0.2),
        sensor=CLEAN,
    )
    bare = draw(replace(scene, pieces={})).astype(int)
    x, y = scene.place(Cell("e5"))
    away = scene.piece_style.radius * 39 + 3

    darker = bare - draw(scene)

    right = patch(darker, scene, (x + away, y), 0).mean()
    left = patch(darker, scene, (x - away, y), 0).mean()
    assert right > 20
    assert left < right / 3


def test_glare_burns_out():
    """A mirrored flash leaves nothing of the print in its middle."""
    middle = (250.0, 195.0)
    scene = replace(
        overhead(BOARD), light=Light(glare=(Glare(middle, 40, 4.0),)), sensor=CLEAN
    )

    picture = draw(scene)

    assert patch(picture, scene, middle).min() == 255
    assert patch(picture, scene, (40, 350)).min() < 255


@pytest.mark.parametrize("gloss", [0.0, 1.0])
def test_a_window_is_mirrored_where_the_eye_meets_it(gloss):
    """A polished face shows as much of it as its angle makes it, a matt one a veil."""
    style = PieceStyle(ridges=0.0, gloss=gloss)
    scene = replace(
        overhead(BOARD, 50),
        pieces=pieces("/.b......./////.......b"),
        piece_style=style,
        board_style=BoardStyle(gloss=gloss),
    )
    near, far = ((*scene.middle(Cell(cell)), style.height) for cell in ("b2", "h7"))
    x, y, z = scene.view.eye - near
    window = Window((-x, -y, z), (0.13, 0.13), 10.0, tint=(0.5, 1.0, 2.0))
    mirroring = replace(scene, light=Light(windows=(window,)))

    added = draw_light(mirroring) - draw_light(scene)

    cosine = z / np.linalg.norm((x, y, z))
    most = 10 * (0.04 + 0.96 * (1 - cosine) ** 5)
    there, elsewhere, beside = (
        patch(added, scene, (x, y), height, 1).mean(axis=0)
        for x, y, height in (near, far, (near[0] + 25, near[1], 0.0))
    )
    np.testing.assert_allclose(beside, there, rtol=0.15)
    if gloss:
        np.testing.assert_allclose(there, most * np.array((2.0, 1.0, 0.5)), rtol=0.05)
        assert elsewhere[1] < 0.01 * most
    else:
        assert 0.01 * most < there[1] < 0.1 * most


def test_daylight_is_bluer_than_the_lamp():
    """What sun and mirrors add has their own tint, on board and chips; no key, none."""
    tint, middle = (0.5, 1.0, 2.0), (225.0, 176.0)
    lamp = Light(key=(0.2, 0.2, 0.2), ambient=(0.1, 0.1, 0.1))
    sun = replace(lamp, sun=(SunPatch(middle, (200, 200), 0, 1.5, tint=tint),))
    mirror = replace(lamp, glare=(Glare(middle, 60, 1.5, tint=tint),))
    scene = replace(overhead(BOARD), pieces=pieces("////....w"), sensor=CLEAN)

    def light(lit, point):
        found = patch(draw_light(replace(scene, light=lit)), scene, point)
        return found.mean(axis=0)

    for lit, points in ((sun, (middle, (205.0, 158.0))), (mirror, (middle,))):
        for point in points:
            more, less = light(lit, point), light(lamp, point)
            ratio = (more - less) / (less if lit is sun else 1)
            np.testing.assert_allclose(ratio / ratio[1], tint[::-1], rtol=0.02)


@pytest.mark.parametrize("along", [0, 90])
def test_bars_leave_stripes(along):
    """They take away the lamp's light, and nothing that comes from everywhere."""
    lamp = Light(key=(0.4, 0.4, 0.4), ambient=(0.2, 0.2, 0.2))
    bars = (Bars((225.0, 176.0), along, 80, 20, 0.75, 4),)
    scene = replace(overhead(BOARD), sensor=CLEAN)

    def light(lit, off):
        point = (225.0 + off, 176.0) if along == 0 else (225.0, 176.0 + off)
        found = draw_light(replace(scene, light=lit))
        return float(patch(found, scene, point).mean())

    def share(off):
        return light(replace(lamp, bars=bars), off) / light(lamp, off)

    shade = (0.2 + 0.4 * 0.25) / (0.2 + 0.4)
    found = [share(off) for off in (-80, -40, -5, 0, 5, 40, 80)]
    expected = [shade, 1, shade, shade, shade, 1, shade]
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_lit_square_glows():
    """A green LED under a square brightens that square's green, and no far one's."""
    scene = replace(overhead(BOARD), sensor=CLEAN)
    dark = draw(scene).astype(int)

    lit = draw(replace(scene, leds={Cell("c3"): (0, 0.5, 0)})) - dark

    near = patch(lit, scene, scene.middle(Cell("c3"))).mean(0)
    far = patch(lit, scene, scene.middle(Cell("h8"))).mean(0)
    assert near[1] > 8
    assert near[1] > near[2]
    assert np.abs(far).max() == 0


def test_a_hand_covers_what_lies_under_it():
    """Squares below fingers and arm are covered, those beside the hand are not."""
    scene = replace(overhead(BOARD), hands=(Hand((225, 100), heading=90),))

    hidden = covered(scene)

    assert hidden[Cell("e5")] > 0.9
    assert hidden[Cell("e8")] > 0.9
    assert hidden[Cell("a5")] == hidden[Cell("i2")] == 0


def test_a_hand_is_seen_where_it_is_said_to_cover():
    """Hands change the picture of covered squares, and of far squares not at all."""
    bare = replace(overhead(BOARD), sensor=CLEAN, light=Light(softness=0.2))
    scene = replace(bare, hands=(Hand((225, 100), heading=90),))

    changed = np.abs(draw(scene).astype(int) - draw(bare))

    for cell, share in covered(scene).items():
        seen = patch(changed, scene, scene.middle(cell), reach=8).mean()
        assert share < 1 or seen > 25
    assert patch(changed, scene, scene.middle(Cell("j1")), reach=8).max() < 12


def test_a_card_on_the_board_covers_squares():
    """A playing card that lies on the board hides the squares below it."""
    card = Card("7H", (225, 175), 90)
    scene = replace(overhead(BOARD), cards=(card,), sensor=CLEAN)

    assert covered(scene)[Cell("e5")] == 1
    assert covered(scene)[Cell("e8")] == 0
    assert patch(draw(scene), scene, (240, 190)).min() > 120


def test_an_arm_that_passes_the_camera_covers_only_its_own_side():
    """Seen from where the arm comes from, the squares beyond the fingers stay free."""
    scene = overhead(BOARD)
    view = replace(scene.view, tilt=50, azimuth=5).fitted(BOARD)
    scene = replace(scene, view=view, hands=(Hand((250, 200), heading=90),))

    hidden = covered(scene)

    assert hidden[Cell("f8")] > 0.5
    assert max(hidden[Cell(f"{column}1")] for column in "abcdefghij") == 0


def test_chips_of_random_positions_lie_as_in_games():
    """Teams have about as many; most lie colour up, and often all of them do."""
    table = next(made for made in map(random_table, range(9)) if len(made.looks) == 4)
    rng = np.random.default_rng(8)

    played = [Counter(table.in_play(rng).looks().values()) for _ in range(150)]

    backs = [look for look in table.looks if look.endswith(TURNED)]
    shares = [
        sum(counts[look] for look in backs)
        / max(1, sum(counts[look] for look in table.looks))
        for counts in played
    ]
    assert 0.4 < np.mean(np.array(shares) == 0) < 0.65
    assert 0.1 < np.mean(shares) < 0.2
    one, other = (
        sum(counts[look] for counts in played)
        for look in table.looks
        if look not in backs
    )
    assert 0.8 < one / other < 1.25


def test_squares_have_their_own_papers():
    """A chequered board without print is red where its first square is, else blue."""
    bare = overhead(BOARD)
    papers = tuple(
        "#c02020" if (row + column) % 2 == 0 else "#2020c0"
        for row in range(BOARD.rows)
        for column in range(BOARD.columns)
    )
    ink = replace(bare.board_style.ink, arrangement="none")
    style = replace(bare.board_style, papers=papers, ink=ink)
    scene = replace(bare, board_style=style, sensor=CLEAN)

    picture = draw(scene)

    for cell, paper in zip(BOARD.cells, papers, strict=True):
        if BOARD.label(cell):
            blue, _, red = patch(picture, scene, scene.middle(cell), reach=8).mean(0)
            assert (red > 3 * blue) == (paper == "#c02020")


def test_a_picture_lies_over_the_whole_print():
    """It changes squares and margin alike, and the same board has the same picture."""
    bare = replace(overhead(BOARD), sensor=CLEAN)
    made = replace(bare.board_style, picture=0.5)
    scene = replace(bare, board_style=made)

    picture, plain = draw(scene), draw(bare)
    other = draw(replace(scene, board_style=replace(made, seed=9)))

    changed = np.abs(picture.astype(int) - plain)
    on_board = [patch(changed, scene, scene.middle(cell)).max() for cell in BOARD.cells]
    assert np.mean(np.array(on_board) > 10) > 0.9
    assert patch(changed, scene, (-8, 195)).max() > 10
    assert patch(changed, scene, (-60, 195)).max() == 0
    assert (np.abs(other.astype(int) - picture).max(2) > 10).mean() > 0.2


def test_faces_have_spots_and_an_emblem_and_backs_have_none():
    """White is seen at a red chip's edge and middle, and red between."""
    bare = overhead(BOARD, 0, (1296, 972))
    style = replace(bare.piece_style, spots=6, emblem="D", second="#ffffff", gloss=0)
    scene = replace(bare, pieces=pieces("/..r.R"), piece_style=style, sensor=CLEAN)
    plain = replace(scene, piece_style=replace(style, spots=0, emblem=""))
    height, radius = style.height, style.radius * 39

    picture = draw(scene)

    def red(cell, part):
        x, y = scene.place(Cell(cell))
        seen = patch(picture, scene, (x + part * radius, y), height, 0)[0]
        blue, _, red = seen.tolist()
        return red > 2 * blue

    assert [red("c2", part) for part in (0, 0.5, 0.86)] == [False, True, False]
    changed = np.abs(picture.astype(int) - draw(plain))
    assert patch(changed, scene, scene.place(Cell("e2")), height, 12).max() == 0


@pytest.mark.parametrize("make", [random_table, strange_table])
def test_backs_are_printed_in_many_ways_and_told_from_faces(make):
    """With words, rings or neither; a back that is all paper is no team's colour."""
    styles = [make(number).bare.piece_style for number in range(90)]

    marks = Counter((bool(style.back.word), len(style.back.rings)) for style in styles)
    assert min(marks[mark] for mark in [(False, 0), (False, 1), (True, 0)]) >= 3
    reaches = [style.back.reach for style in styles]
    assert reaches.count(1.0) > 6
    assert min(reaches) < 0.6
    full = [style for style in styles if style.back.reach == 1]
    assert all(style.back.paper not in style.colours.values() for style in full)


def test_strange_boards_differ_and_their_pieces_do_not_change_sides():
    """No two boards have one print; looks and the photo's geometry stay the table's."""
    made = [(random_table(number), strange_table(number)) for number in range(40)]

    styles = [strange.bare.board_style for _, strange in made]
    assert len({(style.ground, style.ink.paper) for style in styles}) == len(made)
    assert {len(set(style.papers)) for style in styles} >= {1, 2, 3}
    assert {style.ink.arrangement for style in styles} >= {"none", "badge", "corner"}
    pieces = [strange.bare.piece_style for _, strange in made]
    backs = [style.back for style in pieces]
    assert {back.mark for back in backs} > {"", "bar", "cross", "star"}
    assert 0 < sum(back.paper == "" for back in backs) < len(made) / 2
    assert not any(style.emblem == style.back.mark != "" for style in pieces)
    for plain, strange in made:
        assert plain.bare.piece_style.back.mark == ""
        assert strange.looks == plain.looks
        assert np.array_equal(strange.bare.corners(), plain.bare.corners())


def test_pieces_have_any_height_and_pegs_are_seen_near_their_squares():
    """Pegs are low or taller than most of a square is wide; some chips are thick."""
    tables = [random_table(number).bare for number in range(120)]
    pegs = [bare for bare in tables if bare.piece_style.shape == "peg"]
    chips = [bare.piece_style.height for bare in tables if bare not in pegs]

    heights = [bare.piece_style.height for bare in pegs]
    assert min(heights) < 15
    assert max(heights) > 32
    for bare, height in zip(pegs, heights, strict=True):
        leaning = height * math.tan(math.radians(bare.view.tilt))
        assert height == 12 or leaning <= 0.75 * min(bare.board.cell_mm) + 1e-9
    assert 0.1 < sum(height > 6 for height in chips) / len(chips) < 0.5
    assert max(chips) > 10


def test_some_boards_are_calibrated_below_a_lamp():
    """It is mirrored in the empty board's photo, but burns little of it out."""
    lights = [random_table(number).bare.light for number in range(120)]

    strengths = [glare.strength for light in lights for glare in light.glare]
    assert 15 < len(strengths) < 45
    assert max(strengths) <= 0.8
