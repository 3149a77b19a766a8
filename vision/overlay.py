"""A picture of what was read, for people who want to see why."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from companion.observation import Observation
from companion.rules.board import EMPTY, TURNED, Cell, SquareBoard, team_of
from vision.frame import Frame, Image
from vision.pose import BoardPose

_TEAM_BGR = {
    "white": (245, 245, 245),
    "red": (48, 48, 225),
    "blue": (225, 110, 40),
    "green": (70, 175, 60),
    "yellow": (40, 205, 245),
    "black": (35, 35, 35),
}
_DARK = (30, 26, 24)
_CYAN = (230, 200, 60)
_MAGENTA = (200, 60, 220)
_SURE = 0.999


def draw_overlay(
    frame: Frame, pose: BoardPose, board: SquareBoard, seen: Observation
) -> Image:
    """Return the frame, (H, W, 3) uint8 BGR, with what was read drawn over it.

    The grid is drawn thin. A chip that was read is ringed in its colour, twice if
    it lies turned over; a hidden square is crossed out; a square that is less
    certain than 0.999 has a frame that is the thicker the less certain it is.
    """
    size = frame.image.shape[1], frame.image.shape[0]
    pose = pose.scaled(size[0] / pose.lens.size[0], size)
    picture = cv2.addWeighted(frame.image, 0.72, np.full_like(frame.image, 28), 0.28, 0)
    canvas = np.asarray(picture, np.uint8)
    unit = _cell_size(board, pose)
    for cell in board.cells:
        outline = _outline(board, pose, cell, 1.0)
        cv2.polylines(canvas, [outline], True, _CYAN, 1, cv2.LINE_AA, _SHIFT)
    for cell in board.cells:
        _draw_cell(canvas, pose, board, seen, cell, unit)
    return canvas


_SHIFT = 4  # bits behind the point of drawn coordinates


def _cell_size(board: SquareBoard, pose: BoardPose) -> float:
    corners = pose.to_image(np.array(board.outline(board.cells[len(board.cells) // 2])))
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())


def _outline(
    board: SquareBoard, pose: BoardPose, cell: Cell, size: float
) -> npt.NDArray[np.int32]:
    corners = np.array(board.outline(cell))
    middle = corners.mean(axis=0)
    seen = pose.to_image(middle + (corners - middle) * size)
    return np.asarray(np.round(seen * (1 << _SHIFT)), np.int32).reshape(-1, 1, 2)


def _ring(
    board: SquareBoard, pose: BoardPose, cell: Cell, size: float
) -> npt.NDArray[np.int32]:
    corners = np.array(board.outline(cell))
    middle = corners.mean(axis=0)
    reach = float(np.abs(corners - middle).min()) * size
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    circle = middle + reach * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    seen = pose.to_image(circle)
    return np.asarray(np.round(seen * (1 << _SHIFT)), np.int32).reshape(-1, 1, 2)


def _draw_cell(
    canvas: Image,
    pose: BoardPose,
    board: SquareBoard,
    seen: Observation,
    cell: Cell,
    unit: float,
) -> None:
    thin, thick = max(1, round(unit / 36)), max(2, round(unit / 16))

    def line(
        points: npt.NDArray[np.int32], colour: tuple[int, int, int], width: int
    ) -> None:
        cv2.polylines(canvas, [points], True, colour, width, cv2.LINE_AA, _SHIFT)

    look = seen.likely(cell)
    if look is None:
        corners = _outline(board, pose, cell, 0.55).reshape(-1, 2)
        for a, b in ((0, 2), (1, 3)):
            cross = corners[[a, b]].reshape(-1, 1, 2)
            line(cross, _DARK, thick + 2)
            line(cross, _MAGENTA, thick)
        return
    if look != EMPTY:
        colour = _TEAM_BGR.get(team_of(look), _CYAN)
        for size in (0.82, 0.5) if look.endswith(TURNED) else (0.82,):
            ring = _ring(board, pose, cell, size)
            line(ring, _DARK, thick + 2 * thin)
            line(ring, colour, thick)
    doubt = 1 - seen.confidence(cell)
    if doubt > 1 - _SURE:
        width = thin + round(min(1.0, doubt * 2) * thick)
        line(_outline(board, pose, cell, 0.94), _MAGENTA, width)
