"""Colours of teams and meanings, with the pattern that says the same without colour."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.game import Meaning

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Ink:
    """A colour and the pattern beside it."""

    rgb: Rgb
    pattern: str

    @property
    def css(self) -> str:
        """The colour as "#rrggbb"."""
        return "#" + bytes(self.rgb).hex()

    @property
    def text(self) -> str:
        """Black or white, whichever reads better on the colour (WCAG luminance)."""
        return "#000000" if luminance(self.rgb) > 0.179 else "#ffffff"


def luminance(rgb: Rgb) -> float:
    """Return the relative luminance of WCAG 2, 0 (black) to 1 (white)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (value / 255 for value in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


TEAMS = {
    "white": Ink((244, 241, 232), "plain"),
    "red": Ink((204, 51, 34), "stripes"),
    "blue": Ink((0, 114, 178), "waves"),
    "green": Ink((0, 140, 100), "dots"),
    "yellow": Ink((240, 228, 66), "checks"),
    "black": Ink((38, 38, 42), "rings"),
}

MEANINGS = {
    Meaning.RUN: Ink((86, 180, 233), "solid"),
    Meaning.LAST_TURN: Ink((230, 159, 0), "brackets"),
    Meaning.WRONG: Ink((214, 39, 140), "hatched"),
    Meaning.LOOK_HERE: Ink((86, 180, 233), "dotted"),
    Meaning.TURN_OVER: Ink((154, 110, 214), "arrow"),
    Meaning.REACHABLE: Ink((0, 158, 115), "tint"),
    Meaning.WON: Ink((240, 200, 8), "double"),
}
