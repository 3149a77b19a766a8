"""Every rule that told actions can break, and what the legal ones leave behind."""

from typing import Any

import pytest

from companion.rules.road_position import RoadPosition
from companion.rules.roads import RoadGame
from tests.road_boards import boston_position, open_boston

# Ann (red) stands on 1,4, Ben (yellow) at Faneuil Hall. Harvard - 1,4 - 2,3 is a road,
# 2,3 - 3,2 - MIT another, with the only cone between them on 3,2.
TILES = {
    "1,4": "N NE NW",
    "2,3": "NE SW",
    "3,2": "N SW",
    "6,15": "N",
    "1,12": "N S",
    "5,14": "N S",
}
STARTS = ("0,17", "8,7")


def table(**changes: Any) -> RoadPosition:
    """Return the table described above, with these things otherwise."""
    described = {
        "cars": ["1,4", "8,7"],
        "tiles": TILES,
        "cones": ["3,2"],
        "cubes": ["0,17", "8,7"],
        "starts": STARTS,
    }
    return boston_position(**{**described, **changes})


def codes(game: RoadGame, position: RoadPosition, line: dict[str, Any]) -> list[str]:
    """Return the codes of what a line breaks."""
    return [v.code for v in game.violations(position, game.turn_of(position, line))]


def lay(cell: str, *sides: str) -> dict[str, Any]:
    return {"place": cell, "roads": list(sides or ("N", "SE"))}


def turn(cell: str, *sides: str) -> dict[str, Any]:
    return {"rotate": cell, "roads": list(sides)}


BUILDS = [
    # a place
    ([], []),
    ([lay("4,5")], []),
    ([lay("5,4")], ["tile-on-destination"]),
    ([lay("7,4")], ["tile-on-tunnel"]),
    ([lay("4,3")], ["tile-on-obstacle"]),
    ([lay("6,9")], ["tile-on-obstacle"]),
    ([lay("0,1")], ["tile-off-board"]),
    ([lay("4,4")], ["tile-off-board"]),
    ([lay("-1,4")], ["tile-off-board"]),
    ([lay("2,3")], ["tile-stacked"]),
    ([lay("3,4")], []),  # in the zone
    ([lay("4,7", "SE")], ["tile-pattern-impossible"]),
    ([lay("4,7"), lay("4,7")], ["tile-stacked"]),
    ([lay("4,7"), lay("4,9")], []),
    ([lay("4,7"), lay("4,9"), lay("4,11")], ["third-tile-placed"]),
    # a turn
    ([turn("6,15", "SE")], []),
    ([turn("6,15", "N")], []),
    ([turn("1,4", "S", "SW", "SE")], []),  # under a car
    ([turn("1,12", "NE", "S")], ["tile-misaligned"]),
    ([turn("1,12", "N")], ["tile-misaligned"]),
    ([turn("4,7", "N")], ["nothing-there"]),
    ([turn("5,4", "N")], ["nothing-there"]),
    ([turn("4,4", "N")], ["nothing-there"]),
    (
        [turn("3,2", "N", "S")],
        ["tile-rotated-in-construction-zone", "tile-misaligned"],
    ),
    ([turn("2,3", "N", "S")], ["tile-rotated-in-construction-zone"]),
    ([lay("4,7"), turn("4,7", "N", "SW")], []),
    # a removal
    ([{"remove": "6,15"}], []),
    ([{"remove": "2,3"}], ["tile-removed-in-construction-zone"]),
    ([{"remove": "1,4"}], ["tile-removed-under-car"]),
    ([{"remove": "4,7"}], ["nothing-there"]),
    ([{"remove": "8,7"}], ["nothing-there"]),
    ([{"remove": "6,15"}, {"remove": "6,15"}], ["nothing-there"]),
    ([{"remove": "6,15"}, lay("6,15")], []),
    ([{"remove": "6,15"}, lay("4,7", "NW")], []),  # the only dead end, again
    # cones
    ([{"cone": "0,7"}], []),
    ([{"cone": "8,7"}], []),
    ([{"cone": "5,16"}], []),
    ([{"cone": "3,2"}], ["cone-stacked"]),
    ([{"cone": "4,5"}, {"cone": "4,7"}], ["cone-count-wrong"]),
    ([{"cone": "4,5"}, {"cone": "3,2"}], ["cone-stacked", "cone-count-wrong"]),
    ([{"clear": "3,2"}, {"cone": "4,5"}, {"cone": "4,7"}], []),
    ([{"clear": "4,5"}], ["nothing-there"]),
    ([{"clear": "0,1"}], ["nothing-there"]),
    ([{"clear": "3,2"}, {"clear": "3,2"}], ["nothing-there"]),
    # zones begin and end within the turn, and bind their builder
    ([{"clear": "3,2"}, {"remove": "2,3"}], []),
    ([{"cone": "1,12"}, {"remove": "1,12"}], ["tile-removed-in-construction-zone"]),
    (
        [{"cone": "0,13"}, turn("1,12", "NE", "SW")],
        ["tile-rotated-in-construction-zone"],
    ),
    # how many
    ([turn("6,15", "N")] * 4, []),
    ([turn("6,15", "N")] * 5, ["too-many-build-actions"]),
    (
        [lay("4,7"), lay("4,9"), lay("5,4"), *[turn("6,15", "N")] * 2],
        ["too-many-build-actions", "third-tile-placed", "tile-on-destination"],
    ),
]


