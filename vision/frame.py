"""One picture from a camera."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""(H, W, 3) uint8, BGR."""


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
