"""Mirrored light is told from bright light, and is taken off."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.scenes import overhead, pieces, rectifier_of, sequence_board
from vision.empty_board import EmptyBoard
from vision.frame import grey_of
from vision.rectify import CELL
from vision.scene import Edge, Glare, Light, SunPatch, Window, draw
from vision.srgb import LINEAR
from vision.veil import Veils, mirrored, without

POSITION = "..r.w.r..w/.wr..w..w./r..w...r../.w.w.r..r./....w.wr./r.r.r..w/r../..w.r.r"
PLAIN = Light(key=(0.4, 0.39, 0.36), ambient=(0.2, 0.21, 0.23))
MIRRORED = replace(PLAIN, glare=(Glare((250.0, 195.0), 40, 0.7),))
STRONG = replace(PLAIN, glare=(Glare((250.0, 195.0), 40, 1.5),))
WIDE = replace(PLAIN, glare=(Glare((250.0, 195.0), 60, 0.8),))
NARROW = replace(PLAIN, glare=(Glare((250.0, 195.0), 26, 1.5),))


@pytest.fixture(scope="module")
def bare():
    return replace(overhead(sequence_board(), 20, (1296, 972)), light=PLAIN)


@pytest.fixture(scope="module")
def flat(bare):
    """Draws a scene, rectified."""
    rectify = rectifier_of(bare)
    return lambda scene: rectify(draw(scene))


def veil_on(photo, empty):
    return Veils(empty).on(photo, grey_of(photo)).added


def mirrored_on(photo, empty):
    grey = grey_of(photo)
    return mirrored(Veils(empty).on(photo, grey), grey)


def linear(picture):
    return LINEAR[picture]


def blocks(picture, like):
    return cv2.resize(picture, like.shape[1::-1], interpolation=cv2.INTER_AREA)


def test_a_veil_is_as_bright_as_it_is(bare, flat):
    """Within a fifth in the middle, also where pieces lie, and nothing far away."""
    played = replace(bare, pieces=pieces(POSITION), seed=4)
    photo, clear = flat(replace(played, light=MIRRORED)), flat(played)

    veil = veil_on(photo, flat(bare))

    true = blocks(linear(photo) - linear(clear), veil)
    bright = true.mean(axis=-1) > 0.1
    assert bright.sum() > 20
    np.testing.assert_allclose(veil[bright].mean(), true[bright].mean(), rtol=0.2)
    assert np.abs(veil - true)[true.mean(axis=-1) < 0.002].mean() < 0.003


def test_a_veil_in_a_dim_room_is_seen_as_well(bare, flat):
    """It hides as much there as a brighter one does by day."""
    dim = replace(MIRRORED, key=(0.08, 0.08, 0.07), ambient=(0.04, 0.04, 0.05))
    photo, clear = (
        flat(replace(bare, light=light)) for light in (dim, replace(dim, glare=()))
    )

    veil = veil_on(photo, flat(bare))

    true = blocks(linear(photo) - linear(clear), veil)
    bright = true.mean(axis=-1) > 0.01
    assert bright.sum() > 20
    np.testing.assert_allclose(veil[bright].mean(), true[bright].mean(), rtol=0.2)


def test_a_veil_has_the_colour_of_what_is_mirrored(bare, flat):
    """A warm lamp's is not taken for white: blue would turn black below it."""
    warm = replace(MIRRORED, key=(0.5, 0.36, 0.2), ambient=(0.2, 0.15, 0.1))
    photo = flat(replace(bare, light=warm))

    veil = veil_on(photo, flat(bare)).max(axis=(0, 1))

    np.testing.assert_allclose(veil[0] / veil[2], 0.2 / 0.5, rtol=0.25)


def test_a_narrow_veil_is_seen_in_its_middle(bare, flat):
    """A white flash by an old lamp differs within a block by more than the print."""
    lamp = Light(key=(0.16, 0.1, 0.05), ambient=(0.06, 0.04, 0.02))
    flash = Glare((250.0, 195.0), 25, 4.0, tint=(0.62, 1.0, 2.0))
    played = replace(bare, pieces=pieces(POSITION), seed=4, light=lamp)
    clear = flat(played)
    photo = flat(replace(played, light=replace(lamp, glare=(flash,))))

    veil = veil_on(photo, flat(replace(bare, light=lamp)))

    true = blocks(linear(photo) - linear(clear), veil)
    middle = true.mean(axis=-1) > 0.7 * true.mean(axis=-1).max()
    assert middle.sum() >= 4
    assert np.abs(veil - true)[middle].mean() < 0.1 * true[middle].mean()


