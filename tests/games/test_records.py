"""All games against records that others judged."""

import json
from pathlib import Path

import pytest

from companion.record import header_of, open_game, verdicts

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*-0?.jsonl"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_records_get_the_verdicts_that_others_give(path: Path):
    """Another referee's verdicts on the same record are ours, but for the wording."""
    header, *lines = path.read_text("utf-8").splitlines()
    expected = path.with_suffix(".verdicts.jsonl").read_text("utf-8").splitlines()
    game = open_game(header_of(json.loads(header)))

    ours = list(verdicts(game, lines))

    assert len(ours) == len(expected)
    for verdict, text in zip(ours, expected, strict=True):
        theirs = json.loads(text)
        codes = verdict.pop("violations", [""])
        assert codes[0] in theirs.pop("violations", [""]), theirs["line"]
        verdict.pop("text", None)
        theirs.pop("text", None)
        assert verdict == theirs
