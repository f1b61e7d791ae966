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
