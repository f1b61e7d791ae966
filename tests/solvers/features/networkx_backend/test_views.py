"""Views of graphs, and graphs that change between calls: the backend answers as NetworkX does."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.algorithms.near_far.lane_search import SearchedRows
from solvers.errors import OutOfMemory, SeparatorsTooLarge, VerificationFailed
from solvers.features.networkx_backend import astar, interface, measures
from solvers.features.networkx_backend.info import FUNCTIONS
from solvers.system.machine import Memory as MachineMemory
from tests.solvers.features.networkx_backend.calls import (
    ABSENT,
    KINDS,
    arguments,
    graphs,
    outcome,
    reference,
)
from tests.solvers.features.networkx_backend.entry_points import registered

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

# of several shortest paths it may find another
COMPARED = sorted(FUNCTIONS)
# NetworkX adds a node for a while to look for negative cycles
FROZEN = "Frozen graph can't be modified"


@pytest.fixture(autouse=True, scope="module")
def _known() -> Iterator[None]:
    with registered():
        yield


# -- random chains of views
# ------------------------------------------------------------------------------------------


def subgraph(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    return graph.subgraph(some_nodes(draw, graph))


def subgraph_of_edges(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    return graph.edge_subgraph(some_edges(draw, graph))


def without_some(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    return nx.restricted_view(graph, some_nodes(draw, graph)[:2], some_edges(draw, graph))


def filtered(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    salt = draw(st.integers(2, 4))

    def keep(u: Any, v: Any, key: Any = 0) -> bool:  # the same in both directions
        return bool((len(repr(u)) + len(repr(v)) + (key if isinstance(key, int) else 0)) % salt)

    return nx.subgraph_view(graph, filter_node=lambda node: node != 2, filter_edge=keep)


def undirected(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    return graph.to_undirected(as_view=True)


def directed(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    return graph.to_directed(as_view=True)


def reversed_or_same(draw: st.DrawFn, graph: nx.Graph) -> nx.Graph:
    return (
        graph.reverse(copy=False)
        if graph.is_directed()
        else nx.graphviews.generic_graph_view(graph)
    )


VIEWS = (
    subgraph,
    subgraph_of_edges,
    without_some,
    filtered,
    undirected,
    directed,
    reversed_or_same,
)


def some_nodes(draw: st.DrawFn, graph: nx.Graph) -> list[Any]:
    return [node for node in graph if draw(st.integers(0, 3))]


def some_edges(draw: st.DrawFn, graph: nx.Graph) -> list[Any]:
    edges = list(graph.edges(keys=True) if graph.is_multigraph() else graph.edges())
    return [edge for edge in edges if draw(st.booleans())]


# -- proper changes, after which NetworkX drops what it keeps of the graph itself
# ------------------------------------


def add_edge(draw: st.DrawFn, graph: nx.Graph) -> None:
    nodes = st.sampled_from([*graph, "new"])
    graph.add_edge(draw(nodes), draw(nodes), weight=draw(st.integers(0, 4)), other=1)


def remove_edge(draw: st.DrawFn, graph: nx.Graph) -> None:
    if graph.size():
        graph.remove_edge(*draw(st.sampled_from(list(graph.edges))))


def remove_node(draw: st.DrawFn, graph: nx.Graph) -> None:
    if len(graph):
        graph.remove_node(draw(st.sampled_from(list(graph))))


def set_weights(draw: st.DrawFn, graph: nx.Graph) -> None:
    nx.set_edge_attributes(graph, {edge: draw(st.integers(0, 4)) for edge in graph.edges}, "weight")


def set_weight_and_say_so(draw: st.DrawFn, graph: nx.Graph) -> None:
    """In place, of which NetworkX learns nothing: its documentation asks to clear the
    cache then.
    """
    for *_, data in list(graph.edges(data=True))[:3]:
        data["weight"] = draw(st.integers(0, 4))
    graph.__networkx_cache__.clear()


CHANGES = (add_edge, remove_edge, remove_node, set_weights, set_weight_and_say_so)


@given(st.data())
def test_views_and_changed_graphs_are_answered_as_by_networkx(data: st.DataObject) -> None:
    chain = [data.draw(graphs())]
    for make in data.draw(st.lists(st.sampled_from(VIEWS), max_size=3)):
        chain.append(make(data.draw, chain[-1]))
    names = data.draw(st.lists(st.sampled_from(COMPARED), min_size=1, max_size=4))
    for change in [None, *data.draw(st.lists(st.sampled_from(CHANGES), max_size=2))]:
        if change is not None:
            change(data.draw, chain[0])
        for name in names:
            for graph in {id(graph): graph for graph in (chain[0], chain[-1])}.values():
                compare(name, graph, data.draw(st.composite(arguments)(name, graph)))


def is_declined(found: Any) -> bool:
    return isinstance(found, tuple) and found[0] == "NotImplementedError"


def compare(name: str, graph: nx.Graph, given_arguments: dict[str, Any]) -> None:
    if name == "barycenter":
        given_arguments.pop("attr", None)
    expected = outcome(reference(name), graph, **given_arguments)
    if expected == ("NetworkXError", FROZEN):
        return
    found = outcome(getattr(nx, name), graph, **given_arguments, backend="tautpath")
    if isinstance(found, tuple) and found[0] == "NetworkXNotImplemented":
        return  # refused by NetworkX before it asks a backend
    if given_arguments.get("usebounds") and hasattr(graph, "_graph") and is_declined(found):
        return  # an edge of two lengths, for which NetworkX's bounds do not hold
    if isinstance(found, tuple) and isinstance(expected, tuple):
        found, expected = found[0], expected[0]
    assert found == expected, (name, given_arguments, list(graph.edges(data=True)))


# -- what is kept
# --------------------------------------------------------------------------------------

KINDS_OF_VIEWS: dict[str, Callable[[nx.MultiDiGraph], nx.Graph]] = {
    "subgraph": lambda graph: graph.subgraph("abcd"),
    "edge_subgraph": lambda graph: graph.edge_subgraph(list(graph.edges)),
    "restricted_view": lambda graph: nx.restricted_view(graph, ["x"], []),
    "subgraph_view": lambda graph: nx.subgraph_view(
        graph, filter_edge=lambda u, v, key: key != "hidden"
    ),
    "reverse": lambda graph: graph.reverse(copy=False).reverse(copy=False),
    "to_undirected": lambda graph: graph.to_undirected(as_view=True),
    "generic_graph_view": nx.graphviews.generic_graph_view,
    "copy": lambda graph: graph.copy(as_view=True),
    "subgraph of a subgraph": lambda graph: (
        graph.subgraph("abcdx").edge_subgraph(list(graph.edges)).subgraph("abcd")
    ),
}


@pytest.mark.parametrize("kind", KINDS_OF_VIEWS)
def test_a_view_shows_a_change_of_its_graph(kind: str) -> None:
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from([("a", "b", 4), ("b", "c", 4), ("c", "d", 4), ("a", "x", 1)])
    graph.add_edge("a", "d", key="hidden", weight=100)
    view = KINDS_OF_VIEWS[kind](graph)
    assert nx.dijkstra_path_length(view, "a", "d", backend="tautpath") == 12

    graph.add_edge("b", "c", key=0, weight=1)
    assert nx.dijkstra_path_length(view, "a", "d", backend="tautpath") == 9
    graph["b"]["c"][0]["weight"] = 2
    assert nx.dijkstra_path_length(view, "a", "d", backend="tautpath") == 10
    graph.remove_edge("c", "d")
    expected = outcome(reference("dijkstra_path_length"), view, "a", "d")
    assert outcome(nx.dijkstra_path_length, view, "a", "d", backend="tautpath") == expected


def test_conversions_of_graphs_are_kept_also_of_frozen_ones_but_not_of_their_views() -> None:
    graph = nx.freeze(nx.path_graph(5))
    view = graph.subgraph(range(3))

    for shown in (graph, view):
        nx.has_path(shown, 0, 2, backend="tautpath")

    assert interface._kept(graph) is not None
    assert interface._kept(view) is None
    assert "one path" in interface.should_run(
        "has_path", (nx.path_graph(3000).subgraph(range(2500)), 0, 1), {}
    )


def test_neighbours_without_a_shown_edge_are_none() -> None:
    """NetworkX counts them as neighbours, but does not list them."""
    graph = nx.MultiGraph([(0, 1), (1, 2), (0, 2)])
    view = nx.subgraph_view(graph, filter_edge=lambda u, v, key: {u, v} != {0, 2})

    assert len(view[0]) == 2
    assert nx.shortest_path(view, 0, 2, backend="tautpath") == [0, 1, 2]


# -- edges of two lengths
# --------------------------------------------------------------------------------------------


def one_way_lengths() -> nx.Graph:
    """An undirected view whose edges are shorter in one direction."""
    streets = nx.DiGraph()
    for tail, head, there, back in (
        (0, 1, 1, 5),
        (1, 2, 2, 7),
        (2, 3, 9, 1),
        (0, 3, 4, 2),
        (3, 4, 1, 8),
    ):
        streets.add_edge(tail, head, weight=there)
        streets.add_edge(head, tail, weight=back)
    return streets.to_undirected(as_view=True)


FLOYD_WARSHALL = [
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
]
MEASURES = ["diameter", "radius", "center", "periphery", "eccentricity", "closeness_centrality"]


@pytest.mark.parametrize("name", [*MEASURES, *FLOYD_WARSHALL])
def test_undirected_views_with_two_lengths_are_solved_in_both_directions(name: str) -> None:
    view = one_way_lengths()
    weight = {"distance" if name.startswith("closeness") else "weight": "weight"}

    for shown in (view, view.to_directed(as_view=True)):
        assert outcome(getattr(interface, name), shown, **weight) == outcome(
            reference(name), shown, **weight
        )


@pytest.mark.parametrize("name", ["closeness_centrality", "eccentricity"])
def test_many_sources_together_keep_two_lengths_apart(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of a view, and of a function of the edge."""
    monkeypatch.setattr(measures, "TOGETHER_FROM", 2)
    run, requests = measures.run_all_sources, []
    monkeypatch.setattr(
        measures, "run_all_sources", lambda request: requests.append(request) or run(request)
    )
    parameter = "distance" if name.startswith("closeness") else "weight"
    graph = nx.cycle_graph(9)

    def uphill(u: int, v: int, data: dict[str, Any]) -> int:
        return 5 if u < v else 1

    for shown, weight in ((one_way_lengths(), "weight"), (graph, uphill)):
        given_weight = {parameter: weight}
        assert outcome(getattr(interface, name), shown, **given_weight) == outcome(
            reference(name), shown, **given_weight
        )
    assert [request.graph.directed for request in requests] == [True, True]


