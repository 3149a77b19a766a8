"""A table that is not there: people act on it as hands do, a camera photographs it.

Nothing but pixels leads from here to the referee. Positions change only when a
hand has come in over the board, and every action takes the time a hand takes.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from companion.errors import CompanionError
from companion.rules.board import Cell, Look, Point, team_of, turned_over
from hardware.strips import Pixels
from vision.frame import Frame
from vision.scene import Card, Hand, Light, Piece, Scene, draw

Clock = Callable[[], float]

LIGHTS: Mapping[str, Light] = MappingProxyType(
    {
        "day": Light(),
        "lamp": Light(
            lamp=(90.0, -160.0, 620.0),
            key=(0.98, 0.66, 0.36),
            ambient=(0.16, 0.115, 0.08),
            softness=0.18,
        ),
        "ceiling": Light(
            towards=(0.15, 0.1, 1.0),
            key=(0.45, 0.44, 0.42),
            ambient=(0.44, 0.43, 0.42),
            softness=1.0,
        ),
        "evening": Light(
            towards=(-0.9, 0.2, 0.7),
            key=(0.34, 0.25, 0.2),
            ambient=(0.2, 0.22, 0.29),
            softness=0.6,
        ),
    }
)
"""The lights a virtual table can be put in, by name."""

REACH, ACT, LEAVE, NEXT = 0.8, 0.25, 0.6, 0.35
"""Seconds at speed 1: coming in, doing it, going away, on to the next square."""

_AWAY = 620.0
"""How far a resting hand is from where it is going to act, mm."""

_SKINS = ("#c98f70", "#8d5a3c", "#e0b095", "#6b4430", "#b97f5b", "#d8a283")
_SLEEVES = ("#2c3f77", "#7a2f35", "#3d5a3c", "#3c3c42", "#8a7a55", "#5b4a78")


class TableError(CompanionError):
    """Something hands cannot do on this table."""


@dataclass(slots=True)
class _Things:
    """What lies on the table."""

    pieces: dict[Cell, Piece]
    piles: tuple[list[Card], ...]

    def copy(self) -> _Things:
        return _Things(dict(self.pieces), tuple(list(pile) for pile in self.piles))


@dataclass(slots=True)
class _Motion:
    """Something a hand is going to do.

    Attributes:
        person: whose hand.
        at: where the fingertips go, mm.
        effect: does it, and returns the piece that is in the hand afterwards.
        held: the piece that is in the hand now.
    """

    person: int
    at: Point
    effect: Callable[[_Things], Piece | None]
    held: Piece | None = None


class VirtualTable:
    """The table's true state.

    Every method may be called from any thread.

    Args:
        scene: the empty (or laid) table and the camera's place.
        people: how many sit around it; each has an own hand and discard pile.
        speed: 2.0 is twice as fast as a person; `math.inf`: at once, no hand
            is seen (for tests).
        lamps: the square above each LED of the strip; by default one LED a
            square, row by row.
        clock: monotonic seconds.
        seed: of where exactly pieces and cards come to lie.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        people: int = 2,
        speed: float = 1.0,
        lamps: Sequence[Cell] = (),
        clock: Clock = time.monotonic,
        seed: int = 0,
    ) -> None:
        self._scene = scene
        self._speed = speed
        self._lamps = tuple(lamps) or tuple(scene.board.cells)
        self._clock = clock
        self._rng = np.random.default_rng(seed)
        self._things = _Things(dict(scene.pieces), tuple([] for _ in range(people)))
        self._light_name = next(
            (name for name, light in LIGHTS.items() if light == scene.light), ""
        )
        self._motions: deque[_Motion] = deque()
        self._began = 0.0
        self._from: Point | None = None
        self._acted = False
        self._leaving: tuple[_Motion, float] | None = None
        self._changes = 0
        self._changed = threading.Condition(threading.RLock())

    # -- what hands do ------------------------------------------------------

    def put(self, cell: Cell, look: Look, person: int = 0) -> None:
        """Put a piece on a square.

        Raises:
            TableError: there is no such square, colour or person, or a piece
                lies on the square already.
        """
        if team_of(look) not in self._scene.piece_style.colours:
            raise TableError(f'There are no "{look}" pieces on this table.')
        with self._changed:
            self._check(person, free=cell)
            piece = Piece(look, self._jitter(), float(self._rng.uniform(0, 360)))

            def effect(things: _Things) -> None:
                things.pieces[cell] = piece

            self._add(person, self._scene.middle(cell), effect, piece)

    def take(self, cell: Cell, person: int = 0) -> None:
        """Take the piece off a square.

        Raises:
            TableError: there is no such square or person, or nothing lies there.
        """
        with self._changed:
            self._check(person, taken=cell)
            self._add(
                person,
                self._scene.middle(cell),
                lambda things: things.pieces.pop(cell),
            )

    def turn_over(self, cell: Cell, person: int = 0) -> None:
        """Turn a chip over, or back.

        Raises:
            TableError: as for `take`; or it is a peg.
        """
        if self._scene.piece_style.shape != "chip":
            raise TableError("Pegs cannot be turned over.")
        self._alter(cell, person, _turned)

    def nudge(self, cell: Cell, offset: Point, person: int = 0) -> None:
        """Push a piece about on its square; the offset is in squares (right, down).

        Raises:
            TableError: as for `take`.
        """
        self._alter(cell, person, lambda piece: replace(piece, offset=offset))

    def slide(self, cell: Cell, to: Cell, person: int = 0) -> None:
        """Push a piece to another square.

        Raises:
            TableError: nothing lies on the one, or something on the other square.
        """
        with self._changed:
            self._check(person, taken=cell, free=to)

            def effect(things: _Things) -> None:
                things.pieces[to] = things.pieces.pop(cell)

            self._add(person, self._scene.middle(cell), lambda _: None)
            self._add(person, self._scene.middle(to), effect)

    def clear(self, person: int = 0) -> None:
        """Take all pieces off the board, and the cards off the table."""
        with self._changed:
            self._check(person)
            for cell in sorted(self._after().pieces):
                self.take(cell, person)
            for who, pile in enumerate(self._after().piles):
                if pile:
                    self._add(who, self._pile_place(who), _Gather(who))

    def play_card(self, person: int, card: str) -> None:
        """Lay a card face up on a player's discard pile beside the board.

        Raises:
            TableError: there is no such person.
        """
        with self._changed:
            self._check(person)
            x, y = self._pile_place(person)
            dx, dy, turn = self._rng.normal(0, (3, 3, 5))
            laid = Card(card, (x + dx, y + dy), float(turn) + 180.0 * (person % 2))

            def effect(things: _Things) -> None:
                things.piles[person].append(laid)

            self._add(person, (x, y), effect)

    # -- what happens to the table ------------------------------------------

    def seat(self, people: int) -> None:
        """Let so many people sit there; who leaves takes the own discard pile along.

        Whoever's hand is still at work stays until the next call.
        """
        with self._changed:
            self._catch_up()
            people = max(people, *(m.person + 1 for m in self._motions), 1)
            piles = self._things.piles
            if people != len(piles):
                come = range(people - len(piles))
                self._things.piles = (*piles[:people], *([] for _ in come))
                self._touch()

    def set_light(self, light: str) -> None:
        """Switch to a light of `LIGHTS`.

        Raises:
            TableError: there is no light of that name.
        """
        if light not in LIGHTS:
            raise TableError(f'There is no light "{light}"; try {", ".join(LIGHTS)}.')
        with self._changed:
            self._light_name = light
            self._change(light=LIGHTS[light])

    def bump(self, x: float, y: float, turn: float = 0.0) -> None:
        """Push the camera: the picture moves by (x, y) mm and turns by degrees."""
        with self._changed:
            view = self._scene.view
            target = view.target[0] - x, view.target[1] - y
            self._change(view=replace(view, target=target, roll=view.roll + turn))

    def show_leds(self, pixels: Pixels) -> None:
        """Light the LEDs under the squares, (N, 3) uint8 RGB in the strip's order."""
        with self._changed:
            light = {
                cell: tuple(0.6 * (float(part) / 255) ** 2.2 for part in pixel)
                for cell, pixel in zip(self._lamps, pixels, strict=False)
                if pixel.any()
            }
            self._change(leds=light)

    def change(self, change: Callable[[Scene], Scene]) -> None:
        """Change anything else about the scene: `change(lambda s: replace(s, ...))`.

        Pieces and cards are the hands' business and stay as they are.
        """
        with self._changed:
            self._scene = change(self._scene)
            self._touch()

    def set_speed(self, speed: float) -> None:
        """Let hands move faster or slower; 1.0 is a person's speed."""
        with self._changed:
            self._catch_up()
            self._speed = max(0.05, speed)

    # -- what can be known --------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a hand is over the board or about to come."""
        with self._changed:
            self._catch_up()
            return bool(self._motions) or self._leaving is not None

    def looks(self) -> dict[Cell, Look]:
        """Return what truly lies on every square (for tests, not for referees)."""
        return self.scene().looks()

    def scene(self) -> Scene:
        """Return the table as it is at this moment, hands included."""
        with self._changed:
            now = self._catch_up()
            moving = self._moving(now)
            held = tuple(
                (replace(piece, lift=hand.height + 2), hand.tip)
                for hand, piece in moving
                if piece is not None
            )
            return replace(
                self._scene,
                pieces=dict(self._things.pieces),
                hands=tuple(hand for hand, _ in moving),
                loose=(*self._scene.loose, *held),
                cards=tuple(c for pile in self._things.piles for c in pile[-3:]),
            )

    def view(self) -> dict[str, Any]:
        """Return as JSON what a person standing at the table sees.

        Keys: `pieces` (look by square), `piles` (cards by person, the newest
        last), `teams` (colours of pieces there are), `turnable`, `busy`,
        `waiting` (actions), `light` ("" for none of the `lights`), `lights`,
        `speed` (null: at once).
        """
        with self._changed:
            self._catch_up()
            things = self._things
            return {
                "pieces": {cell: piece.look for cell, piece in things.pieces.items()},
                "piles": [[card.code for card in pile] for pile in things.piles],
                "teams": list(self._scene.piece_style.colours),
                "turnable": self._scene.piece_style.shape == "chip",
                "busy": self.busy,
                "waiting": len(self._motions),
                "light": self._light_name,
                "lights": list(LIGHTS),
                "speed": self._speed if math.isfinite(self._speed) else None,
            }

    def wait(self, seen: int, seconds: float) -> int:
        """Wait until the table looks otherwise than at change number `seen`.

        Args:
            seen: what this method returned before; -1 at first.
            seconds: wait at most so long.

        Returns:
            The number of the change that can be seen now.
        """
        with self._changed:
            if self._changes == seen and not self.busy:
                self._changed.wait(seconds)
            if self.busy:
                self._changes += 1
            return self._changes

    # -- inside -------------------------------------------------------------

    def _check(
        self, person: int, *, taken: Cell | None = None, free: Cell | None = None
    ) -> None:
        """Refuse what cannot be done once all that is asked for was done."""
        if not 0 <= person < len(self._things.piles):
            raise TableError(f"{len(self._things.piles)} people sit at this table.")
        pieces = self._after().pieces
        for cell in (taken, free):
            if cell is not None and cell not in self._scene.board.cells:
                raise TableError(f'There is no square "{cell}" on this board.')
        if taken is not None and taken not in pieces:
            raise TableError(f"Nothing lies on {taken}.")
        if free is not None and free in pieces:
            raise TableError(f"A piece lies on {free} already; take it first.")

    def _after(self) -> _Things:
        """Return what will lie on the table when all motions are done."""
        self._catch_up()
        things = self._things.copy()
        for motion in list(self._motions)[self._acted :]:
            motion.effect(things)
        return things

    def _alter(self, cell: Cell, person: int, alter: Callable[[Piece], Piece]) -> None:
        def effect(things: _Things) -> None:
            things.pieces[cell] = alter(things.pieces[cell])

        with self._changed:
            self._check(person, taken=cell)
            self._add(person, self._scene.middle(cell), effect)

    def _jitter(self) -> Point:
        """Return how far from the middle of a square a hand puts a piece."""
        x, y = np.clip(self._rng.normal(0, 0.07, 2), -0.2, 0.2)
        return float(x), float(y)

    def _pile_place(self, person: int) -> Point:
        """Return where a person's discard pile lies: right and left of the board."""
        width, height = self._scene.board.size_mm
        beside = self._scene.board_style.margin_mm(self._scene.board) + 50
        sides = (len(self._things.piles) + 1) // 2
        row = height * (person // 2 + 0.5) / sides
        return (width + beside if person % 2 == 0 else -beside), row

    def _change(self, **fields: Any) -> None:
        self._scene = replace(self._scene, **fields)
        self._touch()

    def _touch(self) -> None:
        self._changes += 1
        self._changed.notify_all()

    def _add(
        self,
        person: int,
        at: Point,
        effect: Callable[[_Things], Piece | None],
        held: Piece | None = None,
    ) -> None:
        now = self._catch_up()
        if not self._motions:
            leaves = self._leaving[1] + LEAVE / self._speed if self._leaving else now
            self._began, self._from, self._acted = max(now, leaves), None, False
        self._motions.append(_Motion(person, at, effect, held))
        self._catch_up()
        self._touch()

    def _catch_up(self) -> float:
        """Let hands do what they have done by now; return the time."""
        now = self._clock()
        while self._motions:
            motion = self._motions[0]
            arrives = self._began + (NEXT if self._from else REACH) / self._speed
            if not self._acted and now >= arrives + ACT / 2 / self._speed:
                motion.held = motion.effect(self._things)
                self._acted = True
                self._touch()
            ends = arrives + ACT / self._speed
            if now < ends:
                break
            self._motions.popleft()
            self._acted = False
            goes_on = self._motions and self._motions[0].person == motion.person
            self._from = motion.at if goes_on else None
            self._leaving = None if goes_on else (motion, ends)
            self._began = ends if goes_on else ends + LEAVE / self._speed
        if self._leaving and now >= self._leaving[1] + LEAVE / self._speed:
            self._leaving = None
            self._touch()
        return now

    def _moving(self, now: float) -> list[tuple[Hand, Piece | None]]:
        """Return the hands over the table, and what each of them holds."""
        moving = []
        if self._leaving:
            motion, since = self._leaving
            part = (now - since) * self._speed / LEAVE
            moving.append(self._hand(motion, motion.at, self._rest(motion), part))
        if self._motions and now >= self._began:
            motion = self._motions[0]
            begin = self._from or self._rest(motion)
            part = (now - self._began) * self._speed / (NEXT if self._from else REACH)
            moving.append(self._hand(motion, begin, motion.at, part))
        return moving

    def _hand(
        self, motion: _Motion, begin: Point, end: Point, part: float
    ) -> tuple[Hand, Piece | None]:
        part = min(max(part, 0.0), 1.0)
        eased = part * part * (3 - 2 * part)
        tip = (
            begin[0] + eased * (end[0] - begin[0]),
            begin[1] + eased * (end[1] - begin[1]),
        )
        near = math.hypot(tip[0] - motion.at[0], tip[1] - motion.at[1])
        height = 9.0 + 45.0 * min(near / 120.0, 1.0)
        hand = Hand(
            tip,
            height,
            self._heading(motion),
            _SKINS[motion.person % len(_SKINS)],
            _SLEEVES[motion.person % len(_SLEEVES)],
        )
        return hand, motion.held

    def _heading(self, motion: _Motion) -> float:
        """Return the direction from a hand to its owner's chair, in degrees."""
        chair = 90.0 + 360.0 * motion.person / len(self._things.piles)
        x, y = (
            part / side - 0.5
            for part, side in zip(motion.at, self._scene.board.size_mm, strict=True)
        )
        angle = math.radians(chair)
        aside = x * math.sin(angle) - y * math.cos(angle)
        return chair + 30.0 * min(max(aside, -1.0), 1.0)

    def _rest(self, motion: _Motion) -> Point:
        angle = math.radians(self._heading(motion))
        return (
            motion.at[0] + _AWAY * math.cos(angle),
            motion.at[1] + _AWAY * math.sin(angle),
        )


@dataclass(frozen=True, slots=True)
class _Gather:
    """Take up a person's discard pile."""

    person: int

    def __call__(self, things: _Things) -> None:
        things.piles[self.person].clear()


def _turned(piece: Piece) -> Piece:
    return replace(piece, look=turned_over(piece.look))


class VirtualCamera:
    """A camera that photographs a virtual table; its frames are named "virtual".

    Args:
        table: what it looks at.
        rate: frames a second while something moves.
        idle: seconds after which a table at rest is photographed again.
        clock, sleep: time, in seconds.
    """

    def __init__(
        self,
        table: VirtualTable,
        *,
        rate: float = 5.0,
        idle: float = 1.0,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._table = table
        self._pause = 1 / rate
        self._idle = idle
        self._clock = clock
        self._sleep = sleep
        self._seen = -1
        self._number = 0
        self._last = -math.inf
        self._open = False

    def __enter__(self) -> Self:
        """Open the source."""
        self._open = True
        return self

    def __exit__(self, *exc: object) -> None:
        """Close it; a `read` that waits gives None."""
        self._open = False

    def read(self) -> Frame | None:
        """Photograph the table, at most `rate` times a second.

        Returns:
            None once the camera was closed.
        """
        early = self._last + self._pause - self._clock()
        if early > 0:
            self._sleep(early)
        self._seen = self._table.wait(self._seen, self._idle)
        if not self._open:
            return None
        self._number += 1
        self._last = self._clock()
        picture = draw(replace(self._table.scene(), seed=self._number))
        return Frame(picture, self._last, self._number, "virtual")
