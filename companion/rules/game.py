"""The plug: what the referee, the page and the lights ask of any game."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from companion.rules.board import Board, Cell, Look
from companion.rules.verdict import Violation

Line = Mapping[str, Any]
"""One JSON object of a game record (record-format.md)."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits where; a player's number is the place in the seating order."""

    name: str
    team: str


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a record, its types checked but not yet its sense."""

    game: str
    players: tuple[Player, ...]
    board: str | tuple[str, ...] | None = None
    """A shipped board's name, or its rows "XX 2S ..."; None: the game's own."""
    rules: Mapping[str, object] = field(default_factory=dict)


class Meaning(Enum):
    """Why cells are lit. Lights and page turn meanings into colours and patterns."""

    RUN = "run"
    LAST_TURN = "last-turn"
    WRONG = "wrong"
    LOOK_HERE = "look-here"
    TURN_OVER = "turn-over"
    REACHABLE = "reachable"
    WON = "won"


@dataclass(frozen=True, slots=True)
class Highlight:
    """Cells worth showing, and whose they are ("" for nobody's)."""

    meaning: Meaning
    cells: tuple[Cell, ...]
    team: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended; no winners: a tie. Winners are players' numbers."""

    winners: tuple[int, ...]
    reason: str


class Turn(Protocol):
    """What one player did, as hands or a record line tell it. Each game has its own."""

    @property
    def by(self) -> int | None:
        """The player's number; None for events that are nobody's turn."""


P = TypeVar("P")
T = TypeVar("T", bound=Turn)


@dataclass(frozen=True, slots=True)
class Explanation(Generic[T]):
    """Turns that hands may have made one after the other, and how surprising that is.

    Attributes:
        turns: from the accepted position on; each is judged on the position
            that the ones before it leave. Empty: nothing was done.
        log_prior: natural logarithm of a weight; 0 for nothing done, a few
            nats less for each further legal turn, much less for illegal ones.
        violations: every rule the turns break, () if they are legal.
    """

    turns: tuple[T, ...]
    log_prior: float
    violations: tuple[Violation, ...] = ()


class Game(ABC, Generic[P, T]):
    """The rules as set up for one sitting: board, seats and house rules are fixed.

    Positions are immutable values; nothing here changes one, opens a file or
    asks the time. `turn_of`, `violations` and `apply` serve those who are told
    what was done; `explanations` and `appearance` those who look at the table.
    """

    name: str
    title: str
    piece_kind: ClassVar[str]
    """What lies on the board, "chips", "roads" or "cards": picks reader and drawing."""

    unwitnessed: tuple[str, ...] = ()
    """Sentences naming rules that the table cannot see (hands, table talk)."""

    board: Board
    players: tuple[Player, ...]

    # -- told ---------------------------------------------------------------

    @abstractmethod
    def start(self) -> P:
        """Return the position before the first turn."""

    @abstractmethod
    def turn_of(self, position: P, line: Line) -> T:
        """Read a record line.

        Raises:
            NotationError: the line is malformed; the sentence says why.
        """

    @abstractmethod
    def line_of(self, position: P, turn: T) -> dict[str, Any]:
        """Write a turn as a record line; `turn_of` reads it back."""

    @abstractmethod
    def violations(self, position: P, turn: T) -> tuple[Violation, ...]:
        """Return every rule the turn breaks, the most specific first; () if legal."""

    @abstractmethod
    def apply(self, position: P, turn: T) -> P:
        """Return the position after a turn, legal or physically possible."""

    @abstractmethod
    def state(self, position: P) -> dict[str, Any]:
        """Return the verdict keys of record-format.md that describe a position."""

    @abstractmethod
    def effects(self, position: P) -> dict[str, Any]:
        """Return the verdict keys of what the last turn brought about.

        `runs`, `eliminated`, `unverified`: shown once, with the turn itself.
        """

    @abstractmethod
    def describe(self, position: P, turn: T) -> str:
        """Say in a plain sentence what is done: "Ann puts a white chip on d6."."""

    @abstractmethod
    def to_move(self, position: P) -> int | None:
        """Return the number of the player on turn, None while nobody is."""

    @abstractmethod
    def outcome(self, position: P) -> Outcome | None:
        """Return how the game ended, None while it goes on."""

    @abstractmethod
    def highlights(self, position: P) -> tuple[Highlight, ...]:
        """Return what is worth lighting, the most important first."""

    def extras(self, position: P) -> dict[str, Any]:
        """Return what only this game's page shows, as JSON (where cars can drive)."""
        return {}

    def card_choices(
        self, position: P, turn: T
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the cards that may be named for a turn made on `position`.

        Returns:
            Those that explain the turn, and all others of the game; both () where
            the turn has no card.
        """
        return (), ()

    # -- seen ---------------------------------------------------------------

    @abstractmethod
    def looks(self) -> tuple[Look, ...]:
        """Return every look a cell can have; () if no reader exists yet."""

    @abstractmethod
    def appearance(self, position: P) -> Mapping[Cell, Look]:
        """Return what the camera should see on every cell (forward model)."""

    @abstractmethod
    def explanations(
        self, position: P, seen: Mapping[Cell, Look]
    ) -> Iterator[Explanation[T]]:
        """Yield what hands may have done so that the cells look as seen.

        Args:
            position: the accepted position.
            seen: looks of cells; the other cells are as `appearance` says.

        Yields:
            The likely ones first, legal or not, each of which leads to the
            looks given. At least one for any input: the last resort is
            `board-disturbed`.
        """

    def prior_bound(self, position: P, seen: Mapping[Cell, Look]) -> float:
        """Return a `log_prior` (nats) that no explanation of these looks exceeds.

        A tight bound spares the referee explanations that cannot matter.
        """
        return 0.0

    @abstractmethod
    def adopt(self, position: P, seen: Mapping[Cell, Look], to_move: int) -> T:
        """Return the event "the players accept the table as it now lies"."""


class GameKind(Protocol):
    """A game that can be set up; the registry holds these."""

    @property
    def name(self) -> str:
        """The id of record-format.md."""

    @property
    def title(self) -> str:
        """The name on the box."""

    @property
    def boards(self) -> Sequence[str]:
        """Names of the boards that ship with the program, the default first."""

    @property
    def teams(self) -> Sequence[str]:
        """Colours that a team may have, in the usual order; () for any name or none."""

    @property
    def told(self) -> bool:
        """Whether players tell their turns on the page; else a camera reads them."""

    @property
    def house_rules(self) -> Mapping[str, Sequence[object]]:
        """Values worth offering for each house rule, the default first."""

    def open(self, header: Header) -> Game[Any, Any]:
        """Set the game up.

        Raises:
            HeaderError: impossible players or teams, unknown board or house rule.
        """
