"""Calibrating a table from a photo of the empty board and one with samples."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np

from calibration.corners import find_grid
from calibration.layout import Grid
from calibration.lens import cell_aspect
from calibration.table import Table
from companion.errors import BoardNotFound, NotationError
from companion.observation import Observation
from companion.rules.board import (
    EMPTY,
    TURNED,
    Cell,
    Look,
    SquareBoard,
    square,
    team_of,
)
from vision.empty_board import EmptyBoard, burnt_out, colourless, exposure
from vision.frame import Frame, Image
from vision.markers import FAMILIES, find_markers
from vision.pose import CORNERS, BoardPose, Lens, Points, goes_round, rescaled
from vision.reader import scale
from vision.rectify import Rectifier

CELL_MM = 50.0
"""Width of a cell where nothing tells it: only ratios matter to the eyes."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A calibrated table and how it came about.

    Attributes:
        table: ready to read with.
        found_by: "markers", "grid" or "given".
        warnings: sentences for the user.
    """

    table: Table
    found_by: str
    warnings: tuple[str, ...] = ()


def calibrate(
    game: str,
    rows: Sequence[str],
    empty: Image,
    *,
    corners: Points | None = None,
    samples: Image | None = None,
    kinds: Mapping[Cell, Look] | None = None,
    looks: Sequence[Look] = (),
    board: str = "",
    reduced: int = 1,
) -> Calibration:
    """Calibrate a table.

    Args:
        game: id of the game.
        rows: what is printed, "XX 2S ...", top row first.
        empty: photo of the empty board.
        corners: (4, 2) px, the grid's outer corners from the top left clockwise,
            as the rows are written; None to look for them.
        samples: photo with some chips on the board, of the same shape; the camera
            has not moved.
        kinds: what lies where in the samples photo.
        looks: what chips may look like; with samples only those of the teams that
            are shown, a side that is not shown by its name.
        board: the board's name, "" for none.
        reduced: by what the photos' sides were divided when they were read; corners
            are given, and told in sentences, in the photo as it was.

    Raises:
        BoardNotFound: the grid was not found, or cannot lie where it is said to, or
            the samples photo has another shape, shows no board, or no samples, which
            lie in the other one.
        NotationError: a sample lies on no square of the board.
    """
    size = empty.shape[1], empty.shape[0]
    faces = [row.split() for row in rows]
    shape = len(faces[0]), len(faces)
    # What is said wrongly is told at once: to look for a grid takes its time.
    kinds = kinds or {}
    _check_kinds(kinds, SquareBoard.of(rows).cells)
    given = None
    if corners is not None:
        given = rescaled(np.asarray(corners, np.float64), 1 / reduced)
        _check_given(given, shape, size, reduced)
    family, markers = _markers(empty)
    seen = find_grid(empty, faces, markers)
    # Where they lie is measured as the reader will see them.
    markers = find_markers(empty, family)
    if len(markers) < _FEW:
        family, markers = "", {}
    warnings: list[str] = []
    if given is None:
        points, lens = _found(seen, empty, shape, reduced)
    else:
        points = given
        lens, warnings = _given(seen, points, shape, size, reduced)
    warnings += _shown_too_little(empty, points)
    if kinds and len({team_of(look) for look in kinds.values()}) < 2:
        warnings.append(
            "Chips of one team alone are named in --kinds, and nobody plays alone; "
            "show some of every team to calibrate for a game."
        )
    unit = BoardPose.from_corners(points, shape, lens)
    aspect = cell_aspect(unit.image_from_board, size)
    cell_mm = (CELL_MM, CELL_MM / aspect)
    squares = SquareBoard.of(rows, cell_mm)
    pose = BoardPose.from_corners(points, squares.size_mm, lens)
    warnings += _mirrored(empty, squares, pose)
    every = tuple(dict.fromkeys((*looks, *kinds.values())))
    if kinds:
        teams = {team_of(look) for look in kinds.values()}
        unseen = [look for look in looks if team_of(look) in teams]
        looks = tuple(dict.fromkeys((*kinds.values(), *unseen)))
    table = Table(
        game=game,
        rows=tuple(rows),
        corners=_pairs(points),
        empty=empty,
        looks=tuple(looks),
        cell_mm=cell_mm,
        lens=lens,
        board=board,
        family=family,
        markers={
            number: _pairs(pose.to_board(quad))
            for number, quad in sorted(markers.items())
        },
        samples=None if samples is None else scale(samples, size),
        kinds=kinds,
    )
    found_by = "given" if given is not None else "markers" if markers else "grid"
    if samples is not None:
        warnings += _doubts(replace(table, looks=every), samples)
    return Calibration(table, found_by, tuple(warnings))


def _found(
    seen: Grid | None, empty: Image, shape: tuple[int, int], reduced: int
) -> tuple[Points, Lens]:
    """Return the corners of a grid that is seen surely, and the lens.

    Raises:
        BoardNotFound: it is not, or not all of it.
    """
    if seen is None:
        raise BoardNotFound(_NOTHING_SEEN[exposure(empty)])
    points = seen.corners(*shape)
    beyond = _beyond(points, (empty.shape[1], empty.shape[0]))
    # Where its place is only supposed, one within the photo would be likelier.
    allowed = _BEYOND if seen.sure else 0.0
    if (seen.sure or seen.whole) and beyond > allowed:
        raise BoardNotFound(
            "The board seems to reach beyond the empty photo; take it again with the "
            "whole board in it."
        )
    if not seen.sure:
        raise BoardNotFound(
            "Squares are to be seen in the empty photo, but not surely with this "
            "board's print; name the right board, or the file of your own, with "
            "--board, or give the grid's corners with --corners"
            + _offer(seen, shape, reduced)
            + "."
        )
    return points, seen.pose.lens


def _given(
    seen: Grid | None,
    points: Points,
    shape: tuple[int, int],
    size: tuple[int, int],
    reduced: int,
) -> tuple[Lens, list[str]]:
    """Return the lens that corners were seen through, and what belies them."""
    if seen is None:
        return Lens(size), [_UNSEEN]
    away = _apart(seen, points, shape)
    lens = seen.pose.lens if min(away) < _NEAR else Lens(size)
    if not seen.sure or away[0] <= _NEAR:
        return lens, []
    return lens, [
        "The squares are seen elsewhere, or otherwise round, than --corners says: "
        f"{_words_of(seen, shape, reduced)} by what is printed or by markers; if "
        "that is right, calibrate again without --corners."
    ]


def _shown_too_little(empty: Image, points: Points) -> Iterator[str]:
    """Yield what makes the photo of the empty board say little of it."""
    if burnt_out(empty, points) > _MUCH:
        yield (
            "Much of the board is burnt out in the empty photo, where nothing is seen "
            "of its print; dim the light, and calibrate again."
        )
    if colourless(empty):
        yield (
            "The empty photo has no colours; if the camera has a night mode, turn it "
            "off or make more light, and calibrate again."
        )


def _mirrored(empty: Image, board: SquareBoard, pose: BoardPose) -> Iterator[str]:
    """Yield where a lamp is mirrored in the photo of the empty board, if one is."""
    flat = Rectifier(pose, board.cell_mm, board.columns, board.rows)(empty)
    at = EmptyBoard(flat, board.rows, board.columns).lamp()
    if at is not None:
        yield (
            f"A lamp is mirrored in the board around {square(*at)} in the empty photo; "
            "pieces there may be missed. Shade it, or move it or the camera, and take "
            "the photos again."
        )


def _pairs(points: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points)


def _check_given(
    points: Points, shape: tuple[int, int], size: tuple[int, int], reduced: int
) -> None:
    """Raise BoardNotFound where no board with such corners can be in the photo."""
    if _beyond(points, size) > _BEYOND:
        width, height = (side * reduced for side in size)
        raise BoardNotFound(
            f"--corners names places outside of the empty photo, which has {width} x "
            f"{height} pixels; give x,y of the grid's four corners in it."
        )
    sides = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    if min(sides[1::2].min() / shape[0], sides[::2].min() / shape[1]) < _SMALLEST:
        raise BoardNotFound(
            f"--corners leaves squares less than {_SMALLEST * reduced} px wide; give "
            "the outer corners of the whole grid, in a photo from closer by."
        )


def _beyond(points: Points, size: tuple[int, int]) -> float:
    """Return how far points lie outside of a picture, as a share of its sides."""
    return float((np.maximum(-points, points - size) / size).max())


def _offer(grid: Grid, shape: tuple[int, int], reduced: int) -> str:
    """Return the corners of a grid of which only the way round is unknown, in words."""
    if not grid.whole:
        return ""
    corners = _words_of(grid, shape, reduced)
    return f", {corners} if the layout begins at the upper left in the photo"


def _words_of(grid: Grid, shape: tuple[int, int], reduced: int) -> str:
    """Return the corners of a grid as they are given on the command line."""
    found = rescaled(grid.corners(*shape), reduced)
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in found)
    return f'"{corners}"'


_NOTHING_SEEN = {
    "dark": "The empty photo is very dark; make more light, and take it again.",
    "burnt": "The empty photo is burnt out; dim the light, and take it again.",
    "lit": (
        "The printed squares of this board are not to be made out in the empty photo; "
        "give the grid's corners with --corners."
    ),
}

_UNSEEN = (
    "The printed squares are not to be made out between --corners, so they are taken "
    "to be even, and the lens to bend nothing; see whether the rings lie on the pieces "
    "in a photo that is read with --overlay."
)

_NEAR = 0.3  # cells; corners that were given and found mean the same grid
_BEYOND = 0.1  # of the picture's width or height; a corner may be cut off
_SMALLEST = 4  # px; nothing is told of smaller squares
_MUCH = 0.5  # of the board
_FEW = 3  # markers; fewer may be something else that looks like one
_HARDLY = 1e-3  # probability of what is said of a sample
_SURELY = 0.99  # probability
_READABLE = 8  # squares in a sentence
_RATHER = 0.5  # probability
_NEVER = 1e-6  # probability; less tells no more


def _apart(grid: Grid, corners: Points, shape: tuple[int, int]) -> list[float]:
    """Return how far, in cells, a grid lies from its corners, for four ways round."""
    outer = CORNERS * np.array(shape)
    seen = grid.pose.to_board(corners)
    away = (np.linalg.norm(np.roll(seen, at, 0) - outer, axis=1) for at in range(4))
    return [float(far.max()) for far in away]


def _markers(image: Image) -> tuple[str, Mapping[int, Points]]:
    """Return the family and the corners, px, of the markers beside the board."""
    found = {family: find_markers(image, family, small=True) for family in FAMILIES}
    family = max(found, key=lambda family: len(found[family]))
    return family, found[family]


def _doubts(table: Table, samples: Image) -> tuple[str, ...]:
    """Return what the photos show otherwise than is said of them.

    They are read by the colours' names alone: held against itself every sample is
    right. Each is held against the other: what lies on the "empty" board is seen as
    pieces then, and what lies in both as none. A piece in one of them often looks in
    the other, where it is missing, like one of another colour.

    Args:
        table: with all looks that the game has.
        samples: the photo.

    Raises:
        BoardNotFound: one of them cannot be read, or each is the other.
    """
    bare = replace(table, samples=None, kinds={})
    reader = bare.reader()
    seen = reader.read(Frame(samples))
    if not seen.log_p:
        raise BoardNotFound(f"The samples photo cannot be read. {seen.note}")
    outer = reader.pose.to_image(CORNERS * np.array(table.squares().size_mm))
    shown = scale(samples, table.lens.size)
    turned_about = replace(bare, empty=shown, corners=_pairs(outer))
    before = turned_about.reader().read(Frame(table.empty))
    if not before.log_p:
        raise BoardNotFound(
            f"The photo of the empty board cannot be read. {before.note}"
        )
    if _are_there(table.kinds, before, seen):
        raise BoardNotFound(
            "The samples lie in the photo of the empty board, not in the other one; "
            "calibrate again, with the photos exchanged."
        )
    unnamed = set(table.squares().cells) - table.kinds.keys()
    here, there = (
        {cell for cell in unnamed if _shows_a_piece(photo, cell)}
        for photo in (before, seen)
    )
    lying, either = here - there, here & there
    covered = (seen.hidden | before.hidden) & unnamed - lying
    doubts = []
    if either:
        doubts.append(
            f"Something lies on {_listed(table, either)} in one of the two photos; if "
            "those are samples, name them in --kinds, and if not, clear the board and "
            "take both photos again."
        )
    if lying:
        doubts.append(
            f"Something lies on {_listed(table, lying)} in the photo of the empty "
            "board; clear it, take both photos again, and calibrate with those."
        )
    if covered:
        doubts.append(
            f"Something covers {_listed(table, covered)} in one of the photos; take "
            "both again without it, and calibrate with those."
        )
    doubts += _said_otherwise(table, seen, here)
    return tuple(doubts)


def _said_otherwise(
    table: Table, seen: Observation, but: Container[Cell]
) -> Iterator[str]:
    """Yield where the samples photo shows otherwise than --kinds says.

    Args:
        table: with all looks that the game has.
        seen: the samples photo.
        but: squares of which something else is said.
    """
    for cell in table.squares().cells:
        said, look = table.kinds.get(cell, EMPTY), seen.likely(cell)
        if look is None:
            if said != EMPTY:
                yield f"Something covers {cell} in the samples photo; take it again."
        elif _probability(said, seen.log_p[cell]) < _HARDLY and cell not in but:
            shows = "empty" if look == EMPTY else _words(look)
            named = f"says {_words(said)}" if said != EMPTY else "names no piece there"
            yield (
                f"{cell} looks {shows} in the samples photo, but --kinds {named}; "
                "check that, and calibrate again if it is wrong."
            )


def _shows_a_piece(seen: Observation, cell: Cell) -> bool:
    """Return whether a piece surely lies on a cell; whose a turned one is, is open."""
    look = seen.likely(cell)
    if look is None or look == EMPTY:
        return False
    return _probability(look, seen.log_p[cell]) > _SURELY


def _listed(table: Table, cells: Container[Cell]) -> str:
    """Return some cells in the board's order, not more than can be read."""
    named = [cell for cell in table.squares().cells if cell in cells]
    more = len(named) - _READABLE
    return ", ".join(named[:_READABLE]) + (f" and {more} more" if more > 0 else "")


