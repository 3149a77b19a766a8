import math
from dataclasses import replace

import pytest

from companion.follower import Follower
from companion.journal import Journal
from companion.match import Match
from companion.observation import Observation
from companion.rules.board import Cell, Look
from companion.rules.verdict import Kind
from companion.snapshot import (
    AcceptTable,
    Correct,
    NameCard,
    NewMatch,
    TakeBack,
    Tell,
)
from tests.companion.tables import GRIDLOCK, JACKS, SIGHTS, START, Table, follow, see


@pytest.fixture
def table():
    return Table(follow())


def score(table):
    return table.follower.game.state(table.follower.position)["score"]


def to_move(table):
    return table.follower.game.to_move(table.follower.position)


def lines(table):
    return [dict(line) for line in table.follower.match.game.record()][1:]


RUN = ["c4", "d4", "e4", "f4", "g4"]


def play_a_run(table, **how):
    """Play until Ann's five lie in a row, colour up; the last look is so."""
    for mine, other in zip(RUN[:-1], ["a10", "b9", "c9", "f9"], strict=True):
        table.put(f"{mine}=w")
        table.put(f"{other}=r") if other != "a10" else table.put("b10=r")
    table.pieces[RUN[-1]] = "w"
    return table.look(**how)


def test_nothing_done_is_unchanged(table):
    """A look at the accepted position changes nothing."""
    assert table.look().kind is Kind.UNCHANGED


def test_a_chip_put_down_is_a_turn(table):
    """A chip of the player on turn is accepted, recorded, and the turn passes."""
    verdict = table.put("d6=w")

    assert verdict.kind is Kind.LEGAL
    assert to_move(table) == 1
    assert [(line["by"], line["card"], line["place"]) for line in lines(table)] == [
        (0, None, "d6")
    ]


def test_two_turns_between_looks_are_two_turns(table):
    """When a look was missed, both turns are recorded in order."""
    verdict = table.put("d6=w", "e7=r")

    assert verdict.kind is Kind.LEGAL
    assert [line["by"] for line in lines(table)] == [0, 1]


def test_a_wrong_chip_is_named_and_clears_itself(table):
    """A violation moves nothing, is news once, and is gone when it is put right."""
    verdict = table.put("d6=r")

    assert verdict.kind is Kind.ILLEGAL
    assert "out-of-turn-play" in [violation.code for violation in verdict.violations]
    assert "d6" in verdict.text
    assert table.follower.is_news()
    table.follower.refuse()
    table.look()
    assert not table.follower.is_news()
    assert table.take("d6").kind is Kind.UNCHANGED
    assert lines(table) == []


def test_a_violation_may_be_accepted(table):
    """The players may accept the table as it lies; it is then the position."""
    table.put("d6=w", "e6=w")

    assert table.follower.answer(AcceptTable(to_move=1)) is None

    assert table.look().kind is Kind.UNCHANGED
    assert to_move(table) == 1
    assert table.put("a2=r").kind is Kind.LEGAL


def test_accepting_needs_something_to_accept(table):
    """Accepting a table that is in order is refused in a sentence."""
    table.look()

    assert "nothing to accept" in table.follower.answer(AcceptTable())


def test_a_turn_that_was_accepted_already_is_not_accepted_again(table):
    """Or it would be another one's turn."""
    table.put("d6=w")

    assert "nothing to accept" in table.follower.answer(AcceptTable())
    assert to_move(table) == 1


def test_accepting_does_not_say_what_lies_on_a_doubtful_square(table):
    """That no piece is there is likelier, but it is not in order either."""
    table.look(doubt={"d6": ("w", 0.4)})

    answer = table.follower.answer(AcceptTable())

    assert answer == "What lies on d6 is not sure: correct it on the page."
    assert table.follower.answer(Correct(Cell("d6"), "white")) is None
    assert lines(table)[-1]["place"] == "d6"