@pytest.mark.parametrize(
    "light",
    [
        replace(PLAIN, key=(0.6, 0.59, 0.55), ambient=(0.3, 0.31, 0.33)),
        replace(PLAIN, edges=(Edge((250, 195), 30, 0.6, 10),)),
        replace(PLAIN, sun=(SunPatch((250, 195), (200, 150), strength=0.5),)),
        replace(
            PLAIN,
            key=(0.12, 0.12, 0.11),
            sun=(SunPatch((250, 195), (200, 150), 20, 3.5, 2.0),),
        ),
        replace(PLAIN, key=(2.4, 2.3, 2.2)),
    ],
    ids=["brighter", "shadow", "sun", "hard sun", "burnt out"],
)
def test_bright_light_is_no_veil(bare, flat, light):
    """It makes the print's contrast stronger, or burns it out."""
    photo = flat(replace(bare, light=light, pieces=pieces(POSITION)))

    assert veil_on(photo, flat(bare)) is None


def test_neither_blur_nor_night_is_a_veil(bare, flat):
    """All of the print is weaker then."""
    photo = flat(replace(bare, pieces=pieces(POSITION)))
    night = np.random.default_rng(1).normal(0.1 * photo, 4).clip(0, 255)

    blurred = cv2.GaussianBlur(photo, (0, 0), 2.5)
    for dull in (blurred, night.astype(np.uint8)):
        assert veil_on(dull, flat(bare)) is None


def test_a_window_lies_over_many_squares_and_a_lamp_over_few(bare, flat):
    """Where the window is mirrored and only there; what it covers is up to its size."""
    middle = np.array((*bare.board.size_mm, 0.0)) / 2
    x, y, z = bare.view.eye - middle
    window = Window((-x, -y, z), (0.2, 0.2), 12.0)
    empty = flat(bare)
    by_window = flat(replace(bare, light=replace(PLAIN, windows=(window,)), seed=4))
    by_lamp = flat(replace(bare, light=MIRRORED, seed=4))

    squares, few = (mirrored_on(photo, empty) for photo in (by_window, by_lamp))

    assert squares.shape == (10, 10)
    assert squares[3:7, 3:7].all()
    assert not squares[[0, 0, -1, -1], [0, -1, 0, -1]].any()
    assert not few.any()


@pytest.fixture(scope="module")
def sky(bare):
    """Light with a window that is mirrored in the whole board."""
    x, y, z = bare.view.eye - np.array((*bare.board.size_mm, 0.0)) / 2
    return replace(PLAIN, windows=(Window((-x, -y, z), (0.5, 0.5), 8.0),))


def test_what_lies_over_the_whole_board_takes_its_contrast(bare, flat, sky):
    """No place shows the veil alone; blur, dim light and dark tones take some, too."""
    empty = flat(bare)
    played = replace(bare, pieces=pieces(POSITION), seed=4)
    clear = flat(played)
    dim = np.random.default_rng(1).normal(0.3 * clear, 2).clip(0, 255).astype(np.uint8)
    photos = (
        flat(replace(played, light=sky)),
        cv2.GaussianBlur(clear, (0, 0), 1.2),
        dim,
        cv2.convertScaleAbs(clear, alpha=0.15),
    )

    parts = [mirrored_on(photo, empty).mean() for photo in photos]

    assert parts == [1, 0, 0, 0]


@pytest.mark.parametrize("everywhere", [False, True], ids=["lamp", "sky"])
def test_a_photo_is_seen_without_most_of_its_veil(bare, flat, sky, everywhere):
    """What lies below looks more as it would, and nowhere darker."""
    played = replace(bare, pieces=pieces(POSITION), seed=4)
    clear = flat(played)
    photo = flat(replace(played, light=sky if everywhere else MIRRORED))
    board = EmptyBoard(flat(bare), 10, 10)

    sight = board.under(photo)

    seen = linear(sight.photo)
    veiled = linear(photo) - linear(clear)
    bright = veiled.mean(axis=-1) > 0.08
    left = (seen - linear(clear))[bright]
    np.testing.assert_allclose(left.mean() / veiled[bright].mean(), 0.25, atol=0.1)
    assert np.percentile(left, 5) > -0.03
    # Pieces mirror a lamp as the board does, but a window from elsewhere.
    assert (sight.veiled is not None) == everywhere
    if sight.veiled is not None:
        assert sight.veiled.photo is photo


def test_a_photo_without_a_veil_is_seen_as_it_is(bare, flat):
    """Not a value of it is changed."""
    photo = flat(replace(bare, pieces=pieces(POSITION), seed=4))

    sight = EmptyBoard(flat(bare), 10, 10).under(photo)

    assert sight.photo is photo
    assert sight.veiled is None
    assert not sight.mirror.any()


def test_without_a_veil_nothing_is_darker_than_black():
    """More taken than there is leaves black."""
    photo = np.full((48, 48, 3), 90, np.uint8)
    veil = np.full((6, 6, 3), 0.04, np.float32)
    veil[..., 2] = 0.5

    clear = without(veil, photo)

    np.testing.assert_allclose(linear(clear)[..., :2], linear(90) - 0.03, atol=0.004)
    assert not clear[..., 2].any()


