"""Finding the printed grid on the photo of an empty board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.layout import Grid, laid
from calibration.squares import Outlines, candidates, completed, fit, grow
from vision.frame import Image

_WORK = 1400  # px; longer photos are shrunk for the search
_ENOUGH = 12  # lattices of most squares on which the layout does not lie


def find_grid(image: Image, faces: Sequence[Sequence[str]]) -> Grid | None:
    """Look for the printed squares of a layout.

    Squares may be outlined, or differ in brightness or colour from the ground
    between them. Every closed outline that could be a square is a candidate;
    candidates whose neighbours lie where their sides say make a lattice. Which
    way round the board lies, and which part of the lattice it is, the print says
    itself: two squares with the same card must look the same.

    Returns:
        the grid, None if no lattice fits the layout.
    """
    factor = min(1.0, _WORK / max(image.shape[:2]))
    small = image
    if factor < 1:
        small = np.asarray(
            cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    grid = _searched(small, faces)
    if grid is None:
        return None
    full = image.shape[1], image.shape[0]
    return replace(grid, pose=grid.pose.scaled(1 / factor, full))


def _searched(image: Image, faces: Sequence[Sequence[str]]) -> Grid | None:
    """Return the first grid that is sure and shows most squares, or the best."""
    shape, size = (len(faces[0]), len(faces)), (image.shape[1], image.shape[0])
    best: Grid | None = None
    every: Outlines = []
    complete = 0
    for outlines in candidates(image):
        every += outlines
        lattice = grow(outlines)
        fitted = fit(outlines, lattice, shape, size)
        if fitted is None:
            continue
        grid = laid(image, faces, *fitted)
        if best is None or _merit(grid) > _merit(best):
            best = grid
        if len(lattice) > 0.8 * shape[0] * shape[1]:
            complete += 1
            if grid.sure:
                best = grid
            # Where the squares are seen well in vain, it is another layout.
            if grid.sure or complete == _ENOUGH:
                break
    fuller = None if best is None else completed(best.pose, every, shape, size)
    if fuller is None:
        return best
    whole = laid(image, faces, fuller[0], shape, fuller[1])
    return whole if whole.sure else best


def _merit(grid: Grid) -> tuple[bool, float]:
    return grid.sure, grid.likeness + grid.lead - 4 * grid.error
