"""Close by: which arcs are drawn one by one, and that what is drawn leads where it should."""

from __future__ import annotations

import numpy as np

from gui.picture.scene.detail import MOST_ARCS, MOST_VERTICES, Course, detail_of
from gui.picture.scene.scene import build_scene
from solvers.graphs.graph import Coordinates, Graph
from tests.gui.pictures import camera_for, content_of, frame_of, graph_of, street_grid

SIZE = (640, 480)


def test_parallel_arcs_show_the_least_weight():
    scene = build_scene(graph_of([(0, 1, 7), (0, 1, 3)], [(0, 0), (1, 0)]))
    (arc,) = detail_of(scene, camera_for(scene)).arcs
    assert (arc.tail, arc.head, arc.weight, arc.course) == (0, 1, 3.0, Course.ONE_WAY)


def test_opposite_arcs_of_one_weight_are_one_line():
    scene = build_scene(graph_of([(0, 1, 3), (1, 0, 3)], [(0, 0), (1, 0)]))
    assert [arc.course for arc in detail_of(scene, camera_for(scene)).arcs] == [Course.BOTH_WAYS]


def test_only_a_close_view_of_a_large_graph_has_detail():
    scene = build_scene(street_grid(100, 100))
    far = camera_for(scene, SIZE)
    assert detail_of(scene, far) is None
    near = detail_of(scene, far.zoomed(12.0, 320, 240))
    assert 0 < len(near.vertices) <= MOST_VERTICES
    assert near.arcs


def test_too_many_arcs_are_left_to_the_raster():
    rng = np.random.default_rng(0)
    tails, heads = rng.integers(0, 50, (2, 3 * MOST_ARCS))
    places = Coordinates(rng.random((50, 2)))
    graph = Graph.from_arcs(50, tails, heads, np.ones(len(tails), np.int32), coordinates=places)
    content = content_of(graph)
    frame = frame_of(content, camera=camera_for(content.scene, SIZE))
    assert frame.detail.arcs == ()
    assert len(frame.detail.vertices) == 50
    assert len(np.unique(frame.pixels)) > 10
