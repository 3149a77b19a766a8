"""A lamp mirrored in the empty board's photo, told by that photo alone.

Light V that is mirrored in a board adds to what the board reflects, see `vision.veil`.
Where it lies the paper is brighter than around, and the lines between the squares have
less contrast than elsewhere, both by the same share of all light there:

    1 - paper around / paper  =  1 - contrast / contrast around  =  V / (paper + V)

as the paper and the ink of lines are the same all over. A lamp that merely shines
brighter there leaves the contrast as it was; lines far off are blurred, but no paper is
brighter for that. So both have to say so, and on boards of several papers, whose places
differ as they do, they do not. What is around is a smooth surface through most places;
how blurred lines are varies as slowly as light does.
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
_APART = 0.1  # log units by which both differ, of half the places; lamps up to 0.07
# Share of the light that is mirrored. Of 77 drawn boards without a lamp none shows more
# than 0.05; of 43 with one, faint ones among them, 7 show more than this.
_STRONG = 0.15


def lamp_at(nodes: Floats) -> tuple[int, int] | None:
    """Return the row and column of the square where a strong lamp is mirrored most.

    None if none is, or nothing tells: few squares, no lines, or several papers.

    Args:
        nodes: (3, rows + 1, columns + 1, pixels) linear light where squares meet, and
            at the board's edges, which look otherwise and do not count.
    """
    grey = nodes[:, 1:-1, 1:-1].mean(axis=0)
    if grey.shape[0] * grey.shape[1] < _PLACES:
        return None
    paper, ink = np.quantile(grey, (_PAPER, _INK), axis=-1).clip(1e-4)
    contrast = (1 - ink / paper).clip(1e-3)
    logs = np.stack((np.log(contrast), -np.log(paper)))
    below = np.concatenate([surface(log[None]) - log for log in logs])
    if np.median(contrast) < _FAINT or np.median(np.abs(below[0] - below[1])) > _APART:
        return None
    share = 1 - np.exp(-below.min(axis=0))
    of_squares = cv2.blur(share, (2, 2))[1:, 1:]
    row, column = np.unravel_index(of_squares.argmax(), of_squares.shape)
    if of_squares[row, column] < _STRONG:
        return None
    return int(row) + 1, int(column) + 1


def surface(values: Floats) -> Floats:
    """Return a smooth surface through values (N, rows, columns) of places of any kinds.

    A quadratic one, as in the log is what a lamp nearby gives. How it slopes is told by
    all pairs of places: those of one kind differ by the light alone, others by as much
    more as less, and the farther off the less they count (a Cauchy distribution, by
    weighted least squares, again and again). A mean of the places around would be
    another from square to square of a chequered board.
    """
    rows, columns = values.shape[1:]
    y, x = (
        part.ravel() for part in np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    )
    terms = np.stack((x, y, x * x, x * y, y * y), axis=-1)
    places = values.reshape(len(values), -1).T
    one, other = np.triu_indices(len(places), 1)
    apart, differ = terms[one] - terms[other], places[one] - places[other]
    weight = np.ones((len(one), 1))
    for _ in range(_ROUNDS):
        weighed = (apart * weight).T
        slopes = np.linalg.solve(weighed @ apart, weighed @ differ)
        off = ((apart @ slopes - differ) ** 2).mean(axis=1, keepdims=True)
        weight = 1 / (off + _NEAR**2)
    light = terms @ slopes
    light += np.median(places - light, axis=0)
    return np.asarray(light.T.reshape(values.shape), np.float32)
