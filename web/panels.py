"""What the panels of the page say, worked out from a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.games import GAMES
from companion.rules.board import EMPTY, Cell, Look
from companion.rules.verdict import Kind, Response, Violation
from companion.rules.words import CARD, card_name, is_suited, look_name, place_name
from companion.snapshot import News, Snapshot

REMEDIES = {
    Response.UNDO: "Put the table back as it was, or accept it as it lies.",
    Response.WARN: "Noted; play goes on.",
    Response.PENALTY: "The rules name a penalty.",
    Response.FIX: "The referee has put the score right.",
}


@dataclass(frozen=True, slots=True)
class Side:
    """A team, or a player who plays for himself.

    Attributes:
        key: the key of the score: a team, or a player's number as text.
        title: what to call the side.
        people: its players, where the title does not name them.
        team: the team that gives the side its colour, "" for none.
        score: points, runs or cubes.
        on_turn: the name of the player on turn, "" if it is none of theirs.
        won: whether the side has won the running game.
    """

    key: str
    title: str
    people: str
    team: str
    score: int
    on_turn: str
    won: bool


def sides(snapshot: Snapshot) -> list[Side]:
    """Return the sides in seating order, each with its score."""
    score: Mapping[str, Any] = snapshot.state.get("score") or {}
    turn = snapshot.state.get("turn")
    won = winners(snapshot)
    found = []
    for key in score:
        single = key.isdigit() and int(key) < len(snapshot.players)
        seats = (
            [int(key)]
            if single
            else [n for n, p in enumerate(snapshot.players) if p.team == key]
        )
        names = [snapshot.players[n].name for n in seats]
        team = snapshot.players[seats[0]].team if seats else key
        found.append(
            Side(
                key=key,
                title=names[0] if single else key.capitalize(),
                people=team if single else ", ".join(names),
                team=team,
                score=int(score[key]),
                on_turn=snapshot.players[turn].name if turn in seats else "",
                won=bool(won.intersection({key, team, *map(str, seats)})),
            )
        )
    return found


def winners(snapshot: Snapshot) -> set[str]:
    """Return who won the running game: teams, or players' numbers as text."""
    over: Mapping[str, Any] = snapshot.state.get("over") or {}
    named = over.get("winners", [over["winner"]] if "winner" in over else [])
    return {str(winner) for winner in named}


def turn_sentence(snapshot: Snapshot) -> str:
    """Say whose turn it is, or how the game ended."""
    over = snapshot.state.get("over")
    if over:
        names = [side.title for side in sides(snapshot) if side.won]
        return f"{' and '.join(names)} won the game." if names else "The game is a tie."
    turn = snapshot.state.get("turn")
    if turn is None:
        return "Nobody is on turn."
    player = snapshot.players[turn]
    return (
        f"{player.name} ({player.team}) is on turn."
        if player.team
        else (f"{player.name} is on turn.")
    )


def headline(snapshot: Snapshot) -> str:
    """Say what just happened: the verdict, the last turn, or whose turn it is."""
    last = next((news.text for news in reversed(snapshot.story) if not news.codes), "")
    return snapshot.text or last or turn_sentence(snapshot)


def announcement(snapshot: Snapshot) -> str:
    """Say turn and score in one breath, for those who listen."""
    score = ", ".join(f"{side.title} {side.score}" for side in sides(snapshot))
    return f"{turn_sentence(snapshot)} {score}."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, in one sentence; it may break several rules."""

    text: str
    rules: tuple[str, ...]
    codes: tuple[str, ...]
    squares: tuple[Cell, ...]


def troubles(violations: tuple[Violation, ...]) -> list[Trouble]:
    """Return what is wrong, each sentence once, with its squares and rules."""
    by_text: dict[str, list[Violation]] = {}
    for violation in violations:
        by_text.setdefault(violation.text, []).append(violation)
    return [
        Trouble(
            text,
            tuple(dict.fromkeys(v.rule for v in same if v.rule)),
            tuple(v.code for v in same),
            tuple(dict.fromkeys(cell for v in same for cell in v.cells)),
        )
        for text, same in by_text.items()
    ]


def remedies(violations: tuple[Violation, ...]) -> list[str]:
    """Say what follows, each remedy once."""
    return list(dict.fromkeys(REMEDIES[v.response] for v in violations))


def pictures(snapshot: Snapshot) -> News | None:
    """Return the entry whose pictures show the present violation, None without any."""
    if not snapshot.violations:
        return None
    newest = next((n for n in reversed(snapshot.story) if n.codes), None)
    return newest if newest and (newest.before or newest.after) else None


def tone(snapshot: Snapshot) -> str:
    """Return how the news are to be taken: alarm, ask, warn, won or calm."""
    if snapshot.violations:
        return "alarm"
    if snapshot.kind is Kind.UNCERTAIN or snapshot.doubtful:
        return "ask"
    if snapshot.choices and snapshot.status in (
        "lost",
        "moved",
        "unclear",
        "no-camera",
    ):
        return "warn"  # where nothing is read, nobody misses the camera
    return "won" if snapshot.state.get("over") else "calm"


def clock(at: str) -> str:
    """Return hours and minutes of an ISO 8601 time, "" if there is none."""
    return at[11:16]


def looks_to_choose(snapshot: Snapshot) -> list[tuple[Look, str]]:
    """Return the looks a square may be corrected to, with their names."""
    return [(look, look_name(look)) for look in snapshot.choices]


@dataclass(frozen=True, slots=True)
class Square:
    """One cell of the board as text."""

    name: str
    printed: str
    look: str


def board_rows(snapshot: Snapshot) -> list[list[Square]]:
    """Return the board as rows of text, top row first.

    Cells belong to one row when their outlines begin at the same height.
    """
    rows: dict[float, list[Square]] = {}
    for cell, outline in snapshot.outlines.items():
        look = snapshot.looks.get(cell, EMPTY)
        top = round(min(y for _, y in outline), 1)
        rows.setdefault(top, []).append(
            Square(
                place_name(cell, snapshot.players),
                snapshot.printed.get(cell, ""),
                look_name(look),
            )
        )
    return [rows[top] for top in sorted(rows)]


@dataclass(frozen=True, slots=True)
class Card:
    """A playing card, or a word on a card ("TX", "ADD").

    Attributes:
        code: as records write it.
        rank: what is shown of it, the suit left out.
        suit: S, H, D, C, or "" for none.
        name: in words.
    """

    code: str
    rank: str
    suit: str
    name: str

    @property
    def warm(self) -> bool:
        """Whether it is a red card."""
        return self.suit in ("H", "D")


def card(snapshot: Snapshot, code: str) -> Card:
    """Read the code of a card of this game's deck."""
    suited = is_suited(snapshot.printed.values())
    match = CARD.fullmatch(code) if suited else None
    rank, suit = match.groups() if match else (code, "")
    name = card_name(code, suited=suited)
    return Card(code, "10" if rank == "T" else rank, suit, name)


