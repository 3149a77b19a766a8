"""Where things lie: cells, their outlines, and straight lines of them."""

from collections.abc import Sequence
from functools import cached_property
from typing import NewType, Protocol

Cell = NewType("Cell", str)
"""A place on a board, named as people write it: "c7", "6,16", "p2:b3"."""

Look = NewType("Look", str)
"""What a camera can tell apart on a cell: "empty", "red", "red-turned".

Not the state: a look may hide who owns a piece.
"""

EMPTY = Look("empty")

Point = tuple[float, float]
"""Board space: mm from the top-left corner of the printed grid, x right, y down."""


class Board(Protocol):
    """One geometry for the eyes, the lights and the page."""

    @property
    def cells(self) -> Sequence[Cell]:
        """All cells, in reading order."""

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the printed grid."""

    def outline(self, cell: Cell) -> tuple[Point, ...]:
        """Return the corners of a cell, clockwise from its top left, in mm."""

    def label(self, cell: Cell) -> str:
        """Return what is printed on a cell, "" for nothing."""


class SquareBoard:
    """Rows of oblong squares: column letter and row number, a1 at the top left.

    Args:
        faces: rows of printed labels, top row first; "" where nothing is printed.
        cell_mm: width and height of one square. The retail boards measure
            about 500 x 390 mm (game-facts 1.5), so squares are not square.
    """

    def __init__(
        self,
        faces: Sequence[Sequence[str]],
        cell_mm: tuple[float, float] = (50.0, 39.0),
    ) -> None:
        self.rows = len(faces)
        self.columns = len(faces[0])
        self.cell_mm = cell_mm
        self._faces = {
            square(row, column): face
            for row, line in enumerate(faces)
            for column, face in enumerate(line)
        }

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All squares, row by row."""
        return tuple(self._faces)

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the grid."""
        return self.columns * self.cell_mm[0], self.rows * self.cell_mm[1]

    def outline(self, cell: Cell) -> tuple[Point, ...]:
        """Return the four corners, clockwise from the top left."""
        row, column = row_column(cell)
        width, height = self.cell_mm
        x, y = column * width, row * height
        return (x, y), (x + width, y), (x + width, y + height), (x, y + height)

    def label(self, cell: Cell) -> str:
        """Return the printed card, "" on a free corner."""
        return self._faces[cell]


def square(row: int, column: int) -> Cell:
    """Name the square of a row and column, both from 0: (0, 0) is a1."""
    return Cell(f"{chr(ord('a') + column)}{row + 1}")


def row_column(cell: Cell) -> tuple[int, int]:
    """Return row and column, both from 0, of a square's name: a1 is (0, 0)."""
    return int(cell[1:]) - 1, ord(cell[0]) - ord("a")
