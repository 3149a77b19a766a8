"""What has happened (being moved: the snapshot lives in companion.snapshot)."""

from companion.snapshot import (
    AcceptTable,
    Correct,
    NameCard,
    NewMatch,
    News,
    Request,
    Score,
    Snapshot,
    TakeBack,
    Tell,
)

__all__ = [
    "AcceptTable",
    "Correct",
    "NameCard",
    "NewMatch",
    "News",
    "Request",
    "Score",
    "Snapshot",
    "TakeBack",
    "Tell",
]
