"""What the page asks of a virtual table: to look at it, and to move things on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from companion.rules.board import Cell, Look


class VirtualTable(Protocol):
    """The table as it truly lies, right or wrong; the referee only sees its picture.

    Every verb is safe from any thread and raises `CompanionError` with a
    sentence when it cannot be done.
    """

    def view(self) -> Mapping[str, Any]:
        """Return what lies there, as JSON.

        `looks`: by cell; `kinds`: looks one may put; `piles`: by player's number
        the card on top, "" for none; `bots`: {"running": bool, "speed": float}.
        """

    def put(self, cell: Cell, look: Look) -> None:
        """Put a piece on a cell, whatever lies there."""

    def take(self, cell: Cell) -> None:
        """Take the piece off a cell."""

    def turn_over(self, cell: Cell) -> None:
        """Turn the piece on a cell over."""

    def slide(self, start: Cell, end: Cell) -> None:
        """Move a piece from one cell to another."""

    def run(self) -> None:
        """Let the bots play."""

    def stop(self) -> None:
        """Let the bots rest."""

    def step(self) -> None:
        """Let one bot take one turn."""

    def set_speed(self, seconds: float) -> None:
        """Give the bots so much time for a turn, in seconds."""
