"""What a camera sees of five in a row: boards before and after, and what was done."""

import pytest

from companion.rules.game import Meaning
from companion.rules.run_turns import Place, Remove, Swap, TurnOver
from tests.boards import chip_game, looks_of, picture_of, position_of

# Ann plays white and is on turn. White: four and a claimed run; red: three, a run.
BOARD = """
.......w..
.wwww.....
.rrr......
.....WWWWW
..........
..........
..........
.RRRRR....
"""

# name of the case: game, changed squares, codes (the first ones, in order)
SLIPS = {
    "red plays on white's turn": (
        "gridlock",
        {"a5": "red"},
        ["out-of-turn-play", "turn-skipped", "wrong-color-placed"],
    ),
    "two white chips": (
        "gridlock",
        {"a5": "white", "b6": "white"},
        ["two-chips-placed"],
    ),
    "two red chips taken": (
        "gridlock",
        {"b3": "empty", "c3": "empty"},
        ["two-chips-removed"],
    ),
    "pushed to the next square": (
        "gridlock",
        {"b2": "empty", "a2": "white"},
        ["chip-moved"],
    ),
    "white takes white": ("gridlock", {"b2": "empty"}, ["own-chip-removed"]),
    "taken and another placed": (
        "gridlock",
        {"b3": "empty", "a9": "white"},
        ["replaced-same-turn"],
    ),
    "taken and replaced": ("gridlock", {"b3": "white"}, ["replaced-same-turn"]),
    "frozen chip taken": ("gridlock", {"b8": "empty"}, ["frozen-chip-removed"]),
    "frozen chip replaced": (
        "gridlock",
        {"b8": "white"},
        ["frozen-chip-removed", "replaced-same-turn"],
    ),
    "frozen chip moved": (
        "gridlock",
        {"b8": "empty", "a8": "red-turned"},
        ["frozen-chip-moved"],
    ),
    "own frozen chip moved": (
        "gridlock",
        {"f4": "empty", "e4": "white-turned"},
        ["frozen-chip-moved"],
    ),
    "frozen chip turned back": ("gridlock", {"f4": "white"}, ["frozen-chip-unturned"]),
    "four chips turned": (
        "gridlock",
        dict.fromkeys(("b2", "c2", "d2", "e2"), "white-turned"),
        ["turn-over-without-run", "wrong-chips-turned-over"],
    ),
    "the other team's chips turned": (
        "gridlock",
        {"b3": "red-turned"},
        ["opponent-chips-turned-over"],
    ),
    "a run is turned over by halves": (
        "gridlock",
        {"f2": "white", "b2": "white-turned", "c2": "white-turned"},
        ["run-partly-turned-over"],
    ),
    "the wrong chips turned with the run": (
        "gridlock",
        {
            "f2": "white-turned",
            **dict.fromkeys(("b2", "c2", "d2", "e2"), "white-turned"),
            "b3": "red-turned",
        },
        ["opponent-chips-turned-over"],
    ),
    "a chip on a corner": ("gridlock", {"a1": "white"}, ["chip-on-corner"]),
    "a chip face down": ("gridlock", {"h7": "white-turned"}, ["chip-placed-face-down"]),
    "everything shifted": (
        "gridlock",
        {"b2": "empty", "c2": "empty", "b3": "empty", "h9": "white", "h10": "red"},
        ["board-disturbed"],
    ),
    "white side early": ("states", {"h7": "white-turned"}, ["chip-placed-face-down"]),
    "hole left empty": ("jacks-rule", {"b3": "empty"}, ["replacement-missing"]),
    "peg in another hole": (
        "jacks-rule",
        {"b3": "empty", "a9": "white"},
        ["replacement-elsewhere"],
    ),
    "a row broken": ("jacks-rule", {"d8": "white"}, ["row-broken"]),
    "exchange and another peg": (
        "jacks-rule",
        {"b3": "white", "a9": "white"},
        ["two-chips-placed"],
    ),
}


@pytest.mark.parametrize("case", SLIPS)
def test_a_slip_is_named(case: str):
    """What no rule allows is one illegal turn with its codes, the likeliest story."""
    name, seen, codes = SLIPS[case]
    game = chip_game(name)
    picture = BOARD.lower() if name == "jacks-rule" else BOARD
    position = position_of(game, picture)

    story = next(game.explanations(position, seen))

    named = [v.code for v in story.violations]
    assert named[: len(codes)] == codes
    assert "chip-moved" not in codes[0] or named == codes  # moved, and nothing else
    accepted = game.appearance(game.apply(position, story.turns[0]))
    assert all(accepted[cell] == look for cell, look in seen.items())


