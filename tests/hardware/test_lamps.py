import time

from companion.errors import StripUnavailable
from companion.rules.board import Cell
from companion.rules.game import Highlight, Meaning
from hardware.lamps import Lamps
from hardware.layout import StripLayout
from hardware.page_strip import FakeStrip
from tests.waiting import wait_for

LAYOUT = StripLayout((Cell("a1"), Cell("b1")))


def test_lamps_show_what_is_lit_until_their_block_ends():
    """Highlights set at any time are on the strip soon, and dark in the end."""
    strip = FakeStrip(2)
    with Lamps(strip, LAYOUT, print) as lamps:
        lamps.highlights = (Highlight(Meaning.RUN, (Cell("b1"),), "red"),)
        wait_for(lambda: strip.frames and strip.frames[-1][1].any())

        assert not strip.frames[-1][0].any()

    assert not strip.is_open
    assert not strip.frames[-1].any()


def test_a_strip_that_fails_is_told_once():
    """When the driver fails the game goes on in the dark, and somebody says so."""

    class Failing(FakeStrip):
        def show(self, pixels):
            raise StripUnavailable("The strip is unplugged.")

    told = []
    with Lamps(Failing(2), LAYOUT, told.append) as lamps:
        wait_for(lambda: told)
        for _ in range(3):  # looks at the table
            with lamps.dark():
                pass

    assert told == ["The strip is unplugged."]


def test_for_a_look_all_lamps_are_dark_and_stay_so():
    """Within `dark` nothing is lit, however long; after it all is as before."""
    strip = FakeStrip(2)
    with Lamps(strip, LAYOUT, print) as lamps:
        lamps.highlights = (Highlight(Meaning.RUN, (Cell("b1"),), "red"),)
        wait_for(lambda: strip.frames and strip.frames[-1].any())
        begin = time.monotonic()
        with lamps.dark() as since:
            shown = len(strip.frames)
            time.sleep(0.3)

            assert len(strip.frames) == shown
            assert not strip.frames[-1].any()
            assert begin < since < begin + 1
        wait_for(lambda: strip.frames[-1].any())
