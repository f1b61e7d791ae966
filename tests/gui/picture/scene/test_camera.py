"""The camera: zooming keeps the point under the pointer, panning moves by pixels, fitting shows all.

Fitting: a graph is clear of the cards over the lower edge, and as large as that allows.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.camera import CLEARANCE, Bounds, Camera, Cover, clear_camera, sample_of

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


WIDTH, HEIGHT, MARGIN = 400.0, 300.0, 0.05
LEGEND, BUTTONS = Cover(12.0, 180.0, 60.0), Cover(300.0, 400.0, 40.0)


def filled(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    """Points all over a rectangle."""
    x, y = np.meshgrid(np.linspace(x0, x1, 60), np.linspace(y0, y1, 60))
    return np.column_stack((x.ravel(), y.ravel()))


def fitted(points: np.ndarray, *covers: Cover) -> Camera:
    return clear_camera(points, Bounds.of(points), WIDTH, HEIGHT, covers, margin=MARGIN, limit=np.inf)


def beneath(points: np.ndarray, camera: Camera, cover: Cover) -> bool:
    x, y = camera.to_screen(points).T
    return bool(np.any((x > cover.left) & (x < cover.right) & (y > HEIGHT - cover.height)))


@pytest.mark.parametrize("shape", [(0, 0, 1, 3), (0, 0, 3, 1), (0, 0, 4, 3)], ids=["tall", "wide", "as the view"])
def test_no_point_is_beneath_a_cover(shape):
    points = filled(*shape)
    camera = fitted(points, LEGEND, BUTTONS)
    assert not beneath(points, camera, LEGEND)
    assert not beneath(points, camera, BUTTONS)
    seen, bounds = camera.bounds, Bounds.of(points)
    assert seen.x0 < bounds.x0
    assert seen.x1 > bounds.x1
    assert seen.y0 < bounds.y0


def test_a_graph_that_leaves_the_corners_free_is_as_large_as_without_covers():
    disc = filled(-1, -1, 1, 1)
    disc = disc[np.hypot(*disc.T) < 1.0]
    assert fitted(disc, Cover(0.0, 60.0, 40.0), Cover(360.0, 400.0, 40.0)) == fitted(disc)
    assert fitted(disc, LEGEND).scale < fitted(disc).scale


def test_a_low_wide_graph_moves_up_and_keeps_its_size():
    points = filled(0, 0, 5, 3)
    plain, camera = fitted(points), fitted(points, LEGEND)
    assert beneath(points, plain, LEGEND)
    assert not beneath(points, camera, LEGEND)
    low = filled(0, 0, 20, 9)
    assert fitted(low, LEGEND).scale == fitted(low).scale


def test_a_tall_graph_stands_beside_a_low_narrow_cover():
    tall = filled(0, 0, 1, 3)
    beside = Cover(0.0, 170.0, 150.0)
    camera = fitted(tall, beside)
    assert not beneath(tall, camera, beside)
    assert camera.scale == fitted(tall).scale, "moved to the right rather than made smaller"
    assert camera.to_screen(tall)[:, 0].min() >= beside.right + CLEARANCE - 1e-6


def test_where_no_camera_is_clear_the_graph_is_shown_all_the_same():
    points = filled(0, 0, 4, 3)
    camera = fitted(points, Cover(0.0, 200.0, 290.0), Cover(200.0, 400.0, 290.0))
    corners = camera.to_screen(np.array([[0.0, 0.0], [4.0, 3.0]]))
    assert (corners >= 0).all()
    assert (corners <= (WIDTH, HEIGHT)).all()


def test_a_sample_is_small_and_holds_placed_points_only():
    positions = np.random.default_rng(1).random((100_000, 2))
    positions[::7] = np.nan
    sample = sample_of(positions)
    assert 10_000 <= len(sample) <= 20_000
    assert np.isfinite(sample).all()
    assert len(sample_of(np.full((3, 2), np.nan))) == 0
