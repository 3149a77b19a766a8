"""Where frames come from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, Self

from companion.errors import CameraUnavailable
from hardware.live_camera import StreamCamera, UsbCamera
from hardware.pi_camera import PiCamera
from hardware.recorded_camera import PHOTOS, PhotoCamera, VideoCamera
from vision.frame import Frame, Image


class Camera(Protocol):
    """A source of frames, opened by `with`; constructing one touches nothing."""

    def __enter__(self) -> Self:
        """Open the source.

        Raises:
            CameraUnavailable: it cannot be opened; the sentence says what to do.
        """

    def __exit__(self, *exc: object) -> None:
        """Close it."""

    def read(self) -> Frame | None:
        """Return the newest frame, waiting for one that was not returned before.

        Returns:
            None when the source has come to its end (a folder, a video file).

        Raises:
            CameraUnavailable: the camera died; it may be opened again.
            PictureUnreadable: this photo of a folder is broken; the next call
                goes on with the next photo.
        """


def open_camera(source: str, known: Sequence[Image] = ()) -> Camera:
    """Return the camera that a SOURCE of the command line names, not yet opened.

    Args:
        source: "pi", "usb:N", a stream "http(s)://..." or "rtsp://...", or the
            path of a folder of photos, of one photo or of a video.
        known: photos of a folder to pass over, such as those of the calibration.

    Raises:
        CameraUnavailable: it names nothing; the sentence says what would do.
    """
    if source == "pi":
        return PiCamera()
    if usb := re.fullmatch(r"usb:(\d+)", source):
        return UsbCamera(int(usb[1]))
    if re.match(r"(https?|rtsp)://.", source):
        return StreamCamera(source)
    path = Path(source)
    if path.is_dir() or (path.is_file() and path.suffix.lower() in PHOTOS):
        return PhotoCamera(path, known)
    if path.is_file():
        return VideoCamera(path)
    raise CameraUnavailable(
        f'There is no camera, folder or video "{source}"; give pi, usb:0, the path '
        "of a folder of photos or of a video, or a stream's address (http://...)."
    )
