import math

import pytest

from companion.observation import Observation
from companion.rules.board import Cell, Look

D6, E6 = Cell("d6"), Cell("e6")
RED, EMPTY = Look("red"), Look("empty")


def seen(probability, cell=D6, hidden=()):
    looks = {RED: math.log(probability), EMPTY: math.log(1 - probability)}
    return Observation({cell: looks}, frozenset(hidden))


def test_looks_that_agree_add_up_but_not_like_independent_ones():
    """A second look at a still table is worth less than a first one."""
    once, twice = seen(0.9), seen(0.9) + seen(0.9)

    assert once.confidence(D6) < twice.confidence(D6) < 0.81 / (0.81 + 0.01)


def test_however_often_the_same_glare_is_seen_it_stays_doubtful():
    """A hundred looks at the same still error count for less than two fresh ones."""
    total = seen(0.9)
    for _ in range(99):
        total = total + seen(0.9)

    assert total.looks == 100
    assert total.confidence(D6) < 0.93


def test_adding_looks_does_not_depend_on_their_order():
    """(a + b) + c is a + (b + c)."""
    a, b, c = seen(0.9), seen(0.4), seen(0.7)

    left, right = (a + b) + c, a + (b + c)

    assert left.log_p[D6][RED] == pytest.approx(right.log_p[D6][RED])
    assert math.fsum(map(math.exp, left.log_p[D6].values())) == pytest.approx(1)


def test_what_one_look_hid_the_other_may_show():
    """A cell hidden in one look and seen in the other is no longer hidden."""
    both = seen(0.9, D6, hidden=[E6]) + seen(0.8, E6, hidden=[D6])

    assert both.hidden == frozenset()
    assert both.likely(E6) == RED
