"""Reading costs no more than decoding; finding the board again, ten times that."""

import time
from dataclasses import replace
from itertools import cycle, islice
from statistics import median

import cv2
import numpy as np
import pytest

from calibration.wizard import calibrate
from tests.scenes import KINDS, ROWS, overhead, pieces, sequence_board, with_samples
from vision.frame import Frame
from vision.scene import BoardStyle, Light, draw

WARM = Light(towards=(0.5, -0.2, 1.0), key=(0.8, 0.55, 0.32), ambient=(0.1, 0.08, 0.06))
POSITION = "..r.w.r..w/.wr..WWWWW/r..w...r../.w.w.RR.r./....wwwr./RRRRR..w/r../..w.r.r"


def decoding_and(work, jpegs, times=40):
    """Return the medians (s) of decoding photos, and of something else, in turn."""
    taken = []
    for jpeg in islice(cycle(jpegs), times):
        start = time.process_time()
        photo = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
        between = time.process_time()
        work(Frame(photo))
        taken.append((between - start, time.process_time() - between))
    return map(median, zip(*taken, strict=True))


def jpeg_of(photo):
    return cv2.imencode(".jpg", photo, (cv2.IMWRITE_JPEG_QUALITY, 92))[1]


@pytest.fixture(scope="module")
def scene():
    return replace(
        overhead(sequence_board((50, 50)), 15, (1296, 972)),
        board_style=BoardStyle(markers=False),
    )


@pytest.fixture(scope="module")
def made(scene):
    cv2.setNumThreads(1)
    samples = draw(with_samples(scene, KINDS))
    return calibrate("gridlock", ROWS, draw(scene), samples=samples, kinds=KINDS).table


@pytest.fixture(scope="module")
def photo(scene):
    return draw(replace(scene, pieces=pieces(POSITION), seed=3))


@pytest.mark.bench
def test_reading_costs_no_more_than_decoding(made, scene):
    """The medians of both, one thread, same process, at 1296 x 972.

    Of the photos of a game: each has one piece more, and noise of its own.
    """
    lying = list(pieces(POSITION).items())
    game = [
        jpeg_of(draw(replace(scene, pieces=dict(lying[: 8 + turn]), seed=turn)))
        for turn in range(20)
    ]
    reader = made.reader()

    decode, read = decoding_and(reader.read, game)

    print(f"\ndecode {decode * 1e3:.1f} ms, read {read * 1e3:.1f} ms")
    assert read <= decode


@pytest.mark.bench
def test_a_photo_of_which_all_is_new_costs_little_more(made, scene, photo):
    """By a lamp that is switched with every photo."""
    brighter = replace(scene, pieces=pieces(POSITION), seed=4, light=WARM)
    reader = made.reader()

    decode, read = decoding_and(reader.read, [jpeg_of(photo), jpeg_of(draw(brighter))])

    print(f"\ndecode {decode * 1e3:.1f} ms, read all {read * 1e3:.1f} ms")
    assert read <= 1.5 * decode


@pytest.mark.bench
def test_a_photo_in_doubt_costs_no_more_than_twenty_decodings(made, photo):
    """A blurred one in the dark, for which all eyes are asked, in all their views.

    When it is seen again: at first sight, other lights are asked, too.
    """
    dim = cv2.GaussianBlur(cv2.convertScaleAbs(photo, alpha=0.3), (0, 0), 4)
    reader = made.reader()
    start = time.process_time()
    seen = reader.read(Frame(np.asarray(dim, np.uint8)))
    first = time.process_time() - start
    assert min(map(seen.confidence, seen.log_p)) < 0.99

    decode, read = decoding_and(reader.read, [jpeg_of(dim)])

    print(
        f"\ndecode {decode * 1e3:.1f} ms, read in doubt {read * 1e3:.1f} ms, "
        f"{first * 1e3:.0f} ms the first time"
    )
    assert read <= 20 * decode


@pytest.mark.bench
def test_finding_again_costs_no_more_than_ten_readings(made, scene, photo):
    """A camera that turned by 20 degrees is followed within ten times a decoding."""
    view = replace(scene.view, roll=20, distance=1.25 * scene.view.distance)
    turned = draw(replace(scene, pieces=pieces(POSITION), seed=3, view=view))
    first = made.reader()
    assert first.read(Frame(turned)).moved
    readers = [made.reader() for _ in range(10)]
    for reader in readers:
        reader._finder = first._finder
        reader.read(Frame(photo))

    decode, found = decoding_and(
        lambda frame: readers.pop().read(frame), [jpeg_of(turned)], 10
    )

    print(f"\ndecode {decode * 1e3:.1f} ms, finding again {found * 1e3:.1f} ms")
    assert found <= 10 * decode
