"""Faults of the program itself: kept in a file, told in a sentence."""

import hashlib
import platform
import sys
import traceback
from datetime import datetime
from pathlib import Path


def keep(error: BaseException, home: Path, said: str) -> str:
    """Keep the traceback of a fault.

    Args:
        error: the fault; one that comes again the same day is kept once.
        home: the folder of what the program keeps.
        said: what stopped, and what to do now.

    Returns:
        `said` and what to do if it comes again, on one line.
    """
    now = datetime.now().astimezone()
    trace = "".join(traceback.format_exception(error))
    told = [f"{now.isoformat()}  companion {' '.join(sys.argv[1:])}"]
    told += [f"{platform.platform()}  Python {platform.python_version()}", trace]
    digest = hashlib.sha256(trace.encode("utf-8", "replace")).hexdigest()[:8]
    file = home / "faults" / f"{now:%Y-%m-%d}-{digest}.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(told), "utf-8", "replace")
    except OSError:
        return (
            f"{said} {file.parent} cannot be written to say more: make room on that "
            "disk."
        )
    return f"{said} If it returns, send {file} to the program's makers."
