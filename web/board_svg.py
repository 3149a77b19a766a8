"""The board as a picture: what is printed, what lies on it, what is worth showing.

The picture has layers. The ground (outlines, printed faces) stays for a whole
game; pieces and marks are drawn anew with every snapshot; on top lie the cells
themselves, invisible, to be tapped, focused and read out. All lengths in mm,
board space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from companion.rules.board import EMPTY, Cell, Look, Point
from companion.rules.game import Highlight, Meaning
from companion.snapshot import Snapshot
from hardware.palette import TEAMS, Ink
from web.words import CARD, MEANING_WORDS, card_name, is_suited, look_name, place_name

SQUARE = re.compile(r"[a-z]\d+")


@dataclass(frozen=True, slots=True)
class Box:
    """The bounding box of a cell."""

    left: float
    top: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        """The middle of the box."""
        return self.left + self.width / 2, self.top + self.height / 2


def box(outline: Iterable[Point]) -> Box:
    """Return the bounding box of an outline."""
    xs, ys = zip(*outline, strict=True)
    left, top = min(xs), min(ys)
    return Box(left, top, max(xs) - left, max(ys) - top)


def points(outline: Iterable[Point], inset: float = 0.0) -> str:
    """Write an outline for SVG, drawn in towards its centre by `inset` mm."""
    corners = list(outline)
    frame = box(corners)
    x0, y0 = frame.centre
    sx = 1 - 2 * inset / frame.width
    sy = 1 - 2 * inset / frame.height
    return " ".join(
        f"{x0 + (x - x0) * sx:.4g},{y0 + (y - y0) * sy:.4g}" for x, y in corners
    )


# -- ground ---------------------------------------------------------------------


def ground(snapshot: Snapshot) -> Markup:
    """Draw the outlines and what stands beside the board."""
    kinds: Mapping[str, str] = snapshot.extras.get("spaces", {})
    return axes(snapshot.outlines) + Markup("").join(
        Markup('<polygon class="ground {}" points="{}"/>').format(
            kinds.get(cell, ""), points(outline, 0.6)
        )
        for cell, outline in snapshot.outlines.items()
    )


def faces(snapshot: Snapshot) -> Markup:
    """Draw what is printed on the cells."""
    suited = is_suited(snapshot.printed.values())
    return Markup("").join(
        face(box(outline), snapshot.printed.get(cell, ""), suited)
        for cell, outline in snapshot.outlines.items()
    )


def axes(outlines: Mapping[Cell, tuple[Point, ...]]) -> Markup:
    """Draw letters above and numbers beside a board of squares."""
    if not all(SQUARE.fullmatch(cell) for cell in outlines):
        return Markup("")
    marks = []
    for cell, outline in outlines.items():
        frame = box(outline)
        x, y = frame.centre
        if cell[1:] == "1":
            marks.append((x, -5.0, cell[0]))
        if cell[0] == "a":
            marks.append((-9.0, y + 5, cell[1:]))
    return Markup("").join(
        Markup('<text class="axis" x="{:.4g}" y="{:.4g}">{}</text>').format(x, y, text)
        for x, y, text in marks
    )


def face(frame: Box, label: str, suited: bool) -> Markup:
    """Draw what is printed on a cell: a playing card, a free corner or a word."""
    x, y = frame.left, frame.top
    if suited and (match := CARD.fullmatch(label)):
        rank, suit = match.groups()
        return Markup(
            '<g class="face {}"><text x="{:.4g}" y="{:.4g}"{}>{}</text>'
            '<use href="#suit-{}" x="{:.4g}" y="{:.4g}" width="13" height="13"/>'
            '<use class="ghost" href="#suit-{}" x="{:.4g}" y="{:.4g}"'
            ' width="22" height="22"/></g>'
        ).format(
            "warm" if suit in "HD" else "cool", x + 9, y + 18,
            Markup(' class="ten"' if rank == "T" else ""),
            "10" if rank == "T" else rank,
            suit, x + 2.5, y + 21.5,
            suit, x + frame.width - 29, y + frame.height / 2 - 11,
        )  # fmt: skip
    if label in ("", "XX", "JOKER"):
        cx, cy = frame.centre
        symbol = "joker" if label == "JOKER" else "free"
        return Markup(
            '<use class="face {}" href="#{}" x="{:.4g}" y="{:.4g}"'
            ' width="28" height="28"/>'
        ).format(symbol, symbol, cx - 14, cy - 14)
    return Markup('<text class="face word" x="{:.4g}" y="{:.4g}">{}</text>').format(
        x + 9.8, y + 23, label
    )


# -- what lies there --------------------------------------------------------------


CHIP = 0.78
"""Diameter of a chip as a share of its square's height."""


