"""Judging doubtful looks: what is not explained must not matter."""

import math
import random
from dataclasses import replace

import pytest

from companion import referee
from companion.observation import Observation
from companion.record import header_of, open_game
from companion.referee import MARGIN, judge
from companion.rules.board import EMPTY, TURNED, Cell, Look, team_of
from companion.rules.run_sight import slipped
from companion.rules.run_slips import Change, Sight
from companion.rules.verdict import Kind
from tests.companion.tables import GRIDLOCK, JACKS, doubt

HEADERS = {"gridlock": GRIDLOCK, "jacks-rule": JACKS}


def looks_at(name: str, seed: int, lead: float):
    """Yield positions of a random game and doubtful looks at their tables."""
    game, chance = open_game(header_of(HEADERS[name])), random.Random(seed)
    position = game.start()
    for _ in range(14):
        looks = game.appearance(position)
        free = [cell for cell in looks if looks[cell] == EMPTY]
        line = {
            "by": game.to_move(position),
            "card": None,
            "place": chance.choice(free),
        }
        turn = game.turn_of(position, line)
        if game.violations(position, turn):
            continue
        after = game.apply(position, turn)
        table = dict(game.appearance(after))
        for _ in range(chance.choice((0, 0, 1, 2))):
            table[chance.choice([*table])] = chance.choice(game.looks())
        yield game, position, doubt(table, game.looks(), chance, lead, 2.0)
        position = after


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("lead", [6.0, 9.0, 12.0])
def test_readings_that_are_not_explained_change_no_verdict(monkeypatch, name, lead):
    """Explaining every reading gives the same verdicts as explaining the few."""
    kinds = set()
    for game, position, observation in looks_at(name, 3, lead):
        quick = judge(game, position, observation)
        with monkeypatch.context() as patch:
            patch.setattr(referee, "_enough", lambda stories: -math.inf)
            thorough = judge(game, position, observation)
        assert _news(quick) == _news(thorough)
        assert min(quick.margin, MARGIN) == min(thorough.margin, MARGIN)
        kinds.add(quick.kind)
    assert Kind.UNCERTAIN in kinds or lead > 6


def _played(*places, of=GRIDLOCK):
    """Return a game in which pieces were put on places, and its position."""
    game = open_game(header_of(of))
    position = game.start()
    for place in places:
        line = {"by": game.to_move(position), "card": None, "place": Cell(place)}
        position = game.apply(position, game.turn_of(position, line))
    return game, position


def test_what_is_wrong_either_way_is_said():
    """A chip lies face down, whosever it is; which squares are unsure is told, too."""
    game = open_game(header_of(GRIDLOCK))
    backs = {Look("white-turned"): math.log(0.6), Look("red-turned"): math.log(0.4)}

    verdict = judge(game, game.start(), Observation({Cell("e5"): backs}))

    assert verdict.kind is Kind.ILLEGAL
    assert [fault.code for fault in verdict.violations] == ["chip-placed-face-down"]
    assert verdict.text == "e5 was put down turned over. Turn it colour up."
    assert verdict.doubtful == ("e5",)


def test_what_is_wrong_on_more_squares_one_way_is_said_of_the_others():
    """That the board was disturbed is sure, though one chip more may be turned over."""
    game, position = _played(*PLACES)
    table = {cell: {look: 0.0} for cell, look in game.appearance(position).items()}
    for cell in ("b2", "d4", "b9", "h2"):
        table[Cell(cell)] = {EMPTY: 0.0}
    table[Cell("c3")] = {Look("white"): 0.0}
    table[Cell("i5")] = {Look("red"): math.log(0.7), Look("red-turned"): math.log(0.3)}

    verdict = judge(game, position, Observation(table))

    assert verdict.kind is Kind.ILLEGAL
    disturbed = verdict.violations[0]
    assert disturbed.code == "board-disturbed"
    assert disturbed.cells == ("b2", "h2", "c3", "d4", "b9")
    assert "b2, h2, c3, d4 and b9" in disturbed.text
    assert verdict.doubtful == ("i5",)


