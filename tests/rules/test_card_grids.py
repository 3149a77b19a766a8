"""How a card-grid game goes on: locks, eliminations, going out, rounds."""

from typing import Any

import pytest

from companion.errors import CompanionError
from companion.rules.card_positions import CardGridPosition, Phase, score
from companion.rules.grids import Cluster, Grid
from tests.card_tables import Line, cards, cell, codes, grid, open_game, played, playing
from tests.counts import perft_cases

GAME = open_game()
DULL = "R1 ? G5 / ? B9 ? / Y4 ? R7"
OUT = grid(". . . / . . . / . . .", direction="row")
DRAW: Line = {"take": "draw", "card": "Y2"}


def eliminated(position: CardGridPosition) -> list[tuple[int, str, int]]:
    return [
        (item["by"], " ".join(item["cards"]), item["points"])
        for item in GAME.effects(position)["eliminated"]
    ]


def locked(position: CardGridPosition, player: int) -> list[list[int]]:
    return GAME.state(position)["locked"][str(player)]


# -- setup -----------------------------------------------------------------------


def test_play_begins_with_the_last_start_line_in_any_order():
    """Start flips and first discard may come in any order (record format)."""
    position = played(GAME, GAME.start(), {"discard": "B3"})
    position = played(GAME, position, {"by": 1, "start": [1, 1], "shows": "R7"})
    assert position.phase is Phase.START
    assert GAME.to_move(position) == 0

    position = played(GAME, position, {"start": [0, 2], "shows": "G1"})

    assert position.phase is Phase.PLAY
    assert GAME.to_move(position) == 0
    assert position.grids[0].cards == cards("? ? G1 / ? ? ? / ? ? ?")


def test_round_k_is_begun_by_player_k_modulo_the_players():
    """The deal passes to the left (GHL-04)."""
    game = open_game(3)
    position = game.start()
    begun = []
    for _ in range(5):
        begun.append(game.to_move(position))
        over = playing(
            game, OUT, OUT, OUT, round=position.round, phase=Phase.ROUND_OVER
        )
        position = played(game, over, {"next_round": True})

    assert begun == [0, 1, 2, 0, 1]


# -- turns -----------------------------------------------------------------------


def test_a_replaced_card_goes_onto_the_discards():
    """The old card is discarded face up, its face known from then on (GHL-06)."""
    position = playing(GAME, DULL, DULL)

    position = played(GAME, position, {"take": "discard", "put": [0, 1], "old": "G2"})

    assert position.grids[0].cards[1] == "Y9"
    assert position.discards == ("G2",)
    assert position.pile == 120 - 18 - 1


def test_a_drawn_card_is_discarded_for_a_flip():
    """The pile is one card shorter, the drawn card on top of the discards (GHL-07)."""
    position = playing(GAME, DULL, DULL)

    position = played(GAME, position, DRAW | {"flip": [0, 1], "shows": "#"})

    assert position.grids[0].cards[1] == "#"
    assert position.discards == ("Y9", "Y2")
    assert position.pile == 120 - 18 - 2
    assert GAME.to_move(position) == 1


def test_with_all_cards_face_up_nothing_is_flipped():
    """A drawn card may then just be discarded (GHL-07)."""
    position = playing(GAME, "R1 G3 G5 / B2 B9 R4 / Y4 G8 R7", DULL)

    assert played(GAME, position, DRAW).discards == ("Y9", "Y2")


def test_with_all_face_down_cards_locked_nothing_is_flipped():
    """Locked cards may not be flipped, so the draw is discarded alone (GHL-11)."""
    own = grid("LOCK ? ? / B2 B9 R4 / Y4 G8 R7", locked=frozenset({0, 1, 2}))

    assert played(GAME, playing(GAME, own, DULL), DRAW).discards == ("Y9", "Y2")


def test_a_replaced_lock_card_locks_nothing():
    """A face-down card that turns out to be a lock is just discarded (GHL-A6)."""
    position = playing(GAME, DULL, DULL)

    position = played(GAME, position, {"take": "discard", "put": [0, 1], "old": "LOCK"})

    assert position.grids[0].locks == ()
    assert codes(GAME, position, {"take": "discard", "put": [0, 0]}) == [
        "gridlock-card-taken"
    ]


