"""What a turn of the five-in-a-row games breaks, with the rule and the remedy.

The checks of a legal turn are few comparisons of masks; sentences are made only
when something is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from companion.rules.cards import Tally
from companion.rules.run_rules import JOKER, TAKE, Setup
from companion.rules.run_turns import (
    NOT_SHOWN,
    Claim,
    Dead,
    MissedDraw,
    Pass,
    Penalty,
    Pending,
    Place,
    Remove,
    Reshuffle,
    RunPosition,
    RunTurn,
    ShowOnly,
    Swap,
    Table,
    TurnOver,
)
from companion.rules.verdict import Violation, Witness
from companion.rules.windows import Window, bits

CARD_CODES = frozenset(
    (
        "wrong-square",
        "pickup-card-used-to-place",
        "place-card-used-to-remove",
        "remove-card-used-to-place",
        "add-card-used-to-remove",
        "card-not-shown",
        "card-without-action",
        "live-card-declared-dead",
        "too-many-dead-cards",
        "card-count-exceeded",
        "swap-without-one-eyed-jack",
        "corner-without-joker",
        "joker-off-corner",
        "one-eyed-jack-on-own-peg",
    )
)
"""Codes that only a known card can tell (class K of rulings.md)."""

REPORTED_CODES = frozenset(("reshuffled-twice", "table-talk"))
"""Codes that only a player's report can tell (class P)."""

Broken = list[Violation]


