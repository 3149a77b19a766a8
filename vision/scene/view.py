"""Where the camera stands and how its lens bends the picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from companion.rules.board import Board

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """A pinhole camera with radial distortion, looking down at the table.

    Space is board space with a height: mm, x right, y down, z up from the
    printed surface.

    Attributes:
        target: the point (x, y) on the board in the middle of the picture, mm.
        distance: from the camera to the target, mm.
        tilt: degrees between the line of sight and the vertical.
        azimuth: where the camera stands, in degrees: 0 on the side of the
            board's bottom edge, 90 on its right.
        roll: degrees by which the picture is turned clockwise on top of that.
        hfov: horizontal field of view in degrees.
        k1, k2: radial distortion of normalised coordinates, as OpenCV has it.
        size: width and height in px.
    """

    target: tuple[float, float]
    distance: float
    tilt: float = 0.0
    azimuth: float = 0.0
    roll: float = 0.0
    hfov: float = 58.0
    k1: float = 0.0
    k2: float = 0.0
    size: tuple[int, int] = (1296, 972)

    def fitted(self, board: Board, fill: float = 0.86) -> View:
        """Return the view from the distance at which the board fills the picture.

        Args:
            board: what shall be seen.
            fill: how far from the middle to the rim the outermost corner lies.
        """
        width, height = board.size_mm
        corners = np.array(
            [(0, 0, 0), (width, 0, 0), (width, height, 0), (0, height, 0)], float
        )
        near, far = 0.2 * max(width, height), 20.0 * max(width, height)
        middle = np.array(self.size) / 2
        for _ in range(40):
            view = replace(self, distance=(near + far) / 2)
            reach = np.abs(view.project(corners) - middle) / middle
            if view.eye[2] > 0.1 * width and reach.max() < fill:
                far = view.distance
            else:
                near = view.distance
        return replace(self, distance=far)

    @cached_property
    def eye(self) -> Floats:
        """The camera's place (x, y, z), mm."""
        tilt, azimuth = np.radians((self.tilt, self.azimuth))
        away = self.distance * np.sin(tilt)
        return np.array(
            (
                self.target[0] + away * np.sin(azimuth),
                self.target[1] + away * np.cos(azimuth),
                self.distance * np.cos(tilt),
            )
        )

    @cached_property
    def focal(self) -> float:
        """The focal length in px."""
        return float(self.size[0] / 2 / np.tan(np.radians(self.hfov) / 2))

    @cached_property
    def _camera_from_board(self) -> Floats:
        """Rows: the camera's right, down and forward axes, with z pointing down."""
        azimuth, roll = np.radians((self.azimuth, self.roll))
        forward = np.array((*self.target, 0.0)) - self.eye * (1, 1, -1)
        forward /= np.linalg.norm(forward)
        near_side = np.array((np.sin(azimuth), np.cos(azimuth), 0.0))
        right = np.cross(near_side, forward)
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        turned = np.cos(roll) * right - np.sin(roll) * down
        return np.stack((turned, np.cross(forward, turned), forward))

    def in_camera(self, direction: npt.ArrayLike) -> Floats:
        """Return a direction (x, y, z up) as the camera's right, down, forward."""
        turned: Floats = self._camera_from_board @ (np.asarray(direction) * (1, 1, -1))
        return turned

    def depth(self, points: npt.ArrayLike) -> Floats:
        """Return how far points (..., 3) lie before the lens along its axis, mm."""
        offset = (np.asarray(points, float) - self.eye) * (1, 1, -1)
        along: Floats = offset @ self._camera_from_board[2]
        return along

    def project(self, points: npt.ArrayLike) -> Floats:
        """Return where points appear.

        Args:
            points: (N, 3) x, y, z in mm.

        Returns:
            (N, 2) px.
        """
        offset = (np.asarray(points, float) - self.eye) * (1, 1, -1)
        camera = offset @ self._camera_from_board.T
        plane = camera[:, :2] / camera[:, 2:]
        square = (plane**2).sum(1, keepdims=True)
        if self.k1 < 0:
            # Farther out the polynomial would fold the plane back into the picture.
            square = np.minimum(square, -1 / (3 * self.k1))
        bent = plane * (1 + self.k1 * square + self.k2 * square**2)
        seen: Floats = bent * self.focal + np.array(self.size) / 2
        return seen

    def ground(self, pixels: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Return which point of the board's plane each pixel shows.

        Args:
            pixels: (..., 2) px.

        Returns:
            (..., 2) mm; what lies at or above the horizon is moved far away.
        """
        pixels = np.asarray(pixels, np.float32)
        bent = (pixels - np.array(self.size, np.float32) / 2) / np.float32(self.focal)
        plane = bent
        if self.k1 or self.k2:
            for _ in range(6):
                square = (plane**2).sum(-1, keepdims=True)
                plane = bent / np.maximum(
                    1 + self.k1 * square + self.k2 * square**2, 0.3, dtype=np.float32
                )
        axes = self._camera_from_board.astype(np.float32)
        ray = plane @ axes[:2] + axes[2]
        reach = np.float32(self.eye[2]) / np.maximum(ray[..., 2:], 0.05)
        found: npt.NDArray[np.float32] = self.eye[:2].astype(np.float32) + (
            ray[..., :2] * reach
        )
        return found
