"""`companion calibrate` and `companion read` on photos."""

import json
from dataclasses import replace
from math import log

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.table import Table
from companion.cli import main
from companion.games.layouts import rows_of
from companion.looking import position_of
from companion.observation import Observation
from companion.rules.board import Cell, Look
from tests.scenes import overhead, pieces, sequence_board
from vision.scene import Piece, draw

KINDS = {"c3": "white", "g3": "red", "e5": "white-turned", "c7": "red-turned"}
POSITION = ".r...w..../...W....../..r......r/.w.w.R..../....wwwww."


def run(home, *words):
    return CliRunner(env={"COMPANION_HOME": str(home)}).invoke(main, words)


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photos")
    bare = overhead(sequence_board((50, 50)), 15, (1296, 972))
    samples = {Cell(cell): Piece(Look(look)) for cell, look in KINDS.items()}
    for name, lying in (("empty", {}), ("samples", samples), ("g", pieces(POSITION))):
        picture = draw(replace(bare, pieces=lying, seed=len(name)))
        cv2.imwrite(str(folder / f"{name}.jpg"), picture)
    kinds = " ".join(f"{cell}={look}" for cell, look in KINDS.items())
    done = run(
        folder,
        *("calibrate", "--out", str(folder / "table"), "--game", "gridlock", "--json"),
        *("--empty", str(folder / "empty.jpg")),
        *("--samples", str(folder / "samples.jpg"), "--kinds", kinds),
    )
    assert done.exit_code == 0, done.output
    return folder, bare, json.loads(done.stdout)


def test_the_grid_is_found_by_itself(photos):
    """Without --corners the grid is found to a tenth of a cell, the right way round."""
    _, bare, said = photos
    cell = np.linalg.norm(bare.corners()[1] - bare.corners()[0]) / 10

    assert said["found_by"] == "markers"
    away = np.linalg.norm(np.array(said["corners"]) - bare.corners(), axis=1)
    assert away.max() < 0.1 * cell


def test_calibrating_again_keeps_the_wiring(photos, tmp_path):
    """What was written into table.json about lights and buttons is not lost."""
    folder, bare, _ = photos
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in bare.corners())
    words = ("calibrate", "--out", str(tmp_path / "wired"), "--game", "gridlock")
    photo = ("--empty", str(folder / "empty.jpg"), "--corners", corners)
    assert run(tmp_path, *words, *photo).exit_code == 0
    file = tmp_path / "wired" / "table.json"
    wired = json.loads(file.read_text()) | {"controls": {"take_back": 5}}
    file.write_text(json.dumps(wired))

    assert run(tmp_path, *words, *photo).exit_code == 0

    assert json.loads(file.read_text())["controls"] == {"take_back": 5}


def test_calibrating_again_loses_no_wiring_that_it_cannot_read(photos, tmp_path):
    """A typo in table.json is no reason to drop what was written there by hand."""
    folder, bare, _ = photos
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in bare.corners())
    words = ("calibrate", "--out", str(tmp_path / "wired"), "--game", "gridlock")
    photo = ("--empty", str(folder / "empty.jpg"), "--corners", corners)
    assert run(tmp_path, *words, *photo).exit_code == 0
    file = tmp_path / "wired" / "table.json"
    spoilt = file.read_text().replace('"strip": null', '"strip": {"gpio": 10},,')
    file.write_text(spoilt)

    done = run(tmp_path, *words, *photo)

    kept = tmp_path / "wired" / "table-damaged.json"
    assert done.exit_code == 0
    assert str(kept) in done.stdout
    assert kept.read_text() == spoilt


def test_a_board_called_as_a_shipped_one_is_its_own(photos, tmp_path):
    """The referee goes by what is printed, not by how somebody called it."""
    folder, bare, _ = photos
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in bare.corners())
    rows = [" ".join(reversed(row.split())) for row in rows_of("sequence")]
    board = tmp_path / "mine.json"
    board.write_text(json.dumps({"name": "sequence", "rows": rows}))
    words = ("calibrate", "--out", str(tmp_path / "own"), "--game", "gridlock")
    photo = ("--empty", str(folder / "empty.jpg"), "--corners", corners)

    assert run(tmp_path, *words, *photo, "--board", str(board)).exit_code == 0

    assert Table.load(tmp_path / "own").header_board == {"rows": rows}


