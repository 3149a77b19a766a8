import sqlite3
import subprocess
import sys

import pytest

from companion.errors import JournalUnavailable
from companion.journal import Event, Journal
from tests.companion.telling import told_and_killed

AT = "2026-11-21T10:00:00+00:00"


def test_events_come_back_in_order(tmp_path):
    """A journal gives back the events of the running match, oldest first."""
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    journal.add(Event("match", {"n": 1}, AT), Event("line", {"n": 2}, AT))
    journal.add(Event("match", {"n": 3}, AT), Event("line", {"n": 4}, AT))
    journal.close()

    events = list(Journal(path).match())

    assert [event.body["n"] for event in events] == [3, 4]
    assert [event.what for event in events] == ["match", "line"]


def test_a_new_journal_is_empty(tmp_path):
    """Before the first match there is nothing."""
    assert list(Journal(tmp_path / "new" / "journal.sqlite").match()) == []


def test_an_acknowledged_event_survives_a_killed_process(tmp_path):
    """What `add` returned from is there after kill -9."""
    path = tmp_path / "journal.sqlite"
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from companion.journal import Event, Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "journal.add(Event('match', {}, 'now'), Event('line', {'n': 7}, 'now'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)

    assert killed.returncode == -9
    assert [event.body for event in Journal(path).match()] == [{}, {"n": 7}]


def test_two_companions_do_not_write_one_journal(tmp_path):
    """The second is told of the first; it may begin when that has ended."""
    path = tmp_path / "journal.sqlite"
    first = Journal(path)
    first.reserve()
    first.add(Event("match", {}, AT))
    script = "import sys; from companion.journal import *; Journal(Path(sys.argv[1]))"

    def second():
        command = [sys.executable, "-c", script, str(path)]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    assert "Another companion plays this game" in second().stderr
    first.close()
    assert second().returncode == 0


def test_a_full_disk_is_said_and_nothing_is_half_written(tmp_path):
    """When there is no space left, a batch is written wholly or not at all."""
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    journal.add(Event("match", {}, AT))
    (pages,) = journal._db.execute("PRAGMA page_count").fetchone()
    journal._db.execute(f"PRAGMA max_page_count={pages}")

    with pytest.raises(JournalUnavailable, match="free space"):
        journal.add(Event("line", {"n": 1}, AT), Event("line", {"n": "x" * 99999}, AT))

    assert [event.what for event in Journal(path).match()] == ["match"]


def test_a_foreign_file_is_refused(tmp_path):
    """A file of another program is left alone."""
    path = tmp_path / "journal.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")

    with pytest.raises(JournalUnavailable, match="move it away"):
        Journal(path)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    """Any other file is refused in a sentence, and kept."""
    path = tmp_path / "journal.sqlite"
    path.write_text("not a database, but somebody's diary " * 50)

    with pytest.raises(JournalUnavailable, match=r"is damaged .*; move it away"):
        Journal(path)

    assert path.read_text().startswith("not a database")


def test_no_acknowledged_turn_is_lost_to_kills(tmp_path):
    """A told match goes on after each of five kills with all that was answered."""
    told = told_and_killed(tmp_path / "journal.sqlite", kills=5, turns=30, seed=1)

    assert told.acknowledged >= 30
    assert len(told.lines) >= told.acknowledged
