"""3x3 grids of cards, three in a line go: the kind of game that GRID#LOCK is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.errors import CompanionError, HeaderError, NotationError
from companion.rules.board import EMPTY, Cell, Look
from companion.rules.card_faults import faults
from companion.rules.card_play import after
from companion.rules.card_positions import (
    CardGridPosition,
    Elimination,
    Phase,
    dealt,
    leaders,
    score,
    seen,
    skip_due,
)
from companion.rules.card_rules import OFFERS, CardGridRules, options_of
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
    Grid,
    GridsBoard,
    Trio,
    grid_cell,
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

    @property
    def teams(self) -> Sequence[str]:
        """Return no names: any text is one."""
        return ()

    @property
    def told(self) -> bool:
        """No camera reads such a table yet."""
        return True

    @property
    def house_rules(self) -> Mapping[str, Sequence[object]]:
        """The options of record-format.md, with usual numbers of rounds and points."""
        return OFFERS

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
        return after(self.rules, position, turn)

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
        """Say in plain sentences what is done, and what is eliminated by it."""
        legal = not self.violations(position, turn)
        gone = self.apply(position, turn).eliminated if legal else ()
        return " ".join([self._done(position, turn), *map(self._told, gone)])

    def _told(self, item: Elimination) -> str:
        first, second, third = item.cluster.cards
        points = item.cluster.points
        return (
            f"{self._name(item.by)}'s {first}, {second} and {third} are eliminated for "
            f"{points} point{'' if points == 1 else 's'}."
        )

    def _done(self, position: CardGridPosition, turn: CardTurn) -> str:
        match turn:
            case StartFlip():
                where = f"{turn.shows} {_at(turn.place)}"
                return f"{self._name(turn.by)} flips up {where} to start."
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
        card = turn.card or next(reversed(position.discards), "a card")
        pile = "draw" if turn.source == "draw" else "discard"
        said = f"{self._name(turn.by)} takes {card} from the {pile} pile"
        if turn.put is not None:
            there = (
                FACE_DOWN
                if turn.by is None
                else position.grids[turn.by].cards[turn.put]
            )
            old = turn.old or (there if there not in (FACE_DOWN, GONE) else "a card")
            return f"{said}, puts it {_at(turn.put)} and discards {old}."
        if turn.flip is None:
            return f"{said} and discards it."
        return f"{said}, discards it and flips up {turn.shows} {_at(turn.flip)}."

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
        copies, counts = self.rules.copies, seen(position)
        return {
            "round": position.round + 1,
            "waiting_for": self._waiting_for(position),
            "discard": position.discards[-1] if position.discards else None,
            "pile": position.pile,
            "unseen": {face: n - counts[face] for face, n in copies.items()},
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
        if position.flip_due:
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


def _names_too_little(position: CardGridPosition, turn: CardTurn) -> bool:
    return (
        isinstance(turn, Take)
        and turn.by is not None
        and turn.put is not None
        and turn.old is None
        and position.grids[turn.by].cards[turn.put] == FACE_DOWN
    )


def _at(place: int) -> str:
    return f"at the {PLACE_NAMES[place]}"


def _cells(places: Iterator[int] | Trio) -> list[list[int]]:
    return [list(divmod(place, 3)) for place in places]
