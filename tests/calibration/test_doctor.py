"""Planted files stand for machines; planted pictures for tables."""

import json
import socket
from dataclasses import replace

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.doctor import check_light, check_place, doctor, examine_table
from calibration.machine import (
    Finding,
    Machine,
    State,
    check_cameras,
    check_core_clock,
    check_disk,
    check_groups,
    check_libraries,
    check_port,
    check_power,
    check_python,
    check_spi,
    check_spi_buffer,
    check_system,
    examine,
)
from calibration.table import Table
from companion.cli import main
from companion.rules.board import Look
from tests.mock_pins import mock_pins
from vision.frame import Frame
from vision.pose import Lens

GOOD_PI = {
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12"\nVERSION_ID="12"\n',
    "boot/firmware/config.txt": "dtparam=spi=on\n  core_freq_min=500\n",
    "sys/module/spidev/parameters/bufsiz": "32768\n",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
    "dev/spidev0.0": "",
}
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"


def free_port():
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


@pytest.fixture
def machine(tmp_path):
    """Build a machine from planted files; a Pi in good order if none are given."""

    def build(changes=None, **values):
        for path, text in {**GOOD_PI, **(changes or {})}.items():
            file = tmp_path / path
            if text is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        usual = Machine(
            root=tmp_path,
            home=tmp_path / "home",
            port=free_port(),
            groups=frozenset({"video", "gpio", "spi"}),
            versions={"numpy": "1.26.4", "opencv-python-headless": "4.11.0.86"},
            modules=frozenset({"picamera2"}),
        )
        return replace(usual, **values)

    return build


def test_a_pi_in_good_order_has_nothing_to_mend(machine):
    """Every check is fine, and none asks for anything."""
    findings = list(examine(machine()))

    assert {f.state for f in findings} == {State.FINE}
    assert not any(f.remedy for f in findings)


def test_a_laptop_is_told_what_does_not_apply(machine):
    """No check of the Pi's hardware fails on a machine that is none."""
    laptop = machine(
        {"proc/device-tree/model": "A Laptop"}, groups=frozenset(), modules=frozenset()
    )

    states = {f.check: f.state for f in examine(laptop)}

    assert State.NOT_FINE not in states.values()
    for check in ("board", "groups", "spi", "core clock", "spi buffer", "power"):
        assert states[check] is State.NOT_HERE


@pytest.mark.parametrize(
    ("check", "changes", "values", "remedy"),
    [
        (check_system, {}, {"architecture": "armv7l"}, "64-bit"),
        (check_system, {"etc/os-release": 'VERSION_ID="11"'}, {}, "Bookworm"),
        (check_python, {}, {"python": (3, 9)}, "3.11"),
        (check_libraries, {}, {"versions": {}}, "make play"),
        (
            check_libraries,
            {},
            {"versions": {"numpy": "2.2.6", "opencv-python-headless": "4.14.0"}},
            "numpy<2",
        ),
        (
            check_libraries,
            {},
            {"versions": {"numpy": "1.26.4", "opencv-python-headless": "4.6.0"}},
            "4.10",
        ),
        (
            check_libraries,
            {},
            {
                "versions": {
                    "numpy": "1.26.4",
                    "opencv-python-headless": "4.11.0",
                    "opencv-python": "4.11.0",
                }
            },
            "overwrite",
        ),
        (check_groups, {}, {"groups": frozenset({"video"})}, "usermod -aG gpio,spi"),
        (check_cameras, {}, {"modules": frozenset()}, "make pi"),
        (check_core_clock, {"boot/firmware/config.txt": "#core"}, {}, "min=500"),
        (
            check_core_clock,
            {
                "proc/device-tree/model": "Raspberry Pi Zero 2 W",
                "boot/firmware/config.txt": "core_freq_min=500",
            },
            {},
            "core_freq=250",
        ),
        (
            check_spi_buffer,
            {"sys/module/spidev/parameters/bufsiz": "1024"},
            {},
            "bufsiz=32768",
        ),
        (check_power, {THROTTLED: "50005"}, {}, "supply"),
    ],
)
def test_what_is_wrong_is_named_with_what_to_do(
    check, changes, values, remedy, machine
):
    """Each fault is found by its check, with a remedy that helps."""
    assert check(machine()).state is State.FINE

    found = check(machine(changes, **values))

    assert found.state is State.NOT_FINE
    assert remedy in found.remedy


