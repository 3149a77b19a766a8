"""Judging a look at the table: the most probable explanation, or a question.

The model: hands made one of the game's explanations (prior), which fixes what
every cell looks like; the eyes report each cell independently of the others
(likelihood), but for what leaves several pieces in the same doubt (`_as_one`), for a
light that makes several pass for another team's at once (`_misled`), for lamps that are
mirrored in chips (`_undazzled`, `_mirroring`), and for whose turned chips are
(`_as_they_lay`). The best explanation wins if it leads the next one that would have
other consequences by MARGIN nats; otherwise the referee asks to be shown the squares
again instead of guessing. Where all explanations that come into question break the same
rule, it says so: whose chip lies face down need not be known to see that it does.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, takewhile
from typing import Generic, TypeVar

from companion.observation import FLOOR, Observation, any_of
from companion.rules.board import EMPTY, TURNED, Cell, Look, team_of
from companion.rules.game import Explanation, Game, Turn
from companion.rules.verdict import Kind, Violation, in_words
from companion.rules.words import either

P = TypeVar("P")
T = TypeVar("T", bound=Turn)

_Option = tuple[float, Cell, Look]
"""What it costs (nats) that a cell has not its most probable look but that one."""

MARGIN = 3.0
"""Nats by which an explanation must lead (odds of 20 to 1)."""

BACKS = 2.0
"""Nats by which a new chip's back says at most whose it is."""

REACH = 14.0
"""Readings of a cell that are this many nats below its best are not considered."""

DOUBT = 7.0
"""Nats up to which a cell may well look as expected (odds of 1000 to 1)."""

MISLED = math.log(3 / 483)
"""Log-probability that light which leaves pieces in doubt makes others pass for them.

In 200 simulated games (11,892 looks) pieces of one look were 483 times in doubt with
another team's, within `MARGIN`; in three of these, all in one light, others of them
surely passed for that.
"""

DAZZLED = math.log(3 / 776)
"""Log-probability that a light, when it comes, makes some pieces pass for others.

In 272 simulated games (776 looks by another light than the one before) three did.
"""

DAZZLING = 12.0
"""Nats that such a light makes pieces have at most for what they are not.

Those of the three games had up to 11; pieces that are turned over have mostly more.
"""

MIRRORING = math.log(9 / 821)
"""Log-probability that a chip in which a lamp is mirrored is surely something else.

Of so many in 466 simulated games; of 19,175 others 13 were.
"""

READINGS = 48
"""How many readings of the whole board are explained, the most probable first."""

STORIES = 8
"""How many explanations of one reading are weighed."""


@dataclass(frozen=True, slots=True)
class Verdict(Generic[T]):
    """What a look means.

    Attributes:
        turns: what was done since the accepted position; () for nothing.
        violations: what is wrong with it, () unless the kind is ILLEGAL.
        margin: nats between this explanation and the next with other consequences;
            from MARGIN on there may be closer ones that were not weighed.
        doubtful: squares to show again (UNCERTAIN), or that are covered (HIDDEN, or
            UNCHANGED as far as can be seen), or of which it is not sure how they lie,
            only that it is wrong (ILLEGAL).
        seen: looks of the cells that differ from the accepted position.
        text: a sentence; "" when nothing happened.
    """

    kind: Kind
    turns: tuple[T, ...] = ()
    violations: tuple[Violation, ...] = ()
    margin: float = 0.0
    doubtful: tuple[Cell, ...] = ()
    seen: Mapping[Cell, Look] | None = None
    text: str = ""

    @property
    def named(self) -> tuple[Cell, ...]:
        """The squares that its violations name."""
        cells = (cell for broken in self.violations for cell in broken.cells)
        return tuple(dict.fromkeys(cells))


@dataclass(frozen=True, slots=True)
class _Story(Generic[T]):
    explanation: Explanation[T]
    seen: Mapping[Cell, Look]
    score: float

    def same_consequences(self, other: _Story[T]) -> bool:
        if self.explanation.violations and other.explanation.violations:
            return self.seen == other.seen
        return self.explanation.turns == other.explanation.turns


