"""Graphs given to NetworkX and taken back: the same vertices, arcs, weights and coordinates."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import from_networkx, read, to_networkx
from solvers.errors import ParameterError
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_changes import RoadChanges

NAMES = ["a", ("b", 2), 3, frozenset({4})]


def edges_of(graph: nx.Graph) -> list[tuple[object, ...]]:
    """Edges with data; the ends of an undirected one in the order of their texts."""
    found = [(u, v, data) for u, v, data in graph.edges(data=True)]
    if not graph.is_directed():
        found = [(*sorted((u, v), key=str), data) for u, v, data in found]
    return sorted(found, key=str)


@given(
    st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-3, 9)), max_size=12),
    st.booleans(),
)
def test_there_and_back_loses_nothing(kind: type, arcs: list[tuple[int, int, int]], named: bool) -> None:
    given_graph = kind(name="there")
    given_graph.add_nodes_from(NAMES if named else range(4))
    for u, v, weight in arcs:
        ends = (NAMES[u], NAMES[v]) if named else (u, v)
        given_graph.add_edge(*ends, weight=weight)

    back = to_networkx(from_networkx(given_graph), multigraph=given_graph.is_multigraph())

    assert type(back) is kind
    assert list(back) == list(given_graph)
    assert back.name == "there"
    assert edges_of(back) == edges_of(given_graph)


def test_parallel_arcs_make_a_multigraph_unless_the_lightest_is_asked_for() -> None:
    arcs = ([0, 3, 3], [1, 1, 1], [7, 4, 4])

    assert sorted(to_networkx(arcs).edges(data="weight")) == [(0, 1, 4), (0, 1, 4), (0, 1, 7)]
    assert to_networkx(arcs).is_multigraph()
    assert list(to_networkx(arcs, multigraph=False, attribute="m").edges(data="m")) == [(0, 1, 4)]


def test_coordinates_name_and_unit_become_attributes() -> None:
    places = Coordinates(np.array([[9.5, 47.1], [9.6, 47.2]]), geographic=True)
    graph = Graph(
        np.array([0, 1, 1]),
        np.array([1], np.int32),
        np.array([2.5]),
        places,
        np.array([10, 20]),
        name="Vaduz",
        weight_unit="m",
    )

    made = to_networkx(graph)

    assert dict(made.nodes(data=True)) == {10: {"x": 9.5, "y": 47.1}, 20: {"x": 9.6, "y": 47.2}}
    assert made.graph == {"name": "Vaduz", "weight_unit": "m", "crs": "epsg:4326"}
    assert list(made.edges(data=True)) == [(10, 20, {"weight": 2.5})]
    assert type(next(iter(made))) is int


def test_a_road_closed_in_one_direction_makes_the_graph_directed() -> None:
    whole = Graph(np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([5, 5], np.int32), directed=False)
    half = RoadChanges().close((0, 1), one_way=True).apply(whole)

    assert not to_networkx(whole).is_directed()
    assert to_networkx(half).is_directed()


def test_only_networkx_graphs_are_taken() -> None:
    with pytest.raises(ParameterError, match="it takes a NetworkX graph"):
        from_networkx(([0, 0], [], []))
    assert read(nx.path_graph(2)).m == 2
