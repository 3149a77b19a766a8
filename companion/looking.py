"""Wiring of `companion calibrate` and `companion read`: photos in, lines out."""

from __future__ import annotations

import json
import math
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.table import Table, find_table, remember_table, with_wiring
from calibration.wizard import calibrate, parse_corners, parse_kinds
from companion.errors import (
    CompanionError,
    HeaderError,
    NotationError,
    PictureUnwritable,
)
from companion.files import numbered
from companion.games import GAMES
from companion.observation import Observation
from companion.rules.board import (
    EMPTY,
    TURNED,
    Cell,
    Look,
    SquareBoard,
    row_column,
    team_of,
)
from companion.rules.game import Game, Header, Player
from vision.frame import Frame, Image
from vision.picture import decode_picture, picture_bytes, read_picture, reduction
from vision.pose import rescaled

COLOURS = ("white", "red", "blue", "green", "yellow", "black")
LETTERS = dict(zip(COLOURS, "wrbgyk", strict=True))

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class CalibrateWishes:
    """What was said on the command line of `calibrate`."""

    out: Path
    game: str
    board: str | None
    empty: Path
    corners: str | None
    samples: Path | None
    kinds: str | None
    as_json: bool


def calibrate_table(wishes: CalibrateWishes, home: Path, say: Say) -> None:
    """Calibrate a table and write its folder.

    Raises:
        CompanionError: see the errors of the parts.
    """
    name, rows, looks = _board(wishes.game, wishes.board)
    if (wishes.samples is None) != (wishes.kinds is None):
        raise NotationError("--samples and --kinds belong together; give both.")
    kinds = None if wishes.kinds is None else parse_kinds(wishes.kinds, looks)
    corners = None if wishes.corners is None else parse_corners(wishes.corners)
    samples = None if wishes.samples is None else read_picture(wishes.samples)
    data = picture_bytes(wishes.empty)
    empty, reduced = decode_picture(data, str(wishes.empty)), reduction(data)
    if corners is None and not wishes.as_json:
        say(f"Looking for the printed squares in {wishes.empty} ...")
    done = calibrate(
        wishes.game,
        rows,
        empty,
        corners=corners,
        samples=samples,
        kinds=kinds,
        looks=looks,
        board=name,
        reduced=reduced,
    )
    table, lost = with_wiring(done.table, wishes.out)
    table.save(wishes.out)
    warnings = [*done.warnings, *lost, *remember_table(home, wishes.out)]
    if wishes.as_json:
        points = rescaled(np.array(done.table.corners), reduced)
        found = points.round(2).tolist()
        say(
            json.dumps(
                {
                    "corners": found,
                    "found_by": done.found_by,
                    "table": str(wishes.out),
                    "warnings": warnings,
                }
            )
        )
        return
    for warning in warnings:
        say(f"Mind: {warning}")
    say(f"The table is calibrated (grid: {done.found_by}) and kept in {wishes.out}.")


def _board(
    game: str, board: str | None
) -> tuple[str, tuple[str, ...], tuple[Look, ...]]:
    """Return a board's name, its rows, and the looks that chips on it may have."""
    if game not in GAMES:
        raise HeaderError(f'There is no game "{game}"; choose {", ".join(GAMES)}.')
    kind = GAMES[game]
    asked: str | tuple[str, ...] | None = board
    name = board or next(iter(kind.boards), "")
    path = Path(name)
    if name not in kind.boards and (path.suffix == ".json" or path.is_file()):
        name, asked = _board_file(path)
        if name in kind.boards:
            name = ""  # or else it would be refereed as that one
    looks: dict[Look, None] = {}
    opened: Game[Any, Any] | None = None
    refusal: HeaderError | None = None
    # Which colours a game has is known to the game alone: it says so by refusing.
    for first, second in zip(COLOURS, (*COLOURS[1:], COLOURS[0]), strict=True):
        players = (Player("A", first), Player("B", second))
        try:
            opened = kind.open(Header(game, players, asked))
        except HeaderError as error:
            refusal = refusal or error
            continue
        looks |= dict.fromkeys(opened.looks())
    if opened is None:
        raise refusal or HeaderError(f"{kind.title} cannot be set up.")
    squares = opened.board
    if opened.piece_kind != "chips" or not isinstance(squares, SquareBoard):
        raise HeaderError(
            f"{kind.title} cannot be read by the camera yet; "
            "play it by telling the turns on the page."
        )
    return name, squares.written, tuple(look for look in looks if look != EMPTY)


def _board_file(path: Path) -> tuple[str, tuple[str, ...]]:
    try:
        data = json.loads(path.read_bytes())
        name = str(data.get("name", path.stem))
        name.encode()  # half of a character can be kept nowhere
        return name, tuple(map(str, data["rows"]))
    except OSError as error:
        raise HeaderError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HeaderError(
            f'{path} is no board; write {{"name": ..., "rows": ["XX 2S ...", ...]}}.'
        ) from error


