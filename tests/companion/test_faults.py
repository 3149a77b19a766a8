"""Faults of the program, and Ctrl-C at any moment: no traceback, nothing stops."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from calibration.demo import demo_scene
from companion import cli, faults
from companion.bots import Bots
from companion.people import VirtualPeople
from hardware.virtual_table import VirtualTable
from tests.companion.tables import GRIDLOCK, follow

ROOT = Path(cli.__file__).parents[1]


def test_ctrl_c_while_modules_are_loaded_ends_quietly(tmp_path):
    """In the first moments of a command nothing but the status tells of Ctrl-C."""
    (tmp_path / "click.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "companion", "games"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        # Tests that run in the background inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )

    assert (done.returncode, done.stderr) == (130, "")


def raised(error):
    """Return a fault as it is caught."""
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_fault_that_comes_again_is_kept_once(tmp_path):
    """A bot that fails in the same way all evening does not fill the disk."""
    told = {faults.keep(raised(ZeroDivisionError("x")), tmp_path, "Oh.") for _ in "ab"}

    (file,) = (tmp_path / "faults").iterdir()
    assert told == {f"Oh. If it returns, send {file} to the program's makers."}
    assert "ZeroDivisionError: x" in file.read_text()


def test_a_thread_that_fails_is_told_in_a_sentence(tmp_path, monkeypatch, capfd):
    """Whatever part of the program stops: no traceback, and a file that tells all."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    monkeypatch.setattr(threading, "excepthook", cli.thread_failed)
    thread = threading.Thread(target=lambda: 1 / 0, name="lamps")
    thread.start()
    thread.join()

    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("companion: A fault of this program")
    assert "(lamps)" in line
    assert len(list((tmp_path / "faults").iterdir())) == 1


@pytest.mark.parametrize("ask", ["run", "step"])
def test_bots_that_fail_rest_and_the_table_stays_usable(monkeypatch, ask):
    """Their fault is handed on once; a person can go on, and wake them again."""
    failed, glanced = [], threading.Semaphore(0)

    def fail(bots, *_):
        glanced.release()
        if bots.running or bots._steps:
            raise ZeroDivisionError

    monkeypatch.setattr(Bots, "tick", fail)
    follower = follow(GRIDLOCK)
    table = VirtualTable(demo_scene("gridlock", follower.game.board))
    bots = Bots(table, "sequence", lambda request: None, seed=1)
    bots.rest()
    people = VirtualPeople(table, bots, lambda: None, failed.append)
    people.read(follower.snapshot(1, "watching", ""))
    with people:
        getattr(people, ask)()
        for _ in range(4):
            assert glanced.acquire(timeout=30)

    assert [type(error) for error in failed] == [ZeroDivisionError]
    assert people.view()["running"] is False
