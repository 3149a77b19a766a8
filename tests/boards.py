"""Boards of chips drawn as text: pictures to positions, and back."""

from companion.record import header_of, open_game
from companion.rules.board import Cell, Look
from companion.rules.run_lines import LETTERS
from companion.rules.run_turns import RunPosition
from companion.rules.runs import RunGame

LOOKS = {letter: team for team, letter in LETTERS.items()}


def chip_game(
    name: str,
    teams: str = "white red",
    board: tuple[str, ...] | None = None,
    **rules: object,
) -> RunGame:
    """Open a chip game, one player for each team named, house rules as keywords."""
    header = {
        "record": 1,
        "game": name,
        "players": [
            {"name": player, "team": team}
            for player, team in zip(
                ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn"),
                teams.split(),
                strict=False,
            )
        ],
        "board": {"rows": list(board)} if board else None,
        "rules": {option.replace("_", "-"): value for option, value in rules.items()},
    }
    game = open_game(header_of(header))
    assert isinstance(game, RunGame)
    return game


def looks_of(picture: str) -> dict[Cell, Look]:
    """Read a picture of ten rows; "." is an empty square, "W" a turned white chip.

    Rows left out at the bottom, and squares left out at the right, are empty.
    """
    rows = picture.split()
    looks = {}
    for row in range(10):
        line = rows[row] if row < len(rows) else ""
        for column, letter in enumerate(line.ljust(10, ".")):
            look = "empty" if letter == "." else LOOKS[letter.lower()]
            if letter.isupper():
                look += "-turned"
            looks[Cell(f"{'abcdefghij'[column]}{row + 1}")] = Look(look)
    return looks


def position_of(game: RunGame, picture: str, to_move: int = 0) -> RunPosition:
    """Return the position in which the board looks like the picture.

    Turned chips are claimed as runs, the largest sets that they make.
    """
    start = game.start()
    return game.apply(start, game.adopt(start, looks_of(picture), to_move))


def picture_of(game: RunGame, position: RunPosition) -> str:
    """Draw a position, one row a line."""
    return str(game.state(position)["position"]).replace("/", "\n")


def played(game: RunGame, *lines: dict[str, object]) -> RunPosition:
    """Return the position after legal record lines."""
    position = game.start()
    for line in lines:
        turn = game.turn_of(position, line)
        assert not game.violations(position, turn), line
        position = game.apply(position, turn)
    return position
