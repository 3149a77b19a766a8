"""Which lamp lights which cell: wiring as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from companion.errors import TableMismatch
from companion.rules.board import Board, Cell

Corner = Literal["top-left", "top-right", "bottom-right", "bottom-left"]
Along = Literal["rows", "columns"]
Order = Literal["RGB", "RBG", "GRB", "GBR", "BRG", "BGR"]

Pin = Literal[10, 12, 13, 18, 21]

DARK = Cell("")
"""Stands for "no cell": a lamp that lies beside the board."""


@dataclass(frozen=True, slots=True)
class StripLayout:
    """The cells in the order of the strip.

    Attributes:
        cells: the cell that the k-th lamp lights, `DARK` for none; a cell may
            have several lamps.
    """

    cells: tuple[Cell, ...]

    def lamps(self) -> Mapping[Cell, tuple[int, ...]]:
        """Return each cell's lamps, counted from 0 at the strip's plug."""
        lamps: dict[Cell, tuple[int, ...]] = {}
        for index, cell in enumerate(self.cells):
            if cell != DARK:
                lamps[cell] = (*lamps.get(cell, ()), index)
        return lamps


@dataclass(frozen=True, slots=True)
class Wiring:
    """How a strip lies under a board, and what drives it; `strip` in table.json.

    The words are those of Adafruit's NeoMatrix and of WLED.

    Attributes:
        corner: of the board as its layout is written, where the first lamp is.
        along: whether the strip runs along rows or along columns.
        serpentine: every other line runs backwards; otherwise all run the same way.
        lamps_per_cell: lamps one after the other under each cell.
        skip: lamps before the first cell, always dark.
        order: of the colours on the wire; nearly all WS2812 take GRB.
        pin: GPIO number of the data line. 10 (SPI) needs no root; 12, 13 and 18
            (PWM) and 21 (PCM) do. A Pi 5 has its pin in config.txt instead.
        brightness: 0 to 1, one knob for all.
        limit_ma: what the supply can give the lamps, in mA.
    """

    corner: Corner = "top-left"
    along: Along = "rows"
    serpentine: bool = True
    lamps_per_cell: int = 1
    skip: int = 0
    order: Order = "GRB"
    pin: Pin = 10
    brightness: float = 0.5
    limit_ma: int = 2000

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            TableMismatch: one is not possible; the sentence names it.
        """
        choices = {"corner": Corner, "along": Along, "order": Order, "pin": Pin}
        for name, kind in choices.items():
            possible = get_args(kind)
            _check(getattr(self, name) in possible, name, [str(p) for p in possible])
        _check(isinstance(self.serpentine, bool), "serpentine", ("true", "false"))
        _check(_whole(self.lamps_per_cell, 1), "lamps_per_cell", ("1 or more",))
        _check(_whole(self.skip, 0), "skip", ("0 or more",))
        _check(_whole(self.limit_ma, 1), "limit_ma", ("1 or more, in mA",))
        number = isinstance(self.brightness, int | float)
        _check(number and 0 <= self.brightness <= 1, "brightness", ("from 0 to 1",))

    @classmethod
    def from_json(cls, data: object) -> Wiring:
        """Read what `to_json` wrote; what is left out has its default.

        Raises:
            TableMismatch: no object, an unknown key, or an impossible value.
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping):
            raise TableMismatch('"strip" in table.json must be an object {...}.')
        if unknown := sorted(set(data) - names):
            raise TableMismatch(
                f'"strip" in table.json has an unknown "{unknown[0]}"; it may hold '
                + ", ".join(sorted(names))
                + "."
            )
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Return the value of `strip` in table.json."""
        return asdict(self)

    def layout(self, board: Board) -> StripLayout:
        """Lay the strip under a board.

        Lines are found from where the cells lie, so boards need not be
        square, and lines need not be equally long (hexes).
        """
        lines: dict[float, list[tuple[float, Cell]]] = defaultdict(list)
        for cell in board.cells:
            x, y = _centre(board, cell)
            across, along = (y, x) if self.along == "rows" else (x, y)
            lines[round(across, 1)].append((along, cell))
        top, left = "top" in self.corner, "left" in self.corner
        first, forward = (top, left) if self.along == "rows" else (left, top)
        cells = [DARK] * self.skip
        for number, across in enumerate(sorted(lines, reverse=not first)):
            turned = self.serpentine and number % 2 == 1
            for _, cell in sorted(lines[across], reverse=forward is turned):
                cells += [cell] * self.lamps_per_cell
        return StripLayout(tuple(cells))


def strip_layout(board: Board, written: object) -> tuple[StripLayout, Wiring]:
    """Lay the strip of a table under its board.

    Args:
        board: the geometry.
        written: `strip` of table.json; None: wired as the defaults say.

    Raises:
        TableMismatch: see `Wiring.from_json`.
    """
    wiring = Wiring() if written is None else Wiring.from_json(written)
    return wiring.layout(board), wiring


def _centre(board: Board, cell: Cell) -> tuple[float, float]:
    outline = board.outline(cell)
    return (
        sum(x for x, _ in outline) / len(outline),
        sum(y for _, y in outline) / len(outline),
    )


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _check(right: bool, name: str, choices: Sequence[str]) -> None:
    if not right:
        raise TableMismatch(
            f'"{name}" of "strip" in table.json must be {" or ".join(choices)}.'
        )
