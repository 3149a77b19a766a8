"""Record lines of roads: what is malformed, what is written is read again."""

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import NotationError
from companion.record import verdicts
from companion.rules.board import HEX_SIDES, Cell
from companion.rules.road_position import RoadPosition
from companion.rules.road_turns import (
    Action,
    ClearCone,
    Drive,
    LayTile,
    RemoveTile,
    RoadTurn,
    RotateTile,
    SetCone,
    TurnKind,
    read_turn,
    write_turn,
)
from tests.road_boards import boston_position, open_boston

LAY = {"place": "4,5", "roads": ["N", "SE"]}

MALFORMED: list[dict[str, Any]] = [
    {},
    {"by": 0},
    {"pass": True},
    {"place": "4,5", "roads": ["N"]},
    {"build": [], "trip": []},
    {"build": [], "drive": [], "trip": []},
    {"start": {"0": "0,3", "1": "8,7"}, "build": []},
    # by
    {"by": 2, "build": []},
    {"by": -1, "build": []},
    {"by": True, "build": []},
    {"by": None, "build": []},
    {"by": "0", "build": []},
    {"by": 0.0, "build": []},
    {"by": [0], "build": []},
    # start
    {"start": None},
    {"start": []},
    {"start": {}},
    {"start": {"0": "0,3"}},
    {"start": {"0": "0,3", "2": "8,7"}},
    {"start": {"0": "0,3", "1": "8,7", "2": "3,0"}},
    {"start": {"0": "0,3", "1": None}},
    {"start": {"0": "0,3", "1": [8, 7]}},
    {"start": {"0": "0,3", "1": "Faneuil Hall"}},
    # first
    {"first": None},
    {"first": [LAY]},
    {"first": {"roads": ["N"]}},
    {"first": {"place": "4,5"}},
    {"first": {"rotate": "4,5", "roads": ["N"]}},
    # lists
    {"build": None},
    {"build": {}},
    {"build": LAY},
    {"build": "[]"},
    {"drive": True},
    {"drive": "5,4"},
    {"drive": ["5,4"]},
    {"trip": 0},
    # items
    {"build": [None]},
    {"build": [{}]},
    {"build": [[]]},
    {"build": [{"roads": ["N"]}]},
    {"build": [{"place": "4,5", "remove": "4,5", "roads": ["N"]}]},
    {"build": [{"cone": "4,5", "clear": "4,5"}]},
    {"build": [{"drive": "5,4"}]},
    {"build": [{"to": "5,4"}]},
    {"drive": [{}]},
    {"drive": [{"drive": "5,4"}]},
    {"trip": [{"to": "5,4"}]},
    {"trip": [{"drive": "5,4", "place": "4,5", "roads": ["N"]}]},
    # spaces
    {"build": [{"remove": None}]},
    {"build": [{"remove": 45}]},
    {"build": [{"remove": [4, 5]}]},
    {"build": [{"remove": ""}]},
    {"build": [{"remove": "4"}]},
    {"build": [{"remove": "4,5,6"}]},
    {"build": [{"remove": "4, 5"}]},
    {"build": [{"remove": " 4,5"}]},
    {"build": [{"remove": "4,5\n"}]},
    {"build": [{"remove": "04,5"}]},
    {"build": [{"remove": "4.0,5"}]},
    {"build": [{"remove": "+4,5"}]},
    {"build": [{"remove": "\u0664,\u0665"}]},
    {"build": [{"remove": "9" * 5000 + ",1"}]},
    {"build": [{"cone": "0,1"}]},
    {"build": [{"cone": "4,4"}]},
    {"build": [{"cone": "100,1"}]},
    # roads
    {"build": [{"place": "4,5"}]},
    {"build": [{"rotate": "4,5"}]},
    {"build": [{"place": "4,5", "roads": None}]},
    {"build": [{"place": "4,5", "roads": []}]},
    {"build": [{"place": "4,5", "roads": "N"}]},
    {"build": [{"place": "4,5", "roads": {"N": True}}]},
    {"build": [{"place": "4,5", "roads": ["E"]}]},
    {"build": [{"place": "4,5", "roads": ["n"]}]},
    {"build": [{"place": "4,5", "roads": [1]}]},
    {"build": [{"place": "4,5", "roads": [["N"]]}]},
    {"build": [{"place": "4,5", "roads": ["N", "N"]}]},
    # scores
    {"drive": [{"to": "5,4", "scores": 1}]},
    {"drive": [{"to": "5,4", "scores": None}]},
    {"drive": [{"to": "5,4", "scores": "true"}]},
    {"trip": [{"drive": "5,4", "scores": 0}]},
]


