"""Which rules a turn on roads breaks, and what it leaves behind."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from companion.rules.board import Cell
from companion.rules.game import Player
from companion.rules.road_map import (
    ALL_SIDES,
    Power,
    RoadOptions,
    RoadPosition,
    RoadRules,
    Roads,
    Space,
    pattern_of,
    sides_of,
)
from companion.rules.road_network import Network, Stop
from companion.rules.road_turns import (
    Action,
    ClearCone,
    Drive,
    LayTile,
    RemoveTile,
    RoadTurn,
    RotateTile,
    SetCone,
    TurnKind,
)
from companion.rules.verdict import Violation, Witness

T = TypeVar("T")

_NO_TILES = {
    Space.DESTINATION: ("tile-on-destination", "BOS-12", "a destination"),
    Space.TUNNEL: ("tile-on-tunnel", "BOS-12", "a tunnel"),
    Space.WATER: ("tile-on-obstacle", "BOS-06", "water"),
    Space.PARK: ("tile-on-obstacle", "BOS-06", "a park"),
}
_STOPS = {
    Stop.CONE: "construction",
    Stop.CONGESTION: "congestion",
    Stop.TRAFFIC: "another car",
}
_STOP_RULES = {Stop.CONE: "BOS-20", Stop.CONGESTION: "BOS-V3", Stop.TRAFFIC: "BOS-V4"}


@dataclass(frozen=True, slots=True)
class RoadJudge:
    """The rules of roads as set up for one sitting (rulings 5).

    Attributes:
        powers: what each player's car may do; nothing without the variant.
    """

    rules: RoadRules
    options: RoadOptions
    players: tuple[Player, ...]
    powers: tuple[Power, ...]

    # -- what others ask too ------------------------------------------------------

    @property
    def has_start_cube(self) -> bool:
        """Whether a cube goes onto the start: not in the long game (BOS-V2)."""
        return self.options.places <= self.rules.cubes

    @property
    def goal(self) -> int:
        """How many cubes on the board win (BOS-22, BOS-V2)."""
        return min(self.options.places, self.rules.cubes)

    @property
    def has_cones(self) -> bool:
        """Whether cones are in play: in Quick Trip by house rule only (BOS-V1)."""
        return not self.options.quick_trip or self.options.quick_trip_cones

    def is_racing(self, position: RoadPosition) -> bool:
        """Whether anybody may lay the first tile now (BOS-05)."""
        return bool(position.cars) and position.first_tiles == 0

    def name(self, cell: Cell) -> str:
        """Return a space as sentences name it: "Harvard (0,3)", "4,5"."""
        name = self.rules.map.names.get(cell)
        return f"{name} ({cell})" if name else str(cell)

    def network(self, position: RoadPosition, player: int) -> Network:
        """Return the roads as a player's car finds them (BOS-V3 to V8)."""
        road_map, power = self.rules.map, self.powers[player]
        return Network(
            road_map.board,
            {**road_map.printed_roads(power.drives_on), **position.tiles},
            road_map.tunnels,
            {} if power.never_stopped else self._forced_stops(position, player),
        )

    def zones(self, position: RoadPosition, player: int | None = None) -> set[Cell]:
        """Return the spaces under construction, around cones and cars that are cones.

        Args:
            position: the table now.
            player: whose own car does not count; None: all zones there are.
        """
        neighbours = self.rules.map.board.neighbours
        centres = self._cones(position, player)
        return centres | {
            cell for centre in centres for cell in neighbours(centre) if cell
        }

    def _cones(self, position: RoadPosition, player: int | None) -> set[Cell]:
        cars = {
            car
            for owner, car in enumerate(position.cars)
            if self.powers[owner].is_cone and owner != player
        }
        return cars | position.cones

    def _forced_stops(
        self, position: RoadPosition, player: int
    ) -> dict[Stop, Collection[Cell]]:
        forced: dict[Stop, Collection[Cell]] = {
            Stop.CONE: self._cones(position, player)
        }
        if self.options.congestion:
            forced[Stop.CONGESTION] = _congested(position)
        if self.options.traffic:
            forced[Stop.TRAFFIC] = {
                car for owner, car in enumerate(position.cars) if owner != player
            }
        return forced

    # -- a turn ---------------------------------------------------------------------

    def violations(self, position: RoadPosition, turn: RoadTurn) -> Iterator[Violation]:
        """Yield every rule a turn breaks, the most specific first."""
        untimely = self._untimely(position, turn)
        if untimely:
            yield untimely
        elif turn.kind is TurnKind.START:
            yield from self._bad_start(turn.starts)
        else:
            by = _actor(turn)
            if by != position.to_move and not self.is_racing(position):
                yield self._out_of_turn(position, by)
                if turn.kind is TurnKind.FIRST and self._has_laid(position, by):
                    yield _no_time_for(turn.kind)
            yield from self._too_much(turn)
            yield from self._bad_actions(position, by, turn.actions)

    def apply(self, position: RoadPosition, turn: RoadTurn) -> RoadPosition:
        """Return the position after a turn, and who is on turn then."""
        if turn.kind is TurnKind.START:
            return self._started(turn)
        by = _actor(turn)
        after = position
        for action in turn.actions:
            after = self._after(after, by, action)
        if position.winner is not None:
            last_turns = position.last_turns - 1
        else:
            last_turns = 0 if after.winner is None else len(self.players) - 1
        is_over = after.winner is not None and last_turns == 0
        return replace(
            after,
            first_tiles=after.first_tiles + (turn.kind is TurnKind.FIRST),
            to_move=None if is_over else (by + 1) % len(self.players),
            last_turns=last_turns,
            last=turn,
        )

    def _started(self, turn: RoadTurn) -> RoadPosition:
        return RoadPosition(
            cars=turn.starts,
            starts=turn.starts,
            cubes=tuple(
                frozenset({cell} if self.has_start_cube else ()) for cell in turn.starts
            ),
            last=turn,
        )

    def _untimely(self, position: RoadPosition, turn: RoadTurn) -> Violation | None:
        """Return why a turn of this kind has no place in the game now."""
        kind = turn.kind
        if position.to_move is None:
            return _after_the_end()
        if not position.cars:
            return None if kind is TurnKind.START else _no_cars_yet()
        if kind is TurnKind.START:
            return _started_already()
        if (position.first_tiles < len(self.players)) != (kind is TurnKind.FIRST):
            return _no_time_for(kind)
        is_mixed = kind in (TurnKind.TRIP, TurnKind.BUILD_AND_DRIVE)
        if is_mixed and not (self.options.quick_trip and kind is TurnKind.TRIP):
            return Violation(
                "build-and-drive-same-turn",
                "A turn is for building or for driving, not for both: take one of "
                "the two back.",
                "BOS-10",
            )
        return None

    def _bad_start(self, starts: tuple[Cell, ...]) -> Iterator[Violation]:
        for player, cell in enumerate(starts):
            if cell not in self.rules.map.names:
                yield Violation(
                    "start-place-mismatch",
                    f"{cell} is no destination: put {self.players[player].name}'s car "
                    "on the destination of the revealed card.",
                    "BOS-03",
                    self._on_board(cell),
                    Witness.CARD,
                )
            elif cell in starts[:player]:
                first = self.players[starts.index(cell)].name
                yield Violation(
                    "duplicate-start",
                    f"{first} starts at {self.name(cell)} already: "
                    f"{self.players[player].name} shuffles that card back and reveals "
                    "another.",
                    "BOS-02",
                    (cell,),
                )

    def _has_laid(self, position: RoadPosition, player: int) -> bool:
        """Whether a player is among those who have just laid their first tiles."""
        assert position.to_move is not None
        turns_ago = (position.to_move - player) % len(self.players)
        return 0 < turns_ago <= position.first_tiles

    def _out_of_turn(self, position: RoadPosition, by: int) -> Violation:
        assert position.to_move is not None
        on_turn = self.players[position.to_move].name
        return Violation(
            "out-of-turn-play",
            f"It is {on_turn}'s turn, not {self.players[by].name}'s: take this back.",
            "BOS-05",
        )

    def _too_much(self, turn: RoadTurn) -> Iterator[Violation]:
        rules, count = self.rules, len(turn.actions)
        if turn.kind is TurnKind.BUILD and count > rules.build_actions:
            yield Violation(
                "too-many-build-actions",
                f"These are {count} actions and a build turn has at most "
                f"{rules.build_actions}: take the last ones back.",
                "BOS-11",
            )
        if turn.kind is TurnKind.TRIP and count > rules.trip_actions:
            yield Violation(
                "too-many-build-actions",
                f"These are {count} actions and a trip has at most "
                f"{rules.trip_actions}: take the last ones back.",
                "BOS-V1",
            )
        if turn.kind is TurnKind.DRIVE and count > rules.stops:
            yield Violation(
                "too-many-stops",
                f"These are {count} stops and a drive has at most {rules.stops}: "
                f"end it at {self.name(turn.actions[rules.stops - 1].cell)}.",
                "BOS-19",
            )
        laid = [a.cell for a in turn.actions if isinstance(a, LayTile)]
        if len(laid) > rules.hand:
            yield Violation(
                "third-tile-placed",
                f"A hand has {rules.hand} tiles and is refilled after the turn: take "
                f"the tile on {laid[rules.hand]} back.",
                "BOS-12",
                tuple(
                    cell for last in laid[rules.hand :] for cell in self._on_board(last)
                ),
            )

    def _bad_actions(
        self, position: RoadPosition, by: int, actions: Iterable[Action]
    ) -> Iterator[Violation]:
        """Yield what is wrong with each action on the board the earlier ones left."""
        for action in actions:
            if len(position.cubes[by]) >= self.goal:
                yield _after_the_end()
                return
            yield from self._bad_action(position, by, action)
            position = self._after(position, by, action)

    def _bad_action(
        self, position: RoadPosition, by: int, action: Action
    ) -> Iterator[Violation]:
        match action:
            case LayTile(cell, roads):
                yield from self._bad_laying(position, cell, roads)
            case RotateTile(cell, roads):
                yield from self._bad_turning(position, by, cell, roads)
            case RemoveTile(cell):
                yield from self._bad_removal(position, by, cell)
            case SetCone(cell):
                yield from self._bad_cone(position, cell)
            case ClearCone(cell):
                yield from self._bad_clearing(position, cell)
            case Drive(cell, scores):
                yield from self._bad_way(position, by, cell)
                if scores:
                    yield from self._bad_cube(position, by, cell)

    def _after(self, position: RoadPosition, by: int, action: Action) -> RoadPosition:
        """Return the position after one action, as far as pieces can lie like that."""
        cell = action.cell
        if cell not in self.rules.map.spaces:
            return position
        match action:
            case LayTile(roads=roads) | RotateTile(roads=roads):
                return replace(position, tiles={**position.tiles, cell: roads})
            case RemoveTile():
                tiles = {
                    at: roads for at, roads in position.tiles.items() if at != cell
                }
                return replace(position, tiles=tiles)
            case SetCone():
                return replace(position, cones=position.cones | {cell})
            case ClearCone():
                return replace(position, cones=position.cones - {cell})
            case Drive(scores=scores):
                return self._driven(position, by, cell, scores)

    def _driven(
        self, position: RoadPosition, by: int, cell: Cell, scores: bool
    ) -> RoadPosition:
        cars = _with(position.cars, by, cell)
        if not scores:
            return replace(position, cars=cars)
        cubes = position.cubes[by] | {cell}
        has_won = position.winner is None and len(cubes) >= self.goal
        return replace(
            position,
            cars=cars,
            cubes=_with(position.cubes, by, cubes),
            winner=by if has_won else position.winner,
        )

    # -- building ---------------------------------------------------------------------

    def _bad_laying(
        self, position: RoadPosition, cell: Cell, roads: Roads
    ) -> Iterator[Violation]:
        space = self.rules.map.spaces.get(cell)
        if space is None:
            yield Violation(
                "tile-off-board",
                f"{cell} is off the board: lay the tile on an empty space.",
                "BOS-06",
            )
        elif space in _NO_TILES:
            code, rule, what = _NO_TILES[space]
            yield Violation(
                code,
                f"{self.name(cell)} is {what}: lay the tile on an empty space.",
                rule,
                (cell,),
            )
        elif cell in position.tiles:
            yield Violation(
                "tile-stacked",
                f"A tile lies on {cell} already: remove it first, that is an action of "
                "its own.",
                "BOS-12",
                (cell,),
            )
        pattern = pattern_of(roads)
        copies = self.rules.copies.get(pattern, 0)
        lying = sum(pattern_of(tile) == pattern for tile in position.tiles.values())
        if lying >= copies:
            yield Violation(
                "tile-pattern-impossible",
                f"All tiles with roads like {_written(roads)} ({copies}) lie on the "
                f"board already: look again at the tile on {cell}.",
                "BOS-01",
                self._on_board(cell),
            )

    def _bad_turning(
        self, position: RoadPosition, by: int, cell: Cell, roads: Roads
    ) -> Iterator[Violation]:
        lying = position.tiles.get(cell)
        if lying is None:
            yield self._nothing_there("tile lies", cell, "BOS-13")
            return
        if cell in self.zones(position, by):
            yield self._in_zone("rotated", cell, "BOS-13")
        if pattern_of(roads) != pattern_of(lying):
            yield Violation(
                "tile-misaligned",
                f"The tile on {cell} has roads {_written(lying)}; no turn makes them "
                f"{_written(roads)}: lay the old tile back, or remove it and place the "
                "new one.",
                "BOS-13",
                (cell,),
            )

    def _bad_removal(
        self, position: RoadPosition, by: int, cell: Cell
    ) -> Iterator[Violation]:
        if cell not in position.tiles:
            yield self._nothing_there("tile lies", cell, "BOS-14")
            return
        if cell in self.zones(position, by):
            yield self._in_zone("removed", cell, "BOS-14")
        if cell in position.cars:
            owner = self.players[position.cars.index(cell)].name
            yield Violation(
                "tile-removed-under-car",
                f"{owner}'s car stands on {cell}: put its tile back.",
                "BOS-14",
                (cell,),
            )

    def _bad_cone(self, position: RoadPosition, cell: Cell) -> Iterator[Violation]:
        if not self.has_cones:
            yield _no_cones()
            return
        if cell in position.cones:
            yield Violation(
                "cone-stacked",
                f"A cone stands on {self.name(cell)} already: set the other one up "
                "elsewhere.",
                "BOS-15",
                (cell,),
            )
        if len(position.cones) >= self.rules.cones:
            yield Violation(
                "cone-count-wrong",
                f"All {self.rules.cones} cones are on the board: clear one before you "
                f"set one up on {self.name(cell)}.",
                "BOS-16",
                (cell,),
            )

    def _bad_clearing(self, position: RoadPosition, cell: Cell) -> Iterator[Violation]:
        if not self.has_cones:
            yield _no_cones()
        elif cell not in position.cones:
            yield self._nothing_there("cone stands", cell, "BOS-16")

    def _nothing_there(self, what: str, cell: Cell, rule: str) -> Violation:
        return Violation(
            "nothing-there",
            f"No {what} on {self.name(cell)}: look again which space it was.",
            rule,
            self._on_board(cell),
        )

    def _in_zone(self, done: str, cell: Cell, rule: str) -> Violation:
        return Violation(
            f"tile-{done}-in-construction-zone",
            f"{cell} is in a construction zone, where no tile may be {done}: put it "
            "back as it was.",
            rule,
            (cell,),
        )

    # -- driving ----------------------------------------------------------------------

    def _bad_way(
        self, position: RoadPosition, by: int, cell: Cell
    ) -> Iterator[Violation]:
        network, start = self.network(position, by), position.cars[by]
        car = f"{self.players[by].name}'s car"
        if not network.open_sides.get(cell):
            yield Violation(
                "car-off-road",
                f"No road leads over {self.name(cell)}: put {car} back on "
                f"{self.name(start)}.",
                "BOS-07",
                self._on_board(cell),
            )
        elif network.open_sides.get(start) and cell not in network.leg(start):
            why = network.hindrances(start, cell)
            if why:
                yield from self._skipped(network, start, cell, why)
            else:
                yield from self._no_way(network, start, cell, car)

    def _skipped(
        self, network: Network, start: Cell, end: Cell, why: Iterable[Stop]
    ) -> Iterator[Violation]:
        between = network.stops_between(start, end)
        stops = ", then at ".join(
            f"{self.name(cell)} for "
            + " and ".join(_STOPS[reason] for reason in network.reasons(cell))
            for cell in between
        )
        text = (
            f"On the way from {self.name(start)} to {self.name(end)} the car has to "
            f"stop at {stops}: make that a stop of the drive, or end it there."
        )
        for reason in why:
            code = f"{reason.value}-stop-skipped"
            yield Violation(code, text, _STOP_RULES[reason], tuple(between))
        if len(between) >= self.rules.stops:
            yield Violation("too-many-stops", text, "BOS-19", tuple(between))

    def _no_way(
        self, network: Network, start: Cell, end: Cell, car: str
    ) -> Iterator[Violation]:
        yield Violation(
            "no-road-path",
            f"No road leads from {self.name(start)} to {self.name(end)}: put {car} "
            "back.",
            "BOS-08",
            (start, end),
        )
        tunnels = self.rules.map.tunnels
        unmarked = Network(
            self.rules.map.board,
            {**network.open_sides, **dict.fromkeys(tunnels, ALL_SIDES)},
            tunnels,
            {},
        )
        if end in unmarked.leg(start):
            sides = "; ".join(f"{at}: {_written(tunnels[at])}" for at in tunnels)
            yield Violation(
                "tunnel-wrong-side",
                f"Tunnels are entered and left by their marked sides only ({sides}).",
                "BOS-08",
                (end,),
            )

    def _bad_cube(
        self, position: RoadPosition, by: int, cell: Cell
    ) -> Iterator[Violation]:
        name = self.players[by].name
        if cell not in self.rules.map.names:
            yield Violation(
                "cube-on-non-destination",
                f"{cell} is no destination: {name} takes the cube back.",
                "BOS-21",
                self._on_board(cell),
            )
        elif cell in position.cubes[by]:
            yield Violation(
                "cube-duplicate",
                f"{name} has a cube on {self.name(cell)} already: take the second one "
                "back.",
                "BOS-21",
                (cell,),
            )
        elif cell == position.starts[by]:
            yield Violation(
                "cube-without-card",
                f"{self.name(cell)} is where {name} started, so it is no secret goal: "
                "take the cube back.",
                "BOS-V2",
                (cell,),
                Witness.CARD,
            )

    def _on_board(self, cell: Cell) -> tuple[Cell, ...]:
        """Return a cell to light, () for one that no board has."""
        return (cell,) if cell in self.rules.map.spaces else ()