@pytest.mark.parametrize("said", [None, 1])
def test_accepting_what_was_doubtful_records_the_turn(table, said):
    """A run that it made scores, as if the squares had been seen well."""
    assert play_a_run(table, doubt={RUN[-1]: (".", 0.4)}).kind is Kind.UNCERTAIN

    assert table.follower.answer(AcceptTable(said)) is None

    assert lines(table)[-1]["place"] == RUN[-1]
    assert score(table)["white"] == 1
    assert table.look().kind is Kind.UNCHANGED


def test_accepting_says_who_plays_next(table):
    """Also where the turns that were seen say otherwise."""
    table.pieces["d6"] = "w"
    assert table.look(doubt={"d6": (".", 0.1)}).kind is Kind.UNCERTAIN

    assert table.follower.answer(AcceptTable(0)) is None

    assert to_move(table) == 0
    assert table.look().kind is Kind.UNCHANGED


def test_what_was_taken_back_and_accepted_is_no_turn(table):
    """Who took it back says that it was not done so."""
    table.put("d6=w")
    table.follower.answer(TakeBack())

    assert table.follower.answer(AcceptTable(0)) is None

    assert "place" not in lines(table)[-1]
    assert to_move(table) == 0


def test_a_run_counts_when_it_is_made_and_is_expected_to_be_turned(table):
    """Five in a row score at once; the chips are then seen turned over."""
    assert play_a_run(table).kind is Kind.LEGAL
    assert score(table)["white"] == 1

    for cell in RUN:
        table.pieces[cell] = "W"
    verdict = table.look()

    assert verdict.kind is Kind.LEGAL
    assert table.look().kind is Kind.UNCHANGED
    assert score(table)["white"] == 1
    assert lines(table)[-1]["run"] == [RUN]
    assert all("turned" not in line for line in lines(table))


def test_a_run_left_colour_up_is_named_when_the_next_player_acts(table):
    """Playing on before the run is turned over is a violation until it is turned."""
    play_a_run(table)

    verdict = table.put("a2=r")

    assert verdict.violations[0].code == "run-not-turned-over"
    for cell in RUN:
        table.pieces[cell] = "W"
    assert table.look().kind is Kind.LEGAL
    assert to_move(table) == 0


def test_what_is_doubtful_is_asked_again(table):
    """A chip that may or may not be there is not guessed."""
    verdict = table.look(doubt={"d6": ("w", 0.4)})

    assert verdict.kind is Kind.UNCERTAIN
    assert verdict.doubtful == ("d6",)
    assert lines(table) == []


def test_a_turn_is_none_before_it_is_clear_whose(table):
    """That it must be White's does not show whose chip lies there."""
    table.pieces["d6"] = "w"

    verdict = table.look(doubt={"d6": ("r", 0.2)})

    assert verdict.kind is Kind.UNCERTAIN
    assert verdict.text.startswith("Is d6 red or white? Show the board again")
    assert lines(table) == []
    assert table.put("d6=w").kind is Kind.LEGAL


@pytest.mark.parametrize(
    ("before", "kind"), [(1e-5, Kind.UNCERTAIN), (0.04, Kind.UNCHANGED)]
)
def test_a_square_in_doubt_is_not_as_before_unless_it_was_so_before(
    table, before, kind
):
    table.look(doubt={"d6": ("w", before)})

    assert table.look(doubt={"d6": ("w", 0.08)}).kind is kind


@pytest.mark.parametrize(("now", "kind"), [(0.8, "uncertain"), (0.4, "unchanged")])
def test_a_chip_that_seems_turned_over_is_asked_about(table, now, kind):
    """However seldom that is done, and though it was a little in doubt before."""
    table.put("d6=w")
    assert table.look(doubt={"d6": ("W", 0.1)}).kind is Kind.UNCHANGED

    verdict = table.look(doubt={"d6": ("W", now)})

    assert verdict.kind.value == kind
    assert verdict.doubtful == (("d6",) if kind == "uncertain" else ())