def test_no_turn_that_hardly_shows_excuses_a_second_chip():
    """That looks were missed while Red put one where none is seen, is less likely."""
    game, position = _played("h7", "e5")
    table = {cell: {look: 0.0} for cell, look in game.appearance(position).items()}
    for cell in ("c4", "j4"):
        table[Cell(cell)] = {Look("white"): 0.0}
    table[Cell("d3")] = {EMPTY: math.log(0.993), Look("red"): math.log(0.007)}

    verdict = judge(game, position, Observation(table))

    assert verdict.kind is Kind.ILLEGAL
    assert [fault.code for fault in verdict.violations] == ["two-chips-placed"]


@pytest.mark.parametrize(
    ("nats", "kind"), [(11.0, Kind.ILLEGAL), (9.0, Kind.UNCERTAIN)]
)
def test_a_second_chip_is_named_where_it_is_as_plain_as_chips_are(nats, kind):
    """Two are soon put down at once; that one is none must be likely to be asked."""
    game, position = _played("h7", "e5")
    table = {cell: {look: 0.0} for cell, look in game.appearance(position).items()}
    table[Cell("c4")] = {Look("white"): 0.0}
    table[Cell("j4")] = {Look("white"): 0.0, EMPTY: -nats}

    verdict = judge(game, position, Observation(table))

    assert verdict.kind is kind
    assert [fault.code for fault in verdict.violations] == (
        ["two-chips-placed"] if kind is Kind.ILLEGAL else []
    )


def test_two_of_theirs_for_two_of_ones_own_is_rarer_than_two_put_down():
    """Two go onto the board in one movement; two exchanges are four."""
    _, position = _played("h7", "e5", "b2", "c9")
    own, (mine, theirs) = position.turn, position.chips
    free = 0b11 << 40
    assert not free & (mine | theirs)

    put = Change.between(position, Sight((mine | free, theirs), 0), own)
    exchanged = Change.between(position, Sight((mine | theirs, 0), 0), own)

    assert (put.handled, exchanged.handled) == (2, 2)
    assert slipped(exchanged, replaces=False) < slipped(put, replaces=False)


@pytest.mark.parametrize(
    ("dazzled", "kind"), [(("c4",), Kind.UNCERTAIN), (("d4",), Kind.ILLEGAL)]
)
def test_a_chip_that_mirrors_a_lamp_accuses_nobody(dazzled, kind):
    """What the lamp makes of it is sure, and another one may lie there all the same."""
    game, position = _played("h7", "e5")
    table = {cell: {look: 0.0} for cell, look in game.appearance(position).items()}
    table[Cell("c4")] = {Look("red"): 0.0, Look("white"): -12.0, EMPTY: -13.0}
    table[Cell("d4")] = {EMPTY: 0.0, Look("white"): -13.0, Look("red"): -13.0}

    observation = Observation(table, dazzled=frozenset(map(Cell, dazzled)))

    assert judge(game, position, observation).kind is kind


@pytest.mark.parametrize(
    ("touched", "kind"), [("c4 d4 e4 f4 g4", Kind.UNCERTAIN), ("c4", Kind.ILLEGAL)]
)
def test_a_lamp_that_is_mirrored_in_a_run_hides_that_all_of_it_is_turned(touched, kind):
    """Each chip that was touched seems to lie colour up but the one beside the lamp."""
    run = [Cell(f"{column}4") for column in "cdefg"]
    game, position = _played("c4", "b8", "d4", "d9", "e4", "f8", "f4", "h9", "g4")
    looks = game.appearance(position)
    back, face = looks[run[0]], Look(team_of(looks[run[0]]))
    table = {cell: {look: 0.0} for cell, look in looks.items()}
    table |= {cell: {face: 0.0, back: -9.0} for cell in run[1:]}
    table[run[0]] = {back: 0.0, face: -9.0}

    observation = Observation(
        table,
        dazzled=frozenset({*run[1:], Cell("d9")}),
        touched=frozenset(map(Cell, touched.split())),
    )

    assert judge(game, position, observation).kind is kind


