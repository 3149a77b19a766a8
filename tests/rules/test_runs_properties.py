"""Properties of five in a row: brute force, symmetry, whole games, any line."""

import json
import math
import random
from dataclasses import replace
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import NotationError
from companion.record import exported, verdicts
from companion.rules.cards import Deck, Tally
from companion.rules.run_turns import Place, RunPosition, TurnOver
from companion.rules.runs import RunGame
from companion.rules.windows import bits, mask_of, squares_of
from tests.boards import chip_game

SQUARES = squares_of(10, 10)
GAMES = ("gridlock", "jacks-rule", "states")
CORNERS = {(0, 0), (0, 9), (9, 0), (9, 9)}

Square = tuple[int, int]

QUICK = settings(max_examples=60, deadline=None, derandomize=True)


def lines_of_five() -> list[tuple[Square, ...]]:
    """Return all windows as coordinates, found without the code under test."""
    return [
        five
        for row, column in product(range(10), repeat=2)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        for five in [tuple((row + n * down, column + n * right) for n in range(5))]
        if all(0 <= r < 10 and 0 <= c < 10 for r, c in five)
    ]


WINDOWS = lines_of_five()


def test_windows_are_those_of_plain_geometry():
    """192 windows, 60 across, 60 down, 72 diagonal; 12 hold a corner, none two."""
    ours = {tuple(divmod(n, 10) for n in w.squares) for w in SQUARES.windows}
    corners = [len(CORNERS & set(five)) for five in WINDOWS]

    assert ours == set(WINDOWS)
    assert len(SQUARES.windows) == 192
    assert (corners.count(1), max(corners)) == (12, 1)


def test_windows_stand_in_the_order_of_the_record():
    """By direction, then by first square, top row first, then left."""
    directions = [(0, 1), (1, 0), (1, 1), (1, -1)]

    def key(squares: tuple[int, ...]) -> tuple[int, int]:
        (row, column), (below, beside) = divmod(squares[0], 10), divmod(squares[1], 10)
        return directions.index((below - row, beside - column)), squares[0]

    keys = [key(window.squares) for window in SQUARES.windows]

    assert keys == sorted(keys)


# -- runs against brute force -------------------------------------------------


def shares_well(game: RunGame, one: set[Square], other: set[Square]) -> bool:
    """Say whether two windows may be claimed at one time, from their squares alone."""
    common = len(one & other)
    in_line = len({c - r for r, c in one | other}) == 1 or any(
        len({f(s) for s in one | other}) == 1
        for f in (lambda s: s[0], lambda s: s[1], lambda s: s[0] + s[1])
    )
    if game.name == "gridlock":
        return not (in_line and common)
    return common <= 1


def window_number(five: tuple[Square, ...]) -> int:
    """Return the place of a window in the order of the record."""
    return SQUARES.by_mask[mask_of(r * 10 + c for r, c in five)].number


def brute_force(
    game: RunGame, own: set[Square], turned: set[Square], claimed: list, new: Square
) -> list[tuple[Square, ...]]:
    """Return the largest set of windows that a new piece completes, the first one."""
    free = CORNERS if game.name == "gridlock" else set()

    def alone(five: tuple[Square, ...]) -> bool:
        if game.name == "gridlock":
            return five[0] not in turned and five[-1] not in turned
        return all(len(set(five) & set(old)) <= 1 for old in claimed)

    single = sorted(
        (
            five
            for five in WINDOWS
            if new in five and set(five) <= own | free and alone(five)
        ),
        key=window_number,
    )
    for size in range(len(single), 0, -1):
        for chosen in combinations(single, size):
            if all(
                shares_well(game, set(one), set(other))
                for one, other in combinations(chosen, 2)
            ):
                return list(chosen)
    return []


@st.composite
def crowded(draw: st.DrawFn) -> tuple[set[Square], Square]:
    """Draw a team's squares, in long lines through the newest one, and that one."""
    row, column = new = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    if new in CORNERS:
        row, column = new = (4, 4)
    squares = {new}
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        back, forth = draw(st.tuples(st.integers(0, 7), st.integers(0, 7)))
        for step in range(-back, forth + 1):
            squares.add((row + step * down, column + step * right))
    board = {(r, c) for r, c in squares if 0 <= r < 10 and 0 <= c < 10}
    return board - CORNERS, new