def test_under_voltage_now_and_earlier_are_told_apart(machine):
    """The firmware's bits 0 and 16 are two different sentences."""
    assert "since" not in check_power(machine({THROTTLED: "1"})).text
    assert "since the start" in check_power(machine({THROTTLED: "10000"})).text


def test_numpy_2_is_fine_without_a_bookworm_camera(machine):
    """The pairing matters on Bookworm's Pi only."""
    versions = {"numpy": "2.2.6", "opencv-python-headless": "5.0.0.93"}
    trixie = {"etc/os-release": 'VERSION_ID="13"'}

    assert check_libraries(machine(trixie, versions=versions)).state is State.FINE


@pytest.mark.parametrize(
    ("model", "line"),
    [("Raspberry Pi 4 Model B", "spi=on"), ("Raspberry Pi 5 Model B", "ws2812-pio")],
)
def test_a_missing_data_pin_names_the_line_for_this_pi(model, line, machine, tmp_path):
    """A Pi 5 has a driver of its own; older ones need SPI."""
    pi = machine({"proc/device-tree/model": model})
    (tmp_path / "dev/spidev0.0").unlink()

    found = check_spi(pi)

    assert found.state is State.NOT_FINE
    assert line in found.remedy


def test_a_busy_port_is_found(machine):
    """While another program listens, the port is not fine."""
    with socket.create_server(("", 0)) as other:
        busy = machine(port=other.getsockname()[1])

        assert check_port(busy).state is State.NOT_FINE
    assert check_port(busy).state is State.FINE


def test_little_room_for_records_is_found(machine, monkeypatch):
    """The disk of the records' folder is what counts, even before it exists."""
    pi = machine()
    assert check_disk(pi).state is State.FINE

    monkeypatch.setattr("calibration.machine.FREE_MB", 10**9)

    assert "Make room" in check_disk(pi).remedy


def test_a_file_is_no_place_for_records(machine):
    """Nothing can be kept below what is no folder."""
    pi = machine()
    pi.home.parent.mkdir(parents=True, exist_ok=True)
    pi.home.write_text("")

    assert check_disk(pi).state is State.NOT_FINE
    assert "COMPANION_HOME" in check_disk(pi).remedy


# -- tables --------------------------------------------------------------------


def printed(rng):
    """Draw a board with a print on each of 10 x 10 squares, on a table."""
    image = np.full((480, 640, 3), 90, np.uint8)
    for row in range(10):
        for column in range(10):
            x, y = 120 + 40 * column, 40 + 40 * row
            colour = [int(c) for c in rng.integers(100, 200, 3)]
            cv2.rectangle(image, (x, y), (x + 38, y + 38), colour, -1)
            dot = (int(x + rng.integers(8, 30)), int(y + rng.integers(8, 30)))
            cv2.circle(image, dot, 6, (30, 30, 60), -1)
    return image


def shifted(image, dx, dy):
    matrix = np.float32([[1, 0, dx], [0, 1, dy]])
    return cv2.warpAffine(image, matrix, (640, 480), borderMode=cv2.BORDER_REPLICATE)


@pytest.fixture(scope="module")
def empty():
    return printed(np.random.default_rng(5))


@pytest.fixture
def table(empty):
    return Table(
        game="gridlock",
        rows=(" ".join(["2S"] * 10),) * 10,
        corners=((120, 40), (520, 40), (520, 440), (120, 440)),
        empty=empty,
        looks=(Look("red"),),
        cell_mm=(40.0, 40.0),
        lens=Lens((640, 480)),
    )


def test_a_board_with_chips_in_another_light_lies_where_it_lay(table, empty):
    """Neither chips nor a darker room count as a move."""
    rng = np.random.default_rng(6)
    now = (empty * 0.7).astype(np.uint8)
    for row, column in rng.integers(0, 10, (20, 2)):
        centre = (int(140 + 40 * column), int(60 + 40 * row))
        cv2.circle(now, centre, 15, (40, 40, 190), -1)

    assert check_place(Frame(now), table).state is State.FINE