@pytest.mark.parametrize(("items", "expected"), BUILDS)
def test_what_may_be_built(items: list[dict[str, Any]], expected: list[str]):
    """A build turn breaks just these rules, the whole line's first (BOS-10 to 18)."""
    assert codes(open_boston("red yellow"), table(), {"build": items}) == expected


DRIVES = [
    ([], []),
    ([{"to": "0,3"}], []),
    ([{"to": "0,3", "scores": True}], []),
    ([{"to": "1,4"}], []),  # out and back
    ([{"to": "1,4"}, {"to": "1,4"}], []),
    ([{"to": "3,2"}], []),
    ([{"to": "3,2"}, {"to": "3,0", "scores": True}], []),
    ([{"to": "3,0"}], ["cone-stop-skipped"]),
    ([{"to": "0,3"}, {"to": "3,0"}], ["cone-stop-skipped"]),
    ([{"to": "2,3"}, {"to": "3,2"}, {"to": "3,0"}], ["too-many-stops"]),
    ([{"to": "1,2"}], ["car-off-road"]),
    ([{"to": "2,5"}], ["car-off-road"]),
    ([{"to": "3,3"}], ["car-off-road"]),
    ([{"to": "99,1"}], ["car-off-road"]),
    ([{"to": "1,2"}, {"to": "0,3"}], ["car-off-road"]),
    ([{"to": "5,4"}], ["no-road-path"]),
    ([{"to": "8,7", "scores": True}], ["no-road-path"]),
    ([{"to": "2,3", "scores": True}], ["cube-on-non-destination"]),
    ([{"to": "5,16"}], ["no-road-path"]),
]


@pytest.mark.parametrize(("stops", "expected"), DRIVES)
def test_where_one_may_drive(stops: list[dict[str, Any]], expected: list[str]):
    """A drive breaks exactly these rules (BOS-19 to BOS-21)."""
    assert codes(open_boston("green blue"), table(), {"drive": stops}) == expected


@pytest.mark.parametrize(
    ("cones", "to", "remedy"),
    [
        (["3,2"], "3,0", "make that a stop of the drive, or end it there."),
        (["2,3", "3,2"], "3,0", "with 2 stops it can go no further than 3,2."),
        ([], "3,3", "3,3 is off the board: put Ann's car back on 1,4."),
    ],
)
def test_the_remedy_of_a_wrong_drive_can_be_followed(
    cones: list[str], to: str, remedy: str
):
    """A drive has two stops, so what needs three cannot be mended by one more."""
    game, position = open_boston("green blue"), table(cones=cones)

    wrong, *_ = game.violations(
        position, game.turn_of(position, {"drive": [{"to": to}]})
    )

    assert wrong.text.endswith(remedy)


