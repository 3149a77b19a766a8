"""Colours as people write them, and as light adds up."""

from functools import cache

from vision.srgb import LINEAR, Linear


@cache
def linear(colour: str) -> Linear:
    """Return the light that "#rrggbb" reflects, as (3,) BGR."""
    found: Linear = LINEAR[[int(colour[at : at + 2], 16) for at in (5, 3, 1)]]
    found.setflags(write=False)
    return found


@cache
def bgr(colour: str) -> tuple[int, int, int]:
    """Return "#rrggbb" as 8-bit blue, green, red."""
    blue, green, red = (int(colour[at : at + 2], 16) for at in (5, 3, 1))
    return blue, green, red
