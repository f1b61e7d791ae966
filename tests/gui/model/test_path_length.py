"""The length shown of a path is one that its arcs add up to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gui.export.picture_export import caption
from gui.model.path_length import common_digits, length_text
from gui.picture.scene.activity import activity_of
from gui.picture.scene.hover import vertex_rows
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import route, run


def line(weights: np.ndarray) -> Graph:
    n = len(weights) + 1
    return Graph.from_arcs(n, np.arange(n - 1), np.arange(1, n), weights, name="line")


def solved(graph: Graph, variant_id: str = "dijkstra-heap") -> Result:
    variant = find_variant(variant_id)
    choice = Choice(variant, variant.settle({}))
    (result,) = run(RunRequest(graph, 0, graph.n - 1, (choice,), None, MeasurementPlan(0, 1)))
    return result


def test_integers_past_2_to_53_are_shown_to_the_last_digit():
    result = solved(line(np.array([9007199254740992, 1], np.int64)))
    assert result.target_distance == 9007199254740993
    assert length_text(result) == "9\u202f007\u202f199\u202f254\u202f740\u202f993"
    assert "0 → 2: 9\u202f007\u202f199\u202f254\u202f740\u202f993" in caption(result.graph, result)


def test_the_hover_card_gives_integers_past_2_to_53_exactly():
    from types import SimpleNamespace

    graph = line(np.array([9007199254740992, 1], np.int64))
    activity = activity_of(graph, solved(graph), None)
    content = SimpleNamespace(
        scene=SimpleNamespace(graph=graph), activity=activity, lesson=None, values=None, levels=None
    )
    assert dict(vertex_rows(content, None, 2))["distance"] == "9\u202f007\u202f199\u202f254\u202f740\u202f993"


def test_a_stale_predecessor_gives_no_path_rather_than_a_longer_one():
    graph = Graph.from_arcs(
        3, np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([5, 10_000_000, 10_000_001], np.int32)
    )
    answer = np.array([0, 5, 10_000_001], np.int32)
    stale = np.array([-1, 0, 1], np.int32)
    result = replace(solved(graph), distances=answer, predecessors=stale)
    assert route(result, 2) is None
    assert length_text(replace(result, path=np.array([0, 1, 2], np.int32))) is None
    right = replace(result, predecessors=np.array([-1, 0, 0], np.int32))
    assert route(right, 2).tolist() == [0, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_digits_of_a_floating_point_length_agree_with_sum_and_distance(dtype):
    random = np.random.default_rng(3)
    for n in (3, 40, 3000):
        result = solved(line(random.uniform(0.01, 1.0, n).astype(dtype)))
        shown = length_text(result)
        assert shown is not None
        digits = len(shown.removeprefix("≈ ").replace("\u202f", "").replace(".", "").lstrip("0"))
        total = float(np.sum(result.graph.weights, dtype=np.longdouble))
        for value in (total, result.target_distance):
            assert float(f"{value:.{digits}g}") == float(shown.removeprefix("≈ ").replace("\u202f", ""))


def test_common_digits():
    assert common_digits(1.0, 1.0) == 7
    assert common_digits(1.23456, 1.23444) == 3  # 1.23; at four digits 1.235 and 1.234
    assert common_digits(0.99999, 1.00001) == 4
    assert common_digits(1.0, 2.0) == 0
