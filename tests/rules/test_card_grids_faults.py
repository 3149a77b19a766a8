"""Every violation that can be told from actions, by its code."""

from typing import Any

import pytest

from companion.rules.card_positions import Phase
from companion.rules.grids import Grid
from tests.card_tables import Line, codes, grid, open_game, playing

GAME = open_game()

MIXED = "R1 ? G5 / ? B9 ? / Y4 ? R7"
"""Nothing complete; face down in a diamond, so that flips can fail."""
ROWS_BEGUN = grid(". . . / R1 G5 B9 / Y4 R7 ?", direction="row")
LOCKED = grid("LOCK ? G5 / ? B9 R2 / Y4 G8 R7", locked=frozenset({0, 1, 2}))
OUT = grid(". . . / . . . / . . .", direction="row")
THREE_WITH_LOCK = grid(". . . / . . . / R1 LOCK G5", direction="row")
SIX_WITH_LOCKS = grid(". . . / LOCK B9 R2 / R1 LOCK G5", direction="row")

DRAW: Line = {"by": 0, "take": "draw", "card": "Y2"}
LIFT: Line = {"by": 0, "take": "discard"}


def in_play(own: Grid | str, **facts: Any) -> Any:
    return playing(GAME, own, MIXED, **facts)


def in_final(own: Grid | str, left: int = 2, **facts: Any) -> Any:
    last = {"phase": Phase.FINAL, "first_out": 1, "turns_left": (left, 0)}
    return playing(GAME, own, OUT, **(last | facts))


FLIP_DUE = playing(GAME, MIXED, OUT, phase=Phase.FINAL, to_move=None, first_out=1)
ROUND_OVER = in_final(MIXED, phase=Phase.ROUND_OVER, to_move=None, turns_left=(0, 0))
GAME_OVER = in_final(MIXED, phase=Phase.GAME_OVER, to_move=None, turns_left=(0, 0))

