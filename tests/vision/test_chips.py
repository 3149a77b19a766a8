"""What the eyes say of chips and pegs, and of things that are neither."""

from dataclasses import replace
from itertools import chain
from math import exp
from pathlib import Path
from typing import get_args

import cv2
import numpy as np
import pytest

from calibration.wizard import calibrate
from companion.looking import LETTERS, position_of
from companion.rules.board import EMPTY, TURNED, Cell, Look
from tests.scenes import (
    KINDS,
    LOOKS,
    ROWS,
    agrees,
    calibrated,
    disagreements,
    overhead,
    pieces,
    sequence_board,
)
from vision.empty_board import EmptyBoard
from vision.frame import Frame
from vision.pieces import chips, closer, network, relation
from vision.pieces.chips import Answers, ChipReader, doubtful
from vision.pieces.closer import Closer, _spread, _surest
from vision.pieces.eyes import UPRIGHT, _Lesson, _Told
from vision.pieces.heads import Heads
from vision.pieces.looks import TEAMS, name_of
from vision.pieces.memory import Memory
from vision.pieces.network import (
    CHANNELS,
    TOLD,
    Lessons,
    Network,
    Thoughts,
    _typical,
    trained,
)
from vision.pieces.prints import Printed
from vision.pieces.relation import BESIDE, NAME, SAMPLE, Known, Relation, nearest
from vision.rectify import CELL, MARGIN
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
    covered,
    draw,
)
from vision.scene.pieces import Back
from vision.scene.print import Ink

POSITION = (
    "...r....../.w...W..../r..w....../....rr..w./"
    "........../.wwWWWWW../....../r.../..r...w.../........R."
)
DIM = Sensor(gains=(0.2, 0.2, 0.2), noise=6.0, blur=3.0)
DARK = Sensor(gains=(0.08, 0.08, 0.08), noise=6.0, blur=2.0)
WARM = Light(towards=(0.5, -0.2, 1.0), key=(0.8, 0.55, 0.32), ambient=(0.1, 0.08, 0.06))


def whole(position):
    """Return a position with its rows filled up to ten."""
    return "/".join(row.ljust(10, ".") for row in position.split("/"))


def alone(monkeypatch):
    """Let what the pairs of networks say be the last word, as they say it."""
    monkeypatch.setattr(ChipReader, "_beside", lambda self, sight, lean, log_p: log_p)
    monkeypatch.setattr(ChipReader, "_by_print", lambda *photo: photo[4])
    monkeypatch.setattr(ChipReader, "_otherwise", lambda *photo: photo[5])
    monkeypatch.setattr(chips, "_modestly", lambda log_p, *_: log_p)


def square_of(scene, cell):
    """Return where a square is in the scene's picture: the upright box around it."""
    outline = [(*point, 0) for point in scene.board.outline(Cell(cell))]
    corners = scene.view.project(outline)
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return slice(int(top), int(bottom) + 1), slice(int(left), int(right) + 1)


def let_eyes_say(monkeypatch, at, first, closely):
    """Let all eyes see a square, also upside down, as they are told.

    Args:
        monkeypatch: of pytest.
        at: the square's number.
        first: (2 + K) log-probabilities at first sight.
        closely: returns those of a closer look, by the eyes that look.
    """
    think, ask = Network.think, Closer.log_p

    def told(self, seen, looks, *known):
        thoughts = think(self, seen, looks, *known)
        thoughts.log_p[[at, 99 - at]] = first
        return thoughts

    def asked(self, around, lean, thoughts, cells, *known):
        found = ask(self, around, lean, thoughts, cells, *known)
        found[np.isin(cells, (at, 99 - at))] = closely(self)
        return found

    monkeypatch.setattr(Network, "think", told)
    monkeypatch.setattr(Closer, "log_p", asked)


@pytest.fixture(scope="module")
def bare():
    scene = overhead(sequence_board((50, 50)), 15, (864, 648))
    return replace(scene, board_style=BoardStyle(markers=False))


@pytest.fixture(scope="module")
def table(bare):
    return calibrated(bare, KINDS)


@pytest.fixture(scope="module")
def named(bare):
    """The table without samples: its chips are known by their colours' names."""
    looks = [Look(look) for look in ("white", "red", "white-turned", "red-turned")]
    return calibrate(
        "gridlock", ROWS, draw(bare), corners=bare.corners(), looks=looks
    ).table


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 5},
        {"seed": 6, "light": WARM},
        {"seed": 7, "sensor": Sensor(gains=(0.5, 0.5, 0.5), noise=2.0)},
    ],
    ids=["same light", "warm lamp", "dim"],
)
def test_light_changes_nothing_that_is_read(bare, table, change):
    """Calibrated in daylight, the position is read exactly in other lights."""
    scene = replace(bare, pieces=pieces(POSITION), **change)

    seen = table.reader().read(Frame(draw(scene)))

    assert disagreements(position_of(bare.board, seen), whole(POSITION)) == []


@pytest.mark.parametrize("reach", [0.6, 0.8])
def test_a_round_label_is_a_back_whatever_is_printed_on_it(bare, reach):
    """Plain paper on yellow and blue chips, which are known by their names alone."""
    looks = [
        Look(f"{team}{side}") for team in ("yellow", "blue") for side in ("", TURNED)
    ]
    back = Back("#d8cba4", "#33352c", reach, (), matt=True)
    style = replace(bare.piece_style, back=back)
    position = POSITION.translate(str.maketrans("wWrR", "bByY"))
    scene = replace(bare, pieces=pieces(position), piece_style=style, seed=5)
    table = calibrate(
        "gridlock", ROWS, draw(bare), corners=bare.corners(), looks=looks
    ).table

    seen = table.reader().read(Frame(draw(scene)))

    assert disagreements(position_of(bare.board, seen), whole(position)) == []


def test_probabilities_add_up(bare, table):
    """Each cell that is seen has the probability of every look, one in all.

    Colours that nobody plays with are among them.
    """
    scene = replace(bare, pieces=pieces(POSITION), hands=(Hand((250.0, 250.0)),))

    seen = table.reader().read(Frame(draw(scene)))

    assert seen.hidden
    assert seen.hidden.isdisjoint(seen.log_p)
    assert seen.hidden | seen.log_p.keys() == set(bare.board.cells)
    for looks in seen.log_p.values():
        assert set(looks) == {"empty", *table.looks, *TEAMS}
        assert sum(exp(log_p) for log_p in looks.values()) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("foreign", "rather"),
    [
        ("blue", "blue"),
        ("yellow", "yellow"),
        ("green", "green"),
        ("black", "black"),
    ],
)
def test_a_piece_of_another_box_is_not_taken_for_one_of_these(
    bare, table, foreign, rather
):
    """Its colour is named, or more often unknown; the others are read as ever."""
    lying = pieces(POSITION) | {Cell("a9"): Piece(Look(foreign))}
    scene = replace(bare, pieces=lying, seed=8)

    seen = table.reader().read(Frame(draw(scene)))

    assert seen.likely(Cell("a9")) in (rather, None)
    said, true = position_of(bare.board, seen), whole(POSITION)
    ((mine, other),) = disagreements(said, true)
    assert mine in (LETTERS[foreign], "?")
    assert other == "."


def test_a_piece_that_may_be_anybodys_may_be_of_another_box(bare, table, monkeypatch):
    """That it is none of these more than of those says nothing for them."""
    lying = pieces(POSITION) | {Cell("a9"): Piece(Look("blue"))}
    at = bare.board.cells.index("a9")
    usually = ChipReader._answers

    def in_two_minds(self, *photo):
        told = usually(self, *photo)
        log_p = told.log_p
        log_p[at] = np.log((0.02, 0.02, 0.24, 0.24, 0.24, 0.24))
        return told

    monkeypatch.setattr(ChipReader, "_answers", in_two_minds)
    seen = table.reader().read(Frame(draw(replace(bare, pieces=lying, seed=8))))

    assert seen.likely(Cell("a9")) == "blue"


