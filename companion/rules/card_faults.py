"""Which rules of a card-grid game a turn breaks, and how to put it right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from companion.rules.board import Cell
from companion.rules.card_positions import (
    CardGridPosition,
    Phase,
    lines_to_go,
    seen,
    skip_due,
)
from companion.rules.card_rules import CardGridRules
from companion.rules.card_turns import (
    CardTurn,
    FinalFlip,
    FirstDiscard,
    NextRound,
    Skip,
    StartFlip,
    Take,
)
from companion.rules.combinations import FACE_DOWN, GONE, LOCK, WILD
from companion.rules.grids import (
    PLACE_NAMES,
    Direction,
    Grid,
    grid_cell,
    line_name,
    trio_through,
)
from companion.rules.verdict import Violation


def faults(
    rules: CardGridRules, position: CardGridPosition, turn: CardTurn
) -> tuple[Violation, ...]:
    """Return every rule a turn breaks, the most specific first; () if legal.

    A turn that is not due is not looked at any further.
    """
    judge = _Judge(rules, position)
    return tuple(judge.untimely(turn)) or tuple(judge.mistaken(turn))


class _Judge:
    """One position, asked about one turn; each question yields violations."""

    def __init__(self, rules: CardGridRules, position: CardGridPosition) -> None:
        self.rules = rules
        self.position = position

    # -- is it time for this? -------------------------------------------------

    def untimely(self, turn: CardTurn) -> Iterator[Violation]:
        if self.position.phase is Phase.GAME_OVER:
            yield _fault(
                "play-after-game-over",
                "The game is over. Begin a new one to play on.",
                "GHL-22",
            )
            return
        if self.position.phase is Phase.ROUND_OVER and not isinstance(turn, NextRound):
            yield _fault(
                "extra-final-turn",
                "The round is over. Deal the next round before anything else.",
                "GHL-19",
            )
        match turn:
            case StartFlip():
                yield from self._untimely_start(turn)
            case FirstDiscard():
                yield from self._untimely_discard()
            case Take() | Skip():
                yield from self._untimely_turn(turn)
            case FinalFlip():
                yield from self._untimely_flip()
            case NextRound():
                yield from self._untimely_round()

    def _untimely_start(self, turn: StartFlip) -> Iterator[Violation]:
        if self.position.phase is not Phase.START:
            yield _fault(
                "wrong-start-flip",
                "The start flips are done. Turn that card face down again and go on.",
                "GHL-03",
            )
        elif turn.by is not None and len(self.position.grids[turn.by].face_down) < 9:
            yield _fault(
                "wrong-start-flip",
                f"{self.rules.name(turn.by)} has already flipped a card. "
                "Everybody flips exactly one; turn the second face down again.",
                "GHL-03",
                [grid_cell(turn.by, turn.place)],
            )
        yield from self._flip_missing()

    def _untimely_discard(self) -> Iterator[Violation]:
        if self.position.phase is not Phase.START or self.position.discards:
            yield _fault(
                "out-of-turn-play",
                "The discard pile has been begun. "
                "Put the card back on top of the draw pile.",
                "GHL-02",
            )
        yield from self._flip_missing()

    def _untimely_turn(self, turn: Take | Skip) -> Iterator[Violation]:
        to_move = self.position.to_move
        if self.position.phase is Phase.START:
            yield _fault("wrong-start-flip", self._what_start_lacks(), "GHL-03")
        elif self.position.flip_due:
            yield from self._flip_missing()
        elif turn.by is not None and to_move is not None and turn.by != to_move:
            yield from self._out_of_turn(turn.by, to_move)

    def _out_of_turn(self, by: int, to_move: int) -> Iterator[Violation]:
        name = self.rules.name(by)
        yield _fault(
            "out-of-turn-play",
            f"It is {self.rules.name(to_move)}'s turn, not {name}'s. "
            "Put the cards back as they were.",
            "GHL-04",
        )
        if self.position.grids[by].is_out:
            yield _fault(
                "played-after-going-out",
                f"{name} is out and has no further turn in this round.",
                "GHL-17",
            )
        elif self.position.phase is Phase.FINAL:
            yield _fault(
                "extra-final-turn",
                "The last turns go round in order, two for each player.",
                "GHL-19",
            )

    def _untimely_flip(self) -> Iterator[Violation]:
        if not self.position.flip_due:
            yield _fault(
                "out-of-turn-play",
                "There is no final flip now; it follows once, when somebody goes "
                "out. Turn the cards face down again.",
                "GHL-18",
            )

    def _untimely_round(self) -> Iterator[Violation]:
        if self.position.phase is not Phase.ROUND_OVER:
            yield _fault(
                "out-of-turn-play",
                "The round is not over. Play it to its end before dealing again.",
                "GHL-22",
            )
        yield from self._flip_missing()

    def _flip_missing(self) -> Iterator[Violation]:
        out = self.position.first_out
        if out is not None and self.position.flip_due:
            yield _fault(
                "final-flip-missing",
                f"{self.rules.name(out)} is out. First all others flip up their "
                "face-down cards.",
                "GHL-18",
            )

    def _what_start_lacks(self) -> str:
        waiting = [
            self.rules.name(player)
            for player, grid in enumerate(self.position.grids)
            if len(grid.face_down) == 9
        ]
        if waiting:
            return f"Play has not begun: {' and '.join(waiting)} must flip one card."
        return "Play has not begun: turn up the first card of the discard pile."

    # -- is it done as it must be? ----------------------------------------------

    def mistaken(self, turn: CardTurn) -> Iterator[Violation]:
        match turn:
            case Take():
                yield from self._take(turn)
            case Skip():
                yield from self._skip()
            case FinalFlip():
                yield from self._final_flip(turn)
            case StartFlip():
                yield from self._copies([turn.shows])
            case FirstDiscard():
                yield from self._copies([turn.card])
            case NextRound():
                pass

    def _skip(self) -> Iterator[Violation]:
        if not skip_due(self.rules, self.position):
            yield _fault(
                "turn-skipped",
                "No lock card costs this turn. Take a card from either pile.",
                "GHL-05",
            )

    def _take(self, turn: Take) -> Iterator[Violation]:
        if skip_due(self.rules, self.position):
            yield _fault(
                "lost-turn-played",
                "Lock cards cost this turn. Put the cards back and let the next "
                "player go on.",
                "GHL-20",
                self._cells_of(turn.by, self._places_of(turn.by, LOCK)),
            )
            return
        found = [*self._source(turn), *self._kind_of_play(turn), *self._target(turn)]
        yield from found
        if not found and turn.eliminate is not None:
            yield from self._elimination(turn, turn.eliminate)
        yield from self._copies(self._shown_by(turn), drawing=turn.source == "draw")

    def _source(self, turn: Take) -> Iterator[Violation]:
        if turn.source == "discard" and self.position.discards[-1] == LOCK:
            yield _fault(
                "gridlock-card-taken",
                "A lock card stays on the discard pile. Put it back and draw a card.",
                "GHL-09",
            )
        if turn.card == LOCK and turn.put is not None:
            yield _fault(
                "gridlock-card-placed",
                "A drawn lock card is discarded at once. Put the old card back, "
                "discard the lock card and flip a face-down card.",
                "GHL-08",
                self._cells_of(turn.by, [turn.put]),
            )

    def _kind_of_play(self, turn: Take) -> Iterator[Violation]:
        if turn.source == "discard" and turn.put is None:
            yield _fault(
                "discard-not-placed",
                "A card from the discard pile goes into the grid. Replace a card "
                "with it, or put it back and draw.",
                "GHL-06",
            )
        flipped = [] if turn.flip is None else self._cells_of(turn.by, [turn.flip])
        if turn.put is not None and turn.flip is not None:
            yield _fault(
                "flipped-after-placing",
                "Place a card or flip one, not both. Turn the flipped card face "
                "down again.",
                "GHL-07",
                flipped,
            )
        if turn.flip is not None and self.position.phase is Phase.FINAL:
            yield _fault(
                "final-turn-flip",
                "In the last turns nothing is flipped. Place the card or discard it.",
                "GHL-19",
                flipped,
            )

    def _target(self, turn: Take) -> Iterator[Violation]:
        assert turn.by is not None
        grid = self.position.grids[turn.by]
        if turn.put is not None:
            yield from self._placing(turn, turn.by, turn.put, grid)
        if turn.flip is not None:
            yield from self._flipping(turn.by, turn.flip, grid)
        elif turn.put is None and turn.source == "draw":
            yield from self._not_flipping(turn.by, grid)

    def _placing(
        self, turn: Take, by: int, place: int, grid: Grid
    ) -> Iterator[Violation]:
        name, cells = PLACE_NAMES[place], self._cells_of(by, [place])
        card = grid.cards[place]
        if card == GONE:
            yield _fault(
                "placed-in-empty-cell",
                f"The {name} card has been eliminated; nothing goes there any more. "
                "Replace a card that is still in the grid.",
                "GHL-06",
                cells,
            )
            return
        if place in grid.locked and card == LOCK:
            yield _fault(
                "gridlock-card-replaced-early",
                f"The lock card ({name}) stays until this turn is over. Put it back.",
                "GHL-10",
                cells,
            )
        if place in grid.locked:
            yield _fault(
                "locked-card-replaced",
                f"The {name} card is locked in this turn. Put it back and replace "
                "one that is not locked.",
                "GHL-11",
                cells,
            )
        if turn.old not in (None, card) and card != FACE_DOWN:
            yield _fault(
                "cards-rearranged",
                f"The {name} card is {card}, not {turn.old}. Lay the grid as it was.",
                "GHL-06",
                cells,
            )

    def _flipping(self, by: int, place: int, grid: Grid) -> Iterator[Violation]:
        name, cells = PLACE_NAMES[place], self._cells_of(by, [place])
        if grid.cards[place] != FACE_DOWN:
            yield _fault(
                "flip-missing",
                f"No card lies face down {_at(name)}. Flip one that does.",
                "GHL-07",
                cells,
            )
        elif place in grid.locked:
            yield _fault(
                "locked-card-flipped",
                f"The {name} card is locked in this turn. Turn it face down again "
                "and flip one that is not locked, if there is any.",
                "GHL-11",
                cells,
            )

    def _not_flipping(self, by: int, grid: Grid) -> Iterator[Violation]:
        free = [place for place in grid.face_down if place not in grid.locked]
        if free:
            yield _fault(
                "flip-missing",
                "The drawn card was discarded, so one face-down card is flipped: "
                f"{_any_of(PLACE_NAMES[place] for place in free)}.",
                "GHL-07",
                self._cells_of(by, free),
            )

    def _elimination(self, turn: Take, chosen: Direction) -> Iterator[Violation]:
        assert turn.by is not None
        place = turn.put if turn.put is not None else turn.flip
        grid = self.position.grids[turn.by]
        if place is None:
            yield _fault(
                "eliminated-without-combination",
                "No card of the grid has changed, so nothing is eliminated. Put the "
                "cards back.",
                "GHL-13",
            )
            return
        grid = grid.with_card(place, self._card_at_rest(turn))
        if chosen in lines_to_go(self.rules, grid, place):
            return
        trio = trio_through(place, chosen)
        cells = self._cells_of(turn.by, trio)
        if grid.direction not in (None, chosen):
            yield self._wrong_direction(turn.by, cells)
        elif grid.locked.intersection(trio):
            yield _fault(
                "locked-line-eliminated",
                f"Cards in {line_name(trio)} are locked in this turn. Put the line "
                "back; if it is complete it goes when your next turn begins.",
                "GHL-12",
                cells,
            )
        elif any(grid.cards[n] == FACE_DOWN for n in trio):
            yield _fault(
                "eliminated-face-down-card",
                f"Not all cards in {line_name(trio)} lie face up. Put the line back.",
                "GHL-13",
                cells,
            )
        else:
            cards = " ".join(grid.cards[n] for n in trio)
            yield _fault(
                "eliminated-without-combination",
                f"{cards} in {line_name(trio)} form no combination. Put them back.",
                "GHL-13",
                cells,
            )

    def _wrong_direction(self, by: int, cells: Iterable[Cell]) -> Violation:
        direction = self.position.grids[by].direction
        return _fault(
            "wrong-direction-elimination",
            f"{self.rules.name(by)} began with a {direction}, so only {direction}s go "
            "in this round. Put the line back.",
            "GHL-14",
            cells,
        )

    def _card_at_rest(self, turn: Take) -> str:
        """Return the card that a play leaves at the place it changes."""
        if turn.put is None:
            assert turn.shows is not None
            return turn.shows
        return turn.card or self.position.discards[-1]

    def _shown_by(self, turn: Take) -> list[str]:
        """Return the faces that nobody saw before this turn."""
        assert turn.by is not None
        cards = self.position.grids[turn.by].cards
        shown = [turn.card]
        if turn.put is not None and cards[turn.put] == FACE_DOWN:
            shown.append(turn.old)
        if turn.flip is not None and cards[turn.flip] == FACE_DOWN:
            shown.append(turn.shows)
        return [card for card in shown if card is not None]

    # -- the final flip -------------------------------------------------------

    def _final_flip(self, turn: FinalFlip) -> Iterator[Violation]:
        found = [*self._misnamed(turn), *self._left_out(turn)]
        yield from found
        if not found:
            yield from self._final_eliminations(turn)
        yield from self._copies(
            face for faces in turn.shows.values() for face in faces.values()
        )

    def _misnamed(self, turn: FinalFlip) -> Iterator[Violation]:
        for by, faces in turn.shows.items():
            cards = self.position.grids[by].cards
            wrong = [place for place in faces if cards[place] != FACE_DOWN]
            if wrong:
                names = _any_of((PLACE_NAMES[place] for place in wrong), "and")
                yield _fault(
                    "cards-rearranged",
                    f"{self.rules.name(by)} has no face-down card {_at(names)}. Lay "
                    "the grid as it was and flip only face-down cards.",
                    "GHL-18",
                    self._cells_of(by, wrong),
                )

    def _left_out(self, turn: FinalFlip) -> Iterator[Violation]:
        for by, grid in enumerate(self.position.grids):
            left = [n for n in grid.face_down if n not in turn.shows.get(by, {})]
            if left:
                names = _any_of((PLACE_NAMES[place] for place in left), "and")
                yield _fault(
                    "final-flip-missing",
                    f"{self.rules.name(by)} still has face-down cards: {names}. "
                    "Flip them all up.",
                    "GHL-18",
                    self._cells_of(by, left),
                )

    def _final_eliminations(self, turn: FinalFlip) -> Iterator[Violation]:
        for by, chosen in turn.eliminate.items():
            grid = self.position.grids[by]
            for place, face in turn.shows.get(by, {}).items():
                grid = grid.with_card(place, face)
            if grid.direction not in (None, chosen):
                yield self._wrong_direction(by, ())
            elif not grid.complete(self.rules.chart, chosen):
                yield _fault(
                    "eliminated-without-combination",
                    f"No {chosen} of {self.rules.name(by)}'s grid is complete. Put "
                    "the cards back.",
                    "GHL-13",
                )

    # -- shared -----------------------------------------------------------------

    def _copies(
        self, shown: Iterable[str], *, drawing: bool = False
    ) -> Iterator[Violation]:
        new = Counter(shown)
        counts = seen(self.position, drawing) + new
        for face in new:
            there = self.rules.copies[face]
            if counts[face] > there:
                yield _fault(
                    "card-copy-exceeded",
                    f"That would be {_card_name(face)} number {counts[face]}, but "
                    f"only {there} {'is' if there == 1 else 'are'} played with. "
                    "Look at the card again.",
                    "GHL-01",
                )

    def _places_of(self, by: int | None, card: str) -> list[int]:
        if by is None:
            return []
        cards = self.position.grids[by].cards
        return [place for place, there in enumerate(cards) if there == card]

    def _cells_of(self, by: int | None, places: Iterable[int]) -> tuple[Cell, ...]:
        return () if by is None else tuple(grid_cell(by, place) for place in places)


def _fault(code: str, text: str, rule: str, cells: Iterable[Cell] = ()) -> Violation:
    return Violation(code, text, rule, tuple(cells))


def _card_name(face: str) -> str:
    return {WILD: "the wild card", LOCK: "the lock card"}.get(face, face)


def _at(name: str) -> str:
    return f"at the {name}"


def _any_of(names: Iterable[str], word: str = "or") -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
