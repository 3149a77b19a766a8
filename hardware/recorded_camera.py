"""Photos and videos in place of a camera."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import cv2
import numpy as np

from companion.errors import CameraUnavailable, PictureUnreadable
from vision.frame import Frame, Image
from vision.picture import read_picture

PHOTOS = frozenset({".jpg", ".jpeg", ".png"})

SAME = 2.0
"""Mean difference in grey levels below which two photos are the same exposure.

Encoding a photo again changes a pixel by one level or less on average; of most
cameras, noise alone makes two photos of a still table differ by more.
"""
SAME_BLOCK = 4.0
"""And the same for the mean of any block; a piece changes that by 90 or more.

In the photos of three tables, encoding them again changes it by 2 at most.
"""
_BLOCK = 16  # px; smaller than pieces


class PhotoCamera:
    """The photos of a folder in the order of their names, each one look.

    Args:
        path: of the folder, or of a single photo.
        known: photos that are no looks, such as those of the calibration.
    """

    def __init__(self, path: Path, known: Sequence[Image] = ()) -> None:
        self._path = path
        self._known = known
        self._photos: list[Path] = []
        self._next = 0

    def __enter__(self) -> Self:
        """List the photos."""
        self._next = 0
        if self._path.is_file():
            self._photos = [self._path]
            return self
        try:
            files = sorted(self._path.iterdir(), key=lambda file: file.name)
        except OSError as error:
            raise CameraUnavailable(
                f"{self._path} cannot be read: {error.strerror or error}."
            ) from error
        self._photos = [file for file in files if file.suffix.lower() in PHOTOS]
        if not self._photos:
            raise CameraUnavailable(
                f"{self._path} holds no photos; it needs .jpg or .png files."
            )
        return self

    def __exit__(self, *exc: object) -> None:
        """Keep nothing open."""

    def read(self) -> Frame | None:
        """Return the next photo; `taken_at` counts one second a photo."""
        while self._next < len(self._photos):
            number, photo = self._next, self._photos[self._next]
            self._next += 1
            try:
                image = read_picture(photo)
            except PictureUnreadable as error:
                error.photo = photo.name
                raise
            if not any(_same(image, known) for known in self._known):
                return Frame(image, float(number), number, photo.name)
        return None


def _same(photo: Image, other: Image) -> bool:
    if photo.shape != other.shape:
        return False
    difference = photo.astype(np.float32) - other
    size = photo.shape[1] // _BLOCK, photo.shape[0] // _BLOCK
    blocks = cv2.resize(difference, size, interpolation=cv2.INTER_AREA)
    alike = float(np.abs(difference).mean()) < SAME
    return alike and float(np.abs(blocks).max()) < SAME_BLOCK


class VideoCamera:
    """A video file from its first frame to its last, as fast as it is read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._capture: cv2.VideoCapture | None = None
        self._number = 0

    def __enter__(self) -> Self:
        """Open the file."""
        self._number = 0
        self._capture = cv2.VideoCapture(str(self._path))
        if not self._capture.isOpened():
            raise CameraUnavailable(
                f"{self._path} is no video this program can read; "
                "give an MP4, AVI or MKV file, or a folder of photos."
            )
        return self

    def __exit__(self, *exc: object) -> None:
        """Close the file."""
        if self._capture:
            self._capture.release()

    def read(self) -> Frame | None:
        """Return the next frame; `taken_at` is its time in the video."""
        assert self._capture is not None, "read() outside of `with`"
        right, image = self._capture.read()
        if not right:
            return None
        seconds = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        frame = Frame(np.asarray(image, np.uint8), seconds, self._number)
        self._number += 1
        return frame
