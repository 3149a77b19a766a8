"""From a frame to an observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from companion.errors import BoardNotFound
from companion.observation import Observation
from companion.rules.board import Look, SquareBoard
from vision.empty_board import EmptyBoard
from vision.frame import Frame, Image
from vision.pieces.chips import ChipLook, ChipReader
from vision.pose import BoardPose, Points
from vision.rectify import Rectifier


@dataclass(frozen=True, slots=True, eq=False)
class TableModel:
    """What the eyes know of one table.

    Attributes:
        board: geometry and print.
        empty: the photo of the empty board.
        pose: where the board lies in that photo.
        looks: of the chips; those of turned ones end in "-turned".
        radius: of a chip, in cell widths and heights.
        family: of the markers beside the board, "" without.
        markers: (4, 2) corners, mm, by the markers' numbers.
    """

    board: SquareBoard
    empty: Image
    pose: BoardPose
    looks: Mapping[Look, ChipLook] = field(default_factory=dict)
    radius: tuple[float, float] = (0.36, 0.36)
    family: str = ""
    markers: Mapping[int, Points] = field(default_factory=dict)


class BoardReader:
    """Reads frames of one table."""

    def __init__(self, model: TableModel) -> None:
        self._model = model
        board = model.board
        self._rectify = Rectifier(model.pose, board.cell_mm, board.columns, board.rows)
        empty = EmptyBoard(self._rectify(model.empty), board.rows, board.columns)
        self._chips = ChipReader(empty, model.looks, model.radius)

    @property
    def pose(self) -> BoardPose:
        """Where the board lay in the last frame."""
        return self._model.pose

    def read(self, frame: Frame) -> Observation:
        """Say what the frame shows.

        Raises:
            BoardNotFound: the photo has another shape than the table's.
        """
        image = self._resized(frame)
        log_p, hidden = self._chips.read(self._rectify(image))
        return Observation(log_p, hidden)

    def _resized(self, frame: Frame) -> Image:
        size = frame.image.shape[1], frame.image.shape[0]
        width, height = self._model.pose.lens.size
        if size == (width, height):
            return frame.image
        if abs(size[0] * height - size[1] * width) > 0.01 * width * size[1]:
            raise BoardNotFound(
                f"The photo has {size[0]} x {size[1]} pixels, but the table was "
                f"calibrated at {width} x {height}; calibrate again with this camera."
            )
        return scale(frame.image, (width, height))


def scale(image: Image, size: tuple[int, int]) -> Image:
    """Return a picture at another size."""
    shrinks = size[0] < image.shape[1]
    method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=method), np.uint8)
