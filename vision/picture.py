"""Photos from files and bytes; JPEG or PNG, with honest errors."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np

from companion.errors import PictureUnreadable
from vision.frame import Image

SMALLEST = 64
"""px; a picture with a shorter side shows no board."""

LARGEST = 12_000_000
"""Pixels; larger photos are halved while they are decoded. A 50-megapixel one
would take 150 MB, and no square needs so much."""

REFUSED = 200_000_000
"""Pixels; nobody's camera, but a file made to fill the memory."""

_REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


def read_picture(path: str | Path) -> Image:
    """Read a photo, upright as its EXIF says.

    Raises:
        PictureUnreadable: no such file, no picture, broken off, far too small
            or too large; the sentence names the file.
    """
    return decode_picture(picture_bytes(path), str(path))


def picture_bytes(path: str | Path) -> bytes:
    """Return what a photo's file holds.

    Raises:
        PictureUnreadable: there is no such file, or it cannot be read.
    """
    try:
        return Path(path).read_bytes()  # not cv2.imread: that fails without a reason
    except OSError as error:
        raise PictureUnreadable(
            f"{path} cannot be read: {error.strerror or error}."
        ) from error


def reduction(data: bytes) -> int:
    """Return by what width and height are divided when `decode_picture` decodes."""
    return _reduction(_size(data)[0])


def decode_picture(data: bytes, name: str) -> Image:
    """Decode a photo, upright as its EXIF says; `name` is for the error's sentence.

    A photo of more than `LARGEST` pixels comes back at a half, a quarter or an
    eighth of its width and height.

    Raises:
        PictureUnreadable: see `read_picture`.
    """
    if not data:
        raise PictureUnreadable(f"{name} is empty; take the photo again.")
    try:
        size, whole = _size(data)
    except (struct.error, ValueError) as error:
        raise PictureUnreadable(
            f"{name} is no picture this program can read; give a JPEG or PNG."
        ) from error
    _check_size(size, name)
    # OpenCV 4 fills what is missing with grey and says nothing.
    image = _decode(data, size) if whole else None
    if image is None:
        raise PictureUnreadable(
            f"{name} is damaged or broken off; copy or take the photo again."
        )
    return image


_JPEG = b"\xff\xd8"
_PNG = b"\x89PNG\r\n\x1a\n"

_START_OF_SCAN = 0xDA
_END_OF_IMAGE = b"\xff\xd9"
_FILL = b"\xff\xff"
_END_OF_PNG = b"\0\0\0\0IEND\xae\x42\x60\x82"
_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})
"""Of C0 to CF these are no frame headers (ITU-T T.81, table B.1)."""

Size = tuple[int, int]
"""Width and height, px."""


def _size(data: bytes) -> tuple[Size, bool]:
    """Return the size, and whether the picture's end is there."""
    return _jpeg(data) if data.startswith(_JPEG) else _png(data)


def _jpeg(data: bytes) -> tuple[Size, bool]:
    """Return the size, and whether the picture's end is there.

    Walks from segment to segment (T.81, B.1): an end marker before the scan
    belongs to a thumbnail, and phones write more data after the end.
    """
    size: Size | None = None
    at = len(_JPEG)
    while True:
        while data[at : at + 2] == _FILL:
            at += 1
        mark, kind, length = struct.unpack_from(">BBH", data, at)
        if mark != 0xFF:
            raise ValueError("no segment")
        if 0xC0 <= kind <= 0xCF and kind not in _NO_FRAME:
            height, width = struct.unpack_from(">HH", data, at + 5)
            size = width, height
        if kind == _START_OF_SCAN and size:
            return size, data.rfind(_END_OF_IMAGE) > at
        at += 2 + length


def _png(data: bytes) -> tuple[Size, bool]:
    if not data.startswith(_PNG):
        raise ValueError("neither JPEG nor PNG")
    width, height = struct.unpack_from(">II", data, 16)
    return (width, height), _END_OF_PNG in data


def _check_size(size: Size, name: str) -> None:
    width, height = size
    if width * height > REFUSED:
        raise PictureUnreadable(
            f"{name} has {width} x {height} pixels, far too many; make it smaller."
        )
    if min(size) < SMALLEST:
        raise PictureUnreadable(
            f"{name} has only {width} x {height} pixels; "
            f"a board needs {SMALLEST} x {SMALLEST} at least."
        )


def _reduction(size: Size) -> int:
    return next(s for s in _REDUCED if size[0] * size[1] <= LARGEST * s * s)


def _decode(data: bytes, size: Size) -> Image | None:
    how = _REDUCED[_reduction(size)]
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), how)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def encode_jpeg(image: Image) -> bytes:
    """Return a picture as a JPEG of moderate size, for the page."""
    done, data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, 80))
    assert done, "a BGR picture can always be encoded"
    return data.tobytes()
