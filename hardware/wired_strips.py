"""Lamps on a wire: WS2812 strips on a Raspberry Pi, three ways to drive them.

Each applies gamma, brightness and the current limit, once, in `power.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

import numpy as np

from companion.errors import StripUnavailable
from hardware.layout import Order, Wiring
from hardware.power import duty, milliamps
from hardware.strips import Pixels, dark


class _WiredStrip(ABC):
    """What all wired strips share.

    Attributes:
        milliamps: estimate of what the lamps draw now.
    """

    milliamps = 0.0

    def __init__(self, lamps: int, wiring: Wiring) -> None:
        self._lamps = lamps
        self._wiring = wiring

    def __enter__(self) -> Self:
        """Open the driver, all lamps off."""
        self._open()
        try:
            self.show(dark(self._lamps))
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        """Switch all lamps off and close the driver."""
        try:
            self.show(dark(self._lamps))
        finally:
            self._close()

    def show(self, pixels: Pixels) -> None:
        """Show a whole frame at once."""
        values = duty(pixels, self._wiring.brightness, self._wiring.limit_ma)
        self._send(values)
        self.milliamps = milliamps(values)

    @abstractmethod
    def _open(self) -> None: ...

    @abstractmethod
    def _send(self, values: Pixels) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...


def on_the_wire(values: Pixels, order: Order) -> Pixels:
    """Return (N, 3) RGB values with their columns in the order of the wire."""
    return values[:, ["RGB".index(colour) for colour in order]]


# -- SPI, by ourselves ---------------------------------------------------------

SPI_HZ = 2_400_000
"""Three SPI bits last 1.25 us, one bit of a WS2812."""

RESET = bytes(90)
"""300 us of silence latch a frame (WS2812B wants 280)."""

# A bit is a long (110) or short (100) pulse: 8 bits become 24.
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
_PULSES = np.stack([np.ones_like(_BITS), _BITS, np.zeros_like(_BITS)], axis=2)
_CODE = np.packbits(_PULSES.reshape(256, 24), axis=1)


def spi_code(wire: Pixels) -> bytes:
    """Encode values in the order of the wire: 9 bytes a lamp, between resets."""
    return RESET + _CODE[wire].tobytes() + RESET


class SpiStrip(_WiredStrip):
    """A strip on the SPI data pin (GPIO10), needing no library but spidev."""

    def __init__(self, lamps: int, wiring: Wiring, root: Path = Path("/")) -> None:
        super().__init__(lamps, wiring)
        self._root = root
        self._spi: Any = None

    def _open(self) -> None:
        try:
            import spidev
        except ImportError as error:
            raise StripUnavailable(
                "The lights need the Python module spidev; run make pi."
            ) from error
        needed, room = len(spi_code(dark(self._lamps))), self._buffer()
        if needed > room:
            # The kernel would send it in parts, and each pause latches the strip.
            raise StripUnavailable(
                f"{self._lamps} lamps need {needed} bytes at once, SPI sends {room}; "
                "add spidev.bufsiz=32768 to /boot/firmware/cmdline.txt and restart."
            )
        try:
            self._spi = spidev.SpiDev()
            self._spi.open(0, 0)
            self._spi.max_speed_hz = SPI_HZ
            self._spi.mode = 0
        except PermissionError as error:
            raise StripUnavailable(
                "This user may not use SPI; run sudo usermod -aG spi,gpio $USER and "
                "log in again."
            ) from error
        except OSError as error:
            raise StripUnavailable(
                "SPI is off; put dtparam=spi=on into /boot/firmware/config.txt and "
                "restart."
            ) from error

    def _buffer(self) -> int:
        file = self._root / "sys/module/spidev/parameters/bufsiz"
        try:
            return int(file.read_text())
        except (OSError, ValueError):
            return 4096  # the kernel's default

    def _send(self, values: Pixels) -> None:
        try:
            self._spi.writebytes2(spi_code(on_the_wire(values, self._wiring.order)))
        except OSError as error:
            raise StripUnavailable(
                f"The lights no longer answer over SPI ({error.strerror or error}); "
                "run companion doctor."
            ) from error

    def _close(self) -> None:
        self._spi.close()


# -- Raspberry Pi 5: the kernel's own driver -----------------------------------


class KernelStrip(_WiredStrip):
    """A strip behind the kernel's ws2812-pio driver of the Raspberry Pi 5.

    The driver takes R, G, B, W for each lamp and sends G, R, B. With
    `brightness=0` in config.txt it leaves the values as they are.
    """

    def __init__(self, lamps: int, wiring: Wiring, device: Path) -> None:
        super().__init__(lamps, wiring)
        self._device = device
        self._file = -1

    def _open(self) -> None:
        try:
            self._file = os.open(self._device, os.O_WRONLY)
        except PermissionError as error:
            raise StripUnavailable(
                f"This user may not write to {self._device}; run make pi, which "
                "gives it to the group gpio, and restart."
            ) from error
        except OSError as error:
            raise StripUnavailable(
                f"{self._device} is missing; put dtoverlay=ws2812-pio,gpio="
                f"{self._wiring.pin},num_leds={self._lamps},brightness=0 into "
                "/boot/firmware/config.txt and restart."
            ) from error

    def _send(self, values: Pixels) -> None:
        sent = on_the_wire(values, self._wiring.order)
        frame = np.zeros((len(values), 4), np.uint8)
        frame[:, [1, 0, 2]] = sent
        try:
            os.pwrite(self._file, frame.tobytes(), 0)
        except OSError as error:
            raise StripUnavailable(
                f"{self._device} takes no frames ({error.strerror or error}); "
                "run companion doctor."
            ) from error

    def _close(self) -> None:
        os.close(self._file)


# -- up to Raspberry Pi 4: rpi_ws281x ------------------------------------------

# Run in a process of its own: after a failed begin() the library crashes the
# interpreter when that ends, unless it ends without any clearing up.
_PROBE = """
import json, os, sys
try:
    from rpi_ws281x import PixelStrip
    PixelStrip(**json.loads(sys.argv[1])).begin()
