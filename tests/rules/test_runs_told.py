"""What may be told of a five-in-a-row game, and what the referee says to it."""

import pytest

from companion.errors import HeaderError, NotationError
from companion.record import header_of, open_game
from tests.boards import chip_game, picture_of, played, position_of

# White: a row of four and a claimed run; red: three in a row and the run j1..j5.
BOARD = """
.....r....
.wwww.....
.rrr......
.....WWWWW
"""

REFUSED = [
    # game, line on BOARD with white (Ann, 0) on turn, first code, rule
    ("gridlock", {"by": 1, "card": "QC", "place": "a7"}, "out-of-turn-play", "G35-08"),
    ("gridlock", {"card": "QC", "place": "a8"}, "wrong-square", "G35-10"),
    ("gridlock", {"card": "QC", "place": "f4"}, "wrong-square", "G35-10"),
    ("gridlock", {"card": None, "place": "b2"}, "stacked-chips", "G35-10"),
    ("gridlock", {"card": "JS", "place": "a1"}, "chip-on-corner", "G35-16"),
    ("gridlock", {"card": None, "place": "j10"}, "chip-on-corner", "G35-16"),
    ("gridlock", {"card": "JC", "place": "a7"}, "pickup-card-used-to-place", "G35-12"),
    ("gridlock", {"card": "JS", "remove": "b3"}, "place-card-used-to-remove", "G35-10"),
    ("gridlock", {"card": "QC", "remove": "b3"}, "place-card-used-to-remove", "G35-10"),
    ("gridlock", {"card": "JC", "remove": "b2"}, "own-chip-removed", "G35-12"),
    ("gridlock", {"card": "JC", "remove": "a9"}, "nothing-there", "G35-12"),
    ("gridlock", {"card": "JC", "remove": "a1"}, "nothing-there", "G35-12"),
    ("gridlock", {"card": "JS", "swap": "b3"}, "replaced-same-turn", "G35-14"),
    ("gridlock", {"place": "a7"}, "card-not-shown", "G35-09"),
    ("gridlock", {"card": "QC"}, "card-without-action", "G35-09"),
    ("gridlock", {"by": 1, "card": "QC"}, "card-without-action", "G35-09"),
    ("gridlock", {"by": 1, "place": "a7"}, "card-not-shown", "G35-09"),
    ("gridlock", {"by": 1, "card": "JS", "swap": "b3"}, "replaced-same-turn", "G35-14"),
    ("gridlock", {"dead": "JC"}, "live-card-declared-dead", "G35-22"),
    ("gridlock", {"dead": "QC"}, "live-card-declared-dead", "G35-22"),
    (
        "gridlock",
        {"card": "JC", "remove": "b3", "run": [["b2", "c2", "d2", "e2", "f2"]]},
        "turn-over-without-run",
        "G35-21",
    ),
    (
        "gridlock",
        {"card": "QC", "place": "a7", "run": [["b2", "c2", "d2", "e2", "f2"]]},
        "turn-over-without-run",
        "G35-21",
    ),
    (
        "gridlock",
        {"card": "JS", "place": "f2", "run": [["f2", "g3", "h4", "i5", "j5"]]},
        "wrong-chips-turned-over",
        "G35-21",
    ),
    (
        "gridlock",
        {"card": "JS", "place": "e3", "run": [["a3", "b3", "c3", "d3", "e3"]]},
        "opponent-chips-turned-over",
        "G35-21",
    ),
    (
        "gridlock",
        {"card": "JS", "place": "e4", "run": [["e4", "f4", "g4", "h4", "i4"]]},
        "run-ends-on-turned-chip",
        "G35-19",
    ),
    (
        "gridlock",
        {"claim": [["f4", "g4", "h4", "i4", "j4"]]},
        "run-ends-on-turned-chip",
        "G35-19",
    ),
    (
        "states",
        {"card": "REMOVE", "place": "a7"},
        "remove-card-used-to-place",
        "SSC-08",
    ),
    ("states", {"card": "ADD", "remove": "b3"}, "add-card-used-to-remove", "SSC-07"),
    ("states", {"card": "OH", "remove": "b3"}, "place-card-used-to-remove", "SSC-06"),
    ("states", {"dead": "REMOVE"}, "live-card-declared-dead", "SSC-13"),
    (
        "states",
        {"card": "ADD", "place": "e4", "run": [["e4", "f4", "g4", "h4", "i4"]]},
        "sequence-shares-too-much",
        "SSC-12",
    ),
    ("jacks-rule", {"card": "JS", "remove": "b3"}, "replacement-missing", "JKR-09"),
    (
        "jacks-rule",
        {"card": "JS", "place": "a7"},
        "pickup-card-used-to-place",
        "JKR-09",
    ),
    (
        "jacks-rule",
        {"card": "QC", "swap": "b3"},
        "swap-without-one-eyed-jack",
        "JKR-09",
    ),
    ("jacks-rule", {"card": "JS", "swap": "b2"}, "one-eyed-jack-on-own-peg", "JKR-09"),
    ("jacks-rule", {"card": "JS", "swap": "a9"}, "nothing-there", "JKR-09"),
    ("jacks-rule", {"card": "QC", "place": "a1"}, "corner-without-joker", "JKR-07"),
    ("jacks-rule", {"card": "JOKER", "place": "a7"}, "joker-off-corner", "JKR-07"),
    ("jacks-rule", {"dead": "JOKER"}, "live-card-declared-dead", "JKR-12"),
    ("jacks-rule", {"dead": "JD"}, "live-card-declared-dead", "JKR-12"),
    ("jacks-rule", {"dead": "JS"}, "live-card-declared-dead", "JKR-12"),
]


