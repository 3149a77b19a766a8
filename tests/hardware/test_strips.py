import sys
import types

import numpy as np
import pytest

from companion.errors import StripUnavailable
from hardware.layout import Wiring
from hardware.page_strip import FakeStrip, PageStrip
from hardware.pi_model import pi_generation, pi_model
from hardware.power import duty
from hardware.strips import open_strip
from hardware.wired_strips import RESET, KernelStrip, LibraryStrip, SpiStrip

BRIGHT = Wiring(brightness=1.0, limit_ma=10_000)
RAINBOW = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 200, 10]], np.uint8)


class StubSpiDev:
    """STUB of spidev.SpiDev: keeps what would go over the wire."""

    sent: list[bytes]

    def open(self, bus, device):
        assert (bus, device) == (0, 0)
        self.sent = []
        StubSpiDev.last = self

    def writebytes2(self, data):
        self.sent.append(bytes(data))

    def close(self):
        self.closed = True


@pytest.fixture
def stub_spidev(monkeypatch):
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=StubSpiDev))
    return StubSpiDev


def decode_spi(data, order="GRB"):
    """Turn pulses back into (N, 3) RGB, as the lamps do: long is 1, short is 0."""
    assert data.startswith(RESET)
    assert data.endswith(RESET)
    bits = np.unpackbits(np.frombuffer(data[len(RESET) : -len(RESET)], np.uint8))
    pulses = bits.reshape(-1, 3)
    assert (pulses[:, 0] == 1).all()
    assert (pulses[:, 2] == 0).all()
    wire = np.packbits(pulses[:, 1]).reshape(-1, 3)
    return wire[:, [order.index(colour) for colour in "RGB"]]


# -- one contract for all drivers ---------------------------------------------


def page(tmp_path):
    strip = PageStrip(4)
    return strip, lambda: strip.pixels, RAINBOW


def fake(tmp_path):
    strip = FakeStrip(4)
    return strip, lambda: strip.frames[-1], RAINBOW


def spi(tmp_path):
    return (
        SpiStrip(4, BRIGHT),
        lambda: decode_spi(StubSpiDev.last.sent[-1]),
        duty(RAINBOW, 1.0, 10_000),
    )


def kernel(tmp_path):
    device = tmp_path / "leds0"
    device.touch()

    def lit():
        frame = np.frombuffer(device.read_bytes(), np.uint8).reshape(-1, 4)
        assert not frame[:, 3].any(), "there is no white lamp"
        return frame[:, :3]

    return KernelStrip(4, BRIGHT, device), lit, duty(RAINBOW, 1.0, 10_000)


@pytest.mark.parametrize("make", [page, fake, spi, kernel])
def test_every_driver_shows_whole_frames_and_goes_dark_at_the_end(
    make, tmp_path, stub_spidev
):
    """What was shown is lit, the caller's array is not kept, leaving means dark."""
    strip, lit, expected = make(tmp_path)
    mine = RAINBOW.copy()

    with strip as opened:
        opened.show(mine)
        mine[:] = 7
        assert (lit() == expected).all()
        opened.show(RAINBOW[::-1])
        assert (lit() == expected[::-1]).all()

    assert lit().shape == (4, 3)
    assert not lit().any()


