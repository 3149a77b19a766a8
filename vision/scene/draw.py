"""From a scene to a picture: print, light, solids, lens, sensor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from companion.rules.board import Cell, SquareBoard
from vision.frame import Image
from vision.scene.boards import (
    TABLE_PX_PER_MM,
    THICKNESS_MM,
    BoardStyle,
    TableStyle,
    printed,
    tabletop,
)
from vision.scene.colour import linear
from vision.scene.hands import hand_layer, shade
from vision.scene.light import Map, Plan, roughness
from vision.scene.pieces import bounds, draw_piece, piece_radius, shading
from vision.scene.print import playing_card
from vision.scene.scene import Card, Scene, Sensor
from vision.scene.view import View
from vision.srgb import LINEAR, Linear, encode

_FINER = 2
_BANDS = 12
_HELD = 20.0
"""A piece lifted higher than this casts no shadow of its own, mm: a hand has it."""


class _Stage(NamedTuple):
    """What stays the same while camera and board stay where they are."""

    albedo: Linear
    gloss: Map
    ground: npt.NDArray[np.float32]


@lru_cache(maxsize=2)
def _stage(
    board: SquareBoard, style: BoardStyle, table: TableStyle, view: View
) -> _Stage:
    """Look at the bare board and table, each pixel as the mean of four points."""
    width, height = view.size
    scale = min(5.0, _FINER * view.focal / view.distance)
    print_scale = round(scale * 4) / 4
    albedo = np.empty((height, width, 3), np.float32)
    gloss = np.empty((height, width), np.float32)
    for top, bottom in _bands(height):
        points = view.ground(_grid(top, bottom, width, _FINER))
        fine, on_board = _surface(points, board, style, table, view, print_scale)
        size = (width, bottom - top)
        albedo[top:bottom] = cv2.resize(fine, size, interpolation=cv2.INTER_AREA)
        gloss[top:bottom] = cv2.resize(on_board, size, interpolation=cv2.INTER_AREA)
    ground = view.ground(_grid(0, height, width, 1))
    return _Stage(albedo, 0.15 + gloss * (style.gloss - 0.15), ground)


def _bands(height: int) -> Iterator[tuple[int, int]]:
    """Yield where bands begin and end; all rows at once would take much memory."""
    return pairwise(np.linspace(0, height, _BANDS + 1).astype(int).tolist())


def _grid(top: int, bottom: int, width: int, finer: int) -> npt.NDArray[np.float32]:
    """Return pixel coordinates (rows, columns, 2) of points inside the pixels."""
    down = (
        np.arange(top * finer, bottom * finer, dtype=np.float32) + 0.5
    ) / finer - 0.5
    across = (np.arange(width * finer, dtype=np.float32) + 0.5) / finer - 0.5
    return np.stack(np.meshgrid(across, down), -1)


def _surface(
    points: npt.NDArray[np.float32],
    board: SquareBoard,
    style: BoardStyle,
    table: TableStyle,
    view: View,
    px_per_mm: float,
) -> tuple[Linear, Map]:
    """Return the bare surfaces at points of the plane, and where the board is."""
    picture = printed(board, style, px_per_mm)
    margin = style.margin_mm(board)
    at = (points + margin) * px_per_mm - 0.5
    print_ = cv2.remap(
        picture,
        at[..., 0],
        at[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    on_board = _inside(points, board, margin)
    below = points + (points - view.eye[:2].astype(np.float32)) * np.float32(
        THICKNESS_MM / view.eye[2]
    )
    on_edge = np.maximum(_inside(below, board, margin), on_board)
    angle = np.radians(table.turn)
    turn = np.array(
        [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32
    )
    grain = (below @ turn.T) * np.float32(TABLE_PX_PER_MM) + 4096
    wood = cv2.remap(
        tabletop(table),
        grain[..., 0],
        grain[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT_101,
    )
    surface = LINEAR[wood]
    rim = linear(style.ground) * 0.35 + 0.02
    surface += (rim - surface) * on_edge[..., None]
    surface += (LINEAR[print_] - surface) * on_board[..., None]
    return surface, on_board


def _inside(points: npt.NDArray[np.float32], board: SquareBoard, margin: float) -> Map:
    """Return how far points lie inside the board's outline, 0 or 1 but for its rim."""
    half = np.array(board.size_mm, np.float32) / 2
    away = np.abs(points - half) - (half + np.float32(margin))
    return np.asarray(np.clip(0.5 - 2 * away.max(-1), 0, 1), np.float32)


