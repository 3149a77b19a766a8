"""Random tables for measuring the eyes: harder than life, and the same every time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import radians, tan

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import TURNED, Cell, Look, SquareBoard, square
from vision.scene.boards import BoardStyle, TableStyle
from vision.scene.colour import bgr, paint
from vision.scene.hands import Hand
from vision.scene.light import Bars, Edge, Glare, Light, SunPatch, Window
from vision.scene.pieces import (
    COLOURS,
    LABEL,
    WHITE,
    Back,
    Piece,
    PieceStyle,
)
from vision.scene.print import MARKS, Ink
from vision.scene.scene import Scene, Sensor
from vision.scene.view import View

SEQUENCE = (
    "XX 2S 3S 4S 5S 6S 7S 8S 9S XX",
    "6C 5C 4C 3C 2C AH KH QH TH TS",
    "7C AS 2D 3D 4D 5D 6D 7D 9H QS",
    "8C KS 6C 5C 4C 3C 2C 8D 8H KS",
    "9C QS 7C 6H 5H 4H AH 9D 7H AS",
    "TC TS 8C 7H 2H 3H KH TD 6H 2D",
    "QC 9S 9C 8H 9H TH QH QD 5H 3D",
    "KC 8S TC QC KC AC AD KD 4H 4D",
    "AC 7S 6S 5S 4S 3S 2S 2H 3H 5D",
    "XX AD KD QD TD 9D 8D 7D 6D XX",
)
"""What is printed on the standard board, its corners free."""

STATES = [
    first + second
    for first, seconds in zip(
        "ACDFGHIKLMNOPRSTUVW",
        [
            "KLRZ",
            "AOT",
            "E",
            "L",
            "A",
            "I",
            "ADLN",
            "SY",
            "A",
            "ADEINOST",
            "CDEHJMVY",
            "HKR",
            "A",
            "I",
            "CD",
            "NX",
            "T",
            "AT",
            "AIVY",
        ],
        strict=True,
    )
    for second in seconds
]
GROUNDS = ("#1f5c3f", "#22406e", "#7a2b2b", "#d9c08a", "#c7a06a", "#e9e2d0", "#3b3b42")
PAPERS = ("#f4f2ea", "#ffffff", "#ece4cf", "#e6d3a8", "#c99b63")
_PEG_MM = 12.0, 40.0  # heights of pegs
_SEEN_NEAR = 0.75  # of a square, from feet to heads in the picture's middle at most
_MEN, _MAN_MM = 0.3, (6.0, 12.0)  # share of draughtsmen among chips, and how thick
_LAMP_ABOVE = 0.25  # share of the tables on which a lamp is mirrored from the first
Rng = np.random.Generator

_ALIKE = 4.0  # how alike teams' numbers of pieces are (of a Dirichlet distribution)
_TURNED_OVER = 0.6  # share of the pieces at most


@dataclass(frozen=True, slots=True, eq=False)
class RandomTable:
    """A table as it is calibrated.

    Attributes:
        bare: the empty board in the light of calibration.
        kinds: pieces of the samples photo.
        looks: all that a square can show here.
        disguised: one team's pieces have a colour of the board's print.
    """

    bare: Scene
    kinds: Mapping[Cell, Look]
    looks: tuple[Look, ...]
    disguised: bool = False

    def samples(self, rng: Rng) -> Scene:
        """Return the samples photo's scene."""
        return replace(
            self.bare,
            pieces={
                cell: a_piece(rng, look, 0.12) for cell, look in self.kinds.items()
            },
            seed=int(rng.integers(1 << 30)),
        )

    def shown(self, rng: Rng) -> Scene:
        """Return pieces of all looks, as often, in the light of calibration."""
        return self._strewn(rng, np.full(len(self.looks), 1 / len(self.looks)))

    def in_play(self, rng: Rng, *, other_light: bool = True) -> Scene:
        """Return a position of random pieces, in another light.

        As in games, teams have about as many pieces, most lie colour up, and often
        none is turned yet.
        """
        turned = np.array([look.endswith(TURNED) for look in self.looks])
        shares = rng.dirichlet(np.full(len(self.looks), _ALIKE))
        if turned.any():
            over = rng.uniform(0, _TURNED_OVER) if rng.random() < 0.5 else 0.0
            shares[turned] *= over / shares[turned].sum()
            shares[~turned] *= (1 - over) / shares[~turned].sum()
        scene = self._strewn(rng, shares)
        if other_light:
            sensor = a_sensor(rng)
            scene = replace(scene, light=a_light(rng, scene.board), sensor=sensor)
        return scene

    def _strewn(self, rng: Rng, shares: npt.NDArray[np.float64]) -> Scene:
        """Return a position in which looks have shares of the pieces."""
        filled = rng.uniform(0, 0.6)
        pieces = {
            cell: a_piece(rng, Look(str(rng.choice(self.looks, p=shares))), 0.25)
            for cell in self.bare.board.cells
            if rng.random() < filled
        }
        return replace(self.bare, pieces=pieces, seed=int(rng.integers(1 << 30)))