@pytest.mark.parametrize(
    ("gone", "says"),
    [(("b2",), "b2 was taken."), (("b2", "c2"), "b2 and c2 were taken.")],
)
def test_one_chip_was_taken_and_two_were(gone: tuple[str, ...], says: str):
    """What people read at the table is a whole sentence."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)

    story = next(game.explanations(position, dict.fromkeys(gone, "empty")))

    assert any(says in violation.text for violation in story.violations)


def test_a_run_on_a_turned_end_is_named():
    """Five complete chips that begin on a turned one may not be turned over."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n.WWWWW....\n.w\n.w\n.w\n")
    seen = dict.fromkeys(("b3", "b4", "b5", "b6"), "white-turned")

    story = next(game.explanations(position, seen))

    assert story.violations[0].code == "run-ends-on-turned-chip"


def test_a_sequence_that_shares_too_much_is_named():
    """States: a second sequence with two spaces of the first one is none."""
    game = chip_game("states")
    position = position_of(game, "..........\n.WWWWW....\n")
    position = position_of(game, "..........\n.WWWWWww..\n")
    seen = {"g2": "white-turned", "h2": "white-turned", "i2": "white-turned"}

    story = next(game.explanations(position, seen))

    assert story.violations[0].code == "sequence-shares-too-much"


def test_a_corner_peg_stays():
    """The peg on a joker square can neither be taken nor exchanged."""
    game = chip_game("jacks-rule")
    position = position_of(game, "r.........")

    for look in ("white", "empty"):
        story = next(game.explanations(position, {"a1": look}))
        assert "corner-peg-removed" in [v.code for v in story.violations]


def test_nothing_is_played_after_the_win():
    """The winning run may be turned over; anything else is too late."""
    game = chip_game("gridlock", runs_to_win=1)
    position = position_of(game, "..........\n.wwww.....")
    won = game.apply(
        position, next(game.explanations(position, {"f2": "white"})).turns[0]
    )
    turned = dict.fromkeys(("b2", "c2", "d2", "e2", "f2"), "white-turned")

    late = next(game.explanations(won, {"a9": "red"}))
    over = next(game.explanations(won, turned))

    assert game.outcome(won).winners == (0,)
    assert late.violations[0].code == "play-after-game-over"
    assert over.violations == ()
    assert game.outcome(game.apply(won, over.turns[0])).winners == (0,)


def test_too_many_pieces_are_seen():
    """More chips of a colour than exist are counted on the board."""
    game = chip_game("gridlock")
    squares = [c for c in game.board.cells if c[0] in "bcdefghi"][:49]
    seen = dict.fromkeys(squares, "white")

    codes = [v.code for v in next(game.explanations(game.start(), seen)).violations]

    assert "wrong-chip-total" in codes


def test_unseen_cards_run_out():
    """A seventh chip on squares of one card needs a fifth wild card."""
    game = chip_game("gridlock")
    position = position_of(game, "")
    for _ in range(3):
        for turn in (Place(0, None, 53), Remove(1, "JC", 53)):
            position = game.apply(position, turn)
    for _ in range(3):
        for turn in (Place(0, None, 53), Remove(1, "JD", 53)):
            position = game.apply(position, turn)

    story = next(game.explanations(position, {"d6": "white"}))

    assert [v.code for v in story.violations] == ["wild-count-impossible"]


# -- legal stories ------------------------------------------------------------


def told(game, position, seen):
    """Return the turns of the likeliest story, which must be legal."""
    story = next(game.explanations(position, seen))
    assert story.violations == ()
    return story.turns


