"""Where nothing is lost: every accepted line is on disk before anybody sees it.

SQLite in WAL mode with synchronous FULL: a commit survives a killed process and
a power cut. Events are only ever added; the record is what remains when they
are folded (`Playthrough`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import JournalUnavailable

SCHEMA = 1
_APPLICATION_ID = 0x7AB1E70B
_BUSY_S = 1.0  # how long another process may take to write
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        what: "match", "game", "line", "amend", "back" or "refused".
        body: its JSON.
        at: ISO 8601 with offset.
    """

    what: str
    body: Mapping[str, Any]
    at: str


class Journal:
    """The events of all matches of one table, the running match last.

    Args:
        path: the file; made when it does not exist. None keeps the events in
            memory only (for `watch`, which writes a record instead).

    Raises:
        JournalUnavailable: it cannot be opened or written, or is not ours.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._where = str(path) if path else "the record in memory"
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                str(path) if path else ":memory:",
                isolation_level=None,
                check_same_thread=False,
                timeout=_BUSY_S,
            )
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._unavailable(error) from error

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and (application != _APPLICATION_ID or schema != SCHEMA):
            raise JournalUnavailable(
                f"{self._where} is not a record of this program's version; "
                "move it away, or name another file."
            )
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute(f"PRAGMA application_id={_APPLICATION_ID}")
        self._db.execute(f"PRAGMA user_version={SCHEMA}")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, "
            "what TEXT NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL)"
        )
        self._db.execute("COMMIT")

    def reserve(self) -> None:
        """Keep other processes from writing until closed: two games would mix.

        Raises:
            JournalUnavailable: another process has reserved it.
        """
        try:
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("BEGIN EXCLUSIVE")
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def add(self, *events: Event) -> None:
        """Write events, all or none; on return they are on disk.

        Raises:
            JournalUnavailable: they could not be written; nothing was.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "INSERT INTO event (what, body, at) VALUES (?, ?, ?)",
                [(e.what, json.dumps(e.body), e.at) for e in events],
            )
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise self._unavailable(error) from error

    def match(self) -> Iterator[Event]:
        """Yield the events of the running match, oldest first."""
        try:
            rows = self._db.execute(
                "SELECT what, body, at FROM event WHERE id >= "
                "(SELECT max(id) FROM event WHERE what = 'match') ORDER BY id"
            )
            for what, body, at in rows:
                yield Event(what, json.loads(body), at)
        except (sqlite3.Error, ValueError) as error:
            raise self._unavailable(error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _unavailable(self, error: Exception) -> JournalUnavailable:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            return JournalUnavailable(
                f"Another companion plays this game: open its page, or stop it first "
                f"(it writes {self._where})."
            )
        if getattr(error, "sqlite_errorcode", None) in _DAMAGED:
            return JournalUnavailable(
                f"The record {self._where} is damaged ({error}); move it away to begin "
                "anew. What was played stands in the .jsonl files beside it."
            )
        return JournalUnavailable(
            f"The record {self._where} cannot be used ({error}): check free space "
            "and permissions of its folder; nothing that was accepted is lost."
        )
