"""Roads of hexagonal tiles: building, driving and visiting places (rulings 5)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.errors import CompanionError, HeaderError, NotationError
from companion.rules import road_judge
from companion.rules.board import EMPTY, Cell, Look, column_row
from companion.rules.game import (
    Explanation,
    Game,
    Header,
    Highlight,
    Line,
    Meaning,
    Outcome,
    Player,
)
from companion.rules.road_map import (
    CHOICES,
    Power,
    RoadMap,
    RoadRules,
    Roads,
    pattern_of,
    read_options,
    sides_of,
    written,
)
from companion.rules.road_position import RoadPosition
from companion.rules.road_setup import RoadSetup
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
    read_turn,
    write_turn,
)
from companion.rules.verdict import Violation

_DISTURBED: Explanation[RoadTurn] = Explanation(
    turns=(),
    log_prior=-20.0,
    violations=(
        Violation(
            "board-disturbed",
            "This game is told, not seen: tell on the page what was done.",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class RoadKind:
    """A road game that can be set up.

    Attributes:
        teams: the colours of the cars.
        map: reads the printed map.
        copies: how many tiles there are of each pattern (`pattern_of`).
        powers: what cars may do in the variant with special cars, by colour.
    """

    name: str
    title: str
    teams: tuple[str, ...]
    map: Callable[[], RoadMap]
    copies: Mapping[Roads, int]
    powers: Mapping[str, Power]

    @property
    def boards(self) -> tuple[str, ...]:
        """The one board, named as the game is."""
        return (self.name,)

    @property
    def told(self) -> bool:
        """No camera reads such a table yet."""
        return True

    @property
    def house_rules(self) -> Mapping[str, Sequence[object]]:
        """The options of record-format.md."""
        return CHOICES

    def open(self, header: Header) -> "RoadGame":
        """Set the game up.

        Raises:
            HeaderError: impossible players or colours, unknown board or house rule.
        """
        self._check_players(header.players)
        if header.board not in (None, *self.boards):
            raise HeaderError(
                f'{self.title} has no board but its own: leave "board" out, or write '
                f'"{self.name}".'
            )
        options = read_options(header.rules)
        powers = self.powers if options.specials else {}
        setup = RoadSetup(
            RoadRules(self.map(), self.copies),
            options,
            header.players,
            tuple(powers.get(player.team, Power()) for player in header.players),
        )
        return RoadGame(self.name, self.title, setup)

    def _check_players(self, players: tuple[Player, ...]) -> None:
        if not 2 <= len(players) <= len(self.teams):
            raise HeaderError(
                f"{self.title} is for 2 to {len(self.teams)} players, not "
                f"{len(players)}."
            )
        cars = [player.team for player in players]
        if len(set(cars)) < len(cars) or not set(cars) <= set(self.teams):
            raise HeaderError(
                f"In {self.title} a player's team is the colour of the car, all "
                f"different: {', '.join(self.teams)}."
            )


class RoadGame(Game[RoadPosition, RoadTurn]):
    """A road game as set up for one sitting.

    Args:
        name: the id of record-format.md.
        title: the name on the box.
        setup: pieces, house rules and players.
    """

    piece_kind = "roads"
    unwitnessed = (
        "Who was fastest with the first tile: tell that player's tile first.",
        "The tiles in a hand, drawing back up to two, and the discard.",
        "The secret destination cards: a shown card is taken on trust.",
    )

    def __init__(self, name: str, title: str, setup: RoadSetup) -> None:
        self.name = name
        self.title = title
        self.board = setup.rules.map.board
        self.players = setup.players
        self._setup = setup

    # -- told ---------------------------------------------------------------------

    def start(self) -> RoadPosition:
        """Return the empty map: no car has started."""
        return RoadPosition()

    def turn_of(self, position: RoadPosition, line: Line) -> RoadTurn:
        """Read a record line.

        Raises:
            NotationError: the line is malformed; the sentence says why.
        """
        turn = read_turn(line, len(self.players), position.to_move)
        if self._setup.options.quick_trip and turn.kind in (
            TurnKind.BUILD,
            TurnKind.DRIVE,
        ):
            raise NotationError(
                f'in Quick Trip a turn is a "trip", not a "{turn.kind.value}".'
            )
        for action in turn.actions:
            if (
                isinstance(action, SetCone)
                and action.cell not in self._setup.rules.map.spaces
            ):
                raise NotationError(f"{action.cell} is off the board: no cone there.")
        return turn

    def line_of(self, position: RoadPosition, turn: RoadTurn) -> dict[str, Any]:
        """Write a turn as a record line; `turn_of` reads it back."""
        return write_turn(turn)

    def violations(
        self, position: RoadPosition, turn: RoadTurn
    ) -> tuple[Violation, ...]:
        """Return every rule the turn breaks, the most specific first; () if legal."""
        return tuple(dict.fromkeys(road_judge.violations(self._setup, position, turn)))

    def apply(self, position: RoadPosition, turn: RoadTurn) -> RoadPosition:
        """Return the position after a turn, and who is on turn then."""
        return road_judge.position_after(self._setup, position, turn)

    def state(self, position: RoadPosition) -> dict[str, Any]:
        """Return turn, score, cars, tiles, cones, zones and over."""
        return {
            "turn": position.to_move,
            "score": {
                str(player): len(position.cubes[player]) if position.cubes else 0
                for player in range(len(self.players))
            },
            "cars": {str(player): car for player, car in enumerate(position.cars)},
            "tiles": {
                cell: sides_of(position.tiles[cell])
                for cell in sorted(position.tiles, key=column_row)
            },
            "cones": sorted(position.cones, key=column_row),
            "zones": sorted(self._setup.zones(position), key=column_row),
            "over": None if position.winner is None else {"winner": position.winner},
        }

    def effects(self, position: RoadPosition) -> dict[str, Any]:
        """Return {}: the state tells all."""
        return {}

    def describe(self, position: RoadPosition, turn: RoadTurn) -> str:
        """Say in a plain sentence what is done: "Ann drives to Harvard (0,3)."."""
        if turn.kind is TurnKind.START:
            return _sentence(
                f"{player.name} starts at {self._setup.name(cell)}"
                for player, cell in zip(self.players, turn.starts, strict=True)
            )
        who = "Somebody" if turn.by is None else self.players[turn.by].name
        if not turn.actions:
            return f"{who} passes."
        done = [self._did(action) for action in turn.actions]
        return f"{who} {_sentence(done)}"

    def _did(self, action: Action) -> str:
        where = self._setup.name(action.cell)
        match action:
            case LayTile(roads=roads):
                return f"lays a tile {written(roads)} on {where}"
            case RotateTile(roads=roads):
                return f"turns the tile on {where} to {written(roads)}"
            case RemoveTile():
                return f"removes the tile on {where}"
            case SetCone():
                return f"sets up a cone on {where}"
            case ClearCone():
                return f"clears the cone on {where}"
            case Drive(scores=scores):
                return f"drives to {where}" + (" and puts a cube there" * scores)

    def to_move(self, position: RoadPosition) -> int | None:
        """Return the number of the player on turn, None while nobody is."""
        return position.to_move

    def outcome(self, position: RoadPosition) -> Outcome | None:
        """Return who reached all goals first; last turns may still be played."""
        if position.winner is None:
            return None
        name = self.players[position.winner].name
        return Outcome((position.winner,), f"{name} has reached all destinations.")

    def highlights(self, position: RoadPosition) -> tuple[Highlight, ...]:
        """Return the winner's cubes, the last turn, and where the next can drive."""
        lit = []
        if position.winner is not None:
            cubes = tuple(sorted(position.cubes[position.winner], key=column_row))
            lit.append(self._highlight(Meaning.WON, cubes, position.winner))
        if position.last is not None:
            last = position.last
            cells = dict.fromkeys([*last.starts, *(a.cell for a in last.actions)])
            lit.append(self._highlight(Meaning.LAST_TURN, tuple(cells), last.by))
        if self._is_driving(position) and position.to_move is not None:
            stops = 1 if self._setup.options.quick_trip else self._setup.rules.stops
            cells_near = self._reach(position, position.to_move, stops)[-1]
            lit.append(
                self._highlight(Meaning.REACHABLE, tuple(cells_near), position.to_move)
            )
        return tuple(lit)

    def _highlight(
        self, meaning: Meaning, cells: tuple[Cell, ...], player: int | None
    ) -> Highlight:
        team = "" if player is None else self.players[player].team
        return Highlight(meaning, cells, team)

    def _is_driving(self, position: RoadPosition) -> bool:
        """Whether normal turns have begun."""
        return position.first_tiles == len(self.players)

    def _reach(
        self, position: RoadPosition, player: int, stops: int
    ) -> list[list[Cell]]:
        network = self._setup.network(position, player)
        reached = network.reach(position.cars[player], stops)
        return [sorted(cells, key=column_row) for cells in reached]

    def extras(self, position: RoadPosition) -> dict[str, Any]:
        """Return what only this game's page shows.

        Returns:
            `phase`: "start", "first", "play", "last-turns" or "over";
            `lines`: the keys a line may have now; `goal`: cubes that win;
            `spaces`: what is printed on each space; `destinations`: their names;
            `tunnels`: the sides each is open on; `cubes`: the players with a cube
            on each destination that has one; `forced`: for each player the spaces
            that force a stop; `reach`: for each player where the car can end its
            drive with one stop and with at most two; `cones_left`;
            `tiles_left`: for each kind of tile its roads in one orientation, how
            many there are and how many do not lie on the board.
        """
        road_map = self._setup.rules.map
        cubes: dict[Cell, list[int]] = {}
        for player, cells in enumerate(position.cubes):
            for cell in sorted(cells, key=column_row):
                cubes.setdefault(cell, []).append(player)
        players = range(len(position.cars))
        lying = [pattern_of(roads) for roads in position.tiles.values()]
        return {
            "phase": self._phase(position),
            "lines": self._lines(position),
            "goal": self._setup.goal,
            "spaces": {cell: space.value for cell, space in road_map.spaces.items()},
            "destinations": dict(road_map.names),
            "tunnels": {at: sides_of(roads) for at, roads in road_map.tunnels.items()},
            "cubes": cubes,
            "forced": {
                str(player): sorted(
                    self._setup.network(position, player).forced_stops, key=column_row
                )
                for player in players
            },
            "reach": {
                str(player): dict(
                    zip(("one", "two"), self._reach(position, player, 2), strict=True)
                )
                for player in players
            },
            "cones_left": self._setup.rules.cones - len(position.cones)
            if self._setup.has_cones
            else 0,
            "tiles_left": [
                {
                    "roads": sides_of(pattern),
                    "copies": copies,
                    "left": copies - lying.count(pattern),
                }
                for pattern, copies in self._setup.rules.copies.items()
            ],
        }

    def _phase(self, position: RoadPosition) -> str:
        if not position.cars:
            return "start"
        if not self._is_driving(position):
            return "first"
        if position.winner is None:
            return "play"
        return "over" if position.to_move is None else "last-turns"

    def _lines(self, position: RoadPosition) -> list[str]:
        phase = self._phase(position)
        if phase in ("start", "first"):
            return [phase]
        if phase == "over":
            return []
        return ["trip"] if self._setup.options.quick_trip else ["build", "drive"]

    # -- seen ---------------------------------------------------------------------

    def looks(self) -> tuple[Look, ...]:
        """Return (): this game has no camera reader yet."""
        return ()

    def appearance(self, position: RoadPosition) -> Mapping[Cell, Look]:
        """Return what lies on every space: "tile:N-SE+cone+car:red+cube:blue"."""
        return {cell: self._look(position, cell) for cell in self.board.cells}

    def _look(self, position: RoadPosition, cell: Cell) -> Look:
        parts = []
        if cell in position.tiles:
            parts.append("tile:" + written(position.tiles[cell]))
        if cell in position.cones:
            parts.append("cone")
        for player, car in zip(self.players, position.cars, strict=False):
            if car == cell:
                parts.append(f"car:{player.team}")
        for player, cubes in zip(self.players, position.cubes, strict=False):
            if cell in cubes:
                parts.append(f"cube:{player.team}")
        return Look("+".join(parts)) if parts else EMPTY

    def explanations(
        self, position: RoadPosition, seen: Mapping[Cell, Look]
    ) -> Iterator[Explanation[RoadTurn]]:
        """Yield that nothing was done, or that the table was disturbed."""
        expected = self.appearance(position)
        if all(expected.get(cell) == look for cell, look in seen.items()):
            yield Explanation((), 0.0)
        else:
            yield _DISTURBED

    def adopt(
        self, position: RoadPosition, seen: Mapping[Cell, Look], to_move: int
    ) -> RoadTurn:
        """Refuse: nobody sees this table.

        Raises:
            CompanionError: always.
        """
        raise CompanionError(
            f"{self.title} is told, not seen: tell on the page what was done, or take "
            "back what was told."
        )


def _sentence(parts: Iterable[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}." if most else f"{last}."
