"""What players do on roads, and how a record line says it (record-format.md)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from reprlib import repr as shortened
from typing import Any

from companion.errors import NotationError
from companion.rules.board import HEX_SIDES, Cell
from companion.rules.road_map import Roads, roads_of, sides_of


@dataclass(frozen=True, slots=True)
class LayTile:
    """A tile from the hand is laid on a space."""

    cell: Cell
    roads: Roads


@dataclass(frozen=True, slots=True)
class RotateTile:
    """The tile on a space is turned; `roads` are those after it."""

    cell: Cell
    roads: Roads


@dataclass(frozen=True, slots=True)
class RemoveTile:
    """The tile on a space goes to the discard."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class SetCone:
    """A cone from beside the board is set up on a space."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class ClearCone:
    """The cone on a space is put beside the board."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Drive:
    """The own car drives to its next stop; `scores`: a cube is put there."""

    cell: Cell
    scores: bool = False


Action = LayTile | RotateTile | RemoveTile | SetCone | ClearCone | Drive


class TurnKind(Enum):
    """What a line tells; the values are its key."""

    START = "start"
    FIRST = "first"
    BUILD = "build"
    DRIVE = "drive"
    TRIP = "trip"
    BUILD_AND_DRIVE = "build and drive"
    """Both keys in one line: never allowed, but said plainly (BOS-10)."""


@dataclass(frozen=True, slots=True)
class RoadTurn:
    """One line of a record.

    Attributes:
        by: the player's number; None for the start, and for whoever might
            be on turn when nobody is.
        actions: one after the other, each on the board the earlier ones left.
        starts: the revealed destinations by player; () but at the start.
    """

    by: int | None
    kind: TurnKind
    actions: tuple[Action, ...] = ()
    starts: tuple[Cell, ...] = ()


# -- reading --------------------------------------------------------------------

_SPACE = re.compile(r"-?(0|[1-9][0-9]{0,3}),-?(0|[1-9][0-9]{0,3})", re.ASCII)


def read_turn(line: Mapping[str, Any], players: int, to_move: int | None) -> RoadTurn:
    """Read a record line.

    Args:
        line: the JSON object.
        players: how many sit at the table.
        to_move: who acts when the line does not say.

    Raises:
        NotationError: the line is malformed.
    """
    by = _player(line["by"], players) if "by" in line else to_move
    kind = _kind(line)
    match kind:
        case TurnKind.START:
            return RoadTurn(None, kind, starts=_starts(line["start"], players))
        case TurnKind.FIRST:
            return RoadTurn(by, kind, (_lay(_object(line["first"], "first")),))
        case TurnKind.BUILD:
            actions = _items(line["build"], _build_item)
        case TurnKind.DRIVE:
            actions = _items(line["drive"], _stop)
        case TurnKind.TRIP:
            actions = _items(line["trip"], _trip_item)
        case TurnKind.BUILD_AND_DRIVE:
            actions = _items(line["build"], _build_item) + _items(line["drive"], _stop)
    return RoadTurn(by, kind, actions)


def _kind(line: Mapping[str, Any]) -> TurnKind:
    keys = {"start", "first", "build", "drive", "trip"} & line.keys()
    if keys == {"build", "drive"}:
        return TurnKind.BUILD_AND_DRIVE
    if len(keys) != 1:
        raise NotationError(
            'a line has exactly one of "start", "first", "build", "drive" and "trip"; '
            f"this one has {' and '.join(sorted(keys)) or 'none'}."
        )
    return TurnKind(keys.pop())


def _player(value: object, players: int) -> int:
    if type(value) is not int or not 0 <= value < players:
        raise NotationError(
            f'"by" is a player\'s number, 0 to {players - 1}, not {shortened(value)}.'
        )
    return value


def _starts(value: object, players: int) -> tuple[Cell, ...]:
    starts = _object(value, "start")
    if starts.keys() != {str(player) for player in range(players)}:
        raise NotationError(
            '"start" names the revealed destination of every player, '
            f'"0" to "{players - 1}".'
        )
    return tuple(_space(starts[str(player)]) for player in range(players))


def _items(
    value: object, read: Callable[[Mapping[str, Any]], Action]
) -> tuple[Action, ...]:
    if not isinstance(value, list):
        raise NotationError(
            f"a turn is a list of actions, [] for a pass, not {shortened(value)}."
        )
    return tuple(read(_object(item, "an action")) for item in value)


