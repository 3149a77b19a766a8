"""The loop: frame, observation, verdict, lights and page.

`Session` drives a `Follower` from a camera and a queue of requests.
"""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from concurrent.futures import TimeoutError as AnswerLate
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Protocol
from uuid import uuid4

from companion.errors import BoardNotFound, CameraUnavailable, PictureUnreadable
from companion.follower import Follower
from companion.observation import Observation
from companion.rules.board import Cell
from companion.rules.game import Meaning
from companion.rules.verdict import Kind
from companion.snapshot import Request, Snapshot
from hardware.cameras import Camera
from vision.frame import Frame
from vision.picture import encode_jpeg

LOOKS = 2
"""Frames of a still table that are added up for one verdict of a live camera."""

ANSWER = 5.0
"""Seconds in which the loop answers a request."""

AGAIN, AGAIN_SOON = 15.0, 3.0
"""Seconds until a table at rest is looked at again: in order, and not in order."""

LIVE = "camera"
"""Key of the live picture of the camera."""

PICTURE_EVERY = 1.0
"""Seconds between two live pictures."""

REOPEN = 2.0
"""Seconds between attempts to open a camera that died."""

_BUSY = "The table is busy; please try again."
_TOLD = ("no-camera", "No camera reads this game: tell what was done.")


class Reader(Protocol):
    """What turns a frame into an observation."""

    def read(self, frame: Frame) -> Observation:
        """Read the board."""


class Stillness(Protocol):
    """What says whether the table is at rest."""

    def settled(self, frame: Frame, lit: Collection[Cell]) -> bool:
        """Tell whether nothing moves but the light of lamps."""


def read_frame(reader: Reader, frame: Frame) -> Observation:
    """Return what is seen: nothing, and why, where no board can be."""
    try:
        return reader.read(frame)
    except BoardNotFound as error:
        return Observation({}, note=str(error))