@pytest.mark.parametrize(("name", "line", "code", "rule"), REFUSED)
def test_a_broken_rule_is_named_with_its_id(
    name: str, line: dict, code: str, rule: str
):
    """A refused line has its code first, the rule's id, and a sentence."""
    game = chip_game(name)
    picture = BOARD.lower() if name == "jacks-rule" else BOARD
    position = position_of(game, picture)

    first = game.violations(position, game.turn_of(position, line))[0]

    assert (first.code, first.rule) == (code, rule)
    assert first.text.endswith(".")


def codes(game, position, line) -> list[str]:
    turn = game.turn_of(position, line)
    return [violation.code for violation in game.violations(position, turn)]


def test_a_complete_run_is_frozen_before_it_is_claimed():
    """A chip of a window that its team could claim is never picked up (G35-A3)."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n.rrrrr....")

    assert codes(game, position, {"card": "JC", "remove": "d2"}) == [
        "frozen-chip-removed"
    ]


def test_extra_chips_of_a_line_are_not_frozen():
    """The sixth chip of a line whose five are claimed may be picked up (G35-A6)."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n.RRRRRr...")

    assert codes(game, position, {"card": "JC", "remove": "g2"}) == []
    assert codes(game, position, {"card": "JC", "remove": "f2"}) == [
        "frozen-chip-removed"
    ]


