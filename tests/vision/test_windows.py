"""Windows of pictures, held against numpy's own."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from vision.windows import windows


@pytest.mark.parametrize(("side", "step"), [(3, 1), (3, 2), (5, 3), (4, 4)])
def test_windows_are_where_numpy_sees_them(side: int, step: int):
    """Of many pictures, and also of part of one that is seen turned."""
    planes = np.random.default_rng(1).random((2, 13, 17))

    for each in (planes, planes[:, ::-1, 2:], planes.transpose(0, 2, 1)):
        expected = sliding_window_view(each, (side, side), (1, 2))[:, ::step, ::step]
        assert np.array_equal(windows(each, side, step), expected)


def test_channels_may_come_last():
    """What comes after height and width stays after the window's own."""
    picture = np.random.default_rng(2).random((13, 17, 3))

    found = windows(picture, 3, 2, after=1)

    expected = sliding_window_view(picture, (3, 3), (0, 1))[::2, ::2]
    assert np.array_equal(found, np.moveaxis(expected, 2, -1))


def test_what_is_seen_through_a_window_cannot_be_changed():
    """Windows overlap: what was written into one would be seen in others."""
    with pytest.raises(ValueError, match="read-only"):
        windows(np.zeros((4, 4)), 2, 1)[0, 0, 0, 0] = 1