@pytest.mark.parametrize("line", MALFORMED, ids=json.dumps)
def test_a_malformed_line_is_refused_in_a_sentence(line: dict[str, Any]):
    """Each breaks the record format before any rule (record-format.md)."""
    game = open_boston()

    with pytest.raises(NotationError) as error:
        game.turn_of(boston_position(["0,3", "8,7"]), line)
    assert str(error.value).endswith((".", "[...]}."))
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    "line",
    [
        {"build": [LAY], "at": "2026-01-01T00:00:00+00:00", "seen": [1], "place": 3},
        {"build": [{**LAY, "note": {}, "scores": 7, "to": None}]},
        {"build": [{"remove": "4,5", "roads": "all"}]},
        {"drive": [{"to": "5,4", "drive": 3, "scores": False}]},
        {"drive": [{"to": "-1,3"}]},
        {"trip": [{"drive": "5,4", "to": None}]},
    ],
)
def test_unknown_keys_are_ignored(line: dict[str, Any]):
    """What a kind of line does not know may stand in it, whatever it is."""
    position = boston_position(["0,3", "8,7"])

    assert open_boston().turn_of(position, line).actions


@pytest.mark.parametrize("kind", ["build", "drive"])
def test_in_quick_trip_other_turns_are_malformed(kind: str):
    """With the variant every turn is a trip."""
    with pytest.raises(NotationError, match="trip"):
        open_boston(quick_trip=True).turn_of(RoadPosition(), {kind: []})


def test_without_a_player_the_one_on_turn_acts():
    """`by` left out means the player on turn."""
    game = open_boston()
    position = boston_position(["0,3", "8,7"], to_move=1)

    assert game.turn_of(position, {"build": []}).by == 1
    assert game.turn_of(position, {"by": 0, "build": []}).by == 0


# -- write and read --------------------------------------------------------------------

cells = st.builds(
    lambda column, row: Cell(f"{column},{row}"),
    st.integers(-2, 12),
    st.integers(-2, 20),
)
roads = st.integers(1, 63)
building: st.SearchStrategy[Action] = st.one_of(
    st.builds(LayTile, cells, roads),
    st.builds(RotateTile, cells, roads),
    st.builds(RemoveTile, cells),
    st.builds(SetCone, cells),
    st.builds(ClearCone, cells),
)
drives: st.SearchStrategy[Action] = st.builds(Drive, cells, st.booleans())
players = st.integers(0, 2)


def several(*kinds: st.SearchStrategy[Action]) -> st.SearchStrategy[tuple[Action, ...]]:
    return st.lists(st.one_of(*kinds), max_size=6).map(tuple)


turns = st.one_of(
    st.builds(
        RoadTurn,
        st.none(),
        st.just(TurnKind.START),
        starts=st.tuples(cells, cells, cells),
    ),
    st.builds(
        RoadTurn,
        players,
        st.just(TurnKind.FIRST),
        st.tuples(st.builds(LayTile, cells, roads)),
    ),
    st.builds(RoadTurn, players, st.just(TurnKind.BUILD), several(building)),
    st.builds(RoadTurn, players, st.just(TurnKind.DRIVE), several(drives)),
    st.builds(RoadTurn, players, st.just(TurnKind.TRIP), several(building, drives)),
    st.builds(
        RoadTurn,
        players,
        st.just(TurnKind.BUILD_AND_DRIVE),
        st.builds(lambda a, b: a + b, several(building), several(drives)),
    ),
)


@given(turn=turns)
def test_what_is_written_is_read_again(turn: RoadTurn):
    """Any turn survives being written as JSON and read back."""
    line = json.loads(json.dumps(write_turn(turn)))

    assert read_turn(line, players=3, to_move=None) == turn