def test_a_peg_that_took_another_one_elsewhere_is_one_slip():
    """That an own peg was moved there and another one taken, too, are two."""
    game, position = _played("c2", "h8", "d4", "b6", of=JACKS)
    table = {cell: {look: 0.0} for cell, look in game.appearance(position).items()}
    table |= {Cell("e9"): {Look("blue"): 0.0}, Cell("h8"): {EMPTY: 0.0}}
    table[Cell("c2")] = {Look("blue"): 0.0, EMPTY: -5.0}

    verdict = judge(game, position, Observation(table))

    assert verdict.kind is Kind.ILLEGAL
    assert verdict.violations[0].code == "replacement-elsewhere"
    assert verdict.violations[0].cells == ("h8", "e9")


def test_a_question_says_what_would_be_wrong():
    """A slid chip may be two turns that nobody saw; the first story is told as such."""
    game, position = _played("h7", "e5")
    table = dict(game.appearance(position))
    table[Cell("e4")], table[Cell("h7")] = table[Cell("h7")], EMPTY

    verdict = judge(
        game,
        position,
        Observation({cell: {look: 0.0} for cell, look in table.items()}),
    )

    assert verdict.kind is Kind.UNCERTAIN
    assert "A white chip went from h7 to e4" in verdict.text
    assert "Or: Ann puts a white chip on e4. Ben takes the chip off h7." in verdict.text


@pytest.mark.parametrize("theirs", [0.6, 0.4])
def test_a_chip_that_lay_there_was_turned_over_and_not_exchanged(theirs):
    """Backs may be alike; taking a chip and putting another turned is two slips."""
    game, position = _played("e5")
    put = game.appearance(position)[Cell("e5")]
    other = Look({"white": "red", "red": "white"}[put] + TURNED)
    backs = {Look(put + TURNED): math.log(theirs), other: math.log(1 - theirs)}

    verdict = judge(game, position, Observation({Cell("e5"): backs}))

    assert [fault.code for fault in verdict.violations] == [
        "opponent-chips-turned-over"
    ]


def test_what_is_wrong_only_one_way_is_asked():
    """Perhaps there is just no chip: then nobody is accused."""
    game = open_game(header_of(GRIDLOCK))
    back = {Look("white-turned"): -1e-3, EMPTY: math.log(1e-3)}

    verdict = judge(game, game.start(), Observation({Cell("e5"): back}))

    assert verdict.kind is Kind.UNCERTAIN
    assert verdict.doubtful == ("e5",)
    assert verdict.text == (
        "Is e5 empty or white, turned over? "
        "Show the board again, or correct it on the page."
    )


@pytest.mark.parametrize(("turned", "kind"), [(0.7, Kind.UNCERTAIN), (0.3, Kind.LEGAL)])
def test_a_chip_that_seems_turned_over_is_not_taken_for_one_that_is_not(turned, kind):
    """Most chips are put down colour up, but this one rather was not: it is asked."""
    game = open_game(header_of(GRIDLOCK))
    team = game.players[game.to_move(game.start())].team
    either = {Look(team + TURNED): math.log(turned), Look(team): math.log(1 - turned)}

    verdict = judge(game, game.start(), Observation({Cell("e5"): either}))

    assert verdict.kind is kind
    assert verdict.seen == {"e5": team}
    assert verdict.doubtful == (("e5",) if kind is Kind.UNCERTAIN else ())


@pytest.mark.parametrize("doubt", [0.06, 1e-5])
def test_a_run_that_is_turned_over_is_its_owners_whosever_backs_seem_to_be(doubt):
    """Where backs are alike the light makes them all seem the other team's."""
    row = [f"{column}2" for column in "bcdef"]
    game, position = _played("b2", "b9", "c2", "d9", "d2", "f9", "e2", "h9")
    own, other = (
        Look(game.players[player].team + TURNED)
        for player in (game.to_move(position), 1 - game.to_move(position))
    )
    backs = {own: math.log(doubt), other: math.log(1 - doubt)}

    verdict = judge(game, position, Observation({Cell(at): backs for at in row}))

    assert verdict.kind is Kind.LEGAL
    assert verdict.seen == dict.fromkeys(row, own)


PLACES = ("b2", "d4", "f6", "h8", "b9", "h2", "e9", "i5")
"""White and red chips, in turn."""


