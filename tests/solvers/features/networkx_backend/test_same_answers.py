"""The backend's answers are NetworkX's: values, types, order of keys, choice of paths,
exceptions and their texts.
"""

from __future__ import annotations

import math
from itertools import islice, pairwise, permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.features.networkx_backend import betweenness, interface, search
from solvers.features.networkx_backend.info import FUNCTIONS
from tests.quick import THOROUGH, first_quick
from tests.solvers.features.networkx_backend.calls import (
    KINDS,
    Sampler,
    arguments,
    graphs,
    ordered,
    ours,
    outcome,
    reference,
    typed,
)

EXACT = sorted(FUNCTIONS)
DECLINED = (
    "negative lengths for betweenness",
    "negative lengths with several sources",
    "a graph with a negative cycle for Floyd-Warshall",
    "a function of the edge for Floyd-Warshall",
)


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=12 if THOROUGH else 5)
@given(st.data())
def test_every_function_answers_as_networkx(name: str, data: st.DataObject) -> None:
    # NetworkX's A* does not end on a negative cycle; `test_views` has what ours does.
    least = 0 if name.startswith("astar") else data.draw(st.sampled_from((0, 0, -1)))
    graph = data.draw(graphs(least=least))
    given_arguments = data.draw(st.composite(arguments)(name, graph))

    found = outcome(ours(name), graph, **given_arguments)

    expected = outcome(reference(name), graph, **given_arguments)
    if isinstance(found, tuple) and found[0] == "NotDispatched":
        assert any(reason in found[1] for reason in DECLINED), found
    elif name == "find_negative_cycle" and expected[:1] == ("AttributeError",):
        assert found[0] == "NetworkXError"  # NetworkX asks an edge that is not there for its length
    else:
        assert found == expected
        if not name.startswith("floyd_warshall"):
            assert typed(found) == typed(expected), "integers are integers"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", first_quick(range(25), 6))
def test_goldberg_radzik_in_the_order_of_sets(kind: type, seed: int) -> None:
    """Of equally short paths another was found than NetworkX finds, and nodes came in
    another order.
    """
    draw, graph = np.random.default_rng(seed), kind()
    names = [*map(str, range(20)), *range(200, 340, 7), (1, 2), 0.5, frozenset({3})]
    graph.add_nodes_from(names[v] for v in draw.permutation(len(names)))
    least = -1 if graph.is_directed() and seed % 2 else 0
    for u, v in draw.integers(0, len(names), (110, 2)):
        graph.add_edge(names[u], names[v], weight=int(draw.integers(least, 5)))
    for source in names[::6]:
        found = outcome(interface.goldberg_radzik, graph, source)
        assert found == outcome(reference("goldberg_radzik"), graph, source)


