"""Gridlock, "The Original 3 X 5 Game" (Curtis Marketing Group): rulings G35."""

from companion.games.layouts import rows_of
from companion.rules.cards import NUMBERED
from companion.rules.run_rules import (
    Corners,
    RunRules,
    not_at_the_ends,
    one_after_the_other,
)
from companion.rules.runs import RunKind

ONE_EYED, TWO_EYED = frozenset(("JS", "JH")), frozenset(("JC", "JD"))
RED, BLACK = frozenset(("JH", "JD")), frozenset(("JS", "JC"))

GRIDLOCK = RunKind(
    RunRules(
        name="gridlock",
        title="Gridlock 3x5",
        boards=("sequence",),
        layout=rows_of,
        piece="chip",
        run="run",
        colours=("white", "red"),
        seats=frozenset((2, 4, 6)),
        hands={2: 7, 4: 5, 6: 4},
        needed={2: 3},
        cards=NUMBERED,
        specials=dict.fromkeys(("JS", "JH", "JC", "JD"), 2),
        wild=ONE_EYED,
        take=TWO_EYED,
        corners=Corners.FREE,
        pieces=48,
        share=not_at_the_ends,
        share_code="run-ends-on-turned-chip",
        share_text="a run neither begins nor ends on a chip turned over before.",
        dead_draws_later=True,
        late_draw=True,
        reshuffles=1,
        tie_rounds=1,
        tie_after_reshuffle=True,
        rule_ids={
            "out-of-turn-play": "G35-08",
            "turn-skipped": "G35-08",
            "wrong-color-placed": "G35-10",
            "two-chips-placed": "G35-09",
            "two-chips-removed": "G35-12",
            "chip-moved": "G35-09",
            "own-chip-removed": "G35-12",
            "replaced-same-turn": "G35-14",
            "frozen-chip-removed": "G35-13",
            "frozen-chip-moved": "G35-13",
            "frozen-chip-unturned": "G35-18",
            "turn-over-without-run": "G35-21",
            "run-not-turned-over": "G35-18",
            "run-partly-turned-over": "G35-18",
            "wrong-chips-turned-over": "G35-21",
            "opponent-chips-turned-over": "G35-21",
            "run-ends-on-turned-chip": "G35-19",
            "chip-on-corner": "G35-16",
            "chip-placed-face-down": "G35-10",
            "nothing-there": "G35-12",
            "stacked-chips": "G35-10",
            "board-disturbed": "G35-09",
            "play-after-game-over": "G35-24",
            "wrong-chip-total": "G35-04",
            "wrong-square": "G35-10",
            "pickup-card-used-to-place": "G35-12",
            "place-card-used-to-remove": "G35-10",
            "card-not-shown": "G35-09",
            "card-without-action": "G35-09",
            "live-card-declared-dead": "G35-22",
            "too-many-dead-cards": "G35-23",
            "card-count-exceeded": "G35-04",
            "wild-count-impossible": "G35-11",
            "reshuffled-twice": "G35-26",
        },
        house_rules={
            "jacks": {
                "eyes": {},
                "red-wild": {"wild": RED, "take": BLACK},
                "black-wild": {"wild": BLACK, "take": RED},
            },
            "simultaneous-runs": {
                "all": {},
                "sequential": {"share": one_after_the_other},
            },
            "dead-cards-per-turn": {1: {}, "unlimited": {"dead_per_turn": None}},
            "table-talk-penalty": {
                "off": {},
                "forfeit-card": {"talk_costs_card": True},
            },
            "runs-to-win": {runs: {"needed": {2: runs}} for runs in (3, 1, 2, 4, 5)},
        },
        unwitnessed=(
            "How many cards each hand holds, and whether a card was drawn in time.",
            "Table talk and signs among teammates.",
            "The card of a turn, unless somebody names it.",
        ),
    )
)
