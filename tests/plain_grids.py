"""GRID#LOCK by the book, plainly: a second opinion on every line of a record.

Nothing here uses the referee's grids, charts or positions: cells are dictionaries,
runs are written out, and everything is counted anew each time.
"""

import copy
import itertools
from collections import Counter
from typing import Any

KINDS = ["start", "discard", "take", "final_flip", "skip", "next_round"]
CARDS = {c + n for c in "RGBY" for n in "123456789"} | {"#", "LOCK"}
CELLS = [(r, c) for r in range(3) for c in range(3)]
LINES = {
    "row": [[(r, c) for c in range(3)] for r in range(3)],
    "column": [[(r, c) for r in range(3)] for c in range(3)],
}
GONE, DOWN = "", "?"
Line = dict[str, Any]
Place = tuple[int, int]


class Refused(Exception):
    """A line is not accepted; any of the codes is a fair name for why."""

    def __init__(self, *codes: str) -> None:
        super().__init__(codes)
        self.codes = set(codes)


def value(three: list[str]) -> int:
    """Return the points of three cards in order, 0 for no combination."""
    if {GONE, DOWN, "LOCK"} & set(three):
        return 0
    natural = [card for card in three if card != "#"]
    wilds = 3 - len(natural)
    if wilds >= 2:
        return 10 if wilds == 2 else 12
    one_colour = len({card[0] for card in natural}) == 1
    if len({card[1] for card in natural}) == 1:
        return (10 if wilds else 24) if one_colour else 6
    ways = [(k, k + 1, k + 2) for k in range(1, 8)]
    ways += [way[::-1] for way in ways]
    if any(
        all(card in ("#", card[0] + str(n)) for card, n in zip(three, way, strict=True))
        for way in ways
    ):
        return 8 if one_colour else 4
    return 2 if one_colour else 0


def check(faults: set[str]) -> None:
    if faults:
        raise Refused(*faults)


def is_out(grid: dict[Place, str]) -> bool:
    return all(card == GONE for card in grid.values())


