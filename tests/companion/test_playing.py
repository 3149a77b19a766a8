import json
import math
import threading
from dataclasses import replace
from datetime import date

import pytest
from click.testing import CliRunner

from calibration.demo import demo_scene, demo_table
from companion.bots import Bots
from companion.cli import main
from companion.errors import CompanionError
from companion.games import GAMES
from companion.people import VirtualPeople
from companion.playing import Wishes, play
from companion.rules.board import Cell, Look
from companion.session import Session
from companion.snapshot import Correct, NewMatch, TakeBack
from hardware.virtual_table import VirtualTable
from tests.companion.tables import GRIDLOCK, JACKS, START, follow
from tests.mock_pins import mock_pins


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--game nogame", "there are gridlock"),
        ("--table demo --players A,B,C", "not by 3"),
        ("--table demo --players Ann,Ann", "a name of their own"),
        ("--table demo --rules foo", "name=value"),
        ("--table demo --rules runs-to-win=9", "runs-to-win"),
        ("--table demo --game boston", "no virtual table"),
        ("--game boston --camera usb:0", "leave --camera away"),
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


@pytest.fixture
def wired(monkeypatch):
    """Return a function that wires controls to the demo's table."""

    def wire(controls):
        monkeypatch.setattr(
            "companion.playing.demo_table",
            lambda *which: replace(demo_table(*which), controls=controls),
        )

    return wire


made = {}


def calibrated(game, board, scene):
    """Return the demo's table, always the same; to calibrate it takes seconds."""
    if game not in made:
        made[game] = demo_table(game, board, scene)
    return made[game]


@pytest.fixture
def evening(tmp_path, monkeypatch):
    """Return a function that plays until a request is answered."""

    class Short(Session):
        def run(self, *eyes):
            evening.follower = self._follower
            self._follower.answer(evening.request)
            self._show()

    def evening(request, **wishes):
        evening.request = request
        every = dict.fromkeys(Wishes.__dataclass_fields__)
        every.update(rules=(), host="127.0.0.1", port=0, **wishes)
        evening.said = []
        play(Wishes(**every), tmp_path, evening.said.append)
        return evening.follower.match

    monkeypatch.setattr("companion.playing.Session", Short)
    monkeypatch.setattr("companion.playing.demo_table", calibrated)
    return evening


def test_a_game_is_taken_up_again_by_its_name_alone(evening):
    """Who played, and by which rules, need not be said twice; others begin anew."""
    corrected = Correct(Cell("d6"), Look("white"))
    cleared = Correct(Cell("d6"), Look("empty"))

    def played(request, **wishes):
        match = evening(request, folder="demo", game="gridlock", **wishes)
        return [p.name for p in match.game.game.players], len(match.game.lines)

    assert played(corrected, players="Zoe,Zac") == (["Zoe", "Zac"], 1)
    assert played(cleared) == (["Zoe", "Zac"], 2)
    assert evening(cleared, folder="demo", game="states").game.game.name == "states"
    assert played(corrected) == (["Zoe", "Zac"], 3)
    assert played(corrected, players="Ann,Ben") == (["Ann", "Ben"], 1)


def test_every_game_is_kept_in_a_file_of_its_own(evening, tmp_path):
    """Named after the table and the day; what was not played leaves none."""
    where = {"folder": "demo", "game": "gridlock"}
    header = {**GRIDLOCK, "board": "sequence"}
    name = tmp_path / "records" / f"demo-gridlock-{date.today()}"
    first, second, third = (
        name.with_name(f"{name.name}{at}.jsonl") for at in ("", "-2", "-3")
    )

    def played(request, **wishes):
        evening(request, **where, **wishes)
        assert " at http" in evening.said[0]  # what everybody looks for comes first
        return [said for said in evening.said if "kept" in said]

    def kept(file):
        header, *lines = map(json.loads, file.read_text().splitlines())
        return [player["name"] for player in header["players"]], len(lines)

    put, more = (Correct(Cell(at), Look("white")) for at in ("d6", "e6"))
    assert played(put, players="Zoe,Zac") == [f"The game is kept in {first}."]
    assert played(more) == [f"The game is kept in {first}."]
    assert played(NewMatch(header)) == [f"The game is kept in {first}."]
    assert played(put) == [f"The game is kept in {second}."]
    assert played(more, players="Zoe,Zac") == [
        f"An unfinished game is given up. The game is kept in {second}.",
        f"The game is kept in {third}.",
    ]

    assert sorted((tmp_path / "records").glob("*.jsonl")) == [second, third, first]
    assert [kept(file)[1] for file in (first, second, third)] == [2, 1, 1]
    assert kept(first)[0] == kept(third)[0] == ["Zoe", "Zac"]


