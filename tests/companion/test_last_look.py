import math
from dataclasses import replace

import pytest

from companion.last_look import LastLook
from companion.observation import FLOOR, Altered, Observation
from companion.rules.board import EMPTY, Cell, Look
from companion.rules.verdict import Kind
from companion.snapshot import AcceptTable, Correct
from tests.companion.tables import follow, see

D6 = Cell("d6")
RED, TURNED = Look("red"), Look("red-turned")
FOUR = "b4", "c4", "d4", "e4"
FIVE = *FOUR, "f4"


LYING = {"d6": "w", "e7": "r"}
LAMP, SUN = (-0.3, -0.1, 0.1), (-0.3, -0.02, 0.1)


def seen(turned, light=LAMP):
    log_p = {RED: math.log(1 - turned), TURNED: math.log(turned)}
    return Observation({D6: log_p}, light=light)


def after(turned, look=RED):
    """Return the memory of a look that was so sure that the chip is turned."""
    last = LastLook()
    last.keep(seen(turned), {D6: look})
    return last


def after_two_turns(**seen_by):
    """Return who saw two chips put down, one after the other, by some light."""
    follower = follow()
    for table in ({"d6": "w"}, LYING):
        follower.look(replace(see(follower, table), **seen_by))
    return follower


def odds(observation):
    """Nats for a chip that was turned over."""
    return observation.log_p[D6][TURNED] - observation.log_p[D6][RED]


def test_what_a_square_feigned_before_it_may_feign_again():
    """The same glare is no evidence of a change; a little it speaks against one."""
    again = after(0.9).compared(seen(0.9), {D6: RED})

    assert odds(again) == pytest.approx(-2, abs=0.06)
    assert math.fsum(map(math.exp, again.log_p[D6].values())) == pytest.approx(1)


def test_what_is_seen_beyond_that_counts():
    """A chip that is turned over below the glare is seen all the same."""
    again = after(0.9).compared(seen(0.9999), {D6: RED})

    grown = odds(seen(0.9999)) - odds(seen(0.9))
    assert odds(again) == pytest.approx(grown - 2, abs=0.06)


@pytest.mark.parametrize("now", [0.9, 0.999])
def test_a_square_that_was_read_well_is_hardly_misread_now(now):
    """Where errors come back, one that is new is rarer: at most once in twenty."""
    again = after(1e-6).compared(seen(now), {D6: RED})

    assert odds(again) == pytest.approx(odds(seen(now)) + math.log(20), abs=0.01)


def test_looks_that_are_hardly_told_apart_by_any_piece_are_not_by_one():
    """Where faces and backs look alike, a face hardly says that it stayed one."""
    told = {}
    for others in (0.2, 1e-6):
        last, cells = LastLook(), [Cell(cell) for cell in FIVE]
        faces = dict.fromkeys(cells, seen(others).log_p[D6]) | seen(0.2).log_p
        last.keep(Observation(faces, light=LAMP), dict.fromkeys(faces, RED))
        told[others] = odds(last.compared(seen(0.3), {D6: RED}))

    assert told[1e-6] < told[0.2] - 1


def test_in_another_light_a_square_that_was_read_well_may_be_misread():
    """What it says is worth what it says."""
    again = after(1e-6).compared(seen(0.9, SUN), {D6: RED})

    assert odds(again) == pytest.approx(odds(seen(0.9)))


def test_what_a_square_feigned_it_may_feign_in_another_light():
    """And is as little evidence then."""
    again = after(0.9).compared(seen(0.9, SUN), {D6: RED})

    assert odds(again) == pytest.approx(-2)


def test_a_square_that_is_read_as_ever_is_as_sure_as_ever():
    """Nothing happened where both looks say so."""
    again = after(1e-5).compared(seen(1e-5), {D6: RED})

    assert odds(again) == pytest.approx(odds(seen(1e-5)), abs=2)


@pytest.mark.parametrize("turned", [-math.inf, -900.0, 900.0])
def test_readings_beyond_all_doubt_can_be_compared(turned):
    """Eyes that give no number, or one too sure, break nothing."""
    look = Observation({D6: {RED: 0.0, TURNED: turned}})
    last = LastLook()
    last.keep(look, {D6: RED})

    assert math.isfinite(odds(last.compared(look, {D6: RED})))


def test_a_look_that_was_not_thought_of_counts_as_never_seen():
    """What the eyes give no number for is as unlikely as can be, then and now."""
    last = LastLook()
    last.keep(Observation({D6: {RED: 0.0}}), {D6: RED})
    compared = last.compared(Observation({D6: {TURNED: 0.0}}), {D6: RED})

    assert odds(compared) > -FLOOR


def test_what_was_seen_of_one_piece_is_nothing_to_the_next():
    """Once something else lies there, the look before says nothing."""
    again = after(0.9).compared(seen(0.9), {D6: TURNED})

    assert again.log_p == seen(0.9).log_p


