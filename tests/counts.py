"""The positions of `tests/perft` and how many turns can be made from each."""

from pathlib import Path


def perft_cases(game: str) -> list[tuple[str, dict[str, str]]]:
    """Return name and fields of each paragraph of a game's file."""
    text = (Path(__file__).parent / "perft" / f"{game}.txt").read_text()
    cases = []
    for paragraph in text.split("\n\n")[1:]:
        name, *fields = [s for s in paragraph.splitlines() if not s.startswith("#")]
        cases.append((name, dict(field.split(" ", 1) for field in fields)))
    return cases