def random_table(seed: int) -> RandomTable:
    """Make table number `seed`."""
    rng = np.random.default_rng((2026, seed))
    cell = ((50.0, 50.0), (50.0, 50.0), (50.0, 39.0), (42.0, 50.0))[rng.integers(4)]
    states = rng.random() < 0.3
    board = SquareBoard.of(_rows(rng, states), cell)
    pegs = rng.random() < 0.25
    style = PieceStyle(
        shape="peg" if pegs else "chip",
        radius=rng.uniform(0.18, 0.25) if pegs else rng.uniform(0.29, 0.4),
        height=rng.uniform(2.5, 6),
        colours={name: _near(rng, colour, 14) for name, colour in COLOURS.items()},
        back=replace(
            (LABEL, WHITE)[rng.integers(2)],
            word=str(rng.choice(("GRIDLOCK", "SEQ", "", "FIVE"))),
        ),
        ridges=rng.uniform(0, 1),
        gloss=rng.uniform(0, 1),
    )
    teams = [str(team) for team in rng.permutation(list(COLOURS))[: rng.integers(2, 4)]]
    turned = [] if pegs else [team + TURNED for team in teams]
    looks = tuple(Look(name) for name in (*teams, *turned))
    width, height = board.size_mm
    size = ((1296, 972), (1296, 972), (1640, 1232), (800, 600))[rng.integers(4)]
    view = View(
        (width / 2 + rng.uniform(-20, 20), height / 2 + rng.uniform(-20, 20)),
        800,
        tilt=float(rng.uniform(0, 55)),
        azimuth=float(rng.uniform(-180, 180))
        if rng.random() < 0.3
        else rng.normal(0, 15),
        roll=float(rng.normal(0, 4)),
        hfov=float(rng.uniform(45, 85)),
        k1=float(rng.choice((0, 0, rng.uniform(-0.2, 0.02)))),
        size=size,
    ).fitted(board, fill=float(rng.uniform(0.75, 0.9)))
    ink = Ink(
        paper=_near(rng, str(rng.choice(PAPERS)), 6),
        line=str(rng.choice(("", "#8a6a3a", "#555555"))),
        arrangement="badge" if states else str(rng.choice(("corner", "middle"))),
        weight=rng.uniform(0.1, 0.2),
    )
    scene = Scene(
        board,
        view,
        BoardStyle(
            ground=_near(rng, str(rng.choice(GROUNDS)), 10),
            ink=ink,
            margin=rng.uniform(0.3, 0.7),
            gap=rng.uniform(0.04, 0.12),
            markers=bool(rng.random() < 0.4),
            wood=float(rng.choice((0, rng.uniform(0, 1)))),
            wear=rng.uniform(0, 0.7),
            gloss=rng.uniform(0, 0.6),
            seed=seed,
        ),
        TableStyle(
            str(rng.choice(("wood", "cloth", "plain"))),
            _near(rng, str(rng.choice(("#6b4a35", "#33404a", "#b9b2a4"))), 20),
            rng.uniform(-30, 30),
            seed,
        ),
        style,
        a_light(rng, board, plain=True),
        a_sensor(rng),
        seed=seed,
    )
    places = rng.permutation(100)[: len(looks)]
    cells = [board.cells[int(place)] for place in places]
    own = np.random.default_rng((2027, seed))
    disguised = bool(own.random() < 0.2)
    if disguised:
        plain = scene
        scene = _disguise(own, plain, teams)
        disguised = scene is not plain
    made = told_apart(own, seed, scene.piece_style, teams)
    dome = float(own.uniform(0, 0.2))
    scene = replace(scene, piece_style=replace(made, dome=dome))
    if pegs:
        scene = _turned_and_drilled(own, scene)
    elif own.random() < _MEN:
        man = replace(scene.piece_style, height=own.uniform(*_MAN_MM))
        scene = replace(scene, piece_style=man)
    if own.random() < _LAMP_ABOVE:
        # Who calibrates below a lamp has it in the empty board's photo, too.
        glare = replace(a_glare(own, board), strength=own.uniform(0.1, 0.8))
        scene = replace(scene, light=replace(scene.light, glare=(glare,)))
    kinds = dict(zip(cells, looks, strict=True))
    return RandomTable(scene, kinds, looks, disguised)


