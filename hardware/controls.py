"""Push buttons and a buzzer on the pins of a Raspberry Pi."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Self

from companion.errors import ControlsUnavailable
from hardware.layout import ControlPins
from hardware.pi_model import pi_generation

BOUNCE_S = 0.05
"""A button's contacts bounce for less; without it one push would count as several."""

BEEP_S = 0.12
"""Length of a beep, and of the pause after it."""


class Controls:
    """Buttons and a buzzer, opened by a `with` block; constructing touches nothing.

    Args:
        pins: what is where.
        pushed: called with the name of a button ("take_back", "accept") at each
            push, in the thread of the pins.
    """

    def __init__(self, pins: ControlPins, pushed: Callable[[str], None]) -> None:
        self._pins = pins
        self._pushed = pushed
        self._buzzer: Any = None
        self._beeping = threading.Lock()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Listen to the buttons.

        Raises:
            ControlsUnavailable: a pin cannot be used; the sentence says what to do.
        """
        with ExitStack() as stack:
            factory = stack.enter_context(closing(pin_factory()))
            # Not before: outside of a Pi it need not be installed.
            from gpiozero import Button, Buzzer

            for name, pin in self._pins.buttons.items():
                button = _device(Button, name, pin, factory, bounce_time=BOUNCE_S)
                stack.enter_context(button).when_pressed = partial(self._pushed, name)
            if self._pins.buzzer is not None:
                buzzer = _device(Buzzer, "buzzer", self._pins.buzzer, factory)
                self._buzzer = stack.enter_context(buzzer)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        """Fall silent, and let the pins go."""
        with self._beeping:
            self._buzzer = None
        self._open.close()

    def beep(self, times: int) -> None:
        """Beep so many times, without waiting for it; silent without a buzzer."""
        with self._beeping:
            if self._buzzer:
                self._buzzer.beep(BEEP_S, BEEP_S, times)


def pin_factory(root: Path = Path("/")) -> Any:
    """Return gpiozero's access to the pins, by the one library that suits every Pi.

    gpiozero would try four, warn of each, and end with whichever imports.

    Args:
        root: of the file system that says what machine this is.

    Raises:
        ControlsUnavailable: no Pi, no library, or no permission.
    """
    if pi_generation(root) is None:
        raise ControlsUnavailable(
            "Buttons and buzzer need a Raspberry Pi, and this machine is none; take "
            '"controls" out of table.json.'
        )
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    except ImportError as error:
        raise ControlsUnavailable(
            "Buttons and buzzer need the Python modules gpiozero and lgpio; run make "
            "pi."
        ) from error
    except OSError as error:
        # Importing lgpio makes a pipe in the working directory.
        raise ControlsUnavailable(
            "Buttons and buzzer need a working directory that can be written; start "
            "the companion in another one."
        ) from error
    try:
        return LGPIOFactory()
    except Exception as error:  # lgpio's own derive from nothing narrower
        raise ControlsUnavailable(
            f"This user may not use the pins ({error}); run sudo usermod -aG gpio "
            "$USER and log in again."
        ) from error


def _device(kind: Any, name: str, pin: int, factory: Any, **how: Any) -> Any:
    try:
        return kind(pin, pin_factory=factory, **how)
    except Exception as error:  # lgpio's own derive from nothing narrower
        raise ControlsUnavailable(
            f'GPIO{pin} ("{name}" of "controls" in table.json) cannot be used '
            f"({error}); end what else uses it, or take another pin."
        ) from error
