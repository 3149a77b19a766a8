"""Wiring of `companion play`: a table, its camera and lights, the match, the page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import Any

from calibration.demo import demo_scene, demo_table
from calibration.table import DEMO, Table, find_table
from companion import faults
from companion.attendant import Attendant
from companion.bots import Bots
from companion.errors import CompanionError, HeaderError
from companion.follower import Follower, Sight
from companion.games import GAMES
from companion.journal import Journal
from companion.match import Match, Playthrough
from companion.people import VirtualPeople
from companion.record import check_names, header_of, open_game, record_file, save_record
from companion.rules.board import EMPTY, Board, Cell
from companion.session import LOOKS, Session
from companion.snapshot import Snapshot
from hardware.cameras import Camera, open_camera
from hardware.lamps import Lamps
from hardware.layout import StripLayout, Wiring, control_pins
from hardware.recorded_camera import PhotoCamera, VideoCamera
from hardware.strips import Pixels, open_strip
from hardware.virtual_table import VirtualCamera, VirtualTable
from vision.scene import Piece, Scene
from vision.settle import Photos, Stillness
from web.app import create_app, qr_code, serve
from web.feed import Feed

VIRTUAL = "virtual"
RECORDS = "records"
SEED = 2017
Say = Callable[[str], None]

_BOTS_REST = (
    "A fault of this program stopped the bots; the game goes on: put chips yourself, "
    "or let the bots play again on the page."
)
_PAGE_FAILED = (
    "A fault of this program spoiled one answer of the page; the game goes on."
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was said on the command line; None or () for what was not."""

    folder: Path | None
    game: str | None
    source: str | None
    kind: str | None
    players: str | None
    rules: tuple[str, ...]
    host: str
    port: int
    record: Path | None

    @property
    def names(self) -> list[str]:
        """The players' names in seating order.

        Raises:
            HeaderError: two have the same.
        """
        names = [name.strip() for name in (self.players or "Ann,Ben").split(",")]
        check_names(names)
        return names

    @property
    def house_rules(self) -> dict[str, object]:
        """The house rules by name.

        Raises:
            HeaderError: one is not written name=value.
        """
        return dict(map(_house_rule, self.rules))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where is played: a calibrated table, the virtual one, or anywhere (told)."""

    game: str
    name: str
    table: Table | None = None
    scene: Scene | None = None


class _Kept:
    """Keeps the record of every game in a file of its own.

    Args:
        path: of the file that was asked for, of the first game; None for one that is
            named after the table and the day.
        table: the beginning of such names, with its folder.
    """

    def __init__(self, path: Path | None, table: Path) -> None:
        self._path, self._table = path, table
        self._game: Playthrough | None = None
        self._record: list[Mapping[str, Any]] = []
        self._file = table
        self._told: Playthrough | None = None

    def save(self, game: Playthrough) -> None:
        """Write what has been played of a game.

        Raises:
            RecordUnreadable: it cannot be kept there.
        """
        record = list(game.record())
        # Nobody looks for a game that was not played, but for a file asked for.
        unplayed = len(record) == 1 and game is not self._game
        if record == self._record or (self._path is None and unplayed):
            return
        if game is not self._game:
            self._game, self._file = game, record_file(self._named(record), record)
        save_record(self._file, record)
        self._record = record

    def tell(self, say: Say) -> None:
        """Say where the game is kept, once for each."""
        if self._game is not self._told:
            self._told = self._game
            say(f"The game is kept in {self._file}.")

    def _named(self, record: Sequence[Mapping[str, Any]]) -> Path:
        if self._path:
            return self._path
        day = datetime.fromisoformat(record[1]["at"]).date()  # of the first turn
        return self._table.with_name(f"{self._table.name}-{day}.jsonl")


def now() -> datetime:
    """Return the wall clock's time with its offset."""
    return datetime.now().astimezone()


