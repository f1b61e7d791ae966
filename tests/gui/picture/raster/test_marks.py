"""Discs are painted where their vertices are, one a pixel of a crowd."""

from __future__ import annotations

import numpy as np

from gui.picture.raster.marks import draw_discs, place_spots


def placed(points, size, *, crowded):
    """(spots, marks) of points in pixels; a crowd keeps one a pixel."""
    positions = np.array(points, dtype=np.float64)
    spots = np.empty((len(positions), 2), np.float32)
    seen = np.zeros((size[1] + 4, size[0] + 4) if crowded else (0, 0), np.uint8)
    vertices = np.arange(len(positions), dtype=np.int32)
    window = (-2, -2, size[0] + 2, size[1] + 2)
    count = place_spots(spots, positions, vertices, 1.0, 0.0, 0.0, *window, seen, 7)
    return spots[:count], seen


def test_disc_is_blended_where_its_vertex_is():
    image = np.full((20, 20), 0xFF000000, np.uint32)
    spots, _ = placed([[10.0, 8.0], [np.nan, 3.0]], (20, 20), crowded=False)
    draw_discs(image, 0, spots, 3.0, np.uint32(0xFFFFFFFF), 1.0)
    assert image[8, 10] == 0xFFFFFFFF
    rows, columns = np.nonzero(image != 0xFF000000)
    assert np.hypot(rows + 0.5 - 8.0, columns + 0.5 - 10.0).max() <= 3.5


def test_spots_keep_their_place_and_those_out_of_sight_are_left_out():
    spots, _ = placed([[3.25, 4.5], [-1.5, 19.0], [-2.5, 4.0], [30.0, 4.0]], (20, 20), crowded=False)
    assert spots.tolist() == [[3.25, 4.5], [-1.5, 19.0]]


def test_a_crowd_has_one_spot_a_pixel_and_every_pixel_of_it_one():
    points = np.random.default_rng(0).random((5000, 2)) * 10.0 + 5.0
    spots, seen = placed(points, (20, 20), crowded=True)
    wanted = {(int(x), int(y)) for x, y in points}
    assert {(int(x), int(y)) for x, y in spots} == wanted
    assert len(spots) == len(wanted) == (seen == 7).sum()
    assert (spots % 1 == 0.5).all()
