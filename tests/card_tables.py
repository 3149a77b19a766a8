"""A table to play card grids on in tests: real decks, hidden cards, a random hand."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.errors import NotationError
from companion.games.gridlock_cards import GRIDLOCK_CARDS
from companion.record import header_of
from companion.rules.card_grids import CardGridGame
from companion.rules.card_positions import CardGridPosition, Phase, skip_due
from companion.rules.combinations import FACE_DOWN, GONE, LOCK
from companion.rules.grids import Grid

Line = dict[str, Any]


def open_game(players: int = 2, teams: str = "", **rules: object) -> CardGridGame:
    """Set a game up for players named A, B, C ..., with a letter each for teams."""
    return GRIDLOCK_CARDS.open(header_of(header(players, teams, **rules)))


def header(players: int = 2, teams: str = "", **rules: object) -> Line:
    """Write the header of such a game."""
    return {
        "record": 1,
        "game": "gridlock-cards",
        "players": [
            {"name": chr(ord("A") + n)} | ({"team": teams[n]} if teams else {})
            for n in range(players)
        ],
        "rules": {name.replace("_", "-"): value for name, value in rules.items()},
    }


def cards(drawn: str) -> tuple[str, ...]:
    """Read a drawn grid, rows between slashes; "." is a place where a line has gone."""
    return tuple(
        GONE if card == "." else card for card in drawn.replace("/", " ").split()
    )


def grid(drawn: str, **facts: Any) -> Grid:
    """Return the grid drawn, with facts about it."""
    return Grid(cards(drawn), **facts)


def cell(place: int) -> list[int]:
    """Return a place of a grid as records write it."""
    return list(divmod(place, 3))


class CardTable:
    """Deals real cards and plays one legal line after the other.

    Args:
        game: the game as set up.
        seed: of the shuffles and of the play.
        skill: how often a player looks for a combination instead of playing
            whatever comes, 0 to 1.
    """

    def __init__(self, game: CardGridGame, seed: int, skill: float = 0.8) -> None:
        self.game = game
        self.random = random.Random(seed)
        self.skill = skill
        self.position = game.start()
        self._deal()

    def _deal(self) -> None:
        deck = [face for face, n in self.game.rules.copies.items() for _ in range(n)]
        self.random.shuffle(deck)
        self.hidden = [[deck.pop() for _ in range(9)] for _ in self.game.players]
        self.pile = deck

    def lines(self) -> Iterator[Line]:
        """Play to the end of the game, which must come."""
        for _ in range(5000):
            if self.position.phase is Phase.GAME_OVER:
                return
            yield self.play()
        raise AssertionError("the game does not end")

    def play(self) -> Line:
        """Play one line and return it."""
        line = self._line()
        turn = self.game.turn_of(self.position, line)
        broken = self.game.violations(self.position, turn)
        assert not broken, (line, broken)
        self.position = self.game.apply(self.position, turn)
        return line

    def _line(self) -> Line:
        position = self.position
        if position.phase is Phase.ROUND_OVER:
            self._deal()
            return {"next_round": True}
        if position.phase is Phase.START:
            return self._start()
        if position.flip_due:
            return self._final_flip()
        if skip_due(self.game.rules, position):
            return {"by": position.to_move, "skip": True}
        return self._take(position, int(position.to_move or 0))

    def _start(self) -> Line:
        for player, grid in enumerate(self.position.grids):
            if len(grid.face_down) == 9:
                return self._flip(player, "start", self.random.randrange(9))
        return {"discard": self.pile.pop()}

    def _flip(self, player: int, key: str, place: int) -> Line:
        face = self.hidden[player][place]
        line: Line = {"by": player, key: cell(place), "shows": face}
        if face == LOCK and self.random.random() < 0.9:
            line["arrows"] = self._arrows()
        return line

    def _arrows(self) -> str:
        return self.random.choice(["row", "column", "both"])

    def _final_flip(self) -> Line:
        flips = {
            str(player): {
                f"{place // 3},{place % 3}": self.hidden[player][place]
                for place in grid.face_down
            }
            for player, grid in enumerate(self.position.grids)
            if grid.face_down
        }
        arrows = {
            player: {key: self._arrows() for key, face in faces.items() if face == LOCK}
            for player, faces in flips.items()
        }
        return {"final_flip": flips, "arrows": arrows}

    def _take(self, position: CardGridPosition, by: int) -> Line:
        grid = position.grids[by]
        free = [
            place
            for place, card in enumerate(grid.cards)
            if card != GONE and place not in grid.locked
        ]
        top = position.discards[-1]
        if (
            top != LOCK
            and free
            and (place := self._wanted(grid, free, top)) is not None
        ):
            return {"by": by, "take": "discard", **self._put(by, grid, place)}
        if not self.pile:
            *under, _ = position.discards
            self.random.shuffle(under)
            self.pile = under
        card = self.pile.pop()
        line: Line = {"by": by, "take": "draw", "card": card}
        place = None if card == LOCK else self._wanted(grid, free, card)
        if place is not None:
            return line | self._put(by, grid, place)
        closed = [place for place in grid.face_down if place not in grid.locked]
        if closed and position.phase is Phase.PLAY:
            return line | self._flip(by, "flip", self.random.choice(closed))
        return line

    def _wanted(self, grid: Grid, free: list[int], card: str) -> int | None:
        """Return where to place a card: where it scores most, or by chance, or not."""
        chart = self.game.rules.chart

        def gain(place: int) -> int:
            after = grid.with_card(place, card)
            return max(
                sum(after.points(chart, trio) for trio in after.complete(chart, "row")),
                sum(
                    after.points(chart, trio)
                    for trio in after.complete(chart, "column")
                ),
            )

        if self.random.random() < self.skill:
            best = max(free, key=gain, default=None)
            return best if best is not None and gain(best) else None
        return self.random.choice([*free, None])

    def _put(self, by: int, grid: Grid, place: int) -> Line:
        line: Line = {"put": cell(place)}
        if grid.cards[place] == FACE_DOWN:
            line["old"] = self.hidden[by][place]
        elif self.random.random() < 0.5:
            line["old"] = grid.cards[place]
        return line


def playing(game: CardGridGame, *grids: Grid | str, **facts: Any) -> CardGridPosition:
    """Return a position in play: player 0 is on turn and Y9 lies on the discards."""
    placed = tuple(grid(g) if isinstance(g, str) else g for g in grids)
    position = replace(
        game.start(), phase=Phase.PLAY, grids=placed, discards=("Y9",), to_move=0
    )
    return replace(position, **facts)


def codes(game: CardGridGame, position: CardGridPosition, line: Line) -> list[str]:
    """Return the codes of a line's violations, [] if it is legal."""
    try:
        turn = game.turn_of(position, line)
    except NotationError:
        return ["malformed"]
    return [violation.code for violation in game.violations(position, turn)]


def played(
    game: CardGridGame, position: CardGridPosition, *lines: Line
) -> CardGridPosition:
    """Return the position after legal lines."""
    for line in lines:
        assert codes(game, position, line) == [], line
        position = game.apply(position, game.turn_of(position, line))
    return position
