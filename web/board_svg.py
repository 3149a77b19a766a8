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
from companion.rules.words import (
    CARD,
    MEANING_WORDS,
    card_name,
    is_suited,
    look_name,
    place_name,
)
from companion.snapshot import Snapshot
from hardware.palette import TEAMS

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
