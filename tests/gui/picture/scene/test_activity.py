"""Visited ground, tint and trail are what trace and distances say.

Circles of a ring layout: at round distances, and where the picture has them.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.layout.arrangements import rings
from gui.picture.scene.activity import NEVER, Activity, RingScale, activity_of
from gui.picture.scene.scene import build_scene
from solvers.graphs.weights import INT32
from tests.gui.pictures import graph_of, trace_of

FRONTIERS = [[0], [1, 2], [2], [3]]


def test_vertices_are_revealed_when_they_are_first_active():
    activity = Activity(6, trace=trace_of(6, FRONTIERS))
    assert activity.reveal.tolist() == [0, 1, 1, 3, NEVER, NEVER]


def test_a_reached_vertex_that_was_never_active_is_revealed_at_the_end():
    answer = np.array([0, 1, 1, 2, 5, INT32.infinity], dtype=np.int32)
    activity = Activity(6, answer, trace_of(6, FRONTIERS))
    assert activity.reveal.tolist() == [0, 1, 1, 3, 3, NEVER]


def test_distances_alone_are_shown_at_once_and_tinted_from_near_to_far():
    answer = np.array([0, 5, 10, INT32.infinity], dtype=np.int32)
    activity = Activity(4, answer, unit="m")
    assert activity.reveal.tolist() == [0, 0, 0, NEVER]
    assert activity.shade[:3].tolist() == [0, 127, 255]
    assert (activity.legend.low, activity.legend.high, activity.legend.unit) == (0.0, 10.0, "m")


def test_negative_distances_are_part_of_the_range():
    activity = Activity(3, np.array([-4.0, 0.0, 4.0]))
    assert (activity.legend.low, activity.legend.high) == (-4.0, 4.0)
    assert activity.shade.tolist() == [0, 127, 255]


def test_the_trail_is_the_iterations_before_and_fades():
    activity = Activity(6, trace=trace_of(6, FRONTIERS))
    trail = activity.trail(3)
    assert [frontier.tolist() for frontier, _ in trail] == [[0], [1, 2], [2]]
    freshness = [share for _, share in trail]
    assert freshness == sorted(freshness)
    assert activity.trail(0) == []


def test_gathered_iterations_are_one_frontier_and_those_before_the_trail():
    activity = Activity(6, trace=trace_of(6, FRONTIERS))
    assert activity.frontier(3, 2).tolist() == [2, 3]
    assert activity.frontier(1, 9).tolist() == [0, 1, 2], "the run has no earlier ones"
    assert [frontier.tolist() for frontier, _ in activity.trail(3, 2)] == [[0, 1, 2]]
    assert activity.trail(1, 2) == []


def test_no_run_leaves_nothing_visited():
    activity = Activity(3)
    assert len(activity.reveal) == 0
    assert activity.legend is None
    assert len(activity.frontier(0)) == 0


@pytest.mark.parametrize("n", [5, 7])
def test_a_trace_of_another_graph_is_left_out(n):
    graph = graph_of([(0, 1, 1)], [(0.0, 0.0)] * 6)
    assert activity_of(graph, None, trace_of(n, FRONTIERS)).trace is None
    assert activity_of(graph, None, trace_of(6, FRONTIERS)).trace is not None


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