def test_a_hand_hides_the_board(table):
    """With a hand over the board nothing is decided."""
    verdict = table.look(hidden=["d6", "d7"])

    assert verdict.kind is Kind.HIDDEN


@pytest.mark.parametrize(("seen", "text"), [(99, "covers"), (0, "Put it back.")])
def test_a_note_says_why_nothing_is_seen_but_not_why_a_hand_hides_some(
    table, seen, text
):
    """A board that was moved and found again is hidden by what covers it."""
    covered = table.follower.game.board.cells[: 10 if seen else 100]
    hidden = see(table.follower, hidden=covered)

    verdict = table.follower.look(replace(hidden, moved=True, note="Put it back."))

    assert verdict.kind is Kind.HIDDEN
    assert text in verdict.text


def test_what_was_seen_before_a_hand_came_is_not_accepted(table):
    """Red plays out of turn, and takes it back with a hand still over the board."""
    table.put("d6=r")
    del table.pieces["d6"]
    table.look(hidden=["a1", "b1", "c1", "d1"])

    assert table.follower.answer(AcceptTable()) == "Something covers the board."
    assert table.look().kind is Kind.UNCHANGED
    assert lines(table) == []


def test_what_stays_on_the_board_does_not_stop_the_game(table):
    """A cup that covers the same squares again and again is looked past."""
    for _ in range(2):
        assert table.look(hidden=["d6", "d7"]).kind is Kind.HIDDEN
    table.look(hidden=["d6", "d7"])
    table.pieces["a2"] = "w"

    assert table.look(hidden=["d6", "d7"]).kind is Kind.LEGAL


@pytest.mark.parametrize(("between", "kind"), [(1, Kind.LEGAL), (2, Kind.HIDDEN)])
def test_what_flickers_stays(table, between, kind):
    """A mirrored lamp may hide a square in every other look; a hand comes and goes."""
    glare = ["e4"]
    for _ in range(2):
        assert table.look(hidden=glare).kind is Kind.HIDDEN
        for _ in range(between):
            assert table.look().kind is Kind.UNCHANGED
    table.pieces["f5"] = "w"

    assert table.look(hidden=glare).kind is kind


def test_what_was_open_until_now_does_not_stay_covered_yet(table):
    """However many looks went by, a square is looked past when it stayed hidden."""
    for _ in range(3):
        table.look()
    table.pieces["d6"] = "w"

    for _ in range(2):
        assert table.look(hidden=["d6", "d7"]).kind is Kind.HIDDEN
    assert table.look(hidden=["d6", "d7"]).kind is Kind.UNCHANGED


@pytest.mark.parametrize(
    ("more", "kind"), [(["f5"], Kind.LEGAL), (["h7"], Kind.HIDDEN)]
)
def test_what_stays_may_cover_more_at_its_edge(table, more, kind):
    """A mirrored lamp does; what covers other squares is a hand."""
    stays = ["e4", "f4"]
    for _ in range(3):
        table.look(hidden=stays)
    table.pieces["g6"] = "w"

    assert table.look(hidden=stays + more).kind is kind


def test_nobody_is_accused_of_what_cannot_be_seen(table):
    """A run is turned over below a glare: perhaps the whole of it, perhaps not."""
    play_a_run(table)
    for cell in RUN:
        table.pieces[cell] = "W"

    for _ in range(4):
        verdict = table.look(hidden=[RUN[0]])

    assert verdict.kind is Kind.HIDDEN
    assert f"What lies on {RUN[0]} cannot be seen" in verdict.text
    correction = Correct(RUN[0], "white-turned")
    assert table.follower.answer(correction) is None
    follower = table.follower
    assert follower.game.appearance(follower.position)[RUN[0]] == "white-turned"
    assert table.look(hidden=[RUN[0]]).kind is Kind.UNCHANGED


