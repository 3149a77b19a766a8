"""How well whole games are followed: `make watching`, or --help.

Simulated players play, slip, take back, and hold their hands over the board; the
watcher sees looks only, with perfect eyes or on photos of the virtual table.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from multiprocessing import Pool
from typing import Any

import cv2

from companion.observation import Observation
from companion.referee import Verdict
from companion.rules.board import Cell
from companion.rules.run_turns import Place
from companion.rules.verdict import Kind
from companion.snapshot import AcceptTable, Correct, TakeBack
from companion.watching import Watcher
from tests.bench.players import Sitting, Slip, Table
from tests.bench.tally import wilson
from tests.bench.virtual_eyes import Eyes, PerfectEyes, RenderedEyes

TEAMS = {
    "gridlock": ("white", "red"),
    "jacks-rule": ("blue", "yellow", "red"),
    "states": ("blue", "green", "red"),
}
LONGEST = 90
"""Turns after which a game is broken off."""

SURE = 7
"""Turns after which only one seating is left, so that slips can be told."""

AGAIN = 2
"""More looks at a table that was not read; then somebody answers on the page."""


@dataclass(slots=True)
class Count:
    """What happened in one game or in all. Mutable."""

    games: int = 0
    turns: int = 0
    looks: Counter[str] = field(default_factory=Counter)
    slips: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, other: Count) -> None:
        """Add another count."""
        self.games += other.games
        self.turns += other.turns
        self.looks += other.looks
        self.slips += other.slips
        self.faults += other.faults


class Lost(Exception):
    """The watcher holds another position than the true one, or none: the game ends."""


class Play:
    """One game, watched. Mutable."""

    def __init__(self, game: str, seed: int, eyes: Callable[..., Eyes]) -> None:
        self.chance = random.Random(f"{game} {seed}")
        teams = TEAMS[game]
        three = len(teams) > 2 and self.chance.random() < 0.25
        seats = self.chance.sample(teams, 3 if three else 2)
        self.name = f"{game} {seed}"
        self.sitting = Sitting(game, seats, self.chance)
        looks = self.sitting.game.looks()
        self.eyes = eyes(self.sitting.game.board, looks, seed)
        self.watcher = Watcher(game, None, sorted(seats), lambda: NOON)
        self.count = Count(games=1)
        self.seen = Observation({})

    def run(self) -> Count:
        """Play until the end."""
        try:
            while self.sitting.position.ended is None:
                self._turn()
                if self.count.turns >= LONGEST:
                    break
            self._perhaps_slip(1.0)
        except Lost:
            pass
        return self.count

    def _turn(self) -> None:
        steps = 2 if self.chance.random() < 0.1 and self.count.turns > SURE else 1
        for step in range(steps):
            if self.sitting.position.ended is None:
                self.sitting.play(again=step > 0)
                self.count.turns += 1
        if self.chance.random() < 0.3:
            self._hand()
        self._see("two turns" if steps == 2 else "turn")
        if self.count.turns > SURE:
            self._perhaps_slip(0.2)
            self._perhaps_take_back()
        if self.chance.random() < 0.2:
            self.eyes.nudge()
            self._see("nudged")

    def _looked(self, what: str, table: Table) -> Verdict[Any]:
        """Look at a table until it is read, or often enough."""
        for _ in range(1 + AGAIN):
            self.seen = self.eyes.see(table)
            verdict = self.watcher.look(self.seen)
            self._counted(what, verdict.kind)
            if verdict.kind not in (Kind.UNCERTAIN, Kind.HIDDEN):
                return verdict
        if verdict.kind is Kind.HIDDEN:
            self._fault("not read", f"{what}: {verdict.text} {verdict.doubtful}")
            raise Lost
        return verdict

    def _see(self, what: str) -> None:
        """Look at the true table: what is held must be so, and nothing be wrong."""
        verdict = self._looked(what, self.sitting.table)
        if verdict.kind is Kind.UNCERTAIN:
            self._answer(what)
            verdict = self.watcher.follower.verdict
        if verdict.kind is Kind.ILLEGAL:
            codes = ", ".join(_codes(verdict))
            self._fault("false violation", f"{what}: {codes}: {verdict.text}")
        self._compare(what)

    def _answer(self, what: str) -> None:
        """Tell on the page what lies on squares, or accept the table there."""
        held, table = self.watcher.follower, self.sitting.table
        if held.verdict.kind is not Kind.UNCERTAIN:
            self._fault("not read", f"{what}: nobody could say who plays")
            raise Lost
        self._correct(table)
        if held.verdict.kind is not Kind.UNCERTAIN:
            return
        if self._read() != table:
            self._fault("not read", f"{what}: {held.verdict.text}")
            raise Lost
        mover = self.sitting.game.to_move(self.sitting.position) or 0
        team = self.sitting.game.players[mover].team
        teams = [player.team for player in held.game.players]
        held.answer(AcceptTable(teams.index(team) if team in teams else None))

    def _correct(self, table: Table) -> None:
        """Tell what lies on squares for as long as others are asked for."""
        held, told = self.watcher.follower, set[Cell]()
        while held.verdict.kind is Kind.UNCERTAIN:
            asked = [cell for cell in held.verdict.doubtful if cell not in told]
            if not asked:
                break
            told.add(asked[0])
            held.answer(Correct(asked[0], table[asked[0]]))
        self.count.looks["corrected"] += len(told)

    def _read(self) -> Table:
        """Return how the table lies as far as the watcher knows."""
        held = self.watcher.follower
        return {**held.game.appearance(held.position), **(held.verdict.seen or {})}

    def _counted(self, what: str, kind: Kind) -> None:
        self.count.looks["all"] += 1
        self.count.looks[kind.value] += 1
        if kind in (Kind.UNCERTAIN, Kind.HIDDEN):
            self.count.faults.append(
                (
                    f"{kind.value} look",
                    f"{self._here()}: {what}: {self.watcher.follower.verdict.text}",
                )
            )

    def _compare(self, what: str) -> None:
        held, game = self.watcher.follower, self.sitting.game
        position = self.sitting.position
        states = held.game.state(held.position), game.state(position)
        same = []
        same.append(held.game.appearance(held.position) == game.appearance(position))
        mover = [
            None if turn is None else g.players[turn].team
            for g, turn in (
                (held.game, held.game.to_move(held.position)),
                (game, game.to_move(position)),
            )
        ]
        if self.count.turns > SURE:  # the seating is known, and whose turn it is
            same += [
                states[0].get(key) == states[1].get(key) for key in ("score", "over")
            ]
            same.append(mover[0] == mover[1])
        if not all(same):
            told = f"{mover[0]} to move, {states[0]['score']}"
            true = f"{mover[1]} to move, {states[1]['score']}"
            kind = held.verdict.kind.value
            looks = held.game.appearance(held.position)
            wrong = {
                c: look for c, look in self.sitting.table.items() if look != looks[c]
            }
            covered = wrong and set(wrong) <= self.seen.hidden
            self._fault(
                "not read" if covered else "wrong position",
                f"{what}: {kind}: held {told}, true {true}, {wrong}; "
                f"{held.verdict.text}",
            )
            raise Lost

    def _hand(self) -> None:
        """Hold a hand over the board."""
        verdict = self.watcher.look(self.eyes.see_hand(self.sitting.table))
        self.count.looks[f"hand: {verdict.kind.value}"] += 1
        if verdict.kind is Kind.ILLEGAL:
            self._fault("false violation", f"hand: {verdict.text}")

    def _perhaps_slip(self, often: float) -> None:
        slip = self.sitting.slip() if self.chance.random() < often else None
        if slip is None:
            return
        self.count.slips[slip.code] += 1
        named = [self._named(slip) for _ in range(2)]
        if not any(named):
            self._correct(slip.table)
            verdict = self.watcher.follower.verdict
            if not _names(verdict, slip):
                self._fault("unnamed violation", f"{slip.code}: {verdict.text}")
        self._see(f"put right after {slip.code}")

    def _named(self, slip: Slip) -> bool:
        """Look at a slip, and return whether it is named."""
        verdict = self._looked(slip.code, slip.table)
        named = _names(verdict, slip)
        if not named:
            said = ", ".join(_codes(verdict)) or verdict.kind.value
            self._fault("missed violation", f"{slip.code}: said {said}: {verdict.text}")
            if verdict.kind is Kind.LEGAL:
                self._fault("unnamed violation", f"{slip.code}: taken for a turn")
                raise Lost
        return named

    def _perhaps_take_back(self) -> None:
        """Take the last turn back with the page's button, or a whole round by hand."""
        sitting, count = self.sitting, len(self.sitting.game.players)
        position = sitting.position
        if self.chance.random() > 0.05 or position.pending or position.ended:
            return
        last = sitting.turns[-count:]
        if not all(isinstance(turn, Place) for turn in last):
            return
        by_button = self.chance.random() < 0.5
        back = 1 if by_button else count
        if sitting.positions[-1 - back].pending is not None:
            return
        del sitting.positions[-back:], sitting.turns[-back:]
        if by_button:
            answer = self.watcher.follower.answer(TakeBack())
            assert answer is None, answer
        self._see("button" if by_button else "taken back by hand")

    def _here(self) -> str:
        return f"{self.name}, turn {self.count.turns}"

    def _fault(self, kind: str, text: str) -> None:
        self.count.faults.append((kind, f"{self._here()}: {text}"))


