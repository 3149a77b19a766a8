"""What shines on the table: lamps, sky, sun, shadows, mirrored lamps, LEDs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.srgb import Linear

Map = npt.NDArray[np.float32]
"""(H, W) float32 over the table seen from straight above."""

Colour = tuple[float, float, float]
"""Light as red, green, blue; 1.0 makes white paper just white."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The straight edge of a large shadow (a window frame, a person).

    Attributes:
        through: a point on the edge, mm.
        angle: degrees of the direction in which it gets dark, 0 is right, 90 down.
        depth: how much of the lamp is taken away, 0 to 1.
        softness: width of the half-shadow, mm.
    """

    through: tuple[float, float]
    angle: float
    depth: float = 0.6
    softness: float = 25.0


@dataclass(frozen=True, slots=True)
class Bars:
    """The stripes that a window's bars or a blind's slats leave in the sun.

    Attributes:
        through: a point in the middle of one, mm.
        angle: degrees of the direction across them, 0 is right, 90 down.
        period: from one to the next, mm.
        width: mm.
        depth: how much of the lamp is taken away, 0 to 1.
        softness: width of the half-shadow, mm.
    """

    through: tuple[float, float]
    angle: float
    period: float
    width: float
    depth: float
    softness: float


@dataclass(frozen=True, slots=True)
class SunPatch:
    """Sun that falls through a window: a bright four-cornered patch.

    Attributes:
        middle: mm.
        size: width and height, mm.
        angle: degrees clockwise.
        strength: added light as a multiple of the lamp's.
        softness: width of its rim, mm.
        tint: red, green, blue of it relative to the lamp's: daylight is bluer.
    """

    middle: tuple[float, float]
    size: tuple[float, float]
    angle: float = 20.0
    strength: float = 1.0
    softness: float = 6.0
    tint: Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Glare:
    """A lamp, window or flash mirrored in the print.

    Attributes:
        middle: mm.
        radius: standard deviation of the spot, mm.
        strength: in its middle, 1.0 burns white out by itself.
        tint: red, green, blue of it relative to the lamp's.
    """

    middle: tuple[float, float]
    radius: float
    strength: float
    tint: Colour = (1.0, 1.0, 1.0)


PLASTIC = 0.04
"""What plastic and lacquer mirror of light that falls straight on them."""
_MATT, _POLISHED = 0.3, 0.08  # roughness without gloss, and by what gloss makes it less


def roughness(gloss: Map | float) -> Map:
    """Return how rough surfaces are (GGX's alpha), by how much they shine, 0 to 1."""
    return np.asarray(_MATT * _POLISHED ** np.asarray(gloss))


@dataclass(frozen=True, slots=True)
class Window:
    """A window, or a large lamp, that is mirrored in whatever is polished.

    Attributes:
        towards: direction from the table to its middle (x, y, z up).
        size: half its width and height as tangents of the angles they are seen under.
        strength: its light, 1.0 is that of white paper.
        tint: red, green, blue of it.
    """

    towards: tuple[float, float, float]
    size: tuple[float, float]
    strength: float
    tint: Colour = (1.0, 1.0, 1.0)

    def mirrored(
        self,
        normal: tuple[Map, Map, Map],
        eye: tuple[Map, Map, Map],
        rough: Map | float,
    ) -> Linear:
        """Return the light that surfaces mirror to the eye, (H, W, 3) BGR.

        How much a surface mirrors grows with the angle (Schlick 1994, An inexpensive
        BRDF model for physically-based rendering); what is rough mirrors blurred.

        Args:
            normal: x, y, z of the surface.
            eye: x, y, z of the unit vector to the camera.
            rough: the surface's roughness, see `roughness`.
        """
        facing = sum(n * e for n, e in zip(normal, eye, strict=True))
        ray = [2 * facing * n - e for n, e in zip(normal, eye, strict=True)]
        ahead = np.array(self.towards) / np.linalg.norm(self.towards)
        level = np.array((-ahead[1], ahead[0], 1e-6))
        across = level / np.linalg.norm(level)
        along = np.maximum(_dot(ray, ahead), 1e-3)
        spread = 0.01 + 1.7 * rough
        share = PLASTIC + (1 - PLASTIC) * (1 - np.clip(facing, 0, 1)) ** 5
        for axis, half in zip(
            (across, np.cross(ahead, across)), self.size, strict=True
        ):
            at = _dot(ray, axis) / along
            inside = np.tanh((half - at) / spread) + np.tanh((half + at) / spread)
            share = share * (0.5 * inside)
        light = self.strength * np.array(self.tint[::-1], np.float32)
        return np.asarray(share[..., None] * light, np.float32)


def _dot(ray: Sequence[Map], axis: npt.NDArray[np.float64]) -> Map:
    x, y, z = (np.float32(part) for part in axis)
    return np.asarray(ray[0] * x + ray[1] * y + ray[2] * z)


@dataclass(frozen=True, slots=True)
class Light:
    """The light on the table.

    Attributes:
        towards: direction from the table to the lamp or window (x, y, z up).
        lamp: a near lamp's place (x, y, z), mm: light falls off from it and
            shadows point away from it; None for a far light.
        key: what the lamp gives a level surface below it.
        ambient: what comes from everywhere.
        softness: width of a half-shadow per mm of height.
        edges, bars, sun, glare, windows: see there.
    """

    towards: tuple[float, float, float] = (-0.5, -0.35, 1.0)
    lamp: tuple[float, float, float] | None = None
    key: Colour = (0.62, 0.60, 0.56)
    ambient: Colour = (0.30, 0.32, 0.35)
    softness: float = 0.5
    edges: tuple[Edge, ...] = ()
    bars: tuple[Bars, ...] = ()
    sun: tuple[SunPatch, ...] = ()
    glare: tuple[Glare, ...] = ()
    windows: tuple[Window, ...] = ()

    def direction(self, x: float, y: float) -> npt.NDArray[np.float64]:
        """Return the unit vector (x right, y down, z up) from a point to the lamp."""
        if self.lamp is None:
            found = np.array(self.towards, float)
        else:
            found = np.array(self.lamp, float) - (x, y, 0)
        unit: npt.NDArray[np.float64] = found / np.linalg.norm(found)
        return unit

    def shift(self, x: float, y: float) -> tuple[float, float]:
        """Return how far (x, y) the shadow of a point falls per mm of its height."""
        towards = self.direction(x, y)
        height = max(towards[2], 0.25)
        return float(-towards[0] / height), float(-towards[1] / height)


class Plan:
    """The table seen from straight above: where light comes and where it does not.

    Args:
        size_mm: of the printed grid.
        margin_mm: of the board around it.
        px_per_mm: resolution.
    """

    def __init__(
        self, size_mm: tuple[float, float], margin_mm: float, px_per_mm: float = 1.0
    ) -> None:
        self.pad = margin_mm + 0.4 * max(size_mm)
        self.scale = px_per_mm
        self._grid = size_mm
        self._margin = margin_mm
        width, height = (round((side + 2 * self.pad) * px_per_mm) for side in size_mm)
        self.shape = height, width
        across = np.arange(width, dtype=np.float32) / px_per_mm - self.pad
        down = np.arange(height, dtype=np.float32) / px_per_mm - self.pad
        self.x, self.y = across[None, :], down[:, None]

    def px(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point in mm lies on the maps, px."""
        return (x + self.pad) * self.scale, (y + self.pad) * self.scale

    def coarser(self, times: int) -> Plan:
        """Return a plan of the same table with fewer pixels."""
        return Plan(self._grid, self._margin, self.scale / times)

    def enlarged(self, coarse: Map) -> Map:
        """Return a map of a coarser plan in this plan's resolution."""
        return np.asarray(cv2.resize(coarse, self.shape[::-1]), np.float32)

    def empty(self) -> Map:
        """Return a map of zeros."""
        return np.zeros(self.shape, np.float32)

    def sample(self, maps: Map | Linear, ground: npt.NDArray[np.float32]) -> Linear:
        """Look a map up at points of the table, (..., 2) mm."""
        at = ground + np.float32(self.pad)
        at *= np.float32(self.scale)
        found = cv2.remap(  # type: ignore[call-overload]
            maps, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(found, np.float32)

    def blurred(self, mask: Map, sigma: float) -> Map:
        """Return a map blurred by a standard deviation in mm."""
        spread = max(sigma * self.scale, 0.3)
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), spread), np.float32)

    def capsule(
        self,
        mask: Map,
        start: tuple[float, float],
        end: tuple[float, float],
        radius: float,
    ) -> None:
        """Fill what a disc of `radius` mm sweeps from start to end (mm)."""
        fixed = [
            tuple(round(part * 16) for part in self.px(*point))
            for point in (start, end)
        ]
        width = max(1, round(2 * radius * self.scale))
        cv2.line(mask, fixed[0], fixed[1], 1.0, width, cv2.LINE_AA, 4)

    def lamp_light(self, light: Light, shade: Map | None) -> Linear:
        """Return the lamp's light without the small shadows of pieces.

        The sun is another lamp, at the same place.

        Args:
            light: what shines.
            shade: how much hands and arms take away, 0 to 1.

        Returns:
            (H, W, 3) blue, green, red as multiples of the light's key.
        """
        key = np.ones(self.shape, np.float32)
        if light.lamp is not None:
            x, y, height = light.lamp
            square = (self.x - x) ** 2 + (self.y - y) ** 2
            key = np.asarray((1 + square / height**2) ** -1.5, np.float32)
        for edge in light.edges:
            key = key * (1 - edge.depth * self._beyond(edge))
        for bars in light.bars:
            key = key * (1 - bars.depth * self._below(bars))
        open_light = np.repeat(key[..., None], 3, axis=-1)
        for patch in light.sun:
            tint = np.array(patch.tint[::-1], np.float32)
            open_light += self._sun(patch)[..., None] * tint
        if shade is not None:
            open_light *= (1 - shade)[..., None]
        return np.asarray(open_light, np.float32)

    def _beyond(self, edge: Edge) -> Map:
        return _dusk(self._across(edge), edge.softness)

    def _below(self, bars: Bars) -> Map:
        turns = self._across(bars) / np.float32(bars.period)
        aside = np.abs(turns - np.round(turns)) * np.float32(bars.period)
        return _dusk(bars.width / 2 - aside, bars.softness)

    def _across(self, shadow: Edge | Bars) -> Map:
        """Return how far all places are from a line across the table, mm."""
        angle = np.radians(shadow.angle)
        far = (self.x - shadow.through[0]) * np.cos(angle)
        far = far + (self.y - shadow.through[1]) * np.sin(angle)
        return np.asarray(far, np.float32)

    def _sun(self, patch: SunPatch) -> Map:
        mask = self.empty()
        middle = self.px(*patch.middle)
        size = tuple(side * self.scale for side in patch.size)
        corners = cv2.boxPoints((middle, (size[0], size[1]), patch.angle))
        cv2.fillPoly(
            mask, [np.round(corners * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4
        )
        return patch.strength * self.blurred(mask, patch.softness / 2)

    def piece_shadows(
        self, light: Light, pieces: Iterable[tuple[float, float, float, float]]
    ) -> tuple[Map, Map]:
        """Return the shadows that pieces cast, and the dusk at their feet.

        Args:
            light: what shines.
            pieces: x, y, radius and height of each, mm.
        """
        cast, near, height = self.empty(), self.empty(), 0.0
        for x, y, radius, height in pieces:
            shift = light.shift(x, y)
            end = x + shift[0] * height, y + shift[1] * height
            self.capsule(cast, (x, y), end, radius)
            self.capsule(near, (x, y), (x, y), radius * 1.04)
        if not height:
            return cast, near
        blur = max(0.6, light.softness * height / 2)
        return self.blurred(cast, blur), 0.55 * self.blurred(near, 0.45 * height)

    def board_shadow(self, light: Light, thickness: float) -> tuple[Map, Map]:
        """Return the board's shadow on the table, and the dusk along its edge."""
        middle = self._grid[0] / 2, self._grid[1] / 2
        shift = light.shift(*middle)
        slab = self._slab(shift[0] * thickness, shift[1] * thickness)
        plain = self._slab(0, 0)
        outside = 1 - plain
        cast = self.blurred(slab, max(1.0, light.softness * thickness))
        return cast * outside, 0.7 * self.blurred(plain, thickness) * outside

    def _slab(self, dx: float, dy: float) -> Map:
        mask = self.empty()
        left, top = self.px(dx - self._margin, dy - self._margin)
        right, bottom = self.px(
            dx + self._grid[0] + self._margin, dy + self._grid[1] + self._margin
        )
        mask[round(top) : round(bottom), round(left) : round(right)] = 1
        return mask

    def glare(self, light: Light) -> Linear | None:
        """Return the light of mirrored lamps, None if there are none.

        Returns:
            (H, W, 3) blue, green, red as multiples of the light's key.
        """
        if not light.glare:
            return None
        spots = np.zeros((*self.shape, 3), np.float32)
        for spot in light.glare:
            square = (self.x - spot.middle[0]) ** 2 + (self.y - spot.middle[1]) ** 2
            bright = spot.strength * np.exp(-square / np.float32(2 * spot.radius**2))
            spots += bright[..., None] * np.array(spot.tint[::-1], np.float32)
        return spots


def _dusk(far: Map, softness: float) -> Map:
    """Return how dark it is so far inside a shadow, mm, 0 to 1."""
    share = np.clip(far / softness + 0.5, 0, 1)
    return np.asarray(share * share * (3 - 2 * share), np.float32)
