"""Cards of the 3x3 grids, and what three of them in a line are worth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

WILD = "#"
LOCK = "LOCK"
FACE_DOWN = "?"
GONE = ""


@dataclass(frozen=True, slots=True)
class Deck:
    """What one deck holds; a numbered card is written colour, number: "R7".

    Attributes:
        colours: one letter each.
        numbers: lowest first, one digit each.
        copies: of every number in every colour.
        wilds, locks: how many "#" and "LOCK" there are.
    """

    colours: str
    numbers: range
    copies: int
    wilds: int
    locks: int

    def counts(self, decks: int = 1) -> dict[str, int]:
        """Return how often each face is there, 0 for faces that are left out."""
        faces = {
            f"{colour}{number}": self.copies
            for colour in self.colours
            for number in self.numbers
        } | {WILD: self.wilds, LOCK: self.locks}
        return {face: decks * copies for face, copies in faces.items()}


class Numbers(Enum):
    """How the numbers of a combination go together."""

    SAME = "same"
    RUN = "run"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Combination:
    """One entry of a scoring chart.

    Attributes:
        points: what it is worth.
        wilds: the numbers of wild cards with which it can be made.
        numbers, one_colour: what is asked of the cards that are not wild.
    """

    points: int
    wilds: tuple[int, ...]
    numbers: Numbers = Numbers.ANY
    one_colour: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A scoring chart: the first combination that fits counts.

    Attributes:
        combinations: of those that can fit together the dearest stands first.
        numbers: the numbers of the deck, which bound the runs.
    """

    combinations: tuple[Combination, ...]
    numbers: range

    def points(self, cards: Sequence[str]) -> int:
        """Return what three cards in order are worth, 0 for no combination.

        A lock card, a face-down one or a gap makes no combination (GHL-A10).
        """
        if any(card in (LOCK, FACE_DOWN, GONE) for card in cards):
            return 0
        naturals = {
            place: (card[0], int(card[1:]))
            for place, card in enumerate(cards)
            if card != WILD
        }
        wilds = len(cards) - len(naturals)
        colours = {colour for colour, _ in naturals.values()}
        numbers = {place: number for place, (_, number) in naturals.items()}
        kinds = set(self._kinds(numbers))
        return next(
            (
                entry.points
                for entry in self.combinations
                if wilds in entry.wilds
                and entry.numbers in kinds
                and not (entry.one_colour and len(colours) > 1)
            ),
            0,
        )

    def _kinds(self, numbers: Mapping[int, int]) -> Iterator[Numbers]:
        yield Numbers.ANY
        if len(set(numbers.values())) == 1:
            yield Numbers.SAME
        if self._is_run(numbers, step=1) or self._is_run(numbers, step=-1):
            yield Numbers.RUN

    def _is_run(self, numbers: Mapping[int, int], step: int) -> bool:
        """Tell whether numbers by place (0..2) count up or down by one.

        A wild stands for the number missing at its own place, so the whole run
        lies within the deck's numbers: "# 9 8" is none.
        """
        firsts = {number - step * place for place, number in numbers.items()}
        return len(firsts) == 1 and all(
            first in self.numbers and first + 2 * step in self.numbers
            for first in firsts
        )