# -- graphs without nodes
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPARED)
def test_graphs_without_nodes(name: str) -> None:
    absent = {"source": ABSENT, "target": ABSENT, "sources": [], "center_nodes": []}
    parameters = inspect.signature(getattr(interface, name)).parameters
    required = {key: absent[key] for key in absent if key in parameters}
    for kind, choice in product(KINDS, ({}, {"weight": None}, {"usebounds": True})):
        if choice.keys() <= parameters.keys():
            compare(name, kind(), {**required, **choice})


# -- cutoffs
# --------------------------------------------------------------------------------------

WITH_CUTOFF = [
    name for name in COMPARED if "cutoff" in inspect.signature(getattr(interface, name)).parameters
]
NO_NUMBERS = ("3", "", b"3", [], (1,), 1j)
NUMBERS = (
    math.nan,
    math.inf,
    -1,
    True,
    Fraction(10, 3),
    Fraction(2**60 + 1, 2**60),
    Decimal("2.5"),
    10**400,
    -(10**400),
)


@pytest.mark.parametrize("name", WITH_CUTOFF)
def test_cutoffs_of_any_kind_do_what_they_do_in_networkx(name: str) -> None:
    linked = nx.path_graph(6, create_using=nx.DiGraph)
    nx.set_edge_attributes(linked, {(u, v): 1 + u / 4 for u, v in linked.edges}, "weight")
    for graph, cutoff in product((linked, nx.empty_graph(6)), NO_NUMBERS + NUMBERS):
        ends = {"source": 0, "target": 4, "sources": [0, 2]}
        given_ends = {
            key: ends[key]
            for key in inspect.signature(getattr(interface, name)).parameters
            if key in ends
        }
        compare(name, graph, {**given_ends, "cutoff": cutoff})


