"""A table's folder keeps what was calibrated, and says what is wrong with it."""

import errno
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.table import Table, find_table, remember_table
from companion.errors import TableMismatch
from companion.rules.board import Cell, Look
from vision.pose import Lens


@pytest.fixture
def table():
    return Table(
        game="gridlock",
        rows=("XX 2S 3S", "4S 5S XX"),
        corners=((10, 10), (90, 10), (90, 70), (10, 70)),
        empty=np.full((80, 100, 3), 90, np.uint8),
        looks=(Look("red"), Look("red-turned")),
        samples=np.full((80, 100, 3), 120, np.uint8),
        kinds={Cell("b2"): Look("red")},
        cell_mm=(50.0, 39.0),
        lens=Lens((100, 80), -0.12),
    )


def test_what_is_saved_is_loaded(table, tmp_path):
    """A loaded table equals the saved one, but for a photo's JPEG noise."""
    table.save(tmp_path / "table")
    again = Table.load(tmp_path / "table")

    assert again.rows == table.rows
    assert again.corners == table.corners
    assert again.lens == table.lens
    assert again.teams == ("red",)
    assert again.looks == table.looks
    assert again.kinds == table.kinds
    assert np.abs(again.empty.astype(int) - 90).max() <= 2


def test_only_a_table_with_controls_writes_them(table, tmp_path):
    """Tables of before the controls, and without any, stay as they are."""
    table.save(tmp_path / "bare")
    replace(table, controls={"accept": 6}).save(tmp_path / "wired")

    assert "controls" not in json.loads((tmp_path / "bare/table.json").read_bytes())
    assert Table.load(tmp_path / "bare").controls is None
    assert Table.load(tmp_path / "wired").controls == {"accept": 6}


def test_saving_again_replaces_the_whole_table(table, tmp_path):
    """The newer calibration wins; nothing of the older one is left, all else is."""
    folder = tmp_path / "table"
    table.save(folder)
    (folder / "evening.jsonl").write_text("a game\n")
    (folder / "evenings").mkdir()
    (tmp_path / "link").symlink_to(folder)
    newer = replace(table, game="states", samples=None, kinds={})

    newer.save(tmp_path / "link")

    assert Table.load(folder).game == "states"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "table"]
    left = {"evening.jsonl", "evenings", "empty.jpg", "table.json"}
    assert {path.name for path in folder.iterdir()} == left
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("moved", [False, True])
def test_what_a_power_cut_left_beside_the_table_comes_back(table, tmp_path, moved):
    """The older folder, with somebody's record in it, was aside at that moment."""
    folder, aside = tmp_path / "table", tmp_path / ".table-old"
    table.save(folder)
    (folder / "evening.jsonl").write_text("a game\n")
    folder.rename(aside)
    if moved:
        table.save(tmp_path / "new")
        (tmp_path / "new").rename(folder)

    table.save(folder)

    assert (folder / "evening.jsonl").read_text() == "a game\n"
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_a_folder_that_is_read_only_stays_as_it_is(table, tmp_path, monkeypatch):
    """It is refused before anything is moved, and nothing is left beside it."""
    folder = tmp_path / "table"
    table.save(folder)
    (folder / "evening.jsonl").write_text("a game\n")
    monkeypatch.setattr("os.access", lambda path, mode: path != folder)

    with pytest.raises(TableMismatch, match="read-only; name another"):
        replace(table, game="states").save(folder)

    assert Table.load(folder).game == table.game
    assert (folder / "evening.jsonl").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_what_cannot_be_finished_leaves_nothing_behind(table, tmp_path, monkeypatch):
    """Each attempt at a full disk would make it fuller."""
    table.save(tmp_path / "table")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TableMismatch, match="No space left"):
        replace(table, game="states").save(tmp_path / "table")

    assert Table.load(tmp_path / "table").game == table.game
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


@pytest.mark.parametrize("name", ["thesis.txt", "table.json"])
def test_other_folders_are_not_overwritten(table, tmp_path, name):
    """A folder that holds other things is refused and stays as it is."""
    (tmp_path / name).write_text("years of work")

    with pytest.raises(TableMismatch, match="holds other things"):
        table.save(tmp_path)

    assert (tmp_path / name).read_text() == "years of work"


