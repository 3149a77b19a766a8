"""Five in a row by the book, plainly: a second opinion on the three chip games.

Nothing here uses the referee's masks, decks or judge: squares are names, every answer
is worked out anew from the whole board, and cards are matched one by one. Where the
referee names violations in order, this one gives all codes that are a fair name.
"""

import json
from itertools import combinations, permutations
from typing import Any

Line = dict[str, Any]
Run = tuple[str, ...]

COLUMNS = "abcdefghij"
SQUARES = [f"{column}{row}" for row in range(1, 11) for column in COLUMNS]
CORNERS = {"a1", "j1", "a10", "j10"}
COLOURS = ("white", "red", "blue", "green", "yellow", "black")
LETTERS = dict(zip(COLOURS, "wrbgyk", strict=True))
KINDS = (
    *("place", "remove", "swap", "dead", "pass", "claim"),
    *("missed_draw", "penalty", "reshuffle"),
)
PIECES = {"gridlock": 48, "jacks-rule": 45, "states": 50}
JACKS = {
    "eyes": {"JS", "JH"},
    "red-wild": {"JH", "JD"},
    "black-wild": {"JS", "JC"},
    "two-eyed": {"JC", "JD"},
}
RUN_CODES = {"wrong-chips-turned-over", "turn-over-without-run"}
MISFITS = {
    *("wrong-square", "place-card-used-to-remove", "swap-without-one-eyed-jack"),
    *("replaced-same-turn", "replacement-missing"),
}
"""Codes of a card that does not explain the action; such a card is not counted."""


def squares_along(start: str, right: int, down: int) -> list[str]:
    column, row = COLUMNS.index(start[0]), int(start[1:])
    found = []
    while 0 <= column < 10 and 1 <= row <= 10:
        found.append(f"{COLUMNS[column]}{row}")
        column, row = column + right, row + down
    return found


STEPS = [(1, 0), (0, 1), (1, 1), (-1, 1)]
LINES = [
    squares_along(square, *step)
    for step in STEPS
    for square in SQUARES
    if len(squares_along(square, -step[0], -step[1])) == 1
]
WINDOWS = [
    tuple(squares_along(square, *step)[:5])
    for step in STEPS
    for square in SQUARES
    if len(squares_along(square, *step)) >= 5
]
"""In the order of the record format."""
WINDOW_OF = {frozenset(window): window for window in WINDOWS}


def overlap_on_line(one: Run, other: Run) -> bool:
    on_one_line = any(set(one) | set(other) <= set(line) for line in LINES)
    return on_one_line and bool(set(one) & set(other))


def are_runs(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(run, list) and all(square in SQUARES for square in run)
        for run in value
    )


def broken(**faults: object) -> set[str]:
    return {code.replace("_", "-") for code, present in faults.items() if present}