def test_an_empty_pile_is_made_of_the_discards_but_the_top_one():
    """They are unseen again, so a fourth copy may come (GHL-A15)."""
    discards = ("Y2", "Y2", "Y2", "G1", "Y9")
    position = playing(GAME, DULL, DULL, discards=discards, pile=0)
    line = DRAW | {"flip": [0, 1], "shows": "Y2"}

    position = played(GAME, position, line)

    assert position.pile == 3
    assert position.discards == ("Y9", "Y2")
    assert codes(GAME, playing(GAME, DULL, DULL, discards=discards, pile=1), line) == [
        "card-copy-exceeded"
    ]


def test_cards_that_are_left_out_exceed_their_copies():
    """Without wilds the first wild is one too many."""
    game = open_game(wilds=False)

    assert codes(game, game.start(), {"discard": "#"}) == ["card-copy-exceeded"]


# -- locks -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrows", "places"),
    [
        ({"arrows": "row"}, [[0, 0], [0, 1], [0, 2]]),
        ({"arrows": "column"}, [[0, 1], [1, 1], [2, 1]]),
        ({"arrows": "both"}, [[0, 0], [0, 1], [0, 2], [1, 1], [2, 1]]),
        ({}, [[0, 0], [0, 1], [0, 2], [1, 1], [2, 1]]),
    ],
)
def test_a_lock_binds_its_owners_next_turn_only(arrows: Line, places: list[list[int]]):
    """The row and/or column that the arrows point along (GHL-10)."""
    flip = DRAW | {"flip": [0, 1], "shows": "LOCK"} | arrows
    other = {"take": "draw", "card": "Y3", "put": [0, 0]}

    after_flip = played(GAME, playing(GAME, DULL, DULL), flip)
    bound = played(GAME, after_flip, other)
    free = played(GAME, bound, {"take": "discard", "put": [2, 2]}, other)

    assert locked(after_flip, 0) == []
    assert locked(bound, 0) == places
    assert locked(bound, 1) == []
    assert locked(free, 0) == []


def test_a_lock_of_the_start_flip_binds_the_first_turn():
    """The beginner's in the verdict of the last start line (GHL-A5)."""
    start = {"by": 0, "start": [2, 2], "shows": "LOCK", "arrows": "row"}
    position = played(
        GAME, GAME.start(), start, {"by": 1, "start": [0, 0], "shows": "B1"}
    )
    assert locked(position, 0) == []

    position = played(GAME, position, {"discard": "R1"})

    assert locked(position, 0) == [[2, 0], [2, 1], [2, 2]]


def test_several_locks_add_up():
    """One from the start, two decks, two locks: their cells together (GHL-11)."""
    own = grid("LOCK ? ? / ? LOCK ? / ? ? ?", locks=((0, "row"), (4, "column")))
    position = playing(GAME, DULL, own)

    position = played(GAME, position, {"take": "discard", "put": [0, 0]})

    assert locked(position, 1) == [[0, 0], [0, 1], [0, 2], [1, 1], [2, 1]]


def test_a_line_with_a_locked_cell_waits_for_the_next_turn():
    """It goes when the owner's next turn begins, before a card is taken (GHL-12)."""
    own = grid("LOCK G2 R9 / B5 B9 ? / Y4 G8 R7", locked=frozenset({0, 1, 2}))
    other = "R1 ? G5 / ? B9 ? / Y4 ? R7"
    position = playing(GAME, own, other, discards=("G1", "G9"))

    position = played(GAME, position, {"take": "discard", "put": [1, 1]})
    assert position.eliminated == ()
    assert GAME.extras(position)["grids"]["0"]["waiting"] == [
        {"cells": [[0, 1], [1, 1], [2, 1]], "points": 2}
    ]

    position = played(GAME, position, {"take": "draw", "card": "R3", "put": [0, 0]})
    assert eliminated(position) == [(0, "G2 G9 G8", 2)]
    assert GAME.to_move(position) == 0
    assert GAME.extras(position)["grids"]["0"]["waiting"] == []