def test_what_a_square_once_feigned_it_may_feign_again():
    """Lights come back, and with them what they feigned, until the square changes."""
    last = after(0.9)
    last.keep(seen(1e-6), {D6: RED})

    assert odds(last.compared(seen(0.9), {D6: RED})) == pytest.approx(-2, abs=0.06)

    last.keep(seen(0.99), {D6: TURNED})
    last.keep(seen(1e-6), {D6: RED})

    assert last.compared(seen(0.9), {D6: RED}) == after(1e-6).compared(
        seen(0.9), {D6: RED}
    )


class Shown:
    """What a table looks like that speaks for changes as it is told to."""

    def __init__(self, *, changed=0.0, **nats):
        self.nats, self.change, self.changes = nats, changed, None

    def altered(self, before, lying, changes):
        self.changes = changes
        if before is self:
            return {}
        return {
            cell: Altered(nats, {look: nats if by else 0.0 for look, by in had.items()})
            for cell, nats in self.nats.items()
            for had in [changes.get(cell, {})]
        }

    def changed(self, before):
        return {D6: self.change}


def shown(turned, appearance):
    return replace(seen(turned), appearance=appearance)


def test_by_how_much_a_square_changed_is_remembered():
    """Until it changes again: then by how much at least, from bare, may be told."""
    last, now = LastLook(), Shown()
    for look, by in ((EMPTY, 0.09), (RED, 0.07), (RED, 0.01), (TURNED, 0.05)):
        last.keep(shown(0.5, Shown(changed=by)), {D6: look})

    last.compared(shown(0.5, now), {D6: TURNED})

    assert now.changes == {D6: {RED: 0.05, EMPTY: pytest.approx(0.02)}}


@pytest.mark.parametrize("nats", [-4.0, 3.0])
def test_what_a_square_looks_like_counts_beside_what_it_is_read_as(nats):
    """It was touched, or it was not, whatever the eyes make of it."""
    last = LastLook()
    last.keep(shown(1e-6, Shown()), {D6: RED})

    again = last.compared(shown(0.99, Shown(d6=nats)), {D6: RED})

    assert odds(again) == pytest.approx(
        odds(after(1e-6).compared(seen(0.99), {D6: RED})) + nats
    )


def test_what_was_touched_need_not_feign_what_it_did():
    """What lies there now lies otherwise, or is something else."""
    last = LastLook()
    last.keep(shown(0.9, Shown()), {D6: RED})

    again = last.compared(shown(0.9, Shown(d6=1.0)), {D6: RED})

    assert odds(again) == pytest.approx(odds(seen(0.9)) + 1)


def test_what_was_pushed_feigns_what_others_of_its_look_do():
    """The light does not change as a chip is pushed."""
    others = {Cell("a1"): RED, Cell("b2"): RED}
    last, before = LastLook(), shown(0.999, Shown())
    read = before.log_p[D6]
    before = replace(before, log_p=dict.fromkeys((D6, *others), read))
    last.keep(before, {D6: RED} | others)

    pushed = last.compared(shown(0.999, Shown(d6=1.0)), {D6: RED})

    assert odds(pushed) == pytest.approx(1 + math.log(3 / 2), abs=0.01)


def test_what_a_square_looks_like_is_held_against_the_look_it_was_seen_in():
    """Below a hand nobody knows what it looked like."""
    last, earlier = LastLook(), Shown(d6=99.0)
    last.keep(shown(1e-6, earlier), {D6: RED})
    last.keep(Observation({}, frozenset({D6}), appearance=Shown()), {D6: RED})

    again = last.compared(shown(0.99, earlier), {D6: RED})

    assert again.log_p == after(1e-6).compared(seen(0.99), {D6: RED}).log_p


def test_a_chip_that_looks_as_it_did_is_not_asked_about():
    """It is misread, for nobody touched it."""
    untouched = Shown(d6=-4.0)
    for appearance, kind in ((None, Kind.UNCERTAIN), (untouched, Kind.LEGAL)):
        follower = after_two_turns(appearance=Shown())
        now = see(follower, LYING | {"f8": "w"}, doubt={"d6": ("W", 0.9)})
        assert follower.look(replace(now, appearance=appearance)).kind is kind


@pytest.mark.parametrize(
    ("changed", "kind"), [(0.0, Kind.UNCERTAIN), (0.07, Kind.LEGAL)]
)
def test_a_piece_that_changed_its_square_as_it_was_put_is_not_taken(changed, kind):
    """Read as a bare square, which it would look unlike, it is misread."""
    follower, before = follow(), Shown(changed=changed)
    for table in ({}, {"d6": "w"}, LYING, LYING | {"f8": "w"}):
        follower.look(replace(see(follower, table), appearance=before))

    now = see(follower, {"e7": "r", "f8": "w", "g7": "r"}, doubt={"d6": ("w", 0.002)})
    verdict = follower.look(replace(now, appearance=Shown(d6=-7.0)))

    assert verdict.kind is kind