def seat(frame: Box) -> Point:
    """Return where the middle of a chip lies: to the right, the face stays readable."""
    return (
        frame.left + frame.width - CHIP * frame.height / 2 - 2,
        frame.top + frame.height / 2,
    )


def chips(
    outlines: Mapping[Cell, tuple[Point, ...]], looks: Mapping[Cell, Look]
) -> Markup:
    """Draw chips or pegs as they lie."""
    parts = []
    for cell, look in looks.items():
        if look == EMPTY or cell not in outlines:  # a virtual table of another game
            continue
        frame = box(outlines[cell])
        size = CHIP * frame.height
        x, y = seat(frame)
        colour = look.partition("-")[0]
        symbol = f"chip-{look}" if colour in TEAMS else "chip-unknown"
        parts.append(
            Markup(
                '<use href="#{}" x="{:.4g}" y="{:.4g}" width="{:.4g}" height="{:.4g}"/>'
            ).format(symbol, x - size / 2, y - size / 2, size, size)
        )
    return Markup("").join(parts)


# -- what is worth showing --------------------------------------------------------

UNDER = (Meaning.RUN, Meaning.WON)
OVER = (
    Meaning.REACHABLE,
    Meaning.LAST_TURN,
    Meaning.TURN_OVER,
    Meaning.LOOK_HERE,
    Meaning.WRONG,
)
SYMBOLS = {
    Meaning.TURN_OVER: "mark-turn-over",
    Meaning.LOOK_HERE: "mark-look-here",
    Meaning.WRONG: "mark-wrong",
}


def marks(snapshot: Snapshot, meanings: tuple[Meaning, ...]) -> Markup:
    """Draw the highlights of some meanings, the most important on top."""
    chosen = [
        highlight
        for meaning in meanings
        for highlight in snapshot.highlights
        if highlight.meaning is meaning
    ]
    return Markup("").join(_mark(snapshot.outlines, highlight) for highlight in chosen)


def _mark(outlines: Mapping[Cell, tuple[Point, ...]], highlight: Highlight) -> Markup:
    cells = [cell for cell in highlight.cells if cell in outlines]
    if not cells:
        return Markup("")
    name = highlight.meaning.value
    if highlight.meaning is Meaning.RUN and len(cells) > 1:
        return _band(name, highlight.team, [box(outlines[cell]) for cell in cells])
    kind = f"{name} team-{highlight.team or 'none'}"
    return Markup("").join(
        _cell_mark(kind, outlines[cell], SYMBOLS.get(highlight.meaning, ""))
        for cell in cells
    )


def _band(name: str, team: str, frames: list[Box]) -> Markup:
    """Draw one band through the squares of a run, with its team's edge."""
    line = " ".join("{:.4g},{:.4g}".format(*seat(frame)) for frame in frames)
    width = min(frame.height for frame in frames) * 0.94
    return Markup(
        '<g class="band {} team-{}"><polyline class="edge" points="{}"'
        ' stroke-width="{:.4g}"/><polyline class="core" points="{}"'
        ' stroke-width="{:.4g}"/></g>'
    ).format(name, escape(team) or "none", line, width, line, width - 4)


def _cell_mark(name: str, outline: tuple[Point, ...], symbol: str) -> Markup:
    frame = box(outline)
    badge = (
        Markup('<use href="#{}" x="{:.4g}" y="{:.4g}" width="16" height="16"/>').format(
            symbol, frame.left + frame.width - 15, frame.top - 1
        )
        if symbol
        else Markup("")
    )
    return (
        Markup('<g class="mark {}"><polygon points="{}"/>').format(
            name, points(outline, 1.8)
        )
        + badge
        + Markup("</g>")
    )


# -- the cells themselves -----------------------------------------------------------


def cells(outlines: Mapping[Cell, tuple[Point, ...]]) -> list[tuple[Cell, str, Point]]:
    """Return each cell with its outline and centre, for the layer one can touch."""
    return [
        (cell, points(outline), box(outline).centre)
        for cell, outline in outlines.items()
    ]