def test_what_was_taken_back_is_not_kept(evening, tmp_path):
    """The record on the disk is the game's, also when its only line is gone."""
    where = {"folder": "demo", "game": "gridlock"}
    evening(Correct(Cell("d6"), Look("white")), **where)
    (record,) = (tmp_path / "records").glob("*.jsonl")
    assert len(record.read_text().splitlines()) == 2

    evening(TakeBack(), **where)

    assert len(record.read_text().splitlines()) == 1


def test_a_table_calibrated_otherwise_begins_anew(evening, tmp_path):
    """Its camera cannot read what was played with other chips."""
    scene = demo_scene("jacks-rule", follow(JACKS).game.board)
    table = demo_table("jacks-rule", GAMES["jacks-rule"].boards[0], scene)
    taken = replace(table, camera=str(tmp_path / "camera"))
    (tmp_path / "camera").mkdir()
    corrected = Correct(Cell("d6"), table.looks[0])
    taken.save(tmp_path / "table")
    assert len(evening(corrected, folder=tmp_path / "table").game.lines) == 1
    assert len(evening(corrected, folder=tmp_path / "table").game.lines) == 2

    others = tuple(Look(team) for team in ("white", "black"))
    other = replace(taken, looks=others, samples=None, kinds={})
    other.save(tmp_path / "table")

    match = evening(TakeBack(), folder=tmp_path / "table")
    assert match.game.lines == []
    assert {p.team for p in match.game.game.players} == set(others)


def test_a_game_is_kept_where_it_is_said(evening, tmp_path):
    """The next game does not take the place of the last one's record."""
    record, header = tmp_path / "evening.jsonl", GRIDLOCK | {"board": "sequence"}
    where = {"folder": "demo", "game": "gridlock", "record": record}

    evening(Correct(Cell("d6"), Look("white")), **where)
    evening(NewMatch(header), **where)
    evening(Correct(Cell("d6"), Look("white")), **where)

    assert f"The game is kept in {tmp_path / 'evening-2.jsonl'}." in evening.said


def test_a_button_at_the_table_reaches_the_match(tmp_path, monkeypatch, wired):
    """The session answers a push; beeps come with what it publishes."""
    pins, said, shown = mock_pins(monkeypatch), [], []
    wired({"take_back": 5})
    monkeypatch.setattr(
        "companion.attendant.Attendant.read", lambda _, snapshot: shown.append(snapshot)
    )

    class Short(Session):
        """Answers one push, then ends."""

        def run(self, *eyes):
            def push():
                pins.push(5)
                self.stop()

            threading.Thread(target=push).start()
            super().run()

    monkeypatch.setattr("companion.playing.Session", Short)
    wishes = dict.fromkeys(Wishes.__dataclass_fields__)
    wishes.update(folder="demo", rules=(), host="127.0.0.1", port=0)

    play(Wishes(**wishes), tmp_path, said.append)

    assert "There is nothing to take back yet." in said
    assert shown
    assert not pins.pins  # the evening is over: let go


def test_controls_that_cannot_be_are_one_sentence(tmp_path, wired):
    """A button on a pin of the lights ends the program with status 2."""
    wired({"accept": 10})
    runner = CliRunner(env={"COMPANION_HOME": str(tmp_path)})

    ended = runner.invoke(main, ["play", "--table", "demo", "--port", "0"])

    assert ended.exit_code == 2
    assert ended.output.count("\n") == 1
    assert "kept for the lights" in ended.output
