"""What the cells of a board looked like, to be held against an earlier photo.

Whatever lies there: who knows what lay there then can tell whether it was touched
since, without knowing what any piece looks like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import cv2
import numpy as np

from companion.observation import relit
from companion.rules.board import EMPTY, TURNED, Cell, Look, row_column
from vision.empty_board import Floats, Sight
from vision.rectify import CELL, MARGIN

_NONE = np.float32(1e-6)
_PART = CELL // 3  # px; the middle of a cell is two of them wide
_NOISE, _LIGHT = 0.01, 0.03  # of white; see `Appearance.altered`
# By how many nats a cell speaks for another look than before, by how many times as much
# it differs as most cells do, which is noise. In 250 watched games 97 % of 193,000
# pieces that stayed where they were, in the same light, differ by less than one and a
# half times as much, 0.3 % by up to twice as much, and 3 % by more than three times; of
# 2,600 that were turned over or exchanged 1.5, 0.5 and 96 %, and of 10,000 put or taken
# 0.02, 0.1 and 99. (Those that differ by less than three times lie in glare that has
# burnt them out, or have backs like their faces.) More than one nat for a change would
# be honest, but people push pieces without meaning to, and what is pushed, or shaded,
# is also what is misread: of 200 watched games two had a false violation by three nats,
# one by two, and none by one, by which a chip that was turned over and is read as if it
# were not is asked about, as by three.
_TIMES, _NATS = np.log([1.5, 2.0, 3.0]), (-4.0, 0.0, 1.0)
# By how many times as much as noise a look must differ from the most similar one, for
# what looks as it did to be the same piece. On one table of 120, by a dim light, four
# white chips whose backs are white, too, changed no more than noise as they were turned
# over, all at once; their samples differ by 1.1 to 1.8 times as much. Of 10,000 pieces
# put or taken two changed as little.
_APART = np.log([2.0, 4.0])
_FEW = 10  # cells that hands change between photos; more a shadow or a bump changed


@dataclass(frozen=True, eq=False)
class Appearance:
    """What cells look like in a photo.

    Attributes:
        sight: of the photo.
        lean: (rows, columns, 2) how points are seen to lean, see `Network.seen`.
        apart: how far looks are from the most similar ones, see `apart`.
    """

    sight: Sight
    lean: Floats
    apart: Mapping[Look, float] = field(default_factory=dict)

    @cached_property
    def _parts(self) -> Floats:
        """(rows, columns, 12) four parts of each cell's middle, B, G, R of white."""
        rows, columns = self.lean.shape[:2]
        start = MARGIN + (CELL - 2 * _PART) // 2
        photo = self.sight.photo[start : start + rows * CELL]
        photo = photo[:, start : start + columns * CELL]
        size = 3 * columns, 3 * rows
        parts = cv2.resize(photo, size, interpolation=cv2.INTER_AREA)
        parts = parts.reshape(rows, 3, columns, 3, 3)[:, :2, :, :2]
        parts = parts.transpose(0, 2, 1, 3, 4).reshape(rows, columns, 12)
        return np.asarray(parts / np.float32(255))

    @cached_property
    def _light(self) -> Floats:
        """(rows, columns, 12) of `_parts`, log units."""
        return np.tile(self.sight.cell_light, 4)

    def altered(
        self, before: Appearance, lying: Mapping[Cell, Look]
    ) -> dict[Cell, float]:
        """Return by how many nats cells speak for having another look than before.

        Photos in another light, or of a board that lay elsewhere, tell nothing; and
        most cells differ by noise, or, if by more than any camera's, by light. Pieces
        of a look that is like another one by this light are not known to be the same.

        Args:
            before: in an earlier photo of the same board.
            lying: the looks of cells then; of others nothing is told.
        """
        light = before.sight.most_light
        if relit(self.sight.most_light, light) or not np.array_equal(
            self.lean, before.lean
        ):
            return {}
        brighter = np.exp(before._light - self._light)
        change = self._parts * brighter - before._parts
        differ = np.sqrt(np.square(change).mean(axis=-1))
        noise = float(np.median(differ))
        if noise > _LIGHT:
            return {}
        noise = max(noise, _NOISE)
        nats = np.interp(np.log(differ / noise + _NONE), _TIMES, _NATS)
        if np.count_nonzero(nats > 0) > _FEW:
            nats = np.minimum(nats, 0)
        lit = float(np.exp(np.mean(light))) / noise
        same = {
            look: float(np.interp(np.log(apart * lit + _NONE), _APART, (0, 1)))
            for look, apart in self.apart.items()
        } | {EMPTY: 1.0}
        told = {cell: float(nats[row_column(cell)]) for cell in lying}
        return {
            cell: value if value > 0 else value * same.get(lying[cell], 0.0)
            for cell, value in told.items()
        }


def apart(samples: Appearance, kinds: Mapping[Cell, Look]) -> dict[Look, float]:
    """Return by how much looks of pieces differ from the most similar ones, of white.

    In their mean colours, B, G, R, root mean square, in the light of the empty board.
    Two backs may be alike: who knows what lies there knows whose it is.

    Args:
        samples: what they look like.
        kinds: what lies where in it.
    """
    lit = samples._parts / np.exp(samples._light)
    means = lit.reshape(*lit.shape[:2], 4, 3).mean(axis=2)
    shown = [(look, means[row_column(cell)]) for cell, look in kinds.items()]
    least: dict[Look, float] = {}
    for (look, one), (another, other) in permutations(shown, 2):
        backs = look.endswith(TURNED) and another.endswith(TURNED)
        if look != another and not backs:
            differ = float(np.sqrt(np.square(one - other).mean()))
            least[look] = min(differ, least.get(look, differ))
    return least
