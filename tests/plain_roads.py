"""Boston played by the book, plainly: a second opinion, and players for random games.

Nothing here uses the referee's bits, networks or judge: sides are words, a drive is
a walk, and everything is worked out anew each time.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.games.boston import TILES
from companion.rules.road_map import Space
from tests.road_boards import BOSTON_MAP

STEPS = {
    "N": (0, -2),
    "NE": (1, -1),
    "SE": (1, 1),
    "S": (0, 2),
    "SW": (-1, 1),
    "NW": (-1, -1),
}
SIDES = list(STEPS)
FACING = {"N": "S", "S": "N", "NE": "SW", "SW": "NE", "SE": "NW", "NW": "SE"}
SPACES = {str(cell): space for cell, space in BOSTON_MAP.spaces.items()}
PLACES = sorted(cell for cell, space in SPACES.items() if space is Space.DESTINATION)
TUNNELS = {"7,4": {"N", "NW"}, "5,16": {"N", "NW"}}


def beside(cell: str, side: str) -> str:
    column, row = map(int, cell.split(","))
    return f"{column + STEPS[side][0]},{row + STEPS[side][1]}"


def by_column(cells: set[str]) -> list[str]:
    return sorted(cells, key=lambda cell: tuple(map(int, cell.split(","))))


@dataclass
class PlainTable:
    """A table of Boston, changed in place by turns that are legal.

    Attributes:
        kinds: which of the 16 kinds of tile lies on each space.
        goals: the secret cards each player still holds.
    """

    colours: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    tiles: dict[str, set[str]] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    cones: set[str] = field(default_factory=set)
    cars: list[str] = field(default_factory=list)
    cubes: list[set[str]] = field(default_factory=list)
    goals: list[set[str]] = field(default_factory=list)
    first_tiles: int = 0
    on_turn: int | None = 0
    winner: int | None = None
    last_turns: int = 0

    # -- the rules -----------------------------------------------------------------

    def special(self, colour: str, player: int | None = None) -> bool:
        """Whether the special cars are played, and this player's is of a colour."""
        return bool(self.options.get("specials")) and (
            player is None or self.colours[player] == colour
        )

    def is_open(self, cell: str, side: str, player: int) -> bool:
        match SPACES.get(cell):
            case Space.EMPTY:
                return side in self.tiles.get(cell, ())
            case Space.TUNNEL:
                return side in TUNNELS[cell]
            case Space.DESTINATION:
                return True
            case Space.WATER:
                return self.special("blue", player)
            case Space.PARK:
                return self.special("green", player)
            case _:
                return False

    def neighbours(self, cell: str, player: int) -> list[str]:
        ways = [
            beside(cell, side)
            for side in SIDES
            if self.is_open(cell, side, player)
            and self.is_open(beside(cell, side), FACING[side], player)
        ]
        return ways + [t for t in TUNNELS if cell in TUNNELS and t != cell]

    def forces(self, cell: str, player: int) -> bool:
        """Return M(cell) of rulings 5.4, variant by variant."""
        if self.special("red", player):
            return False
        others = [n for n in range(len(self.cars)) if n != player]
        return (
            cell in self.cones
            or any(self.special("yellow", n) and self.cars[n] == cell for n in others)
            or (
                self.options.get("traffic", False)
                and cell in [self.cars[n] for n in others]
            )
            or (
                self.options.get("congestion", False)
                and sum(cell in cubes for cubes in self.cubes) >= 2
            )
        )

    def reach(self, player: int, stops: int) -> set[str]:
        """Return where a walk can end: every state (space, stops used, stopped here).

        A walk may stop freely on any space it enters; it must on a forced one; it
        goes on while stops are left, and ends with a stop.
        """
        seen = {(self.cars[player], 0, False)}
        walks = list(seen)
        while walks:
            cell, used, _ = walks.pop()
            if used == stops:
                continue
            for other in self.neighbours(cell, player):
                entries = [(other, used + 1, True)]
                if not self.forces(other, player):
                    entries.append((other, used, False))
                walks += [entry for entry in entries if entry not in seen]
                seen.update(entries)
        return {cell for cell, _, has_stopped in seen if has_stopped}

    def zones(self, player: int | None = None) -> set[str]:
        centres = set(self.cones)
        for n, car in enumerate(self.cars):
            if self.special("yellow", n) and n != player:
                centres.add(car)
        around = {beside(cell, side) for cell in centres for side in SIDES}
        return centres | (around & SPACES.keys())

    def state(self) -> dict[str, Any]:
        """Return what a verdict says of this table."""
        players = range(len(self.colours))
        return {
            "turn": self.on_turn,
            "score": {str(n): len(self.cubes[n]) if self.cubes else 0 for n in players},
            "cars": {str(n): car for n, car in enumerate(self.cars)},
            "tiles": {
                cell: [side for side in SIDES if side in sides]
                for cell, sides in self.tiles.items()
            },
            "cones": by_column(self.cones),
            "zones": by_column(self.zones()),
            "over": None if self.winner is None else {"winner": self.winner},
        }

    # -- random legal turns: each changes the table and returns its record line ----

    def play(self, random: Random) -> dict[str, Any]:
        """Take a turn; the game must not be over."""
        if not self.cars:
            return self._start(random)
        if self.first_tiles < len(self.colours):
            by = self.on_turn
            if self.first_tiles == 0:
                by = random.randrange(len(self.colours))
            assert by is not None
            self.first_tiles += 1
            line = {"by": by, "first": self._place(random)}
            self.on_turn = (by + 1) % len(self.colours)
            return line
        by = self.on_turn
        assert by is not None
        had_won = self.winner is not None
        if self.options.get("quick_trip"):
            what: dict[str, Any] = {"trip": self._trip(random, by)}
        elif random.random() < (0.7 if self._sees_a_goal(by, 2) else 0.2):
            what = {"drive": self._drive(random, by)}
        else:
            what = {"build": self._build(random, by)}
        self._pass_on(by, had_won)
        return {"by": by, **what}

    def _start(self, random: Random) -> dict[str, Any]:
        cards = [random.sample(PLACES, 7) for _ in self.colours]
        starts = random.sample(PLACES, len(self.colours))
        self.cars = starts
        places = self.options.get("places", 6)
        self.cubes = [set() if places == 7 else {start} for start in starts]
        goals = 6 if places == 7 else places - 1
        self.goals = [
            set([card for card in hand if card != start][:goals])
            for hand, start in zip(cards, starts, strict=True)
        ]
        self.cars = list(starts)
        return {"start": {str(n): start for n, start in enumerate(starts)}}

    def _pass_on(self, by: int, had_won: bool) -> None:
        if had_won:
            self.last_turns -= 1
        elif self.winner is not None:
            self.last_turns = len(self.colours) - 1
        done = self.winner is not None and self.last_turns == 0
        self.on_turn = None if done else (by + 1) % len(self.colours)

    def _build(self, random: Random, by: int) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        placed = 0
        for _ in range(random.randint(0, 4)):
            if ways := self._ways_to_build(by, may_place=placed < 2):
                items.append(getattr(self, random.choice(ways))(random, by))
                placed += "place" in items[-1]
        return items

    def _ways_to_build(self, by: int, may_place: bool) -> list[str]:
        free = self.tiles.keys() - self.zones(by)
        cones = not self.options.get("quick_trip") or self.options.get(
            "quick_trip_cones"
        )
        # Some space is left for roads to change: 64 tiles nearly fill the map.
        ways = ["_place"] * 3 * (may_place and len(self.tiles) < 58)
        ways += ["_rotate"] * 2 * bool(free)
        ways += ["_remove"] * bool(free - set(self.cars))
        ways += ["_cone"] * bool(cones and len(self.cones) < 2)
        ways += ["_clear"] * bool(cones and self.cones)
        return ways

    def _place(self, random: Random, _by: int = 0) -> dict[str, Any]:
        lying = list(self.kinds.values())
        kind = random.choice(
            [n for n, (_, copies) in enumerate(TILES) if lying.count(n) < copies]
        )
        free = [
            cell
            for cell, space in SPACES.items()
            if space is Space.EMPTY and cell not in self.tiles
        ]
        cell = random.choice(free)
        roads = self._turned(TILES[kind][0].split(), random)
        self.tiles[cell], self.kinds[cell] = set(roads), kind
        return {"place": cell, "roads": roads}

    def _rotate(self, random: Random, by: int) -> dict[str, Any]:
        cell = random.choice(sorted(self.tiles.keys() - self.zones(by)))
        roads = self._turned(self.tiles[cell], random)
        self.tiles[cell] = set(roads)
        return {"rotate": cell, "roads": roads}

    def _turned(self, sides: Any, random: Random) -> list[str]:
        by = random.randrange(6)
        roads = [SIDES[(SIDES.index(side) + by) % 6] for side in sides]
        random.shuffle(roads)
        return roads

    def _remove(self, random: Random, by: int) -> dict[str, Any]:
        cell = random.choice(
            sorted(self.tiles.keys() - self.zones(by) - set(self.cars))
        )
        del self.tiles[cell], self.kinds[cell]
        return {"remove": cell}

    def _cone(self, random: Random, _by: int) -> dict[str, Any]:
        cell = random.choice(sorted(SPACES.keys() - self.cones))
        self.cones.add(cell)
        return {"cone": cell}

    def _clear(self, random: Random, _by: int) -> dict[str, Any]:
        cell = random.choice(sorted(self.cones))
        self.cones.remove(cell)
        return {"clear": cell}

    def _sees_a_goal(self, by: int, stops: int) -> bool:
        return bool(self.goals[by] & self.reach(by, stops))

    def _drive(self, random: Random, by: int) -> list[dict[str, Any]]:
        stops: list[dict[str, Any]] = []
        for _ in range(random.choice((1, 2, 2, 2))):
            if self.goals[by] and (leg := self._leg(random, by)):
                stops.append({"to": leg.pop("drive"), **leg})
        return stops

    def _leg(self, random: Random, by: int) -> dict[str, Any]:
        """Drive to one stop, {} where no road leads from the car's space."""
        ends = self.reach(by, 1)
        if not ends:
            return {}
        goals = by_column(ends & self.goals[by])
        end = random.choice(goals or by_column(ends))
        self.cars[by] = end
        if end not in self.goals[by] or random.random() < 0.1:
            return {"drive": end}
        self.goals[by].remove(end)
        self.cubes[by].add(end)
        if not self.goals[by] and self.winner is None:
            self.winner = by
        return {"drive": end, "scores": True}

    def _trip(self, random: Random, by: int) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        for _ in range(random.randint(0, 3)):
            if not self.goals[by]:
                break
            if random.random() < (0.7 if self._sees_a_goal(by, 1) else 0.2):
                items += filter(None, [self._leg(random, by)])
                continue
            placed = sum("place" in item for item in items)
            if ways := self._ways_to_build(by, may_place=placed < 2):
                items.append(getattr(self, random.choice(ways))(random, by))
        return items
