"""Paths as lines of the view."""

from __future__ import annotations

import numpy as np

from gui.painting.overlay import polyline
from gui.picture.scene.camera import Camera


def test_a_path_is_broken_where_it_leaves_the_view_and_passes_over_a_vertex_without_a_place():
    positions = np.array([[0.0, 0.0], [10.0, 0.0], [5000.0, 9000.0], [5000.0, 9100.0], [20.0, 0.0], [30.0, 0.0]])
    line = polyline(positions, np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    xs = [line.elementAt(i).x for i in range(line.elementCount())]
    assert 5050.0 in xs  # the way out is seen
    assert (np.diff(xs) != 0).sum() < 6
    nowhere = positions.copy()
    nowhere[1] = np.nan
    again = polyline(nowhere, np.arange(6), Camera(0.0, 0.0, 1.0, 100.0, 100.0), None)
    assert all(np.isfinite(again.elementAt(i).x) for i in range(again.elementCount()))
