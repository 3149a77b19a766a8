"""From a frame to an observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from math import isnan, log
from statistics import median

import cv2
import numpy as np

from companion.errors import BoardNotFound
from companion.observation import Observation
from companion.rules.board import EMPTY, TURNED, Cell, Look, SquareBoard
from vision.appearance import Appearance
from vision.empty_board import EmptyBoard, Fit, Floats, Sight, exposure
from vision.frame import Frame, Image
from vision.pieces.chips import RATHER, ChipReader, plane_of
from vision.pieces.prints import Finely
from vision.pieces.silhouettes import Silhouettes
from vision.pose import CORNERS, BoardPose, Points, lean_at
from vision.raised import RaisedBoard
from vision.rectify import Rectifier
from vision.refind import Finder, refine


@dataclass(frozen=True, slots=True, eq=False)
class TableModel:
    """What the eyes know of one table.

    Attributes:
        board: geometry and print.
        empty: the photo of the empty board.
        pose: where the board lies in that photo.
        looks: that chips can have; those of turned ones end in "-turned".
        samples: photo of some chips on the board; None without. The camera
            stands as in the empty board's; the board may have been nudged.
        kinds: what lies where in it.
        family: of the markers beside the board, "" without.
        markers: (4, 2) corners, mm, by the markers' numbers.
    """

    board: SquareBoard
    empty: Image
    pose: BoardPose
    looks: tuple[Look, ...] = ()
    samples: Image | None = None
    kinds: Mapping[Cell, Look] = field(default_factory=dict)
    family: str = ""
    markers: Mapping[int, Points] = field(default_factory=dict)


_SHIFTED = 0.15  # px of the rectified picture; boards that lie still show 0.12
_MOVED = 0.1  # cells; less is the play of a camera's mount
_LOST = 0.35  # share of the places between squares that look strange
_NOWHERE = 0.75
_ALIKE = 0.5  # correlation with the squares' print
_PLAIN = 0.85  # correlation that print which lies a px aside does not reach
_UNLIKE = 0.3
_PHOTOS = 50  # in which pieces are measured at most
_MEASURED = 4  # pieces that tell how high all are
_CERTAIN = log(0.999)  # nats; of pieces that are measured
_SURE = log(0.99)  # nats; most squares that are seen are at least as sure as this
_MOVED_NOTE = "The board or the camera was moved; it was found again."
_LOST_NOTE = (
    "The board is not where it was and was not found again; put it back, uncover it, "
    "or calibrate the table again."
)
_FAINT_NOTE = (
    "Little of this board is to be made out: uncover it, make more light, shade what "
    "is mirrored in it, or, if another one lies there, calibrate its table."
)
_WINDOW_NOTE = (
    "A window or a large lamp is mirrored in the board, so pieces are told less "
    "surely: shade it, or turn the board."
)
_LIGHT_NOTES = {
    "dark": "The picture is very dark: make more light. ",
    "burnt": "The picture is burnt out: dim the light. ",
    "lit": "",
}
_GREY_NOTE = (
    "The picture has no colours; turn off the camera's night mode, or make more light."
)
_MIRRORED_NOTE = (
    "The picture is mirrored; turn that off in the camera, or calibrate the table "
    "again."
)


class BoardReader:
    """Reads frames of one table, and follows the board where it goes. Mutable."""

    def __init__(self, model: TableModel) -> None:
        self._model = model
        self._focal = model.pose.focal()
        self._calibrated = self._rectifier(model.pose)
        self._bare = self._calibrated(model.empty)
        board = model.board
        self._empty = EmptyBoard(self._bare, board.rows, board.columns)
        self._raised: RaisedBoard | None = None
        self._silhouettes = Silhouettes(board.cell_mm)
        self._lie(model.pose, self._calibrated)
        samples, finely = None, None
        if model.samples is not None:
            shown = scale(model.samples, model.pose.lens.size)
            flat, _ = self._follow(shown, self._calibrated(shown))
            samples, finely = self._empty.under(flat), self._finely(shown)
            self._measure(samples, model.kinds, model.kinds)
        self._shown_at = self._pose
        # Samples lie alone, and are what they are said to be: one is enough.
        self._unmeasured = 0 if self._silhouettes.count else _PHOTOS
        plane = plane_of(model.looks, self._silhouettes.height)
        if plane:
            self._rise(plane)
        else:
            self._chips = self._chip_reader(samples, finely)
        self._lie(model.pose, self._calibrated)

    @property
    def board(self) -> SquareBoard:
        """Geometry and print of the board that is read."""
        return self._model.board

    @property
    def pose(self) -> BoardPose:
        """Where the board lay in the last frame."""
        return self._pose

    @cached_property
    def _finder(self) -> Finder:
        model = self._model
        return Finder(
            model.empty, model.pose, model.board.size_mm, model.family, model.markers
        )

    def read(self, frame: Frame) -> Observation:
        """Say what the frame shows.

        Raises:
            BoardNotFound: the photo has another shape than the table's.
        """
        image = self._resized(frame)
        flat = self._rectify(image)
        if self._empty.greys(flat):
            return self._nothing(_GREY_NOTE, moved=False)
        flat, fit = self._follow(image, flat)
        moved = self._away() > _MOVED
        if fit.aside or (fit.strange > _NOWHERE and not _plain(fit)):
            return self._lost(image)
        unlike = fit.alike < _UNLIKE
        if unlike and self._empty.mirrors(flat):
            return self._nothing(_MIRRORED_NOTE)
        sight, finely = self._under(image, flat), self._finely(image)
        told = self._chips.read(sight, self._lean, finely, learn=not unlike)
        if not unlike and self._rises(sight, told[0]):
            sight, finely = self._under(image, flat), self._finely(image)
            told = self._chips.read(sight, self._lean, finely)
        log_p, hidden, dazzled = told
        sure = sum(max(looks.values()) > _SURE for looks in log_p.values())
        faint = 2 * sure <= len(log_p)  # beside a hand most squares are sure
        # Pieces may lie all over a board. What hides most of its squares, but not
        # where they meet, is no thing, and where nothing lies its print is seen.
        covered = len(hidden) > len(log_p)
        if unlike and (faint or covered or self._belied(log_p, flat)):
            return self._lost(image)
        notes = [_MOVED_NOTE] if moved else []
        if faint:
            notes.append(_FAINT_NOTE)
        elif sight.mirror.any():
            notes.append(_WINDOW_NOTE)
        return Observation(
            log_p,
            hidden,
            moved=moved,
            note=" ".join(notes),
            light=sight.most_light,
            appearance=Appearance(sight.parts, self._lean, self._chips.apart),
            dazzled=dazzled,
        )

    def _lost(self, image: Image) -> Observation:
        light = exposure(image)
        return self._nothing(_LIGHT_NOTES[light] + _LOST_NOTE, moved=light == "lit")

    def _nothing(self, why: str, *, moved: bool = True) -> Observation:
        cells = frozenset(self._model.board.cells)
        return Observation({}, cells, moved=moved, note=why)

    def _belied(self, log_p: Mapping[Cell, Mapping[Look, float]], flat: Image) -> bool:
        """Return whether most cells that are read as empty do not show their print.

        Those without print of their own do not count.
        """
        shown = self._empty.shown(flat).tolist()
        empty = [
            alike
            for cell, alike in zip(self._model.board.cells, shown, strict=True)
            if cell in log_p and log_p[cell][EMPTY] > RATHER and not isnan(alike)
        ]
        return bool(empty) and median(empty) < _UNLIKE

    def _rise(self, plane: float) -> None:
        """Look at pieces on a plane, mm above the board, from now on."""
        model = self._model
        self._raised = RaisedBoard(model.board, model.empty, model.pose, plane)
        samples, finely = None, None
        if model.samples is not None:
            shown = scale(model.samples, model.pose.lens.size)
            samples = self._raised.under(shown, self._shown_at)
            finely = self._finely(shown)
        self._chips = self._chip_reader(samples, finely)

    def _chip_reader(self, samples: Sight | None, finely: Finely | None) -> ChipReader:
        model, lean = self._model, self._lean_at(self._shown_at)
        return ChipReader(
            self._empty,
            lean,
            self._cell,
            model.looks,
            samples,
            model.kinds,
            finely,
            raised=self._raised is not None,
        )

    def _finely(self, image: Image) -> Finely:
        """Return what shows the photo that was looked at last finely."""
        return cache(partial((self._raised or self._rectify).finely, image))

    def _under(self, image: Image, flat: Image) -> Sight:
        """Return how a photo shows pieces.

        Args:
            image: the photo.
            flat: the same, straightened on the board itself.
        """
        if self._raised is None:
            return self._empty.under(flat)
        return self._raised.under(image, self._pose)

    def _rises(self, sight: Sight, log_p: Mapping[Cell, Mapping[Look, float]]) -> bool:
        """Measure what is surely a piece; return whether all is to be looked at again.

        Once their height is known, pieces may be told better on another plane.
        """
        if not self._unmeasured:
            return False
        self._unmeasured -= 1
        taken = [
            cell
            for cell in self._model.board.cells
            if cell not in log_p or log_p[cell][EMPTY] < RATHER
        ]
        sure = {
            cell: look
            for cell in taken
            for look, p in log_p.get(cell, {}).items()
            if p > _CERTAIN
        }
        self._measure(sight, sure, taken)
        if self._silhouettes.count < _MEASURED:
            return False
        self._unmeasured = 0
        plane = plane_of(self._model.looks, self._silhouettes.height)
        if plane:
            self._rise(plane)
        return plane > 0

    def _measure(
        self, sight: Sight, known: Mapping[Cell, Look], taken: Iterable[Cell]
    ) -> None:
        """Measure known pieces that lie colour up."""
        cells = self._model.board.cells
        faces = [cell for cell, look in known.items() if not look.endswith(TURNED)]
        self._silhouettes.measure(
            sight,
            self._lean,
            [cells.index(cell) for cell in faces],
            np.array([cells.index(cell) for cell in taken]),
        )

    def _lie(self, pose: BoardPose, rectify: Rectifier) -> None:
        """Take the board to lie at a pose."""
        self._pose, self._rectify = pose, rectify
        self._lean = self._lean_at(pose)

    def _follow(self, image: Image, flat: Image) -> tuple[Image, Fit]:
        """Return a photo rectified where the board is found, and how it fits there.

        Args:
            image: the photo.
            flat: the same, rectified where the board lay.
        """
        fit = self._empty.fit(flat)
        best = flat, fit
        if fit.shift <= _SHIFTED and not _elsewhere(fit):
            return best
        if not _elsewhere(fit):
            best = self._try(
                image, refine(self._pose, self._cell, self._bare, flat), best
            )
        if _elsewhere(best[1]) and self._pose is not self._model.pose:
            best = self._try(image, self._model.pose, best)
        if _elsewhere(best[1]):
            lay, before = (self._pose, self._rectify), best
            for found, certain in self._finder.find(image, self._pose.lens):
                best = self._try(image, found, best, certain=certain)
                if found is not None and found is self._pose:
                    finer = refine(found, self._cell, self._bare, best[0])
                    best = self._try(image, finer, best)
                if not _elsewhere(best[1]):
                    break
            # Lines lie on lines in other ways, too: print was found, so it must show.
            if best[1].alike < _ALIKE:
                self._lie(*lay)
                best = before
        return best

    def _try(
        self,
        image: Image,
        pose: BoardPose | None,
        best: tuple[Image, Fit],
        *,
        certain: bool = False,
    ) -> tuple[Image, Fit]:
        """Take a pose if the photo fits the print better there.

        That the print is not to be seen is no objection to a certain one, but that
        it is seen a square aside is: the markers may be stuck to the table.
        """
        if pose is None or not np.isfinite(pose.image_from_board).all():
            return best
        known = pose is self._model.pose
        rectify = self._calibrated if known else self._rectifier(pose)
        flat = rectify(image)
        fit = self._empty.fit(flat)
        if certain and not fit.aside:
            strange, alike = min(fit.strange, _LOST), max(fit.alike, _ALIKE)
            fit = replace(fit, strange=strange, alike=alike)
        if fit.badness >= best[1].badness:
            return best
        self._lie(pose, rectify)
        return flat, fit

    def _away(self) -> float:
        """Return how far the board's corners are from where they were, in cells."""
        if self._pose is self._model.pose:
            return 0.0
        outer = CORNERS * np.array(self._model.board.size_mm)
        away = self._pose.to_board(self._model.pose.to_image(outer)) - outer
        return float(np.abs(away / self._cell).max())

    @property
    def _cell(self) -> tuple[float, float]:
        return self._model.board.cell_mm

    def _rectifier(self, pose: BoardPose) -> Rectifier:
        board = self._model.board
        return Rectifier(pose, board.cell_mm, board.columns, board.rows)

    def _lean_at(self, pose: BoardPose) -> Floats:
        board = self._model.board
        return lean_at(pose.eye(self._focal), board.cell_mm, board.rows, board.columns)

    def _resized(self, frame: Frame) -> Image:
        size = frame.image.shape[1], frame.image.shape[0]
        width, height = self._model.pose.lens.size
        if abs(size[0] * height - size[1] * width) > 0.01 * width * size[1]:
            raise BoardNotFound(
                f"{frame.name or 'The photo'} has {size[0]} x {size[1]} pixels, but "
                f"the table was calibrated at {width} x {height}: take it whole and "
                "the same way up, or calibrate again with this camera."
            )
        return scale(frame.image, (width, height))


def _elsewhere(fit: Fit) -> bool:
    """Return whether a photo looks as if the board lay at another place."""
    return fit.alike < _ALIKE or fit.aside or (fit.strange > _LOST and not _plain(fit))


def _plain(fit: Fit) -> bool:
    """Return whether print shows plainly that the board lies there, whatever covers it.

    On dark boards without lines noise is all that is seen where squares meet, and an
    arm may hide many of those places.
    """
    return _PLAIN < fit.alike < 1


def scale(image: Image, size: tuple[int, int]) -> Image:
    """Return a picture at another size; itself if that is its own."""
    if size == (image.shape[1], image.shape[0]):
        return image
    shrinks = size[0] < image.shape[1]
    method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=method), np.uint8)