def judge(game: Game[P, T], position: P, observation: Observation) -> Verdict[T]:
    """Explain a look.

    Args:
        game: the rules.
        position: the accepted position.
        observation: what the eyes report; its hidden cells are taken to be as
            the position has them, so whether a look with hidden cells is
            judged at all is the caller's decision.
    """
    strangers = _strangers(game, observation)
    if strangers:
        return strangers
    stories = _stories(game, position, observation)
    best = stories[0]
    violations, doubtful, rival = _sides(stories)
    margin = best.score - rival.score if rival else REACH
    if rival and margin < MARGIN:
        return _question(game, position, best, rival, margin)
    turns = best.explanation.turns
    if violations:
        text = in_words(violations)
        kind = Kind.ILLEGAL
    else:
        text = story_of(game, position, turns)
        kind = Kind.LEGAL if turns else Kind.UNCHANGED
    cells = tuple(cell for cell in game.board.cells if cell in doubtful)
    return Verdict(kind, turns, violations, margin, cells, best.seen, text)


def _strangers(game: Game[P, T], observation: Observation) -> Verdict[T] | None:
    """Name pieces that the camera knows but nobody at this table plays."""
    known = frozenset(game.looks())
    seen = {}
    for cell, log_p in observation.log_p.items():
        best = max(log_p, key=log_p.__getitem__)
        if best not in known:
            own = any_of(p for look, p in log_p.items() if look in known)
            if log_p[best] - own >= MARGIN:
                seen[cell] = best
    if not seen:
        return None
    lying = ", ".join(f"{look} on {cell}" for cell, look in seen.items())
    text = f"Nobody here plays {lying}: take it off."
    violation = Violation("wrong-color-placed", text, cells=tuple(seen))
    return Verdict(Kind.ILLEGAL, violations=(violation,), seen=seen, text=text)


def _undazzled(observation: Observation) -> Observation:
    """Return a look in which chips that mirror a lamp may all be others."""
    dazzled = observation.dazzled & observation.log_p.keys()
    if not dazzled:
        return observation
    told = {}
    for cell in dazzled:
        log_p = observation.log_p[cell]
        least = max(log_p.values()) + MIRRORING
        told[cell] = {
            look: p if look == EMPTY else max(p, least) for look, p in log_p.items()
        }
    return replace(observation, log_p={**observation.log_p, **told})


def _as_they_lay(
    expected: Mapping[Cell, Look], observation: Observation
) -> Observation:
    """Return a look that says no more of whose turned chips are than backs can tell.

    Backs may be alike, or all but alike: what then says whose they are is the light,
    which says the same of all at once. A chip that lies turned over where a face lay
    is the same chip; to take it and put another one turned over is never told.
    """
    told = {}
    for cell, log_p in observation.log_p.items():
        backs = _backs(tuple(log_p))
        told[cell] = log_p
        if len(backs) < 2:
            continue
        own = Look(team_of(expected[cell]) + TURNED)
        if own in backs:
            others = dict(log_p)
            whole = any_of([others.pop(look) for look in backs])
            told[cell] = others | {own: whole}
        else:
            least = max(log_p[look] for look in backs) - BACKS
            raised = {look: least for look in backs if log_p[look] < least}
            told[cell] = {**log_p, **raised} if raised else log_p
    return replace(observation, log_p=told)


@cache
def _backs(looks: tuple[Look, ...]) -> tuple[Look, ...]:
    """Return those that turned chips have."""
    return tuple(look for look in looks if look.endswith(TURNED))


