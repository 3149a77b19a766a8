"""What a look shows in the five-in-a-row games, and the rules that hands broke."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_

from companion.rules.run_faults import Broken, Faults, retracted, several
from companion.rules.run_rules import Setup
from companion.rules.run_turns import Place, Remove, RunPosition, RunTurn, Swap
from companion.rules.verdict import Violation
from companion.rules.windows import LENGTH, bits


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look shows: the pieces of each team, and those that lie turned over."""

    chips: tuple[int, ...]
    turned: int


@dataclass(frozen=True)
class Change:
    """What is different on the board.

    Attributes:
        own: the team on turn.
        appeared, vanished: squares where pieces of each team are new or gone.
        exchanged: squares where a piece has another colour now.
        face_down: new pieces that lie turned over.
        closed, opened: chips that were turned over, or back.
    """

    own: int
    appeared: tuple[int, ...]
    vanished: tuple[int, ...]
    exchanged: int
    face_down: int
    closed: int
    opened: int

    @classmethod
    def between(cls, position: RunPosition, target: Sight, own: int) -> Change:
        """Compare a position with a look."""
        pairs = list(zip(position.chips, target.chips, strict=True))
        appeared = tuple(now & ~was for was, now in pairs)
        vanished = tuple(was & ~now for was, now in pairs)
        stayed = reduce(or_, (was & now for was, now in pairs))
        visible = position.turned & ~position.face_up
        return cls(
            own=own,
            appeared=appeared,
            vanished=vanished,
            exchanged=reduce(or_, appeared) & reduce(or_, vanished),
            face_down=reduce(or_, appeared) & target.turned,
            closed=stayed & target.turned & ~visible,
            opened=stayed & visible & ~target.turned,
        )

    def without(self, squares: int) -> Change:
        """Return the change but for the pieces on some squares."""
        return replace(
            self,
            appeared=tuple(new & ~squares for new in self.appeared),
            vanished=tuple(gone & ~squares for gone in self.vanished),
            face_down=self.face_down & ~squares,
        )

    @cached_property
    def pieces(self) -> int:
        """The squares on which another piece lies, or one where none was."""
        return reduce(or_, self.appeared) | reduce(or_, self.vanished)

    @cached_property
    def handled(self) -> int:
        """How many pieces a slip has put or taken, an exchange counting once.

        A back where another team's face lay counts twice: to take a chip and put
        another turned over is more than one slip, so it is that chip that was turned.
        """
        twice = self.exchanged & self.face_down
        return self.pieces.bit_count() + twice.bit_count()

    @property
    def moves(self) -> Iterator[tuple[int, int, int]]:
        """Teams of which one piece is gone here and one is new there: team, from, to.

        The latter two are masks of one square; exchanged pieces do not count.
        """
        for team, both in enumerate(zip(self.vanished, self.appeared, strict=True)):
            gone, new = (squares & ~self.exchanged for squares in both)
            if gone.bit_count() == new.bit_count() == 1:
                yield team, gone, new


