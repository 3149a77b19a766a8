"""Finding the board again after it or the camera was moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image
from vision.markers import find_markers
from vision.pose import CORNERS, BoardPose, Lens, Points, rescaled
from vision.rectify import CELL, MARGIN

_WIDTH = 720  # px of the picture in which features are looked for
_FEATURES = 1000
_ALIKE = 0.8  # ratio of the best to the second-best match (Lowe 2004)
_OFF = 3.0  # px; a match farther from where the others put it does not count
_ENOUGH = 15  # matches in agreement: chance gives less than ten
_MARKERS = 2  # eight corners give a homography
_CERTAIN = 3  # markers that agree are no chance
_ASKEW = 0.3  # of a marker's side; how far one may lie from where the others put it


class Finder:
    """Knows the empty board's photo by its features.

    Repeated print matches itself in many places; only one pose makes hundreds of
    matches agree (RANSAC).

    Args:
        empty: the empty board's photo.
        pose: where the board lies in it.
        size_mm: of the grid.
        family: of the markers beside the board, "" without.
        markers: (4, 2) corners, mm, by the markers' numbers.
    """

    def __init__(
        self,
        empty: Image,
        pose: BoardPose,
        size_mm: tuple[float, float],
        family: str,
        markers: Mapping[int, Points],
    ) -> None:
        self._family, self._markers = family, markers
        self._orb = cv2.ORB.create(_FEATURES, fastThreshold=8)
        outer = pose.to_image(CORNERS * np.array(size_mm))
        mask = np.zeros(empty.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.rint(outer).astype(np.int32), 255)
        seen, self._descriptors = self._features(empty, mask)
        self._on_board = pose.to_board(seen) if len(seen) else seen

    def find(self, image: Image, lens: Lens) -> Iterator[tuple[BoardPose | None, bool]]:
        """Look for the board, first by its markers, then by its print.

        Yields:
            where it may lie, None if it is not to be seen; and whether so many markers
            agree on it that its print need not be seen as well.
        """
        if self._family:
            seen = find_markers(image, self._family)
            common = sorted(seen.keys() & self._markers.keys())
            if len(common) >= _MARKERS:
                board = np.concatenate([self._markers[number] for number in common])
                corners = np.concatenate([seen[number] for number in common])
                pose = BoardPose.from_points(board, corners, lens)
                side = np.linalg.norm(corners[0] - corners[1])
                away = np.abs(pose.to_image(board) - corners).max()
                agree = len(common) >= _CERTAIN and away < _ASKEW * side
                yield pose, bool(agree)
                if agree:
                    return
        # Two markers say little of the other side of the board.
        yield self._by_print(image, lens), False

    def _by_print(self, image: Image, lens: Lens) -> BoardPose | None:
        seen, descriptors = self._features(image, None)
        if len(seen) < _ENOUGH or len(self._on_board) < _ENOUGH:
            return None
        matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
        pairs = [
            pair[0]
            for pair in matcher.knnMatch(descriptors, self._descriptors, k=2)
            if len(pair) == 2 and pair[0].distance < _ALIKE * pair[1].distance
        ]
        if len(pairs) < _ENOUGH:
            return None
        board = self._on_board[[pair.trainIdx for pair in pairs]]
        straight = lens.undistort(seen[[pair.queryIdx for pair in pairs]])
        matrix, agree = cv2.findHomography(
            board, straight, cv2.USAC_MAGSAC, _OFF * image.shape[1] / _WIDTH
        )
        if matrix is None or int(np.sum(agree)) < _ENOUGH:
            return None
        if np.linalg.det(matrix) <= 0:  # a mirrored board
            return None
        return BoardPose(np.asarray(matrix, np.float64), lens)

    def _features(
        self, image: Image, mask: npt.NDArray[np.uint8] | None
    ) -> tuple[Points, npt.NDArray[np.uint8]]:
        factor = min(1.0, _WIDTH / image.shape[1])
        size = (round(image.shape[1] * factor), round(image.shape[0] * factor))
        small = cv2.resize(
            cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), size, interpolation=cv2.INTER_AREA
        )
        if mask is not None:
            mask = np.asarray(cv2.resize(mask, size), np.uint8)
        keys, descriptors = self._orb.detectAndCompute(small, mask)
        points = np.array([key.pt for key in keys], np.float64).reshape(-1, 2)
        if not keys:  # then there are no descriptors, not none of them
            descriptors = np.empty((0, 0), np.uint8)
        return rescaled(points, 1 / factor), np.asarray(descriptors, np.uint8)


def refine(
    pose: BoardPose, cell_mm: tuple[float, float], empty: Image, photo: Image
) -> BoardPose | None:
    """Lay a rectified photo more exactly on the rectified empty board.

    Both are freed of their light first; then the correlation is maximised over
    homographies (ECC, Evangelidis and Psarakis 2008).

    Args:
        pose: by which the photo was rectified.
        cell_mm: width and height of a cell.
        empty: rectified photo of the empty board.
        photo: rectified photo.

    Returns:
        the better pose, None if the correlation found no hold.
    """
    warp = np.eye(3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-5)
    try:
        _, found = cv2.findTransformECC(
            _without_light(_half(empty)),
            _without_light(_half(photo)),
            warp,
            cv2.MOTION_HOMOGRAPHY,
            criteria,
            None,  # type: ignore[call-overload]
            5,
        )
    except cv2.error:
        return None
    # Halved rectified pixels from mm, at pixel centres.
    scale = np.array(
        (
            (CELL / 2 / cell_mm[0], 0, MARGIN / 2 - 0.5),
            (0, CELL / 2 / cell_mm[1], MARGIN / 2 - 0.5),
            (0, 0, 1),
        )
    )
    better = np.linalg.inv(scale) @ np.asarray(found, np.float64) @ scale
    return BoardPose(pose.image_from_board @ better, pose.lens)


def _half(image: Image) -> Image:
    size = image.shape[1] // 2, image.shape[0] // 2
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _without_light(image: Image) -> npt.NDArray[np.float32]:
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    log = np.log(grey + 8)
    return np.asarray(log - cv2.GaussianBlur(log, (0, 0), CELL / 4), np.float32)