def test_what_the_actor_eliminates_is_told_before_what_waited():
    """First the acting player's, then of the players whose turns begin."""
    waiting = "G2 G4 G8 / ? ? ? / ? ? ?"
    position = playing(GAME, "R1 R2 G5 / ? B9 ? / Y4 ? B7", waiting)

    position = played(GAME, position, {"take": "draw", "card": "R3", "put": [0, 2]})

    assert eliminated(position) == [(0, "R1 R2 R3", 8), (1, "G2 G4 G8", 2)]


# -- eliminations ------------------------------------------------------------------

CROSS = "? Y1 ? / R3 ? G5 / ? Y8 ?"
"""Y4 in the centre completes the row R3 Y4 G5 (4) and the column Y1 Y4 Y8 (2)."""
EVEN_CROSS = "? B3 ? / R3 ? G5 / ? G5 ?"
"""Y4 in the centre completes a row and a column of 4 points each."""


@pytest.mark.parametrize(
    ("choice", "gone"),
    [
        ({}, (0, "R3 Y4 G5", 4)),
        ({"eliminate": "row"}, (0, "R3 Y4 G5", 4)),
        ({"eliminate": "column"}, (0, "Y1 Y4 Y8", 2)),
    ],
)
def test_a_row_and_a_column_complete_together_are_a_choice(
    choice: Line, gone: tuple[int, str, int]
):
    """One goes; without a word the dearer (GHL-15)."""
    line = {"take": "draw", "card": "Y4", "put": [1, 1], "old": "R1"} | choice

    position = played(GAME, playing(GAME, CROSS, DULL), line)

    assert eliminated(position) == [gone]


def test_a_row_and_a_column_of_equal_value_leave_by_the_row():
    """Of equal values the row goes."""
    line = {"take": "draw", "card": "Y4", "put": [1, 1], "old": "R1"}

    position = played(GAME, playing(GAME, EVEN_CROSS, DULL), line)

    assert eliminated(position) == [(0, "R3 Y4 G5", 4)]


def test_the_first_direction_binds_for_the_round():
    """After a row, complete columns stay (GHL-14)."""
    own = grid(". . . / R1 G4 Y8 / R5 ? Y7", direction="row")
    line = {"take": "draw", "card": "G9", "put": [2, 1], "old": "B1"}

    position = played(GAME, playing(GAME, own, DULL), line)

    assert position.eliminated == ()


def test_pending_lines_of_one_direction_go_together():
    """The direction with the higher sum, all its complete lines (GHL-A7)."""
    # Rows: R1 R2 R3 (8); columns: R1 G1 B1 (6) and R3 Y3 B3 (6).
    waiting = "R1 R2 R3 / G1 ? Y3 / B1 ? B3"
    position = playing(GAME, DULL, waiting)

    position = played(GAME, position, {"take": "discard", "put": [0, 0]})

    assert eliminated(position) == [(1, "R1 G1 B1", 6), (1, "R3 Y3 B3", 6)]
    assert position.grids[1].direction == "column"


def test_two_wilds_go_with_any_card_but_not_with_a_lock():
    """A lock card never combines (GHL-A10)."""
    line = {"take": "draw", "card": "#", "put": [0, 0]}

    wild = played(GAME, playing(GAME, "G1 # B7 / ? ? ? / ? ? ?", DULL), line)
    lock = played(GAME, playing(GAME, "G1 # LOCK / ? ? ? / ? ? ?", DULL), line)

    assert eliminated(wild) == [(0, "# # B7", 10)]
    assert lock.eliminated == ()


# -- going out ---------------------------------------------------------------------

NEARLY_OUT = grid(
    ". . . / . . . / R1 R2 ?",
    direction="row",
    clusters=(Cluster(("G9", "G9", "G9"), 24), Cluster(("R9", "R9", "R9"), 24)),
)
GO_OUT: Line = {"take": "draw", "card": "R3", "put": [2, 2], "old": "B1"}


def test_the_first_out_gets_six_and_the_final_flip_is_due():
    """The normal part of the round is over (GHL-17)."""
    position = played(GAME, playing(GAME, NEARLY_OUT, DULL), GO_OUT)

    assert position.phase is Phase.FINAL
    assert GAME.to_move(position) is None
    assert GAME.state(position)["score"] == {"0": 24 + 24 + 8 + 6, "1": 0}
    assert GAME.extras(position)["waiting_for"] == "final_flip"