def test_a_window_that_ends_on_a_turned_chip_is_not_frozen():
    """What its team may not claim protects nothing: b2 to f2 is turned already."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n.RRRRR....\n.r........\n.r\n.r\n.r")

    assert codes(game, position, {"card": "JC", "remove": "b4"}) == []


def test_states_protects_a_second_sequence_through_a_turned_chip():
    """A sequence may share one space, so the complete column is frozen (SSC-A12)."""
    game = chip_game("states")
    position = position_of(game, "..........\n.RRRRR....\n.r........\n.r\n.r\n.r")

    assert codes(game, position, {"card": "REMOVE", "remove": "b4"}) == [
        "frozen-chip-removed"
    ]


def test_jacks_protect_completed_rows_only():
    """A one-eyed jack may shorten a long row, but never break a five (JKR-A6)."""
    game = chip_game("jacks-rule")
    position = position_of(game, "..........\n.rrrrrr...\n.r........\n.r")

    assert codes(game, position, {"card": "JS", "swap": "g2"}) == []
    assert codes(game, position, {"card": "JS", "swap": "d2"}) == ["row-broken"]
    assert codes(game, position, {"card": "JS", "swap": "b4"}) == []


def test_a_peg_on_a_corner_stays():
    """JKR-10: the peg on a joker square is never taken."""
    game = chip_game("jacks-rule")
    position = position_of(game, "r.........")

    assert codes(game, position, {"card": "JH", "swap": "a1"}) == ["corner-peg-removed"]


def test_a_wild_jack_needs_leave_for_a_corner():
    """`wild-jack-on-corner: no` keeps two-eyed jacks off the corners (JKR-A3)."""
    line = {"card": "JD", "place": "a1"}
    for value, expected in (
        ("yes", []),
        ("no", ["corner-without-joker", "wrong-square"]),
    ):
        game = chip_game("jacks-rule", wild_jack_on_corner=value)
        assert codes(game, game.start(), line) == expected


@pytest.mark.parametrize(
    ("name", "pieces"), [("gridlock", 48), ("jacks-rule", 45), ("states", 50)]
)
def test_no_more_pieces_than_there_are(name: str, pieces: int):
    """A colour that is used up places nothing more."""
    game = chip_game(name)
    # Scattered so that no five are in a line.
    squares = [n for n in range(100) if (n // 10 + 2 * (n % 10)) % 4 < 2]
    squares = [n for n in squares if n not in (0, 9, 90, 99)]
    others = [n for n in range(100) if n not in squares and n not in (0, 9, 90, 99)]
    chosen = (squares + others)[:pieces]
    cells = ["w" if n in chosen else "." for n in range(100)]
    picture = "\n".join("".join(cells[n : n + 10]) for n in range(0, 100, 10))
    position = position_of(game, picture)._replace(ended=None)
    free = game.setup.squares.cells[next(n for n in others if n not in chosen)]

    assert "wrong-chip-total" in codes(game, position, {"card": None, "place": free})


def test_cards_count_from_the_reshuffle():
    """A third copy is refused, and is the first one again after a reshuffle."""
    game = chip_game("gridlock")
    position = played(
        game,
        {"card": "7H", "place": "d6"},
        {"card": "JD", "remove": "d6"},
        {"card": "7H", "place": "d6"},
        {"card": "JD", "remove": "d6"},
    )
    line = {"card": "7H", "place": "i5"}

    assert codes(game, position, line) == ["card-count-exceeded"]
    shuffled = game.apply(position, game.turn_of(position, {"reshuffle": True}))
    assert codes(game, shuffled, line) == []
    assert codes(game, shuffled, {"reshuffle": True}) == ["reshuffled-twice"]


def test_a_fifth_unseen_wild_card_is_impossible():
    """Cards that nobody saw are wild only as long as there are wild cards."""
    game = chip_game("gridlock")
    lines = [{"card": "7H", "place": "d6"}, {"card": "7H", "place": "i5"}]
    for _ in range(4):
        lines += [{"card": None, "remove": "i5"}, {"card": None, "place": "i5"}]
    # Ann removes what Ben placed; the turns alternate, so every line is legal.
    position = played(game, *lines)

    assert codes(game, position, {"card": None, "remove": "i5"})[0] == (
        "card-count-exceeded"
    )
    assert codes(game, position, {"card": "JH", "place": "a5"}) == [
        "wild-count-impossible"
    ]


def test_a_known_card_forces_an_unseen_one_to_have_been_wild():
    """A card seen later can leave earlier turns without an explanation."""
    game = chip_game("gridlock")
    position = played(
        game,
        {"card": "JS", "place": "a5"},
        {"card": "JS", "place": "a6"},
        {"card": "JH", "place": "a7"},
        {"card": None, "place": "d6"},  # the last wild card, or 7H
        {"card": "JH", "place": "a8"},  # so it was 7H
        {"card": "7H", "place": "i5"},
    )

    position = game.apply(position, game.turn_of(position, {"pass": True}))
    line = {"pass": True, "card": "7H"}
    assert codes(game, position, line) == ["wild-count-impossible"]
    assert game.setup.deck.times_shown(position.tally, "7H") == 1


def test_dead_cards_in_gridlock():
    """A dead card keeps the turn, one a turn; two cards are drawn in the end."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n" * 5 + "...r......\n", to_move=0)
    position = position_of(
        game, "\n".join(["." * 10] * 4 + ["........r.", "...r......"])
    )

    dead = game.apply(position, game.turn_of(position, {"dead": "7H"}))

    assert codes(game, position, {"dead": "7H"}) == []
    assert game.to_move(dead) == 0
    assert codes(game, dead, {"dead": "7H"}) == ["too-many-dead-cards"]
    after = game.apply(dead, game.turn_of(dead, {"card": "QC", "place": "a7"}))
    assert game.extras(after)["draws"] == {"0": 2}


