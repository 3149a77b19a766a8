"""What holds in every game of card grids, however it goes."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.errors import NotationError
from companion.record import verdicts
from companion.rules.card_positions import CardGridPosition, Phase, seen
from companion.rules.combinations import FACE_DOWN, GONE, LOCK
from companion.rules.grids import TRIOS, Grid
from tests.card_tables import CardTable, Line, open_game

HOUSE_RULES: dict[str, st.SearchStrategy[Any]] = {
    "wilds": st.booleans(),
    "locks": st.booleans(),
    "rounds": st.integers(1, 2),
    "points": st.sampled_from([None, 10, 111]),
    "open_lines": st.sampled_from(["three", "six"]),
    "final_double_lock": st.sampled_from(["forfeit", "locked-cells-only"]),
}


@st.composite
def tables(draw: st.DrawFn) -> CardTable:
    """Tables of all sizes, house rules and levels of skill, about to begin."""
    players = draw(st.sampled_from([2, 2, 2, 3, 4, 6, 7, 13]))
    rules = draw(st.fixed_dictionaries(HOUSE_RULES))
    game = open_game(players, draw(st.sampled_from(["", "xy" * 9])), **rules)
    return CardTable(
        game, draw(st.integers(0, 2**32)), draw(st.sampled_from([0.5, 0.8, 0.95]))
    )


# -- fuzz -------------------------------------------------------------------------

FACES = st.sampled_from([*open_game().rules.copies, "?", "", "R10", "7H"])
NONSENSE = st.sampled_from(
    [None, True, False, 0, 1, -1, 2.5, "", "row", "draw", [], [0, 0], {}, [[0, 0]]]
)
CELLS = st.lists(st.integers(-1, 3), min_size=2, max_size=2)
CELL_KEYS = st.sampled_from(["0,0", "0,1", "1,2", "2,2", "3,0", "0, 0"])
PLAYER_KEYS = st.sampled_from(["0", "1", "2", "x"])
DIRECTIONS = st.sampled_from(["row", "column", "both", "diagonal"])


def by_player(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(PLAYER_KEYS, values, max_size=2)


def by_cell(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(CELL_KEYS, values, max_size=3)


KEYS: dict[str, st.SearchStrategy[Any]] = {
    "by": st.integers(-1, 3),
    "start": CELLS,
    "shows": FACES,
    "arrows": DIRECTIONS | by_player(by_cell(DIRECTIONS)),
    "discard": FACES,
    "take": st.sampled_from(["draw", "discard", "hand"]),
    "card": FACES,
    "put": CELLS,
    "old": FACES,
    "flip": CELLS,
    "eliminate": DIRECTIONS | by_player(DIRECTIONS),
    "final_flip": by_player(by_cell(FACES)),
    "skip": st.booleans(),
    "next_round": st.booleans(),
}

MANGLED = st.fixed_dictionaries(
    {}, optional={key: values | NONSENSE for key, values in KEYS.items()}
)
KINDS = st.sampled_from(["start", "discard", "take", "final_flip", "skip"])


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Lines of one kind with keys of any kind, sometimes nonsense."""
    if draw(st.integers(0, 9)) == 0:
        return draw(MANGLED)
    kind = draw(KINDS)
    others = ["by", "shows", "arrows", "card", "put", "old", "flip", "eliminate"]
    chosen = draw(st.sets(st.sampled_from(others), min_size=2))
    return {key: draw(KEYS[key]) for key in [kind, *sorted(chosen)]}


def check_consistent(table: CardTable, position: CardGridPosition) -> None:
    """Check what must hold between any two turns."""
    game, rules = table.game, table.game.rules
    state = game.state(position)
    if position.discards:
        assert position.pile == len(table.pile)
    else:
        assert position.phase is Phase.START
    hidden = sum(len(grid.face_down) for grid in position.grids)
    undealt = 0 if position.discards else 1
    shuffled = position.pile + undealt
    assert seen(position).total() + hidden + shuffled == sum(rules.copies.values())
    assert all(points % 2 == 0 for points in state["score"].values())
    assert all(points % 2 == 0 for points in state["totals"].values())
    assert (state["over"] is None) is (position.phase is not Phase.GAME_OVER)
    assert (state["turn"] is None) is (
        position.flip_due or position.phase in (Phase.ROUND_OVER, Phase.GAME_OVER)
    )
    for player, grid in enumerate(position.grids):
        assert len(grid.clusters) * 3 == grid.cards.count(GONE)
        assert all(cluster.points for cluster in grid.clusters)
        if grid.direction:
            assert all(
                len({grid.cards[n] == GONE for n in trio}) == 1
                for trio in TRIOS[grid.direction]
            )
        if player != position.to_move:
            assert state["locked"][str(player)] == []
    if position.to_move is not None:
        # Whoever is on turn has nothing complete that could go.
        grid = position.grids[position.to_move]
        assert all(not grid.complete(rules.chart, way) for way in TRIOS)
    assert json.loads(json.dumps(game.extras(position))) == game.extras(position)
    assert all(copies >= 0 for copies in game.extras(position)["unseen"].values())


