import pytest

from companion.rules.board import Cell
from companion.rules.game import Player
from companion.rules.verdict import Violation, in_words
from companion.rules.words import card_name, is_suited, look_name, place_name


@pytest.mark.parametrize(
    ("card", "name"),
    [
        ("7H", "7 of hearts"),
        ("TS", "10 of spades"),
        ("JC", "jack of clubs"),
        ("JOKER", "Joker card"),
        ("R7", "red 7"),
        ("#", "wild card"),
        ("LOCK", "Lock card"),
    ],
)
def test_cards_are_said_in_words(card, name):
    assert card_name(card) == name


def test_kansas_is_no_king():
    """On a board of states KS is a state; there playing cards do not exist."""
    assert is_suited(["", "XX", "2S", "KS", "JOKER"])
    assert not is_suited(["KS", "TX", "WY"])
    assert card_name("KS", suited=False) == "KS"


@pytest.mark.parametrize(
    ("look", "name"),
    [
        ("empty", "empty"),
        ("red-turned", "red, turned over"),
        ("face-down", "face down"),
        ("R7", "red 7"),
        ("tile:N-SE+cone+car:red+cube:blue", "tile N-SE, cone, red car, blue cube"),
    ],
)
def test_looks_are_said_in_words(look, name):
    assert look_name(look) == name


def test_places_are_said_by_their_owner():
    players = (Player("Ann", ""), Player("Ben", ""))

    assert place_name("p1:b3", players) == "Ben, bottom middle"
    assert place_name("5,16", players) == "5,16"


def test_a_remedy_is_said_once():
    """Of two squares each has its own; of one, once is enough."""
    e5, f5 = (Cell("e5"),), (Cell("f5"),)
    belongs = Violation("wrong-square", "7D belongs on h3. Take it back.", "", e5)
    covered = Violation("stacked-chips", "e5 is covered. Take it back.", "", e5)
    other = Violation("stacked-chips", "f5 is covered. Take it back.", "", f5)

    assert in_words([belongs, covered, covered]) == (
        "7D belongs on h3. e5 is covered. Take it back."
    )
    assert in_words([covered, other]) == (
        "e5 is covered. Take it back. f5 is covered. Take it back."
    )
