"""Picture values and light (IEC 61966-2-1, sRGB)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Linear = npt.NDArray[np.float32]
"""Light, not picture values; 1.0 is a white page."""

_STEPS = 4096


def _decode(value: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _encode(light: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(
        light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055
    )


LINEAR = _decode(np.arange(256) / 255).astype(np.float32)
"""Light by 8-bit value."""

_ENCODED = np.round(_encode(np.arange(_STEPS) / (_STEPS - 1)) * 255).astype(np.uint8)


def encode(light: Linear) -> npt.NDArray[np.uint8]:
    """Return the picture values of light, black below 0.0 and burnt out above 1.0."""
    scaled = light * np.float32(_STEPS - 1)
    scaled += np.float32(0.5)
    steps = np.clip(scaled, 0, _STEPS - 1, out=scaled).astype(np.uint16)
    picture: npt.NDArray[np.uint8] = _ENCODED[steps]
    return picture
