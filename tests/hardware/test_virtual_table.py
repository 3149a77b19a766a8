"""Hands act on the virtual table in their own time; a camera sees nothing else."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from companion.rules.board import Cell, Look
from hardware.virtual_table import ACT, LIGHTS, TableError, VirtualCamera, VirtualTable
from tests.scenes import overhead, pieces, sequence_board
from vision.scene import PieceStyle

C3, D3, E5 = Cell("c3"), Cell("d3"), Cell("e5")
RED, WHITE = Look("red"), Look("white")


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


def table_of(scene=None, clock=None, **options):
    scene = scene or overhead(sequence_board(), size=(324, 243))
    options = {"clock": clock or Clock(), "speed": math.inf, **options}
    return VirtualTable(scene, **options)


def test_pieces_lie_where_hands_put_them():
    """Put, turn, slide and take change the squares they name and nothing else."""
    table = table_of()
    table.put(C3, RED)
    table.put(E5, WHITE)
    table.turn_over(C3)
    table.slide(E5, D3)

    assert table.view()["pieces"] == {C3: "red-turned", D3: "white"}

    table.take(D3)
    table.turn_over(C3)

    assert table.view()["pieces"] == {C3: "red"}


def test_hand_comes_acts_and_leaves(clock):
    """A chip is held in the hand until the hand is there, then lies; the hand goes."""
    table = table_of(clock=clock, speed=1.0)
    table.put(C3, RED)

    clock.now += 0.5
    coming = table.scene()
    clock.now += 0.3 + ACT
    there = table.scene()
    clock.now += 2

    assert len(coming.hands) == 1
    assert [piece.look for piece, _ in coming.loose] == [RED]
    assert coming.pieces == {}
    assert len(there.hands) == 1
    assert list(there.pieces) == [C3]
    assert there.loose == ()
    assert not table.busy
    assert table.scene().hands == ()


def test_taken_piece_leaves_in_the_hand(clock):
    """A piece that was taken is carried away by the hand."""
    scene = replace(overhead(sequence_board()), pieces=pieces("../..r"))
    table = table_of(scene, clock, speed=1.0)
    table.take(Cell("c2"))

    clock.now += 0.8 + ACT + 0.1
    leaving = table.scene()

    assert leaving.pieces == {}
    assert [piece.look for piece, _ in leaving.loose] == [RED]


def test_one_hand_goes_from_square_to_square(clock):
    """A person's hand stays over the board for the next act; another's comes after."""
    table = table_of(clock=clock, speed=1.0)
    table.put(C3, RED, 0)
    table.put(D3, RED, 0)
    table.put(E5, WHITE, 1)

    seen = []
    while table.busy:
        scene = table.scene()
        seen.append((len(scene.hands), len(scene.pieces)))
        clock.now += 0.1

    assert all(hands == 1 for hands, count in seen if count == 1)
    assert max(hands for hands, _ in seen) == 1
    assert len(table.scene().pieces) == 3


def test_speed_changes_how_long_it_takes(clock):
    """At twice the speed a hand needs half the time."""
    lasted = {}
    for speed in (1.0, 2.0):
        table = table_of(clock=clock, speed=speed)
        table.put(C3, RED)
        began = clock.now
        while table.busy:
            clock.now += 0.01
        lasted[speed] = clock.now - began

    assert lasted[2.0] == pytest.approx(lasted[1.0] / 2, abs=0.03)


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda t: t.put(C3, WHITE), "A piece lies on c3 already; take it first."),
        (lambda t: t.take(E5), "Nothing lies on e5."),
        (lambda t: t.turn_over(E5), "Nothing lies on e5."),
        (lambda t: t.slide(C3, C3), "A piece lies on c3 already; take it first."),
        (lambda t: t.put(Cell("z9"), RED), 'There is no square "z9" on this board.'),
        (
            lambda t: t.put(E5, Look("pink")),
            'There are no "pink" pieces on this table.',
        ),
        (lambda t: t.take(C3, 2), "2 people sit at this table."),
        (lambda t: t.play_card(5, "7H"), "2 people sit at this table."),
        (lambda t: t.set_light("disco"), 'There is no light "disco"; try day,'),
    ],
)
def test_what_hands_cannot_do_is_refused(act, sentence):
    """The impossible is refused with a sentence and changes nothing."""
    table = table_of()
    table.put(C3, RED)

    with pytest.raises(TableError, match="^" + sentence.replace(".", r"\.")):
        act(table)

    assert table.view()["pieces"] == {C3: "red"}


def test_pegs_are_not_turned():
    """A peg has no other side."""
    scene = replace(
        overhead(sequence_board()),
        pieces=pieces("../..b"),
        piece_style=PieceStyle(shape="peg"),
    )

    with pytest.raises(TableError, match="Pegs"):
        table_of(scene).turn_over(Cell("c2"))


def test_a_second_piece_is_refused_while_the_first_is_on_its_way(clock):
    """What is asked for is judged against what will lie there by then."""
    table = table_of(clock=clock, speed=1.0)
    table.put(C3, RED)

    with pytest.raises(TableError):
        table.put(C3, WHITE)
    table.take(C3)
    table.put(C3, WHITE)
    clock.now += 60

    assert table.view()["pieces"] == {C3: "white"}


def test_cards_and_clearing():
    """Cards lie on the piles of those who played them, until the table is cleared."""
    table = table_of()
    table.play_card(0, "7H")
    table.play_card(1, "JS")
    table.play_card(0, "TC")
    table.put(C3, RED)

    assert table.view()["piles"] == [["7H", "TC"], ["JS"]]

    table.clear()

    assert table.view()["piles"] == [[], []]
    assert table.view()["pieces"] == {}


def test_view_is_json():
    """What the page shows of the table survives JSON."""
    view = table_of().view()

    assert json.loads(json.dumps(view)) == view


def test_led_pixels_light_the_squares_of_their_lamps():
    """The strip's order says which square glows."""
    table = table_of(lamps=(E5, C3))

    table.show_leds(np.array([[0, 0, 0], [255, 0, 0]], np.uint8))

    assert list(table.scene().leds) == [C3]
    assert table.scene().leds[C3][0] > 0.3


