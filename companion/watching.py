"""Wiring of `companion watch`: following a game from its looks alone.

A table folder knows the chips' colours, not who plays and who starts. So one
follower is kept for every seating that the rules allow, and those whose story
breaks a rule are dropped as long as another one's does not: after three turns
one is left.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import permutations
from pathlib import Path
from typing import Any

from calibration.table import Table, find_table
from companion.errors import (
    CameraUnavailable,
    HeaderError,
    PictureUnreadable,
    RecordUnreadable,
)
from companion.follower import Follower, Sight
from companion.journal import Journal
from companion.looking import position_rows
from companion.match import Match
from companion.observation import FLOOR, Observation
from companion.record import save_record
from companion.referee import MARGIN, Verdict, judge
from companion.rules.board import Look, team_of
from companion.rules.verdict import Kind
from companion.rules.words import either
from companion.session import AGAIN_SOON, read_frame
from hardware.cameras import Camera, open_camera
from hardware.recorded_camera import PhotoCamera
from vision.frame import Frame
from vision.settle import Stillness

_MISFIT = {
    Kind.UNCHANGED: 0,
    Kind.LEGAL: 0,
    Kind.UNCERTAIN: 1,
    Kind.HIDDEN: 1,
    Kind.ILLEGAL: 2,
}
"""How badly a verdict fits; what fits rules out all that does not."""


class Watcher:
    """Follows the looks at one table. Mutable.

    Args:
        game: the game's id.
        board: a board as a record header names it, None for the game's own.
        teams: the colours that chips of this table may have.
        now: the wall clock, for the record.

    Raises:
        HeaderError: no seating of these colours can play this game.
    """

    def __init__(
        self,
        game: str,
        board: str | Mapping[str, Any] | None,
        teams: Sequence[str],
        now: Callable[[], datetime],
    ) -> None:
        self._followers: list[Follower] = []
        sight = Sight(game, board, tuple(teams))
        refusal = HeaderError(f"Two teams are needed to play, not {list(teams)}.")
        for seats in _seatings(teams):
            header = {
                "record": 1,
                "game": game,
                "players": [{"name": team.title(), "team": team} for team in seats],
                **({"board": board} if board is not None else {}),
                "rules": {},
            }
            match = Match(Journal(None))
            try:
                match.begin(header, now(), best_of=None)
            except HeaderError as error:
                refusal = error
                continue
            self._followers.append(Follower(match, now, sight))
        if not self._followers:
            raise refusal

    @property
    def follower(self) -> Follower:
        """The follower whose seating fits best so far."""
        return self._followers[0]

    def look(self, observation: Observation) -> Verdict[Any]:
        """Judge a look, and write new violations down as news."""
        question = self._whose(observation)
        if question:
            return question
        verdicts = [follower.look(observation) for follower in self._followers]
        misfits = [_MISFIT[verdict.kind] for verdict in verdicts]
        ranked = sorted(
            zip(misfits, self._followers, strict=True), key=lambda each: each[0]
        )
        least, _ = ranked[0]
        # A question rules nobody out.
        self._followers = [
            follower for misfit, follower in ranked if least or not misfit
        ]
        if self.follower.is_news():
            self.follower.refuse()
        return self.follower.verdict

    def _whose(self, observation: Observation) -> Verdict[Any] | None:
        """Ask whose a new piece is where that hangs on who plays.

        The first turns are what tells who does: by any seating they look legal if the
        piece is taken for whose turn it is, so its colour must be sure by itself.
        """
        if len(self._followers) == 1:
            return None
        verdicts = [
            judge(follower.game, follower.position, observation)
            for follower in self._followers
        ]
        seen = [v.seen or {} for v in verdicts if v.kind is not Kind.ILLEGAL]
        asked = {}
        for cell, log_p in observation.log_p.items():
            looks = {lying[cell] for lying in seen if cell in lying}
            likely = sorted((-log_p.get(look, FLOOR), look) for look in looks)
            teams: dict[str, tuple[float, Look]] = {}
            for cost, look in likely:
                teams.setdefault(team_of(look), (cost, look))
            if len(teams) > 1:
                (cost, look), (more, other), *_ = teams.values()
                if more - cost < MARGIN:
                    asked[cell] = either(cell, (look, other))
        if not asked:
            return None
        text = f"{' '.join(asked.values())} That tells who plays: show the board again."
        return Verdict(Kind.UNCERTAIN, doubtful=tuple(asked), text=text)

    def record(self) -> Iterator[Mapping[str, Any]]:
        """Yield the record of the game as the best fitting follower tells it."""
        return self.follower.match.game.record()


def _seatings(teams: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield who may sit where: two teams before three, the order given first."""
    for count in (2, 3):
        yield from permutations(teams, count)


Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was said on the command line."""

    source: str
    folder: Path | None
    record: Path | None
    as_json: bool


def watch(wishes: Wishes, home: Path, say: Say) -> None:
    """Follow a game, and say of each look what it means.

    Raises:
        CompanionError: the table, the source or the record cannot be used.
    """
    table = Table.load(find_table(wishes.folder, home))
    watcher = Watcher(table.game, table.header_board, table.teams, _now)
    reader = table.reader()
    if wishes.record and _holds_something(wishes.record):
        raise RecordUnreadable(
            f"{wishes.record} is there already; name another file to keep this game in."
        )
    camera = open_camera(wishes.source, table.photos)
    stillness = Stillness(table.squares(), lambda: reader.pose)
    with camera:
        if wishes.record:  # what cannot be kept is better known before the game
            save_record(wishes.record, watcher.record())
        seen, unread, before = False, None, ""
        for name, frame in _looks(camera, stillness):
            note = ""
            if isinstance(frame, PictureUnreadable):
                unread = frame
                verdict: Verdict[Any] = Verdict(Kind.HIDDEN, text=str(frame))
            else:
                seen = True
                observation = read_frame(reader, frame)
                verdict, note = watcher.look(observation), observation.note
            if wishes.as_json:
                say(_as_json(name, verdict, watcher, note))
            else:  # a person need not be told the same again and again
                say(_for_people(name, verdict, watcher, note if note != before else ""))
                before = note
            if wishes.record:
                save_record(wishes.record, watcher.record())
        if unread and not seen:
            raise unread
        if not seen:
            raise CameraUnavailable(
                f"{wishes.source} shows nothing to follow: photos of the calibration "
                "do not count, and a filmed board must lie still for a moment."
            )


def _holds_something(path: Path) -> bool:
    return path.exists() and (not path.is_file() or path.stat().st_size > 0)


def _now() -> datetime:
    return datetime.now().astimezone()


def _looks(
    camera: Camera, stillness: Stillness
) -> Iterator[tuple[str, Frame | PictureUnreadable]]:
    """Yield the looks of a source: every photo, or a live table whenever it rests.

    While it goes on resting it is looked at again, as often as a session does.
    """
    photos = isinstance(camera, PhotoCamera)
    began: float | None = None
    looked = -math.inf
    while True:
        try:
            frame = camera.read()
        except PictureUnreadable as error:
            yield error.photo, error
            continue
        if frame is None:
            return
        began = frame.taken_at if began is None else began
        if photos:
            yield frame.name, frame
        elif not stillness.settled(frame):
            looked = -math.inf
        elif frame.taken_at - looked >= AGAIN_SOON:
            looked = frame.taken_at
            yield f"{frame.taken_at - began:.1f} s", frame


def _as_json(name: str, verdict: Verdict[Any], watcher: Watcher, note: str) -> str:
    follower = watcher.follower
    broken = verdict.violations if verdict.kind is Kind.ILLEGAL else ()
    line = {
        "photo": name,
        "verdict": verdict.kind.value,
        "position": position_rows(follower.game.appearance(follower.position)),
        "violations": [violation.code for violation in broken],
        "text": verdict.text,
        "score": follower.game.state(follower.position)["score"],
        "squares": list(verdict.doubtful),
        "note": note,
    }
    return json.dumps(line)


def _for_people(name: str, verdict: Verdict[Any], watcher: Watcher, note: str) -> str:
    follower = watcher.follower
    runs = follower.game.state(follower.position)["score"].items()
    score = ", ".join(f"{team} {count}" for team, count in runs)
    told = [verdict.text] if note in verdict.text else [verdict.text, note]
    return f"{name:14} {verdict.kind.value:10} {score:18} {' '.join(told)}"
