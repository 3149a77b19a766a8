import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.journal import Journal

RECORDS = Path(__file__).parents[1] / "records"
HEADER = json.dumps(
    {
        "record": 1,
        "game": "gridlock",
        "players": [{"name": "Ann", "team": "white"}, {"name": "Ben", "team": "red"}],
    }
)


def referee(record: str | bytes) -> Result:
    return CliRunner().invoke(main, ["referee", "-"], input=record)


def test_a_record_with_refused_lines_exits_1():
    """The verdicts of a record file go to standard output, one a line."""
    path = RECORDS / "gridlock-05.jsonl"

    result = CliRunner().invoke(main, ["referee", str(path)])

    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == len(path.read_text().splitlines()) - 1
    assert result.stderr == ""


def test_a_legal_record_exits_0():
    """Exit status 0 says that every line was legal; blank lines are only counted."""
    result = referee(f'\n{HEADER}\n\n{{"place": "d6", "card": "7H"}}\n')

    assert result.exit_code == 0
    assert [json.loads(line)["line"] for line in result.stdout.splitlines()] == [4]


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\n",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b"[" * 5000,
        b'{"record": 1}',
        b'{"record": true, "game": "gridlock"}',
        b'{"record": 1, "game": "chess\\n", "players": [{"name": "A", "team": "red"}]}',
        b'{"record": 1, "game": "\\ud800", "players": [{"name": "A", "team": "red"}]}',
        b'{"record": 1, "game": "gridlock", "players": [{"name": "A", "team": "red"}]}',
    ],
)
def test_an_unusable_header_is_one_sentence_and_status_2(header: bytes):
    """Nothing is judged without a header, and no traceback is shown."""
    result = referee(header + b"\n" + b'{"pass": true}\n')

    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("companion: ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["read", "--nope"], "'--nope': see main read --help."),
        (["--nope"], "'--nope': see main --help."),
        (["refere"], "'refere'"),
        (["read"], "Missing argument 'PHOTOS...': see main read --help."),
        (["play", "--port", "x"], "'x' is not a valid integer: see main play"),
        (["play", "--port"], "'--port' requires an argument."),
    ],
)
def test_a_misused_command_is_one_sentence_and_status_2(words: list[str], says: str):
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("companion: ")
    assert says in line


@pytest.mark.parametrize("command", ["referee", "replay"])
def test_what_is_kept_of_matches_is_no_record_of_a_game(command: str, tmp_path: Path):
    """It lies in a folder called records; where a record is to be had, is said."""
    kept = tmp_path / "kitchen.sqlite"
    journal = Journal(kept)
    journal.close()

    result = CliRunner().invoke(main, [command, str(kept)])

    assert result.exit_code == 2
    assert "saved from the page's menu" in result.stderr


@pytest.mark.parametrize("file", ["nowhere.jsonl", "."])
def test_a_missing_record_is_one_sentence_and_status_2(file: str):
    """What cannot be opened is said with the reason."""
    result = CliRunner().invoke(main, ["referee", file])

    assert result.exit_code == 2
    assert "cannot be read" in result.stderr


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"null",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"place": ' + b"[" * 940 + b"]" * 940 + b"}",
        b'{"by": NaN, "pass": true}',
        b'{"by": ' + b"9" * 5000 + b', "pass": true}',
        b'{"by": ' + b"9" * 4000 + b', "pass": true}',
        b'{"\\ud800": "\\ud800"}',
        b'{"place": "\\ud800", "card": null}',
    ],
    ids=lambda line: line[:12].decode("latin-1"),
)
def test_no_line_stops_the_referee(line: bytes):
    """What is no record line is malformed, and the game goes on after it."""
    result = referee(HEADER.encode() + b"\n" + line + b'\n{"pass": true}\n')

    assert result.exit_code == 1
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["violations"] == ["malformed"]
    assert "Line 2" in first["text"]
    assert (second["line"], second["ok"]) == (3, True)


def test_games_and_boards_are_listed():
    """Every game is named with its title, and every shipped board with its game."""
    games = CliRunner().invoke(main, ["games"]).stdout
    boards = CliRunner().invoke(main, ["boards"]).stdout

    assert "Gridlock 3x5" in games
    assert "states-sample" in boards
    assert len(games.splitlines()) == len(boards.splitlines()) == 5
