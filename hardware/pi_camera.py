"""The camera on the Raspberry Pi's ribbon cable."""

from __future__ import annotations

import time
from typing import Any, Self

import numpy as np

from companion.errors import CameraUnavailable
from vision.frame import Frame

SIZE = (1640, 1232)
"""px; a mode of the v2 sensor that sees its full field (1080p sees a part)."""

SETTLE_S = 1.5
"""The automatics need about a second."""

PATIENCE_S = 6.0
"""A camera that gives no frame for so long counts as dead."""

MAINS_PERIOD_US = 10_000
"""Lamps flicker twice a period of the mains: 10 ms at 50 Hz, 8333 us at 60 Hz."""


class PiCamera:
    """A CSI camera through picamera2, its exposure, colours and focus locked.

    The automatics settle first; then their values are kept, as a hand or a lit
    lamp would otherwise shift the whole picture.

    Args:
        size: width and height of the frames, px.
        settle: how long the automatics may run, s.
    """

    def __init__(self, size: tuple[int, int] = SIZE, settle: float = SETTLE_S) -> None:
        self._size = size
        self._settle = settle
        self._camera: Any = None
        self._number = 0

    def __enter__(self) -> Self:
        """Start the camera, let it settle, lock it."""
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraUnavailable(
                "The Pi's camera needs picamera2: run sudo apt install "
                "python3-picamera2 --no-install-recommends, then make pi."
            ) from error
        try:
            self._camera = Picamera2()
            self._camera.configure(
                self._camera.create_video_configuration(
                    # picamera2's "RGB888" lies in memory as BGR.
                    main={"size": self._size, "format": "RGB888"},
                    buffer_count=3,
                )
            )
            self._camera.start()
        except (IndexError, RuntimeError) as error:
            self.__exit__()
            raise CameraUnavailable(
                "The Pi sees no camera it can use; check the ribbon cable, that "
                "rpicam-hello --list-cameras lists it, and that no other program "
                "uses it."
            ) from error
        self._lock()
        return self

    def _lock(self) -> None:
        controls = self._camera.camera_controls
        if "AeFlickerPeriod" in controls:
            self._camera.set_controls(
                {"AeFlickerMode": 1, "AeFlickerPeriod": MAINS_PERIOD_US}
            )
        if "AfMode" in controls:
            self._camera.autofocus_cycle()
        time.sleep(self._settle)
        settled = self._camera.capture_metadata()
        # Nothing but fixed gains stops the automatic white balance.
        locks = {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": settled["ExposureTime"],
            "AnalogueGain": settled["AnalogueGain"],
            "ColourGains": settled["ColourGains"],
        }
        if "AfMode" in controls:
            locks |= {"AfMode": 0, "LensPosition": settled["LensPosition"]}
        self._camera.set_controls(locks)

    def __exit__(self, *exc: object) -> None:
        """Stop the camera and let others use it."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None

    def read(self) -> Frame:
        """Return the next frame; `taken_at` is when its exposure began."""
        assert self._camera is not None, "read() outside of `with`"
        try:
            request = self._camera.capture_request(wait=PATIENCE_S)
        except (TimeoutError, RuntimeError) as error:
            raise CameraUnavailable(
                "The Pi's camera stopped; check its ribbon cable."
            ) from error
        try:
            image = np.asarray(request.make_array("main"), np.uint8)
            metadata = request.get_metadata()
        finally:
            request.release()
        # Counts from boot; the same as time.monotonic() on a machine that never sleeps.
        taken_at = metadata["SensorTimestamp"] / 1e9
        frame = Frame(image, taken_at, self._number)
        self._number += 1
        return frame