def pad(snapshot: Snapshot) -> list[Card]:
    """Return the cards one may name, those that explain the turn first."""
    return [card(snapshot, code) for code in snapshot.cards]


def teams(snapshot: Snapshot) -> list[str]:
    """Return the teams in the order in which they sit."""
    return list(dict.fromkeys(player.team for player in snapshot.players))


def unit(snapshot: Snapshot, count: int) -> str:
    """Return what the score counts: "runs", or "run" for one."""
    one: str = snapshot.extras.get(
        "run", "cube" if "cubes" in snapshot.extras else "point"
    )
    return one if count == 1 else f"{one}s"


def goal(snapshot: Snapshot) -> int | None:
    """Return how many of them win, None where that does not end the game."""
    extras = snapshot.extras
    wanted: int | None = extras.get("needed", extras.get("goal"))
    return wanted


def draws(snapshot: Snapshot) -> list[str]:
    """Say who draws how many cards: now, and later for cards not drawn in time."""
    names = [player.name for player in snapshot.players]
    now: Mapping[str, int] = snapshot.extras.get("draws", {})
    owed: Mapping[str, int] = snapshot.extras.get("owed", {})
    return [
        f"{names[int(player)]} draws {cards(count)}."
        for player, count in now.items()
        if count
    ] + [
        f"{names[int(player)]} draws {cards(count)} more after the next play."
        for player, count in owed.items()
        if count
    ]


def cards(count: int) -> str:
    """Return "a card" or "2 cards"."""
    return "a card" if count == 1 else f"{count} cards"


NEWEST = 12


def newest(snapshot: Snapshot) -> list[News]:
    """Return the newest entries of the story, the newest first."""
    return list(snapshot.story[: -NEWEST - 1 : -1])


def standing(snapshot: Snapshot) -> list[str]:
    """Say where the match stands: which game, who has won how many; [] for one game."""
    match = snapshot.score
    if match.best_of in (None, 1) and not match.ends_at and match.game_number == 1:
        return []
    of = f", best of {match.best_of}" if match.best_of else ""
    words = [f"Game {match.game_number}{of}"]
    if match.wins:
        won = ", ".join(f"{who.capitalize()} {n}" for who, n in match.wins.items())
        words.append(f"Games won: {won}")
    if match.winner == "tie":
        words.append("The match is a tie.")
    elif match.winner:
        words.append(f"{match.winner.capitalize()} won the match.")
    return words


@dataclass(frozen=True, slots=True)
class Car:
    """Where a player's car is and could drive to, spaces by their names."""

    number: int
    name: str
    team: str
    place: str
    goals: tuple[str, ...]
    one: tuple[str, ...]
    two: tuple[str, ...]


def cars(snapshot: Snapshot) -> list[Car]:
    """Return every car on the map, with what it could reach."""
    extras = snapshot.extras
    return [
        Car(
            number=int(player),
            name=snapshot.players[int(player)].name,
            team=snapshot.players[int(player)].team,
            place=space_name(snapshot, at),
            goals=tuple(
                space_name(snapshot, cell)
                for cell, cubes in extras["cubes"].items()
                if int(player) in cubes
            ),
            one=tuple(space_name(snapshot, c) for c in extras["reach"][player]["one"]),
            two=tuple(space_name(snapshot, c) for c in extras["reach"][player]["two"]),
        )
        for player, at in snapshot.state["cars"].items()
    ]


def space_name(snapshot: Snapshot, cell: str) -> str:
    """Return a destination's name, or the space's own."""
    name: str = snapshot.extras["destinations"].get(cell, cell)
    return name


def setups(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return what the form for a new match offers, as JSON.

    The board that lies on the table comes first: it may be one of its own.
    """
    return [
        {
            "game": kind.name,
            "title": kind.title,
            "boards": [snapshot.board]
            if snapshot.board and kind.name == snapshot.game
            else list(kind.boards),
            "teams": list(kind.teams),
            "rules": {name: list(values) for name, values in kind.house_rules.items()},
        }
        for kind in (GAMES[name] for name in snapshot.offered)
    ]


def seats(snapshot: Snapshot) -> list[dict[str, str]]:
    """Return who sits where, as a header says it."""
    return [{"name": each.name, "team": each.team} for each in snapshot.players]
