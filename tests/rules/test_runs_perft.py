"""Counts of possible turns from positions in a text file, perft style."""

from pathlib import Path

import pytest

from companion.rules.run_turns import Place, Remove, Swap
from tests.boards import chip_game, position_of

FILE = Path(__file__).parents[1] / "perft" / "chips.txt"
CASES = FILE.read_text("utf-8").split("\n\n")[1:]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.splitlines()[0])
def test_the_number_of_turns(case: str):
    """So many cards can be placed on so many squares, or take so many pieces."""
    name, *rest = [line for line in case.splitlines() if line[0] != "#"]
    picture = "\n".join(line for line in rest if " " not in line)
    counts = dict(line.split() for line in rest if " " in line)
    game = chip_game(name)
    position = position_of(game, picture)
    take = Swap if game.setup.rules.replaces else Remove
    cards, squares = game.setup.deck.cards, range(100)

    def legal(turns) -> int:
        return sum(not game.violations(position, turn) for turn in turns)

    assert {kind: int(number) for kind, number in counts.items()} == {
        "place": legal(Place(0, card, n) for card in cards for n in squares),
        "unseen": legal(Place(0, None, n) for n in squares),
        "take": legal(take(0, card, n) for card in cards for n in squares),
    }
