"""Circles of a ring layout: at round distances, and where the picture has them."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.layout.rings import rings
from gui.picture.scene.ring_scale import RingScale
from gui.picture.scene.scene import build_scene
from tests.gui.pictures import graph_of


def test_vertices_lie_on_the_circles_of_their_distances():
    graph = graph_of([(0, 1, 20), (0, 2, 60), (2, 3, 40), (1, 4, 30)], None)
    distances = np.array([0.0, 20, 60, 100, 50])
    placed = rings(graph, 0, distances)
    scale = RingScale.of(placed.positions, placed.low, placed.high, "m")
    positions = build_scene(graph, placed.positions).positions
    circles = dict(scale.circles)
    assert list(circles) == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    for v in range(1, 5):
        assert np.hypot(*(positions[v] - scale.centre)) == pytest.approx(circles[distances[v]])


def test_negative_distances_begin_in_the_middle():
    assert RingScale((0.0, 0.0), 0.5, -4.0, 6.0).circles[0] == (-3.0, pytest.approx(0.05))


def test_whole_distances_have_no_circles_between_them():
    assert [distance for distance, _ in RingScale((0.0, 0.0), 0.5, 0.0, 4.0, whole=True).circles] == [1, 2, 3, 4]
    assert len(RingScale((0.0, 0.0), 0.5, 0.0, 4.0).circles) == 8


def test_without_a_range_there_are_no_circles():
    assert RingScale((0.0, 0.0), 0.5, 0.0, 0.0).circles == []