def _stories(
    game: Game[P, T], position: P, observation: Observation
) -> list[_Story[T]]:
    """Return the explanations worth weighing, the best first.

    A reading is explained only if its best story could matter (`_enough`): the
    most promising ones first, so that most of them never are.
    """
    known = frozenset(game.looks())
    expected = game.appearance(position)
    told = _as_they_lay(expected, _undazzled(observation))
    readings = _readings(expected, told, known)
    stories: list[_Story[T]] = []

    def explain(seen: dict[Cell, Look], log_p: float) -> None:
        for explanation in islice(game.explanations(position, seen), STORIES):
            score = log_p + explanation.log_prior
            stories.append(_Story(explanation, seen, score))
        stories.sort(key=lambda story: -story.score)

    explain(*next(readings))
    enough = _enough(stories)
    waiting = [
        (log_p + game.prior_bound(position, seen), seen, log_p)
        for seen, log_p in takewhile(lambda reading: reading[1] >= enough, readings)
    ]
    for bound, seen, log_p in sorted(waiting, key=lambda each: -each[0]):
        if bound < _enough(stories):
            break
        explain(seen, log_p)
    return stories


def _enough(stories: list[_Story[T]]) -> float:
    """Return the score below which a further story changes no verdict.

    It could neither be the best nor its closest rival, or is no rival at all.
    """
    best = stories[0]
    _, _, rival = _sides(stories)
    return max(best.score - MARGIN, rival.score if rival else -math.inf)


def _sides(
    stories: list[_Story[T]],
) -> tuple[tuple[Violation, ...], frozenset[Cell], _Story[T] | None]:
    """Part the stories into those that agree with the first, and the others.

    Returns:
        the violations in which they agree; the cells that they see otherwise; and
        the best of the others.
    """
    best = stories[0]
    violations, doubtful = best.explanation.violations, frozenset[Cell]()
    for story in stories:
        if best.same_consequences(story):
            continue
        agreed = tuple(_agreed(violations, story.explanation.violations))
        if not agreed or best.score - story.score >= MARGIN:
            return violations, doubtful, story
        violations, doubtful = agreed, doubtful | _differing(best, story)
    return violations, doubtful, None


def _agreed(
    some: tuple[Violation, ...], others: tuple[Violation, ...]
) -> Iterator[Violation]:
    """Yield the violations that both name, on the squares of which both say so."""
    for one in some:
        alike = [other for other in others if other.code == one.code]
        if one in alike:
            yield one
            continue
        for other in alike:
            fewer, more = sorted((one, other), key=lambda each: len(each.cells))
            if set(fewer.cells) < set(more.cells):
                yield fewer
                break


def _differing(one: _Story[T], other: _Story[T]) -> frozenset[Cell]:
    return frozenset(
        cell
        for cell in one.seen.keys() | other.seen.keys()
        if one.seen.get(cell) != other.seen.get(cell)
    )


def story_of(game: Game[P, T], position: P, turns: tuple[T, ...]) -> str:
    """Say what the turns do, one after the other."""
    sentences = []
    for turn in turns:
        sentences.append(game.describe(position, turn))
        position = game.apply(position, turn)
    return " ".join(sentences)


def _question(
    game: Game[P, T], position: P, best: _Story[T], rival: _Story[T], margin: float
) -> Verdict[T]:
    differing = _differing(best, rival)
    cells = tuple(
        cell
        for cell in game.board.cells
        if cell in (differing or best.seen.keys() | rival.seen.keys())
    )
    if differing:
        lay = game.appearance(position)
        seen = (best.seen, rival.seen)  # as they lay where unseen
        text = as_question(
            either(cell, (looks.get(cell, lay[cell]) for looks in seen))
            for cell in cells
        )
    else:
        one, other = (_told(game, position, story) for story in (best, rival))
        text = (
            f"Two stories fit {', '.join(cells)}: {one} Or: {other} "
            "Put it right, or accept the table on the page."
        )
    return Verdict(
        Kind.UNCERTAIN, margin=margin, doubtful=cells, seen=best.seen, text=text
    )


def as_question(asked: Iterable[str]) -> str:
    """Return what is asked about squares, and what to do."""
    return f"{' '.join(asked)} Show the board again, or correct it on the page."


def _told(game: Game[P, T], position: P, story: _Story[T]) -> str:
    """Tell a story by what is wrong with it, or else by what was done."""
    broken = dict.fromkeys(v.text for v in story.explanation.violations)
    done = story_of(game, position, story.explanation.turns)
    return " ".join(broken) or done or "Nothing was done."


