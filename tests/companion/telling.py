"""A match that is told and killed: does anything acknowledged get lost?

Run as a program with a journal and a seed, it tells random turns for ever and
prints each one once it was answered.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from companion.follower import Follower
from companion.journal import Journal
from companion.match import Match
from companion.rules.board import EMPTY
from companion.snapshot import Tell
from tests.companion.tables import GRIDLOCK, START

ROOT = Path(__file__).parents[2]


def tell(path: Path, seed: int) -> None:
    """Take the match up, and tell turns until killed; games follow each other."""
    chance = random.Random(seed)
    match = Match(Journal(path))
    if not match.games:
        match.begin(GRIDLOCK, START, best_of=None)
    follower = Follower(match, lambda: START)
    while True:
        looks, board = follower.game.appearance(follower.position), follower.game.board
        free = [c for c in looks if looks[c] == EMPTY and board.label(c)]
        if match.game.outcome or not free:
            match.next_game(START)
            continue
        by = follower.game.to_move(follower.position)
        line = {"by": by, "card": None, "place": chance.choice(free)}
        if follower.answer(Tell(line)) is None:
            print(json.dumps(line), flush=True)


@dataclass(frozen=True, slots=True)
class Told:
    """What a journal holds after all kills, and how many turns were acknowledged."""

    lines: list[dict]
    acknowledged: int


def told_and_killed(path: Path, kills: int, turns: int, seed: int) -> Told:
    """Tell a match in processes that are killed at random moments.

    Every acknowledged turn must be found in the journal after each kill, in order,
    and at most one more: written, but not yet acknowledged.
    """
    chance = random.Random(seed)
    known: list[dict] = []
    acknowledged = 0
    for kill in range(kills):
        fewest = max(1, -(-(turns - acknowledged) // (kills - kill)))
        said = _said_until_killed(path, chance, fewest)
        lines = recorded(path)
        assert lines[: len(known)] == known
        fresh = lines[len(known) :]
        assert fresh[: len(said)] == said
        assert len(fresh) <= len(said) + 1
        known, acknowledged = lines, acknowledged + len(said)
    return Told(known, acknowledged)


def _said_until_killed(path: Path, chance: random.Random, fewest: int) -> list[dict]:
    """Return what a process acknowledged before it was killed."""
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.companion.telling", path, str(chance.random())],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert program.stdout is not None
    said = [program.stdout.readline() for _ in range(fewest)]
    time.sleep(chance.uniform(0.0, 0.02))
    program.kill()
    said += program.stdout.read().splitlines(keepends=True)
    program.wait()
    program.stdout.close()
    return [json.loads(line) for line in said if line.endswith("\n")]


def recorded(path: Path) -> list[dict]:
    """Return the turns that a journal holds, all games of the match in order."""
    journal = Journal(path)
    games = Match(journal).games
    journal.close()
    return [
        {key: line[key] for key in ("by", "card", "place")}
        for game in games
        for line in game.lines
    ]


if __name__ == "__main__":
    tell(Path(sys.argv[1]), int(float(sys.argv[2]) * 2**31))
