"""`companion doctor`: is the machine in order, and the table as calibrated?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np

from calibration.machine import Finding, Machine, State, examine
from calibration.table import DEMO, Table, find_table
from companion.errors import CompanionError, TableMismatch
from companion.games import GAMES
from hardware.cameras import open_camera
from hardware.controls import Controls
from hardware.layout import control_pins, strip_layout
from hardware.strips import open_strip
from vision.empty_board import burnt_out
from vision.frame import Frame, Image, grey_of

_AGAIN = "calibrate the table again"


def doctor(
    folder: Path | None,
    machine: Machine,
    say: Callable[[str], object],
    as_json: bool = False,
) -> bool:
    """Examine machine and table, and say each finding on a line of its own.

    Args:
        folder: the table; None: the one calibrated last, if there is any.
        machine: what the checks may look at.
        say: takes one line, or one JSON object if `as_json`.
        as_json: {"check", "state": "fine" | "not fine" | "does not apply",
            "text", "remedy"}.

    Returns:
        Whether nothing is "not fine".
    """
    right = True
    for finding in (*examine(machine), *_table_findings(folder, machine)):
        right = right and finding.state is not State.NOT_FINE
        if as_json:
            say(json.dumps({**asdict(finding), "state": finding.state.value}))
        else:
            say(f"{finding.state.value:16}{finding.check:12}{finding.text}")
            if finding.remedy:
                say(f"{'':16}{'':12}-> {finding.remedy}")
    return right


def _table_findings(folder: Path | None, machine: Machine) -> Iterator[Finding]:
    if str(folder) == DEMO:
        yield Finding("table", State.FINE, "the demo needs no camera and no lamps")
        return
    try:
        path = find_table(folder, machine.home)
    except TableMismatch as error:
        yield Finding("table", State.NOT_HERE, str(error))
        return
    try:
        table = Table.load(path)
    except TableMismatch as error:
        yield Finding("table", State.NOT_FINE, str(path), str(error))
        return
    yield from examine_table(table, machine)


def examine_table(table: Table, machine: Machine) -> Iterator[Finding]:
    """Yield what a table's camera, light, board and lamps are like now."""
    if table.game in GAMES:
        yield Finding("table", State.FINE, f"{table.game}, {len(table.rows)} rows")
    else:
        yield Finding(
            "table", State.NOT_FINE, f'there is no game "{table.game}"', f"{_AGAIN}."
        )
    if table.camera:
        yield from _examine_camera(table)
    else:
        yield Finding(
            "camera", State.NOT_HERE, "the table names none; give --camera to play"
        )
    yield check_lamps(table, machine)
    if table.controls is not None:
        yield check_controls(table, machine)


def _examine_camera(table: Table) -> Iterator[Finding]:
    try:
        with open_camera(table.camera) as camera:
            frame = camera.read()
    except CompanionError as error:
        yield Finding("camera", State.NOT_FINE, table.camera, str(error))
        return
    if frame is None:
        yield Finding(
            "camera", State.NOT_FINE, table.camera, "It has no pictures; name another."
        )
        return
    height, width = frame.image.shape[:2]
    yield Finding("camera", State.FINE, f"{table.camera}, {width} x {height}")
    yield check_light(frame.image, table.empty)
    yield check_place(frame, table)


DARK = 30
"""Grey value; below it, the sensor's noise is as strong as what is printed."""

GLARE = 0.02
"""Share of the picture that may be burnt out beyond what the empty photo had."""


def check_light(image: Image, empty: Image) -> Finding:
    """Compare the light with that of the photo of the empty board."""
    median = float(np.median(image))
    glare = burnt_out(image) - burnt_out(empty)
    text = f"brightness {median:.0f} of 255, {np.median(empty):.0f} when calibrated"
    if median < DARK:
        return Finding("light", State.NOT_FINE, text, "Switch a lamp on.")
    if glare > GLARE:
        return Finding(
            "light",
            State.NOT_FINE,
            f"{text}; {glare:.0%} of the picture is burnt out",
            "Move the lamp or the camera, or dim the light.",
        )
    return Finding("light", State.FINE, text)


WIDTH = 320
"""px; pictures are compared at this width, where noise and chips matter little."""

SHIFT = 0.15
"""Cells; more than this, and chips near a line are read on the wrong side of it."""

LIKE = 0.05
"""Response of the phase correlation; less, and the pictures have little in common."""


def check_place(frame: Frame, table: Table) -> Finding:
    """Compare where the board lies with where it lay in the photo of the empty board.

    Phase correlation with a Hanning window: chips on the board and another
    light change it little; a turned board or another view lower its response.
    """
    height = round(WIDTH * table.empty.shape[0] / table.empty.shape[1])
    now, then = (_grey(image, (WIDTH, height)) for image in (frame.image, table.empty))
    window = cv2.createHanningWindow((WIDTH, height), cv2.CV_32F)
    (dx, dy), response = cv2.phaseCorrelate(then, now, window)
    corners = np.array(table.corners) * (WIDTH / table.empty.shape[1])
    columns = len(table.rows[0].split())
    cell = float(np.linalg.norm(corners[1] - corners[0])) / columns
    moved = float(np.hypot(dx, dy)) / cell
    if response < LIKE:
        return Finding(
            "board",
            State.NOT_FINE,
            "the picture is not like the one of the empty board",
            f"Put board and camera back, or {_AGAIN}.",
        )
    if moved > SHIFT:
        return Finding(
            "board",
            State.NOT_FINE,
            f"it lies {moved:.1f} squares away from where it was calibrated",
            f"Push it back, or {_AGAIN}.",
        )
    return Finding("board", State.FINE, "it lies where it was calibrated")


def _grey(image: Image, size: tuple[int, int]) -> Image:
    grey = grey_of(image).astype(np.float32)
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA))


def check_lamps(table: Table, machine: Machine) -> Finding:
    """Open the table's lamps, which shows them dark, and close them again."""
    try:
        # What is written wrongly keeps every machine from playing.
        layout, wiring = strip_layout(table.squares(), table.strip)
        if machine.generation is None:
            page = "drawn on the page (--lights page)"
            return Finding("lights", State.NOT_HERE, page)
        if table.strip is None:
            return Finding("lights", State.NOT_HERE, "the table has no strip")
        lamps = len(layout.cells)
        with open_strip("ws281x", lamps, wiring, root=machine.root):
            text = f"{lamps} lamps, at most {wiring.limit_ma} mA"
    except CompanionError as error:
        return Finding("lights", State.NOT_FINE, "they do not light", str(error))
    return Finding("lights", State.FINE, text)


def check_controls(table: Table, machine: Machine) -> Finding:
    """Open the pins of the table's buttons and buzzer, in silence."""
    if machine.generation is None:
        return Finding("controls", State.NOT_HERE, "only on a Raspberry Pi")
    try:
        pins = control_pins(table.controls, table.strip)
        with Controls(pins, lambda name: None):
            wired = {**pins.buttons, "buzzer": pins.buzzer}
    except CompanionError as error:
        return Finding("controls", State.NOT_FINE, "they do not answer", str(error))
    text = ", ".join(f"{name} GPIO{pin}" for name, pin in wired.items() if pin)
    return Finding("controls", State.FINE, text or "none is wired")
