"""What users get wrong, and what goes wrong: one sentence, status 2, nothing lost."""

import json
import resource
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import click
import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.demo import demo_scene, demo_table
from companion import looking
from companion.cli import main
from companion.errors import JournalUnavailable
from companion.follower import Follower
from companion.journal import Journal
from companion.match import Match
from companion.record import header_of, open_game
from companion.rules.board import Cell, Look
from companion.rules.verdict import Kind
from tests.companion.tables import GRIDLOCK, SIGHTS, START, Table
from vision.scene import Piece, draw


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Return a folder with a calibrated table and a photo of it."""
    folder = tmp_path_factory.mktemp("good")
    board = open_game(header_of(GRIDLOCK)).board
    scene = demo_scene("gridlock", board)
    demo_table("gridlock", "sequence", scene).save(folder / "table")
    laid = replace(scene, seed=7, pieces={Cell("d6"): Piece(Look("white"))})
    cv2.imwrite(str(folder / "photo.jpg"), draw(laid))
    cv2.imwrite(str(folder / "empty.jpg"), draw(scene))
    return folder


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command; its answer is checked for manners."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))

    def call(*words, status=2):
        result = CliRunner().invoke(main, list(map(str, words)))
        assert result.exit_code == status, result.output
        if status == 2:
            assert len(result.stderr.splitlines()) == 1, result.stderr
            assert result.stderr.startswith("companion: ")
        return result.stderr

    return call


def jpeg(image):
    return cv2.imencode(".jpg", image)[1].tobytes()


def noise(height, width):
    small = np.random.default_rng(1).integers(0, 255, (30, 40, 3), np.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST)


PHOTOS = {
    "missing": (None, "cannot be read"),
    "text": (b"Dear diary, today we played.", "no picture"),
    "empty": (b"", "empty"),
    "one pixel": (jpeg(np.zeros((1, 1, 3), np.uint8)), "only 1 x 1"),
    "broken off": (jpeg(noise(480, 640))[:9000], "broken off"),
    "something else": (jpeg(noise(480, 640)), "board"),
    "forty megapixels of something else": (jpeg(noise(5477, 7304)), "board"),
}


@pytest.mark.parametrize("photo", [name for name in PHOTOS if "else" not in name])
def test_read_refuses_what_is_no_photo(run, good, tmp_path, photo):
    """No photo, a broken or a tiny one is named, with what is wrong with it."""
    data, says = PHOTOS[photo]
    path = tmp_path / "photo.jpg"
    if data is not None:
        path.write_bytes(data)

    told = run("read", "--table", good / "table", path)

    assert says in told
    assert "photo.jpg" in told


@pytest.mark.parametrize("photo", PHOTOS)
def test_calibrate_refuses_what_shows_no_board(run, tmp_path, photo):
    """A photo that is none, or of something else, makes no table."""
    data, says = PHOTOS[photo]
    path = tmp_path / "empty.jpg"
    if data is not None:
        path.write_bytes(data)

    told = run(
        "calibrate", "--out", tmp_path / "t", "--game", "gridlock", "--empty", path
    )

    assert says in told
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("photo", [name for name in PHOTOS if "else" in name])
def test_read_guesses_nothing_of_something_else(good, tmp_path, photo, monkeypatch):
    """A photo of something else is no position: it is refused or all hidden."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    path = tmp_path / "photo.jpg"
    path.write_bytes(PHOTOS[photo][0])

    words = ["read", "--table", str(good / "table"), str(path), "--json"]
    result = CliRunner().invoke(main, words)

    if result.exit_code == 0:
        assert set(json.loads(result.stdout)["position"]) == {"?", "/"}
    else:
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def damage(folder, what):
    """Do harm to a table's folder."""
    data = json.loads((folder / "table.json").read_text())
    match what:
        case "no folder":
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
        case "no table.json":
            (folder / "table.json").unlink()
        case "no photo":
            next(folder.glob("empty.*")).unlink()
        case "broken json":
            (folder / "table.json").write_text('{"schema": 1, "rows"')
        case "broken photo":
            next(folder.glob("empty.*")).write_bytes(b"\xff\xd8 not any more")
        case "another schema":
            (folder / "table.json").write_text(json.dumps({**data, "schema": 99}))


DAMAGES = (
    "no folder",
    "no table.json",
    "no photo",
    "broken json",
    "broken photo",
    "another schema",
)


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_table_is_one_sentence_for_every_command(run, good, tmp_path, what):
    """No command goes on with a table that is not whole; records stay as they are."""
    folder, record = tmp_path / "table", tmp_path / "evening.jsonl"
    folder.mkdir()
    for path in (good / "table").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    damage(folder, what)
    record.write_text("the record of last night\n")
    named, photo = ("--table", folder), good / "photo.jpg"

    for words in (
        ("read", *named, photo),
        ("watch", *named, photo, "--record", record),
        ("play", *named, "--port", "0", "--record", record),
    ):
        assert str(folder) in run(*words), words
    assert record.read_text() == "the record of last night\n"
    assert not (tmp_path / "home" / "records").exists()


