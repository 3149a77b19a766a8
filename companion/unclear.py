"""Which squares a look has to show before its verdict is acted on.

The referee weighs what a look shows, what is remembered of earlier ones, and what hands
are likely to do. That finds the most probable story, but accuses nobody: on a table
whose faces and backs are hardly to be told apart, memory says of each chip how it lies,
whatever is done to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from typing import Any

from companion.observation import Observation, any_of
from companion.referee import Verdict
from companion.rules.board import EMPTY, Cell, Look, both_turned, team_of
from companion.rules.verdict import Kind

UNCLEAR = math.log(0.05)
"""Log-probability from which a square that a verdict rests on may be otherwise."""

OTHERWISE = math.log(0.75)
"""Log-probability from which a piece seems to be another one."""


def unclear(
    verdict: Verdict[Any],
    look: Observation,
    compared: Observation,
    lay: Mapping[Cell, Look],
    told: Set[Cell],
    fresh: Set[Cell],
    before: Set[Cell],
) -> dict[Cell, tuple[Look, Look]]:
    """Return squares that are not seen as clearly as a verdict needs.

    A violation must be seen by itself on the squares that it names, and a turn must
    show whose its pieces are: neither memory nor whose turn it is may tell. Memory may
    tell that nothing was put down, or else the look must; and where both say that a
    piece is another one, how seldom that is done is no answer, unless it may be by the
    light. Nor is another light an answer to what was asked before it came. What players
    said of squares before holds no longer where it accuses somebody, or where they were
    touched.

    Args:
        verdict: on a look.
        look: by itself.
        compared: the look, with what is remembered.
        lay: what lay there before, on all squares.
        told: squares of which players said what lies there.
        fresh: those of which they said it of this very look.
        before: squares that were asked about in the last look.

    Returns:
        what lies there by the verdict, and what else it is most likely.
    """
    # How likely a square may at most be something else, log-probability.
    most: dict[Cell, float]
    seen, witnesses = verdict.seen or {}, [look]
    alike: Callable[[Look, Look], bool] = both_turned
    if verdict.kind is Kind.ILLEGAL:
        most = dict.fromkeys(set(verdict.named) - set(verdict.doubtful), UNCLEAR)
    elif verdict.kind is Kind.LEGAL:
        most, alike = dict.fromkeys(seen, UNCLEAR), _one_team
    elif verdict.kind is Kind.UNCHANGED:
        most = dict.fromkeys(compared.touched & told, UNCLEAR)
        for cell in lay.keys() - told:
            if lay[cell] == EMPTY or cell in before:
                most[cell] = UNCLEAR
            elif not compared.relit:
                most[cell] = OTHERWISE
        witnesses.append(compared)
    else:
        return {}
    asked = {}
    for cell in lay:
        if cell in most and cell not in fresh:
            own = seen.get(cell, lay[cell])
            others = [_other(own, each, cell, alike) for each in witnesses]
            if min(p for _, p in others) > most[cell]:
                asked[cell] = own, others[0][0]
    return asked


def _other(
    look: Look,
    observation: Observation,
    cell: Cell,
    alike: Callable[[Look, Look], bool],
) -> tuple[Look, float]:
    """Return what else a cell is most likely, and how likely it is anything else.

    Args:
        look: that it should have.
        observation: the look at the table; if it does not show the cell, nothing is.
        cell: of which this is asked.
        alike: tells which looks make no difference.

    Returns:
        the look, and a log-probability.
    """
    others = {
        other: value
        for other, value in observation.log_p.get(cell, {}).items()
        if other != look and not alike(other, look)
    }
    return max(others, key=others.__getitem__, default=look), any_of(others.values())


def _one_team(one: Look, other: Look) -> bool:
    """Tell whether two looks may be those of one team's pieces; backs may be alike."""
    return team_of(one) == team_of(other) or both_turned(one, other)
