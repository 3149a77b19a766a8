"""Reading costs no more than decoding; finding the board again, ten times that."""

import time
from dataclasses import replace
from statistics import median

import cv2
import numpy as np
import pytest

from calibration.wizard import calibrate
from companion.rules.board import Cell, Look
from tests.scenes import ROWS, overhead, pieces, sequence_board, with_samples
from vision.frame import Frame
from vision.scene import BoardStyle, draw

KINDS = {
    Cell("c3"): Look("white"),
    Cell("g3"): Look("red"),
    Cell("e5"): Look("white-turned"),
    Cell("c7"): Look("red-turned"),
}
POSITION = "..r.w.r..w/.wr..WWWWW/r..w...r../.w.w.RR.r./....wwwr./RRRRR..w/r../..w.r.r"


def decoding_and(work, jpeg, times=40):
    """Return the medians (s) of decoding a photo, and of something else, in turn."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
        between = time.process_time()
        work()
        taken.append((between - start, time.process_time() - between))
    return map(median, zip(*taken, strict=True))


@pytest.fixture(scope="module")
def table():
    cv2.setNumThreads(1)
    bare = replace(
        overhead(sequence_board((50, 50)), 15, (1296, 972)),
        board_style=BoardStyle(markers=False),
    )
    samples = draw(with_samples(bare, KINDS))
    made = calibrate("gridlock", ROWS, draw(bare), samples=samples, kinds=KINDS).table
    return made, draw(replace(bare, pieces=pieces(POSITION), seed=3))


@pytest.mark.bench
def test_reading_costs_no_more_than_decoding(table):
    """The medians of both, one thread, same process, at 1296 x 972."""
    made, photo = table
    jpeg = cv2.imencode(".jpg", photo, (cv2.IMWRITE_JPEG_QUALITY, 92))[1]
    reader, frame = made.reader(), Frame(photo)
    reader.read(frame)

    decode, read = decoding_and(lambda: reader.read(frame), jpeg)

    print(f"\ndecode {decode * 1e3:.1f} ms, read {read * 1e3:.1f} ms")
    assert read <= decode


@pytest.mark.bench
def test_a_photo_in_doubt_costs_no_more_than_twenty_decodings(table):
    """A blurred one in the dark, for which all eyes are asked, in all their views."""
    made, photo = table
    jpeg = cv2.imencode(".jpg", photo, (cv2.IMWRITE_JPEG_QUALITY, 92))[1]
    dim = cv2.GaussianBlur(cv2.convertScaleAbs(photo, alpha=0.3), (0, 0), 4)
    reader, frame = made.reader(), Frame(np.asarray(dim, np.uint8))
    seen = reader.read(frame)
    assert min(map(seen.confidence, seen.log_p)) < 0.99

    decode, read = decoding_and(lambda: reader.read(frame), jpeg)

    print(f"\ndecode {decode * 1e3:.1f} ms, read in doubt {read * 1e3:.1f} ms")
    assert read <= 20 * decode


@pytest.mark.bench
def test_finding_again_costs_no_more_than_ten_readings(table):
    """A camera that turned by 20 degrees is followed within ten times a decoding."""
    made, photo = table
    jpeg = cv2.imencode(".jpg", photo, (cv2.IMWRITE_JPEG_QUALITY, 92))[1]
    turn = cv2.getRotationMatrix2D((648, 486), 20, 0.8)
    frame = Frame(np.asarray(cv2.warpAffine(photo, turn, (1296, 972)), np.uint8))
    first = made.reader()
    first.read(frame)
    readers = [made.reader() for _ in range(10)]
    for reader in readers:
        reader._finder = first._finder

    decode, found = decoding_and(lambda: readers.pop().read(frame), jpeg, 10)

    print(f"\ndecode {decode * 1e3:.1f} ms, finding again {found * 1e3:.1f} ms")
    assert found <= 10 * decode
