"""Where the tops of chips are seen, by a small network.

What is printed on chips goes round their middles, so those must be known well: to less
than a fiftieth of a square. Chips lie off the middles of their squares, their tops are
seen aside, and shadows beside them may be darker than they are.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from vision.pieces.closer import SIDE
from vision.pieces.network import Floats, Trained, shares, weights
from vision.rectify import CELL

STEP = 4
"""Px from place to place of those that are thought of."""

_PLACES = SIDE // STEP
_AT = (np.arange(_PLACES, dtype=np.float32) - (_PLACES - 1) / 2) * STEP / CELL


class Tops(Trained):
    """The trained network; see `vision.training.locate`."""

    def find(self, crops: Floats) -> tuple[Floats, Floats, Floats]:
        """Find the tops of N chips.

        Args:
            crops: (CHANNELS, N, SIDE, SIDE), see `Sight.around`.

        Returns:
            (N, 2) how far right and down of their squares' middles they are seen, in
            squares, (N,) their radii, as parts of the root of a square's area, and
            (N,) how far apart the places are that come into question, in squares: of
            the tenth of 1,641 doubtful chips with the most, nearly half were off by
            more than a tenth of a square, and of the others one in a hundred.
        """
        z = self._convolved("conv1", crops.transpose(1, 2, 3, 0), 6, 2, 2)
        z += self._convolved("conv2", z, 3, 1, 1)
        z = self._convolved("conv3", z, 3, 2, 1)
        z += self._convolved("conv4", z, 3, 1, 1)
        told = z @ self._weights["told.weight"] + self._weights["told.bias"]
        share = shares(told[..., 0].reshape(len(told), -1)).reshape(told.shape[:-1])
        right = told[..., 1] * (STEP / CELL) + _AT
        down = told[..., 2] * (STEP / CELL) + _AT[:, None]
        off, below, radius = (
            (share * of).sum(axis=(1, 2)) for of in (right, down, told[..., 3])
        )
        apart = (right - off[:, None, None]) ** 2 + (down - below[:, None, None]) ** 2
        spread = np.sqrt((share * apart).sum(axis=(1, 2)))
        return np.stack((off, below), axis=-1), radius, spread


@cache
def trained() -> Tops:
    """Return the network that comes with the program."""
    return Tops(weights("tops"))
