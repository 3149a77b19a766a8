"""Poses map board to picture and back, lens included."""

import numpy as np
import pytest

from vision.pose import BoardPose, Lens
from vision.scene.view import View

CORNERS = np.array([(250, 101), (1005, 120), (1015, 904), (194, 881)], float)
SIZE = 1296, 972


@pytest.mark.parametrize(
    ("k1", "k2"), [(0.0, 0.0), (-0.15, 0.0), (-0.25, 0.0), (0.3, 0.0), (-0.2, 0.04)]
)
def test_undistort_undoes_distort(k1, k2):
    """A point bent by the lens comes back to where it was."""
    lens = Lens(SIZE, k1, k2)
    points = np.random.default_rng(0).uniform((0, 0), SIZE, (50, 2))

    assert np.abs(lens.undistort(lens.distort(points)) - points).max() < 1e-6


def test_what_no_lens_can_show_is_somewhere():
    """Beyond the fold of a lens there is no point; what is found must be finite."""
    points = np.array(((0.0, 0.0), (-5000.0, 4000.0)))

    assert np.isfinite(Lens(SIZE, -0.3).undistort(points)).all()
    assert Lens(SIZE, -0.3).undistort(points[:0]).shape == (0, 2)


@pytest.mark.parametrize("k1", [0.0, -0.1])
def test_corners_are_seen_where_they_were_given(k1):
    """A pose fitted to four corners maps the grid's corners to them."""
    pose = BoardPose.from_corners(CORNERS, (500, 390), Lens(SIZE, k1))

    seen = pose.to_image(np.array([(0, 0), (500, 0), (500, 390), (0, 390)]))

    assert np.abs(seen - CORNERS).max() < 0.05
    assert (
        np.abs(pose.to_board(CORNERS) - [(0, 0), (500, 0), (500, 390), (0, 390)]).max()
        < 0.05
    )


def test_scaled_pose_sees_the_same_points():
    """A pose of the same picture at half its size maps to pixel centres there."""
    pose = BoardPose.from_corners(CORNERS, (500, 500), Lens(SIZE, -0.1))
    half = pose.scaled(0.5, (648, 486))
    points = np.array([(0.0, 0.0), (250.0, 100.0)])

    assert np.allclose(half.to_image(points), (pose.to_image(points) + 0.5) / 2 - 0.5)


def test_where_a_camera_is_follows_from_its_focal_length():
    """A board that is seen from straight before it does not tell the focal length."""
    view = View((250, 250), 900, tilt=35, size=SIZE, hfov=80)
    grid = np.array([(0, 0), (500, 0), (500, 500), (0, 500)], float)
    seen = view.project(np.insert(grid, 2, 0, axis=1))

    pose = BoardPose.from_corners(seen, (500, 500), Lens(SIZE))

    assert np.abs(pose.eye(view.focal) - view.eye).max() < 5
    assert np.abs(pose.eye(pose.focal()) - view.eye).max() > 100