def cell_names(snapshot: Snapshot) -> dict[Cell, str]:
    """Say every cell in words: "d6, 7 of hearts: red. Last turn"."""
    notes: dict[Cell, list[str]] = {}
    for highlight in snapshot.highlights:
        for cell in highlight.cells:
            words = MEANING_WORDS[highlight.meaning]
            if words not in notes.setdefault(cell, []):
                notes[cell].append(words)
    suited = is_suited(snapshot.printed.values())
    names = {}
    for cell in snapshot.outlines:
        label = snapshot.printed.get(cell, "")
        printed = f", {card_name(label, suited=suited)}" if label else ""
        look = snapshot.looks.get(cell, EMPTY)
        place = place_name(cell, snapshot.players)
        names[cell] = ". ".join(
            [f"{place}{printed}: {look_name(look)}", *notes.get(cell, [])]
        )
    return names


# -- shapes that the drawings use ---------------------------------------------------

SHAPES = {
    "suit-H": "M10 18 2.2 9.6A4.6 4.6 0 0 1 10 4.6a4.6 4.6 0 0 1 7.8 5z",
    "suit-D": "M10 1.5 17 10l-7 8.5L3 10z",
    "suit-S": "M10 1.5l7.6 7.9a4.3 4.3 0 0 1-6.4 5l1.6 4.1H7.2l1.6-4.1a4.3 4.3 0 0 1"
    "-6.4-5z",
    "suit-C": "M10 2a3.8 3.8 0 0 1 3.3 5.7 3.8 3.8 0 1 1-2.1 6.6l1.4 4.2H7.4l1.4-4.2"
    "a3.8 3.8 0 1 1-2.1-6.6A3.8 3.8 0 0 1 10 2z",
    "free": "M10 1l2.5 6.3 6.8.4-5.3 4.3 1.8 6.6L10 14.9l-5.8 3.7L6 12 .7 7.7l6.8-.4z",
    "joker": "M10 1a9 9 0 1 0 0 18 9 9 0 0 0 0-18m1.8 4v7a3.4 3.4 0 0 1-6.4 1.6l1.9-1"
    "a1.3 1.3 0 0 0 2.4-.6V7H7.6V5z",
}
"""Outlines in a box of 20 by 20."""

PATTERNS = {
    "stripes": '<path d="M-1 1 1-1M0 8 8 0M7 9 9 7" />',
    "waves": '<path d="M0 2h8M0 6h8"/>',
    "dots": '<circle cx="2" cy="2" r=".7"/><circle cx="6" cy="6" r=".7"/>',
    "checks": '<path d="M0 4h8M4 0v8"/>',
    "rings": '<circle cx="4" cy="4" r="2.6"/>',
    "plain": "",
}
"""What a chip's pattern repeats in a box of 8 by 8."""

MARKS = {
    "mark-wrong": '<path d="M5.5 5.5l9 9m0-9l-9 9"/>',
    "mark-look-here": '<path d="M7 7.6a3 3 0 1 1 4.6 2.6c-1.1.7-1.6 1.2-1.6 2.3"/>'
    '<path d="M10 15.2v.3"/>',
    "mark-turn-over": '<path d="M14.6 8.2A5 5 0 0 0 5.4 8M5.4 11.8a5 5 0 0 0 9.2.2'
    'M14.9 4.6v3.8h-3.6M5.1 15.4v-3.8h3.6"/>',
}
"""Badges at the corner of a marked cell, strokes in a box of 20 by 20."""


THINGS = {
    "cone": '<path d="M3 17.5h14" stroke="#222" stroke-width="2.4"/>'
    '<path d="M8.6 2h2.8l4 15H4.6z" fill="#e8630a" stroke="#222"/>'
    '<path d="M7.4 6.5h5.2M6.1 11.5h7.8" stroke="#fff" stroke-width="2.4"/>',
    "padlock": '<circle cx="10" cy="10" r="10" fill="#fff"/>'
    '<rect x="5" y="9" width="10" height="7" rx="1.4" fill="#222"/>'
    '<path d="M7 9V7a3 3 0 0 1 6 0v2" fill="none" stroke="#222" stroke-width="2"/>',
}
"""Other things that lie on boards, in a box of 20 by 20."""