def test_a_car_without_any_road_cannot_even_turn_round():
    """Driving to the own space means leaving it, which takes a road."""
    position = table(tiles={**TILES, "1,4": "SE"})

    assert codes(open_boston(), position, {"drive": [{"to": "1,4"}]}) == [
        "no-road-path"
    ]


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("5,16", []),
        ("7,4", []),
        ("7,2", ["no-road-path"]),
        ("7,6", ["no-road-path", "tunnel-wrong-side"]),
        ("6,15", ["no-road-path"]),
    ],
)
def test_a_tunnel_is_entered_by_its_marked_sides_only(to: str, expected: list[str]):
    """Where the unmarked side is the trouble that is said beside the missing road."""
    # The near tunnel is entered from NW; of the far one's neighbours 7,2 does not face
    # it, and 7,6 faces its unmarked S side.
    tiles = {"4,15": "NW SE", "7,2": "N NE", "7,6": "N S", "6,15": "N"}
    position = table(cars=["4,15", "8,7"], tiles=tiles)

    assert codes(open_boston(), position, {"drive": [{"to": to}]}) == expected


def test_a_third_forced_stop_is_too_many():
    """Where two stops do not suffice all reasons are named, and the limit too."""
    game = open_boston("green blue", traffic=True)
    position = table(cars=["1,4", "2,3"])

    broken = codes(game, position, {"drive": [{"to": "3,0"}]})

    assert broken == ["traffic-stop-skipped", "cone-stop-skipped", "too-many-stops"]


@pytest.mark.parametrize(
    ("places", "line", "expected"),
    [
        (6, {"to": "0,3", "scores": True}, "cube-duplicate"),
        (5, {"to": "0,3", "scores": True}, "cube-duplicate"),
        (7, {"to": "0,3", "scores": True}, "cube-without-card"),
    ],
)
def test_the_own_start_is_no_goal(places: int, line: dict[str, Any], expected: str):
    """A start has its cube already, or in the long game no card (BOS-03, BOS-V2)."""
    game = open_boston("green blue", places=places)
    cubes = ["0,3" if places < 7 else "", ""]
    position = table(cubes=cubes, starts=["0,3", "8,7"])

    assert codes(game, position, {"drive": [line]}) == [expected]


def test_a_place_is_scored_once():
    """A second cube of one colour on a destination is refused, another's is not."""
    game = open_boston("green blue")
    line = {"drive": [{"to": "0,3", "scores": True}]}

    assert codes(game, table(cubes=["0,3", ""]), line) == ["cube-duplicate"]
    assert codes(game, table(cubes=["", "0,3"]), line) == []
    twice = {"drive": [{"to": "0,3", "scores": True}] * 2}
    assert codes(game, table(), twice) == ["cube-duplicate"]


def test_a_place_scored_becomes_congested_at_once():
    """The cube of the first stop counts for the second leg (BOS-V3, BOS-A18)."""
    game = open_boston("green blue", congestion=True)
    tiles = {"1,4": "N NE NW", "0,5": "N", "1,2": "SW"}
    position = table(cars=["1,4", "8,7"], tiles=tiles, cubes=["", "0,3"], cones=[])
    free = {"drive": [{"to": "0,3"}, {"to": "1,4"}, {"to": "0,5"}][1:]}
    scored = {"drive": [{"to": "0,3", "scores": True}, {"to": "1,4"}]}

    assert codes(game, position, free) == []
    assert codes(game, position, scored) == []
    after = game.apply(position, game.turn_of(position, scored))
    again = {"by": 0, "drive": [{"to": "0,5"}]}
    assert codes(game, after, again) == ["out-of-turn-play", "congestion-stop-skipped"]


# -- construction zones, as in the booklet's figure ------------------------------------


def test_a_zone_is_the_space_of_the_cone_and_its_neighbours():
    """Six neighbours where the board has them, the destination among them too."""
    game = open_boston()

    zones = game.state(boston_position(["0,3", "8,7"], cones=["4,7"]))["zones"]
    assert zones == ["3,6", "3,8", "4,5", "4,7", "4,9", "5,6", "5,8"]
    zones = game.state(boston_position(["0,3", "8,7"], cones=["0,17"]))["zones"]
    assert zones == ["0,15", "0,17", "1,16"]


