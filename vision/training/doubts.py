"""What the eyes doubt in drawn photos: python -m vision.training.doubts FROM TO.

Reads photos that `vision.training.photos` drew, one by one as at a table, and keeps
what is seen on cells that stay in doubt, on some others, and on pieces beside them.
Each table is read in several lights. `vision.training.relate` learns from it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import Look, square
from vision.empty_board import EmptyBoard, Floats, Sight
from vision.frame import Image
from vision.pieces.chips import Answers, ChipReader, backs_of, doubtful
from vision.pieces.closer import CELLS, CLEAR, Numbers
from vision.pieces.eyes import under_hand
from vision.pieces.looks import name_of
from vision.pieces.memory import Memory
from vision.pieces.network import Thoughts
from vision.pieces.prints import TOLD, Finely, Rings
from vision.pieces.relation import apart, nearest
from vision.pose import lean_at
from vision.rectify import FINE
from vision.training.batches import MOST, TOUCHED, Rng, in_other_light
from vision.training.photos import coarse, whole

LIGHTS = 4
"""Ways in which each table is lit and read, if nobody wants fewer."""

# Log units from which crops are kept in 8 bits, up to 1.5; see `Sight.around`.
_FIRST, _LEVELS = np.float32(-3.0), np.float32(255 / 4.5)
_NAMED = 0.25  # share of the readings without samples
_PIECES, _PRINTED = 5, 15  # of a photo, that are in no doubt; of a fine one
_DOUBTS = 30  # of a fine photo
_COVERED = 0.5  # of a square
_NOTHING = -40.0  # nats, of looks that a table does not have


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """Crops of one table's photos, (N, ...): cells in question, and known pieces.

    Attributes:
        crops: (N, CHANNELS, SIDE, SIDE) uint8, see `shown`; none of fine photos.
        rings: (N, TOLD) of chips in fine photos, see `prints.Rings`; none of others.
        lean: (N, 2).
        photo: (N,) number of its photo; -1 for samples.
        cell: (N,)
        look: (N,) of known pieces; -1 for cells in question.
        truth: (N,) 0 for empty, 2 and more for looks.
        covered: (N,) part that something covers.
        before: (N, 2 + MOST) log-probabilities.
        doubted: (N,) whether the eyes do.
        names: (K, NAMED) of the looks.
        columns: () of the board.
        chequered: () whether the board is, see `EmptyBoard`.
    """

    crops: npt.NDArray[np.uint8]
    rings: Floats
    lean: Floats
    photo: Numbers
    cell: Numbers
    look: Numbers
    truth: Numbers
    covered: Floats
    before: Floats
    doubted: npt.NDArray[np.bool_]
    names: Floats
    columns: npt.NDArray[np.int_]
    chequered: npt.NDArray[np.bool_]

    @classmethod
    def load(cls, file: Path) -> Doubts:
        """Read what `read_table` wrote."""
        with np.load(file) as table:
            return cls(*(table[part.name] for part in fields(cls)))

    def shown(self, rows: Numbers) -> Floats:
        """Return crops (M, CHANNELS, SIDE, SIDE) as `Sight.around` has them."""
        return unpacked(self.crops[rows])


def packed(crops: Floats) -> npt.NDArray[np.uint8]:
    """Return crops in 8 bits, see `Sight.around`."""
    levels = np.rint((crops - _FIRST) * _LEVELS).clip(0, 255)
    return np.asarray(levels, np.uint8)


def unpacked(crops: npt.NDArray[np.uint8]) -> Floats:
    """Return what `packed` took, nearly."""
    return np.asarray(crops / _LEVELS + _FIRST, np.float32)


class _Witness(ChipReader):
    """Remembers what it thought before the last look told more."""

    thought: tuple[Sight, Floats] | None = None

    def _answers(
        self,
        sight: Sight,
        lean: Floats,
        thoughts: Thoughts,
        finely: Finely | None,
        memory: Memory,
    ) -> Answers:
        told = super()._answers(sight, lean, thoughts, finely, memory)
        self.thought = None if under_hand(told.log_p) else (sight, told.log_p)
        return told

    def _otherwise(
        self,
        sight: Sight,
        lean: Floats,
        finely: Finely | None,
        thoughts: Thoughts,
        log_p: Floats,
    ) -> Floats:
        return log_p


class _OfCoarse(_Witness):
    """Where print is not to be seen, pieces beside cells are looked at last."""

    def _beside(self, sight: Sight, lean: Floats, log_p: Floats) -> Floats:
        return log_p


def read_table(to: Path, job: tuple[Path, int]) -> None:
    """Read a drawn table in one of its lights, into a file of a folder."""
    drawn, light = job
    file = to / f"{drawn.stem}-{light}.npz"
    if file.exists():
        return
    seed = int(drawn.stem) + light * 1_000_003
    rng = np.random.default_rng((11, seed))
    with np.load(drawn) as table:
        truth, covered = table["truth"].astype(np.intp), table["covered"]
        side = int(np.sqrt(truth.shape[1]))
        empty, photos = in_other_light(table["empty"], table["photos"], seed)
        fine = len(photos[0]) > FINE * side
        looks = [Look(str(name)) for name in table["names"]]
        width, height = map(float, table["cell_mm"])
        lean = lean_at(table["eye"], (width, height), side, side)
        raised = bool(table["plane"] > 0)
    truth += truth > 0  # by columns of `Thoughts.log_p`
    board = EmptyBoard(coarse(empty) if fine else empty, side, side)
    shown: dict[int, int] = {}
    if rng.random() >= _NAMED:
        for look in range(len(looks)):
            cells = np.flatnonzero((truth[0] == 2 + look) & (covered[0] < TOUCHED))
            if cells.size:
                shown[int(rng.choice(cells))] = look
    kinds = {square(*divmod(cell, side)): looks[look] for cell, look in shown.items()}
    rings = Rings((width, height))

    def seen(number: int) -> tuple[Sight, Image | None]:
        photo = photos[number]
        return board.under(coarse(photo) if fine else photo), photo if fine else None

    first, picture = seen(0)
    witness = _Witness if fine else _OfCoarse
    reader = witness(board, lean, (width, height), looks, first, kinds, raised=raised)
    parts = []
    if shown:
        unread = np.zeros((side * side, 2), np.float32)
        samples = _Photo(first, picture, rings, lean, -1, truth[0], covered[0], unread)
        cells, known = (np.array(list(of), np.intp) for of in (shown, shown.values()))
        parts.append(samples.rows(cells, known, 0))
    for number in rng.permutation(np.arange(1, len(photos))).tolist():
        sight, picture = seen(number)
        reader.read(sight, lean)
        if reader.thought is not None:
            sight, log_p = reader.thought
            its = truth[number], covered[number]
            photo = _Photo(sight, picture, rings, lean, number, *its, log_p)
            parts.append(photo.rows(*photo.chosen(backs_of(looks), rng)))
    if not parts:
        return  # by names, and a hand in each photo
    with whole(file) as out:
        np.savez(
            out,
            allow_pickle=False,
            names=np.array([name_of(look) for look in looks], np.float32),
            columns=np.array(side),
            chequered=np.array(board.chequered),
            **{
                name: np.concatenate([rows[name] for rows in parts])
                for name in parts[0]
            },
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Photo:
    """A photo as it was read.

    Attributes:
        sight: of it.
        fine: the same at `FINE` px a cell; None if it is not fine.
        rings: show what is printed on chips.
        lean: (rows, columns, 2).
        number: see `Doubts.photo`.
        truth: (cells,)
        covered: (cells,)
        log_p: (cells, 2 + K).
    """

    sight: Sight
    fine: Image | None
    rings: Rings
    lean: Floats
    number: int
    truth: Numbers
    covered: Floats
    log_p: Floats

    def chosen(self, backs: Sequence[int], rng: Rng) -> tuple[Numbers, Numbers, int]:
        """Choose what is kept.

        Args:
            backs: columns of turned chips.
            rng: picks cells that are in no doubt: pieces, and what is empty beside.

        Returns:
            what `rows` takes.
        """
        columns = self.sight.empty.columns
        most = CELLS if self.fine is None else _DOUBTS
        doubts = doubtful(self.log_p, CLEAR, backs, most)
        free = np.flatnonzero(self.covered < _COVERED)
        pieces, empty = free[self.truth[free] > 1], free[self.truth[free] == 0]
        near = empty[(apart(empty, pieces, columns) <= 2).any(axis=1)]
        count = _PIECES if self.fine is None else _PRINTED
        some = [*rng.permutation(pieces)[:count], *rng.permutation(empty)[:1]]
        some += [*rng.permutation(near)[:1]]
        others = [cell for cell in dict.fromkeys(some) if cell not in doubts]
        asked = np.array([*doubts, *others], np.intp)
        beside = doubts if doubts.size else asked[:2]
        look, known = nearest(self.log_p, beside, columns)
        kinds = np.concatenate((np.full(len(asked), -1), look))
        return np.concatenate((asked, known)), kinds, len(doubts)

    def rows(
        self, cells: Numbers, looks: Numbers, doubted: int
    ) -> dict[str, npt.NDArray[np.generic]]:
        """Return rows of `Doubts` by the names of its attributes.

        Args:
            cells: (N,) to keep.
            looks: (N,) of known pieces, -1 for cells in question.
            doubted: how many of them, which come first, are in doubt.
        """
        before = np.full((len(cells), 2 + MOST), _NOTHING, np.float32)
        before[:, : self.log_p.shape[1]] = self.log_p[cells]
        if self.fine is None:
            crops = packed(self.sight.around(cells).swapaxes(0, 1))
            rings = np.zeros((len(cells), 0), np.float32)
        else:
            crops = np.zeros((len(cells), 0), np.uint8)
            rings = np.zeros((len(cells), TOLD), np.float32)
            for sure in (True, False):
                some = (looks >= 0) == sure
                if some.any():
                    its = self.sight, self.fine, cells[some]
                    rings[some] = self.rings.seen(*its, sure=sure)
        return {
            "crops": crops,
            "rings": rings,
            "lean": self.lean.reshape(-1, 2)[cells],
            "photo": np.full(len(cells), self.number),
            "cell": cells,
            "look": looks,
            "truth": self.truth[cells],
            "covered": self.covered[cells],
            "before": before,
            "doubted": np.arange(len(cells)) < doubted,
        }


def main() -> None:
    """Read all tables of a folder."""
    parser = argparse.ArgumentParser(description="What the eyes doubt, to learn from.")
    parser.add_argument("drawn", type=Path)
    parser.add_argument("to", type=Path)
    parser.add_argument("--tables", type=int, help="no more than these first")
    parser.add_argument("--lights", type=int, default=LIGHTS, help="of each table")
    wishes = parser.parse_args()
    wishes.to.mkdir(parents=True, exist_ok=True)
    tables = sorted(wishes.drawn.glob("*.npz"))[: wishes.tables]
    jobs = product(tables, range(wishes.lights))
    with Pool(2, partial(cv2.setNumThreads, 1)) as pool:
        for _ in pool.imap_unordered(partial(read_table, wishes.to), jobs):
            pass


if __name__ == "__main__":
    main()
