"""Wiring of `companion replay`: a recorded game, told or stepped through."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from companion.errors import RecordUnreadable, TerminalMissing
from companion.follower import Follower
from companion.journal import Journal
from companion.match import Match
from companion.record import read_header
from companion.snapshot import NewMatch, Tell
from web.app import create_app, qr_code, serve
from web.feed import Feed

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was said on the command line."""

    record: Path
    page: bool
    host: str
    port: int


def replay(wishes: Wishes, say: Say) -> None:
    """Tell a recorded game.

    Raises:
        RecordUnreadable: there is no such file.
        HeaderError: its header cannot be used.
        PortBusy: the page cannot be served.
        TerminalMissing: nobody can press a key to step through it.
    """
    follower, lines = _open(wishes.record)
    names = ", ".join(player.name for player in follower.game.players)
    say(f"{follower.game.title}: {names}")
    if wishes.page:
        _step_through(wishes, follower, lines, say)
        return
    for number, line in lines:
        say(_told(follower, number, line))
    say(_standing(follower))


def _open(path: Path) -> tuple[Follower, Iterator[tuple[int, bytes]]]:
    try:
        raw = path.read_bytes().splitlines()
    except OSError as error:
        raise RecordUnreadable(
            f"The record {path} cannot be read: {error.strerror or error}."
        ) from None
    _, first = read_header(iter(raw))
    match = Match(Journal(None))
    match.begin(json.loads(raw[first - 1]), _now(), best_of=None)
    rest = enumerate(raw[first:], start=first + 1)
    return Follower(match, _now), ((at, line) for at, line in rest if line.strip())


def _told(follower: Follower, number: int, line: bytes) -> str:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"{number:4}  ! this is not JSON ({error})."
    if not isinstance(content, dict):
        return f"{number:4}  ! a line is a JSON object, {{...}}."
    at = _time(content)
    if at:
        follower.now = lambda: at
    refusal = follower.answer(Tell(content))
    if refusal:
        return f"{number:4}  ! {refusal}"
    return f"{number:4}  {follower.verdict.text}"


def _time(line: Mapping[str, Any]) -> datetime | None:
    """Return when a turn was made, None where the record does not say."""
    try:
        return datetime.fromisoformat(line["at"])
    except (KeyError, TypeError, ValueError):
        return None


def _standing(follower: Follower) -> str:
    state: dict[str, Any] = follower.game.state(follower.position)
    names = {str(at): each.name for at, each in enumerate(follower.game.players)}
    score = (f"{names.get(who, who)} {n}" for who, n in state["score"].items())
    text = [f"Score: {', '.join(score)}"]
    if "position" in state:
        rows = state["position"].split("/")
        text += [f"{number:4}  {' '.join(row)}" for number, row in enumerate(rows, 1)]
        text.append("      " + " ".join("abcdefghij"[: len(rows[0])]))
    return "\n".join(text)


def _step_through(
    wishes: Wishes,
    follower: Follower,
    lines: Iterator[tuple[int, bytes]],
    say: Say,
) -> None:
    """Show the game on the page; Enter is the next line, b goes one back."""
    waiting, at, shown = list(lines), 0, 0
    header = follower.match.game.header
    feed = Feed()
    app = create_app(feed, lambda request: _READ_ONLY)

    def show() -> None:
        feed.publish(replace(follower.snapshot(shown, *_STATUS), recorded=True))

    show()
    with serve(app, feed, wishes.host, wishes.port) as serving:
        say(f"{serving.address}\n\n{qr_code(serving.address)}")
        say("Enter: next line. b: back. q: quit.")
        while (key := _key()) not in ("q", "\x03", "\x04"):
            if key == "b" and at:
                at -= 1
                follower.answer(NewMatch(header, best_of=None))
                for number, line in waiting[:at]:
                    _told(follower, number, line)
            elif key != "b" and at < len(waiting):
                say(_told(follower, *waiting[at]))
                at += 1
            shown += 1
            show()


def _key() -> str:
    try:
        return click.getchar()
    except OSError:
        raise TerminalMissing(
            "Keys step through the game: run this in a terminal, or leave --page out."
        ) from None


_STATUS = ("no-camera", "A recorded game: step through it in the terminal.")
_READ_ONLY = "This is a recorded game; it cannot be changed."


def _now() -> datetime:
    return datetime.now().astimezone()
