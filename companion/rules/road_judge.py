"""Which rules a turn on roads breaks, and what it leaves behind."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from companion.rules.board import Cell
from companion.rules.road_building import bad_building
from companion.rules.road_driving import bad_driving
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
)
from companion.rules.verdict import Violation, Witness

T = TypeVar("T")


def violations(
    setup: RoadSetup, position: RoadPosition, turn: RoadTurn
) -> Iterator[Violation]:
    """Yield every rule a turn breaks, the most specific first."""
    untimely = _untimely(setup, position, turn)
    if untimely:
        yield untimely
    elif turn.kind is TurnKind.START:
        yield from _bad_start(setup, turn.starts)
    else:
        by = _actor(turn)
        # The first of the first tiles is a race: anybody may lay it (BOS-05).
        is_racing = position.first_tiles == 0
        if by != position.to_move and not is_racing:
            yield _out_of_turn(setup, position, by)
            if turn.kind is TurnKind.FIRST and _has_laid(setup, position, by):
                yield _no_time_for(turn.kind)
        yield from _too_much(setup, turn)
        yield from _bad_actions(setup, position, by, turn.actions)


def position_after(
    setup: RoadSetup, position: RoadPosition, turn: RoadTurn
) -> RoadPosition:
    """Return the position after a turn, and who is on turn then."""
    if turn.kind is TurnKind.START:
        return _started(setup, turn)
    by = _actor(turn)
    after = position
    for action in turn.actions:
        after = _after(setup, after, by, action)
    if position.winner is not None:
        last_turns = position.last_turns - 1
    else:
        last_turns = 0 if after.winner is None else len(setup.players) - 1
    is_over = after.winner is not None and last_turns == 0
    return replace(
        after,
        first_tiles=after.first_tiles + (turn.kind is TurnKind.FIRST),
        to_move=None if is_over else (by + 1) % len(setup.players),
        last_turns=last_turns,
        last=turn,
    )


def _started(setup: RoadSetup, turn: RoadTurn) -> RoadPosition:
    return RoadPosition(
        cars=turn.starts,
        starts=turn.starts,
        cubes=tuple(
            frozenset({cell} if setup.has_start_cube else ()) for cell in turn.starts
        ),
        last=turn,
    )


def _untimely(
    setup: RoadSetup, position: RoadPosition, turn: RoadTurn
) -> Violation | None:
    """Return why a turn of this kind has no place in the game now."""
    kind = turn.kind
    if position.to_move is None:
        return _after_the_end()
    if not position.cars:
        return None if kind is TurnKind.START else _no_cars_yet()
    if kind is TurnKind.START:
        return _started_already()
    if (position.first_tiles < len(setup.players)) != (kind is TurnKind.FIRST):
        return _no_time_for(kind)
    is_mixed = kind in (TurnKind.TRIP, TurnKind.BUILD_AND_DRIVE)
    if is_mixed and not (setup.options.quick_trip and kind is TurnKind.TRIP):
        return Violation(
            "build-and-drive-same-turn",
            "A turn is for building or for driving, not for both: take one of "
            "the two back.",
            "BOS-10",
        )
    return None


def _bad_start(setup: RoadSetup, starts: tuple[Cell, ...]) -> Iterator[Violation]:
    for player, cell in enumerate(starts):
        if cell not in setup.rules.map.names:
            yield Violation(
                "start-place-mismatch",
                f"{cell} is no destination: put {setup.players[player].name}'s car "
                "on the destination of the revealed card.",
                "BOS-03",
                setup.on_board(cell),
                Witness.CARD,
            )
        elif cell in starts[:player]:
            first = setup.players[starts.index(cell)].name
            yield Violation(
                "duplicate-start",
                f"{first} starts at {setup.name(cell)} already: "
                f"{setup.players[player].name} shuffles that card back and reveals "
                "another.",
                "BOS-02",
                (cell,),
            )


def _has_laid(setup: RoadSetup, position: RoadPosition, player: int) -> bool:
    """Whether a player is among those who have just laid their first tiles."""
    assert position.to_move is not None
    turns_ago = (position.to_move - player) % len(setup.players)
    return 0 < turns_ago <= position.first_tiles


def _out_of_turn(setup: RoadSetup, position: RoadPosition, by: int) -> Violation:
    assert position.to_move is not None
    on_turn = setup.players[position.to_move].name
    return Violation(
        "out-of-turn-play",
        f"It is {on_turn}'s turn, not {setup.players[by].name}'s: take this back.",
        "BOS-05",
    )


def _too_much(setup: RoadSetup, turn: RoadTurn) -> Iterator[Violation]:
    rules, count = setup.rules, len(turn.actions)
    many = "too-many-build-actions"
    limits = {
        TurnKind.BUILD: (
            many,
            rules.build_actions,
            "actions in a build turn",
            "BOS-11",
        ),
        TurnKind.TRIP: (many, rules.trip_actions, "actions in a trip", "BOS-V1"),
        TurnKind.DRIVE: ("too-many-stops", rules.stops, "stops in a drive", "BOS-19"),
    }
    if turn.kind in limits:
        code, limit, what, rule = limits[turn.kind]
        if count > limit:
            yield Violation(
                code,
                f"There are at most {limit} {what} and these are {count}: take the "
                "last ones back.",
                rule,
            )
    laid = [a.cell for a in turn.actions if isinstance(a, LayTile)]
    if len(laid) > rules.hand:
        yield Violation(
            "third-tile-placed",
            f"A hand has {rules.hand} tiles and is refilled after the turn: take "
            f"the tile on {laid[rules.hand]} back.",
            "BOS-12",
            tuple(cell for last in laid[rules.hand :] for cell in setup.on_board(last)),
        )


def _bad_actions(
    setup: RoadSetup, position: RoadPosition, by: int, actions: Iterable[Action]
) -> Iterator[Violation]:
    """Yield what is wrong with each action on the board the earlier ones left."""
    for action in actions:
        if len(position.cubes[by]) >= setup.goal:
            yield _after_the_end()
            return
        if isinstance(action, Drive):
            yield from bad_driving(setup, position, by, action)
        else:
            yield from bad_building(setup, position, by, action)
        position = _after(setup, position, by, action)


def _after(
    setup: RoadSetup, position: RoadPosition, by: int, action: Action
) -> RoadPosition:
    """Return the position after one action, as far as pieces can lie like that."""
    cell = action.cell
    if cell not in setup.rules.map.spaces:
        return position
    match action:
        case LayTile(roads=roads) | RotateTile(roads=roads):
            return replace(position, tiles={**position.tiles, cell: roads})
        case RemoveTile():
            tiles = {at: roads for at, roads in position.tiles.items() if at != cell}
            return replace(position, tiles=tiles)
        case SetCone():
            return replace(position, cones=position.cones | {cell})
        case ClearCone():
            return replace(position, cones=position.cones - {cell})
        case Drive(scores=scores):
            return _driven(setup, position, by, cell, scores)


def _driven(
    setup: RoadSetup, position: RoadPosition, by: int, cell: Cell, scores: bool
) -> RoadPosition:
    cars = _with(position.cars, by, cell)
    if not scores:
        return replace(position, cars=cars)
    cubes = position.cubes[by] | {cell}
    has_won = position.winner is None and len(cubes) >= setup.goal
    return replace(
        position,
        cars=cars,
        cubes=_with(position.cubes, by, cubes),
        winner=by if has_won else position.winner,
    )


def _actor(turn: RoadTurn) -> int:
    assert turn.by is not None, "the start and turns after the end end up elsewhere"
    return turn.by


def _with(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


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