def test_who_goes_out_as_the_turn_begins_takes_no_card():
    """A waiting line may be the last one (GHL-A21)."""
    waiting = grid(". . . / . . . / R1 R2 R3", direction="row")
    position = playing(GAME, DULL, waiting)

    position = played(GAME, position, {"take": "discard", "put": [0, 0]})

    assert position.first_out == 1
    assert position.phase is Phase.FINAL
    assert GAME.to_move(position) is None
    assert GAME.state(position)["score"]["1"] == 8 + 6


def final(own: Grid | str, game: Any = GAME, **facts: Any) -> CardGridPosition:
    """Return the moment before the final flip, player 1 being out."""
    return playing(
        game, own, OUT, phase=Phase.FINAL, to_move=None, first_out=1, **facts
    )


def test_in_the_final_flip_locks_stop_nothing_and_then_bind():
    """Complete lines of one direction go, then the first last turn begins (GHL-A13)."""
    own = grid("? R2 R3 / G1 LOCK ? / B5 ? Y9", locks=((4, "row"),))
    faces = {"0,0": "R1", "1,2": "B1", "2,1": "G8"}

    position = played(GAME, final(own), {"final_flip": {"0": faces}})

    assert eliminated(position) == [(0, "R1 R2 R3", 8)]
    assert GAME.to_move(position) == 0
    assert locked(position, 0) == [[1, 0], [1, 1], [1, 2]]
    assert GAME.extras(position)["last_turns"] == {"0": 2, "1": 0}


def test_a_lock_found_in_the_final_flip_binds_by_its_arrows():
    """The arrows are told by cell."""
    own = "? R9 G3 / G1 B7 R5 / B5 Y8 Y9"
    line = {"final_flip": {"0": {"0,0": "LOCK"}}, "arrows": {"0": {"0,0": "column"}}}

    position = played(GAME, final(own), line)

    assert locked(position, 0) == [[0, 0], [1, 0], [2, 0]]


@pytest.mark.parametrize(
    ("choice", "gone"),
    [
        ({}, [(0, "Y5 Y5 Y5", 24)]),
        ({"eliminate": {"0": "row"}}, [(0, "Y5 R6 G7", 4)]),
    ],
)
def test_the_direction_of_the_final_flip_is_a_choice(
    choice: Line, gone: list[tuple[int, str, int]]
):
    """Without a word the direction with the higher sum goes (GHL-18)."""
    own = "? R6 G7 / Y5 B1 R9 / Y5 G3 B8"

    position = played(GAME, final(own), {"final_flip": {"0": {"0,0": "Y5"}}} | choice)

    assert eliminated(position) == gone


def test_who_goes_out_in_the_final_flip_has_no_last_turn_and_no_bonus():
    """With nobody left to play the round is over at once (GHL-A14)."""
    own = grid(". . . / . . . / R1 ? R3", direction="row")

    position = played(GAME, final(own), {"final_flip": {"0": {"2,1": "R2"}}})

    assert position.phase is Phase.ROUND_OVER
    assert GAME.state(position)["score"]["0"] == 8


def test_last_turns_go_round_twice_from_the_left_of_who_went_out():
    """Players 2, 0, 2, 0 after player 1 (GHL-19); nothing is flipped."""
    game = open_game(3)
    own = "R1 G3 G5 / B2 B9 R4 / Y4 G8 R7"
    position = playing(
        game, own, OUT, own, phase=Phase.FINAL, to_move=None, first_out=1
    )
    position = played(game, position, {"final_flip": {}})
    order = []
    while position.phase is Phase.FINAL:
        order.append(game.to_move(position))
        position = played(game, position, DRAW | {"card": f"G{2 * len(order)}"})

    assert order == [2, 0, 2, 0]
    assert position.phase is Phase.ROUND_OVER


