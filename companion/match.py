"""What has happened: the lines of a game and the games of a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from companion.journal import Event, Journal
from companion.record import exported, header_of, open_game
from companion.rules.game import Game, Outcome, Turn
from companion.rules.verdict import Violation, in_words
from companion.snapshot import News, Score

LIMITS = (1, 3, 5)
"""Games a match may be the best of (G35-06); None: a time limit or open."""


@dataclass
class Playthrough:
    """One game from its header to its outcome. Mutable.

    Attributes:
        header: the record's first line.
        game: the rules set up from it.
        lines: the accepted lines, bookkeeping included.
        positions: the positions between them: one more than lines.
        story: what is told of it on the page.
    """

    header: Mapping[str, Any]
    game: Game[Any, Any]
    lines: list[dict[str, Any]] = field(default_factory=list)
    positions: list[Any] = field(default_factory=list)
    story: list[News] = field(default_factory=list)

    @classmethod
    def begin(cls, header: Mapping[str, Any]) -> Playthrough:
        """Set a game up.

        Raises:
            HeaderError: the header cannot be used.
        """
        game = open_game(header_of(header))
        return cls(header, game, positions=[game.start()])

    @property
    def position(self) -> Any:
        """The accepted position."""
        return self.positions[-1]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on."""
        return self.game.outcome(self.position)

    @property
    def last_turn(self) -> int | None:
        """The index of the last line that somebody told or did, None before it.

        Lines that `exported` folds away (chips seen turned over) are not turns.
        """
        for index in reversed(range(len(self.lines))):
            if exported(self.lines[index : index + 1]):
                return index
        return None

    def turn(self, index: int) -> Turn:
        """Return the turn that a line tells of."""
        turn: Turn = self.game.turn_of(self.positions[index], self.lines[index])
        return turn

    def add(self, line: dict[str, Any]) -> None:
        """Append an accepted line."""
        turn = self.game.turn_of(self.position, line)
        self.story.append(
            News(
                number=len(self.lines) + 1,
                by=turn.by,
                text=self.game.describe(self.position, turn),
                at=line.get("at", ""),
                card=line.get("card"),
            )
        )
        self.lines.append(line)
        self.positions.append(self.game.apply(self.position, turn))

    def cut(self, length: int) -> list[dict[str, Any]]:
        """Drop the lines from an index on, and return them."""
        dropped = self.lines[length:]
        del self.lines[length:], self.positions[length + 1 :]
        self.story = [
            news for news in self.story if news.codes or news.number <= length
        ]
        return dropped

    def amend(self, index: int, line: dict[str, Any]) -> None:
        """Put another line in the place of one, and replay what followed."""
        for each in (line, *self.cut(index)[1:]):
            self.add(each)

    def record(self) -> Iterator[Mapping[str, Any]]:
        """Yield the record as record-format.md writes it, header first."""
        yield self.header
        yield from exported(self.lines)


