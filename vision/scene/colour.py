"""Colours as people write them, and as light adds up."""

from functools import cache

import numpy as np
import numpy.typing as npt

Linear = npt.NDArray[np.float32]
"""Light, not picture values: (..., 3) float32, BGR; 1.0 is a white page."""

_STEPS = 4096


def _decode(value: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


LINEAR = _decode(np.arange(256) / 255).astype(np.float32)
"""Light by 8-bit sRGB value (IEC 61966-2-1)."""


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


@cache
def _encoding() -> npt.NDArray[np.uint8]:
    light = np.arange(_STEPS) / (_STEPS - 1)
    curve = np.where(
        light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055
    )
    return np.round(curve * 255).astype(np.uint8)


def encode(light: Linear) -> npt.NDArray[np.uint8]:
    """Return the picture values of light; what is brighter than 1.0 is burnt out."""
    scaled = light * np.float32(_STEPS - 1)
    scaled += np.float32(0.5)
    steps = np.clip(scaled, 0, _STEPS - 1, out=scaled).astype(np.uint16)
    picture: npt.NDArray[np.uint8] = _encoding()[steps]
    return picture
