import json
from pathlib import Path

import pytest

from companion.games import GAMES
from tests.playthrough import annotated

FILES = sorted((Path(__file__).parents[1] / "playthroughs").glob("*.txt"))


def game_of(path: Path) -> str:
    lines = path.read_text("utf-8").splitlines()
    name = json.loads(next(line for line in lines if line[0] == "{"))["game"]
    assert isinstance(name, str)
    return name


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_played_through(game: str):
    """No game is registered without a playthrough that shows its rules at work."""
    assert game in {game_of(path) for path in FILES}


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if game_of(path) in ("gridlock", "jacks-rule", "states")],
    ids=lambda path: path.stem,
)
def test_a_playthrough_goes_as_written(path: Path):
    """Each line changes, or breaks, exactly what its comment says."""
    assert annotated(path.read_text("utf-8")) == path.read_text("utf-8")


@pytest.mark.parametrize(
    ("game", "rule"),
    [
        (name, rule)
        for name in ("gridlock", "jacks-rule", "states")
        for rule in GAMES[name].rules.house_rules  # type: ignore[attr-defined]
    ],
)
def test_every_house_rule_is_played_through(game: str, rule: str):
    """Each house rule of the chip games is chosen in some playthrough."""
    texts = [path.read_text("utf-8") for path in FILES if game_of(path) == game]

    assert any(f'"{rule}":' in text for text in texts)