@pytest.mark.parametrize("name", ["gridlock", "states"])
@QUICK
@given(board=crowded(), chance=st.randoms(use_true_random=False))
def test_the_largest_set_of_runs_is_found(name: str, board, chance):
    """What the referee claims is the first of the largest sets, by brute force."""
    game = chip_game(name)
    own, new = board
    old = [five for five in WINDOWS if set(five) <= own - {new}]
    claimed = chance.sample(old, min(1, len(old)))
    turned = {square for five in claimed for square in five}
    numbers = {square: square[0] * 10 + square[1] for square in own}
    start = game.start()._replace(
        chips=(mask_of(n for square, n in numbers.items() if square != new), 0),
        turned=mask_of(numbers[square] for square in turned),
        claims=(tuple(window_number(five) for five in claimed), ()),
    )

    after = game.apply(start, Place(0, None, numbers[new]))

    made = [
        tuple(divmod(n, 10) for n in SQUARES.windows[number].squares)
        for number in after.made
    ]
    assert made == brute_force(game, own, turned, claimed, new)


def mirrored(square: Square, symmetry: int) -> Square:
    row, column = square
    for _ in range(symmetry % 4):
        row, column = column, 9 - row
    return (row, 9 - column) if symmetry >= 4 else (row, column)


@pytest.mark.parametrize("name", GAMES)
@QUICK
@given(board=crowded(), symmetry=st.integers(0, 7))
def test_the_board_has_eight_symmetries(name: str, board, symmetry: int):
    """Turned or mirrored, the same pieces make as many runs."""
    game = chip_game(name)
    own, new = board

    def runs(turn: int) -> int:
        placed = {mirrored(square, turn) for square in own - {new}}
        row, column = mirrored(new, turn)
        chips = mask_of(r * 10 + c for r, c in placed)
        start = game.start()._replace(chips=(chips, 0))
        return game.apply(start, Place(0, None, row * 10 + column)).score[0]

    assert runs(symmetry) == runs(0)


# -- cards against brute force ------------------------------------------------

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("show"), st.sampled_from("ABWXT")),
        st.tuples(st.just("place"), st.sampled_from("AB")),
        st.tuples(st.just("take"), st.just("T")),
    ),
    max_size=12,
)


COPIES = {"A": 2, "B": 2, "W": 1, "X": 1, "T": 2}


def explainable(actions: list[tuple[str, str]]) -> bool:
    """Try every choice of cards for actions that nobody saw."""
    choices = {"show": lambda c: [c], "place": lambda c: [c, "W", "X"]}
    options = [choices.get(what, lambda c: [c])(card) for what, card in actions]
    return any(
        all(cards.count(card) <= limit for card, limit in COPIES.items())
        for cards in product(*options)
    )


@settings(max_examples=150, deadline=None, derandomize=True)
@given(actions=ACTIONS)
def test_cards_are_explained_exactly_when_some_choice_explains_them(actions):
    """The account agrees with trying every choice of cards."""
    deck = Deck(COPIES, pools=("WX", "T"), stand_ins={"A": 0, "B": 0})
    tally: Tally | None = Tally()
    for number, (what, card) in enumerate(actions):
        assert tally is not None
        if what == "show":
            tally = deck.show(tally, card)
        elif what == "place":
            tally = deck.act_unseen(tally, card)
        else:
            tally = deck.draw_unseen(tally, 1)
        assert (tally is not None) == explainable(actions[: number + 1])
        if tally is None:
            return


# -- whole games --------------------------------------------------------------


def legal_turn(game: RunGame, position: RunPosition, chance: random.Random):
    """Return a random legal turn, its card seen or not, or None if none was found."""
    for _ in range(200):
        line = random_line(game, position, chance)
        if chance.random() < 0.3:
            line["card"] = None
        turn = game.turn_of(position, line)
        if not game.violations(position, turn):
            return turn
    return None


def random_line(game: RunGame, position: RunPosition, chance: random.Random) -> dict:
    """Return a card at random, or one that lengthens the longest line, and its use."""
    cells, team = game.setup.squares.cells, game.setup.team_of[position.turn]
    if chance.random() < 0.7:
        own, theirs = position.chips[team], position.chips[1 - team]
        near = [w for w in SQUARES.windows if not w.mask & theirs & ~game.setup.free]
        near.sort(key=lambda w: (w.mask & own).bit_count() + chance.random())
        open_squares = [n for w in near[-1:] for n in w.squares if not own >> n & 1]
        if open_squares and game.setup.faces[open_squares[0]]:
            square = open_squares[0]
            return {"card": game.setup.faces[square], "place": cells[square]}
    card = chance.choice(game.setup.deck.cards)
    if fits := [*bits(game.setup.fits[card])]:
        return {"card": card, "place": cells[chance.choice(fits)]}
    kind = "swap" if game.setup.rules.replaces else "remove"
    return {"card": card, kind: chance.choice(cells)}


