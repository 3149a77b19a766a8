"""Learning what a table's chips look like from one photo of them."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import Cell, Look, row_column
from vision.empty_board import Comparison, EmptyBoard, Floats
from vision.frame import Image
from vision.pieces.chips import EDGE, REACH, RINGS, TURNED, ChipLook
from vision.pieces.colours import named_look
from vision.rectify import CELL, MARGIN

_ANGLES = np.linspace(0, 2 * np.pi, 32, endpoint=False)
_RADII = np.arange(0.5, CELL / 2, 0.5)
_BLURRED_EDGE = 0.8  # px; what is seen as the outermost even ring lies this far inside
_LEAST, _UNEVEN = 0.015, 0.08  # log units; spread of an even chip, of a round one
_KNOWN, _MIRRORED = 0.04, 0.5  # log units; how well a tint is known from a sample
_SHINING = 0.2  # log units brighter than the darker half
_SMALLEST = 0.18  # cells; the rounded head of a peg is even in its middle only
_EVEN_TINT, _EVEN_SHADE = 0.2, 0.35  # log units along a ring of a chip
_STRETCHES = (0.85, 0.92, 1.0, 1.08, 1.17)


def learn_looks(
    board: EmptyBoard,
    samples: Image,
    kinds: Mapping[Cell, Look],
    aspect: float = 1.0,
) -> tuple[dict[Look, ChipLook], tuple[float, float]]:
    """Measure the chips of a rectified photo.

    All chips of a table are of one size, so their edges are looked for together:
    a chip is the largest disc that is even along every ring and differs from the
    print. Looks that several samples show are averaged.

    Args:
        board: the empty board.
        samples: rectified photo with chips on it.
        kinds: what lies where.
        aspect: width of a cell divided by its height.

    Returns:
        the looks, and the radius of a chip in cell widths and heights.
    """
    seen = board.compare(samples)
    best: tuple[float, float, dict[Cell, Floats], int] | None = None
    for stretch in _STRETCHES:
        scores = {cell: _discs(seen, cell, aspect * stretch) for cell in kinds}
        joint = np.sum([score.max(axis=0) for score in scores.values()], axis=0)
        at = int(joint.argmax())
        merit = float(joint[at]) * (1 - abs(stretch - 1) / 4)
        if best is None or merit > best[0]:
            best = merit, aspect * stretch, scores, at
    assert best is not None
    _, tall, scores, at = best
    wide = max((float(_RADII[at]) + _BLURRED_EDGE) / CELL, _SMALLEST)
    radius = wide, wide * tall
    patches: dict[Look, list[ChipLook]] = {}
    for cell, look in kinds.items():
        y, x = _middle(cell)
        dy, dx = divmod(int(scores[cell][:, at].argmax()), 2 * REACH + 1)
        place = y + dy - REACH, x + dx - REACH
        shown = _look_at(seen, place, radius, look.endswith(TURNED))
        patches.setdefault(look, []).append(shown)
    looks = {look: _average(several) for look, several in patches.items()}
    # Better the colour's name than a colour under a lamp's mirror image.
    mirrored = [name for name, look in looks.items() if look.known > _KNOWN]
    looks |= {name: named_look(name) for name in mirrored}
    return _merge_backs(looks), radius


def _middle(cell: Cell) -> tuple[float, float]:
    row, column = row_column(cell)
    return MARGIN + (row + 0.5) * CELL - 0.5, MARGIN + (column + 0.5) * CELL - 0.5


def _discs(seen: Comparison, cell: Cell, aspect: float) -> Floats:
    """Score discs of all radii (columns) around all middles in reach (rows)."""
    y, x = _middle(cell)
    offset = np.arange(-REACH, REACH + 1)
    dy, dx = (o.reshape(-1, 1, 1) for o in np.meshgrid(offset, offset, indexing="ij"))
    across = x + dx + _RADII * np.cos(_ANGLES)[:, None]
    down = y + dy + aspect * _RADII * np.sin(_ANGLES)[:, None]

    colour = np.stack([_sample(plane, down, across) for plane in seen.colour])
    rest = colour - np.median(colour, axis=2, keepdims=True)
    shade = rest.mean(axis=0)
    odd = ((rest - shade) ** 2).sum(axis=0) / _EVEN_TINT**2 + (shade / _EVEN_SHADE) ** 2
    # What is only darker may be the chip's shadow.
    changed = np.where(
        seen.shade < -0.1, np.clip(0.5 * seen.tint - 1, 0, seen.cost), seen.cost
    ).astype(np.float32)
    fits = np.minimum(1 - np.minimum(odd, 4), _sample(changed, down, across) - 0.9)
    return np.asarray(np.cumsum(fits.mean(axis=1) * _RADII, axis=1), np.float32)


def _look_at(
    seen: Comparison,
    place: tuple[float, float],
    radius: tuple[float, float],
    written: bool,
) -> ChipLook:
    away = (np.arange(3 * RINGS) + 0.5) / (3 * RINGS) * EDGE
    x = place[1] + away[:, None] * np.cos(_ANGLES) * radius[0] * CELL
    y = place[0] + away[:, None] * np.sin(_ANGLES) * radius[1] * CELL
    colour = np.stack([_sample(plane, y, x) for plane in seen.colour])
    rings = colour.reshape(3, RINGS, -1)
    # What is written on a chip lies at another angle each time: it is left out.
    middle = np.median(rings, axis=-1)
    dark, shining = _shine(rings, middle)
    shining &= not written  # a back has its own bright parts
    middle[:, shining] = dark[:, None]
    away = np.median(np.abs(rings - middle[..., None]), axis=-1).mean(axis=0)
    away[shining] = _UNEVEN
    known = _MIRRORED if shining.any() else _KNOWN
    return ChipLook(middle.T.copy(), np.maximum(1.48 * away, _LEAST), known, written)


def _shine(rings: Floats, middle: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the colour of a chip's darker half and which rings mirror a lamp.

    A lamp's image wanders over a chip with the chip's place; it may have whitened
    all of the chip a little, so that its own tint is not well known.
    """
    every = rings.reshape(3, -1)
    bright = every.mean(axis=0)
    dark = np.median(every[:, bright < np.median(bright)], axis=1)
    return dark, middle.mean(axis=0) > dark.mean() + _SHINING


