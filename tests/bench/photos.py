"""The photos in ../shared/photos, each set as tables with their truth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.wizard import parse_kinds
from companion.looking import COLOURS, LETTERS
from companion.rules.board import TURNED, Cell, Look, SquareBoard, square
from vision.frame import Image
from vision.picture import decode_picture, read_picture
from vision.pose import CORNERS, Points
from vision.scene import View

PHOTOS = Path(__file__).resolve().parents[3] / "shared" / "photos"
RENDERED = ("gridlock-day", "jacks-lamp", "states-ceiling")
GAMES = {"jacks": "jacks-rule"}
"""Ids that differ from ours."""


def _swapped(*order: int) -> Callable[[Image], Image]:
    return lambda image: np.ascontiguousarray(image[..., list(order)])


def _dim(image: Image) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=0.2), np.uint8)


def _steep(image: Image) -> Image:
    return np.uint8(255 * (image / 255) ** 1.4 + 0.5)


def _coloured(part: float) -> Callable[[Image], Image]:
    def change(image: Image) -> Image:
        grey = image.mean(axis=2, keepdims=True)
        return np.uint8(np.clip(grey + part * (image - grey), 0, 255))

    return change


def _blurred(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 2.5), np.uint8)


def _noisy(image: Image) -> Image:
    noise = np.random.default_rng(1).normal(0, 16, image.shape)
    return np.uint8(np.clip(image + noise, 0, 255))


def _squeezed(image: Image) -> Image:
    return decode_picture(compressed(image, 12), "squeezed")


def compressed(image: Image, quality: int) -> bytes:
    """Return a picture as a JPEG."""
    data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, quality))[1]
    return bytes(data.tobytes())


ALTERED: Mapping[str, Callable[[Image], Image]] = {
    "dim": _dim,
    "steep": _steep,
    "pale": _coloured(0.5),
    "vivid": _coloured(1.5),
    "blurred": _blurred,
    "noisy": _noisy,
    "squeezed": _squeezed,
}
"""How a photo would look from another camera than the table was calibrated with."""

RECOLOURED = tuple(_swapped(*order) for order in list(permutations(range(3)))[1:])
"""How boards and pieces of other colours would look, in the calibration, too."""


def seen_from_elsewhere(
    rng: np.random.Generator, board: SquareBoard, corners: Points, image: Image
) -> Image:
    """Return a photo as if the camera stood at any other place around the table.

    For what lies flat: pieces lean as they did.

    Args:
        rng: says where.
        board: the one in the photo.
        corners: (4, 2) px, of its grid there.
        image: the photo.
    """
    height, width = image.shape[:2]
    view = View(
        (board.size_mm[0] / 2, board.size_mm[1] / 2),
        800,
        tilt=rng.uniform(10, 50),
        azimuth=rng.uniform(0, 360),
        roll=rng.uniform(-10, 10),
        size=(width, height),
    ).fitted(board, rng.uniform(0.6, 0.9))
    outer = np.pad(CORNERS * np.array(board.size_mm), ((0, 0), (0, 1)))
    there_from_here = cv2.getPerspectiveTransform(
        corners.astype(np.float32), view.project(outer).astype(np.float32)
    )
    seen = cv2.warpPerspective(
        image, there_from_here, (width, height), borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(seen, np.uint8)


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo, and the letters of its squares row by row; " " is not measured."""

    path: Path
    settled: bool
    truth: str


@dataclass(frozen=True, slots=True, eq=False)
class PhotoTable:
    """A table to be calibrated, and photos of it.

    Attributes:
        name: of the empty photo.
        game: its id.
        rows: what is printed.
        empty: the empty board.
        corners: (4, 2) px, the true ones.
        looks: that pieces can have here.
        photos: to be read.
        samples, kinds: the samples photo, if there is one.
        built: the empty board was made from a photo with pieces, or is no board
            of squares: its corners are told.
        moved: the camera stands elsewhere in the photos.
    """

    name: str
    game: str
    rows: tuple[str, ...]
    empty: Image
    corners: Points
    looks: tuple[Look, ...]
    photos: tuple[Photo, ...]
    samples: Image | None = None
    kinds: Mapping[Cell, Look] | None = None
    built: bool = False
    moved: bool = False


def photo_sets() -> Mapping[str, Callable[[], Iterator[PhotoTable]]]:
    """Return the sets by name."""
    return {
        **{name: partial(_rendered, PHOTOS / name) for name in RENDERED},
        "draughts10": partial(_draughts, PHOTOS / "real" / "draughts10"),
        "go-aruco": partial(_go, PHOTOS / "real" / "go-aruco"),
    }


def _json(folder: Path, name: str = "truth.json") -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / name).read_text())
    return data