CASES: list[tuple[str, Any, Line]] = [
    # setup
    ("wrong-start-flip", GAME.start(), DRAW),
    ("wrong-start-flip", GAME.start(), {"skip": True}),
    ("wrong-start-flip", in_play(MIXED), {"by": 1, "start": [0, 1], "shows": "R2"}),
    (
        "wrong-start-flip",
        playing(GAME, MIXED, MIXED, phase=Phase.START),
        {"by": 1, "start": [0, 1], "shows": "R2"},
    ),
    ("wrong-start-flip", FLIP_DUE, {"by": 0, "start": [0, 1], "shows": "R2"}),
    ("out-of-turn-play", in_play(MIXED), {"discard": "B3"}),
    (
        "out-of-turn-play",
        playing(GAME, MIXED, Grid(), phase=Phase.START),
        {"discard": "B3"},
    ),
    ("out-of-turn-play", GAME.start(), {"final_flip": {}}),
    ("out-of-turn-play", GAME.start(), {"next_round": True}),
    # turns
    (
        "out-of-turn-play",
        in_play(MIXED),
        DRAW | {"by": 1, "flip": [0, 1], "shows": "#"},
    ),
    ("out-of-turn-play", in_play(MIXED), {"by": 1, "skip": True}),
    ("out-of-turn-play", in_play(MIXED), {"final_flip": {}}),
    ("out-of-turn-play", in_play(MIXED), {"next_round": True}),
    ("turn-skipped", in_play(MIXED), {"by": 0, "skip": True}),
    ("discard-not-placed", in_play(MIXED), LIFT),
    ("discard-not-placed", in_play(MIXED), LIFT | {"flip": [0, 1], "shows": "R2"}),
    ("gridlock-card-taken", in_play(MIXED, discards=("LOCK",)), LIFT | {"put": [0, 0]}),
    (
        "gridlock-card-placed",
        in_play(MIXED),
        {"by": 0, "take": "draw", "card": "LOCK", "put": [0, 0]},
    ),
    (
        "gridlock-card-placed",
        in_play(MIXED),
        {"by": 0, "take": "draw", "card": "LOCK", "put": [0, 1]},
    ),
    (
        "flipped-after-placing",
        in_play(MIXED),
        DRAW | {"put": [0, 0], "flip": [0, 1], "shows": "R2"},
    ),
    ("flip-missing", in_play(MIXED), DRAW),
    ("flip-missing", in_play(MIXED), {"by": 0, "take": "draw", "card": "LOCK"}),
    ("flip-missing", in_play(MIXED), DRAW | {"flip": [0, 0], "shows": "R2"}),
    ("flip-missing", in_play(ROWS_BEGUN), DRAW | {"flip": [0, 0], "shows": "R2"}),
    ("placed-in-empty-cell", in_play(ROWS_BEGUN), DRAW | {"put": [0, 0]}),
    ("cards-rearranged", in_play(MIXED), DRAW | {"put": [0, 0], "old": "R2"}),
    ("malformed", in_play(MIXED), DRAW | {"put": [0, 1]}),
    # locks
    ("locked-card-replaced", in_play(LOCKED), DRAW | {"put": [0, 2]}),
    ("locked-card-replaced", in_play(LOCKED), LIFT | {"put": [0, 1], "old": "R2"}),
    ("gridlock-card-replaced-early", in_play(LOCKED), DRAW | {"put": [0, 0]}),
    ("locked-card-flipped", in_play(LOCKED), DRAW | {"flip": [0, 1], "shows": "R2"}),
    # eliminations
    (
        "eliminated-face-down-card",
        in_play(MIXED),
        DRAW | {"put": [0, 0], "eliminate": "row"},
    ),
    (
        "eliminated-without-combination",
        in_play(ROWS_BEGUN),
        DRAW | {"put": [1, 0], "eliminate": "row"},
    ),
    (
        "wrong-direction-elimination",
        in_play(ROWS_BEGUN),
        DRAW | {"put": [1, 0], "eliminate": "column"},
    ),
    (
        "locked-line-eliminated",
        in_play(grid("LOCK ? G5 / ? B9 G4 / Y4 ? R7", locked=frozenset({0, 1, 2}))),
        {"by": 0, "take": "draw", "card": "G3", "put": [2, 2], "eliminate": "column"},
    ),
    (
        "eliminated-without-combination",
        in_play("R1 G3 G5 / B2 B9 R4 / Y4 G8 R7"),
        DRAW | {"eliminate": "row"},
    ),
    # copies
    (
        "card-copy-exceeded",
        in_play(MIXED, discards=("Y2", "Y2", "Y2")),
        DRAW | {"put": [0, 0]},
    ),
    (
        "card-copy-exceeded",
        in_play(MIXED, discards=("#",) * 9),
        DRAW | {"flip": [0, 1], "shows": "#"},
    ),
    (
        "card-copy-exceeded",
        in_play(MIXED, discards=("LOCK", "LOCK", "LOCK", "Y9")),
        LIFT | {"put": [0, 1], "old": "LOCK"},
    ),
    # going out and the last turns
    ("final-flip-missing", FLIP_DUE, DRAW),
    ("final-flip-missing", FLIP_DUE, {"by": 0, "skip": True}),
    ("final-flip-missing", FLIP_DUE, {"final_flip": {}}),
    ("final-flip-missing", FLIP_DUE, {"final_flip": {"0": {"0,1": "R2"}}}),
    (
        "cards-rearranged",
        FLIP_DUE,
        {"final_flip": {"0": {"0,0": "R2", "0,1": "R2", "1,0": "R3", "1,2": "B3"}}},
    ),
    ("cards-rearranged", FLIP_DUE, {"final_flip": {"1": {"0,0": "R2"}}}),
    (
        "eliminated-without-combination",
        playing(GAME, LOCKED, OUT, phase=Phase.FINAL, to_move=None, first_out=1),
        {"final_flip": {"0": {"0,1": "R2", "1,0": "B3"}}, "eliminate": {"0": "row"}},
    ),
    (
        "wrong-direction-elimination",
        playing(GAME, ROWS_BEGUN, OUT, phase=Phase.FINAL, to_move=None, first_out=1),
        {"final_flip": {"0": {"2,2": "R2"}}, "eliminate": {"0": "column"}},
    ),
    ("final-turn-flip", in_final(MIXED), DRAW | {"flip": [0, 1], "shows": "R2"}),
    ("out-of-turn-play", in_final(MIXED), DRAW | {"by": 1}),
    ("lost-turn-played", in_final(THREE_WITH_LOCK), DRAW),
    ("lost-turn-played", in_final(SIX_WITH_LOCKS, left=1), LIFT | {"put": [1, 1]}),
    ("turn-skipped", in_final(SIX_WITH_LOCKS), {"by": 0, "skip": True}),
    ("turn-skipped", in_final(THREE_WITH_LOCK, left=1), {"by": 0, "skip": True}),
    ("extra-final-turn", ROUND_OVER, DRAW),
    ("extra-final-turn", ROUND_OVER, {"by": 1, "skip": True}),
    ("extra-final-turn", ROUND_OVER, {"final_flip": {}}),
    ("extra-final-turn", ROUND_OVER, {"discard": "B3"}),
    ("extra-final-turn", ROUND_OVER, {"by": 0, "start": [1, 1], "shows": "R7"}),
    ("play-after-game-over", GAME_OVER, DRAW),
    ("play-after-game-over", GAME_OVER, {"next_round": True}),
    ("play-after-game-over", GAME_OVER, {"discard": "B3"}),
]