def _stop(item: Mapping[str, Any]) -> Drive:
    if "to" not in item:
        raise NotationError('a stop of a drive is {"to": space}.')
    return Drive(_space(item["to"]), _scores(item))


def _lay(item: Mapping[str, Any]) -> LayTile:
    if "place" not in item:
        raise NotationError('a first tile is {"place": space, "roads": [...]}.')
    return LayTile(_space(item["place"]), _roads(item))


_BUILD: Mapping[str, Callable[[Mapping[str, Any]], Action]] = {
    "place": _lay,
    "rotate": lambda item: RotateTile(_space(item["rotate"]), _roads(item)),
    "remove": lambda item: RemoveTile(_space(item["remove"])),
    "cone": lambda item: SetCone(_space(item["cone"])),
    "clear": lambda item: ClearCone(_space(item["clear"])),
}
_TRIP: Mapping[str, Callable[[Mapping[str, Any]], Action]] = {
    **_BUILD,
    "drive": lambda item: Drive(_space(item["drive"]), _scores(item)),
}


def _build_item(item: Mapping[str, Any]) -> Action:
    return _item(item, _BUILD)


def _trip_item(item: Mapping[str, Any]) -> Action:
    return _item(item, _TRIP)


def _item(
    item: Mapping[str, Any],
    readers: Mapping[str, Callable[[Mapping[str, Any]], Action]],
) -> Action:
    keys = readers.keys() & item.keys()
    if len(keys) != 1:
        raise NotationError(
            f"an action has exactly one of {', '.join(readers)}; "
            f"this one has {' and '.join(sorted(keys)) or 'none'}."
        )
    return readers[keys.pop()](item)


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise NotationError(f"{what} is written {{...}}, not {shortened(value)}.")
    return value


def _space(value: object) -> Cell:
    if not isinstance(value, str) or not _SPACE.fullmatch(value):
        raise NotationError(
            f'a space is written "column,row", "6,15", not {shortened(value)}.'
        )
    return Cell(value)


def _roads(item: Mapping[str, Any]) -> Roads:
    sides = item.get("roads")
    if (
        not isinstance(sides, list)
        or not sides
        or not all(isinstance(side, str) and side in HEX_SIDES for side in sides)
        or len(set(sides)) < len(sides)
    ):
        raise NotationError(
            f'"roads" lists sides, each once, of {" ".join(HEX_SIDES)}: '
            f'["N", "SE"], not {shortened(sides)}.'
        )
    return roads_of(sides)


def _scores(item: Mapping[str, Any]) -> bool:
    scores = item.get("scores", False)
    if not isinstance(scores, bool):
        raise NotationError(f'"scores" is true or false, not {shortened(scores)}.')
    return scores


# -- writing --------------------------------------------------------------------


def write_turn(turn: RoadTurn) -> dict[str, Any]:
    """Write a turn as a record line; `read_turn` reads it back."""
    match turn.kind:
        case TurnKind.START:
            starts = {str(player): cell for player, cell in enumerate(turn.starts)}
            return {"start": starts}
        case TurnKind.FIRST:
            what: dict[str, Any] = {"first": _built(turn.actions[0])}
        case TurnKind.DRIVE:
            what = {"drive": _stops(turn.actions)}
        case TurnKind.TRIP:
            what = {
                "trip": [
                    _driven("drive", action)
                    if isinstance(action, Drive)
                    else _built(action)
                    for action in turn.actions
                ]
            }
        case TurnKind.BUILD | TurnKind.BUILD_AND_DRIVE:
            what = {
                "build": [_built(a) for a in turn.actions if not isinstance(a, Drive)]
            }
            if turn.kind is TurnKind.BUILD_AND_DRIVE:
                what["drive"] = _stops(turn.actions)
    return what if turn.by is None else {"by": turn.by, **what}


def _stops(actions: tuple[Action, ...]) -> list[dict[str, Any]]:
    return [_driven("to", action) for action in actions if isinstance(action, Drive)]


def _driven(key: str, drive: Drive) -> dict[str, Any]:
    return {key: drive.cell, "scores": True} if drive.scores else {key: drive.cell}


_KEYS: Mapping[type, str] = {
    LayTile: "place",
    RotateTile: "rotate",
    RemoveTile: "remove",
    SetCone: "cone",
    ClearCone: "clear",
}


def _built(action: Action) -> dict[str, Any]:
    item: dict[str, Any] = {_KEYS[type(action)]: action.cell}
    if isinstance(action, LayTile | RotateTile):
        item["roads"] = sides_of(action.roads)
    return item
