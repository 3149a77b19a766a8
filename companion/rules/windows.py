"""Five in a row on a board of squares: the windows and lines, as bit masks.

A set of squares is an integer whose bit `row * columns + column` stands for the
square (row, column), both from 0 at the top left. All of it is worked out once for
each size of board; the rules then ask with `&` and `|`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_

from companion.rules.board import Cell, square

LENGTH = 5
"""Squares in a window."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps (row, column): across, down, diagonally down-right, diagonally down-left."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Five squares in a line (rulings 0.2).

    Attributes:
        number: its place in the order of record-format.md: by direction, then by
            first square, top row first, then left.
        squares: bit numbers from the left, or if it is not horizontal from the top.
        mask: the five squares.
        ends: the first and the last of them, but for free corners.
        line: number of the whole line that it lies on.
    """

    number: int
    squares: tuple[int, ...]
    mask: int
    ends: int
    line: int


class Squares:
    """The squares of a board, and the windows and lines through each of them.

    Args:
        free: the free corners, which never hold a piece.

    Attributes:
        cells: names by bit number.
        number: bit numbers by name.
        windows: all windows, in the order of record-format.md.
        through: for each square the windows that contain it, in that order.
        by_mask: windows by their squares.
        masks: for each square the masks of the windows that contain it.
        reach: for each square the squares that share a window with it.
        rays: for each square and direction the squares backwards and forwards, as
            single-bit masks from the nearest to the edge.
        lines: the squares of every line that is long enough for a window.
    """

    def __init__(self, rows: int, columns: int, free: int = 0) -> None:
        self.rows = rows
        self.columns = columns
        self.free = free
        self.cells: tuple[Cell, ...] = tuple(
            square(row, column) for row in range(rows) for column in range(columns)
        )
        self.number = {cell: number for number, cell in enumerate(self.cells)}
        self.lines: list[tuple[int, ...]] = []
        self.windows: tuple[Window, ...] = tuple(self._windows())
        self.by_mask = {window.mask: window for window in self.windows}
        self.through: tuple[tuple[Window, ...], ...] = tuple(
            tuple(window for window in self.windows if window.mask >> number & 1)
            for number in range(len(self.cells))
        )
        self.masks = tuple(
            tuple(window.mask for window in windows) for windows in self.through
        )
        self.reach = tuple(reduce(or_, masks, 0) for masks in self.masks)
        self.rays = tuple(
            tuple(
                (self._ray(number, (-down, -right)), self._ray(number, (down, right)))
                for down, right in DIRECTIONS
            )
            for number in range(len(self.cells))
        )

    def near(self, mask: int) -> list[Window]:
        """Return the windows through any square of a set, in their order."""
        some = {window for number in bits(mask) for window in self.through[number]}
        return sorted(some, key=lambda window: window.number)

    def names(self, mask: int) -> tuple[Cell, ...]:
        """Return the names of the squares of a set, in reading order."""
        return tuple(self.cells[number] for number in bits(mask))

    def _windows(self) -> Iterator[Window]:
        """Yield all windows in order, and note the lines they lie on."""
        number = 0
        for step in DIRECTIONS:
            line_at: dict[int, int] = {}
            for first in range(len(self.cells)):
                squares = (first, *self._steps(first, step))
                if len(squares) < LENGTH:
                    continue
                if first not in line_at:
                    line_at.update(dict.fromkeys(squares, len(self.lines)))
                    self.lines.append(squares)
                five = squares[:LENGTH]
                ends = (1 << five[0] | 1 << five[-1]) & ~self.free
                yield Window(number, five, mask_of(five), ends, line_at[first])
                number += 1

    def _ray(self, number: int, step: tuple[int, int]) -> tuple[int, ...]:
        return tuple(1 << other for other in self._steps(number, step))

    def _steps(self, number: int, step: tuple[int, int]) -> Iterator[int]:
        """Yield the squares from one towards the edge, without itself."""
        row, column = divmod(number, self.columns)
        while True:
            row, column = row + step[0], column + step[1]
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                return
            yield row * self.columns + column


@lru_cache
def squares_of(rows: int, columns: int, free: int = 0) -> Squares:
    """Return the squares of a size of board with these free corners."""
    return Squares(rows, columns, free)


def mask_of(numbers: Iterable[int]) -> int:
    """Return the set of the squares with these bit numbers."""
    return reduce(or_, (1 << number for number in numbers), 0)


def bits(mask: int) -> Iterator[int]:
    """Yield the bit numbers of a set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
