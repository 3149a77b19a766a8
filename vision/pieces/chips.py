"""Chips and pegs on printed squares: which look has every cell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from companion.rules.board import EMPTY, Cell, Look, row_column, square
from vision.empty_board import EmptyBoard, Floats
from vision.frame import Image
from vision.pieces.looks import name_of
from vision.pieces.network import CELL_PX, RIM, SAMPLE, trained

_COVERED = 0.5  # probability
_DOUBT = 1e-4  # probability


class ChipReader:
    """Tells which look every cell of a board has.

    Args:
        board: the empty board.
        lean: (rows, columns, 2) as in the photos of the calibration, see
            `Network.log_p`.
        looks: all that pieces can have.
        samples: rectified photo of some of them; None without.
        kinds: what lies where in it. Looks that are not shown go by their names.
    """

    def __init__(
        self,
        board: EmptyBoard,
        lean: Floats,
        looks: Sequence[Look],
        samples: Image | None,
        kinds: Mapping[Cell, Look],
    ) -> None:
        self._board = board
        self._network = trained()
        self._names = (EMPTY, *looks)
        shown: dict[Look, list[Floats]] = {}
        if samples is not None:
            seen = self._inner(samples)
            for cell, look in kinds.items():
                told = self._network.shown(_sample(seen, lean, cell), name_of(look))
                shown.setdefault(look, []).append(told)
        self._looks = np.array(
            [
                np.mean(shown[look], axis=0)
                if look in shown
                else self._network.called(name_of(look))
                for look in looks
            ],
            np.float32,
        )
        self._cells = [
            square(row, column)
            for row in range(board.rows)
            for column in range(board.columns)
        ]

    def read(
        self, photo: Image, lean: Floats
    ) -> tuple[dict[Cell, dict[Look, float]], frozenset[Cell]]:
        """Read a rectified photo.

        Args:
            photo: the board, rectified.
            lean: (rows, columns, 2), see `Network.log_p`.

        Returns:
            natural log-probabilities by cell and look, and the cells hidden.
        """
        log_p = self._network.log_p(self._inner(photo), lean, self._looks)
        log_p = log_p.reshape(len(self._cells), -1)
        covered = np.exp(log_p[:, 1])
        # What may be covered may be anything, and no drawing teaches everything: that
        # part of the belief is even.
        even = covered + _DOUBT * (1 - covered)
        p = np.exp(np.delete(log_p, 1, axis=1)) * (1 - _DOUBT)
        table = np.log(p + (even / len(self._names))[:, None]).tolist()
        hidden = frozenset(
            cell
            for cell, part in zip(self._cells, covered.tolist(), strict=True)
            if part >= _COVERED
        )
        found = {
            cell: dict(zip(self._names, line, strict=True))
            for cell, line in zip(self._cells, table, strict=True)
            if cell not in hidden
        }
        return found, hidden

    def _inner(self, photo: Image) -> Floats:
        return self._board.relative(photo)[:, RIM:-RIM, RIM:-RIM]


def _sample(seen: Floats, lean: Floats, cell: Cell) -> Floats:
    """Return what `Network.shown` takes of a cell."""
    row, column = row_column(cell)
    y, x = row * CELL_PX, column * CELL_PX
    picture = seen[:, y : y + SAMPLE, x : x + SAMPLE]
    tilt = np.broadcast_to(lean[row, column, :, None, None], (2, SAMPLE, SAMPLE))
    return np.concatenate((picture, tilt))
