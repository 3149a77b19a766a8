import pytest

from companion.rules.game import Player
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
