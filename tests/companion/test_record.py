import pytest

from companion.errors import HeaderError
from companion.record import header_of


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