def _with_chips(surely=(), doubted=()):
    """Return a game, a position, and a look in which chips seem the other team's."""
    game, position = _played(*PLACES)
    other = {Look("white"): Look("red"), Look("red"): Look("white")}
    log_p = {}
    for cell, look in game.appearance(position).items():
        log_p[cell] = {look: 0.0}
        if cell in surely:
            log_p[cell] = {look: -10.0, other[look]: 0.0}
        elif cell in doubted:
            log_p[cell] = {look: -0.8, other[look]: -0.6}
    return game, position, Observation(log_p)


def test_a_light_that_leaves_chips_in_doubt_accuses_nobody_by_another_one():
    """It misleads on all of a team alike: on one of them it may do so surely."""
    clear = judge(*_with_chips(surely=("b2",)))
    theirs = judge(*_with_chips(surely=("b2",), doubted=("d4", "h8")))
    misleading = judge(*_with_chips(surely=("b2",), doubted=("f6", "b9")))

    assert (clear.kind, clear.seen) == (Kind.ILLEGAL, {"b2": "red"})
    assert (theirs.kind, theirs.seen) == (Kind.ILLEGAL, {"b2": "red"})
    assert misleading.kind is not Kind.ILLEGAL
    assert "b2" in misleading.doubtful


def test_a_light_that_misled_as_players_say_accuses_nobody():
    """What was read for a chip that they named is not believed of another one."""
    game, position, look = _with_chips(surely=("b2", "f6"))

    verdict = judge(game, position, look.knowing({Cell("f6"): Look("white")}))
    by_another = judge(game, position, look.knowing({Cell("f6"): Look("red")}))

    assert verdict.kind is not Kind.ILLEGAL
    assert by_another.kind is Kind.ILLEGAL


def test_that_doubtful_squares_lie_as_they_did_is_always_weighed():
    """However many readings are a little likelier: hands change none of them."""
    game, position = _played("b2", "d4", "f6", "h8", "b9", "h2")
    looks = game.appearance(position)
    log_p = {
        cell: {
            other: math.log(0.3 if other == look else 0.35)
            for other in (EMPTY, Look("white"), Look("red"))
        }
        for cell, look in looks.items()
        if look != EMPTY
    }
    log_p[Cell("e5")] = {Look("white"): 0.0}

    verdict = judge(game, position, Observation(log_p))

    assert verdict.kind is Kind.LEGAL
    assert verdict.seen == {"e5": "white"}


def _news(verdict):
    return (
        verdict.kind,
        verdict.turns,
        verdict.violations,
        verdict.doubtful,
        verdict.seen,
        verdict.text,
    )


def test_two_reasons_to_misread_a_chip_are_likelier_than_one():
    """It may be misread as ever, or because the light that came misleads."""
    game = open_game(header_of(GRIDLOCK))
    position = game.start()
    expected = game.appearance(position) | {Cell("d6"): Look("white")}
    told = {Look("white-turned"): math.log(0.99), Look("white"): math.log(0.01)}
    look = Observation({Cell("d6"): told})

    def costs(observation):
        readings = referee._readings(expected, observation, frozenset(game.looks()))
        return {tuple(seen): -log_p for seen, log_p in readings}

    as_ever = costs(look)[()]
    relit = costs(replace(look, relit=True))[()]

    assert as_ever == pytest.approx(math.log(99))
    either = math.exp(-as_ever) + math.exp(referee.DAZZLED)
    assert relit == pytest.approx(-math.log(either))


@pytest.mark.parametrize(("own", "named"), [(0.03, False), (0.01, True)])
def test_a_colour_that_nobody_plays_is_one_that_is_likelier_than_all_they_play(
    own, named
):
    """A chip that lies turned over may be anybody's, and each of them is unlikely."""
    game = open_game(header_of(GRIDLOCK))
    position = game.start()
    looks = game.appearance(position)
    backs = {Look("white-turned"): own, Look("red-turned"): own}
    p = {Look("blue"): 1 - 2 * own, **backs}
    log_p = {cell: {look: 0.0} for cell, look in looks.items()}
    log_p[Cell("d6")] = {look: math.log(share) for look, share in p.items()}

    verdict = judge(game, position, Observation(log_p))

    assert verdict.text.startswith("Nobody here plays blue on d6") == named
