"""Finding the board again after it or the camera was moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image, grey_of
from vision.markers import find_markers
from vision.pose import CORNERS, BoardPose, Lens, Points, rescaled
from vision.rectify import CELL, MARGIN

# Of the squared differences of the best and the second-best match, at most (Lowe
# 2004): 0.8 of the bits of ORB that differ, and 0.84 of the distance of SIFT.
_ORB_ALIKE, _SIFT_ALIKE = 0.8, 0.7
_OFF = 3.0  # px; a match farther from where the others put it does not count
_TRIALS = 30_000  # one match of ten may be right
_ENOUGH = 15  # matches in agreement: chance gives ten at most
_TILT = 45.0  # degrees; up to there, and as far again, features are known again
_AZIMUTHS = (0.0, 45.0, 90.0, 135.0)  # degrees; from behind they look much the same
_SPAN = 340.0  # px of the board's longer side, as it looks from there
_RIM = 20.0  # px around it: features are made of what lies around them
_ODD = 2.0  # times as different as half of all places
_MARKERS = 2  # eight corners give a homography
_CERTAIN = 3  # markers that agree are no chance
_ASKEW = 0.3  # of a marker's side; how far one may lie from where the others put it

Descriptors = npt.NDArray[np.float32]
"""(N, D) what local features look like, of norm 1."""


class Finder:
    """Knows the empty board's photo by its markers and its print.

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
        self._empty, self._pose = grey_of(empty), pose
        self._size = np.array(size_mm)

    def find(self, image: Image, lens: Lens) -> Iterator[tuple[BoardPose | None, bool]]:
        """Look for the board: by its markers, and by its print, ever more thoroughly.

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
        grey = grey_of(image)
        yield self._nearby.find(grey, lens), False
        yield self._anywhere.find(grey, lens), False
        yield self._far.find(grey, lens), False

    @cached_property
    def _nearby(self) -> _Print:
        """Knows a board that was bumped."""
        known = _Print(cv2.ORB.create(1000, fastThreshold=8), 720, _ORB_ALIKE)
        self._show(known)
        return known

    @cached_property
    def _anywhere(self) -> _Print:
        """Knows it from elsewhere, too; that takes four times as long."""
        return self._from_all_sides(1200, 400)

    @cached_property
    def _far(self) -> _Print:
        """Knows it where it is small, too; that takes three times as long again.

        Of 182 drawn boards seen from elsewhere seven were not found before, two since.
        """
        return self._from_all_sides(2500, 640)

    def _from_all_sides(self, features: int, width: int) -> _Print:
        sift = cv2.SIFT.create(features, contrastThreshold=0.01)
        known = _Print(sift, width, _SIFT_ALIKE)
        self._show(known)
        grey = np.asarray(cv2.GaussianBlur(self._empty, (0, 0), 1.0), np.uint8)
        for azimuth in _AZIMUTHS:
            self._show_askew(known, grey, np.radians(azimuth))
        return known

    def _show(self, known: _Print) -> None:
        outer = np.rint(self._pose.to_image(CORNERS * self._size)).astype(np.int32)
        mask = np.zeros(self._empty.shape, np.uint8)
        cv2.fillConvexPoly(mask, outer, 255)
        known.learn(self._empty, mask, self._pose.to_board)

    def _show_askew(self, known: _Print, grey: Image, azimuth: float) -> None:
        """Show the board as it looks from a side, for all but perspective.

        That is compressed across the side (Morel and Yu 2009, ASIFT).
        """
        sine, cosine = np.sin(azimuth), np.cos(azimuth)
        turned = np.array(((cosine, -sine), (sine, cosine))) * _SPAN / self._size.max()
        shape = np.diag((1, np.cos(np.radians(_TILT)))) @ turned
        outer = CORNERS * self._size @ shape.T
        first = outer.min(axis=0) - _RIM
        width, height = np.ceil(outer.max(axis=0) + _RIM - first).astype(int)

        def to_board(points: Points) -> Points:
            return np.asarray((points + first) @ np.linalg.inv(shape).T)

        y, x = np.mgrid[:height, :width]
        board = to_board(np.stack((x, y), axis=-1).reshape(-1, 2))
        seen = self._pose.to_image(board).astype(np.float32).reshape(height, width, 2)
        view = cv2.remap(grey, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR)
        on_it = ((board > 0) & (board < self._size)).all(axis=1)
        mask = np.uint8(255) * on_it.reshape(height, width).astype(np.uint8)
        known.learn(np.asarray(view, np.uint8), mask, to_board)


class _Print:
    """Knows the print by its local features. Mutable.

    Repeated print matches itself in many places; only one pose makes hundreds of
    matches agree (RANSAC).

    Args:
        detector: finds and describes features.
        width: px of a picture in which it looks, at most.
        alike: see `_matches`.
    """

    def __init__(self, detector: cv2.Feature2D, width: int, alike: float) -> None:
        self._detector, self._width, self._alike = detector, width, alike
        self._known: list[tuple[Descriptors, Points]] = []

    def learn(
        self, grey: Image, mask: Image, to_board: Callable[[Points], Points]
    ) -> None:
        """Remember how the board looks in a picture.

        Args:
            grey: the picture.
            mask: not 0 where the board is.
            to_board: gives the mm for its px.
        """
        seen, descriptors = self._features(grey, mask)
        if len(seen) >= 2:  # without a second-best match none is the best
            self._known.append((descriptors, to_board(seen)))

    def find(self, grey: Image, lens: Lens) -> BoardPose | None:
        """Return where the board lies in a picture, None if it is not to be seen."""
        seen, descriptors = self._features(grey, None)
        if not self._known or len(seen) < _ENOUGH:
            return None
        matches = [
            _matches(descriptors, known, where, self._alike)
            for known, where in self._known
        ]
        which, board = (np.concatenate(part) for part in zip(*matches, strict=True))
        if len(which) < _ENOUGH:
            return None
        matrix, agree = cv2.findHomography(
            board,
            lens.undistort(seen[which]),
            cv2.USAC_MAGSAC,
            _OFF * max(1.0, grey.shape[1] / self._width),
            maxIters=_TRIALS,
            confidence=0.9999,
        )
        if matrix is None or len(np.unique(which[agree[:, 0] > 0])) < _ENOUGH:
            return None
        if np.linalg.det(matrix) <= 0:  # a mirrored board
            return None
        return BoardPose(np.asarray(matrix, np.float64), lens)

    def _features(self, grey: Image, mask: Image | None) -> tuple[Points, Descriptors]:
        factor = min(1.0, self._width / grey.shape[1])
        size = (round(grey.shape[1] * factor), round(grey.shape[0] * factor))
        small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
        if mask is not None:
            mask = np.asarray(cv2.resize(mask, size), np.uint8)
        keys, descriptors = self._detector.detectAndCompute(small, mask)
        points = np.array([key.pt for key in keys], np.float64).reshape(-1, 2)
        if not keys:  # then there are no descriptors, not none of them
            return points, np.empty((0, 0), np.float32)
        return rescaled(points, 1 / factor), _of_norm_1(descriptors)


def _of_norm_1(descriptors: npt.NDArray[Any]) -> Descriptors:
    """Return what ORB (N, 32) or SIFT (N, 128) say of features as unit vectors.

    Of those of ORB, the squared difference is by how many bits they differ. Of those
    of SIFT, many small differences say more than a large one (Arandjelovic and
    Zisserman 2012, RootSIFT).
    """
    if descriptors.dtype == np.uint8:
        bits = np.unpackbits(descriptors, axis=1)
        return (bits - np.float32(0.5)) / np.float32(np.sqrt(bits.shape[1] / 4))
    total = np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-6)
    return np.asarray(np.sqrt(descriptors / total), np.float32)


def _matches(
    seen: Descriptors, known: Descriptors, where: Points, alike: float
) -> tuple[npt.NDArray[np.intp], Points]:
    """Return features that match a known one better than any other, and its place.

    One product of matrices gives all differences, in a third of the time that OpenCV's
    matcher takes.

    Args:
        seen: (N, D).
        known: (M, D), two or more.
        where: (M, 2) mm.
        alike: the share of its second-best squared difference that the best may have.
    """
    # Of unit vectors the squared difference is 2 less twice the product.
    products = seen @ known.T
    rows, best = np.arange(len(seen)), products.argmax(axis=1)
    least = 1 - products[rows, best]
    products[rows, best] = -np.inf
    sure = np.flatnonzero(least < alike * (1 - products.max(axis=1)))
    return sure, where[best[sure]]


def refine(
    pose: BoardPose, cell_mm: tuple[float, float], empty: Image, photo: Image
) -> BoardPose | None:
    """Lay a rectified photo more exactly on the rectified empty board.

    Both are freed of their light first; then the correlation is maximised over
    homographies (ECC, Evangelidis and Psarakis 2008), twice, each time without what
    differs much: pieces, for they stand above the board, and hands.

    Args:
        pose: by which the photo was rectified.
        cell_mm: width and height of a cell.
        empty: rectified photo of the empty board.
        photo: rectified photo.

    Returns:
        the better pose, None if the correlation found no hold.
    """
    then, now = _without_light(_half(empty)), _without_light(_half(photo))
    warp: npt.NDArray[Any] = np.eye(3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-5)
    for _ in range(2):
        laid = cv2.warpPerspective(
            then, warp, now.shape[::-1], borderMode=cv2.BORDER_REPLICATE
        )
        apart = cv2.GaussianBlur(cv2.absdiff(laid, now), (0, 0), CELL / 8)
        same = np.uint8(255) * (apart < _ODD * np.median(apart)).astype(np.uint8)
        try:
            _, warp = cv2.findTransformECC(
                then, now, warp, cv2.MOTION_HOMOGRAPHY, criteria, same, 5
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
    better = np.linalg.inv(scale) @ np.asarray(warp, np.float64) @ scale
    return BoardPose(pose.image_from_board @ better, pose.lens)


def _half(image: Image) -> Image:
    size = image.shape[1] // 2, image.shape[0] // 2
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _without_light(image: Image) -> npt.NDArray[np.float32]:
    log = np.log(grey_of(image).astype(np.float32) + 8)
    return np.asarray(log - cv2.GaussianBlur(log, (0, 0), CELL / 4), np.float32)
