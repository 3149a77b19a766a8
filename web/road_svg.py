"""What lies on a map of hexagons: tiles, cars, cubes, cones, zones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

from markupsafe import Markup

from companion.rules.board import HEX_SIDES, Point
from companion.snapshot import Snapshot
from web.board_svg import box, points

Outlines = Mapping[str, tuple[Point, ...]]

CAR = 20.0
CUBE = 10.0
CONE = 15.0
LINE = 8
"""Letters of a printed name that a line takes."""


def names(snapshot: Snapshot) -> Markup:
    """Draw the printed names in the upper half of their spaces."""
    lines = []
    for cell, name in snapshot.printed.items():
        x, y = box(snapshot.outlines[cell]).centre
        parts = wrap(name, LINE, break_long_words=False)
        for place, line in enumerate(parts):
            lines.append((x, y - 2.5 - 4 * len(parts) + 7.6 * place, line))
    return Markup("").join(
        Markup('<text class="place" x="{:.4g}" y="{:.4g}">{}</text>').format(*line)
        for line in lines
    )


def roads(snapshot: Snapshot) -> Markup:
    """Draw all that lies on the map, zones at the bottom and cars on top."""
    state, extras = snapshot.state, snapshot.extras
    outlines: Outlines = {str(at): shape for at, shape in snapshot.outlines.items()}
    drawn = [
        Markup('<polygon class="zone" points="{}"/>').format(points(outlines[cell], 1))
        for cell in state["zones"]
    ]
    drawn += [_roads(outlines[at], sides) for at, sides in extras["tunnels"].items()]
    drawn += [tile(outlines[at], sides) for at, sides in state["tiles"].items()]
    for cell in state["cones"]:
        x, y = box(outlines[cell]).centre
        drawn.append(_use("cone", x + 14, y + 6, CONE))
    for cell, players in extras["cubes"].items():
        x, y = box(outlines[cell]).centre
        for place, player in enumerate(players):
            left = x + (place - (len(players) - 1) / 2) * (CUBE + 1)
            team = snapshot.players[player].team
            drawn.append(_use(f"cube-{team}", left, y + 15.5, CUBE))
    drawn += _cars(snapshot, outlines)
    return Markup("").join(drawn)


def _cars(snapshot: Snapshot, outlines: Outlines) -> Iterator[Markup]:
    cars: Mapping[str, str] = snapshot.state["cars"]
    together: dict[str, list[str]] = {}
    for player, cell in cars.items():
        together.setdefault(cell, []).append(snapshot.players[int(player)].team)
    for cell, teams in together.items():
        x, y = box(outlines[cell]).centre
        for place, team in enumerate(teams):
            left = x + (place - (len(teams) - 1) / 2) * 15
            yield _use(f"car-{team}", left, y + 6 + 3 * (place % 2), CAR)


def tile(outline: tuple[Point, ...], sides: Iterable[str]) -> Markup:
    """Draw a road tile with its open sides."""
    ground = Markup('<polygon class="tile" points="{}"/>')
    return ground.format(points(outline, 1.4)) + _roads(outline, sides)


def _roads(outline: tuple[Point, ...], sides: Iterable[str]) -> Markup:
    """Draw roads from the middle to the middle of each open side.

    Corners go clockwise from the left end of the top side, so that side n of
    `HEX_SIDES` lies between corners n and n + 1.
    """
    x, y = box(outline).centre
    path = ""
    for side in sides:
        n = HEX_SIDES.index(side)
        (x1, y1), (x2, y2) = outline[n], outline[(n + 1) % 6]
        path += f"M{x:.4g} {y:.4g}L{(x1 + x2) / 2:.4g} {(y1 + y2) / 2:.4g}"
    return Markup(
        '<path class="road" d="{}"/><circle class="hub" cx="{:.4g}" cy="{:.4g}" r="5"/>'
        '<path class="lane" d="{}"/>'
    ).format(path, x, y, path)


def _use(symbol: str, x: float, y: float, size: float) -> Markup:
    return Markup(
        '<use href="#{}" x="{:.4g}" y="{:.4g}" width="{:.4g}" height="{:.4g}"/>'
    ).format(symbol, x - size / 2, y - size / 2, size, size)
