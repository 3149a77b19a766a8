import math
from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest

from calibration.demo import demo_scene
from companion.bots import Bots
from companion.follower import Follower, Sight
from companion.record import header_of, open_game
from companion.rules.verdict import Kind
from companion.snapshot import NewMatch, TakeBack
from hardware.virtual_table import VirtualTable
from tests.companion.tables import GRIDLOCK, JACKS, START, follow, observe

STATES = {
    **GRIDLOCK,
    "game": "states",
    "players": [{"name": "Ann", "team": "blue"}, {"name": "Ben", "team": "green"}],
}
BOARDS = {"gridlock": "sequence", "jacks-rule": "sequence", "states": "states-sample"}


class Evening:
    """Bots at a table whose every look is perfect, on a clock of its own."""

    def __init__(self, header, seed=1):
        header = {**header, "board": BOARDS[header["game"]]}
        match = follow(header, sighted=False).match
        teams = tuple(player["team"] for player in header["players"])
        sight = Sight(header["game"], header["board"], teams)
        self.follower = Follower(match, lambda: START, sight)
        board = open_game(header_of(header)).board
        scene = demo_scene(header["game"], board)
        self.table = VirtualTable(scene, speed=math.inf, clock=lambda: self.now)
        self.bots = Bots(self.table, header["board"], self.follower.answer, seed)
        self.now = 0.0
        self.number = 0
        self.kinds = Counter()

    def glance(self):
        """Let the referee look, then the bots; 0.7 s pass."""
        self.now += 0.7
        verdict = self.follower.look(observe(self.follower, self.table.looks()))
        self.kinds[verdict.kind] += 1
        self.number += 1
        self.bots.tick(self.follower.snapshot(1, "watching", ""), self.now)

    def play(self, until, most=600):
        for _ in range(most):
            self.glance()
            if until():
                return
        pytest.fail("they never got there")

    @property
    def outcome(self):
        return self.follower.match.game.outcome


@pytest.mark.parametrize("header", [GRIDLOCK, JACKS, STATES])
def test_bots_play_a_whole_game_without_a_fault(header):
    """A game of bots ends, and the referee has nothing to say against it."""
    evening = Evening(header)

    evening.play(lambda: evening.outcome is not None)

    assert evening.kinds[Kind.ILLEGAL] == evening.kinds[Kind.UNCERTAIN] == 0
    assert evening.outcome.winners


def test_the_same_seed_plays_the_same_game():
    """Bots are as repeatable as their seed."""
    games = []
    for _ in range(2):
        evening = Evening(GRIDLOCK, seed=5)
        evening.play(lambda: len(evening.follower.match.game.lines) >= 12)  # noqa: B023
        games.append(evening.follower.match.game.lines[:12])

    assert games[0] == games[1]


def test_every_card_is_of_one_deck():
    """Hands, stock and piles together are always the two decks."""
    evening = Evening(GRIDLOCK)
    evening.play(lambda: len(evening.follower.match.game.lines) >= 20)

    cards = evening.bots._cards
    total = Counter([*cards.stock, *cards.played, *chain(*cards.hands)])

    assert sum(total.values()) == 104
    assert set(total.values()) == {2}


def test_bots_rest_and_take_single_turns():
    """Stopped bots do nothing; a step is one turn."""
    evening = Evening(GRIDLOCK)
    evening.bots.running = False
    for _ in range(10):
        evening.glance()
    assert not evening.follower.match.game.lines

    evening.bots.step()
    for _ in range(10):
        evening.glance()

    assert len(evening.follower.match.game.lines) == 1


def test_bots_give_way_to_a_person():
    """While something lies wrong that they did not do, they wait."""
    evening = Evening(GRIDLOCK)
    evening.play(lambda: len(evening.follower.match.game.lines) >= 3)
    free = next(
        cell for cell, look in evening.table.looks().items()
        if look == "empty" and evening.follower.game.board.label(cell)
    )  # fmt: skip
    evening.table.put(free, "white")
    evening.table.put("a2" if free != "a2" else "a3", "white")
    lines = len(evening.follower.match.game.lines)

    for _ in range(30):
        evening.glance()

    assert len(evening.follower.match.game.lines) == lines
    assert evening.table.looks()[free] == "white"


def test_bots_put_right_what_they_did():
    """A turn taken back on the page is taken back on the table, and play goes on."""
    evening = Evening(GRIDLOCK)
    evening.play(lambda: len(evening.follower.match.game.lines) >= 3)
    evening.bots.running = False
    evening.glance()
    evening.follower.answer(TakeBack())
    evening.bots.running = True

    evening.play(lambda: len(evening.follower.match.game.lines) >= 6)


def test_the_next_game_begins_on_a_cleared_table():
    """After a game the table is cleared and the next one of the match begins."""
    header = {**GRIDLOCK, "rules": {"runs-to-win": 1}}
    evening = Evening(header)
    evening.follower.match.begin({**header, "board": "sequence"}, START, best_of=3)

    evening.play(lambda: len(evening.follower.match.games) == 2)
    evening.play(lambda: len(evening.follower.match.game.lines) >= 4)

    assert sum(evening.follower.match.wins().values()) == 1


def test_a_new_match_in_the_middle_of_a_game_begins_on_a_cleared_table():
    """What lies there is taken off, and they play on."""
    evening = Evening(GRIDLOCK)
    evening.play(lambda: len(evening.follower.match.game.lines) >= 5)
    header = {**GRIDLOCK, "players": GRIDLOCK["players"][::-1]}
    evening.follower.answer(NewMatch(header))

    evening.play(lambda: len(evening.follower.match.game.lines) >= 3)

    assert evening.kinds[Kind.ILLEGAL] == 0
    assert evening.follower.match.game.header["players"] == header["players"]


def test_bots_leave_the_table_alone_while_another_game_is_told():
    """Chips cannot play Boston; they wait until their game comes back."""
    evening = Evening(GRIDLOCK)
    players = [{"name": "Ann", "team": "red"}, {"name": "Ben", "team": "green"}]
    boston = {"record": 1, "game": "boston", "players": players, "rules": {}}
    evening.follower.answer(NewMatch(boston))

    evening.bots.tick(evening.follower.snapshot(1, "no-camera", ""), 9.0)
    evening.bots.tick(evening.follower.snapshot(1, "no-camera", ""), 99.0)

    assert set(evening.table.looks().values()) == {"empty"}


def test_a_scene_of_another_game_is_refused():
    """A game without a box on the virtual table is refused in a sentence."""
    board = open_game(header_of(GRIDLOCK)).board

    with pytest.raises(Exception, match="no virtual table"):
        demo_scene("boston", board)


def test_demo_scenes_show_the_printed_board():
    """The virtual board has the cards of the real one."""
    board = open_game(header_of(GRIDLOCK)).board

    scene = demo_scene("gridlock", board)

    assert [scene.board.label(cell) for cell in scene.board.cells] == [
        board.label(cell) for cell in board.cells
    ]
    assert replace(scene, seed=1).looks()["d4"] == "empty"
