"""What looks as it did is not looked at again, and what does not is."""

from dataclasses import replace

import numpy as np
import pytest

from companion.looking import position_of
from companion.rules.board import Cell, Look
from tests.scenes import KINDS, calibrated, overhead, pieces, sequence_board
from vision.frame import Frame
from vision.pieces import chips
from vision.pieces.network import CHANNELS, TOLD, Network, trained
from vision.pieces.seen import CELL_PX
from vision.scene import BoardStyle, Hand, Piece, Sensor, draw

ROWS, COLUMNS = 7, 9
RIM = 4  # px around the cells of a picture
POSITION = (
    "...r....../.w...W..../r..w....../....rr..w./"
    "........../.wwWWWWW../....../r.../..r...w.../........R."
)


def on(row, column):
    """Return where a cell is in a picture."""
    top, left = RIM + row * CELL_PX, RIM + column * CELL_PX
    return slice(None), slice(top, top + CELL_PX), slice(left, left + CELL_PX)


@pytest.fixture
def looked(monkeypatch):
    """The sizes, in cells, of what is looked at."""
    sizes = []
    alone = Network._alone

    def counted(self, picture, box):
        found = alone(self, picture, box)
        sizes.append(found.shape[:2])
        return found

    monkeypatch.setattr(Network, "_alone", counted)
    return sizes


@pytest.fixture
def lean():
    return np.random.default_rng(2).normal(0, 0.3, (ROWS, COLUMNS, 2)).astype("f4")


@pytest.fixture
def network():
    return trained("paper")


@pytest.fixture
def now():
    """What a network might be shown."""
    size = CHANNELS, ROWS * CELL_PX + 2 * RIM, COLUMNS * CELL_PX + 2 * RIM
    return np.random.default_rng(1).normal(-0.5, 0.2, size).astype("f4")


@pytest.fixture
def before(network, now, lean, looked):
    """What was seen of that; what is looked at afterwards is counted."""
    seen = network.seen(now, lean)
    looked.clear()
    return seen


@pytest.mark.parametrize(
    "changed",
    [[(3, 4)], [(0, 0)], [(6, 8), (6, 7)], [(1, 1), (5, 7)], [(2, 0), (2, 1), (4, 3)]],
    ids=["one", "corner", "side by side", "far apart", "some"],
)
def test_it_is_as_if_all_were_looked_at(network, now, lean, before, looked, changed):
    """Cells that changed, and those around, are seen as in a photo seen for itself."""
    for cell in changed:
        now[on(*cell)] += np.float32(0.4)

    again = network.seen(now, lean, before)

    assert sum(rows * columns for rows, columns in looked) < ROWS * COLUMNS
    anew = network.seen(now, lean)
    np.testing.assert_allclose(again.h, anew.h, atol=1e-4)
    np.testing.assert_allclose(again.own, anew.own, atol=1e-4)
    assert np.abs(anew.h - before.h).max() > 0.1


def test_what_was_thought_of_other_cells_holds(network, now, lean, before):
    """Of those that are seen anew all is thought again, as of a photo by itself."""
    rng = np.random.default_rng(4)
    looks = rng.normal(-0.5, 0.4, (3, TOLD)).astype("f4")
    foreign = rng.normal(-0.5, 0.4, (2, TOLD)).astype("f4")
    thought = network.think(before, looks, foreign)
    now[on(3, 4)] += np.float32(0.8)
    seen = network.seen(now, lean, before)

    again = network.think(seen, looks, foreign, thought)

    anew = network.think(seen, looks, foreign)
    fresh = seen.fresh.reshape(ROWS, COLUMNS)
    assert fresh[1:6, 2:7].all()
    assert fresh.sum() == 25
    fresh = seen.fresh
    for part in ("first", "foreign", "h", "own"):
        mine, theirs, old = (getattr(of, part) for of in (again, anew, thought))
        np.testing.assert_allclose(mine[fresh], theirs[fresh], atol=1e-4)
        np.testing.assert_array_equal(mine[~fresh], old[~fresh])
        assert np.abs(theirs[fresh] - old[fresh]).max() > 0.1
    # What other cells seem to be by now counts for these, and that is little.
    mine, theirs, old = (np.exp(of.log_p) for of in (again, anew, thought))
    np.testing.assert_allclose(mine[fresh], theirs[fresh], atol=0.05)
    np.testing.assert_array_equal(mine[~fresh], old[~fresh])
    assert np.abs(theirs[fresh] - old[fresh]).max() > 0.1
    for mine, old in zip(again.why, thought.why, strict=True):
        np.testing.assert_array_equal(mine[:, ~fresh], old[:, ~fresh])
        assert np.abs(mine[:, fresh] - old[:, fresh]).max() > 0.1


def test_all_is_thought_again_once_more_is_known_of_the_pieces(
    bare, table, monkeypatch
):
    """A photo from which pieces were learnt tells more of the next one."""
    before, think = [], Network.think

    def noted(self, seen, looks, foreign, thoughts):
        before.append(thoughts)
        return think(self, seen, looks, foreign, thoughts)

    monkeypatch.setattr(Network, "think", noted)
    scene = replace(bare, pieces=pieces("w.r.W.R.w./.r.W.R.w.r/W.R......."))
    reader = table.reader()
    for seed in range(6):
        reader.read(Frame(draw(replace(scene, seed=seed))))

    # Three of each look are learnt from a photo, and twelve in all.
    assert [thoughts is None for thoughts in before] == [True] * 5 + [False]


