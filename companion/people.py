"""The people at the virtual table: bots that play, and a person who clicks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

from companion.bots import Bots
from companion.rules.board import Cell, Look
from companion.snapshot import Snapshot
from hardware.virtual_table import VirtualTable

TICK = 0.1
"""Seconds between two glances of the bots at the page."""


class VirtualPeople:
    """What the page shows and moves of a virtual table; fulfils web.table.VirtualTable.

    Args:
        table: the table.
        bots: who play at it.
        touch: called when the page should look at the table again.
        failed: called with a fault of the bots, who then rest.
    """

    def __init__(
        self,
        table: VirtualTable,
        bots: Bots,
        touch: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._table = table
        self._bots = bots
        self._touch = touch
        self._failed = failed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="people", daemon=True)
        self._snapshot: Snapshot | None = None
        self._shown: Mapping[str, Any] = {}

    def __enter__(self) -> Self:
        """Sit down."""
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """Go home."""
        self._stop.set()
        self._thread.join()

    def read(self, snapshot: Snapshot) -> None:
        """Look at the page, as people do, and take the seats it names."""
        self._snapshot = snapshot
        self._table.seat(len(snapshot.players))

    def view(self) -> Mapping[str, Any]:
        """Return what a person standing there sees."""
        return {**self._table.view(), "running": self._bots.running}

    def put(self, cell: Cell, look: Look) -> None:
        """Put a piece on a cell, by the hand of one who plays that colour."""
        self._table.put(cell, look, self._person(look))

    def take(self, cell: Cell) -> None:
        """Take the piece off a cell."""
        self._table.take(cell, self._person())

    def turn_over(self, cell: Cell) -> None:
        """Turn the piece on a cell over."""
        self._table.turn_over(cell, self._person())

    def slide(self, cell: Cell, to: Cell) -> None:
        """Push a piece from one cell to another."""
        self._table.slide(cell, to, self._person())

    def set_speed(self, speed: float) -> None:
        """Let hands and bots move faster or slower."""
        self._table.set_speed(speed)
        self._bots.speed = speed

    def set_light(self, light: str) -> None:
        """Switch to one of the lights."""
        self._table.set_light(light)

    def run(self) -> None:
        """Let the bots play."""
        self._bots.running = True

    def stop(self) -> None:
        """Let the bots rest."""
        self._bots.rest()

    def step(self) -> None:
        """Let one bot take one turn."""
        self._bots.step()

    def _person(self, look: Look | None = None) -> int:
        """Return whose hand does something: on turn if it may be, or a team mate."""
        if self._snapshot is None:
            return 0
        on_turn = self._snapshot.state.get("turn") or 0
        own = [i for i, p in enumerate(self._snapshot.players) if p.team == look]
        return on_turn if on_turn in own or not own else own[0]

    def _run(self) -> None:
        while not self._stop.wait(TICK):
            try:
                if self._snapshot:
                    self._bots.tick(self._snapshot, time.monotonic())
            except Exception as error:
                self._bots.rest()
                self._failed(error)
            view = self.view()
            if view != self._shown:
                self._shown = view
                self._touch()
