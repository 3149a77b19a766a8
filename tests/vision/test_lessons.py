"""What the eyes learn from: scenes only, nothing is drawn."""

import numpy as np

from companion.rules.board import TURNED
from vision.training.photos import (
    FIRST,
    PHOTOS,
    SAME_LIGHT,
    _plane,
    _scenes,
    lesson,
)


def _lessons(tables):
    for number in range(FIRST, FIRST + tables):
        table = lesson(number)
        rng = np.random.default_rng((5, number))
        for scene in _scenes(table, rng, PHOTOS, windows=False):
            yield table, [piece.look for piece in scene.pieces.values()]


def test_chips_that_alone_are_turned_over_are_no_rarity():
    """How likely a slip is, is for referees to say, and not for the eyes."""
    alone, chips = 0, 0
    for table, looks in _lessons(30):
        if len(looks) >= 10 and any(look.endswith(TURNED) for look in table.looks):
            chips += 1
            alone += sum(look.endswith(TURNED) for look in looks) == 1

    assert chips > 100
    assert 0.1 < alone / chips < 0.3


def test_lessons_show_what_a_table_has():
    """Pegs are not turned over; every table gives as many photos."""
    shown = list(_lessons(10))

    assert len(shown) == 10 * PHOTOS
    assert any(not any(x.endswith(TURNED) for x in table.looks) for table, _ in shown)
    assert all(set(looks) <= set(table.looks) for table, looks in shown)


def test_windows_are_mirrored_in_lessons_that_ask_for_them():
    """In a fifth of the photos in other light, of which there may be fewer."""
    photos = SAME_LIGHT + 10
    mirrored = []
    for number in range(FIRST, FIRST + 20):
        rng = np.random.default_rng((5, number))
        scenes = list(_scenes(lesson(number), rng, photos, windows=True))
        assert len(scenes) == photos
        mirrored += [bool(scene.light.windows) for scene in scenes[SAME_LIGHT:]]

    assert 0.12 < np.mean(mirrored) < 0.28


def test_every_other_board_is_of_its_own_kind():
    """Chequers and stripes are half of what is learnt from."""
    papers = [
        lesson(number).bare.board_style.papers for number in range(FIRST, FIRST + 8)
    ]

    assert [bool(own) for own in papers] == [False, True] * 4


def test_what_is_high_is_mostly_looked_at_above_the_board():
    """And on the board where nobody measured it, as all thin chips are."""
    high, thin = [], []
    for number in range(FIRST, FIRST + 200, 2):
        style = lesson(number).bare.piece_style
        part = _plane(number, style) / style.height
        (high if style.shape == "peg" or style.height > 6 else thin).append(part)

    assert thin
    assert not any(thin)
    raised = [part for part in high if part]
    assert 0.6 < len(raised) / len(high) < 0.95
    assert 0.3 < min(raised) < 0.4
    assert 0.8 < max(raised) < 0.9
