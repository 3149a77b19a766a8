"""Boards and scenes for tests that need pictures."""

from companion.rules.board import Cell, Look, SquareBoard, square
from vision.scene import Piece, Scene, View

SEQUENCE = """
XX 2S 3S 4S 5S 6S 7S 8S 9S XX
6C 5C 4C 3C 2C AH KH QH TH TS
7C AS 2D 3D 4D 5D 6D 7D 9H QS
8C KS 6C 5C 4C 3C 2C 8D 8H KS
9C QS 7C 6H 5H 4H AH 9D 7H AS
TC TS 8C 7H 2H 3H KH TD 6H 2D
QC 9S 9C 8H 9H TH QH QD 5H 3D
KC 8S TC QC KC AC AD KD 4H 4D
AC 7S 6S 5S 4S 3S 2S 2H 3H 5D
XX AD KD QD TD 9D 8D 7D 6D XX
"""

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


def sequence_board(cell_mm: tuple[float, float] = (50.0, 39.0)) -> SquareBoard:
    """Return the standard board, its corners free."""
    rows = [line.split() for line in SEQUENCE.split("\n") if line]
    return SquareBoard(
        [["" if face == "XX" else face for face in row] for row in rows], cell_mm
    )


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