def _sample(
    plane: Floats, y: npt.NDArray[np.floating], x: npt.NDArray[np.floating]
) -> Floats:
    """Return a plane's values at points, interpolated."""
    rows = len(x)
    flat = cv2.remap(
        plane,
        x.reshape(rows, -1).astype(np.float32),
        y.reshape(rows, -1).astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(flat.reshape(x.shape), np.float32)


def _average(looks: list[ChipLook]) -> ChipLook:
    rings = np.mean([look.rings for look in looks], axis=0)
    between = np.var([look.rings for look in looks], axis=0).mean(axis=1)
    within = np.mean([look.spread**2 for look in looks], axis=0)
    return ChipLook(
        rings.astype(np.float32),
        np.sqrt(within + between).astype(np.float32),
        max(look.known for look in looks),
        any(look.written for look in looks),
    )


def _merge_backs(looks: dict[Look, ChipLook]) -> dict[Look, ChipLook]:
    """Give one look to turned chips whose difference may be chance.

    A label lies at any angle; only what differs by more than a ring's own spread
    tells whose chip it is.
    """
    groups: list[list[Look]] = []
    for name in (name for name in looks if name.endswith(TURNED)):
        for group in groups:
            if all(_alike(looks[name], looks[other]) for other in group):
                group.append(name)
                break
        else:
            groups.append([name])
    merged = dict(looks)
    for group in groups:
        merged |= dict.fromkeys(group, _average([looks[name] for name in group]))
    return merged


def _alike(one: ChipLook, other: ChipLook) -> bool:
    spread: npt.NDArray[np.float32] = one.spread**2 + other.spread**2
    odd = ((one.rings - other.rings) ** 2).mean(axis=1) / spread
    return bool(odd.max() < 2)
