"""What the cells of a board looked like, to be held against an earlier photo.

Whatever lies there: who knows what lay there then can tell whether it was touched
since, without knowing what any piece looks like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations

import cv2
import numpy as np
import numpy.typing as npt

from companion.observation import Altered, Changes, relit
from companion.rules.board import EMPTY, TURNED, Cell, Look, row_column, square
from vision.empty_board import Floats, Parts, middle

_LEAST, _LIGHT = 0.002, 0.03  # of white; see `difference`
# By how many nats a cell speaks for another look than before, by how many times as much
# as noise it differs. Of 201,000 pieces of 200 watched games that stayed where they
# were, in the same light, 95 % differ by less than twice as much, 1.6 % by up to three
# times, 0.3 % by up to four, and 3 % by more; of 2,900 that were turned over or
# exchanged 0.1, 0.1, 1 and 99 %, and of 11,400 put or taken none, 0.04, 0.1 and 99.9.
# So what looks as it did is 7 nats less likely to have changed. More than one nat for a
# change would be honest, too, but people push pieces without meaning to, and what is
# pushed, or shaded, is also what is misread: of 200 watched games two had a false
# violation by three nats, one by two, and none by one, by which a chip that was turned
# over and is read as if it were not is asked about, as by three.
_TIMES, _NATS = (2.0, 3.0, 3.5), (-7.0, 0.0, 1.0)
# Nobody pushes what is bare, and shadows, sun and glare are wider than a square. Of
# squares that were bare and of which none around changed by more than three times as
# much as noise, nor a quarter as much as they did, those that changed by 6 to 8 times
# as much bore a piece in 149 of 172 cases, by 8 to 12 times in 600 of 608, and by more
# in 21,730 of 21,748 (600 games; 23 of the 26 were two corners, which flickered).
_TIMES_ALONE, _NATS_MORE = (3.5, 6.0, 8.0, 12.0), (0.0, 0.0, 2.0, 4.0)
_BESIDE = 0.25  # of its change
# By how many times as much as noise a look must differ from the most similar one, for
# what looks as it did to be the same piece. White chips whose backs are white, too, may
# differ by less than their samples: on one table of 120, by a dim light, four changed
# by 1.3 to 2.0 times as much as noise as they were turned over, and their samples
# differ by 3.3 times as much; on one of 200 one changed by 2.2 to 3.1, and they by 8.
_APART, _FAR = 8.0, 2.0  # and from twice that on it surely is
# Half of that suffices where that very square showed by how much; then what looks as
# it did never changed, for those that do and did are of looks that hardly differ.
_SEEN, _NEVER = 0.5, -12.0
_BURNT = 0.97  # of white; a cell no part of which is darker shows nothing
_FEW = 10  # cells that hands change between photos; more a shadow or a bump changed


@dataclass(frozen=True, eq=False)
class Appearance:
    """What cells look like in a photo.

    Attributes:
        parts: of the photo.
        lean: (rows, columns, 2) how points are seen to lean, see `Network.seen`.
        apart: how far looks are from the most similar ones, see `apart`.
    """

    parts: Parts
    lean: Floats
    apart: Mapping[Look, float] = field(default_factory=dict)

    def altered(
        self,
        before: Appearance,
        lying: Mapping[Cell, Look],
        changes: Changes,
    ) -> dict[Cell, Altered]:
        """Return how cells speak for having another look than before.

        Photos in another light, or of a board that lay elsewhere, tell nothing; and
        most cells differ by noise, or, if by more than any camera's, by light. Pieces
        of a look that is like another one by this light are not known to be the same,
        nor is what lies where all is burnt out. A square that hardly changed as it got
        its look may have the one from before, and others have not, for that would be
        seen. A bare square that looks otherwise, and none around does, bears a piece.

        Args:
            before: in an earlier photo of the same board.
            lying: the looks of cells then; of others nothing is told.
            changes: by how much cells changed as they got these, of white.
        """
        told = self._against(before)
        if told is None:
            return {}
        differ, noise = told
        nats = np.interp(differ, _TIMES, _NATS)
        darkest = np.minimum(self.parts.colours, before.parts.colours).min(axis=-1)
        nats = np.where(darkest > _BURNT, np.maximum(nats, 0), nats)
        if np.count_nonzero(nats > 0) > _FEW:
            nats = np.minimum(nats, 0)
        borne = np.interp(differ, _TIMES_ALONE, _NATS_MORE) * _alone(differ)
        least = least_apart(before.parts, noise)
        known = {look: _told_by(apart, least) for look, apart in self.apart.items()}
        known[EMPTY] = 1.0
        altered = {}
        for cell, look in lying.items():
            value, by_look = float(nats[row_column(cell)]), {}
            if value > 0 and look == EMPTY:
                value += float(borne[row_column(cell)])
            elif value < 0:
                never = _NEVER * value / _NATS[0]
                by_look = {
                    other: never * _told_by(by, _SEEN * least)
                    for other, by in changes.get(cell, {}).items()
                }
                value *= known.get(look, 0.0)
            altered[cell] = Altered(value, by_look)
        return altered

    def changed(self, before: Appearance) -> dict[Cell, float]:
        """Return by how much cells look otherwise than before.

        Root mean square, of white, in the light of the empty board; nothing is told by
        another light, or of a board that lay elsewhere.

        Args:
            before: in an earlier photo of the same board.
        """
        told = self._against(before)
        if told is None:
            return {}
        differ, noise = told
        change = differ * (noise / _lit(before.parts))
        return {square(*at): float(by) for at, by in np.ndenumerate(change)}

    def _against(self, before: Appearance) -> tuple[Floats, float] | None:
        """Return `difference` from an earlier photo, of a board that lay there."""
        if not np.array_equal(self.lean, before.lean):
            return None
        return difference(self.parts, before.parts)


def _alone(differ: Floats) -> npt.NDArray[np.bool_]:
    """Return (rows, columns) around which nothing changed, see `_BESIDE`.

    Args:
        differ: (rows, columns) by how many times as much as noise cells changed.
    """
    around = np.ones((3, 3), np.uint8)
    around[1, 1] = 0
    most = cv2.dilate(differ, around, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(most < np.maximum(_TIMES[1], _BESIDE * differ))


def difference(now: Parts, before: Parts) -> tuple[Floats, float] | None:
    """Return by how much cells differ in two photos of a board in the same light.

    In units of what most cells differ by, which is noise: in play few change. None if
    they are in other lights, or if most differ by more than any camera's noise.

    Returns:
        (rows, columns) by how many times as much as noise, and the noise, of white.
    """
    if relit(now.most_light, before.most_light):
        return None
    brighter = np.exp(before.light - now.light)[..., None, :]
    shape = (*now.light.shape[:2], 4, 3)
    change = now.colours.reshape(shape) * brighter - before.colours.reshape(shape)
    differ = np.sqrt(np.einsum("rcpb,rcpb->rc", change, change) / np.float32(12))
    noise = float(middle(differ.ravel()))
    if noise > _LIGHT:
        return None
    noise = max(noise, _LEAST)
    return differ / np.float32(noise), noise


def least_apart(parts: Parts, noise: float) -> float:
    """Return how far apart looks must be for what looks as it did to be the same.

    Args:
        parts: of the photo in which it was known; looks differ as much as it is lit.
        noise: of white, see `difference`.

    Returns:
        of white, in the light of the empty board, see `apart`.
    """
    return _APART * noise / _lit(parts)


def _told_by(apart: float, least: float) -> float:
    """Return how much looks that are that far apart tell, 0 to 1, see `least_apart`."""
    return float(np.interp(apart, (least, _FAR * least), (0, 1)))


def _lit(parts: Parts) -> float:
    """Return by how much a photo's light is brighter than the empty board's."""
    return float(np.exp(np.mean(parts.most_light)))


def apart(samples: Parts, kinds: Mapping[Cell, Look]) -> dict[Look, float]:
    """Return by how much looks of pieces differ from the most similar ones, of white.

    In their mean colours, B, G, R, root mean square, in the light of the empty board.
    Two backs may be alike: who knows what lies there knows whose it is.

    Args:
        samples: what they look like.
        kinds: what lies where in it.
    """
    colours = samples.colours.reshape(*samples.light.shape[:2], 4, 3)
    means = colours.mean(axis=2) / np.exp(samples.light)
    shown = [(look, means[row_column(cell)]) for cell, look in kinds.items()]
    least: dict[Look, float] = {}
    for (look, one), (another, other) in permutations(shown, 2):
        backs = look.endswith(TURNED) and another.endswith(TURNED)
        if look != another and not backs:
            differ = float(np.sqrt(np.square(one - other).mean()))
            least[look] = min(differ, least.get(look, differ))
    return least
