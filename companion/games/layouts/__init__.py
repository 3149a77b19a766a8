"""Printed boards as text grids, and how to read them."""

from importlib import resources


def rows_of(name: str) -> tuple[str, ...]:
    """Return the rows of a board that ships with the program.

    Args:
        name: without the ending, "sequence".
    """
    text = resources.files(__name__).joinpath(f"{name}.txt").read_text("utf-8")
    return tuple(text.splitlines())
