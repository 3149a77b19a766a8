"""Where a car can drive: connected spaces, forced stops, legs."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from enum import Enum

from companion.rules.board import Cell, HexBoard
from companion.rules.road_map import Roads


class Stop(Enum):
    """Why entering a space ends a leg; the values begin the violations' codes."""

    CONE = "cone"
    CONGESTION = "congestion"
    TRAFFIC = "traffic"


class Network:
    """The roads as one car finds them at one moment; nothing here changes.

    A drive is a walk over connected spaces, cut into legs by its stops. A leg is
    at least one space long, and enters no space with a forced stop before its
    end; entering one that ends there is one stop for whatever reasons.

    Args:
        board: the spaces and which are neighbours.
        open_sides: the sides a car can enter and leave by; a space left out
            cannot be driven on.
        tunnels: these are connected with each other besides (BOS-09).
        forced: the spaces that force this car to stop, by reason.
    """

    def __init__(
        self,
        board: HexBoard,
        open_sides: Mapping[Cell, Roads],
        tunnels: Collection[Cell],
        forced: Mapping[Stop, Collection[Cell]],
    ) -> None:
        self.open_sides = open_sides
        self._board = board
        self._tunnels = tunnels
        self._forced = forced
        self.forced_stops = frozenset[Cell]().union(*forced.values())

    def connected(self, cell: Cell) -> list[Cell]:
        """Return the spaces one step away: both must be open (BOS-08)."""
        roads = self.open_sides.get(cell, 0)
        ways = [
            beside
            for side, beside in enumerate(self._board.neighbours(cell))
            if beside is not None
            and roads >> side & 1
            and self.open_sides.get(beside, 0) >> (side + 3) % 6 & 1
        ]
        if cell in self._tunnels:
            ways += [tunnel for tunnel in self._tunnels if tunnel != cell]
        return ways

    def leg(self, start: Cell, lifted: Collection[Stop] = ()) -> set[Cell]:
        """Return every space where a leg from `start` can end.

        The start itself is among them if it can be left and entered again.

        Args:
            start: where the car stands; that it is a forced stop costs nothing.
            lifted: reasons to stop that are left out of account.
        """
        stops = self.forced_stops
        if lifted:
            kept = [cells for why, cells in self._forced.items() if why not in lifted]
            stops = frozenset[Cell]().union(*kept)
        ends: set[Cell] = set()
        queue = deque([start])
        while queue:
            for cell in self.connected(queue.popleft()):
                if cell not in ends:
                    ends.add(cell)
                    if cell not in stops:
                        queue.append(cell)
        return ends

    def reach(self, start: Cell, stops: int) -> list[set[Cell]]:
        """Return where the car can end with at most 1, 2, ... stops.

        Only forced stops can lead on to more: from a free one the next leg
        leads no further than the leg that made it.
        """
        ends = self.leg(start)
        reached = [ends]
        for _ in range(1, stops):
            further = (self.leg(cell) for cell in ends & self.forced_stops)
            ends = ends.union(*further)
            reached.append(ends)
        return reached

    def stops_between(self, start: Cell, end: Cell) -> list[Cell]:
        """Return the forced stops that a drive has to make on its way, in order.

        The fewest possible; [] if `end` is one leg away or out of reach.
        """
        came_from: dict[Cell, Cell] = {}
        queue = deque([start])
        while queue:
            stop = queue.popleft()
            ends = self.leg(stop)
            if end in ends:
                between = []
                while stop != start:
                    between.append(stop)
                    stop = came_from[stop]
                return between[::-1]
            for cell in sorted(ends & self.forced_stops - came_from.keys() - {start}):
                came_from[cell] = stop
                queue.append(cell)
        return []

    def reasons(self, cell: Cell) -> list[Stop]:
        """Return why a space forces this car to stop, [] where it does not."""
        return [why for why, cells in self._forced.items() if cell in cells]

    def hindrances(self, start: Cell, end: Cell) -> list[Stop]:
        """Return why `end` is more than one leg away, the likely reason first.

        Those that alone are in the way, then what else holds the car up on the
        way with the fewest stops. [] if it is one leg away or out of reach.
        """
        if end in self.leg(start):
            return []
        alone = [why for why in Stop if end in self.leg(start, lifted=(why,))]
        met = [
            why for cell in self.stops_between(start, end) for why in self.reasons(cell)
        ]
        return list(dict.fromkeys(alone + met))
