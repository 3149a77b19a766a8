"""Where the program begins: `companion`, and `python -m companion`."""

import os
import signal
import threading


def main() -> None:
    """Run a command; Ctrl-C ends it quietly at any moment.

    While modules are loaded, and when the command has ended, there is nothing to
    tidy up: the process just leaves, with the status of a shell for Ctrl-C.
    """
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.default_int_handler:  # else it is ignored: leave it so
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from companion import cli

    threading.excepthook = cli.thread_failed
    leave = signal.signal(signal.SIGINT, interrupted)
    try:
        cli.main()
    finally:
        signal.signal(signal.SIGINT, leave)


if __name__ == "__main__":
    main()