@pytest.mark.parametrize(
    ("first", "before", "closely", "printed", "after"),
    [
        (0.9, 0.9, [], 0.7, 0.7),
        (0.9, 0.995, [], None, 0.995),
        (0.9, 0.995, [1, 2], 0.3, 0.3),
        (0.9, 0.995, [1, 2], 0.6, 0.6),
        (0.9, 0.995, [1, 2], 0.994, 0.995),
        (0.9, 0.995, [1, 2], 0.96, 0.9857),
        (0.995, 0.9995, [1, 2], None, 0.9995),
        (0.9, 0.9995, [1, 2], 0.3, 0.3),
        (0.1, 0.9995, [1, 2], 0.3, 0.3),
    ],
    ids=[
        "in doubt",
        "sure",
        "sure since a closer look",
        "where it is unsure",
        "where it says the same",
        "where it nearly does",
        "clear since a closer look",
        "clear, but in doubt at first",
        "clear, but not what was seen first",
    ],
)
def test_print_is_asked_about_chips_that_were_in_doubt(
    table, monkeypatch, first, before, closely, printed, after
):
    """And about nothing else; nor about what is no chip."""
    chip_reader, faces = table.reader()._chips, len(table.looks)
    column = 2 + table.looks.index("white")
    other = 2 + table.looks.index("white-turned")

    def likely(p):
        told = np.full((1, 2 + faces), 1e-9, np.float32)
        told[0, column], told[0, other] = p, 1 - p
        return np.log(told)

    def printed_on(_, sight, fine, log_p, asked):
        assert asked.tolist() == [1]
        return likely(printed)

    monkeypatch.setattr(Printed, "log_p", printed_on)
    empty = np.log(np.full((1, 2 + faces), 1e-6, np.float32))
    empty[0, 0] = 0
    seen, log_p = (np.concatenate((empty, likely(p), empty)) for p in (first, before))

    looked = np.array(closely, np.intp)
    told = chip_reader._by_print(None, lambda: None, seen, Answers(log_p), looked)

    assert np.exp(told.log_p[1, column]) == pytest.approx(after, abs=1e-4)
    assert (told.log_p[[0, 2]] == log_p[[0, 2]]).all()
    assert told.printed.tolist() == ([] if printed is None else [1])


@pytest.mark.parametrize("other", ["white-turned", "white"])
def test_print_is_asked_about_all_that_pass_for_what_surely_was_something_else(
    table, monkeypatch, other
):
    """A light that makes one back pass for a face makes others do."""
    chip_reader, looks = table.reader()._chips, table.looks
    asked = []

    def sure(look):
        told = np.full(2 + len(looks), 1e-3, np.float32)
        told[2 + looks.index(look)] = 1
        return np.log(told / told.sum())

    def printed_on(_, sight, fine, log_p, cells):
        asked.append(cells.tolist())
        return np.array([sure(other) for _ in cells])

    monkeypatch.setattr(Printed, "log_p", printed_on)
    log_p = np.array([sure(look) for look in ("white", "red", "white", "white")])

    answers, looked = Answers(log_p), np.array([0])
    told = chip_reader._by_print(None, lambda: None, log_p, answers, looked)

    assert asked == ([[0]] if other == "white" else [[0], [2, 3]])
    assert told.printed.tolist() == sorted(chain.from_iterable(asked))
    column = 2 + looks.index(other)
    assert (told.log_p[told.printed].argmax(axis=1) == column).all()
    assert (told.log_p[1] == log_p[1]).all()


def test_what_was_told_otherwise_than_it_seems_is_looked_at_though_it_seems_sure():
    """But for whose back it is, what seems now what it was told, and what was taken."""
    side, sure = CELL * 4 + 2 * MARGIN, np.log([1e-5, 1e-5, 1 - 5e-5, 1e-5, 1e-5, 1e-5])
    board = EmptyBoard(np.full((side, side, 3), 120, np.uint8), 4, 4)
    sight = board.under(np.full((side, side, 3), 110, np.uint8))
    bare, _, white, turned, _, theirs = (
        np.tile(np.roll(sure, by - 2), (16, 1)).astype(np.float32) for by in range(6)
    )
    memory = Memory(backs=(3, 5), apart=np.full(6, np.inf))
    assert memory.belied(white).size == 0

    memory.keep(sight, white, turned, np.array([5, 9]))

    assert memory.belied(white).tolist() == [5, 9]
    for now in (turned, theirs, bare):
        assert memory.belied(now).size == 0


@pytest.mark.parametrize(
    ("doubts", "hidden", "sure"), [(2, 0, True), (3, 0, False), (3, 7, True)]
)
def test_a_photo_with_several_doubts_is_believed_less(
    bare, table, monkeypatch, doubts, hidden, sure
):
    """What leaves them in doubt misleads about others, too; a hand does not."""
    usually = ChipReader._answers

    def in_doubt(self, *photo):
        told = usually(self, *photo)
        log_p = told.log_p
        log_p[:doubts] = np.log((0.5, 0.01, 0.46, 0.01, 0.01, 0.01))
        log_p[doubts : doubts + hidden] = np.log((0.001, 0.995, *[0.001] * 4))
        log_p[-1] = np.log((0.995, 0.001, 0.001, 0.001, 0.001, 0.001))
        return told

    monkeypatch.setattr(ChipReader, "_answers", in_doubt)
    seen = table.reader().read(Frame(draw(replace(bare, seed=8))))

    assert (seen.confidence(bare.board.cells[-1]) > 0.99) == sure
    assert seen.likely(bare.board.cells[-1]) == EMPTY


@pytest.mark.parametrize(
    ("known", "mirror", "there"),
    [("table", (), 1), ("table", ("b2", "c2"), 0.85), ("named", ("b2", "c2"), 0.7)],
)
def test_pieces_under_a_mirrored_window_are_believed_less(
    bare, request, monkeypatch, known, mirror, there
):
    """Where the print shows it; that a square is empty is believed as ever."""
    table = request.getfixturevalue(known)
    usually, under = ChipReader._answers, EmptyBoard.under
    at = [bare.board.cells.index(cell) for cell in ("b2", "h7", "j10", "c2")]
    certain = np.log((1e-6, 1e-6, 0.999, 0.000996, 1e-6, 1e-6))

    def as_told(self, *photo):
        told = usually(self, *photo)
        log_p = told.log_p
        log_p[at[:2]], log_p[at[2:]] = certain, np.roll(certain, -2)
        return told

    def by_window(self, photo):
        squares = np.zeros(100, bool)
        squares[[bare.board.cells.index(cell) for cell in mirror]] = True
        return replace(under(self, photo), mirror=squares)

    monkeypatch.setattr(ChipReader, "_answers", as_told)
    monkeypatch.setattr(EmptyBoard, "under", by_window)
    seen = table.reader().read(Frame(draw(replace(bare, seed=8))))

    first, second = sorted(certain)[:-3:-1]
    for cell, power in (("b2", there), ("h7", 1)):
        best, other = sorted(seen.log_p[Cell(cell)].values())[:-3:-1]
        assert best - other == pytest.approx(power * (first - second), rel=0.02)
    clear = (seen.confidence(Cell(cell)) for cell in ("j10", "c2"))
    assert all(part > 0.998 for part in clear)


def test_pieces_under_a_mirrored_window_are_told_with_it_and_without(
    bare, table, monkeypatch
):
    """What mirrors it from elsewhere may be told wrongly by either; bare print is not.

    Without the window white chips lie on b2 and h7 and none on e5, with it red ones on
    b2 and e5; it is not mirrored at j10, where another one is.
    """
    usually, answers = EmptyBoard.under, ChipReader._answers
    at = {"h7": "white", "c4": "red"}
    clear, veiled = (
        replace(
            bare, pieces={Cell(c): Piece(Look(k)) for c, k in {**at, **more}.items()}
        )
        for more in ({"b2": "white", "j10": "red"}, {"b2": "red", "e5": "red"})
    )
    photos = [draw(replace(scene, seed=8)) for scene in (clear, veiled)]
    reader = table.reader()
    other = reader._rectify(photos[1])

    def by_window(self, flat):
        squares = np.ones(100, bool)
        squares[bare.board.cells.index("j10")] = False
        sight = usually(self, flat)
        return replace(sight, mirror=squares, veiled=usually(self, other))

    remembered = []

    def with_memory(self, sight, *others):
        remembered.append((sight.veiled is None, others[-1]))
        return answers(self, sight, *others)

    monkeypatch.setattr(EmptyBoard, "under", by_window)
    monkeypatch.setattr(ChipReader, "_answers", with_memory)
    seen = reader.read(Frame(photos[0]))
    reader.read(Frame(photos[0]))

    p = {look: exp(part) for look, part in seen.log_p[Cell("b2")].items()}
    assert p[Look("white")] == pytest.approx(0.5, abs=0.1)
    assert p[Look("red")] == pytest.approx(0.5, abs=0.1)
    for cell, look in {**at, "j10": "red", "e5": EMPTY}.items():
        assert seen.likely(Cell(cell)) == look
        assert seen.confidence(Cell(cell)) > 0.99
    # What is remembered of one sight is not held against the other.
    assert len(remembered) == 4
    assert len(set(remembered)) == len({memory for _, memory in remembered}) == 2


