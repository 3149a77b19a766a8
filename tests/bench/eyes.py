"""How well the eyes read: `make eyes`, or python -m tests.bench.eyes --help.

Every set is calibrated as a user would, once with a samples photo and once with the
colours' names alone; the grid is looked for without help, and only where the program
asks for corners are the true ones given.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing import Pool
from typing import Any

import cv2
import numpy as np

from calibration.table import Table
from calibration.wizard import calibrate
from companion.errors import BoardNotFound
from companion.looking import look_letter
from companion.rules.board import Cell, Look, SquareBoard
from tests.bench.photos import (
    ALTERED,
    PHOTOS,
    RECOLOURED,
    RENDERED,
    compressed,
    photo_sets,
    seen_from_elsewhere,
)
from tests.bench.tally import (
    HEADER,
    Found,
    Reading,
    answers_of,
    corner_error,
    read_jpeg,
    reliability,
    row,
)
from vision.frame import Image
from vision.picture import decode_picture, read_picture
from vision.reader import BoardReader
from vision.scene import Scene, draw
from vision.scene.random_tables import (
    RandomTable,
    a_hand,
    barred,
    bumped,
    elsewhere,
    lamps_lit,
    random_table,
    strange_table,
    windowed,
)

Results = tuple[list[Reading], list[Found]]


# -- scenes ---------------------------------------------------------------------

PHOTOS_OF_A_TABLE = (
    ("same light", 3),
    ("other light", 7),
    ("hands", 4),
    ("lamps lit", 2),
    ("bumped", 4),
    ("windows", 2),
    ("bars", 2),
)
"""Kinds of photos, and how many are taken of each table."""

PER_TABLE = sum(count for _, count in PHOTOS_OF_A_TABLE)


STRANGE = 5
"""For each board of which no two are alike, so many of the others are read."""


def read_strange_table(number: int) -> Results:
    """Do what `read_random_table` does, for a table of another kind."""
    readings, found = read_random_table(number, strange_table)
    return [
        replace(reading, group=_strange(reading), tags=()) for reading in readings
    ], [replace(grid, group="strange") for grid in found]


def _strange(reading: Reading) -> str:
    return "strange" + " no samples" * reading.group.startswith("no samples")


def read_random_table(
    number: int, make: Callable[[int], RandomTable] = random_table
) -> Results:
    """Calibrate random table `number` twice, and read all its photos with both."""
    table = make(number)
    bare = table.bare
    rng = np.random.default_rng((4, number))
    grid = bare.corners()
    empty = _picture(bare)
    samples = _picture(table.samples(rng))
    readings, found = [], []
    with_samples, error = _calibrated(
        bare.board.written, empty, grid, samples=samples, kinds=table.kinds
    )
    found.append(Found("scenes", f"table {number}", error))
    tables = {"": with_samples}
    names, _ = _calibrated(bare.board.written, empty, grid, looks=table.looks)
    if names.looks:
        tables["no samples: "] = names
    readers = {prefix: (t.reader(), t.squares()) for prefix, t in tables.items()}
    for at, (kind, scene) in enumerate(_photos(table, rng)):
        data = _jpeg(scene)
        truth = "".join(look_letter(look) for look in scene.looks().values())
        for prefix, eyes in readers.items():
            reading = _reading(
                eyes,
                data,
                truth,
                group=prefix + kind,
                name=f"table {number} photo {at}",
                settled=kind != "hands",
                moved=kind == "bumped",
                tags=tuple(prefix + tag for tag in _tags(table, scene)),
            )
            readings.append(reading)
    return readings, found


ELSEWHERE = 2
"""Photos of a table that are taken from another place, each from its own."""


def read_from_elsewhere(number: int) -> Results:
    """Calibrate random table `number`; then somebody puts the camera elsewhere."""
    table = random_table(number)
    bare = table.bare
    rng = np.random.default_rng((5, number))
    samples = _picture(table.samples(rng))
    calibrated, _ = _calibrated(
        bare.board.written,
        _picture(bare),
        bare.corners(),
        samples=samples,
        kinds=table.kinds,
    )
    board = calibrated.squares()
    readings = []
    for at in range(ELSEWHERE):
        scene = table.in_play(rng, other_light=bool(rng.random() < 0.5))
        scene = replace(scene, view=elsewhere(rng, bare))
        truth = "".join(look_letter(look) for look in scene.looks().values())
        reading = _reading(
            (calibrated.reader(), board),
            _jpeg(scene),
            truth,
            group="elsewhere",
            name=f"table {number} from elsewhere {at}",
            settled=True,
            moved=True,
        )
        readings.append(reading)
    return readings, []


def _reading(
    eyes: tuple[BoardReader, SquareBoard],
    jpeg: bytes,
    truth: str,
    *,
    group: str,
    name: str,
    settled: bool,
    moved: bool,
    tags: tuple[str, ...] = (),
) -> Reading:
    """Read a photo, and hold it to the truth, a letter a square and " " if unknown."""
    reader, board = eyes
    said, seen, ms = read_jpeg(reader, board, jpeg)
    return Reading(
        group,
        tags,
        name,
        settled,
        len(truth) - truth.count(" "),
        answers_of(board, said, seen, truth),
        seen.moved != moved,
        ms,
    )


def _photos(
    table: RandomTable, rng: np.random.Generator
) -> Iterator[tuple[str, Scene]]:
    view = bumped(rng, table.bare)
    for kind, count in PHOTOS_OF_A_TABLE:
        for _ in range(count):
            always = kind in ("other light", "windows", "bars")
            lit = kind != "same light" and (always or rng.random() < 0.5)
            scene = table.in_play(rng, other_light=lit)
            if kind == "hands":
                scene = replace(scene, hands=(a_hand(rng, scene.board),))
            if kind == "lamps lit":
                scene = replace(scene, leds=lamps_lit(rng, scene.board))
            if kind == "bumped":
                scene = replace(scene, view=view)
            if kind == "windows":
                scene = windowed(rng, scene)
            if kind == "bars":
                scene = barred(rng, scene)
            yield kind, scene


def _tags(table: RandomTable, scene: Scene) -> tuple[str, ...]:
    """Return the rows that count a photo of a table again."""
    light, view = scene.light, table.bare.view
    tags = {
        "of these: pegs": scene.piece_style.shape == "peg",
        "of these: oblong squares": scene.board.cell_mm[0] != scene.board.cell_mm[1],
        "of these: tilt > 40 degrees": view.tilt > 40,
        "of these: worn prints": scene.board_style.wear > 0.5,
        "of these: disguised chips": table.disguised,
        "of these: markers": scene.board_style.markers,
        "of these: nothing mirrored": not (light.glare or light.windows),
    }
    across, down = view.size
    held = tuple(tag for tag, holds in tags.items() if holds)
    return (*held, f"of these: {across} x {down} px")


def _jpeg(scene: Scene) -> bytes:
    quality = scene.sensor.quality
    plain = draw(replace(scene, sensor=replace(scene.sensor, quality=0)))
    return compressed(plain, quality)


def _picture(scene: Scene) -> Image:
    return decode_picture(_jpeg(scene), "scene")


def _calibrated(
    rows: Sequence[str],
    empty: Image,
    corners: np.ndarray,
    told: np.ndarray | None = None,
    *,
    samples: Image | None = None,
    kinds: Mapping[Cell, Look] | None = None,
    looks: Sequence[Look] = (),
    game: str = "gridlock",
) -> tuple[Table, float | None]:
    """Calibrate; give the true corners only if they are told or asked for.

    Returns:
        The table, and how far its worst corner is off, in cells; None if asked.
    """
    make = partial(
        calibrate, game, rows, empty, samples=samples, kinds=kinds, looks=looks
    )
    try:
        table = make(corners=told).table
    except BoardNotFound:
        return make(corners=corners).table, None
    columns = len(rows[0].split())
    return table, corner_error(np.array(table.corners), corners, columns, len(rows))


# -- photos ---------------------------------------------------------------------


def read_photo_set(name: str) -> Results:
    """Calibrate a set of photos in both ways, and read them."""
    readings: list[Reading] = []
    found: list[Found] = []
    for part in photo_sets()[name]():
        ways: dict[str, dict[str, Any]] = {" no samples": {"looks": part.looks}}
        if part.samples is not None:
            ways[""] = {"samples": part.samples, "kinds": part.kinds}
        for suffix, how in ways.items():
            known = part.corners if part.built else None
            table, error = _calibrated(
                part.rows, part.empty, part.corners, known, game=part.game, **how
            )
            if not suffix and not part.built:
                found.append(Found(name, part.name, error))
            if not table.looks:
                continue
            eyes = table.reader(), table.squares()
            for photo in part.photos:
                reading = _reading(
                    eyes,
                    photo.path.read_bytes(),
                    photo.truth,
                    group=name + suffix,
                    name=photo.path.name,
                    settled=photo.settled,
                    moved=part.moved,
                )
                readings.append(reading)
    return readings, found


def read_altered_photos(number: int) -> Results:
    """Read settled photos of rendered set `number` as they would look otherwise.

    The sets were not drawn as the lessons were: what the eyes learnt from the way that
    those were drawn, and not from boards, does not help here.
    """
    name = RENDERED[number]
    (part,) = photo_sets()[name]()
    assert part.samples is not None
    readings: list[Reading] = []
    rng = np.random.default_rng((6, number))
    board = SquareBoard.of(part.rows)
    moving = partial(seen_from_elsewhere, rng, board, part.corners)
    changes = [(kind, _as_it_is, change) for kind, change in ALTERED.items()]
    changes += [("colours", change, change) for change in RECOLOURED]
    changes += [("elsewhere", _as_it_is, moving)]
    for kind, before, change in changes:
        table, _ = _calibrated(
            part.rows,
            before(part.empty),
            part.corners,
            samples=before(part.samples),
            kinds=part.kinds,
            game=part.game,
        )
        eyes = table.reader(), table.squares()
        for photo in part.photos:
            if photo.settled:
                reading = _reading(
                    eyes,
                    compressed(change(read_picture(photo.path)), 95),
                    photo.truth,
                    group=f"altered {kind}",
                    name=f"{name} {photo.path.name}",
                    settled=True,
                    moved=change is moving,
                )
                readings.append(reading)
    return readings, []


def _as_it_is(image: Image) -> Image:
    return image


# -- the table ------------------------------------------------------------------


def _run(job: tuple[str, int]) -> Results:
    name, number = job
    numbered = {
        "altered": read_altered_photos,
        "scenes": read_random_table,
        "elsewhere": read_from_elsewhere,
        "strange": read_strange_table,
    }
    return numbered[name](number) if name in numbered else read_photo_set(name)


def _quietly() -> None:
    cv2.setNumThreads(1)


def main() -> None:
    """Read everything, and print one table."""
    parser = argparse.ArgumentParser(description="How well the eyes read.")
    parser.add_argument("--boards", type=int, default=2000, help="random scenes")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--only", help="one set: scenes, gridlock-day, ...")
    wishes = parser.parse_args()
    tables = range(wishes.seed, wishes.seed + -(-wishes.boards // PER_TABLE))
    jobs = []
    if PHOTOS.exists():
        jobs += [(name, 0) for name in photo_sets()]
        jobs += [("altered", number) for number in range(len(RENDERED))]
    jobs += [("scenes", number) for number in tables]
    jobs += [("elsewhere", number) for number in tables]
    jobs += [("strange", number) for number in tables[::STRANGE]]
    jobs = [job for job in jobs if wishes.only in (None, job[0])]
    readings: list[Reading] = []
    found: list[Found] = []
    start = time.monotonic()
    with Pool(2, _quietly) as pool:
        for done, (read, grids) in enumerate(pool.imap_unordered(_run, jobs), 1):
            readings += read
            found += grids
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)}", end="", file=sys.stderr)
    print(f"\n{len(readings)} readings in {time.monotonic() - start:.0f} s ", end="")
    print("(95 % intervals: Wilson, bootstrap)\n")
    print(table_of(readings, found))


def table_of(readings: Sequence[Reading], found: Sequence[Found]) -> str:
    """Return everything as text."""
    lines = [HEADER]
    photos = {*photo_sets(), "altered", "elsewhere", "strange"}
    groups = sorted({reading.group for reading in readings} | {g.group for g in found})
    sets = [g for g in groups if g.split()[0] in photos]
    scenes = [r for r in readings if r.group not in sets]
    plain = [r for r in scenes if not r.group.startswith("no samples")]
    named = [r for r in scenes if r.group.startswith("no samples")]
    for group in sets:
        own = [reading for reading in readings if reading.group == group]
        lines.append(row(group, own, [g for g in found if g.group == group]))
    for title, part in (("scenes", plain), ("scenes no samples", named)):
        if not part:
            continue
        lines.append(row(title, part, [g for g in found if g.group == title]))
        for kind in sorted({r.group for r in part} | {t for r in part for t in r.tags}):
            own = [r for r in part if kind == r.group or kind in r.tags]
            lines.append(row("  " + kind.removeprefix("no samples: "), own, ()))
    with_samples = [r for r in readings if "no samples" not in r.group]
    for title, part in (("all scenes", plain), ("with samples, all", with_samples)):
        if part:
            lines += ["", f"Probabilities ({title})", reliability(part)]
    return "\n".join([*lines, "", *_faults(readings)])


WORST = 25
"""Wrong squares that are listed."""


def _faults(readings: Iterable[Reading]) -> Iterator[str]:
    """Yield the wrong squares, the most confident first."""
    wrong = [(answer, r) for r in readings for answer in r.wrong]
    wrong.sort(key=lambda fault: -fault[0].probability)
    if wrong:
        pairs = Counter(f"{a.said} for {a.truth}" for a, _ in wrong)
        often = ", ".join(f"{pair} {times}" for pair, times in pairs.most_common(12))
        yield f"Wrong squares: {len(wrong)} ({often}); the most confident {WORST}:"
    for answer, reading in wrong[:WORST]:
        yield (
            f"  {reading.group}, {reading.name}: {answer.cell} read {answer.said}, "
            f"is {answer.truth} (p {answer.probability:.5f})"
        )


if __name__ == "__main__":
    main()