def test_noise_is_no_change(network, now, lean, before, looked):
    """Nothing is looked at where a photo shows other noise alone."""
    noise = np.random.default_rng(3).normal(0, 0.05, now.shape).astype("f4")
    again = network.seen(now + noise, lean, before)

    assert looked == []
    np.testing.assert_array_equal(again.h, before.h)


def test_what_changes_slowly_has_changed_in_the_end(network, now, lean, before, looked):
    """Photos are held against what was looked at, whatever else was in between."""
    seen, noticed = before, []
    for change in (0.4, -0.4, 0.4, -0.4):
        looked.clear()
        now[on(0, 0)] += np.float32(change)
        now[on(3, 4)] += np.float32(0.02)
        seen = network.seen(now, lean, seen)
        assert (2, 2) in looked  # the corner
        noticed.append((3, 3) in looked)

    assert noticed == [False, False, True, False]


def test_little_is_a_change_in_light_and_none_in_shadow(network, now, lean, looked):
    """A white chip's white back is noticed, and the noise of a dark corner is not."""
    now[:] = -0.5
    now[6], now[6][on(0, 0)[1:]] = 0.8, -2.0  # brightness, see `Sight.whole`
    before = network.seen(now, lean)
    looked.clear()

    for colour in now[:3]:
        colour[on(0, 0)[1:]] += np.float32(0.1)
    network.seen(now, lean, before)
    assert looked == []
    for colour in now[:3]:
        colour[on(3, 4)[1:]] += np.float32(0.02)
    network.seen(now, lean, before)
    assert looked == [(3, 3)]


def test_what_was_in_doubt_is_looked_at_again(network, now, lean, before, looked):
    """Though nothing changed: the same look twice is no more than one."""
    before.doubted[3 * COLUMNS + 4] = True

    network.seen(now, lean, before)

    assert looked == [(1, 1)]


def test_all_is_looked_at_where_much_changed(network, now, lean, before, looked):
    """By another light, and from where things lean otherwise."""
    dimmed = network.seen(now - np.float32(0.3), lean, before)
    np.testing.assert_array_equal(dimmed.h, network.seen(now - np.float32(0.3), lean).h)
    network.seen(now, lean + np.float32(0.1), before)

    assert looked == [(ROWS, COLUMNS)] * 3


@pytest.fixture(scope="module")
def bare():
    scene = overhead(sequence_board((50, 50)), 15, (1296, 972))
    return replace(scene, board_style=BoardStyle(markers=False))


@pytest.fixture(scope="module")
def table(bare):
    return calibrated(bare, KINDS)


def test_what_lay_under_a_hand_is_known_again(bare, table, looked):
    """A photo with a hand in it does not take the place of the one before it."""
    scene = replace(bare, pieces=pieces(POSITION))
    put = scene.pieces | {Cell("h8"): Piece(Look("red"))}
    hand = Hand((220.0, 180.0), heading=70.0)
    reader = table.reader()
    reader.read(Frame(draw(replace(scene, seed=5))))

    covered = reader.read(Frame(draw(replace(scene, seed=6, hands=(hand,)))))
    looked.clear()
    seen = reader.read(Frame(draw(replace(scene, seed=7, pieces=put))))

    assert len(covered.hidden) > 6
    assert sum(rows * columns for rows, columns in looked) <= 9
    expected = replace(scene, pieces=put).looks()
    assert {cell: seen.likely(cell) for cell in seen.log_p} == expected
    assert position_of(table.squares(), seen).count("?") == 0


def test_pieces_that_hardly_differ_are_looked_at_in_each_photo(
    bare, table, looked, monkeypatch
):
    """One that was turned over changes its square by less than noise may."""
    hardly = {look: 0.001 for look in table.looks if look.startswith("white")}
    monkeypatch.setattr(chips, "apart", lambda *samples: hardly)
    lying = {Cell("c3"): Piece(Look("white")), Cell("h7"): Piece(Look("red"))}
    scene = replace(bare, pieces=lying, seed=5)
    reader, photo = table.reader(), Frame(draw(scene))
    reader.read(photo)
    looked.clear()

    reader.read(photo)

    assert looked == [(1, 1)]


@pytest.mark.parametrize(
    ("gain", "again"), [(1.0, False), (0.2, True)], ids=["lit", "dim"]
)
def test_a_photo_in_doubt_is_looked_at_again(bare, table, looked, gain, again):
    """The very same photo is not, where all is clear."""
    sensor = Sensor(gains=(gain, gain, gain), noise=6.0, blur=4.0 if again else 0.5)
    scene = replace(bare, pieces=pieces(POSITION), seed=5, sensor=sensor)
    reader, photo = table.reader(), Frame(draw(scene))
    seen = reader.read(photo)
    looked.clear()

    reader.read(photo)

    assert (min(map(seen.confidence, seen.log_p)) < 0.99) == again
    assert bool(looked) == again
