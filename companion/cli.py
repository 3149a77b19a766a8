"""The command line; the only place where objects are wired together."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import click

# OpenCV talks on standard error; what a user needs to know we say ourselves.
os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
# The eyes' matrices are small: more threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from companion import faults
from companion.errors import CompanionError, RecordUnreadable, shortened
from companion.games import GAMES
from companion.record import open_game, read_header, verdicts

_FAULT = "A fault of this program stopped it; what was accepted is safe: start again."


def _no_room(error: Exception) -> str:
    """Return what to do where the disk is full, "" for every other error."""
    if getattr(error, "errno", None) not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ""
    return "There is no room to write to: free some space, and start again."


class _Commands(click.Group):
    """Turns what a user can put right into one sentence and exit status 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.exceptions.NoArgsIsHelpError:
            raise  # it prints the help
        except click.UsageError as error:
            click.echo(f"companion: {_misused(error)}", err=True)
            ctx.exit(2)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CompanionError as error:
            sentence = " ".join(str(error).splitlines())
        except click.ClickException as error:
            sentence = _misused(error)
        except (click.exceptions.Exit, BrokenPipeError):
            raise  # nothing is said when nobody reads on
        except (KeyboardInterrupt, EOFError, click.Abort):
            ctx.exit(130)  # as a shell counts what was ended by Ctrl-C
        except Exception as error:
            sentence = _no_room(error) or faults.keep(error, home(), _FAULT)
        click.echo(f"companion: {sentence}", err=True)
        ctx.exit(2)


def _misused(error: click.ClickException) -> str:
    """Return what click says of a command line in one sentence, and where help is."""
    said = " ".join(shortened(error.format_message()).split()).rstrip(".")
    command = getattr(error, "ctx", None)
    return f"{said}: see {command.command_path} --help." if command else f"{said}."


def thread_failed(failed: threading.ExceptHookArgs) -> None:
    """Tell in a sentence that a thread ended by a fault; for `threading.excepthook`."""
    if failed.exc_value is None or failed.exc_type is SystemExit:
        return
    part = failed.thread.name if failed.thread else "one"
    said = (
        f"A fault of this program stopped a part of it ({part}); the others go on, "
        "and what was accepted is safe: start again when you can."
    )
    click.echo(f"companion: {faults.keep(failed.exc_value, home(), said)}", err=True)


@click.group(cls=_Commands)
def main() -> None:
    """Read a real board, referee the game, light the runs."""


@main.command()
@click.argument("file", default="-", metavar="[FILE|-]")
@click.pass_context
def referee(ctx: click.Context, file: str) -> None:
    """Judge a game record, one verdict a line.

    Exit status 0 if every line was legal, 1 if not, 2 if the record cannot be
    begun.

    Example: companion referee evening.jsonl
    """
    with _open_record(file) as lines:
        header, number = read_header(lines)
        legal = True
        for verdict in verdicts(open_game(header), lines, first=number + 1):
            click.echo(json.dumps(verdict))
            legal = legal and verdict["ok"]
    ctx.exit(0 if legal else 1)


def _open_record(file: str) -> AbstractContextManager[BinaryIO]:
    if file == "-":
        if sys.stdin is None:
            raise RecordUnreadable(
                "There is no standard input; name the record's file."
            )
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise RecordUnreadable(
            f"The record {file} cannot be read: {error.strerror}."
        ) from None


@main.command()
def games() -> None:
    """List the games that can be played.

    Example: companion games
    """
    for game in GAMES.values():
        click.echo(f"{game.name:16}{game.title}")


@main.command()
def boards() -> None:
    """List the boards that ship with the program, by game.

    Example: companion boards
    """
    for game in GAMES.values():
        click.echo(f"{game.name:16}{', '.join(game.boards) or 'needs no board'}")


def home() -> Path:
    """Return the folder of what the program keeps: tables, records, settings."""
    named = os.environ.get("COMPANION_HOME")
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(named) if named else Path(data) / "companion"


_FILE = click.Path(path_type=Path)
_TABLE = "The table's folder; without it, the one calibrated last."


class _Port(click.IntRange):
    """A port of this machine; 0 is any that is free."""

    name = "integer"  # as people say, not "integer range"

    def __init__(self) -> None:
        super().__init__(0, 65535)