def test_a_dead_card_ends_the_turn_in_jacks_rule():
    """JKR-12, and the house rule that lets the turn go on, with any number."""
    picture = "\n".join(["." * 10] * 4 + ["........r.", "...r......"])
    for value, to_move in (("yes", 1), ("no", 0)):
        game = chip_game("jacks-rule", dead_card_ends_turn=value)
        position = position_of(game, picture)
        after = game.apply(position, game.turn_of(position, {"dead": "7H"}))
        assert game.to_move(after) == to_move
        by_on_turn = codes(game, after, {"dead": "7H"})
        assert by_on_turn == []


def test_special_cards_die_in_jacks_rule():
    """Jokers with all corners covered, a one-eyed jack without a target (JKR-A8)."""
    game = chip_game("jacks-rule")
    corners = "r........r\n" + "..........\n" * 8 + "r........r"
    position = position_of(game, corners)

    assert codes(game, position, {"dead": "JOKER"}) == []
    assert codes(game, position, {"dead": "JS"}) == []
    assert codes(game, position, {"dead": "JD"}) == ["live-card-declared-dead"]


def test_late_claims():
    """An overlooked run may be claimed in an own turn before playing (G35-A7)."""
    game = chip_game("gridlock")
    position = position_of(game, "..........\n.wwwww....\n.rrrrr....")
    line = {"claim": [["f2", "e2", "d2", "c2", "b2"]]}

    claimed = game.apply(position, game.turn_of(position, line))

    assert codes(game, position, line) == []
    assert (claimed.score, game.to_move(claimed)) == ((1, 0), 0)
    assert game.effects(claimed) == {"runs": [["b2", "c2", "d2", "e2", "f2"]]}
    theirs = {"by": 1, "claim": [["b3", "c3", "d3", "e3", "f3"]]}
    assert codes(game, position, theirs)[0] == "out-of-turn-play"
    theirs["by"] = 0
    assert codes(game, position, theirs) == ["opponent-chips-turned-over"]


def test_a_claim_can_win():
    """The last run wins at once, whenever it is claimed (G35-24)."""
    game = chip_game("gridlock", runs_to_win=1)
    position = position_of(game, "..........\n.wwwww....")

    claim = game.turn_of(position, {"claim": [["b2", "c2", "d2", "e2", "f2"]]})
    won = game.apply(position, claim)

    assert game.state(won)["over"] == {"winner": "white"}
    assert game.state(won)["turn"] is None
    assert codes(game, won, {"card": "QC", "place": "a7"})[0] == "play-after-game-over"
    assert codes(game, won, {"by": 1, "missed_draw": True}) == ["play-after-game-over"]
    with pytest.raises(NotationError):
        game.turn_of(won, {"missed_draw": 1})


