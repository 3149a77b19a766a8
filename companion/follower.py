"""Following one match: looks and requests become verdicts and record lines.

The part of a session without time and threads, for a live table and for a folder
of photos alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from companion.errors import CompanionError, quoted
from companion.games import GAMES
from companion.last_look import LastLook
from companion.match import Match, Playthrough
from companion.observation import Observation, relit
from companion.referee import MARGIN, Verdict, as_question, judge, story_of
from companion.rules.board import EMPTY, Cell, Look, both_turned
from companion.rules.game import Game, Highlight, Meaning
from companion.rules.verdict import Kind, Violation, in_words
from companion.rules.words import either
from companion.snapshot import (
    AcceptTable,
    Correct,
    NameCard,
    NewMatch,
    Request,
    Snapshot,
    TakeBack,
    Tell,
)
from companion.unclear import unclear

LASTING = 3
"""Looks after which what still covers a square is part of the table.

A glare may flicker: one look in between that showed the square is no end of it.
"""

CLEARED = 3
"""More pieces than this never vanish by mistake: then the board was cleared."""

SPECKS = 3
"""Cells of one look that may be unreadable while a turn elsewhere is accepted."""

CUP = 12
"""Squares that a thing left on the board may cover; more is a hand or a box."""

SURE = 0.99
"""Confidence in each square at which a question is about the story, not the look."""

STORY = 200
"""Entries of the story that a snapshot carries."""

_TIDY = "The game is over: clear the board for the next one."
_CLEAR_FIRST = (
    "A new game begins: clear the board first, or accept the table as it lies."
)
_CLEARED = (
    "The board was cleared in the middle of a game: put the pieces back, or begin "
    "a new match on the page."
)


class _Correction(NamedTuple):
    """What players said of a square: what it is, what it was read as, how surely."""

    read: Look | None
    look: Look
    log_p: Mapping[Look, float]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A table to be put right: judged again only when it looks otherwise.

    Attributes:
        seen: what lies there otherwise than is believed.
        verdict: what was said of it.
        line: the turn that was taken back as its card does not explain it, if one was.
    """

    seen: Mapping[Cell, Look]
    verdict: Verdict[Any]
    line: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What the camera of a table can read.

    Attributes:
        game: the game's id.
        board: the board, as a record header names it; None: the game's own.
        teams: the colours of its pieces.
    """

    game: str
    board: str | Mapping[str, Any] | None
    teams: tuple[str, ...]

    def reads(self, playthrough: Playthrough) -> bool:
        """Tell whether a game is played on such a board with such pieces."""
        header, players = playthrough.header, playthrough.game.players
        return (header["game"], header.get("board")) == (self.game, self.board) and {
            player.team for player in players
        } <= set(self.teams)


class Follower:
    """Follows one match from looks and requests. Mutable; used from one thread.

    Args:
        match: the match; a game must have begun.
        now: the wall clock, for the record.
        sight: what the table's camera reads; None: everything is told.
    """

    def __init__(
        self, match: Match, now: Callable[[], datetime], sight: Sight | None = None
    ) -> None:
        self.match = match
        self.now = now
        self._sight = sight
        self.verdict: Verdict[Any] = Verdict(Kind.UNCHANGED)
        self._observation: Observation | None = None
        self._hidden: dict[Cell, int] = {}
        self._shown: frozenset[Cell] = frozenset()
        self._corrected: dict[Cell, _Correction] = {}
        self._last_look = LastLook()
        self._misled_by: tuple[float, ...] = ()
        self._waiting: _Waiting | None = None
        self._clearing = False
        self._refused: tuple[tuple[Violation, ...], int] | None = None

    @property
    def game(self) -> Game[Any, Any]:
        """The rules of the running game."""
        return self.match.game.game

    @property
    def position(self) -> Any:
        """The accepted position of the running game."""
        return self.match.game.position

    @property
    def sighted(self) -> bool:
        """Whether the camera reads the running game; if not, turns are told."""
        return self._sight is not None and self._sight.reads(self.match.game)

    # -- looks --------------------------------------------------------------

    def look(self, observation: Observation) -> Verdict[Any]:
        """Judge a look at the table at rest, and record what was done.

        Raises:
            JournalUnavailable: it could not be written down; nothing changed.
        """
        self._observation = observation
        said = self._said(observation)
        looks = self.game.appearance(self.position)
        compared = self._last_look.compared(observation, looks)
        # Nothing that is remembered outvotes what players say.
        light = observation.light
        misleading = bool(self._misled_by) and not relit(light, self._misled_by)
        observation = replace(compared.knowing(said), misleading=misleading)
        covered = self._covered(observation)
        if len(covered) > SPECKS or not observation.log_p:
            return self._hide(observation)
        # What players said of a square was true of the piece that lay there.
        cleared = self._is_empty(compared)
        if self.match.game.outcome and (cleared or self._is_tidying(observation)):
            if cleared and not self.match.winner(self.now()):
                self.match.next_game(self.now())
                self._corrected.clear()
            self.verdict = Verdict(Kind.UNCHANGED, seen={}, text=_TIDY)
            return self.verdict
        self._clearing = self._clearing and not self._is_empty(observation)
        if self._clearing:
            seen = self._lying(observation)
            self.verdict = Verdict(Kind.UNCERTAIN, seen=seen, text=_CLEAR_FIRST)
            return self.verdict
        if self._is_empty(observation) and self._lies_much():
            self.verdict = Verdict(Kind.UNCERTAIN, text=_CLEARED)
            return self.verdict
        verdict = judge(self.game, self.position, observation)
        verdict = self._unless_unclear(
            verdict, self._observation, compared, looks, said.keys()
        )
        if self._hangs_on(covered, observation.hidden, verdict):
            return self._hide(observation)
        if self._waiting and verdict.seen == self._waiting.seen:
            verdict = replace(self._waiting.verdict, seen=verdict.seen)
        else:
            self._waiting = None
            verdict = self._taken_back(verdict, observation)
            if verdict.kind is Kind.LEGAL and verdict.turns:
                self.match.record(verdict.turns, self.now())
        if verdict.kind in (Kind.LEGAL, Kind.UNCHANGED):
            self._keep()
        self.verdict = self._with_unseen(verdict, observation)
        return self.verdict

    def _unless_unclear(
        self,
        verdict: Verdict[Any],
        look: Observation,
        compared: Observation,
        lay: Mapping[Cell, Look],
        told: Set[Cell],
    ) -> Verdict[Any]:
        """Ask about squares that are not seen as clearly as a verdict needs.

        See `unclear`. What players said of this very look needs no other.
        """
        fresh = {c for c in told if self._corrected[c].log_p is look.log_p.get(c)}
        uncertain = self.verdict.kind is Kind.UNCERTAIN
        before = set(self.verdict.doubtful) if uncertain else set[Cell]()
        asked = unclear(verdict, look, compared, lay, told, fresh, before)
        if not asked:
            return verdict
        return replace(
            verdict,
            kind=Kind.UNCERTAIN,
            turns=(),
            violations=(),
            doubtful=tuple(asked),
            text=as_question(either(cell, both) for cell, both in asked.items()),
        )

    def _keep(self) -> None:
        """Remember the last look, now that it is known how the table lies."""
        if self._observation:
            looks = self.game.appearance(self.position)
            said = self._said(self._observation)
            self._last_look.keep(self._observation.knowing(said), looks)

    def is_news(self) -> bool:
        """Tell whether the violations of the last verdict were not written down yet."""
        known = (self.verdict.violations, len(self.match.game.lines))
        return self.verdict.kind is Kind.ILLEGAL and known != self._refused

    def refuse(self, before: str = "", after: str = "") -> None:
        """Write the violations of the last verdict down, with the keys of pictures."""
        self._refused = (self.verdict.violations, len(self.match.game.lines))
        self.match.refuse(
            self.verdict.violations,
            self.now(),
            by=self.game.to_move(self.position),
            before=before,
            after=after,
        )

    def _hide(self, observation: Observation) -> Verdict[Any]:
        cells, unseen = self._unseen(observation)
        text = "Something covers the board."
        if not observation.log_p:
            text = observation.note or text
        elif 0 < len(cells) <= SPECKS:
            text = f"{unseen}: uncover it, or correct it on the page."
        # What was seen before the hand came may be otherwise when it has gone.
        self.verdict = replace(
            self.verdict, kind=Kind.HIDDEN, seen=None, doubtful=cells, text=text
        )
        return self.verdict

    def _covered(self, observation: Observation) -> frozenset[Cell]:
        """Return the cells that something covers which may soon be gone.

        What stays, as a mirrored lamp does, may cover more or less at its edge.
        """
        shown = self._hidden.keys() - observation.hidden
        self._hidden = {
            cell: self._hidden.get(cell, 0) + (cell in observation.hidden)
            for cell in observation.hidden | (shown - self._shown)
        }
        self._shown = frozenset(shown)
        if len(observation.hidden) > CUP:
            return observation.hidden
        lasting = [cell for cell, n in self._hidden.items() if n >= LASTING]
        return frozenset(
            cell for cell in observation.hidden if not self._touch((cell,), lasting)
        )

    def _with_unseen(
        self, verdict: Verdict[Any], observation: Observation
    ) -> Verdict[Any]:
        """Say of a table on which nothing happened what nobody knows about it."""
        if verdict.kind is not Kind.UNCHANGED or not observation.hidden:
            return verdict
        cells, unseen = self._unseen(observation)
        return replace(verdict, doubtful=cells, text=f"{unseen}.")

    def _unseen(self, observation: Observation) -> tuple[tuple[Cell, ...], str]:
        """Return the hidden cells in the board's order, and that they are hidden."""
        cells = tuple(c for c in self.game.board.cells if c in observation.hidden)
        return cells, f"What lies on {', '.join(cells)} cannot be seen"

    def _hangs_on(
        self, covered: frozenset[Cell], hidden: frozenset[Cell], verdict: Verdict[Any]
    ) -> bool:
        """Tell whether what nobody can see may make another verdict.

        Args:
            covered: what may soon be seen.
            hidden: all that cannot be seen.
            verdict: as if those squares lay as they did.
        """
        if covered and not self._is_clear_of(covered, verdict):
            return True
        # A run's other pieces may be what cannot be seen: they touch those that can.
        return any(self._touch(hidden, v.cells) for v in verdict.violations)

    def _is_clear_of(self, covered: frozenset[Cell], verdict: Verdict[Any]) -> bool:
        """Tell whether a turn was made well away from the few covered cells."""
        return verdict.kind is Kind.LEGAL and not self._touch(
            covered, verdict.seen or ()
        )

    def _touch(self, some: Iterable[Cell], others: Iterable[Cell]) -> bool:
        """Tell whether any of some cells is, or touches, any of the others."""
        outline = self.game.board.outline
        corners = {point for cell in some for point in outline(cell)}
        return any(corners & set(outline(cell)) for cell in others)

    def _is_empty(self, observation: Observation) -> bool:
        return not self._lying(observation)

    def _lying(self, observation: Observation) -> dict[Cell, Look]:
        """Return what lies on the board, as far as it can be seen."""
        looks = ((cell, observation.likely(cell)) for cell in self.game.board.cells)
        return {cell: look for cell, look in looks if look not in (EMPTY, None)}

    def _lies_much(self) -> bool:
        looks = self.game.appearance(self.position).values()
        return sum(look != EMPTY for look in looks) > CLEARED

    def _is_tidying(self, observation: Observation) -> bool:
        """Tell whether pieces are taken off the board, and nothing else is done."""
        differing = observation.differing(self.game.appearance(self.position))
        return set(differing.values()) == {EMPTY}

    def _said(self, observation: Observation) -> dict[Cell, Look]:
        """Return what players corrected, for as long as it is read the same.

        Or is in doubt: then it is read now as one look, now as the other, but as no
        third one. And it is not forgotten while a hand is over the square. Once it is
        clearly read as they say, what it was misread as it may be misread as again.
        """
        said = {}
        for cell, (read, look, log_p) in list(self._corrected.items()):
            likely = observation.likely(cell)
            same = likely == read or both_turned(likely, read)
            if same or (likely == look and _between(read, look, observation, cell)):
                said[cell] = look
            elif likely is not None:
                del self._corrected[cell]
                if likely == look:
                    self._last_look.misread(cell, look, log_p)
        return said

    def _taken_back(
        self, verdict: Verdict[Any], observation: Observation
    ) -> Verdict[Any]:
        """See whether an illegal table is an earlier one: turns were taken back.

        So is one with two stories: that everybody took just the last piece of the
        one before, all between two looks, is far less likely. Of one with doubtful
        squares that cannot be said.
        """
        if not verdict.seen or verdict.kind not in (Kind.ILLEGAL, Kind.UNCERTAIN):
            return verdict
        playthrough = self.match.game
        lying = self.game.appearance(playthrough.position)
        # A story may tell of a square that is in doubt, as it is likelier with it.
        readings = [
            seen
            for seen in (verdict.seen, observation.differing(lying))
            if seen and all(observation.confidence(cell) >= SURE for cell in seen)
        ]
        if not verdict.doubtful:
            readings.append(verdict.seen)
        tables = [{**lying, **seen} for seen in readings]
        for length in range(len(playthrough.lines) - 1, -1, -1)[:4]:
            position = playthrough.positions[length]
            if self.game.appearance(position) in tables:
                taken = playthrough.positions[length + 1 :]
                turns = tuple(playthrough.turn(length + i) for i in range(len(taken)))
                text = "Taken back: " + story_of(self.game, position, turns)
                self.match.take_back(length, self.now())
                self._refused = None  # who does the same once more hears it once more
                return Verdict(Kind.LEGAL, margin=verdict.margin, seen={}, text=text)
        return verdict

    # -- requests -----------------------------------------------------------

    def answer(self, request: Request) -> str | None:
        """Do what was asked.

        Returns:
            None when it is done, else one sentence that says why not.
        """
        try:
            return self._answer(request)
        except CompanionError as error:
            return str(error)

    def _answer(self, request: Request) -> str | None:
        match request:
            case TakeBack():
                return self._take_back()
            case Correct():
                return self._correct(request)
            case NameCard():
                return self._name_card(request.card)
            case AcceptTable():
                return self._accept(request.to_move)
            case Tell():
                return self._tell(dict(request.line))
            case NewMatch():
                return self._begin(request)

    def _take_back(self) -> str | None:
        last = self.match.game.last_turn
        if last is None:
            return "There is nothing to take back yet."
        playthrough = self.match.game
        turn = playthrough.turn(last)
        text = "Taken back: " + story_of(
            self.game, playthrough.positions[last], (turn,)
        )
        self._rewind(last, Verdict(Kind.UNCERTAIN, text=text))
        return None

    def _rewind(
        self,
        length: int,
        verdict: Verdict[Any],
        line: Mapping[str, Any] | None = None,
    ) -> None:
        """Drop lines; what still lies on the table then waits to be put right."""
        before = self.game.appearance(self.match.game.positions[length])
        now = self.game.appearance(self.position)
        self.match.take_back(length, self.now())
        self._refused = None
        seen = {cell: look for cell, look in now.items() if look != before[cell]}
        for cell in seen:
            # The piece that players spoke of is taken off; the eyes may not see that.
            self._corrected.pop(cell, None)
        self._wait(seen, verdict, line)

    def _wait(
        self,
        seen: Mapping[Cell, Look],
        verdict: Verdict[Any],
        line: Mapping[str, Any] | None,
    ) -> None:
        """Wait for the table to be put right, see `_Waiting`."""
        if not seen or not self.sighted:
            self.verdict = replace(verdict, kind=Kind.UNCHANGED)
            return
        cells = tuple(seen)
        remedy = (
            f"Put {', '.join(cells)} back as before, "
            f"{'name another card, ' if line else ''}or accept the table."
        )
        self.verdict = replace(
            verdict, seen=seen, doubtful=cells, text=f"{verdict.text} {remedy}"
        )
        self._waiting = _Waiting(seen, self.verdict, line)

    def _correct(self, request: Correct) -> str | None:
        if request.cell not in self.game.board.cells:
            return f"There is no square {request.cell} on this board."
        if request.look not in self.game.looks():
            return f"Nothing on this board can look {quoted(request.look)}."
        if not self.sighted or self._observation is None:
            to_move = self.game.to_move(self.position)
            turn = self.game.adopt(
                self.position, {request.cell: request.look}, to_move or 0
            )
            self.match.record((turn,), self.now())
            return None
        read = self._observation.likely(request.cell)
        log_p = self._observation.log_p.get(request.cell, {})
        self._corrected[request.cell] = _Correction(read, request.look, log_p)
        if read not in (None, request.look):
            self._misled_by = self._observation.light
        self.look(self._observation)
        return None

    def _name_card(self, card: str) -> str | None:
        to_name = self._to_name()
        if to_name is None:
            return "There is no turn to name a card for."
        position, line = to_name
        named = {**line, "card": card}
        turn = self.game.turn_of(position, named)
        violations = self.game.violations(position, turn)
        waiting, last = self._waiting, self.match.game.last_turn
        if violations:
            verdict: Verdict[Any] = Verdict(
                Kind.ILLEGAL, violations=violations, text=in_words(violations)
            )
            if waiting and waiting.line:
                self._wait(waiting.seen, verdict, line)
            elif last is not None:
                self._rewind(last, verdict, line)
            self.refuse()
        elif waiting and waiting.line:
            self.match.record((turn,), self.now())
            self._waiting = None
            text = self.game.describe(position, turn)
            self.verdict = Verdict(Kind.LEGAL, (turn,), text=text)
            self._keep()
        elif last is not None:
            self.match.amend(last, named, self.now())
        return None

    def _to_name(self) -> tuple[Any, Mapping[str, Any]] | None:
        """Return the turn that a card may be named for, and the position before it.

        A card that does not explain it may have been named by mistake: the turn waits.
        """
        if self._waiting and self._waiting.line:
            return self.position, self._waiting.line
        playthrough = self.match.game
        last = playthrough.last_turn
        if last is None or "card" not in playthrough.lines[last]:
            return None
        return playthrough.positions[last], playthrough.lines[last]

    def _accept(self, to_move: int | None) -> str | None:
        looks = self.game.appearance(self.position)
        lying = self.verdict.seen or {}
        strangers = set(lying.values()) - set(self.game.looks())
        if strangers or self.verdict.kind is Kind.HIDDEN:
            return self.verdict.text
        seen = {cell: look for cell, look in lying.items() if look != looks[cell]}
        if not seen and self.verdict.kind is Kind.UNCERTAIN:
            cells = ", ".join(self.verdict.doubtful)
            doubt = f"What lies on {cells} is not sure: correct it on the page."
            return doubt if cells else self.verdict.text
        if not seen:
            return "The table lies as the score says: there is nothing to accept."
        verdict = self._played({**looks, **seen}, to_move)
        if verdict is None:
            if to_move is None:
                to_move = self._next_after(self.verdict.turns) or 0
            turn = self.game.adopt(self.position, seen, to_move)
            text = "The table is accepted as it lies."
            verdict = Verdict(Kind.LEGAL, (turn,), text=text)
        self.match.record(verdict.turns, self.now())
        self._keep()
        self._waiting, self._clearing = None, False
        self.verdict = verdict
        return None

    def _played(
        self, looks: Mapping[Cell, Look], to_move: int | None
    ) -> Verdict[Any] | None:
        """Return what was done if just doubt about squares kept it from being recorded.

        Turns are worth more than a table that lies somehow: they score.

        Args:
            looks: as the players say that it lies.
            to_move: who plays next, None if nobody said so.
        """
        if self.verdict.kind is not Kind.UNCERTAIN or self._waiting or self._clearing:
            return None
        certain = Observation({cell: {look: 0.0} for cell, look in looks.items()})
        verdict = judge(self.game, self.position, certain)
        as_said = to_move in (None, self._next_after(verdict.turns))
        return verdict if verdict.kind is Kind.LEGAL and as_said else None

    def _next_after(self, turns: Iterable[Any]) -> int | None:
        """Return who is to move after some more turns."""
        position = self.position
        for turn in turns:
            position = self.game.apply(position, turn)
        return self.game.to_move(position)

    def _tell(self, line: dict[str, Any]) -> str | None:
        position = self.position
        turn = self.game.turn_of(position, line)
        violations = self.game.violations(position, turn)
        if violations:
            self.match.refuse(violations, self.now(), by=turn.by)
            return in_words(violations)
        if self.sighted:
            after = self.game.appearance(self.game.apply(position, turn))
            if after != self.game.appearance(position):
                return "Do it on the table: the camera will see it."
        text = self.game.describe(position, turn)
        self.match.record((turn,), self.now())
        self.verdict = Verdict(Kind.LEGAL, text=text)
        return None

    def _begin(self, request: NewMatch) -> str | None:
        header = dict(request.header)
        left = self.game.appearance(self.position) if self.sighted else {}
        if self._sight and header.get("game") == self._sight.game:
            header.setdefault("board", self._sight.board)
        self.match.begin(
            header,
            self.now(),
            best_of=request.best_of,
            minutes=request.minutes,
        )
        self.verdict = Verdict(Kind.UNCHANGED, text="A new match begins.")
        self._waiting = self._refused = None
        self._corrected.clear()
        # A piece may lie where nobody looked since, too.
        seen = self._observation or Observation({}, frozenset(left))
        self._clearing = self.sighted and (
            any(left.get(cell, EMPTY) != EMPTY for cell in seen.hidden)
            or not self._is_empty(seen)
        )
        return None

    # -- what is shown ------------------------------------------------------

    def snapshot(self, number: int, status: str, status_text: str) -> Snapshot:
        """Return all that page and lights show."""
        playthrough, game = self.match.game, self.game
        position, board = playthrough.position, game.board
        fitting: tuple[str, ...] = ()
        others, card_for = fitting, ""
        to_name = self._to_name()
        if to_name is not None:
            turn = game.turn_of(*to_name)
            fitting, others = game.card_choices(to_name[0], turn)
            card_for = game.describe(to_name[0], turn)
        return Snapshot(
            number=number,
            game=game.name,
            title=game.title,
            piece_kind=game.piece_kind,
            players=game.players,
            rules=playthrough.header.get("rules", {}),
            unwitnessed=game.unwitnessed,
            state={**game.state(position), **game.effects(position)},
            looks=game.appearance(position),
            printed={cell: board.label(cell) for cell in board.cells},
            outlines={cell: board.outline(cell) for cell in board.cells},
            size_mm=board.size_mm,
            extras=game.extras(position),
            highlights=self._highlights(),
            kind=self.verdict.kind,
            text=self.verdict.text,
            violations=self.verdict.violations,
            doubtful=self.verdict.doubtful,
            status=status,
            status_text=status_text,
            cards=fitting + others,
            fitting=len(fitting),
            card_for=card_for,
            sighted=self.sighted,
            offered=self._offered(),
            story=tuple(playthrough.story[-STORY:]),
            score=self.match.score(self.now()),
            choices=game.looks(),
            board=playthrough.header.get("board"),
        )

    def _offered(self) -> tuple[str, ...]:
        """Return the games that somebody can tell of or the camera can read here."""
        read = {self.game.name, self._sight.game if self._sight else ""}
        return tuple(name for name, kind in GAMES.items() if kind.told or name in read)

    def _highlights(self) -> tuple[Highlight, ...]:
        own = []
        if self.verdict.named:
            own.append(Highlight(Meaning.WRONG, self.verdict.named))
        if self.verdict.kind is Kind.UNCERTAIN:
            own.append(Highlight(Meaning.LOOK_HERE, self.verdict.doubtful))
        return (*own, *self.game.highlights(self.position))


def _between(
    read: Look | None, look: Look, observation: Observation, cell: Cell
) -> bool:
    """Tell whether a cell is in doubt between what it was read as and what it is."""
    log_p = observation.log_p[cell]
    least = max(log_p.values()) - MARGIN
    doubted = {other for other, value in log_p.items() if value > least}
    return read in doubted and all(
        other in (read, look) or both_turned(other, look) for other in doubted
    )
