"""What can go wrong that a person can put right; illegal play is news, not error."""

import json

LONGEST = 400
"""Characters of a sentence for the user; a longer one holds somebody's whole file."""
_VALUE = 60  # characters of a value within one


def quoted(value: object) -> str:
    """Return a JSON value as a record writes it, short enough to be read."""
    text = json.dumps(value, ensure_ascii=False)
    # Half of a character can be in a text, but not be printed.
    return shortened(text.encode(errors="backslashreplace").decode(), _VALUE)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Leave the middle out of what is too long to be read; both ends say the most."""
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]} … {text[-longest // 2 :]}"


class CompanionError(Exception):
    """A sentence for the user that says what is wrong and what to do.

    The command line prints it on one line and exits with status 2.
    """

    def __str__(self) -> str:
        """Return the sentence; very long values in it are shortened."""
        return shortened(super().__str__())


class HeaderError(CompanionError):
    """A game that cannot be begun: unknown game, board, house rule or players."""


class NotationError(CompanionError, ValueError):
    """A line, square, card or position that is not written as it must be."""


class RecordUnreadable(CompanionError):
    """A record that is not there, cannot be read, or cannot be kept where asked."""


class BoardNotFound(CompanionError):
    """The board is not to be seen in this picture."""


class CameraUnavailable(CompanionError):
    """The camera, video or folder gives no pictures (any more)."""


class PictureUnreadable(CompanionError):
    """A file that is no picture, or one that is broken off or far too large.

    Attributes:
        photo: its name among the photos of a folder, "" elsewhere.
    """

    photo = ""


class PictureUnwritable(CompanionError):
    """A picture that cannot be written where it was asked for."""


class StripUnavailable(CompanionError):
    """The lights cannot be driven."""


class ControlsUnavailable(CompanionError):
    """The buttons or the buzzer cannot be used."""


class TableMismatch(CompanionError):
    """A table folder with a missing, broken or foreign file, or of another schema."""


class TerminalMissing(CompanionError):
    """Keys are asked for where there is no keyboard."""


class JournalUnavailable(CompanionError):
    """The record cannot be written: full disk, read-only folder, foreign file."""
