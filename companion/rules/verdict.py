"""What the referee says: violations with their remedy, and the verdict on a look."""

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


class Kind(Enum):
    """How a look at the table is judged; the words of `watch --json`."""

    UNCHANGED = "unchanged"
    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNCERTAIN = "uncertain"
    HIDDEN = "hidden"
