"""3x3 grids of cards, three in a line go: the kind of game that GRID#LOCK is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.errors import CompanionError, HeaderError, NotationError
from companion.rules.board import EMPTY, Cell, Look
from companion.rules.card_faults import faults
from companion.rules.card_positions import (
    LAST_TURNS,
    CardGridOptions,
    CardGridPosition,
    CardGridRules,
    Elimination,
    Phase,
    dealt,
    flip_due,
    is_last_round,
    leaders,
    lines_to_go,
    score,
    seen,
    skip_due,
)
from companion.rules.card_turns import (
    CardTurn,
    FinalFlip,
    FirstDiscard,
    NextRound,
    Skip,
    StartFlip,
    Take,
    TurnReader,
    line_of,
)
from companion.rules.combinations import FACE_DOWN, GONE, Chart, Deck
from companion.rules.game import (
    Explanation,
    Game,
    Header,
    Highlight,
    Line,
    Meaning,
    Outcome,
)
from companion.rules.grids import (
    PLACE_NAMES,
    TRIOS,
    Direction,
    Grid,
    GridsBoard,
    Trio,
    grid_cell,
    trio_through,
)
from companion.rules.verdict import Violation


@dataclass(frozen=True, slots=True)
class CardGridKind:
    """A card-grid game that can be set up: its names, cards and scoring chart.

    Attributes:
        players_per_deck: each further group of up to so many adds a deck.
        most_players: at one table.
    """

    name: str
    title: str
    deck: Deck
    chart: Chart
    players_per_deck: int
    most_players: int

    @property
    def boards(self) -> Sequence[str]:
        """Return no names: the cards lie on the bare table."""
        return ()

    def open(self, header: Header) -> CardGridGame:
        """Set the game up.

        Raises:
            HeaderError: impossible players or teams, unknown house rule.
        """
        players = header.players
        if not 2 <= len(players) <= self.most_players:
            raise HeaderError(
                f"{self.title} is for 2 to {self.most_players} players, "
                f"not {len(players)}."
            )
        if len({bool(player.team) for player in players}) > 1:
            raise HeaderError(
                "Either every player has a team or none; name the missing teams."
            )
        options = options_of(header.rules, self.title)
        deck = replace(
            self.deck,
            wilds=self.deck.wilds if options.wilds else 0,
            locks=self.deck.locks if options.locks else 0,
        )
        decks = -(-len(players) // self.players_per_deck)
        rules = CardGridRules(players, self.chart, deck.counts(decks), options)
        return CardGridGame(self.name, self.title, rules)


def options_of(rules: Mapping[str, object], title: str) -> CardGridOptions:
    """Read the house rules of a header.

    Raises:
        HeaderError: an unknown name or value; the sentence lists what there is.
    """
    for name, value in rules.items():
        if name not in HOUSE_RULES:
            raise HeaderError(
                f'{title} has no house rule "{name}"; it has {", ".join(HOUSE_RULES)}.'
            )
        allowed, values = HOUSE_RULES[name]
        if not allowed(value):
            raise HeaderError(f'The house rule "{name}" is {values}, not {value!r}.')
    options = CardGridOptions(
        **{name.replace("-", "_"): value for name, value in rules.items()}  # type: ignore[arg-type]
    )
    if options.rounds is None and options.points is None:
        raise HeaderError(
            'Without a number of "rounds" the game needs "points" to end at.'
        )
    return options


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_count_or_none(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


HOUSE_RULES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "wilds": (_is_truth, "true or false"),
    "locks": (_is_truth, "true or false"),
    "rounds": (_is_count_or_none, "a whole number from 1 or null"),
    "points": (_is_count_or_none, "a whole number from 1 or null"),
    "open-lines": (lambda value: value in ("three", "six"), '"three" or "six"'),
    "final-double-lock": (
        lambda value: value in ("forfeit", "locked-cells-only"),
        '"forfeit" or "locked-cells-only"',
    ),
}


class CardGridGame(Game[CardGridPosition, CardTurn]):
    """One sitting of a card-grid game.

    Args:
        name: the id of record-format.md.
        title: the name on the box.
        rules: players, cards, chart and house rules.
    """

    piece_kind = "cards"
    unwitnessed = (
        "Whether somebody looked at face-down cards is between the players.",
        "Cards are what the players say they are; the draw pile is only counted.",
    )

    def __init__(self, name: str, title: str, rules: CardGridRules) -> None:
        self.name = name
        self.title = title
        self.rules = rules
        self.players = rules.players
        self.board = GridsBoard(len(rules.players))
        self._reader = TurnReader(len(rules.players), rules.copies)

    # -- told -------------------------------------------------------------------

    def start(self) -> CardGridPosition:
        """Return the first round as it is dealt."""
        return dealt(self.rules, 0, (0,) * len(self.players))

    def turn_of(self, position: CardGridPosition, line: Line) -> CardTurn:
        """Read a record line; what replaces a face-down card must name that one."""
        turn = self._reader.read(line, position.to_move)
        if _names_too_little(position, turn) and not self.violations(position, turn):
            raise NotationError(
                'the card that was replaced lay face down; name it as "old".'
            )
        return turn

    def line_of(self, position: CardGridPosition, turn: CardTurn) -> dict[str, Any]:
        """Write a turn as a record line."""
        return line_of(turn)

    def violations(
        self, position: CardGridPosition, turn: CardTurn
    ) -> tuple[Violation, ...]:
        """Return every rule the turn breaks, the most specific first; () if legal."""
        return faults(self.rules, position, turn)

    def apply(self, position: CardGridPosition, turn: CardTurn) -> CardGridPosition:
        """Return the position after a turn that breaks no rule."""
        position = replace(position, eliminated=(), changed=())
        match turn:
            case StartFlip():
                return self._start_flip(position, turn)
            case FirstDiscard():
                return self._begin_play(replace(position, discards=(turn.card,)))
            case Take():
                return self._end_turn(self._take(position, turn), _player(turn.by))
            case Skip():
                return self._end_turn(position, _player(turn.by))
            case FinalFlip():
                return self._final_flip(position, turn)
            case NextRound():
                return dealt(self.rules, position.round + 1, position.totals)

    def _start_flip(
        self, position: CardGridPosition, turn: StartFlip
    ) -> CardGridPosition:
        by = _player(turn.by)
        grid = position.grids[by].with_flipped(turn.place, turn.shows, turn.arrows)
        return self._begin_play(
            replace(_with_grid(position, by, grid), changed=((by, turn.place),))
        )

    def _begin_play(self, position: CardGridPosition) -> CardGridPosition:
        """Begin the first turn once all have flipped and a discard lies there."""
        if not position.discards or any(
            len(grid.face_down) == 9 for grid in position.grids
        ):
            return position
        return self._next_turn(
            replace(position, phase=Phase.PLAY), _player(position.to_move)
        )

    def _take(self, position: CardGridPosition, turn: Take) -> CardGridPosition:
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
        going = lines_to_go(self.rules, grid, place)
        if not going:
            return _with_grid(position, by, grid)
        direction = turn.eliminate or going[0]
        trio = trio_through(place, direction)
        return self._eliminated(_with_grid(position, by, grid), by, direction, (trio,))

    def _eliminated(
        self,
        position: CardGridPosition,
        by: int,
        direction: Direction,
        trios: tuple[Trio, ...],
    ) -> CardGridPosition:
        before = position.grids[by]
        grid = before.without(self.rules.chart, direction, trios)
        new = grid.clusters[len(before.clusters) :]
        return replace(
            _with_grid(position, by, grid),
            eliminated=position.eliminated
            + tuple(Elimination(by, cluster) for cluster in new),
        )

    def _final_flip(
        self, position: CardGridPosition, turn: FinalFlip
    ) -> CardGridPosition:
        for by, faces in sorted(turn.shows.items()):
            grid = position.grids[by]
            for place, face in sorted(faces.items()):
                arrows = turn.arrows.get(by, {}).get(place, "both")
                grid = grid.with_flipped(place, face, arrows)
            position = replace(
                _with_grid(position, by, grid),
                changed=(*position.changed, *((by, place) for place in faces)),
            )
        for by, grid in enumerate(position.grids):
            chosen = turn.eliminate.get(by) or grid.best_direction(self.rules.chart)
            trios = grid.complete(self.rules.chart, chosen)
            position = self._eliminated(position, by, chosen, trios)
        out = _player(position.first_out)
        turns_left = tuple(
            0 if by == out else LAST_TURNS for by in range(len(self.players))
        )
        return self._after(replace(position, turns_left=turns_left), out)

    # -- whose turn it is ----------------------------------------------------------

    def _end_turn(self, position: CardGridPosition, by: int) -> CardGridPosition:
        grid = position.grids[by].without_locks()
        position = _with_grid(position, by, grid)
        if position.phase is Phase.PLAY and grid.is_out:
            return _went_out(position, by)
        if position.phase is Phase.FINAL:
            left = list(position.turns_left)
            left[by] -= 1
            position = replace(position, turns_left=tuple(left))
        return self._after(position, by)

    def _after(self, position: CardGridPosition, by: int) -> CardGridPosition:
        """Begin the turn of the next player after `by` who has one, else score."""
        seats = len(self.players)
        for step in range(1, seats + 1):
            player = (by + step) % seats
            if not self._has_turn(position, player):
                continue
            position = self._next_turn(position, player)
            if flip_due(position) or not position.grids[player].is_out:
                return position
        return self._end_round(position)

    def _has_turn(self, position: CardGridPosition, player: int) -> bool:
        if position.grids[player].is_out:
            return False
        return position.phase is Phase.PLAY or position.turns_left[player] > 0

    def _next_turn(self, position: CardGridPosition, by: int) -> CardGridPosition:
        """Bind the player's locks; what waited complete goes at once (GHL-A3)."""
        grid = position.grids[by].with_locks_bound()
        direction = grid.best_direction(self.rules.chart)
        position = self._eliminated(
            replace(_with_grid(position, by, grid), to_move=by),
            by,
            direction,
            grid.complete(self.rules.chart, direction),
        )
        if position.phase is Phase.PLAY and position.grids[by].is_out:
            return _went_out(position, by)
        return position

    def _end_round(self, position: CardGridPosition) -> CardGridPosition:
        position = replace(position, phase=Phase.ROUND_OVER, to_move=None)
        totals = tuple(
            total + score(self.rules, position, player)
            for player, total in enumerate(position.totals)
        )
        position = replace(position, totals=totals)
        if is_last_round(self.rules, position):
            return replace(position, phase=Phase.GAME_OVER)
        return position

    # -- shown ------------------------------------------------------------------------

    def state(self, position: CardGridPosition) -> dict[str, Any]:
        """Return the verdict keys that describe a position."""
        players = range(len(self.players))
        return {
            "turn": position.to_move,
            "score": {str(n): score(self.rules, position, n) for n in players},
            "totals": {str(n): position.totals[n] for n in players},
            "cells": {str(n): list(position.grids[n].cards) for n in players},
            "locked": {
                str(n): _cells(
                    place for place in sorted(grid.locked) if grid.cards[place] != GONE
                )
                for n, grid in enumerate(position.grids)
            },
            "phase": position.phase.value,
            "over": self._over(position),
            "eliminated": [],
        }

    def _over(self, position: CardGridPosition) -> dict[str, Any] | None:
        outcome = self.outcome(position)
        if outcome is None:
            return None
        if len(outcome.winners) == 1:
            return {"winner": outcome.winners[0]}
        return {"winners": list(outcome.winners)}

    def effects(self, position: CardGridPosition) -> dict[str, Any]:
        """Return what the last action eliminated."""
        return {
            "eliminated": [
                {
                    "by": item.by,
                    "cards": list(item.cluster.cards),
                    "points": item.cluster.points,
                }
                for item in position.eliminated
            ]
        }

    def describe(self, position: CardGridPosition, turn: CardTurn) -> str:
        """Say in a plain sentence what is done."""
        match turn:
            case StartFlip():
                name = PLACE_NAMES[turn.place]
                return f"{self._name(turn.by)} flips up {turn.shows} ({name}) to start."
            case FirstDiscard():
                return f"{turn.card} begins the discard pile."
            case Take():
                return self._describe_take(position, turn)
            case FinalFlip():
                return f"{self._name(position.first_out)} is out; all others flip up."
            case Skip():
                return f"{self._name(turn.by)} loses a turn to a lock card."
            case NextRound():
                return f"Round {position.round + 2} is dealt."

    def _describe_take(self, position: CardGridPosition, turn: Take) -> str:
        drawn = turn.source == "draw"
        card = turn.card if drawn else position.discards[-1]
        pile = "draw" if drawn else "discard"
        said = f"{self._name(turn.by)} takes {card} from the {pile} pile"
        if turn.put is not None:
            there = position.grids[_player(turn.by)].cards[turn.put]
            old = turn.old if there == FACE_DOWN else there
            return f"{said}, puts it {PLACE_NAMES[turn.put]} and discards {old}."
        if turn.flip is None:
            return f"{said} and discards it."
        return (
            f"{said}, discards it and flips up {turn.shows} ({PLACE_NAMES[turn.flip]})."
        )

    def _name(self, player: int | None) -> str:
        return "Somebody" if player is None else self.rules.name(player)

    def to_move(self, position: CardGridPosition) -> int | None:
        """Return the player on turn, before play the one who will begin."""
        return position.to_move

    def outcome(self, position: CardGridPosition) -> Outcome | None:
        """Return who has the highest total when the last round is over."""
        if position.phase is not Phase.GAME_OVER:
            return None
        winners = leaders(self.rules, position)
        best = sum(position.totals[n] for n in self._team_of(winners[0]))
        names = " and ".join(self.rules.name(player) for player in winners)
        verb = "has" if len(winners) == 1 else "have"
        return Outcome(winners, f"{names} {verb} the highest total, {best}.")

    def _team_of(self, player: int) -> tuple[int, ...]:
        return next(team for team in self.rules.teams if player in team)

    def highlights(self, position: CardGridPosition) -> tuple[Highlight, ...]:
        """Return the grids of the winners, then what the last turn changed."""
        outcome = self.outcome(position)
        shown = [
            Highlight(
                Meaning.WON,
                tuple(grid_cell(player, place) for place in range(9)),
                self.players[player].team,
            )
            for player in (outcome.winners if outcome else ())
        ]
        if position.changed:
            cells = tuple(grid_cell(player, n) for player, n in position.changed)
            shown.append(Highlight(Meaning.LAST_TURN, cells))
        return tuple(shown)

    def extras(self, position: CardGridPosition) -> dict[str, Any]:
        """Return what lies beside the grids, and what is waited for."""
        unseen = self.rules.copies
        counts = seen(position)
        return {
            "round": position.round + 1,
            "waiting_for": self._waiting_for(position),
            "discard": position.discards[-1] if position.discards else None,
            "pile": position.pile,
            "unseen": {face: copies - counts[face] for face, copies in unseen.items()},
            "first_out": position.first_out,
            "last_turns": {
                str(n): 0 if position.grids[n].is_out else left
                for n, left in enumerate(position.turns_left)
            },
            "grids": {
                str(n): self._grid_extras(grid) for n, grid in enumerate(position.grids)
            },
            "teams": {
                self.players[team[0]].team: sum(position.totals[n] for n in team)
                for team in self.rules.teams
                if self.players[team[0]].team
            },
        }

    def _grid_extras(self, grid: Grid) -> dict[str, Any]:
        return {
            "direction": grid.direction,
            "clusters": [
                {"cards": list(cluster.cards), "points": cluster.points}
                for cluster in grid.clusters
            ],
            "locks": [
                {"cell": list(divmod(place, 3)), "arrows": arrows}
                for place, arrows in grid.locks
            ],
            "waiting": [
                {"cells": _cells(trio), "points": grid.points(self.rules.chart, trio)}
                for direction in TRIOS
                for trio in grid.without_locks().complete(self.rules.chart, direction)
            ],
        }

    def _waiting_for(self, position: CardGridPosition) -> str | None:
        if position.phase is Phase.FINAL and flip_due(position):
            return "final_flip"
        if skip_due(self.rules, position):
            return "skip"
        return {
            Phase.START: "start",
            Phase.PLAY: "take",
            Phase.FINAL: "take",
            Phase.ROUND_OVER: "next_round",
            Phase.GAME_OVER: None,
        }[position.phase]

    # -- seen -------------------------------------------------------------------------

    def looks(self) -> tuple[Look, ...]:
        """Return (): nothing reads these cards yet."""
        return ()

    def appearance(self, position: CardGridPosition) -> Mapping[Cell, Look]:
        """Return each card's face, "face-down", or "empty" where a line has gone."""
        hidden = {FACE_DOWN: Look("face-down"), GONE: EMPTY}
        return {
            grid_cell(player, place): hidden.get(card) or Look(card)
            for player, grid in enumerate(position.grids)
            for place, card in enumerate(grid.cards)
        }

    def explanations(
        self, position: CardGridPosition, seen: Mapping[Cell, Look]
    ) -> Iterator[Explanation[CardTurn]]:
        """Yield that nothing was done: this game is told, not seen."""
        yield Explanation((), 0.0)

    def adopt(
        self, position: CardGridPosition, seen: Mapping[Cell, Look], to_move: int
    ) -> CardTurn:
        """Refuse: no camera reads these cards.

        Raises:
            CompanionError: always, with what to do.
        """
        raise CompanionError(
            f"{self.title} is told, not seen: take turns back and enter them anew."
        )