def test_inside_a_zone_tiles_are_placed_but_not_touched():
    """The figure: placing is allowed, turning and removing crossed out (game-facts)."""
    game = open_boston("red green")
    around = ["4,5", "5,6", "4,9", "3,6"]
    outside = ["4,11", "5,4", "6,7", "2,5", "2,7", "3,4", "5,10"]
    tiles = dict.fromkeys([*around, "4,11", "6,7", "2,7", "3,4"], "N SE")
    position = boston_position(["0,3", "8,7"], tiles, cones=["4,7"])

    assert codes(game, position, {"build": [lay("4,7", "N", "S")]}) == []
    for cell in around:
        line = {"build": [turn(cell, "N", "SW"), {"remove": cell}]}
        assert codes(game, position, line) == [
            "tile-rotated-in-construction-zone",
            "tile-removed-in-construction-zone",
        ]
    for cell in set(outside) & tiles.keys():
        line = {"build": [turn(cell, "N", "SW"), {"remove": cell}]}
        assert codes(game, position, line) == []


def test_the_yellow_car_is_a_zone_to_the_others_only():
    """Yellow builds freely in its own zone, not in a cone's (BOS-V8)."""
    tiles = {"1,12": "N S", "2,11": "N S", "6,15": "N S", "4,7": "N S"}
    position = boston_position(["1,12", "4,7"], tiles, cones=["6,15"])
    touch = {"build": [turn("2,11", "NE", "SW")]}
    touch_cone = {"build": [turn("6,15", "NE", "SW")]}
    yellow, other = open_boston("yellow red", specials=True), open_boston("red yellow")

    assert codes(yellow, position, touch) == []
    assert codes(yellow, position, touch_cone) == ["tile-rotated-in-construction-zone"]
    assert codes(other, position, touch) == []  # not the variant
    other = open_boston("red yellow", specials=True)
    position = boston_position(["4,7", "1,12"], tiles, cones=["6,15"])
    assert codes(other, position, touch) == ["tile-rotated-in-construction-zone"]
    assert codes(other, position, {"build": [lay("1,10")]}) == []
    assert "2,11" in other.state(position)["zones"]
    assert "2,11" in yellow.state(boston_position(["1,12", "4,7"], tiles))["zones"]


# -- the order of things ---------------------------------------------------------------

START = {"start": {"0": "0,3", "1": "8,7"}}
FIRST = {"first": lay("4,5")}
BUILD: dict[str, Any] = {"build": []}
DRIVE: dict[str, Any] = {"drive": []}
TRIP: dict[str, Any] = {"trip": []}


def played(game: RoadGame, *lines: dict[str, Any]) -> RoadPosition:
    """Return the position after these legal lines."""
    position = game.start()
    for line in lines:
        told = game.turn_of(position, line)
        assert game.violations(position, told) == (), line
        position = game.apply(position, told)
    return position


@pytest.mark.parametrize(
    ("before", "line", "expected"),
    [
        ([], START, []),
        ([], FIRST, ["start-cube-missing"]),
        ([], BUILD, ["start-cube-missing"]),
        ([], DRIVE, ["start-cube-missing"]),
        ([], TRIP, ["start-cube-missing"]),
        ([], {"start": {"0": "0,3", "1": "0,3"}}, ["duplicate-start"]),
        ([], {"start": {"0": "0,3", "1": "4,5"}}, ["start-place-mismatch"]),
        ([], {"start": {"0": "0,3", "1": "0,1"}}, ["start-place-mismatch"]),
        ([START], START, ["duplicate-start"]),
        ([START], {"by": 1, **FIRST}, []),
        ([START], BUILD, ["first-turn-extra-tile"]),
        ([START], {"by": 1, **DRIVE}, ["first-turn-extra-tile"]),
        ([START], {"first": lay("5,4")}, ["tile-on-destination"]),
        ([START, FIRST], {"first": lay("4,5")}, ["tile-stacked"]),
        (
            [START, FIRST],
            {"by": 0, "first": lay("4,7")},
            ["out-of-turn-play", "first-turn-extra-tile"],
        ),
        ([START, FIRST], DRIVE, ["first-turn-extra-tile"]),
        ([START, FIRST, {"first": lay("4,7")}], FIRST, ["first-turn-extra-tile"]),
        ([START, FIRST, {"first": lay("4,7")}], START, ["duplicate-start"]),
        (
            [START, FIRST, {"first": lay("4,7")}],
            {"by": 1, **BUILD},
            ["out-of-turn-play"],
        ),
        ([START, FIRST, {"first": lay("4,7")}], BUILD, []),
        ([START, FIRST, {"first": lay("4,7")}], DRIVE, []),
        ([START, FIRST, {"first": lay("4,7")}], TRIP, ["build-and-drive-same-turn"]),
        (
            [START, FIRST, {"first": lay("4,7")}],
            {**BUILD, **DRIVE},
            ["build-and-drive-same-turn"],
        ),
    ],
)
def test_start_then_first_tiles_then_turns(
    before: list[dict[str, Any]], line: dict[str, Any], expected: list[str]
):
    """Lines come in the order of the rule book, everything else is refused."""
    game = open_boston()

    assert codes(game, played(game, *before), line) == expected