def test_nobody_is_accused_of_half_a_run_beside_what_cannot_be_seen(table):
    """Some of five chips turned over may be what is covered, however long it stays."""
    for mine, other in zip(RUN[:3], ["b10", "b9", "c9"], strict=True):
        table.put(f"{mine}=w")
        table.put(f"{other}=r")
    table.pieces |= {"c4": "W", "d4": "W"}

    for _ in range(4):
        assert table.look(hidden=["e4", "f4", "g4"]).kind is Kind.HIDDEN
    assert table.look().kind is Kind.ILLEGAL


@pytest.mark.parametrize(
    ("face", "kind"), [(0.9, Kind.UNCERTAIN), (0.97, Kind.ILLEGAL)]
)
def test_nobody_is_accused_of_what_is_not_clearly_seen(table, face, kind):
    """A face was misread as a back once; later it is turned over, but hardly so."""
    play_a_run(table)
    table.look(doubt={RUN[0]: ("W", 0.9)})
    assert table.follower.answer(Correct(RUN[0], "white")) is None
    assert table.look().kind is Kind.UNCHANGED
    for cell in RUN:
        table.pieces[cell] = "W"

    verdict = table.look(doubt={RUN[0]: ("w", face)})

    assert verdict.kind is kind
    if kind is Kind.UNCERTAIN:
        assert verdict.text.startswith("Is c4 white or white, turned over? Show the ")
        assert table.follower.answer(Correct(RUN[0], "white-turned")) is None
        assert table.follower.verdict.kind is Kind.LEGAL


def test_nobody_is_accused_of_what_players_said_before(table):
    """A face that is read as a back is turned over, and is read as one again."""
    play_a_run(table)
    misread = {RUN[0]: ("W", 0.99)}
    table.look(doubt=misread)
    assert table.follower.answer(Correct(RUN[0], "white")) is None
    assert table.look(doubt=misread).kind is Kind.UNCHANGED
    for cell in RUN:
        table.pieces[cell] = "W"

    assert table.look(doubt={RUN[0]: ("w", 0.01)}).kind is Kind.UNCERTAIN
    assert table.follower.verdict.doubtful == (RUN[0],)

    assert table.follower.answer(Correct(RUN[0], "white")) is None
    assert table.follower.verdict.kind is Kind.ILLEGAL
    assert table.follower.answer(Correct(RUN[0], "white-turned")) is None
    assert table.follower.verdict.kind is Kind.LEGAL


def test_what_stays_covered_is_not_said_to_be_as_before(table):
    """A chip put where nothing can be seen is no turn, and no "unchanged", yet."""
    table.pieces["d6"] = "w"
    for _ in range(3):
        verdict = table.look(hidden=["d6", "d7"])

    assert verdict.kind is Kind.UNCHANGED
    assert verdict.doubtful == ("d6", "d7")
    assert verdict.text == "What lies on d6, d7 cannot be seen."

    verdict = table.look()
    assert (verdict.kind, verdict.doubtful) == (Kind.LEGAL, ())


def test_a_round_taken_back_on_the_table_is_dropped(table):
    """Two jacks that just undo the last round are less likely than taking it back."""
    table.put("d6=w")
    table.put("e7=r")
    table.put("f6=w")
    table.put("g8=r")

    verdict = table.take("f6", "g8")

    assert verdict.kind is Kind.LEGAL
    assert verdict.text.startswith("Taken back")
    assert [line["place"] for line in lines(table)] == ["d6", "e7"]
    assert to_move(table) == 0


def test_a_round_is_taken_back_though_a_chip_may_have_been_moved(table):
    """Where one of its chips may lie now: with it, one rule less is broken."""
    for told in ("d6=w", "e7=r", "f6=w", "g8=r"):
        table.put(told)
    del table.pieces["f6"], table.pieces["g8"]

    verdict = table.look(doubt={"c3": ("r", 0.01)})

    assert verdict.kind is Kind.LEGAL
    assert verdict.text.startswith("Taken back")
    assert [line["place"] for line in lines(table)] == ["d6", "e7"]