@pytest.mark.parametrize(
    ("name", "reshuffled", "passes"),
    [
        ("gridlock", True, 2),
        ("gridlock", False, None),
        ("states", False, 4),
        ("states", True, 4),
        ("jacks-rule", True, None),
    ],
)
def test_passes_end_a_game_as_a_tie(name: str, reshuffled: bool, passes: int | None):
    """Gridlock: all pass in a row after the reshuffle; States: twice; Jacks: never."""
    game = chip_game(name)
    position = game.start()
    lines = [{"pass": True}, *[{"reshuffle": True}] * reshuffled]
    lines += [{"pass": True}, {"missed_draw": True}] * 10
    over = None
    count = 0
    for line in lines:
        position = game.apply(position, game.turn_of(position, line))
        count = 0 if "reshuffle" in line else count + ("pass" in line)
        if game.outcome(position) and over is None:
            over = count

    assert over == passes
    if passes:
        assert game.state(position)["over"] == {"tie": True}


def test_draws_owed_and_lost():
    """Gridlock: a forgotten card is drawn after the next play; States: it is lost."""
    game = chip_game("gridlock")
    owed = played(game, {"card": "QC", "place": "a7"}, {"by": 0, "missed_draw": True})
    assert game.extras(owed)["owed"] == {"0": 1}
    assert game.extras(owed)["hands"] == {"0": 6, "1": 7}
    for line in ({"card": "KC", "place": "a8"}, {"card": "AC", "place": "a9"}):
        owed = game.apply(owed, game.turn_of(owed, line))
    assert game.extras(owed)["draws"] == {"0": 2}
    assert game.extras(owed)["owed"] == {}

    states = chip_game("states")
    lost = played(states, {"card": "AL", "place": "a1"}, {"by": 0, "missed_draw": True})
    assert states.extras(lost)["hands"] == {"0": 6, "1": 7}


@pytest.mark.parametrize(
    ("name", "rules", "cost"),
    [
        ("gridlock", {}, 0),
        ("gridlock", {"table_talk_penalty": "forfeit-card"}, 1),
        ("states", {}, 1),
        ("jacks-rule", {}, 0),
    ],
)
def test_table_talk(name: str, rules: dict, cost: int):
    """States, and Gridlock if agreed, cost every member of the team one card."""
    game = chip_game(name, **rules)
    line = {"penalty": "table-talk", "team": "red"}
    position = game.apply(game.start(), game.turn_of(game.start(), line))

    assert game.extras(position)["hands"] == {"0": 7, "1": 7 - cost}
    assert game.to_move(position) == 0


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"at": "now"},
        {"place": "d6", "remove": "d6", "card": None},
        {"place": "z9", "card": None},
        {"place": "a11", "card": None},
        {"place": ["d6"], "card": None},
        {"place": 6, "card": None},
        {"place": "d6", "card": "10H"},
        {"place": "d6", "card": "JOKER"},
        {"place": "d6", "card": ""},
        {"place": "d6", "card": 7},
        {"place": "d6", "card": ["7H"]},
        {"place": "d6", "card": None, "by": 2},
        {"place": "d6", "card": None, "by": -1},
        {"place": "d6", "card": None, "by": True},
        {"place": "d6", "card": None, "by": 0.0},
        {"place": "d6", "card": None, "by": None},
        {"place": "d6", "card": None, "by": "0"},
        {"place": "d6", "card": None, "run": None},
        {"place": "d6", "card": None, "run": "a1"},
        {"place": "d6", "card": None, "run": ["a1"]},
        {"place": "d6", "card": None, "run": [["a1", "b1", "c1", "d1", 5]]},
        {"swap": "d6", "card": None, "run": "a1"},
        {"dead": None},
        {"dead": True},
        {"pass": 1},
        {"pass": False},
        {"pass": "true"},
        {"missed_draw": "yes"},
        {"reshuffle": None},
        {"penalty": "shouting", "team": "red"},
        {"penalty": "table-talk"},
        {"penalty": "table-talk", "team": "pink"},
        {"claim": []},
        {"claim": None},
        {"table": "....", "turn": 0},
        {"table": "/".join(["x" * 10] * 10), "turn": 0},
        {"table": "/".join(["." * 10] * 10), "turn": 2},
        {"table": "/".join(["." * 10] * 10), "turn": 0, "claims": {"white": [["a2"]]}},
    ],
)
def test_malformed_lines(line: dict):
    """What is not written as the format says is refused with a sentence."""
    game = chip_game("gridlock")

    with pytest.raises(NotationError, match=r"\.$"):
        game.turn_of(game.start(), line)


