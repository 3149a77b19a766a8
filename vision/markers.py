"""Printed markers beside the board: ArUco and AprilTag squares."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from vision.frame import Image, grey_of, shrunk
from vision.pose import Points, rescaled

FAMILIES = {
    "apriltag-36h11": cv2.aruco.DICT_APRILTAG_36h11,
    "aruco-4x4": cv2.aruco.DICT_4X4_50,
    "aruco-5x5": cv2.aruco.DICT_5X5_100,
    "aruco-6x6": cv2.aruco.DICT_6X6_250,
}
"""The families that are looked for, by the name in a table's file."""

_LONGEST = 1400  # px; longer pictures are shrunk


def find_markers(
    image: Image, family: str, *, small: bool = False
) -> Mapping[int, Points]:
    """Return the (4, 2) corners, px, of each marker by its number.

    A number that is seen twice is left out: one of the two is another thing.

    Args:
        image: is shrunk to 1400 px if it is longer.
        family: one of `FAMILIES`.
        small: whether to look for small markers too, at three times the cost.
    """
    grey, factor = shrunk(grey_of(image), _LONGEST)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    if not small:
        # One threshold window: markers on a board are evenly lit, and each window
        # costs as much again.
        settings.adaptiveThreshWinSizeMin = settings.adaptiveThreshWinSizeMax = 23
    # Smaller than this their bits are hardly to be read, and grain looks like them.
    settings.minMarkerPerimeterRate = 0.02 if small else 0.035
    dictionary = cv2.aruco.getPredefinedDictionary(FAMILIES[family])
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(grey)
    if ids is None:
        return {}
    numbers = [int(number) for number in np.reshape(ids, -1)]
    return {
        number: rescaled(np.reshape(quad, (4, 2)).astype(np.float64), 1 / factor)
        for number, quad in zip(numbers, corners, strict=True)
        if numbers.count(number) == 1
    }
