"""The machine: what is fine, what is not, and what to do.

Each check takes a `Machine` and returns a `Finding`; none changes anything.
"""

from __future__ import annotations

import errno
import grp
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from hardware.pi_model import pi_generation, pi_model


class State(Enum):
    """How a check ended."""

    FINE = "fine"
    NOT_FINE = "not fine"
    NOT_HERE = "does not apply"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

    Attributes:
        check: its name, one or two words.
        state: how it ended.
        text: what was found.
        remedy: what to do, "" if nothing is to be done.
    """

    check: str
    state: State
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the checks may look at.

    Attributes:
        root: of the file system.
        home: where records are kept.
        port: of the page.
        groups: the user's, by name.
        python: version of the interpreter.
        architecture: as `uname -m` says.
        versions: of installed packages, by name.
        modules: which of the optional modules can be imported.
    """

    root: Path
    home: Path
    port: int
    groups: frozenset[str] = frozenset()
    python: tuple[int, int] = (3, 11)
    architecture: str = "aarch64"
    versions: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()

    @classmethod
    def here(cls, home: Path, port: int) -> Machine:
        """Describe the machine this runs on."""
        optional = ("picamera2", "rpi_ws281x", "spidev", "gpiozero")
        packages = ("numpy", "opencv-python-headless", "opencv-python")
        return cls(
            root=Path("/"),
            home=home,
            port=port,
            groups=frozenset(_group_names()),
            python=sys.version_info[:2],
            architecture=platform.machine(),
            versions={
                name: version for name in packages if (version := _version(name))
            },
            modules=frozenset(m for m in optional if importlib.util.find_spec(m)),
        )

    @property
    def generation(self) -> int | None:
        """Of the Raspberry Pi; None elsewhere."""
        return pi_generation(self.root)

    def read(self, path: str) -> str:
        """Return a file's text, "" if it cannot be read."""
        try:
            return (self.root / path).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return ""

    def boot(self, name: str) -> str:
        """Return a file of the boot partition, wherever this release keeps it."""
        return self.read(f"boot/firmware/{name}") or self.read(f"boot/{name}")


Check = Callable[[Machine], Finding]


def _group_names() -> Iterator[str]:
    for number in {*os.getgroups(), os.getegid()}:
        try:
            yield grp.getgrgid(number).gr_name
        except KeyError:
            continue  # a group of the container's host has no name here


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _release(machine: Machine) -> dict[str, str]:
    lines = machine.read("etc/os-release").splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {key: value.strip('"') for key, value in pairs}


# -- any machine ---------------------------------------------------------------


def check_system(machine: Machine) -> Finding:
    """Check that the system is new enough, and 64-bit on a Pi."""
    release = _release(machine)
    name = release.get("PRETTY_NAME", "unknown system")
    text = f"{name}, {machine.architecture}"
    if machine.generation and machine.architecture.startswith("arm"):
        return Finding(
            "system",
            State.NOT_FINE,
            f"{text}: there is no OpenCV for 32-bit systems",
            "Install the 64-bit Raspberry Pi OS.",
        )
    if machine.generation and _number(release.get("VERSION_ID", "0")) < (12,):
        return Finding(
            "system",
            State.NOT_FINE,
            text,
            "Install Raspberry Pi OS Bookworm (12) or Trixie (13).",
        )
    return Finding("system", State.FINE, text)


def check_board(machine: Machine) -> Finding:
    """Say which Raspberry Pi this is."""
    if name := pi_model(machine.root):
        return Finding("board", State.FINE, name)
    return Finding(
        "board", State.NOT_HERE, "no Raspberry Pi; a USB camera or a phone will do"
    )


def check_python(machine: Machine) -> Finding:
    """Check the interpreter's version."""
    text = "Python " + ".".join(map(str, machine.python))
    if machine.python < (3, 11):
        return Finding(
            "python", State.NOT_FINE, text, "Python 3.11 or newer is needed."
        )
    return Finding("python", State.FINE, text)


