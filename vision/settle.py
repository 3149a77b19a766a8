"""Is the table still? A cheap gate before a look is worth reading."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import Board, Cell
from vision.frame import Frame
from vision.pose import BoardPose

_WIDTH = 160
"""px of the small grey picture that is compared."""

_MOVED = 7.0
"""Grey levels (of 255) by which a spot must change to count as motion.

A spot of the small picture is the mean of 50 or more pixels of a photo 1296 px
wide, so the noise of even a dark room (5 levels a pixel) is below 1 level there.
"""

_SPOTS = 3
"""So many spots must change: a finger covers ten, a hot pixel none."""

STILL_S = 0.5
"""Seconds without motion after which a table is at rest."""


class Stillness:
    """Tells from frame to frame whether the table is at rest. Mutable.

    It sees motion only: a hand that rests on the board is the reader's business.

    Args:
        board: whose squares may be lit.
        pose: returns where the board lies in the pictures at this moment.
    """

    def __init__(self, board: Board, pose: Callable[[], BoardPose]) -> None:
        self._board = board
        self._pose = pose
        self._last: npt.NDArray[Any] | None = None
        self._moved_at = -float("inf")

    def settled(self, frame: Frame, lit: Collection[Cell] = ()) -> bool:
        """Take the next frame in; tell whether nothing has moved for STILL_S.

        Args:
            frame: the next frame.
            lit: squares whose lamps may blink: what changes there is no motion.
        """
        height = max(1, round(_WIDTH * frame.image.shape[0] / frame.image.shape[1]))
        small = cv2.resize(
            frame.image, (_WIDTH, height), interpolation=cv2.INTER_AREA
        ).astype(np.float32)
        last, self._last = self._last, small
        if last is None or last.shape != small.shape:
            self._moved_at = frame.taken_at
            return False
        change = small - last
        # Exposure and room light change everywhere at once; hands do not.
        change -= np.median(change, axis=(0, 1))
        moved = np.abs(change).max(axis=2) > _MOVED
        moved &= self._dark(lit, small.shape[:2])
        if np.count_nonzero(moved) >= _SPOTS:
            self._moved_at = frame.taken_at
        return frame.taken_at - self._moved_at >= STILL_S

    def _dark(
        self, lit: Collection[Cell], shape: tuple[int, ...]
    ) -> npt.NDArray[np.bool_]:
        """Return which spots no lamp reaches; its glow spills half a square over."""
        mask, pose = np.ones(shape, np.uint8), self._pose()
        for cell in lit:
            outline = np.array(self._board.outline(cell))
            middle = outline.mean(axis=0)
            around = middle + 2 * (outline - middle)
            spots = pose.to_image(around) * (_WIDTH / pose.lens.size[0])
            cv2.fillConvexPoly(mask, np.rint(spots).astype(np.int32), 0)
        return mask.astype(bool)


class Photos:
    """For photos that were taken of a table at rest: every one is a look."""

    def settled(self, frame: Frame, lit: Collection[Cell] = ()) -> bool:
        """Tell that nothing moves."""
        return True
