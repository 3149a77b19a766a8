"""How long the referee takes for one look at the table at rest."""

import random
import time

import pytest

from companion.record import header_of, open_game
from companion.referee import judge
from companion.rules.board import EMPTY
from tests.companion.tables import GRIDLOCK, JACKS, doubt

LIMIT = 5e-3  # s, for one look

STATES = {
    **GRIDLOCK,
    "game": "states",
    "players": [{"name": "Ann", "team": "blue"}, {"name": "Ben", "team": "green"}],
}

EVIDENCE = {"clear": (14.0, 0.5), "soft": (8.0, 2.0), "very soft": (4.0, 2.0)}
"""Nats by which the true look leads on average, and their noise."""


@pytest.mark.bench
@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize("header", [GRIDLOCK, JACKS, STATES], ids=lambda h: h["game"])
def test_a_look_is_judged_within_five_milliseconds(header, evidence):
    """Turns and unchanged tables of a game, all 100 squares as doubtful as that."""
    lead, noise = EVIDENCE[evidence]
    game, chance = open_game(header_of(header)), random.Random(5)
    times = []
    for position, after in turns(game, chance, 60):
        for table in (position, after):
            looks = game.appearance(table)
            seen = doubt(looks, game.looks(), chance, lead, noise)
            times.append(min(cost(game, position, seen) for _ in range(9)))
    times.sort()

    median, worst = times[len(times) // 2], times[-1]
    print(
        f"\n{game.name}, {evidence} evidence: a look is judged in "
        f"{median * 1e3:.2f} ms (median of {len(times)}), {worst * 1e3:.2f} ms at worst"
    )
    assert worst <= LIMIT


def turns(game, chance, count):
    """Yield positions before and after legal turns, the last ones on a full board."""
    position = game.start()
    while count:
        looks = game.appearance(position)
        cell = chance.choice([cell for cell in looks if looks[cell] == EMPTY])
        line = {"by": game.to_move(position), "card": None, "place": cell}
        turn = game.turn_of(position, line)
        if not game.violations(position, turn):
            after = game.apply(position, turn)
            yield position, after
            position = after if game.outcome(after) is None else game.start()
            count -= 1


def cost(game, position, seen):
    """Return the processor's time for one verdict, in seconds."""
    begun = time.thread_time()
    judge(game, position, seen)
    return time.thread_time() - begun
