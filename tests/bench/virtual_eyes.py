"""Eyes for simulated games: perfect ones, and ones that read photos of a scene."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from calibration.wizard import calibrate
from companion.observation import Observation
from companion.rules.board import EMPTY, TURNED, Cell, Look, SquareBoard
from vision.frame import Frame
from vision.scene import Light, Piece, draw
from vision.scene.pieces import COLOURS
from vision.scene.random_tables import (
    a_hand,
    a_light,
    a_piece,
    a_sensor,
    a_window,
    random_table,
    told_apart,
)

STEEPEST = 40.0
"""Degrees that the camera leans; how far it may go is measured by `make eyes`."""

OFF = 0.2
"""Squares by which a piece may lie off centre."""


class Eyes(Protocol):
    """What looks at the table."""

    def see(self, table: Mapping[Cell, Look]) -> Observation:
        """Look at a table at rest."""

    def see_hand(self, table: Mapping[Cell, Look]) -> Observation:
        """Look at a table with a hand over it."""

    def nudge(self) -> None:
        """Push some pieces within their squares before the next look."""


class PerfectEyes:
    """Always right, and sure of it."""

    def __init__(self, board: SquareBoard, looks: Sequence[Look], seed: int) -> None:
        self._board = board
        self._looks = looks
        self._rng = np.random.default_rng(seed)

    def see(self, table: Mapping[Cell, Look]) -> Observation:
        """Look at a table at rest."""
        sure, never = math.log(1 - 1e-6 * (len(self._looks) - 1)), math.log(1e-6)
        return Observation(
            {
                cell: {each: sure if each == look else never for each in self._looks}
                for cell, look in table.items()
            }
        )

    def see_hand(self, table: Mapping[Cell, Look]) -> Observation:
        """Hide a block of squares."""
        row, column = self._rng.integers(8), self._rng.integers(7)
        covered = frozenset(
            cell
            for number, cell in enumerate(self._board.cells)
            if row <= number // self._board.columns <= row + 5
            and column <= number % self._board.columns <= column + 3
        )
        log_p = dict(self.see(table).log_p)
        for cell in covered:
            del log_p[cell]
        return Observation(log_p, covered)

    def nudge(self) -> None:
        """Nothing: perfect eyes do not care."""


class RenderedEyes:
    """Photos of a random table, read as `companion watch` reads them.

    Args:
        board: what is played on.
        looks: that squares can have.
        seed: of the table and its photos.
        windows: a window or a large lamp is mirrored in the table by all lights.
    """

    def __init__(
        self,
        board: SquareBoard,
        looks: Sequence[Look],
        seed: int,
        *,
        windows: bool = False,
    ) -> None:
        rng = self._rng = np.random.default_rng((9, seed))
        made = random_table(seed).bare
        own = SquareBoard.of(board.written, made.board.cell_mm)
        pegs = not any(look.endswith(TURNED) for look in looks)
        style = replace(
            made.piece_style,
            shape="peg" if pegs else "chip",
            radius=rng.uniform(0.18, 0.25) if pegs else rng.uniform(0.29, 0.4),
            height=rng.uniform(12, 22) if pegs else rng.uniform(2.5, 6),
            colours=dict(COLOURS),
        )
        teams = [x for x in looks if x != EMPTY and not x.endswith(TURNED)]
        style = told_apart(rng, seed, style, teams)
        view = replace(made.view, tilt=min(made.view.tilt, STEEPEST))
        view = view.fitted(own)
        self._scene = replace(made, board=own, view=view, piece_style=style)
        kinds = dict(
            zip(own.cells[22::3], [x for x in looks if x != EMPTY], strict=False)
        )
        lying = {cell: a_piece(rng, look, 0.1) for cell, look in kinds.items()}
        self._table = calibrate(
            "gridlock",
            own.written,
            draw(self._scene),
            corners=self._scene.corners(),
            samples=draw(replace(self._scene, pieces=lying, seed=1)),
            kinds=kinds,
        ).table
        self._reader = self._table.reader()
        self._pieces: dict[Cell, Piece] = {}
        self._windows = windows
        self._light = self._mirrored(self._scene.light), self._scene.sensor

    def _mirrored(self, light: Light) -> Light:
        """Return a light with a window if there are any."""
        if not self._windows:
            return light
        return replace(light, windows=(a_window(self._rng, self._scene),))

    def _shown(self, table: Mapping[Cell, Look]) -> dict[Cell, Piece]:
        """Leave pieces where they lie; new ones lie a little off."""
        pieces = {}
        for cell, look in table.items():
            if look == EMPTY:
                continue
            old = self._pieces.get(cell)
            pieces[cell] = (
                a_piece(self._rng, look, OFF)
                if old is None
                else replace(old, look=look)
            )
        self._pieces = pieces
        return pieces

    def see(self, table: Mapping[Cell, Look]) -> Observation:
        """Photograph a table at rest; now and then the light is another one."""
        if self._rng.random() < 0.05:
            light = self._mirrored(a_light(self._rng, self._scene.board))
            self._light = light, a_sensor(self._rng)
        scene = replace(
            self._scene,
            pieces=self._shown(table),
            light=self._light[0],
            sensor=self._light[1],
            seed=int(self._rng.integers(1 << 30)),
        )
        return self._reader.read(Frame(draw(scene)))

    def see_hand(self, table: Mapping[Cell, Look]) -> Observation:
        """Photograph it with a hand."""
        scene = replace(
            self._scene,
            pieces=self._shown(table),
            hands=(a_hand(self._rng, self._scene.board),),
            light=self._light[0],
            sensor=self._light[1],
        )
        return self._reader.read(Frame(draw(scene)))

    def nudge(self) -> None:
        """Push a few pieces within their squares."""
        for cell in list(self._pieces)[::4]:
            self._pieces[cell] = a_piece(self._rng, self._pieces[cell].look, OFF)
