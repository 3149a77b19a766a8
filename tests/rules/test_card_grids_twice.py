"""Every line of whole matches judged twice: by the referee and by a plain one."""

import json
import random
from typing import Any

import pytest

from companion.record import verdicts
from companion.rules.grids import Grid
from tests.card_tables import CardTable, Line, codes, header, open_game
from tests.plain_grids import CARDS, LINES, PlainGrids

TABLES: list[dict[str, Any]] = [
    {"points": 40},
    {"rounds": 2, "points": None, "open_lines": "six"},
    {"rounds": 4, "points": None},
    {"rounds": 3, "wilds": False, "final_double_lock": "locked-cells-only"},
    {"players": 3, "points": 30, "locks": False},
    {"players": 4, "teams": "xyxy", "points": 60},
    {"players": 7, "rounds": 1, "open_lines": "six"},
    {"players": 13, "teams": "xyzxyzxyzxyzx", "rounds": 1},
]


class WilfulTable(CardTable):
    """Lock cards lie together, players choose lines, the last one places nothing."""

    def _deal(self) -> None:
        super()._deal()
        hand = self.random.choice(self.hidden)
        rest = [cards for cards in (self.pile, *self.hidden) if cards is not hand]
        for cards in rest:
            for n, card in enumerate(cards):
                if card == "LOCK" and hand.count("LOCK") < 3:
                    swap = next(k for k in range(9) if hand[k] != "LOCK")
                    hand[swap], cards[n] = card, hand[swap]

    def _wanted(self, grid: Grid, free: list[int], card: str) -> int | None:
        is_last = self.position.to_move == len(self.game.players) - 1
        return None if is_last else super()._wanted(grid, free, card)

    def _line(self) -> Line:
        line = super()._line()
        if "take" not in line:
            return line
        chosen = line | {"eliminate": self.random.choice(list(LINES))}
        return line if codes(self.game, self.position, chosen) else chosen


def slip(chance: random.Random, players: int) -> Line:
    """Return a well-formed line that hardly ever fits the table."""

    def cell() -> list[int]:
        return [chance.randrange(3), chance.randrange(3)]

    def card() -> str:
        return chance.choice(sorted(CARDS))

    by = chance.randrange(players)
    line: Line = {"by": by, "take": "draw", "card": card()}
    if chance.random() < 0.3:
        line = {"by": by, "take": "discard"}
    keys = {
        "put": {"put": cell(), "old": card()},
        "flip": {"flip": cell(), "shows": card()},
        "eliminate": {"eliminate": chance.choice(list(LINES))},
    }
    for key in chance.sample(list(keys), chance.choice([0, 1, 1, 2, 2, 3])):
        line |= keys[key]
    faces = {f"{row},{column}": card() for row, column in (cell(), cell())}
    return chance.choice(
        [
            *[line] * 6,
            {"by": by, "start": cell(), "shows": card()},
            {"discard": card()},
            {"by": by, "skip": True},
            {"next_round": True},
            {"final_flip": {str(by): faces}, "eliminate": {str(by): "row"}},
        ]
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_two_referees_agree(options: dict[str, Any], seed: int):
    """Legal lines and slips get the same verdict, and a code both find fair."""
    chance = random.Random(seed)
    plain = PlainGrids(header(**options))
    table = WilfulTable(open_game(**options), seed, skill=(0.5, 0.8, 0.95)[seed % 3])
    told: list[str] = []
    expected: list[tuple[PlainGrids, set[str]]] = []

    def tell(line: Line) -> None:
        after, fair = plain.judge(line)
        told.append(json.dumps(line))
        expected.append((after, fair))

    for line in table.lines():
        for _ in range(chance.choice([0, 0, 0, 1, 2])):
            wrong = slip(chance, len(plain.players))
            if "take" in line and chance.random() < 0.3:
                wrong = line | {"eliminate": chance.choice(list(LINES))}
            if plain.judge(wrong)[1]:
                tell(wrong)
        tell(line)
        plain = expected[-1][0]
    tell(line)

    for (after, fair), verdict in zip(
        expected, verdicts(table.game, told), strict=True
    ):
        assert verdict["ok"] == (not fair), (fair, verdict)
        assert verdict.items() >= after.state().items()
        assert verdict["eliminated"] == ([] if fair else after.eliminated)
        if fair:
            assert verdict["violations"][0] in fair
