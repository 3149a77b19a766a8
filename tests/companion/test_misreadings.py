import math

import pytest

from companion.misreadings import Misreadings
from companion.observation import Observation
from companion.rules.board import Cell, Look
from companion.rules.verdict import Kind
from tests.companion.tables import follow, see

D6 = Cell("d6")
RED, TURNED = Look("red"), Look("red-turned")


def seen(turned):
    return Observation({D6: {RED: math.log(1 - turned), TURNED: math.log(turned)}})


def learnt(turned, look=RED):
    misreadings = Misreadings()
    misreadings.learn(seen(turned), {D6: look})
    return misreadings


def odds(observation):
    """Nats for a chip that was turned over."""
    return observation.log_p[D6][TURNED] - observation.log_p[D6][RED]


def test_what_a_square_feigned_before_it_may_feign_again():
    """The same glare is no evidence of a change; a little it speaks against one."""
    again = learnt(0.9).without(seen(0.9), {D6: RED})

    assert odds(again) == pytest.approx(-2)
    assert math.fsum(map(math.exp, again.log_p[D6].values())) == pytest.approx(1)


def test_what_is_seen_beyond_that_counts():
    """A chip that is turned over below the glare is seen all the same."""
    again = learnt(0.9).without(seen(0.9999), {D6: RED})

    assert odds(again) == pytest.approx(odds(seen(0.9999)) - odds(seen(0.9)) - 2)


def test_a_square_that_was_read_rightly_is_read_as_ever():
    """Nothing is taken from a square that never feigned anything."""
    again = learnt(0.01).without(seen(0.9), {D6: RED})

    assert again.log_p == seen(0.9).log_p


def test_what_was_learnt_of_one_piece_is_nothing_to_the_next():
    """Once something else lies there, the error of before says nothing."""
    again = learnt(0.9).without(seen(0.9), {D6: TURNED})

    assert again.log_p == seen(0.9).log_p


def test_the_latest_look_counts():
    """When the glare is gone, what it feigned is forgotten."""
    misreadings = learnt(0.9)
    misreadings.learn(seen(0.01), {D6: RED})

    assert misreadings.without(seen(0.9), {D6: RED}).log_p == seen(0.9).log_p


def test_glare_that_stays_does_not_become_a_violation():
    """A chip that looks turned over since it lies there is nobody's fault."""
    follower = follow()
    placed = follower.look(see(follower, {"d6": "w"}, doubt={"d6": ("W", 0.9)}))
    assert placed.kind is Kind.LEGAL

    later = {"d6": "w", "e7": "r"}
    verdict = follower.look(see(follower, later, doubt={"d6": ("W", 0.999)}))

    assert verdict.kind is Kind.LEGAL
    assert set(verdict.seen) == {"e7"}


def test_a_chip_turned_over_out_of_glare_is_a_violation():
    """The same look at a chip that was read well before is news."""
    follower = follow()
    follower.look(see(follower, {"d6": "w"}))

    later = {"d6": "W", "e7": "r"}
    verdict = follower.look(see(follower, later))

    assert verdict.kind is Kind.ILLEGAL