def test_a_round_is_not_taken_back_on_doubtful_squares(table):
    """A square that may not have changed at all is asked for, and nothing dropped."""
    table.put("d6=w")
    table.put("e7=r")
    table.pieces = {}

    verdict = table.look(doubt={"e7": ("r", 0.4)})

    assert verdict.kind is Kind.UNCERTAIN
    assert len(lines(table)) == 2


def test_a_turn_taken_back_on_the_table_is_dropped():
    """A peg lifted again is a turn taken back, not a broken rule."""
    table = Table(follow(JACKS))
    table.put("d6=b")

    verdict = table.take("d6")

    assert verdict.kind is Kind.LEGAL
    assert verdict.text.startswith("Taken back")
    assert lines(table) == []
    assert to_move(table) == 0


def test_what_is_done_wrongly_again_after_a_take_back_is_news_again(table):
    """It is another turn at the same place of the story."""
    for _ in range(2):
        table.put("d6=w")
        table.put("e7=w")
        assert table.follower.is_news()
        table.follower.refuse()
        assert not table.follower.is_news()
        table.take("e7")
        table.follower.answer(TakeBack())
        table.take("d6")


def test_undo_waits_until_the_table_is_put_back(table):
    """After undo on the page the chip still lying there is not played again."""
    table.put("d6=w")

    assert table.follower.answer(TakeBack()) is None

    assert lines(table) == []
    assert table.look().kind is Kind.UNCERTAIN
    assert table.take("d6").kind is Kind.UNCHANGED
    assert table.put("d7=w").kind is Kind.LEGAL


def test_undo_at_the_start_is_refused(table):
    """There is nothing to take back before the first turn."""
    assert "nothing to take back" in table.follower.answer(TakeBack())


def test_naming_the_card_completes_the_record(table):
    """The card played is written into the turn it was played with."""
    table.put("d4=w")

    assert table.follower.answer(NameCard("5C")) is None

    assert lines(table)[0]["card"] == "5C"


def test_naming_a_card_that_does_not_fit_names_the_rule(table):
    """A card that belongs elsewhere is a violation until the chip is put right."""
    table.put("d4=w")

    table.follower.answer(NameCard("7H"))

    verdict = table.look()
    assert verdict.violations[0].code == "wrong-square"
    assert table.take("d4").kind is Kind.UNCHANGED


def test_a_card_that_was_named_by_mistake_may_be_named_again(table):
    """It is that turn's card until one explains it; no earlier turn is touched."""
    table.put("d4=w")
    table.put("d6=r")
    snapshot = table.follower.snapshot(0, "watching", "")
    for wrong in snapshot.cards[-2:]:
        assert table.follower.answer(NameCard(wrong)) is None
        refused = table.look()
        assert (refused.kind, len(lines(table))) == (Kind.ILLEGAL, 1)
        assert "name another card" in refused.text
        waiting = table.follower.snapshot(0, "watching", "")
        assert (waiting.card_for, waiting.cards) == (snapshot.card_for, snapshot.cards)

    assert table.follower.answer(NameCard(snapshot.cards[0])) is None

    assert table.look().kind is Kind.UNCHANGED
    assert [line["card"] for line in lines(table)] == [None, snapshot.cards[0]]
    assert "d6" in snapshot.card_for


def test_what_was_taken_off_waits_for_no_card(table):
    """Its card may not bring a turn back that was taken back on the table."""
    table.put("d4=w")
    table.follower.answer(NameCard("7H"))
    table.take("d4")

    assert "no turn to name" in table.follower.answer(NameCard("5C"))
    assert lines(table) == []


def test_what_was_refused_is_not_what_is_taken_back(table):
    """The turn that is dropped is named, not the fault that stands on the table."""
    table.put("d6=w")
    table.put("e7=w")
    table.follower.refuse()

    table.follower.answer(TakeBack())

    assert "d6" in table.follower.verdict.text.split(". ")[0]