# -- A* and negative cycles
# ------------------------------------------------------------------------------------------


class Endless(Exception):
    """NetworkX looked at its nodes more often than any search that ends."""


class CountedNode:
    """A node whose uses in dictionaries are counted, to stop NetworkX where it would
    not stop by itself.
    """

    uses = 0

    def __init__(self, number: int):
        self.number = number

    def __hash__(self) -> int:
        CountedNode.uses += 1
        if CountedNode.uses > 20_000:
            raise Endless
        return self.number

    def __repr__(self) -> str:
        return f"node {self.number}"


@given(st.data(), st.integers(2, 6), st.booleans())
def test_a_star_ends_where_networkx_does_and_says_where_it_does_not(
    data: st.DataObject, n: int, guided: bool
) -> None:
    nodes = [CountedNode(number) for number in range(n)]
    pairs = st.tuples(
        st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from((-3, -1, 0, 1, 2, 2.5, 7))
    )
    CountedNode.uses = 0
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for tail, head, length in data.draw(st.lists(pairs, max_size=14)):
        graph.add_edge(nodes[tail], nodes[head], weight=length)
    values = data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    given_arguments = {
        "heuristic": (lambda node, target: values[node.number]) if guided else None,
        "cutoff": data.draw(st.sampled_from((None, 3))),
    }
    for name in ("astar_path", "astar_path_length"):
        CountedNode.uses = 0
        expected = outcome(reference(name), graph, nodes[0], nodes[-1], **given_arguments)
        CountedNode.uses = 0
        found = outcome(getattr(interface, name), graph, nodes[0], nodes[-1], **given_arguments)
        if expected == ("Endless", ""):
            assert found == (
                "NetworkXUnbounded",
                "Negative cycle detected: A* would follow it without end.",
            )
        else:
            assert found == expected


