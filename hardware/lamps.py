"""Keeps a strip showing the highlights of the moment, in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Self

from companion.errors import StripUnavailable
from companion.rules.game import Highlight
from hardware.layout import StripLayout
from hardware.lights import paint
from hardware.strips import LedStrip, Pixels, dark

FRAMES_PER_SECOND = 10
"""Enough for breathing and blinking; nothing here flashes faster than 3/s."""


OUT_AFTER_S = 0.1
"""When the lamps are surely out: the wire, and an exposure that had begun."""


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
        self._showing = threading.Lock()
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

    @contextmanager
    def dark(self) -> Iterator[float]:
        """Keep all lamps off while its `with` block lasts, for a look at the table.

        Yields:
            The monotonic time, s, from which on frames show no lamp's light;
            earlier ones may (`Frame.taken_at`).
        """
        with self._showing:
            if not self._stop.is_set():  # it is dark where the strip has failed
                self._show(dark(len(self._layout.cells)))
            yield time.monotonic() + OUT_AFTER_S

    def _run(self) -> None:
        while not self._stop.wait(1 / FRAMES_PER_SECOND):
            with self._showing:
                self._show(paint(self.highlights, self._layout, time.monotonic()))

    def _show(self, pixels: Pixels) -> None:
        try:
            self._strip.show(pixels)
        except StripUnavailable as error:
            self._stop.set()
            self._complain(str(error))