def check_libraries(machine: Machine) -> Finding:
    """Check that one OpenCV is installed and fits numpy and the Pi's camera."""
    numpy = machine.versions.get("numpy", "")
    opencvs = [name for name in machine.versions if name.startswith("opencv")]
    found = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    remedy = ""
    if not numpy or not opencvs:
        remedy = "Run make play again."
    elif len(opencvs) > 1:
        remedy = "They overwrite each other: pip uninstall both, then run make play."
    elif _number(machine.versions[opencvs[0]]) < (4, 10):
        remedy = "OpenCV 4.10 or newer is needed; run make play again."
    elif _clashes_with_camera(machine, numpy):
        remedy = (
            "Bookworm's picamera2 is built for numpy 1: run make pi, which "
            'installs "numpy<2" and "opencv-python-headless<4.12".'
        )
    state = State.NOT_FINE if remedy else State.FINE
    return Finding("libraries", state, found or "none found", remedy)


def _clashes_with_camera(machine: Machine, numpy: str) -> bool:
    bookworm = _release(machine).get("VERSION_ID") == "12"
    return bool(machine.generation and bookworm and _number(numpy) >= (2,))


FREE_MB = 200
"""A record takes kilobytes; its pictures and the system's log take more."""


def check_disk(machine: Machine) -> Finding:
    """Check that records can be written for long."""
    place = next(p for p in (machine.home, *machine.home.parents) if p.exists())
    free = shutil.disk_usage(place).free // 1_000_000
    text = f"{free} MB free for records in {machine.home}"
    if free < FREE_MB:
        return Finding(
            "disk",
            State.NOT_FINE,
            text,
            f"Make room: {FREE_MB} MB should be free.",
        )
    if not place.is_dir() or not os.access(place, os.W_OK):
        return Finding(
            "disk",
            State.NOT_FINE,
            f"{place} cannot be written" if place.is_dir() else f"{place} is no folder",
            "Set COMPANION_HOME to a folder of your own.",
        )
    return Finding("disk", State.FINE, text)


def check_port(machine: Machine) -> Finding:
    """Check that the page can be served."""
    with socket.socket() as probe:
        # As servers do: a port that was in use a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", machine.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                remedy = "Choose a port above 1023 with --port."
            else:
                remedy = "Stop the other companion, or choose another with --port."
            return Finding(
                "port",
                State.NOT_FINE,
                f"{machine.port}: {(error.strerror or str(error)).lower()}",
                remedy,
            )
    return Finding("port", State.FINE, f"{machine.port} is free")


def check_cameras(machine: Machine) -> Finding:
    """Check that there is a camera that could be used."""
    numbers = [p.name for p in sorted((machine.root / "dev").glob("video[0-9]*"))]
    if machine.generation and "picamera2" not in machine.modules:
        return Finding(
            "cameras",
            State.NOT_FINE,
            "picamera2 is not installed, so the ribbon cable's camera is not seen",
            "Run make pi. For a USB camera nothing is needed.",
        )
    if machine.generation:
        return Finding("cameras", State.FINE, "picamera2 is installed (--camera pi)")
    if numbers:
        return Finding("cameras", State.FINE, ", ".join(numbers) + " (--camera usb:N)")
    return Finding(
        "cameras",
        State.NOT_HERE,
        "none plugged in; a phone's stream (--camera http://...) or photos will do",
    )


# -- a Raspberry Pi ------------------------------------------------------------


def _on_pi(check: Check) -> Check:
    """Let a check apply to Raspberry Pis only."""
    name = check.__name__.removeprefix("check_").replace("_", " ")

    def checked(machine: Machine) -> Finding:
        if machine.generation is None:
            return Finding(name, State.NOT_HERE, "only on a Raspberry Pi")
        return check(machine)

    return checked


