"""Snapshots made up to look at the page while no table is connected.

`python -m tests.web.samples [gridlock|wrong|...]` serves one on port 8090.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from companion.errors import CompanionError, NotationError
from companion.games import GAMES
from companion.record import header_of
from companion.rules.board import EMPTY, Board, Cell, Look
from companion.rules.game import Highlight, Meaning, Player
from companion.rules.verdict import Kind, Violation
from companion.snapshot import News, Score, Snapshot

POSITION = """
. . . w . . . . . .
. w . w . r . . . .
. . w R r . . w . .
. . . W R w r . . .
. r W W W R W . . .
. . . w r . R . . .
. w . . r w . R . .
. . . r . . . . w .
. r . . . w . . . .
. . . . . . . . . .
"""

LOOKS = {"w": "white", "r": "red", "W": "white-turned", "R": "red-turned", ".": "empty"}


def board() -> Board:
    players = [{"name": "Ann", "team": "white"}, {"name": "Ben", "team": "red"}]
    header = {"record": 1, "game": "gridlock", "players": players}
    return GAMES["gridlock"].open(header_of(header)).board


def looks(position: str = POSITION) -> dict[Cell, Look]:
    return {
        cell: Look(LOOKS[sign])
        for cell, sign in zip(board().cells, position.split(), strict=True)
    }


def cells(names: str) -> tuple[Cell, ...]:
    return tuple(Cell(name) for name in names.split())


RED_RUN = Highlight(Meaning.RUN, cells("d3 e4 f5 g6 h7"), "red")
WHITE_RUN = Highlight(Meaning.RUN, cells("c5 d5 e5 f5 g5"), "white")

STORY = (
    News(1, 0, "Ann puts a white chip on d6.", "2026-11-21T19:00:05+01:00", card="7H"),
    News(2, 1, "Ben puts a red chip on e6.", "2026-11-21T19:00:41+01:00"),
    News(3, 0, "Cleo removes the red chip from d7.", "2026-11-21T19:01:10+01:00"),
    News(
        4, 1, "Ben's chip on h7 lies over a frozen run.", "2026-11-21T19:02:00+01:00",
        codes=("frozen-chip-removed",), before="4-before", after="4-after",
    ),
    News(5, 3, "Dan puts a red chip on g6: a run.", "2026-11-21T19:02:30+01:00"),
)  # fmt: skip


def gridlock(**changes: object) -> Snapshot:
    grid = board()
    snapshot = Snapshot(
        number=7,
        game="gridlock",
        title="Gridlock 3x5",
        piece_kind="chips",
        players=(
            Player("Ann", "white"), Player("Ben", "red"),
            Player("Cleo", "white"), Player("Dan", "red"),
        ),
        rules={},
        unwitnessed=("Hands are hidden: a pass is taken on trust.",),
        state={
            "turn": 0, "score": {"white": 0, "red": 1}, "over": None,
            "dead": ["9D", "AH", "TC"],
        },
        looks=looks(),
        printed={cell: grid.label(cell) for cell in grid.cells},
        outlines={cell: grid.outline(cell) for cell in grid.cells},
        size_mm=grid.size_mm,
        extras={"run": "run", "needed": 3, "draws": {"3": 1}, "owed": {}},
        highlights=(RED_RUN, Highlight(Meaning.LAST_TURN, cells("g6"))),
        kind=Kind.LEGAL,
        text="Dan puts a red chip on g6 and makes a run.",
        violations=(),
        doubtful=(),
        status="watching",
        status_text="Watching the table.",
        offered=tuple(GAMES),
        cards=tuple(
            ["KH", "JS", "JH"]
            + [r + s for s in "SHDC" for r in "A23456789TJQK"
               if r + s not in ("KH", "JS", "JH")]
        ),
        card_for="Dan puts a red chip on g6 and makes a run.",
        story=STORY,
        score=Score(3, None, 2, {"white": 1, "red": 0}),
        choices=tuple(
            Look(look)
            for look in ("empty", "white", "red", "white-turned", "red-turned")
        ),
    )  # fmt: skip
    return dataclasses.replace(snapshot, **changes)  # type: ignore[arg-type]


def wrong() -> Snapshot:
    return gridlock(
        kind=Kind.ILLEGAL,
        text="Ben may not pick up the chip on f5: its run is frozen.",
        violations=(
            Violation(
                "frozen-chip-removed",
                "Ben may not pick up the chip on f5: its run is frozen. "
                "Put the red chip back on f5, turned over.",
                "G35-12",
                cells("f5"),
            ),
        ),
        highlights=(
            RED_RUN,
            Highlight(Meaning.WRONG, cells("f5")),
        ),
    )


def uncertain() -> Snapshot:
    return gridlock(
        kind=Kind.UNCERTAIN,
        text=(
            "Is d9 empty or white? Is e9 empty or white? "
            "Show the board again, or correct it on the page."
        ),
        doubtful=cells("d9 e9"),
        highlights=(
            RED_RUN,
            Highlight(Meaning.LOOK_HERE, cells("d9 e9")),
            Highlight(Meaning.TURN_OVER, cells("b2 c3 d4 f6")),
        ),
    )


def won() -> Snapshot:
    return gridlock(
        state={"turn": None, "score": {"white": 1, "red": 3}, "over": {"winner": "red"},
               "dead": []},
        highlights=(Highlight(Meaning.WON, RED_RUN.cells, "red"), RED_RUN),
        text="Dan makes the third run: red wins the game.",
        status="over",
        score=Score(3, None, 3, {"white": 1, "red": 2}, "red"),
    )  # fmt: skip


class Table:
    """A virtual table that only remembers."""

    def __init__(self) -> None:
        self.looks = looks()
        self.running = False
        self.speed = 1.0
        self.light = "day"
        self.steps = 0

    def view(self) -> dict[str, Any]:
        return {
            "pieces": {c: look for c, look in self.looks.items() if look != EMPTY},
            "turnable": True,
            "busy": False,
            "piles": [["9C", "7H"], []],
            "running": self.running,
            "speed": self.speed,
            "light": self.light,
            "lights": ["day", "lamp"],
        }

    def put(self, cell: Cell, look: Look) -> None:
        if cell not in self.looks:
            raise CompanionError(f"There is no square {cell}.")
        self.looks[cell] = look

    def take(self, cell: Cell) -> None:
        self.looks[cell] = EMPTY

    def turn_over(self, cell: Cell) -> None:
        colour, _, turned = self.looks[cell].partition("-")
        self.looks[cell] = Look(colour if turned else f"{colour}-turned")

    def slide(self, cell: Cell, to: Cell) -> None:
        self.looks[to] = self.looks[cell]
        self.looks[cell] = EMPTY

    def run(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def step(self) -> None:
        self.steps += 1

    def set_speed(self, speed: float) -> None:
        self.speed = speed

    def set_light(self, light: str) -> None:
        self.light = light


def played(header: dict[str, Any], lines: list[dict[str, Any]]) -> Snapshot:
    """Return the snapshot of a game that is told, after some legal lines."""
    game = GAMES[header["game"]].open(header_of(header))
    positions, story = [game.start()], []
    for number, line in enumerate(lines, start=1):
        turn = game.turn_of(positions[-1], line)
        assert not game.violations(positions[-1], turn), line
        text = game.describe(positions[-1], turn)
        at = f"2026-11-21T19:{number:02}:00+01:00"
        story.append(News(number, turn.by, text, at))
        positions.append(game.apply(positions[-1], turn))
    last = positions[-1]
    fitting, others = game.card_choices(positions[-2], turn) if lines else ((), ())
    return Snapshot(
        number=len(lines),
        game=game.name,
        title=game.title,
        piece_kind=game.piece_kind,
        players=game.players,
        rules={},
        unwitnessed=game.unwitnessed,
        state={**game.state(last), **game.effects(last)},
        looks=game.appearance(last),
        printed={cell: game.board.label(cell) for cell in game.board.cells},
        outlines={cell: game.board.outline(cell) for cell in game.board.cells},
        size_mm=game.board.size_mm,
        extras=game.extras(last),
        highlights=game.highlights(last),
        kind=Kind.LEGAL,
        text=story[-1].text if story else "",
        violations=(),
        doubtful=(),
        status="watching",
        status_text="",
        offered=tuple(GAMES),
        cards=fitting + others,
        fitting=len(fitting),
        card_for=story[-1].text if fitting else "",
        choices=game.looks(),
        story=tuple(story),
        score=Score(1, None, 1, {}),
    )


BOSTON = {
    "record": 1, "game": "boston", "rules": {},
    "players": [{"name": "Ann", "team": "green"}, {"name": "Ben", "team": "yellow"}],
}  # fmt: skip
BOSTON_LINES = [
    {"start": {"0": "0,17", "1": "0,11"}},
    {"by": 1, "first": {"place": "1,10", "roads": ["N", "NE", "SW"]}},
    {"by": 0, "first": {"place": "1,16", "roads": ["NE", "SW", "NW"]}},
    {"build": [{"place": "2,9", "roads": ["NE", "SE", "SW"]}, {"cone": "3,8"}]},
    {"build": [{"place": "2,15", "roads": ["N", "NE", "SE", "S", "SW"]},
               {"place": "4,15", "roads": ["NE", "SE", "NW"]},
               {"rotate": "1,10", "roads": ["N", "NE", "SW"]}]},
    {"drive": [{"to": "3,8", "scores": True}]},
    {"build": [{"place": "7,2", "roads": ["S", "N", "SE", "SW"]}]},
    {"build": [{"place": "4,7", "roads": ["N", "NE", "SE", "SW"]}, {"cone": "4,15"}]},
]  # fmt: skip
CARDS = {
    "record": 1, "game": "gridlock-cards", "rules": {},
    "players": [{"name": "Ann"}, {"name": "Ben"}],
}  # fmt: skip
CARDS_LINES = [
    {"by": 0, "start": [2, 0], "shows": "B7"},
    {"by": 1, "start": [2, 1], "shows": "G7"},
    {"discard": "G4"},
    {"take": "discard", "put": [0, 1], "old": "Y7"},
    {"take": "draw", "card": "B2", "flip": [1, 0], "shows": "#"},
    {"take": "draw", "card": "G2", "put": [2, 1], "old": "Y1"},
    {"take": "draw", "card": "R5", "flip": [1, 1], "shows": "B6"},
    {"take": "discard", "put": [0, 0], "old": "G7"},
    {"take": "draw", "card": "G8", "flip": [2, 2], "shows": "G1"},
    {"take": "discard", "put": [1, 1], "old": "Y1", "eliminate": "column"},
    {"take": "draw", "card": "Y9", "flip": [0, 1], "shows": "LOCK", "arrows": "row"},
    {"take": "draw", "card": "Y9", "put": [1, 2], "old": "B7"},
]


def recorded(name: str, most: int) -> Snapshot:
    """Return the snapshot after the first legal lines of a record in tests/records."""
    path = Path(__file__).parents[1] / "records" / f"{name}.jsonl"
    header, *lines = (json.loads(line) for line in path.read_text().splitlines())
    game = GAMES[header["game"]].open(header_of(header))
    position, legal = game.start(), []
    for line in lines[:most]:
        with contextlib.suppress(NotationError):
            turn = game.turn_of(position, line)
            if not game.violations(position, turn):
                position = game.apply(position, turn)
                legal.append(line)
    return played(header, legal)


def states() -> Snapshot:
    return recorded("states-05", 80)


def jacks_rule() -> Snapshot:
    return recorded("jacks-rule-06", 108)


def boston() -> Snapshot:
    return played(BOSTON, BOSTON_LINES)


def gridlock_cards() -> Snapshot:
    return played(CARDS, CARDS_LINES)


def crowd() -> Snapshot:
    """Six players, nothing told yet."""
    names = ["Ann", "Ben", "Cleo", "Dan", "Eve", "Finn"]
    return played({**CARDS, "players": [{"name": name} for name in names]}, [])


SAMPLES = {
    "gridlock": gridlock,
    "wrong": wrong,
    "uncertain": uncertain,
    "won": won,
    "states": states,
    "jacks": jacks_rule,
    "boston": boston,
    "cards": gridlock_cards,
    "crowd": crowd,
}


if __name__ == "__main__":
    from web.app import create_app, qr_code, serve
    from web.feed import Feed

    feed = Feed()
    feed.publish(SAMPLES[sys.argv[1] if len(sys.argv) > 1 else "gridlock"]())
    app = create_app(feed, lambda request: print(request), export=lambda: iter("{}"))
    with serve(app, feed, "127.0.0.1", 8090) as serving:
        print(serving.address)
        print(qr_code(serving.address))
        serving.thread.join()