def test_an_unchanged_board_needs_no_story():
    """Seeing what was expected is explained by nothing, which is the likeliest."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)

    (story,) = game.explanations(position, game.appearance(position))

    assert (story.turns, story.log_prior, story.violations) == ((), 0.0, ())


@pytest.mark.parametrize(
    ("name", "seen", "turns"),
    [
        ("gridlock", {"a5": "white"}, (Place(0, None, 40),)),
        ("gridlock", {"b3": "empty"}, (Remove(0, None, 21),)),
        ("jacks-rule", {"b3": "white"}, (Swap(0, None, 21),)),
        ("gridlock", {"f2": "white"}, (Place(0, None, 15, face_up=True),)),
        (
            "gridlock",
            dict.fromkeys(("b2", "c2", "d2", "e2", "f2"), "white-turned"),
            (Place(0, None, 15),),
        ),
        (
            "gridlock",
            {"a5": "white", "a6": "red"},
            (Place(0, None, 40), Place(1, None, 50)),
        ),
        (
            "gridlock",
            {"a5": "white", "a6": "red", "a7": "white"},
            (Place(0, None, 40), Place(1, None, 50), Place(0, None, 60)),
        ),
        (
            "gridlock",
            {"b3": "empty", "b2": "empty"},
            (Remove(0, None, 21), Remove(1, None, 11)),
        ),
    ],
)
def test_looks_are_explained_by_legal_turns(name: str, seen: dict, turns: tuple):
    """One turn, or several if looks were missed, told in the order of play."""
    game = chip_game(name)
    picture = BOARD.lower() if name == "jacks-rule" else BOARD
    position = position_of(game, picture)

    assert told(game, position, seen) == turns


def test_a_push_and_a_missed_look_are_weighed():
    """A red chip gone and a red one elsewhere: pushed, or taken and another played."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)

    near = list(game.explanations(position, {"b3": "empty", "b4": "red"}))
    far = list(game.explanations(position, {"b3": "empty", "h7": "red"}))

    assert near[0].violations[0].code == "chip-moved"
    assert near[1].violations == ()
    assert near[0].log_prior - near[1].log_prior > 3  # pushed, as it is so near
    assert {story.violations == () for story in far} == {True, False}
    assert abs(far[0].log_prior - far[1].log_prior) < 3  # the players are asked


def test_only_the_piece_that_went_elsewhere_was_pushed():
    """A chip played beside the place that another left far away pushed nothing."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)
    pushed = next(game.explanations(position, {"b3": "empty", "b4": "red"}))
    far = {"b3": "empty", "h7": "red"}

    alone = next(
        story for story in game.explanations(position, far) if story.violations
    )
    beside = next(game.explanations(position, {**far, "a4": "white"}))

    assert beside.violations[0].code == "chip-moved"
    assert beside.log_prior < alone.log_prior < pushed.log_prior


def test_frozen_chips_are_pushed_as_easily_as_others():
    """A sleeve does not know which chips may move."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)

    free = next(game.explanations(position, {"b3": "empty", "b4": "red"}))
    frozen = next(game.explanations(position, {"b8": "empty", "a8": "red-turned"}))

    assert frozen.violations[0].code == "frozen-chip-moved"
    assert frozen.log_prior == free.log_prior


def test_a_run_is_reminded_of_until_it_is_turned_over():
    """The next player cannot act while a run lies colour up, but both may be seen."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)
    pending = game.apply(position, told(game, position, {"f2": "white"})[0])
    run = dict.fromkeys(("b2", "c2", "d2", "e2", "f2"), "white-turned")

    assert game.appearance(pending)["b2"] == "white"
    assert game.highlights(pending)[0].meaning is Meaning.TURN_OVER
    assert set(game.highlights(pending)[0].cells) == set(run)
    assert pending.score == (2, 1)

    too_soon = next(game.explanations(pending, {"a9": "red"}))
    partly = next(game.explanations(pending, dict(list(run.items())[:3])))
    both = told(game, pending, {**run, "a9": "red"})
    wrong = next(game.explanations(pending, {"b2": "white-turned", "b3": "red-turned"}))
    other = next(
        game.explanations(pending, dict.fromkeys(("b2", "h1"), "white-turned"))
    )

    assert wrong.violations[0].code == "opponent-chips-turned-over"
    assert other.violations[0].code == "wrong-chips-turned-over"
    assert [v.code for v in too_soon.violations] == ["run-not-turned-over"]
    assert [v.code for v in partly.violations] == ["run-partly-turned-over"]
    assert [type(turn) for turn in both] == [TurnOver, Place]


def test_a_forgotten_run_and_the_next_turn_in_one_look():
    """If the look between was missed, the run is missed too, and said to be."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)

    story = next(game.explanations(position, {"f2": "white", "a9": "red"}))

    assert [v.code for v in story.violations] == ["run-not-turned-over"]
    assert [type(turn) for turn in story.turns] == [Place, Place]


