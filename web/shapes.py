"""The shapes that the drawings refer to: suits, badges, chips, cars, patterns."""

from __future__ import annotations

from markupsafe import Markup

from hardware.palette import TEAMS, Ink

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
