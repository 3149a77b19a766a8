"""What is printed on chips, ring by ring, tells which side is up."""

from dataclasses import replace

import numpy as np
import pytest

from companion.rules.board import square
from tests.scenes import LOOKS, overhead, pose_of, rectifier_of, sequence_board
from vision.empty_board import EmptyBoard
from vision.pieces import prints, tops
from vision.pieces.closer import CHANNELS, SIDE
from vision.pieces.prints import TOLD, Printed, Rings, parted
from vision.pieces.relation import BESIDE, SAMPLE, Known
from vision.rectify import CELL, FINE, MARGIN
from vision.scene import Light, Piece, PieceStyle, draw
from vision.scene.pieces import COLOURS, Back
from vision.training.photos import _tops

CELL_MM = 50.0, 39.0
RING = Back(COLOURS["white"], "#7d86a8", 0.9, (0.6,), matt=True)
"""White as white chips are, but for a thin ring."""

CHIPS = {
    square(1, 1): Piece(LOOKS["w"], (0.1, -0.1)),
    square(1, 4): Piece(LOOKS["W"], (-0.2, 0.1), rotation=20),
    square(1, 7): Piece(LOOKS["W"], (0.2, 0.15), rotation=130),
    square(4, 2): Piece(LOOKS["w"], (-0.15, 0.2)),
    square(4, 5): Piece(LOOKS["W"], (0.0, 0.0), rotation=250),
    square(4, 8): Piece(LOOKS["w"], (0.2, -0.2)),
    square(7, 3): Piece(LOOKS["b"], (0.1, 0.1)),
}
CELLS = np.array([11, 14, 17, 42, 45, 48, 73])
FACES, TURNED = [0, 3, 5], [1, 2, 4]


class _Shown:
    """White chips on a table, some turned over, from a side, below a bright lamp."""

    def __init__(self) -> None:
        bare = overhead(sequence_board(CELL_MM), 30, (1296, 972))
        light = Light(lamp=(-200, 900, 700), key=(0.9, 0.9, 0.9), ambient=(0.1,) * 3)
        style = PieceStyle(back=RING, height=6)
        self.scene = replace(bare, pieces=CHIPS, piece_style=style, light=light, seed=3)
        rectify = rectifier_of(bare)
        photo = draw(self.scene)
        empty = draw(replace(self.scene, pieces={}, seed=4))
        self.sight = EmptyBoard(rectify(empty), 10, 10).under(rectify(photo))
        self.fine, self.pose = rectify.finely(photo), pose_of(bare)


@pytest.fixture(scope="module")
def shown():
    """Return one such table."""
    return _Shown()


def test_a_fine_picture_shows_the_same(shown):
    """Twice as many pixels along each side, and so is the rim."""
    rows, columns, _ = shown.fine.shape

    assert (rows, columns) == (11 * FINE, 11 * FINE)
    assert (CELL + MARGIN) * 2 == FINE + FINE // 2
    halved = shown.fine.reshape(11 * CELL, 2, 11 * CELL, 2, 3).mean(axis=(1, 3))
    assert np.abs(halved - shown.sight.photo).mean() < 6


def test_tops_are_found_where_chips_are_and_not_their_shadows(shown):
    """White chips are less striking on light paper than what they keep from it."""
    at, radius, _ = tops.trained().find(shown.sight.around(CELLS))

    true = _tops(shown.scene, shown.pose)[CELLS]
    part = 0.36 * min(CELL_MM) / np.sqrt(CELL_MM[0] * CELL_MM[1])
    assert np.abs(at - true).max() < 0.1
    assert radius == pytest.approx(np.full(len(CELLS), part), abs=0.04)


def test_middles_are_known_where_chips_are(shown):
    """Elsewhere many places come into question, and who compares prints is told so."""
    free = np.setdiff1d(np.arange(100), CELLS)
    (*_, known), (*_, vague) = (
        tops.trained().find(shown.sight.around(cells)) for cells in (CELLS, free)
    )
    both = np.array([CELLS[0], free[0]])
    there, nowhere = Rings(CELL_MM).seen(shown.sight, shown.fine, both)

    assert known.max() < 0.08 < vague.min()
    assert there[-1] < nowhere[-1]


