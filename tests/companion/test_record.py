import json
from pathlib import Path

import pytest

from companion.errors import HeaderError, RecordUnreadable
from companion.record import (
    check_names,
    header_of,
    open_game,
    read_header,
    record_file,
    save_record,
    verdicts,
)
from tests.companion.tables import GRIDLOCK


def test_a_header_needs_its_version():
    """A first line without "record": 1 cannot begin a game."""
    with pytest.raises(HeaderError, match="record"):
        header_of({"game": "gridlock", "players": [{"name": "Ann"}]})


def test_a_header_keeps_seats_in_order():
    """Players keep the order in which they sit."""
    header = header_of(
        {
            "record": 1,
            "game": "gridlock",
            "players": [
                {"name": "Ann", "team": "white"},
                {"name": "Ben", "team": "red"},
            ],
        }
    )

    assert [player.name for player in header.players] == ["Ann", "Ben"]
    assert header.rules == {}


@pytest.mark.parametrize("name", ["", "  "])
def test_whoever_sits_down_has_a_name(name):
    with pytest.raises(HeaderError, match="Give every player a name"):
        check_names(["Ann", name])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"record": 1}'.encode("utf-16"), "UTF-16; save it as UTF-8"),
        ('{"record": 1, "game": "Café"}'.encode("latin-1"), "not in UTF-8"),
        (b'{"record": ' + b"1" * 5000 + b"}", "more than 100 digits"),
        (b'{"record": true}', "has true"),
        (b'{"record": 1.0}', "has 1.0"),
        (b"{}", "has none"),
        (b'{"record": 1, "game": null, "players": [{}]}', "not null"),
        (b'{"record": 1, "game": "\\ud800", "players": [{}]}', "ud800"),
    ],
)
def test_what_is_wrong_with_a_header_is_said_as_it_is_written(line, says):
    """In the words of JSON, not of the language that reads it."""
    with pytest.raises(HeaderError, match=says):
        read_header(iter([line]))


def test_a_player_without_a_team_is_named():
    players = [{"name": "Ann", "team": "red"}, {"name": "Ben"}]
    header = header_of({"record": 1, "game": "gridlock", "players": players})

    with pytest.raises(HeaderError, match='"Ben" needs a "team"'):
        open_game(header)


def test_a_code_is_named_once():
    """Two missing tiles break one rule twice; the text names both."""
    players = [{"name": "Ann", "team": "red"}, {"name": "Ben", "team": "blue"}]
    game = open_game(header_of({"record": 1, "game": "boston", "players": players}))
    lines = [
        '{"start": {"0": "0,3", "1": "10,7"}}',
        '{"first": {"place": "5,2", "roads": ["N"]}}',
        '{"first": {"place": "5,6", "roads": ["N", "S"]}}',
        '{"build": [{"remove": "1,4"}, {"remove": "1,6"}]}',
    ]

    *_, refused = verdicts(game, lines)

    assert refused["violations"] == ["nothing-there"]
    assert "1,4" in refused["text"]
    assert "1,6" in refused["text"]


def test_each_game_is_kept_in_a_file_of_its_own(tmp_path):
    """The same game goes on in its file; nothing else is ever written over."""
    asked = tmp_path / "evening.jsonl"
    begun = {"at": "20:00", "by": 0}
    save_record(asked, [GRIDLOCK, begun, {"at": "20:01", "by": 1}])

    assert record_file(asked, [GRIDLOCK, begun]) == asked
    second = record_file(asked, [GRIDLOCK])
    assert second == tmp_path / "evening-2.jsonl"
    second.write_text("what we ate\n")
    assert record_file(asked, [GRIDLOCK]) == tmp_path / "evening-3.jsonl"


def test_a_record_is_kept_in_a_file_or_not_at_all(tmp_path):
    """A folder, a device or no name at all is refused in a sentence."""
    for place in (tmp_path, Path("/dev/null"), Path()):
        with pytest.raises(RecordUnreadable, match="name another"):
            record_file(place, [GRIDLOCK])


def test_a_mark_of_the_byte_order_is_no_part_of_a_record():
    """Some editors put one in front of UTF-8."""
    line = "\ufeff" + json.dumps(GRIDLOCK)

    header, number = read_header(iter([line.encode()]))

    assert (header.game, number) == ("gridlock", 1)
