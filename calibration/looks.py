"""Colours between the reader's logarithms and the Lab numbers of a table's file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# sRGB (IEC 61966-2-1) to CIE XYZ, white point D65.
_XYZ_FROM_RGB = np.array(
    (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
)
_WHITE = _XYZ_FROM_RGB.sum(axis=1)
_KNEE = 6 / 29


def lab_from_log(log_bgr: npt.ArrayLike) -> Floats:
    """Return CIE Lab of (..., 3) log B, G, R relative to the ground, which is L 100."""
    rgb = _linear(np.exp(np.asarray(log_bgr, np.float64))[..., ::-1])
    ratio = rgb @ _XYZ_FROM_RGB.T / _WHITE
    cube = np.where(ratio > _KNEE**3, np.cbrt(ratio), ratio / (3 * _KNEE**2) + 4 / 29)
    x, y, z = np.moveaxis(cube, -1, 0)
    return np.stack((116 * y - 16, 500 * (x - y), 200 * (y - z)), axis=-1)


def log_from_lab(lab: npt.ArrayLike) -> Floats:
    """Undo `lab_from_log`."""
    lightness, a, b = np.moveaxis(np.asarray(lab, np.float64), -1, 0)
    y = (lightness + 16) / 116
    cube = np.stack((y + a / 500, y, y - b / 200), axis=-1)
    ratio = np.where(cube > _KNEE, cube**3, 3 * _KNEE**2 * (cube - 4 / 29))
    rgb = (ratio * _WHITE) @ np.linalg.inv(_XYZ_FROM_RGB).T
    return np.log(np.maximum(_coded(rgb), 1e-3))[..., ::-1]


def _linear(coded: Floats) -> Floats:
    bent = ((coded + 0.055) / 1.055) ** 2.4
    return np.where(coded <= 0.04045, coded / 12.92, bent)


def _coded(linear: Floats) -> Floats:
    bent = 1.055 * np.maximum(linear, 1e-12) ** (1 / 2.4) - 0.055
    return np.where(linear <= 0.0031308, 12.92 * linear, bent)
