"""How likely the best story of a look can be at most, without telling any story.

The referee weighs many readings of a doubtful look. Most of them no story can save:
a chip of the wrong colour is a slip at best, whatever is told. The bound counts the
squares that differ, and takes for each the cheapest step of `run_sight`.
"""

from __future__ import annotations

import math

from companion.rules.run_rules import Setup
from companion.rules.run_sight import (
    FORGOTTEN,
    LATE_CLAIM,
    MISSED_LOOK,
    MOST_TURNS,
    PLACED,
    TAKEN,
    TURNED_OVER,
    moved,
    slipped,
)
from companion.rules.run_slips import Change, Sight
from companion.rules.run_turns import RunPosition
from companion.rules.windows import bits

IMPOSSIBLE = -math.inf


def prior_bound(setup: Setup, position: RunPosition, target: Sight) -> float:
    """Return a log-prior (nats, <= 0) that no story of a look exceeds."""
    change = Change.between(position, target, setup.team_of[position.turn])
    if not (change.pieces or change.closed or change.opened):
        return 0.0
    legal = _legal(setup, position, target, change)
    return max(legal, _slip(setup, position, change))


def _legal(setup: Setup, position: RunPosition, target: Sight, change: Change) -> float:
    """Return how likely turns in the order of play can be at most."""
    if change.opened:
        return IMPOSSIBLE
    turns = change.pieces.bit_count()
    if not setup.rules.replaces:  # a piece is taken in one turn, put in another
        turns += change.exchanged.bit_count()
    if turns and not _in_turn(setup, position, change, turns):
        return IMPOSSIBLE
    taken = sum(gone.bit_count() for gone in change.vanished)
    bound = taken * TAKEN + (turns - taken) * PLACED
    bound += max(turns - 1, 0) * MISSED_LOOK
    over = change.closed | change.face_down
    if not over:
        return bound
    if turns <= 1 and not _in_runs(setup, position, target, over):
        return IMPOSSIBLE
    known = position.pending is not None or over & position.face_up
    return bound + (TURNED_OVER if turns or known else LATE_CLAIM)


def _in_turn(setup: Setup, position: RunPosition, change: Change, turns: int) -> bool:
    """Return whether every team has the turns that its part of a change takes."""
    if position.ended is not None or turns > MOST_TURNS:
        return False
    players = len(setup.players)
    teams = [setup.team_of[(position.turn + n) % players] for n in range(turns)]
    return all(
        appeared.bit_count() <= teams.count(team)
        and vanished.bit_count() <= turns - teams.count(team)
        for team, (appeared, vanished) in enumerate(
            zip(change.appeared, change.vanished, strict=True)
        )
    )


def _in_runs(setup: Setup, position: RunPosition, target: Sight, over: int) -> bool:
    """Return whether every chip that was turned over lies in a turned window."""
    closed = target.turned | position.turned | setup.free
    return all(
        any(mask & closed == mask for mask in setup.squares.masks[square])
        for square in bits(over)
    )


def _slip(setup: Setup, position: RunPosition, change: Change) -> float:
    """Return how likely hands that broke rules can be at most."""
    if position.pending is not None or _makes_run(setup, position, change):
        return FORGOTTEN
    if change.pieces.bit_count() <= 3 and any(change.moves):
        return moved(change, replaces=setup.rules.replaces)
    return slipped(change, replaces=setup.rules.replaces)


def _makes_run(setup: Setup, position: RunPosition, change: Change) -> bool:
    """Return whether chips were turned over and a new one ends a row of five."""
    new = change.appeared[change.own] & ~change.exchanged
    over = change.closed | change.face_down
    if not over or new.bit_count() != 1 or change.pieces.bit_count() > 3:
        return False
    own = position.chips[change.own] | new | setup.free
    return any(mask & own == mask for mask in setup.squares.masks[new.bit_length() - 1])
