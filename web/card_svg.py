"""Grids of cards as they lie before each player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from companion.rules.board import EMPTY, Look, square
from companion.rules.words import COLOURS
from companion.snapshot import Snapshot
from hardware.palette import TEAMS
from web.board_svg import Box, box

ARROWS = {"row": "⟷", "column": "↕", "both": "✥"}


def cards(snapshot: Snapshot) -> Markup:
    """Draw each grid's cards, its locks and whose it is."""
    return Markup("").join([*_names(snapshot), *_faces(snapshot), *_locked(snapshot)])


def _faces(snapshot: Snapshot) -> Iterator[Markup]:
    arrows = {
        f"p{player}:{square(*lock['cell'])}": ARROWS[lock["arrows"]]
        for player, grid in snapshot.extras["grids"].items()
        for lock in grid["locks"]
    }
    for cell, look in snapshot.looks.items():
        if look != EMPTY:
            yield card(box(snapshot.outlines[cell]), look, arrows.get(cell, ""))


def card(frame: Box, look: Look, arrows: str = "") -> Markup:
    """Draw one card, face up or down."""
    left, top, width, height = frame.left, frame.top, frame.width, frame.height
    colour = COLOURS.get(look[0], "") if len(look) == 2 else ""
    kind = colour or {"face-down": "down", "LOCK": "lock"}.get(look, "wild")
    rect = Markup(
        '<rect class="{}" x="{:.4g}" y="{:.4g}" width="{:.4g}" height="{:.4g}" rx="6"'
        ' style="fill:{}"/>'
    )
    fill = TEAMS[colour].css if colour else ""
    drawn = rect.format(f"playing {kind}", left, top, width, height, fill)
    if colour:
        drawn += rect.format(
            "pattern", left, top, width, height, f"url(#pattern-{colour})"
        )
        drawn += Markup('<circle cx="{:.4g}" cy="{:.4g}" r="25" fill="{}"/>').format(
            left + width / 2, top + height / 2, fill
        )
    ink = TEAMS[colour].text if colour else ""
    text = Markup('<text class="{}" x="{:.4g}" y="{:.4g}" fill="{}">{}</text>')
    words = {"face-down": "", "LOCK": arrows or "LOCK"}.get(look, look[-1])
    centre = left + width / 2, top + height / 2 + 15
    drawn += text.format(f"number {kind}", *centre, ink, words)
    if colour:
        drawn += text.format("suit", left + 11, top + 18, ink, look[0])
    return drawn


def _locked(snapshot: Snapshot) -> Iterator[Markup]:
    for player, cells in snapshot.state["locked"].items():
        for row, column in cells:
            frame = box(snapshot.outlines[_cell(player, row, column)])
            yield Markup(
                '<g class="locked"><rect x="{:.4g}" y="{:.4g}" width="{:.4g}"'
                ' height="{:.4g}" rx="6"/><use href="#padlock" x="{:.4g}" y="{:.4g}"'
                ' width="24" height="24"/></g>'
            ).format(
                frame.left, frame.top, frame.width, frame.height,
                frame.left + frame.width - 27, frame.top + 3,
            )  # fmt: skip


def _cell(player: str, row: int, column: int) -> Any:
    return f"p{player}:{square(row, column)}"


def _names(snapshot: Snapshot) -> Iterator[Markup]:
    state: Mapping[str, Any] = snapshot.state
    for number, player in enumerate(snapshot.players):
        frame = box(snapshot.outlines[_cell(str(number), 0, 0)])
        direction = snapshot.extras["grids"][str(number)]["direction"]
        on_turn = state["turn"] == number
        yield Markup('<text class="name {}" x="{:.4g}" y="{:.4g}">{}</text>').format(
            "on-turn" if on_turn else "", frame.left, frame.top - 9,
            f"{'▶ ' if on_turn else ''}{player.name}: {state['score'][str(number)]}"
            + (f", {direction}s only" if direction else ""),
        )  # fmt: skip