def test_a_square_may_be_corrected(table):
    """What the players say of a square holds for as long as it is read the same."""
    table.look()

    assert table.follower.answer(Correct("d6", "white")) is None

    assert [line["place"] for line in lines(table)] == ["d6"]
    assert table.look().kind is Kind.UNCHANGED
    table.pieces["d6"] = "w"
    assert table.look().kind is Kind.UNCHANGED


def test_a_hand_does_not_wipe_a_correction_off(table):
    """What was said of a square holds again when it is seen, and read, as before."""
    table.look()
    table.follower.answer(Correct("d6", "white"))

    assert table.look(hidden=["d6", "d7", "d8", "d9"]).kind is Kind.HIDDEN

    assert table.look().kind is Kind.UNCHANGED
    assert [line["place"] for line in lines(table)] == ["d6"]


@pytest.mark.parametrize(
    ("read", "between", "again", "kind"),
    [
        (0.9999, 0.4, 0.99999, "unchanged"),
        (0.9999, 0.01, 0.9999, "unchanged"),
        (0.7, 0.01, 0.99999, "illegal"),
    ],
    ids=["in doubt", "clear", "clear, and then more so than ever"],
)
def test_a_correction_holds_while_the_square_is_in_doubt(
    table, read, between, again, kind
):
    """It is read now as one look, now as the other, until one of them is clear.

    And what it was misread as it may be misread as again.
    """
    table.put("d6=w")
    table.put("e7=r")

    def turned(p):
        doubt = {"d6": ("W", p)}
        return table.follower.look(see(table.follower, table.pieces, doubt=doubt))

    turned(read)
    table.follower.answer(Correct(Cell("d6"), Look("white")))
    turned(between)

    assert turned(again).kind.value == kind


@pytest.mark.parametrize(("blue", "kind"), [(0.01, "unchanged"), (0.47, "uncertain")])
def test_a_correction_says_nothing_of_a_third_look(blue, kind):
    """A peg that the eyes lost in a lamp's glare, and were told of, is replaced."""
    table = Table(follow(JACKS))
    table.put("d6=b")
    table.look()
    e7 = Cell("e7")
    table.follower.answer(Correct(e7, Look("yellow")))

    seen = see(table.follower, table.pieces)
    shares = {"yellow": 0.97 - blue, "blue": blue, "empty": 0.03}
    log_p = {Look(look): math.log(share) for look, share in shares.items()}
    verdict = table.follower.look(replace(seen, log_p={**seen.log_p, e7: log_p}))

    assert verdict.kind.value == kind
    assert kind == "unchanged" or verdict.doubtful == (e7,)


def test_a_correction_goes_with_the_piece_that_it_spoke_of(table):
    """The eyes do not see a chip, which is told, and then taken back."""
    table.look()
    table.follower.answer(Correct("d6", "white"))

    table.follower.answer(TakeBack())

    assert table.look().kind is Kind.UNCHANGED
    assert lines(table) == []


def test_a_look_that_does_not_exist_is_refused(table):
    """Correcting to something that cannot lie there is refused in a sentence."""
    assert "d6" not in table.follower.answer(Correct("d6", "purple"))
    assert "z9" in table.follower.answer(Correct("z9", "white"))


def test_chips_are_not_told_where_a_camera_watches(table):
    """At a watched table a told chip is asked for on the table."""
    refusal = table.follower.answer(Tell({"by": 0, "card": "5C", "place": "d4"}))

    assert "on the table" in refusal
    assert lines(table) == []


def test_what_no_camera_sees_may_be_told(table):
    """A pass is told by the player and passes the turn."""
    assert table.follower.answer(Tell({"by": 0, "pass": True})) is None

    assert to_move(table) == 1


def test_a_malformed_request_is_a_sentence(table):
    """A line that nobody can read is refused, and nothing changes."""
    assert table.follower.answer(Tell({"by": "x", "pass": True}))
    assert lines(table) == []


