"""USB cameras and network streams: always the newest frame, never an old one.

`cv2.VideoCapture` queues frames, so after a pause it hands out pictures that
are seconds old, and stays "opened" when its server dies. A thread therefore
reads all the time and keeps the newest frame only.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import Self

import cv2
import numpy as np

from companion.errors import CameraUnavailable
from vision.frame import Frame

PATIENCE_S = 6.0
"""Without a frame for so long, reconnecting included, a camera counts as dead."""

RETRY_S = 0.5

STREAM_LAG_S = 1.5
"""A picture of a stream shows what was there so long ago, at most: phones encode and
send for up to a second, and OpenCV's FFmpeg holds some frames back."""


class _LiveCamera(ABC):
    """Reads in a thread of its own; reconnects by itself after a short break.

    Args:
        patience: how long `read` waits for a frame, in s.
    """

    name: str
    _lag = 0.0  # s from a picture's taking to its arrival, at most

    def __init__(self, patience: float = PATIENCE_S) -> None:
        self._patience = patience
        self._arrived = threading.Condition()
        self._frame: Frame | None = None
        self._returned = -1
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def _connect(self) -> cv2.VideoCapture:
        """Open a capture; it need not have succeeded."""

    @abstractmethod
    def _trouble(self) -> str:
        """Say what to do when the camera cannot be opened or has died."""

    def __enter__(self) -> Self:
        """Connect, and begin to read."""
        capture = self._connect()
        if not capture.isOpened():
            capture.release()
            raise CameraUnavailable(f"{self.name} cannot be opened; {self._trouble()}")
        # A thread that connects for longer than anybody waits must end all the same.
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._drain,
            args=(capture, self._stop),
            name=self.name,
            daemon=True,
        )
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop reading and disconnect."""
        self._stop.set()
        if self._thread:
            self._thread.join(self._patience)

    def read(self) -> Frame:
        """Return the newest frame, waiting for one that was not returned before."""
        with self._arrived:
            if not self._arrived.wait_for(self._has_new_frame, self._patience):
                raise CameraUnavailable(
                    f"{self.name} gives no pictures any more; {self._trouble()}"
                )
            assert self._frame is not None
            self._returned = self._frame.number
            return self._frame

    def _has_new_frame(self) -> bool:
        return self._frame is not None and self._frame.number > self._returned

    def _drain(self, capture: cv2.VideoCapture, stop: threading.Event) -> None:
        number = self._returned + 1
        while not stop.is_set():
            right, image = capture.read()
            taken_at = time.monotonic() - self._lag
            if right and not stop.is_set():
                frame = Frame(np.asarray(image, np.uint8), taken_at, number)
                number += 1
                with self._arrived:
                    self._frame = frame
                    self._arrived.notify_all()
            elif not right:
                capture.release()
                if stop.wait(RETRY_S):
                    return
                capture = self._connect()
        capture.release()


class StreamCamera(_LiveCamera):
    """A network camera: MJPEG over HTTP, or RTSP."""

    _lag = STREAM_LAG_S

    def __init__(self, address: str, patience: float = PATIENCE_S) -> None:
        super().__init__(patience)
        self.name = address

    def _connect(self) -> cv2.VideoCapture:
        timeout = round(self._patience * 500)
        return cv2.VideoCapture(
            self.name,
            cv2.CAP_FFMPEG,
            [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
                timeout,
                cv2.CAP_PROP_READ_TIMEOUT_MSEC,
                timeout,
            ],
        )

    def _trouble(self) -> str:
        return (
            "check the address in a browser, and that camera and this machine are "
            "in the same network (a stream is needed, not a single photo's address)."
        )


class UsbCamera(_LiveCamera):
    """A USB (UVC) camera by its number, with exposure, colour and focus locked.

    Locked because a hand or a lit lamp otherwise shifts the whole picture.
    Cheap cameras ignore some of this; `companion doctor` shows what they took.
    """

    def __init__(self, number: int, patience: float = PATIENCE_S) -> None:
        super().__init__(patience)
        self.name = f"usb:{number}"
        self._number = number

    def _connect(self) -> cv2.VideoCapture:
        capture = cv2.VideoCapture(self._number, cv2.CAP_V4L2)
        if capture.isOpened():
            prepare_usb(capture)
        return capture

    def _trouble(self) -> str:
        return (
            f"check its plug, that /dev/video{self._number} exists, that no other "
            "program uses it, and that you are in the group video "
            "(sudo usermod -aG video $USER, then log in again)."
        )


def prepare_usb(capture: cv2.VideoCapture, settling_frames: int = 30) -> None:
    """Ask for MJPEG 1280 x 960, let the automatics settle, then lock them."""
    # Raw pictures do not fit through USB 2 at a useful rate: MJPEG first.
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 960)
    capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 3)  # V4L2: aperture priority
    capture.set(cv2.CAP_PROP_AUTO_WB, 1)
    capture.set(cv2.CAP_PROP_AUTOFOCUS, 1)
    for _ in range(settling_frames):
        capture.read()
    for automatic, off, value in (
        (cv2.CAP_PROP_AUTO_EXPOSURE, 1, cv2.CAP_PROP_EXPOSURE),
        (cv2.CAP_PROP_AUTO_WB, 0, cv2.CAP_PROP_WB_TEMPERATURE),
        (cv2.CAP_PROP_AUTOFOCUS, 0, cv2.CAP_PROP_FOCUS),
    ):
        settled = capture.get(value)
        if capture.set(automatic, off) and settled > 0:
            capture.set(value, settled)
