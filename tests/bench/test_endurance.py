"""Whether a long match survives kills; what a cold start and the demo take."""

import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from calibration.demo import demo_scene, demo_table
from companion.record import header_of, open_game
from companion.rules.board import Cell, Look
from tests.companion.tables import GRIDLOCK
from tests.companion.telling import told_and_killed
from tests.demo import Demo
from vision.scene import Piece, draw

COLD = 2.0  # s, from the command to the position
MEMORY = 300.0  # MB

pytestmark = pytest.mark.bench


def test_fifty_kills_lose_no_acknowledged_turn(tmp_path):
    """A match of 300 turns, its process killed 50 times at random moments."""
    began = time.perf_counter()
    told = told_and_killed(tmp_path / "journal.sqlite", kills=50, turns=300, seed=2017)

    print(
        f"\n{told.acknowledged} turns acknowledged, {len(told.lines)} recorded, "
        f"50 kills in {time.perf_counter() - began:.0f} s: none lost"
    )
    assert told.acknowledged >= 300


def test_the_first_photo_is_read_within_two_seconds(tmp_path):
    """`companion read` in a new process, beside a Python that only loads OpenCV."""
    scene = demo_scene("gridlock", open_game(header_of(GRIDLOCK)).board)
    demo_table("gridlock", "sequence", scene).save(tmp_path / "table")
    laid = replace(scene, seed=7, pieces={Cell("d6"): Piece(Look("white"))})
    cv2.imwrite(str(tmp_path / "photo.jpg"), draw(laid))
    read = ["-m", "companion", "read", "--table", tmp_path / "table"]

    ours, theirs = [], []
    for _ in range(5):
        ours.append(_seconds(*read, tmp_path / "photo.jpg"))
        theirs.append(_seconds("-c", "import cv2"))

    print(
        f"\nfirst read from a cold start: {ours[0]:.2f} s at first, "
        f"{min(ours):.2f} s at best; loading OpenCV alone {min(theirs):.2f} s, "
        f"ratio {min(ours) / min(theirs):.1f}"
    )
    assert ours[0] <= COLD


def _seconds(*words):
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def test_the_demo_takes_less_than_300_megabytes(tmp_path):
    """The most memory that `companion play --table demo` ever took, in ten turns."""
    with Demo(tmp_path) as demo:
        demo.table("speed", speed=30)
        demo.until(lambda demo: len(demo.lines()) >= 10, seconds=120)
        status = Path(f"/proc/{demo.process.pid}/status").read_text()
    memory = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024

    print(f"\ncompanion play --table demo: {memory:.0f} MB at most in ten turns")
    assert memory <= MEMORY
