"""What the network sees of cells, for as long as they look as they did.

From photo to photo of a game little changes. What is seen of a cell depends on a window
around it, and on what is seen of the cells around it; so where none of those windows
changed, it is not looked at again. Photos are held against what cells looked like when
they were looked at, so a change may come as slowly as it likes. What is in doubt, as
many cells as are looked at closely, is looked at in every photo: the same look twice
would be no more evidence than once.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.rectify import CELL

Floats = npt.NDArray[np.float32]

CELL_PX = CELL // 2
"""Side of a cell in the network's picture, px."""

STEP = CELL_PX // 2
"""Squares of four pixels along a cell."""

AROUND = STEP + 4
"""Squares along the window in which the piece of a cell is looked for."""

_BEYOND = AROUND - STEP  # px of the picture that a window has beyond its cell
_BRIGHTNESS = 6  # plane of the picture, see `Sight.whole`
# Of white, all channels together, by which the mean colour of some part as wide as that
# changes where something else lies: in the photo's values, for there noise is much the
# same in light and in shadow. Of 3,060 drawn pieces put, taken, turned over or
# exchanged in the same light three changed less, turned chips in place of others with
# the same backs, and none of other kinds less than 0.027; of cells that stayed as they
# were, on photos as noisy as those of games, 14 % changed more.
_CHANGED = 0.02
_MUCH = 0.4  # of the cells; if more changed, all are looked at


@dataclass(frozen=True, slots=True)
class Box:
    """Cells of some rows and columns of a board.

    Attributes:
        down: which rows.
        across: which columns.
    """

    down: slice
    across: slice

    @property
    def cells(self) -> tuple[slice, slice]:
        """Where they are among all cells."""
        return self.down, self.across

    @property
    def framed(self) -> tuple[slice, slice]:
        """Where they and those around them are, where all cells have a frame."""
        down, across = self.cells
        return slice(down.start, down.stop + 2), slice(across.start, across.stop + 2)

    def wider(self, board: Box) -> Box:
        """Return them and those around them on a board."""
        down, across = (
            slice(max(side.start - 1, 0), min(side.stop + 1, whole.stop))
            for side, whole in zip(self.cells, board.cells, strict=True)
        )
        return Box(down, across)

    @property
    def shown(self) -> tuple[slice, slice]:
        """What their windows show of a picture, px down and across."""
        down, across = (
            slice(CELL_PX * side.start, CELL_PX * side.stop + 2 * _BEYOND)
            for side in self.cells
        )
        return down, across

    def windows(self, planes: Floats) -> Floats:
        """Return the part of planes (..., H, W) that their windows show."""
        return planes[..., *self.shown]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is seen on each of the N cells of a photo.

    Attributes:
        h: (N, 128) what kind of thing is seen there.
        own: (N, TOLD) what it is like.
        colour: (3, H, W) log B, G, R of each cell when it was looked at.
        alone: (rows + 2, columns + 2, C) what is seen of each cell by itself, and how
            it leans (2); with a frame of zeros.
        fresh: (N,) cells that were looked at, or one beside, in this photo.
        doubted: (N,) cells to be looked at again, changed or not.
    """

    h: Floats
    own: Floats
    colour: Floats
    alone: Floats
    fresh: npt.NDArray[np.bool_]
    doubted: npt.NDArray[np.bool_]

    def copy(self) -> Seen:
        """Return the same, to be changed where another photo shows something new."""
        return Seen(
            self.h.copy(),
            self.own.copy(),
            self.colour.copy(),
            self.alone.copy(),
            np.zeros_like(self.fresh),
            self.doubted.copy(),
        )

    def changed(self, picture: Floats, lean: Floats) -> list[Box] | None:
        """Return where to look in another photo; None if nearly everywhere.

        Args:
            picture: (CHANNELS, H, W), see `Network.seen`.
            lean: (rows, columns, 2), see there.
        """
        ways = lean.shape[-1]
        if not np.array_equal(self.alone[1:-1, 1:-1, -ways:], lean):
            return None
        planes, height, width = self.colour.shape
        change = (picture[:planes] - self.colour).reshape(-1, width)
        size = width // _BEYOND, planes * height // _BEYOND
        parts = cv2.resize(change, size, interpolation=cv2.INTER_AREA)
        squares = np.square(parts).reshape(planes, -1, size[0]).sum(axis=0)
        bright = cv2.resize(
            picture[_BRIGHTNESS], squares.shape[::-1], interpolation=cv2.INTER_AREA
        )
        squares *= np.exp(2 * (bright - 1))
        window, step = 2 * AROUND // _BEYOND, CELL_PX // _BEYOND
        most = cv2.dilate(squares, np.ones((window, window), np.uint8))
        middles = slice(window // 2, -(window // 2), step)
        changed = most[middles, middles] > _CHANGED**2
        changed |= self.doubted.reshape(changed.shape)
        if np.count_nonzero(changed) > _MUCH * changed.size:
            return None
        _, _, found, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8))
        return [
            Box(slice(top, top + height), slice(left, left + width))
            for left, top, width, height, _ in found[1:].tolist()
        ]
