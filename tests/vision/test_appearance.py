"""What was touched looks otherwise, and what was not does not."""

from dataclasses import replace

import pytest

from companion.rules.board import EMPTY, Cell, Look, row_column
from tests.scenes import KINDS, calibrated, overhead, pieces, sequence_board
from vision.appearance import apart
from vision.frame import Frame
from vision.scene import Piece, draw

LYING = pieces(
    "........../..w..r..../....W...../.r.....R../.....w..../"
    "..W..w..../......r.../...W..r.../.R......../.........."
)
LAY = replace(overhead(sequence_board()), pieces=LYING).looks()
TURNED_OVER, EXCHANGED, TAKEN, PUT = map(Cell, ("c2", "h4", "d8", "h9"))
TOUCHED = {TURNED_OVER, EXCHANGED, TAKEN, PUT}


@pytest.fixture(scope="module")
def scene():
    return overhead(sequence_board(), tilt=20.0)


@pytest.fixture(scope="module")
def table(scene):
    return calibrated(scene, KINDS)


@pytest.fixture
def seen(scene, table):
    """Return what a photo of the table with some pieces looks like."""
    reader = table.reader()

    def appearance(lying, seed, brightness=1.0, turn=0.0):
        sensor = replace(scene.sensor, gains=(brightness,) * 3)
        view = replace(scene.view, tilt=scene.view.tilt + turn)
        photo = replace(scene, pieces=lying, seed=seed, sensor=sensor, view=view)
        return reader.read(Frame(draw(photo))).appearance

    return appearance


def touched():
    """Return how the pieces lie when four squares were touched."""
    lying = LYING | {
        TURNED_OVER: Piece(Look("white-turned")),
        EXCHANGED: Piece(Look("white")),
        PUT: Piece(Look("red")),
    }
    del lying[TAKEN]
    return lying


def nats_of(after, before, lay=LAY):
    """Return by how many nats squares speak for another piece."""
    altered = after.altered(before, lay, {})
    return {cell: by.nats for cell, by in altered.items()}


@pytest.mark.parametrize("brightness", [0.97, 1.0, 1.03])
def test_only_what_was_touched_speaks_for_a_change(seen, brightness):
    """By as much light, or a little more or less: clouds pass."""
    nats = nats_of(seen(touched(), 2, brightness), seen(LYING, 1))

    assert len(nats) == 100
    assert {cell for cell, value in nats.items() if value > 0} == TOUCHED
    assert {nats[cell] for cell in TOUCHED - {PUT}} == {1}
    assert nats[PUT] == 5
    assert sum(value == -7 for value in nats.values()) > 80


@pytest.mark.parametrize(("levels", "nats"), [(1, -7), (2, 1)])
def test_little_is_a_change_where_noise_is_less(seen, levels, nats):
    """A lamp's glare leaves little of what two pegs differ by."""
    before = seen(LYING, 1)
    colours = before.parts.colours.copy()
    colours[row_column(PUT)] -= levels / 255

    after = replace(before, parts=replace(before.parts, colours=colours))
    altered = nats_of(after, before)

    assert altered[PUT] == nats
    assert sum(value == -7 for value in altered.values()) >= 99


@pytest.mark.parametrize(
    ("square", "beside", "nats"),
    [
        (PUT, 0, 5),
        (PUT, 10, 1),
        (PUT, 4, 5),
        (Cell("c2"), 0, 1),
    ],
    ids=["a bare square", "with one beside", "with little beside", "a piece"],
)
def test_a_bare_square_that_changed_alone_bears_a_piece(seen, square, beside, nats):
    """However it is read: a shadow is wider, and nobody pushes what is bare."""
    before = seen(LYING, 1)
    colours = before.parts.colours.copy()
    row, column = row_column(square)
    colours[row, column] -= 30 / 255
    colours[row, column + 1] -= beside / 255

    after = replace(before, parts=replace(before.parts, colours=colours))

    assert nats_of(after, before)[square] == nats


@pytest.mark.parametrize(("white", "nats"), [(0.99, 0), (0.9, -7)])
def test_a_square_that_is_burnt_out_is_not_known_to_be_the_same(seen, white, nats):
    """Whatever lies in such a glare looks alike."""
    before = seen(LYING, 1)
    colours = before.parts.colours.copy()
    colours[row_column(PUT)] = white
    burnt = replace(before, parts=replace(before.parts, colours=colours))

    assert nats_of(burnt, burnt)[PUT] == nats


