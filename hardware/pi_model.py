"""Which machine this is."""

from __future__ import annotations

import re
from pathlib import Path


def pi_model(root: Path = Path("/")) -> str:
    """Return the name that a Raspberry Pi's device tree gives, "" elsewhere."""
    try:
        text = (root / "proc/device-tree/model").read_text("utf-8", "replace")
    except OSError:
        return ""
    name = text.strip("\0\n ")
    return name if name.startswith("Raspberry Pi") else ""


def pi_generation(root: Path = Path("/")) -> int | None:
    """Return 5 for a Pi 5, 500 or Compute Module 5, and so on; None elsewhere.

    The Zero and the first Pi count as 1, the Zero 2 as 3, whose chip it has.
    """
    name = pi_model(root)
    if not name:
        return None
    if "Zero 2" in name:
        return 3
    number = re.search(r"(?:Pi|Module) (\d)", name)
    return int(number[1]) if number else 1