def _player(number: int | None) -> int:
    assert number is not None, "legal turns have a player"
    return number


def _names_too_little(position: CardGridPosition, turn: CardTurn) -> bool:
    return (
        isinstance(turn, Take)
        and turn.by is not None
        and turn.put is not None
        and turn.old is None
        and position.grids[turn.by].cards[turn.put] == FACE_DOWN
    )


def _with_grid(position: CardGridPosition, by: int, grid: Grid) -> CardGridPosition:
    grids = position.grids
    return replace(position, grids=(*grids[:by], grid, *grids[by + 1 :]))


def _picked_up(position: CardGridPosition, turn: Take) -> tuple[CardGridPosition, str]:
    """Take the card from its pile, after shuffling the discards if it is empty."""
    if turn.card is None or turn.source == "discard":
        *left, card = position.discards
        return replace(position, discards=tuple(left)), card
    if position.pile == 0:
        *under, top = position.discards
        position = replace(position, discards=(top,), pile=len(under))
    return replace(position, pile=position.pile - 1), turn.card


def _went_out(position: CardGridPosition, by: int) -> CardGridPosition:
    """End the normal part of the round; the final flip is due (GHL-17)."""
    return replace(
        _with_grid(position, by, position.grids[by].without_locks()),
        phase=Phase.FINAL,
        first_out=by,
        to_move=None,
    )


def _cells(places: Iterator[int] | Trio) -> list[list[int]]:
    return [list(divmod(place, 3)) for place in places]