@main.command()
@click.option("--out", type=_FILE, required=True, help="Folder of the new table.")
@click.option("--game", required=True, help="As `companion games` lists them.")
@click.option("--board", help="A board's name, or a JSON file of its rows.")
@click.option("--empty", type=_FILE, required=True, help="Photo of the empty board.")
@click.option("--corners", help='"x,y x,y x,y x,y" in that photo, px.')
@click.option("--samples", type=_FILE, help="Photo with chips, same camera.")
@click.option("--kinds", help='What lies there: "c3=white e5=white-turned".')
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def calibrate(**asked: Any) -> None:
    """Set up a table from photos.

    Example: companion calibrate --out my-table --game gridlock --empty empty.jpg
    --samples samples.jpg --kinds "c3=white g3=red e5=white-turned"
    """
    from companion.looking import CalibrateWishes, calibrate_table

    calibrate_table(CalibrateWishes(**asked), home(), click.echo)


@main.command()
@click.option("--table", "folder", type=_FILE, help=_TABLE)
@click.argument("photos", type=_FILE, nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a photo.")
@click.option("--overlay", type=_FILE, help="Folder for pictures of what was read.")
def read(folder: Path | None, photos: tuple[Path, ...], **how: Any) -> None:
    """Say what lies on the board in photos.

    A letter is a piece of that colour (w r b g y k, k for black), a capital one a chip
    that lies turned over, "*" one of which it is not sure whose it is, "." an empty
    square, and "?" a square that is covered or not sure.

    Example: companion read --table my-table photo.jpg --json
    """
    from companion.looking import read_photos

    read_photos(folder, photos, home(), click.echo, **how)


@main.command()
@click.option("--table", "folder", type=_FILE, help=_TABLE)
@click.option(
    "--port", type=_Port(), default=8080, show_default=True, help="Of the page."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a check.")
@click.pass_context
def doctor(ctx: click.Context, folder: Path | None, port: int, as_json: bool) -> None:
    """Check camera, light, board, lamps and permissions; say what to do.

    Exit status 0 if everything is fine, 1 if not.

    Example: companion doctor --table my-table
    """
    from calibration.doctor import doctor
    from calibration.machine import Machine

    right = doctor(folder, Machine.here(home(), port), click.echo, as_json)
    ctx.exit(0 if right else 1)


@main.command()
@click.option("--table", "folder", type=_FILE, help='The table, or "demo".')
@click.option("--game", help="As `companion games` lists them.")
@click.option("--camera", "source", help="pi, usb:0, a folder, a video, a stream.")
@click.option("--lights", "kind", help="ws281x, spi, page or none.")
@click.option("--players", help='Names in seating order: "Ann,Ben".')
@click.option("--rules", multiple=True, metavar="K=V", help="A house rule.")
@click.option("--host", default="0.0.0.0", show_default=True)
@click.option("--port", type=_Port(), default=8080, show_default=True)
@click.option("--record", type=_FILE, help="Keep the record in this file.")
def play(**asked: Any) -> None:
    """Referee games at a table, and show them on every phone.

    Example: companion play --table demo
    """
    from companion import playing

    playing.play(playing.Wishes(**asked), home(), click.echo)


@main.command()
@click.argument("source")
@click.option("--table", "folder", type=_FILE, help=_TABLE)
@click.option("--record", type=_FILE, help="Keep the record in this file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a look.")
def watch(**asked: Any) -> None:
    """Follow a game on photos, a video or a camera, and say what happens.

    Photos of a folder are looked at in the order of their names.

    Example: companion watch --table my-table photos/ --record evening.jsonl
    """
    from companion import watching

    watching.watch(watching.Wishes(**asked), home(), click.echo)


@main.command()
@click.argument("record", type=_FILE)
@click.option("--page", is_flag=True, help="Step through it on the page.")
@click.option("--host", default="0.0.0.0", show_default=True)
@click.option("--port", type=_Port(), default=8080, show_default=True)
def replay(**asked: Any) -> None:
    """Tell a recorded game turn by turn, or step through it on the page.

    Example: companion replay evening.jsonl --page
    """
    from companion import replaying

    replaying.replay(replaying.Wishes(**asked), click.echo)
