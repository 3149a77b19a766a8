"""Keeps a strip showing the highlights of the moment, in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self

from companion.errors import StripUnavailable
from companion.rules.game import Highlight
from hardware.layout import StripLayout
from hardware.lights import paint
from hardware.strips import LedStrip

FRAMES_PER_SECOND = 10
"""Enough for breathing and blinking; nothing here flashes faster than 3/s."""


class Lamps:
    """Paints highlights on a strip, again and again, while its `with` block lasts.

    Args:
        strip: opened and closed by this.
        layout: which lamp lights which cell.
        complain: told once, in a sentence, if the strip fails while playing;
            the game goes on in the dark.
    """

    def __init__(
        self, strip: LedStrip, layout: StripLayout, complain: Callable[[str], None]
    ) -> None:
        self.highlights: Sequence[Highlight] = ()
        self._strip = strip
        self._layout = layout
        self._complain = complain
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lamps", daemon=True)

    def __enter__(self) -> Self:
        """Open the strip and begin.

        Raises:
            StripUnavailable: it cannot be driven.
        """
        self._strip.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """End, all lamps off."""
        self._stop.set()
        self._thread.join()
        with suppress(StripUnavailable):  # it failed while playing: already told
            self._strip.__exit__(*exc)

    def _run(self) -> None:
        try:
            while not self._stop.wait(1 / FRAMES_PER_SECOND):
                self._strip.show(paint(self.highlights, self._layout, time.monotonic()))
        except StripUnavailable as error:
            self._complain(str(error))
