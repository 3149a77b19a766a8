from collections import Counter

import pytest

from companion.errors import HeaderError
from companion.games.boston import BOSTON, TILES
from companion.record import header_of
from companion.rules.board import HEX_SIDES
from companion.rules.road_map import Space, roads_of, turned
from tests.road_boards import BOSTON_MAP, open_boston


def test_the_map_has_its_spaces():
    """88 spaces, 229 neighbouring pairs, two tunnels open to N and NW (6.2)."""
    board = BOSTON_MAP.board
    kinds = Counter(BOSTON_MAP.spaces.values())
    pairs = sum(n is not None for cell in board.cells for n in board.neighbours(cell))

    assert kinds == {
        Space.EMPTY: 67,
        Space.DESTINATION: 12,
        Space.WATER: 4,
        Space.PARK: 3,
        Space.TUNNEL: 2,
    }
    assert pairs == 2 * 229
    assert BOSTON_MAP.tunnels == dict.fromkeys(("7,4", "5,16"), roads_of(("N", "NW")))
    assert BOSTON_MAP.names["8,7"] == "Faneuil Hall"


DESTINATION_SIDES = {
    "0,3": "NE SE S",
    "0,11": "N NE SE S",
    "0,17": "N NE",
    "3,0": "SE S SW",
    "3,8": "N NE SE S SW NW",
    "3,14": "N NE SE S SW NW",
    "5,4": "N NE SE S SW NW",
    "7,0": "SE S SW",
    "7,12": "N NE SE S SW NW",
    "8,7": "N NE SE S SW NW",
    "10,1": "S SW NW",
    "10,7": "N S SW NW",
}


def test_destinations_touch_the_board_on_the_known_sides():
    """Each destination has the on-board sides of game-facts 6.2, none off the map."""
    found = {
        cell: " ".join(
            side
            for side, beside in zip(
                HEX_SIDES, BOSTON_MAP.board.neighbours(cell), strict=True
            )
            if beside
        )
        for cell in BOSTON_MAP.names
    }

    assert found == DESTINATION_SIDES


def test_there_are_64_tiles_of_every_pattern_there_is():
    """16 kinds, 64 tiles; the 13 patterns cover every set of roads (6.3)."""
    masks = {turned(pattern, n) for pattern in BOSTON.copies for n in range(6)}

    assert len(TILES) == 16
    assert sum(BOSTON.copies.values()) == 64
    assert sorted(BOSTON.copies.values()) == [1, 3, 4, 4, 4, 4, 4, 6, 6, 6, 6, 8, 8]
    assert masks == set(range(1, 64))


@pytest.mark.parametrize(
    ("teams", "rules"),
    [
        ("red", {}),
        ("red red", {}),
        ("red white", {}),
        ("red green", {"places": 8}),
        ("red green", {"places": True}),
        ("red green", {"places": 6.0}),
        ("red green", {"congestion": 1}),
        ("red green", {"congestion": None}),
        ("red green", {"specials": [True]}),
        ("red green", {"jacks": "eyes"}),
    ],
)
def test_an_impossible_header_is_refused(teams: str, rules: dict[str, object]):
    """Wrong numbers, colours, house rules or values are named before play."""
    with pytest.raises(HeaderError):
        open_boston(teams, **rules)


def test_an_unknown_house_rule_is_refused_by_name():
    """The sentence names the house rule that does not exist."""
    with pytest.raises(HeaderError, match='"rush-hour"'):
        open_boston(rush_hour=True)


def test_boston_has_no_other_board():
    """A header with rows of its own, or another board's name, is refused."""
    header = {"record": 1, "game": "boston", "players": [{"name": "A", "team": "red"}]}
    header["players"].append({"name": "B", "team": "blue"})

    for board in ("sequence", {"rows": ["XX"]}):
        with pytest.raises(HeaderError, match="board"):
            BOSTON.open(header_of({**header, "board": board}))
    assert BOSTON.open(header_of({**header, "board": "boston"})).board.cells