def test_a_board_with_a_card_three_times_is_refused(run, good, tmp_path):
    """The card is named, and no table is made."""
    rows = [row.split() for row in demo_rows()]
    rows[0][1] = rows[0][2]
    board = tmp_path / "ours.json"
    board.write_text(json.dumps({"name": "ours", "rows": [" ".join(r) for r in rows]}))

    told = run(
        *("calibrate", "--out", tmp_path / "t", "--game", "gridlock"),
        *("--board", board, "--empty", good / "empty.jpg"),
    )

    assert "twice" in told
    assert rows[0][2] in told
    assert not (tmp_path / "t").exists()


def test_a_board_file_of_another_kind_is_told_how_to_be_written(run, good, tmp_path):
    """It is no board's name, whatever the file is called."""
    board = tmp_path / "ours.txt"
    board.write_text("\n".join(demo_rows()))

    told = run(
        *("calibrate", "--out", tmp_path / "t", "--game", "gridlock"),
        *("--board", board, "--empty", good / "empty.jpg"),
    )

    assert f'{board} is no board; write {{"name": ...' in told


def test_a_boards_name_is_its_name_also_where_a_file_is_called_so(
    run, good, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sequence").write_text("What we play on Fridays.")

    run(
        *("calibrate", "--out", tmp_path / "t", "--game", "gridlock"),
        *("--board", "sequence", "--empty", good / "empty.jpg"),
        status=0,
    )

    assert (tmp_path / "t").is_dir()


def test_a_square_that_is_named_twice_is_refused(run, good, tmp_path):
    """Which of the two was meant is not guessed; capitals do no harm."""
    told = run(
        *("calibrate", "--out", tmp_path / "t", "--game", "gridlock"),
        *("--empty", good / "empty.jpg", "--samples", good / "photo.jpg"),
        *("--kinds", "D6=White d6=red"),
    )

    assert "names d6 twice" in told


def test_watching_keeps_no_game_in_place_of_another(run, good, tmp_path):
    """Who types last week's command again keeps last week's game."""
    record = tmp_path / "evening.jsonl"
    record.write_text("the record of last week\n")
    words = ("watch", "--table", good / "table", good / "photo.jpg")

    told = run(*words, "--record", record)
    nowhere = run(*words, "--record", good / "photo.jpg" / "game.jsonl")
    (tmp_path / "new.jsonl").touch()
    run(*words, "--record", tmp_path / "new.jsonl", status=0)

    assert "evening.jsonl is there already" in told
    assert record.read_text() == "the record of last week\n"
    assert "cannot be written" in nowhere
    assert json.loads((tmp_path / "new.jsonl").read_text().splitlines()[0])["record"]


@pytest.mark.parametrize("command", ["play", "doctor"])
def test_a_port_that_is_none_is_refused(run, command):
    assert "--port" in run(command, "--port", "99999")


def demo_rows():
    return open_game(header_of(GRIDLOCK)).board.written


def test_a_busy_port_is_one_sentence(run, tmp_path):
    """The port is named, with another one to try."""
    record = tmp_path / "game.jsonl"
    record.write_text(json.dumps(GRIDLOCK) + "\n")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        at = ("--host", "127.0.0.1", "--port", port)

        assert f"Port {port} is taken" in run("play", "--game", "boston", *at)
        assert f"Port {port} is taken" in run("replay", record, "--page", *at)
    assert record.read_text() == json.dumps(GRIDLOCK) + "\n"


@contextmanager
def full_disk():
    """Let every file end after a few bytes, as on a disk without room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_sentence_for_every_command(run, good, tmp_path):
    """What is on the disk stays as it was when there is no room for more."""
    photo, record = good / "photo.jpg", tmp_path / "evening.jsonl"
    record.write_text("the record of last night\n")
    with full_disk():
        for words in (
            ("watch", "--table", good / "table", photo, "--record", record),
            ("read", "--table", good / "table", photo, "--overlay", tmp_path / "o"),
            (
                *("calibrate", "--out", tmp_path / "t", "--game", "gridlock"),
                *("--empty", good / "empty.jpg"),
            ),
            ("play", "--game", "boston", "--port", "0"),
        ):
            run(*words)
    assert record.read_text() == "the record of last night\n"
    assert not (tmp_path / "t").exists()


def test_a_disk_that_fills_up_in_a_game_loses_nothing(tmp_path):
    """A turn that cannot be written is not played; with room again the game goes on."""
    path = tmp_path / "journal.sqlite"
    match = Match(Journal(path))
    match.begin(GRIDLOCK, START)
    table = Table(Follower(match, lambda: START, SIGHTS["gridlock"]))
    table.put("d6=w")

    with full_disk(), pytest.raises(JournalUnavailable, match="free space"):
        table.put("e7=r")

    assert len(match.game.lines) == 1
    assert table.look().kind is Kind.LEGAL
    assert Match(Journal(path)).game.lines == match.game.lines
    assert [line["place"] for line in match.game.lines] == ["d6", "e7"]


@pytest.mark.parametrize(
    "words",
    [
        ("play", "--game", "{}"),
        ("play", "--table", "demo", "--rules", "{}=1"),
        ("play", "--table", "demo", "--lights", "{}"),
        ("calibrate", "--out", "t", "--game", "gridlock", "--empty", "{}"),
        ("replay", "{}"),
    ],
)
def test_a_very_long_value_is_not_echoed_in_full(run, words):
    """What is wrong and what to do stay readable whatever was pasted."""
    told = run(*(word.format("x" * 3000) for word in words))

    assert len(told) < 450
    assert told.rstrip().endswith((".", "…"))


def test_a_very_long_option_is_not_echoed_in_full(tmp_path):
    """Neither is what click refuses."""
    result = CliRunner().invoke(main, ["play", "--port", "9x" * 3000])

    assert result.exit_code == 2
    assert "not a valid integer" in result.stderr
    assert len(result.stderr) < 600


# -- the last resort ----------------------------------------------------------


def fail(error):
    def failing(*args, **kwargs):
        raise error

    return failing


def test_a_fault_of_the_program_is_kept_and_told_in_a_sentence(
    run, tmp_path, monkeypatch
):
    """The traceback goes to a file that the sentence names; the user sees none."""
    monkeypatch.setattr(looking, "read_photos", fail(ZeroDivisionError("seven")))

    told = run("read", "photo.jpg")

    (file,) = (tmp_path / "home" / "faults").iterdir()
    assert str(file) in told
    assert "ZeroDivisionError: seven" in file.read_text()
    assert "Traceback" not in told


def test_a_fault_that_cannot_be_kept_is_told_all_the_same(run, tmp_path, monkeypatch):
    """A full or foreign disk does not turn the sentence into a traceback."""
    monkeypatch.setattr(looking, "read_photos", fail(ZeroDivisionError()))
    (tmp_path / "home").write_text("a file where the folder should be")

    assert "cannot be written" in run("read", "photo.jpg")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("play", "--game", "boston", "--host", "a..b"), "--host 0.0.0.0"),
        (("play", "--game", "boston", "--players", "J\udcfcrgen,Ben"), "UTF-8"),
        (("play", "--game", "boston", "--rules", "places=" + "[" * 100_000), "places"),
        (("read", "--table", "demo", "photo.jpg"), "virtual"),
    ],
    ids=["host", "name", "rule", "demo"],
)
def test_what_nobody_thought_of_is_no_fault_of_the_program(run, tmp_path, words, says):
    """It is said what is wrong with the words, and nothing is kept for the makers."""
    assert says in run(*words)
    assert not (tmp_path / "home" / "faults").exists()


@pytest.mark.parametrize("name", ["\\ud800", "[" * 100_000], ids=["name", "nested"])
def test_a_board_file_that_nobody_can_read_is_no_board(run, good, tmp_path, name):
    """Half of a character, or no end of brackets: it is told how boards are written."""
    board = tmp_path / "ours.json"
    board.write_text(f'{{"name": "{name}", "rows": []}}'.replace('"[', "["))

    told = run(
        *("calibrate", "--out", tmp_path / "t", "--game", "gridlock"),
        *("--board", board, "--empty", good / "empty.jpg"),
    )

    assert "is no board" in told


def test_a_full_disk_is_no_fault_of_the_program():
    """Where the verdicts go there is no room: it is said, with what to do."""
    script = f"{sys.executable} -m companion games > /dev/full"

    done = subprocess.run(script, shell=True, capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr.startswith("companion: There is no room")


def test_a_closed_standard_input_is_no_record():
    """`companion referee <&-` asks for a file."""
    script = f"{sys.executable} -m companion referee <&-"

    done = subprocess.run(script, shell=True, capture_output=True, text=True)

    assert done.returncode == 2
    assert "name the record's file" in done.stderr


@pytest.mark.parametrize("stop", [KeyboardInterrupt, EOFError, click.Abort])
def test_ctrl_c_and_ctrl_d_end_quietly(run, monkeypatch, stop):
    """A user who stops a command reads nothing about it."""
    monkeypatch.setattr(looking, "read_photos", fail(stop()))

    assert run("read", "photo.jpg", status=130) == ""


def test_a_reader_that_leaves_ends_the_command_quietly(tmp_path):
    """`companion referee ... | head -1` writes nothing to standard error."""
    record = tmp_path / "long.jsonl"
    lines = [json.dumps({"by": n % 2, "pass": True}) for n in range(3000)]
    record.write_text("\n".join([json.dumps(GRIDLOCK), *lines]))
    script = f"{sys.executable} -m companion referee {record} | head -1"

    done = subprocess.run(script, shell=True, capture_output=True, text=True)

    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("companion.cli", {"numpy", "cv2", "flask", "calibration", "web", "sqlite3"}),
        ("companion.looking", {"flask", "waitress", "web", "sqlite3"}),
    ],
)
def test_commands_load_only_what_they_need(module, unwanted):
    """`games` and `referee` load no eyes, and `read` no page: both begin at once."""
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()

    assert not unwanted & set(loaded)