class PlainGrids:
    """A table of GRID#LOCK, changed in place by lines that are legal."""

    def __init__(self, header: dict[str, Any]) -> None:
        seats = header["players"]
        self.players = range(len(seats))
        self.teams = [seat.get("team", n) for n, seat in enumerate(seats)]
        self.rules: dict[str, Any] = {"points": 111, **header.get("rules", {})}
        decks = (len(seats) + 5) // 6
        self.copies = dict.fromkeys(CARDS, 3 * decks)
        self.copies["#"] = 9 * decks if self.rules.get("wilds", True) else 0
        self.copies["LOCK"] = 3 * decks if self.rules.get("locks", True) else 0
        self.totals = [0 for _ in seats]
        self.over: dict[str, Any] | None = None
        self.round = -1
        self.deal()

    def deal(self) -> None:
        seats = len(self.players)
        self.round += 1
        self.phase = "start"
        self.turn: int | None = self.round % seats
        self.score = [0] * seats
        self.grids = [dict.fromkeys(CELLS, DOWN) for _ in self.players]
        self.direction: list[str | None] = [None] * seats
        self.waiting: list[set[Place]] = [set() for _ in self.players]
        self.locks: set[Place] = set()  # those that bind now, of the player on turn
        self.discards: list[str] = []
        self.removed: list[str] = []
        self.pile = sum(self.copies.values()) - 9 * seats - 1
        self.first_out: int | None = None
        self.last_turns = [0] * seats  # begun, this one included

    def judge(self, line: Line) -> tuple["PlainGrids", set[str]]:
        """Return the table after a line, and the codes that fit if it is refused."""
        after = copy.deepcopy(self)
        after.eliminated: list[dict[str, Any]] = []
        try:
            check({"play-after-game-over"} if self.over else set())
            kind = next(kind for kind in KINDS if kind in line)
            getattr(after, kind)(line, line.get("by", after.turn))
        except Refused as refused:
            return self, refused.codes
        return after, set()

    # -- lines ------------------------------------------------------------------

    def start(self, line: Line, by: Any) -> None:
        if self.phase != "start" or self.has_flipped(by):
            raise Refused("wrong-start-flip", "extra-final-turn", "final-flip-missing")
        check(self.copy_faults([line["shows"]]))
        self.flip(by, tuple(line["start"]), line["shows"], line.get("arrows", "both"))
        self.begin_play()

    def discard(self, line: Line, by: Any) -> None:
        if self.phase != "start" or self.discards:
            raise Refused("out-of-turn-play", "extra-final-turn", "final-flip-missing")
        check(self.copy_faults([line["discard"]]))
        self.discards.append(line["discard"])
        self.begin_play()

    def next_round(self, line: Line, by: Any) -> None:
        if self.phase != "round-over":
            raise Refused("out-of-turn-play", "final-flip-missing")
        self.deal()

    def skip(self, line: Line, by: Any) -> None:
        self.check_turn(by)
        if not self.skip_due():
            raise Refused("turn-skipped")
        self.next_turn()

    def take(self, line: Line, by: int) -> None:
        self.check_turn(by)
        if self.skip_due():
            raise Refused("lost-turn-played")
        drawn = line["take"] == "draw"
        card = line["card"] if drawn else self.discards[-1]
        changes = {tuple(line["put"]): card} if "put" in line else {}
        changes |= {tuple(line["flip"]): line["shows"]} if "flip" in line else {}
        faults = self.kind_faults(line, card)
        faults |= self.put_faults(line) | self.flip_faults(line)
        faults |= self.wish_faults(changes, line.get("eliminate"))
        if drawn and self.pile == 0:
            self.pile, self.discards = len(self.discards) - 1, self.discards[-1:]
        faults |= self.copy_faults(self.shown_by(line))
        check(faults)
        if drawn:
            self.pile -= 1
        else:
            self.discards.pop()
        if "flip" in line:
            cell = tuple(line["flip"])
            self.flip(by, cell, line["shows"], line.get("arrows", "both"))
        if "put" in line:
            cell = tuple(line["put"])
            there, self.grids[by][cell] = self.grids[by][cell], card
            card = line["old"] if there == DOWN else there
        self.discards.append(card)
        self.eliminate(by, self.ready(by, changes), line.get("eliminate"))
        self.next_turn()

    def final_flip(self, line: Line, by: Any) -> None:
        if self.phase != "final" or self.turn is not None:
            raise Refused("out-of-turn-play", "extra-final-turn", "wrong-start-flip")
        faults, faces = set(), {}
        for player, cell in itertools.product(self.players, CELLS):
            key = f"{cell[0]},{cell[1]}"
            face = line["final_flip"].get(str(player), {}).get(key)
            if face is not None:
                arrows = line.get("arrows", {}).get(str(player), {})
                faces[player, cell] = face, arrows.get(key, "both")
            if (face is None) is (self.grids[player][cell] == DOWN):
                faults.add("cards-rearranged" if face else "final-flip-missing")
        check(faults)
        faults |= self.copy_faults([face for face, _ in faces.values()])
        for (player, cell), (face, arrows) in faces.items():
            self.flip(player, cell, face, arrows)
        for player in self.players:
            wish, ready = line.get("eliminate", {}).get(str(player)), self.ready(player)
            if wish and wish not in ready:
                for three in LINES[wish]:
                    faults |= self.why_not(player, wish, three)
            self.eliminate(player, ready, wish if wish in ready else None)
        check(faults)
        self.next_turn()

    # -- what is wrong --------------------------------------------------------------

    def check_turn(self, by: Any) -> None:
        if self.phase == "round-over":
            raise Refused("extra-final-turn", "out-of-turn-play")
        if self.phase == "start":
            raise Refused("wrong-start-flip")
        if self.turn is None:
            raise Refused("final-flip-missing")
        if by != self.turn:
            raise Refused("out-of-turn-play", "played-after-going-out")

    def has_flipped(self, player: int) -> bool:
        return set(self.grids[player].values()) != {DOWN}

    def skip_due(self) -> bool:
        if self.phase != "final" or self.turn is None:
            return False
        cards = [card for card in self.grids[self.turn].values() if card != GONE]
        if self.last_turns[self.turn] == 1:
            return len(cards) == 3 and "LOCK" in cards
        is_lost = self.rules.get("final-double-lock") != "locked-cells-only"
        return is_lost and cards.count("LOCK") >= 2

    def kind_faults(self, line: Line, card: str) -> set[str]:
        faults = set()
        if line["take"] == "discard":
            if "put" not in line:
                faults.add("discard-not-placed")
            if card == "LOCK":
                faults.add("gridlock-card-taken")
        elif card == "LOCK" and "put" in line:
            faults.add("gridlock-card-placed")
        if {"put", "flip"} <= set(line):
            faults.add("flipped-after-placing")
        if self.phase == "final" and "flip" in line:
            faults.add("final-turn-flip")
        return faults

    def put_faults(self, line: Line) -> set[str]:
        if "put" not in line:
            return set()
        cell = tuple(line["put"])
        there = self.grids[self.turn or 0][cell]
        if there == GONE:
            return {"placed-in-empty-cell"}
        faults = set()
        if cell in self.locks:
            faults.add("locked-card-replaced")
        if cell in self.locks and there == "LOCK":
            faults.add("gridlock-card-replaced-early")
        if there == DOWN and "old" not in line:
            faults.add("malformed")
        if there not in (DOWN, line.get("old", there)):
            faults.add("cards-rearranged")
        return faults

    def flip_faults(self, line: Line) -> set[str]:
        grid = self.grids[self.turn or 0]
        if "flip" in line:
            cell = tuple(line["flip"])
            if grid[cell] != DOWN:
                return {"flip-missing"}
            return {"locked-card-flipped"} if cell in self.locks else set()
        can_flip = any(grid[cell] == DOWN for cell in set(CELLS) - self.locks)
        if self.phase == "play" and can_flip and "put" not in line:
            return {"flip-missing"}
        return set()

    def wish_faults(self, changes: Any, wish: str | None) -> set[str]:
        """Return what speaks against the chosen line, were the cards changed so."""
        by = self.turn or 0
        if wish is None or any(self.grids[by][cell] == GONE for cell in changes):
            return set()
        if not changes:
            return {"eliminated-without-combination"}
        table = copy.deepcopy(self)
        table.grids[by].update(changes)
        crossing = [line for line in LINES[wish] if set(changes) & set(line)]
        return set().union(*(table.why_not(by, wish, line) for line in crossing))

    def why_not(self, by: int, way: str, line: list[Place]) -> set[str]:
        """Return what keeps a line from going now."""
        cards = [self.grids[by][cell] for cell in line]
        faults = set()
        if self.direction[by] not in (None, way):
            faults.add("wrong-direction-elimination")
        if by == self.turn and self.locks & set(line):
            faults.add("locked-line-eliminated")
        if DOWN in cards:
            faults.add("eliminated-face-down-card")
        if not value(cards):
            faults.add("eliminated-without-combination")
        return faults

    def shown_by(self, line: Line) -> list[str]:
        """Return the faces that nobody saw before this line."""
        grid = self.grids[self.turn or 0]
        faces = [line["card"]] if line["take"] == "draw" else []
        for key, face in (("put", "old"), ("flip", "shows")):
            if key in line and face in line and grid[tuple(line[key])] == DOWN:
                faces.append(line[face])
        return faces

    def copy_faults(self, shown: Any) -> set[str]:
        seen = Counter([*self.discards, *self.removed, *shown])
        for grid in self.grids:
            seen.update(card for card in grid.values() if card not in (GONE, DOWN))
        return {"card-copy-exceeded" for n in shown if seen[n] > self.copies[n]}

    # -- what follows -----------------------------------------------------------------

    def flip(self, by: int, cell: Place, face: str, arrows: str) -> None:
        self.grids[by][cell] = face
        if face == "LOCK":
            self.waiting[by] |= {
                (r, c)
                for r, c in CELLS
                if (arrows != "column" and r == cell[0])
                or (arrows != "row" and c == cell[1])
            }

    def begin_play(self) -> None:
        if self.discards and all(map(self.has_flipped, self.players)):
            self.phase = "play"
            self.begin_turn(self.turn or 0)

    def begin_turn(self, by: int) -> None:
        self.turn = by
        self.locks, self.waiting[by] = self.waiting[by], set()
        self.last_turns[by] += self.phase == "final"
        self.eliminate(by, self.ready(by), None)
        if is_out(self.grids[by]):
            self.next_turn()

    def ready(self, by: int, cells: Any = CELLS) -> dict[str, list[Any]]:
        """Return the lines through any of the cells that go now, by direction."""
        found: dict[str, list[Any]] = {}
        for way, lines in LINES.items():
            for line in lines:
                if set(cells) & set(line) and not self.why_not(by, way, line):
                    found.setdefault(way, []).append(line)
        return found

    def eliminate(self, by: int, ready: dict[str, Any], wish: str | None) -> None:
        grid = self.grids[by]

        def worth(way: str) -> int:
            return sum(value([grid[cell] for cell in line]) for line in ready[way])

        if not ready:
            return
        way = wish or max(ready, key=worth)  # of equals the first, rows
        self.direction[by] = way
        for line in ready[way]:
            cards = [grid[cell] for cell in line]
            points = value(cards)
            self.eliminated.append({"by": by, "cards": cards, "points": points})
            self.score[by] += points
            self.removed += cards
            grid.update(dict.fromkeys(line, GONE))

    def next_turn(self) -> None:
        seats = len(self.players)
        if self.first_out is None and is_out(self.grids[self.turn or 0]):
            self.first_out, self.phase = self.turn, "final"
            self.score[self.turn or 0] += 6
            self.turn, self.locks = None, set()
            return
        after = self.first_out if self.turn is None else self.turn
        for step in range(1, seats + 1):
            player = ((after or 0) + step) % seats
            has_turn = self.phase == "play" or self.last_turns[player] < 2
            if has_turn and not is_out(self.grids[player]):
                self.begin_turn(player)
                return
        self.end_round()

    def end_round(self) -> None:
        self.phase, self.turn, self.locks = "round-over", None, set()
        for player in self.players:
            left = [card for card in self.grids[player].values() if card != GONE]
            lines = len(left) // 3
            if self.rules.get("open-lines") == "six" and self.direction[player] is None:
                lines = 6
            costs = lines + left.count("#") + left.count("LOCK")
            self.score[player] -= 2 * costs
            self.totals[player] += self.score[player]
        sums: Counter[Any] = Counter()
        for player, team in enumerate(self.teams):
            sums[team] += self.totals[player]
        best, points = max(sums.values()), self.rules["points"]
        is_last = self.round + 1 == self.rules.get("rounds")
        if is_last or (points is not None and best >= points):
            won = [n for n, team in enumerate(self.teams) if sums[team] == best]
            self.over = {"winners": won} if len(won) > 1 else {"winner": won[0]}
            self.phase = "game-over"

    def state(self) -> dict[str, Any]:
        """Return what a verdict says about the table, without `eliminated`."""
        grid = self.grids[self.turn or 0]
        locked = [list(c) for c in CELLS if c in self.locks and grid[c] != GONE]
        return {
            "turn": self.turn,
            "score": {str(n): self.score[n] for n in self.players},
            "totals": {str(n): self.totals[n] for n in self.players},
            "cells": {str(n): list(self.grids[n].values()) for n in self.players},
            "locked": {str(n): locked if n == self.turn else [] for n in self.players},
            "phase": self.phase,
            "over": self.over,
        }