class Slips:
    """Names what is wrong with a change that no rule allows in one turn."""

    def __init__(
        self,
        setup: Setup,
        faults: Faults,
        apply: Callable[[RunPosition, RunTurn], RunPosition],
        position: RunPosition,
        change: Change,
    ) -> None:
        self._setup = setup
        self._rules = setup.rules
        self._faults = faults
        self._apply = apply
        self._position = position
        self._change = change
        self._broken: Broken = []

    def find(self) -> tuple[Violation, ...]:
        """Return every code that fits, the most specific first; at least one."""
        position, change = self._position, self._change
        if position.ended is not None:
            over = self._faults.of(position, Place(position.turn, None, 0))
            self._broken.append(over[0])
        pending = position.pending
        if pending and change.pieces and pending.squares & ~change.closed:
            self._broken.append(self._faults.not_turned_over(position))
        if change.pieces.bit_count() > 3:
            self._disturbed()
        self._moved()
        self._vanished()
        self._exchanged()
        self._appeared()
        self._turned()
        self._totals(change)
        if not self._broken:
            self._change = change
            self._disturbed()
        return tuple(dict.fromkeys(self._broken))

    def _say(self, code: str, text: str, squares: int) -> None:
        self._broken.append(self._faults.fault(code, text, *bits(squares)))

    def _disturbed(self) -> None:
        change = self._change
        squares = change.pieces | change.closed | change.opened
        self._say(
            "board-disturbed",
            f"The board was disturbed on {self._names(squares)}. Put it back as the "
            "picture shows, or accept the table as it lies.",
            squares,
        )

    def _moved(self) -> None:
        """Name single pieces that went elsewhere; they did nothing else."""
        for team, vanished, appeared in self._change.moves:
            self._change = self._change.without(appeared | vanished)
            start, end = self._names(vanished), self._names(appeared)
            frozen = self._faults.is_frozen(self._position, next(bits(vanished)))
            self._say(
                "frozen-chip-moved" if frozen else "chip-moved",
                f"A {self._team(team)} {self._rules.piece} went from {start} to {end}; "
                f"pieces are not moved. Put it back on {start}.",
                appeared | vanished,
            )
            self._corners(appeared)

    def _vanished(self) -> None:
        change, piece = self._change, self._rules.piece
        gone = reduce(or_, change.vanished) & ~change.exchanged
        if not gone:
            return
        if self._rules.replaces:
            new = change.appeared[change.own]
            code = "replacement-elsewhere" if new else "replacement-missing"
            self._say(
                code,
                f"A one-eyed jack puts the own {piece} into the hole of the one taken: "
                f"{self._names(gone)}.",
                gone | new,
            )
        for square in bits(gone):
            turn = Remove(self._position.turn, None, square)
            for fault in self._faults.of(self._position, turn):
                if fault.code not in ("replacement-missing", "play-after-game-over"):
                    self._broken.append(fault)
        if gone.bit_count() > 1:
            self._say(
                "two-chips-removed",
                f"A turn takes one {piece} at most; {self._names(gone)} are gone. "
                "Put back what was not taken by the card.",
                gone,
            )
        mine = change.vanished[change.own] & gone
        if mine and not reduce(or_, change.appeared):
            self._out_of_turn(mine, f"{self._names(mine)} {_were(mine)} taken")
        if gone & ~mine and change.appeared[change.own] and not self._rules.replaces:
            self._replaced(gone | change.appeared[change.own])

    def _exchanged(self) -> None:
        change = self._change
        for square in bits(change.exchanged):
            bit = 1 << square
            owner = next(n for n, new in enumerate(change.appeared) if new & bit)
            if not self._rules.replaces:
                if self._faults.is_frozen(self._position, square):
                    self._broken.extend(
                        fault
                        for fault in self._faults.of(
                            self._position, Remove(self._position.turn, None, square)
                        )
                        if fault.code == "frozen-chip-removed"
                    )
                self._replaced(bit)
            elif owner == change.own:
                turn = Swap(self._position.turn, None, square)
                self._broken.extend(self._faults.of(self._position, turn))
            if owner != change.own:
                self._out_of_turn(bit, f"{self._names(bit)} was replaced")

    def _appeared(self) -> None:
        change, piece = self._change, self._rules.piece
        new = reduce(or_, change.appeared) & ~change.exchanged
        mine = change.appeared[change.own] & ~change.exchanged
        for square in bits(mine):
            turn = Place(self._position.turn, None, square)
            self._broken.extend(
                fault
                for fault in self._faults.of(self._position, turn)
                if fault.code != "play-after-game-over"
            )
        put = new | change.appeared[change.own]
        if new and put.bit_count() > 1:
            self._say(
                "two-chips-placed",
                f"A turn puts one {piece} on the board; {self._names(put)} are new. "
                "Take the others off.",
                put,
            )
        theirs = new & ~mine
        if theirs:
            self._corners(theirs)
            if not mine:
                self._out_of_turn(
                    theirs, f"a {piece} appeared on {self._names(theirs)}"
                )
            name = self._faults.name(self._position.turn)
            self._say(
                "wrong-color-placed",
                f"{self._names(theirs)}: {name} plays {self._team(change.own)}, and no "
                "other colour. Take it off.",
                theirs,
            )

    def _corners(self, squares: int) -> None:
        for square in bits(squares & self._setup.free):
            self._broken.append(self._faults.on_corner(square))

    def _turned(self) -> None:
        change = self._change
        if change.opened:
            self._say(
                "frozen-chip-unturned",
                f"{self._names(change.opened)} {_were(change.opened)} turned back; a "
                f"finished {self._rules.run} stays turned over.",
                change.opened,
            )
        if change.closed or change.face_down:
            self._closed()

    def _closed(self) -> None:
        """Name what is wrong with chips that were turned over."""
        position, change = self.after_placing(), self._change
        closed = change.closed | change.face_down
        pending = position.pending
        team, expected = change.own, 0
        if pending is not None:
            expected = pending.squares
            position = retracted(position, pending)
            team = team_of_chips(position, expected)
        if closed == expected:
            return  # rightly turned over; something else is wrong
        theirs = closed & ~position.chips[team]
        mine = closed & position.chips[team]
        if theirs & change.closed:
            self._say(
                "opponent-chips-turned-over",
                f"{self._names(theirs)} {several(theirs, 'does', 'do')} not belong to "
                f"{self._team(team)}. Turn {several(theirs, 'it', 'them')} back.",
                theirs,
            )
        if expected and mine and not mine & ~expected:
            missing = expected & ~mine
            self._say(
                "run-partly-turned-over",
                f"Turn over the whole {self._rules.run}: {self._names(missing)} still "
                f"{several(missing, 'lies', 'lie')} colour up.",
                missing,
            )
        elif mine & change.face_down and not mine & ~change.face_down:
            self._face_down()
        elif mine:
            self._not_a_run(position, team, mine)
        elif change.face_down:
            self._face_down()

    def _face_down(self) -> None:
        squares = self._change.face_down
        self._say(
            "chip-placed-face-down",
            f"{self._names(squares)} {several(squares, 'was', 'were')} put down turned "
            f"over. Turn {several(squares, 'it', 'them')} colour up.",
            squares,
        )

    def _not_a_run(self, position: RunPosition, team: int, mine: int) -> None:
        share = self._rules.share
        assert share is not None
        own = position.chips[team] | self._setup.free
        shut = mine | position.turned | self._setup.free
        claimed = self._faults.claimed(position, team)
        for window in self._setup.squares.near(mine):
            if window.mask & own & shut == window.mask and not share(
                (window,), position.turned, claimed
            ):
                self._broken.append(self._faults.shares(window.mask))
        pending = self._position.pending or mine.bit_count() >= LENGTH
        codes = ["turn-over-without-run", "wrong-chips-turned-over"]
        for code in reversed(codes) if pending else codes:
            self._say(
                code,
                f"{self._names(mine)} is no {self._rules.run} that {self._team(team)} "
                "has just made. Turn it back.",
                mine,
            )

    def after_placing(self) -> RunPosition:
        """Return the position after the own piece was placed, if just one was."""
        change, position = self._change, self._position
        mine = change.appeared[change.own] & ~change.exchanged
        if mine.bit_count() != 1 or position.ended is not None or position.pending:
            return position
        turn = Place(position.turn, None, next(bits(mine)), face_up=True)
        return self._apply(position, turn)

    def _totals(self, change: Change) -> None:
        for team, pieces in enumerate(self._position.chips):
            total = pieces.bit_count() + change.appeared[team].bit_count()
            total -= change.vanished[team].bit_count()
            if total > self._rules.pieces:
                self._broken.append(self._faults.too_many_pieces(team))

    def _out_of_turn(self, squares: int, what: str) -> None:
        name = self._faults.name(self._position.turn)
        for code in ("out-of-turn-play", "turn-skipped"):
            self._say(
                code,
                f"It is {name}'s turn, but {what}. Put it back as it was.",
                squares,
            )

    def _replaced(self, squares: int) -> None:
        self._say(
            "replaced-same-turn",
            f"A {self._rules.piece} is never taken and another one placed in one turn: "
            f"{self._names(squares)}. Do one of the two.",
            squares,
        )

    def _names(self, squares: int) -> str:
        return self._faults.names(squares)

    def _team(self, team: int) -> str:
        return self._setup.teams[team]


def _were(squares: int) -> str:
    return "were" if squares.bit_count() > 1 else "was"


def team_of_chips(position: RunPosition, squares: int) -> int:
    """Return the team whose chips lie on the squares."""
    return next(n for n, chips in enumerate(position.chips) if chips & squares)
