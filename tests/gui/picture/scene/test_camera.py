"""The camera: zooming keeps the point under the pointer, panning moves by pixels, fitting shows all."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.camera import Bounds, Camera

CAMERA = Camera(2.0, -1.0, 50.0, 400.0, 300.0)


def test_world_and_screen_are_inverse():
    assert CAMERA.to_world(*CAMERA.to_screen(np.array([2.3, -1.4]))) == pytest.approx((2.3, -1.4))


def test_the_point_under_the_pointer_stays_when_zooming():
    before = CAMERA.to_world(37.0, 211.0)
    assert CAMERA.zoomed(1.7, 37.0, 211.0).to_world(37.0, 211.0) == pytest.approx(before)


def test_panning_moves_the_picture_by_pixels():
    point = np.array([2.3, -1.4])
    moved = CAMERA.panned(12.0, -7.0).to_screen(point) - CAMERA.to_screen(point)
    assert moved == pytest.approx([12.0, -7.0])


def test_fitting_shows_all_and_fills_one_side():
    bounds = Bounds(-3.0, 0.0, 5.0, 1.0)
    seen = Camera.fitting(bounds, 400, 300, margin=0.05).bounds
    assert seen.x0 < -3.0
    assert seen.x1 > 5.0
    assert (5.0 + 3.0) / (seen.x1 - seen.x0) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("insets", "kept"),
    [
        ((20.0, 40.0, 60.0, 80.0), (20.0, 40.0, 340.0, 220.0)),
        (
            (0.0, 300.0, 0.0, 100.0),
            (0.0, 112.5, 400.0, 262.5),
        ),  # half the height at most: 300 and 100 become 112.5 and 37.5
    ],
    ids=["as they are", "too high"],
)
def test_insets_are_kept_free_up_to_half_the_view(insets, kept):
    left, top, right, bottom = kept
    camera = Camera.within(Bounds(-3.0, 0.0, 5.0, 4.0), 400.0, 300.0, insets, np.inf)
    corners = camera.to_screen(np.array([[-3.0, 0.0], [5.0, 4.0]]))
    (x0, y0), (x1, y1) = corners
    assert min(x0 - left, y0 - top, right - x1, bottom - y1) >= -1e-9, "inside"
    assert min(max(x0 - left, right - x1), max(y0 - top, bottom - y1)) == pytest.approx(0.0), "and as large as can be"
    assert (x0 + x1, y0 + y1) == pytest.approx((left + right, top + bottom)), "in the middle"