def play(wishes: Wishes, home: Path, say: Say) -> None:
    """Referee games at a table until interrupted.

    Raises:
        CompanionError: something that was asked for cannot be had.
    """
    with ExitStack() as stack:
        place = _place(wishes, home)
        later: list[str] = []  # whoever starts it waits for the page's address
        match = _match(wishes, place, home, stack, later.append)
        virtual = _laid(place.scene, match) if place.scene else None
        camera = _camera(wishes, place, virtual)
        feed = Feed()

        def failed(fault: Exception, said: str) -> None:
            say(faults.keep(fault, home, said))

        follower = Follower(match, now, _sight(place) if camera else None)
        board = follower.game.board
        wired = place.table is not None and place.table.strip is not None
        kind = wishes.kind or ("ws281x" if wired else "page")
        lamps = stack.enter_context(
            _lamps(kind, place.table, board, _shown_on(board, feed, virtual), say)
        )
        watchers: list[Callable[[Snapshot], None]] = [feed.publish]
        kept = _Kept(wishes.record, home / RECORDS / Path(place.name).name)
        kept.save(match.game)  # what cannot be kept is better known before the game

        def publish(snapshot: Snapshot) -> None:
            lamps.highlights = snapshot.highlights
            kept.save(match.game)
            kept.tell(say)
            for watcher in watchers:
                watcher(snapshot)

        recorded = isinstance(camera, PhotoCamera | VideoCamera)
        on_board = virtual is not None or kind not in ("page", "none")
        session = Session(
            follower,
            publish,
            feed.add_picture,
            dark=lamps.dark if on_board and not recorded else None,
            looks=1 if isinstance(camera, PhotoCamera) else LOOKS,
        )
        if place.table and place.table.controls is not None:
            pins = control_pins(place.table.controls, place.table.strip)
            attendant = Attendant(pins, session.ask, say)
            watchers.append(stack.enter_context(attendant).read)
        people = None
        if virtual and place.table:
            bots = Bots(virtual, place.table.header_board, session.ask, SEED)
            people = stack.enter_context(
                VirtualPeople(
                    virtual, bots, feed.touch, lambda fault: failed(fault, _BOTS_REST)
                )
            )
            watchers.append(people.read)
        app = create_app(
            feed,
            session.ask,
            virtual=people,
            export=lambda: _lines(match),
            failed=lambda fault: failed(fault, _PAGE_FAILED),
        )
        serving = stack.enter_context(serve(app, feed, wishes.host, wishes.port))
        say(f"{follower.game.title} at {serving.address}\n\n{qr_code(serving.address)}")
        say("Open the page on any phone in the same network; stop with Ctrl-C.")
        for sentence in later:
            say(sentence)
        try:
            if camera and place.table:
                reader = place.table.reader()
                squares = place.table.squares()
                still = Stillness(squares, lambda: reader.pose)
                photos = isinstance(camera, PhotoCamera)
                session.run(camera, reader, Photos() if photos else still)
            else:
                session.run()
        except KeyboardInterrupt:
            say("\nUntil next time: the game goes on where it was.")


def _place(wishes: Wishes, home: Path) -> _Place:
    """Return where is played.

    Raises:
        TableMismatch: there is no such table, or it is broken.
        HeaderError: there is no such game, or it cannot be played there.
    """
    kind = GAMES.get(wishes.game or "gridlock")
    if kind is None:
        raise HeaderError(
            f'There is no game "{wishes.game}"; there are {", ".join(GAMES)}.'
        )
    # Before anything takes long: can so many people play this, by these rules?
    header = _header(kind.name, wishes.names, kind.teams, rules=wishes.house_rules)
    game = open_game(header_of(header))
    if str(wishes.folder) == DEMO:
        scene = demo_scene(kind.name, game.board)
        table = demo_table(kind.name, kind.boards[0], scene)
        return _Place(kind.name, f"{DEMO}-{kind.name}", table, scene)
    if wishes.folder is None and wishes.game and not game.looks():
        if wishes.source:
            raise HeaderError(
                f"No camera reads {kind.title} yet; leave --camera away and tell the "
                "turns on the page."
            )
        return _Place(kind.name, f"told-{kind.name}")
    folder = find_table(wishes.folder, home)
    table = Table.load(folder)
    if wishes.game and wishes.game != table.game:
        raise HeaderError(
            f"{folder} was calibrated for {table.game}, not for {wishes.game}; "
            f"calibrate a table for {wishes.game}."
        )
    return _Place(table.game, str(folder.resolve()), table)


