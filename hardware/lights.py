"""From highlights to lamps: a pure function of what is lit and of the time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from companion.rules.game import Highlight
from hardware.layout import StripLayout
from hardware.palette import PRIORITY, RHYTHMS, Rgb, Rhythm, ink
from hardware.strips import Pixels, dark

_FLOOR = 0.15
"""The faint end of moving rhythms: never quite dark, so a cell is not lost."""


def paint(
    highlights: Sequence[Highlight], layout: StripLayout, seconds: float
) -> Pixels:
    """Return what every lamp shows at a moment.

    Args:
        highlights: the most important first among those of one meaning;
            meanings that overlap are settled by `PRIORITY`.
        layout: which lamp lights which cell.
        seconds: time on any clock that runs evenly.

    Returns:
        (N, 3) uint8, sRGB, as the lamps should look; `power.py` turns it into
        what drives them.
    """
    colours: dict[int, tuple[Rgb, float]] = {}
    lamps = layout.lamps()
    for highlight in sorted(highlights, key=_rank):
        light = ink(highlight.meaning, highlight.team).light
        rhythm = RHYTHMS[highlight.meaning]
        count = len(highlight.cells)
        for place, cell in enumerate(highlight.cells):
            for lamp in lamps.get(cell, ()):
                colours.setdefault(
                    lamp, (light, _RHYTHMS[rhythm](seconds, place, count))
                )
    for highlight in highlights:
        if RHYTHMS[highlight.meaning] is Rhythm.CELEBRATE:
            light = ink(highlight.meaning, highlight.team).light
            for lamp in (lamp for cell in lamps.values() for lamp in cell):
                colours.setdefault(lamp, (light, _wave(seconds, lamp)))
    pixels = dark(len(layout.cells))
    for lamp, (light, brightness) in colours.items():
        pixels[lamp] = [round(brightness * value) for value in light]
    return pixels


def _rank(highlight: Highlight) -> int:
    return PRIORITY.index(highlight.meaning)


def _breathe(seconds: float, period: float) -> float:
    """Swing from the floor up to 1 and back, beginning at the floor."""
    swing = 0.5 - 0.5 * math.cos(2 * math.pi * seconds / period)
    return _FLOOR + (1 - _FLOOR) * swing


def _blink(seconds: float) -> float:
    return 1.0 if seconds % 1.0 < 0.6 else _FLOOR


def _double(seconds: float) -> float:
    """Flash twice in 1.6 s, which stays below three in any second (WCAG 2.3.1)."""
    moment = seconds % 1.6
    return 1.0 if moment < 0.25 or 0.5 <= moment < 0.75 else 0.0


def _chase(seconds: float, place: int, count: int) -> float:
    """Run a light with a fading tail from the first cell to the last in 1.5 s."""
    behind = (seconds / 1.5 * count - place) % count / count
    return max(_FLOOR, 1 - 1.5 * behind)


def _wave(seconds: float, index: int) -> float:
    """Let waves twelve lamps long roll along the strip, faintly."""
    return 0.5 * _breathe(seconds - index / 8, 1.5)


_RHYTHMS: dict[Rhythm, Callable[[float, int, int], float]] = {
    Rhythm.GLOW: lambda seconds, place, count: 1.0,
    Rhythm.DIM: lambda seconds, place, count: 0.4,
    Rhythm.BLINK: lambda seconds, place, count: _blink(seconds),
    Rhythm.DOUBLE: lambda seconds, place, count: _double(seconds),
    Rhythm.BREATHE: lambda seconds, place, count: _breathe(seconds, 3.0),
    Rhythm.CHASE: _chase,
    Rhythm.CELEBRATE: lambda seconds, place, count: _breathe(seconds, 1.0),
}