def draw(scene: Scene) -> Image:
    """Return what the camera sees, (H, W, 3) uint8 BGR.

    The same scene gives the same picture, to the bit, with one version of
    OpenCV on one kind of machine.
    """
    light = draw_light(scene)
    return _photograph(light, scene.sensor, scene.seed)


def covered(scene: Scene) -> dict[Cell, float]:
    """Return how much of each square hands and cards hide from the camera, 0 to 1."""
    part = (np.arange(8) + 0.5) / 8
    size = scene.view.size
    hidden = np.zeros(size[::-1], np.float32)
    for hand in scene.hands:
        layer = hand_layer(hand, scene.view, scene.light)
        if layer is not None:
            hidden[layer.window] = np.maximum(hidden[layer.window], layer.alpha)
    found = {}
    for cell in scene.board.cells:
        (left, top), _, (right, bottom), _ = scene.board.outline(cell)
        x, y = np.meshgrid(left + part * (right - left), top + part * (bottom - top))
        points = np.column_stack((x.ravel(), y.ravel(), np.zeros(x.size)))
        at = scene.view.project(points).round().astype(int)
        inside = ((at >= 0) & (at < size)).all(1)
        behind = np.ones(len(at), bool)
        behind[inside] = hidden[at[inside, 1], at[inside, 0]] > 0.5
        for card in scene.cards:
            behind |= _below(card, points)
        found[cell] = float(behind.mean())
    return found


