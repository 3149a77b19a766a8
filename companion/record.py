"""The game record: what the referee is told, line by line, and what it answers."""

from __future__ import annotations

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from companion.errors import HeaderError, NotationError, RecordUnreadable, quoted
from companion.files import numbered
from companion.games import GAMES
from companion.rules.game import Game, Header, Player
from companion.rules.verdict import Violation, in_words

_DIGITS = 100
"""No number of a record is longer; to read a long one takes long."""


def header_of(line: Mapping[str, Any]) -> Header:
    """Read the first line of a record.

    Raises:
        HeaderError: it cannot be used; the sentence says why.
    """
    version = line.get("record")
    if type(version) is not int or version != 1:  # True and 1.0 are 1, too
        raise HeaderError(
            'The first line must be a header with "record": 1; '
            + (
                f"this one has {quoted(version)}."
                if "record" in line
                else "this one has none."
            )
        )
    players = line.get("players")
    if not isinstance(players, list) or not players:
        raise HeaderError('The header needs "players": a list of names and teams.')
    return Header(
        game=_text(line.get("game"), "game"),
        players=tuple(_player(entry) for entry in players),
        board=_board(line.get("board")),
        rules=_rules(line.get("rules", {})),
    )


def check_names(players: Iterable[str]) -> None:
    """Check the names of people who sit down; records may have any.

    Raises:
        HeaderError: one has no name, or two have the same.
    """
    names = list(players)
    if not all(name.strip() for name in names):
        raise HeaderError("Give every player a name.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise HeaderError(
            f"Two players are called {twice}; give each a name of their own."
        )


def _player(entry: object) -> Player:
    if not isinstance(entry, dict):
        raise HeaderError('Each player is written {"name": ..., "team": ...}.')
    return Player(
        name=_text(entry.get("name"), "name"), team=_text(entry.get("team", ""), "team")
    )


def _board(value: object) -> str | tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return _text(value, "board")
    rows = value.get("rows") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise HeaderError('A board is a name or {"rows": ["XX 2S 3S ...", ...]}.')
    return tuple(rows)


def _rules(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise HeaderError('"rules" is an object of house rules, {} for none.')
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise HeaderError(f'"{what}" must be a text, not {quoted(value)}.')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise HeaderError(
            f'"{what}" holds half of a character, {quoted(value)}: write it in UTF-8.'
        ) from None
    return value


def open_game(header: Header) -> Game[Any, Any]:
    """Set up the game that a header names.

    Raises:
        HeaderError: there is no such game, or the header is not fit for it.
    """
    kind = GAMES.get(header.game)
    if kind is None:
        raise HeaderError(
            f'There is no game "{header.game}"; there are {", ".join(GAMES)}.'
        )
    return kind.open(header)


def read_header(lines: Iterator[bytes]) -> tuple[Header, int]:
    """Take the header from the front of a record.

    Args:
        lines: the lines of the record; those up to the header are consumed.

    Returns:
        The header and the number of its line, from 1; only blank lines come before.

    Raises:
        HeaderError: it cannot be used, or there is none.
    """
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix(BOM_UTF8)  # some editors put it there
        if not line.strip():
            continue
        if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise HeaderError("The record is in UTF-16; save it as UTF-8.")
        if b"\0" in line:
            raise HeaderError(
                "This is no game record; one is kept by --record, or saved from the "
                "page's menu."
            )
        try:
            return header_of(_object(line)), number
        except NotationError as error:
            raise HeaderError(f"The first line must be a header: {error}") from None
        except RecursionError:
            raise HeaderError("The header is nested too deeply.") from None
    raise HeaderError("The record is empty; its first line must be a header.")


def verdicts(
    game: Game[Any, Any], lines: Iterable[str | bytes], first: int = 2
) -> Iterator[dict[str, Any]]:
    """Judge the action lines that follow a header.

    Args:
        game: the game set up from the header.
        lines: the lines after the header, as text or UTF-8.
        first: the number of the first of them.

    Yields:
        One verdict a line, as record-format.md writes it; blank lines have none.
    """
    position = game.start()
    for number, text in enumerate(lines, start=first):
        if not text.strip():
            continue
        try:
            turn = game.turn_of(position, _object(text))
            broken = game.violations(position, turn)
        except NotationError as error:
            broken = (_malformed(number, str(error)),)
        except RecursionError:
            broken = (_malformed(number, "this is nested too deeply."),)
        if broken:
            yield {
                "line": number,
                "ok": False,
                "violations": list(dict.fromkeys(v.code for v in broken)),
                "text": in_words(broken),
                **game.state(position),
            }
        else:
            position = game.apply(position, turn)
            yield {
                "line": number,
                "ok": True,
                **game.state(position),
                **game.effects(position),
            }


def _malformed(number: int, why: str) -> Violation:
    return Violation("malformed", f"Line {number}: {why}")


def exported(lines: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Fold what only a live game writes into plain record lines.

    A camera sees chips turned over after the piece was put down, which makes a
    line of its own; told, it is one turn. Lines that accept a table stay: nothing
    plain says the same.

    Args:
        lines: action lines, without the header.
    """
    plain: list[dict[str, Any]] = []
    waiting: dict[str, Any] = {}
    for line in map(dict, lines):
        if "turned" in line:
            if line["run"]:
                waiting["run"] = line["run"]
            continue
        if line.pop("unturned", False):
            waiting = line
        plain.append(line)
    return plain


def save_record(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a record; a reader finds the old file or the new one, never a half.

    Raises:
        RecordUnreadable: the file cannot be written.
    """
    fresh = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        fresh.replace(path)
    except OSError as error:
        raise RecordUnreadable(
            f"The record {path} cannot be written: {error.strerror or error}; "
            "name another file."
        ) from error


def record_file(path: Path, record: Sequence[Mapping[str, Any]]) -> Path:
    """Return where a record is kept: the file, or else one beside it, game-2.jsonl.

    A file that holds something else is never written over: the record of another
    game, or what is none at all.

    Args:
        path: as it was asked for.
        record: header and lines so far.

    Raises:
        RecordUnreadable: nothing can be kept there.
    """
    return next(file for file in numbered(path) if _may_hold(file, record))


def _may_hold(file: Path, record: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a file holds nothing yet, or an earlier state of the record."""
    if not file.exists():
        return True
    if not file.is_file():
        raise RecordUnreadable(f"{file} is no file; name another one.")
    try:
        there = file.read_bytes().splitlines()
    except OSError as error:
        raise RecordUnreadable(
            f"The record {file} cannot be read: {error.strerror}; name another one."
        ) from error
    return not there or _begins_alike(there[:2], record[:2])


def _begins_alike(there: Sequence[bytes], record: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether lines are of one game; the first turn says at what moment."""
    try:
        lines = [_object(line) for line in there]
    except NotationError:
        return False
    return lines == [dict(line) for line in record][: len(lines)]


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        line = json.loads(text, parse_constant=_no_number, parse_int=_integer)
    except UnicodeDecodeError:
        raise NotationError("this is not in UTF-8; save it as that.") from None
    except (ValueError, RecursionError) as error:
        raise NotationError(f"this is not JSON ({error}).") from None
    if not isinstance(line, dict):
        raise NotationError("a line is a JSON object, {...}.")
    return line


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has more than {_DIGITS} digits")
    return int(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
