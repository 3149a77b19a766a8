"""What squares plainly are, whatever the eyes have learnt.

Networks know the boards that they were taught on. What is told here is told by sums:
by the tint of squares, by how well they show their print, and by how their middles
differ from the empty board's.
"""

from __future__ import annotations

from functools import cache
from math import log

import cv2
import numpy as np
import numpy.typing as npt

from vision.empty_board import Floats, Sight, logarithms, middle
from vision.pieces.closer import Numbers
from vision.pieces.network import normal, shade_and_tint
from vision.pieces.seen import CELL_PX
from vision.rectify import MARGIN

_COVER = 0.5  # log units; of 97,000 drawn empty squares none had more than 0.40
# Correlation with the print. Of drawn squares that seem empty in spite of such a tint,
# eleven on 16 tables, all were bare, and showed their print by 0.93 or more.
_BARE = 0.9
# Correlation of bare squares with their fine print where it shows least, and with all
# of their print if the fine print does not deny it: of 207,000 drawn ones beside chips
# 71 and 67 in a hundred have as much, of 67,000 with chips 3 and none, of 8,700 more
# than half under hands and cards 1 and none. (With all of it, but little of what is
# fine: 5 chips, and one more that was surely told to be bare.) And with so much fine
# print that there is not even a peg, which hides little: of 67,000 bare ones 34 in a
# hundred, of 22,000 pegs 2. There is no chip, either: four times fewer have as much for
# each 0.05 more.
_LEAST, _ALL, _DENIED, _PLAINLY = 0.85, 0.95, 0.7, 0.95
_NO_COVER, _NO_CHIP = 12.0, 8.0  # nats where that is seen
_NO_PEG, _SURELY_NO_CHIP = 8.0, 4.0  # nats, and nats more, where it is seen plainly
_MAYBE = log(1e-3)  # from which it matters that a square may be bare
# How much more than on most squares, and how much at least, log units, the colours in a
# square's middle change for something to lie there; and nats against a bare one. Of
# 66,000 squares of 54 drawn tables that were read as bare, and were, 2 change as much,
# of 29,000 with pieces 3,600.
_TIMES, _MUCH, _NOT_BARE = 10.0, 0.35, 8.0
# Log units beyond a rim square: of 1,000 drawn ones with pieces 4 have more, of 100
# that something covers 25. So that is how much it says against a piece, nats.
_OUTSIDE, _FROM_OUTSIDE = 0.3, 4.0
_SURELY_THERE, _MAYBE_THERE = log(1e-4), log(0.5)  # of there being no piece
_STEEP = 0.7  # lean by which heads 40 mm above squares of 50 mm are half a square off
_INNER = slice(CELL_PX // 4, -(CELL_PX // 4))  # of a square, px
_STRANGE = 0.3  # log units; where all is empty 384 drawn photos had no more than 0.29
# Log of what the darkest channel has to have, here and in the empty photo, for a tint
# to count as it is. Of 48,502 drawn bare squares 31 pass for covered by it, and 186
# without; of covered ones of 40 tables, in hard light, none was given either way.
_DARK = logarithms(np.array([[[30]]], np.uint8)).item()


def by_print(sight: Sight, log_p: Floats, asked: Numbers, *, chips: bool) -> Floats:
    """Return (cells, 2 + K) what is thought, knowing that what shows its print is bare.

    Beside hands eyes take much for covered that is not, and for pieces where shadows of
    a window's bars fall.

    Args:
        sight: of the photo.
        log_p: (cells, 2 + K), see `Thoughts`.
        asked: (N,) cells that may be in doubt.
        chips: pieces are chips, which hide the print.
    """
    if not asked.size:
        return log_p
    least = sight.least_shown(asked)
    shown = (least > _LEAST) | ((sight.all_shown[asked] > _ALL) & ~(least < _DENIED))
    free, plainly = asked[shown], asked[least > _PLAINLY]
    log_p = _against(log_p, free, cover=_NO_COVER, piece=_NO_CHIP if chips else 0.0)
    return _against(log_p, plainly, piece=_SURELY_NO_CHIP if chips else _NO_PEG)


def not_bare(sight: Sight, lean: Floats, log_p: Floats, *, chips: bool) -> Floats:
    """Return (cells, 2 + K) what is thought, knowing what does not look bare at all.

    But for squares that are seen from the side: there, the heads of tall pegs are seen
    over the squares behind.

    Args:
        sight: of the photo.
        lean: (rows, columns, 2) there, see `lean_at`.
        log_p: (cells, 2 + K), see `Thoughts`.
        chips: pieces are chips, which are low.
    """
    change = _change(sight)
    _, height, width = change.shape
    squares = change.reshape(3, height // CELL_PX, CELL_PX, width // CELL_PX, CELL_PX)
    inner = squares[:, :, _INNER, :, _INNER].transpose(1, 3, 0, 2, 4)
    differ = np.sqrt(inner.reshape(len(log_p), 3, -1).var(axis=-1).mean(axis=-1))
    strange = differ > max(_MUCH, _TIMES * float(middle(differ)))
    strange &= log_p[:, 0] > _MAYBE
    if not chips:
        strange &= np.linalg.norm(lean, axis=-1).ravel() < _STEEP
    return _against(log_p, np.flatnonzero(strange), bare=_NOT_BARE)


def reached_over(sight: Sight, log_p: Floats) -> Floats:
    """Return (cells, 2 + K) what is thought, knowing what reaches in over the rim.

    A hand that reaches for a corner may show no more than a fingertip there, which is
    as large as a chip. No chip lies so far out that it is seen beyond its square by
    more than a quarter of one; what has another tint there has come from outside. But
    boxes and cards may lie beside a board, too, so pieces that surely are some stay,
    and a window that is mirrored has a tint, and is no hand.

    Args:
        sight: of the photo.
        log_p: (cells, 2 + K), see `Thoughts`.
    """
    none = np.logaddexp(*log_p[:, :2].T)
    vague = (none > _SURELY_THERE) & (none < _MAYBE_THERE) & ~sight.mirror
    if not vague.any():
        return log_p
    vague &= _beyond(sight).ravel() > _OUTSIDE
    return _against(log_p, np.flatnonzero(vague), piece=_FROM_OUTSIDE)


def _beyond(sight: Sight) -> Floats:
    """Return (rows, columns) by how much the tint changed outside of rim squares.

    A quarter to half a square beyond them, log units; 0 for squares within.
    """
    rim, strip = MARGIN // 2, MARGIN // 4
    planes = np.concatenate((sight.whole[3:6], _darkest(sight)[None]))
    aside = _aside(sight)
    tints = np.zeros(aside.shape[:2], np.float32)
    for turn in range(4):
        outer = np.rot90(planes, turn, axes=(1, 2))[:, :strip, rim:-rim]
        means = outer.mean(axis=1).reshape(4, -1, CELL_PX).mean(axis=2)
        edge = np.rot90(tints, turn)[0]
        tint = _tint(means[:3].T, np.rot90(aside, turn)[0], means[3])
        np.maximum(edge, tint, out=edge)
    return tints


def _against(
    log_p: Floats,
    cells: Numbers,
    *,
    bare: float = 0.0,
    cover: float = 0.0,
    piece: float = 0.0,
) -> Floats:
    """Return (cells, 2 + K) what is thought, with evidence against it on some cells.

    Args:
        log_p: (cells, 2 + K), see `Thoughts`.
        cells: (N,).
        bare: nats against their being bare.
        cover: nats against a cover.
        piece: nats against any piece.
    """
    if not cells.size:
        return log_p
    nats = np.full(log_p.shape[1], piece, np.float32)
    nats[:2] = bare, cover
    log_p = log_p.copy()
    log_p[cells] = normal(log_p[cells] - nats)
    return log_p


def covers(sight: Sight, empty: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return (cells,) of which the tint says that something covers them.

    Networks know the boards that they were taught on: what has another tint than the
    empty square is something, and if no piece that is known, a cover. But what seems
    empty and shows its print lies bare: on dark print, a faint glare is a tint, too.

    Args:
        sight: of the photo.
        empty: (cells,) that seem empty.
    """
    there = tints(sight)
    tinted = there[::2, ::2].ravel() > _COVER
    if (tinted & empty).any():
        bare = tinted & empty & (sight.shown > _BARE)
        tinted, empty = tinted & ~bare, empty & ~bare
    return tinted | _between(there, empty)


def tints(sight: Sight) -> Floats:
    """Return by how much the tint changed on squares and between them, log units.

    (2 rows - 1, 2 columns - 1) places, half a square apart; the first is the middle of
    the first square. In the dark a few levels of stray light are a large part of what
    there is, so tints count the less there, see `_DARK`.

    The light is known by what is seen where squares meet, and if that is dark, by a
    faint glare there. What has not changed in the light of most of the board has not
    changed either: of 58,000 drawn squares that were bare 3 seem to be covered else,
    and none so; of 1,808 that were, by hands, 28 less.
    """
    planes = np.concatenate((_change(sight), _squares(_darkest(sight))[None]))
    down, across = (_means(length) for length in planes.shape[1:])
    *here, dark = np.asarray(down @ planes @ across.T, np.float32)
    return _tint(np.stack(here, axis=-1), _halfway(_aside(sight)), dark)


def _tint(here: Floats, aside: Floats, dark: Floats) -> Floats:
    """Return (...) by how much the tint changed, log units.

    Args:
        here: (..., 3) changes.
        aside: (..., 3) what light changes there, see `_aside`.
        dark: (...) logs of the darkest channel, see `_darkest`.
    """
    _, squares = shade_and_tint(np.stack((here, here + aside)))
    light = np.exp(np.minimum(dark - _DARK, 0))
    return np.asarray(np.sqrt(squares.min(axis=0)) * light, np.float32)


def _aside(sight: Sight) -> Floats:
    """Return (rows, columns, 3) how the light changed otherwise than it mostly did."""
    return sight.cell_light - np.array(sight.most_light, np.float32)


def _darkest(sight: Sight) -> Floats:
    """Return (h, w) logs of the darkest channel, here or in the empty photo."""
    return np.asarray(cv2.min(sight.half.min(axis=0), sight.empty.half_darkest))


def _change(sight: Sight) -> Floats:
    """Return (3, h, w) how the squares differ from the empty board, log units."""
    return _squares(sight.whole[3:6])


def _squares(planes: Floats) -> Floats:
    """Return planes (..., h, w) without what lies beyond the squares."""
    rim = MARGIN // 2
    return planes[..., rim:-rim, rim:-rim]


def _halfway(cells: Floats) -> Floats:
    """Return values (rows, columns, ...) of cells, and means of neighbours between."""
    rows, columns, *rest = cells.shape
    places = np.empty((2 * rows - 1, 2 * columns - 1, *rest), np.float32)
    places[::2, ::2] = cells
    places[1::2, ::2] = (cells[1:] + cells[:-1]) / 2
    places[:, 1::2] = (places[:, 2::2] + places[:, :-2:2]) / 2
    return places


@cache
def _means(length: int) -> Floats:
    """Return what makes of a line of px its means at places half a square apart.

    (2 cells - 1, px); each is taken over two thirds of a square.
    """
    half, reach = CELL_PX // 2, CELL_PX // 2 - CELL_PX // 6
    means = np.zeros((length // half - 1, length), np.float32)
    for place, line in enumerate(means, 1):
        line[place * half - reach : place * half + reach] = 1 / (2 * reach)
    return means


def _between(tints: Floats, empty: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return (cells,) beside places that changed though all around looks empty.

    A piece on a line is on none of its squares; what leans over one stands on another.

    Args:
        tints: see `tints`.
        empty: (cells,).
    """
    around = np.ones(tints.shape, bool)
    squares = around[::2, ::2]
    squares[:] = empty.reshape(squares.shape)
    around[1::2] = around[:-2:2] & around[2::2]
    around[:, 1::2] = around[:, :-2:2] & around[:, 2::2]
    changed = (around & (tints > _STRANGE)).astype(np.uint8)
    changed[::2, ::2] = 0
    if changed.any():  # seldom, and dilation takes its time
        changed = cv2.dilate(changed, np.ones((3, 3), np.uint8))  # type: ignore[assignment]
    return np.asarray(changed[::2, ::2].ravel() > 0)