def _readings(
    expected: Mapping[Cell, Look], observation: Observation, known: frozenset[Look]
) -> Iterator[tuple[dict[Cell, Look], float]]:
    """Yield readings of the board, most probable first.

    Where many squares are doubtful they are too many. Hands change few of them: one
    reading always has all as expected that may well lie so.

    Yields:
        The looks that differ from the expected ones, and the log-probability
        of the whole reading relative to the most probable one (nats, <= 0).
    """
    seen: dict[Cell, Look] = {}
    options: list[_Option] = []
    for cell, look in expected.items():
        log_p = observation.log_p.get(cell)
        if log_p is None:
            continue
        own = {other: value for other, value in log_p.items() if other in known}
        if not own:
            continue
        top = max(own.values())
        least = top - REACH
        if own.get(look) == top:
            best = look
        else:
            best = max(own, key=own.__getitem__)
            seen[cell] = best
            if look not in own:
                options.append((top - FLOOR, cell, look))
        options += [
            (top - value, cell, other)
            for other, value in own.items()
            if value > least and other != best
        ]
    options.sort()
    now = {**expected, **seen}
    calm = tuple(
        option
        for option in options
        if option[2] == expected[option[1]] and option[0] < DOUBT
    )
    sets = (*_cheapest(options), calm, *_doubted(now, options))
    given = {changes: _as_one(now, changes) for changes in sets}
    misled = _misled(expected, observation, options, seen)
    for alike, together in (*misled, *_mirroring(now, observation, options)):
        rest = [option for option in calm if option not in alike]
        changes = tuple(sorted((*alike, *rest)))
        cost = together + _as_one(now, rest)
        given[changes] = _either(cost, given.get(changes, math.inf))
    for changes, cost in sorted(given.items(), key=lambda each: each[1]):
        reading = dict(seen)
        for _, cell, look in changes:
            if look == expected[cell]:
                reading.pop(cell, None)
            else:
                reading[cell] = look
        yield reading, -cost


def _either(one: float, other: float) -> float:
    """Return what it costs (nats) that one of two things, never both, is the case."""
    least = min(one, other)
    return least - math.log1p(math.exp(least - max(one, other)))


def _doubted(
    now: Mapping[Cell, Look], options: list[_Option]
) -> Iterable[tuple[_Option, ...]]:
    """Return all pieces that are in the same doubt, for each, see `_as_one`."""
    kinds: dict[tuple[Look, Look], list[_Option]] = {}
    for option in options:
        kind = _doubt(now, option)
        if kind:
            kinds.setdefault(kind, []).append(option)
    return map(tuple, kinds.values())


def _as_one(now: Mapping[Cell, Look], changes: Iterable[_Option]) -> float:
    """Return what it costs (nats) that cells are not what they seem to be.

    What leaves a piece in doubt, a light or a print, is there for others of the same
    look as well: of 2,343 pairs of drawn pieces that may have been turned over, in 58
    readings, most of them by mirrored windows, errors were wholly correlated. So they
    say no more together than the one that says most.

    Args:
        now: the most probable look of each cell.
        changes: what they are instead.
    """
    said: dict[tuple[Look, Look], float] = {}
    total = 0.0
    for option in changes:
        kind, cost = _doubt(now, option), option[0]
        if kind:
            said[kind] = max(cost, said.get(kind, 0.0))
        else:
            total += cost
    return total + sum(said.values())


def _doubt(now: Mapping[Cell, Look], option: _Option) -> tuple[Look, Look] | None:
    """Return as which of two looks a piece is in doubt; None if it is not."""
    cost, cell, look = option
    kind = now[cell], look
    return kind if cost < MARGIN and EMPTY not in kind else None