def test_jacks_rule_ignores_runs_and_refuses_claims():
    """Rows are counted there: `run` says nothing, `claim` is malformed."""
    game = chip_game("jacks-rule")
    line = {"card": "QC", "place": "a7", "run": "nonsense"}

    assert codes(game, game.start(), line) == []
    with pytest.raises(NotationError, match="counted"):
        game.turn_of(game.start(), {"claim": [["a1", "b1", "c1", "d1", "e1"]]})


@pytest.mark.parametrize(
    ("name", "teams", "rules", "says"),
    [
        ("gridlock", "white", {}, "players"),
        ("gridlock", "white red white", {}, "players"),
        ("gridlock", "white blue", {}, "blue"),
        ("gridlock", "white white", {}, "2 teams"),
        ("gridlock", "white red red white", {}, "sit in turn"),
        ("jacks-rule", "red blue red blue red", {}, "sit in turn"),
        ("jacks-rule", "red blue green black", {}, "teams"),
        ("states", "red blue red blue red", {}, "players"),
        ("gridlock", "white red", {"line_of_nine": "one"}, "line-of-nine"),
        ("gridlock", "white red", {"runs_to_win": 0}, "runs-to-win"),
        ("gridlock", "white red", {"runs_to_win": 6}, "runs-to-win"),
        ("gridlock", "white red", {"runs_to_win": 3.0}, "runs-to-win"),
        ("gridlock", "white red", {"dead_cards_per_turn": True}, "dead-cards-per-turn"),
        ("gridlock", "white red", {"dead_cards_per_turn": "1"}, "dead-cards-per-turn"),
        ("gridlock", "white red", {"jacks": ["eyes"]}, "jacks"),
        ("states", "white red", {"free_corners": "yes"}, "four corners"),
    ],
)
def test_unusable_headers(name: str, teams: str, rules: dict, says: str):
    """An impossible sitting is refused by a sentence that names what is wrong."""
    with pytest.raises(HeaderError, match=says):
        chip_game(name, teams, **rules)


@pytest.mark.parametrize(
    ("board", "says"),
    [
        (("XX 2S",), "10 rows"),
        (("XX " * 10,) * 10, "four corners"),
        ("states-sample", "no board"),
    ],
)
def test_unusable_boards(board: object, says: str):
    """A board that fails its checks is refused by a sentence."""
    header = {
        "record": 1,
        "game": "gridlock",
        "players": [{"name": "A", "team": "white"}, {"name": "B", "team": "red"}],
        "board": board if isinstance(board, str) else {"rows": list(board)},
    }

    with pytest.raises(HeaderError, match=says):
        open_game(header_of(header))


def test_an_accepted_table_keeps_the_runs_that_lie_there():
    """Claims survive a corrected table as long as their chips do."""
    game = chip_game("gridlock")
    position = position_of(game, BOARD)
    line = {
        "table": "/".join(["." * 10] * 3 + [".....WWWWW"] + ["." * 10] * 6),
        "turn": 1,
        "claims": {"white": [["f4", "g4", "h4", "i4", "j4"]], "red": []},
    }

    after = game.apply(position, game.turn_of(position, line))

    assert after.score == (1, 0)
    assert game.to_move(after) == 1
    assert picture_of(game, after).split()[3] == ".....WWWWW"
    assert game.line_of(position, game.turn_of(position, line)) == line
