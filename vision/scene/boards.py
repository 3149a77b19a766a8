"""The printed board and the table it lies on, as flat textures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import SquareBoard
from vision.frame import Image
from vision.scene.colour import bgr, paint
from vision.scene.print import Ink, face, rounded, target

THICKNESS_MM = 3.5
"""How far the printed surface lies above the table."""


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """How a board is made.

    Attributes:
        ground: colour between the squares and in the margin, "#rrggbb".
        ink: the print of the squares.
        margin: width of the margin as a part of a square's smaller side.
        gap: distance between faces as a part of the same.
        markers: AprilTag 36h11 stickers 0-3 on the margin's corners.
        wood: strength of a wood grain under the print, 0 for cardboard.
        wear: 0 for new, 1 for a print rubbed off and scratched by many games.
        gloss: how much of a lamp the surface mirrors, 0 (matt) to 1.
        papers: a colour for each square, in the board's order, as on chequered
            boards; () where all have the ink's paper.
        picture: strength of a picture that is printed over everything, 0 for none.
        hole: radius of a hole for pegs in every square, as a part of its smaller
            side, 0 for none.
        seed: of picture, grain and scratches.
    """

    ground: str = "#1f5c3f"
    ink: Ink = field(default_factory=Ink)
    margin: float = 0.6
    gap: float = 0.08
    markers: bool = True
    wood: float = 0.0
    wear: float = 0.1
    gloss: float = 0.3
    papers: tuple[str, ...] = ()
    picture: float = 0.0
    hole: float = 0.0
    seed: int = 0

    def margin_mm(self, board: SquareBoard) -> float:
        """Return the width of the margin."""
        return self.margin * min(board.cell_mm)


@lru_cache(maxsize=2)
def printed(board: SquareBoard, style: BoardStyle, px_per_mm: float) -> Image:
    """Print the whole board with its margin.

    Returns:
        (H, W, 3) uint8 BGR; its top-left pixel is the outer corner of the margin.
    """
    margin = style.margin_mm(board)
    width, height = (round((side + 2 * margin) * px_per_mm) for side in board.size_mm)
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = bgr(style.ground)
    _frame(picture, margin * 0.45 * px_per_mm, style)
    cell_px = tuple(side * px_per_mm for side in board.cell_mm)
    papers = style.papers or [style.ink.paper] * len(board.cells)
    for cell, paper in zip(board.cells, papers, strict=True):
        left, top = board.outline(cell)[0]
        _put_face(
            picture,
            board.label(cell),
            replace(style, ink=replace(style.ink, paper=paper)),
            ((left + margin) * px_per_mm, (top + margin) * px_per_mm),
            (cell_px[0], cell_px[1]),
        )
        if style.hole:
            middle = (np.mean(board.outline(cell), axis=0) + margin) * px_per_mm
            _drill(picture, middle, style.hole * min(cell_px))
    if style.picture:
        leaves = _dead_leaves(style.seed, (height, width), px_per_mm)
        part = style.picture
        cv2.addWeighted(leaves, part, picture, 1 - part, 0, dst=picture)
    worn = _age(picture, style, px_per_mm)
    if style.markers:
        _stick_markers(worn, margin * px_per_mm, min(cell_px))
    worn.setflags(write=False)
    return worn


def _frame(picture: Image, inset: float, style: BoardStyle) -> None:
    at = round(inset)
    height, width = picture.shape[:2]
    line = tuple(int(part * 0.55) for part in bgr(style.ground))
    thickness = max(1, round(inset * 0.09))
    cv2.rectangle(
        picture, (at, at), (width - at, height - at), line, thickness, cv2.LINE_AA
    )


def _put_face(
    picture: Image,
    label: str,
    style: BoardStyle,
    corner: tuple[float, float],
    cell: tuple[float, float],
) -> None:
    gap = style.gap * min(cell) / 2
    left, top = round(corner[0] + gap), round(corner[1] + gap)
    right, bottom = round(corner[0] + cell[0] - gap), round(corner[1] + cell[1] - gap)
    size = right - left, bottom - top
    dark = "#20302a"
    printed_face = (
        face(label, style.ink, size) if label else target(style.ink, dark, size)
    )
    mask = np.zeros((size[1], size[0], 3), np.uint8)
    rounded(mask, (0, 0, size[0] - 1, size[1] - 1), min(size) * 0.07, "#ffffff")
    share = mask.astype(np.float32) / 255
    under = picture[top:bottom, left:right]
    if style.ink.line:
        rounded(
            picture,
            (left - 2, top - 2, right + 1, bottom + 1),
            min(size) * 0.09,
            style.ink.line,
        )
    mixed = under * (1 - share) + printed_face * share
    picture[top:bottom, left:right] = mixed.astype(np.uint8)


def _drill(picture: Image, middle: npt.NDArray[np.float64], radius: float) -> None:
    x, y = (round(float(part) * 16) for part in middle)
    reach = round(radius * 16)
    cv2.circle(picture, (x, y), reach, bgr("#1c1712"), -1, cv2.LINE_AA, 4)


LEAVES_MM = 4.0, 160.0
"""Radii of the smallest and the largest leaves of printed pictures."""


def _dead_leaves(seed: int, shape: tuple[int, int], px_per_mm: float) -> Image:
    """Return a picture (H, W, 3) BGR whose statistics are those of photos.

    Leaves fall on each other; how many have a radius falls with its cube (Lee,
    Mumford and Huang 2001, Occlusion models for natural images).
    """
    rng = np.random.default_rng((seed, 13))
    height, width = shape
    picture: Image = np.empty((height, width, 3), np.uint8)
    picture[:] = rng.integers(256, size=3)
    least, most = (radius * px_per_mm for radius in LEAVES_MM)
    hue = rng.uniform(0, 360)
    for _ in range(1200):
        # The inverse of the distribution function of radii, density r**-3.
        part = rng.random()
        radius = (least**-2 * (1 - part) + most**-2 * part) ** -0.5
        colour = bgr(paint(rng.normal(hue, 60), rng.random(), rng.random()))
        middle = tuple(int(x) for x in rng.uniform((0, 0), (width, height)))
        axes = max(1, int(radius)), max(1, int(radius * rng.uniform(0.4, 1)))
        turn = rng.uniform(0, 180)
        cv2.ellipse(picture, middle, axes, turn, 0, 360, colour, -1, cv2.LINE_AA)
    return picture


def _noise(
    rng: np.random.Generator, shape: tuple[int, int], coarse: tuple[float, float]
) -> npt.NDArray[np.float32]:
    """Return smooth noise of about -1..1 with grains of `coarse` (x, y) px."""
    height, width = shape
    small = rng.standard_normal(
        (max(2, int(height / coarse[1]) + 2), max(2, int(width / coarse[0]) + 2)),
        dtype=np.float32,
    )
    grown = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(grown, np.float32)


def _age(picture: Image, style: BoardStyle, px_per_mm: float) -> Image:
    """Give a print its grain, its rubbed places and its scratches."""
    rng = np.random.default_rng((style.seed, 7))
    shape = (picture.shape[0], picture.shape[1])
    shade = 1 + 0.012 * rng.standard_normal(shape, dtype=np.float32)
    shade += 0.02 * _noise(rng, shape, (90 * px_per_mm, 70 * px_per_mm))
    if style.wood:
        grain = _noise(rng, shape, (60 * px_per_mm, 1.1 * px_per_mm))
        shade += style.wood * 0.1 * grain
    aged = picture.astype(np.float32)
    aged *= shade[..., None]
    if style.wear:
        rubbed = _noise(rng, shape, (14 * px_per_mm, 11 * px_per_mm))
        rubbed += 0.7 * _noise(rng, shape, (2.2 * px_per_mm, 2.2 * px_per_mm))
        fade = np.clip(rubbed - 1.1, 0, 1) * (0.55 * style.wear)
        for channel, pale in enumerate((206, 214, 220)):
            aged[..., channel] += (pale - aged[..., channel]) * fade
        _scratch(aged, rng, style.wear)
    return np.clip(aged, 0, 255, out=aged).astype(np.uint8)


def _scratch(
    picture: npt.NDArray[np.float32], rng: np.random.Generator, wear: float
) -> None:
    marks = np.zeros(picture.shape[:2], np.uint8)
    height, width = picture.shape[:2]
    for _ in range(int(40 * wear)):
        start = rng.uniform((0, 0), (width, height))
        end = start + rng.normal(0, 0.06 * width, 2)
        cv2.line(
            marks,
            (int(start[0]), int(start[1])),
            (int(end[0]), int(end[1])),
            int(rng.integers(40, 160)),
            1,
            cv2.LINE_AA,
        )
    share = marks.astype(np.float32) / 400
    for channel in range(3):
        picture[..., channel] += (215 - picture[..., channel]) * share


def _stick_markers(picture: Image, margin: float, cell: float) -> None:
    """Stick tags 0-3 clockwise from the top left, 0.4 of a square without their rim."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    height, width = picture.shape[:2]
    side, inner = round(cell * 0.5), round(cell * 0.4)
    near = margin / 2
    places = (near, near), (width - near, near), (width - near, height - near)
    for number, (x, y) in enumerate((*places, (near, height - near))):
        sticker = np.full((side, side, 3), 244, np.uint8)
        tag = cv2.aruco.generateImageMarker(dictionary, number, 8 * 12)
        tag = cv2.resize(tag, (inner, inner), interpolation=cv2.INTER_AREA)
        rim = (side - inner) // 2
        sticker[rim : rim + inner, rim : rim + inner] = tag[..., None]
        left, top = round(x - side / 2), round(y - side / 2)
        left, top = max(left, 0), max(top, 0)
        under = picture[top : top + side, left : left + side]
        under[:] = sticker[: under.shape[0], : under.shape[1]]


