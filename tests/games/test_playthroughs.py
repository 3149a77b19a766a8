from pathlib import Path

import pytest

from tests.playthrough import annotated

FILES = sorted((Path(__file__).parents[1] / "playthroughs").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_goes_as_written(path: Path):
    """Each line changes, or breaks, exactly what its comment says."""
    assert annotated(path.read_text()) == path.read_text()


@pytest.mark.parametrize(
    "variant",
    [
        "base",
        "quick-trip",
        "quick-trip-cones",
        "places-5",
        "places-7",
        "congestion",
        "traffic",
        "specials",
    ],
)
def test_every_variant_has_a_playthrough(variant: str):
    """Each house rule of Boston is played through in a file of its own."""
    path = Path(__file__).parents[1] / "playthroughs" / f"boston-{variant}.txt"

    rule = variant.removesuffix("-5").removesuffix("-7")
    assert variant == "base" or f'"{rule}"' in path.read_text()
