from collections import Counter
from itertools import product

import pytest

from companion.errors import HeaderError
from companion.games.gridlock_cards import CHART, GRIDLOCK_CARDS
from companion.record import header_of
from companion.rules.combinations import WILD
from tests.card_tables import open_game

COUNTS_BY_WILDS = {
    0: {0: 42360, 2: 2824, 4: 840, 6: 540, 8: 56, 24: 36},
    1: {0: 2088, 2: 696, 4: 504, 6: 324, 8: 168, 10: 108},
    2: {10: 108},
    3: {12: 1},
}


def test_the_chart_agrees_with_the_enumeration_of_all_lines():
    """All 37^3 ordered lines of card kinds have the counted values (game-facts 8)."""
    kinds = [face for face in GRIDLOCK_CARDS.deck.counts() if face != "LOCK"]
    found: dict[int, Counter[int]] = {n: Counter() for n in range(4)}

    for line in product(kinds, repeat=3):
        found[line.count(WILD)][CHART.points(line)] += 1

    assert found == COUNTS_BY_WILDS


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("R2 R4 R8", 2),
        ("R1 G2 B3", 4),
        ("R4 G4 R4", 6),
        ("Y5 Y6 Y7", 8),
        ("B8 B8 #", 10),
        ("# # #", 12),
        ("G9 G9 G9", 24),
        ("R8 G7 B5", 0),
        ("R1 # B4", 0),
        ("R1 # G3", 4),
        ("# B2 G1", 4),
        ("B1 G2 #", 4),
        ("# B9 G8", 0),
        ("R2 G1 R3", 0),
        ("R9 G1 R2", 0),
        ("R2 R1 R3", 2),
        ("R6 G6 #", 6),
        ("R6 # R4", 8),
        ("R6 # G4", 4),
        ("R3 # R9", 2),
        ("# # G5", 10),
        ("# # LOCK", 0),
        ("R1 R2 ?", 0),
    ],
)
def test_lines_are_worth_what_the_chart_says(line: str, points: int):
    """The rule book's nine examples and the odd cases of rulings 4.2."""
    assert CHART.points(line.split()) == points


@pytest.mark.parametrize(
    ("players", "cards"),
    [(2, 120), (6, 120), (7, 240), (12, 240), (13, 360), (18, 360)],
)
def test_each_six_players_add_a_deck(players: int, cards: int):
    """One deck is for up to six, two for up to twelve, three for up to eighteen."""
    game = open_game(players)

    assert game.start().pile == cards - 9 * players - 1


def test_wilds_and_locks_can_be_left_out():
    """Without them nine and three cards a deck are missing from the draw pile."""
    game = open_game(7, wilds=False, locks=False)

    assert game.start().pile == 2 * 108 - 9 * 7 - 1


@pytest.mark.parametrize(
    "rules",
    [
        {"wild": True},
        {"jacks": "eyes"},
        {"wilds": 1},
        {"locks": "no"},
        {"rounds": 0},
        {"rounds": True},
        {"points": "111"},
        {"points": None},
        {"open_lines": "four"},
        {"open_lines": ["six"]},
        {"final_double_lock": None},
    ],
)
def test_house_rules_that_do_not_exist_are_refused(rules: dict[str, object]):
    """An unknown name or value makes the header unusable and is named."""
    with pytest.raises(HeaderError, match=next(iter(rules)).split("_")[0]):
        open_game(**rules)


@pytest.mark.parametrize("players", [1, 19])
def test_two_to_eighteen_play(players: int):
    """Fewer and more cannot be seated."""
    with pytest.raises(HeaderError, match="2 to 18"):
        open_game(players)


def test_teams_are_for_all_or_for_none():
    """A team that only some players name is refused."""
    header = header_of(
        {
            "record": 1,
            "game": "gridlock-cards",
            "players": [{"name": "A", "team": "x"}, {"name": "B"}],
        }
    )

    with pytest.raises(HeaderError, match="team"):
        GRIDLOCK_CARDS.open(header)