@pytest.mark.parametrize(("nats", "kind"), [(-7, "unchanged"), (1, "uncertain")])
def test_what_players_said_of_a_square_is_asked_again_once_it_was_touched(nats, kind):
    """It is read as before; but what lay there may have been turned over."""
    follower = after_two_turns(appearance=Shown())

    def look(**altered):
        misread = see(follower, LYING, doubt={"d6": ("W", 0.9)})
        return follower.look(replace(misread, appearance=Shown(**altered)))

    look()
    assert follower.answer(Correct(D6, Look("white"))) is None

    again = look(d6=nats)

    assert again.kind.value == kind
    assert again.doubtful == ((D6,) if nats > 0 else ())


def test_glare_that_stays_does_not_become_a_violation():
    """A chip that looks turned over since it lies there is nobody's fault."""
    follower = follow()
    placed = follower.look(see(follower, {"d6": "w"}, doubt={"d6": ("W", 0.04)}))
    assert placed.kind is Kind.LEGAL

    later = {"d6": "w", "e7": "r"}
    verdict = follower.look(see(follower, later, doubt={"d6": ("W", 0.6)}))

    assert verdict.kind is Kind.LEGAL
    assert set(verdict.seen) == {"e7"}


def test_a_chip_turned_over_out_of_glare_is_a_violation():
    """The same look at a chip that was read well before is news."""
    follower = follow()
    follower.look(see(follower, {"d6": "w"}))

    later = {"d6": "W", "e7": "r"}
    verdict = follower.look(see(follower, later))

    assert verdict.kind is Kind.ILLEGAL


@pytest.mark.parametrize(
    ("light", "turned", "kind"),
    [
        (LAMP, 0.9999, Kind.ILLEGAL),
        (SUN, 0.9999, Kind.UNCERTAIN),
        (SUN, 1 - 1e-6, Kind.ILLEGAL),
    ],
)
def test_what_another_light_makes_of_chips_is_asked_about(light, turned, kind):
    """Where nobody may turn chips over, and a lamp was just switched: who knows."""
    follower = after_two_turns(light=LAMP)

    doubt = {"d6": ("W", turned), "e7": ("R", turned)}
    now = see(follower, LYING | {"f8": "w"}, doubt=doubt)
    verdict = follower.look(replace(now, light=light))

    assert verdict.kind is kind
    if kind is Kind.UNCERTAIN:
        assert set(verdict.doubtful) == {"d6", "e7"}
        # Who says that one was misread is not asked about, or blamed for, the other.
        follower.answer(Correct(D6, Look("white")))
        assert follower.verdict.kind is Kind.LEGAL
        assert set(follower.verdict.seen) == {"f8"}


@pytest.mark.parametrize(("turned", "kind"), [(0.6, "uncertain"), (0.04, "unchanged")])
def test_no_light_answers_what_was_asked_before_it_came(turned, kind):
    """A chip was turned over, perhaps; it still may be as a lamp is switched on."""
    follower = after_two_turns(light=LAMP)
    perhaps = see(follower, LYING, doubt={"d6": ("W", 0.8)})
    assert follower.look(replace(perhaps, light=LAMP)).kind is Kind.UNCERTAIN

    later = see(follower, LYING, doubt={"d6": ("W", turned)})
    verdict = follower.look(replace(later, light=SUN))

    assert verdict.kind.value == kind
    assert verdict.doubtful == ((D6,) if kind == "uncertain" else ())


@pytest.mark.parametrize(
    ("doubt", "kind"),
    [
        ({"d6": ("r", 0.9999), "f8": ("r", 0.9999)}, Kind.UNCHANGED),
        ({"d6": ("r", 0.9999), "e7": ("w", 0.9999)}, Kind.ILLEGAL),
    ],
    ids=["two for another", "two for each other"],
)
def test_no_light_makes_two_colours_pass_for_each_other(doubt, kind):
    """Whoever saw that saw two chips exchanged."""
    follower = after_two_turns(light=LAMP)
    lying = LYING | {"f8": "w"}
    follower.look(replace(see(follower, lying), light=LAMP))

    verdict = follower.look(replace(see(follower, lying, doubt=doubt), light=SUN))

    assert verdict.kind is kind


def test_a_light_that_misleads_does_so_about_new_pieces_too():
    """Where those that lay there seem turned over, the one just put there does."""
    follower = after_two_turns(light=LAMP)

    doubt = {"d6": ("W", 0.999), "f8": ("W", 0.999)}
    now = see(follower, LYING | {"f8": "w"}, doubt=doubt)
    verdict = follower.look(replace(now, light=SUN))

    assert verdict.kind is Kind.UNCERTAIN
    assert set(verdict.doubtful) == {"d6", "f8"}


