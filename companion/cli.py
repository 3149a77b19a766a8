"""The command line; the only place where objects are wired together."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

import click

from companion.errors import CompanionError, RecordUnreadable
from companion.games import GAMES
from companion.record import open_game, read_header, verdicts


class _Commands(click.Group):
    """Turns what a user can put right into one sentence and exit status 2."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CompanionError as error:
            click.echo(f"companion: {' '.join(str(error).splitlines())}", err=True)
            ctx.exit(2)


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
