"""A scene: all that decides what the camera sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from companion.rules.board import EMPTY, Cell, Look, SquareBoard
from vision.scene.boards import BoardStyle, TableStyle
from vision.scene.hands import Hand
from vision.scene.light import Light
from vision.scene.pieces import Piece, PieceStyle
from vision.scene.view import Floats, View


@dataclass(frozen=True, slots=True)
class Card:
    """A playing card on the table.

    Attributes:
        code: "7H", "JOKER", "TX", ...; "" for one face down.
        middle: mm in board space.
        rotation: degrees clockwise.
    """

    code: str
    middle: tuple[float, float]
    rotation: float = 0.0


@dataclass(frozen=True, slots=True)
class Sensor:
    """What the camera makes of the light.

    Attributes:
        gains: exposure and white balance, red, green, blue.
        noise: 1.0 is a small camera in a lit room, 4.0 one at night, 0 none.
        blur: standard deviation of the lens's blur, px.
        motion: how far the picture moves during the exposure (x, y), px.
        vignette: how much darker the corners are, 0 to 1.
        quality: of the JPEG, 1 to 100; 0 for none.
    """

    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 1.0
    blur: float = 0.5
    motion: tuple[float, float] = (0.0, 0.0)
    vignette: float = 0.18
    quality: int = 92


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A table with a board in front of a camera.

    Attributes:
        board: geometry and what is printed on the squares.
        view: where the camera stands.
        board_style, table_style, piece_style: how things are made.
        light, sensor: see there.
        pieces: what lies on the squares; squares left out are empty.
        loose: pieces that lie on no square or are held in a hand, and where
            their middles are, mm.
        hands: over the board.
        cards: on the table or the board; the later lie on the earlier.
        leds: light under squares (red, green, blue; 0 to 1).
        seed: of the noise and of everything else that is random in a picture.
    """

    board: SquareBoard
    view: View
    board_style: BoardStyle = field(default_factory=BoardStyle)
    table_style: TableStyle = field(default_factory=TableStyle)
    piece_style: PieceStyle = field(default_factory=PieceStyle)
    light: Light = field(default_factory=Light)
    sensor: Sensor = field(default_factory=Sensor)
    pieces: Mapping[Cell, Piece] = field(default_factory=dict)
    loose: tuple[tuple[Piece, tuple[float, float]], ...] = ()
    hands: tuple[Hand, ...] = ()
    cards: tuple[Card, ...] = ()
    leds: Mapping[Cell, tuple[float, float, float]] = field(default_factory=dict)
    seed: int = 0

    def looks(self) -> dict[Cell, Look]:
        """Return what truly lies on every square."""
        return {
            cell: self.pieces[cell].look if cell in self.pieces else EMPTY
            for cell in self.board.cells
        }

    def middle(self, cell: Cell) -> tuple[float, float]:
        """Return the middle of a square, mm."""
        (left, top), _, (right, bottom), _ = self.board.outline(cell)
        return (left + right) / 2, (top + bottom) / 2

    def place(self, cell: Cell) -> tuple[float, float]:
        """Return where the middle of a square's piece lies, mm."""
        x, y = self.middle(cell)
        offset = self.pieces[cell].offset
        width, height = self.board.cell_mm
        return x + offset[0] * width, y + offset[1] * height

    def lying(self) -> list[tuple[Piece, tuple[float, float]]]:
        """Return all pieces, on squares and loose, with their places in mm."""
        on_squares = [(piece, self.place(cell)) for cell, piece in self.pieces.items()]
        return [*on_squares, *self.loose]

    def corners(self) -> Floats:
        """Return the printed grid's corners in the picture.

        Returns:
            (4, 2) px: top-left, top-right, bottom-right, bottom-left of the board.
        """
        width, height = self.board.size_mm
        grid = [(0, 0, 0), (width, 0, 0), (width, height, 0), (0, height, 0)]
        return self.view.project(np.array(grid, float))
