"""The layers of the board's picture, each kind of pieces in its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from companion.snapshot import Snapshot
from web import board_svg, card_svg, road_svg

Draw = Callable[[Snapshot], str]


@dataclass(frozen=True, slots=True)
class Style:
    """How boards with one kind of pieces are drawn.

    Attributes:
        faces: what is printed, above the marks that lie under the pieces.
        pieces: what lies there.
    """

    faces: Draw
    pieces: Draw


STYLES: Mapping[str, Style] = {
    "chips": Style(
        board_svg.faces, lambda each: board_svg.chips(each.outlines, each.looks)
    ),
    "roads": Style(road_svg.names, road_svg.roads),
    "cards": Style(lambda each: "", card_svg.cards),
}
"""By the kind of pieces (`Game.piece_kind`)."""


def faces(snapshot: Snapshot) -> str:
    """Draw what is printed on the board."""
    return STYLES[snapshot.piece_kind].faces(snapshot)


def layers(snapshot: Snapshot) -> dict[str, str]:
    """Draw what changes, by the id of its layer, from below to above."""
    return {
        "referee-under": board_svg.marks(snapshot, board_svg.UNDER),
        "referee-pieces": STYLES[snapshot.piece_kind].pieces(snapshot),
        "referee-over": board_svg.marks(snapshot, board_svg.OVER),
    }
