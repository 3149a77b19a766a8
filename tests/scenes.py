"""Boards and scenes for tests that need pictures."""

from collections.abc import Mapping
from dataclasses import replace

from calibration.table import Table
from calibration.wizard import calibrate
from companion.rules.board import Cell, Look, SquareBoard, square
from vision.pose import BoardPose, Lens
from vision.rectify import Rectifier
from vision.scene import Piece, Scene, View, draw
from vision.scene.random_tables import SEQUENCE

ROWS = SEQUENCE
"""The standard board as the wizard takes it."""

LOOKS = {
    letter: Look(name)
    for letter, name in {
        "w": "white",
        "W": "white-turned",
        "r": "red",
        "R": "red-turned",
        "b": "blue",
        "B": "blue-turned",
        "g": "green",
        "G": "green-turned",
        "y": "yellow",
        "Y": "yellow-turned",
        "k": "black",
        "K": "black-turned",
        "*": "turned",
    }.items()
}
"""Looks by the letters of a position (record-format.md)."""

KINDS = {
    Cell("c3"): Look("white"),
    Cell("g3"): Look("red"),
    Cell("e5"): Look("white-turned"),
    Cell("c7"): Look("red-turned"),
}
"""Samples: chips of two teams, and their backs."""


def sequence_board(cell_mm: tuple[float, float] = (50.0, 39.0)) -> SquareBoard:
    """Return the standard board, its corners free."""
    return SquareBoard.of(ROWS, cell_mm)


def pieces(position: str) -> dict[Cell, Piece]:
    """Return the pieces of a position, "..r../.W..." from the top row."""
    return {
        square(row, column): Piece(LOOKS[letter])
        for row, line in enumerate(position.split("/"))
        for column, letter in enumerate(line)
        if letter != "."
    }


def overhead(
    board: SquareBoard, tilt: float = 0.0, size: tuple[int, int] = (648, 486)
) -> Scene:
    """Return an empty board seen from above, or from a tilt in degrees."""
    width, height = board.size_mm
    view = View((width / 2, height / 2), 800, tilt=tilt, size=size).fitted(board)
    return Scene(board, view)


def with_samples(bare: Scene, kinds: Mapping[Cell, Look]) -> Scene:
    """Return the scene of the samples photo."""
    return replace(bare, pieces={cell: Piece(look) for cell, look in kinds.items()})


def calibrated(
    bare: Scene, kinds: Mapping[Cell, Look], game: str = "gridlock"
) -> Table:
    """Return the table of a board, its corners given."""
    return calibrate(
        game,
        bare.board.written,
        draw(bare),
        corners=bare.corners(),
        samples=draw(with_samples(bare, kinds)),
        kinds=kinds,
    ).table


def agrees(said: str, true: str) -> bool:
    """Return whether a square is read as it is; "*" is anybody's turned chip."""
    return said == true or (said == "*" and true.isupper())


def disagreements(said: str, true: str) -> list[tuple[str, str]]:
    """Return the squares of two positions that differ, as pairs of letters."""
    pairs = zip(said, true, strict=True)
    return [(mine, other) for mine, other in pairs if not agrees(mine, other)]


def pose_of(scene: Scene) -> BoardPose:
    """Return where the board of a scene lies in its picture."""
    lens = Lens(scene.view.size, scene.view.k1)
    return BoardPose.from_corners(scene.corners(), scene.board.size_mm, lens)


def rectifier_of(scene: Scene) -> Rectifier:
    """Return what straightens the pictures of a scene."""
    board = scene.board
    return Rectifier(pose_of(scene), board.cell_mm, board.columns, board.rows)