def strange_table(seed: int) -> RandomTable:
    """Make table number `seed` with a board and chips of which no two are alike.

    People play on chequered, striped, dark and photographed boards, with draughts
    and casino chips: squares have any colours, all over them may lie a picture, and
    faces may have spots or an emblem.
    """
    table = random_table(seed)
    rng = np.random.default_rng((2028, seed))
    board, made = table.bare.board, table.bare.board_style
    dark = bool(rng.random() < 0.35)
    ink = replace(
        made.ink,
        paper=_any_colour(rng),
        black=_near(rng, "#d8d4c8" if dark else "#24242a", 20),
        red=_any_colour(rng),
        line=str(rng.choice(("", "", _any_colour(rng)))),
    )
    if rng.random() < 0.3:
        ink = replace(ink, arrangement="none")
    style = replace(
        made,
        ground=_any_colour(rng),
        ink=ink,
        gap=float(rng.choice((0, rng.uniform(0, 0.15)))),
        papers=_papers(rng, board),
        picture=float(rng.choice((0, rng.uniform(0.1, 0.6)))),
    )
    teams = [look for look in table.looks if not look.endswith(TURNED)]
    faces = replace(
        _printed_otherwise(seed, table.bare.piece_style, teams, _any_colour),
        spots=int(rng.integers(4, 9)) if rng.random() < 0.33 else 0,
        emblem=str(rng.choice(("", "", *"SHDC"))),
        second=str(rng.choice((WHITE.paper, _any_colour(rng)))),
    )
    faces = _marked(seed, faces, teams)
    bare = replace(table.bare, board_style=style, piece_style=faces)
    return replace(table, bare=bare, disguised=False)


def _turned_and_drilled(rng: Rng, scene: Scene) -> Scene:
    """Give pegs any heads, from balls to discs, and squares often holes for them.

    Those for small holes may be nearly as tall as their square is wide. Where the
    camera aims their heads are seen near it; farther off they are seen on others.
    """
    style = replace(
        scene.piece_style,
        head=rng.uniform(0.2, 1.0),
        blunt=rng.uniform(2, 8),
        stem=rng.uniform(0.3, 0.8),
    )
    hole = float(rng.choice((0, rng.uniform(0.05, 0.12))))
    board_style = replace(scene.board_style, hole=hole)
    leaning = _SEEN_NEAR * min(scene.board.cell_mm) / tan(radians(scene.view.tilt))
    low, high = _PEG_MM
    height = max(low, min(leaning, low * (high / low) ** rng.random()))
    style = replace(style, height=height)
    return replace(scene, piece_style=style, board_style=board_style)


def _papers(rng: Rng, board: SquareBoard) -> tuple[str, ...]:
    """Return chequers, stripes, a patchwork or one colour for all squares."""
    colours = [_any_colour(rng) for _ in range(rng.choice((1, 2, 2, 2, 3, 5)))]
    down, across = np.mgrid[: board.rows, : board.columns]
    patches = rng.integers(len(colours), size=down.shape)
    patterns = (down + across, down + across, down, across, patches)
    at = rng.choice(len(patterns))
    return tuple(colours[number % len(colours)] for number in patterns[at].flat)


def _any_colour(rng: Rng) -> str:
    """Return a colour of paints: as often pale as strong, as often dark as light."""
    return paint(rng.uniform(0, 360), rng.random(), rng.uniform(0.12, 0.98))