class Session:
    """Follows one live table: drives a Follower from a camera and from requests.

    Args:
        follower: what follows the match.
        publish: called with every new snapshot.
        keep_picture: called with a key and a JPEG for each picture worth keeping.
        dark: a `with` block that keeps lamps dark which light the board; gives the
            time (`Frame.taken_at`) from which on frames show none of their light.
            None where no lamp lights the board.
        looks: frames of a table at rest that are added up for one verdict.
    """

    def __init__(
        self,
        follower: Follower,
        publish: Callable[[Snapshot], None],
        keep_picture: Callable[[str, bytes], None] = lambda key, picture: None,
        *,
        dark: Callable[[], AbstractContextManager[float]] | None = None,
        looks: int = LOOKS,
    ) -> None:
        self._follower = follower
        self._publish = publish
        self._keep_picture = keep_picture
        self._dark = dark or (lambda: nullcontext(-math.inf))
        self._looks = looks
        self._requests: queue.Queue[tuple[Request, Future[str | None]]] = queue.Queue()
        self._published: Snapshot | None = None
        self._stopped = False
        self._good: Frame | None = None
        self._status = _TOLD

    def ask(self, request: Request) -> str | None:
        """Ask from another thread, and wait for the answer.

        Returns:
            None when it is done (and on disk), else one sentence that says why not.
        """
        answer: Future[str | None] = Future()
        self._requests.put((request, answer))
        try:
            return answer.result(timeout=ANSWER)
        except AnswerLate:
            # What somebody is asked to try again must not be done as well.
            given_up = answer.cancel()
            return _BUSY if given_up else answer.result()

    def stop(self) -> None:
        """End `run` soon."""
        self._stopped = True

    def run(
        self,
        camera: Camera | None = None,
        reader: Reader | None = None,
        stillness: Stillness | None = None,
    ) -> None:
        """Follow the table until stopped; without a camera turns are told.

        Raises:
            CameraUnavailable: it could not even be opened once. A camera that
                dies later is opened again and again.
        """
        self._show()
        if camera and reader and stillness:
            self._follow(camera, reader, stillness)
        while not self._stopped:
            self._serve(wait=0.2)

    def _follow(self, camera: Camera, reader: Reader, stillness: Stillness) -> None:
        """Watch until the camera comes to its end; open it again when it dies."""
        found = False
        while not self._stopped:
            try:
                with camera:
                    found = True
                    self._watch(camera, reader, stillness)
                self._status = ("no-camera", "The pictures have come to their end.")
                self._show()
                return
            except CameraUnavailable as error:
                if not found:
                    raise
                self._status = ("lost", str(error))
                self._show()
                until = time.monotonic() + REOPEN
                while not self._stopped and time.monotonic() < until:
                    self._serve(wait=0.2)

    def _watch(self, camera: Camera, reader: Reader, stillness: Stillness) -> None:
        pictured = -PICTURE_EVERY
        looked, name = -math.inf, ""
        while not self._stopped:
            if self._serve():
                looked = -math.inf
            frame = self._frame(camera)
            if frame is None:
                return
            if not self._follower.sighted:
                self._status = _TOLD
                self._show()
                continue
            if frame.taken_at - pictured >= PICTURE_EVERY:
                pictured = frame.taken_at
                self._keep_picture(LIVE, encode_jpeg(frame.image))
            if not stillness.settled(frame, self._lit()):
                looked = -math.inf
                self._status = ("hand", "Somebody is at the board.")
                self._show()
            elif frame.taken_at - looked >= self._patience() or frame.name != name:
                look = self._look(frame, camera, reader, stillness)
                if look:
                    self._judge(*look)
                    looked, name = frame.taken_at, frame.name

    def _frame(self, camera: Camera) -> Frame | None:
        """Return the next frame; a broken photo is told and passed over."""
        while True:
            try:
                return camera.read()
            except PictureUnreadable as error:
                self._status = ("lost", str(error))
                self._show()

    def _patience(self) -> float:
        """Return the seconds after which a table at rest is looked at again."""
        calm = self._follower.verdict.kind in (Kind.UNCHANGED, Kind.LEGAL)
        return AGAIN if calm else AGAIN_SOON

    def _look(
        self, frame: Frame | None, camera: Camera, reader: Reader, stillness: Stillness
    ) -> tuple[Observation, Frame] | None:
        """Read the table with dark lamps; None if something moved meanwhile.

        A lamp under a square may look like a chip on it, and the referee's own
        question ("show d6 again") would light the square it asks about.
        """
        total: Observation | None = None
        with self._dark() as since:
            while frame is not None:
                if frame.taken_at >= since:
                    read = read_frame(reader, frame)
                    total = total + read if total else read
                    if total.looks >= self._looks or total.hidden:
                        return total, frame
                frame = self._frame(camera)
                if frame and not stillness.settled(frame, self._lit()):
                    return None
        return None

    def _lit(self) -> Collection[Cell]:
        """Return the squares whose lamps may be lit; a win lights them all."""
        highlights = self._published.highlights if self._published else ()
        if any(highlight.meaning is Meaning.WON for highlight in highlights):
            return self._follower.game.board.cells
        return {cell for highlight in highlights for cell in highlight.cells}

    def _judge(self, observation: Observation, frame: Frame) -> None:
        verdict = self._follower.look(observation)
        if self._follower.is_news():
            self._refuse(frame)
        if verdict.kind in (Kind.UNCHANGED, Kind.LEGAL):
            self._good = frame
        over = self._follower.match.game.outcome is not None
        if observation.note:
            seen = "moved" if observation.moved else "unclear"
            self._status = (seen if observation.log_p else "lost", observation.note)
        elif verdict.kind is Kind.HIDDEN:
            self._status = ("hand", "Something covers the board.")
        else:
            self._status = ("over", "The game is over.") if over else ("watching", "")
        self._show()

    def _refuse(self, frame: Frame) -> None:
        number, keys = uuid4().hex, []
        for name, picture in (("before", self._good), ("after", frame)):
            keys.append("" if picture is None else f"{number}-{name}")
            if picture is not None:
                self._keep_picture(keys[-1], encode_jpeg(picture.image))
        self._follower.refuse(*keys)

    def _serve(self, wait: float = 0.0) -> bool:
        """Answer what was asked, waiting for a first request if there is none.

        Returns:
            Whether there was anything to answer.
        """
        served = False
        while True:
            try:
                request, answer = self._requests.get(block=wait > 0, timeout=wait)
            except queue.Empty:
                return served
            wait, served = 0.0, True
            if answer.set_running_or_notify_cancel():
                answer.set_result(self._follower.answer(request))
                self._show()

    def _show(self) -> None:
        number = self._published.number if self._published else 0
        snapshot = self._follower.snapshot(number, *self._status)
        if snapshot != self._published:
            self._published = replace(snapshot, number=number + 1)
            self._publish(self._published)
