import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from companion.record import header_of, open_game

RECORDS = Path(__file__).parents[1] / "records"


@pytest.mark.bench
@pytest.mark.parametrize("record", ["gridlock-05", "jacks-rule-06", "states-05"])
def test_a_chip_action_costs_no_more_than_a_chess_move(record: str):
    """Reading, checking and applying a line takes at most the time of `push_san`."""
    header, *lines = map(json.loads, _legal_lines(RECORDS / f"{record}.jsonl"))
    game = open_game(header_of(header))
    moves = _chess_moves()

    def referee() -> None:
        position = game.start()
        for line in lines:
            turn = game.turn_of(position, line)
            assert not game.violations(position, turn)
            position = game.apply(position, turn)

    def push() -> None:
        board = chess.Board()
        for san in moves:
            board.push_san(san)

    ours, theirs = _side_by_side(referee, push)
    ours, theirs = ours / len(lines), theirs / len(moves)

    print(
        f"\n{record}: {ours * 1e6:.1f} us an action, push_san {theirs * 1e6:.1f} us, "
        f"ratio {ours / theirs:.2f}"
    )
    assert ours <= theirs


def _legal_lines(path: Path) -> list[str]:
    """Return the header and the accepted lines of a record."""
    lines = path.read_text("utf-8").splitlines()
    verdicts = path.with_suffix(".verdicts.jsonl").read_text("utf-8").splitlines()
    accepted = [
        verdict["line"] for verdict in map(json.loads, verdicts) if verdict["ok"]
    ]
    return [lines[0], *(lines[number - 1] for number in accepted)]


def _chess_moves() -> list[str]:
    """Return a random game of 120 moves; the openings alone would be cheaper."""
    chosen = random.Random(1)
    board, moves = chess.Board(), []
    while len(moves) < 120 and not board.is_game_over():
        move = chosen.choice(list(board.legal_moves))
        moves.append(board.san(move))
        board.push(move)
    return moves


def _side_by_side(*jobs: Callable[[], None]) -> list[float]:
    """Return the best time of each job in seconds, measured in turn."""
    best = [float("inf")] * len(jobs)
    for _ in range(30):
        for number, job in enumerate(jobs):
            begun = time.perf_counter()
            job()
            best[number] = min(best[number], time.perf_counter() - begun)
    return best