def test_a_header_that_cannot_be_used_leaves_the_match(table):
    """A match with impossible players is refused; the running one goes on."""
    table.put("d6=w")

    refusal = table.follower.answer(NewMatch({**GRIDLOCK, "players": []}))

    assert refusal
    assert len(lines(table)) == 1


def test_the_game_goes_on_where_it_was(tmp_path):
    """A journal opened again gives the same match, story and position."""
    path = tmp_path / "journal.sqlite"
    match = Match(Journal(path))
    match.begin(GRIDLOCK, START)
    table = Table(Follower(match, lambda: START, SIGHTS["gridlock"]))
    play_a_run(table)
    table.put("a2=r")
    table.follower.refuse()
    table.follower.answer(TakeBack())

    again = Follower(Match(Journal(path)), lambda: START, SIGHTS["gridlock"])

    assert again.position == table.follower.position
    assert again.match.game.story == table.follower.match.game.story
    assert again.match.game.lines == table.follower.match.game.lines


@pytest.mark.parametrize("unseen", ["", "g4"])
def test_clearing_the_board_after_a_win_begins_the_next_game(unseen):
    """In a best of three the empty board after a game starts the next one.

    So it does where the eyes did not see a chip, and players said what it is.
    """
    header = {**GRIDLOCK, "rules": {"runs-to-win": 1}}
    follower = follow(header)
    follower.match.begin(header, START, best_of=3)
    table = Table(follower)
    play_a_run(table)
    for cell in RUN:
        table.pieces[cell] = "W"
    if unseen:
        del table.pieces[unseen]
        table.look()
        follower.answer(Correct(unseen, "white-turned"))
    table.look()
    assert follower.match.wins() == {"white": 1, "red": 0}
    table.take("c4", "b10")
    assert follower.verdict.kind is Kind.UNCHANGED

    table.pieces.clear()
    table.look()

    assert len(follower.match.games) == 2
    assert follower.match.winner(START) is None
    assert follower.game.players[0].name == "Ben"


def test_a_perfect_look_of_the_position_is_never_news(table):
    """What the forward model draws is what the judge calls unchanged."""
    play_a_run(table)

    observation = see(table.follower, table.pieces)

    assert table.follower.look(observation).kind is Kind.UNCHANGED
    assert table.follower.snapshot(1, "watching", "").text == ""


def test_a_piece_that_nobody_plays_is_named():
    """A colour the camera knows, but no team has, is to be taken off."""
    header = {**JACKS, "players": JACKS["players"]}
    follower = follow(header)
    observation = see(follower, {})
    looks = {**dict.fromkeys(observation.log_p[Cell("d6")], -9.0), "red": -0.001}
    strange = {**observation.log_p, Cell("d6"): looks}

    verdict = follower.look(Observation(strange))

    assert verdict.kind is Kind.ILLEGAL
    assert "red on d6" in verdict.text
    assert follower.answer(AcceptTable()) == verdict.text


def test_a_board_cleared_in_the_middle_of_a_game_is_asked_about(table):
    """Packing up is no row of violations; the game can be resumed."""
    for piece in ("c4=w", "b10=r", "d4=w", "b9=r"):
        table.put(piece)
    lying = dict(table.pieces)
    table.pieces.clear()

    assert table.look().kind is Kind.UNCERTAIN
    assert "cleared" in table.follower.verdict.text
    assert table.follower.answer(AcceptTable()) == table.follower.verdict.text

    table.pieces.update(lying)
    assert table.look().kind is Kind.UNCHANGED
    assert len(lines(table)) == 4


def test_tidying_up_after_the_match_is_no_fault():
    """When all is won the pieces may be taken off in any order."""
    table = Table(follow({**GRIDLOCK, "rules": {"runs-to-win": 1}}))
    play_a_run(table)
    for cell in RUN:
        table.pieces[cell] = "W"
    table.look()
    assert table.follower.match.winner(START) == "white"

    for cells in (["c4"], ["b10", "d4"], list(table.pieces)[2:]):
        table.take(*[cell for cell in cells if cell in table.pieces])
        assert table.follower.verdict.kind is Kind.UNCHANGED
    table.pieces.clear()

    assert table.look().kind is Kind.UNCHANGED
    assert len(table.follower.match.games) == 1


