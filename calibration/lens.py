"""How wide cells are for their height, from the perspective of one photo."""

from __future__ import annotations

import numpy as np

from vision.pose import Matrix, focal_length


def cell_aspect(image_from_cells: Matrix, size: tuple[int, int]) -> float:
    """Return a cell's width divided by its height.

    Args:
        image_from_cells: homography from cells, one unit each, to undistorted px.
        size: of the picture, px.
    """
    width, height = size
    centre = np.array(((1, 0, -width / 2), (0, 1, -height / 2), (0, 0, 1)))
    right, down, _ = (centre @ image_from_cells).T
    ray = np.array((1, 1, focal_length(image_from_cells, size) ** 2))
    return float(np.sqrt((right**2 @ ray) / (down**2 @ ray)))
