"""What the eyes report: for every cell, how probable each look is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.rules.board import Cell, Look

FLOOR = math.log(1e-6)
"""Log-probability of a look the reader gave no number for (nats)."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One or more looks at the table.

    Attributes:
        log_p: natural log-probabilities by cell and look, of the cells that
            were seen; each cell's probabilities sum to 1.
        hidden: cells that something covered; nothing is known of them.
        looks: how many settled looks are added up here.
        moved: the board or camera moved since calibration and was found again.
        note: a sentence for the user when not all is well ("" otherwise).
    """

    log_p: Mapping[Cell, Mapping[Look, float]]
    hidden: frozenset[Cell] = frozenset()
    looks: int = 1
    moved: bool = False
    note: str = ""
    _best: dict[Cell, Look] = field(
        default_factory=dict, repr=False, compare=False, init=False
    )

    def likely(self, cell: Cell) -> Look | None:
        """Return the most probable look of a cell, None where it is hidden."""
        if cell not in self._best and cell in self.log_p:
            looks = self.log_p[cell]
            self._best[cell] = max(looks, key=looks.__getitem__)
        return self._best.get(cell)

    def log_probability(self, cell: Cell, look: Look) -> float:
        """Return how well a look fits a cell; 0 (no evidence) where it is hidden."""
        if cell not in self.log_p:
            return 0.0
        return self.log_p[cell].get(look, FLOOR)

    def confidence(self, cell: Cell) -> float:
        """Return the probability (0..1) of the most probable look, 0 where hidden."""
        best = self.likely(cell)
        return math.exp(self.log_p[cell][best]) if best is not None else 0.0
