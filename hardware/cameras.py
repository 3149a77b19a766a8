"""Where frames come from."""

from typing import Protocol, Self

from vision.frame import Frame


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
        """
