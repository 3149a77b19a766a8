"""The table that ships with the program: a virtual one, calibrated like any other.

Its empty board and a few sample chips are photographed by the virtual camera,
and the ordinary calibration makes a `Table` of the two pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from calibration.table import Table
from calibration.wizard import calibrate
from companion.errors import HeaderError
from companion.rules.board import TURNED, Board, Cell, Look, SquareBoard
from vision.scene import BoardStyle, Light, Piece, PieceStyle, Scene, View, draw
from vision.scene.pieces import WHITE
from vision.scene.print import Ink

CELL_MM = (50.0, 50.0)
SIZE = (1296, 972)


@dataclass(frozen=True, slots=True)
class _Box:
    """What comes in the box of a game: its printed board and its pieces."""

    colours: tuple[str, ...]
    board: BoardStyle = field(default_factory=BoardStyle)
    pieces: PieceStyle = field(default_factory=PieceStyle)


BOXES = {
    "gridlock": _Box(("white", "red")),
    "jacks-rule": _Box(
        ("blue", "yellow", "red"),
        BoardStyle(ground="#a9774a", wood=0.6),
        PieceStyle(shape="peg", radius=0.2, height=20.0),
    ),
    "states": _Box(
        ("blue", "green", "red"),
        BoardStyle(ground="#e3cf9c", ink=Ink(arrangement="badge")),  # KS is Kansas
        PieceStyle(back=replace(WHITE, word="SEQUENCE")),
    ),
}
"""The chip games' boxes by the game's id."""


def demo_scene(game: str, faces: Board) -> Scene:
    """Return a game's empty virtual table.

    Raises:
        HeaderError: this game has no virtual table.
    """
    if game not in BOXES or not isinstance(faces, SquareBoard):
        raise HeaderError(
            f'There is no virtual table for "{game}"; there is one for '
            f"{', '.join(BOXES)}. Play it without --table by telling the turns."
        )
    box = BOXES[game]
    board = SquareBoard.of(faces.written, CELL_MM)
    width, height = board.size_mm
    view = View((width / 2, height / 2), 900, tilt=12, size=SIZE).fitted(board)
    return Scene(board, view, box.board, piece_style=box.pieces, light=Light())


def demo_table(game: str, board: str, scene: Scene) -> Table:
    """Calibrate the virtual table from two of its photos.

    Args:
        game: id of the game.
        board: name of the board that the scene shows.
        scene: the empty table.
    """
    colours = BOXES[game].colours
    sides = ("",) if scene.piece_style.shape == "peg" else ("", TURNED)
    looks = [Look(colour + side) for side in sides for colour in colours]
    kinds = {
        Cell(f"{column}{row}"): look
        for (column, row), look in zip(
            (("c", 3), ("g", 3), ("e", 5), ("c", 7), ("g", 7), ("i", 8)),
            looks,
            strict=False,
        )
    }
    samples = replace(
        scene,
        seed=scene.seed + 1,
        pieces={cell: Piece(look, rotation=40.0) for cell, look in kinds.items()},
    )
    done = calibrate(
        game,
        scene.board.written,
        draw(scene),
        samples=draw(samples),
        kinds=kinds,
        board=board,
    )
    return replace(done.table, camera="virtual")
