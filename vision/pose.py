"""Where the board lies in the picture: a homography and a radial lens."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
"""(N, 2) float64, x and y."""

Matrix = npt.NDArray[np.float64]
"""(3, 3) float64, a homography."""

Eye = tuple[float, float, float]
"""Where a camera is: x, y, and height above the board, mm."""

CORNERS = np.array(((0, 0), (1, 0), (1, 1), (0, 1)))
"""Of a square with sides of 1, clockwise from the top left."""


_STEPS, _EXACT = 20, 1e-9  # of undoing distortion, at most; and how small the last
_LEAST = 0.2  # slope of distortion; a lens that bends more would show no board


@dataclass(frozen=True, slots=True)
class Lens:
    """A radial lens: barrel distortion has a negative `k1`.

    A point of the undistorted picture at `u` (from the centre, in half
    diagonals) is seen at `u * (1 + k1 |u|^2 + k2 |u|^4)`.

    Attributes:
        size: width and height of the picture, px; its centre is the lens's.
        k1: first radial coefficient.
        k2: second radial coefficient.
    """

    size: tuple[int, int]
    k1: float = 0.0
    k2: float = 0.0

    def distort(self, points: Points) -> Points:
        """Return where points of the undistorted picture are seen, px."""
        centre, half = self.frame()
        u = (points - centre) / half
        r2 = u[:, :1] ** 2 + u[:, 1:] ** 2
        return np.asarray(centre + half * u * (1 + self.k1 * r2 + self.k2 * r2 * r2))

    def undistort(self, points: Points) -> Points:
        """Return where seen points would lie without distortion, px."""
        if self.k1 == self.k2 == 0:
            return points
        centre, half = self.frame()
        seen = (points - centre) / half
        square = np.einsum("ni,ni->n", seen, seen)
        # Newton's steps on the part of `seen` that `u` is, from the side from which
        # they go straight there. Beyond the fold of a lens there is nothing to find.
        part = np.ones(len(seen))
        for _ in range(_STEPS):
            r2 = square * part * part
            over = part * (1 + r2 * (self.k1 + r2 * self.k2)) - 1
            slope = 1 + r2 * (3 * self.k1 + r2 * 5 * self.k2)
            step = over / np.maximum(slope, _LEAST)
            part = np.minimum(part - step, 1 / _LEAST)
            if np.abs(step).max(initial=0) < _EXACT:
                break
        return np.asarray(centre + half * seen * part[:, None])

    def frame(self) -> tuple[Points, float]:
        """Return the picture's centre, px, and half its diagonal."""
        size = np.array(self.size, np.float64)
        return (size - 1) / 2, float(np.hypot(*size) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class BoardPose:
    """Maps board space (mm) to the picture (px) and back.

    Attributes:
        image_from_board: homography from mm to undistorted px.
        lens: what the camera's lens does to undistorted px.
    """

    image_from_board: Matrix
    lens: Lens

    @classmethod
    def from_corners(
        cls, corners: Points, size_mm: tuple[float, float], lens: Lens
    ) -> BoardPose:
        """Fit a pose to the grid's outer corners.

        Args:
            corners: (4, 2) px as seen: top left, top right, bottom right, bottom
                left of the board as its layout is written.
            size_mm: width and height of the grid.
            lens: the camera's lens.
        """
        return cls.from_points(CORNERS * np.array(size_mm), corners, lens)

    @classmethod
    def from_points(cls, board: Points, image: Points, lens: Lens) -> BoardPose:
        """Fit a pose to four or more pairs of points, mm and px as seen."""
        straight = lens.undistort(np.asarray(image, np.float64))
        matrix, _ = cv2.findHomography(np.asarray(board, np.float64), straight, 0)
        if matrix is None:
            matrix = np.full((3, 3), np.nan)
        return cls(np.asarray(matrix, np.float64), lens)

    def to_image(self, points: Points) -> Points:
        """Return where points of the board (mm) are seen, px."""
        return self.lens.distort(project(self.image_from_board, points))

    def to_board(self, points: Points) -> Points:
        """Return which points of the board (mm) are seen at px."""
        straight = self.lens.undistort(np.asarray(points, np.float64))
        board_from_image = np.asarray(np.linalg.inv(self.image_from_board), np.float64)
        return project(board_from_image, straight)

    def focal(self) -> float:
        """Return the camera's focal length, px, as far as the board tells."""
        return focal_length(self.image_from_board, self.lens.size)

    def eye(self, focal: float) -> Eye:
        """Return where the camera is: x, y, and height above the board, mm.

        Args:
            focal: its focal length, px. What a board tells of it where it was found
                again may be far off, and so would be the camera; so take it from
                where the board was calibrated.
        """
        centre, _ = self.lens.frame()
        camera = np.array(
            ((focal, 0, centre[0]), (0, focal, centre[1]), (0, 0, 1)), np.float64
        )
        right, down, at = (np.linalg.inv(camera) @ self.image_from_board).T
        scale = 2 / (np.linalg.norm(right) + np.linalg.norm(down))
        turn = np.stack((right, down, scale * np.cross(right, down)), axis=1) * scale
        u, _, v = np.linalg.svd(turn)
        eye = -(u @ v).T @ at * scale
        # Board space has z into the table.
        return float(eye[0]), float(eye[1]), abs(float(eye[2]))

    def raised(self, height: float, eye: Eye) -> BoardPose:
        """Return the pose of a plane that is mm above the board.

        What is there is seen before a place of the board that is farther from the
        camera's foot.

        Args:
            height: of the plane.
            eye: where the camera is, see `eye`.
        """
        x, y, above = eye
        far = above / (above - height)
        grown = np.array(((far, 0, x - far * x), (0, far, y - far * y), (0, 0, 1)))
        return BoardPose(self.image_from_board @ grown, self.lens)

    def scaled(self, factor: float, size: tuple[int, int]) -> BoardPose:
        """Return the pose in the same picture at another size."""
        shift = (factor - 1) / 2  # see `rescaled`
        scale = np.array(((factor, 0, shift), (0, factor, shift), (0, 0, 1)))
        lens = Lens(size, self.lens.k1, self.lens.k2)
        return BoardPose(scale @ self.image_from_board, lens)


_USUAL_FOCAL = 0.68  # of the picture's diagonal: a field of view of 61 degrees
_LEAST_PERSPECTIVE = 0.02


def focal_length(image_from_plane: Matrix, size: tuple[int, int]) -> float:
    """Return a camera's focal length, px, from one photo of a plane.

    The plane's two directions are at right angles in space. With square pixels and
    the lens's axis in the picture's middle that gives the focal length, if both
    directions recede (Zhang 2000, section 2.3); otherwise a usual one is assumed,
    which matters little when the camera looks down.

    Args:
        image_from_plane: homography to undistorted px.
        size: of the picture, px.
    """
    width, height = size
    centre = np.array(((1, 0, -width / 2), (0, 1, -height / 2), (0, 0, 1)))
    diagonal = float(np.hypot(width, height))
    unit = np.diag((1 / diagonal, 1 / diagonal, 1))
    right, down, _ = (unit @ centre @ image_from_plane).T
    usual = _USUAL_FOCAL**2
    square = usual
    recede = right[2] * down[2]
    scale = np.linalg.norm(right[:2]) * np.linalg.norm(down[:2])
    if abs(recede) > _LEAST_PERSPECTIVE * scale:
        square = -(right[:2] @ down[:2]) / recede
        if not 0.25 * usual < square < 4 * usual:
            square = usual
    return float(np.sqrt(square)) * diagonal


def lean_at(
    eye: Eye,
    cell_mm: tuple[float, float],
    rows: int,
    columns: int,
) -> npt.NDArray[np.float32]:
    """Return how far things lean in the picture, (rows, columns, 2).

    In each cell's middle: how far a point is seen off its place (right, down) for
    each unit of its height.

    Args:
        eye: where the camera is, see `BoardPose.eye`.
        cell_mm: width and height of a cell.
        rows: cells in a column.
        columns: cells in a row.
    """
    x, y, height = eye
    across = ((np.arange(columns) + 0.5) * cell_mm[0] - x) / height
    down = ((np.arange(rows) + 0.5) * cell_mm[1] - y) / height
    return np.stack(np.meshgrid(across, down), axis=-1).astype(np.float32)


def rescaled(points: Points, factor: float) -> Points:
    """Return where points lie, px, in the same picture at another size."""
    # Pixel centres: x' + 0.5 = factor * (x + 0.5).
    return np.asarray(factor * (points + 0.5) - 0.5)


def goes_round(corners: Points) -> bool:
    """Tell whether (4, 2) px are the corners of a board seen from above, clockwise."""
    side = np.roll(corners, -1, axis=0) - corners
    after = np.roll(side, -1, axis=0)
    return bool((side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0] > 1).all())


def project(matrix: Matrix, points: Points) -> Points:
    """Apply a homography to (N, 2) points."""
    points = np.asarray(points, np.float64)
    x, y, w = matrix[:, :2] @ points.T + matrix[:, 2:]
    return np.stack((x / w, y / w), axis=1)