def _codes(verdict: Verdict[Any]) -> list[str]:
    return [violation.code for violation in verdict.violations]


def _names(verdict: Verdict[Any], slip: Slip) -> bool:
    return verdict.kind is Kind.ILLEGAL and slip.code in _codes(verdict)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


EYES: dict[str, Callable[..., Eyes]] = {
    "photos": RenderedEyes,
    "photos by windows": partial(RenderedEyes, windows=True),
    "perfect eyes": PerfectEyes,
}


def _run(job: tuple[str, int, str]) -> Count:
    game, seed, eyes = job
    return Play(game, seed, EYES[eyes]).run()


def _quietly() -> None:
    cv2.setNumThreads(1)


def main() -> None:
    """Play the games, and print what went wrong."""
    parser = argparse.ArgumentParser(description="How well games are followed.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first game")
    parser.add_argument("--only", choices=tuple(TEAMS), help="one game")
    eyes = parser.add_mutually_exclusive_group()
    for flag, name in (
        ("--perfect", "perfect eyes"),
        ("--windows", "photos by windows"),
    ):
        eyes.add_argument(
            flag, dest="eyes", action="store_const", const=name, help=f"with {name}"
        )
    parser.set_defaults(eyes="photos")
    parser.add_argument("--faults", type=int, default=30, help="how many to list")
    wishes = parser.parse_args()
    games = (wishes.only,) if wishes.only else tuple(TEAMS)
    jobs = [
        (games[number % len(games)], number, wishes.eyes)
        for number in range(wishes.seed, wishes.seed + wishes.games)
    ]
    total = Count()
    start = time.monotonic()
    with Pool(2, _quietly) as pool:
        for done, count in enumerate(pool.imap_unordered(_run, jobs), 1):
            total.add(count)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)}", end="", file=sys.stderr)
    taken = time.monotonic() - start
    print(f"\n{total.games} games with {wishes.eyes} in {taken:.0f} s\n")
    print(report(total, wishes.faults))


