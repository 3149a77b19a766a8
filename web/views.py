"""The addresses of the page: itself, its state, its stream, its buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from companion.rules import words
from companion.rules.board import Cell, Look
from companion.snapshot import Request
from hardware import palette
from web import asks, board_svg, drawing, panels, shapes
from web.feed import Feed
from web.page import Page
from web.table import VirtualTable

STREAMS = 64
"""Event streams at a time; who comes later asks again and again instead."""

HEARTBEAT = 15.0
"""Seconds of silence on a stream, after which both sides learn whether it lives."""

BREATH = 0.2
"""Seconds between two lamp frames on one stream: at most five a second."""

POLL = 10.0
"""Longest time in seconds that an answer to `/state` waits for a change."""

POLLS = 4
"""Answers that wait at a time; further ones come at once, so that threads are left."""

Ask = Callable[[Request], str | None]
"""Queues a request; returns None, or a sentence why it is refused."""

Export = Callable[[], Iterator[str]]
"""Yields the lines of the record."""


@dataclass(frozen=True, slots=True)
class Site:
    """What the addresses work with; each method answers at one address."""

    feed: Feed
    page: Page
    ask: Ask
    virtual: VirtualTable | None
    export: Export | None
    streams: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(STREAMS))
    polls: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(POLLS))

    def blueprint(self) -> Blueprint:
        """Return the addresses."""
        blueprint = Blueprint("site", __name__)
        blueprint.get("/")(self.index)
        blueprint.get("/state")(self.state)
        blueprint.get("/events")(self.events)
        blueprint.get("/story")(self.story)
        blueprint.get("/pictures/<key>")(self.picture)
        blueprint.get("/record.jsonl")(self.record)
        blueprint.post("/ask/<what>")(self.asked)
        blueprint.post("/table/<what>")(self.moved)
        return blueprint

    def index(self) -> str:
        """Show the whole page."""
        drawn = self.page.drawn()
        return render_template(
            "page.html" if drawn.snapshot else "waiting.html",
            drawn=drawn,
            snapshot=drawn.snapshot,
            site=self,
            panels=panels,
            board=board_svg,
            drawing=drawing,
            shapes=shapes,
            palette=palette,
            words=words,
        )

    def state(self) -> Response:
        """Tell what changed since a version, at once or when something does."""
        since = request.args.get("since", "")
        wait = request.args.get("wait", 0.0, type=float)
        number = self.feed.moment.version
        version, message = self.page.message(since)
        if version == since and wait > 0 and self.polls.acquire(blocking=False):
            try:
                self.feed.wait(number, None, min(wait, POLL))
            finally:
                self.polls.release()
            version, message = self.page.message(since)
        if version == since:
            return Response(status=204)
        return Response(message, mimetype="application/json")

    def events(self) -> Response:
        """Tell every change as it comes, as server-sent events."""
        if not self.streams.acquire(blocking=False):
            answer = refusal("Too many screens are looking on live; ask again.", 503)
            answer.headers["Retry-After"] = "30"
            return answer
        since = request.headers.get("Last-Event-ID", "")
        response = Response(self._stream(since), mimetype="text/event-stream")
        response.call_on_close(self.streams.release)
        return response

    def _stream(self, since: str) -> Iterator[str]:
        yield "retry: 2000\n\n"
        lights = -1
        while not self.feed.closed:
            moment = self.feed.moment
            version, message = self.page.message(since)
            if version != since:
                since = version
                yield f"id: {version}\nevent: state\ndata: {message}\n\n"
            if moment.lights_version != lights:
                lights = moment.lights_version
                yield f"event: lights\ndata: {moment.lights}\n\n"
                self.feed.wait(moment.version, None, BREATH)
            elif self.feed.wait(moment.version, lights, HEARTBEAT) is moment:
                yield "event: still\ndata: here\n\n"

    def story(self) -> str:
        """Show the whole story, as a part of the page."""
        return self.page.story()

    def picture(self, key: str) -> Response:
        """Show a kept picture."""
        jpeg = self.feed.picture(key)
        if jpeg is None:
            return refusal("This picture is not kept any more.", 404)
        return Response(jpeg, mimetype="image/jpeg")

    def record(self) -> Response:
        """Hand out the record, line by line."""
        if self.export is None:
            return refusal("No record is kept here.", 404)
        return Response(
            (line.rstrip("\n") + "\n" for line in self.export()),
            mimetype="application/jsonl",
            headers={"Content-Disposition": 'attachment; filename="record.jsonl"'},
        )

    def asked(self, what: str) -> Response:
        """Ask the program for something."""
        if what not in asks.ASKS:
            return refusal(f"Nobody can be asked for “{what}” here.", 404)
        refused = self.ask(asks.ASKS[what](body()))
        return refusal(refused, 409) if refused else accepted()

    def moved(self, what: str) -> Response:
        """Move something on the virtual table."""
        if self.virtual is None:
            return refusal("This is a real table: put the pieces with your hands.", 404)
        if what not in TABLE:
            return refusal(f"The virtual table has no “{what}”.", 404)
        TABLE[what](self.virtual, body())
        self.feed.touch()
        return accepted()


def body() -> Mapping[str, Any]:
    """Return the request's JSON object.

    Raises:
        asks.BadRequest: it is none.
    """
    if not request.is_json:
        raise asks.BadRequest("Ask in JSON: Content-Type application/json.")
    found = request.get_json(silent=True)
    if not isinstance(found, dict):
        raise asks.BadRequest("Ask with a JSON object, {...}.")
    return found


def refusal(sentence: str, status: int) -> Response:
    """Answer one sentence that says why not."""
    response = jsonify(error=sentence)
    response.status_code = status
    return response


def accepted() -> Response:
    """Answer that the request is on its way; the next state shows what became of it."""
    response = jsonify(ok=True)
    response.status_code = 202
    return response


def _put(table: VirtualTable, body: Mapping[str, Any]) -> None:
    table.put(Cell(asks.text(body, "cell")), Look(asks.text(body, "look")))


def _slide(table: VirtualTable, body: Mapping[str, Any]) -> None:
    table.slide(Cell(asks.text(body, "cell")), Cell(asks.text(body, "to")))


TABLE: Mapping[str, Callable[[VirtualTable, Mapping[str, Any]], None]] = {
    "put": _put,
    "slide": _slide,
    "take": lambda table, body: table.take(Cell(asks.text(body, "cell"))),
    "turn-over": lambda table, body: table.turn_over(Cell(asks.text(body, "cell"))),
    "run": lambda table, body: table.run(),
    "stop": lambda table, body: table.stop(),
    "step": lambda table, body: table.step(),
    "speed": lambda table, body: table.set_speed(asks.number(body, "speed", 0.1, 50)),
    "light": lambda table, body: table.set_light(asks.text(body, "light")),
}
"""By the last part of the address: /table/put."""
