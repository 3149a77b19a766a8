import pytest
from click.testing import CliRunner

from companion.cli import main


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--game nogame", "there are gridlock"),
        ("--table demo --players A,B,C", "not by 3"),
        ("--table demo --rules foo", "name=value"),
        ("--table demo --rules runs-to-win=9", "runs-to-win"),
        ("--table demo --game boston", "no virtual table"),
        ("--table nowhere", "is no table"),
        ("--game states", "No table was calibrated"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(tmp_path, words, sentence):
    """A wish that cannot be met ends with status 2 and says why, at once."""
    runner = CliRunner(env={"COMPANION_HOME": str(tmp_path)})

    ended = runner.invoke(main, ["play", *words.split()])

    assert ended.exit_code == 2
    assert ended.output.startswith("companion: ")
    assert ended.output.count("\n") == 1
    assert sentence in ended.output
