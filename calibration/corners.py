"""Finding the printed grid on the photo of an empty board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from calibration.layout import Grid, Lattice, Point, laid
from calibration.lines import ruled
from calibration.squares import MOST, Outlines, candidates, completed, fit, grow
from vision.frame import Image, shrunk
from vision.pose import Points, rescaled

_WORK = 1400  # px; longer photos are shrunk for the search
_ENOUGH = 12  # lattices of most squares on which the layout does not lie


def find_grid(
    image: Image,
    faces: Sequence[Sequence[str]],
    markers: Mapping[int, Points] | None = None,
) -> Grid | None:
    """Look for the printed squares of a layout.

    Squares may be outlined, or differ in brightness or colour from the ground
    between them. Every closed outline that could be a square is a candidate;
    candidates whose neighbours lie where their sides say make a lattice. Where
    squares touch, or a picture lies over them, edges on two combs of lines make one.
    Which way round the board lies, and which part of the lattice it is, the print
    says itself: two squares with the same card must look the same. Where it does
    not, markers do.

    Args:
        image: of the empty board.
        faces: what is printed on the squares, row by row.
        markers: (4, 2) corners, px, by number; 0 to 3 are taken to lie beside the
            board's corners, clockwise from the one where the layout begins.

    Returns:
        the grid, None if no lattice fits the layout.
    """
    small, factor = shrunk(image, _WORK)
    middles = {
        number: rescaled(quad.mean(axis=0), factor)
        for number, quad in (markers or {}).items()
    }
    grid = _searched(small, faces, middles)
    if grid is None:
        return None
    full = image.shape[1], image.shape[0]
    return replace(grid, pose=grid.pose.scaled(1 / factor, full))


Lay = Callable[[Lattice], Grid]


def _searched(
    image: Image, faces: Sequence[Sequence[str]], markers: Mapping[int, Point]
) -> Grid | None:
    """Return a grid that is sure, or else the best."""
    shape = len(faces[0]), len(faces)
    calm = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), np.uint8)
    lay = partial(laid, calm, faces, markers=markers)
    found, every = _by_squares(image, shape, lay)
    # Of all squares lines say no more.
    if found is not None and (found.sure or found.whole):
        return found
    return _by_lines(image, shape, lay, every) or found


def _merit(grid: Grid) -> tuple[bool, float]:
    return grid.sure, grid.evidence - 500 * grid.error


def _by_squares(
    image: Image, shape: tuple[int, int], lay: Lay
) -> tuple[Grid | None, Outlines]:
    """Return the first grid that is sure and shows most squares, or the best.

    With all outlines that were seen meanwhile.
    """
    size = image.shape[1], image.shape[0]
    best: Grid | None = None
    whole: Grid | None = None
    every: Outlines = []
    complete = 0
    for outlines in candidates(image):
        every += outlines
        grown = grow(outlines)
        lattice = fit(outlines, grown, shape, size)
        if lattice is None:
            continue
        grid = lay(lattice)
        if best is None or _merit(grid) > _merit(best):
            best = grid
        whole = whole or (grid if grid.whole else None)
        if len(grown) > MOST * shape[0] * shape[1]:
            complete += 1
            if grid.sure:
                best = grid
            # Where the squares are seen well in vain, it is another layout.
            if grid.sure or complete == _ENOUGH:
                break
    if best is not None:
        known = Lattice(best.pose, shape, best.error, whole=False)
        best = _fuller(best, completed(known, every, size), lay)
        # All squares, if none is known, say more than some of them.
        best = best if best.sure else whole or best
    return best, every


def _by_lines(
    image: Image, shape: tuple[int, int], lay: Lay, every: Outlines
) -> Grid | None:
    """Return the plainest grid of lines that is sure, or else the plainest."""
    size = image.shape[1], image.shape[0]
    found: tuple[Grid, Lattice] | None = None
    for lattice in ruled(image, shape):
        grid = lay(lattice)
        if found is None or grid.sure:
            found = grid, lattice
        if grid.sure:
            break
    if found is None:
        return None
    best, lattice = found
    return _fuller(best, completed(lattice, every, size), lay)


def _fuller(grid: Grid, lattice: Lattice | None, lay: Lay) -> Grid:
    """Return the layout on a lattice of more squares, if that is sure."""
    fuller = None if lattice is None else lay(lattice)
    return fuller if fuller is not None and fuller.sure else grid