def _are_there(
    kinds: Mapping[Cell, Look], here: Observation, there: Observation
) -> bool:
    """Tell whether the samples are seen in a photo, and rather than in the other.

    One that is hidden there is not seen: what is missing there, but is on the board
    that it is held against, mostly looks as if something covered it.
    """
    in_here, in_there = (
        [
            max(_probability(look, seen.log_p.get(cell, {})), _NEVER)
            for cell, look in kinds.items()
        ]
        for seen in (here, there)
    )
    likelier = sum(map(log, in_here)) > sum(map(log, in_there))
    return likelier and min(in_here) > _RATHER


def _probability(said: Look, log_p: Mapping[Look, float]) -> float:
    """Return the probability of a look; of being turned, as names do not tell whose."""
    turned = said.endswith(TURNED)
    return sum(
        exp(value)
        for look, value in log_p.items()
        if look == said or (turned and look.endswith(TURNED))
    )


def _words(look: Look) -> str:
    team = team_of(look)
    return team if team == look else f"turned {team}"


def _check_kinds(kinds: Mapping[Cell, Look], cells: Sequence[Cell]) -> None:
    for cell in kinds:
        if cell not in cells:
            raise NotationError(f"There is no square {cell} on this board.")


def parse_kinds(text: str, looks: Sequence[Look]) -> dict[Cell, Look]:
    """Read "c3=white g3=red e5=white-turned".

    Raises:
        NotationError: it is written otherwise, or names an unknown look, or none.
    """
    kinds = {}
    for word in text.replace(",", " ").split():
        match = re.fullmatch(r"([a-z]\d{1,2})=([a-z]+(?:-turned)?)", word.lower())
        if match is None:
            raise NotationError(
                f'"{word}" in --kinds is not written like "c3=white" or '
                '"e5=white-turned".'
            )
        cell, look = Cell(match[1]), Look(match[2])
        if look not in looks:
            raise NotationError(
                f'This game has no "{look}" chips; it has {", ".join(looks)}.'
            )
        if cell in kinds:
            raise NotationError(f"--kinds names {cell} twice; name each square once.")
        kinds[cell] = look
    if not kinds:
        raise NotationError('--kinds says what the samples are: "c3=white g3=red".')
    return kinds


def parse_corners(text: str) -> Points:
    """Read "x,y x,y x,y x,y".

    Raises:
        NotationError: these are not four points of a board seen from above.
    """
    numbers = re.findall(r"[-+]?\d+(?:\.\d+)?", text)
    if len(numbers) != 8:
        raise NotationError(
            '--corners are four points, "x,y x,y x,y x,y": top left, top right, '
            "bottom right, bottom left of the printed grid."
        )
    points = np.array(numbers, np.float64).reshape(4, 2)
    if not goes_round(points):
        raise NotationError(
            "--corners must go round the grid clockwise from its top left."
        )
    return points