def test_what_is_seen_apart_is_no_photo_before(bare, table, monkeypatch):
    """It is not held against the last one, nor is the next photo against it."""
    reader = table.reader()
    eyes, lean = reader._chips._eyes, reader._lean
    photo, other, later = (
        reader._empty.under(reader._rectify(draw(replace(bare, seed=seed))))
        for seed in (8, 9, 10)
    )
    eyes.think(photo, lean, UPRIGHT)
    before, seen, held_against = eyes._before.seen, Network.seen, []

    def held(self, picture, lean, before=None):
        held_against.append(before)
        return seen(self, picture, lean, before)

    monkeypatch.setattr(Network, "seen", held)
    eyes.think(other, lean, UPRIGHT, apart=True)
    eyes.think(later, lean, UPRIGHT)

    apart, last = held_against
    assert apart is None
    assert last.own is before.own


def in_doubt_by(monkeypatch, bare, by_lights):
    """Let b2 be in doubt, h7 be sure; return the lights by which photos are seen.

    The odds of the first look on b2 are `by_lights`: that of the photo, and others.
    """
    usually, lights = ChipReader._answers, []
    at = [bare.board.cells.index(cell) for cell in ("b2", "h7")]

    def as_told(self, sight, *others):
        told = usually(self, sight, *others)
        odds = by_lights[others[-1] is not self._memory]
        p = np.full((2, told.log_p.shape[1]), 1e-6)
        p[:, 2:4] = (odds, 1), (199, 1)
        told.log_p[at] = np.log(p / p.sum(axis=1, keepdims=True))
        lights.append(sight.light)
        return told

    monkeypatch.setattr(ChipReader, "_answers", as_told)
    return lights


def odds_of(seen, cell, looks):
    """Return the odds of the first of two looks on a cell."""
    first, second = (seen.log_p[Cell(cell)][look] for look in looks[:2])
    return exp(first - second)


@pytest.mark.parametrize("pieces_are", ["chips", "pegs"])
def test_chips_in_doubt_are_seen_by_less_and_more_light(bare, monkeypatch, pieces_are):
    """The mean of all counts for what is in doubt; what is clear is told as it was."""
    chips_lie = pieces_are == "chips"
    looks = [Look(look) for look in ("white", "red", "white-turned", "red-turned")]
    reader = calibrate(
        "gridlock",
        ROWS,
        draw(bare),
        corners=bare.corners(),
        looks=looks if chips_lie else looks[:2],
    ).table.reader()
    lights = in_doubt_by(monkeypatch, bare, (1.5, 9))

    seen = reader.read(Frame(draw(replace(bare, seed=8))))

    assert odds_of(seen, "h7", looks) == pytest.approx(199, rel=0.02)
    if not chips_lie:
        assert len(lights) == 1
        assert odds_of(seen, "b2", looks) == pytest.approx(1.5, rel=0.02)
        return
    usual, less, more = lights
    np.testing.assert_allclose([less - usual, usual - more], -0.2, atol=1e-5)
    expected = (1.5 * 9 * 9) ** (1 / 3)
    assert odds_of(seen, "b2", looks) == pytest.approx(expected, rel=0.02)


def test_what_other_lights_tell_is_remembered(bare, table, monkeypatch):
    """As long as the square looks as it did; then it is as much in doubt as ever."""
    lights = in_doubt_by(monkeypatch, bare, (1.5, 9))
    reader = table.reader()
    scenes = [replace(bare, seed=8), replace(bare, seed=9)]
    scenes.append(replace(bare, pieces={Cell("b2"): Piece(Look("red"))}, seed=10))

    told = []
    for scene in scenes:
        before = len(lights)
        seen = reader.read(Frame(draw(scene)))
        told.append((len(lights) - before, odds_of(seen, "b2", table.looks)))

    looked, odds = zip(*told, strict=True)
    assert looked == (3, 1, 3)
    assert odds == pytest.approx([(1.5 * 9 * 9) ** (1 / 3)] * 3, rel=0.02)


@pytest.mark.parametrize(
    "thing",
    [
        {"hands": (Hand((220.0, 180.0), heading=70.0),)},
        {"cards": (Card("7H", (275.0, 230.0), 20.0), Card("KD", (300.0, 310.0)))},
        {"cards": (Card("", (110.0, 380.0), 90.0), Card("", (115.0, 350.0), 85.0))},
    ],
    ids=["hand", "cards", "backs of cards"],
)
def test_what_covers_the_board_is_not_read(bare, table, thing):
    """Squares below a thing are unknown, squares beside it are never wrong."""
    scene = replace(bare, pieces=pieces(POSITION), **thing)
    below = {cell for cell, part in covered(scene).items() if part > 0.6}
    assert len(below) >= 2

    said = position_of(bare.board, table.reader().read(Frame(draw(scene))))

    for cell, letter, true in zip(
        bare.board.cells,
        said.replace("/", ""),
        whole(POSITION).replace("/", ""),
        strict=True,
    ):
        assert letter == "?" if cell in below else letter == "?" or agrees(letter, true)
    assert said.count("?") <= 45


def test_bare_squares_beside_a_hand_are_mostly_told(bare, table):
    """By their print; the eyes take a ring of them for covered, a dozen here."""
    scene = replace(
        bare, pieces=pieces(POSITION), hands=(Hand((220.0, 180.0), heading=70.0),)
    )
    looks = scene.looks()

    seen = table.reader().read(Frame(draw(scene)))

    beside = [
        cell
        for cell, part in covered(scene).items()
        if part == 0 and looks[cell] == EMPTY and seen.confidence(cell) < 0.999
    ]
    assert len(beside) <= 4


@pytest.mark.parametrize("angles", [(20,), (20, 115)], ids=["bars", "crossed"])
def test_squares_in_the_sharp_shadows_of_bars_are_bare(bare, table, angles):
    """By fine print alone: the eyes doubt one in four, or take it for a chip."""
    bars = tuple(
        Bars((230.0, 180.0), angle, period, 10, 0.95, 2)
        for angle, period in zip(angles, (103, 144), strict=False)
    )
    scene = replace(bare, pieces=pieces(POSITION), light=replace(bare.light, bars=bars))

    said = position_of(bare.board, table.reader().read(Frame(draw(scene))))

    both = zip(said.replace("/", ""), whole(POSITION).replace("/", ""), strict=True)
    empty = [letter for letter, true in both if true == "."]
    assert set(empty) <= {".", "?"}
    assert empty.count("?") <= 1


@pytest.mark.parametrize(
    ("offset", "beside"),
    [
        ((0.5, 0), {"e6", "f6"}),
        ((0, 0.5), {"e6", "e7"}),
        ((0.5, 0.5), {"e6", "f6", "e7", "f7"}),
    ],
)
def test_a_piece_on_a_line_does_not_vanish(bare, table, offset, beside):
    """It is on none of its squares; that they are empty would be wrong, too."""
    lying = {Cell("e6"): Piece(Look("red"), offset=offset)}

    seen = table.reader().read(Frame(draw(replace(bare, pieces=lying, seed=3))))

    assert seen.hidden >= {Cell(cell) for cell in beside}
    assert all(seen.likely(cell) == EMPTY for cell in seen.log_p)


def test_a_burnt_out_patch_is_never_wrong(bare, table):
    """Where a flash is mirrored, squares may be unknown, but not wrong."""
    light = replace(bare.light, glare=(Glare((250.0, 250.0), 60.0, 3.0),))
    scene = replace(bare, pieces=pieces(POSITION), light=light)

    said = position_of(bare.board, table.reader().read(Frame(draw(scene))))

    assert {mine for mine, _ in disagreements(said, whole(POSITION))} <= {"?"}


def test_colours_names_are_enough(bare, named):
    """Without samples, chips are read by their names: none wrong, hardly any open."""
    scene = replace(bare, pieces=pieces(POSITION))

    said = position_of(bare.board, named.reader().read(Frame(draw(scene))))

    wrong = disagreements(said, whole(POSITION))
    assert {mine for mine, _ in wrong} <= {"?"}
    assert len(wrong) <= 2


def likelihood(seen, board, position):
    """Return nats, summed up, of the chips that lie colour up."""
    looks = {"w": Look("white"), "r": Look("red")}
    letters = zip(board.cells, whole(position).replace("/", ""), strict=True)
    return sum(seen.log_p[cell][looks[at]] for cell, at in letters if at in looks)