def _disguise(rng: Rng, scene: Scene, teams: Sequence[str]) -> Scene:
    """Give the first team's pieces nearly the colour of the ground or the squares.

    Where one of the two is another team's, the other is taken, if that is not.
    """
    made = scene.board_style
    first = str(rng.choice((made.ground, made.ink.paper)))
    other = made.ink.paper if first == made.ground else made.ground
    colours = dict(scene.piece_style.colours)
    for place in (first, other):
        colours[teams[0]] = _near(rng, place, 8)
        if all(
            _distance(colours[teams[0]], colours[team]) > TOLD_APART
            for team in teams[1:]
        ):
            return replace(
                scene, piece_style=replace(scene.piece_style, colours=colours)
            )
    return scene


def told_apart(
    rng: Rng, seed: int, style: PieceStyle, teams: Sequence[str]
) -> PieceStyle:
    """Return the style of table `seed`, whose looks people can tell from each other.

    Nobody would play with two teams of one colour, nor with white chips that are
    white when they are turned over.
    """
    colours = dict(style.colours)
    for at, team in enumerate(teams):
        while any(
            _distance(colours[team], colours[other]) <= TOLD_APART
            for other in teams[:at]
        ):
            colours[team] = _near(rng, COLOURS[team], 14)
    whites = (_distance(colours[team], WHITE.paper) <= TOLD_APART for team in teams)
    back = replace(LABEL, word=style.back.word) if any(whites) else style.back
    apart = replace(style, colours=colours, back=back)
    return _printed_otherwise(seed, apart, teams, _pale)


def _pale(rng: Rng) -> str:
    """Return a colour of paper."""
    return paint(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.75, 1))


def _printed_otherwise(
    seed: int,
    style: PieceStyle,
    teams: Sequence[str],
    a_paper: Callable[[Rng], str],
) -> PieceStyle:
    """Return the style of table `seed`; most have backs printed in a way of their own.

    With a small print or a large one, with rings and a word or without, matt or not;
    people can tell them from the teams' faces.
    """
    rng = np.random.default_rng((2029, seed))
    if rng.random() < 0.3:
        return style
    while True:
        reach = 1.0 if rng.random() < 0.25 else float(rng.uniform(0.5, 0.95))
        paper, ink = a_paper(rng), _any_colour(rng)
        count = int(rng.choice((0, 0, 1, 2)))
        rings = tuple(float(part) for part in rng.uniform(0.4, 0.95, count))
        matt = bool(rng.random() < 0.6)
        word = str(rng.choice(("", "", "", "", "LOCK", "CLUB 54")))
        back = Back(paper, ink, reach, rings, matt, word)
        legible = _distance(paper, ink) > 2 * TOLD_APART
        apart = min(_distance(paper, style.colours[team]) for team in teams)
        if legible and (apart > TOLD_APART or (rings and reach < 1)):
            return replace(style, back=back)


def _marked(seed: int, style: PieceStyle, teams: Sequence[str]) -> PieceStyle:
    """Return the style of table `seed` with a mark on half of all tables' backs.

    Often it is drawn on the team's own colour, so little else tells that a chip lies
    turned over.
    """
    rng = np.random.default_rng((2030, seed))
    if rng.random() < 0.5:
        return style
    others = [mark for mark in MARKS if mark != style.emblem]
    back = replace(style.back, word="", mark=str(rng.choice(others)))
    if rng.random() < 0.4:
        colours = [style.colours[team] for team in teams]
        ink = _any_colour(rng)
        while min(_distance(ink, colour) for colour in colours) < 1.5 * TOLD_APART:
            ink = _any_colour(rng)
        back = replace(back, paper="", ink=ink)
    return replace(style, back=back)


TOLD_APART = 30.0
"""CIE 1976 colour difference from which nobody confuses two looks."""


def _distance(one: str, other: str) -> float:
    values = np.array([[bgr(one), bgr(other)]], np.float32) / 255
    a, b = cv2.cvtColor(values, cv2.COLOR_BGR2Lab)[0]
    return float(np.linalg.norm(a - b))


def _rows(rng: Rng, states: bool) -> Iterable[str]:
    if not states:
        return SEQUENCE
    return map(" ".join, rng.permutation(STATES * 2).reshape(10, 10))


def _near(rng: Rng, colour: str, spread: float) -> str:
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    moved = np.clip(parts + rng.normal(0, spread, 3), 0, 255).astype(int)
    return "#" + "".join(f"{part:02x}" for part in moved)


def a_piece(rng: Rng, look: Look, off: float) -> Piece:
    """Return a piece that lies up to `off` of a square off centre."""
    angle, reach = rng.uniform(0, 2 * np.pi), off * np.sqrt(rng.random())
    offset = float(reach * np.cos(angle)), float(reach * np.sin(angle))
    return Piece(look, offset, float(rng.uniform(0, 360)))