@dataclass(frozen=True, slots=True)
class TableStyle:
    """What the board lies on.

    Attributes:
        material: "wood", "cloth" or "plain".
        colour: "#rrggbb".
        turn: direction of the planks in degrees.
        seed: of grain and weave.
    """

    material: str = "wood"
    colour: str = "#6b4a35"
    turn: float = 4.0
    seed: int = 0


TABLE_PX_PER_MM = 1.6


@lru_cache(maxsize=2)
def tabletop(style: TableStyle) -> Image:
    """Return a square piece of the table, (1024, 1024, 3) uint8 BGR, to be repeated."""
    rng = np.random.default_rng((style.seed, 11))
    shape = 1024, 1024
    if style.material == "wood":
        warp = 9 * _noise(rng, shape, (420, 130))
        rings = _noise(rng, shape, (900, 26))
        fine = _noise(rng, shape, (160, 2.2))
        pores = np.clip(_noise(rng, shape, (26, 1.6)) - 1.3, 0, 1)
        rows, columns = np.mgrid[:1024, :1024].astype(np.float32)
        bent = cv2.remap(
            rings, columns, rows + warp, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
        shade = 1 + 0.09 * np.asarray(bent, np.float32) + 0.05 * fine - 0.25 * pores
    elif style.material == "cloth":
        weave = rng.standard_normal(shape, dtype=np.float32)
        threads = np.asarray(cv2.GaussianBlur(weave, (0, 0), 0.9), np.float32)
        shade = 1 + 0.12 * threads + 0.04 * _noise(rng, shape, (200, 200))
    else:
        shade = 1 + 0.02 * _noise(rng, shape, (300, 300))
        shade += 0.012 * rng.standard_normal(shape, dtype=np.float32)
    colour = np.array(bgr(style.colour), np.float32)
    picture: Image = np.clip(colour * shade[..., None], 0, 255).astype(np.uint8)
    picture.setflags(write=False)
    return picture
