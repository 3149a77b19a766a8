from dataclasses import replace

import pytest

from companion.attendant import Attendant
from companion.rules.game import Highlight, Meaning
from companion.rules.verdict import Kind
from companion.snapshot import AcceptTable, TakeBack
from hardware.layout import ControlPins
from tests.companion.tables import Table, follow
from tests.mock_pins import mock_pins
from tests.waiting import wait_for

PINS = ControlPins(take_back=5, accept=6, buzzer=13)
WINNING = ["c4=w", "b10=r", "d4=w", "b9=r", "e4=w", "c9=r", "f4=w", "f9=r", "g4=w"]


class Evening:
    """A table, what is shown of it told to an attendant, and the beeps heard."""

    def __init__(self, attendant, heard, rules):
        header = {"record": 1, "game": "gridlock", "rules": rules}
        teams = {"Ann": "white", "Ben": "red"}
        header["players"] = [{"name": n, "team": t} for n, t in teams.items()]
        self.table = Table(follow(header))
        self.attendant = attendant
        self.heard = heard
        self.show()

    def show(self, **changes):
        """Return the beeps for what is shown now, or for that with changes."""
        del self.heard[:]
        snapshot = self.table.follower.snapshot(1, "watching", "")
        self.attendant.read(replace(snapshot, **changes))
        return list(self.heard)

    def put(self, *pieces):
        self.table.put(*pieces)
        return self.show()

    def take(self, *cells):
        self.table.take(*cells)
        return self.show()

    def look(self, **how):
        self.table.look(**how)
        return self.show()


@pytest.fixture
def begin(monkeypatch):
    """Return a function that begins an evening."""
    heard = []
    monkeypatch.setattr("hardware.controls.Controls.beep", lambda _, n: heard.append(n))

    def evening(**rules):
        attendant = Attendant(PINS, lambda request: None, print)
        return Evening(attendant, heard, rules)

    return evening


def test_legal_turns_are_silent(begin):
    """Who plays by the rules hears nothing."""
    evening = begin()

    assert [evening.put(piece) for piece in WINNING[:4]] == [[]] * 4


def test_a_violation_beeps_once_while_it_lasts(begin):
    """Neither more looks, nor a hand, nor a doubtful look make it beep again."""
    evening = begin()

    assert evening.put("d6=r") == [1]
    assert evening.look() == []
    assert evening.show(status="hand") == []
    assert evening.look(hidden=["d5", "d6", "d7", "e6"]) == []
    assert evening.show(kind=Kind.UNCERTAIN, violations=()) == []
    assert evening.look() == []


def test_the_same_violation_after_it_was_put_right_beeps_again(begin):
    """It is another one then."""
    evening = begin()
    evening.put("d6=r")

    assert evening.take("d6") == []
    assert evening.put("d6=r") == [1]


def test_more_that_is_wrong_beeps_and_less_does_not(begin):
    """Who puts one of two things right is not scolded for the other again."""
    evening = begin()
    evening.put("d6=w")
    evening.put("d7=w")

    assert evening.put("g2=w") == [1]
    assert evening.take("g2") == []
    assert evening.table.follower.verdict.violations


def test_a_finished_run_beeps_twice_once(begin):
    """Turning its chips over, and all that follows, is silent."""
    evening = begin(**{"runs-to-win": 2})

    assert [evening.put(piece) for piece in WINNING] == [[]] * 8 + [[2]]
    assert evening.put(*(f"{column}4=W" for column in "cdefg")) == []
    assert evening.put("a2=r") == []
    assert evening.put("a3=r") == [1]


def test_a_won_game_beeps_twice_and_a_taken_back_one_does_so_again(begin):
    """The winning run and the win are one piece of news."""
    evening = begin(**{"runs-to-win": 1})

    assert [evening.put(piece) for piece in WINNING][-1] == [2]
    assert evening.look() == []
    evening.table.follower.answer(TakeBack())
    assert evening.take("g4") == []
    assert evening.put("g4=w") == [2]


def test_a_win_without_a_last_run_beeps_too(begin):
    """Games may be won otherwise, by who has more when the cards run out."""
    evening = begin()
    won = (Highlight(Meaning.WON, (), "white"),)

    assert evening.show(highlights=won) == [2]
    assert evening.show(highlights=won) == []


def test_what_was_so_from_the_beginning_is_no_news(begin):
    """A companion started again over a finished game says nothing."""
    evening = begin(**{"runs-to-win": 1})
    for piece in WINNING:
        evening.put(piece)
    assert evening.table.follower.match.game.outcome

    evening.attendant = Attendant(PINS, lambda request: None, print)

    assert evening.show() == []


# -- buttons ---------------------------------------------------------------------


def test_buttons_ask_for_what_the_page_asks(monkeypatch):
    """Each push is one request; what is done is silent."""
    pins, asked, said = mock_pins(monkeypatch), [], []

    with Attendant(PINS, asked.append, said.append):
        pins.push(6)
        pins.push(5)
        heard = pins.beeps(13)

    assert asked == [AcceptTable(), TakeBack()]
    assert (heard, said) == (0, [])


def test_a_refusal_is_said_and_heard_as_one_beep(monkeypatch):
    """Who pushes in vain knows that the push arrived."""
    pins, said = mock_pins(monkeypatch), []

    with Attendant(PINS, lambda request: "Nothing to accept.", said.append):
        pins.push(6)
        wait_for(lambda: pins.beeps(13) == 1)

    assert said == ["Nothing to accept."]
