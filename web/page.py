"""The page in parts: each is drawn once per change, however many are looking on."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment

from companion.rules import words
from companion.snapshot import Snapshot
from hardware import palette
from web import panels
from web.board_svg import cell_names, chips
from web.drawing import layers
from web.feed import CAMERA, Feed, Moment
from web.table import VirtualTable

PARTS = ("live", "score", "news", "dead", "story", "pad", "dead-pad", "text", "own")
"""Templates in `templates/parts`, one for each panel that changes."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The page at one version of the feed.

    Attributes:
        version: of the feed.
        setup: changes when the page must be loaded anew: another game or program.
        snapshot: what was drawn.
        view: of the virtual table, None at a real one.
        parts: HTML or SVG by the id of the element it fills.
        since: the version at which each part became what it is.
    """

    version: int
    setup: str
    snapshot: Snapshot | None = None
    view: Mapping[str, Any] | None = None
    parts: Mapping[str, str] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)


class Page:
    """Draws the parts when somebody asks and something has changed. Thread-safe.

    Args:
        feed: what to show.
        environment: the templates.
        virtual: the virtual table, None at a real one.
    """

    def __init__(
        self, feed: Feed, environment: Environment, virtual: VirtualTable | None = None
    ) -> None:
        self._feed = feed
        self._environment = environment
        self._virtual = virtual
        self._lock = threading.Lock()
        self._program = secrets.token_hex(4)
        self._drawn = Drawn(0, f"{self._program}.0")
        self._messages: dict[int, str] = {}

    def drawn(self) -> Drawn:
        """Return the page as of now."""
        with self._lock:
            return self._now()

    def _now(self) -> Drawn:
        moment = self._feed.moment
        if moment.version != self._drawn.version:
            self._drawn = self._draw(moment)
            self._messages = {}
        return self._drawn

    def message(self, since: str = "") -> tuple[str, str]:
        """Return the present version, and as JSON what changed after `since`.

        Versions are names like "5f0c.12". One that was never shown, or by an
        earlier run of the program, gets everything.
        """
        program, _, number = since.partition(".")
        known = program == self._program and number.isdecimal()
        after = int(number) if known else 0
        with self._lock:
            drawn = self._now()
            version = f"{self._program}.{drawn.version}"
            if after not in self._messages:
                message = {
                    "version": version,
                    "camera": self._feed.picture(CAMERA) is not None,
                    **_message(drawn, after),
                }
                self._messages[after] = json.dumps(message)
            return version, self._messages[after]

    def story(self) -> str:
        """Return the whole story, which is too long to be sent with every turn."""
        snapshot = self._feed.moment.snapshot
        return self._render("whole", snapshot) if snapshot else ""

    def _draw(self, moment: Moment) -> Drawn:
        snapshot, last = moment.snapshot, self._drawn
        assert snapshot is not None  # versions above 0 have one
        setup = last.setup
        if last.snapshot is None or _setup(last.snapshot) != _setup(snapshot):
            setup = f"{self._program}.{moment.version}"
        if last.snapshot is snapshot:
            parts = dict(last.parts)
        else:
            parts = {**self._panels(snapshot), **layers(snapshot)}
        # A table that no camera reads now, as another game is told, is not shown.
        view = self._virtual.view() if self._virtual and snapshot.sighted else None
        if view is not None:
            parts["table-pieces"] = chips(snapshot.outlines, view["pieces"])
            parts["table-piles"] = self._render("piles", snapshot, view=view)
            parts["table-tools"] = self._render("table", snapshot, view=view)
        return Drawn(
            version=moment.version,
            setup=setup,
            snapshot=snapshot,
            view=view,
            parts=parts,
            since={
                name: last.since[name]
                if last.parts.get(name) == text
                else moment.version
                for name, text in parts.items()
            },
        )

    def _panels(self, snapshot: Snapshot) -> dict[str, str]:
        return {name: self._render(name, snapshot) for name in PARTS}

    def _render(self, part: str, snapshot: Snapshot, **more: Any) -> str:
        template = self._environment.get_template(f"parts/{part}.html")
        return template.render(
            snapshot=snapshot, panels=panels, palette=palette, words=words, **more
        )


def _setup(snapshot: Snapshot) -> tuple[object, ...]:
    """What the whole page is made from; all else comes in parts."""
    return (
        snapshot.game,
        snapshot.players,
        snapshot.rules,
        snapshot.printed,
        snapshot.outlines,
        snapshot.unwitnessed,
        snapshot.choices,
        snapshot.sighted,
    )


def _message(drawn: Drawn, since: int) -> dict[str, Any]:
    snapshot = drawn.snapshot
    if snapshot is None:
        return {"setup": drawn.setup, "parts": {}}
    return {
        "setup": drawn.setup,
        "game": snapshot.game,
        "status": snapshot.status,
        "kind": snapshot.kind.value,
        "text": snapshot.text,
        "violations": [
            {"code": v.code, "rule": v.rule, "text": v.text, "cells": v.cells}
            for v in snapshot.violations
        ],
        "doubtful": snapshot.doubtful,
        "state": dict(snapshot.state),
        "extras": dict(snapshot.extras),
        "looks": dict(snapshot.looks),
        "names": cell_names(snapshot),
        "match": {
            "best_of": snapshot.score.best_of,
            "ends_at": snapshot.score.ends_at,
            "game_number": snapshot.score.game_number,
            "wins": dict(snapshot.score.wins),
            "winner": snapshot.score.winner,
        },
        "table": drawn.view and drawn.view["pieces"],
        "parts": {
            name: text
            for name, text in drawn.parts.items()
            if drawn.since[name] > since
        },
    }