def _misled(
    expected: Mapping[Cell, Look],
    observation: Observation,
    options: list[_Option],
    seen: Mapping[Cell, Look],
) -> Iterator[tuple[tuple[_Option, ...], float]]:
    """Yield pieces that seem to be others in a light that misleads.

    The model: when another light comes, it may make some pieces surely pass for others,
    with a probability of `DAZZLED`: it is mirrored where a back's print would be, or
    tints a colour, but it makes no two teams' pass for each other. That is certain once
    players say that something was misread by it. It does so to those that were just put
    there, too, if to some that were not.
    And where pieces of one look may as well have another team's, the light makes any
    share of them surely pass for it, with a probability of `MISLED`, all shares being
    as likely. So any k of n pieces are those with 1 / ((n + 1) * binomial(n, k)) of
    that, however sure they seem. That it misleads is certain where players say that one
    was misread so.

    Args:
        expected: how the cells should look.
        observation: the look.
        options: what else than its most probable look each may have.
        seen: most probable looks of the cells that do not look as expected.

    Yields:
        the options by which such pieces lie as expected, and what that costs (nats).
    """
    exchanged: list[_Option] = []
    sure: dict[tuple[Look, Look], list[_Option]] = {}
    doubted = set()
    for option in options:
        cost, cell, look = option
        own = expected[cell]
        other = seen.get(cell, own) if look == own else look
        if EMPTY in (own, other):
            continue
        if look == own and cost < DAZZLING:
            exchanged.append(option)
        if team_of(own) == team_of(other):
            continue
        if cost < MARGIN:
            doubted.add((own, other))
        elif look == own:
            sure.setdefault((own, other), []).append(option)
    kinds = {(expected[cell], seen[cell]) for _, cell, _ in exchanged}
    swapped = any(
        (other, own) in kinds and team_of(own) != team_of(other) for own, other in kinds
    )
    if observation.relit and not swapped:
        light = 0.0 if observation.misleading else -DAZZLED
        yield tuple(exchanged), light
        new = [
            option
            for option in options
            if option[0] < DAZZLING
            and expected[option[1]] == EMPTY
            and (option[2], seen.get(option[1])) in kinds
        ]
        if new:
            yield (*exchanged, *new), light
    for kind in sure.keys() & (doubted | observation.misread):
        alike = sure[kind]
        pieces = sum(expected[cell] == kind[0] for cell in observation.log_p)
        share = (pieces + 1) * math.comb(pieces, len(alike))
        light = 0.0 if kind in observation.misread else MISLED
        yield tuple(alike), math.log(share) - light


def _mirroring(
    now: Mapping[Cell, Look], observation: Observation, options: list[_Option]
) -> Iterator[tuple[tuple[_Option, ...], float]]:
    """Yield touched pieces of a look that all have another, as a lamp hides.

    It is one lamp that is mirrored in them, so it misleads about all or none, see
    `MIRRORING`; it is mirrored in others, too, but those were left alone.

    Args:
        now: the most probable look of each cell.
        observation: the look.
        options: what else each may have.

    Yields:
        the options by which they do, and what that costs (nats).
    """
    lit = observation.dazzled & observation.touched
    kinds: dict[tuple[Look, Look], list[_Option]] = {}
    for option in options:
        cost, cell, look = option
        if cell in lit and cost <= -MIRRORING and EMPTY not in (now[cell], look):
            kinds.setdefault((now[cell], look), []).append(option)
    for alike in kinds.values():
        yield tuple(alike), max(cost for cost, _, _ in alike)


def _cheapest(
    options: list[_Option],
) -> Iterator[tuple[_Option, ...]]:
    """Yield sets of options in order of their total cost, one option a cell.

    Lawler's scheme: from a set whose costliest option has index i, the next
    sets add option i + 1 or put it in place of i.
    """
    yield ()
    heap: list[tuple[float, tuple[int, ...]]] = []
    if options:
        heap.append((options[0][0], (0,)))
    given = 1
    while heap and given < READINGS:
        cost, chosen = heapq.heappop(heap)
        if cost > REACH:
            return
        last = chosen[-1]
        if last + 1 < len(options):
            step = options[last + 1][0]
            heapq.heappush(heap, (cost + step, (*chosen, last + 1)))
            heapq.heappush(
                heap, (cost - options[last][0] + step, (*chosen[:-1], last + 1))
            )
        picked = tuple(options[index] for index in chosen)
        if len({cell for _, cell, _ in picked}) == len(picked):
            given += 1
            yield picked
