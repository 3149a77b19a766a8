"""Hands and arms over the table, as soft unions of tapered capsules.

Each capsule raises a height field seen along the line of sight; a smooth maximum
joins them (fingers into palm, palm into wrist), and its slope gives the shading.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.scene.colour import linear
from vision.scene.light import Light, Map, Plan
from vision.scene.view import Floats, View
from vision.srgb import Linear

_COARSER = 2
_NEAR = 0.3
"""Nothing is drawn closer to the camera than this part of its distance."""
_LONG = 900.0
"""How far the arm reaches out of the picture, mm."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand that reaches over the board.

    Attributes:
        tip: the point below the fingertips, mm.
        height: of the fingertips, mm.
        heading: degrees of the direction from the fingers to the elbow, 0 is
            right, 90 is down (towards the board's bottom edge).
        skin, sleeve: "#rrggbb".
        left: it is a left hand.
    """

    tip: tuple[float, float]
    height: float = 12.0
    heading: float = 90.0
    skin: str = "#c98f70"
    sleeve: str = "#2c3f77"
    left: bool = False


# Chains of joints (towards the elbow, to the right, up, radius) in mm, of a right
# hand about to pinch something at the origin.
_FINGERS = (
    ((0, -4, 0, 7), (24, -7, 17, 8), (56, -10, 31, 9.5), (98, -14, 36, 11)),
    ((-5, 11, 4, 7.5), (24, 12, 24, 8.5), (58, 10, 36, 10), (100, 7, 39, 11)),
    ((5, 27, 7, 7), (32, 28, 25, 8), (62, 26, 34, 9.5), (102, 24, 36, 10.5)),
    ((23, 42, 8, 6), (45, 42, 22, 7), (70, 40, 29, 8), (106, 37, 32, 9.5)),
    ((3, -15, -1, 8), (30, -31, 12, 9.5), (66, -41, 22, 11), (110, -27, 27, 16)),
)
_PALM = (
    ((100, -12, 33, 13), (168, -6, 38, 21)),
    ((102, 7, 35, 13), (170, 4, 39, 22)),
    ((104, 24, 33, 13), (168, 12, 38, 21)),
    ((107, 36, 29, 12), (165, 17, 36, 20)),
    ((108, -26, 25, 17), (158, -9, 33, 22)),
    ((165, 3, 39, 24), (270, 5, 52, 33)),
)
_SLEEVE = (((238, 5, 48, 37), (330, 7, 58, 46), (_LONG, 14, 120, 58)),)

_Chains = tuple[tuple[tuple[float, ...], ...], ...]


class Layer(NamedTuple):
    """A part of the picture with something in front of the table."""

    window: tuple[slice, slice]
    colour: Linear
    alpha: Map


def _segments(hand: Hand, chains: _Chains) -> tuple[Floats, Floats]:
    """Return ends (N, 2, 3) in board space and radii (N, 2), mm."""
    joints = [pair for chain in chains for pair in pairwise(chain)]
    local = np.array(joints, float)
    angle = np.radians(hand.heading)
    back = np.array((np.cos(angle), np.sin(angle)))
    right = np.array((back[1], -back[0])) * (-1 if hand.left else 1)
    ends = np.empty((*local.shape[:2], 3))
    ends[..., :2] = hand.tip + local[..., :1] * back + local[..., 1:2] * right
    ends[..., 2] = hand.height + local[..., 2]
    return ends, local[..., 3]


def shade(plan: Plan, light: Light, hands: tuple[Hand, ...]) -> tuple[Map, Map] | None:
    """Return how much of the lamp and of the sky hands take away, None without any."""
    if not hands:
        return None
    rough = plan.coarser(4)
    lamp, sky = rough.empty(), rough.empty()
    for hand in hands:
        for chains, height in ((_FINGERS, 22), (_PALM, 40), (_SLEEVE, 65)):
            cast, below = rough.empty(), rough.empty()
            ends, radii = _segments(hand, chains)
            for (start, end), radius in zip(ends, radii, strict=True):
                moved = [
                    (
                        float(x + light.shift(x, y)[0] * z),
                        float(y + light.shift(x, y)[1] * z),
                    )
                    for x, y, z in (start, end)
                ]
                rough.capsule(cast, moved[0], moved[1], float(radius.mean()))
                rough.capsule(below, tuple(start[:2]), tuple(end[:2]), radius.mean())
            high = hand.height + height
            lamp = np.maximum(lamp, rough.blurred(cast, light.softness * high / 2))
            sky = np.maximum(sky, 0.5 * rough.blurred(below, 0.6 * high))
    return plan.enlarged(lamp), plan.enlarged(sky)


def hand_layer(hand: Hand, view: View, light: Light) -> Layer | None:
    """Draw a hand with its arm; None if it is outside the picture."""
    skin_ends, skin_radii = _segments(hand, (*_FINGERS, *_PALM))
    sleeve_ends, sleeve_radii = _segments(hand, _SLEEVE)
    if view.depth(skin_ends).min() < _NEAR * view.distance:
        return None
    sleeve_ends = _before_the_lens(view, sleeve_ends)
    window = _window(view, np.concatenate((skin_ends, sleeve_ends[:1])), 60)
    reach = _window(view, sleeve_ends, 70)
    if window is None and reach is None:
        return None
    rows, columns = _joined(window, reach)
    height, width = rows.stop - rows.start, columns.stop - columns.start
    small = max(2, height // _COARSER), max(2, width // _COARSER)
    down = rows.start + (np.arange(small[0], dtype=np.float32) + 0.5) * (
        height / small[0]
    )
    across = columns.start + (np.arange(small[1], dtype=np.float32) + 0.5) * (
        width / small[1]
    )
    raised = _Relief(view, across[None, :], down[:, None])
    skin = raised.union(skin_ends, skin_radii, smooth=5.0)
    sleeve = raised.union(sleeve_ends, sleeve_radii, smooth=6.0)
    sleeve = (sleeve[0] + _folds(raised, sleeve_ends), sleeve[1])
    towards = view.in_camera(light.direction(*hand.tip))
    up = view.in_camera(np.array((0.0, 0.0, 1.0)))
    colour = _skin(skin[0], hand.skin, light, towards, up, raised.step)
    cloth = _cloth(sleeve[0], hand.sleeve, light, towards, up, raised.step)
    colour += (cloth - colour) * sleeve[1][..., None]
    alpha = np.maximum(skin[1], sleeve[1])
    return Layer(
        (rows, columns),
        np.asarray(cv2.resize(colour, (width, height)), np.float32),
        np.asarray(cv2.resize(alpha, (width, height)), np.float32),
    )


def _before_the_lens(view: View, ends: Floats) -> Floats:
    """Cut off what reaches past the camera; each capsule's first end stays."""
    near = _NEAR * view.distance
    first, last = view.depth(ends[:, 0]), view.depth(ends[:, 1])
    part = np.clip((first - near) / np.maximum(first - last, 1e-6), 0, 1)
    part = np.where(last < near, part, 1.0)[:, None]
    cut = ends[:, 0] + part * (ends[:, 1] - ends[:, 0])
    return np.stack((ends[:, 0], cut), 1)


def _window(view: View, ends: Floats, reach: float) -> tuple[slice, slice] | None:
    """Return rows and columns around points; `reach` mm is kept around them."""
    seen = view.project(ends.reshape(-1, 3))
    around = reach * view.focal / (0.7 * view.distance)
    left, top = np.floor(seen.min(0) - around).astype(int)
    right, bottom = np.ceil(seen.max(0) + around).astype(int)
    rows = slice(max(0, int(top)), min(view.size[1], int(bottom)))
    columns = slice(max(0, int(left)), min(view.size[0], int(right)))
    if rows.stop - rows.start < 2 or columns.stop - columns.start < 2:
        return None
    return rows, columns


def _joined(*windows: tuple[slice, slice] | None) -> tuple[slice, slice]:
    seen = [window for window in windows if window is not None]
    rows, columns = zip(*seen, strict=True)
    return (
        slice(min(r.start for r in rows), max(r.stop for r in rows)),
        slice(min(c.start for c in columns), max(c.stop for c in columns)),
    )


class _Relief:
    """Heights above the table's plane, seen along the line of sight, in px."""

    def __init__(self, view: View, x: Map, y: Map) -> None:
        self.view = view
        self.x, self.y = x, y
        self.step = float(x[0, 1] - x[0, 0])

    def ends(self, ends: Floats, radii: Floats) -> npt.NDArray[np.float32]:
        """Return x, y, height and radius (N, 2, 4) of capsules' ends in px."""
        points = ends.reshape(-1, 3)
        seen = self.view.project(points)
        depth = np.linalg.norm(points - self.view.eye, axis=1)
        scale = self.view.focal / depth
        toward = (self.view.distance - depth) * scale
        flat = np.column_stack((seen, toward, radii.reshape(-1) * scale))
        return flat.reshape(*ends.shape[:2], 4).astype(np.float32)

    def union(self, ends: Floats, radii: Floats, smooth: float) -> tuple[Map, Map]:
        """Return the joined height field and how far it covers each pixel."""
        total = np.zeros((self.y.shape[0], self.x.shape[1]), np.float32)
        inside = np.zeros_like(total)
        base = np.float32(0)
        for (ax, ay, az, ar), (bx, by, bz, br) in self.ends(ends, radii):
            lx, ly = bx - ax, by - ay
            square = max(lx * lx + ly * ly, np.float32(1e-3))
            part = np.clip(((self.x - ax) * lx + (self.y - ay) * ly) / square, 0, 1)
            away = np.sqrt(
                (self.x - ax - part * lx) ** 2 + (self.y - ay - part * ly) ** 2
            )
            radius = ar + part * (br - ar)
            dome = np.sqrt(np.maximum(radius**2 - away**2, 0))
            height = az + part * (bz - az) + dome - 4 * np.maximum(away - radius, 0)
            base = max(base, np.float32(az), np.float32(bz))
            total += np.exp(np.clip((height - base) / smooth, -80, 60))
            inside = np.maximum(
                inside, np.clip(0.5 - (away - radius) / (1.2 * self.step), 0, 1)
            )
        relief = base + smooth * np.log(total + np.float32(1e-30))
        return np.asarray(relief, np.float32), inside


def _folds(raised: _Relief, ends: Floats) -> Map:
    """Return the folds of a sleeve: waves across the arm, strongest at the cuff."""
    (start, _), (_, far) = raised.view.project(ends[0]), raised.view.project(ends[-1])
    axis = (far - start) / max(float(np.linalg.norm(far - start)), 1.0)
    scale = raised.view.focal / raised.view.distance
    dx, dy = raised.x - start[0], raised.y - start[1]
    along = (dx * axis[0] + dy * axis[1]) / scale
    side = (dy * axis[0] - dx * axis[1]) / scale
    wave = np.sin(
        along * 0.16 + 0.9 * np.sin(side * 0.06) + 0.6 * np.sin(along * 0.043)
    )
    cuff = np.exp(-(((along - 6) / 5) ** 2))
    waves = scale * (3.0 * wave * np.sin(side * 0.05 + 1) + 2.5 * cuff)
    return np.asarray(waves, np.float32)


def _normals(relief: Map, step: float) -> tuple[Map, Map, Map]:
    slope_x = cv2.Sobel(relief, cv2.CV_32F, 1, 0, scale=1 / (8 * step))
    slope_y = cv2.Sobel(relief, cv2.CV_32F, 0, 1, scale=1 / (8 * step))
    nz = 1 / np.sqrt(1 + slope_x**2 + slope_y**2)
    return -slope_x * nz, -slope_y * nz, nz


def _lit(
    relief: Map,
    albedo: Linear,
    light: Light,
    towards: Floats,
    up: Floats,
    step: float,
    wrap: float,
) -> Linear:
    """Shade a height field; directions in camera space (right, down, forward)."""
    nx, ny, nz = _normals(relief, step)
    facing = nx * towards[0] + ny * towards[1] - nz * towards[2]
    lamp = np.maximum((facing + wrap) / (1 + wrap), 0)
    sky = 0.6 + 0.4 * (nx * up[0] + ny * up[1] - nz * up[2])
    # Creases get less of the sky.
    crease = cv2.GaussianBlur(relief, (0, 0), 7) - relief
    sky = sky * np.clip(1 - 0.05 * np.maximum(crease, 0), 0.35, 1)
    key = np.array(light.key[::-1], np.float32) / max(
        float(light.direction(0, 0)[2]), 0.4
    )
    ambient = np.array(light.ambient[::-1], np.float32)
    lit = albedo * (lamp[..., None] * key + sky[..., None] * ambient)
    return np.asarray(lit, np.float32)


def _skin(
    relief: Map, colour: str, light: Light, towards: Floats, up: Floats, step: float
) -> Linear:
    rng = np.random.default_rng(4)
    rough = rng.standard_normal(relief.shape, dtype=np.float32)
    spots = cv2.GaussianBlur(rough, (0, 0), 5 / step) * (4 / step)
    pores = cv2.GaussianBlur(rough, (0, 0), 0.8)
    tone = linear(colour) * np.array((0.94, 0.97, 1.0), np.float32)
    albedo = tone * (1 + 0.05 * spots + 0.03 * pores)[..., None]
    # Thin and bent skin is redder.
    red = np.array((0.86, 0.9, 1.06), np.float32)
    albedo = albedo * np.where((spots > 0.9)[..., None], red, np.float32(1))
    return _lit(relief, albedo, light, towards, up, step, 0.25)


def _cloth(
    relief: Map, colour: str, light: Light, towards: Floats, up: Floats, step: float
) -> Linear:
    rng = np.random.default_rng(5)
    weave = rng.standard_normal(relief.shape, dtype=np.float32)
    albedo = linear(colour) * (1 + 0.06 * weave)[..., None]
    return _lit(relief, albedo, light, towards, up, step, 0.05)
