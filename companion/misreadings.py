"""What squares seemed to be when it was known to be otherwise.

Glare, a lamp's image in a chip, or a print like a chip stay where they are: what they
feign in one look they feign in the next. So a square is evidence of a change only as
far as it speaks more strongly for it than it did when nothing had changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.observation import FLOOR, Observation, normal
from companion.rules.board import Cell, Look

REPEATED = 2.0
"""Nats for "unchanged" where a square reads as it did before (odds of 7 to 1).

The model: log-likelihood ratios are normal, with mean 9 (what most squares give) and,
being honest, variance 18; in the next look at an unchanged square they correlate by
0.9. A ratio d that spoke for a change in vain, and again does, is then worth about -2,
and one that has grown since is worth about as much more as it has grown.
"""


class Misreadings:
    """Remembers them. Mutable."""

    def __init__(self) -> None:
        self._known: dict[Cell, tuple[Look, Mapping[Look, float]]] = {}

    def learn(self, observation: Observation, looks: Mapping[Cell, Look]) -> None:
        """Remember a look of which it is known what all squares really had."""
        for cell, log_p in observation.log_p.items():
            true = log_p.get(looks[cell], FLOOR)
            excess = {
                look: p - true + REPEATED
                for look, p in log_p.items()
                if look != looks[cell] and p - true + REPEATED > 0
            }
            self._known.pop(cell, None)
            if excess:
                self._known[cell] = looks[cell], excess

    def without(
        self, observation: Observation, looks: Mapping[Cell, Look]
    ) -> Observation:
        """Return a look without what squares are known to feign.

        Args:
            observation: the look.
            looks: what all squares are known to have had last.
        """
        log_p = dict(observation.log_p)
        for cell, (true, excess) in self._known.items():
            if cell in log_p and looks[cell] == true:
                left = {
                    look: p - excess.get(look, 0.0) for look, p in log_p[cell].items()
                }
                log_p[cell] = normal(left)
        return replace(observation, log_p=log_p)