def test_pieces_that_are_sure_become_samples(bare, named):
    """Known by names, pieces are read better once others like them were seen."""
    scene = replace(bare, pieces=pieces(POSITION))
    clear = Frame(draw(scene))
    night = replace(DARK, gains=(0.05, 0.05, 0.05))
    fresh = experienced = 0.0
    for seed in (8, 9, 10):
        dark = Frame(draw(replace(scene, sensor=night, seed=seed)))
        reader = named.reader()
        fresh += likelihood(reader.read(dark), bare.board, POSITION)
        reader.read(clear)
        experienced += likelihood(reader.read(dark), bare.board, POSITION)

    assert experienced > fresh + 0.5


def test_sure_pieces_join_the_samples(bare, table):
    """Chips of a more faded set than the samples are read better once some were."""
    faded = PieceStyle(colours={"white": "#d8c090", "red": "#d08050"})
    lamp = replace(bare, pieces=pieces(POSITION), light=WARM, piece_style=faded)
    embers = Sensor(gains=(0.2, 0.2, 0.2), noise=6.0, blur=2.0)
    fresh = experienced = 0.0
    for seed in (8, 9, 10):
        dark = Frame(draw(replace(lamp, sensor=embers, seed=seed)))
        reader = table.reader()
        fresh += likelihood(reader.read(dark), bare.board, POSITION)
        reader.read(Frame(draw(replace(lamp, seed=seed + 20))))
        experienced += likelihood(reader.read(dark), bare.board, POSITION)

    assert experienced > fresh / 2


def test_enough_sure_pieces_are_enough(bare, table):
    """Then nothing more is learnt: the same photo is read the same ever after."""
    scene = replace(bare, pieces=pieces(POSITION))
    clear = Frame(draw(scene))
    dim = Frame(draw(replace(scene, sensor=DIM, seed=8)))
    reader = table.reader()
    for _ in range(12):  # the red chip that is turned over is only one
        reader.read(clear)

    reader.read(dim)  # what closer looks tell of it is remembered
    before = reader.read(dim).log_p
    reader.read(clear)

    after = reader.read(dim).log_p
    assert after.keys() == before.keys()
    for cell, looks in after.items():
        assert looks == pytest.approx(before[cell], abs=1e-5)
    assert table.reader().read(dim).log_p != before


@pytest.mark.parametrize(("tilt", "height"), [(40, 20.0), (50, 28.0), (20, 40.0)])
def test_pegs_are_told_from_the_squares_they_lean_over(bare, tilt, height):
    """A tall peg seen from the side belongs to the square in which it stands."""
    tall = PieceStyle(shape="peg", radius=0.2, height=height)
    stand = replace(overhead(bare.board, tilt, (864, 648)), piece_style=tall)
    kinds = {Cell("c3"): Look("blue"), Cell("g3"): Look("yellow")}
    table = calibrated(stand, kinds, "jacks-rule")
    position = whole("b...y...../..y......b/....b...../.y......./......y.../b........y")
    position += "/.........." * 4
    scene = replace(stand, pieces=pieces(position), seed=4)

    seen = table.reader().read(Frame(draw(scene)))

    assert position_of(bare.board, seen) == position


@pytest.mark.parametrize("samples", [True, False], ids=["samples", "names"])
def test_the_head_of_a_peg_in_front_is_no_peg_behind_it(samples):
    """Heads are seen a square behind their feet."""
    tall = PieceStyle(shape="peg", radius=0.18, height=40.0)
    board = sequence_board((50, 39))
    stand = replace(overhead(board, 46, (864, 648)), piece_style=tall)
    kinds = {Cell("c3"): Look("green"), Cell("g3"): Look("red")}
    table = calibrated(stand, kinds, "jacks-rule")
    if not samples:
        table = replace(table, samples=None, kinds={})
    reader = table.reader()
    begun = whole("//..r..g....//////.g...r..../...r....g.")
    position = whole("////rgrg..rgrg/rgrg..rgrg////grgrgrgrgr")

    reader.read(Frame(draw(replace(stand, pieces=pieces(begun)))))
    seen = reader.read(Frame(draw(replace(stand, pieces=pieces(position)))))

    assert position_of(board, seen) == position


def test_behind_the_head_of_a_peg_is_doubt_and_no_hand(bare, monkeypatch):
    """Whatever is seen there; what a hand covers makes all the photo less sure."""
    style = PieceStyle(shape="peg", radius=0.2, height=20.0)
    stand = replace(overhead(bare.board, 40, (864, 648)), piece_style=style)
    table = calibrated(stand, {Cell("c3"): Look("blue"), Cell("g3"): Look("red")})
    scene = replace(stand, pieces=pieces(whole("//..b...r.." + 7 * "/")), seed=4)
    cells = bare.board.cells
    monkeypatch.setattr(Heads, "behind", lambda *_: np.array([cells.index(Cell("c3"))]))

    seen = table.reader().read(Frame(draw(scene)))

    assert seen.hidden == frozenset()
    assert seen.likely(Cell("c3")) == "blue"
    assert seen.confidence(Cell("c3")) == pytest.approx(1 / 3 + 2 / 3 / 7, rel=0.02)
    assert position_of(bare.board, seen) == whole("//..?...r.." + 7 * "/")


def test_a_square_bears_no_chip_if_it_shows_its_print_and_else_one(
    bare, table, monkeypatch
):
    """However like one all eyes find it; below a chip no print is to be seen."""
    scene = replace(bare, pieces=pieces(POSITION), seed=5)
    empty, chip = Cell("e2"), Cell("b2")
    looks = scene.looks()
    assert looks[empty] == EMPTY
    assert looks[chip] != EMPTY
    at = [bare.board.cells.index(cell) for cell in (empty, chip)]
    columns = [EMPTY, "", *table.looks]
    may_be = columns.index(EMPTY), columns.index(looks[chip])

    def open_to_the_end(self, sight, lean, thoughts, cells):
        found = thoughts.log_p.copy()
        found[at] = np.log(1e-4)
        found[np.ix_(at, may_be)] = np.log((0.3, 0.6997))
        return found, None

    monkeypatch.setattr(ChipReader, "_closely", open_to_the_end)
    monkeypatch.setattr(ChipReader, "_beside", lambda self, sight, lean, log_p: log_p)
    monkeypatch.setattr(ChipReader, "_by_print", lambda self, *args: args[3])
    monkeypatch.setattr(chips, "doubtful", lambda *args: np.array(at))
    seen = table.reader().read(Frame(draw(scene)))

    assert seen.likely(empty) == EMPTY
    assert seen.confidence(empty) > 0.99
    assert seen.likely(chip) == looks[chip]
    assert seen.confidence(chip) > 0.99


@pytest.mark.parametrize(
    ("change", "ways"),
    [({}, 1), ({"sensor": DIM}, 3 * 4)],
    ids=["clear", "in doubt"],
)
def test_what_is_in_doubt_is_looked_at_in_other_ways(
    bare, table, monkeypatch, change, ways
):
    """A clear photo costs one run of a network, one in doubt four by three lights."""
    asked = []
    think = Network.think

    def counted(self, seen, looks, *known):
        asked.append(looks)
        return think(self, seen, looks, *known)

    monkeypatch.setattr(Network, "think", counted)
    scene = replace(bare, pieces=pieces(POSITION), seed=5, **change)
    seen = table.reader().read(Frame(draw(scene)))

    assert len(asked) == ways
    for looks in seen.log_p.values():
        assert sum(exp(log_p) for log_p in looks.values()) == pytest.approx(1, abs=1e-5)
    wrong = disagreements(position_of(bare.board, seen), whole(POSITION))
    assert {mine for mine, _ in wrong} <= {"?"}


def all_empty(_, sight, lean, thoughts, finely, memory):
    """Say that nothing lies on the board."""
    sure = np.full_like(thoughts.log_p, closer.FAR)
    sure[:, 0] = 0
    return Answers(sure)


@pytest.mark.parametrize("print_left", [1.0, 0.0], ids=["print", "none"])
def test_what_shows_its_print_is_bare(bare, table, monkeypatch, print_left):
    """In whatever tint, be it seen by a faint glare or through coloured glass."""
    monkeypatch.setattr(ChipReader, "_answers", all_empty)
    photo = draw(replace(bare, seed=5)).astype(np.float32)
    rows, columns = square_of(bare, "e6")
    patch = photo[rows, columns]
    mean = patch.mean(axis=(0, 1))
    patch[:] = (mean + print_left * (patch - mean)) * (0.4, 0.7, 1.0)

    seen = table.reader().read(Frame(photo.astype(np.uint8)))

    assert (Cell("e6") in seen.hidden) == (not print_left)
    assert not print_left or not seen.hidden