def test_corners_are_those_of_the_photo_as_it_was_taken(photos, tmp_path):
    """A photo of more pixels than are kept is halved; corners are given in all."""
    folder, bare, _ = photos
    photo = cv2.imread(str(folder / "empty.jpg"))
    large = cv2.resize(photo, (4032, 3024), interpolation=cv2.INTER_CUBIC)
    cv2.imwrite(str(tmp_path / "phone.jpg"), large)
    given = bare.corners() * 4032 / 1296
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in given)
    words = ("calibrate", "--out", str(tmp_path / "t"), "--game", "gridlock")
    words = (*words, "--empty", str(tmp_path / "phone.jpg"), "--json", "--corners")

    done = run(tmp_path, *words, corners)
    beyond = run(tmp_path, *words, " ".join(f"{x + 4032},{y}" for x, y in given))

    said = json.loads(done.stdout)
    assert said["warnings"] == []
    assert said["corners"] == pytest.approx(given, abs=0.1)
    # Pixel centres: the first of two px and the first of the half are 0.25 px apart.
    halved = (given + 0.5) / 2 - 0.5
    assert Table.load(tmp_path / "t").corners == pytest.approx(halved, abs=0.05)
    assert beyond.exit_code == 2
    assert "4032 x 3024" in beyond.stderr


def test_a_table_that_cannot_be_remembered_is_said(photos, tmp_path):
    """It is calibrated all the same; the one before would be used without a name."""
    folder, _, _ = photos
    home = tmp_path / "home"
    home.write_text("no folder")

    done = run(
        home,
        *("calibrate", "--out", str(tmp_path / "t"), "--game", "gridlock", "--json"),
        *("--empty", str(folder / "empty.jpg")),
    )

    (warning,) = json.loads(done.stdout)["warnings"]
    assert f"--table {tmp_path / 't'}" in warning


def test_a_photo_is_read(photos):
    """The position is printed in the record's notation, with the times it took."""
    folder, _, _ = photos

    done = run(folder, "read", str(folder / "g.jpg"), "--json")

    line = json.loads(done.stdout)
    expected = "/".join((POSITION.split("/") + [".........."] * 10)[:10]).split("/")
    assert line["position"] == "/".join(row.ljust(10, ".") for row in expected)
    assert line["hidden"] == []
    assert line["moved"] is False
    assert line["confidence"] > 0.95
    assert line["note"] == ""
    assert set(line["ms"]) == {"decode", "read"}


def test_beside_a_hand_only_what_is_beyond_doubt_is_given():
    """More is misread then, and it is soon gone."""
    board = sequence_board((50, 50))
    doubtful = {"empty": log(0.9), "white": log(0.1)}
    clear = {cell: {"empty": 0.0} for cell in board.cells}
    nearly = {"empty": log(0.995), "white": log(0.005)}
    turned = {"red-turned": log(0.9995), "white-turned": log(0.000499)}
    seen = Observation({**clear, "a1": nearly, "b1": turned, "c1": doubtful})

    beside = replace(seen, hidden=frozenset({"j10"}))

    assert position_of(board, seen)[:4] == ".R?."
    assert position_of(board, beside)[:4] == "?R?."


def test_whose_a_turned_chip_is_is_given_only_beyond_doubt():
    """That a chip lies turned over is known before whose it is."""
    board = sequence_board((50, 50))
    clear = {cell: {"empty": 0.0} for cell in board.cells}
    surely = {"red-turned": log(0.9995), "white-turned": log(0.0005)}
    rather = {"red-turned": log(0.995), "white-turned": log(0.004999)}
    hardly = {"red-turned": log(0.6), "white-turned": log(0.38), "red": log(0.02)}

    seen = Observation({**clear, "a1": surely, "b1": rather, "c1": hardly})

    assert position_of(board, seen)[:4] == "R*?."


def test_it_is_said_how_much_is_not_known_and_why(photos, tmp_path):
    """A sure square above a hundred "?" would be no comfort."""
    folder, _, _ = photos
    path = tmp_path / "night.png"
    cv2.imwrite(str(path), np.full((972, 1296, 3), 3, np.uint8))

    told = run(folder, "read", str(path)).stdout
    line = json.loads(run(folder, "read", str(path), "--json").stdout)

    assert "night.png  (no square is known)" in told
    assert "make more light" in told
    assert "make more light" in line["note"]


def test_an_overlay_is_drawn(photos, tmp_path):
    """--overlay leaves a picture of the size of the photo."""
    folder, _, _ = photos

    done = run(
        folder, "read", str(folder / "g.jpg"), "--overlay", str(tmp_path / "seen")
    )

    assert done.exit_code == 0
    assert cv2.imread(str(tmp_path / "seen" / "g.png")).shape == (972, 1296, 3)


