import struct
import zlib

import cv2
import numpy as np
import pytest

from companion.errors import PictureUnreadable
from vision.picture import LARGEST, decode_picture, encode_jpeg, read_picture


@pytest.fixture
def photo():
    """A picture with a white top left corner, 120 wide and 90 high."""
    image = np.full((90, 120, 3), 60, np.uint8)
    image[:30, :40] = 255
    return image


def jpeg(image):
    return cv2.imencode(".jpg", image)[1].tobytes()


def with_exif(data, orientation):
    """Put an EXIF segment with one tag, the orientation, behind the JPEG's start."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    segment = b"Exif\0\0" + tiff
    header = b"\xff\xe1" + struct.pack(">H", len(segment) + 2)
    return data[:2] + header + segment + data[2:]


@pytest.mark.parametrize("ending", [".jpg", ".png"])
def test_a_photo_is_read_whatever_its_path(tmp_path, photo, ending):
    """Accents, spaces and other scripts in a file's name do no harm."""
    path = tmp_path / f"Brett früh 棋盤{ending}"
    path.write_bytes(cv2.imencode(ending, photo)[1].tobytes())

    image = read_picture(path)

    assert image.shape == (90, 120, 3)
    assert image[5, 5].min() > 240
    assert image[60, 100].max() < 80


def test_a_photo_comes_back_upright(photo):
    """A photo taken with the camera on its side is turned as its EXIF says."""
    image = decode_picture(with_exif(jpeg(photo), 6), "photo")

    assert image.shape == (120, 90, 3)
    assert image[5, 85].min() > 240


def test_every_place_to_break_off_is_noticed(photo):
    """Whatever is missing at the end of a JPEG or PNG, it is refused."""
    for ending in (".jpg", ".png"):
        whole = cv2.imencode(ending, photo)[1].tobytes()
        for missing in (2, len(whole) // 4, len(whole) // 2, len(whole) - 3):
            with pytest.raises(PictureUnreadable, match="snap"):
                decode_picture(whole[:-missing], "snap")


def test_a_thumbnail_does_not_stand_for_the_end(photo):
    """A broken off photo is noticed though its embedded thumbnail is whole."""
    whole, thumbnail = jpeg(photo), jpeg(photo[:70, :70])
    segment = b"\xff\xe2" + struct.pack(">H", len(thumbnail) + 2) + thumbnail
    data = whole[:2] + segment + whole[2:]
    assert decode_picture(data, "snap").shape == photo.shape

    with pytest.raises(PictureUnreadable, match="broken off"):
        decode_picture(data[:-40], "snap")


def test_data_after_the_end_does_no_harm(photo):
    """Phones append a video or a second picture to their photos."""
    for ending in (".jpg", ".png"):
        whole = cv2.imencode(ending, photo)[1].tobytes()
        assert decode_picture(whole + b"moving" * 50, "snap").shape == photo.shape


def test_bytes_may_fill_up_before_a_marker(photo):
    """As many 0xFF as one likes (T.81, B.1.1.2)."""
    whole = jpeg(photo)

    assert decode_picture(whole[:2] + b"\xff" * 3 + whole[2:], "snap").shape == (
        photo.shape
    )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"Dear Ann, the photo is attached.", "no picture"),
        (b"\xff\xd8\xff\xe0 nonsense", "no picture"),
        (cv2.imencode(".png", np.zeros((1, 1, 3), np.uint8))[1].tobytes(), "1 x 1"),
    ],
    ids=["empty", "text", "not quite a JPEG", "1x1"],
)
def test_what_is_no_photo_is_refused_in_a_sentence(data, says):
    """The sentence names the file and says what is wrong with it."""
    with pytest.raises(PictureUnreadable, match=f"snap .*{says}"):
        decode_picture(data, "snap")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    """Neither a path to nothing nor a folder is a photo."""
    with pytest.raises(PictureUnreadable, match="No such file"):
        read_picture(tmp_path / "none.jpg")
    with pytest.raises(PictureUnreadable, match="directory"):
        read_picture(tmp_path)


def test_forty_megapixels_are_decoded_at_half_the_size():
    """A photo beyond any need is halved while it is decoded, not kept whole."""
    huge = jpeg(np.zeros((5000, 8000, 3), np.uint8))

    image = decode_picture(huge, "snap")

    assert image.shape == (2500, 4000, 3)
    assert image.shape[0] * image.shape[1] <= LARGEST


def test_a_file_made_to_fill_the_memory_is_refused_unread():
    """A few bytes that claim 10 gigapixels are refused by their header alone."""
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk
    data += struct.pack(">I", zlib.crc32(chunk)) + b"\0\0\0\0IEND\xaeB`\x82"

    with pytest.raises(PictureUnreadable, match="far too many"):
        decode_picture(data, "bomb")


def test_a_picture_is_encoded_for_the_page():
    """A picture comes back from its JPEG nearly as it was."""
    image = np.full((80, 120, 3), (40, 90, 200), np.uint8)

    back = decode_picture(encode_jpeg(image), "page")

    assert np.abs(back.astype(int) - image).max() <= 3
