import json
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.observation import Observation
from companion.rules.board import EMPTY as NOTHING
from companion.rules.board import Cell, Look
from companion.rules.verdict import Kind
from companion.watching import Watcher, _looks
from tests.companion.tables import START
from tests.scenes import overhead, pieces, sequence_board
from vision.frame import Frame
from vision.scene import draw
from vision.scene.light import Light, Window

EMPTY = "/".join([".........."] * 10)
KINDS = "c3=white g3=red e5=white-turned c7=red-turned"
SAMPLES = "/".join(
    ["." * 10] * 2 + ["..w...r..."] + ["." * 10] + ["....W....."]
    + ["." * 10] + ["..R......."] + ["." * 10] * 3
)  # fmt: skip


def position(**chips):
    """Return the position of chips, white="d4 e4"."""
    rows = [["."] * 10 for _ in range(10)]
    for team, squares in chips.items():
        for square in squares.split():
            rows[int(square[1:]) - 1][ord(square[0]) - ord("a")] = team[0]
    return "/".join("".join(row) for row in rows)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs a command, and the folder it runs in."""
    folder = tmp_path_factory.mktemp("watching")
    scene = overhead(sequence_board(), tilt=15)

    def photograph(path, rows, seed, **more):
        path.parent.mkdir(exist_ok=True)
        picture = draw(replace(scene, pieces=pieces(rows), seed=seed, **more))
        cv2.imwrite(str(path), picture)

    photograph(folder / "empty.png", EMPTY, 1)
    photograph(folder / "samples.png", SAMPLES, 2)

    def call(*words):
        environment = {"COMPANION_HOME": str(folder / "home")}
        return CliRunner(env=environment).invoke(main, [str(word) for word in words])

    made = call(
        "calibrate", "--out", folder / "table", "--game", "gridlock",
        "--empty", folder / "empty.png", "--samples", folder / "samples.png",
        "--kinds", KINDS,
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    call.folder, call.photograph, call.scene = folder, photograph, scene
    return call


@pytest.mark.parametrize(("lead", "kind"), [(1.2, Kind.UNCERTAIN), (4.0, Kind.LEGAL)])
def test_a_first_piece_that_may_be_anybodys_does_not_tell_who_plays(lead, kind):
    """It would be legal as either's, and all that follows hangs on whose it is."""
    watcher = Watcher("gridlock", None, ["white", "red"], lambda: START)
    empty = {cell: {NOTHING: 0.0} for cell in watcher.follower.game.board.cells}
    piece = {Look("red"): -0.1, Look("white"): -0.1 - lead, NOTHING: -9.0}

    verdict = watcher.look(Observation({**empty, Cell("e5"): piece}))

    assert verdict.kind is kind
    if kind is Kind.UNCERTAIN:
        assert verdict.doubtful == ("e5",)
        assert verdict.text.startswith("Is e5 red or white?")
        assert watcher.look(Observation(empty)).kind is Kind.UNCHANGED
        verdict = watcher.look(Observation({**empty, Cell("e5"): {Look("white"): 0.0}}))
    assert verdict.kind is Kind.LEGAL
    team = watcher.follower.game.appearance(watcher.follower.position)[Cell("e5")]
    assert team == ("white" if kind is Kind.UNCERTAIN else "red")


@pytest.mark.parametrize("team", ["white", "red"])
def test_who_plays_is_told_by_a_piece_of_which_either_side_may_be_up(team):
    """Whichever it is, and whoever sits first at the table, nobody broke a rule."""
    watcher = Watcher("gridlock", None, ["white", "red"], lambda: START)
    face, back = Look(team), Look(f"{team}-turned")
    empty = {cell: {NOTHING: 0.0} for cell in watcher.follower.game.board.cells}
    e5 = Cell("e5")

    verdict = watcher.look(Observation({**empty, e5: {face: -3.0, back: -0.05}}))

    assert verdict.kind is Kind.UNCERTAIN
    assert verdict.text.startswith(f"Is e5 {team} or {team}, turned over?")
    assert watcher.look(Observation({**empty, e5: {face: 0.0}})).kind is Kind.LEGAL
    follower = watcher.follower
    assert follower.game.appearance(follower.position)[e5] == face


def test_a_game_is_followed_on_photos(run):
    """Every look is told: turns, violations, what was put right, and the record."""
    game = [
        position(white="d4"),
        position(white="d4", red="e5"),
        position(white="d4", red="e5 f6"),
        position(white="d4", red="e5"),
        position(white="d4 g7", red="e5 h8"),
    ]
    for number, rows in enumerate(game, start=1):
        run.photograph(run.folder / "game" / f"{number:03}.png", rows, number + 10)
    (run.folder / "game" / "zz-empty.png").write_bytes(
        (run.folder / "empty.png").read_bytes()
    )

    told = run(
        "watch", run.folder / "game", "--json", "--record", run.folder / "game.jsonl"
    )

    looks = [json.loads(line) for line in told.output.splitlines()]
    assert told.exit_code == 0
    assert [look["verdict"] for look in looks] == [
        "legal", "legal", "illegal", "unchanged", "legal",
    ]  # fmt: skip
    assert [look["position"] for look in looks] == [*game[:2], game[1], *game[3:]]
    assert "out-of-turn-play" in looks[2]["violations"]
    assert "f6" in looks[2]["text"]
    _, *lines = map(json.loads, (run.folder / "game.jsonl").read_text().splitlines())
    assert [line["place"] for line in lines] == ["d4", "e5", "g7", "h8"]