@pytest.mark.parametrize(
    "name", ["multi_source_dijkstra", "multi_source_dijkstra_path", "voronoi_cells"]
)
def test_several_sources_with_negative_lengths_are_left_to_networkx(name: str) -> None:
    for lengths in product((None, -1, 1), repeat=6):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(3))
        ends = zip(permutations(range(3), 2), lengths, strict=True)
        graph.add_weighted_edges_from(
            (u, v, length) for (u, v), length in ends if length is not None
        )
        found = outcome(ours(name), graph, [0, 1])
        if found[0] == "NotDispatched":
            assert -1 in lengths
        else:
            assert found == outcome(reference(name), graph, [0, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_integers_stay_integers_and_floats_floats(kind: type) -> None:
    graph = kind()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", "c", True)])

    whole = interface.single_source_dijkstra_path_length(graph, "a")
    graph.add_edge("c", "d", weight=0.5)
    mixed = interface.single_source_dijkstra_path_length(graph, "a")

    assert [type(value) for value in whole.values()] == [int] * 3
    assert [type(value) for value in mixed.values()] == [int, int, int, float]
    assert type(interface.dijkstra_path_length(graph, "a", "b")) is int
    assert type(interface.bidirectional_dijkstra(graph, "a", "d")[0]) is float
    assert type(interface.single_source_shortest_path_length(graph, "a")["d"]) is int


def test_sums_of_floats_round_as_in_networkx() -> None:
    graph = nx.gnm_random_graph(60, 200, seed=4)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 0.1 * (number % 17 + 1)

    for name in (
        "closeness_centrality",
        "eccentricity",
        "harmonic_diameter",
        "average_shortest_path_length",
    ):
        weight = {"distance" if name.startswith("close") else "weight": "weight"}
        assert outcome(ours(name), graph, **weight) == outcome(reference(name), graph, **weight)


def test_large_integer_lengths_leave_the_buckets_for_the_heap() -> None:
    graph = nx.gnm_random_graph(50, 150, seed=1, directed=True)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 10**9 + number % 3
        graph[u][v]["other"] = 800 if number % 5 else 0

    for weight in ("weight", "other"):
        found = interface.dijkstra_predecessor_and_distance(graph, 0, weight=weight)
        assert ordered(found) == ordered(
            reference("dijkstra_predecessor_and_distance")(graph, 0, weight=weight)
        )


@pytest.mark.parametrize("weight", ["small", "sparse", "real"])
def test_results_taken_over_during_the_search_are_the_same(
    monkeypatch: pytest.MonkeyPatch, weight: str
) -> None:
    """In pieces of a few vertices, by buckets, from buckets to the heap, and by the heap."""
    graph = nx.gnm_random_graph(80, 240, seed=3)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v].update(small=number % 4, sparse=1 if number % 9 else 900, real=number % 5 / 2)
    monkeypatch.setattr(search, "OVERLAP_FROM", 2)
    monkeypatch.setattr(search, "_PIECE", 7)
    if weight == "sparse":
        monkeypatch.setattr(search, "_PATIENCE", 0)

    for cutoff in (None, 3):
        found = interface.multi_source_dijkstra_path_length(
            graph, [5, 17], cutoff=cutoff, weight=weight
        )
        expected = reference("multi_source_dijkstra_path_length")(
            graph, [5, 17], cutoff=cutoff, weight=weight
        )
        assert ordered(found) == ordered(expected)


def test_negative_lengths_are_found_while_results_are_taken_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = nx.path_graph(60, create_using=nx.DiGraph)
    graph.add_edge(59, 3, weight=-100)
    monkeypatch.setattr(search, "OVERLAP_FROM", 2)
    monkeypatch.setattr(search, "_PIECE", 7)

    with pytest.raises(ValueError, match="Contradictory paths found"):
        interface.single_source_dijkstra_path_length(graph, 0)


@pytest.mark.parametrize("name", ["single_source_dijkstra", "single_source_bellman_ford"])
def test_infinite_lengths_are_reached(name: str) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, math.inf), (1, 2, 1.0), (0, 3, 2.0)])

    assert outcome(ours(name), graph, 0) == outcome(reference(name), graph, 0)


