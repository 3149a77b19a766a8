"""Overlap cases O1 to O23 of rulings.md section 6: runs that one more piece makes.

A capital is a chip of a claimed run, "*" the piece placed last. Columns: Gridlock,
Jacks Rule, States; None where the case does not exist. Squares that are left
out are empty.
"""

import pytest

from companion.rules.runs import RunGame
from tests.boards import chip_game, position_of

DOWN4 = ".\n.\n.\n.\n"

CASES = {
    "O1": (DOWN4 + "..ww*ww", 1, 1, 1),
    "O2": (DOWN4 + "..ww*www", 1, 1, 1),
    "O3": (DOWN4 + "WWWWW*", 0, 0, 0),
    "O4": (DOWN4 + "WWWWWww*", 0, 0, 0),
    "O5": (DOWN4 + "WWWWWwww*", 0, 0, 1),
    "O6": (DOWN4 + "wwww*wwww", 1, 1, 2),
    "O7": (DOWN4 + "WWWWWwwww*", 1, 1, 1),
    "O8": (".\n.\n..w\n..w\nWWWWW\n..w\n..*", 1, 1, 1),
    "O9": (DOWN4 + "WWWWW\n..w\n..w\n..w\n..*", 0, 1, 1),
    "O10": (".\n.\n.\n..*\nWWWWW\n..w\n..w\n..w\n..w", 1, 0, None),
    "O10 States": (".\n.\n.\n..*\nWWWWW\n..W\n..W\n..W\n..W", None, None, 0),
    "O11": (DOWN4 + "WWWWW\n....w\n....w\n....w\n....*", 0, 1, 1),
    "O12": (".\n.\n....w\n....w\nWWWWW\n....w\n....*", 1, 1, 1),
    "O13": (DOWN4 + "wwww*\n....w\n....w\n....w\n....w", 2, 2, 2),
    "O14": (DOWN4 + "..ww*ww\n....w\n....w\n....w\n....w", 2, 2, 2),
    "O15": (".\n.\n....w\n....w\n..ww*ww\n....w\n....w", 2, 2, 2),
    "O16": (".www*", 1, 0, None),
    "O17": ("wwww*", None, 1, 1),
    "O18": (".WWWW\nw\nw\nw\n*", 1, 0, None),
    "O19": (".WWWWwww*", 1, 0, None),
    "O20": (
        ".\n.\n.\n..w\nWWWWW\n..w\nWWWWW\n..*",
        1,
        1,
        1,
    ),
    "O21": (DOWN4 + "wWWWWWwww*", 0, 1, 1),
    "O22": (".W..*\n..Ww\n..wW\n.w..W\nw....W", 1, 1, 1),
}


FREE_CORNERS = (
    "XX WI NC AR FL ME FL CT AZ XX",
    "MI CO OR ND VA VT AL PA IN AR",
    "WI WA NC MN KS WY NE GA NE UT",
    "MI AK MS IA OH SD WY ND WV OH",
    "OK ID KY KS NH CT KY NY UT SC",
    "DE AK ME NY NV TX DE MD NM OK",
    "MO MN MS LA TX TN SC CO AZ VA",
    "NM GA ID WV MT TN AL RI MO IA",
    "NH NV IN IL MD OR WA HI HI MT",
    "XX SD MA IL PA LA VT MA RI XX",
)


def new_runs(game: RunGame, picture: str) -> int:
    """Return how many runs the piece on "*" adds."""
    if game.setup.rules.share is None:
        picture = picture.lower()
    before = position_of(game, picture.replace("*", "."))
    rows = picture.split()
    row = next(n for n, line in enumerate(rows) if "*" in line)
    square = f"{'abcdefghij'[rows[row].index('*')]}{row + 1}"
    turn = game.turn_of(before, {"by": 0, "card": None, "place": square})
    return game.apply(before, turn).score[0] - before.score[0]


@pytest.mark.parametrize(
    ("case", "game", "runs"),
    [
        (case, game, runs)
        for case, (_, *expected) in CASES.items()
        for game, runs in zip(
            ("gridlock", "jacks-rule", "states"), expected, strict=True
        )
        if runs is not None
    ],
)
def test_overlap(case: str, game: str, runs: int):
    """A piece adds as many runs as the table of overlap cases says."""
    assert new_runs(chip_game(game), CASES[case][0]) == runs


@pytest.mark.parametrize(
    ("game", "rule", "case", "runs"),
    [
        ("gridlock", {"simultaneous_runs": "sequential"}, "O13", 1),
        ("gridlock", {"simultaneous_runs": "sequential"}, "O14", 2),
        ("gridlock", {"simultaneous_runs": "sequential"}, "O15", 2),
        ("jacks-rule", {"line_of_nine": "two"}, "O5", 1),
        ("jacks-rule", {"line_of_nine": "two"}, "O6", 2),
        ("jacks-rule", {"line_of_nine": "two"}, "O7", 0),
        ("states", {"line_of_nine": "one"}, "O5", 0),
        ("states", {"line_of_nine": "one"}, "O6", 1),
        ("states", {"line_of_nine": "one"}, "O21", 0),
        ("states", {"line_of_nine": "one"}, "O8", 1),
        ("states", {"free_corners": "yes"}, "O16", 1),
        ("states", {"free_corners": "yes"}, "O18", 1),
    ],
)
def test_overlap_with_a_house_rule(game: str, rule: dict, case: str, runs: int):
    """The values in brackets hold with the house rule that they belong to."""
    if "free_corners" in rule:
        rule = {**rule, "board": FREE_CORNERS}

    assert new_runs(chip_game(game, **rule), CASES[case][0]) == runs


def test_o23_an_exchange_completes_a_row():
    """Only in Jacks Rule taking a piece can complete a row, by what is put there."""
    game = chip_game("jacks-rule")
    before = position_of(game, "ww.ww\n".replace(".", "r"))
    turn = game.turn_of(before, {"by": 0, "card": "JS", "swap": "c1"})

    assert game.violations(before, turn) == ()
    assert game.apply(before, turn).score == (1, 0)


def test_the_first_of_equal_sets_is_claimed():
    """Of six in a row the left five are claimed; of two lines the first in order."""
    game = chip_game("gridlock")
    before = position_of(game, CASES["O2"][0].replace("*", "."))
    turn = game.turn_of(before, {"card": None, "place": "e5"})

    runs = game.effects(game.apply(before, turn))["runs"]

    assert runs == [["c5", "d5", "e5", "f5", "g5"]]


def test_sequential_claims_the_run_that_comes_first():
    """Where only one of two runs may be claimed, it is the first in their order."""
    game = chip_game("gridlock", simultaneous_runs="sequential")
    before = position_of(game, CASES["O13"][0].replace("*", "."))
    turn = game.turn_of(before, {"card": None, "place": "e5"})

    runs = game.effects(game.apply(before, turn))["runs"]

    assert runs == [["a5", "b5", "c5", "d5", "e5"]]