def test_lines_that_waited_may_end_several_turns_at_once():
    """A pending line that empties a grid passes the turn on (GHL-A14)."""
    game = open_game(3)
    waiting = grid(". . . / . . . / R1 R2 R3", direction="row")
    own = "B1 G3 G5 / B2 B9 R4 / Y4 G8 R7"
    position = playing(
        game,
        OUT,
        own,
        waiting,
        phase=Phase.FINAL,
        to_move=1,
        first_out=0,
        turns_left=(0, 1, 1),
    )

    position = played(game, position, DRAW)

    assert eliminated(position) == [(2, "R1 R2 R3", 8)]
    assert position.phase is Phase.ROUND_OVER


def last_turn(
    own: Grid | str, left: int, game: Any = GAME, **facts: Any
) -> CardGridPosition:
    """Return a last turn of player 0, so many being left."""
    last = {"phase": Phase.FINAL, "first_out": 1, "turns_left": (left, 0)}
    return playing(game, own, OUT, **last, **facts)


@pytest.mark.parametrize(
    ("own", "left", "option", "due"),
    [
        (". . . / . . . / R1 LOCK G5", 2, "forfeit", True),
        (". . . / . . . / R1 LOCK G5", 1, "forfeit", False),
        (". . . / B3 G2 R9 / R1 LOCK G5", 2, "forfeit", False),
        (". . . / B3 LOCK R9 / R1 LOCK G5", 2, "forfeit", False),
        (". . . / B3 LOCK R9 / R1 LOCK G5", 1, "forfeit", True),
        (". . . / LOCK LOCK R9 / R1 LOCK G5", 1, "forfeit", True),
        (". . . / B3 LOCK R9 / R1 LOCK G5", 1, "locked-cells-only", False),
        (". . . / . . . / R1 LOCK G5", 2, "locked-cells-only", True),
        (". . . / . . . / LOCK LOCK G5", 1, "forfeit", True),
        (". . . / . . . / R1 B3 G5", 2, "forfeit", False),
    ],
)
def test_locks_cost_last_turns(own: str, left: int, option: str, due: bool):
    """The last line's lock the first, two locks the second one (GHL-20)."""
    game = open_game(final_double_lock=option)
    position = last_turn(own, left, game)
    skip = {"by": 0, "skip": True}

    assert codes(game, position, skip) == ([] if due else ["turn-skipped"])
    assert (codes(game, position, DRAW) == ["lost-turn-played"]) is due
    assert game.extras(position)["waiting_for"] == ("skip" if due else "take")


def test_a_lost_turn_is_one_of_the_two():
    """After the skip the lock card may be replaced in the second turn."""
    position = last_turn(". . . / . . . / R1 LOCK G5", 2)

    position = played(GAME, position, {"by": 0, "skip": True})
    assert position.turns_left == (1, 0)

    position = played(GAME, position, {"take": "discard", "put": [2, 1]})
    assert position.phase is Phase.ROUND_OVER


# -- scores ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "direction", "option", "points"),
    [
        (". . . / . . . / . . .", "row", "three", 0),
        (". . . / . . . / R1 B3 G6", "row", "three", -2),
        (". . . / . . . / R1 # G6", "row", "three", -4),
        (". . . / . . . / R1 LOCK #", "row", "three", -6),
        ("R1 B3 . / R9 B5 . / R4 G9 .", "column", "six", -4),
        ("R1 B3 G6 / R9 B5 G2 / R4 G9 B8", None, "three", -6),
        ("R1 B3 G6 / R9 B5 G2 / R4 G9 B8", None, "six", -12),
        ("LOCK # # / # LOCK # / # # LOCK", None, "three", -24),
    ],
)
def test_what_is_left_costs_two_each(
    own: str, direction: Any, option: str, points: int
):
    """Lines, wilds and lock cards (GHL-21, GHL-A8, GHL-A9)."""
    game = open_game(open_lines=option)
    position = playing(
        game, grid(own, direction=direction), OUT, phase=Phase.ROUND_OVER, first_out=1
    )

    assert score(game.rules, position, 0) == points


def test_the_best_round_is_worth_78():
    """Three sets of one colour and number, and out first (rule book, Q&A)."""
    nines = grid(
        ". . . / . . . / B8 B8 ?", direction="row", clusters=NEARLY_OUT.clusters
    )

    position = played(GAME, playing(GAME, nines, DULL), GO_OUT | {"card": "B8"})

    assert GAME.state(position)["score"]["0"] == 78


