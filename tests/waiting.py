"""Waiting for another thread, but not for ever."""

import time


def wait_for(condition):
    """Wait until a condition holds; fail after ten seconds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