def test_a_chip_added_after_the_game_is_named():
    """Playing on after the winning run is a violation."""
    table = Table(follow({**GRIDLOCK, "rules": {"runs-to-win": 1}}))
    play_a_run(table)
    for cell in RUN:
        table.pieces[cell] = "W"
    table.look()

    verdict = table.put("a2=r")

    assert verdict.violations[0].code == "play-after-game-over"


def test_turned_chips_whose_owner_cannot_be_seen_are_whose_they_were(table):
    """White sides of both teams look alike: memory knows whose chips they are."""
    play_a_run(table)
    for cell in RUN:
        table.pieces[cell] = "W"
    observation = see(table.follower, table.pieces)
    log_p = dict(observation.log_p)
    for cell in map(Cell, RUN):
        looks = log_p[cell]
        log_p[cell] = {**looks, "red-turned": looks["white-turned"]}

    verdict = table.follower.look(Observation(log_p))

    assert verdict.kind is Kind.LEGAL
    assert score(table)["white"] == 1


def test_a_correction_holds_whosever_a_turned_chip_is_taken_for(table):
    """Backs may be alike: one that is misread does not change because owners do."""
    table.put("d6=w")
    table.put("e7=r")
    lying = dict(table.pieces)

    def glaring(white, red):
        observation = see(table.follower, lying)
        log_p = dict(observation.log_p)
        log_p[Cell("d6")] = dict.fromkeys(log_p[Cell("d6")], math.log(1e-6)) | {
            Look("white-turned"): math.log(white),
            Look("red-turned"): math.log(red),
        }
        return Observation(log_p)

    assert table.follower.look(glaring(0.6, 0.4)).kind is Kind.ILLEGAL
    table.follower.answer(Correct(Cell("d6"), Look("white")))
    table.follower.look(glaring(0.6, 0.4))

    assert table.follower.look(glaring(0.4, 0.6)).kind is Kind.UNCHANGED


def test_a_new_match_waits_until_the_board_is_cleared(table):
    """Chips of the game before are asked to be taken off; nothing is a turn till then.

    Else the last two of them would look like the first two turns.
    """
    table.put("d6=w")
    table.put("e7=r")
    table.follower.answer(NewMatch(GRIDLOCK))

    for cell in ("d6", ""):
        verdict = table.look()
        assert (verdict.kind, verdict.violations) == (Kind.UNCERTAIN, ())
        assert "clear the board first" in verdict.text
        assert lines(table) == []
        if cell:
            del table.pieces[cell]
    assert table.take("e7").kind is Kind.UNCHANGED
    assert table.put("f6=w").kind is Kind.LEGAL


def test_a_new_match_waits_for_what_could_not_be_seen(table):
    """The last photo before it was dark: whether the chips still lie there is open."""
    table.put("d6=w")
    table.put("e7=r")
    table.look(hidden=table.follower.game.board.cells)

    table.follower.answer(NewMatch(GRIDLOCK))

    assert "clear the board first" in table.look().text
    assert lines(table) == []
    assert table.take("d6", "e7").kind is Kind.UNCHANGED


def test_a_new_match_on_a_clear_board_may_begin_at_once(table):
    """A hand that lay beside no piece hides none."""
    table.look(hidden=["d6", "d7"])
    table.follower.answer(NewMatch(GRIDLOCK))

    assert table.put("d6=w").kind is Kind.LEGAL


def test_a_new_match_may_go_on_from_what_lies_there(table):
    """The table is accepted as it lies, and played on."""
    table.put("d6=w")
    table.follower.answer(NewMatch(GRIDLOCK))
    table.look()

    assert table.follower.answer(AcceptTable(1)) is None
    assert table.look().kind is Kind.UNCHANGED
    assert table.put("f6=r").kind is Kind.LEGAL