class PlainReferee:
    """One game, from a header that can be used and gives the rows of its board."""

    def __init__(self, header: Line) -> None:
        self.game: str = header["game"]
        self.rules: dict[str, Any] = header["rules"]
        self.seats: list[str] = [player["team"] for player in header["players"]]
        self.teams = list(dict.fromkeys(self.seats))
        cards = " ".join(header["board"]["rows"]).split()
        self.card_on = dict(zip(SQUARES, cards, strict=True))
        free = self.game == "gridlock" or self.rules.get("free-corners") == "yes"
        self.free = CORNERS if free else set()
        self.copies = dict.fromkeys([card for card in cards if card != "XX"], 2)
        if self.game == "states":
            self.wild, self.taking = {"ADD"}, {"REMOVE"}
            self.copies |= {"ADD": 4, "REMOVE": 4}
        else:
            default = "eyes" if self.game == "gridlock" else "two-eyed"
            self.wild = JACKS[self.rules.get("jacks", default)]
            self.taking = {"JS", "JH", "JC", "JD"} - self.wild
            self.copies |= dict.fromkeys(self.wild | self.taking, 2)
        if self.game == "jacks-rule":
            self.copies["JOKER"] = 4
        self.needed = 1 if len(self.teams) == 3 else 2
        if self.game == "gridlock":
            self.needed = self.rules.get("runs-to-win", 3)
        self.chips: dict[str, str] = {}
        self.claimed: list[tuple[str, Run]] = []
        self.played: list[set[str]] = []
        """For each card played since the reshuffle: which ones it may have been."""
        self.turn = self.dead = self.passes = self.reshuffles = 0
        self.over: Line | None = None

    # -- the board ----------------------------------------------------------

    def turned(self) -> set[str]:
        return {square for _, run in self.claimed for square in run} - self.free

    def complete(self, team: str, run: Run) -> bool:
        return all(s in self.free or self.chips.get(s) == team for s in run)

    def claimable(self, team: str, runs: list[Run]) -> bool:
        """Say whether a team may claim all these in one line."""
        if not all(self.complete(team, run) for run in runs):
            return False
        if self.game == "states":
            earlier = [run for owner, run in self.claimed if owner == team]
            pairs = [*combinations(runs, 2), *((a, b) for a in runs for b in earlier)]
            return not any(self.share_too_much(*pair) for pair in pairs)
        if any(overlap_on_line(*pair) for pair in combinations(runs, 2)):
            return False
        if self.rules.get("simultaneous-runs") == "sequential":
            return any(self.one_by_one(order) for order in permutations(runs))
        return not any({run[0], run[4]} & self.turned() for run in runs)

    def one_by_one(self, order: tuple[Run, ...]) -> bool:
        turned = self.turned()
        for run in order:
            if {run[0], run[4]} & turned:
                return False
            turned |= set(run) - self.free
        return True

    def share_too_much(self, one: Run, other: Run) -> bool:
        shared = len(set(one) & set(other))
        strict = self.rules.get("line-of-nine") == "one"
        return shared > 1 or (strict and overlap_on_line(one, other))

    def largest_claim(self, team: str, square: str) -> list[Run]:
        """Find the largest legal set of runs through a square, the first of equals."""
        new = [w for w in WINDOWS if square in w and self.claimable(team, [w])]
        best: list[Run] = []
        sets: list[list[Run]] = [[]]
        while sets:  # every set of n before those of n + 1, in order
            best = sets[0]
            sets = [
                [*chosen, run]
                for chosen in sets
                for run in new[new.index(chosen[-1]) + 1 if chosen else 0 :]
                if self.claimable(team, [*chosen, run])
            ]
        return best

    def frozen(self, square: str) -> bool:
        team = self.chips.get(square, "")
        return square in self.turned() or any(
            square in window and self.claimable(team, [window]) for window in WINDOWS
        )

    def rows(self, team: str, without: str = "") -> int:
        """Count the rows of jacks-rule, as if a square were empty."""
        own = {s for s, owner in self.chips.items() if owner == team} - {without}
        drawn = ("".join("x" if s in own else " " for s in line) for line in LINES)
        lengths = [len(stretch) for line in drawn for stretch in line.split()]
        if self.rules.get("line-of-nine") == "two":
            return sum((length - 1) // 4 for length in lengths)
        return sum(length // 5 for length in lengths)

    def breaks_row(self, square: str) -> bool:
        owner = self.chips.get(square, "")
        return self.rows(owner, without=square) < self.rows(owner)

    def score(self, team: str) -> int:
        if self.game == "jacks-rule":
            return self.rows(team)
        return sum(owner == team for owner, _ in self.claimed)

    # -- the cards ----------------------------------------------------------

    def wild_may_go(self, square: str) -> bool:
        closed = self.rules.get("wild-jack-on-corner") == "no" or self.free
        return not (closed and square in CORNERS)

    def dead_cards(self) -> list[str]:
        live = {card for s, card in self.card_on.items() if s not in self.chips}
        return sorted(set(self.card_on.values()) - live - {"XX"})

    def is_dead(self, card: str, team: str) -> bool:
        if card in self.card_on.values() or self.game != "jacks-rule":
            return card in self.dead_cards()
        if card == "JOKER":
            return set(self.chips) >= CORNERS
        if card in self.wild:
            return all(s in self.chips for s in SQUARES if self.wild_may_go(s))
        return not any(
            owner != team and square not in CORNERS and not self.breaks_row(square)
            for square, owner in self.chips.items()
        )

    def cards_of(self, kind: str, line: Line) -> set[str] | None:
        """Return the cards that a line may have used, None if it used none."""
        if kind == "dead":
            return {line["dead"]}
        if kind not in ("place", "remove", "swap", "pass") or "card" not in line:
            return None
        if line["card"] is not None:
            return {line["card"]}
        if kind == "place":
            face = self.card_on[line["place"]]
            own = {"JOKER" if face == "XX" else face} & set(self.copies)
            return own | (self.wild if self.wild_may_go(line["place"]) else set())
        return set(self.copies) if kind == "pass" else self.taking

    def explained(self, played: list[set[str]]) -> bool:
        """Say whether each can be a card of its own, by augmenting paths."""
        user: dict[tuple[str, int], int] = {}

        def find(action: int, tried: set[tuple[str, int]]) -> bool:
            cards = [(c, n) for c in sorted(played[action]) for n in (0, 1, 2, 3)]
            for card in cards:
                if card[1] < self.copies[card[0]] and card not in tried:
                    tried.add(card)
                    if card not in user or find(user[card], tried):
                        user[card] = action
                        return True
            return False

        return all(find(action, set()) for action in range(len(played)))

    # -- the form of a line -------------------------------------------------

    def parse(self, text: str) -> tuple[str, Line, int]:
        """Return what a line does, the line, and who does it."""
        line = json.loads(text)
        by = line.get("by", self.turn) if isinstance(line, dict) else None
        if type(by) is not int or not 0 <= by < len(self.seats):
            raise ValueError("nobody's line")
        kind, *others = [kind for kind in KINDS if kind in line] or ["card"]
        sound = [
            not others and kind in line and self.is_value(kind, line[kind]),
            line.get("card") is None or self.is_card(line["card"]),
            kind != "penalty" or line.get("team") in self.teams,
            kind not in ("place", "remove", "swap")
            or self.game == "jacks-rule"
            or are_runs(line.get("run", [])),
        ]
        if not all(sound):
            raise ValueError("malformed")
        return kind, line, by

    def is_value(self, kind: str, value: Any) -> bool:
        if kind in ("place", "remove", "swap"):
            return value in SQUARES
        if kind == "dead":
            return self.is_card(value)
        if kind == "claim":
            return self.game != "jacks-rule" and value != [] and are_runs(value)
        if kind == "penalty":
            return bool(value == "table-talk")
        return kind == "card" or value is True

    def is_card(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.copies

    # -- a line -------------------------------------------------------------

    def judge(self, number: int, text: str) -> tuple[Line, set[str]]:
        """Return the verdict but for its codes, and the fair codes: none if legal."""
        extra: Line = {}
        try:
            kind, line, by = self.parse(text)
            fair = self.wrong(kind, line, by)
            if not fair:
                extra = self.act(kind, line, self.seats[by])
        except ValueError:
            fair = {"malformed"}
        return {
            "line": number,
            "ok": not fair,
            "turn": None if self.over else self.turn,
            "score": {team: self.score(team) for team in self.teams},
            "position": self.position(),
            "dead": self.dead_cards(),
            "over": self.over,
            **extra,
        }, fair

    def position(self) -> str:
        letters = {s: LETTERS[team] for s, team in self.chips.items()}
        letters |= {s: letters[s].upper() for s in self.turned()}
        drawn = "".join(letters.get(square, ".") for square in SQUARES)
        return "/".join(drawn[n : n + 10] for n in range(0, 100, 10))

    def wrong(self, kind: str, line: Line, by: int) -> set[str]:
        codes = {"play-after-game-over"} if self.over else set()
        if kind == "reshuffle" and self.game == "gridlock" and self.reshuffles:
            codes |= {"reshuffled-twice"}
        if kind in ("missed_draw", "penalty", "reshuffle"):
            return codes
        if by != self.turn or self.over:
            codes |= {"out-of-turn-play"}
        if kind in ("place", "remove", "swap") and "card" not in line:
            codes |= {"card-not-shown", "malformed"}
        codes |= getattr(self, f"wrong_{kind}")(line, self.seats[by])
        cards = self.cards_of(kind, line)
        if cards is None or codes & MISFITS or self.explained([*self.played, cards]):
            return codes
        return codes | {"card-count-exceeded", "wild-count-impossible"}

    def wrong_card(self, line: Line, team: str) -> set[str]:
        return {"card-without-action", "malformed"}

    def wrong_place(self, line: Line, team: str) -> set[str]:
        square, card = line["place"], line.get("card")
        face, takes = self.card_on[square], card in self.taking
        ordinary = card in self.card_on.values() and card != face
        barred = ordinary or (card in self.wild and not self.wild_may_go(square))
        codes = broken(
            stacked_chips=square in self.chips,
            chip_on_corner=square in self.free,
            wrong_chip_total=self.all_out(team),
            pickup_card_used_to_place=takes,
            remove_card_used_to_place=card == "REMOVE",
            joker_off_corner=card == "JOKER" and square not in CORNERS,
            corner_without_joker=barred and face == "XX" and not self.free,
            wrong_square=takes or ordinary or square in self.free,
        )
        if self.game != "jacks-rule" and not codes:
            self.chips[square] = team
            codes |= self.wrong_runs(line.get("run", []), team, square)
            del self.chips[square]
        return codes

    def all_out(self, team: str) -> bool:
        return [*self.chips.values()].count(team) >= PIECES[self.game]

    def wrong_runs(self, named: list[list[str]], team: str, through: str) -> set[str]:
        """Return what is wrong with claiming runs, through a square or anywhere."""
        codes = set(RUN_CODES)
        if any(self.chips.get(s, team) != team for squares in named for s in squares):
            codes |= {"opponent-chips-turned-over"}
        if any(len(r) != 5 or frozenset(r) not in WINDOW_OF for r in named):
            return codes | {"malformed"}
        runs = [WINDOW_OF[frozenset(squares)] for squares in named]
        if len(set(runs)) == len(runs) and self.claimable(team, runs):
            return set() if all(through in ("", *run) for run in runs) else codes
        if any(self.complete(team, run) for run in runs):
            shared = "run-ends-on-turned-chip"
            codes |= {"sequence-shares-too-much" if self.game == "states" else shared}
        return codes

    def wrong_remove(self, line: Line, team: str) -> set[str]:
        if self.game == "jacks-rule":
            return {"replacement-missing"}
        square, card = line["remove"], line.get("card")
        return broken(
            nothing_there=square not in self.chips,
            own_chip_removed=self.chips.get(square) == team,
            frozen_chip_removed=self.frozen(square),
            place_card_used_to_remove=card not in {None, *self.taking},
            add_card_used_to_remove=card == "ADD",
            turn_over_without_run=bool(line.get("run")),
        )

    def wrong_swap(self, line: Line, team: str) -> set[str]:
        if self.game != "jacks-rule":
            return {"replaced-same-turn"}
        square, card = line["swap"], line.get("card")
        own = self.chips.get(square) == team
        return broken(
            nothing_there=square not in self.chips,
            swap_without_one_eyed_jack=card not in {None, *self.taking},
            one_eyed_jack_on_own_peg=own,
            own_chip_removed=own,
            corner_peg_removed=square in CORNERS and square in self.chips,
            row_broken=self.breaks_row(square),
            wrong_chip_total=self.all_out(team),
        )

    def wrong_dead(self, line: Line, team: str) -> set[str]:
        limit = self.rules.get("dead-cards-per-turn", 1)
        full = self.dead and self.game != "jacks-rule" and limit == 1
        live = not self.is_dead(line["dead"], team)
        return broken(live_card_declared_dead=live, too_many_dead_cards=full)

    def wrong_pass(self, line: Line, team: str) -> set[str]:
        return set()

    def wrong_claim(self, line: Line, team: str) -> set[str]:
        return self.wrong_runs(line["claim"], team, through="")

    def act(self, kind: str, line: Line, team: str) -> Line:
        """Do what a legal line says; return what its verdict adds."""
        cards = self.cards_of(kind, line)
        self.played += [cards] if cards is not None else []
        claims = kind == "claim" or (kind == "place" and self.game != "jacks-rule")
        named = line.get("claim", line.get("run", [])) if claims else []
        runs = [WINDOW_OF[frozenset(squares)] for squares in named]
        if kind in ("place", "swap"):
            self.chips[line[kind]] = team
            if claims and "run" not in line:
                runs = self.largest_claim(team, line[kind])
        elif kind == "remove":
            del self.chips[line["remove"]]
        elif kind == "reshuffle":
            self.reshuffles += 1
            self.played = []
        self.claimed += [(team, run) for run in runs]
        self.count(kind)
        if kind in ("place", "swap", "claim") and self.score(team) >= self.needed:
            self.over = {"winner": team}
        extra: Line = {"unverified": True} if kind == "pass" else {}
        ordered = [list(window) for window in WINDOWS if window in runs]
        return extra | ({"runs": ordered} if runs else {})

    def count(self, kind: str) -> None:
        """Count passes and dead cards; end the turn if the line ends it."""
        if kind in ("place", "remove", "swap", "reshuffle"):
            self.passes = 0
        self.passes += kind == "pass"
        self.dead += kind == "dead"
        stays = self.rules.get("dead-card-ends-turn") == "no"
        ending = self.game == "jacks-rule" and kind == "dead" and not stays
        if ending or kind in ("place", "remove", "swap", "pass"):
            self.turn, self.dead = (self.turn + 1) % len(self.seats), 0
        rounds = {"gridlock": 1 if self.reshuffles else 0, "states": 2}.get(self.game)
        if rounds and self.passes == rounds * len(self.seats):
            self.over = {"tie": True}