def test_rings_are_seen_however_a_chip_is_turned(shown):
    """What differs between two sides is more than between two chips of one."""
    seen = Rings(CELL_MM).seen(shown.sight, shown.fine, CELLS, sure=True)

    _, rest = parted(seen)
    assert seen.shape == (len(CELLS), TOLD)
    apart = np.square(rest[:, None] - rest)[..., : 3 * 16].sum(axis=-1)
    for side in (FACES, TURNED):
        other = [number for number in FACES + TURNED if number not in side]
        alike = max(apart[one, two] for one in side for two in side)
        assert alike < min(apart[one, two] for one in side for two in other)


@pytest.mark.parametrize("kind", [SAMPLE, BESIDE])
def test_sides_are_told_by_a_thin_ring(shown, kind):
    """Though nothing else was known."""
    seen = Rings(CELL_MM).seen(shown.sight, shown.fine, CELLS, sure=True)
    known = Known.all(seen[[0, 1, 6]], np.array([0, 1, 2]), kind, CELLS[[0, 1, 6]])
    asked = [2, 3, 4, 5]
    before = np.log(np.full((4, 5), (1e-6, 1e-6, 0.49, 0.49, 0.02)), dtype=np.float32)

    away = np.full((4, 3), 4, np.float32)
    p = np.exp(prints.told(seen[asked], known, away, before))

    assert (p[:, 2:].argmax(axis=1) == [1, 0, 1, 0]).all()
    assert (p.max(axis=1) > 0.6).all()


def test_what_is_empty_or_covered_stays_as_likely(shown):
    """Print says which piece lies there, not whether one does."""
    seen = Rings(CELL_MM).seen(shown.sight, shown.fine, CELLS, sure=True)
    known = Known.all(seen[:2], np.array([0, 1]), SAMPLE, CELLS[:2])
    before = np.log(np.array([[0.2, 0.3, 0.25, 0.25]], np.float32))

    after = prints.told(seen[2:3], known, np.ones((1, 2), np.float32), before)

    assert after[:, :2] == pytest.approx(before[:, :2])
    assert np.exp(after).sum() == pytest.approx(1, abs=1e-5)


def test_two_that_compare_prints_count_as_much(monkeypatch):
    """What one doubts stays in doubt, though the other is sure; nobody adds a chip."""
    before = np.log(np.array([[0.1, 0.2, 0.35, 0.35]], np.float32))
    says = {"prints": (0.6, 0.1), "prints-windows": (0.35, 0.35)}

    class Says:
        def __init__(self, name):
            self.log_p = lambda *_: np.log(np.float32([[0.1, 0.2, *says[name]]]))

    monkeypatch.setattr(prints, "trained", Says)
    known = Known.all(np.zeros((1, TOLD), np.float32), np.array([0]), SAMPLE, CELLS[:1])

    p = np.exp(prints.told(known.seen, known, np.ones((1, 1), np.float32), before))

    odds = np.sqrt(0.6 / 0.1)
    expected = 0.7 * np.array((odds, 1)) / (odds + 1)
    assert p[0] == pytest.approx((0.1, 0.2, *expected), abs=1e-5)


def test_crops_without_chips_are_no_fault():
    """Doubts may be about what is none."""
    at, radius, spread = tops.trained().find(
        np.zeros((CHANNELS, 3, SIDE, SIDE), np.float32)
    )

    assert at.shape == (3, 2)
    assert np.isfinite(radius).all()
    assert np.isfinite(spread).all()


def test_looks_are_told_apart_by_who_has_seen_both(shown):
    """And by nobody who has seen none, or one alone."""
    looks = tuple(LOOKS[letter] for letter in "wWb")
    printed, asked = Printed(CELL_MM, looks), np.array([14, 73])
    before = np.full((100, 5), -9.0, np.float32)
    before[14, [2, 3]] = before[73, [2, 4]] = -0.7

    told = [printed.tells(before, asked).tolist()]
    for cells in ({11: looks[0]}, {17: looks[1]}):
        printed.learn(shown.sight, shown.fine, cells)
        told.append(printed.tells(before, asked).tolist())

    assert told == [[False, False], [False, False], [True, False]]
