"""Paths as lines of the view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gui.painting.overlay import polyline
from gui.picture.scene.camera import Camera
from gui.picture.scene.scene import build_scene
from tests.gui.pictures import graph_of


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array([[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]])
    scene = build_scene(graph_of([(i, i + 1, 1) for i in range(5)], [(i, 0) for i in range(6)]))
    line = polyline(replace(scene, positions=positions), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    xs = [line.elementAt(i).x for i in range(line.elementCount())]
    assert 5050.0 in xs  # the way out is seen
    assert (np.diff(xs) != 0).sum() < 6
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = polyline(replace(scene, positions=nowhere), np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    assert all(np.isfinite(again.elementAt(i).x) for i in range(again.elementCount()))
