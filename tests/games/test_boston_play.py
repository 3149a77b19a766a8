"""Whole games of Boston: random ones against a second opinion, and counts of turns."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.record import verdicts
from companion.rules.game import Meaning
from companion.rules.road_map import sides_of
from companion.rules.roads import RoadGame
from tests.counts import perft_cases
from tests.plain_roads import PlainTable
from tests.road_boards import BOSTON_MAP, COLOURS, boston_position, open_boston

VARIANTS: list[dict[str, Any]] = [
    {},
    {"specials": True},
    {"congestion": True, "traffic": True},
    {"specials": True, "congestion": True, "traffic": True, "places": 5},
    {"places": 7},
    {"quick_trip": True},
    {"quick_trip": True, "quick_trip_cones": True, "specials": True, "traffic": True},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_go_as_the_second_opinion_says(
    players: int, options: dict[str, Any]
):
    """From the start to the last turn each legal line is accepted, all states agree."""
    random = Random(f"{players}{options}")
    colours = random.sample(COLOURS, players)
    table = PlainTable(colours, options)
    game = open_boston(" ".join(colours), **options)
    lines, states = [], []
    while table.on_turn is not None and len(lines) < 3000:
        lines.append(json.dumps(table.play(random)))
        states.append(table.state())

    told = list(verdicts(game, lines))

    for number, (verdict, state) in enumerate(zip(told, states, strict=True), start=2):
        assert verdict == {"line": number, "ok": True, **state}
    assert table.winner is not None
    assert table.on_turn is None


class Sitting(RuleBasedStateMachine):
    """A game that legal turns, slips of the hand and foreign lines may come into."""

    @initialize(
        colours=st.permutations(COLOURS),
        players=st.integers(2, 4),
        options=st.sampled_from(VARIANTS),
    )
    def sit_down(self, colours: list[str], players: int, options: dict[str, Any]):
        self.table = PlainTable(colours[:players], options)
        self.game: RoadGame = open_boston(" ".join(colours[:players]), **options)
        self.position = self.game.start()

    @rule(random=st.randoms(use_true_random=False))
    def take_a_turn(self, random: Random):
        if self.table.on_turn is None:
            return
        line = self.table.play(random)
        turn = self.game.turn_of(self.position, line)
        before = self.game.state(self.position)

        assert self.game.violations(self.position, turn) == ()
        assert self.game.turn_of(self.position, self.game.line_of(self.position, turn))
        assert self.game.describe(self.position, turn).endswith(".")
        after = self.game.apply(self.position, turn)
        assert self.game.state(self.position) == before
        self.position = after

    @rule(random=st.randoms(use_true_random=False))
    def play_out_of_turn(self, random: Random):
        if self.table.on_turn is None or self.table.first_tiles < len(
            self.table.colours
        ):
            return
        key = "trip" if self.table.options.get("quick_trip") else "build"
        by = (self.table.on_turn + 1) % len(self.table.colours)
        turn = self.game.turn_of(self.position, {"by": by, key: []})

        codes = [v.code for v in self.game.violations(self.position, turn)]
        assert codes == ["out-of-turn-play"]

    @rule()
    def start_again(self):
        if not self.table.cars:
            return
        line = {"start": {str(n): "0,3" for n in range(len(self.table.colours))}}
        turn = self.game.turn_of(self.position, line)

        assert len(self.game.violations(self.position, turn)) == 1

    @invariant()
    def the_page_can_be_drawn(self):
        extras = self.game.extras(self.position)
        assert json.dumps(extras)
        for player, reach in extras["reach"].items():
            assert set(reach["one"]) == self.table.reach(int(player), 1)
            assert set(reach["two"]) == self.table.reach(int(player), 2)
        looks = self.game.appearance(self.position)
        assert list(looks) == list(self.game.board.cells)

    @invariant()
    def both_opinions_agree(self):
        assert self.game.state(self.position) == self.table.state()
        assert self.game.to_move(self.position) == self.table.on_turn
        won = [
            h.meaning
            for h in self.game.highlights(self.position)
            if h.meaning is Meaning.WON
        ]
        assert bool(won) == (self.table.winner is not None)


TestSitting = Sitting.TestCase
TestSitting.settings = settings(
    max_examples=12, stateful_step_count=60, deadline=None, derandomize=True
)


# -- counts of what may be done ------------------------------------------------------


def every_item(kind: str) -> list[dict[str, Any]]:
    """Return all items of a kind that could be written, sensible or not."""
    cells = BOSTON_MAP.board.cells
    if kind in ("place", "rotate"):
        return [
            {kind: cell, "roads": sides_of(roads)}
            for cell in cells
            for roads in range(1, 64)
        ]
    return [{kind: cell} for cell in cells]


@pytest.mark.parametrize(
    ("name", "fields"),
    [pytest.param(*case, id=case[0]) for case in perft_cases("boston")],
)
def test_the_number_of_things_to_do_is_as_counted_by_hand(
    name: str, fields: dict[str, str]
):
    """Of all lines that can be written, as many are legal as the file says."""
    game = open_boston()
    tiles = (tile.split("=") for tile in fields.get("tiles", "").split())
    position = boston_position(
        fields["cars"].split(),
        {cell: sides.replace(",", " ") for cell, sides in tiles},
        fields.get("cones", "").split(),
    )

    def is_legal(line: dict[str, Any]) -> bool:
        return not game.violations(position, game.turn_of(position, line))

    stops = every_item("to")
    first_legs = [stop for stop in stops if is_legal({"drive": [stop]})]
    counted = {
        kind: sum(is_legal({"build": [item]}) for item in every_item(kind))
        for kind in ("place", "rotate", "remove", "cone", "clear")
    }
    counted["drive1"] = len(first_legs)
    counted["drive2"] = sum(
        is_legal({"drive": [one, two]}) for one in first_legs for two in stops
    )

    assert {kind: str(count) for kind, count in counted.items()} == {
        kind: fields[kind] for kind in counted
    }
