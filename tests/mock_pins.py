"""gpiozero's mock pins in the place of a Raspberry Pi's."""

from gpiozero.pins.mock import MockFactory


class MockPins(MockFactory):
    """Pins that no program but the test moves; they record what they are driven to."""

    def push(self, pin):
        """Push the button on a pin down, and let it go."""
        self.pin(pin).drive_low()
        self.pin(pin).drive_high()

    def beeps(self, pin):
        """Return how often the buzzer on a pin was switched on."""
        return sum(state.state for state in self.pin(pin).states)


def mock_pins(monkeypatch):
    """Let buttons and buzzers find mock pins, and return these."""
    pins = MockPins()
    monkeypatch.setattr("hardware.controls.pin_factory", lambda: pins)
    return pins
