"""One picture from a camera."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""(H, W, 3) uint8, BGR; (H, W) where only brightness is wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture and when it was taken.

    Attributes:
        image: (H, W, 3) uint8, BGR, upright.
        taken_at: seconds on a monotonic clock.
        number: counts up with every frame of one camera.
        name: the photo's file name, "" for a live camera.
    """

    image: Image
    taken_at: float = 0.0
    number: int = 0
    name: str = ""


def grey_of(image: Image) -> Image:
    """Return how bright a picture is, (H, W) uint8 (luma, ITU-R BT.601)."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def shrunk(image: Image, longest: int) -> tuple[Image, float]:
    """Return a picture of at most so many px a side, and how much smaller it is."""
    factor = min(1.0, longest / max(image.shape[:2]))
    if factor == 1:
        return image, factor
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), factor