def a_light(rng: Rng, board: SquareBoard, *, plain: bool = False) -> Light:
    """Return a light of a living room; a plain one is one that people calibrate in."""
    width, height = board.size_mm
    warmth = rng.uniform(-0.05, 0.45)
    level = rng.uniform(0.3, 0.75)
    key = (level, level * (1 - 0.45 * warmth), level * (1 - 0.9 * warmth))
    dim = rng.uniform(0.08, 0.35)
    ambient = (dim, dim * (1 - 0.2 * warmth), dim * (1 - 0.4 * warmth))
    lamp = None
    if rng.random() < 0.4:
        lamp = (
            float(rng.uniform(-0.5, 1.5) * width),
            float(rng.uniform(-0.5, 1.5) * height),
            float(rng.uniform(400, 1100)),
        )
    angle = rng.uniform(0, 2 * np.pi)
    lean = rng.uniform(0, 1.2)
    light = Light(
        towards=(lean * np.cos(angle), lean * np.sin(angle), 1.0),
        lamp=lamp,
        key=key,
        ambient=ambient,
        softness=float(0.03 ** rng.random()),
    )
    if plain:
        return light

    def place() -> tuple[float, float]:
        return float(rng.uniform(0, width)), float(rng.uniform(0, height))

    edges = tuple(
        Edge(
            place(), rng.uniform(0, 360), rng.uniform(0.2, 0.9), rng.uniform(1, 8) ** 2
        )
        for _ in range(rng.binomial(1, 0.35))
    )
    sun = tuple(_a_sun_patch(rng, place()) for _ in range(rng.binomial(1, 0.25)))
    for patch in sun:
        # Cameras expose for all of the picture, or for what is brightest.
        less = (1 + patch.strength) ** -rng.uniform(0.3, 1)
        key, ambient = (
            (red * less, green * less, blue * less)
            for red, green, blue in (light.key, light.ambient)
        )
        light = replace(light, key=key, ambient=ambient)
    glare = tuple(a_glare(rng, board) for _ in range(rng.binomial(1, 0.25)))
    return replace(light, edges=edges, sun=sun, glare=glare)


def _a_sun_patch(rng: Rng, middle: tuple[float, float]) -> SunPatch:
    """Return sun through a window, which is often parallel to the table."""
    return SunPatch(
        middle,
        (rng.uniform(80, 300), rng.uniform(80, 300)),
        rng.normal(0, 3) if rng.random() < 0.4 else rng.uniform(0, 90),
        float(np.exp(rng.uniform(np.log(0.2), np.log(4.0)))),
        rng.uniform(1, 4.5) ** 2,
        _a_tint(rng),
    )


def _a_tint(rng: Rng) -> tuple[float, float, float]:
    """Return another lamp's or the sky's colour relative to the lamp's."""
    bluer = rng.uniform(-0.3, 1.0)
    return 1 - 0.3 * bluer, 1.0, 1 + 0.8 * bluer


def a_glare(rng: Rng, board: SquareBoard) -> Glare:
    """Return a lamp or window that is mirrored somewhere in the print."""
    width, height = board.size_mm
    middle = float(rng.uniform(0, width)), float(rng.uniform(0, height))
    strength = float(np.exp(rng.uniform(np.log(0.1), np.log(3.0))))
    return Glare(middle, rng.uniform(15, 60), strength, _a_tint(rng))


def barred(rng: Rng, scene: Scene) -> Scene:
    """Let the sun shine through a window's bars, or through a blind's slats.

    Bars are narrow and far apart and mostly crossed, slats leave as much light as not.
    """
    width, height = scene.board.size_mm
    slats = rng.random() < 0.3
    angle, depth = rng.uniform(0, 180), rng.uniform(0.3, 0.9)
    softness = float(rng.uniform(1, 4) ** 2)
    found = []
    for turn in (0.0,) if slats or rng.random() < 0.2 else (0.0, 90.0):
        period = rng.uniform(15, 60) if slats else rng.uniform(60, 250)
        dark = rng.uniform(0.3, 0.7) * period if slats else rng.uniform(8, 40)
        through = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        skew = angle + turn + rng.normal(0, 8)
        found.append(Bars(through, skew, period, dark, depth, min(softness, dark)))
    return replace(scene, light=replace(scene.light, bars=tuple(found)))