def _actor(turn: RoadTurn) -> int:
    assert turn.by is not None, (
        "only the start, and turns after the end, have no player"
    )
    return turn.by


def _with(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _congested(position: RoadPosition) -> set[Cell]:
    """Return the destinations with two or more cubes (BOS-V3)."""
    once: set[Cell] = set()
    twice: set[Cell] = set()
    for cubes in position.cubes:
        twice |= once & cubes
        once |= cubes
    return twice


def _written(roads: Roads) -> str:
    return "-".join(sides_of(roads))


def _after_the_end() -> Violation:
    return Violation(
        "play-after-game-over",
        "The game is over and nothing more can be played: put it back, or begin anew.",
        "BOS-22",
    )


def _no_cars_yet() -> Violation:
    return Violation(
        "start-cube-missing",
        "No car stands on the board yet: put every car on its revealed destination "
        "first.",
        "BOS-03",
    )


def _started_already() -> Violation:
    return Violation(
        "duplicate-start",
        "The cars have started already: go on with the next turn.",
        "BOS-03",
    )


def _no_time_for(kind: TurnKind) -> Violation:
    if kind is TurnKind.FIRST:
        text = "A player's first tile is laid once: take this one back."
    else:
        text = "First everybody lays one tile: take the rest back until all have."
    return Violation("first-turn-extra-tile", text, "BOS-05")


def _no_cones() -> Violation:
    return Violation(
        "cone-count-wrong",
        "This Quick Trip is played without cones: leave them beside the board.",
        "BOS-V1",
    )