def test_a_board_that_was_pushed_is_noticed_with_how_far(table, empty):
    """A push of half a square is told in squares."""
    found = check_place(Frame(shifted(empty, 20, 0)), table)

    assert found.state is State.NOT_FINE
    assert "0.5 squares" in found.text


def test_another_picture_is_not_taken_for_the_table(table):
    """A picture with nothing in common says so instead of a distance."""
    other = np.random.default_rng(7).integers(0, 255, (480, 640, 3), dtype=np.uint8)

    assert "not like" in check_place(Frame(other), table).text


def test_darkness_and_glare_are_noticed(empty):
    """Too little light and a burnt-out patch each have their remedy."""
    glare = empty.copy()
    glare[100:250, 100:300] = 255

    assert check_light(empty, empty).state is State.FINE
    assert "lamp on" in check_light(empty // 8, empty).remedy
    assert "Move the lamp" in check_light(glare, empty).remedy
    assert check_light(glare, glare).state is State.FINE


def test_a_table_s_own_camera_is_tried(table, empty, tmp_path, machine):
    """The doctor looks through the camera that the table names."""
    photos = tmp_path / "photos"
    photos.mkdir()
    cv2.imwrite(str(photos / "now.png"), shifted(empty, 40, 0))
    replace(table, camera=str(photos)).save(tmp_path / "table")
    said = []

    right = doctor(tmp_path / "table", machine(), said.append, as_json=True)

    found = {line["check"]: line for line in map(json.loads, said)}
    assert not right
    assert found["camera"]["state"] == found["light"]["state"] == "fine"
    assert "1.0 squares" in found["board"]["text"]


def test_a_camera_that_is_gone_is_a_finding_not_an_error(table, tmp_path, machine):
    """The sentence of the camera's error is the remedy."""
    replace(table, camera="usb:97").save(tmp_path / "table")
    said = []

    assert not doctor(tmp_path / "table", machine(), said.append)
    assert any("/dev/video97" in line for line in said)


def test_a_table_of_an_unknown_game_is_not_in_order(table, machine):
    """Nobody could play on it."""
    found = next(examine_table(replace(table, game="chess"), machine()))

    assert found.state is State.NOT_FINE
    assert "chess" in found.text


def test_a_strip_that_is_written_wrongly_is_found_on_every_machine(table, machine):
    """It keeps the table from playing, also where no lamp could be lit."""
    wired = replace(table, camera="", strip={"corner": "x"})
    laptop = machine({"proc/device-tree/model": "A Laptop"})

    findings = {found.check: found for found in examine_table(wired, laptop)}

    assert findings["lights"].state is State.NOT_FINE
    assert "top-left" in findings["lights"].remedy


def test_controls_are_tried_if_the_table_has_any(table, machine, monkeypatch):
    """Their pins are opened on a Pi only, in silence; most tables have none."""
    pins = mock_pins(monkeypatch)
    wired = replace(table, controls={"accept": 6, "buzzer": 13})
    laptop = machine({"proc/device-tree/model": "A Laptop"})

    def found(table, machine):
        findings = {f.check: f for f in examine_table(table, machine)}
        return findings.get("controls")

    assert found(table, laptop) is None
    assert found(wired, laptop).state is State.NOT_HERE
    pi = machine()
    assert found(wired, pi) == Finding(
        "controls", State.FINE, "accept GPIO6, buzzer GPIO13"
    )
    assert not pins.pins
    clash = found(replace(table, controls={"accept": 10}), pi)
    assert clash.state is State.NOT_FINE
    assert "kept for the lights" in clash.remedy


def test_the_command_says_all_and_exits_by_what_it_found(tmp_path, monkeypatch):
    """Every line is JSON if asked; a table that is none makes the status 1."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    arguments = ["doctor", "--port", str(free_port()), "--json"]
    runner = CliRunner()

    fine = runner.invoke(main, [*arguments, "--table", "demo"])
    wrong = runner.invoke(main, [*arguments, "--table", str(tmp_path / "none")])

    lines = [json.loads(line) for line in fine.output.splitlines()]
    right = all(line["state"] != "not fine" for line in lines)
    assert fine.exit_code == (0 if right else 1)
    assert {"check", "state", "text", "remedy"} == set(lines[0])
    assert wrong.exit_code == 1
    assert json.loads(wrong.output.splitlines()[-1])["check"] == "table"