except BaseException as error:
    print(f"{type(error).__name__}: {error}", flush=True)
    os._exit(0)
print("ready")
"""

PROBE_SECONDS = 10


class LibraryStrip(_WiredStrip):
    """A strip behind rpi_ws281x, for every Raspberry Pi up to the 4 and Zero 2."""

    def __init__(self, lamps: int, wiring: Wiring) -> None:
        super().__init__(lamps, wiring)
        self._strip: Any = None

    def _open(self) -> None:
        arguments = {
            "num": self._lamps,
            "pin": self._wiring.pin,
            "dma": 10,  # 5 corrupts the SD card of a Pi 3
            "channel": 1 if self._wiring.pin == 13 else 0,
        }
        self._probe(arguments)
        from rpi_ws281x import PixelStrip

        self._strip = PixelStrip(**arguments)
        self._strip.begin()

    def _probe(self, arguments: dict[str, int]) -> None:
        try:
            child = subprocess.run(
                [sys.executable, "-c", _PROBE, json.dumps(arguments)],
                capture_output=True,
                text=True,
                timeout=PROBE_SECONDS,
                check=False,
            )
            answer = child.stdout.strip() or f"it crashed ({child.returncode})"
        except subprocess.TimeoutExpired:
            answer = f"it did not answer in {PROBE_SECONDS} s"
        if answer == "ready":
            return
        if answer.startswith("ModuleNotFoundError"):
            raise StripUnavailable(
                "The lights need the Python module rpi_ws281x; run make pi."
            )
        raise StripUnavailable(
            f"rpi_ws281x cannot drive the lights ({answer}); {self._remedy()}"
        )

    def _remedy(self) -> str:
        if self._wiring.pin == 10:
            return (
                "put dtparam=spi=on into /boot/firmware/config.txt, be in the groups "
                "spi and gpio, restart, and run companion doctor."
            )
        return (
            f"pin {self._wiring.pin} needs root; better put the data line on GPIO10, "
            'write "pin": 10 into the table, and run companion doctor.'
        )

    def _send(self, values: Pixels) -> None:
        # The library sends GRB when it is given R, G, B.
        wire = on_the_wire(values, self._wiring.order)
        for lamp, (green, red, blue) in enumerate(wire.tolist()):
            self._strip.setPixelColor(lamp, red << 16 | green << 8 | blue)
        try:
            self._strip.show()
        except RuntimeError as error:
            raise StripUnavailable(
                f"rpi_ws281x fails ({error}); run companion doctor."
            ) from error

    def _close(self) -> None:
        # The library lets its memory go when the interpreter ends.
        self._strip = None