@pytest.mark.parametrize("make", [page, fake, spi, kernel])
def test_every_driver_goes_dark_after_an_error(make, tmp_path, stub_spidev):
    """Lamps do not stay lit when a game ends with an error; it is passed on."""
    strip, lit, _ = make(tmp_path)

    def fail():
        with strip:
            strip.show(RAINBOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert not lit().any()


# -- each driver's own --------------------------------------------------------


def test_the_page_is_told_of_every_frame():
    """The listener gets each frame, beginning and ending with a dark one."""
    told = []

    with open_strip("page", 4, listener=told.append) as strip:
        strip.show(RAINBOW)

    assert [frame.any() for frame in told] == [False, True, False]
    assert (told[1] == RAINBOW).all()


def test_the_fake_says_that_it_is_one():
    """Nobody takes the recording strip for a real one."""
    strip = open_strip("fake", 9)

    assert "none of them real" in repr(strip)
    with strip:
        assert strip.is_open
    assert not strip.is_open


@pytest.mark.parametrize("order", ["RGB", "GRB", "BRG", "BGR", "RBG", "GBR"])
def test_colours_go_over_the_wire_in_the_strip_s_order(order, tmp_path, stub_spidev):
    """Whatever the strip's order, it shows the colours that were meant."""
    wiring = Wiring(brightness=1.0, limit_ma=10_000, order=order)
    device = tmp_path / "leds0"
    device.touch()
    expected = duty(RAINBOW, 1.0, 10_000)

    with SpiStrip(4, wiring) as strip, KernelStrip(4, wiring, device) as other:
        strip.show(RAINBOW)
        other.show(RAINBOW)
        sent = StubSpiDev.last.sent[-1]
        given = np.frombuffer(device.read_bytes(), np.uint8).reshape(-1, 4)

    assert (decode_spi(sent, order) == expected).all()
    # The kernel sends what it is given as G, R, B.
    wire = given[:, [1, 0, 2]]
    assert (wire[:, [order.index(colour) for colour in "RGB"]] == expected).all()


def test_the_current_is_limited_on_the_wire(tmp_path):
    """Full white on many lamps is dimmed to what the supply gives."""
    device = tmp_path / "leds0"
    device.touch()
    white = np.full((225, 3), 255, np.uint8)

    with KernelStrip(225, Wiring(brightness=1.0, limit_ma=2000), device) as strip:
        strip.show(white)
        sent = np.frombuffer(device.read_bytes(), np.uint8)
        drawn = strip.milliamps

    assert sent.max() < 60
    assert 1500 < drawn <= 2000


def test_a_strip_too_long_for_the_spi_buffer_is_refused(tmp_path, stub_spidev):
    """Rather than flicker, it says which setting to change."""
    with (
        pytest.raises(StripUnavailable, match="bufsiz"),
        SpiStrip(600, BRIGHT, tmp_path),
    ):
        pass

    bufsiz = tmp_path / "sys/module/spidev/parameters/bufsiz"
    bufsiz.parent.mkdir(parents=True)
    bufsiz.write_text("32768\n")
    with SpiStrip(600, BRIGHT, tmp_path):
        pass


@pytest.mark.parametrize(
    ("error", "says"),
    [(PermissionError(13, "denied"), "usermod"), (FileNotFoundError(), "spi=on")],
)
def test_spi_that_cannot_be_opened_says_what_to_do(
    error, says, stub_spidev, monkeypatch
):
    """No right and no SPI have different remedies."""

    def fail(*args):
        raise error

    monkeypatch.setattr(StubSpiDev, "open", fail)

    with pytest.raises(StripUnavailable, match=says), SpiStrip(4, BRIGHT):
        pass


def test_a_missing_kernel_driver_is_named_with_its_setting(tmp_path):
    """The line for config.txt is given ready to copy."""
    strip = KernelStrip(100, Wiring(pin=18), tmp_path / "leds0")

    with pytest.raises(StripUnavailable, match="ws2812-pio,gpio=18,num_leds=100"):
        strip.__enter__()


# -- rpi_ws281x, in a child process only --------------------------------------


@pytest.fixture
def stub_library(tmp_path, monkeypatch):
    """Put a STUB of rpi_ws281x where the child process finds it."""

    def write(begin):
        (tmp_path / "rpi_ws281x.py").write_text(
            "class PixelStrip:\n"
            "    def __init__(self, **arguments): self.arguments = arguments\n"
            f"    def begin(self): {begin}\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return write


@pytest.mark.parametrize(
    ("begin", "pin", "says"),
    [
        ("raise RuntimeError('ws2811_init failed with code -5')", 18, "root"),
        ("raise RuntimeError('ws2811_init failed with code -5')", 10, "spi=on"),
        ("raise ModuleNotFoundError('No module named rpi_ws281x')", 10, "make pi"),
        ("import os; os.kill(os.getpid(), 11)", 10, "crashed"),
    ],
)
def test_a_library_that_fails_or_crashes_does_not_take_us_along(
    begin, pin, says, stub_library
):
    """Its segmentation fault happens in the child; we get a sentence."""
    stub_library(begin)

    with (
        pytest.raises(StripUnavailable, match=says),
        LibraryStrip(4, Wiring(pin=pin)),
    ):
        pass

    assert "rpi_ws281x" not in sys.modules


# -- which machine ------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        ("Raspberry Pi 5 Model B Rev 1.0", 5),
        ("Raspberry Pi Compute Module 5 Rev 1.0", 5),
        ("Raspberry Pi 500 Rev 1.0", 5),
        ("Raspberry Pi 4 Model B Rev 1.4", 4),
        ("Raspberry Pi 400 Rev 1.1", 4),
        ("Raspberry Pi Zero 2 W Rev 1.0", 3),
        ("Raspberry Pi Model B Plus Rev 1.2", 1),
        ("Some Other Board", None),
    ],
)
def test_the_machine_is_known_by_its_device_tree(model, generation, tmp_path):
    """The model's name tells the generation, as it decides the driver."""
    file = tmp_path / "proc/device-tree/model"
    file.parent.mkdir(parents=True)
    file.write_bytes(model.encode() + b"\0")

    assert pi_generation(tmp_path) == generation
    assert pi_model(tmp_path) == (model if generation else "")


@pytest.mark.parametrize(
    ("model", "kind", "driver"),
    [
        ("Raspberry Pi 5 Model B", "ws281x", KernelStrip),
        ("Raspberry Pi 4 Model B", "ws281x", LibraryStrip),
        ("Raspberry Pi 4 Model B", "spi", SpiStrip),
        ("Raspberry Pi 5 Model B", "spi", SpiStrip),
    ],
)
def test_the_driver_follows_the_machine(model, kind, driver, tmp_path):
    """A Pi 5 is driven by its kernel, older ones by the library."""
    file = tmp_path / "proc/device-tree/model"
    file.parent.mkdir(parents=True)
    file.write_text(model)

    assert type(open_strip(kind, 4, root=tmp_path)) is driver


@pytest.mark.parametrize("kind", ["ws281x", "spi"])
def test_lamps_on_a_wire_need_a_raspberry_pi(kind, tmp_path):
    """Elsewhere the page's lights are offered."""
    with pytest.raises(StripUnavailable, match="--lights page"):
        open_strip(kind, 4, root=tmp_path)


def test_an_unknown_kind_is_refused_with_the_known_ones():
    """The fake is not offered to players."""
    with pytest.raises(StripUnavailable, match="ws281x, spi, page, none"):
        open_strip("disco", 4)