def _below(card: Card, points: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    angle = np.radians(card.rotation)
    away = points[:, :2] - card.middle
    across = away @ (np.cos(angle), np.sin(angle))
    down = away @ (-np.sin(angle), np.cos(angle))
    below: npt.NDArray[np.bool_] = (np.abs(across) < 29) & (np.abs(down) < 44)
    return below


def draw_light(scene: Scene) -> Linear:
    """Return the light that falls into the lens, (H, W, 3) linear BGR."""
    stage = _stage(scene.board, scene.board_style, scene.table_style, scene.view)
    margin = scene.board_style.margin_mm(scene.board)
    plan = Plan(scene.board.size_mm, margin)
    shaded = shade(plan, scene.light, scene.hands)
    lamp = plan.lamp_light(scene.light, shaded[0] if shaded else None)
    dusk = shaded[1] if shaded else None
    canvas = plan.sample(_on_table(scene, plan, lamp, dusk), stage.ground)
    canvas *= stage.albedo
    _mirror_windows(canvas, stage, scene)
    glare = plan.glare(scene.light)
    for card in scene.cards:
        _draw_card(canvas, stage, scene, plan, lamp, card)
    _draw_pieces(canvas, stage, scene, plan, lamp)
    if glare is not None:
        canvas += (
            plan.sample(glare, stage.ground)
            * (0.25 + stage.gloss)[..., None]
            * np.array(scene.light.key[::-1], np.float32)
        )
    for hand in scene.hands:
        layer = hand_layer(hand, scene.view, scene.light)
        if layer is not None:
            under = canvas[layer.window]
            under += (layer.colour - under) * layer.alpha[..., None]
    return canvas


def _mirror_windows(canvas: Linear, stage: _Stage, scene: Scene) -> None:
    """Add the light of windows that board and table mirror."""
    if not scene.light.windows:
        return
    eye = scene.view.eye.astype(np.float32)
    away = eye[0] - stage.ground[..., 0], eye[1] - stage.ground[..., 1]
    length = np.sqrt(away[0] ** 2 + away[1] ** 2 + eye[2] ** 2)
    to_eye = away[0] / length, away[1] / length, eye[2] / length
    flat, up = np.zeros_like(length), np.ones_like(length)
    for window in scene.light.windows:
        canvas += window.mirrored((flat, flat, up), to_eye, roughness(stage.gloss))


def _on_table(scene: Scene, plan: Plan, lamp: Linear, dusk: Map | None) -> Linear:
    """Return the light on board and table, (h, w, 3), seen from above."""
    radius = piece_radius(scene.piece_style, scene.board.cell_mm)
    cast, near = plan.piece_shadows(
        scene.light,
        [
            (*at, radius, scene.piece_style.height)
            for piece, at in scene.lying()
            if piece.lift < _HELD
        ],
    )
    under, along = plan.board_shadow(scene.light, THICKNESS_MM)
    light: Linear = lamp * (1 - np.maximum(cast, under))[..., None]
    light *= np.array(scene.light.key[::-1], np.float32)
    sky = (1 - near) * (1 - along)
    if dusk is not None:
        sky = sky * (1 - dusk)
    for channel, ambient in enumerate(scene.light.ambient[::-1]):
        light[..., channel] += sky * np.float32(ambient)
    for cell, colour in scene.leds.items():
        _shine_through(light, plan, scene.middle(cell), scene.board.cell_mm, colour)
    return light


def _shine_through(
    light: Linear,
    plan: Plan,
    middle: tuple[float, float],
    cell_mm: tuple[float, float],
    colour: tuple[float, float, float],
) -> None:
    """Add a lamp that shines through the board from below a square."""
    reach = max(cell_mm)
    left, top = (round(part) for part in plan.px(middle[0] - reach, middle[1] - reach))
    right, bottom = (
        round(part) for part in plan.px(middle[0] + reach, middle[1] + reach)
    )
    x, y = plan.x[:, left:right] - middle[0], plan.y[top:bottom] - middle[1]
    width, height = cell_mm
    spot = np.exp(-((x / (0.33 * width)) ** 2) - (y / (0.33 * height)) ** 2)
    light[top:bottom, left:right] += spot[..., None] * np.array(
        colour[::-1], np.float32
    )


def _draw_pieces(
    canvas: Linear, stage: _Stage, scene: Scene, plan: Plan, lamp: Linear
) -> None:
    """Draw pieces, the low and far ones first."""
    radius = piece_radius(scene.piece_style, scene.board.cell_mm)
    eye = scene.view.eye
    for piece, at in sorted(
        scene.lying(),
        key=lambda one: (
            one[0].lift,
            -np.hypot(one[1][0] - eye[0], one[1][1] - eye[1]),
        ),
    ):
        window = bounds(
            scene.view, at, radius, piece.lift, piece.lift + scene.piece_style.height
        )
        if window is None:
            continue
        open_light = plan.sample(lamp, stage.ground[window])
        light = shading(
            scene.light, scene.view, at, open_light, scene.piece_style.gloss
        )
        draw_piece(
            canvas,
            stage.ground,
            scene.view,
            piece,
            scene.piece_style,
            at,
            radius,
            light,
            window,
        )


def _draw_card(
    canvas: Linear, stage: _Stage, scene: Scene, plan: Plan, lamp: Linear, card: Card
) -> None:
    window = bounds(scene.view, card.middle, 54, -THICKNESS_MM, 0)
    if window is None:
        return
    scale = round(2 * scene.view.focal / scene.view.distance) / 2
    picture, opaque = playing_card(card.code, max(scale, 0.5))
    plane = stage.ground[window]
    angle = np.radians(card.rotation)
    cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    dx = plane[..., 0] - np.float32(card.middle[0])
    dy = plane[..., 1] - np.float32(card.middle[1])
    scale = picture.shape[1] / 58
    across = (dx * cos + dy * sin + 29) * np.float32(scale) - 0.5
    down = (dy * cos - dx * sin + 44) * np.float32(scale) - 0.5
    share = cv2.remap(opaque, across, down, cv2.INTER_LINEAR).astype(np.float32) / 255
    paper = LINEAR[
        cv2.remap(
            picture, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    ]
    key = plan.sample(lamp, plane)
    lit = paper * (
        key * np.array(scene.light.key[::-1], np.float32)
        + np.array(scene.light.ambient[::-1], np.float32)
    )
    under = canvas[window]
    dusk = cv2.GaussianBlur(share, (0, 0), 2.5)
    under *= (1 - 0.35 * dusk * (1 - share))[..., None]
    under += (lit - under) * share[..., None]


@lru_cache(maxsize=1)
def _fall_off(size: tuple[int, int], vignette: float) -> Map:
    """Return how much light reaches each pixel (about cos^4 of the angle)."""
    width, height = size
    across = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
    down = (np.arange(height, dtype=np.float32) - height / 2) / (width / 2)
    square = across[None] ** 2 + down[:, None] ** 2
    return np.asarray(1 / (1 + vignette * square) ** 2, np.float32)


def _grains(size: tuple[int, int], seed: int) -> Linear:
    """Return a part of `_all_grains` of a picture's size."""
    left, top = np.random.default_rng((seed, 3)).integers(0, 64, 2)
    return _all_grains(size)[top : top + size[1], left : left + size[0]]


@lru_cache(maxsize=1)
def _all_grains(size: tuple[int, int]) -> Linear:
    """Return noise of standard deviation 1, with the grain that demosaicing leaves."""
    rng = np.random.default_rng(20)
    width, height = size
    grain = rng.standard_normal((height + 64, width + 64, 3), dtype=np.float32)
    cv2.GaussianBlur(grain, (0, 0), 0.6, dst=grain)
    grain += 0.35 * grain.mean(2, keepdims=True)
    grain /= grain.std()
    return grain


def _photograph(light: Linear, sensor: Sensor, seed: int) -> Image:
    """Return the picture a sensor makes of light; `light` is used up."""
    size = light.shape[1], light.shape[0]
    if sensor.blur:
        cv2.GaussianBlur(light, (0, 0), sensor.blur, dst=light)
    if any(sensor.motion):
        light = _smear(light, sensor.motion)
    light *= _fall_off(size, sensor.vignette)[..., None]
    light *= np.array(sensor.gains[::-1], np.float32)
    grain = _grains(size, seed) if sensor.noise else None
    picture = np.empty(light.shape, np.uint8)
    for above, below in _bands(size[1]):
        band = light[above:below]
        if grain is not None:
            band += _noise(band, grain[above:below], sensor.noise)
        picture[above:below] = encode(band)
    if sensor.quality:
        coded = cv2.imencode(
            ".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, sensor.quality)
        )[1]
        picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return picture


def _noise(light: Linear, grain: Linear, noise: float) -> Linear:
    """Return what photons and the read-out add to light.

    Args:
        light: (H, W, 3).
        grain: (H, W, 3) of standard deviation 1.
        noise: see `Sensor`.
    """
    # Photon noise grows with the light; read-out noise is always there.
    spread = np.maximum(light, 0)
    spread *= np.float32(1.4e-4 * noise**2)
    spread += np.float32(8e-6 * noise**2)
    np.sqrt(spread, out=spread)
    spread *= grain
    return spread


def _smear(light: Linear, motion: tuple[float, float]) -> Linear:
    """Return light that moved over the sensor in a straight line."""
    reach = int(np.ceil(max(abs(motion[0]), abs(motion[1])))) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for part in np.linspace(-0.5, 0.5, 4 * reach + 1):
        x, y = motion[0] * part + reach, motion[1] * part + reach
        kernel[round(y), round(x)] += 1
    return np.asarray(cv2.filter2D(light, -1, kernel / kernel.sum()), np.float32)