@pytest.mark.parametrize(
    "light", [STRONG, NARROW, WIDE], ids=["strong", "narrow", "wide"]
)
def test_a_lamp_in_the_empty_photo_is_taken_off_where_it_no_longer_is(
    bare, flat, light
):
    """Else what is printed there seems changed. As long as it is there, it stays."""
    lit, clear = flat(replace(bare, light=light)), flat(bare)
    played = replace(bare, pieces=pieces(POSITION), seed=4)
    board = EmptyBoard(lit, 10, 10)

    without_it = board.under(flat(played)).empty
    with_it = board.under(flat(replace(played, light=light))).empty

    assert with_it is board
    veiled = (linear(lit) - linear(clear)).mean(axis=-1) > 0.08
    true = EmptyBoard(clear, 10, 10).log
    off, was = (np.abs(own.log - true)[:, veiled] for own in (without_it, board))
    assert was.mean() > 0.1
    assert off.mean() < was.mean() / 3


def test_a_lamp_that_is_gone_stays_so_where_a_photo_does_not_tell(bare, flat):
    """Pieces lie, or a hand, on the print that told it; beside them it shows."""
    lit, clear = flat(replace(bare, light=STRONG)), flat(bare)
    board = EmptyBoard(lit, 10, 10)
    unlit = board.under(clear).empty
    assert unlit is not board
    hidden = clear.copy()
    hidden[2 * CELL : 8 * CELL, 2 * CELL : 7 * CELL + CELL // 2] = (60, 90, 120)
    assert Veils(lit).on(hidden, grey_of(hidden)).lifted == 0

    assert board.under(hidden).empty is unlit
    assert board.under(lit).empty is board


@pytest.mark.parametrize(
    "light",
    [
        replace(PLAIN, edges=(Edge((250, 195), 30, 0.6, 10),)),
        replace(PLAIN, key=(0.1, 0.1, 0.1)),
    ],
    ids=["shadow", "dim"],
)
def test_less_light_is_no_lamp_that_is_gone(bare, flat, light):
    """The print is as clear as it was."""
    board = EmptyBoard(flat(bare), 10, 10)

    sight = board.under(flat(replace(bare, pieces=pieces(POSITION), light=light)))

    assert sight.empty is board


def test_a_lone_block_beside_a_hand_tells_of_no_lamp(bare, flat):
    """Its contrast may be anything; on whole squares it is a lamp's that is gone."""
    empty, photo = flat(replace(bare, light=STRONG)), flat(bare)
    lifted = []
    for side in (CELL // 3, 4 * CELL):
        seen = photo.copy()
        seen[:, 3 * CELL :] = (90, 120, 160)
        part = np.s_[112 : 112 + side, 112 : 112 + side]
        seen[part] = photo[part]
        lifted.append(Veils(empty).on(seen, grey_of(seen)).lifted)

    assert lifted[0] == 0
    assert lifted[1] > 0


def seen_by(veils, photo):
    return veils.on(photo, grey_of(photo)).added


def test_a_lamp_is_found_after_photos_without_one(bare, flat):
    """However many, with pieces put and taken; and it is as at first sight."""
    played = replace(bare, pieces=pieces(POSITION), seed=4)
    veils = Veils(flat(bare))
    for scene in (bare, played, replace(bare, seed=5), replace(played, seed=6)):
        assert seen_by(veils, flat(scene)) is None
    photo = flat(replace(played, light=MIRRORED))

    veil = seen_by(veils, photo)

    np.testing.assert_array_equal(veil, veil_on(photo, flat(bare)))


def test_a_lamp_that_grows_slowly_is_found(bare, flat):
    """The sun wanders, and adds a little from photo to photo."""
    veils = Veils(flat(bare))
    glares = [Glare((250.0, 195.0), 40, part) for part in np.linspace(0, 0.7, 15)]
    photos = [
        flat(replace(bare, light=replace(PLAIN, glare=(glare,)))) for glare in glares
    ]

    found = [seen_by(veils, photo) is not None for photo in photos]

    assert found == [veil_on(photo, flat(bare)) is not None for photo in photos]
    assert not found[0]
    assert found[-1]


def test_a_lamp_is_found_as_the_others_go_out(bare, flat):
    """Nowhere is it brighter then than it was without one."""
    veils, clear = Veils(flat(bare)), flat(bare)
    assert seen_by(veils, clear) is None
    dim = replace(MIRRORED, key=(0.08, 0.08, 0.07), ambient=(0.04, 0.04, 0.05))
    photo = flat(replace(bare, light=dim))
    assert (grey_of(photo) <= grey_of(clear)).mean() > 0.95

    veil = seen_by(veils, photo)

    np.testing.assert_array_equal(veil, veil_on(photo, flat(bare)))
