"""Hands and arms over the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand that reaches over the board.

    Attributes:
        tip: the point below the fingertips, mm.
        height: of the fingertips, mm.
        heading: degrees of the direction from the fingers to the elbow, 0 is
            right, 90 is down (towards the board's bottom edge).
        skin, sleeve: "#rrggbb".
        left: it is a left hand.
    """

    tip: tuple[float, float]
    height: float = 12.0
    heading: float = 90.0
    skin: str = "#c98f70"
    sleeve: str = "#2c3f77"
    left: bool = False
