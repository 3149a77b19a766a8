"""How a card-grid game goes on after a turn."""

from __future__ import annotations

from dataclasses import replace

from companion.rules.card_positions import (
    CardGridPosition,
    Elimination,
    Phase,
    dealt,
    is_last_round,
    lines_to_go,
    score,
)
from companion.rules.card_rules import LAST_TURNS, CardGridRules
from companion.rules.card_turns import (
    CardTurn,
    FinalFlip,
    FirstDiscard,
    NextRound,
    Skip,
    StartFlip,
    Take,
)
from companion.rules.combinations import FACE_DOWN
from companion.rules.grids import Direction, Trio, trio_through


def after(
    rules: CardGridRules, position: CardGridPosition, turn: CardTurn
) -> CardGridPosition:
    """Return the position after a turn that breaks no rule."""
    position = replace(position, eliminated=(), changed=())
    match turn:
        case StartFlip():
            return _start_flip(rules, position, turn)
        case FirstDiscard():
            return _begin_play(rules, replace(position, discards=(turn.card,)))
        case Take():
            return _end_turn(rules, _take(rules, position, turn), _player(turn.by))
        case Skip():
            return _end_turn(rules, position, _player(turn.by))
        case FinalFlip():
            return _final_flip(rules, position, turn)
        case NextRound():
            return dealt(rules, position.round + 1, position.totals)


def _start_flip(
    rules: CardGridRules, position: CardGridPosition, turn: StartFlip
) -> CardGridPosition:
    by = _player(turn.by)
    grid = position.grids[by].with_flipped(turn.place, turn.shows, turn.arrows)
    return _begin_play(
        rules, replace(position.with_grid(by, grid), changed=((by, turn.place),))
    )


def _begin_play(rules: CardGridRules, position: CardGridPosition) -> CardGridPosition:
    """Begin the first turn once all have flipped and a discard lies there."""
    if not position.discards or any(
        len(grid.face_down) == 9 for grid in position.grids
    ):
        return position
    return _next_turn(
        rules, replace(position, phase=Phase.PLAY), _player(position.to_move)
    )


def _take(
    rules: CardGridRules, position: CardGridPosition, turn: Take
) -> CardGridPosition:
    by = _player(turn.by)
    position, card = _picked_up(position, turn)
    grid = position.grids[by]
    place = turn.flip
    if turn.put is not None:
        place, old = turn.put, grid.cards[turn.put]
        grid = grid.with_card(place, card)
        card = str(turn.old) if old == FACE_DOWN else old
    elif turn.flip is not None:
        grid = grid.with_flipped(turn.flip, str(turn.shows), turn.arrows)
    position = replace(position, discards=(*position.discards, card))
    if place is None:
        return position
    position = replace(position, changed=((by, place),))
    going = lines_to_go(rules, grid, place)
    if not going:
        return position.with_grid(by, grid)
    direction = turn.eliminate or going[0]
    trio = trio_through(place, direction)
    return _eliminated(rules, position.with_grid(by, grid), by, direction, (trio,))


def _eliminated(
    rules: CardGridRules,
    position: CardGridPosition,
    by: int,
    direction: Direction,
    trios: tuple[Trio, ...],
) -> CardGridPosition:
    before = position.grids[by]
    grid = before.without(rules.chart, direction, trios)
    new = grid.clusters[len(before.clusters) :]
    return replace(
        position.with_grid(by, grid),
        eliminated=position.eliminated
        + tuple(Elimination(by, cluster) for cluster in new),
    )


def _final_flip(
    rules: CardGridRules, position: CardGridPosition, turn: FinalFlip
) -> CardGridPosition:
    for by, faces in sorted(turn.shows.items()):
        grid = position.grids[by]
        for place, face in sorted(faces.items()):
            arrows = turn.arrows.get(by, {}).get(place, "both")
            grid = grid.with_flipped(place, face, arrows)
        position = replace(
            position.with_grid(by, grid),
            changed=(*position.changed, *((by, place) for place in faces)),
        )
    for by, grid in enumerate(position.grids):
        chosen = turn.eliminate.get(by) or grid.best_direction(rules.chart)
        trios = grid.complete(rules.chart, chosen)
        position = _eliminated(rules, position, by, chosen, trios)
    out = _player(position.first_out)
    turns_left = tuple(
        0 if by == out else LAST_TURNS for by in range(len(rules.players))
    )
    return _after(rules, replace(position, turns_left=turns_left), out)


def _end_turn(
    rules: CardGridRules, position: CardGridPosition, by: int
) -> CardGridPosition:
    grid = position.grids[by].without_locks()
    position = position.with_grid(by, grid)
    if position.phase is Phase.PLAY and grid.is_out:
        return _went_out(position, by)
    if position.phase is Phase.FINAL:
        left = list(position.turns_left)
        left[by] -= 1
        position = replace(position, turns_left=tuple(left))
    return _after(rules, position, by)


def _after(
    rules: CardGridRules, position: CardGridPosition, by: int
) -> CardGridPosition:
    """Begin the turn of the next player after `by` who has one, else score."""
    seats = len(rules.players)
    for step in range(1, seats + 1):
        player = (by + step) % seats
        if not _has_turn(position, player):
            continue
        position = _next_turn(rules, position, player)
        if position.flip_due or not position.grids[player].is_out:
            return position
    return _end_round(rules, position)


def _has_turn(position: CardGridPosition, player: int) -> bool:
    if position.grids[player].is_out:
        return False
    return position.phase is Phase.PLAY or position.turns_left[player] > 0


def _next_turn(
    rules: CardGridRules, position: CardGridPosition, by: int
) -> CardGridPosition:
    """Bind the player's locks; what waited complete goes at once (GHL-A3)."""
    grid = position.grids[by].with_locks_bound()
    direction = grid.best_direction(rules.chart)
    position = _eliminated(
        rules,
        replace(position.with_grid(by, grid), to_move=by),
        by,
        direction,
        grid.complete(rules.chart, direction),
    )
    if position.phase is Phase.PLAY and position.grids[by].is_out:
        return _went_out(position, by)
    return position


def _end_round(rules: CardGridRules, position: CardGridPosition) -> CardGridPosition:
    position = replace(position, phase=Phase.ROUND_OVER, to_move=None)
    totals = tuple(
        total + score(rules, position, player)
        for player, total in enumerate(position.totals)
    )
    position = replace(position, totals=totals)
    if is_last_round(rules, position):
        return replace(position, phase=Phase.GAME_OVER)
    return position


def _picked_up(position: CardGridPosition, turn: Take) -> tuple[CardGridPosition, str]:
    """Take the card from its pile, after shuffling the discards if it is empty."""
    if turn.card is None:
        *left, card = position.discards
        return replace(position, discards=tuple(left)), card
    if position.pile == 0:
        *under, top = position.discards
        position = replace(position, discards=(top,), pile=len(under))
    return replace(position, pile=position.pile - 1), turn.card


def _went_out(position: CardGridPosition, by: int) -> CardGridPosition:
    """End the normal part of the round; the final flip is due (GHL-17)."""
    return replace(
        position.with_grid(by, position.grids[by].without_locks()),
        phase=Phase.FINAL,
        first_out=by,
        to_move=None,
    )


def _player(number: int | None) -> int:
    assert number is not None, "legal turns have a player"
    return number