def test_a_star_is_bounded_on_a_negative_cycle_of_a_large_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes few entries for each edge, and none that memory has no room for."""
    graph = nx.path_graph(5_000, create_using=nx.DiGraph)
    graph.add_edge(3, 2, weight=-2)
    rooms = []
    more = astar._with_more_room
    monkeypatch.setattr(
        astar, "_with_more_room", lambda entries: rooms.append(len(entries.keys)) or more(entries)
    )

    with pytest.raises(nx.NetworkXUnbounded, match="Negative cycle"):
        interface.astar_path(graph, 0, 4_999)
    assert sum(rooms) <= 8 * 10_000

    monkeypatch.setattr(astar.machine, "memory", lambda: MachineMemory(2**30, 1000))
    with pytest.raises(OutOfMemory, match="1 kB free"):
        interface.astar_path(graph, 0, 4_999)


# -- answers that fail their verification
# ----------------------------------------------------------------------------


class WrongRows(SearchedRows):
    """An engine whose numbers are not those of its rows."""

    def summarise(self, *given_arguments: Any) -> Any:
        right = super().summarise(*given_arguments)
        return dataclasses.replace(right, totals=right.totals + 1)


@pytest.mark.parametrize(
    "name", ["closeness_centrality", "eccentricity", "barycenter", "average_shortest_path_length"]
)
def test_a_failed_verification_is_not_replaced_in_silence(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from solvers.features.all_sources import run as run_module

    graph = nx.cycle_graph(40)
    expected = outcome(reference(name), graph)
    monkeypatch.setattr(measures, "TOGETHER_FROM", 2)
    choose = run_module.prepared_network

    def wrong(whole: Any, device: Any, progress: Any, threads: int, **more: Any) -> Any:
        network = choose(whole, device, progress, threads, **more)
        return dataclasses.replace(network, sweeps=WrongRows(whole, threads))

    monkeypatch.setattr(run_module, "prepared_network", wrong)

    with pytest.raises(VerificationFailed) as caught:
        getattr(interface, name)(graph)
    assert caught.value.wrong_vertices > 0
    assert caught.value.text in str(caught.value)

    def too_large(*given_arguments: Any, **more: Any) -> None:
        raise SeparatorsTooLarge("hierarchy", "graph", 10**9, 40)

    # does not apply, which is not a fault
    monkeypatch.setattr(run_module, "prepared_network", too_large)
    assert outcome(getattr(interface, name), graph) == expected
