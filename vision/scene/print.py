"""What is printed: letters, suits, the faces of squares and of playing cards.

Shapes of our own, because the text that OpenCV draws differs between versions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from zlib import crc32

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Image
from vision.scene.colour import bgr

Points = npt.NDArray[np.float64]

_SHIFT = 4
_FINER = 3

# Strokes through points "xy" on a grid 4 wide and 6 high; "~" is rounded off.
_GLYPHS = {
    "A": ("06 20 46", "14 34"),
    "B": ("00 06", "~00 40 43 03", "~03 43 46 06"),
    "C": ("~41 40 00 06 46 45",),
    "D": ("00 06", "~00 40 46 06"),
    "E": ("40 00 06 46", "03 33"),
    "F": ("40 00 06", "03 33"),
    "G": ("~41 40 00 06 46 43", "43 23"),
    "H": ("00 06", "40 46", "03 43"),
    "I": ("20 26",),
    "J": ("~40 46 06 04",),
    "K": ("00 06", "40 03", "13 46"),
    "L": ("00 06 46",),
    "M": ("06 00 24 40 46",),
    "N": ("06 00 46 40",),
    "O": ("~20 40 46 06 00 20",),
    "P": ("00 06", "~00 40 43 03"),
    "Q": ("~20 40 46 06 00 20", "24 46"),
    "R": ("00 06", "~00 40 43 03", "23 46"),
    "S": ("~41 40 00 03 43 46 06 05",),
    "T": ("00 40", "20 26"),
    "U": ("~00 06 46 40",),
    "V": ("00 26 40",),
    "W": ("00 16 22 36 40",),
    "X": ("00 46", "40 06"),
    "Y": ("00 23 40", "23 26"),
    "Z": ("00 40 06 46",),
    "0": ("~20 40 46 06 00 20",),
    "1": ("11 20 26",),
    "2": ("~01 00 40 43 06", "06 46"),
    "3": ("~01 00 40 43 23", "~23 43 46 06 05"),
    "4": ("36 30 04 44",),
    "5": ("40 00 03", "~03 32 42 46 06 05"),
    "6": ("~40 00 06 26", "~26 46 42 02 04"),
    "7": ("00 40 16",),
    "8": ("~20 40 43 03 00 20", "~23 43 46 06 03 23"),
    "9": ("~06 46 40 20", "~20 00 04 44 42"),
}


@cache
def _strokes(letter: str) -> tuple[Points, ...]:
    """Return the strokes of a letter in a box 1 wide and 1.5 high."""
    strokes = []
    for text in _GLYPHS.get(letter, ()):
        points = np.array([(int(p[0]), int(p[1])) for p in text.strip("~").split()])
        points = points / 4
        if text.startswith("~"):
            for _ in range(3):
                points = _cut_corners(points)
        strokes.append(points)
    return tuple(strokes)


def _cut_corners(points: Points) -> Points:
    """Round a line off, keeping its ends (Chaikin 1974)."""
    before, after = points[:-1], points[1:]
    cut = np.stack((0.75 * before + 0.25 * after, 0.25 * before + 0.75 * after), 1)
    return np.concatenate((points[:1], cut.reshape(-1, 2), points[-1:]))


def _fixed(points: Points) -> npt.NDArray[np.int32]:
    return np.round(points * (1 << _SHIFT)).astype(np.int32)


def write(
    picture: Image,
    text: str,
    at: tuple[float, float],
    height: float,
    colour: str,
    weight: float = 0.14,
) -> None:
    """Write capital letters and digits.

    Args:
        picture: (H, W, 3) uint8 BGR, changed.
        text: "10", "KY"; other characters leave a gap.
        at: the middle of the text in px.
        height: of the letters in px.
        colour: "#rrggbb".
        weight: thickness of the strokes as a part of the height.
    """
    width = height / 1.5
    step = width * 1.36
    left = at[0] - (step * (len(text) - 1) + width) / 2
    thickness = max(1, round(height * weight))
    for number, letter in enumerate(text):
        origin = np.array((left + number * step, at[1] - height / 2))
        for stroke in _strokes(letter):
            points = _fixed(stroke * width + origin)
            cv2.polylines(
                picture, [points], False, bgr(colour), thickness, cv2.LINE_AA, _SHIFT
            )


def _circle(x: float, y: float, radius: float) -> Points:
    angle = np.linspace(0, 2 * np.pi, 40)
    return np.stack((x + radius * np.cos(angle), y + radius * np.sin(angle)), 1)


_BAR = np.array(((-1.4, -0.2), (1.4, -0.2), (1.4, 0.2), (-1.4, 0.2)))
_TURNS = np.pi * np.arange(10) / 5
_RAYS = np.array((1.2, 0.5))[np.arange(10) % 2]
_PLAIN = {
    "bar": (_BAR,),
    "cross": (_BAR, _BAR[:, ::-1]),
    "star": (np.stack((_RAYS * np.sin(_TURNS), -_RAYS * np.cos(_TURNS)), axis=1),),
}

MARKS = (*_PLAIN, *"SHDC")
"""What `draw_mark` can draw."""


@cache
def _outlines(mark: str) -> tuple[Points, ...]:
    """Return the outlines that together make a mark; suits fill a box from -1 to 1."""
    if mark in _PLAIN:
        return _PLAIN[mark]
    turn = np.linspace(0, 2 * np.pi, 80)
    heart = np.stack(
        (
            np.sin(turn) ** 3,
            -(13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn)) / 16
            + np.cos(4 * turn) / 16,
        ),
        1,
    )
    stem = np.array([(-0.08, 0.1), (0.08, 0.1), (0.34, 1.0), (-0.34, 1.0)])
    if mark == "H":
        return (heart,)
    if mark == "D":
        return (np.array([(0, -1.05), (0.74, 0), (0, 1.05), (-0.74, 0)]),)
    if mark == "S":
        return (heart * (0.95, -0.85) - (0, 0.12), stem)
    leaves = [(0, -0.5), (-0.52, 0.22), (0.52, 0.22), (0, 0.05)]
    return (*(_circle(x, y, 0.46 if y != 0.05 else 0.2) for x, y in leaves), stem)


def draw_mark(
    picture: Image, mark: str, at: tuple[float, float], height: float, colour: str
) -> None:
    """Draw one of `MARKS` around a point, sizes in px."""
    for outline in _outlines(mark):
        points = _fixed(outline * height / 2 + np.array(at))
        cv2.fillPoly(picture, [points], bgr(colour), cv2.LINE_AA, _SHIFT)


def rounded(
    picture: Image,
    box: tuple[float, float, float, float],
    radius: float,
    colour: str,
) -> None:
    """Fill a rectangle (left, top, right, bottom, px) with rounded corners."""
    left, top, right, bottom = box
    arcs = []
    for x, y, start in (
        (right - radius, top + radius, -90),
        (right - radius, bottom - radius, 0),
        (left + radius, bottom - radius, 90),
        (left + radius, top + radius, 180),
    ):
        angle = np.radians(np.linspace(start, start + 90, 8))
        arcs.append(
            np.stack((x + radius * np.cos(angle), y + radius * np.sin(angle)), 1)
        )
    points = _fixed(np.concatenate(arcs))
    cv2.fillPoly(picture, [points], bgr(colour), cv2.LINE_AA, _SHIFT)


@dataclass(frozen=True, slots=True)
class Ink:
    """The colours of a print, and how its faces are arranged.

    Attributes:
        paper: of the card faces.
        black, red: of the suits.
        line: a thin frame around each face, "" for none.
        arrangement: "corner" (rank in the corner, suit beside the middle),
            "middle" (rank above suit), "badge" (a coloured shape with the
            label on it, as on maps) or "none" (nothing is printed).
        weight: thickness of the letters' strokes as a part of their height.
    """

    paper: str = "#f4f2ea"
    black: str = "#24242a"
    red: str = "#c22630"
    line: str = ""
    arrangement: str = "corner"
    weight: float = 0.16


def rank_and_suit(label: str) -> tuple[str, str] | None:
    """Split "TH" into "10" and "H"; None if the label is no playing card."""
    if len(label) == 2 and label[1] in "SHDC" and label[0] in "A23456789TJQK":
        return ("10" if label[0] == "T" else label[0]), label[1]
    return None


def face(label: str, ink: Ink, size: tuple[int, int]) -> Image:
    """Print the face of a square: a playing card, or a badge with a word.

    Args:
        label: "TH", "KY", ...; "" leaves the paper blank.
        ink: colours and arrangement.
        size: width and height in px.
    """
    width, height = size[0] * _FINER, size[1] * _FINER
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = bgr(ink.paper)
    card = rank_and_suit(label)
    if card and ink.arrangement in ("corner", "middle"):
        _print_card(picture, card, ink)
    elif label and ink.arrangement != "none":
        _print_badge(picture, label, ink)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _print_card(picture: Image, card: tuple[str, str], ink: Ink) -> None:
    height, width = picture.shape[:2]
    unit = min(width, height)
    rank, suit = card
    colour = ink.red if suit in "HD" else ink.black
    if ink.arrangement == "middle":
        write(
            picture, rank, (width * 0.5, height * 0.3), unit * 0.34, colour, ink.weight
        )
        draw_mark(picture, suit, (width * 0.5, height * 0.7), unit * 0.34, colour)
    else:
        across = width * (0.21 if len(rank) == 1 else 0.27)
        write(picture, rank, (across, height * 0.22), unit * 0.26, colour, ink.weight)
        draw_mark(picture, suit, (width * 0.6, height * 0.58), unit * 0.36, colour)


def _print_badge(picture: Image, label: str, ink: Ink) -> None:
    """Print a label on a shape whose outline and colour come from the label."""
    height, width = picture.shape[:2]
    shape = np.random.default_rng(crc32(label.encode()))
    angle = np.sort(shape.uniform(0, 2 * np.pi, 11))
    reach = shape.uniform(0.62, 1.0, 11)
    outline = np.stack(
        (
            width * (0.5 + 0.42 * reach * np.cos(angle)),
            height * (0.47 + 0.4 * reach * np.sin(angle)),
        ),
        1,
    )
    hsv = np.array([[[shape.integers(180), 165, 235]]], np.uint8)
    fill = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    cv2.fillPoly(picture, [_fixed(outline)], fill, cv2.LINE_AA, _SHIFT)
    height_of_letters = min(height * 0.3, width * 1.0 / max(len(label), 1))
    write(
        picture,
        label,
        (width * 0.5, height * 0.47),
        height_of_letters,
        ink.black,
        ink.weight,
    )


def target(ink: Ink, ground: str, size: tuple[int, int]) -> Image:
    """Print the rings of a free corner."""
    width, height = size[0] * _FINER, size[1] * _FINER
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = bgr(ground)
    middle = (width // 2, height // 2)
    unit = min(width, height)
    for part, colour in ((0.4, ink.red), (0.28, ink.paper), (0.15, ink.black)):
        cv2.circle(picture, middle, round(unit * part), bgr(colour), -1, cv2.LINE_AA)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def playing_card(code: str, px_per_mm: float) -> tuple[Image, npt.NDArray[np.uint8]]:
    """Print a card as it lies in a discard pile, 58 x 88 mm.

    Args:
        code: "TH", "JOKER", "TX", ...; "" is a card face down.
        px_per_mm: resolution.

    Returns:
        The picture, and how opaque it is (H, W) uint8: the corners are round.
    """
    scale = px_per_mm * _FINER
    width, height = round(58 * scale), round(88 * scale)
    paper = "#f6f5f0" if code else "#8f2030"
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = bgr(paper)
    if code:
        _print_pips(picture, code)
    else:
        rounded(
            picture,
            (width * 0.07, height * 0.05, width * 0.93, height * 0.95),
            width * 0.05,
            "#b8505c",
        )
    mask = np.zeros_like(picture)
    rounded(mask, (0, 0, width - 1, height - 1), 4 * scale, "#ffffff")
    size = round(58 * px_per_mm), round(88 * px_per_mm)
    return (
        np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8),
        np.asarray(
            cv2.resize(mask[..., 0], size, interpolation=cv2.INTER_AREA), np.uint8
        ),
    )


def _print_pips(picture: Image, code: str) -> None:
    height, width = picture.shape[:2]
    card = rank_and_suit(code)
    if card is None:
        write(
            picture, code, (width / 2, height / 2), width * 0.8 / len(code), "#303038"
        )
        return
    rank, suit = card
    colour = "#c02028" if suit in "HD" else "#1c1c22"
    draw_mark(picture, suit, (width / 2, height / 2), width * 0.42, colour)
    for _ in range(2):
        write(picture, rank, (width * 0.14, height * 0.1), width * 0.16, colour, 0.16)
        draw_mark(picture, suit, (width * 0.14, height * 0.22), width * 0.15, colour)
        picture[:] = picture[::-1, ::-1].copy()
