"""Judging Boston: 10,000 actions with driving in at most 20 s, in steady memory."""

import gc
import json
import time
import tracemalloc
from collections.abc import Iterator
from random import Random

import pytest

from companion.record import verdicts
from tests.plain_roads import PlainTable
from tests.road_boards import open_boston

LINES = 10_000
COLOURS = ["red", "green", "blue", "yellow"]
OPTIONS = {"congestion": True, "traffic": True, "specials": True}


@pytest.fixture(scope="module")
def record() -> list[str]:
    """One endless game of four: goals are drawn again before the last is reached."""
    random = Random(3)
    table = PlainTable(COLOURS, OPTIONS)
    lines = []
    while len(lines) < LINES:
        lines.append(json.dumps(table.play(random)))
        for goals in table.goals:
            if len(goals) == 1:
                goals.clear()
                goals.add("nowhere")
    return lines


@pytest.mark.bench
def test_ten_thousand_actions_are_judged_in_time(record: list[str]):
    """A line a player may wait for: well under 2 ms each."""
    game = open_boston(" ".join(COLOURS), **OPTIONS)

    started = time.perf_counter()
    told = list(verdicts(game, record))
    seconds = time.perf_counter() - started

    drives = sum("drive" in line for line in record)
    print(f"\n{len(told)} actions, {drives} of them drives: {seconds:.2f} s")
    assert all(verdict["ok"] for verdict in told)
    assert drives > 1000
    assert seconds <= 20


@pytest.mark.bench
def test_memory_does_not_grow_with_the_record(record: list[str]):
    """After the first quarter of a long record judging keeps nothing more.

    The interpreter's own free lists settle slowly, at some tens of KiB; keeping
    one position a line would take more than 10 MiB.
    """
    game = open_boston(" ".join(COLOURS), **OPTIONS)

    def held() -> Iterator[int]:
        for number, _ in enumerate(verdicts(game, record), start=1):
            if number % (LINES // 4) == 0:
                gc.collect()
                yield tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first, *_, last = held()
    finally:
        tracemalloc.stop()

    print(f"\nheld after a quarter {first >> 10} KiB, at the end {last >> 10} KiB")
    assert last - first < 256 * 1024
