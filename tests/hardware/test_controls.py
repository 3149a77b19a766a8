import sys
import types

import pytest

from companion.errors import ControlsUnavailable, TableMismatch
from hardware.controls import BEEP_S, BOUNCE_S, Controls, pin_factory
from hardware.layout import ControlPins, control_pins
from tests.mock_pins import mock_pins
from tests.waiting import wait_for

PINS = ControlPins(take_back=5, accept=6, buzzer=13)


@pytest.fixture
def pins(monkeypatch):
    return mock_pins(monkeypatch)


# -- the pins ------------------------------------------------------------------


def test_each_push_is_told_once_with_the_button_s_name(pins):
    """Buttons join their pin to ground; letting go, or holding, tells nothing."""
    pushed = []

    with Controls(PINS, pushed.append):
        assert pins.pin(5).pull == "up"
        assert pins.pin(6).bounce == BOUNCE_S
        pins.push(6)
        pins.push(5)
        pins.pin(6).drive_low()

    assert pushed == ["accept", "take_back", "accept"]


def test_a_push_after_the_block_is_nobody_s(pins):
    """The pins are let go, and may be opened again."""
    pushed = []
    controls = Controls(PINS, pushed.append)

    for _ in range(2):
        with controls:
            pins.push(5)
        pins.push(5)

    assert pushed == ["take_back"] * 2


def test_beeps_are_short_and_counted(pins):
    """Two beeps are two pulses of equal length with a pause between them."""
    with Controls(PINS, print) as controls:
        controls.beep(2)
        wait_for(lambda: len(pins.pin(13).states) == 5)
        pulses = list(pins.pin(13).states)

    assert [pulse.state for pulse in pulses] == [False, True, False, True, False]
    assert all(pulse.timestamp >= 0.9 * BEEP_S for pulse in pulses[2:])


def test_the_buzzer_does_not_hum_on_after_the_block(pins):
    """Leaving in the middle of a beep ends it."""
    with Controls(PINS, print) as controls:
        controls.beep(2)
        wait_for(lambda: pins.pin(13).state)

    controls.beep(1)
    assert pins.pin(13).function == "input"
    assert not pins.pin(13).state


def test_only_what_is_wired_is_opened(pins):
    """A table may have a single button; without a buzzer a beep is silence."""
    with Controls(ControlPins(accept=6), print) as controls:
        controls.beep(2)
        opened = [info.name for info in pins.pins]

    assert opened == ["GPIO6"]


def test_a_pin_that_fails_is_named_and_the_others_are_let_go(pins, monkeypatch):
    """The sentence says which, why, and what to do; another try finds all free."""

    def busy(function):
        if function == "output":
            raise RuntimeError("GPIO busy")

    monkeypatch.setattr(pins.pin(13), "_set_function", busy)
    pushed = []
    controls = Controls(PINS, pushed.append)
    with pytest.raises(ControlsUnavailable, match=r'GPIO13 \("buzzer".*GPIO busy'):
        controls.__enter__()

    pins.push(5)
    assert pushed == []
    with controls:
        pins.push(5)
    assert pushed == ["take_back"]


# -- the way to them -----------------------------------------------------------


@pytest.fixture
def a_pi(tmp_path):
    file = tmp_path / "proc/device-tree/model"
    file.parent.mkdir(parents=True)
    file.write_text("Raspberry Pi 4 Model B")
    return tmp_path


def test_pins_need_a_raspberry_pi(tmp_path):
    """Elsewhere it is said what to take out."""
    with pytest.raises(ControlsUnavailable, match='"controls" out'):
        pin_factory(tmp_path)


def test_a_missing_library_is_named(a_pi, monkeypatch):
    """What is missing comes with make pi."""
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", None)

    with pytest.raises(ControlsUnavailable, match="make pi"):
        pin_factory(a_pi)


def test_a_read_only_working_directory_is_told(a_pi, monkeypatch):
    """The library makes a pipe where the companion was started."""
    (a_pi / "lgpio.py").write_text('open("/nowhere/.lgd-nfy-3")\n')
    monkeypatch.syspath_prepend(a_pi)
    for module in ("lgpio", "gpiozero.pins.lgpio"):
        monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(ControlsUnavailable, match="working directory"):
        pin_factory(a_pi)


def test_pins_that_may_not_be_used_say_what_to_do(a_pi, monkeypatch):
    """The library's own words stand in the sentence."""

    def refuse():
        raise RuntimeError("can not open gpiochip")

    stub = types.SimpleNamespace(LGPIOFactory=refuse)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", stub)

    with pytest.raises(ControlsUnavailable, match=r"gpiochip.*usermod -aG gpio"):
        pin_factory(a_pi)


def test_no_pin_is_touched_before_the_block(monkeypatch):
    """Constructing opens nothing."""
    monkeypatch.setattr("hardware.controls.pin_factory", lambda: pytest.fail("opened"))

    Controls(PINS, print)


# -- table.json ----------------------------------------------------------------


def test_controls_are_read_as_written():
    """What is left out is not there."""
    written = {"take_back": 5, "buzzer": 13}

    assert control_pins(written, None) == ControlPins(take_back=5, buzzer=13)
    assert control_pins(written, {"pin": 12}).buttons == {"take_back": 5}
    assert control_pins({}, {"pin": 12}) == ControlPins()


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ([5, 6], '"controls" .* object'),
        ({"takeback": 5}, 'unknown "takeback"; .* accept, buzzer, take_back'),
        ({"accept": "6"}, '"accept" of "controls" .* 2 to 27'),
        ({"accept": None}, '"accept" of "controls" .* 2 to 27'),
        ({"accept": True}, "2 to 27"),
        ({"accept": 1}, "2 to 27"),
        ({"accept": 28}, "2 to 27"),
        ({"accept": 5, "take_back": 5}, '"accept" and "take_back" .* both 5'),
        ({"accept": 10}, '"accept" .* cannot be 10: .* kept for the lights'),
        ({"buzzer": 8}, "kept for the lights"),
        ({"buzzer": 18}, "kept for the lights"),
        ({"buzzer": 12}, "7, 8, 9, 10, 11, 12, 18 are kept for the lights"),
    ],
)
def test_impossible_controls_are_refused_by_name(written, says):
    """One sentence names the key, and never lets a button disturb the lights."""
    with pytest.raises(TableMismatch, match=says):
        control_pins(written, {"pin": 12})