def test_an_overlay_fits_a_photo_of_another_size(photos, tmp_path):
    """The grid lies over the squares, however many pixels a photo has."""
    folder, bare, _ = photos
    half = cv2.resize(cv2.imread(str(folder / "g.jpg")), None, fx=0.5, fy=0.5)
    cv2.imwrite(str(tmp_path / "half.png"), half)

    assert run(folder, "read", str(tmp_path / "half.png"), "--overlay", str(tmp_path))

    drawn = cv2.imread(str(tmp_path / "half-2.png")).astype(int)
    cyan = drawn[..., 0] - drawn[..., 2] > 90
    rows, columns = np.nonzero(cyan)
    corners = bare.corners() / 2
    assert columns.min() == pytest.approx(corners[:, 0].min(), abs=4)
    assert columns.max() == pytest.approx(corners[:, 0].max(), abs=4)
    assert rows.max() == pytest.approx(corners[:, 1].max(), abs=4)


def test_overlays_are_drawn_over_no_photo(photos, tmp_path):
    """Neither the photos themselves nor others of the same name are lost."""
    folder, _, _ = photos
    mine, other = tmp_path / "g.png", tmp_path / "other" / "g.jpg"
    picture = cv2.imread(str(folder / "g.jpg"))
    other.parent.mkdir()
    cv2.imwrite(str(mine), picture)
    cv2.imwrite(str(other), picture)
    before = mine.read_bytes()

    done = run(folder, "read", str(mine), str(other), "--overlay", str(tmp_path))

    assert done.exit_code == 0
    assert mine.read_bytes() == before
    assert (tmp_path / "g-2.png").exists()
    assert (tmp_path / "g-3.png").exists()


def test_an_overlay_takes_the_place_of_an_older_one_alone(photos, tmp_path):
    """A picture of somebody's that has its name stays as it is."""
    folder, _, _ = photos
    mine = tmp_path / "g.png"
    cv2.imwrite(str(mine), np.zeros((9, 9, 3)))
    before = mine.read_bytes()

    for _ in range(2):
        done = run(folder, "read", str(folder / "g.jpg"), "--overlay", str(tmp_path))
        assert done.exit_code == 0

    assert mine.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g-2.png", "g.png"]
    assert cv2.imread(str(tmp_path / "g-2.png")).shape == (972, 1296, 3)


def test_a_photo_that_cannot_be_read_ends_no_other(photos, tmp_path):
    """All others are read; then it is said which one was not."""
    folder, _, _ = photos
    cv2.imwrite(str(tmp_path / "tall.png"), np.zeros((900, 300, 3)))

    done = run(folder, "read", str(tmp_path / "tall.png"), str(folder / "g.jpg"))

    assert done.exit_code == 2
    assert done.stdout.startswith("g.jpg")
    assert "tall.png has 300 x 900 pixels" in done.stderr


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path, whole: None, "cannot be read"),
        (lambda path, whole: path.write_bytes(b"not a photo"), "no picture"),
        (lambda path, whole: path.write_bytes(whole[: len(whole) // 2]), "broken off"),
        (lambda path, whole: cv2.imwrite(str(path), np.zeros((1, 1, 3))), "1 x 1"),
        (lambda path, whole: cv2.imwrite(str(path), np.zeros((900, 300, 3))), "pixels"),
    ],
    ids=["missing", "no photo", "truncated", "tiny", "other shape"],
)
def test_bad_photos_are_one_sentence(photos, tmp_path, make, says):
    """A photo that cannot be read ends with status 2 and one line, no traceback."""
    folder, _, _ = photos
    path = tmp_path / "bad.jpg"
    make(path, (folder / "g.jpg").read_bytes())

    done = run(folder, "read", str(path))

    assert done.exit_code == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert "bad.jpg" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--game", "chess"], "no game"),
        (["--game", "boston"], "cannot be read by the camera"),
        (["--game", "gridlock-cards"], "cannot be read by the camera"),
        (["--game", "gridlock", "--board", "none.json"], "cannot be read"),
        (["--game", "gridlock", "--corners", "1,2 3,4"], "--corners"),
        (["--game", "gridlock", "--kinds", "c3=white"], "--samples"),
    ],
)
def test_impossible_calibrations_are_one_sentence(photos, tmp_path, words, says):
    """What cannot be calibrated ends with status 2 and leaves no table behind."""
    folder, _, _ = photos
    out = tmp_path / "table"

    done = run(
        tmp_path,
        *("calibrate", "--out", str(out), "--empty", str(folder / "empty.jpg")),
        *words,
    )

    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()


def test_a_photo_without_a_board_asks_for_corners(tmp_path):
    """Where no grid can be made out, the corners are asked for."""
    noise = np.random.default_rng(0).integers(90, 110, (300, 400, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "wall.png"), noise)

    done = run(
        tmp_path,
        *("calibrate", "--out", str(tmp_path / "t"), "--game", "gridlock"),
        *("--empty", str(tmp_path / "wall.png")),
    )

    assert done.exit_code == 2
    assert (
        done.stdout == f"Looking for the printed squares in {tmp_path}/wall.png ...\n"
    )
    assert "--corners" in done.stderr
