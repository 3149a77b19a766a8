"""What meanings and teams look like: one palette for the lamps and the page.

Colours after Okabe and Ito's set for all kinds of colour vision; as no colour
may stand alone (WCAG 1.4.1), each team and meaning has a pattern for the page,
and each meaning a rhythm for the lamps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from companion.rules.game import Meaning

Rgb = tuple[int, int, int]
"""sRGB, 0 to 255, as a screen shows it; lamps get their gamma in `power.py`."""


@dataclass(frozen=True, slots=True)
class Ink:
    """A colour and the pattern beside it.

    Attributes:
        rgb: on the page.
        pattern: on the page; says the same without colour.
        lamp: on a lamp, where that must differ: no lamp shines black.
    """

    rgb: Rgb
    pattern: str
    lamp: Rgb | None = None

    @property
    def css(self) -> str:
        """The colour as "#rrggbb"."""
        return "#" + bytes(self.rgb).hex()

    @property
    def text(self) -> str:
        """Black or white, whichever reads better on the colour (WCAG luminance)."""
        return "#000000" if luminance(self.rgb) > 0.179 else "#ffffff"

    @property
    def light(self) -> Rgb:
        """The colour on a lamp."""
        return self.lamp or self.rgb


class Rhythm(Enum):
    """How a lamp's brightness moves; each tells a meaning apart without colour."""

    GLOW = "steady"
    DIM = "steady and faint"
    BLINK = "on and off, once a second"
    DOUBLE = "two short flashes and a pause"
    BREATHE = "slowly up and down"
    CHASE = "a light running along the cells"
    CELEBRATE = "waves over the whole board"


def luminance(rgb: Rgb) -> float:
    """Return the relative luminance of WCAG 2, 0 (black) to 1 (white)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (value / 255 for value in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


TEAMS = {
    "white": Ink((244, 241, 232), "plain", lamp=(255, 255, 255)),
    "red": Ink((204, 51, 34), "stripes"),
    "blue": Ink((0, 114, 178), "waves"),
    "green": Ink((0, 140, 100), "dots"),
    "yellow": Ink((240, 228, 66), "checks"),
    "black": Ink((38, 38, 42), "rings", lamp=(150, 100, 220)),
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

RHYTHMS = {
    Meaning.RUN: Rhythm.GLOW,
    Meaning.LAST_TURN: Rhythm.BLINK,
    Meaning.WRONG: Rhythm.DOUBLE,
    Meaning.LOOK_HERE: Rhythm.BREATHE,
    Meaning.TURN_OVER: Rhythm.CHASE,
    Meaning.REACHABLE: Rhythm.DIM,
    Meaning.WON: Rhythm.CELEBRATE,
}

OWN_COLOUR = frozenset({Meaning.WRONG, Meaning.LOOK_HERE})
"""Meanings that are nobody's: never in a team's colour, whoever is concerned."""

PRIORITY = (
    Meaning.WRONG,
    Meaning.LOOK_HERE,
    Meaning.WON,
    Meaning.TURN_OVER,
    Meaning.LAST_TURN,
    Meaning.RUN,
    Meaning.REACHABLE,
)
"""Where highlights overlap, the first of these is shown: what needs hands first."""


def ink(meaning: Meaning, team: str = "") -> Ink:
    """Return the colour of a meaning: the team's, unless it is nobody's."""
    own = MEANINGS[meaning]
    return own if meaning in OWN_COLOUR else TEAMS.get(team, own)