def test_what_plainly_is_not_the_board_is_not_empty(bare, table, monkeypatch):
    """Networks may be sure of what they never saw; then it is unknown, not gone."""
    scene = replace(bare, pieces=pieces(whole(POSITION)), seed=3)
    red = {cell for cell, look in scene.looks().items() if look == "red"}
    reader = table.reader()

    monkeypatch.setattr(ChipReader, "_answers", all_empty)
    seen = reader.read(Frame(draw(scene)))

    empty = {cell for cell, look in scene.looks().items() if look == "empty"}
    assert len(red) == 6
    assert len(red & seen.hidden) >= 5
    assert not empty & seen.hidden


def test_chips_are_told_from_squares_of_two_colours():
    """Draughts boards have eyes of their own, and those see by a lamp, too."""
    colours = "#c8a030", "#2c4030"
    papers = tuple(
        colours[(row + column) % 2] for row in range(10) for column in range(10)
    )
    style = BoardStyle(
        ground="#303030", ink=Ink(arrangement="none"), papers=papers, markers=False
    )
    bare = replace(
        overhead(sequence_board((50, 50)), 15, (1296, 972)), board_style=style
    )
    position = whole(POSITION).translate(str.maketrans("wWR", "ggr"))
    scene = replace(bare, pieces=pieces(position), light=WARM, seed=3)
    noisy = replace(scene, sensor=Sensor(noise=3, blur=1.5))
    looks = Look("red"), Look("green")
    empty, corners = draw(bare), bare.corners()
    made = calibrate(
        "gridlock", bare.board.written, empty, corners=corners, looks=looks
    )

    seen = made.table.reader().read(Frame(draw(noisy)))

    assert position_of(bare.board, seen) == position


def test_the_network_is_small():
    """What comes with the program is below two megabytes each."""
    models: dict[tuple[str, str], int] = {}  # pairs of networks, and last looks
    for file in Path(closer.__file__).parent.glob("*.npz"):
        kind, _, lessons = file.stem.partition("-")
        model = "pair" if kind in ("network", "closer") else kind, lessons
        models[model] = models.get(model, 0) + file.stat().st_size

    lasts = {
        ("relation", "paper"),
        ("relation", "chequered"),
        ("tops", ""),
        ("prints", ""),
        ("prints", "windows"),
    }
    assert models.keys() == lasts | {("pair", lessons) for lessons in get_args(Lessons)}
    assert max(models.values()) < 2_000_000


