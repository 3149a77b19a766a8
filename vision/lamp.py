"""A lamp mirrored in the empty board's photo, told by that photo alone.

Light V that is mirrored in a board adds to what the board reflects, see `vision.veil`.
Where it lies the paper is brighter than around, and the lines between the squares have
less contrast than elsewhere, both by the same share of all light there:

    1 - paper around / paper  =  1 - contrast / contrast around  =  V / (paper + V)

as the paper and the ink of lines are the same all over. A lamp that merely shines
brighter there leaves the contrast as it was; lines far off are blurred, but no paper is
brighter for that. So both have to say so. What is around is a smooth surface through
most places; how blurred lines are varies as slowly as light does.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_ROUNDS, _NEAR = 10, 0.05  # of weighing; log units from which pairs have less say
_PAPER, _INK = 0.8, 0.1  # quantiles of the light where squares meet
_FAINT = 0.1  # of the paper's light; fainter lines tell nothing
_PLACES = 25  # fewer tell nothing
# Share of the light that is mirrored, on average of two by two places. Of 43 drawn
# boards without a lamp none shows more than 0.03; of 17 with one, faint ones among
# them, 9 show more than 0.07. Those below this mislead less than what is taken off
# pieces that do not mirror the lamp.
_MIRRORED = 0.2
_SEEN = 0.05  # of it, where the lamp is seen, and places around it
_MOST = 0.95
_TINT = (0.5, 2.0)  # how far its colours may differ from grey


def mirrored_lamp(nodes: Floats) -> Floats | None:
    """Return the light that a lamp adds, (3, rows, columns), white is 1; None without.

    Args:
        nodes: (3, rows, columns, pixels) linear light where squares of one paper meet,
            also at the board's edges, which look otherwise.
    """
    inner = nodes[:, 1:-1, 1:-1]
    grey = inner.mean(axis=0)
    paper, ink = np.quantile(grey, (_PAPER, _INK), axis=-1).astype(np.float32)
    contrast = 1 - ink / paper.clip(1e-4)
    if contrast.size < _PLACES or np.median(contrast) < _FAINT:
        return None
    logs = np.log(contrast.clip(1e-3)), -np.log(paper.clip(1e-4))
    lost, brighter = (_below(values) for values in logs)
    both = np.minimum(lost, brighter)
    if cv2.blur(both, (2, 2))[1:, 1:].max() < _MIRRORED:
        return None
    # What is around is told anew by the places that no light of the lamp falls on.
    where = both > _SEEN
    free = ~where
    if np.count_nonzero(free) < _PLACES:
        return None
    share = np.mean([_below(values, free) for values in logs], axis=0) * _wider(where)
    share = share.clip(0, _MOST)
    colours = np.quantile(inner, _PAPER, axis=-1).astype(np.float32)
    more = [colour * _below(-np.log(colour.clip(1e-4)), free) for colour in colours]
    tint = np.array([(part * where).sum() for part in more]).clip(1e-4)
    tint = (tint / tint.mean()).clip(*_TINT)
    added = tint[:, None, None] * share * paper
    return np.pad(added, ((0, 0), (1, 1), (1, 1)), mode="edge").astype(np.float32)


def _wider(places: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return places (rows, columns), and those around them."""
    around = cv2.dilate(places.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(around > 0)


def _below(values: Floats, free: npt.NDArray[np.bool_] | None = None) -> Floats:
    """Return by which share places (rows, columns) are below free ones, values in logs.

    Below all, if none are named.
    """
    around = surface(values[None], free)[0]
    return np.asarray(1 - np.exp(values - around), np.float32)


def surface(values: Floats, free: npt.NDArray[np.bool_] | None = None) -> Floats:
    """Return a smooth surface through values (N, rows, columns) of places of any kinds.

    A quadratic one, as in the log is what a lamp nearby gives. How it slopes is told by
    all pairs of places: those of one kind differ by the light alone, others by as much
    more as less, and the farther off the less they count (a Cauchy distribution, by
    weighted least squares, again and again). A mean of the places around would be
    another from square to square of a chequered board.

    Args:
        values: (N, rows, columns).
        free: (rows, columns) places that tell; all if they are not named.
    """
    rows, columns = values.shape[1:]
    y, x = (
        part.ravel() for part in np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    )
    terms = np.stack((x, y, x * x, x * y, y * y), axis=-1)
    places = values.reshape(len(values), -1).T
    telling = np.arange(len(places)) if free is None else np.flatnonzero(free)
    one, other = (telling[at] for at in np.triu_indices(len(telling), 1))
    apart, differ = terms[one] - terms[other], places[one] - places[other]
    weight = np.ones((len(one), 1))
    for _ in range(_ROUNDS):
        weighed = (apart * weight).T
        slopes = np.linalg.solve(weighed @ apart, weighed @ differ)
        off = ((apart @ slopes - differ) ** 2).mean(axis=1, keepdims=True)
        weight = 1 / (off + _NEAR**2)
    light = terms @ slopes
    light += np.median((places - light)[telling], axis=0)
    return np.asarray(light.T.reshape(values.shape), np.float32)