@pytest.mark.parametrize("lost", ["table.json", "empty.jpg"])
def test_a_broken_table_may_be_calibrated_again(table, tmp_path, lost):
    """One file of it may be damaged or gone; that is what it is calibrated for."""
    table.save(tmp_path / "table")
    broken = tmp_path / "table" / lost
    broken.unlink() if lost == "empty.jpg" else broken.write_text("{")

    table.save(tmp_path / "table")

    assert Table.load(tmp_path / "table").game == table.game


def test_a_replacement_that_was_stopped_loses_no_table(table, tmp_path, monkeypatch):
    """Between two renames the power may fail; the older table lies aside then."""
    table.save(tmp_path / "table")

    def stopped(self, target):
        if self.name.startswith(".table-") and not self.name.endswith("-old"):
            raise KeyboardInterrupt
        return rename(self, target)

    rename = Path.rename
    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        replace(table, board="new").save(tmp_path / "table")
    assert not (tmp_path / "table").exists()

    assert Table.load(tmp_path / "table").board == table.board


def test_the_virtual_tables_name_is_refused(table):
    """Nobody could name that table again: demo is the virtual one."""
    with pytest.raises(TableMismatch, match="name another folder"):
        table.save("demo")


def test_a_file_is_not_taken_for_a_folder(table, tmp_path):
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")

    with pytest.raises(TableMismatch, match=r"thesis\.txt is a file"):
        table.save(thesis)

    assert thesis.read_text() == "years of work"


def spoil(**changes):
    def do(folder):
        data = json.loads((folder / "table.json").read_bytes())
        (folder / "table.json").write_text(json.dumps(data | changes))

    return do


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "table.json").unlink(), "table.json cannot be read"),
        (lambda folder: (folder / "table.json").write_text("{"), "no valid JSON"),
        (lambda folder: (folder / "table.json").write_text("[]"), "schema None"),
        (lambda folder: (folder / "table.json").write_text("{\n,"), "line 2"),
        (spoil(schema=99), "schema 99"),
        (spoil(game="chess"), 'no "chess"'),
        (spoil(strip="wide"), '"strip"'),
        (spoil(samples=[]), "a value is of another kind"),
        (spoil(markers={"family": "", "mm": []}), "a value is of another kind"),
        (spoil(cell_mm=[0, 0]), "cell_mm"),
        (spoil(rows=5), "a value is of another kind"),
        (lambda folder: (folder / "empty.jpg").unlink(), "empty.jpg"),
        (lambda folder: (folder / "empty.jpg").write_bytes(b"no photo"), "empty.jpg"),
        (spoil(corners=[[1, 2]]), "corners"),
        (spoil(corners=[[1, 2], [3, 4], [5, 6], [7, "x"]]), "damaged"),
        (spoil(corners=[[0, 0]] * 4), "corners"),
        (spoil(rows=["XX 2S", "3S"]), "rows"),
        (spoil(rows=[]), "rows"),
        (spoil(looks=["plaid"]), "plaid"),
        (spoil(looks=[]), "there are none"),
        (spoil(looks=[7]), "damaged"),
        (spoil(samples={}), "samples"),
        (spoil(samples={"k12": "red"}), "no square"),
        (spoil(looks=["blue", "green"]), "among"),
        (spoil(camera={"source": "", "size": [5, 5], "k1": 0, "k2": 0}), "size"),
        (spoil(cell_mm=None), "damaged"),
    ],
)
def test_each_damage_is_one_sentence(table, tmp_path, damage, says):
    """A broken table folder is refused with one sentence that says what to do."""
    folder = tmp_path / "table"
    table.save(folder)
    damage(folder)

    with pytest.raises(TableMismatch, match=says) as caught:
        Table.load(folder)

    assert "\n" not in str(caught.value)
    assert "calibrate the table again" in str(caught.value)


def test_the_last_table_is_remembered(tmp_path):
    """Without a name, the table calibrated last is used."""
    with pytest.raises(TableMismatch, match="No table was calibrated yet"):
        find_table(None, tmp_path / "home")

    remember_table(tmp_path / "home", tmp_path / "one")

    assert find_table(None, tmp_path / "home") == tmp_path / "one"
    assert find_table(tmp_path / "two", tmp_path / "home") == tmp_path / "two"
