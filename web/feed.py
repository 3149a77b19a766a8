"""What the page shows at this moment, and how listeners learn of a change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from companion.snapshot import Snapshot

CAMERA = "camera"
"""Key of the live camera picture among the pictures."""

PICTURES_KEPT = 120
"""A before and an after picture of some sixty violations; about 10 MB."""


@dataclass(frozen=True, slots=True)
class Moment:
    """All that a listener needs to know, taken at one time.

    Attributes:
        version: counts the snapshots published by this feed, 0 before the first.
        snapshot: the latest one, None before the first.
        lights_version: counts the frames of the lamps that differed.
        lights: "rrggbb" by cell, in the board's order of cells, joined.
    """

    version: int = 0
    snapshot: Snapshot | None = None
    lights_version: int = 0
    lights: str = ""


class Feed:
    """The latest snapshot, lamps and pictures, shared by threads. Mutable.

    The loop publishes, any number of listeners wait; nobody ever waits for a
    slow listener, who simply misses what was overtaken.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._moment = Moment()
        self._closed = False
        self._pictures: OrderedDict[str, bytes] = OrderedDict()

    @property
    def moment(self) -> Moment:
        """What is so now; a frozen value, read without a lock."""
        return self._moment

    @property
    def closed(self) -> bool:
        """Whether `close` was called: listeners go home."""
        return self._closed

    def publish(self, snapshot: Snapshot) -> None:
        """Show a snapshot and wake the listeners."""
        with self._changed:
            self._moment = replace(
                self._moment, version=self._moment.version + 1, snapshot=snapshot
            )
            self._changed.notify_all()

    def show_lights(self, colours: Iterable[Iterable[int]]) -> None:
        """Show the lamps as they are lit: red, green, blue (0..255) of each cell.

        Cells come in the order of `Snapshot.outlines`. A frame like the last
        one wakes nobody.
        """
        lights = "".join(bytes(map(int, colour)).hex() for colour in colours)
        with self._changed:
            if lights != self._moment.lights:
                self._moment = replace(
                    self._moment,
                    lights_version=self._moment.lights_version + 1,
                    lights=lights,
                )
                self._changed.notify_all()

    def touch(self) -> None:
        """Wake the listeners: something beside the snapshot is new (virtual table)."""
        with self._changed:
            if self._moment.snapshot is not None:
                self._moment = replace(self._moment, version=self._moment.version + 1)
                self._changed.notify_all()

    def wait(self, version: int, lights_version: int | None, timeout: float) -> Moment:
        """Wait for another version, or other lamps, but no longer than `timeout` s.

        With `lights_version` None the lamps may change unnoticed.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._closed
                    or self._moment.version != version
                    or lights_version not in (None, self._moment.lights_version)
                ),
                timeout,
            )
            return self._moment

    def close(self) -> None:
        """Send all listeners home."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def add_picture(self, key: str, jpeg: bytes) -> None:
        """Keep a JPEG under a key; the oldest give way to it."""
        with self._changed:
            self._pictures[key] = jpeg
            if key != CAMERA:
                self._pictures.move_to_end(key)
            while len(self._pictures) > PICTURES_KEPT:
                oldest = next(k for k in self._pictures if k != CAMERA)
                del self._pictures[oldest]

    def picture(self, key: str) -> bytes | None:
        """Return the JPEG of a key, None when it is not kept (any more)."""
        with self._changed:
            return self._pictures.get(key)
