"""One table as it was calibrated: a folder with `table.json` and its photos."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import CompanionError, TableMismatch
from companion.files import numbered
from companion.games import GAMES
from companion.rules.board import Cell, Look, SquareBoard, team_of
from vision.frame import Image
from vision.markers import FAMILIES
from vision.picture import read_picture
from vision.pieces.looks import TEAMS
from vision.pose import BoardPose, Lens, goes_round
from vision.reader import BoardReader, TableModel

SCHEMA = 2
FILE = "table.json"
DEMO = "demo"
"""What the virtual table is called where a folder may be named."""

EMPTY_PHOTO = "empty.jpg"
SAMPLES_PHOTO = "samples.jpg"
_LAST = "last-table"
_OLD = "table-damaged.json"
# What values of another kind than expected end in.
_WRONG = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)

_AGAIN = "calibrate the table again"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A calibrated table.

    Attributes:
        game: id of the game that it was calibrated for.
        rows: what is printed, "XX 2S ...", top row first; "XX" is a free corner.
        corners: the printed grid's outer corners in the empty photo, px: top
            left, top right, bottom right, bottom left as the rows are written.
        empty: the photo of the empty board.
        looks: that chips can have, turned ones too.
        cell_mm: width and height of a cell; only their ratio is measured.
        lens: of the camera, with the size of its pictures.
        board: the board's name, "" for one that was given as rows.
        camera: source to play with ("pi", "usb:0", ...), "" for none.
        family: of the markers beside the board, "" without.
        markers: corners of the markers, mm, by number.
        strip: wiring of the lights, as their driver writes it; None without.
        controls: pins of buttons and buzzer; None without.
        samples: the photo of the sample chips; None when there was none.
        kinds: what lies where in it.
    """

    game: str
    rows: tuple[str, ...]
    corners: tuple[tuple[float, float], ...]
    empty: Image
    looks: tuple[Look, ...]
    cell_mm: tuple[float, float]
    lens: Lens
    board: str = ""
    camera: str = ""
    family: str = ""
    markers: Mapping[int, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    strip: Mapping[str, Any] | None = None
    controls: Mapping[str, Any] | None = None
    samples: Image | None = None
    kinds: Mapping[Cell, Look] = field(default_factory=dict)

    @property
    def teams(self) -> tuple[str, ...]:
        """The colours of the chips, in the order in which they were shown."""
        colours = dict.fromkeys(team_of(look) for look in self.looks)
        return tuple(colours)

    @property
    def header_board(self) -> str | dict[str, list[str]]:
        """The board as a record header names it: a shipped name, or its rows."""
        shipped = self.board in GAMES[self.game].boards
        return self.board if shipped else {"rows": list(self.rows)}

    @property
    def photos(self) -> tuple[Image, ...]:
        """The photos that the table was calibrated with."""
        return (self.empty,) if self.samples is None else (self.empty, self.samples)

    def squares(self) -> SquareBoard:
        """Return the board's geometry and print."""
        return SquareBoard.of(self.rows, self.cell_mm)

    def reader(self) -> BoardReader:
        """Return the eyes for this table."""
        board = self.squares()
        corners = np.array(self.corners, np.float64)
        pose = BoardPose.from_corners(corners, board.size_mm, self.lens)
        markers = {number: np.array(quad) for number, quad in self.markers.items()}
        return BoardReader(
            TableModel(
                board,
                self.empty,
                pose,
                self.looks,
                self.samples,
                self.kinds,
                self.family,
                markers,
            )
        )

    def save(self, path: str | Path) -> None:
        """Write the table's folder; an older table there is replaced as a whole.

        What else lies in the folder stays there.

        Raises:
            TableMismatch: the folder cannot be written, or holds other things, or
                has the name of the virtual table.
        """
        if str(path) == DEMO:
            raise TableMismatch(
                f'"{DEMO}" is the virtual table\'s name; name another folder.'
            )
        target = Path(path).resolve()  # a link stays one
        if target.exists() and not target.is_dir():
            raise TableMismatch(f"{target} is a file; name a new folder.")
        if target.exists() and any(target.iterdir()) and not _holds_table(target):
            raise TableMismatch(
                f"{target} holds other things than a table; name a new folder."
            )
        # Its place could be taken all the same, but nothing be taken out of it.
        if target.exists() and not os.access(target, os.W_OK):
            raise _unwritable(target, "it is read-only")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
            try:
                self._write(fresh)
                _put_in_place(fresh, target)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
        except OSError as error:
            raise _unwritable(target, str(error.strerror or error)) from error

    def _write(self, folder: Path) -> None:
        names = (EMPTY_PHOTO, SAMPLES_PHOTO)
        for name, photo in zip(names, self.photos, strict=False):
            done, data = cv2.imencode(".jpg", photo, (cv2.IMWRITE_JPEG_QUALITY, 97))
            assert done, "a BGR picture can always be encoded"
            _write_synced(folder / name, data.tobytes())
        text = json.dumps(self._as_json(), indent=1, ensure_ascii=False)
        _write_synced(folder / FILE, (text + "\n").encode())

    def _as_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "game": self.game,
            "board": self.board,
            "rows": list(self.rows),
            "corners": [[round(x, 3), round(y, 3)] for x, y in self.corners],
            "cell_mm": [round(side, 3) for side in self.cell_mm],
            "camera": {
                "source": self.camera,
                "size": list(self.lens.size),
                "k1": round(self.lens.k1, 6),
                "k2": round(self.lens.k2, 6),
            },
            "looks": list(self.looks),
            "samples": dict(self.kinds),
            "markers": {
                "family": self.family,
                "mm": {
                    str(number): [[round(x, 2), round(y, 2)] for x, y in quad]
                    for number, quad in self.markers.items()
                },
            },
            "strip": None if self.strip is None else dict(self.strip),
            **({} if self.controls is None else {"controls": dict(self.controls)}),
        }

    @classmethod
    def load(cls, path: str | Path) -> Table:
        """Read a table's folder.

        Raises:
            TableMismatch: it is missing, broken, or of another schema; the
                sentence says what to do.
        """
        folder = Path(path)
        _put_back(folder)
        try:
            data = json.loads((folder / FILE).read_bytes())
        except OSError as error:
            raise TableMismatch(
                f"{folder} is no table: {FILE} cannot be read "
                f"({error.strerror or error}); {_AGAIN} or name another folder."
            ) from error
        except (ValueError, RecursionError) as error:
            raise TableMismatch(
                f"{folder / FILE} is damaged (no valid JSON{_line_of(error)}); mend "
                f"it, or {_AGAIN}."
            ) from error
        schema = data.get("schema") if isinstance(data, dict) else None
        if schema != SCHEMA:
            raise TableMismatch(
                f"{folder / FILE} has schema {schema}, this program reads {SCHEMA}; "
                f"{_AGAIN}."
            )
        try:
            empty = read_picture(folder / EMPTY_PHOTO)
            kept = (folder / SAMPLES_PHOTO).exists()
            samples = read_picture(folder / SAMPLES_PHOTO) if kept else None
        except CompanionError as error:
            raise TableMismatch(
                f"{error} It belongs to the table: {_AGAIN}."
            ) from error
        try:
            table = replace(cls._from_json(data, empty), samples=samples)
            _check_samples(table)
            return table
        except _WRONG as error:
            raise TableMismatch(
                f"{folder / FILE} is damaged{_place_of(error)}; {_AGAIN}."
            ) from error

    @classmethod
    def _from_json(cls, data: Mapping[str, Any], empty: Image) -> Table:
        camera = data["camera"]
        size = _pair(camera["size"], int)
        if (empty.shape[1], empty.shape[0]) != size:
            raise ValueError('"size": the empty photo has another one')
        rows = tuple(str(row) for row in data["rows"])
        if len({len(row.split()) for row in rows}) != 1:
            raise ValueError('"rows": they are not of one length')
        corners = tuple(_pair(corner, float) for corner in data["corners"])
        if len(corners) != 4 or not goes_round(np.array(corners)):
            raise ValueError('"corners": four are needed, clockwise')
        looks = tuple(_look(str(name)) for name in data["looks"])
        if not looks:
            raise ValueError('"looks": there are none')
        if data["game"] not in GAMES:
            raise ValueError(f'"game": there is no "{data["game"]}"')
        return cls(
            game=data["game"],
            rows=rows,
            corners=corners,
            empty=empty,
            looks=looks,
            cell_mm=_sides(data["cell_mm"]),
            lens=Lens(size, _distortion(camera["k1"]), _distortion(camera["k2"])),
            board=str(data["board"]),
            camera=str(camera["source"]),
            family=_family(data["markers"]["family"]),
            markers={
                int(number): tuple(_pair(point, float) for point in quad)
                for number, quad in data["markers"]["mm"].items()
            },
            strip=_wiring(data, "strip"),
            controls=_wiring(data, "controls"),
            kinds={
                Cell(cell): _look(str(name)) for cell, name in data["samples"].items()
            },
        )


