"""What lights the squares."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from companion.errors import StripUnavailable
from hardware.layout import Wiring

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


KINDS = ("ws281x", "spi", "page", "none", "fake")
"""What `--lights` may name; "fake" is for tests and lights nothing."""


def open_strip(
    kind: str,
    lamps: int,
    wiring: Wiring | None = None,
    listener: Callable[[Pixels], None] | None = None,
    root: Path = Path("/"),
) -> LedStrip:
    """Return the strip that a KIND of the command line names, not yet opened.

    Args:
        kind: "ws281x" (the library on a Pi up to 4, the kernel's driver on a
            Pi 5), "spi" (no library but spidev), "page", "none" or "fake".
        lamps: how many there are.
        wiring: brightness, limit, colour order and pin; the defaults if None.
        listener: of the page's strip, called with every new frame.
        root: of the file system that says what machine this is.

    Raises:
        StripUnavailable: no such kind, or not on this machine; the sentence
            says what to do.
    """
    # Imported here, as the drivers build on this module.
    from hardware.page_strip import FakeStrip, PageStrip
    from hardware.pi_model import pi_generation
    from hardware.wired_strips import KernelStrip, LibraryStrip, SpiStrip

    wiring = wiring or Wiring()
    if kind == "page":
        return PageStrip(lamps, listener)
    if kind == "none":
        return PageStrip(lamps)
    if kind == "fake":
        return FakeStrip(lamps)
    if kind not in KINDS:
        raise StripUnavailable(
            f'There are no lights "{kind}"; choose {", ".join(KINDS[:-1])}.'
        )
    generation = pi_generation(root)
    if generation is None:
        raise StripUnavailable(
            f"Lights of the kind {kind} need a Raspberry Pi, and this machine is "
            "none; choose --lights page."
        )
    if kind == "spi":
        return SpiStrip(lamps, wiring, root)
    if generation >= 5:
        return KernelStrip(lamps, wiring, root / "dev/leds0")
    return LibraryStrip(lamps, wiring)