def read_photos(
    folder: Path | None,
    photos: tuple[Path, ...],
    home: Path,
    say: Say,
    *,
    as_json: bool,
    overlay: Path | None,
) -> None:
    """Read photos of a table and print what lies on the board.

    Raises:
        CompanionError: see the errors of the parts.
    """
    table = Table.load(find_table(folder, home))
    reader = table.reader()
    board = table.squares()
    drawn = {} if overlay is None else _overlays(photos, overlay)
    unread: CompanionError | None = None
    for photo in photos:
        start = time.perf_counter()
        try:
            frame = Frame(read_picture(photo), name=photo.name)
            decoded = time.perf_counter()
            seen = reader.read(frame)
        except CompanionError as error:
            unread = unread or error  # the others can be read all the same
            continue
        done = time.perf_counter()
        if photo in drawn:
            from vision.overlay import draw_overlay

            picture = draw_overlay(frame, reader.pose, board, seen)
            _write(drawn[photo], picture)
        given = {cell: _given(cell, seen) for cell in board.cells}
        sure = [p for letter, p in given.values() if letter != "?"]
        line = {
            "photo": photo.name,
            "position": position_of(board, seen),
            "confidence": round(min(sure, default=0.0), 6),
            "hidden": [cell for cell, (letter, _) in given.items() if letter == "?"],
            "moved": seen.moved,
            "note": seen.note,
            "ms": {
                "decode": round((decoded - start) * 1e3, 2),
                "read": round((done - decoded) * 1e3, 2),
            },
        }
        say(json.dumps(line) if as_json else _for_people(line))
    if unread:
        raise unread


def _overlays(photos: Iterable[Path], folder: Path) -> dict[Path, Path]:
    """Return where each photo's overlay goes: over nothing but an older overlay."""
    taken = {photo.resolve() for photo in photos}
    drawn = {}
    for photo in photos:
        drawn[photo] = next(
            file
            for file in numbered(folder / f"{photo.stem}.png")
            if file.resolve() not in taken and (not file.exists() or _is_overlay(file))
        )
        taken.add(drawn[photo].resolve())
    return drawn


_SIGNATURE = b"tEXtSoftware\0companion read --overlay"
_HEADER = 33  # bytes of a PNG before its second chunk


def _is_overlay(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return _SIGNATURE in stream.read(_HEADER + 4 + len(_SIGNATURE))
    except OSError:  # a folder, or nobody's business
        return False


def _signed(png: bytes) -> bytes:
    """Return a PNG that says what made it (PNG specification, 11.3.3.2)."""
    length = struct.pack(">I", len(_SIGNATURE) - 4)
    check = struct.pack(">I", zlib.crc32(_SIGNATURE))
    return png[:_HEADER] + length + _SIGNATURE + check + png[_HEADER:]


def _write(path: Path, picture: Image) -> None:
    """Write an overlay; cv2.imwrite would fail without a reason."""
    done, data = cv2.imencode(".png", picture)
    assert done, "a BGR picture can always be encoded"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_signed(data.tobytes()))
    except OSError as error:
        raise PictureUnwritable(
            f"{path} cannot be written: {error.strerror or error}; "
            "name another folder with --overlay."
        ) from error


def _for_people(line: Mapping[str, Any]) -> str:
    rows = line["position"].split("/")
    unknown, squares = len(line["hidden"]), sum(map(len, rows))
    told = f"least certain square: {line['confidence']:.4f}"
    if unknown == squares:
        told = "no square is known"
    elif unknown:
        told = f"{unknown} of {squares} squares unknown; of the others, {told}"
    text = [f"{line['photo']}  ({told})"]
    text += [f"  {number:2}  {' '.join(row)}" for number, row in enumerate(rows, 1)]
    text.append("      " + " ".join("abcdefghijklmnopqrstuvwxyz"[: len(rows[0])]))
    if line["note"]:
        text.append(f"  {line['note']}")
    return "\n".join(text)


def position_rows(looks: Mapping[Cell, Look]) -> str:
    """Return looks as record-format.md writes a position, rows joined by "/"."""
    rows: dict[int, list[str]] = {}
    for cell, look in looks.items():
        rows.setdefault(row_column(cell)[0], []).append(look_letter(look))
    return "/".join("".join(row) for row in rows.values())


def look_letter(look: Look) -> str:
    """Return a look as record-format.md writes it in a position."""
    if look == EMPTY:
        return "."
    letter = LETTERS[team_of(look)]
    return letter.upper() if look.endswith(TURNED) else letter


SURE = 0.99
"""A square less certain than this is not given: it is shown as "?"."""

SURER = 0.999
"""The same while something covers other squares: five times as many are wrong then,
and a hand is soon gone. And of whose a turned chip is: backs are alike or nearly so,
and the referee knows; where it is less certain, "*" is given."""


def position_of(board: SquareBoard, seen: Observation) -> str:
    """Return a position as record-format.md writes it, rows joined by "/"."""
    letters = [_given(cell, seen)[0] for cell in board.cells]
    rows = range(0, len(letters), board.columns)
    return "/".join("".join(letters[row : row + board.columns]) for row in rows)


def _given(cell: Cell, seen: Observation) -> tuple[str, float]:
    """Return the letter of a square, "?" if it is not sure, and its probability."""
    look = seen.likely(cell)
    if look is None:
        return "?", 0.0
    looks, sure = seen.log_p[cell], SURER if seen.hidden else SURE
    letter, confidence = look_letter(look), math.exp(looks[look])
    if look.endswith(TURNED) and confidence < SURER:
        backs = (p for name, p in looks.items() if name.endswith(TURNED))
        letter, confidence = "*", min(1.0, sum(math.exp(p) for p in backs))
    return (letter if confidence >= sure else "?"), confidence
