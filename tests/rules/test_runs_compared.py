"""The referee of the chip games against a plain second opinion, line by line."""

import json
from random import Random
from typing import Any

import pytest

from companion.record import header_of, open_game, verdicts
from companion.rules.cards import NUMBERED, STATES
from tests.plain_runs import (
    COLOURS,
    COLUMNS,
    CORNERS,
    KINDS,
    SQUARES,
    WINDOWS,
    PlainReferee,
)

SEATS = {  # teams, players
    "gridlock": [(2, 2), (2, 4), (2, 6)],
    "jacks-rule": [(2, 2), (2, 4), (2, 10), (3, 3), (3, 6), (3, 9)],
    "states": [(2, 2), (2, 4), (2, 8), (3, 3), (3, 6), (3, 12)],
}
RULES: dict[str, dict[str, list[object]]] = {
    "gridlock": {
        "jacks": ["eyes", "red-wild", "black-wild"],
        "simultaneous-runs": ["all", "sequential"],
        "dead-cards-per-turn": [1, "unlimited"],
        "runs-to-win": [3, 1, 5, 5, 5],
    },
    "jacks-rule": {
        "line-of-nine": ["one", "two"],
        "wild-jack-on-corner": ["yes", "no"],
        "dead-card-ends-turn": ["yes", "no"],
    },
    "states": {"free-corners": ["no", "yes"], "line-of-nine": ["two", "one"]},
}
JUNK = [None, True, 0, -1, 99, 1.0, "", "a11", "A1", "7h", [], {}, [["a1"]], [[7]]]


def a_header(random: Random, game: str) -> dict[str, Any]:
    """Draw players, house rules and a board by lot."""
    teams, players = random.choice(SEATS[game])
    available = ("white", "red") if game == "gridlock" else COLOURS
    colours = random.sample(available, teams)
    rules = {name: random.choice(values) for name, values in RULES[game].items()}
    cards = random.sample(STATES if game == "states" else NUMBERED, 48) * 2
    if rules.get("free-corners") == "no":
        cards = [*STATES, *STATES]
    random.shuffle(cards)
    if len(cards) == 96:
        for corner in (0, 9, 90, 99):
            cards.insert(corner, "XX")
    return {
        "record": 1,
        "game": game,
        "players": [
            {"name": f"Player {n}", "team": colours[n % teams]} for n in range(players)
        ],
        "rules": rules,
        "board": {"rows": [" ".join(cards[n : n + 10]) for n in range(0, 100, 10)]},
    }


class Scribe:
    """Writes lines that fit the game so far: many sensible, many not quite."""

    def __init__(self, random: Random, table: PlainReferee) -> None:
        self.random, self.table = random, table
        self.unseen = random.choice((0.2, 0.9))
        self.late = random.random() < 0.5
        column, row = random.randrange(4), random.randrange(1, 7)
        self.block = [
            f"{letter}{row + n}" for letter in COLUMNS[column:][:6] for n in range(4)
        ]
        self.makers = {
            self.place: 60, self.take: 12, self.turn_in: 5, self.give_up: 4,
            self.claim: 10, self.happen: 3,
        }  # fmt: skip

    def line(self) -> str:
        maker = self.random.choices([*self.makers], [*self.makers.values()])[0]
        line = maker()
        chance = self.random.random()
        if chance < 0.6:
            line["by"] = self.table.turn
        elif chance < 0.63:
            line["by"] = self.random.randrange(len(self.table.seats))
        elif chance < 0.66:
            line[self.random.choice([*line, "by", "card"])] = self.random.choice(JUNK)
        elif chance < 0.67:
            line[self.random.choice(KINDS)] = True
        elif chance < 0.68:
            line.pop(self.random.choice([*line]))
        return json.dumps(line)

    def card(self, *likely: str) -> str | None:
        if self.random.random() < self.unseen:
            return None
        every = [*self.table.copies]
        return self.random.choice((*likely, *likely, *likely, *likely, *every[:1]))

    def windows(self, square: str = "") -> list[list[str]]:
        """Name some windows that the player on turn has, or would have."""
        table, team = self.table, self.table.seats[self.table.turn]
        own = {s for s, owner in table.chips.items() if owner == team} | table.free
        whole = [w for w in WINDOWS if own | {square} >= set(w)]
        some = [w for w in whole if square in ("", *w)] or whole
        if not some or self.random.random() < 0.1:
            some = WINDOWS
        count = min(len(some), self.random.choice((1, 1, 1, 2, 3)))
        return [self.random.sample(w, 5) for w in self.random.sample(some, count)]

    def place(self) -> dict[str, Any]:
        table, team = self.table, self.table.seats[self.table.turn]
        left = [square for square in self.block if square not in table.chips]
        filling = self.late and team == table.teams[0] and bool(left)
        square = self.random.choice(left if filling else SQUARES)
        if not self.late and self.random.random() < 0.8:
            square = self.extension(team) or square
        face = table.card_on[square].replace("XX", "JOKER")
        card = self.card(face, face, *table.wild)
        line: dict[str, Any] = {"card": card, "place": square}
        if filling and len(left) > 2:
            line["run"] = []
        elif self.random.random() < 0.2:
            line["run"] = self.windows(square)
        return line

    def extension(self, team: str) -> str | None:
        """Choose a square in the window that lacks fewest pieces of a team."""
        chips, free = self.table.chips, self.table.free
        lacking = [
            [square for square in window if square not in {*chips, *free}]
            for window in self.random.sample(WINDOWS, 60)
            if {chips.get(square, team) for square in window} == {team}
        ]
        lacking = [squares for squares in lacking if squares]
        return self.random.choice(min(lacking, key=len)) if lacking else None

    def take(self) -> dict[str, Any]:
        kind = "swap" if self.table.game == "jacks-rule" else "remove"
        if self.random.random() < 0.1:
            kind = self.random.choice(("swap", "remove"))
        square = self.random.choice([*self.table.chips, *CORNERS, "e5"])
        return {"card": self.card(*self.table.taking), kind: square}

    def turn_in(self) -> dict[str, Any]:
        cards = self.table.dead_cards() * 2 + ["JOKER", "JS", "JC", "ADD", "TX", "7H"]
        return {"dead": self.random.choice(cards)}

    def give_up(self) -> dict[str, Any]:
        card = self.random.choice([*self.table.card_on.values()])
        return self.random.choice(({"pass": True}, {"pass": True, "card": card}))

    def claim(self) -> dict[str, Any]:
        return {"claim": self.windows()}

    def happen(self) -> dict[str, Any]:
        team = self.random.choice((*self.table.teams, "pink"))
        talk = {"penalty": "table-talk", "team": team}
        return self.random.choice((talk, {"missed_draw": True}, {"reshuffle": True}))


@pytest.mark.parametrize("game", SEATS)
def test_the_referee_agrees_with_a_plain_one(game: str):
    """Every key of every verdict is the same, and the first code is a fair one."""
    random = Random(f"second opinion on {game}")
    for _ in range(40):
        header = a_header(random, game)
        table = PlainReferee(header)
        scribe = Scribe(random, table)
        lines, expected = [], []
        while len(lines) < 150 and (len(lines) < 10 or not expected[-8][0]["over"]):
            lines.append(scribe.line())
            expected.append(table.judge(len(lines) + 1, lines[-1]))

        found = verdicts(open_game(header_of(header)), lines)
        for line, verdict, (plain, fair) in zip(lines, found, expected, strict=True):
            codes = verdict.pop("violations", [])
            assert not fair or codes[0] in fair, (line, codes, header)
            verdict.pop("text", None)
            assert verdict == plain, (line, codes, header)