def with_wiring(table: Table, folder: Path) -> tuple[Table, tuple[str, ...]]:
    """Return a table with the wiring that was written into the one in its place.

    Returns:
        The table; and a sentence for the user if that one cannot be read: then it is
        kept beside the new one, for nobody else knows that wiring.
    """
    file = folder / FILE
    _put_back(folder)
    if not (folder.is_dir() and _holds_table(folder)):
        return table, ()
    try:
        data = json.loads(file.read_bytes())
        return replace(
            table,
            camera=str(data["camera"]["source"]),
            strip=_wiring(data, "strip"),
            controls=_wiring(data, "controls"),
        ), ()
    except (OSError, LookupError, TypeError, ValueError, RecursionError):
        kept = next(path for path in numbered(folder / _OLD) if not path.exists())
        try:
            shutil.copyfile(file, kept)
        except OSError as error:
            raise _unwritable(folder, str(error.strerror or error)) from error
        return table, (
            f"The older {FILE} is damaged; it is kept as {kept}: copy its camera, "
            "strip and controls into the new one, if there are any.",
        )


def _wiring(data: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    value = data.get(key)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f'"{key}": it is no object')
    return value


def _line_of(error: Exception) -> str:
    """Return where JSON ends to be any, "" if that is not known."""
    if isinstance(error, json.JSONDecodeError):
        return f", line {error.lineno}"
    return ""