def test_what_could_not_be_seen_was_not_misread():
    """Who tells what lies below a cup does not say that the light misleads."""
    follower = after_two_turns(light=LAMP)

    doubt = {"d6": ("W", 0.9999), "e7": ("R", 0.9999)}
    table = LYING | {"f8": "w"}
    now = see(follower, table, doubt=doubt, hidden=["a1"])
    follower.look(replace(now, light=SUN))
    follower.answer(Correct(Cell("a1"), Look("empty")))

    assert follower.verdict.kind is Kind.UNCERTAIN
    assert set(follower.verdict.doubtful) == {"d6", "e7"}


@pytest.mark.parametrize(
    ("light", "as_turned", "expected"),
    [(LAMP, 2, 2 / 3), (LAMP, 1, 1 / 3), (LAMP, 0, 1e-3), (SUN, 2, 1e-3)],
)
def test_what_a_light_makes_of_chips_it_makes_of_the_next(light, as_turned, expected):
    """One that is put down by the same light is as likely the same in truth."""
    empty, lying = Look("empty"), (Cell("a1"), Cell("b2"))
    read = [(1e-3, 1.0), (1.0, 1e-3)]
    last, looks = LastLook(), {D6: empty, lying[0]: RED, lying[1]: RED}
    log_p = {D6: {empty: 0.0, RED: -9.0, TURNED: -9.0}}
    for number, cell in enumerate(lying):
        p = read[number < as_turned]
        log_p[cell] = {RED: math.log(p[1]), TURNED: math.log(p[0])}
    last.keep(Observation(log_p, light=LAMP), looks)
    put = {empty: -9.0, RED: math.log(1e-3), TURNED: 0.0}

    told = last.compared(Observation({D6: put}, light=light), looks).log_p[D6]

    assert told[RED] - told[TURNED] == pytest.approx(math.log(expected), abs=0.01)


def before_a_run(follower):
    """Play until White has four in a row, and return how the table lies."""
    lying = {}
    for white, red in zip(FOUR, ("a9", "c9", "e9", "g9"), strict=True):
        for cell, letter in ((white, "w"), (red, "r")):
            lying[cell] = letter
            follower.look(replace(see(follower, lying), light=LAMP))
    return lying


def test_in_another_light_a_run_may_be_turned_over():
    """What the rules ask for is believed at once."""
    follower = follow()
    lying = before_a_run(follower)

    over = lying | dict.fromkeys(FIVE, "W")
    verdict = follower.look(replace(see(follower, over), light=SUN))

    assert verdict.kind is Kind.LEGAL
    assert len(verdict.seen) == 5


@pytest.mark.parametrize("turned", [0.2, 0.4])
def test_pieces_in_the_same_doubt_say_no_more_than_one(turned):
    """What light does to one chip it does to all five: they are asked about."""
    follower = follow()
    lying = before_a_run(follower) | dict.fromkeys(FIVE, "w")
    placed = follower.look(replace(see(follower, lying), light=LAMP))
    assert placed.kind is Kind.LEGAL

    doubt = dict.fromkeys(FIVE, ("W", turned))
    verdict = follower.look(replace(see(follower, lying, doubt=doubt), light=SUN))

    assert verdict.kind is Kind.UNCERTAIN
    assert set(verdict.doubtful) <= set(FIVE)


def test_one_good_look_names_a_rare_violation():
    """A chip, well read until now, that is turned over is named, not asked about."""
    follower = follow()
    follower.look(see(follower, {"d6": "w"}))
    follower.look(see(follower, {"d6": "w", "e7": "r"}))

    doubtful = {"d6": ("W", 0.9999)}
    verdict = follower.look(see(follower, {"d6": "w", "e7": "r"}, doubt=doubtful))

    assert verdict.kind is Kind.ILLEGAL
    assert verdict.seen == {D6: Look("white-turned")}


def test_who_accepts_a_table_is_not_asked_about_the_same_square_again():
    """What players said of a doubtful square is remembered like what was seen."""
    follower = follow()
    follower.look(see(follower, {"d6": "w"}))
    follower.look(see(follower, {"d6": "w", "e7": "r"}))
    asked = {"d6": "w", "e7": "r", "f8": "w"}
    doubt = {"d6": ("W", 0.9)}
    assert follower.look(see(follower, asked, doubt=doubt)).kind is Kind.UNCERTAIN

    assert follower.answer(AcceptTable(1)) is None
    verdict = follower.look(see(follower, {**asked, "g9": "r"}, doubt=doubt))

    assert verdict.kind is Kind.LEGAL
    assert set(verdict.seen) == {"g9"}