def test_who_starts_is_found_out(run):
    """Red may start as well as white; nobody has to say so."""
    run.photograph(run.folder / "red" / "1.png", position(red="d4"), 30)

    told = run("watch", run.folder / "red", "--json")

    assert json.loads(told.output)["verdict"] == "legal"


def test_a_broken_photo_is_told_and_the_game_goes_on(run):
    """A photo that cannot be read is one look that shows nothing."""
    folder = run.folder / "broken"
    run.photograph(folder / "2.png", position(white="d4"), 40)
    (folder / "1.png").write_bytes(b"no picture")

    told = run("watch", folder, "--json")

    first, second = map(json.loads, told.output.splitlines())
    assert (first["photo"], first["verdict"]) == ("1.png", "hidden")
    assert (second["photo"], second["verdict"]) == ("2.png", "legal")
    assert "1.png" in first["text"]


@pytest.mark.parametrize("form", ["--json", None])
def test_a_mirrored_window_is_told_with_what_to_do(run, form):
    """In JSON with every look that it spoils, to people once while it lasts."""
    x, y, z = run.scene.view.eye - np.array((*run.scene.board.size_mm, 0.0)) / 2
    mirror = Window((-x, -y, z), (0.3, 0.3), 10.0)
    window = Light((0.4, 0.39, 0.36), (0.2, 0.21, 0.23), windows=(mirror,))
    lights = [Light(), window, window, Light()]
    game = run.folder / f"window{form}"
    for number, light in enumerate(lights):
        run.photograph(
            game / f"{number}.png", position(white="d4"), number, light=light
        )

    told = run("watch", game, *([form] if form else []))

    lines = told.output.splitlines()
    if form:
        notes = [json.loads(line)["note"] for line in lines]
    else:
        notes = [line.partition("A window or")[2] for line in lines]
    assert [bool(note) for note in notes] == [False, True, bool(form), False]
    assert "shade it" in notes[1]


def test_a_turned_photo_is_told_and_the_game_goes_on(run):
    """A photo of another shape shows no board; the next one does."""
    folder = run.folder / "turned"
    run.photograph(folder / "2.png", position(white="d4"), 41)
    cv2.imwrite(str(folder / "1.png"), cv2.imread(str(folder / "2.png"))[:, :400])

    told = run("watch", folder, "--json")

    first, second = map(json.loads, told.output.splitlines())
    assert (first["verdict"], second["verdict"]) == ("hidden", "legal")
    assert "the same way up" in first["text"]


def test_photos_of_the_calibration_alone_are_nothing_to_follow(run):
    """Silence would leave one wondering whether all is well."""
    told = run("watch", run.folder / "table", "--json")

    assert told.exit_code == 2
    assert told.output.startswith("companion: ")
    assert "nothing to follow" in told.output


def test_broken_photos_alone_are_nothing_to_follow(run):
    """Each is told; that there was nothing else ends with status 2, as of one photo."""
    folder = run.folder / "all-broken"
    folder.mkdir()
    for name in ("1.png", "2.png"):
        (folder / name).write_bytes(b"no picture")

    told = run("watch", folder, "--json")

    *looks, error = told.output.splitlines()
    assert [json.loads(look)["photo"] for look in looks] == ["1.png", "2.png"]
    assert (told.exit_code, error[:11]) == (2, "companion: ")


def test_a_stream_is_looked_at_when_it_comes_to_rest_and_now_and_then():
    """A hand held still for a moment is no part of the table after three frames."""
    frames = [Frame(np.zeros((9, 9, 3), np.uint8), 3407.1 + at) for at in range(8)]
    camera = SimpleNamespace(read=iter([*frames, None]).__next__)
    moving = (3407.1, 3412.1)
    calm = SimpleNamespace(settled=lambda frame: frame.taken_at not in moving)

    # By the time since it began: how long the machine has run is nobody's business.
    assert [name for name, _ in _looks(camera, calm)] == ["1.0 s", "4.0 s", "6.0 s"]


@pytest.mark.parametrize("source", ["nowhere", "usb:99"])
def test_a_source_that_is_not_there_is_one_sentence(run, source):
    """What cannot be watched ends with status 2 and says what would do."""
    told = run("watch", source)

    assert told.exit_code == 2
    assert told.output.startswith("companion: ")
    assert told.output.count("\n") == 1
