"""What the page asks of a virtual table: to look at it, and to move things on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from companion.rules.board import Cell, Look


class VirtualTable(Protocol):
    """The table as it truly lies, right or wrong; the referee only sees its picture.

    Every verb may be called from any thread and raises `CompanionError` with a
    sentence when hands cannot do it. Who changes the table otherwise (bots, a
    hand that arrives) calls `Feed.touch`, so that the page looks again.
    """

    def view(self) -> Mapping[str, Any]:
        """Return what a person standing there sees, as JSON.

        `pieces`: look by cell, empty cells left out; `turnable`: whether pieces
        have two sides; `busy`: whether a hand is over the table; `piles`: the cards
        each player has laid, the newest last; `speed`: of hands, 1 is a person's,
        None for at once; `light`, `lights`: the present and all that can be had;
        `running`: whether bots play, None where there are none.
        """

    def put(self, cell: Cell, look: Look) -> None:
        """Put a piece on a cell."""

    def take(self, cell: Cell) -> None:
        """Take the piece off a cell."""

    def turn_over(self, cell: Cell) -> None:
        """Turn the piece on a cell over."""

    def slide(self, cell: Cell, to: Cell) -> None:
        """Push a piece from one cell to another."""

    def set_speed(self, speed: float) -> None:
        """Let hands and bots move faster or slower; 1 is a person's speed."""

    def set_light(self, light: str) -> None:
        """Switch to one of the lights."""

    def run(self) -> None:
        """Let the bots play."""

    def stop(self) -> None:
        """Let the bots rest."""

    def step(self) -> None:
        """Let one bot take one turn."""