def _rendered(folder: Path) -> Iterator[PhotoTable]:
    truth = _json(folder)
    named = next(f["note"] for f in truth["frames"] if f["file"] == "samples.jpg")
    sides = ("", TURNED) if TURNED in named else ("",)
    every = [Look(colour + side) for colour in COLOURS for side in sides]
    kinds = parse_kinds(" ".join(re.findall(r"\w+=[\w-]+", named)), every)
    yield PhotoTable(
        folder.name,
        GAMES.get(truth["game"], truth["game"]),
        tuple(truth["layout"]),
        read_picture(folder / "empty.jpg"),
        np.array(_json(folder, "corners.json")["corners"]),
        tuple(Look(team + side) for side in sides for team in truth["teams"]),
        tuple(
            Photo(folder / f["file"], f["settled"], f["position"].replace("/", ""))
            for f in truth["frames"]
            if f["file"] not in ("empty.jpg", "samples.jpg")
        ),
        read_picture(folder / "samples.jpg"),
        kinds,
    )


def _draughts(folder: Path) -> Iterator[PhotoTable]:
    """Yield each photo as a table of its own, as each was taken from elsewhere."""
    for name, facts in _json(folder)["images"].items():
        image = read_picture(folder / name)
        corners = np.array(facts["corners_px_tl_tr_br_bl"])
        rows = facts["rows"]
        truth = "".join(rows).lower()
        shown = [truth.index(letter) for letter in "rg"]
        kinds = {
            square(*divmod(at, 10)): Look("red" if truth[at] == "r" else "green")
            for at in shown
        }
        blind = "".join(" " if at in shown else c for at, c in enumerate(truth))
        yield PhotoTable(
            name,
            "gridlock",
            (" ".join(["XX"] * 10),) * 10,
            _emptied(image, corners, rows),
            corners,
            (Look("red"), Look("green")),
            (Photo(folder / name, True, blind),),
            image,
            kinds,
            built=True,
        )


def _emptied(image: Image, corners: Points, rows: list[str]) -> Image:
    """Cover each occupied square with the nearest empty one of its colour."""
    grid = np.array(((0, 0), (10, 0), (10, 10), (0, 10)), np.float32)
    image_from_cells = cv2.getPerspectiveTransform(grid, corners.astype(np.float32))
    free = [(r, c) for r in range(10) for c in range(10) if rows[r][c] == "."]
    empty = image.copy()
    for r, c in ((r, c) for r in range(10) for c in range(10) if rows[r][c] != "."):
        same = [place for place in free if (sum(place) - r - c) % 2 == 0]
        row, column = min(
            same, key=lambda place: (place[0] - r) ** 2 + (place[1] - c) ** 2
        )
        shift = np.array(((1, 0, c - column), (0, 1, r - row), (0, 0, 1)), np.float64)
        onto = image_from_cells @ shift @ np.linalg.inv(image_from_cells)
        size = image.shape[1], image.shape[0]
        copied = cv2.warpPerspective(image, onto, size)
        cell = np.array(((c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1)), np.float32)
        there = cv2.perspectiveTransform(cell.reshape(1, 4, 2), image_from_cells)
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.rint(there[0]).astype(np.int32), 1)
        empty[mask > 0] = copied[mask > 0]
    return empty


def _go(folder: Path) -> Iterator[PhotoTable]:
    """Yield the empty board, and the stones as seen from other places.

    The squares are those around the crossings. There is no samples photo.
    """
    images = _json(folder)["images"]
    name = "empty_overhead.jpeg"
    lines = images[name]["grid_line_corners_px"]
    sides = ("top_left", "top_right", "bottom_right", "bottom_left")
    crossings = np.array([lines[side] for side in sides], np.float32)
    inner = np.array(((0, 0), (18, 0), (18, 18), (0, 18)), np.float32)
    image_from_lines = cv2.getPerspectiveTransform(inner, crossings)
    outer = np.array(((-0.5, -0.5), (18.5, -0.5), (18.5, 18.5), (-0.5, 18.5)))
    corners = cv2.perspectiveTransform(
        outer.reshape(1, 4, 2).astype(np.float32), image_from_lines
    )
    black, white = Look("black"), Look("white")
    letters = str.maketrans("BW", LETTERS[black] + LETTERS[white])
    yield PhotoTable(
        name,
        "gridlock",
        (" ".join(["XX"] * 19),) * 19,
        read_picture(folder / name),
        corners.reshape(4, 2),
        (black, white),
        tuple(
            Photo(
                folder / other, True, "".join(images[other]["rows"]).translate(letters)
            )
            for other in images
            if "stones" in other
        ),
        built=True,
        moved=True,
    )