def _place_of(error: Exception) -> str:
    """Return which value of a table is wrong, "" where just Python knows it."""
    if isinstance(error, KeyError):
        return f' at "{error.args[0]}": it is missing'
    said = str(error)
    return f" at {said}" if said.startswith('"') else ": a value is of another kind"


def _look(name: str) -> Look:
    if team_of(name) not in TEAMS:
        raise ValueError(f'"looks": there are no "{name}" chips')
    return Look(name)


def _check_samples(table: Table) -> None:
    if (table.samples is None) != (not table.kinds):
        raise ValueError(f'"samples": they do not fit {SAMPLES_PHOTO}')
    if not table.kinds.keys() <= set(table.squares().cells):
        raise ValueError('"samples": one lies on no square')
    if not set(table.kinds.values()) <= set(table.looks):
        raise ValueError('"samples": one shows what is not among "looks"')


def _family(name: str) -> str:
    if name and name not in FAMILIES:
        raise ValueError(f'"family": there are no "{name}" markers')
    return name


def _pair(value: Any, kind: type) -> tuple[Any, Any]:
    first, second = value
    return kind(first), kind(second)


def _sides(value: Any) -> tuple[float, float]:
    width, height = _pair(value, float)
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise ValueError('"cell_mm": cells have a width and a height')
    return width, height


def _distortion(value: Any) -> float:
    k = float(value)
    if not abs(k) < 1:
        raise ValueError(f'"k1", "k2": no lens has {k:g}')
    return k


def _holds_table(folder: Path) -> bool:
    """Return whether a folder is a table's, perhaps a broken one."""
    if not (folder / FILE).is_file():
        return False
    if (folder / EMPTY_PHOTO).exists():
        return True
    try:
        data = json.loads((folder / FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "schema" in data


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _unwritable(folder: Path, why: str) -> TableMismatch:
    return TableMismatch(f"{folder} cannot be written: {why}; name another folder.")


def _put_in_place(fresh: Path, target: Path) -> None:
    """Let a finished folder take its place; the older table stays until then."""
    fresh.chmod(0o755)
    old = _aside(target)
    _keep_others(old, target)  # of one that was stopped on its way
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    _keep_others(old, target)


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}-old")


def _put_back(folder: Path) -> None:
    """Put a table back that lies aside as its replacement was stopped on its way."""
    target = folder.resolve()
    with suppress(OSError):
        if not target.exists() and _aside(target).exists():
            _aside(target).rename(target)


def _keep_others(old: Path, target: Path) -> None:
    """Put all that is no part of an older table where it lay, and drop the rest."""
    if not old.exists():
        return
    if not target.exists():
        old.rename(target)
        return
    for file in list(old.iterdir()):
        if file.name not in (FILE, EMPTY_PHOTO, SAMPLES_PHOTO):
            file.rename(target / file.name)
    shutil.rmtree(old, ignore_errors=True)


def remember_table(home: Path, folder: Path) -> tuple[str, ...]:
    """Make a table the one that is used when none is named.

    Returns:
        A sentence for the user if that cannot be; the table itself is safe.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        (home / _LAST).write_text(f"{folder.resolve()}\n")
    except OSError as error:
        why = error.strerror or error
        return (
            f"The table cannot be remembered as the last one ({home}: {why}); name it "
            f"with --table {folder}.",
        )
    return ()


def find_table(folder: Path | None, home: Path) -> Path:
    """Return the table that was named, or else the one calibrated last.

    Raises:
        TableMismatch: none was named and none was calibrated, or the virtual one was.
    """
    if str(folder) == DEMO:
        raise TableMismatch(
            "The demo table is a virtual one, to play on; name one that was calibrated "
            "from photos."
        )
    if folder is not None:
        return folder
    try:
        last = (home / _LAST).read_bytes().decode().removesuffix("\n")
        if not last:
            raise ValueError("its writing was broken off")
        return Path(last)
    except (OSError, ValueError) as error:
        raise TableMismatch(
            "No table was calibrated yet; do that with companion calibrate, or name "
            "one with --table."
        ) from error
