from datetime import timedelta

import pytest

from companion.follower import Follower
from companion.journal import Journal
from companion.match import Match
from companion.snapshot import NewMatch, TakeBack, Tell
from tests.companion.tables import GRIDLOCK, START, follow

BOSTON = {
    "record": 1,
    "game": "boston",
    "players": [{"name": "Ann", "team": "red"}, {"name": "Ben", "team": "blue"}],
    "rules": {},
}
QUICK = {**GRIDLOCK, "rules": {"runs-to-win": 1}}


def tell(follower, *lines):
    for line in lines:
        assert follower.answer(Tell(line)) is None


def win(follower):
    """Let whoever starts make a run in the fourth row."""
    for place in ("c4 6C", "a2 6C", "d4 5C", "b1 2S", "e4 4C", "a4 8C"):
        square, card = place.split()
        tell(follower, {"card": card, "place": square})
    tell(follower, {"card": "3C", "place": "f4"}, {"card": "TS", "place": "j2"})
    tell(follower, {"card": "2C", "place": "g4"})


def test_only_games_that_somebody_can_follow_are_offered():
    """Chips cannot be told on the page; where no camera reads them, nobody plays."""
    told = follow(BOSTON, sighted=False).snapshot(0, "", "")
    seen = follow(sighted=True).snapshot(0, "", "")

    assert told.offered == ("boston", "gridlock-cards")
    assert seen.offered == ("gridlock", "boston", "gridlock-cards")


def test_a_game_without_a_camera_is_told():
    """Without a camera a record line is a turn, and an illegal one a sentence."""
    follower = follow(sighted=False)

    tell(follower, {"by": 0, "card": "5C", "place": "d4"})
    refusal = follower.answer(Tell({"by": 1, "card": "7H", "place": "d4"}))

    assert "d4" in refusal
    assert len(follower.match.game.lines) == 1
    assert follower.match.game.story[-1].codes


def test_undo_drops_the_last_turn():
    """Undo drops the last line; at the start there is nothing to undo."""
    follower = follow(sighted=False)
    tell(follower, {"by": 0, "card": "5C", "place": "d4"})

    assert follower.answer(TakeBack()) is None

    assert follower.match.game.lines == []
    assert "nothing to take back" in follower.answer(TakeBack())


def test_the_game_goes_on_where_it_was(tmp_path):
    """A journal opened again gives the same match, story and position."""
    path = tmp_path / "journal.sqlite"
    first = Follower(Match(Journal(path)), lambda: START)
    assert first.answer(NewMatch(GRIDLOCK, best_of=3)) is None
    tell(
        first,
        {"card": "5C", "place": "d4"},
        {"card": "7H", "place": "i5"},
        {"pass": True},
    )
    first.answer(Tell({"card": "7H", "place": "a2"}))
    first.answer(TakeBack())

    again = Follower(Match(Journal(path)), lambda: START)

    assert again.position == first.position
    assert again.match.game.story == first.match.game.story
    assert again.match.game.lines == first.match.game.lines
    assert again.match.best_of == 3


def test_the_record_is_written_as_other_programs_read_it():
    """The header comes first, then one line a turn with its time."""
    follower = follow(sighted=False)
    tell(follower, {"card": "5C", "place": "d4"})

    header, line = follower.match.game.record()

    assert header["game"] == "gridlock"
    assert (line["by"], line["card"], line["place"]) == (0, "5C", "d4")
    assert line["at"] == START.isoformat()


def test_a_match_is_won_by_the_majority_of_its_games():
    """Best of three ends with the second win; the deal passes to the left."""
    follower = follow(QUICK, sighted=False)
    follower.match.begin(QUICK, START, best_of=3)
    win(follower)
    assert follower.match.wins() == {"white": 1, "red": 0}
    assert follower.match.winner(START) is None

    follower.match.next_game(START)

    assert follower.game.players[0].name == "Ben"
    win(follower)
    assert follower.match.wins() == {"white": 1, "red": 1}
    follower.match.next_game(START)
    win(follower)
    assert follower.match.winner(START) == "white"


def test_when_time_is_up_the_running_game_is_void():
    """A time limit counts games won; equal is a drawn match (G35-A15)."""
    follower = follow(QUICK, sighted=False)
    follower.match.begin(QUICK, START, best_of=None, minutes=45)
    tell(follower, {"card": "5C", "place": "d4"})

    early, late = START + timedelta(minutes=44), START + timedelta(minutes=45)

    assert follower.match.winner(early) is None
    assert follower.match.winner(late) == "tie"


@pytest.mark.parametrize("header", [{}, {**GRIDLOCK, "players": []}])
def test_a_header_that_cannot_be_used_leaves_the_match(header):
    """A match that cannot begin is refused; the running one goes on."""
    follower = follow(sighted=False)
    tell(follower, {"card": "5C", "place": "d4"})

    assert follower.answer(NewMatch(header))

    assert len(follower.match.game.lines) == 1


def test_another_game_may_follow():
    """A new match may be of another game, told on the same page."""
    follower = follow(sighted=False)

    assert follower.answer(NewMatch(BOSTON)) is None

    assert follower.game.name == "boston"
    snapshot = follower.snapshot(1, "no-camera", "")
    assert snapshot.piece_kind == "roads"
    assert snapshot.score.wins == {"red": 0, "blue": 0}
