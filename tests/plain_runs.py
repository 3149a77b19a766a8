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


class Malformed(Exception):
    pass


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
        owner = self.chips[square]
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
        try:
            line = json.loads(text)
        except ValueError:
            raise Malformed from None
        if not isinstance(line, dict):
            raise Malformed
        by = line.get("by", self.turn)
        kinds = [kind for kind in KINDS if kind in line]
        wrong = type(by) is not int or not 0 <= by < len(self.seats) or len(kinds) > 1
        if line.get("card") is not None:
            self.need_card(line["card"])
        if wrong or not (kinds or "card" in line):
            raise Malformed
        kind = kinds[0] if kinds else "card"
        self.check_values(kind, line)
        return kind, line, by

    def check_values(self, kind: str, line: Line) -> None:
        value = line[kind]
        if kind in ("place", "remove", "swap"):
            wrong = value not in SQUARES
            if "run" in line and self.game != "jacks-rule":
                self.need_runs(line["run"])
        elif kind == "claim":
            wrong = self.game == "jacks-rule" or value == []
            self.need_runs(value)
        elif kind == "penalty":
            wrong = value != "table-talk" or line.get("team") not in self.teams
        elif kind in ("pass", "missed_draw", "reshuffle"):
            wrong = value is not True
        else:
            wrong = False
            if kind == "dead":
                self.need_card(value)
        if wrong:
            raise Malformed

    def need_card(self, value: Any) -> None:
        if not isinstance(value, str) or value not in self.copies:
            raise Malformed

    def need_runs(self, value: Any) -> None:
        if not isinstance(value, list) or not all(isinstance(r, list) for r in value):
            raise Malformed
        if any(square not in SQUARES for run in value for square in run):
            raise Malformed

    # -- a line -------------------------------------------------------------

    def judge(self, number: int, text: str) -> tuple[Line, set[str]]:
        """Return the verdict but for its codes, and the fair codes: none if legal."""
        extra: Line = {}
        try:
            kind, line, by = self.parse(text)
            fair = self.wrong(kind, line, by)
            if not fair:
                extra = self.act(kind, line, self.seats[by])
        except Malformed:
            fair = {"malformed"}
        shown = self.turned() if self.game != "jacks-rule" else set()
        letters = [LETTERS.get(self.chips.get(square, ""), ".") for square in SQUARES]
        for n, square in enumerate(SQUARES):
            letters[n] = letters[n].upper() if square in shown else letters[n]
        return {
            "line": number,
            "ok": not fair,
            "turn": None if self.over else self.turn,
            "score": {team: self.score(team) for team in self.teams},
            "position": "/".join(
                "".join(letters[n : n + 10]) for n in range(0, 100, 10)
            ),
            "dead": self.dead_cards(),
            "over": self.over,
            **extra,
        }, fair

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
        counts = cards is not None and not codes & MISFITS
        if counts and cards is not None and not self.explained([*self.played, cards]):
            codes |= {"card-count-exceeded", "wild-count-impossible"}
        return codes

    def wrong_card(self, line: Line, team: str) -> set[str]:
        return {"card-without-action", "malformed"}

    def wrong_place(self, line: Line, team: str) -> set[str]:
        square, card = line["place"], line.get("card")
        codes = self.wrong_total(team)
        if square in self.chips:
            codes |= {"stacked-chips"}
        if square in self.free:
            return codes | {"chip-on-corner", "wrong-square"}
        if card in self.taking:
            codes |= {"pickup-card-used-to-place", "wrong-square"}
            codes |= {"remove-card-used-to-place"} if card == "REMOVE" else set()
        elif card == "JOKER":
            codes |= set() if square in CORNERS else {"joker-off-corner"}
        elif card in self.wild:
            codes |= set() if self.wild_may_go(square) else {"corner-without-joker"}
        elif card is not None and card != self.card_on[square]:
            codes |= {"wrong-square"}
            codes |= {"corner-without-joker"} if self.card_on[square] == "XX" else set()
        if self.game != "jacks-rule" and not codes:
            self.chips[square] = team
            codes |= self.wrong_runs(line.get("run", []), team, square)
            del self.chips[square]
        return codes

    def wrong_total(self, team: str) -> set[str]:
        spent = list(self.chips.values()).count(team) >= PIECES[self.game]
        return {"wrong-chip-total"} if spent else set()

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
        codes = {"turn-over-without-run"} if line.get("run") else set()
        if square not in self.chips:
            codes |= {"nothing-there"}
        elif self.chips[square] == team:
            codes |= {"own-chip-removed"}
        if self.frozen(square):
            codes |= {"frozen-chip-removed"}
        if card is not None and card not in self.taking:
            codes |= {"place-card-used-to-remove"}
            codes |= {"add-card-used-to-remove"} if card == "ADD" else set()
        return codes

    def wrong_swap(self, line: Line, team: str) -> set[str]:
        if self.game != "jacks-rule":
            return {"replaced-same-turn"}
        square, card = line["swap"], line.get("card")
        codes = self.wrong_total(team)
        if card is not None and card not in self.taking:
            codes |= {"swap-without-one-eyed-jack"}
        if square not in self.chips:
            return codes | {"nothing-there"}
        if square in CORNERS:
            codes |= {"corner-peg-removed"}
        if self.chips[square] == team:
            codes |= {"one-eyed-jack-on-own-peg", "own-chip-removed"}
        return codes | ({"row-broken"} if self.breaks_row(square) else set())

    def wrong_dead(self, line: Line, team: str) -> set[str]:
        codes = (
            set() if self.is_dead(line["dead"], team) else {"live-card-declared-dead"}
        )
        limit = self.rules.get("dead-cards-per-turn", 1)
        limited = self.game != "jacks-rule" and limit == 1
        return codes | ({"too-many-dead-cards"} if limited and self.dead else set())

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