@pytest.mark.parametrize(
    ("code", "position", "line"),
    CASES,
    ids=[f"{n}-{case[0]}" for n, case in enumerate(CASES)],
)
def test_violations_are_named(code: str, position: Any, line: Line):
    """The first code names what is wrong, and its sentence ends as sentences do."""
    assert codes(GAME, position, line)[0] == code
    if code != "malformed":
        for violation in GAME.violations(position, GAME.turn_of(position, line)):
            assert violation.text.endswith(".")
            assert violation.rule.startswith("GHL-")
            assert set(violation.cells) <= set(GAME.board.cells)


def test_a_card_that_is_named_again_is_not_counted_again():
    """The third R1 lies face up; naming it as it is replaced makes no fourth."""
    position = in_play(MIXED, discards=("R1", "Y9"))

    assert codes(GAME, position, DRAW | {"put": [0, 0], "old": "R1"}) == []


def test_all_reasons_are_given():
    """A line that breaks several rules hears of each, the worst first."""
    position = in_play(LOCKED, discards=("LOCK",))
    line = LIFT | {"put": [0, 0], "flip": [1, 1], "shows": "R7", "old": "R1"}

    assert codes(GAME, position, line) == [
        "gridlock-card-taken",
        "flipped-after-placing",
        "gridlock-card-replaced-early",
        "locked-card-replaced",
        "cards-rearranged",
        "flip-missing",
    ]


def test_who_is_out_and_plays_out_of_turn_hears_both():
    """A player with an empty grid has no further turn (GHL-17)."""
    assert codes(GAME, in_final(MIXED), DRAW | {"by": 1}) == [
        "out-of-turn-play",
        "played-after-going-out",
    ]


def test_start_and_next_round_before_the_final_flip_break_two_rules():
    """What comes before the final flip is also told what is missing."""
    start = {"by": 0, "start": [0, 1], "shows": "R2"}

    assert codes(GAME, FLIP_DUE, start) == ["wrong-start-flip", "final-flip-missing"]
    assert codes(GAME, FLIP_DUE, {"next_round": True}) == [
        "out-of-turn-play",
        "final-flip-missing",
    ]


