"""A recorded game, told or stepped through."""

import json
import re
from pathlib import Path

import click
from click.testing import CliRunner

from companion.cli import main
from companion.replaying import _open, _told

RECORD = Path(__file__).parents[1] / "records" / "gridlock-04.jsonl"
CARDS = "gridlock-cards-04.jsonl"
PAGE = ("--page", "--host", "127.0.0.1", "--port", "0")


def replay(*words, keys=""):
    return CliRunner().invoke(main, ["replay", str(RECORD), *words], input=keys)


def turns(result):
    """Return what was said of the record's lines, with their numbers."""
    lines = (line.split(maxsplit=1) for line in result.stdout.splitlines())
    return [
        (int(words[0]), words[1]) for words in lines if words and words[0].isdigit()
    ]


def test_a_record_is_told_to_its_end():
    """Every line of the record is told in a sentence, and the board as it ends."""
    result = replay()

    assert result.exit_code == 0
    told = len(RECORD.read_text().splitlines()) - 1
    numbers = [number for number, _ in turns(result)]
    assert numbers[:told] == list(range(2, told + 2))
    assert result.stdout.splitlines()[-1].split() == list("abcdefghij")


def test_players_without_teams_have_their_score_by_name():
    """Nobody knows which number they sit at."""
    told = CliRunner().invoke(main, ["replay", str(RECORD.with_name(CARDS))])

    assert re.search(r"^Score: Ann \d+, Ben \d+$", told.stdout, re.MULTILINE)


def test_turns_are_told_at_the_time_when_they_were_made(tmp_path):
    """Not at that at which somebody looks at them; a wrong time is none."""
    record = tmp_path / "evening.jsonl"
    header, *lines = RECORD.read_text().splitlines()
    times = ["2026-03-01T19:25:00+01:00", "at tea", "2026-03-01T19:31:00+01:00"]
    turns = [
        json.dumps({**json.loads(line), "at": at})
        for line, at in zip(lines, times, strict=False)
    ]
    record.write_text("\n".join((header, *turns)))

    follower, lines = _open(record)
    told = [_told(follower, *line) for line in lines]

    assert not [sentence for sentence in told if "!" in sentence]
    shown = [news.at for news in follower.snapshot(0, "watching", "").story]
    assert shown == [times[0], times[0], times[2]]


def test_keys_step_through_it():
    """A key is the next line, b takes it back: then it is told again; q ends it."""
    whole = turns(replay())

    result = replay(*PAGE, keys="\r\rb\rq")

    assert result.exit_code == 0
    assert turns(result) == [whole[0], whole[1], whole[1]]


def test_without_a_terminal_keys_are_not_waited_for(monkeypatch):
    """A service has no keyboard."""

    def nobody(echo=False):
        raise OSError(6, "No such device or address", "/dev/tty")

    monkeypatch.setattr(click, "getchar", nobody)
    result = replay(*PAGE)

    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("companion: Keys step through the game: run this in a")