def test_looks_do_not_depend_on_their_order():
    """Looks are told apart by what they are like, not by where they are listed."""
    rng = np.random.default_rng(1)
    picture = rng.normal(-0.5, 0.4, (CHANNELS, 56, 80)).astype(np.float32)
    lean = rng.normal(0, 0.3, (4, 6, 2)).astype(np.float32)
    looks = rng.normal(-0.5, 0.4, (3, TOLD)).astype(np.float32)

    network = trained("paper")
    seen = network.seen(picture, lean)
    forward = network.think(seen, looks).log_p
    backward = network.think(seen, looks[::-1]).log_p

    assert forward.shape == (24, 5)
    np.testing.assert_allclose(np.exp(forward).sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(forward[:, 2:], backward[:, :1:-1], atol=1e-4)


def test_a_closer_look_does_not_depend_on_the_order_of_looks():
    """Looks are told apart closely by what they are like, too."""
    rng = np.random.default_rng(1)
    photo = rng.normal(-0.5, 0.4, (24, closer.CHANNELS, 48, 48)).astype(np.float32)
    lean = rng.normal(0, 0.3, (4, 6, 2)).astype(np.float32)
    looks = rng.normal(-0.5, 0.4, (3, closer.TOLD)).astype(np.float32)
    log_p = np.log(rng.dirichlet(np.ones(5), 24)).astype(np.float32)
    log_p[3] = np.log((1e-4, 1e-4, 1e-4, 0.9996, 1e-4))  # one to compare with
    h, own = rng.random((24, 128), np.float32), rng.random((24, TOLD), np.float32)
    first, again = rng.random((2, 3, 24, 32), np.float32)
    named, asked = np.array((True, False, False)), np.array((0, 7, 20))

    def look(order):
        before = np.concatenate((log_p[:, :2], log_p[:, 2:][:, order]), axis=1)
        why = first[order], again[order]
        thoughts = Thoughts(before, h, own, before, np.zeros((24, 0), "f4"), why)
        return closer.trained("paper").log_p(
            lambda cells: photo[cells].swapaxes(0, 1),
            lean,
            thoughts,
            asked,
            looks[order],
            named[order],
        )

    forward, backward = look([0, 1, 2]), look([2, 1, 0])

    assert forward.shape == (3, 5)
    np.testing.assert_allclose(np.exp(forward).sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(forward[:, 2:], backward[:, :1:-1], atol=1e-4)
    assert np.abs(forward - log_p[asked]).max() > 1e-3


def test_a_closer_look_takes_its_numbers_in_the_order_it_was_taught_them():
    """What it sees, how far pieces differ, what was thought: see its `Seen.h`."""
    rng = np.random.default_rng(2)
    photo = rng.normal(-0.5, 0.4, (2, closer.CHANNELS, 48, 48)).astype(np.float32)
    lean = np.zeros((1, 2, 2), np.float32)
    looks = rng.normal(-0.5, 0.4, (2, closer.TOLD)).astype(np.float32)
    log_p = np.log(np.full((2, 4), 0.25, np.float32))
    own = np.zeros((2, TOLD), np.float32)
    why = tuple(np.zeros((2, 2, 2, 32), np.float32))
    weights = network.weights("closer-paper")
    deaf = {name: weights[name].copy() for name in ("see.weight", "ground1.weight")}
    for rows in deaf.values():
        rows[128 + closer.SPREAD :] = 0

    def change(eyes):
        seen = [
            eyes.log_p(
                lambda cells: photo[cells].swapaxes(0, 1),
                lean,
                Thoughts(
                    log_p,
                    np.full((2, 128), thought, np.float32),
                    own,
                    log_p,
                    np.zeros((2, 0), np.float32),
                    why,
                ),
                np.array((0, 1)),
                looks,
                np.zeros(2, bool),
            )
            for thought in (0, 1)
        ]
        return np.abs(seen[0] - seen[1]).max()

    assert change(Closer(weights)) > 0.1
    assert change(Closer({**weights, **deaf})) < 1e-5


def test_what_may_be_covered_is_looked_at_closely_unless_it_surely_is():
    """A lone piece is strange enough to look like a thing; an arm is one."""
    p = np.array(
        (
            (0.9995, 0.0004, 0.0001),  # clear
            (0.01, 0.69, 0.30),  # a piece, or something that covers it
            (0.01, 0.985, 0.005),  # covered
            (0.10, 0.05, 0.85),  # a piece, or none
        )
    )

    assert doubtful(np.log(p), 0.999).tolist() == [1, 3]


def test_whose_a_turned_chip_is_needs_no_closer_look():
    """Backs may be alike; whether one lies there is another question."""
    p = np.array(
        (
            (0.0001, 0.0001, 0.0003, 0.5, 0.4995),  # turned, by whomever
            (0.0001, 0.0001, 0.0498, 0.5, 0.45),  # turned, or not
        )
    )

    assert doubtful(np.log(p), 0.999, backs=(3, 4)).tolist() == [1]


def test_the_surest_pieces_of_the_looks_in_question_are_compared_with():
    """Two at most for each look, none of them in question itself."""
    p = np.full((6, 5), 1e-9)
    p[0, 2], p[0, 3] = 0.998, 0.002  # in question: the first or the second look
    p[1, 2], p[2, 2], p[3, 2] = 0.995, 0.999, 0.992
    p[4, 3] = 0.98  # not sure enough
    p[5, 4] = 0.9999  # of a look that is not in question

    looks, cells = _surest(np.log(p), np.array([0]))

    assert sorted(zip(looks.tolist(), cells.tolist(), strict=True)) == [(0, 1), (0, 2)]


def test_how_far_pieces_of_a_look_differ_is_known_from_two_on():
    """One piece says nothing; pieces that differ more say so, in tint and in shade."""
    maps = closer.MAPS
    apart = np.zeros((2, closer.TOLD), np.float32)
    apart[:, :3] = ((0.1, 0.1, 0.1), (-0.1, -0.1, -0.1))  # brightness of one colour

    alone = _spread(apart[:1], 0.0)
    once, twice = _spread(apart, 1.0), _spread(2 * apart, 1.0)

    assert alone.shape == (closer.SPREAD,)
    assert not alone.any()
    grown = np.flatnonzero(twice > once + 0.1)
    assert grown.tolist() == [maps]


@pytest.mark.parametrize(
    ("change", "looked"),
    [
        ({}, False),
        ({"sensor": DIM}, True),
        ({"sensor": DIM, "hands": (Hand((220.0, 180.0), heading=70.0),)}, False),
        ({"sensor": DIM, "cards": (Card("7H", (480.0, 480.0), 20.0),)}, True),
    ],
    ids=["clear", "in doubt", "beside a hand", "beside a card"],
)
def test_only_what_is_in_doubt_is_looked_at_closely(
    bare, table, monkeypatch, change, looked
):
    """A closer look is for few squares, never for all."""
    asked = []
    log_p = Closer.log_p

    def counted(self, photo, lean, thoughts, cells, looks, named):
        asked.append(len(cells))
        return log_p(self, photo, lean, thoughts, cells, looks, named)

    reader = table.reader()
    monkeypatch.setattr(Closer, "log_p", counted)
    scene = replace(bare, pieces=pieces(POSITION), seed=5, **change)
    reader.read(Frame(draw(scene)))

    assert bool(asked) == looked
    assert max(asked, default=1) < 50


@pytest.fixture
def doubted(bare, table, monkeypatch):
    """A square that is in doubt at first sight, and how often it was looked at.

    The first sight of it is always the same, whatever lies there.
    """
    at = bare.board.cells.index("c3")
    doubt = np.full(2 + len(table.looks), 1e-3)
    doubt[[2 + table.looks.index(look) for look in ("white", "red")]] = 0.5
    looked = []
    think, log_p = Network.think, Closer.log_p

    def in_doubt(self, seen, looks, *known):
        thoughts = think(self, seen, looks, *known)
        thoughts.log_p[at] = np.log(doubt / doubt.sum())
        return thoughts

    def counted(self, around, lean, thoughts, cells, *known):
        looked.extend(cells[cells == at])
        return log_p(self, around, lean, thoughts, cells, *known)

    monkeypatch.setattr(Network, "think", in_doubt)
    monkeypatch.setattr(Closer, "log_p", counted)
    return looked


def test_what_looks_as_it_did_is_not_looked_at_again(bare, table, doubted):
    """What a closer look told of a square holds while nothing changes there."""
    scene = replace(bare, pieces=pieces(POSITION) | {Cell("c3"): Piece(Look("red"))})
    reader = table.reader()

    once = reader.read(Frame(draw(replace(scene, seed=5))))
    looks = len(doubted)
    twice = reader.read(Frame(draw(replace(scene, seed=6))))

    assert 0 < looks == len(doubted)
    assert once.likely(Cell("c3")) == "red"
    assert twice.log_p[Cell("c3")] == pytest.approx(once.log_p[Cell("c3")])


def test_where_looks_hardly_differ_squares_are_looked_at_again(
    bare, table, doubted, monkeypatch
):
    """A white back on a white chip: one that was turned over looks as it did."""
    hardly = dict.fromkeys(table.looks, 0.001)
    monkeypatch.setattr(chips, "apart", lambda *samples: hardly)
    scene = replace(bare, pieces=pieces(POSITION) | {Cell("c3"): Piece(Look("red"))})
    reader = table.reader()

    reader.read(Frame(draw(replace(scene, seed=5))))
    looks = len(doubted)
    reader.read(Frame(draw(replace(scene, seed=6))))

    assert len(doubted) > looks


def test_what_was_told_before_is_not_told_of_what_now_seems_sure(
    bare, table, monkeypatch
):
    """It may have been turned back: a white back on a white chip hardly shows."""
    at, looks = bare.board.cells.index("c3"), table.looks

    def likely(look, p):
        told = np.full(2 + len(looks), 1e-6)
        told[2 + looks.index("red")] = 1 - p
        told[2 + looks.index(look)] = p
        return np.log(told / told.sum()).astype(np.float32)

    monkeypatch.setattr(ChipReader, "_by_print", lambda *photo: photo[4])
    monkeypatch.setattr(ChipReader, "_otherwise", lambda *photo: photo[5])
    reader, scene = table.reader(), replace(bare, pieces=pieces(POSITION))
    told = []
    for look, first in (("white-turned", 0.95), ("white", 0.9995)):
        let_eyes_say(
            monkeypatch,
            at,
            likely("white", first),
            lambda _, look=look: likely(look, 0.9999),
        )
        seen = reader.read(Frame(draw(replace(scene, seed=5))))
        told.append(seen.likely(Cell("c3")))

    assert told == ["white-turned", "white"]


def test_what_three_looks_told_is_not_looked_at_again(bare, table, monkeypatch):
    """A less clear answer is asked for until the referee has heard it often enough."""
    at = bare.board.cells.index("d3")
    doubt = np.full(2 + len(table.looks), 1e-5)
    doubt[[2 + table.looks.index(look) for look in ("white", "red")]] = 0.01, 0.99
    nearly = doubt.copy()
    nearly[2 + table.looks.index("white")] = 4e-4
    doubt, nearly = (np.log(p / p.sum()).astype(np.float32) for p in (doubt, nearly))
    asked = []

    def closely(_):
        asked.append(at)
        return nearly

    let_eyes_say(monkeypatch, at, doubt, closely)
    monkeypatch.setattr(ChipReader, "_by_print", lambda *photo: photo[4])
    monkeypatch.setattr(ChipReader, "_otherwise", lambda *photo: photo[5])
    lying = pieces(POSITION) | {Cell("g8"): Piece(Look("white"))}
    reader, scene = table.reader(), replace(bare, pieces=lying)
    often, told = [], []
    for seed in range(5, 10):
        seen = reader.read(Frame(draw(replace(scene, seed=seed))))
        often.append(len(asked))
        told.append(seen.log_p[Cell("d3")]["red"])

    assert often == [1, 2, 3, 3, 3]
    np.testing.assert_allclose(told, told[0], atol=1e-4)


def test_a_piece_put_for_another_is_looked_at_anew(bare, table, doubted):
    """However alike both are at first sight; what was told of one is not the other."""
    lying = pieces(POSITION)
    red, white = (lying | {Cell("c3"): Piece(Look(look))} for look in ("red", "white"))
    reader = table.reader()

    first = reader.read(Frame(draw(replace(bare, pieces=red, seed=5))))
    looks = len(doubted)
    then = reader.read(Frame(draw(replace(bare, pieces=white, seed=6))))

    assert len(doubted) > looks
    assert first.likely(Cell("c3")) == "red"
    assert then.likely(Cell("c3")) == "white"


def test_what_stayed_in_doubt_is_looked_at_anew(bare, table, doubted, monkeypatch):
    """Pieces that were learnt since may tell."""
    lying = pieces(POSITION) | {Cell("c3"): Piece(Look("red"))}
    looked = ChipReader._closely

    def open_to_the_end(self, sight, lean, thoughts, cells):
        looked(self, sight, lean, thoughts, cells)
        return thoughts.log_p, None

    reader = table.reader()
    alone(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(ChipReader, "_closely", open_to_the_end)
        once = reader.read(Frame(draw(replace(bare, pieces=lying, seed=5))))
    looks = len(doubted)
    twice = reader.read(Frame(draw(replace(bare, pieces=lying, seed=6))))

    assert once.confidence(Cell("c3")) < 0.9
    assert len(doubted) > looks
    assert twice.likely(Cell("c3")) == "red"
    assert twice.confidence(Cell("c3")) > 0.99


@pytest.fixture
def mistaken(bare, table, monkeypatch):
    """Let all eyes take the chip on c3 for a white one from now on, surely."""
    at = bare.board.cells.index("c3")
    white = np.full(2 + len(table.looks), 1e-4)
    white[2 + table.looks.index("white")] = 1.0
    white = np.log(white / white.sum())

    def begin():
        let_eyes_say(monkeypatch, at, white, lambda _: white)

    return begin


def test_what_looks_as_it_did_is_no_other_piece(bare, table, mistaken):
    """Of two answers to one picture, however sure, nobody knows which is wrong."""
    lying = pieces(POSITION) | {Cell("c3"): Piece(Look("red"))}
    reader = table.reader()

    before = reader.read(Frame(draw(replace(bare, pieces=lying, seed=5))))
    mistaken()
    more = lying | {Cell("c4"): Piece(Look("white"))}
    after = [
        reader.read(Frame(draw(replace(bare, pieces=more, seed=seed))))
        for seed in (6, 7)
    ]

    assert before.likely(Cell("c3")) == "red"
    assert before.confidence(Cell("c3")) > 0.999
    assert all(look.confidence(Cell("c3")) < 0.99 for look in after)
    assert all(look.confidence(Cell("c4")) > 0.999 for look in after)


def test_what_was_seen_in_another_light_is_no_doubt(bare, table, mistaken, monkeypatch):
    """In the dark all looks alike; what was misread there is not believed later."""
    lying = pieces(POSITION) | {Cell("c3"): Piece(Look("red"))}
    reader = table.reader()

    mistaken()
    dark = reader.read(Frame(draw(replace(bare, pieces=lying, sensor=DIM))))
    monkeypatch.undo()
    lit = reader.read(Frame(draw(replace(bare, pieces=lying, seed=6))))

    assert dark.likely(Cell("c3")) == "white"
    assert lit.likely(Cell("c3")) == "red"
    assert lit.confidence(Cell("c3")) > 0.999


def test_a_look_tells_the_light(bare, table):
    """As much as it changed, by colour, since the calibration."""
    reader = table.reader()

    def light(**change):
        scene = replace(bare, pieces=pieces(POSITION), **change)
        return np.array(reader.read(Frame(draw(scene))).light)

    daylight, again, dim = light(), light(seed=7), light(sensor=Sensor((0.5, 0.5, 0.5)))
    blue, green, red = light(light=WARM)

    np.testing.assert_allclose(daylight, 0, atol=0.02)
    np.testing.assert_allclose(again, daylight, atol=0.01)
    np.testing.assert_allclose(dim, dim.mean(), atol=0.05)
    assert dim.mean() < -0.2
    assert blue < green - 0.1 < red - 0.2


def test_what_looks_otherwise_may_be_another_piece(bare, table, mistaken):
    """Chips are turned over and exchanged."""
    lying = pieces(POSITION) | {Cell("c3"): Piece(Look("red"))}
    reader = table.reader()

    reader.read(Frame(draw(replace(bare, pieces=lying, seed=5))))
    mistaken()
    lying[Cell("c3")] = Piece(Look("white"))
    after = reader.read(Frame(draw(replace(bare, pieces=lying, seed=6))))

    assert after.likely(Cell("c3")) == "white"
    assert after.confidence(Cell("c3")) > 0.999


def test_lessons_wait_until_they_are_asked_for():
    """Few photos ask for more than the first sight; but no more than some wait."""
    seen = []

    def see(lesson):
        seen.append(lesson)
        return [np.full(3, value) for value in lesson.kinds.values()]

    told = _Told([1.0, 3.0], np.zeros((2, 3)), see)
    lessons = [_Lesson(None, None, {5: 3.0, 7: 3.0}, None)] * 3

    for lesson in lessons:
        told.learn(lesson)
    assert not seen

    np.testing.assert_array_equal(told(), [[0.0] * 3, [3.0] * 3])
    assert seen == lessons
    told()
    assert seen == lessons

    for lesson in lessons * 3:
        told.learn(lesson)
    assert len(seen) > len(lessons)


def test_what_stays_in_doubt_is_seen_in_other_views(bare, table, monkeypatch):
    """The same cells upside down, then mirrored, and upside down by other eyes."""
    looks = []
    log_p = Closer.log_p

    def seen(self, around, lean, thoughts, cells, *known):
        found = log_p(self, around, lean, thoughts, cells, *known)
        looks.append((cells, around(cells), lean, thoughts, found))
        return found

    reader = table.reader()
    monkeypatch.setattr(Closer, "log_p", seen)
    alone(monkeypatch)
    scene = replace(bare, pieces=pieces(POSITION), sensor=DIM, seed=5)
    read = reader.read(Frame(draw(scene)))

    asked, shown, leans, thoughts, found = zip(*looks, strict=True)
    first, again, left, theirs = asked
    upright, rotated, mirrored, others = shown
    np.testing.assert_array_equal(again, first)
    np.testing.assert_array_equal(rotated, upright[..., ::-1, ::-1])
    np.testing.assert_array_equal(leans[1], -leans[0])
    np.testing.assert_array_equal(theirs, left)
    np.testing.assert_array_equal(others, mirrored[..., ::-1, :])
    np.testing.assert_array_equal(leans[2], leans[0] * (-1, 1))
    np.testing.assert_array_equal(leans[3], leans[1])
    for view in thoughts[1:3]:  # of the same cells, wherever they are seen
        both = np.exp(thoughts[0].log_p[:, 0]), np.exp(view.log_p[:, 0])
        assert np.corrcoef(*both)[0, 1] > 0.9
    once, twice, thirdly, fourthly = found
    free = [n for n, at in enumerate(first) if bare.board.cells[at] in read.log_p]
    assert set(left) & set(first[free])
    for n in free:
        mean = (once[n] + twice[n]) / 2
        mean -= np.log(np.exp(mean).sum())
        for mine, other in zip(
            thirdly[left == first[n]], fourthly[left == first[n]], strict=True
        ):
            mean = 0.65 * ((twice[n] + mine) / 2 + other)
        mean = np.exp(mean)
        expected = np.delete(mean / mean.sum(), 1)
        given = read.log_p[bare.board.cells[first[n]]]
        own = np.exp([given[look] for look in (EMPTY, *table.looks)])
        np.testing.assert_allclose(own, expected, atol=0.05 + mean[1] / mean.sum())


@pytest.mark.parametrize(
    ("theirs", "sure"),
    [
        ((1e-4, 0.9998, 1e-4), "white"),
        ((1e-4, 1e-4, 0.9998), None),
        ((1e-4, 0.95, 0.05), None),
        ((0.05, 0.95, 1e-4), "white"),
    ],
    ids=["sure", "of another", "the same doubt", "another doubt"],
)
def test_eyes_that_had_other_lessons_count_as_much(
    bare, table, monkeypatch, theirs, sure
):
    """What both pairs take a piece for, it is, if they do not share a doubt."""
    cell, at = Cell("c3"), bare.board.cells.index(Cell("c3"))

    def answer(empty, white, red):
        every = np.full(2 + len(table.looks), 1e-6)
        every[0] = empty
        every[[2 + table.looks.index(look) for look in ("white", "red")]] = white, red
        return np.log(every / every.sum())

    mine = answer(1e-4, 0.98, 0.02)

    own = closer.trained("paper")
    let_eyes_say(
        monkeypatch, at, mine, lambda eyes: mine if eyes is own else answer(*theirs)
    )
    alone(monkeypatch)
    scene = replace(bare, pieces={cell: Piece(Look("white"))}, seed=5)
    read = table.reader().read(Frame(draw(scene)))

    said = read.likely(cell) if read.confidence(cell) > 0.99 else None
    assert said == sure


def test_what_is_open_to_the_end_is_held_against_pieces_beside(
    bare, table, monkeypatch
):
    """Pieces that lie near in the same light tell whose one is; only where in doubt."""
    scene = replace(bare, pieces=pieces(POSITION), sensor=DIM, seed=8)
    looks = [*scene.looks().values()]
    doubted = [n for n, look in enumerate(looks) if look in ("white", "red")][::3]
    columns = ["empty", "", *table.looks]
    codes = [columns.index(look) for look in looks]
    asked = []
    log_p = Relation.log_p

    def open_to_the_end(self, sight, lean, thoughts, cells):
        found = np.full_like(thoughts.log_p, np.log(1e-4))
        found[np.arange(len(codes)), codes] = np.log(0.9996)
        both = [columns.index(look) for look in ("white", "red")]
        found[np.ix_(doubted, both)] = np.log(0.4998)
        return found, None

    def counted(self, around, lean, before, cells, known):
        asked.append(cells)
        return log_p(self, around, lean, before, cells, known)

    monkeypatch.setattr(ChipReader, "_closely", open_to_the_end)
    monkeypatch.setattr(Relation, "log_p", counted)
    seen = table.reader().read(Frame(draw(scene)))

    assert len(doubted) > 3
    assert sorted(asked[0]) == doubted
    for number in doubted:
        cell = bare.board.cells[number]
        assert seen.likely(cell) == looks[number]
        assert seen.confidence(cell) > 0.8


@pytest.mark.parametrize(
    ("papers", "asked", "power"),
    [
        ((), ["paper", "chequered"], 0.5),
        (("#e9e2d0", "#5a3a2a") * 5 + ("#5a3a2a", "#e9e2d0") * 5, ["chequered"], 0.65),
    ],
    ids=["of one paper", "chequered"],
)
def test_who_looks_beside_and_what_was_thought_before_count(
    bare, monkeypatch, papers, asked, power
):
    """Each is too sure of what it had not learnt, and seldom all are."""
    style = replace(bare.board_style, papers=papers * 5)
    reader = calibrated(replace(bare, board_style=style), KINDS).reader()._chips
    names = {relation.trained(lessons): lessons for lessons in ("paper", "chequered")}
    before = np.log(np.full((100, 2 + len(reader._looks)), 1e-6, np.float32))
    before[:, 0] = 0
    before[7, [0, 2, 3]] = np.log((0.6, 0.3, 0.1))
    theirs = np.log(np.full((1, before.shape[1]), 1e-6, np.float32))
    theirs[0, [0, 2, 3]] = np.log((0.05, 0.94, 0.01))
    told = []

    def say(self, around, lean, log_p, cells, known):
        assert cells.tolist() == [7]
        told.append(names[self])
        return theirs

    monkeypatch.setattr(Relation, "log_p", say)
    sight, lean, _ = reader._samples
    found = reader._beside(sight, lean, before.copy())

    assert told == asked
    every = np.exp(power * (before[7] + len(asked) * theirs[0]))
    np.testing.assert_allclose(np.exp(found[7]), every / every.sum(), rtol=1e-3)
    np.testing.assert_array_equal(found[:7], before[:7])


def test_the_pieces_to_compare_with_are_sure_ones_nearby():
    """Of each look four at most, for each cell in doubt the nearest one in turn."""
    log_p = np.full((25, 4), np.log(1e-4), np.float32)
    log_p[:, 0] = 0
    for cell, look in ((0, 2), (2, 2), (4, 2), (9, 2), (14, 2), (20, 2), (24, 3)):
        log_p[cell] = np.log((1e-4, 1e-4, 1e-4, 1e-4))
        log_p[cell, look] = np.log(0.995)
    log_p[19, 2], log_p[12, 3] = np.log(0.98), 0  # unsure, and asked itself

    looks, cells = nearest(log_p, np.array((12, 15)), 5)

    assert looks.tolist() == [0, 0, 0, 0, 1]
    assert set(cells[:2].tolist()) == {2, 20}
    assert len(set(cells.tolist())) == 5
    assert 19 not in cells
    assert cells[4] == 24


def test_a_last_look_does_not_depend_on_the_order_of_looks():
    """Nor on the order of what cells are held against."""
    rng = np.random.default_rng(4)
    crops = rng.normal(-0.5, 0.4, (closer.CHANNELS, 11, 48, 48)).astype(np.float32)
    eyes = relation.trained("paper")
    seen = eyes.seen(crops, rng.normal(0, 0.3, (11, 2)).astype(np.float32))
    look = np.array((0, 0, 1, 1, 2, 0, 1, 2))
    kind = np.array((SAMPLE, BESIDE, SAMPLE, BESIDE, BESIDE, NAME, NAME, NAME))
    known = Known(seen[3:], look, kind, np.arange(8))
    away = np.arange(24, dtype=np.float32).reshape(3, 8)
    before = np.log(rng.dirichlet(np.ones(5), 3)).astype(np.float32)
    back = np.array((0, 1, 4, 3, 2))
    mixed = rng.permutation(8)
    other = Known(seen[3:][mixed], 2 - look[mixed], kind[mixed], mixed)

    forward = eyes.held(seen[:3], known, away, before)
    backward = eyes.held(seen[:3], other, away[:, mixed], before[:, back])

    np.testing.assert_allclose(np.exp(forward).sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(forward[:, back], backward, atol=1e-4)
    assert np.abs(forward - before).max() > 1e-2


def test_a_closer_look_sees_the_same_as_the_network():
    """Four pixels of the whole photo are one of the network's picture."""
    rng = np.random.default_rng(3)
    side = 4 * CELL + CELL
    empty = np.kron(
        rng.integers(60, 220, (side // 4, side // 4, 3)), np.ones((4, 4, 1))
    )
    photo = 0.7 * empty
    photo[40:60, 60:90] = (30, 40, 200)
    board = EmptyBoard(empty.astype(np.uint8), 4, 4)

    sight = board.under(photo.astype(np.uint8))
    near = sight.around(np.array((9, 2)))  # in the third row, and in the first

    halved = near.reshape(7, 2, CELL, 2, CELL, 2).mean(axis=(3, 5))
    for number, (row, column) in enumerate(((2, 1), (0, 2))):
        top, left = row * CELL // 2, column * CELL // 2
        far = sight.whole[:7, top : top + CELL, left : left + CELL]
        np.testing.assert_allclose(halved[3:, number], far[3:], atol=0.01)
        assert np.abs(halved[:3, number] - far[:3]).mean() < 0.05


def test_a_chip_that_mirrors_a_lamp_is_brighter_than_its_sample():
    """Of chips of which nobody showed a sample that cannot be told."""
    dim = Sensor(gains=(0.6, 0.6, 0.6))
    bare = replace(overhead(sequence_board((50, 50)), 0, (864, 648)), sensor=dim)
    kinds = {Cell("c3"): Look("white"), Cell("g3"): Look("white-turned")}
    kinds |= {Cell("c7"): Look("red"), Cell("g7"): Look("red-turned")}
    photo = draw(replace(bare, pieces=pieces(POSITION)))
    lamps = {Cell("d1"), Cell("f6")}
    for at in lamps:
        place = bare.view.project([(*bare.middle(at), 0.0)])[0]
        cv2.circle(photo, np.rint(place).astype(int).tolist(), 11, (250,) * 3, -1)
    table = calibrated(bare, kinds)

    for way, dazzled in (
        (table, lamps),
        (replace(table, samples=None, kinds={}), set()),
    ):
        assert way.reader().read(Frame(photo)).dazzled == dazzled


def test_a_cell_is_read_in_the_light_of_the_others():
    """What other pieces of a photo are like says what the sample's look is there."""
    share = np.array([[1.0, 1.0, 1.0, 0.0]], np.float32)
    sample = np.full((1, TOLD), 2.0, np.float32)
    own = np.repeat([[3.0], [3.0], [9.0], [5.0]], TOLD, axis=1).astype(np.float32)

    others, typical = _typical(share, own, sample, np.arange(4))

    # Never the cell itself; and the sample as one more, moved as the others are.
    np.testing.assert_allclose(others[0, :, 0], [2, 2, 2, 3])
    moved = [(3 + 9 - 4) / 3, (3 + 9 - 4) / 3, (3 + 3 - 4) / 3, (3 + 3 + 9 - 6) / 4]
    total = [12, 12, 6, 15]
    expected = (np.array(total) + 2 + np.array(moved)) / np.array([3, 3, 3, 4])
    np.testing.assert_allclose(typical[0, :, 0], expected, rtol=1e-6)


def test_every_look_has_a_name():
    """All looks of a position can go by their names."""
    named = [look for letter, look in LOOKS.items() if letter != "*"]

    assert (
        len({tuple(trained("paper").called(name_of(look)).round(3)) for look in named})
        == 12
    )


def test_a_closer_look_tells_teams_apart(monkeypatch):
    """Where the network has no idea whose a peg is, all pixels have."""
    stand = replace(
        overhead(sequence_board((50, 50)), 25, (864, 648)),
        piece_style=PieceStyle(shape="peg", radius=0.18, height=16.0),
    )
    kinds = {Cell("c3"): Look("blue"), Cell("g3"): Look("yellow")}
    reader = calibrated(stand, kinds, "jacks-rule").reader()
    position = whole("b...y...../..y......b/....b...../.y......./......y")
    position += "/.........." * 5
    think = Network.think

    def undecided(self, seen, looks, *known):
        thoughts = think(self, seen, looks, *known)
        of_teams = thoughts.log_p[:, 2:]
        of_teams[:] = np.log(np.exp(of_teams).mean(axis=1, keepdims=True))
        return thoughts

    monkeypatch.setattr(Network, "think", undecided)
    scene = replace(stand, pieces=pieces(position), seed=4, light=WARM)
    seen = reader.read(Frame(draw(scene)))

    placed = scene.looks()
    best = {
        cell: max(looks, key=looks.__getitem__) for cell, looks in seen.log_p.items()
    }
    assert best == placed
    pegs = [seen.confidence(cell) for cell, look in placed.items() if look != "empty"]
    assert len(pegs) == 7
    assert np.median(pegs) > 0.9
