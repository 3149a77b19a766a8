"""Playthroughs: a game record, each line with what the referee says to it.

A file is a record (record-format.md); a `#` comment after each line says what the
line changed in the verdict, or which rules it breaks. To write the comments anew:

    python -m tests.playthrough tests/playthroughs/boston-*.txt
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.games import GAMES
from companion.record import header_of, verdicts


def annotated(text: str) -> str:
    """Return a playthrough with its comments as the referee would write them.

    Comments that begin with "##" tell the story, and are kept where they stand.
    """
    lines = [line for line in text.splitlines() if line[:2] == "##" or line[:1] == "{"]
    header, *actions = [line for line in lines if line[0] == "{"]
    head = header_of(json.loads(header))
    told = iter(verdicts(GAMES[head.game].open(head), actions))
    before: dict[str, Any] = {}
    written = []
    for line in lines:
        written.append(line)
        if line[0] == "{" and line is not header:
            verdict = next(told)
            written.append(f"# {_news(before, verdict)}")
            before = verdict
    return "\n".join(written) + "\n"


def _news(before: dict[str, Any], verdict: dict[str, Any]) -> str:
    if not verdict["ok"]:
        return f"{', '.join(verdict['violations'])}: {verdict['text']}"
    told = {"line", "ok", "violations", "text"}
    changes = _changes(before, {k: v for k, v in verdict.items() if k not in told})
    return f"ok {json.dumps(dict(changes))}"


def _changes(before: Any, after: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what differs; of objects only the entries that do, lost ones as null."""
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            lost = dict.fromkeys(old.keys() - value.keys())
            if changes := {**dict(_changes(old, value)), **lost}:
                yield key, changes
        elif value != old or key not in before:
            yield key, value


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(annotated(path.read_text()))