class Match:
    """The games of one sitting. Mutable; its only writer is the session.

    Every change is an event: written to the journal first, then folded into
    the state; opening a journal folds the same events again.

    Args:
        journal: where the events are; its running match is taken up again.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.games: list[Playthrough] = []
        self.best_of: int | None = 1
        self.ends_at: datetime | None = None
        for event in journal.match():
            self._fold(event)

    @property
    def game(self) -> Playthrough:
        """The running game."""
        return self.games[-1]

    def begin(
        self,
        header: Mapping[str, Any],
        at: datetime,
        *,
        best_of: int | None = 1,
        minutes: float | None = None,
    ) -> None:
        """Begin a match.

        Raises:
            HeaderError: the header cannot be used; the running match goes on.
        """
        Playthrough.begin(header)
        self._do(
            _event("match", at, best_of=best_of, minutes=minutes),
            _event("game", at, **header),
        )

    def next_game(self, at: datetime) -> None:
        """Begin the next game; the deal, and so the first turn, passes to the left."""
        header = dict(self.game.header)
        players = list(header["players"])
        header["players"] = [*players[1:], players[0]]
        self._do(_event("game", at, **header))

    def record(self, turns: tuple[Any, ...], at: datetime) -> None:
        """Accept turns, one after the other, all or none.

        Raises:
            JournalUnavailable: they could not be written; nothing changed.
        """
        game, position = self.game.game, self.game.position
        events = []
        for turn in turns:
            line = game.line_of(position, turn)
            events.append(_event("line", at, **line, at=at.isoformat()))
            position = game.apply(position, turn)
        self._do(*events)

    def refuse(
        self,
        violations: tuple[Violation, ...],
        at: datetime,
        *,
        by: int | None = None,
        before: str = "",
        after: str = "",
    ) -> None:
        """Write down violations as news; the position stays."""
        self._do(
            _event(
                "refused",
                at,
                by=by,
                codes=[violation.code for violation in violations],
                text=in_words(violations),
                before=before,
                after=after,
            )
        )

    def amend(self, index: int, line: Mapping[str, Any], at: datetime) -> None:
        """Put another line in the place of an accepted one."""
        self._do(_event("amend", at, index=index, line=dict(line)))

    def take_back(self, length: int, at: datetime) -> None:
        """Drop the lines of the running game from an index on."""
        self._do(_event("back", at, length=length))

    def wins(self) -> dict[str, int]:
        """Return the games won by each team (by player where there are no teams)."""
        wins = {side(p.team, p.name): 0 for p in self.games[0].game.players}
        for playthrough in self.games:
            outcome = playthrough.outcome
            players = playthrough.game.players
            winners = outcome.winners if outcome else ()
            for team in {side(players[w].team, players[w].name) for w in winners}:
                wins[team] += 1
        return wins

    def winner(self, now: datetime) -> str | None:
        """Return who won the match, "tie" for a drawn one, None while it goes on.

        A running game is void when the time is up (G35-A15).
        """
        wins = self.wins()
        most = max(wins.values())
        leaders = [team for team, won in wins.items() if won == most]
        if self.ends_at and now >= self.ends_at:
            return leaders[0] if len(leaders) == 1 else "tie"
        if self.best_of == 1 and self.game.outcome:
            return leaders[0] if most and len(leaders) == 1 else "tie"
        if self.best_of and most > self.best_of // 2:
            return leaders[0]
        return None

    def score(self, now: datetime) -> Score:
        """Return where the match stands."""
        return Score(
            best_of=self.best_of,
            ends_at=self.ends_at.isoformat() if self.ends_at else None,
            game_number=len(self.games),
            wins=self.wins(),
            winner=self.winner(now),
        )

    def _do(self, *events: Event) -> None:
        self._journal.add(*events)
        for event in events:
            self._fold(event)

    def _fold(self, event: Event) -> None:
        body = dict(event.body)
        match event.what:
            case "match":
                self.games = []
                self.best_of = body["best_of"]
                minutes = body["minutes"]
                began = datetime.fromisoformat(event.at)
                self.ends_at = began + timedelta(minutes=minutes) if minutes else None
            case "game":
                self.games.append(Playthrough.begin(body))
            case "line":
                self.game.add(body)
            case "amend":
                self.game.amend(body["index"], body["line"])
            case "back":
                self.game.cut(body["length"])
            case "refused":
                self.game.story.append(
                    News(
                        number=len(self.game.lines) + 1,
                        by=body["by"],
                        text=body["text"],
                        at=event.at,
                        codes=tuple(body["codes"]),
                        before=body["before"],
                        after=body["after"],
                    )
                )


def side(team: str, name: str) -> str:
    """Return whom a win counts for: the team, or the player who has none."""
    return team or name


def _event(what: str, when: datetime, /, **body: Any) -> Event:
    return Event(what, body, when.isoformat())