def _header(
    game: str, names: Sequence[str], colours: Sequence[str], **more: Any
) -> dict[str, Any]:
    """Return a record header; teams sit in turn, as few as the game allows.

    Raises:
        HeaderError: so many players cannot play this game.
    """
    refusal: HeaderError | None = None
    for count in (2, 3, len(names)):
        teams = cycle(colours[:count])
        players = [
            {"name": name, "team": next(teams)} if colours else {"name": name}
            for name in names
        ]
        header = {"record": 1, "game": game, "players": players, "rules": {}, **more}
        try:
            open_game(header_of(header))
            return header
        except HeaderError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _match(
    wishes: Wishes, place: _Place, home: Path, stack: ExitStack, say: Say
) -> Match:
    """Take the table's match up again, or begin the one that was asked for."""
    name = hashlib.sha256(place.name.encode()).hexdigest()[:12]
    path = home / RECORDS / f"{Path(place.name).name}-{name}.sqlite"
    journal = Journal(path)
    stack.callback(journal.close)
    match = Match(journal)
    journal.reserve()
    sight = _sight(place)
    asked = wishes.players or wishes.rules
    # What was played when the table was calibrated otherwise, its camera cannot read.
    known = match.games and (sight is None or sight.reads(match.game))
    if known and not asked and match.game.game.name == place.game:
        return match
    more: dict[str, Any] = {"rules": wishes.house_rules}
    colours = GAMES[place.game].teams
    if place.table:
        colours = place.table.teams or colours
        more["board"] = place.table.header_board
    header = _header(place.game, wishes.names, colours, **more)
    if not match.games or dict(match.games[0].header) != header:
        if match.games and match.game.lines and not match.game.outcome:
            left = _Kept(None, home / RECORDS / Path(place.name).name)
            left.save(match.game)
            left.tell(lambda where: say(f"An unfinished game is given up. {where}"))
        match.begin(header, now())
    return match


def _sight(place: _Place) -> Sight | None:
    table = place.table
    return Sight(table.game, table.header_board, table.teams) if table else None


def _house_rule(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise HeaderError(f'A house rule is written name=value, not "{text}".')
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _laid(scene: Scene, match: Match) -> VirtualTable:
    """Return the virtual table with its pieces where the match left them."""
    game = match.game.game
    looks = game.appearance(match.game.position)
    pieces = {cell: Piece(look) for cell, look in looks.items() if look != EMPTY}
    return VirtualTable(replace(scene, pieces=pieces), people=len(game.players))


def _camera(
    wishes: Wishes, place: _Place, virtual: VirtualTable | None
) -> Camera | None:
    """Return the camera of a place, not yet opened; None where everything is told."""
    if place.table is None:
        return None
    source = wishes.source or place.table.camera
    if source == VIRTUAL:
        if virtual is None:
            raise CompanionError(
                "The virtual camera looks at the virtual table only: --table demo."
            )
        return VirtualCamera(virtual, idle=0.3)
    if not source:
        raise CompanionError(
            "This table does not say which camera it has; name it with --camera, "
            "for example --camera pi or --camera usb:0."
        )
    return open_camera(source, place.table.photos)


def _lamps(
    kind: str,
    table: Table | None,
    board: Board,
    shown: Callable[[Sequence[Cell], Pixels], None],
    say: Say,
) -> Lamps:
    """Return the lamps of a table, not yet opened; drawn on the page by default."""
    wiring, layout = None, StripLayout(tuple(board.cells))
    if table and table.strip is not None:
        wiring = Wiring.from_json(table.strip)
        layout = wiring.layout(board)
    strip = open_strip(
        kind,
        len(layout.cells),
        wiring,
        lambda pixels: shown(layout.cells, pixels),
    )
    return Lamps(strip, layout, say)


def _shown_on(
    board: Board, feed: Feed, virtual: VirtualTable | None
) -> Callable[[Sequence[Cell], Pixels], None]:
    """Return what draws lamps: on the page, and on a virtual table."""

    def shown(cells: Sequence[Cell], pixels: Pixels) -> None:
        colour = dict(zip(cells, pixels, strict=True))
        feed.show_lights(colour[cell] for cell in board.cells if cell in colour)
        if virtual:
            virtual.show_leds(pixels)

    return shown


def _lines(match: Match) -> Iterator[str]:
    return (json.dumps(line) for line in match.game.record())