def test_many_sources_together_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one by one, which the other tests compare with NetworkX."""
    from solvers.features.networkx_backend import measures

    graph = nx.grid_2d_graph(8, 9)
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = number % 4
    names = ("closeness_centrality", "eccentricity", "average_shortest_path_length")
    apart = [ours(name)(graph) for name in names] + [interface.eccentricity(graph, weight="weight")]

    monkeypatch.setattr(measures, "TOGETHER_FROM", 2)
    run, used = measures.run_all_sources, []
    monkeypatch.setattr(
        measures, "run_all_sources", lambda request: used.append(request) or run(request)
    )

    assert [ours(name)(graph) for name in names] + [
        interface.eccentricity(graph, weight="weight")
    ] == apart
    assert len(used) == 4
    assert used[0].graph.n == 72


def test_bounds_search_less_than_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from solvers.features.networkx_backend import measures

    graph = nx.random_labeled_tree(300, seed=2)
    graph.add_edges_from(pairwise(range(40)))
    expected = reference("diameter")(graph), reference("radius")(graph)
    rows = []
    grow = measures.tree_of_levels
    monkeypatch.setattr(
        measures, "tree_of_levels", lambda *given: rows.append(given) or grow(*given)
    )

    assert (interface.diameter(graph), interface.radius(graph)) == expected
    assert len(rows) < 60


BETWEENNESS = [
    name
    for name in EXACT
    if "betweenness" in name and not name.startswith("edge_betweenness_centrality_s")
]


@pytest.mark.parametrize("lengths", [(1,), (1, 2, 3), (0, 1), (0.1, 0.2, 0.3)], ids=repr)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BETWEENNESS)
def test_betweenness_of_large_graphs_is_that_of_networkx(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: type, lengths: tuple[float, ...]
) -> None:
    """By the program for many sources, except for floats and cycles of length 0."""
    graph = kind(nx.gnm_random_graph(40, 70, seed=5, directed=kind().is_directed()))
    graph.add_edges_from([(0, 0), (0, 1), (0, 1), (41, 42)])
    for number, (*_, data) in enumerate(graph.edges(data=True)):
        data["weight"] = lengths[number % len(lengths)]
    monkeypatch.setattr(betweenness, "TOGETHER_FROM", 2)
    rest: dict[str, object] = {"normalized": False}
    choices = [{"endpoints": True}, {}] if name == "betweenness_centrality" else [{}]
    if name.endswith("subset"):
        rest |= {"sources": [3, 0, 3, 7], "targets": [0, 9, 12, 30, "nowhere"]}
    else:
        choices.append({"k": 11, "seed": Sampler(3)})

    for choice in choices:
        for weight in (None, "weight"):
            expected = reference(name)(graph, weight=weight, **rest, **choice)
            found = ours(name)(graph, weight=weight, **rest, **choice)
            assert list(found) == list(expected)
            assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_each_distance_has_the_type_of_its_path_in_large_graphs(
    kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With floats among the lengths all distances were floats; here also where results
    are made piece by piece.
    """
    monkeypatch.setattr(search, "OVERLAP_FROM", 100)
    monkeypatch.setattr(search, "_PIECE", 64)
    draw, graph = np.random.default_rng(3), kind()
    for u, v in [(0, 1), (0, 2), *draw.integers(0, 600, (2400, 2)).tolist()]:
        graph.add_edge(u, v, weight=0.5 if draw.random() < 0.1 else int(draw.integers(0, 9)))
    for name in (
        "single_source_dijkstra_path_length",
        "single_source_bellman_ford_path_length",
        "goldberg_radzik",
    ):
        found = outcome(ours(name), graph, 0)
        assert typed(found) == typed(outcome(reference(name), graph, 0))
        pairs = found[1] if name == "goldberg_radzik" else found
        assert {type(length) for _, length in pairs} == {int, float}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["floyd_warshall", "floyd_warshall_predecessor_and_distance"])
@pytest.mark.parametrize("seed", range(8))
def test_each_distance_of_all_pairs_has_the_type_of_its_path(kind, name, seed) -> None:
    """By Floyd and Warshall all were floats where one length was."""
    draw, graph = np.random.default_rng(seed), kind()
    graph.add_nodes_from(range(9))
    graph.add_weighted_edges_from([(0, 1, 2), (1, 2, 3), (3, 3, 0.0)])
    for u, v in draw.integers(0, 9, (12, 2)).tolist():
        least = -1 if graph.is_directed() and u < v else 1
        graph.add_edge(u, v, weight=0.5 if draw.random() < 0.2 else int(draw.integers(least, 9)))
    found, expected = outcome(ours(name), graph), outcome(reference(name), graph)
    assert found == expected
    assert typed(found) == typed(expected)


@pytest.mark.parametrize("name", ["eccentricity", "all_pairs_dijkstra_path_length", "diameter"])
def test_the_distance_of_a_node_to_itself_is_an_integer_among_floats(name: str) -> None:
    loop = nx.Graph()
    loop.add_edge(3, 3, weight=0.5)
    found = outcome(ours(name), loop, weight="weight")
    assert typed(found) == typed(outcome(reference(name), loop, weight="weight"))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weight", ["weight", None])
def test_simple_paths_of_one_length_come_in_networkxs_order(directed, weight) -> None:
    """What is avoided for one way on is not avoided for the next, from another beginning."""
    name = "shortest_simple_paths"
    for seed in range(4):
        draw, graph = np.random.default_rng(seed), nx.gnm_random_graph(30, 90, seed, directed)
        for u, v in graph.edges:
            graph[u][v]["weight"] = int(draw.integers(1, 4))
        both = [
            outcome(lambda made: list(islice(made, 25)), of(name)(graph, 0, 17, weight))
            for of in (ours, reference)
        ]
        assert both[0] == both[1]
