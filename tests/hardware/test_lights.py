import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from companion.errors import TableMismatch
from companion.rules.board import Cell, SquareBoard
from companion.rules.game import Highlight, Meaning
from hardware.layout import DARK, StripLayout, Wiring, strip_layout
from hardware.lights import paint
from hardware.palette import MEANINGS, PRIORITY, RHYTHMS, TEAMS, ink
from hardware.power import duty, milliamps

BOARD = SquareBoard([[""] * 10] * 10)
LAYOUT = Wiring().layout(BOARD)
A1, B1, C1 = Cell("a1"), Cell("b1"), Cell("c1")
TWO_MINUTES = [t / 50 for t in range(120 * 50)]


def colour(lit, seconds, cell=A1):
    """Return what one cell's lamp shows."""
    index = LAYOUT.cells.index(cell)
    return tuple(int(v) for v in paint(lit, LAYOUT, seconds)[index])


def test_a_run_glows_steadily_in_its_team_s_colour():
    """A frozen run never changes, and nothing else is lit."""
    run = [Highlight(Meaning.RUN, (A1, B1, C1), "red")]

    for seconds in (0.0, 0.3, 7.7):
        frame = paint(run, LAYOUT, seconds)
        assert (frame[:3] == TEAMS["red"].rgb).all()
        assert not frame[3:].any()


def test_every_meaning_has_a_colour_a_rhythm_and_a_place_in_the_order():
    """A new meaning cannot be forgotten by lamps or page."""
    assert set(Meaning) == set(MEANINGS) == set(RHYTHMS) == set(PRIORITY)


def test_meanings_are_told_apart_by_rhythm_alone():
    """Without colour vision each meaning is still one of its own (WCAG 1.4.1)."""
    seen = {}
    for meaning in Meaning:
        lit = [Highlight(meaning, (A1, B1, C1), "white")]
        film = np.array([paint(lit, LAYOUT, t / 10)[:3] for t in range(60)])
        seen[meaning] = film.mean(axis=-1) / max(ink(meaning, "white").light)

    for one, other in itertools.combinations(Meaning, 2):
        assert np.abs(seen[one] - seen[other]).max() > 0.2, (one, other)


@pytest.mark.parametrize("meaning", list(Meaning))
def test_nothing_flashes_three_times_in_a_second(meaning):
    """No lamp rises from dark to bright three times in any second (WCAG 2.3.1)."""
    lit = [Highlight(meaning, (A1, B1, C1), "white")]
    film = np.array([paint(lit, LAYOUT, t)[0].max() for t in TWO_MINUTES[:1000]])
    bright = film > film.max() / 2
    rises = np.flatnonzero(bright[1:] & ~bright[:-1]) / 50

    for first, third in zip(rises, rises[2:], strict=False):
        assert third - first > 1.0


def test_what_needs_hands_is_shown_above_all_else():
    """A wrong square inside a run, last turn and won game still shows as wrong."""
    others = [Highlight(m, (A1, B1), "red") for m in Meaning if m is not Meaning.WRONG]
    wrong = Highlight(Meaning.WRONG, (A1,), "red")

    for seconds in (0.1, 0.6, 1.2):
        alone = colour([wrong], seconds)
        assert colour([wrong, *others], seconds) == alone
        assert colour([*others, wrong], seconds) == alone


def test_of_one_meaning_the_first_highlight_is_shown():
    """A game lists the most important first; two runs that share a cell keep that."""
    red = Highlight(Meaning.RUN, (A1,), "red")
    white = Highlight(Meaning.RUN, (A1,), "white")

    assert colour([red, white], 0) == TEAMS["red"].rgb
    assert colour([white, red], 0) == TEAMS["white"].light


def test_a_won_game_fills_the_board_and_leaves_what_is_wrong():
    """Waves roll over cells that mean nothing else."""
    won = Highlight(Meaning.WON, (A1,), "blue")
    run = Highlight(Meaning.RUN, (B1,), "red")

    frame = paint([won, run], LAYOUT, 2.0)

    assert frame.any(axis=1).all()
    assert tuple(frame[1]) == TEAMS["red"].rgb
    assert not (paint([won, run], LAYOUT, 2.5) == frame).all()


def test_teams_shine_in_colours_of_their_own():
    """No lamp is dark for a team, black neither, and no two teams look alike."""
    lights = [np.array(team.light, float) for team in TEAMS.values()]

    assert all(light.max() > 100 for light in lights)
    for one, other in itertools.combinations(lights, 2):
        assert np.linalg.norm(one - other) > 80


