import math

import pytest
from click.testing import CliRunner

from calibration.demo import demo_scene
from companion.bots import Bots
from companion.cli import main
from companion.errors import CompanionError
from companion.people import VirtualPeople
from companion.rules.board import Cell, Look
from hardware.virtual_table import VirtualTable
from tests.companion.tables import GRIDLOCK, START, follow


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--game nogame", "there are gridlock"),
        ("--table demo --players A,B,C", "not by 3"),
        ("--table demo --rules foo", "name=value"),
        ("--table demo --rules runs-to-win=9", "runs-to-win"),
        ("--table demo --game boston", "no virtual table"),
        ("--table nowhere", "is no table"),
        ("--game states", "No table was calibrated"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(tmp_path, words, sentence):
    """A wish that cannot be met ends with status 2 and says why, at once."""
    runner = CliRunner(env={"COMPANION_HOME": str(tmp_path)})

    ended = runner.invoke(main, ["play", *words.split()])

    assert ended.exit_code == 2
    assert ended.output.startswith("companion: ")
    assert ended.output.count("\n") == 1
    assert sentence in ended.output


def test_the_hand_over_the_virtual_table_is_whose_chip_it_puts():
    """The player on turn acts; a chip is put by one who plays its colour."""
    hands = []

    class Hands(VirtualTable):
        def put(self, cell, look, person=0):
            hands.append((look, person))

        def take(self, cell, person=0):
            hands.append(("", person))

    names = enumerate(["white", "red", "white", "red"])
    players = [{"name": str(n), "team": team} for n, team in names]
    follower = follow({**GRIDLOCK, "players": players})
    table = Hands(demo_scene("gridlock", follower.game.board))
    bots = Bots(table, "sequence", follower.answer, seed=1)
    people = VirtualPeople(table, bots, lambda: None, hands.append)
    for place in ("d6", "e6"):
        follower.match.record(
            [follower.game.turn_of(follower.position, {"place": place})], START
        )
    people.read(follower.snapshot(1, "watching", ""))

    people.put(Cell("a2"), Look("white"))
    people.put(Cell("a3"), Look("red"))
    people.take(Cell("d6"))

    assert hands == [("white", 2), ("red", 1), ("", 2)]


def test_a_table_seats_as_many_as_the_new_match_has():
    """Bots of a match of four lay cards for four; two again later, for two."""
    follower = follow(GRIDLOCK)
    table = VirtualTable(demo_scene("gridlock", follower.game.board), clock=lambda: 0.0)

    table.seat(4)
    table.play_card(3, "KS")
    table.seat(2)
    assert len(table.view()["piles"]) == 4  # the fourth hand is still at work

    table.set_speed(math.inf)
    table.seat(2)
    assert table.view()["piles"] == [[], []]
    with pytest.raises(CompanionError, match="2 people"):
        table.play_card(3, "KS")