def last_move(game: Any, totals: tuple[int, ...], players: int = 2) -> Any:
    """Return the position before the last draw of a round; all but 0 are out."""
    return playing(
        game,
        grid(". . . / . . . / R1 B3 G6", direction="row"),
        *[OUT] * (players - 1),
        phase=Phase.FINAL,
        first_out=1,
        turns_left=(1,) + (0,) * (players - 1),
        totals=totals,
    )


@pytest.mark.parametrize(
    ("rules", "totals", "over"),
    [
        ({}, (50, 104), None),
        ({}, (50, 106), {"winner": 1}),
        ({}, (114, 60), {"winner": 0}),
        ({"points": 68}, (50, 60), None),
        ({"points": 66}, (50, 60), {"winner": 1}),
        ({"rounds": 1}, (50, 60), {"winner": 1}),
        ({"rounds": 2}, (50, 60), None),
        ({"rounds": 1}, (68, 60), {"winners": [0, 1]}),
        ({"rounds": 2}, (50, 106), {"winner": 1}),
        ({"rounds": 2, "points": None}, (50, 106), None),
    ],
)
def test_rounds_and_points_end_the_game(
    rules: dict[str, Any], totals: tuple[int, ...], over: Any
):
    """Whichever comes first; the highest total wins, a tie is shared (GHL-22)."""
    game = open_game(**rules)

    position = played(game, last_move(game, totals), DRAW)

    assert position.totals == (totals[0] - 2, totals[1] + 6)
    assert game.state(position)["over"] == over
    assert game.state(position)["phase"] == ("game-over" if over else "round-over")


def test_teams_add_their_totals():
    """Their sum reaches the points and wins, with all members (GHL-23)."""
    game = open_game(4, teams="xyxy")

    position = played(game, last_move(game, (60, 40, 60, 10), players=4), DRAW)

    assert game.state(position)["over"] == {"winners": [0, 2]}
    assert game.extras(position)["teams"] == {"x": 118, "y": 56}
    assert game.outcome(position).reason == "A and C have the highest total, 118."


# -- shown -------------------------------------------------------------------------


def test_the_page_is_told_what_lies_beside_the_grids():
    """Discards, pile, unseen copies, directions, locks, what is waited for."""
    own = grid(". . . / LOCK G4 Y8 / R5 ? Y7", direction="row", locks=((3, "row"),))

    extras = GAME.extras(playing(GAME, DULL, own, discards=("R1", "#")))

    assert extras["round"] == 1
    assert extras["waiting_for"] == "take"
    assert extras["discard"] == "#"
    assert extras["pile"] == 101
    assert extras["unseen"]["R1"] == 1
    assert extras["unseen"]["#"] == 8
    assert extras["unseen"]["B1"] == 3
    assert extras["grids"]["1"] == {
        "direction": "row",
        "clusters": [],
        "locks": [{"cell": [1, 0], "arrows": "row"}],
        "waiting": [],
    }
    assert extras["teams"] == {}


def test_the_board_has_a_place_for_every_card():
    """Outlines of all cells are apart and lie within the board."""
    board = open_game(7).board
    corners = [board.outline(cell)[0] for cell in board.cells]

    assert len(board.cells) == 7 * 9
    assert len(set(corners)) == len(corners)
    assert board.cells[11] == "p1:c1"
    for cell_name in board.cells:
        left_top, right_top, right_bottom, _ = board.outline(cell_name)
        assert right_top[0] - left_top[0] == 63
        assert right_bottom[1] - left_top[1] == 88
        assert 0 <= left_top[0] <= right_bottom[0] <= board.size_mm[0]
        assert 0 <= left_top[1] <= right_bottom[1] <= board.size_mm[1]


def test_appearance_says_what_lies_on_every_cell():
    """Faces, face-down cards and gaps."""
    own = grid(". . . / R1 G4 Y8 / R5 ? Y7", direction="row")
    looks = GAME.appearance(playing(GAME, own, DULL))

    assert set(looks) == set(GAME.board.cells)
    assert looks[GAME.board.cells[0]] == "empty"
    assert looks[GAME.board.cells[3]] == "R1"
    assert looks[GAME.board.cells[7]] == "face-down"