class Sitting(RuleBasedStateMachine):
    """Legal lines and any others come to the referee in any order."""

    @initialize(table=tables())
    def sit_down(self, table: CardTable) -> None:
        self.table = table

    @rule(times=st.integers(1, 12))
    def play(self, times: int) -> None:
        for _ in range(times):
            if self.table.position.phase is not Phase.GAME_OVER:
                before = self.table.position
                line = self.table.play()
                self.check_written(before, line)

    def check_written(self, before: CardGridPosition, line: Line) -> None:
        """What is read and written again is read as the same turn."""
        game = self.table.game
        turn = game.turn_of(before, line)
        written = json.loads(json.dumps(game.line_of(before, turn)))
        assert game.turn_of(before, written) == turn
        assert game.describe(before, turn).endswith(".")

    @rule(line=lines())
    def tell(self, line: Line) -> None:
        game, position = self.table.game, self.table.position
        before = json.dumps([game.state(position), game.extras(position)])
        try:
            turn = game.turn_of(position, line)
        except NotationError:
            return
        broken = game.violations(position, turn)
        assert game.describe(position, turn).endswith(".")
        assert all(violation.text.endswith(".") for violation in broken)
        if not broken:
            self.check_written(position, line)
            game.apply(position, turn)
        assert before == json.dumps([game.state(position), game.extras(position)])

    @invariant()
    def consistent(self) -> None:
        if hasattr(self, "table"):
            check_consistent(self.table, self.table.position)


TestSitting = Sitting.TestCase
TestSitting.settings = settings(
    max_examples=30, stateful_step_count=30, deadline=None, derandomize=True
)


@given(table=tables())
@settings(max_examples=12, deadline=None, derandomize=True)
def test_matches_come_to_an_end(table: CardTable):
    """Real decks played legally lead to an outcome; every verdict is legal."""
    game = table.game

    played = [json.dumps(line) for line in table.lines()]

    found = list(verdicts(game, played))
    assert all(verdict["ok"] for verdict in found)
    assert found[-1]["phase"] == "game-over"
    totals = {
        team: sum(found[-1]["totals"][str(n)] for n in team)
        for team in game.rules.teams
    }
    best = max(totals.values())
    winners = sorted(n for team in totals for n in team if totals[team] == best)
    over = found[-1]["over"]
    assert over.get("winners", [over.get("winner")]) == winners


class Bookkeeper:
    """Follows a match by its lines and verdicts alone, as a player with paper would."""

    def __init__(self, players: int) -> None:
        self.players = [str(n) for n in range(players)]
        self.totals = dict.fromkeys(self.players, 0)
        self.deal()

    def deal(self) -> None:
        self.score = dict.fromkeys(self.players, 0)
        self.locks: dict[str, set[tuple[int, int]]] = {p: set() for p in self.players}
        self.out = False

    def hear(self, line: Line, verdict: Line) -> None:
        if "next_round" in line:
            self.deal()
        for player, place, arrows in self.flipped_locks(line):
            row, column = place
            cells = {(row, n) for n in range(3)} if arrows != "column" else set()
            cells |= {(n, column) for n in range(3)} if arrows != "row" else set()
            self.locks[player] |= cells
        for gone in verdict["eliminated"]:
            self.score[str(gone["by"])] += gone["points"]
        for player in self.players:
            if not self.out and not any(verdict["cells"][player]):
                self.out = True
                self.score[player] += 6

    def flipped_locks(self, line: Line) -> list[tuple[str, tuple[int, int], str]]:
        if line.get("shows") == LOCK:
            row, column = line.get("start") or line["flip"]
            return [(str(line["by"]), (row, column), line.get("arrows", "both"))]
        return [
            (player, (int(key[0]), int(key[2])), line["arrows"][player][key])
            for player, faces in line.get("final_flip", {}).items()
            for key, face in faces.items()
            if face == LOCK
        ]

    def check(self, verdict: Line) -> None:
        cells = verdict["cells"]
        if verdict["phase"] in ("round-over", "game-over"):
            for player in self.players:
                left = [card for card in cells[player] if card]
                self.score[player] -= 2 * (
                    len(left) // 3 + left.count("#") + left.count(LOCK)
                )
                self.totals[player] += self.score[player]
        assert verdict["score"] == self.score
        assert verdict["totals"] == self.totals
        bound: dict[str, list[list[int]]] = {player: [] for player in self.players}
        if verdict["turn"] is not None and verdict["phase"] != "start":
            player = str(verdict["turn"])
            bound[player] = [
                [row, column]
                for row, column in sorted(self.locks[player])
                if cells[player][3 * row + column]
            ]
            self.locks[player] = set()
        assert verdict["locked"] == bound


