"""Chips and pegs as solids of revolution, drawn pixel by pixel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import TURNED, Look, team_of
from vision.frame import Image
from vision.scene.colour import bgr, linear
from vision.scene.light import PLASTIC, Light, Window, roughness
from vision.scene.print import draw_mark, write
from vision.scene.view import View
from vision.srgb import LINEAR, Linear

Map = npt.NDArray[np.float32]

COLOURS = {
    "white": "#e9e7e0",
    "red": "#b81d22",
    "blue": "#20409c",
    "green": "#1c7438",
    "yellow": "#e3b21c",
    "black": "#26262a",
}


@dataclass(frozen=True, slots=True)
class Back:
    """What lies on top of a chip that is turned over: a round print.

    Attributes:
        paper: "#rrggbb"; "" for the team's colour.
        ink: "#rrggbb", of the rings, the word and the mark.
        reach: radius, as a part of the chip's; 1 hides all of the team's colour but on
            the side.
        rings: radii, as parts of the print's.
        matt: it mirrors nothing, as paper does.
        word: printed in the middle, "" for none.
        mark: drawn there instead, one of `print.MARKS`; "" for none.
    """

    paper: str
    ink: str
    reach: float
    rings: tuple[float, ...]
    matt: bool
    word: str = ""
    mark: str = ""


LABEL = Back("#d9d3b4", "#33352c", 0.78, (0.92, 0.62), matt=True, word="GRIDLOCK")
WHITE = Back("#efefec", "#2a2a30", 1.0, (0.84, 0.74), matt=False)


@dataclass(frozen=True, slots=True)
class PieceStyle:
    """How a table's pieces are made.

    Attributes:
        shape: "chip" or "peg".
        radius: as a part of a square's smaller side.
        height: mm.
        colours: "#rrggbb" by team.
        back: of a turned chip.
        ridges: how deep the rings on a chip's face are, 0 for smooth.
        dome: slope of a chip's face at its rim, 0 for flat.
        gloss: how sharply it mirrors the lamp, 0 (matt) to 1 (polished).
        spots: how many spots a chip has along its face's edge, as in casinos.
        emblem: a suit in the middle of a chip's face, "" for none.
        second: the colour of spots and emblem, "#rrggbb".
        head: height of a peg's head as a part of its width.
        blunt: exponent of a head's outline (a superellipse): 2 for an ellipse, 8 for
            a disc with rounded edges.
        stem: radius of a peg's stem, at its top, as a part of its head's.
    """

    shape: str = "chip"
    radius: float = 0.36
    height: float = 4.5
    colours: Mapping[str, str] = field(default_factory=lambda: dict(COLOURS))
    back: Back = LABEL
    ridges: float = 0.5
    dome: float = 0.0
    gloss: float = 0.35
    spots: int = 0
    emblem: str = ""
    second: str = "#efefec"
    head: float = 1.0
    blunt: float = 2.0
    stem: float = 0.5


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece as it lies on a square.

    Attributes:
        look: a team's colour, with "-turned" for a chip that lies turned over;
            "turned" for one of no team.
        offset: from the middle of the square, in squares (right, down).
        rotation: degrees clockwise.
        lift: height of its underside, mm: a piece in a hand.
    """

    look: Look
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    lift: float = 0.0

    @property
    def turned(self) -> bool:
        """Whether it lies turned over."""
        return self.look.endswith(TURNED) or self.look == "turned"


