"""Players who make every mistake: a table with its true position, and slips."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from companion.record import header_of, open_game
from companion.rules.board import EMPTY, TURNED, Cell, Look, team_of
from companion.rules.run_turns import (
    Place,
    Remove,
    RunPosition,
    RunTurn,
    Swap,
    TurnOver,
)
from companion.rules.runs import RunGame
from companion.rules.windows import bits

Table = dict[Cell, Look]
Action = Place | Remove | Swap


@dataclass(frozen=True, slots=True)
class Slip:
    """What was done against the rules: the table then, and the code it must have."""

    code: str
    table: Table


class Sitting:
    """A game as it truly is. Mutable.

    Attributes:
        positions: all so far, the last one is the present.
        turns: that led from each to the next.
    """

    def __init__(self, game: str, teams: Sequence[str], chance: random.Random) -> None:
        header = {
            "record": 1,
            "game": game,
            "players": [{"name": team.title(), "team": team} for team in teams],
            "rules": {},
        }
        opened = open_game(header_of(header))
        assert isinstance(opened, RunGame)
        self.game = opened
        self.chance = chance
        self.positions: list[RunPosition] = [opened.start()]
        self.turns: list[RunTurn] = []

    @property
    def position(self) -> RunPosition:
        """The present position."""
        return self.positions[-1]

    @property
    def table(self) -> Table:
        """What lies on the table."""
        return dict(self.game.appearance(self.position))

    @property
    def mine(self) -> str:
        """The colour that is on turn."""
        return self.game.players[self.position.turn].team

    def do(self, turn: RunTurn) -> None:
        """Make a turn."""
        self.positions.append(self.game.apply(self.position, turn))
        self.turns.append(turn)

    def play(self, *, again: bool = False) -> None:
        """Make a legal turn; the chips of a run that it makes wait to be turned.

        Args:
            again: nobody looked since the last turn. Then it is a turn of the
                same kind on another square: acting twice on one square leaves no
                trace, and a chip taken and one put look like a chip moved.
        """
        position = self.position
        if position.pending is not None:
            windows = self.game.setup.squares.windows
            runs = tuple(windows[number].mask for number in position.pending.runs)
            self.do(TurnOver(None, position.pending.squares, runs))
            return
        options: list[Place | Remove | Swap] = [
            *self._places(position),
            *self._takes(position),
        ]
        self.chance.shuffle(options)
        options.sort(key=lambda turn: -self._worth(turn))
        for turn in options:
            if again and not self._follows(turn):
                continue
            if not self.game.violations(position, turn):
                self.do(turn)
                return
        if not again:
            raise AssertionError("somebody can always place a piece")

    def _follows(self, turn: Action) -> bool:
        """Tell whether two turns can be told from one look."""
        apart = not self.position.last >> turn.square & 1
        return apart and isinstance(turn, type(self.turns[-1]))

    def _places(self, position: RunPosition) -> Iterator[Action]:
        free = self.cells_like(EMPTY)
        for square in self.chance.sample(free, min(24, len(free))):
            yield Place(position.turn, None, square, face_up=True)

    def _takes(self, position: RunPosition) -> Iterator[Action]:
        kind = Swap if self.game.setup.rules.replaces else Remove
        if self.chance.random() < 0.12:
            theirs = [s for n, c in enumerate(position.chips) for s in bits(c)]
            for square in self.chance.sample(theirs, min(8, len(theirs))):
                yield kind(position.turn, None, square)

    def _worth(self, turn: Action) -> float:
        """Prefer takes, which were drawn rarely, and long rows of the own colour."""
        if not isinstance(turn, Place):
            return 1000.0
        setup, position = self.game.setup, self.position
        own = position.chips[setup.team_of[turn.by]] | setup.free
        return max(
            (window.mask & own).bit_count()
            for window in setup.squares.through[turn.square]
        )

    def cells_like(self, look: str) -> list[int]:
        """Return the numbers of the squares with this look, free corners left out."""
        free = self.game.setup.free
        looks = self.table
        return [
            number
            for number, cell in enumerate(self.game.board.cells)
            if looks[cell] == look and not free >> number & 1
        ]

    def settled(self, look: str) -> list[int]:
        """Return squares whose pieces were not put there in the last turns."""
        recent = 0
        for earlier in self.positions[-5:]:
            recent |= earlier.last
        return [number for number in self.cells_like(look) if not recent >> number & 1]

    def other(self) -> str:
        """Return a colour that is not on turn."""
        teams = sorted({player.team for player in self.game.players} - {self.mine})
        return self.chance.choice(teams)

    def changed(self, code: str, looks: dict[int, str]) -> Slip:
        """Return the table with some squares changed."""
        cells = self.game.board.cells
        table = self.table
        table.update({cells[number]: Look(look) for number, look in looks.items()})
        return Slip(code, table)

    def slip(self) -> Slip | None:
        """Do something that the rules forbid; None if it is not possible now."""
        if self.position.ended is not None:
            kinds: tuple[Callable[[Sitting], Slip], ...] = (_after_the_end,)
        elif self.position.pending is not None:
            kinds = (_partly, _forgotten)
        else:
            kinds = (*ALWAYS, *(_SWAP if self.game.setup.rules.replaces else _CHIPS))
        try:
            return self.chance.choice(kinds)(self)
        except (ValueError, IndexError):  # not enough pieces for it yet
            return None


def _pick(s: Sitting, look: str, count: int = 1) -> list[int]:
    return s.chance.sample(s.settled(look), count)


def _two_placed(s: Sitting) -> Slip:
    return s.changed("two-chips-placed", dict.fromkeys(_pick(s, EMPTY, 2), s.mine))


def _out_of_turn(s: Sitting) -> Slip:
    return s.changed("out-of-turn-play", {_pick(s, EMPTY)[0]: s.other()})


def _wrong_colour(s: Sitting) -> Slip:
    return s.changed("wrong-color-placed", {_pick(s, EMPTY)[0]: s.other()})


def _two_removed(s: Sitting) -> Slip:
    """Take two pieces of one team; of three teams, two may each have taken one."""
    if len(s.position.chips) > 2:
        raise ValueError("nobody can tell")
    return s.changed("two-chips-removed", dict.fromkeys(_pick(s, s.other(), 2), EMPTY))


def _own_removed(s: Sitting) -> Slip:
    return s.changed("own-chip-removed", {_pick(s, s.mine)[0]: EMPTY})


def _disturbed(s: Sitting) -> Slip:
    gone = [*_pick(s, s.mine, 2), *_pick(s, s.other(), 2)]
    new = zip(_pick(s, EMPTY, 2), (s.mine, s.mine), strict=True)
    return s.changed("board-disturbed", {**dict.fromkeys(gone, EMPTY), **dict(new)})


def _moved(s: Sitting) -> Slip:
    start, end = _pick(s, s.mine)[0], _pick(s, EMPTY)[0]
    return s.changed("chip-moved", {start: EMPTY, end: s.mine})


def _missing(s: Sitting) -> Slip:
    return s.changed("replacement-missing", {_pick(s, s.other())[0]: EMPTY})


def _elsewhere(s: Sitting) -> Slip:
    gone, new = _pick(s, s.other())[0], _pick(s, EMPTY)[0]
    return s.changed("replacement-elsewhere", {gone: EMPTY, new: s.mine})


def _frozen_removed(s: Sitting) -> Slip:
    return s.changed("frozen-chip-removed", {_pick(s, _frozen(s))[0]: EMPTY})


def _frozen_moved(s: Sitting) -> Slip:
    look = _frozen(s)
    start, end = _pick(s, look)[0], _pick(s, EMPTY)[0]
    return s.changed("frozen-chip-moved", {start: EMPTY, end: team_of(look)})


def _unturned(s: Sitting) -> Slip:
    look = _frozen(s)
    return s.changed("frozen-chip-unturned", {_pick(s, look)[0]: look[: -len(TURNED)]})


def _frozen(s: Sitting) -> str:
    frozen = {look for look in s.table.values() if look.endswith(TURNED)}
    return s.chance.choice(sorted(frozen))


def _replaced(s: Sitting) -> Slip:
    return s.changed("replaced-same-turn", {_pick(s, s.other())[0]: s.mine})


def _on_corner(s: Sitting) -> Slip:
    corner = s.chance.choice(list(bits(s.game.setup.free)))
    return s.changed("chip-on-corner", {corner: s.mine})


def _face_down(s: Sitting) -> Slip:
    """Put a chip face down where it makes no run."""
    position, (number, *_) = s.position, _pick(s, EMPTY)
    placed = Place(position.turn, None, number, face_up=True)
    if s.game.apply(position, placed).pending is not None:
        raise ValueError("that is a run turned over in part")
    return s.changed("chip-placed-face-down", {number: s.mine + TURNED})


def _no_run(s: Sitting) -> Slip:
    return s.changed("turn-over-without-run", {_pick(s, s.mine)[0]: s.mine + TURNED})


def _theirs_turned(s: Sitting) -> Slip:
    team = s.other()
    return s.changed("opponent-chips-turned-over", {_pick(s, team)[0]: team + TURNED})


def _partly(s: Sitting) -> Slip:
    squares = _waiting(s)
    team = s.table[s.game.board.cells[squares[0]]]
    turned = s.chance.sample(squares, s.chance.randrange(1, len(squares)))
    return s.changed("run-partly-turned-over", dict.fromkeys(turned, team + TURNED))


def _forgotten(s: Sitting) -> Slip:
    return s.changed("run-not-turned-over", {_pick(s, EMPTY)[0]: s.mine})


def _waiting(s: Sitting) -> list[int]:
    pending = s.position.pending
    assert pending is not None
    looks, cells = s.table, s.game.board.cells
    return [n for n in bits(pending.squares) if not looks[cells[n]].endswith(TURNED)]


def _after_the_end(s: Sitting) -> Slip:
    return s.changed("play-after-game-over", {_pick(s, EMPTY)[0]: s.mine})


ALWAYS = (
    _two_placed,
    _out_of_turn,
    _wrong_colour,
    _two_removed,
    _own_removed,
    _disturbed,
)
_CHIPS = (
    _frozen_removed,
    _frozen_moved,
    _unturned,
    _replaced,
    _on_corner,
    _face_down,
    _no_run,
    _theirs_turned,
)
_SWAP = (_missing, _elsewhere, _moved)
