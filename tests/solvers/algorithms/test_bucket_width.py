"""The width of a bucket: positive in every type, and never so wide that adding it to a distance wraps."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.bucket_width import bucket_width, mean_weights
from solvers.graphs.weights import FLOAT32, INT32, INT64
from tests import graphs


def test_roads_get_wide_buckets_and_other_graphs_narrow_ones() -> None:
    road, dense = graphs.by_hand("a grid"), graphs.by_hand("complete")
    for on_cpu in (False, True):
        assert mean_weights(road, on_cpu) > mean_weights(dense, on_cpu)
    assert mean_weights(road, on_cpu=True) < mean_weights(road, on_cpu=False), "rounds cost less on a processor"


def test_a_hub_makes_a_graph_no_road_network() -> None:
    """Few arcs a vertex on average, but the whole graph lies two arcs away: a path of many does not cross a bucket."""
    star = graphs.from_list(40, [(0, i, 1) for i in range(1, 40)], np.int32, name="a star")
    assert mean_weights(star, on_cpu=False) < mean_weights(graphs.by_hand("a grid"), on_cpu=False)


def test_a_width_is_counted_in_mean_weights() -> None:
    graph = graphs.from_list(3, [(0, 1, 10), (1, 2, 30)], np.int32, name="two arcs")
    assert bucket_width(graph, INT32, 3.0, on_cpu=False) == 60


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_a_distance_and_a_width_do_not_wrap(kind) -> None:
    graph = graphs.by_hand("heavy")
    width = bucket_width(graph, kind, 1e6, on_cpu=False)
    with np.errstate(over="raise"):
        assert kind.dtype.type(kind.infinity) + width > kind.infinity


def test_no_weights_still_make_a_positive_width() -> None:
    for name in ("no arcs", "one vertex"):
        assert bucket_width(graphs.by_hand(name), INT32, 0.0, on_cpu=False) >= 1
    zeros = graphs.from_list(2, [(0, 1, 0)], np.float32, name="zeros")
    assert bucket_width(zeros, FLOAT32, 0.0, on_cpu=False) > 0