def random_game(name: str, seed: int, turns: int = 60):
    """Yield positions and legal turns of a random game."""
    game, chance = chip_game(name), random.Random(seed)
    position = game.start()
    for _ in range(turns):
        turn = legal_turn(game, position, chance)
        if turn is None or position.ended is not None:
            return
        yield game, position, turn
        position = game.apply(position, turn)


@cache
def middle_of_a_game(name: str, seed: int) -> tuple[RunGame, RunPosition]:
    """Return a game and a position of it after some turns."""
    *_, (game, position, _) = random_game(name, seed, turns=25)
    return game, position


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_random_games_keep_their_invariants(name: str, seed: int):
    """Pieces never overlap, runs stand on own pieces, scores agree with the board."""
    for game, position, turn in random_game(name, seed):
        after = game.apply(position, turn)
        assert after.chips[0] & after.chips[1] == 0
        assert not (after.chips[0] | after.chips[1]) & game.setup.free
        assert not after.turned & ~(after.chips[0] | after.chips[1])
        for team, claims in enumerate(after.claims):
            counts = after.chips[team] | game.setup.free
            assert all(SQUARES.windows[n].mask & ~counts == 0 for n in claims)
        if name == "jacks-rule":
            accepted = game.apply(after, game.adopt(after, {}, after.turn))
            assert after.score == accepted.score
        else:
            assert after.score == tuple(map(len, after.claims))
        assert game.turn_of(position, game.line_of(position, turn)) == turn


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3, 6))
def test_a_perfect_look_is_explained_by_the_turn_that_was_made(name: str, seed: int):
    """The best story of what changed is the turn itself, or one that looks the same."""
    for game, position, turn in random_game(name, seed):
        after = game.apply(position, turn)
        before, now = game.appearance(position), game.appearance(after)
        seen = {cell: look for cell, look in now.items() if look != before[cell]}

        story = next(game.explanations(position, seen))

        assert story.violations == ()
        assert game.appearance(_after(game, position, story.turns)) == now
        assert len(story.turns) == 1


def _after(game: RunGame, position: RunPosition, turns) -> RunPosition:
    for turn in turns:
        position = game.apply(position, turn)
    return position


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(6, 10))
def test_seen_and_told_games_end_in_the_same_position(name: str, seed: int):
    """A camera sees chips first, turned over later; the record tells one turn."""
    game = chip_game(name)
    seen_position = game.start()
    live: list[dict] = []
    for _, told_position, turn in random_game(name, seed):
        told = game.apply(told_position, turn)
        # First the piece appears, its run colour up, then the run is turned over.
        up = {
            cell: look.removesuffix("-turned")
            if cell in game.setup.squares.names(told.turned & ~told_position.turned)
            else look
            for cell, look in game.appearance(told).items()
        }
        for looks in (up, game.appearance(told)):
            story = next(game.explanations(seen_position, looks))
            for step in story.turns:
                assert not game.violations(seen_position, step)
                live.append(game.line_of(seen_position, step))
                seen_position = game.apply(seen_position, step)
    plain = game.start()
    for line in exported(live):
        assert not line.keys() & {"unturned", "turned"}
        plain = game.apply(plain, game.turn_of(plain, line))
    assert plain == seen_position


@pytest.mark.parametrize("name", GAMES)
@QUICK
@given(seed=st.integers(0, 10_000), changes=st.integers(1, 6))
def test_any_look_is_explained(name: str, seed: int, changes: int):
    """Whatever lies on the board, some story leads there, and can be applied."""
    chance = random.Random(seed)
    game, position = middle_of_a_game(name, seed % 7)
    cells = chance.sample(game.board.cells, changes)
    corners = {"a1", "a10", "j1", "j10"} if game.setup.free else set()
    seen = {cell: chance.choice(game.looks()) for cell in cells if cell not in corners}

    stories = list(game.explanations(position, seen))

    assert stories
    assert [s.log_prior for s in stories] == sorted(
        (s.log_prior for s in stories), reverse=True
    )
    for story in stories:
        after = game.appearance(_after(game, position, story.turns))
        assert all(after[cell] == look for cell, look in seen.items())
        for violation in story.violations:
            assert violation.text


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_no_story_is_likelier_than_its_bound(name: str, seed: int):
    """The bound holds for every look, and is met by looks of one square."""
    chance = random.Random(seed)
    met = 0
    for game, before, turn in random_game(name, seed, turns=40):
        shown = replace(turn, face_up=True) if isinstance(turn, Place) else turn
        for position in (before, game.apply(before, shown)):
            seen = changed(game, position, chance)
            bound = game.prior_bound(position, seen)
            best = next(game.explanations(position, seen)).log_prior
            assert best <= bound + 1e-9
            met += math.isclose(best, bound)
    assert met > 20


