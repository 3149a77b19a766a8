"""Colours as people write them, and as light adds up."""

from colorsys import hsv_to_rgb
from functools import cache, lru_cache

from vision.srgb import LINEAR, Linear


@cache
def linear(colour: str) -> Linear:
    """Return the light that "#rrggbb" reflects, as (3,) BGR."""
    found: Linear = LINEAR[[int(colour[at : at + 2], 16) for at in (5, 3, 1)]]
    found.setflags(write=False)
    return found


@lru_cache(maxsize=1024)
def bgr(colour: str) -> tuple[int, int, int]:
    """Return "#rrggbb" as 8-bit blue, green, red."""
    blue, green, red = (int(colour[at : at + 2], 16) for at in (5, 3, 1))
    return blue, green, red


def paint(hue: float, saturation: float, value: float) -> str:
    """Return a colour as "#rrggbb"; the hue is in degrees, the others from 0 to 1."""
    parts = hsv_to_rgb(hue % 360 / 360, saturation, value)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
