"""The board seen through a plane above it, on which pieces are where they stand.

A photo straightened on the board shows the tops of pieces aside, by as much as they are
high and the camera leans. Straightened on a plane above, it shows what is so high in
its place, and the print aside. That is no matter where the empty board's photo shows it
aside as well, by as much: it is straightened as if seen from where the camera is now.
"""

from __future__ import annotations

import numpy as np

from companion.rules.board import SquareBoard
from vision.empty_board import EmptyBoard, Floats, Sight
from vision.frame import Image
from vision.pose import BoardPose, Eye, lean_at
from vision.rectify import CELL, Rectifier

_ASIDE = 0.1  # px by which print may be off; boards that lie still are so much off


class RaisedBoard:
    """Shows photos on a plane above the board. Mutable: remembers the last pose.

    Args:
        board: its geometry.
        empty: the photo of the empty board.
        pose: where the board lies in that photo.
        height: of the plane above the board, mm.
    """

    def __init__(
        self, board: SquareBoard, empty: Image, pose: BoardPose, height: float
    ) -> None:
        self._board, self._photo, self._height = board, empty, height
        self._calibrated, self._focal = pose, pose.focal()
        self._lean: Floats | None = None
        self._lie(pose)

    def under(self, image: Image, pose: BoardPose) -> Sight:
        """Return how a photo shows what is on the plane.

        Args:
            image: the photo.
            pose: where the board lies in it.
        """
        if pose is not self._pose:
            self._lie(pose)
        return self._empty.under(self._rectify(image))

    def finely(self, image: Image) -> Image:
        """Return the photo that was shown last at `FINE` px a cell."""
        return self._rectify.finely(image)

    def _lie(self, pose: BoardPose) -> None:
        """Take the board to lie at a pose."""
        board, eye = self._board, pose.eye(self._focal)
        self._pose, self._rectify = pose, self._through(pose, eye)
        lean = lean_at(eye, board.cell_mm, board.rows, board.columns)
        if self._lean is not None:
            aside = self._height * np.abs(lean - self._lean).max(axis=(0, 1))
            if (CELL * aside < _ASIDE * np.array(board.cell_mm)).all():
                return
        bare = self._through(self._calibrated, eye)(self._photo)
        self._empty, self._lean = EmptyBoard(bare, board.rows, board.columns), lean

    def _through(self, pose: BoardPose, eye: Eye) -> Rectifier:
        board = self._board
        raised = pose.raised(self._height, eye)
        return Rectifier(raised, board.cell_mm, board.columns, board.rows)