@given(table=tables().filter(lambda t: t.game.rules.options.open_lines == "three"))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_locks_and_scores_can_be_followed_with_pencil_and_paper(table: CardTable):
    """Each lock binds once, in its owner's next turn; points add up as told."""
    played = list(table.lines())
    bookkeeper = Bookkeeper(len(table.game.players))

    found = verdicts(table.game, map(json.dumps, played))

    for line, verdict in zip(played, found, strict=True):
        bookkeeper.hear(line, verdict)
        bookkeeper.check(verdict)


@given(table=tables(), data=st.data())
@settings(max_examples=10, deadline=None, derandomize=True)
def test_refused_lines_change_nothing(table: CardTable, data: st.DataObject):
    """Verdicts are the same with and without refused lines in between."""
    played = [
        json.dumps(line) for _, line in zip(range(40), table.lines(), strict=False)
    ]
    plain = list(verdicts(table.game, played))
    mixed: list[str] = []
    for line in played:
        mixed += ["{", '{"take": "draw"}', '{"by": 0, "start": [0, 0], "shows": "R0"}']
        mixed += [json.dumps(data.draw(MANGLED) | {"take": "hand"}), line]

    found = [v for v in verdicts(table.game, mixed) if v["ok"]]

    for verdict in plain + found:
        del verdict["line"]
    assert found == plain


def brute_force_lines(cards: tuple[str, ...]) -> Counter[str]:
    """Count, by direction, the lines of three cards that score; slow and plain."""
    square = [cards[0:3], cards[3:6], cards[6:9]]
    found: Counter[str] = Counter()
    for line in square:
        found["row"] += _scores(line)
    for column in zip(*square, strict=True):
        found["column"] += _scores(column)
    return found


def _scores(line: tuple[str, ...]) -> bool:
    """Tell whether any numbered cards in the wilds' places make a combination."""
    if any(card in (LOCK, FACE_DOWN, GONE) for card in line):
        return False
    numbers = [str(n) for n in range(1, 10)]
    if line.count("#") >= 2:
        return True
    options = [
        [colour + number for colour in "RGBY" for number in numbers]
        if card == "#"
        else [card]
        for card in line
    ]
    return any(
        a[0] == b[0] == c[0]
        or a[1] == b[1] == c[1]
        or a[1] + b[1] + c[1] in "123456789"
        or c[1] + b[1] + a[1] in "123456789"
        for a in options[0]
        for b in options[1]
        for c in options[2]
    )


GRIDS = st.lists(
    st.sampled_from([*open_game().rules.copies, "#", "#", "?", "?"]),
    min_size=9,
    max_size=9,
)


@given(cards=GRIDS)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_complete_lines_are_found_by_brute_force_too(cards: list[str]):
    """A line scores if some cards in its wilds' places make a set, run or colour."""
    grid = Grid(tuple(cards))
    chart = open_game().rules.chart

    found = Counter({way: len(grid.complete(chart, way)) for way in TRIOS})
    assert +found == +brute_force_lines(grid.cards)


@pytest.mark.parametrize("players", [2, 6, 18])
def test_long_matches_reach_the_points(players: int):
    """Playing to 111 takes several rounds."""
    table = CardTable(open_game(players), seed=players, skill=0.9)

    rounds = sum("next_round" in line for line in table.lines())

    assert rounds >= 2
    assert max(table.position.totals) >= 111


def test_long_rounds_use_the_discards_again():
    """Six players without wilds empty the pile: more cards come than were in it."""
    game = open_game(6, rounds=1, wilds=False)
    table = CardTable(game, seed=2, skill=1.0)
    undrawn = game.start().pile

    drawn = sum(line.get("take") == "draw" for line in table.lines())

    assert drawn > undrawn
