"""The road under a point, the roads in a lasso, and the marks of changes."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.road_marks import RoadMarks, road_at, roads_inside
from gui.picture.scene.scene import DrawableGraph, build_scene
from solvers.errors import UnknownVertex
from solvers.graphs.changed_arcs import CLOSED
from solvers.graphs.road_changes import RoadChanges
from tests.gui.pictures import street_grid


@pytest.fixture(scope="module")
def streets() -> DrawableGraph:
    return build_scene(street_grid())


def middles(scene: DrawableGraph) -> np.ndarray:
    return scene.segments.reshape(-1, 2, 2).astype(np.float64).mean(axis=1)


def test_the_nearest_road_within_reach_is_found(streets: DrawableGraph) -> None:
    for edge in range(0, streets.edges, 97):
        x, y = middles(streets)[edge]
        found = road_at(streets, x, y, 0.3 * streets.mean_length)
        assert found == tuple(streets.ends[edge].tolist())
    bounds = streets.bounds
    assert road_at(streets, bounds.x1 + 1.0, bounds.y1 + 1.0, streets.mean_length) is None


def test_a_lasso_holds_the_roads_whose_middle_is_inside(streets: DrawableGraph) -> None:
    bounds = streets.bounds
    corners = np.array([[0.2, 0.2], [0.7, 0.2], [0.7, 0.5], [0.45, 0.3], [0.2, 0.5]])  # not convex
    outline = corners * [bounds.x1 - bounds.x0, bounds.y1 - bounds.y0] + [bounds.x0, bounds.y0]
    found = {tuple(ends) for ends in roads_inside(streets, outline).tolist()}
    expected = {tuple(e) for e, at in zip(streets.ends.tolist(), middles(streets), strict=True) if inside(at, outline)}
    assert 20 < len(expected) < streets.edges / 2
    assert found == expected
    assert len(roads_inside(streets, outline[:2])) == 0


def inside(point: np.ndarray, outline: np.ndarray) -> bool:
    """By the sum of the angles under which the sides are seen."""
    (x1, y1), (x0, y0) = (np.roll(outline, -1, axis=0) - point).T, (outline - point).T
    turns = np.arctan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1)
    return bool(abs(turns.sum()) > np.pi)


def test_marks_are_indices_of_the_ends() -> None:
    graph = street_grid()
    ids = [graph.vertex_id(v) for v in (3, 4, 5)]
    changes = RoadChanges().close((ids[0], ids[1])).slow(2.5, (ids[2], ids[1]), one_way=True)
    marks = RoadMarks.of(graph, changes)
    assert marks.ends.tolist() == [[3, 4], [5, 4]]
    assert marks.factors.tolist() == [CLOSED, 2.5]
    assert marks.one_way.tolist() == [False, True]
    with pytest.raises(UnknownVertex):
        RoadMarks.of(graph, RoadChanges().close((ids[0], -77)))
