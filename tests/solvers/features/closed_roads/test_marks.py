"""Marks of closed and slowed roads, roads in a lasso, and colours of differences."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import UnknownVertex
from solvers.features.closed_roads.differences import Differences
from solvers.features.closed_roads.lasso import roads_inside
from solvers.features.closed_roads.marks import difference_values, marks_of
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import INT32
from solvers.picture.scene.activity import NEVER
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.scene import build_scene
from tests import graphs
from tests.gui.pictures import street_grid

FAR = INT32.infinity
GRAPH = graphs.from_list(5, [(0, 1, 1)])


def of(before: list[int], after: list[int]) -> Differences:
    return Differences(GRAPH, np.array(before, np.int32), np.array(after, np.int32))


@pytest.mark.parametrize(
    ("before", "after", "reveal", "shades", "low", "ramp"),
    [
        (
            [0, 5, 5, 5, FAR],
            [0, 15, 25, FAR, FAR],
            [NEVER, 0, 0, 0, NEVER],
            [127, 255, 255],
            0,
            Ramp.INCREASES,
        ),
        (
            [0, 5, 30, 5, FAR],
            [0, 15, 10, 5, 4],
            [NEVER, 0, 0, NEVER, 0],
            [191, 0, 0],
            -20,
            Ramp.DIFFERENCES,
        ),
    ],
    ids=["increases", "both ways"],
)
def test_differences_run_to_the_greatest_which_a_vertex_cut_off_or_newly_reached_has(
    before: list[int],
    after: list[int],
    reveal: list[int],
    shades: list[int],
    low: float,
    ramp: Ramp,
) -> None:
    values = difference_values(of(before, after))
    assert values.reveal.tolist() == reveal
    assert values.shade[values.reveal == 0].tolist() == shades
    assert (values.legend.low, values.legend.high, values.legend.ramp) == (low, 20, ramp)


def test_equal_distances_have_no_colours() -> None:
    assert difference_values(of([0, 5, FAR, 5, 5], [0, 5, FAR, 5, 5])) is None


def test_a_lasso_holds_the_roads_whose_middle_is_inside() -> None:
    streets = build_scene(street_grid())
    middles = streets.segments.reshape(-1, 2, 2).astype(np.float64).mean(axis=1)
    bounds = streets.bounds
    corners = np.array([[0.2, 0.2], [0.7, 0.2], [0.7, 0.5], [0.45, 0.3], [0.2, 0.5]])  # not convex
    outline = corners * [bounds.x1 - bounds.x0, bounds.y1 - bounds.y0] + [bounds.x0, bounds.y0]
    found = {tuple(ends) for ends in roads_inside(streets, outline).tolist()}
    expected = {
        tuple(e)
        for e, at in zip(streets.ends.tolist(), middles, strict=True)
        if inside(at, outline)
    }
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
    closed, slowed = marks_of(graph, changes)
    assert (closed.ends.tolist(), slowed.ends.tolist()) == ([[3, 4]], [[5, 4]])
    assert (closed.sign, slowed.sign(0)) == (None, "×2.5")
    assert (closed.one_way.tolist(), slowed.one_way.tolist()) == ([False], [True])
    with pytest.raises(UnknownVertex):
        marks_of(graph, RoadChanges().close((ids[0], -77)))