def defs() -> Markup:
    """Draw every shape once; the layers refer to them."""
    parts = [
        f'<symbol id="{name}" viewBox="0 0 20 20"><path d="{path}"/></symbol>'
        for name, path in SHAPES.items()
    ]
    parts += [
        f'<symbol id="{name}" viewBox="0 0 20 20">'
        f'<circle class="badge" cx="10" cy="10" r="9"/>{strokes}</symbol>'
        for name, strokes in MARKS.items()
    ]
    parts += [_chip(team, ink) + _car(team, ink) for team, ink in TEAMS.items()]
    parts += [
        f'<symbol id="{name}" viewBox="0 0 20 20">{drawing}</symbol>'
        for name, drawing in THINGS.items()
    ]
    parts.append(
        '<symbol id="chip-unknown" viewBox="0 0 40 40"><circle cx="20" cy="20" r="18"'
        ' fill="#9a9a9a" stroke="#444" stroke-width="2" stroke-dasharray="4 3"/>'
        '<text class="letter" x="20" y="26" fill="#000">?</text></symbol>'
    )
    parts.append(
        '<pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse"'
        ' patternTransform="rotate(45)"><path d="M0 4h8" class="hatch"/></pattern>'
        '<pattern id="building" width="9" height="9" patternUnits="userSpaceOnUse"'
        ' patternTransform="rotate(-45)"><path d="M0 4h9" class="building"/></pattern>'
        '<pattern id="water" width="12" height="7" patternUnits="userSpaceOnUse">'
        '<path d="M0 4q3-3 6 0t6 0" class="wave"/></pattern>'
        '<pattern id="park" width="10" height="10" patternUnits="userSpaceOnUse">'
        '<path d="M5 2l2.4 5H2.6z" class="tree"/></pattern>'
    )
    return Markup("".join(parts))


def letter_of(team: str) -> str:
    """Return the letter of record-format.md for a colour: black is K, blue is B."""
    return "K" if team == "black" else team[:1].upper()


def _car(team: str, ink: Ink) -> str:
    """Draw a team's car and cube."""
    letter = letter_of(team)
    return (
        f'<symbol id="car-{team}" viewBox="0 0 40 40"><path d="M5 28a3 3 0 0 1-3-3v-6'
        f'l5-2 4-8a3 3 0 0 1 3-2h12a3 3 0 0 1 3 2l4 8 5 2v6a3 3 0 0 1-3 3z"'
        f' fill="{ink.css}" stroke="#111" stroke-width="1.6"/>'
        f'<circle cx="11" cy="29" r="5" fill="#222" stroke="#eee" stroke-width="1.4"/>'
        f'<circle cx="29" cy="29" r="5" fill="#222" stroke="#eee" stroke-width="1.4"/>'
        f'<text class="letter" x="20" y="24.5" fill="{ink.text}">{letter}</text>'
        f'</symbol><symbol id="cube-{team}" viewBox="0 0 20 20"><rect x="1" y="1"'
        f' width="18" height="18" rx="2" fill="{ink.css}" stroke="#111"/>'
        f'<text class="letter small" x="10" y="14.6" fill="{ink.text}">{letter}</text>'
        f"</symbol>"
    )


def _chip(team: str, ink: Ink) -> str:
    """Draw a team's chip: its pattern and letter up, a light label turned over."""
    letter = letter_of(team)
    return (
        f'<pattern id="pattern-{team}" width="8" height="8"'
        f' patternUnits="userSpaceOnUse"><g fill="none" stroke="{ink.text}"'
        f' stroke-width="1.5" opacity=".55">{PATTERNS[ink.pattern]}</g></pattern>'
        f'<symbol id="chip-{team}" viewBox="0 0 40 40">'
        f'<circle class="rim" cx="20" cy="20" r="18.6" fill="{ink.css}"/>'
        f'<circle cx="20" cy="20" r="17" fill="url(#pattern-{team})"/>'
        f'<circle cx="20" cy="20" r="10.5" fill="{ink.css}"/>'
        f'<text class="letter" x="20" y="26.5" fill="{ink.text}">{letter}</text>'
        f'</symbol><symbol id="chip-{team}-turned" viewBox="0 0 40 40">'
        f'<circle class="rim" cx="20" cy="20" r="18.6" fill="{ink.css}"/>'
        f'<circle cx="20" cy="20" r="15.5" fill="none" stroke="{ink.text}"'
        f' stroke-width="2.4" stroke-dasharray="3.2 4.91"/>'
        f'<circle cx="20" cy="20" r="12" fill="#fbf7ea" stroke="#333"/>'
        f'<text class="letter" x="20" y="26.5" fill="#1b1b1b">{letter}</text></symbol>'
    )
