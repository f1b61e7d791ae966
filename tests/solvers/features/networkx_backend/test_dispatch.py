"""NetworkX calls the backend, keeps what it converted, and solves itself what the
backend declines.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from networkx.utils.backends import _registered_algorithms

from solvers.errors import NotDispatched
from solvers.features.networkx_backend import interface
from solvers.features.networkx_backend.graph import DispatchGraph
from solvers.features.networkx_backend.info import FUNCTIONS, get_info
from tests.solvers.features.networkx_backend.entry_points import environment, registered

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with registered():
        yield


def roads() -> nx.Graph:
    graph = nx.Graph(name="roads")
    graph.add_weighted_edges_from(
        [("home", "bridge", 4), ("bridge", "school", 3), ("home", "school", 9)]
    )
    graph.add_node("island", kind="far")
    return graph


def test_a_keyword_chooses_the_backend() -> None:
    graph = roads()

    assert nx.dijkstra_path(graph, "home", "school", backend="tautpath") == [
        "home",
        "bridge",
        "school",
    ]
    with pytest.raises(nx.NetworkXNoPath, match="No path to island"):
        nx.dijkstra_path(graph, "home", "island", backend="tautpath")
    with pytest.raises(nx.NodeNotFound, match="Node church not found in graph"):
        nx.dijkstra_path(graph, "church", "home", backend="tautpath")


def test_a_conversion_is_kept_until_the_graph_changes() -> None:
    graph = roads()
    nx.shortest_path_length(graph, "home", weight="weight", backend="tautpath")
    (kept,) = graph.__networkx_cache__["backends"]["tautpath"].values()

    nx.shortest_path_length(graph, "home", weight="cost", backend="tautpath")
    nx.shortest_path_length(graph, "home", backend="tautpath")
    assert set(map(id, graph.__networkx_cache__["backends"]["tautpath"].values())) == {id(kept)}

    graph.add_edge("school", "island", weight=1)
    assert nx.dijkstra_path_length(graph, "home", "island", backend="tautpath") == 8


def test_arcs_are_turned_round_once_for_each_attribute() -> None:
    graph = DispatchGraph.of(nx.DiGraph([(0, 1, {"w": 3}), (2, 1, {"w": 5}), (1, 0, {"w": 7})]))
    arcs = graph.arcs("w")
    turned = graph.backward("w", arcs)
    assert list(
        zip(turned.tails.tolist(), turned.heads.tolist(), turned.lengths.tolist(), strict=True)
    ) == [(0, 1, 7), (1, 0, 3), (1, 2, 5)]
    assert graph.backward("w", arcs) is turned
    assert graph.backward(None, graph.arcs()).lengths.tolist() == [1, 1, 1]
    by_function = graph.arcs(lambda u, v, data: u + v)
    assert graph.backward(lambda u, v, data: u + v, by_function).lengths.tolist() == [1, 1, 3]


def test_a_graph_with_its_conversion_is_freed_at_once() -> None:
    import gc
    import weakref

    graph = roads()
    nx.has_path(graph, "home", "school", backend="tautpath")
    alive = weakref.ref(graph)
    collecting = gc.isenabled()
    gc.disable()
    try:
        del graph
        assert alive() is None
    finally:
        if collecting:
            gc.enable()


def test_a_converted_graph_is_taken_and_given_back() -> None:
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        graph = kind(roads())
        graph.add_edge("home", "home", weight=0)
        graph.add_edge("home", "bridge", weight=1, name="ford")

        taken = interface.convert_from_nx(graph)

        assert nx.dijkstra_path_length(taken, "home", "bridge") == 1
        back = interface.convert_to_nx(taken)
        assert type(back) is kind
        assert nx.utils.graphs_equal(back, graph)
        assert list(back) == list(graph)
        assert (len(taken), list(taken), "home" in taken, [] in taken) == (
            4,
            list(graph),
            True,
            False,
        )


STRANGE = [Decimal("1.5"), Fraction(1, 3), "far", 2**60, np.float32(0.1), float("nan"), 10**400]


@pytest.mark.parametrize("length", STRANGE, ids=repr)
def test_lengths_that_floats_cannot_stand_for_are_named_and_left_to_networkx(
    length: object,
) -> None:
    graph = roads()
    graph.add_edge("bridge", "school", weight=length)

    with pytest.raises(NotDispatched, match="'bridge' → 'school'"):
        interface.convert_from_nx(graph, edge_attrs={"weight": 1})
    with pytest.raises(NotImplementedError, match="tautpath"):
        nx.dijkstra_path_length(graph, "home", "bridge", backend="tautpath")
    with nx.config(backend_priority=["tautpath"], fallback_to_nx=True):
        assert nx.dijkstra_path_length(graph, "home", "bridge") == 4


def test_sums_beyond_what_floats_hold_are_declined() -> None:
    graph = nx.path_graph(100)
    nx.set_edge_attributes(graph, 2**50, "weight")

    with pytest.raises(NotDispatched, match=r"could pass 2\^53"):
        interface.dijkstra_path_length(graph, 0, 99)
    assert interface.dijkstra_path_length(graph.subgraph(range(5)), 0, 4) == 2**52


def test_automatic_use_depends_on_size_weight_and_what_is_kept() -> None:
    small, large = nx.path_graph(5), nx.path_graph(interface.LEAST_NODES_UNWEIGHTED)
    one_to_all = "single_source_dijkstra_path_length"

    assert interface.should_run(one_to_all, (large, 0), {}) is True
    assert "fewer than" in interface.should_run(one_to_all, (small, 0), {})
    assert "every edge" in interface.should_run(
        one_to_all, (large, 0), {"weight": lambda u, v, data: 1}
    )
    assert "heuristic" in interface.should_run("astar_path", (large, 0, 1, lambda u, v: 0), {})
    assert "one path" in interface.should_run("shortest_path", (large, 0, 9), {})
    assert interface.should_run("shortest_path", (large, 0), {}) is True
    large[0][1]["weight"] = Decimal(1)
    assert "Decimal" in interface.should_run(one_to_all, (large, 0), {})
    assert interface.should_run(one_to_all, (large, 0), {"weight": "length"}) is True
    nx.has_path(large, 0, 9, backend="tautpath")
    assert interface.should_run("shortest_path", (large, 0, 9), {}) is True


BY_BELLMAN_FORD = {"source": 0, "weight": "weight", "method": "bellman-ford"}


@pytest.mark.parametrize(
    ("name", "rest", "least"),
    [
        ("single_source_shortest_path", {"source": 0}, interface.LEAST_NODES_UNWEIGHTED),
        ("shortest_path_length", {"target": 0}, interface.LEAST_NODES_UNWEIGHTED),
        ("eccentricity", {"v": 0}, interface.LEAST_NODES_UNWEIGHTED),
        ("eccentricity", {"v": 0, "weight": "weight"}, interface.LEAST_NODES),
        ("shortest_path_length", {"target": 0, "weight": "weight"}, interface.LEAST_NODES),
        ("single_source_dijkstra", {"source": 0}, interface.LEAST_NODES),
        ("shortest_path", BY_BELLMAN_FORD, interface.LEAST_NODES_OF_BELLMAN_FORD),
        ("negative_edge_cycle", {}, interface.LEAST_NODES_OF_BELLMAN_FORD),
        ("eccentricity", {}, interface.LEAST_NODES_OF_ALL_PAIRS),
        ("shortest_path_length", {}, interface.LEAST_NODES_OF_ALL_PAIRS),
        ("closeness_centrality", {}, interface.LEAST_NODES_OF_ALL_PAIRS),
        ("closeness_centrality", {"u": 0}, interface.LEAST_NODES_UNWEIGHTED),
        ("johnson", {}, interface.LEAST_NODES_OF_ALL_PAIRS),
    ],
)
def test_the_least_size_depends_on_the_search(name: str, rest: dict[str, Any], least: int) -> None:
    assert interface.should_run(name, (nx.empty_graph(least),), rest) is True
    assert f"fewer than {least} nodes" in str(
        interface.should_run(name, (nx.empty_graph(least - 1),), rest)
    )


def test_what_is_declined_says_why() -> None:
    graph = roads()

    assert "writes" in interface.can_run("barycenter", (graph,), {"attr": "sum"})
    assert "attribute" in interface.can_run(
        "floyd_warshall", (graph,), {"weight": lambda u, v, data: 1}
    )
    assert interface.can_run("barycenter", (graph, "weight"), {}) is True
    # the call itself complains
    assert interface.can_run("dijkstra_path", (graph,), {"misspelt": 1}) is True


def test_automatic_dispatch_solves_and_other_functions_stay_networkx() -> None:
    graph = nx.cycle_graph(interface.LEAST_NODES + 1)

    with nx.config(backend_priority=["tautpath"]):
        assert nx.eccentricity(graph)[0] == (interface.LEAST_NODES + 1) // 2
        assert len(nx.minimum_cycle_basis(graph)) == 1
    assert isinstance(
        next(iter(graph.__networkx_cache__["backends"]["tautpath"].values())), DispatchGraph
    )


def test_every_function_that_is_told_exists_under_networkx_parameters() -> None:
    import inspect

    assert get_info()["functions"].keys() == FUNCTIONS.keys()
    for name in FUNCTIONS:
        own = inspect.signature(getattr(interface, name)).parameters.values()
        theirs = inspect.signature(_registered_algorithms[name].orig_func).parameters.values()
        assert [(p.name, p.default, p.kind) for p in own] == [
            (p.name, p.default, p.kind) for p in theirs
        ], name


def test_networkx_finds_the_entry_points_and_loads_nothing_with_them(tmp_path: Path) -> None:
    program = """
import sys
import networkx as nx
assert "tautpath" in nx.config.backends, nx.config.backends
assert nx.utils.backends.backend_info["tautpath"]["functions"]["dijkstra_path"]
late = {"numpy", "numba", "scipy", "solvers.features.networkx_backend.interface"}
heavy = late & set(sys.modules)
assert not heavy, heavy
assert "tautpath" in nx.dijkstra_path.__doc__
"""
    command, variables = [sys.executable, "-c", program], environment(tmp_path)
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