def test_another_light_tells_nothing(seen):
    """Everything looks otherwise then."""
    assert nats_of(seen(touched(), 2, 0.6), seen(LYING, 1)) == {}


def test_where_the_board_lies_elsewhere_nothing_is_told(seen):
    """Pieces are seen from another side."""
    assert nats_of(seen(touched(), 2, turn=6.0), seen(LYING, 1)) == {}


def test_a_bump_that_nobody_notices_was_no_hand(seen):
    """Much looks otherwise, more than anybody touches between two looks."""
    nats = nats_of(seen(LYING, 2, turn=2.0), seen(LYING, 1))

    assert max(nats.values()) == 0


def test_looks_that_are_alike_tell_nothing_where_nothing_changed(seen):
    """A chip that may have been turned over, and back, unseen."""
    before, after = seen(LYING, 1), seen(touched(), 2)
    assert set(before.apart) == set(KINDS.values())
    assert min(before.apart.values()) > 0.05
    white = Look("white")
    told = nats_of(replace(after, apart=before.apart | {white: 0.005}), before)

    assert {told[cell] for cell in TOUCHED - {PUT}} == {1}
    stayed = {cell: nats for cell, nats in told.items() if cell not in TOUCHED}
    assert all(nats == 0 for cell, nats in stayed.items() if LAY[cell] == white)
    assert max(stayed[Cell("f2")], stayed[Cell("a1")]) < -3


def test_of_looks_that_nobody_has_seen_only_a_change_is_told(seen):
    """And of squares without a piece."""
    before, after = seen(LYING, 1), seen(touched(), 2)

    told = nats_of(replace(after, apart={}), before)

    assert {told[cell] for cell in TOUCHED - {PUT}} == {1}
    assert told[Cell("f2")] == 0
    assert told[Cell("a1")] < -3


def test_a_piece_that_changed_its_square_as_it_was_put_is_not_gone(seen):
    """Its square looks as it did, whatever the eyes make of that."""
    before, after = seen(LYING, 1), seen(touched(), 2)
    put = before.changed(seen({}, 3))
    hidden = Cell("f2")
    assert min(put[cell] for cell in LYING) > 0.04
    assert max(put[cell] for cell in LAY.keys() - LYING.keys()) < 0.02

    changes = {cell: {EMPTY: by} for cell, by in (put | {hidden: 0.005}).items()}
    told = after.altered(before, LAY, changes)

    gone = {cell: by.to(EMPTY) for cell, by in told.items() if cell in LYING}
    assert {gone[cell] for cell in TOUCHED - {PUT}} == {1}
    assert max(gone[cell] for cell in gone.keys() - TOUCHED - {hidden}) < -3
    assert gone[hidden] == 0


@pytest.mark.parametrize(("by", "least"), [(0.05, -12), (0.01, 0)])
def test_a_chip_is_not_turned_back_where_that_would_be_seen(seen, by, least):
    """Though the samples hardly differ, or nobody has seen them."""
    before, after = seen(touched(), 1), seen(touched(), 2)
    lay = LAY | {TURNED_OVER: Look("white-turned")}
    changes = {TURNED_OVER: {Look("white"): by}}

    told = replace(after, apart={}).altered(before, lay, changes)[TURNED_OVER]

    assert told.to(Look("white")) == least
    assert told.to(Look("red")) == 0


@pytest.mark.parametrize("change", [{"brightness": 0.6}, {"turn": 6.0}])
def test_by_how_much_squares_changed_is_told_in_the_same_light_alone(seen, change):
    """And of a board that lies where it lay."""
    assert seen(LYING, 2, **change).changed(seen({}, 1)) == {}


@pytest.mark.parametrize(
    ("kinds", "differ"),
    [
        ({"c2": "white", "g2": "red"}, {"white", "red"}),
        ({"c2": "white", "f6": "white"}, set()),
        ({"c2": "white"}, set()),
        ({"d3": "white-turned", "i4": "red-turned"}, set()),
        ({"c2": "white", "a1": "red"}, {"white", "red"}),
    ],
    ids=["two", "the same", "one", "backs", "a blank square"],
)
def test_looks_are_as_far_apart_as_the_most_similar_ones(seen, kinds, differ):
    """Of those that differ, and are no backs."""
    appearance = seen(LYING, 1)
    looks = {Cell(cell): Look(look) for cell, look in kinds.items()}

    told = apart(appearance.parts, looks)

    assert set(told) == differ
    assert all(value > 0.05 for value in told.values())
