"""Photos of random tables to learn from: python -m vision.training.photos FOLDER.

Each table becomes one file: the rectified empty board and photos in its light and in
others, with hands, cards and lamps, and what lies on every square. High pieces may be
looked at on a plane above the board, as `vision.raised` does. Table numbers start where
no benchmark goes.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count, filterfalse, islice
from multiprocessing import Pool
from pathlib import Path
from typing import BinaryIO

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import EMPTY, Look, turned_over
from vision.frame import Image
from vision.pose import BoardPose, Lens, Points
from vision.rectify import CELL, FINE, Rectifier
from vision.scene import Card, PieceStyle, Scene, covered, draw
from vision.scene.pieces import piece_radius
from vision.scene.random_tables import (
    RandomTable,
    Rng,
    a_glare,
    a_hand,
    barred,
    lamps_lit,
    random_table,
    strange_table,
    windowed,
)

FIRST = 100_000
"""Number of the first table."""

PHOTOS = 10
"""Photos of each table, beside those of its calibration, if nobody wants fewer."""

SAME_LIGHT = 2
"""How many of them are in the light of the empty board's."""

_BEGUN, _FEW = 0.2, 4  # share of the photos with that many pieces at most
_TURNED = 0.4  # share of the photos in which one chip was turned over, or back
_GLARING = 0.25  # share of the photos in other light that have one glare more
_BARRED = 0.2  # share of those with shadows of bars; at calibration half as many
_WINDOWS = 0.2  # share of those in which a window is mirrored, if there are any
_CALIBRATED, _FOUND = 0.02, 0.03  # cells; how well corners are known, and found again
_HIGH = 6.0  # mm; higher chips are draughtsmen, and seen aside as pegs are
_FLAT = 0.2  # share of the tables with high pieces whose height nobody measured
_PLANE = (0.3, 0.9)  # of the pieces' height, on which they are looked at


def lesson(number: int) -> RandomTable:
    """Return table number `number`; every other board is of a kind of its own."""
    return strange_table(number) if _strange(number) else random_table(number)


def _strange(number: int) -> bool:
    return number % 2 == 1


def _with_high_pieces(number: int) -> bool:
    return _high(lesson(number).bare.piece_style)


def _high(style: PieceStyle) -> bool:
    return style.shape == "peg" or style.height > _HIGH


def _with_chips(number: int) -> bool:
    return lesson(number).bare.piece_style.shape == "chip"


def make_table(
    folder: Path,
    number: int,
    photos_of: int = PHOTOS,
    *,
    raised: bool = False,
    fine: bool = False,
    windows: bool = False,
) -> None:
    """Photograph a table into a file of a folder.

    Args:
        folder: of such files.
        number: of the table.
        photos_of: how many are taken of it, beside those of its calibration.
        raised: high pieces are looked at on a plane above the board, see `_plane`.
        fine: squares are `FINE` px wide.
        windows: some are mirrored.
    """
    file = folder / f"{number}.npz"
    if file.exists():
        return
    rng = np.random.default_rng((5, number))
    table = lesson(number)
    if rng.random() < _BARRED / 2:
        table = replace(table, bare=barred(rng, table.bare))
    bare, board = table.bare, table.bare.board
    corners = bare.corners() + _jitter(rng, bare, _CALIBRATED)
    lens = _lens(bare)
    pose = BoardPose.from_corners(corners, board.size_mm, lens)
    focal, plane = pose.focal(), _plane(number, bare.piece_style) if raised else 0.0

    def above(pose: BoardPose) -> BoardPose:
        return pose.raised(plane, pose.eye(focal)) if plane else pose

    def straightened(photo: Image, pose: BoardPose) -> Image:
        side = FINE if fine else CELL
        rectify = Rectifier(pose, board.cell_mm, board.columns, board.rows, side)
        return rectify(photo)

    empty = straightened(draw(bare), above(pose))
    codes = {look: at for at, look in enumerate((EMPTY, *table.looks))}
    photos, truths, hidden, tops = [], [], [], []
    for scene in _scenes(table, rng, photos_of, windows=windows):
        # A board that is found again lies nearly, not quite, where it lay.
        off = rng.uniform(0, _FOUND) if rng.random() < 0.5 else 0.0
        found = corners + _jitter(rng, bare, off)
        again = above(BoardPose.from_corners(found, board.size_mm, lens))
        photos.append(straightened(draw(scene), again))
        tops.append(_tops(scene, again))
        truths.append([codes[look] for look in scene.looks().values()])
        hidden.append(list(covered(scene).values()))
    with whole(file) as out:
        np.savez_compressed(
            out,
            allow_pickle=False,
            empty=empty,
            photos=np.stack(photos),
            truth=np.array(truths, np.uint8),
            covered=np.array(hidden, np.float32),
            tops=np.array(tops, np.float32),
            radius=piece_radius(bare.piece_style, board.cell_mm) / min(board.cell_mm),
            names=np.array(table.looks),
            cell_mm=np.array(board.cell_mm, np.float32),
            plane=np.array(plane, np.float32),
            eye=bare.view.eye,
        )


def _tops(scene: Scene, pose: BoardPose) -> npt.NDArray[np.float64]:
    """Return (cells, 2) where pieces' tops are seen, nan where there is none.

    Right and down of the middles of their squares, in squares.

    Args:
        scene: the table.
        pose: of the plane that is looked at.
    """
    board = scene.board
    seen = np.full((len(board.cells), 2), np.nan)
    middles = np.array([scene.middle(cell) for cell in board.cells])
    at = [number for number, cell in enumerate(board.cells) if cell in scene.pieces]
    if at:
        height = scene.piece_style.height
        places = [(*scene.place(board.cells[number]), height) for number in at]
        there = pose.to_board(np.asarray(scene.view.project(places), np.float64))
        seen[at] = (there - middles[at]) / board.cell_mm
    return seen


