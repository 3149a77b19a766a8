"""Lamps that exist on the page only, and lamps that only remember."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from hardware.strips import Pixels, dark


class PageStrip:
    """Lamps drawn on the page: keeps the last frame and tells a listener.

    Args:
        lamps: how many.
        listener: called with every new frame, from the thread that shows it.
    """

    def __init__(
        self, lamps: int, listener: Callable[[Pixels], None] | None = None
    ) -> None:
        self.pixels = dark(lamps)
        self._listener = listener

    def __enter__(self) -> Self:
        """Begin dark."""
        self.show(dark(len(self.pixels)))
        return self

    def __exit__(self, *exc: object) -> None:
        """Switch all lamps off."""
        self.show(dark(len(self.pixels)))

    def show(self, pixels: Pixels) -> None:
        """Keep the frame; call the listener."""
        self.pixels = pixels.copy()
        if self._listener:
            self._listener(self.pixels)


class FakeStrip:
    """No lamps at all: a fake for tests, which records every frame.

    Attributes:
        frames: every frame shown since the strip was made, oldest first.
        is_open: whether it stands inside its `with` block.
    """

    def __init__(self, lamps: int) -> None:
        self.lamps = lamps
        self.frames: list[Pixels] = []
        self.is_open = False

    def __enter__(self) -> Self:
        """Begin recording."""
        self.is_open = True
        return self

    def __exit__(self, *exc: object) -> None:
        """Record that all lamps go off."""
        self.show(dark(self.lamps))
        self.is_open = False

    def show(self, pixels: Pixels) -> None:
        """Record the frame."""
        self.frames.append(pixels.copy())

    def __repr__(self) -> str:
        return f"FakeStrip({self.lamps} lamps, none of them real)"
