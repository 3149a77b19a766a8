"""From colours to what drives the lamps: gamma, brightness and a safe current.

The model of the current is the one WLED uses: each lamp draws 1 mA when dark
and 55 mA more at full white. 225 lamps at full white would draw 12.6 A.
"""

from __future__ import annotations

import numpy as np

from hardware.strips import Pixels

GAMMA = 2.2
"""sRGB to light, near enough; lamps are dimmed in proportion to their value."""

IDLE_MA = 1
FULL_MA = 55

_LIGHT = (np.arange(256) / 255) ** GAMMA


def duty(pixels: Pixels, brightness: float, limit_ma: int) -> Pixels:
    """Return the values for the wire, dimmed so far that the supply can give it.

    Args:
        pixels: (N, 3) uint8, sRGB, as the lamps should look.
        brightness: 0 to 1.
        limit_ma: what the lamps may draw together, in mA. If it is not enough
            even for dark lamps, all stay dark.

    Returns:
        (N, 3) uint8, proportional to light.
    """
    wanted = _LIGHT[pixels] * (255 * brightness)
    values: Pixels = np.rint(wanted).astype(np.uint8)
    if milliamps(values) > limit_ma:
        spare = max(limit_ma - IDLE_MA * len(pixels), 0)
        draws = max(FULL_MA * wanted.sum() / 765, 1e-9)
        # Rounding down, so that the sum stays below the limit.
        values = np.floor(wanted * min(spare / draws, 1)).astype(np.uint8)
    return values


def milliamps(values: Pixels) -> float:
    """Estimate what the lamps draw at these values for the wire, in mA."""
    return IDLE_MA * len(values) + FULL_MA * float(values.sum(dtype=np.int64)) / 765
