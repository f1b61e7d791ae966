"""Graphs with changed roads that are not what was said of their network are refused, wherever
answers are proved; those that are, are not. An answer is right by the arcs of its own graph, so
nothing else finds these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers import read
from solvers.graphs import road_patch
from solvers.graphs.arc_columns import ArcColumn
from solvers.graphs.changed_arcs import RoadArea
from solvers.graphs.graph import Graph, RoadPatch
from solvers.graphs.hours import Hour, HourTable
from solvers.graphs.places import place_ends
from solvers.graphs.road_changes import RoadChange, RoadChanges
from solvers.graphs.road_patch import changed_graph
from solvers.verification.changed_roads import changed_roads_failure
from tests.solvers.verification.changed import (
    FROM_0_TO_1,
    FROM_1_TO_2,
    FROM_2_TO_3,
    square,
    table_file,
    weighed_at,
)


def changed_graphs(graph: Graph, tmp_path) -> list[Graph]:
    hour = Hour.of(table_file(tmp_path), "08:00")
    area = RoadArea.of(np.array([FROM_1_TO_2, FROM_2_TO_3]), 0.3)
    several = (
        RoadChanges(hour=hour)
        .with_area(area)
        .with_roads([RoadChange(*FROM_1_TO_2, 2.5, one_way=True)])
        .close(FROM_0_TO_1, one_way=True)
    )
    at_hour = RoadChanges(hour=hour).apply(graph)
    slowed = RoadChanges().slow(1 / 3, FROM_1_TO_2).apply(graph)
    weights = np.where(np.arange(graph.m) == 2, np.inf, graph.weights + 0.25)
    others = changed_graph(slowed, weights)
    infinity = graph.distance_type.infinity
    one_closed = changed_graph(graph, np.where(np.arange(graph.m) == 3, infinity, graph.weights))
    cut, _ = place_ends().cut(
        slowed, place_ends().nearest(slowed, [(0.0, 0.001), (0.0, 0.0013), (0.001, 0.0)])
    )
    return [
        graph,
        at_hour,
        slowed,
        others,
        cut,
        several.apply(graph),
        several.apply(graph, at_hour),
        several.apply(slowed),
        RoadChanges(hour=hour).apply(graph, at_hour),
        RoadChanges().slow(30.0, FROM_0_TO_1).apply(others),
        RoadChanges().close(FROM_1_TO_2).apply(cut),
        weighed_at(RoadChanges().close(FROM_2_TO_3).apply(graph)),
        weighed_at(one_closed),
        changed_graph(cut, cut.weights * 2),
    ]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_what_was_said_is_not_refused(dtype: str, tmp_path) -> None:
    for graph in changed_graphs(square(dtype), tmp_path):
        assert changed_roads_failure(graph) is None


def test_speeds_of_arcs_are_not_refused() -> None:
    graph = square("float64")
    metres = ArcColumn("length", "m", np.arange(1.0, graph.m + 1))
    graph = replace(graph, attributes=(metres,))
    speeds = HourTable("speeds", (("10", "13"), ("13", "16")), {"08:00": np.array([30.0, 17.0])})
    assert changed_roads_failure(weighed_at(graph, speeds, "08:00")) is None


def test_roads_with_names_are_not_refused() -> None:
    graph = read([("a", "b", 3), ("b", "c", 4)])
    changes = RoadChanges().close(("a", "b")).slow(2.0, ("b", "c"))
    assert changed_roads_failure(changes.apply(graph)) is None


def test_a_patch_of_which_nothing_was_said_is_refused() -> None:
    graph = square()
    patch = RoadPatch(graph, np.array([2]), np.empty(0, np.int64), graph.weights[:0])
    failure = changed_roads_failure(road_patch.patched(patch, ()))
    assert failure is not None
    assert "is missing, but open" in failure.text


def test_a_graph_is_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = RoadChanges().close(FROM_0_TO_1).apply(square())
    assert changed_roads_failure(graph) is None
    monkeypatch.setattr("solvers.verification.changed_roads._failure", None)
    assert changed_roads_failure(graph) is None
