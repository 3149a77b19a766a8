"""A table without a camera: perfect or noisy observations of made-up boards."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone

from companion.follower import Follower, Sight
from companion.journal import Journal
from companion.match import Match
from companion.observation import Observation
from companion.rules.board import EMPTY, Cell, Look

LETTERS = {"w": "white", "r": "red", "b": "blue", "g": "green", "y": "yellow"}
START = datetime(2026, 11, 21, 20, 0, tzinfo=timezone(timedelta(hours=1)))

GRIDLOCK = {
    "record": 1,
    "game": "gridlock",
    "players": [{"name": "Ann", "team": "white"}, {"name": "Ben", "team": "red"}],
    "rules": {},
}
JACKS = {
    "record": 1,
    "game": "jacks-rule",
    "players": [{"name": "Ann", "team": "blue"}, {"name": "Ben", "team": "yellow"}],
    "rules": {},
}


SIGHTS = {
    "gridlock": Sight("gridlock", None, ("white", "red")),
    "jacks-rule": Sight("jacks-rule", None, ("blue", "yellow")),
}


def look_of(letter: str) -> Look:
    """Return the look of a position's letter."""
    if letter == ".":
        return EMPTY
    name = LETTERS[letter.lower()]
    return Look(f"{name}-turned" if letter.isupper() else name)


def see(
    follower: Follower,
    pieces: Mapping[str, str] | None = None,
    *,
    doubt: Mapping[str, tuple[str, float]] | None = None,
    hidden: Iterable[str] = (),
) -> Observation:
    """Return an observation of a board that holds just these pieces.

    Args:
        follower: whose game is watched.
        pieces: letters of a position by square, {"d6": "w"}.
        doubt: by square another look and its probability.
        hidden: squares that something covers.
    """
    looks = follower.game.looks()
    table = {Cell(cell): look_of(letter) for cell, letter in (pieces or {}).items()}
    covered = frozenset(map(Cell, hidden))
    log_p = {}
    for cell in follower.game.board.cells:
        shares = dict.fromkeys(looks, 1e-6)
        shares[table.get(cell, EMPTY)] = 1.0
        for letter, probability in [(doubt or {}).get(cell, ("", 0.0))]:
            if letter:
                shares[table.get(cell, EMPTY)] = 1 - probability
                shares[look_of(letter)] = probability
        total = sum(shares.values())
        log_p[cell] = {look: math.log(share / total) for look, share in shares.items()}
    for cell in covered:
        del log_p[cell]
    return Observation(log_p, covered)


def observe(follower: Follower, table: Mapping[Cell, Look]) -> Observation:
    """Return a perfect observation of a table."""
    looks = follower.game.looks()
    sure, never = math.log(1 - 1e-6 * (len(looks) - 1)), math.log(1e-6)
    return Observation(
        {
            cell: {each: sure if each == look else never for each in looks}
            for cell, look in table.items()
        }
    )


def doubt(
    looks: Mapping[Cell, Look],
    every: Sequence[Look],
    chance: random.Random,
    lead: float,
    noise: float,
) -> Observation:
    """Return a noisy observation of a table.

    Args:
        looks: what lies there.
        every: all looks that a square can have.
        chance: of the noise.
        lead: nats by which the true look leads on average.
        noise: standard deviation of every look's evidence, nats.
    """
    log_p = {}
    for cell, true in looks.items():
        share = {
            look: math.exp(chance.gauss(lead if look == true else 0.0, noise))
            for look in every
        }
        total = sum(share.values())
        log_p[cell] = {look: math.log(part / total) for look, part in share.items()}
    return Observation(log_p)


def follow(
    header: Mapping[str, object] = GRIDLOCK, *, sighted: bool = True
) -> Follower:
    """Return a follower of a new match, kept in memory."""
    match = Match(Journal(None))
    match.begin(header, START)
    return Follower(match, lambda: START, SIGHTS[header["game"]] if sighted else None)


class Table:
    """Chips on a table, moved by the test and looked at by a follower."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.pieces: dict[str, str] = {}

    def put(self, *pieces: str):
        """Put chips, "d6=w", and look."""
        for piece in pieces:
            cell, letter = piece.split("=")
            self.pieces[cell] = letter
        return self.look()

    def take(self, *cells: str):
        """Take chips off, and look."""
        for cell in cells:
            del self.pieces[cell]
        return self.look()

    def look(self, **how):
        """Let the follower look at the table at rest."""
        return self.follower.look(see(self.follower, self.pieces, **how))
