"""Wiring as data: which lamp lights which cell, which pin is which button's."""

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
        return cls(**_written("strip", data, [field.name for field in fields(cls)]))

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


LIGHTS = frozenset({7, 8, 9, 10, 11, 18})
"""GPIO numbers kept for lights: all of SPI0, and the data line of a Pi 5."""


@dataclass(frozen=True, slots=True)
class ControlPins:
    """GPIO numbers (BCM) of the buttons and the buzzer; None for what is not there.

    Attributes:
        take_back: a button to ground: take the last turn back.
        accept: a button to ground: the table is right as it lies.
        buzzer: an active buzzer, which sounds while the pin is high; below 9 it
            would sound while the Pi starts.
    """

    take_back: int | None = None
    accept: int | None = None
    buzzer: int | None = None

    @property
    def buttons(self) -> Mapping[str, int]:
        """The pins of the buttons that are there, by name."""
        pins = {"take_back": self.take_back, "accept": self.accept}
        return {name: pin for name, pin in pins.items() if pin is not None}


def control_pins(written: object, strip: object) -> ControlPins:
    """Read `controls` of table.json.

    Args:
        written: the object; what it leaves out is not there.
        strip: `strip` of table.json, whose pin is taken; None without.

    Raises:
        TableMismatch: no object, an unknown key, or a pin that cannot be used.
    """
    pins = _written("controls", written, [field.name for field in fields(ControlPins)])
    lights = LIGHTS if strip is None else LIGHTS | {Wiring.from_json(strip).pin}
    owners: dict[int, str] = {}
    for name, pin in pins.items():
        right = _whole(pin, 2) and pin <= 27  # 0 and 1 belong to add-on boards
        _check(right, name, ("a GPIO number from 2 to 27",), of="controls")
        if pin in lights:
            taken = ", ".join(map(str, sorted(lights)))
            raise TableMismatch(
                f'"{name}" of "controls" in table.json cannot be {pin}: GPIO {taken} '
                "are kept for the lights; use another pin."
            )
        if pin in owners:
            raise TableMismatch(
                f'"{owners[pin]}" and "{name}" of "controls" in table.json are both '
                f"{pin}; give each a pin of its own."
            )
        owners[pin] = name
    return ControlPins(**pins)


def _written(key: str, data: object, names: Sequence[str]) -> Mapping[str, Any]:
    """Return an object of table.json that holds nothing but what it may."""
    if not isinstance(data, Mapping):
        raise TableMismatch(f'"{key}" in table.json must be an object {{...}}.')
    if unknown := sorted(set(data) - set(names)):
        raise TableMismatch(
            f'"{key}" in table.json has an unknown "{unknown[0]}"; it may hold '
            + ", ".join(sorted(names))
            + "."
        )
    return data


def _centre(board: Board, cell: Cell) -> tuple[float, float]:
    outline = board.outline(cell)
    return (
        sum(x for x, _ in outline) / len(outline),
        sum(y for _, y in outline) / len(outline),
    )


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _check(right: bool, name: str, choices: Sequence[str], of: str = "strip") -> None:
    if not right:
        raise TableMismatch(
            f'"{name}" of "{of}" in table.json must be {" or ".join(choices)}.'
        )