@lru_cache(maxsize=64)
def _back(back: Back, colour: str) -> Linear:
    """Return the turned side of a chip, (128, 128, 3) linear."""
    side = 256
    picture: Image = np.empty((side, side, 3), np.uint8)
    picture[:] = bgr(colour)
    middle = (side // 2, side // 2)
    reach = side / 2 * back.reach
    paper = bgr(back.paper or colour)
    cv2.circle(picture, middle, round(reach), paper, -1, cv2.LINE_AA)
    for part in back.rings:
        radius = round(reach * part)
        cv2.circle(picture, middle, radius, bgr(back.ink), 3, cv2.LINE_AA)
    room = side * min(0.8, 1.03 * back.reach)
    height = min(side * 0.16, room / max(len(back.word), 1))
    write(picture, back.word, middle, height, back.ink, 0.18)
    if back.mark:
        draw_mark(picture, back.mark, middle, reach, back.ink)
    small = cv2.resize(picture, (128, 128), interpolation=cv2.INTER_AREA)
    face: Linear = LINEAR[small]
    return face


@lru_cache(maxsize=64)
def _front(spots: int, emblem: str, colour: str, second: str) -> Linear:
    """Return a face with spots and an emblem, (128, 128, 3) linear."""
    side = 256
    picture: Image = np.empty((side, side, 3), np.uint8)
    picture[:] = bgr(colour)
    middle, edge = side // 2, round(side * 0.43)
    for spot in range(spots):
        along = 360 * spot / spots
        half = 360 / spots / 4
        cv2.ellipse(
            picture,
            (middle, middle),
            (edge, edge),
            along,
            -half,
            half,
            bgr(second),
            round(side * 0.13),
        )
    if emblem:
        draw_mark(picture, emblem, (middle, middle), side * 0.42, second)
    small = cv2.resize(picture, (128, 128), interpolation=cv2.INTER_AREA)
    face: Linear = LINEAR[small]
    return face


@dataclass(frozen=True, slots=True)
class _Profile:
    """A solid of revolution: radius and slope by height, from the top down."""

    heights: npt.NDArray[np.float64]
    radii: npt.NDArray[np.float64]
    up: npt.NDArray[np.float64]
    """z part of the outward normal at each level."""


def _profile(style: PieceStyle, radius: float, levels: int) -> _Profile:
    """Cut a piece into level discs.

    A chip is a cylinder with rounded rims; a peg is a tapered stem with a head, whose
    outline is a superellipse (Lamé 1818).
    """
    height = style.height
    if style.shape == "chip":
        part = np.linspace(1, 0, levels)
        rim = 0.07 * radius
        from_rim = np.minimum(part, 1 - part) * height
        bend = np.clip(1 - from_rim / min(rim, height / 2), 0, 1)
        radii = radius - rim * (1 - np.sqrt(1 - bend**2 * 0.96))
        up = bend * np.sign(part - 0.5)
        return _Profile(part * height, radii, up)
    across = min(radius, 0.42 * height)
    upward = style.head * across
    # Levels are close where the outline bends, and nowhere far apart.
    third = levels // 3
    bend = np.cos(np.linspace(0.2, np.pi, third))
    bend = np.sign(bend) * np.abs(bend) ** (2 / style.blunt)
    along = -np.sort(-np.append(bend, np.linspace(0.9, -0.9, third)))
    below = np.linspace(height - 2 * upward, 0, third + 1)[1:]
    heights = np.append(height + upward * (along - 1), below)
    along = np.append(along, np.full(len(below), -1.0))
    stem = radius * (style.stem + 0.12 * (1 - heights / height))
    out = (1 - np.abs(along) ** style.blunt) ** (1 / style.blunt)
    is_head = (along > -1) & ((across * out > stem) | (along > 0))
    radii = np.where(is_head, across * out, stem)
    # The outline's slopes, down and across, are parts of its normal.
    steep = style.blunt - 1
    normal = np.sign(along) * np.abs(along) ** steep / upward, out**steep / across
    up = np.where(is_head, normal[0] / np.hypot(*normal), 0.05)
    return _Profile(heights, radii, up)


def piece_radius(style: PieceStyle, cell_mm: tuple[float, float]) -> float:
    """Return the radius of a table's pieces in mm."""
    return style.radius * min(cell_mm)


def _face_slope(part: Map, ridges: float, dome: float) -> Map:
    """Return the slope of a chip's face by distance from its middle (0 to 1)."""

    def ring(at: float, width: float) -> Map:
        near = (part - at) / width
        return np.asarray(-near * np.exp(-(near**2)), np.float32)

    slope = ring(0.86, 0.05) - 0.6 * ring(0.70, 0.04)
    rim = np.clip((part - 0.9) / 0.1, 0, 1)
    return np.asarray(ridges * 0.9 * slope - dome * part - 0.55 * rim, np.float32)


@dataclass(frozen=True, slots=True)
class Shading:
    """How light meets one piece.

    Attributes:
        towards: unit vector to the lamp.
        half: unit vector between lamp and camera, at the piece's middle.
        turns: by how much it turns away for each mm across the piece, rad.
        eye: unit vector to the camera, at the piece's middle.
        near: by how much that turns away for each mm across the piece, rad.
        key, ambient: (3,) BGR linear.
        open_light: (h, w, 3) share of the lamp that reaches each pixel of the patch.
        gloss: 0 to 1.
        windows: that are mirrored.
    """

    towards: npt.NDArray[np.float32]
    half: npt.NDArray[np.float32]
    turns: np.float32
    eye: npt.NDArray[np.float32]
    near: np.float32
    key: Linear
    ambient: Linear
    open_light: Linear
    gloss: float
    windows: tuple[Window, ...] = ()

    def on(
        self, dx: Map, dy: Map, normal: tuple[Map, Map, Map], albedo: Linear
    ) -> Linear:
        """Return the light that a surface sends to the camera.

        The lamp is mirrored as a rough surface does it (Walter et al. 2007,
        Microfacet models for refraction, "GGX"): the rougher, the wider and the
        weaker its image.

        Args:
            dx: mm right of the piece's middle.
            dy: mm down.
            normal: x, y, z of the surface.
            albedo: linear BGR.
        """
        nx, ny, nz = normal
        facing = nx * self.towards[0] + ny * self.towards[1] + nz * self.towards[2]
        steepness = np.float32(max(self.towards[2], 0.25))
        lamp = (np.maximum(facing, 0) / steepness)[..., None] * self.open_light
        sky = 0.55 + 0.45 * nz
        body = albedo * (lamp * self.key + sky[..., None] * self.ambient)
        shine = self._mirrored(dx, dy, normal)[..., None] * self.open_light
        shine += np.float32(0.03 * self.gloss)
        lit: Linear = np.asarray(body + shine * self.key, np.float32)
        if self.windows:
            eye = self.eye[0] - dx * self.near, self.eye[1] - dy * self.near
            above = np.full_like(dx, self.eye[2])
            rough = roughness(self.gloss)
            for window in self.windows:
                lit += window.mirrored(normal, (*eye, above), rough)
        return lit

    def _mirrored(self, dx: Map, dy: Map, normal: tuple[Map, Map, Map]) -> Map:
        """Return the lamp's image, as a multiple of what makes white paper white."""
        nx, ny, nz = normal
        hx, hy = self.half[0] - dx * self.turns, self.half[1] - dy * self.turns
        length = np.sqrt(hx * hx + hy * hy + self.half[2] * self.half[2])
        facing = (nx * hx + ny * hy + nz * self.half[2]) / length
        rough = np.float32(roughness(self.gloss) ** 2)
        sine = np.where(facing > 0, 1 - facing * facing, 1)
        spread = (1 + np.maximum(sine, 0) * (1 / rough - 1)) ** -2
        return np.asarray(PLASTIC / (4 * rough) * spread, np.float32)


def shading(
    light: Light, view: View, at: tuple[float, float], open_light: Linear, gloss: float
) -> Shading:
    """Return how light meets a piece that lies at a point (mm)."""
    towards = light.direction(*at)
    to_eye = view.eye - (*at, 0.0)
    away = float(np.linalg.norm(to_eye))
    half = towards + to_eye / away
    length = float(np.linalg.norm(half))
    near = 1 / away
    if light.lamp is not None:
        near += 1 / float(np.linalg.norm(np.array(light.lamp) - (*at, 0.0)))
    return Shading(
        towards.astype(np.float32),
        (half / length).astype(np.float32),
        np.float32(near / length),
        (to_eye / away).astype(np.float32),
        np.float32(1 / away),
        np.array(light.key[::-1], np.float32),
        np.array(light.ambient[::-1], np.float32),
        open_light,
        gloss,
        light.windows,
    )


def bounds(
    view: View, at: tuple[float, float], radius: float, low: float, high: float
) -> tuple[slice, slice] | None:
    """Return the part of the picture in which a standing cylinder may be seen.

    Returns:
        rows and columns; None if it is outside the picture.
    """
    x, y = at
    box = [
        (x + dx, y + dy, z)
        for dx in (-radius, radius)
        for dy in (-radius, radius)
        for z in (low, high)
    ]
    seen = view.project(box)
    left, top = np.floor(seen.min(0)).astype(int) - 2
    right, bottom = np.ceil(seen.max(0)).astype(int) + 3
    rows = slice(max(0, top), min(view.size[1], bottom))
    columns = slice(max(0, left), min(view.size[0], right))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return None
    return rows, columns


def draw_piece(
    canvas: Linear,
    ground: npt.NDArray[np.float32],
    view: View,
    piece: Piece,
    style: PieceStyle,
    at: tuple[float, float],
    radius: float,
    light: Shading,
    window: tuple[slice, slice],
) -> None:
    """Draw a piece into the picture.

    Args:
        canvas: (H, W, 3) linear BGR, changed.
        ground: (H, W, 2) the point of the board's plane that each pixel shows, mm.
        view: the camera.
        piece: which piece.
        style: how pieces are made.
        at: where its middle lies, mm.
        radius: mm.
        light: how light meets it.
        window: rows and columns from `bounds`.
    """
    plane = ground[window]
    eye = view.eye.astype(np.float32)
    pixel = np.linalg.norm(view.eye - (*at, piece.lift)) / view.focal
    slant = np.hypot(eye[0] - at[0], eye[1] - at[1]) / eye[2]
    rise = style.height * slant / pixel
    levels = int(np.clip(np.ceil(rise * 1.2) + 3, 4, 60))
    profile = _profile(style, radius, max(levels, 24 if style.shape == "peg" else 4))
    covered = np.zeros(plane.shape[:2], np.float32)
    body = np.zeros((*plane.shape[:2], 3), np.float32)
    side = linear(style.colours.get(team_of(piece.look), "#e8e6e0"))
    face = replace(light, gloss=0.0) if piece.turned and style.back.matt else light
    for number, (z, disc, up) in enumerate(
        zip(profile.heights, profile.radii, profile.up, strict=True)
    ):
        t = np.float32((z + piece.lift) / eye[2])
        dx = plane[..., 0] * (1 - t) + (eye[0] * t - np.float32(at[0]))
        dy = plane[..., 1] * (1 - t) + (eye[1] * t - np.float32(at[1]))
        away = np.sqrt(dx * dx + dy * dy)
        share = np.clip(0.5 - (away - np.float32(disc)) / np.float32(pixel), 0, 1)
        gain = np.maximum(share - covered, 0)
        if not gain.any():
            continue
        covered += gain
        outward = 1 / np.maximum(away, 1e-3)
        if number == 0 and style.shape == "chip":
            slope = _face_slope(away / np.float32(radius), style.ridges, style.dome)
            nz = 1 / np.sqrt(1 + slope * slope)
            tilt = -slope * nz * outward
            albedo = side
            if piece.turned or style.spots or style.emblem:
                albedo = _printed_face(dx, dy, radius, piece, style)
            surface = face
        else:
            nz = np.full_like(away, np.float32(up))
            tilt = np.float32(np.sqrt(max(0.0, 1 - up * up))) * outward
            if number == 0:  # inside its edge the top is ever more level
                part = np.minimum(away / np.float32(disc), 1)
                tilt = tilt * part ** np.float32(style.blunt - 1)
                nz = np.sqrt(1 - (tilt * away) ** 2)
            albedo, surface = side, light
        normal = dx * tilt, dy * tilt, nz
        body += gain[..., None] * surface.on(dx, dy, normal, albedo)
    under = canvas[window]
    under *= 1 - covered[..., None]
    under += body


def _printed_face(
    dx: Map, dy: Map, radius: float, piece: Piece, style: PieceStyle
) -> Linear:
    colour = style.colours.get(team_of(piece.look), "#e8e6e0")
    if piece.turned:
        picture = _back(style.back, colour)
    else:
        picture = _front(style.spots, style.emblem, colour, style.second)
    angle = np.radians(piece.rotation)
    cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    unit = np.float32(64 / radius)
    found = cv2.remap(
        picture,
        (dx * cos + dy * sin) * unit + 63.5,
        (dy * cos - dx * sin) * unit + 63.5,
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(found, np.float32)
