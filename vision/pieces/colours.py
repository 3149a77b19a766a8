"""What chips look like that nobody showed: their colours' names."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from companion.rules.board import Look
from vision.pieces.chips import RINGS, TURNED, ChipLook

_BGR = {
    "white": (226, 230, 232),
    "red": (36, 34, 190),
    "blue": (165, 75, 32),
    "green": (60, 120, 30),
    "yellow": (35, 185, 230),
    "black": (42, 38, 38),
}
_PAPER = 240.0  # the ground of squares, against which looks are measured
_BACK = (195.0, 215.0, 220.0)  # most backs are paper with print on it
_SPREAD, _RIM, _BACK_RIM = 0.05, 0.15, 0.3  # log units
_KNOWN, _KNOWN_PALE = 0.3, 0.06  # log units; a pale tint can only be pale

_CHIP, _PEG = 0.35, 0.2  # cells


def usual_radius(looks: Collection[Look]) -> float:
    """Return the radius of a piece in cells: what can be turned over is a chip."""
    return _CHIP if any(look.endswith(TURNED) for look in looks) else _PEG


def named_look(look: Look) -> ChipLook:
    """Return how a chip of a colour's name should look, with wide margins."""
    written = look.endswith(TURNED)
    colour = _BACK if written else _BGR[look]
    log = np.log((np.array(colour) + 6) / (_PAPER + 6))
    spread = np.full(RINGS, _SPREAD, np.float32)
    spread[-1] = _BACK_RIM if written else _RIM  # a back's may be its team's colour
    pale = written or look == "white"
    return ChipLook(
        np.tile(log, (RINGS, 1)).astype(np.float32),
        spread,
        _KNOWN_PALE if pale else _KNOWN,
        written,
    )
