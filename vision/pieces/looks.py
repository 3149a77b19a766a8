"""How the network is told of a look by its name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.rules.board import TURNED, Look, team_of

Floats = npt.NDArray[np.float32]

NAMED = 7
"""Numbers that say a name: two colours, and whether it is a turned chip."""

_BGR = {
    "white": (226, 230, 232),
    "red": (36, 34, 190),
    "blue": (165, 75, 32),
    "green": (60, 120, 30),
    "yellow": (35, 185, 230),
    "black": (42, 38, 38),
}
TEAMS = tuple(_BGR)
"""Colours that pieces can have."""

_PAPER = 240.0  # the ground of squares, against which looks are measured
_BACK = (195.0, 215.0, 220.0)  # most backs are paper with print on it
_DARK = 6.0  # added before the logarithm, as in `vision.empty_board`


def name_of(look: Look) -> Floats:
    """Return (NAMED,) what a look's name says.

    The log colour (B, G, R) of its middle relative to paper, that of its team, and
    1 for a turned chip, 0 for others.
    """
    team = _BGR[team_of(look)]
    turned = look.endswith(TURNED)
    colours = np.array((_BACK if turned else team, team))
    log = np.log((colours + _DARK) / (_PAPER + _DARK))
    return np.append(log.reshape(-1), float(turned)).astype(np.float32)
