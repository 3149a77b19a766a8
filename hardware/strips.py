"""What lights the squares."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
"""(N, 3) uint8, RGB, one row a lamp, in the order of the strip."""


class LedStrip(Protocol):
    """A row of lamps, opened by a `with` block; constructing one touches nothing."""

    def __enter__(self) -> Self:
        """Open the strip.

        Raises:
            StripUnavailable: it cannot be driven; the sentence says what to do.
        """

    def __exit__(self, *exc: object) -> None:
        """Switch all lamps off and close."""

    def show(self, pixels: Pixels) -> None:
        """Show a whole frame at once.

        Args:
            pixels: (N, 3) uint8, sRGB, as the lamps should look. Drivers of
                real lamps apply gamma, brightness and the current limit.

        Raises:
            StripUnavailable: the driver failed; it may be opened again.
        """


def dark(lamps: int) -> Pixels:
    """Return a frame with all lamps off."""
    return np.zeros((lamps, 3), dtype=np.uint8)