def _plane(number: int, style: PieceStyle) -> float:
    """Return on which plane a table's pieces are looked at, mm above the board."""
    rng = np.random.default_rng((10, number))
    if not _high(style) or rng.random() < _FLAT:
        return 0.0
    return style.height * float(rng.uniform(*_PLANE))


def coarse(photo: Image) -> Image:
    """Return a fine photo at `CELL` px a square."""
    side = photo.shape[1] * CELL // FINE, photo.shape[0] * CELL // FINE
    return np.asarray(cv2.resize(photo, side, interpolation=cv2.INTER_AREA), np.uint8)


@contextmanager
def whole(file: Path) -> Iterator[BinaryIO]:
    """Write a file; whoever stops there, leaves no half of one."""
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        yield out
    part.rename(file)


def _scenes(
    table: RandomTable, rng: Rng, photos: int, *, windows: bool
) -> Iterator[Scene]:
    for at in range(photos):
        # The first photo shows samples of every look.
        other = at >= SAME_LIGHT
        scene = table.in_play(rng, other_light=other) if at else table.shown(rng)
        board = scene.board
        if at and rng.random() < _BEGUN:
            # Where games begin, few pieces say how others look in a light.
            pieces = list(scene.pieces.items())
            few = rng.permutation(len(pieces))[: rng.integers(_FEW + 1)]
            scene = replace(scene, pieces=dict(pieces[number] for number in few))
        if at and rng.random() < _TURNED:
            scene = _one_turned(rng, scene, table.looks)
        if other:
            scene = _in_harder_light(rng, scene, windows=windows)
        if rng.random() < 0.25:
            scene = replace(scene, hands=(a_hand(rng, board),))
        if rng.random() < 0.1:
            x, y = rng.uniform(-0.1, 1.1, 2) * board.size_mm
            code = str(rng.choice(("7H", "JS", "", "TC", "2D")))
            scene = replace(
                scene, cards=(Card(code, (float(x), float(y)), rng.uniform(0, 360)),)
            )
        if rng.random() < 0.15:
            scene = replace(scene, leds=lamps_lit(rng, board))
        if rng.random() < 0.15:
            motion = rng.normal(0, 0.8, 2)
            smeared = (float(motion[0]), float(motion[1]))
            scene = replace(scene, sensor=replace(scene.sensor, motion=smeared))
        yield scene


def _in_harder_light(rng: Rng, scene: Scene, *, windows: bool) -> Scene:
    """Put more glares, shadows of bars and a mirrored window into some photos."""
    if rng.random() < _GLARING:
        glare = (*scene.light.glare, a_glare(rng, scene.board))
        scene = replace(scene, light=replace(scene.light, glare=glare))
    if rng.random() < _BARRED:
        scene = barred(rng, scene)
    if windows and rng.random() < _WINDOWS:
        scene = windowed(rng, scene)
    return scene


def _one_turned(rng: Rng, scene: Scene, looks: Collection[Look]) -> Scene:
    """Turn one chip over, or back: how likely that is, is for referees to say."""
    pieces = list(scene.pieces.items())
    if not pieces:
        return scene
    cell, piece = pieces[rng.integers(len(pieces))]
    other = turned_over(piece.look)
    if other not in looks:
        return scene
    return replace(scene, pieces={**scene.pieces, cell: replace(piece, look=other)})


def _jitter(rng: Rng, scene: Scene, cells: float) -> Points:
    """Return random displacements (4, 2) of corners, px."""
    corners = scene.corners()
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
    return np.asarray(rng.normal(0, cells / 2 * side / scene.board.columns, (4, 2)))


def _lens(scene: Scene) -> Lens:
    """Return the scene's lens; its radii are in half diagonals, not focal lengths."""
    view = scene.view
    part = np.hypot(*view.size) / 2 / view.focal
    return Lens(view.size, view.k1 * part**2, view.k2 * part**4)


def main() -> None:
    """Photograph many tables."""
    parser = argparse.ArgumentParser(description="Photos to learn from.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=860)
    parser.add_argument("--photos", type=int, default=PHOTOS, help="of each table")
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument(
        "--usual", action="store_true", help="no boards of kinds of their own"
    )
    parser.add_argument(
        "--high", action="store_true", help="tables with pegs or draughtsmen alone"
    )
    parser.add_argument(
        "--raised", action="store_true", help="such pieces seen above the board"
    )
    parser.add_argument("--chips", action="store_true", help="tables with chips alone")
    parser.add_argument(
        "--fine", action="store_true", help="with all that is printed on pieces"
    )
    parser.add_argument(
        "--windows", action="store_true", help="with some that are mirrored"
    )
    wishes = parser.parse_args()
    wishes.folder.mkdir(parents=True, exist_ok=True)
    every = count(wishes.first)
    wanted: Iterator[int] = filterfalse(_strange, every) if wishes.usual else every
    wanted = filter(_with_high_pieces, wanted) if wishes.high else wanted
    wanted = filter(_with_chips, wanted) if wishes.chips else wanted
    numbers = islice(wanted, wishes.tables)
    with Pool(2, partial(cv2.setNumThreads, 1)) as pool:
        make = partial(
            make_table,
            wishes.folder,
            photos_of=wishes.photos,
            raised=wishes.raised,
            fine=wishes.fine,
            windows=wishes.windows,
        )
        for _ in pool.imap_unordered(make, numbers):
            pass


if __name__ == "__main__":
    main()
