"""What the page and the lights are told of Boston."""

from typing import Any

import pytest

from companion.errors import CompanionError
from companion.rules.board import EMPTY
from companion.rules.game import Highlight, Meaning
from companion.rules.road_position import RoadPosition
from tests.road_boards import boston_position, open_boston

LAID = {"place": "4,5", "roads": ["SE", "N"]}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            {"start": {"0": "0,3", "1": "8,7"}},
            "Ann starts at Harvard (0,3) and Ben starts at Faneuil Hall (8,7).",
        ),
        ({"by": 1, "first": LAID}, "Ben lays a tile N-SE on 4,5."),
        ({"build": []}, "Ann passes."),
        ({"by": 1, "drive": []}, "Ben passes."),
        (
            {
                "build": [
                    LAID,
                    {"rotate": "4,5", "roads": ["S", "NW"]},
                    {"remove": "4,5"},
                ]
            },
            "Ann lays a tile N-SE on 4,5, turns the tile on 4,5 to S-NW and removes "
            "the tile on 4,5.",
        ),
        (
            {"build": [{"cone": "0,3"}, {"clear": "4,5"}]},
            "Ann sets up a cone on Harvard (0,3) and clears the cone on 4,5.",
        ),
        (
            {"drive": [{"to": "4,5"}, {"to": "0,3", "scores": True}]},
            "Ann drives to 4,5 and drives to Harvard (0,3) and puts a cube there.",
        ),
    ],
)
def test_turns_are_told_in_plain_sentences(line: dict[str, Any], sentence: str):
    """The story says who did what, with the destinations' names."""
    game = open_boston()
    position = boston_position(["0,3", "8,7"])

    assert game.describe(position, game.turn_of(position, line)) == sentence


def test_the_lights_show_the_last_turn_and_where_to_drive():
    """LAST_TURN in the colour of who played, REACHABLE in that of who is next."""
    game = open_boston("red green")
    position = boston_position(["0,3", "8,7"], {"9,6": "SW SE"})
    turn = game.turn_of(position, {"build": [LAID, {"cone": "10,7"}]})

    assert game.highlights(game.apply(position, turn)) == (
        Highlight(Meaning.LAST_TURN, ("4,5", "10,7"), "red"),
        Highlight(Meaning.REACHABLE, ("8,7", "9,6", "10,7"), "green"),
    )


def test_before_the_first_turn_nobody_is_shown_a_way():
    """While first tiles are laid only the last line is lit."""
    game = open_boston()
    position = game.start()
    assert game.highlights(position) == ()

    turn = game.turn_of(position, {"start": {"0": "0,3", "1": "8,7"}})
    lit = game.highlights(game.apply(position, turn))
    assert lit == (Highlight(Meaning.LAST_TURN, ("0,3", "8,7"), ""),)


def test_the_win_is_lit_on_the_winners_places():
    """WON comes first, in the winner's colour."""
    game = open_boston("red green")
    position = boston_position(
        ["8,7", "0,3"], {"9,6": "SW SE"}, cubes=["8,7 0,3 0,11 3,8 3,14", ""]
    )
    turn = game.turn_of(position, {"drive": [{"to": "10,7", "scores": True}]})

    won = game.highlights(game.apply(position, turn))[0]
    assert won.meaning is Meaning.WON
    assert won.cells == ("0,3", "0,11", "3,8", "3,14", "8,7", "10,7")
    assert won.team == "red"


def test_the_page_shows_what_is_left():
    """Cones and tiles beside the board, cubes by place, goals to reach."""
    game = open_boston("red green")
    tiles = {"9,6": "SW SE", "4,5": "N SE", "4,7": "N"}
    position = boston_position(
        ["8,7", "0,3"], tiles, cones=["9,6"], cubes=["8,7 0,3", "0,3"]
    )
    extras = game.extras(position)
    left = {tuple(kind["roads"]): kind for kind in extras["tiles_left"]}

    assert extras["cubes"] == {"0,3": [0, 1], "8,7": [0]}
    assert extras["cones_left"] == 1
    assert extras["goal"] == 6
    assert extras["reach"]["0"] == {"one": ["9,6"], "two": ["8,7", "9,6", "10,7"]}
    assert extras["forced"] == {"0": ["9,6"], "1": ["9,6"]}
    assert left["N",]["left"] == 0
    assert sum(kind["left"] for kind in left.values()) == 61
    assert sum(kind["copies"] for kind in left.values()) == 64
    assert extras["destinations"]["10,1"] == "North End"
    assert extras["spaces"]["6,9"] == "park"
    assert extras["tunnels"] == {"7,4": ["N", "NW"], "5,16": ["N", "NW"]}


@pytest.mark.parametrize(
    ("quick_trip", "first_tiles", "to_move", "winner", "phase", "lines"),
    [
        (False, 1, 0, None, "first", ["first"]),
        (False, 2, 0, None, "play", ["build", "drive"]),
        (True, 2, 0, None, "play", ["trip"]),
        (False, 2, 1, 0, "last-turns", ["build", "drive"]),
        (False, 2, None, 0, "over", []),
    ],
)
def test_the_page_knows_what_may_be_told(
    quick_trip: bool,
    first_tiles: int,
    to_move: int | None,
    winner: int | None,
    phase: str,
    lines: list[str],
):
    """The phase and the kinds of line that fit it."""
    game = open_boston(quick_trip=quick_trip)
    cars = boston_position(["0,3", "8,7"])
    extras = game.extras(
        RoadPosition(
            cars=cars.cars,
            cubes=cars.cubes,
            first_tiles=first_tiles,
            to_move=to_move,
            winner=winner,
        )
    )

    assert (extras["phase"], extras["lines"]) == (phase, lines)
    assert game.extras(game.start())["lines"] == ["start"]


def test_nothing_is_seen_yet():
    """Without a reader a table like the position is no news, any other disturbed."""
    game = open_boston("red green")
    position = boston_position(["9,6", "8,7"], {"9,6": "SW SE"}, ["9,6"], ["", "8,7"])
    looks = game.appearance(position)

    assert game.looks() == ()
    assert looks["9,6"] == "tile:SE-SW+cone+car:red"
    assert looks["8,7"] == "car:green+cube:green"
    assert looks["4,5"] == EMPTY
    (same,) = game.explanations(position, looks)
    assert (same.turns, same.log_prior, same.violations) == ((), 0.0, ())
    (other,) = game.explanations(position, {**looks, "4,5": looks["9,6"]})
    assert other.turns == ()
    assert [v.code for v in other.violations] == ["board-disturbed"]
    with pytest.raises(CompanionError, match="told"):
        game.adopt(position, looks, 0)