def test_only_a_player_still_without_a_first_tile_is_told_to_wait():
    """Out of turn, the one who has laid one already has one too many."""
    game = open_boston("red green blue yellow")
    starts = {"start": {"0": "0,3", "1": "8,7", "2": "3,0", "3": "5,4"}}
    position = played(game, starts, {"by": 2, **FIRST}, {"first": lay("4,7")})
    extra = ["out-of-turn-play", "first-turn-extra-tile"]

    assert position.to_move == 0
    for by, expected in [(1, extra[:1]), (2, extra), (3, extra)]:
        assert codes(game, position, {"by": by, "first": lay("4,9")}) == expected


def test_the_race_decides_who_begins():
    """The first tile's player begins, then play goes clockwise (BOS-05)."""
    game = open_boston("red green blue")
    starts = {"start": {"0": "0,3", "1": "8,7", "2": "3,0"}}
    position = played(game, starts)
    turns = [position.to_move]
    for line in (
        {"by": 2, **FIRST},
        {"first": lay("4,7")},
        {"first": lay("4,9")},
        BUILD,
        DRIVE,
    ):
        told = game.turn_of(position, line)
        position = game.apply(position, told)
        turns.append(position.to_move)

    assert turns == [0, 0, 1, 2, 0, 1]


# -- the end -------------------------------------------------------------------------


def near_the_end(game: RoadGame, cubes: int) -> RoadPosition:
    """Return the table with Ann a stop short of the last goal, Harvard or MIT."""
    far = ["0,17", "0,11", "3,8", "3,14", "5,4", "7,12"]
    return table(cubes=[" ".join(far[: cubes - 1]), "8,7"], cones=[])


@pytest.mark.parametrize(("places", "cubes"), [(6, 6), (5, 5), (7, 6)])
def test_the_last_goal_wins_on_the_spot(places: int, cubes: int):
    """Six cubes win, in the short game five; in the long one the start has none."""
    game = open_boston("green blue", places=places)
    position = near_the_end(game, cubes)
    line = {"drive": [{"to": "0,3", "scores": True}]}

    assert codes(game, position, line) == []
    after = game.apply(position, game.turn_of(position, line))
    assert game.state(after)["over"] == {"winner": 0}
    assert after.to_move == 1
    outcome = game.outcome(after)
    assert outcome is not None
    assert outcome.winners == (0,)
    short = near_the_end(game, cubes - 1)
    assert game.apply(short, game.turn_of(short, line)).winner is None


def test_nothing_follows_the_winning_stop_in_its_line():
    """A stop or an action after the last goal is play after the end."""
    game = open_boston("green blue")
    line = {"drive": [{"to": "0,3", "scores": True}, {"to": "1,4"}]}
    assert codes(game, near_the_end(game, 6), line) == ["play-after-game-over"]

    game = open_boston("green blue", quick_trip=True)
    trip = {"trip": [{"drive": "0,3", "scores": True}, {"remove": "6,15"}]}
    assert codes(game, near_the_end(game, 6), trip) == ["play-after-game-over"]


def test_after_the_win_everybody_else_has_one_turn():
    """One ordinary turn each, clockwise; the winner and the result stand (BOS-22)."""
    game = open_boston("red green blue")
    position = boston_position(
        ["3,8", "1,4", "8,7"],
        TILES,
        cubes=["", "0,17 0,11 3,8 3,14 5,4", "3,14"],
        to_move=1,
    )
    line = {"drive": [{"to": "0,3", "scores": True}]}
    position = game.apply(position, game.turn_of(position, line))

    assert position.to_move == 2
    assert codes(game, position, {"by": 1, **BUILD}) == ["out-of-turn-play"]
    assert codes(game, position, {"build": [lay("5,4")]}) == ["tile-on-destination"]
    position = game.apply(position, game.turn_of(position, {"build": [lay("4,7")]}))
    assert position.to_move == 0
    position = game.apply(position, game.turn_of(position, DRIVE))
    assert position.to_move is None
    assert game.state(position)["over"] == {"winner": 1}
    start = {"start": {"0": "0,3", "1": "8,7", "2": "3,0"}}
    for late in (BUILD, DRIVE, TRIP, start, FIRST, {"by": 0, **BUILD}):
        assert codes(game, position, late) == ["play-after-game-over"]


