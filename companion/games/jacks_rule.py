"""Jacks Rule (DirtyBoardGame.com): rulings JKR."""

from companion.games.layouts import rows_of
from companion.rules.cards import NUMBERED
from companion.rules.run_rules import Corners, RunRules, five_sharing_ends
from companion.rules.runs import RunKind

JACKS_RULE = RunKind(
    RunRules(
        name="jacks-rule",
        title="Jacks Rule",
        boards=("sequence",),
        layout=rows_of,
        piece="peg",
        run="row",
        colours=("red", "blue", "green", "yellow", "white", "black"),
        seats=frozenset(range(2, 13)),
        hands={2: 7, 3: 6, **dict.fromkeys(range(4, 13), 5)},
        needed={2: 2, 3: 1},
        cards=NUMBERED,
        specials={**dict.fromkeys(("JS", "JH", "JC", "JD"), 2), "JOKER": 4},
        wild=frozenset(("JC", "JD")),
        wild_on_corner=True,
        take=frozenset(("JS", "JH")),
        replaces=True,
        corners=Corners.JOKER,
        pieces=45,
        dead_per_turn=None,
        dead_ends_turn=True,
        dead_specials=True,
        rule_ids={
            "out-of-turn-play": "JKR-04",
            "turn-skipped": "JKR-04",
            "wrong-color-placed": "JKR-06",
            "two-chips-placed": "JKR-05",
            "two-chips-removed": "JKR-09",
            "chip-moved": "JKR-05",
            "own-chip-removed": "JKR-09",
            "nothing-there": "JKR-09",
            "stacked-chips": "JKR-06",
            "board-disturbed": "JKR-05",
            "play-after-game-over": "JKR-16",
            "wrong-chip-total": "JKR-02",
            "wrong-square": "JKR-06",
            "pickup-card-used-to-place": "JKR-09",
            "place-card-used-to-remove": "JKR-06",
            "card-not-shown": "JKR-05",
            "card-without-action": "JKR-05",
            "live-card-declared-dead": "JKR-12",
            "card-count-exceeded": "JKR-02",
            "wild-count-impossible": "JKR-08",
            "replacement-missing": "JKR-09",
            "replacement-elsewhere": "JKR-09",
            "row-broken": "JKR-11",
            "corner-peg-removed": "JKR-10",
            "swap-without-one-eyed-jack": "JKR-09",
            "corner-without-joker": "JKR-07",
            "joker-off-corner": "JKR-07",
            "one-eyed-jack-on-own-peg": "JKR-09",
        },
        house_rules={
            "line-of-nine": {"one": {}, "two": {"rows_in": five_sharing_ends}},
            "wild-jack-on-corner": {"yes": {}, "no": {"wild_on_corner": False}},
            "dead-card-ends-turn": {"yes": {}, "no": {"dead_ends_turn": False}},
        },
        unwitnessed=(
            "How many cards each hand holds, and whether a card was drawn.",
            "The card of a turn, unless somebody names it.",
        ),
    )
)
