"""Where things lie: cells, their outlines, and straight lines of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NewType, Protocol

Cell = NewType("Cell", str)
"""A place on a board, named as people write it: "c7", "6,16", "p2:b3"."""

Look = NewType("Look", str)
"""What a camera can tell apart on a cell: "empty", "red", "red-turned".

Not the state: a look may hide who owns a piece.
"""

EMPTY = Look("empty")

TURNED = "-turned"
"""What the look of a piece that lies turned over ends in."""

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


FREE = "XX"
"""A square without a print, in the rows of a board."""

RETAIL_MM = (50.0, 39.0)
"""Width and height of a square. The retail boards measure about 500 x 390 mm
(game-facts 1.5), so squares are not square."""


class SquareBoard:
    """Rows of oblong squares: column letter and row number, a1 at the top left.

    Args:
        faces: rows of printed labels, top row first; "" where nothing is printed.
        cell_mm: width and height of one square.
    """

    def __init__(
        self,
        faces: Sequence[Sequence[str]],
        cell_mm: tuple[float, float] = RETAIL_MM,
    ) -> None:
        self.rows = len(faces)
        self.columns = len(faces[0])
        self.cell_mm = cell_mm
        self._faces = {
            square(row, column): face
            for row, line in enumerate(faces)
            for column, face in enumerate(line)
        }

    @classmethod
    def of(
        cls, written: Iterable[str], cell_mm: tuple[float, float] = RETAIL_MM
    ) -> SquareBoard:
        """Return the board of rows like "XX 2S 3S ...", see `written`."""
        rows = (row.split() for row in written)
        faces = [["" if face == FREE else face for face in row] for row in rows]
        return cls(faces, cell_mm)

    @property
    def written(self) -> tuple[str, ...]:
        """The rows as record-format.md has them, "XX 2S 3S ...", top row first."""
        faces = [self.label(cell) or FREE for cell in self.cells]
        starts = range(0, len(faces), self.columns)
        return tuple(" ".join(faces[at : at + self.columns]) for at in starts)

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


def team_of(look: str) -> str:
    """Return whose a piece of a look is, whichever side is up."""
    return look.removesuffix(TURNED)


def turned_over(look: Look) -> Look:
    """Return the look of the same chip when its other side is up."""
    team = team_of(look)
    return Look(team if team != look else team + TURNED)


def both_turned(one: Look | None, other: Look | None) -> bool:
    """Tell whether a chip lies turned over by both looks; backs may be alike."""
    return all(look is not None and look.endswith(TURNED) for look in (one, other))


def square(row: int, column: int) -> Cell:
    """Name the square of a row and column, both from 0: (0, 0) is a1."""
    return Cell(f"{chr(ord('a') + column)}{row + 1}")


def row_column(cell: Cell) -> tuple[int, int]:
    """Return row and column, both from 0, of a square's name: a1 is (0, 0)."""
    return int(cell[1:]) - 1, ord(cell[0]) - ord("a")


HEX_SIDES = ("N", "NE", "SE", "S", "SW", "NW")
"""The six sides of a flat-top hexagon, clockwise; side i faces side i + 3."""

_HEX_STEPS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))


class HexBoard:
    """Flat-top hexagons in double-height coordinates (game-facts 6.1).

    A cell is named "column,row"; rows grow by 2 downwards, so that column plus
    row is odd everywhere or even everywhere.

    Args:
        faces: printed labels by cell; "" where nothing is printed.
        side_mm: length of a hexagon's side.
    """

    def __init__(self, faces: Mapping[Cell, str], side_mm: float = 25.0) -> None:
        self.side_mm = side_mm
        self._faces = {cell: faces[cell] for cell in sorted(faces, key=_reading_order)}
        self._neighbours = {
            cell: tuple(self._beside(cell, *step) for step in _HEX_STEPS)
            for cell in faces
        }

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All hexagons, from the top, each row from the left."""
        return tuple(self._faces)

    @cached_property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the box around all hexagons."""
        corners = [corner for cell in self.cells for corner in self.outline(cell)]
        return max(x for x, _ in corners), max(y for _, y in corners)

    def outline(self, cell: Cell) -> tuple[Point, ...]:
        """Return the six corners, clockwise from the left end of the top side."""
        column, row = column_row(cell)
        side, half_height = self.side_mm, self.side_mm * math.sqrt(3) / 2
        x, y = (1 + 1.5 * column) * side, (1 + row) * half_height
        top, bottom = y - half_height, y + half_height
        return (
            (x - side / 2, top),
            (x + side / 2, top),
            (x + side, y),
            (x + side / 2, bottom),
            (x - side / 2, bottom),
            (x - side, y),
        )

    def label(self, cell: Cell) -> str:
        """Return what is printed on a hexagon, "" for nothing."""
        return self._faces[cell]

    def neighbours(self, cell: Cell) -> tuple[Cell | None, ...]:
        """Return what lies beyond each of `HEX_SIDES`, None off the board."""
        return self._neighbours[cell]

    def _beside(self, cell: Cell, columns: int, rows: int) -> Cell | None:
        column, row = column_row(cell)
        beside = hexagon(column + columns, row + rows)
        return beside if beside in self._faces else None


def hexagon(column: int, row: int) -> Cell:
    """Name the hexagon of a double-height column and row: (6, 15) is "6,15"."""
    return Cell(f"{column},{row}")


def column_row(cell: Cell) -> tuple[int, int]:
    """Return column and row of a hexagon's name: "6,15" is (6, 15)."""
    column, row = cell.split(",")
    return int(column), int(row)


def _reading_order(cell: Cell) -> tuple[int, int]:
    column, row = column_row(cell)
    return row, column
