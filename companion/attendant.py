"""Who stands at a table without a phone: hears its buttons, and rings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

from companion.rules.game import Meaning
from companion.rules.verdict import Kind
from companion.snapshot import AcceptTable, Request, Snapshot, TakeBack
from hardware.controls import Controls
from hardware.layout import ControlPins

REQUESTS: Mapping[str, Request] = {"take_back": TakeBack(), "accept": AcceptTable()}
"""What each button asks for, as the page does."""


class Attendant:
    """Asks for what buttons say, and beeps for news, while its `with` block lasts.

    Args:
        pins: of the buttons and the buzzer.
        ask: asks the session; returns None, or a sentence why it is refused.
        say: told that sentence, which a table without a phone can only hear as
            one beep.
    """

    def __init__(
        self,
        pins: ControlPins,
        ask: Callable[[Request], str | None],
        say: Callable[[str], None],
    ) -> None:
        self._controls = Controls(pins, self._push)
        self._ask = ask
        self._say = say
        self._wrong: set[tuple[str, str]] = set()
        self._score: Mapping[str, int] = {}
        self._won = True

    def __enter__(self) -> Self:
        """Listen to the buttons.

        Raises:
            ControlsUnavailable: they cannot be used.
        """
        self._controls.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        """Fall silent."""
        self._controls.__exit__(*exc)

    def read(self, snapshot: Snapshot) -> None:
        """Beep once for a new violation, twice for a finished run or a won game.

        Nothing that lasts is told again, nor what was so from the beginning; a hand
        over the board, or a doubt, does not end a violation.
        """
        wrong = {
            (violation.code, cell)
            for violation in snapshot.violations
            for cell in violation.cells or ("",)
        }
        score = snapshot.state["score"]
        won = any(h.meaning is Meaning.WON for h in snapshot.highlights)
        scored = any(score[side] > self._score.get(side, score[side]) for side in score)
        if wrong - self._wrong:
            self._controls.beep(1)
        elif scored or (won and not self._won):
            self._controls.beep(2)
        if wrong or snapshot.kind in (Kind.UNCHANGED, Kind.LEGAL):
            self._wrong = wrong
        self._score, self._won = score, won

    def _push(self, button: str) -> None:
        if refusal := self._ask(REQUESTS[button]):
            self._say(refusal)
            self._controls.beep(1)
