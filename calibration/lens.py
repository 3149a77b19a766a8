"""How wide cells are for their height, from the perspective of one photo."""

from __future__ import annotations

import numpy as np

from vision.pose import Matrix

_USUAL_FOCAL = 0.68  # of the picture's diagonal: a field of view of 61 degrees
_LEAST_PERSPECTIVE = 0.02


def cell_aspect(image_from_cells: Matrix, size: tuple[int, int]) -> float:
    """Return a cell's width divided by its height.

    The two directions of the grid are at right angles in space. With square
    pixels and the lens's axis in the picture's middle that gives the focal
    length, if both directions recede (Zhang 2000, section 2.3); otherwise a
    usual one is assumed, which matters little when the camera looks down.

    Args:
        image_from_cells: homography from cells, one unit each, to undistorted px.
        size: of the picture, px.
    """
    width, height = size
    centre = np.array(((1, 0, -width / 2), (0, 1, -height / 2), (0, 0, 1)))
    diagonal = float(np.hypot(width, height))
    unit = np.diag((1 / diagonal, 1 / diagonal, 1))
    right, down, _ = (unit @ centre @ image_from_cells).T
    usual = _USUAL_FOCAL**2
    square = usual
    recede = right[2] * down[2]
    scale = np.linalg.norm(right[:2]) * np.linalg.norm(down[:2])
    if abs(recede) > _LEAST_PERSPECTIVE * scale:
        square = -(right[:2] @ down[:2]) / recede
        if not 0.25 * usual < square < 4 * usual:
            square = usual
    ray = np.array((1, 1, square))
    return float(np.sqrt((right**2 @ ray) / (down**2 @ ray)))
