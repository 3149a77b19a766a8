"""Counting what the eyes read, and tables that say how sure the counts are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.looking import look_letter, position_of
from companion.observation import Observation
from companion.rules.board import TURNED, Cell, SquareBoard
from vision.frame import Frame
from vision.picture import decode_picture
from vision.reader import BoardReader

EDGES = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999)
"""Where the rows of the reliability table begin."""

Z = 1.96
"""Of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A square that was given: what was said, what lies there, and how sure."""

    cell: Cell
    said: str
    truth: str
    probability: float

    @property
    def wrong(self) -> bool:
        """Whether it is wrong; "*" is a turned chip of any team."""
        anyones = self.said == "*" and self.truth.isupper()
        return self.said != self.truth and not anyones


@dataclass(frozen=True, slots=True)
class Reading:
    """One photo as it was read.

    Attributes:
        group: the row of the table that it belongs to.
        tags: further rows that count it again.
        name: what makes the photo again.
        settled: no hand is over the board.
        squares: how many have a truth.
        answers: of the squares that were given.
        alarm: `moved` was said though nothing had moved, or not said though it had.
        ms: CPU time to decode the JPEG, and to read it.
    """

    group: str
    tags: tuple[str, ...]
    name: str
    settled: bool
    squares: int
    answers: tuple[Answer, ...]
    alarm: bool
    ms: tuple[float, float]

    @property
    def wrong(self) -> tuple[Answer, ...]:
        """Squares that were given and are not so."""
        return tuple(answer for answer in self.answers if answer.wrong)

    @property
    def exact(self) -> bool:
        """Whether every square was given and is so."""
        return len(self.answers) == self.squares and not self.wrong


@dataclass(frozen=True, slots=True)
class Found:
    """A grid that was looked for; no error where corners were asked for."""

    group: str
    name: str
    error: float | None


def read_jpeg(
    reader: BoardReader, board: SquareBoard, data: bytes
) -> tuple[str, Observation, tuple[float, float]]:
    """Read a JPEG as `companion read` does.

    Returns:
        The position as one row of letters, the observation, and the ms of CPU
        time that decoding and reading took.
    """
    start = time.process_time()
    image = decode_picture(data, "photo")
    decoded = time.process_time()
    seen = reader.read(Frame(image))
    done = time.process_time()
    said = position_of(board, seen).replace("/", "")
    return said, seen, ((decoded - start) * 1e3, (done - decoded) * 1e3)


def answers_of(
    board: SquareBoard, said: str, seen: Observation, truth: str
) -> tuple[Answer, ...]:
    """Return what was given for the squares whose truth is known (not " ")."""
    return tuple(
        Answer(cell, mine, true, _probability(seen, cell, mine))
        for cell, mine, true in zip(board.cells, said, truth, strict=True)
        if mine != "?" and true != " "
    )


def _probability(seen: Observation, cell: Cell, said: str) -> float:
    """Return how probable the eyes hold what they said."""
    return sum(
        math.exp(log_p)
        for look, log_p in seen.log_p[cell].items()
        if look_letter(look) == said or (said == "*" and look.endswith(TURNED))
    )


def corner_error(found: np.ndarray, true: np.ndarray, columns: int, rows: int) -> float:
    """Return how far the worst corner is off, in cells.

    Args:
        found: (4, 2) px.
        true: (4, 2) px, in the same order.
        columns: of the grid.
        rows: of the grid.
    """
    grid = np.array(((0, 0), (columns, 0), (columns, rows), (0, rows)), np.float32)
    cells = cv2.getPerspectiveTransform(np.asarray(true, np.float32), grid)
    there = cv2.perspectiveTransform(
        np.asarray(found, np.float32).reshape(1, 4, 2), cells
    )
    return float(np.linalg.norm(there.reshape(4, 2) - grid, axis=1).max())


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927); no hits or all are fine."""
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, Z * Z / of
    middle = (share + spread / 2) / (1 + spread)
    reach = math.sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)


HEADER = (
    f"{'set':28}{'boards':>7} {'exact %':^22} {'wrong squares per 10,000':^26} "
    f"{'unknown %':>9} {'hand photos':>11} {'hand wrong':>10} {'unknown %':>9} "
    f"{'false moved':>11} {'corners: worst, asked':^24} {'read/decode':^18}"
)


def row(group: str, readings: Sequence[Reading], found: Sequence[Found]) -> str:
    """Return a row of the table."""
    boards = [reading for reading in readings if reading.settled]
    hands = [reading for reading in readings if not reading.settled]
    exact = sum(reading.exact for reading in boards)
    wrong, given, squares = _squares(boards)
    hand_wrong, hand_given, hand_squares = _squares(hands)
    return (
        f"{group:28}{len(boards):7} {_share(exact, len(boards), 1e2, 2):>22} "
        f"{wrong:5} {_share(wrong, given, 1e4, 2):>20} "
        f"{_percent(squares - given, squares):>9} {len(hands):11} {hand_wrong:10} "
        f"{_percent(hand_squares - hand_given, hand_squares):>9} "
        f"{sum(reading.alarm for reading in readings):11} "
        f"{_corners(found):^24} {_cost(readings):^18}"
    ).rstrip()


def _squares(readings: Iterable[Reading]) -> tuple[int, int, int]:
    """Return how many squares are wrong, were given, and have a truth."""
    wrong = given = squares = 0
    for reading in readings:
        wrong += len(reading.wrong)
        given += len(reading.answers)
        squares += reading.squares
    return wrong, given, squares


def _share(hits: int, of: int, unit: float, digits: int) -> str:
    if not of:
        return "-"
    low, high = (edge * unit for edge in wilson(hits, of))
    return f"{hits / of * unit:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def _percent(hits: int, of: int) -> str:
    return f"{100 * hits / of:.2f}" if of else "-"


def _corners(found: Sequence[Found]) -> str:
    if not found:
        return ""
    errors = [grid.error for grid in found if grid.error is not None]
    worst = f"{max(errors):.3f} cell" if errors else "-"
    return f"{worst}, {len(found) - len(errors)} of {len(found)}"


def _cost(readings: Sequence[Reading]) -> str:
    """Return read/decode as a ratio of medians with its bootstrapped interval."""
    ms = np.array([reading.ms for reading in readings])
    if not len(ms):
        return ""
    drawn = np.random.default_rng(1).integers(len(ms), size=(400, len(ms)))
    medians = np.median(ms[drawn], axis=1)
    low, high = np.percentile(medians[:, 1] / medians[:, 0], (2.5, 97.5))
    decode, read = np.median(ms, axis=0)
    return f"{read / decode:.2f} ({low:.2f}-{high:.2f})"


def reliability(readings: Iterable[Reading]) -> str:
    """Return a table of what was promised and what was kept."""
    answers = [answer for reading in readings for answer in reading.answers]
    p = np.array([answer.probability for answer in answers])
    wrong = np.array([answer.wrong for answer in answers], bool)
    lines = [
        f"{'probability given':20}{'squares':>10}{'wrong':>8}{'expected':>10}"
        f"   observed error (95 %)"
    ]
    for low, high in zip(EDGES, (*EDGES[1:], math.inf), strict=True):
        here = (p >= low) & (p < high)
        count, errors = int(here.sum()), int(wrong[here].sum())
        name = f"{low:g} to {high:g}" if math.isfinite(high) else f">= {low:g}"
        expected = float((1 - p[here]).sum())
        lines.append(
            f"{name:20}{count:10}{errors:8}{expected:10.1f}"
            f"   {_share(errors, count, 1.0, 6)}"
        )
    return "\n".join(lines)