def test_an_overlooked_run_is_claimed_by_turning_it_over():
    """A team on turn may turn a complete run over before it plays (G35-A7)."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n.wwwww....")
    run = dict.fromkeys(("b2", "c2", "d2", "e2", "f2"), "white-turned")

    claimed = game.apply(position, told(game, position, run)[0])

    assert claimed.score == (1, 0)
    assert game.to_move(claimed) == 0


def test_a_win_in_the_middle_ends_the_story():
    """After the winning run no further turn is legal, even if looks were missed."""
    game = chip_game("gridlock", runs_to_win=1)
    position = position_of(game, "..........\n.wwww.....")
    run = dict.fromkeys(("b2", "c2", "d2", "e2", "f2"), "white-turned")

    story = next(game.explanations(position, {**run, "a9": "red"}))

    assert story.violations


def test_three_teams_play_in_order():
    """A missed look of three teams is told in the order of the seats."""
    game = chip_game("states", "red green blue")

    turns = told(game, game.start(), {"a3": "red", "a1": "green", "a2": "blue"})

    assert [turn.by for turn in turns] == [0, 1, 2]
    assert [turn.square for turn in turns] == [20, 0, 10]


# -- accepted tables ----------------------------------------------------------


def test_players_may_accept_the_table():
    """What lies there is the position then, with the runs of its turned chips."""
    game = chip_game("gridlock")
    picture = "..........\n.WWWWW....\n.......r..\n" + "..........\n" * 7
    position = game.start()

    table = game.adopt(position, looks_of(picture), 1)
    after = game.apply(position, table)

    assert game.violations(position, table) == ()
    assert picture_of(game, after).split() == picture.split()
    assert (after.score, game.to_move(after)) == ((1, 0), 1)
    assert game.turn_of(position, game.line_of(position, table)) == table


def test_a_run_accepted_colour_up_counts_and_may_be_turned_later():
    """Players who leave a run colour up are believed, and not nagged again."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)
    pending = game.apply(position, told(game, position, {"f2": "white"})[0])

    after = game.apply(pending, game.adopt(pending, {}, 1))
    run = dict.fromkeys(("b2", "c2", "d2", "e2", "f2"), "white-turned")

    assert after.score == (2, 1)
    assert game.appearance(after)["b2"] == "white"
    assert [type(t) for t in told(game, after, {"a9": "red"})] == [Place]
    turned = game.apply(after, told(game, after, run)[0])
    assert game.appearance(turned)["b2"] == "white-turned"
    assert turned.score == (2, 1)


def test_a_chip_left_on_a_corner_is_accepted():
    """What the players accept can be written, read again, and played on from."""
    game = chip_game("gridlock")
    table = game.adopt(game.start(), {"a1": "white"}, 1)

    line = game.line_of(game.start(), table)
    after = game.apply(game.start(), game.turn_of(game.start(), line))

    assert game.appearance(after)["a1"] == "white"
    assert told(game, after, {"a9": "red"}) == (Place(1, None, 80),)


# -- the page -----------------------------------------------------------------


def test_cards_that_explain_a_turn_come_first():
    """For the page: the square's own card, then the wild ones, then all others."""
    game = chip_game("gridlock")
    fitting, others = game.card_choices(game.start(), Place(0, None, 53))
    told = game.turn_of(game.start(), {"pass": True})

    assert set(fitting) == {"7H", "JS", "JH"}
    assert len({*fitting, *others}) == len(fitting) + len(others) == 52
    assert game.card_choices(game.start(), told) == ((), ())


def test_sentences_say_who_did_what():
    """A turn is told with the player, the square, the card and the run it made."""
    game = chip_game("gridlock", runs_to_win=1)
    position = position_of(game, "..........\n.wwww.....")
    line = {"card": "JS", "place": "f2"}

    text = game.describe(position, game.turn_of(position, line))

    assert text == "Ann puts a white chip on f2 with JS: run b2 to f2. White wins!"


def test_highlights_of_a_won_game():
    """The winning runs come first, then the last turn, then the runs of each team."""
    game = chip_game("jacks-rule")
    position = position_of(game, "wwwwwwwww.\nwwwww.....\n"[:10] + "\nwwwww")
    won = [h.meaning for h in game.highlights(position)]

    assert won[0] is Meaning.WON
    assert Meaning.RUN in won