def a_window(rng: Rng, scene: Scene) -> Window:
    """Return a window or a large lamp that is mirrored somewhere on the board."""
    place = rng.uniform(0, 1, 2) * scene.board.size_mm
    x, y, z = scene.view.eye - (*place, 0.0)
    strength = float(np.exp(rng.uniform(np.log(2.0), np.log(30.0))))
    size = float(rng.uniform(0.05, 0.4)), float(rng.uniform(0.05, 0.4))
    return Window((-float(x), -float(y), float(z)), size, strength, _a_tint(rng))


def windowed(rng: Rng, scene: Scene) -> Scene:
    """Let a window or a large lamp be mirrored in the board."""
    windows = (a_window(rng, scene),)
    return replace(scene, light=replace(scene.light, windows=windows))


def a_sensor(rng: Rng) -> Sensor:
    """Return a camera's sensor, from a good one to one at night."""
    cast = rng.normal(1, 0.06, 3)
    gain = rng.uniform(0.75, 1.25)
    return Sensor(
        gains=(float(gain * cast[0]), float(gain * cast[1]), float(gain * cast[2])),
        noise=float(rng.uniform(0.5, 3.5)),
        blur=float(rng.uniform(0.3, 1.2)),
        vignette=float(rng.uniform(0, 0.3)),
        quality=int(rng.integers(70, 96)),
    )


SKINS = ("#f0cdb4", "#c98f70", "#8d5a3c", "#4b3024")
SLEEVES = ("#2c3f77", "#e8e6e0", "#1d1d20", "#9a2f2f", "#c98f70")


def a_hand(rng: Rng, board: SquareBoard) -> Hand:
    """Return a hand that points at some square, its arm coming from any side."""
    width, height = board.size_mm
    return Hand(
        (
            float(rng.uniform(0.05, 0.95) * width),
            float(rng.uniform(0.05, 0.95) * height),
        ),
        height=float(rng.uniform(4, 40)),
        heading=float(rng.uniform(0, 360)),
        skin=_near(rng, str(rng.choice(SKINS)), 8),
        sleeve=_near(rng, str(rng.choice(SLEEVES)), 12),
        left=bool(rng.random() < 0.5),
    )


def lamps_lit(rng: Rng, board: SquareBoard) -> dict[Cell, tuple[float, float, float]]:
    """Return the lamps of one or two runs of five."""
    lit = {}
    for _ in range(rng.integers(1, 3)):
        row, column = rng.integers(board.rows), rng.integers(board.columns - 4)
        colour = rng.dirichlet((0.6, 0.6, 0.6)) * rng.uniform(0.3, 1.2)
        red, green, blue = (float(part) for part in colour)
        for step in range(5):
            lit[square(int(row), int(column) + step)] = (red, green, blue)
    return lit


SEEN = 0.98
"""How far from the middle to the rim a corner may lie after a bump."""


def bumped(rng: Rng, scene: Scene) -> View:
    """Return a view after a bump, or from another place; the whole grid is in it."""
    view = scene.view
    cell = np.array(scene.board.cell_mm)
    elsewhere = rng.random() < 0.25
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 1)
    shift = reach * cell * (np.cos(angle), np.sin(angle))
    roll = rng.uniform(-5, 5)
    tilt, azimuth = rng.uniform(-12, 12, 2) if elsewhere else (0.0, 0.0)
    middle = np.array(view.size) / 2
    for share in (1.0, 0.8, 0.6, 0.45):
        moved = replace(
            view,
            target=(
                view.target[0] + share * shift[0],
                view.target[1] + share * shift[1],
            ),
            roll=view.roll + share * roll,
            tilt=float(np.clip(view.tilt + share * tilt, 0, 55)),
            azimuth=view.azimuth + share * azimuth,
        )
        corners = replace(scene, view=moved).corners()
        if (np.abs(corners - middle) < SEEN * middle).all():
            break
    return moved


def elsewhere(rng: Rng, scene: Scene) -> View:
    """Return a view from wherever else around the table a camera may stand."""
    view = replace(
        scene.view,
        tilt=rng.uniform(10, 50),
        azimuth=scene.view.azimuth + rng.uniform(0, 360),
        roll=rng.uniform(-10, 10),
    )
    return view.fitted(scene.board, rng.uniform(0.6, 0.9))