def test_a_goal_reached_in_a_last_turn_does_not_win():
    """The result stands; the player who is complete then stops too."""
    game = open_boston("green blue")
    cubes = "0,17 0,11 3,8 3,14 5,4"
    position = table(cars=["1,4", "0,3"], cubes=[cubes, cubes], cones=[])
    win = {"drive": [{"to": "0,3", "scores": True}]}
    position = game.apply(position, game.turn_of(position, win))

    on = {"drive": [{"to": "0,3", "scores": True}, {"to": "1,4"}]}
    assert codes(game, position, on) == ["play-after-game-over"]
    assert codes(game, position, win) == []
    position = game.apply(position, game.turn_of(position, win))
    assert game.state(position)["score"] == {"0": 6, "1": 6}
    assert game.state(position)["over"] == {"winner": 0}


# -- Quick Trip ----------------------------------------------------------------------

TRIPS = [
    ([], []),
    ([{"drive": "0,3", "scores": True}, {"drive": "1,4"}, {"drive": "2,3"}], []),
    ([{"drive": "3,2"}], []),
    ([lay("1,2", "N", "SE"), {"drive": "0,3"}, {"drive": "1,2"}], ["no-road-path"]),
    ([lay("1,2", "N", "SW"), {"drive": "0,3"}, {"drive": "1,2"}], []),
    ([{"drive": "2,3"}, {"remove": "1,4"}, {"drive": "3,2"}], []),
    ([{"drive": "2,3"}, {"remove": "2,3"}], ["tile-removed-under-car"]),
    ([{"drive": "0,3"}] * 4, ["too-many-build-actions"]),
    ([lay("4,7"), lay("4,9"), lay("4,11")], ["third-tile-placed"]),
    ([{"cone": "4,5"}], ["cone-count-wrong"]),
    ([{"clear": "4,5"}, {"cone": "4,5"}], ["cone-count-wrong"]),
    ([{"drive": "4,5", "scores": True}], ["car-off-road", "cube-on-non-destination"]),
]


@pytest.mark.parametrize(("items", "expected"), TRIPS)
def test_a_quick_trip_builds_and_drives(
    items: list[dict[str, Any]], expected: list[str]
):
    """Three actions of any kind but cones, each drive with one stop (BOS-V1)."""
    game = open_boston("green blue", quick_trip=True)

    assert codes(game, table(cones=[]), {"trip": items}) == expected


def test_quick_trip_cones_are_as_in_the_base_game():
    """With the house rule cones are set up, cleared, stop cars and make zones."""
    game = open_boston("green blue", quick_trip=True, quick_trip_cones=True)

    def told(*items: dict[str, Any]) -> list[str]:
        return codes(game, table(), {"trip": list(items)})

    assert told({"cone": "4,5"}, {"clear": "3,2"}) == []
    assert told({"drive": "3,0"}) == ["cone-stop-skipped"]
    assert told({"drive": "3,2"}, {"drive": "3,0"}) == []
    assert told({"remove": "2,3"}) == ["tile-removed-in-construction-zone"]


@pytest.mark.parametrize(("items", "expected"), BUILDS)
def test_every_sentence_says_where(items: list[dict[str, Any]], expected: list[str]):
    """Each sentence is whole, has its rule, and names a space of the line."""
    game = open_boston("red yellow")
    named = [str(value) for item in items for value in item.values()]

    for violation in game.violations(table(), game.turn_of(table(), {"build": items})):
        assert violation.text.endswith(".")
        assert violation.rule.startswith("BOS-")
        assert set(violation.cells) <= set(game.board.cells)
        if violation.code != "too-many-build-actions":
            assert any(cell in violation.text for cell in named)