class Faults:
    """Finds what is wrong with a turn.

    Args:
        setup: the sitting.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._rules = setup.rules
        self._squares = setup.squares
        self._cells = setup.squares.cells
        self._checks: dict[type, Callable[[RunPosition, Any], Broken]] = {
            Place: self._place,
            Remove: self._remove,
            Swap: self._swap,
            Dead: self._dead,
            Pass: self._pass,
            Claim: self._claim,
            MissedDraw: self._in_play,
            Penalty: self._in_play,
            Reshuffle: self._reshuffle,
            ShowOnly: self._show_only,
            TurnOver: self._turn_over,
            Table: lambda _position, _turn: [],
        }

    def of(self, position: RunPosition, turn: RunTurn) -> tuple[Violation, ...]:
        """Return every rule that a turn breaks, the most specific first."""
        return tuple(self._checks[type(turn)](position, turn))

    # -- turns --------------------------------------------------------------

    def _place(self, position: RunPosition, turn: Place) -> Broken:
        broken = self._order(position, turn.by)
        if position.pending is not None:
            broken.append(self.not_turned_over(position))
        setup, card, square = self._setup, turn.card, turn.square
        bit = 1 << square
        team = setup.team_of[turn.by]
        if setup.free & bit:
            broken.append(self.on_corner(square))
        if card == NOT_SHOWN:
            _lead(broken, self._not_shown())
        elif card is not None and not setup.fits[card] & bit:
            broken.extend(self._misplaced(card, square))
        if reduce(or_, position.chips) & bit:
            broken.append(
                self.fault(
                    "stacked-chips",
                    f"{self._cells[square]} is covered already. "
                    f"Take the {self._piece} back.",
                    square,
                )
            )
        if position.chips[team].bit_count() >= self._rules.pieces:
            broken.append(self.too_many_pieces(team))
        if self.tally_after(position, turn) is None:
            broken.append(self._unexplained(position, card, square))
        if turn.runs:
            own = position.chips[team] | bit
            broken.extend(self.of_claim(position, team, turn.runs, own, square))
        return broken

    def _remove(self, position: RunPosition, turn: Remove) -> Broken:
        broken = self._order(position, turn.by)
        if position.pending is not None:
            broken.append(self.not_turned_over(position))
        rules, card, square = self._rules, turn.card, turn.square
        if rules.replaces:
            missing = self.fault(
                "replacement-missing",
                f"A one-eyed jack takes a {self._piece} and puts an own one into "
                f"the same hole; {self._cells[square]} was left empty.",
                square,
            )
            _lead(broken, missing)
        if card == NOT_SHOWN:
            _lead(broken, self._not_shown())
        elif card is not None and card not in rules.take:
            code = "add-card-used-to-remove" if card == "ADD" else ""
            text = f"{card} takes no {self._piece} off the board. Put it back."
            if code:
                broken.append(self.fault(code, text, square))
            broken.append(self.fault("place-card-used-to-remove", text, square))
        broken.extend(self._target(position, turn.by, square))
        if self.tally_after(position, turn) is None:
            broken.append(self._unexplained(position, card))
        if turn.runs:
            without = self.fault(
                "turn-over-without-run",
                f"Taking a {self._piece} makes no {self._run}; turn the "
                f"{self._piece}s back.",
            )
            _lead(broken, without)
        return broken

    def _swap(self, position: RunPosition, turn: Swap) -> Broken:
        broken = self._order(position, turn.by)
        card, square = turn.card, turn.square
        team = self._setup.team_of[turn.by]
        if not self._rules.replaces:
            _lead(broken, self._replaced(square))
            return broken
        if card == NOT_SHOWN:
            _lead(broken, self._not_shown())
        elif card is not None and card not in self._rules.take:
            broken.append(
                self.fault(
                    "swap-without-one-eyed-jack",
                    f"{card} is no one-eyed jack; it exchanges no {self._piece}. "
                    "Put the old one back.",
                    square,
                )
            )
        broken.extend(self._target(position, turn.by, square))
        if position.chips[team].bit_count() >= self._rules.pieces:
            broken.append(self.too_many_pieces(team))
        if self.tally_after(position, turn) is None:
            broken.append(self._unexplained(position, card))
        return broken

    def _dead(self, position: RunPosition, turn: Dead) -> Broken:
        broken = self._order(position, turn.by)
        card, limit = turn.card, self._rules.dead_per_turn
        if not self.is_dead(position, card):
            home = self._setup.homes.get(card, 0)
            where = self.names(home & ~reduce(or_, position.chips))
            broken.append(
                self.fault(
                    "live-card-declared-dead",
                    f"{card} can still be played{where and f', on {where}'}. "
                    "Keep it or play it.",
                )
            )
        if limit is not None and position.dead >= limit:
            broken.append(
                self.fault(
                    "too-many-dead-cards",
                    f"Only one dead card a turn; keep {card} for the next one.",
                )
            )
        if self.tally_after(position, turn) is None:
            broken.append(self._unexplained(position, card))
        return broken

    def _pass(self, position: RunPosition, turn: Pass) -> Broken:
        broken = self._order(position, turn.by)
        if self.tally_after(position, turn) is None:
            broken.append(self._unexplained(position, turn.card))
        return broken

    def _claim(self, position: RunPosition, turn: Claim) -> Broken:
        broken = self._order(position, turn.by)
        if position.pending is not None:
            broken.append(self.not_turned_over(position))
        team = self._setup.team_of[turn.by]
        broken.extend(self.of_claim(position, team, turn.runs, position.chips[team]))
        return broken

    def _in_play(self, position: RunPosition, _: object) -> Broken:
        return [] if position.ended is None else [self._over(position)]

    def _reshuffle(self, position: RunPosition, turn: Reshuffle) -> Broken:
        broken = self._in_play(position, turn)
        limit = self._rules.reshuffles
        if limit is not None and position.reshuffles >= limit:
            broken.append(
                self.fault(
                    "reshuffled-twice",
                    "The cards were shuffled again once already; play out the hands "
                    "without drawing.",
                )
            )
        return broken

    def _show_only(self, position: RunPosition, turn: ShowOnly) -> Broken:
        broken = self._order(position, turn.by)
        nothing = self.fault(
            "card-without-action",
            f"{turn.card or 'A card'} was laid down and nothing was done. Do what "
            "it says, or take it back.",
        )
        _lead(broken, nothing)
        return broken

    def _turn_over(self, position: RunPosition, turn: TurnOver) -> Broken:
        pending = position.pending
        if pending is None and not turn.squares & ~position.face_up:
            return []  # chips that an accepted table left colour up
        if pending is None:
            return [
                self.fault(
                    "turn-over-without-run",
                    f"No {self._run} waits to be turned over; turn the "
                    f"{self._piece}s back.",
                    *bits(turn.squares),
                )
            ]
        # The players may prefer other runs to the proposed ones, made by the same chip.
        before = retracted(position, pending)
        team = next(
            n for n, chips in enumerate(before.chips) if chips & pending.squares
        )
        broken = self.of_claim(
            before, team, turn.runs, before.chips[team], pending.square
        )
        made = reduce(or_, turn.runs, 0) & ~self._setup.free & ~before.turned
        if not broken and made != turn.squares:
            broken.append(self._partly(made & ~turn.squares))
        return broken

    # -- claims -------------------------------------------------------------

    def of_claim(
        self,
        position: RunPosition,
        team: int,
        runs: Sequence[int],
        own: int,
        square: int | None = None,
    ) -> Broken:
        """Return what is wrong with claiming runs.

        Args:
            position: its claims and turned chips are those from before.
            team: whose runs they are.
            runs: sets of squares.
            own: the team's chips as they lie now.
            square: the square just covered, which all must contain; None when any
                complete run may be claimed.
        """
        share = self._rules.share
        assert share is not None
        claimed = self.claimed(position, team)
        windows: list[Window] = []
        for run in runs:
            window = self._squares.by_mask.get(run)
            fault = self._incomplete(position, team, run, own, window)
            if fault:
                return [fault]
            assert window is not None
            if square is not None and not run >> square & 1:
                return [
                    self.fault(
                        "turn-over-without-run",
                        f"{self.names(run)} does not contain {self._cells[square]}; an "
                        "older run is claimed before playing. Turn it back.",
                        *window.squares,
                    )
                ]
            if not share((window,), position.turned, claimed):
                return [self.shares(run)]
            windows.append(window)
        if not share(windows, position.turned, claimed):
            return [self.shares(reduce(or_, runs))]
        return []

    def _incomplete(
        self,
        position: RunPosition,
        team: int,
        run: int,
        own: int,
        window: Window | None,
    ) -> Violation | None:
        names, numbers = self.names(run), tuple(bits(run))
        if window is None:
            return self.fault(
                "wrong-chips-turned-over",
                f"{names or 'Nothing'} {several(run, 'is', 'are')} not five in a line; "
                f"turn the {self._piece}s back.",
                *numbers,
            )
        theirs = reduce(or_, position.chips) & ~own & run
        if theirs:
            return self.fault(
                "opponent-chips-turned-over",
                f"{self.names(theirs)} {several(theirs, 'does', 'do')} not belong "
                f"to {self._setup.teams[team]}; "
                f"turn {several(theirs, 'it', 'them')} back.",
                *bits(theirs),
            )
        missing = run & ~(own | self._setup.free)
        if missing:
            return self.fault(
                "turn-over-without-run",
                f"{names} is no complete {self._run}: {self.names(missing)} "
                f"{'is' if missing.bit_count() == 1 else 'are'} empty. "
                f"Turn the {self._piece}s back.",
                *numbers,
            )
        return None

    def claimed(self, position: RunPosition, team: int) -> list[Window]:
        """Return the windows that a team has claimed."""
        windows = self._squares.windows
        return [windows[number] for number in position.claims[team]]

    def is_frozen(self, position: RunPosition, square: int) -> bool:
        """Return whether a chip belongs to a run that is claimed or could be now."""
        if position.turned >> square & 1:
            return True
        share = self._rules.share
        if share is None:
            return False
        team = self.team_at(position, square)
        if team is None:
            return False
        own = position.chips[team] | self._setup.free
        claimed = self.claimed(position, team)
        return any(
            window.mask & own == window.mask
            and share((window,), position.turned, claimed)
            for window in self._squares.through[square]
        )

    def team_at(self, position: RunPosition, square: int) -> int | None:
        """Return the number of the team whose piece stands on a square."""
        for team, chips in enumerate(position.chips):
            if chips >> square & 1:
                return team
        return None

    # -- cards --------------------------------------------------------------

    def is_dead(self, position: RunPosition, card: str) -> bool:
        """Return whether a card can be played no more (G35-22, JKR-12, SSC-13)."""
        setup = self._setup
        if card not in setup.playing_cards and not self._rules.dead_specials:
            return False
        if card not in self._rules.take:
            return not setup.fits[card] & ~reduce(or_, position.chips)
        by = position.turn
        theirs = reduce(or_, position.chips) & ~position.chips[setup.team_of[by]]
        return all(self._target(position, by, square) for square in bits(theirs))

    def tally_after(
        self, position: RunPosition, turn: Place | Remove | Swap | Dead | Pass
    ) -> Tally | None:
        """Return the account of cards after a turn, None if nothing explains it."""
        card = turn.card
        if card:
            return self._setup.deck.show(position.tally, card)
        if card is None and isinstance(turn, Place):
            face = self._setup.faces[turn.square]
            if face:
                return self._setup.deck.act_unseen(position.tally, face)
        elif card is None and isinstance(turn, Remove | Swap):
            return self._setup.deck.draw_unseen(position.tally, TAKE)
        return position.tally

    # -- sentences ----------------------------------------------------------

    @property
    def _piece(self) -> str:
        return self._rules.piece

    @property
    def _run(self) -> str:
        return self._rules.run

    def fault(self, code: str, text: str, *squares: int) -> Violation:
        """Return a violation with the rule that this game has for its code."""
        if code in CARD_CODES:
            witness = Witness.CARD
        elif code in REPORTED_CODES:
            witness = Witness.REPORT
        else:
            witness = Witness.CAMERA
        return Violation(
            code,
            text,
            self._rules.rule_ids.get(code, ""),
            tuple(self._cells[square] for square in squares),
            witness,
        )

    def names(self, mask: int) -> str:
        """Return squares in words: "d6, e6 and i5", "" for none."""
        *others, last = self._squares.names(mask) or ("",)
        return f"{', '.join(others)} and {last}" if others else last

    def name(self, by: int) -> str:
        """Return a player's name."""
        return self._setup.players[by].name

    def _order(self, position: RunPosition, by: int) -> Broken:
        if position.ended is not None:
            return [self._over(position)]
        if by == position.turn:
            return []
        text = (
            f"It is {self.name(position.turn)}'s turn, not {self.name(by)}'s. "
            "Take it back and wait."
        )
        return [
            self.fault("out-of-turn-play", text),
            self.fault("turn-skipped", text),
        ]

    def _over(self, position: RunPosition) -> Violation:
        winners = " and ".join(self._setup.teams[n] for n in position.ended or ())
        result = f"{winners} won" if winners else "it is a tie"
        return self.fault(
            "play-after-game-over",
            f"The game is over: {result}. Leave the board or begin a new game.",
        )

    def not_turned_over(self, position: RunPosition) -> Violation:
        """Say that the pending runs must be turned over before anything else."""
        assert position.pending is not None
        squares = position.pending.squares
        return self.fault(
            "run-not-turned-over",
            f"First turn over the {self._piece}s of the {self._run}: "
            f"{self.names(squares)}.",
            *bits(squares),
        )

    def on_corner(self, square: int) -> Violation:
        """Say that a free corner holds no piece."""
        return self.fault(
            "chip-on-corner",
            f"{self._cells[square]} is a free corner; nothing is put there. Take the "
            f"{self._piece} back.",
            square,
        )

    def _not_shown(self) -> Violation:
        return self.fault(
            "card-not-shown", "The line does not say which card was shown. Show it."
        )

    def _misplaced(self, card: str, square: int) -> Broken:
        setup, cell = self._setup, self._cells[square]
        codes: tuple[str, ...]
        if card in self._rules.take:
            codes = ("pickup-card-used-to-place",)
            if card == "REMOVE":
                codes = ("remove-card-used-to-place", *codes)
            text = f"{card} takes a {self._piece}; it puts none on {cell}."
        elif card == JOKER:
            codes = ("joker-off-corner", "wrong-square")
            text = f"A joker goes on a corner, not on {cell}."
        elif setup.faces[square] == JOKER:
            codes = ("corner-without-joker", "wrong-square")
            text = f"The corner {cell} needs a joker, not {card}."
        elif card in self._rules.wild:  # only a free corner is closed to it
            return []
        else:
            one, other = setup.squares.names(setup.homes[card])
            codes = ("wrong-square",)
            text = f"{card} belongs on {one} or {other}, not on {cell}."
        text = f"{text} Take the {self._piece} back."
        return [self.fault(code, text, square) for code in codes]

    def too_many_pieces(self, team: int) -> Violation:
        """Say that there are more pieces than there can be."""
        return self.fault(
            "wrong-chip-total",
            f"All {self._rules.pieces} {self._setup.teams[team]} {self._piece}s are on "
            "the board already; there can be no other.",
        )

    def _unexplained(
        self, position: RunPosition, card: str | None, square: int | None = None
    ) -> Violation:
        deck = self._setup.deck
        if not card:
            what = f"the {self._piece}" if square is None else self._cells[square]
            code = "card-count-exceeded" if square is None else "wild-count-impossible"
            text = (
                f"No card is left that explains {what}: all that could do it have been "
                "played. Take it back, or name the cards of earlier turns."
            )
            return self.fault(code, text, *(() if square is None else (square,)))
        copies = deck.copies(card)
        if deck.times_shown(position.tally, card) >= copies:
            times = "twice" if copies == 2 else f"{copies} times"
            return self.fault(
                "card-count-exceeded",
                f"{card} has been shown {times} already; there is no other. "
                "Look at the card again.",
            )
        return self.fault(
            "wild-count-impossible",
            f"With {card} there would have been more special cards than there are, to "
            "explain the turns that nobody saw a card of. Look at the card again.",
        )

    def _target(self, position: RunPosition, by: int, square: int) -> Broken:
        """Return what forbids taking the piece on a square."""
        cell, bit = self._cells[square], 1 << square
        team = self.team_at(position, square)
        if team is None:
            return [
                self.fault("nothing-there", f"There is no piece on {cell}.", square)
            ]
        broken: Broken = []
        if team == self._setup.team_of[by]:
            codes = ("one-eyed-jack-on-own-peg",) if self._rules.replaces else ()
            text = f"The {self._piece} on {cell} is {self.name(by)}'s own. Put it back."
            broken.extend(
                self.fault(code, text, square) for code in (*codes, "own-chip-removed")
            )
        if self.is_frozen(position, square):
            broken.append(
                self.fault(
                    "frozen-chip-removed",
                    f"{cell} belongs to a {self._run} and is frozen. Put it back.",
                    square,
                )
            )
        if self._setup.homes.get(JOKER, 0) & bit:
            broken.append(
                self.fault(
                    "corner-peg-removed",
                    f"The {self._piece} on the corner {cell} stays. Put it back.",
                    square,
                )
            )
        elif self._rules.share is None and self.rows_at(position, team, square) > 0:
            broken.append(
                self.fault(
                    "row-broken",
                    f"Without {cell} a finished {self._run} would be broken. "
                    "Put it back.",
                    square,
                )
            )
        return broken

    def rows_at(self, position: RunPosition, team: int, square: int) -> int:
        """Return by how many the rows of a team grow with a peg on a square."""
        own, rows_in = position.chips[team] & ~(1 << square), self._rules.rows_in
        growth = 0
        for rays in self._squares.rays[square]:
            before, after = (_stretch(own, ray) for ray in rays)
            growth += rows_in(before + 1 + after) - rows_in(before) - rows_in(after)
        return growth

    def shares(self, run: int) -> Violation:
        """Say that a complete run may not be claimed beside the others."""
        return self.fault(
            self._rules.share_code,
            f"{self.names(run)}: {self._rules.share_text} Turn the "
            f"{self._piece}s back.",
            *bits(run),
        )

    def _replaced(self, square: int) -> Violation:
        return self.fault(
            "replaced-same-turn",
            f"A {self._piece} is never taken and replaced in one turn; "
            f"put {self._cells[square]} back as it was.",
            square,
        )

    def _partly(self, missing: int) -> Violation:
        return self.fault(
            "run-partly-turned-over",
            f"Turn over the whole {self._run}: {self.names(missing)} is missing.",
            *bits(missing),
        )


def several(squares: int, one: str, more: str) -> str:
    """Return the word for one square (or none), or that for more of them."""
    return more if squares.bit_count() > 1 else one


def retracted(position: RunPosition, pending: Pending) -> RunPosition:
    """Return the position as if the pending runs had not been claimed."""
    claims = tuple(
        tuple(run for run in runs if run not in pending.runs)
        for runs in position.claims
    )
    return position._replace(
        turned=position.turned & ~pending.squares,
        face_up=position.face_up & ~pending.squares,
        claims=claims,
        score=tuple(map(len, claims)),
        ended=None,
        pending=None,
    )


def _lead(broken: Broken, fault: Violation) -> None:
    """Put a fault that says it all first; only the end of the game says more."""
    over = bool(broken) and broken[0].code == "play-after-game-over"
    broken.insert(int(over), fault)


def _stretch(own: int, ray: tuple[int, ...]) -> int:
    """Return how many squares of a ray follow unbroken."""
    length = 0
    for bit in ray:
        if not own & bit:
            break
        length += 1
    return length
