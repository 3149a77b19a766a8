"""The rules of the five-in-a-row games as data, and the set-up of one sitting.

The three games are easy to mix up (rulings 0.3), so all that tells them apart stands
side by side in the values of `RunRules`. Only the sharing rule is a function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations
from typing import Any

from companion.errors import HeaderError, quoted
from companion.rules.board import FREE, SquareBoard
from companion.rules.cards import Deck
from companion.rules.game import Header, Player
from companion.rules.windows import Window, mask_of, squares_of

SIDE = 10
"""Rows and columns of the boards of record-format.md."""

WILD, TAKE = 0, 1
"""Numbers of the pools of special cards: those that place anywhere, those that take."""

JOKER = "JOKER"

ROW_STARTS = range(0, SIDE * SIDE, SIDE)
"""The first square of each row."""

Share = Callable[[Sequence[Window], int, Sequence[Window]], bool]
"""May windows be claimed at one time? (windows, turned chips, the team's claims)."""


def not_at_the_ends(new: Sequence[Window], turned: int, _: Sequence[Window]) -> bool:
    """Gridlock: none ends on a turned chip, no two overlap on one line (G35-19)."""
    if len(new) == 1:
        return not new[0].ends & turned
    return all(not window.ends & turned for window in new) and all(
        one.line != other.line or not one.mask & other.mask
        for one, other in combinations(new, 2)
    )


def one_after_the_other(
    new: Sequence[Window], turned: int, claimed: Sequence[Window]
) -> bool:
    """Gridlock, `sequential`: in some order none ends on a chip of an earlier one."""
    if not not_at_the_ends(new, turned, claimed):
        return False
    waiting = list(new)
    while waiting:
        # Next comes a window on which none of the others begins or ends.
        first = next(
            (
                window
                for window in waiting
                if not any(
                    other.ends & window.mask for other in waiting if other is not window
                )
            ),
            None,
        )
        if first is None:
            return False
        waiting.remove(first)
    return True


def one_square(new: Sequence[Window], _: int, claimed: Sequence[Window]) -> bool:
    """States: any two sequences share one square at most (SSC-12)."""
    return all(
        (one.mask & other.mask).bit_count() <= 1
        for number, one in enumerate(new)
        for other in (*new[:number], *claimed)
    )


def one_crossing(new: Sequence[Window], _: int, claimed: Sequence[Window]) -> bool:
    """States, `line-of-nine: one`: and none on the same line (SSC-A3)."""
    return all(
        (one.mask & other.mask).bit_count() <= (one.line != other.line)
        for number, one in enumerate(new)
        for other in (*new[:number], *claimed)
    )


def five_each(length: int) -> int:
    """Jacks Rule: rows in an unbroken stretch of pegs (JKR-13)."""
    return length // 5


def five_sharing_ends(length: int) -> int:
    """Jacks Rule, `line-of-nine: two`: rows may share a peg on one line (JKR-A4)."""
    return max(0, (length - 1) // 4)


class Corners(Enum):
    """What the four corners are."""

    FREE = "count for every team and hold no piece"
    JOKER = "squares of the joker"
    PRINTED = "squares like any other"


HouseRules = Mapping[str, Mapping[Any, Mapping[str, Any]]]
"""For each option its values, the default first, and the fields that they change."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """Everything in which the five-in-a-row games differ.

    Attributes:
        name, title: the id of record-format.md, and the name on the box.
        boards: boards that ship with the program, the default first.
        layout: reads the rows of such a board.
        piece, run: what players call a piece and five of them in a row.
        colours: colours that a team may have, in the usual order.
        needed: runs that win, by the number of teams.
        seats: possible numbers of players.
        hands: cards in a hand, by the number of players.
        cards: the cards that are printed on the board, two of each in the deck.
        specials: how often each other card exists.
        wild: cards that place anywhere.
        take: cards that take an opposing piece.
        replaces: a piece taken is replaced by an own one in the same turn.
        corners: what the four corners are.
        wild_on_corner: a wild card may go on a joker's corner.
        pieces: pieces of each colour.
        share: which windows may be claimed; None: rows are counted on the board.
        share_code, share_text: the violation of it, and its sentence.
        rows_in: rows in an unbroken stretch, where they are counted.
        dead_per_turn: dead cards that a turn may begin with, None for any number.
        dead_ends_turn: a dead card ends the turn.
        dead_specials: special cards can be dead, too.
        reshuffles: how often the cards may be shuffled again, None for any number.
        tie_rounds: rounds of passes that end the game as a tie, None for never.
        tie_after_reshuffle: only passes after a reshuffle count for that.
        dead_draws_later: the card for a dead card is drawn at the end of the turn.
        late_draw: a forgotten card is drawn after the next play; otherwise it is lost.
        talk_costs_card: table talk costs each member of the team a card.
        rule_ids: the broken rule (rulings.md) for each violation code.
        house_rules: options of the header.
        unwitnessed: sentences naming rules that the table cannot see.
    """

    name: str
    title: str
    boards: tuple[str, ...]
    layout: Callable[[str], tuple[str, ...]]
    piece: str
    run: str
    colours: tuple[str, ...]
    needed: Mapping[int, int]
    seats: frozenset[int]
    hands: Mapping[int, int]
    cards: tuple[str, ...]
    specials: Mapping[str, int]
    wild: frozenset[str]
    take: frozenset[str]
    corners: Corners
    pieces: int
    rule_ids: Mapping[str, str]
    house_rules: HouseRules
    unwitnessed: tuple[str, ...]
    replaces: bool = False
    wild_on_corner: bool = False
    share: Share | None = None
    share_code: str = ""
    share_text: str = ""
    rows_in: Callable[[int], int] = five_each
    dead_per_turn: int | None = 1
    dead_ends_turn: bool = False
    dead_specials: bool = False
    reshuffles: int | None = None
    tie_rounds: int | None = None
    tie_after_reshuffle: bool = False
    dead_draws_later: bool = False
    late_draw: bool = False
    talk_costs_card: bool = False

    def with_house_rules(self, chosen: Mapping[str, object]) -> RunRules:
        """Return the rules as the players chose them.

        Raises:
            HeaderError: an unknown option or value.
        """
        changes: dict[str, Any] = {}
        for option, value in chosen.items():
            values = self.house_rules.get(option)
            if values is None:
                known = ", ".join(self.house_rules)
                raise HeaderError(
                    f'{self.title} has no house rule "{option}"; it has {known}.'
                )
            # true is no 1, and 3.0 no 3: record-format.md writes numbers plainly.
            for allowed, change in values.items():
                if type(value) is type(allowed) and value == allowed:
                    changes.update(change)
                    break
            else:
                known = ", ".join(sorted(quoted(allowed) for allowed in values))
                raise HeaderError(
                    f'The house rule "{option}" can be {known}, not {quoted(value)}.'
                )
        return replace(self, **changes)


class Setup:
    """One sitting: rules, seats and a board, and what follows from them.

    Args:
        rules: with the house rules chosen.
        header: who plays, on which board.

    Attributes:
        teams: colours in seating order.
        team_of: for each player the number of the team.
        faces: the card of each square, "" on a free corner.
        homes: for each printed card its squares.
        fits: for each card the squares that it can put a piece on.
        free: the free corners.
        needed: runs that win.

    Raises:
        HeaderError: impossible players, teams or board.
    """

    def __init__(self, rules: RunRules, header: Header) -> None:
        self.rules = rules
        self.players = header.players
        self.teams = _teams(rules, header.players)
        self.team_of = tuple(self.teams.index(player.team) for player in self.players)
        self.needed = rules.needed[len(self.teams)]
        rows = _rows(rules, header.board)
        corner = JOKER if rules.corners is Corners.JOKER else ""
        self.faces = tuple(
            corner if face == FREE else face for row in rows for face in row
        )
        self.board = SquareBoard([self.faces[n : n + SIDE] for n in ROW_STARTS])
        self.free = mask_of(n for n, face in enumerate(self.faces) if not face)
        self.squares = squares_of(SIDE, SIDE, self.free)
        self.homes = {
            card: mask_of(n for n, face in enumerate(self.faces) if face == card)
            for card in dict.fromkeys(self.faces)
            if card
        }
        copies = {
            **{card: 2 for card in self.homes if card != JOKER},
            **rules.specials,
        }
        wild = self.everywhere
        if not rules.wild_on_corner:
            wild &= ~self.homes.get(JOKER, 0)
        self.fits = {
            card: self.homes.get(card, wild if card in rules.wild else 0)
            for card in copies
        }
        self.deck = Deck(
            copies,
            pools=(rules.wild, rules.take),
            stand_ins={
                card: WILD for card, squares in self.homes.items() if squares & wild
            },
        )

    @property
    def everywhere(self) -> int:
        """All squares that can hold a piece."""
        return (1 << SIDE * SIDE) - 1 & ~self.free

    @property
    def playing_cards(self) -> frozenset[str]:
        """The printed cards that count as dead when their squares are covered."""
        return frozenset(self.homes) - {JOKER}


def _teams(rules: RunRules, players: Sequence[Player]) -> tuple[str, ...]:
    if len(players) not in rules.seats:
        numbers = ", ".join(map(str, sorted(rules.seats)))
        raise HeaderError(
            f"{rules.title} is played by {numbers} players, not by {len(players)}."
        )
    teams = tuple(dict.fromkeys(player.team for player in players))
    strange = [team for team in teams if team not in rules.colours]
    if "" in strange:
        name = next(player.name for player in players if not player.team)
        raise HeaderError(
            f'Player {quoted(name)} needs a "team": {", ".join(sorted(rules.colours))}.'
        )
    if strange:
        raise HeaderError(
            f'There are no pieces for team "{strange[0]}"; {rules.title} has '
            f"{', '.join(sorted(rules.colours))}."
        )
    if len(teams) not in rules.needed:
        numbers = " or ".join(map(str, rules.needed))
        raise HeaderError(f"{rules.title} needs {numbers} teams, not {len(teams)}.")
    if [player.team for player in players] != list(teams) * (
        len(players) // len(teams)
    ):
        raise HeaderError(
            "Teams must be of equal size and sit in turn: "
            f"{' '.join(teams)} {' '.join(teams)} and so on."
        )
    return teams


def _rows(
    rules: RunRules, board: str | tuple[str, ...] | None
) -> tuple[tuple[str, ...], ...]:
    """Return the checked cards of a board, row by row."""
    if board is None:
        board = rules.boards[0]
    if isinstance(board, str):
        if board not in rules.boards:
            raise HeaderError(
                f'{rules.title} has no board "{board}"; it has '
                f"{', '.join(rules.boards)}, or the rows of your own."
            )
        board = rules.layout(board)
    rows = tuple(tuple(row.split()) for row in board)
    if len(rows) != SIDE or any(len(row) != SIDE for row in rows):
        raise HeaderError(f"A board has {SIDE} rows of {SIDE} squares.")
    _check_faces(rules, [face for row in rows for face in row])
    return rows


def _check_faces(rules: RunRules, faces: list[str]) -> None:
    corners = {0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1}
    bare = {number for number, face in enumerate(faces) if face == FREE}
    if bare != (set() if rules.corners is Corners.PRINTED else corners):
        where = "nowhere" if rules.corners is Corners.PRINTED else "on the four corners"
        raise HeaderError(f'This board must have "{FREE}" {where}, and only there.')
    counts = Counter(face for face in faces if face != FREE)
    strange = [face for face in counts if face not in rules.cards]
    if strange:
        raise HeaderError(f'"{strange[0]}" is no card on a board of {rules.title}.')
    odd = [f"{face} {count} times" for face, count in counts.items() if count != 2]
    if odd:
        raise HeaderError(
            f"Every card stands on the board twice; here are {', '.join(odd)}."
        )