def test_bump_moves_the_picture():
    """A pushed camera sees the board elsewhere, turned as far as it was turned."""
    table = table_of()
    before = table.scene().corners()

    table.bump(30, -10, 4)

    after = table.scene().corners()
    edge = after[1] - after[0]
    assert np.linalg.norm((after - before).mean(0)) > 5
    assert np.degrees(np.arctan2(edge[1], edge[0])) == pytest.approx(4, abs=0.1)


def test_lights_differ():
    """Each named light gives another picture of the same table."""
    table = table_of()
    means = {}
    for name in LIGHTS:
        table.set_light(name)
        with VirtualCamera(table, rate=1000) as camera:
            means[name] = camera.read().image.mean((0, 1))

    blue, _, red = means["lamp"] / means["day"]
    assert red / blue > 1.3
    assert means["evening"].mean() < means["day"].mean()


def test_camera_photographs_what_lies_there(clock):
    """A frame shows the table's pieces, is numbered, timed and says it is virtual."""
    table = table_of()
    with VirtualCamera(table, clock=clock, sleep=clock.sleep) as camera:
        first = camera.read()
        table.put(C3, RED)
        second = camera.read()

    changed = np.abs(first.image.astype(int) - second.image).max(2) > 60
    rows, columns = np.nonzero(changed)
    x, y = table.scene().view.project([(*table.scene().place(C3), 4)])[0]
    assert (first.number, second.number) == (1, 2)
    assert second.taken_at - first.taken_at == pytest.approx(0.2)
    assert second.name == "virtual"
    assert np.hypot(np.median(columns) - x, np.median(rows) - y) < 3


def test_camera_rests_with_the_table():
    """While nothing changes the camera waits; a change wakes it at once."""
    table = table_of()
    seen = table.wait(-1, 0.0)

    assert seen == table.wait(seen, 0.01)
    table.put(C3, RED)
    assert seen < table.wait(seen, 10)


def test_closed_camera_gives_nothing():
    """After closing, reading ends instead of waiting."""
    camera = VirtualCamera(table_of(), rate=1000)
    with camera:
        pass

    assert camera.read() is None
