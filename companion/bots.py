"""Virtual players: they hold real cards, look at the page, and move hands.

A bot knows what a person at the table knows: its own cards, the page, and what
lies on the table. It acts with its hands only, and with the buttons of the page
where a person would have to (a dead card, a pass, a reshuffle). Nobody tells the
referee which card was played; it lies on the pile beside the board.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.record import header_of, open_game
from companion.rules.board import Cell, Look
from companion.rules.game import Meaning
from companion.rules.run_turns import Place, Remove, RunPosition, Swap
from companion.rules.runs import RunGame
from companion.rules.verdict import Kind
from companion.rules.windows import bits
from companion.snapshot import NewMatch, Request, Snapshot, Tell
from hardware.virtual_table import VirtualTable

PAUSE = 0.6
"""Seconds at speed 1 between a turn seen on the page and the next hand."""

PATIENCE = 8.0
"""Seconds after which bots put right what the referee refuses; it needs its time."""

APPLAUSE = 6.0
"""Seconds at speed 1 that a won game stays on the table."""

Action = Place | Remove | Swap


@dataclass(slots=True)
class _Cards:
    """The cards of one game, dealt. Mutable.

    Attributes:
        stock: face down, the next one last.
        hands: by player.
        played: face up, on the discard piles.
        owed: draws beyond the usual one, by player (dead cards).
    """

    stock: list[str]
    hands: list[list[str]]
    played: list[str]
    owed: list[int]


class Bots:
    """Everybody at a virtual table. Mutable; called from one thread.

    Args:
        table: where they move pieces.
        board: the board as a record header names it.
        ask: presses a button of the page.
        seed: of the shuffles and of choices between equals.
    """

    def __init__(
        self,
        table: VirtualTable,
        board: str | Mapping[str, Any],
        ask: Callable[[Request], str | None],
        seed: int,
    ) -> None:
        self.running = True
        self.speed = 1.0
        self._steps = 0
        self._table = table
        self._board = board
        self._ask = ask
        self._random = random.Random(seed)
        self._key: object = None
        self._cards = _Cards([], [], [], [])
        self._rules: RunGame | None = None
        self._calm_since = 0.0
        self._seen: object = None
        self._mine: frozenset[Cell] = frozenset()

    def rest(self) -> None:
        """Begin no turn any more."""
        self.running, self._steps = False, 0

    def step(self) -> None:
        """Let them take one turn even when they rest."""
        self._steps = 1

    def tick(self, snapshot: Snapshot, now: float) -> None:
        """Look at the page and the table, and perhaps begin to move.

        Args:
            snapshot: the page.
            now: seconds on a steady clock.
        """
        if not snapshot.sighted:
            return  # another game is told: there is nothing to do at this table
        truth = self._table.looks()
        seen = (snapshot.number, truth, self._table.busy)
        if seen != self._seen:
            self._seen, self._calm_since = seen, now
        calm = (now - self._calm_since) * self.speed
        if self._table.busy or not (self.running or self._steps) or calm < PAUSE:
            return
        wrong = {cell for cell, look in truth.items() if look != snapshot.looks[cell]}
        if wrong:
            self._tidy(wrong, truth, snapshot, now)
            return
        self._deal_if_new(snapshot)
        if self._turned_over(snapshot):
            return
        if snapshot.state["over"]:
            if calm >= APPLAUSE:
                self._go_on(snapshot, truth)
        elif snapshot.kind in (Kind.UNCHANGED, Kind.LEGAL):
            self._steps = 0
            self._play(snapshot)

    # -- the table ----------------------------------------------------------

    def _tidy(
        self,
        wrong: set[Cell],
        truth: Mapping[Cell, Look],
        snapshot: Snapshot,
        now: float,
    ) -> None:
        """Put right what they did themselves, and clear the board of an old game."""
        waited = now - self._calm_since >= PATIENCE
        if waited and wrong <= self._mine and not self._is_clear(truth):
            self._put_right(wrong, truth, snapshot)
        elif wrong <= set(self._lying(truth)) and (
            snapshot.state["over"] or self._is_left_over(snapshot)
        ):
            self._table.clear()

    @staticmethod
    def _is_left_over(snapshot: Snapshot) -> bool:
        """Tell whether pieces of another game lie where a new one is to begin."""
        asked = snapshot.kind is Kind.UNCERTAIN and not snapshot.doubtful
        return asked and not snapshot.story

    def _is_clear(self, truth: Mapping[Cell, Look]) -> bool:
        return not self._lying(truth)

    @staticmethod
    def _lying(truth: Mapping[Cell, Look]) -> list[Cell]:
        return [cell for cell, look in truth.items() if look != "empty"]

    def _put_right(
        self,
        wrong: set[Cell],
        truth: Mapping[Cell, Look],
        snapshot: Snapshot,
    ) -> None:
        """Make the squares look again as the page says."""
        for cell in sorted(wrong):
            if truth[cell] != "empty":
                self._table.take(cell)
            if snapshot.looks[cell] != "empty":
                self._table.put(cell, snapshot.looks[cell])
        self._mine = frozenset()

    def _turned_over(self, snapshot: Snapshot) -> bool:
        """Turn the chips over that the page asks for."""
        cells = [
            cell
            for highlight in snapshot.highlights
            if highlight.meaning is Meaning.TURN_OVER
            for cell in highlight.cells
        ]
        by = self._last_player(snapshot)
        for cell in cells:
            self._table.turn_over(cell, by)
        return bool(cells)

    @staticmethod
    def _last_player(snapshot: Snapshot) -> int:
        return next((n.by for n in reversed(snapshot.story) if n.by is not None), 0)

    def _go_on(self, snapshot: Snapshot, truth: Mapping[Cell, Look]) -> None:
        """Clear the table for the next game, and begin a match after the last."""
        if not self._is_clear(truth):
            self._table.clear()
        elif snapshot.score.winner:
            self._ask(NewMatch(self._header(snapshot), snapshot.score.best_of))

    # -- cards --------------------------------------------------------------

    @property
    def _game(self) -> RunGame:
        assert self._rules is not None, "nothing was dealt yet"
        return self._rules

    def _header(self, snapshot: Snapshot) -> dict[str, Any]:
        return {
            "record": 1,
            "game": snapshot.game,
            "players": [
                {"name": player.name, "team": player.team}
                for player in snapshot.players
            ],
            "board": self._board,
            "rules": dict(snapshot.rules),
        }

    def _deal_if_new(self, snapshot: Snapshot) -> None:
        key = (snapshot.score.game_number, snapshot.players, snapshot.rules)
        begun_again = self._cards.played and not snapshot.story
        if key == self._key and not begun_again:
            return
        self._key = key
        game = open_game(header_of(self._header(snapshot)))
        assert isinstance(game, RunGame), (
            "only five-in-a-row games have a virtual table"
        )
        self._rules = game
        rules, count = game.setup.rules, len(snapshot.players)
        deck = [card for card in rules.cards for _ in range(2)]
        deck += [card for card, copies in rules.specials.items() for _ in range(copies)]
        played = []
        for cell in self._lying(snapshot.looks):
            card = snapshot.printed[cell]
            if card in deck:  # somebody must have played it before the deal
                deck.remove(card)
                played.append(card)
        self._random.shuffle(deck)
        size = rules.hands[count]
        hands = [[deck.pop() for _ in range(size)] for _ in range(count)]
        self._cards = _Cards(deck, hands, played, [0] * count)

    def _draw(self, player: int) -> None:
        """Draw what is due; the discards become the stock where the rules allow it."""
        cards = self._cards
        for _ in range(1 + cards.owed[player]):
            if not cards.stock and cards.played:
                if self._ask(Tell({"reshuffle": True})):
                    break
                cards.stock, cards.played = cards.played, []
                self._random.shuffle(cards.stock)
            if cards.stock:
                cards.hands[player].append(cards.stock.pop())
        cards.owed[player] = 0

    # -- playing ------------------------------------------------------------

    def _play(self, snapshot: Snapshot) -> None:
        player = snapshot.state["turn"]
        hand = self._cards.hands[player]
        dead = [card for card in hand if card in snapshot.state["dead"]]
        if dead and not self._ask(Tell({"by": player, "dead": dead[0]})):
            self._give_up(player, dead[0])
            return
        position = self._position(snapshot)
        best = self._best(position, player, hand)
        if best is None:
            card = self._random.choice(hand) if hand else None
            told = {"by": player, "pass": True, **({"card": card} if card else {})}
            if not self._ask(Tell(told)) and card:
                self._give_up(player, card)
            return
        self._do(best, snapshot)
        hand.remove(str(best.card))
        self._cards.played.append(str(best.card))
        self._draw(player)

    def _give_up(self, player: int, card: str) -> None:
        """Lay a card down without playing it, and take another at once."""
        self._cards.hands[player].remove(card)
        self._cards.played.append(card)
        self._table.play_card(player, card)
        if self._cards.stock:
            self._cards.hands[player].append(self._cards.stock.pop())

    def _do(self, action: Action, snapshot: Snapshot) -> None:
        player, cell = action.by or 0, self._game.board.cells[action.square]
        self._table.play_card(player, str(action.card))
        if not isinstance(action, Place):
            self._table.take(cell, player)
        if not isinstance(action, Remove):
            self._table.put(cell, Look(snapshot.players[player].team), player)
        self._mine = frozenset((cell,))

    def _position(self, snapshot: Snapshot) -> RunPosition:
        """Return the position that the page shows."""
        start, looks = self._game.start(), snapshot.looks
        seen = {cell: looks[cell] for cell in self._lying(looks)}
        turn = self._game.adopt(start, seen, snapshot.state["turn"])
        return self._game.apply(start, turn)

    def _best(
        self, position: RunPosition, player: int, hand: Sequence[str]
    ) -> Action | None:
        """Return the most promising legal action, None if there is none."""
        options = [
            (self._worth(position, action), self._random.random(), action)
            for card in dict.fromkeys(hand)
            for action in self._actions(position, player, card)
        ]
        for _, _, action in sorted(options, key=lambda option: option[:2])[::-1]:
            if not self._game.violations(position, action):
                return action
        return None

    def _actions(
        self, position: RunPosition, player: int, card: str
    ) -> Iterator[Action]:
        setup = self._game.setup
        team = setup.team_of[player]
        covered = 0
        for chips in position.chips:
            covered |= chips
        if card in setup.rules.take:
            kind = Swap if setup.rules.replaces else Remove
            targets = covered & ~position.chips[team] & ~position.turned
            yield from (kind(player, card, square) for square in bits(targets))
        else:
            free = setup.fits[card] & ~covered
            yield from (Place(player, card, square) for square in bits(free))

    def _worth(self, position: RunPosition, action: Action) -> float:
        """Return how much a square matters: long own rows, and others' to stop.

        A row of n pieces that can still become five is worth 4**n to its team;
        a special card costs a little, as it will be wanted later.
        """
        setup = self._game.setup
        own = setup.team_of[action.by or 0]
        worth = 0.0
        for window in setup.squares.through[action.square]:
            for team, chips in enumerate(position.chips):
                counts = chips | setup.free
                others = 0
                for other, pieces in enumerate(position.chips):
                    others |= pieces if other != team else 0
                others &= ~(1 << action.square) if team == own else -1
                if window.mask & others or window.ends & position.turned:
                    continue
                length = (window.mask & counts).bit_count()
                stops = team != own
                worth += 4.0**length * (0.9 if stops else 1.0)
        return worth - (60.0 if str(action.card) in setup.rules.specials else 0.0)