# -- fuzzing -------------------------------------------------------------------------

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1e300,
    float("nan"),
    "",
    "N",
    "5,4",
    "0,1",
    "9,9",
    "\ud800",
    [],
    {},
    [[]],
    ["N", "SE"],
    {"to": "5,4"},
    {"place": "4,5", "roads": ["N"]},
    {"drive": "5,4", "scores": True},
]
SEEDS: list[dict[str, Any]] = [
    {"start": {"0": "0,3", "1": "8,7"}},
    {"by": 1, "first": LAY},
    {"build": [LAY, {"rotate": "4,5", "roads": ["NE", "S"]}]},
    {"build": [{"rotate": "4,7", "roads": ["NE", "SW"]}, {"cone": "5,4"}]},
    {"build": [{"clear": "5,4"}]},
    {"drive": []},
    {"trip": []},
    {"drive": [{"to": "8,7", "scores": True}, {"to": "8,9"}]},
    {"trip": [{"rotate": "4,7", "roads": ["N", "S"]}, {"cone": "5,4"}]},
    {"trip": [LAY, {"drive": "8,7", "scores": True}, {"clear": "5,4"}]},
]


def mutated(value: Any, random: Random) -> Any:
    """Return a copy of a JSON value with something in it replaced, lost or renamed."""
    if random.random() < 0.15 or not isinstance(value, dict | list) or not value:
        return copy.deepcopy(random.choice(ODD))
    if isinstance(value, list):
        at = random.randrange(len(value))
        return [*value[:at], mutated(value[at], random), *value[at + 1 :]]
    key = random.choice(list(value))
    if random.random() < 0.2:
        other = random.choice(["by", "build", "drive", "trip", "to", "place", "roads"])
        return {other if k == key else k: v for k, v in value.items()}
    return {k: mutated(v, random) if k == key else v for k, v in value.items()}


def fuzzed_lines(random: Random, count: int) -> Iterator[str]:
    yield json.dumps(SEEDS[0])
    yield json.dumps(SEEDS[1])
    yield json.dumps({"first": {"place": "4,7", "roads": ["N", "S"]}})
    for _ in range(count):
        line: Any = random.choice(SEEDS)
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            line = mutated(line, random)
        text = json.dumps(line)
        yield text[: random.randrange(len(text))] if random.random() < 0.03 else text


@pytest.mark.parametrize("seed", range(6))
def test_no_line_makes_the_referee_stumble(seed: int):
    """Whatever the line, there is a verdict, and a refusal leaves all as it was."""
    random = Random(seed)
    game = open_boston(
        "green yellow",
        quick_trip=seed % 2 == 1,
        quick_trip_cones=True,
        congestion=True,
        traffic=True,
        specials=True,
    )
    lines = list(fuzzed_lines(random, 400))

    told = list(verdicts(game, lines))

    assert len(told) == sum(bool(line.strip()) for line in lines)
    news = ("line", "ok", "violations", "text")
    states = [{k: v for k, v in verdict.items() if k not in news} for verdict in told]
    for before, verdict, after in zip(states, told[1:], states[1:], strict=False):
        if not verdict["ok"]:
            assert after == before
            assert verdict["violations"]
            assert verdict["text"].strip()
    assert json.dumps(told, allow_nan=False)
    kinds = {code for verdict in told for code in verdict.get("violations", ())}
    assert len(kinds) > 5
    assert sum(verdict["ok"] for verdict in told) > 10


KEYS = ("by", "start", "first", "build", "drive", "trip", "place", "rotate", "to")


@settings(max_examples=60, deadline=None)
@given(
    line=st.dictionaries(
        st.sampled_from(KEYS),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner)
            ),
        ),
    )
)
def test_any_json_is_read_or_refused(line: dict[str, Any]):
    """No JSON object makes reading raise anything but a sentence."""
    with suppress(NotationError):
        assert open_boston().turn_of(boston_position(["0,3", "8,7"]), line)


def test_sides_may_be_named_in_any_order():
    """Roads are a set; verdicts list them clockwise from N."""
    game = open_boston()
    told = game.turn_of(
        RoadPosition(), {"first": {"place": "4,5", "roads": list(HEX_SIDES[::-1])}}
    )

    assert told.actions == (LayTile(Cell("4,5"), 63),)
    position = boston_position(["0,3", "8,7"], {"4,5": "NW SE N"})
    assert game.state(position)["tiles"] == {"4,5": ["N", "SE", "NW"]}
