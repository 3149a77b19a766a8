"""Where files go that must not take the place of others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path


def numbered(path: Path) -> Iterator[Path]:
    """Yield the path, then others beside it: game.jsonl, game-2.jsonl, ..."""
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")
