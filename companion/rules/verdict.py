"""What the referee says: violations with their remedy, and the verdict on a look."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from companion.rules.board import Cell


class Witness(Enum):
    """Who can see a violation (rulings 0.1)."""

    CAMERA = "C"
    CARD = "K"
    REPORT = "P"


class Response(Enum):
    """What follows from a violation (rulings 0.1)."""

    UNDO = "undo"
    WARN = "warn"
    PENALTY = "penalty"
    FIX = "fix"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule, said so that a player can put it right.

    Attributes:
        code: the code of rulings.md, "own-chip-removed".
        text: one or two sentences with the squares and the remedy.
        rule: the rule's id, "G35-12"; "" where the code stands for itself.
        cells: where on the board.
    """

    code: str
    text: str
    rule: str = ""
    cells: tuple[Cell, ...] = ()
    witness: Witness = Witness.CAMERA
    response: Response = Response.UNDO


_AFTER_SENTENCE = re.compile(r"(?<=[.!?]) ")


def in_words(violations: Iterable[Violation]) -> str:
    """Return what violations say, one after the other.

    What several say of the same squares, mostly the remedy, is said once, at the end.
    """
    said = [
        (sentence, violation.cells)
        for violation in violations
        for sentence in _AFTER_SENTENCE.split(violation.text)
    ]
    last = list(dict.fromkeys(reversed(said)))
    return " ".join(sentence for sentence, _ in reversed(last))


class Kind(Enum):
    """How a look at the table is judged; the words of `watch --json`."""

    UNCHANGED = "unchanged"
    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNCERTAIN = "uncertain"
    HIDDEN = "hidden"