def test_a_cell_without_a_lamp_and_no_highlights_are_fine():
    """Boards may have more cells than lamps."""
    layout = StripLayout((DARK, A1, A1))

    frame = paint([Highlight(Meaning.RUN, (B1, A1), "red")], layout, 0)

    assert not frame[0].any()
    assert (frame[1:] == TEAMS["red"].rgb).all()
    assert not paint([], layout, 0).any()


# -- wiring --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wiring", "cells"),
    [
        (Wiring(), "a1 b1 c1 c2 b2 a2"),
        (Wiring(serpentine=False), "a1 b1 c1 a2 b2 c2"),
        (Wiring("top-right"), "c1 b1 a1 a2 b2 c2"),
        (Wiring("bottom-right"), "c2 b2 a2 a1 b1 c1"),
        (Wiring("bottom-left", "columns"), "a2 a1 b1 b2 c2 c1"),
        (Wiring("top-right", "columns", serpentine=False), "c1 c2 b1 b2 a1 a2"),
    ],
)
def test_a_strip_follows_its_wiring(wiring, cells):
    """Corner, direction and serpentine decide which lamp lies under which cell."""
    board = SquareBoard([[""] * 3] * 2)

    assert wiring.layout(board).cells == tuple(cells.split())


def test_cells_may_have_several_lamps_and_the_strip_a_lead():
    """`skip` lamps lie beside the board, `lamps_per_cell` under each cell."""
    board = SquareBoard([["", ""]])

    layout = Wiring(skip=1, lamps_per_cell=2).layout(board)

    assert layout.cells == (DARK, "a1", "a1", "b1", "b1")
    assert layout.lamps() == {"a1": (1, 2), "b1": (3, 4)}


@given(
    st.sampled_from(["top-left", "top-right", "bottom-right", "bottom-left"]),
    st.sampled_from(["rows", "columns"]),
    st.booleans(),
)
def test_every_wiring_reaches_every_cell_once_and_survives_json(corner, along, snake):
    """All 16 ways are permutations, and table.json gives them back."""
    wiring = Wiring(corner, along, snake)

    assert sorted(wiring.layout(BOARD).cells) == sorted(BOARD.cells)
    assert Wiring.from_json(wiring.to_json()) == wiring


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "object"),
        ({"croner": "top-left"}, "croner"),
        ({"corner": "middle"}, "corner"),
        ({"brightness": 2}, "brightness"),
        ({"limit_ma": 0}, "limit_ma"),
        ({"lamps_per_cell": True}, "lamps_per_cell"),
    ],
)
def test_an_impossible_wiring_is_refused_by_name(data, says):
    """The sentence names the key to change."""
    with pytest.raises(TableMismatch, match=says):
        Wiring.from_json(data)


def test_a_table_s_strip_is_laid_as_it_is_written_or_by_default():
    """Without a word about the strip it begins top left and runs in a serpentine."""
    layout, wiring = strip_layout(BOARD, {"along": "columns", "serpentine": False})

    assert layout.cells[:2] == ("a1", "a2")
    assert wiring.along == "columns"
    assert strip_layout(BOARD, None) == (LAYOUT, Wiring())


# -- power ---------------------------------------------------------------------

FRAMES = st.integers(1, 300).flatmap(lambda n: arrays(np.uint8, (n, 3)))


@settings(max_examples=200)
@given(FRAMES, st.floats(0, 1), st.integers(1, 20_000))
def test_the_lamps_never_draw_more_than_the_limit(frame, brightness, limit):
    """Whatever is shown, the estimate stays below; too small a limit means dark."""
    values = duty(frame, brightness, limit)

    assert milliamps(values) <= limit or not values.any()


@given(FRAMES)
def test_below_the_limit_nothing_is_dimmed(frame):
    """With enough current only gamma stands between colours and lamps."""
    values = duty(frame, 1.0, 100_000)

    expected = (frame / 255.0) ** 2.2 * 255
    assert np.abs(values - expected).max() <= 0.5 + 1e-9


def test_the_limiter_keeps_the_colours():
    """Dimming scales all lamps alike: red stays red."""
    frame = np.tile(np.array([255, 128, 0], np.uint8), (225, 1))

    bright, dimmed = duty(frame, 1.0, 50_000), duty(frame, 1.0, 4_000)

    assert dimmed[0, 0] < bright[0, 0]
    assert dimmed[0, 1] / dimmed[0, 0] == pytest.approx(
        bright[0, 1] / bright[0, 0], abs=0.02
    )
    assert 3_500 < milliamps(dimmed) <= 4_000


def test_half_the_brightness_takes_half_the_current():
    """The knob is linear in light."""
    frame = np.full((50, 3), 255, np.uint8)

    full, half = (milliamps(duty(frame, b, 99_999)) - 50 for b in (1.0, 0.5))

    assert half == pytest.approx(full / 2, rel=0.01)