def report(total: Count, listed: int) -> str:
    """Return the counts as text."""
    kinds = Counter(kind for kind, _ in total.faults)
    looks = total.looks
    slips = sum(total.slips.values())
    lines = [
        f"{'turns':24}{total.turns:8}",
        f"{'looks without hands':24}{looks['all']:8}",
        f"{'wrong positions':24}{kinds['wrong position']:8}",
        f"{'false violations':24}{kinds['false violation']:8}",
        f"{'games given up unread':24}{kinds['not read']:8}",
        f"{'squares told':24}{looks['corrected']:8}   (asked for three times)",
        f"{'violations injected':24}{slips:8}   (each is looked at twice)",
        f"{'looks that missed one':24}{kinds['missed violation']:8}",
        f"{'never named':24}{kinds['unnamed violation']:8}   (even once all is told)",
        _part("uncertain looks", looks["uncertain"], looks["all"]),
        _part("hidden looks", looks["hidden"], looks["all"]),
        "looks with a hand: "
        + ", ".join(f"{k[6:]} {n}" for k, n in looks.items() if k.startswith("hand")),
        "injected: "
        + ", ".join(f"{code} {n}" for code, n in sorted(total.slips.items())),
        "",
    ]
    order = (
        "wrong position",
        "unnamed violation",
        "missed violation",
        "false violation",
    )
    faults = sorted(
        total.faults, key=lambda f: order.index(f[0]) if f[0] in order else 9
    )
    lines += [f"{kind}: {text}" for kind, text in faults[:listed]]
    return "\n".join(lines)


def _part(name: str, hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    share = 100 * hits / of if of else 0
    return f"{name:24}{hits:8}   {share:.2f} % ({100 * low:.2f}-{100 * high:.2f})"


if __name__ == "__main__":
    main()