def changed(game: RunGame, position: RunPosition, chance: random.Random) -> dict:
    """Return other looks for a few squares, half of them squares with pieces."""
    looks = game.appearance(position)
    covered = [cell for cell, look in looks.items() if look != "empty"]
    seen = {}
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 5, 8, 30))):
        cell = chance.choice(covered if covered and chance.random() < 0.5 else [*looks])
        if game.board.label(cell):
            seen[cell] = chance.choice(game.looks())
    return {cell: look for cell, look in seen.items() if look != looks[cell]}


def test_a_seen_corner_is_explained_too():
    """A chip seen on a free corner is a violation, and accepting it does no harm."""
    game = chip_game("gridlock")

    story = next(game.explanations(game.start(), {"a1": "white"}))

    assert [v.code for v in story.violations] == ["chip-on-corner"]
    game.apply(game.start(), story.turns[0])


# -- lines --------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        *("by", "card", "place", "remove", "swap", "dead", "pass", "claim", "run"),
        *("missed_draw", "penalty", "team", "reshuffle", "at"),
        *("turned", "table", "turn", "claims", "unturned"),
    ]
)
VALUES = JSON | st.sampled_from(
    [
        *(0, 1, True, "d6", "JS", "7H", None, "table-talk", "red", [], ["d6"]),
        *([["a1", "b1", "c1", "d1", "e1"]], {"white": []}),
        "/".join(["." * 10] * 10),
    ]
)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=200, deadline=None, derandomize=True)
@given(line=st.dictionaries(KEYS, VALUES, max_size=4))
def test_no_line_crashes_the_referee(name: str, line: dict):
    """A line is read, or refused as malformed; what is read can be judged and done."""
    game, position = middle_of_a_game(name, 1)
    try:
        turn = game.turn_of(position, line)
    except NotationError:
        return
    game.violations(position, turn)
    after = game.apply(position, turn)
    assert game.describe(position, turn)
    assert json.dumps([game.state(after), game.effects(after), game.extras(after)])
    assert game.highlights(after) is not None
    assert game.turn_of(position, game.line_of(position, turn)) == turn


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=50, deadline=None, derandomize=True)
@given(texts=st.lists(st.text(max_size=12) | st.binary(max_size=8), max_size=6))
def test_refused_lines_change_nothing(name: str, texts: list):
    """Whatever stands in a record, a refused line leaves the state as it was."""
    game = chip_game(name)
    state = game.state(game.start())

    for verdict in verdicts(game, texts):
        assert verdict["ok"] is False
        assert {key: verdict[key] for key in state} == state


def test_turning_over_another_run_claims_that_one():
    """Players may turn another legal five than the proposed one; it is claimed then."""
    game = chip_game("gridlock")
    squares = [n for n in range(40, 46) if n != 43]
    start = game.start()._replace(chips=(mask_of(squares), 0))
    placed = next(game.explanations(start, {"d5": "white"})).turns[0]
    pending = game.apply(start, placed)
    seen = dict.fromkeys(("b5", "c5", "d5", "e5", "f5"), "white-turned")

    (turn,) = next(game.explanations(pending, seen)).turns
    after = game.apply(pending, turn)

    assert isinstance(turn, TurnOver)
    assert game.effects(pending)["runs"] == [["a5", "b5", "c5", "d5", "e5"]]
    assert game.effects(after)["runs"] == [["b5", "c5", "d5", "e5", "f5"]]
    assert after.pending is None
    assert after.score == (1, 0)
    first, second = game.line_of(start, placed), game.line_of(pending, turn)
    assert first["unturned"] is True
    assert exported([first, {"at": "later", **second}]) == [
        {"by": 0, "card": None, "place": "d5", "run": second["run"]}
    ]
