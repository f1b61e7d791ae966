"""Sizes of vertices: areas by degree in graphs with hubs, none in road networks."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.scene import build_scene
from gui.picture.scene.vertex_sizes import vertex_sizes
from tests.gui.pictures import street_grid


def test_areas_are_proportional_to_degrees():
    hub = np.column_stack((np.zeros(60, np.int32), np.arange(1, 61, dtype=np.int32)))
    sizes = vertex_sizes(np.concatenate((hub, [[1, 2], [1, 3], [1, 4]])).astype(np.int32), 62)
    assert sizes[1] ** 2 / sizes[5] ** 2 == pytest.approx(4.0)
    assert sizes[0] == sizes.max()
    assert sizes[61] == sizes.min() > 0  # without edges, still a dot


def test_road_networks_and_graphs_without_edges_have_none():
    assert len(build_scene(street_grid()).sizes) == 0
    assert len(vertex_sizes(np.empty((0, 2), np.int32), 500)) == 0
