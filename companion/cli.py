"""The command line; the only place where objects are wired together."""

from __future__ import annotations

import click

from companion.errors import CompanionError


class _Commands(click.Group):
    """Turns what a user can put right into one sentence and exit status 2."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CompanionError as error:
            click.echo(f"companion: {error}", err=True)
            ctx.exit(2)


@click.group(cls=_Commands)
def main() -> None:
    """Read a real board, referee the game, light the runs."""