def test_this_game_is_told_not_seen():
    """Without a reader nothing is explained, and nothing adopted."""
    position = GAME.start()

    assert GAME.looks() == ()
    assert [e.turns for e in GAME.explanations(position, {})] == [()]
    with pytest.raises(CompanionError, match="told, not seen"):
        GAME.adopt(position, {}, 0)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            {"by": 0, "start": [1, 1], "shows": "R7"},
            "A flips up R7 at the centre to start.",
        ),
        ({"discard": "B3"}, "B3 begins the discard pile."),
        (
            {"take": "discard", "put": [0, 1], "old": "G2"},
            "A takes Y9 from the discard pile, puts it at the top middle and "
            "discards G2.",
        ),
        (
            DRAW | {"by": 1, "put": [0, 0]},
            "B takes Y2 from the draw pile, puts it at the top left and discards R1.",
        ),
        (DRAW, "A takes Y2 from the draw pile and discards it."),
        (
            DRAW | {"flip": [2, 1], "shows": "#"},
            "A takes Y2 from the draw pile, discards it and flips up # at the bottom "
            "middle.",
        ),
        ({"by": 1, "skip": True}, "B loses a turn to a lock card."),
        ({"next_round": True}, "Round 2 is dealt."),
    ],
)
def test_turns_are_described(line: Line, text: str):
    """In a plain sentence."""
    position = playing(GAME, DULL, DULL)

    assert GAME.describe(position, GAME.turn_of(position, line)) == text


def test_it_is_told_what_is_eliminated_and_what_for():
    """Of a turn that breaks no rule: of others nothing goes."""
    position = playing(GAME, grid("R1 R2 ? / ? B9 ? / Y4 ? R7"), DULL)
    put = DRAW | {"card": "R3", "put": [0, 2], "old": "G2"}
    done = "A takes R3 from the draw pile, puts it at the top right and discards G2."

    told, untimely = (
        GAME.describe(position, GAME.turn_of(position, put | by))
        for by in ({}, {"by": 1})
    )

    assert told == f"{done} A's R1, R2 and R3 are eliminated for 8 points."
    assert untimely == done.replace("A takes", "B takes")


def test_the_winners_grid_is_lit():
    """And before that what the last turn changed."""
    game = open_game(rounds=1)
    position = played(game, last_move(game, (0, 0)), DRAW | {"put": cell(6)})

    won, last = game.highlights(position)

    assert won.meaning.value == "won"
    assert won.cells[0] == "p1:a1"
    assert last.meaning.value == "last-turn"
    assert last.cells == ("p0:a3",)


# -- counts of what may be done ------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fields"),
    [pytest.param(*case, id=case[0]) for case in perft_cases("gridlock-cards")],
)
def test_the_number_of_things_to_do_is_as_counted_by_hand(
    name: str, fields: dict[str, str]
):
    """Of all lines that can be written, as many are legal as the file says."""
    own = grid(
        fields["grid"],
        direction=fields.get("direction"),
        locked=frozenset(map(int, fields.get("locked", "").split())),
    )
    position = playing(GAME, own, DULL, discards=(fields["discard"],))
    if "last" in fields:
        position = last_turn(own, int(fields["last"]), discards=(fields["discard"],))
    draw = {"take": "draw", "card": fields["draw"]}
    choices: list[Line] = [{}, {"eliminate": "row"}, {"eliminate": "column"}]
    puts = [
        {"put": cell(place)} | ({"old": "B2"} if own.cards[place] == "?" else {})
        for place in range(9)
    ]
    flips = [{"flip": cell(place), "shows": "B2"} for place in range(9)]

    def legal(*lines: Line) -> int:
        return sum(codes(GAME, position, line) == [] for line in lines)

    counted = {
        "lift": legal(*[{"take": "discard"} | p | c for p in puts for c in choices]),
        "place": legal(*[draw | p | c for p in puts for c in choices]),
        "flip": legal(*[draw | f | c for f in flips for c in choices]),
        "rest": legal(*[draw | c for c in choices]),
        "skip": legal({"skip": True}),
    }
    assert counted == {kind: int(fields[kind]) for kind in counted}
