"""Windows on pictures."""

import numpy as np

from vision.windows import windows


def test_windows_show_what_numpys_do():
    """Also of several pictures, and of parts of wider ones."""
    planes = np.random.default_rng(0).random((2, 9, 12, 8))[:, 1:, :, 3:]

    seen = windows(planes, 3, 2)

    slid = np.lib.stride_tricks.sliding_window_view(planes, (3, 3), (1, 2))
    expected = np.moveaxis(slid[:, ::2, ::2], 3, -1)
    np.testing.assert_array_equal(seen, expected)
    assert seen.shape == (2, 3, 5, 3, 3, 5)