@pytest.mark.parametrize(
    ("line", "position"),
    [
        ({}, in_play(MIXED)),
        ({"by": 0}, in_play(MIXED)),
        (DRAW | {"skip": True, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"discard": "B3"}, in_play(MIXED)),
        (DRAW | {"by": 2, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"by": -1, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"by": False, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"by": 0.0, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"by": "0", "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"by": None, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"flip": [0, 1]}, in_play(MIXED)),
        (DRAW | {"flip": [0, 1], "shows": "?"}, in_play(MIXED)),
        (DRAW | {"flip": [0, 1], "shows": "r2"}, in_play(MIXED)),
        (DRAW | {"flip": [0, 1], "shows": ["R2"]}, in_play(MIXED)),
        (DRAW | {"flip": [0, 3], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"flip": [0, True], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"flip": [0], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"flip": "0,1", "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"flip": None, "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"flip": [0, 1], "shows": "LOCK", "arrows": "up"}, in_play(MIXED)),
        (DRAW | {"flip": [0, 1], "shows": "LOCK", "arrows": None}, in_play(MIXED)),
        (DRAW | {"put": [0, 0], "eliminate": "diagonal"}, in_play(MIXED)),
        (DRAW | {"put": [0, 0], "eliminate": {"0": "row"}}, in_play(MIXED)),
        (DRAW | {"put": [0, 0], "old": "R10"}, in_play(MIXED)),
        ({"by": 0, "take": "draw", "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"card": None, "flip": [0, 1], "shows": "R2"}, in_play(MIXED)),
        (DRAW | {"take": "hand"}, in_play(MIXED)),
        (DRAW | {"take": True}, in_play(MIXED)),
        ({"by": 0, "skip": 1}, in_final(THREE_WITH_LOCK)),
        ({"by": 0, "skip": False}, in_final(THREE_WITH_LOCK)),
        ({"next_round": 1}, ROUND_OVER),
        ({"discard": 7}, GAME.start()),
        ({"discard": "AS"}, GAME.start()),
        ({"by": 0, "start": [1, 1]}, GAME.start()),
        ({"by": 0, "start": {"0": "0,3"}, "shows": "R2"}, GAME.start()),
        ({"by": 0, "start": [1, 1], "shows": "R0"}, GAME.start()),
        ({"final_flip": []}, FLIP_DUE),
        ({"final_flip": {"2": {}}}, FLIP_DUE),
        ({"final_flip": {"00": {}}}, FLIP_DUE),
        ({"final_flip": {"0": ["R2"]}}, FLIP_DUE),
        ({"final_flip": {"0": {"0, 1": "R2"}}}, FLIP_DUE),
        ({"final_flip": {"0": {"3,1": "R2"}}}, FLIP_DUE),
        ({"final_flip": {"0": {"0,1": "?"}}}, FLIP_DUE),
        ({"final_flip": {}, "arrows": "row"}, FLIP_DUE),
        ({"final_flip": {}, "arrows": {"0": "row"}}, FLIP_DUE),
        ({"final_flip": {}, "arrows": {"0": {"0,1": "up"}}}, FLIP_DUE),
        ({"final_flip": {}, "eliminate": "row"}, FLIP_DUE),
        ({"final_flip": {}, "eliminate": {"0": "diagonal"}}, FLIP_DUE),
        ({"place": "d6", "card": "7H"}, in_play(MIXED)),
        ({"place": "d6", "card": "7H"}, GAME_OVER),
    ],
)
def test_malformed_lines_are_refused(line: Line, position: Any):
    """What is not written as records are is malformed, in every phase."""
    assert codes(GAME, position, line) == ["malformed"]


@pytest.mark.parametrize(
    "line",
    [
        DRAW | {"flip": [0, 1], "shows": "R2", "arrows": "row", "old": 7},
        DRAW | {"put": [0, 0], "shows": "?", "arrows": "up"},
        LIFT | {"put": [0, 0], "card": "none", "at": "2025-11-21T19:49:17+01:00"},
        {"take": "discard", "put": [0, 0]},
    ],
)
def test_keys_that_a_turn_does_not_have_are_ignored(line: Line):
    """They are no reason to refuse, nor part of the turn; "by" may be left out."""
    position = in_play(MIXED)
    turn = GAME.turn_of(position, line)

    assert codes(GAME, position, line) == []
    assert GAME.turn_of(position, GAME.line_of(position, turn)) == turn