@_on_pi
def check_groups(machine: Machine) -> Finding:
    """Check that the user may use camera, pins and SPI."""
    missing = sorted({"video", "gpio", "spi"} - machine.groups)
    if missing and "root" not in machine.groups:
        return Finding(
            "groups",
            State.NOT_FINE,
            f"you are not in {', '.join(missing)}",
            f"Run sudo usermod -aG {','.join(missing)} $USER and log in again.",
        )
    return Finding("groups", State.FINE, "video, gpio, spi")


@_on_pi
def check_spi(machine: Machine) -> Finding:
    """Check that the pin of the lights is there: SPI, or a Pi 5's own driver."""
    devices = ["dev/spidev0.0"] + ["dev/leds0"] * (machine.generation == 5)
    found = [device for device in devices if (machine.root / device).exists()]
    if found:
        return Finding("spi", State.FINE, ", ".join(f"/{device}" for device in found))
    line = (
        "dtoverlay=ws2812-pio,gpio=18,num_leds=100,brightness=0"
        if machine.generation == 5
        else "dtparam=spi=on"
    )
    return Finding(
        "spi",
        State.NOT_FINE,
        "lights have no data pin",
        f"Put {line} into /boot/firmware/config.txt and restart; without lights, "
        "nothing is needed.",
    )


_CORE_CLOCK = {3: r"core_freq=250\b", 4: r"core_freq_min=500\b"}


@_on_pi
def check_core_clock(machine: Machine) -> Finding:
    """Check that the clock that times the lights' data stands still."""
    pattern = _CORE_CLOCK.get(min(max(machine.generation or 0, 3), 5))
    if pattern is None:
        return Finding("core clock", State.NOT_HERE, "a Pi 5 has none to set")
    line = pattern.removesuffix(r"\b")
    lines = machine.boot("config.txt").splitlines()
    if any(re.match(pattern, text.strip()) for text in lines):
        return Finding("core clock", State.FINE, line)
    return Finding(
        "core clock",
        State.NOT_FINE,
        f"{line} is not set, so lights on SPI can flicker and show wrong colours",
        f"Put {line} into /boot/firmware/config.txt and restart.",
    )


@_on_pi
def check_spi_buffer(machine: Machine) -> Finding:
    """Check how many lamps SPI can feed at once."""
    size = int(machine.read("sys/module/spidev/parameters/bufsiz") or 4096)
    lamps = size // 12  # rpi_ws281x sends 12 bytes a lamp at most
    if lamps < 100:
        return Finding(
            "spi buffer",
            State.NOT_FINE,
            f"{size} bytes, enough for {lamps} lamps",
            "Put spidev.bufsiz=32768 into /boot/firmware/cmdline.txt and restart.",
        )
    return Finding("spi buffer", State.FINE, f"{size} bytes, up to {lamps} lamps")


_THROTTLED = {
    0: "the voltage is too low now",
    2: "the processor is slowed down now",
    16: "the voltage was too low since the start",
    18: "the processor was slowed down since the start",
}


@_on_pi
def check_power(machine: Machine) -> Finding:
    """Check what the firmware says of voltage and heat."""
    files = sorted(machine.root.glob("sys/devices/platform/*/*firmware/get_throttled"))
    text = files[0].read_text().strip() if files else ""
    if not text:
        return Finding("power", State.NOT_HERE, "this kernel does not tell")
    bits = int(text, 16)
    said = [words for bit, words in _THROTTLED.items() if bits >> bit & 1]
    if said:
        return Finding(
            "power",
            State.NOT_FINE,
            "; ".join(said),
            "Use the Pi's own power supply and a short cable; give the lights a "
            "supply of their own; cool the processor.",
        )
    return Finding("power", State.FINE, "voltage and heat were always fine")


CHECKS: tuple[Check, ...] = (
    check_system,
    check_board,
    check_python,
    check_libraries,
    check_disk,
    check_port,
    check_cameras,
    check_groups,
    check_spi,
    check_core_clock,
    check_spi_buffer,
    check_power,
)


def examine(machine: Machine) -> Iterator[Finding]:
    """Yield what each check of the machine finds."""
    for check in CHECKS:
        yield check(machine)
