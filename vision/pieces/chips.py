"""Chips and pegs on printed squares: which look has every cell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from companion.rules.board import EMPTY, Cell, Look, row_column, square
from vision.empty_board import EmptyBoard, Floats
from vision.frame import Image
from vision.pieces.looks import name_of
from vision.pieces.network import RIM, trained

_COVERED = 0.5  # probability
_DOUBT = 1e-4  # probability
_SURE = 0.99  # probability
_WAYS = ((), (0,), (1,), (0, 1))  # axes along which a photo is mirrored


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
        inner = None if samples is None else self._inner(samples)
        self._looks = [self._looks_of(inner, lean, kinds, way) for way in _WAYS]
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
        log_p = self._log_p(self._inner(photo), lean).reshape(len(self._cells), -1)
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

    def _log_p(self, picture: Floats, lean: Floats) -> Floats:
        """Return what `Network.log_p` does; where in doubt, it looks in all ways.

        The network was taught mirrored tables too, yet answers a little otherwise for
        each: the mean is better than one answer, at four times the cost.
        """
        log_p = self._network.log_p(picture, lean, self._looks[0])
        free = np.delete(log_p, 1, axis=-1)[np.exp(log_p[..., 1]) < _COVERED]
        if not free.size or free.max(axis=-1).min() > np.log(_SURE):
            return log_p
        answers = [log_p]
        for way, looks in zip(_WAYS[1:], self._looks[1:], strict=True):
            again = self._network.log_p(*_mirrored(picture, lean, way), looks)
            answers.append(np.flip(again, way))
        mean = np.mean(answers, axis=0)
        return np.asarray(mean - np.log(np.exp(mean).sum(axis=-1, keepdims=True)))

    def _looks_of(
        self,
        samples: Floats | None,
        lean: Floats,
        kinds: Mapping[Cell, Look],
        way: tuple[int, ...],
    ) -> Floats:
        """Return (K, TOLD) what the looks are like in mirrored photos."""
        shown: dict[Look, list[Floats]] = {}
        if samples is not None:
            seen = np.flip(self._network.seen(*_mirrored(samples, lean, way)), way)
            for cell, look in kinds.items():
                told = self._network.shown(seen[row_column(cell)], name_of(look))
                shown.setdefault(look, []).append(told)
        told_of = [
            np.mean(shown[look], axis=0)
            if look in shown
            else self._network.called(name_of(look))
            for look in self._names[1:]
        ]
        return np.array(told_of, np.float32)

    def _inner(self, photo: Image) -> Floats:
        return self._board.relative(photo)[:, RIM:-RIM, RIM:-RIM]


def _mirrored(
    picture: Floats, lean: Floats, way: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Mirror what `Network.log_p` takes along axes 0 (down) and 1 (right)."""
    signs = np.array([-1 if axis in way else 1 for axis in (1, 0)], np.float32)
    return np.flip(picture, tuple(1 + axis for axis in way)), np.flip(lean, way) * signs
