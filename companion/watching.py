"""Following a table whose seats nobody named, from the looks alone.

A table folder knows the chips' colours, not who plays and who starts. So one
follower is kept for every seating that the rules allow, and those whose story
breaks a rule are dropped as long as another one's does not: after three turns
one is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import permutations
from typing import Any

from companion.errors import HeaderError
from companion.journal import Journal
from companion.match import Match
from companion.observation import Observation
from companion.referee import Verdict
from companion.rules.verdict import Kind
from companion.session import Follower, Sight

_FITTING = (Kind.UNCHANGED, Kind.LEGAL)


class Watcher:
    """Follows the looks at one table. Mutable.

    Args:
        game: the game's id.
        board: a board as a record header names it, None for the game's own.
        teams: the colours that chips of this table may have.
        now: the wall clock, for the record.

    Raises:
        HeaderError: no seating of these colours can play this game.
    """

    def __init__(
        self,
        game: str,
        board: str | Mapping[str, Any] | None,
        teams: Sequence[str],
        now: Callable[[], datetime],
    ) -> None:
        self._followers: list[Follower] = []
        sight = Sight(game, board, tuple(teams))
        refusal = HeaderError(f"Two teams are needed to play, not {list(teams)}.")
        for seats in _seatings(teams):
            header = {
                "record": 1,
                "game": game,
                "players": [{"name": team.title(), "team": team} for team in seats],
                **({"board": board} if board is not None else {}),
                "rules": {},
            }
            match = Match(Journal(None))
            try:
                match.begin(header, now(), best_of=None)
            except HeaderError as error:
                refusal = error
                continue
            self._followers.append(Follower(match, now, sight))
        if not self._followers:
            raise refusal

    @property
    def follower(self) -> Follower:
        """The follower whose seating fits best so far."""
        return self._followers[0]

    def look(self, observation: Observation) -> Verdict[Any]:
        """Judge a look, and write new violations down as news."""
        verdicts = [follower.look(observation) for follower in self._followers]
        if any(verdict.kind in _FITTING for verdict in verdicts):
            self._followers = [
                follower
                for follower, verdict in zip(self._followers, verdicts, strict=True)
                if verdict.kind in _FITTING
            ]
        if self.follower.is_news():
            self.follower.refuse()
        return self.follower.verdict

    def record(self) -> Iterator[Mapping[str, Any]]:
        """Yield the record of the game as the best fitting follower tells it."""
        return self.follower.match.game.record()


def _seatings(teams: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield who may sit where: two teams before three, the order given first."""
    for count in (2, 3):
        yield from permutations(teams, count)
