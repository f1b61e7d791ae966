"""Graphs from and to other libraries, and from lists and dicts: nothing lost, nothing
added up, and faults named.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pyarrow
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from solvers import from_networkx, read, to_networkx
from solvers.errors import (
    FileFormatError,
    GraphFileWarning,
    OptionNotApplicable,
    ParameterError,
    UnknownName,
    UnknownVertex,
)
from solvers.graphs.conversion import convert
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.rows import arc_keys, rows_of

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
def test_there_and_back_loses_nothing(
    kind: type, arcs: list[tuple[int, int, int]], named: bool
) -> None:
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
    rows = np.array([0, 1, 1]), np.array([1], np.int32)
    graph = Graph(*rows, np.array([2.5]), places, np.array([10, 20]), name="Vaduz", weight_unit="m")

    made = to_networkx(graph)

    assert dict(made.nodes(data=True)) == {10: {"x": 9.5, "y": 47.1}, 20: {"x": 9.6, "y": 47.2}}
    assert made.graph == {"name": "Vaduz", "weight_unit": "m", "crs": "epsg:4326"}
    assert list(made.edges(data=True)) == [(10, 20, {"weight": 2.5})]
    assert type(next(iter(made))) is int


def test_a_road_closed_in_one_direction_makes_the_graph_directed() -> None:
    whole = Graph(
        np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([5, 5], np.int32), directed=False
    )
    half = RoadChanges().close((0, 1), one_way=True).apply(whole)

    assert not to_networkx(whole).is_directed()
    assert to_networkx(half).is_directed()


def test_only_networkx_graphs_are_taken() -> None:
    with pytest.raises(ParameterError, match="it takes a NetworkX graph"):
        from_networkx(([0, 0], [], []))
    assert read(nx.path_graph(2)).m == 2


def arcs(graph: Graph) -> list[tuple[Any, Any, Any]]:
    """Arcs by the ids of their ends."""
    ids = [graph.vertex_id(vertex) for vertex in range(graph.n)]
    ends = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    return [(ids[tail], ids[head], weight) for tail, head, weight in ends]


# -- NetworkX
# --------------------------------------------------------------------------------------


def test_integer_nodes_become_ids_in_ascending_order() -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(30, 10, 4), (10, 20, 5)])

    taken = convert(graph)

    assert type(taken) is Graph
    assert taken.ids.tolist() == [10, 20, 30]
    assert arcs(taken) == [(10, 20, 5), (30, 10, 4)]
    assert (taken.weights.dtype, taken.directed) == (np.int32, True)


def test_other_nodes_stay_the_names_of_vertices() -> None:
    graph = nx.DiGraph(name="mixed")
    graph.add_weighted_edges_from([("b", ("a", 1), 0.5), (("a", 1), 7, 2)])

    taken = convert(graph)

    assert isinstance(taken, LabelledGraph)
    assert taken.labels == ("b", ("a", 1), 7)
    assert taken.ids.tolist() == [0, 1, 2]
    assert [taken.vertex(label) for label in taken.labels] == [0, 1, 2]
    assert arcs(taken) == [("b", ("a", 1), 0.5), (("a", 1), 7, 2.0)]
    assert taken.name == "mixed"
    with pytest.raises(UnknownVertex):
        taken.vertex(0)  # an index is not a label


def test_a_mistyped_label_gets_its_likes() -> None:
    with pytest.raises(UnknownVertex) as caught:
        convert(nx.path_graph(["Oban", "Mull"])).vertex("Obam")
    assert caught.value.nearest == ("Oban",)


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (
            nx.Graph([(1, 2, {"weight": 3}), (2, 2, {"weight": 4})]),
            {},
            [(1, 2, 3), (2, 1, 3), (2, 2, 4)],
        ),
        (
            nx.MultiDiGraph([(0, 1, {"weight": 5}), (0, 1, {"weight": 2}), (0, 1, {"weight": 1})]),
            {},
            [(0, 1, 1), (0, 1, 2), (0, 1, 5)],
        ),
        (nx.DiGraph([(0, 1, {"weight": 5, "minutes": 7})]), {"attribute": "minutes"}, [(0, 1, 7)]),
        (nx.DiGraph([(0, 1)]), {"undirected": True}, [(0, 1, 1), (1, 0, 1)]),
        (([0, 3, 3, 3], [2, 0, 1], [7, 8, 9]), {}, [(0, 0, 8), (0, 1, 9), (0, 2, 7)]),
        (([0, 1, 1], [1], None), {}, [(0, 1, 1)]),
        (([0, 1, 1], [1], [6]), {"undirected": True}, [(0, 1, 6), (1, 0, 6)]),
    ],
    ids=[
        "edge and loop",
        "parallel",
        "attribute",
        "both ways",
        "unsorted rows",
        "no weights",
        "arrays both ways",
    ],
)
def test_arcs_are_those_of_the_data(
    data: Any, options: dict[str, Any], expected: list[tuple[int, int, int]]
) -> None:
    taken = convert(data, **options)

    assert sorted(arcs(taken)) == expected
    assert taken.directed == (type(data) is not nx.Graph and "undirected" not in options)


def test_an_undirected_graph_cannot_be_taken_one_way() -> None:
    with pytest.raises(ParameterError, match="no direction"):
        convert(nx.path_graph(2), undirected=False)


def test_isolated_nodes_and_graphs_without_edges_are_kept() -> None:
    empty = nx.Graph()
    empty.add_nodes_from([4, 2])

    assert convert(empty).ids.tolist() == [2, 4]
    assert convert(empty).m == 0
    assert convert(nx.Graph()).n == 0


@pytest.mark.parametrize("weight", ["3", None, float("nan"), float("inf"), 2**63, 1j, [1, 2]])
def test_a_weight_that_is_none_is_refused_with_its_edge(weight: Any) -> None:
    graph = nx.DiGraph()
    graph.add_edge("x", "y", weight=1)
    graph.add_edge("y", "z", weight=weight)

    with pytest.raises(ParameterError, match="'y' → 'z'"):
        convert(graph)


def test_weights_keep_their_values_in_a_type_that_kernels_know() -> None:
    def kept(*weights: Any) -> tuple[str, list[Any]]:
        graph = nx.path_graph(len(weights) + 1, create_using=nx.DiGraph)
        nx.set_edge_attributes(graph, {(i, i + 1): w for i, w in enumerate(weights)}, "weight")
        taken = convert(graph)
        return taken.weights.dtype.name, taken.weights.tolist()

    assert kept(True, 2) == ("int32", [1, 2])
    assert kept(2**40, -3) == ("int64", [2**40, -3])
    assert kept(1, 2.5) == ("float64", [1.0, 2.5])
    assert kept(Fraction(1, 4), Decimal("0.5")) == ("float64", [0.25, 0.5])


# -- lists, dicts, tables and other libraries
# --------------------------------------------------------------------------


class FakeEdges(list[tuple[int, int]]):
    """What igraph gives as ``graph.es``."""

    def attributes(self) -> list[str]:
        return ["km"]

    def __getitem__(self, name: Any) -> Any:
        return [4, 9] if name == "km" else super().__getitem__(name)


class FakeVertices(dict[str, list[str]]):
    def attributes(self) -> list[str]:
        return list(self)


class FakeIgraph:
    """As much of an igraph graph as is asked; two undirected edges with the attribute km."""

    __module__ = "igraph"
    es = FakeEdges()

    def __init__(self, names: list[str] | None = None):
        given = {"name": names} if names else {}
        self.vs = FakeVertices(given)

    def ecount(self) -> int:
        return 2

    def vcount(self) -> int:
        return 3

    def get_edgelist(self) -> list[tuple[int, int]]:
        return [(0, 1), (1, 2)]

    def is_directed(self) -> bool:
        return False


class PyDiGraph:
    """As much of a rustworkx graph as is asked; node 1 was removed."""

    __module__ = "rustworkx"

    def __init__(self, *payloads: Any):
        self.payloads = payloads

    def node_indices(self) -> list[int]:
        return [0, 2, 5]

    def weighted_edge_list(self) -> list[tuple[int, int, Any]]:
        return [(0, 2, self.payloads[0]), (2, 5, self.payloads[1])]


def table(**more: list[Any]) -> Any:
    return pyarrow.table({"from": ["a", "b"], "to": ["b", "c"], "note": ["x", "y"], **more})


_KM = {"attribute": "km"}
_CHAIN = [("a", "b", 4), ("b", "c", 9)]


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (_CHAIN, {}, _CHAIN),
        ([("a", "b"), ("b", "c", 9)], {}, [("a", "b", 1), ("b", "c", 9)]),
        ([(7, 3, {"km": 2})], {"attribute": "km", "undirected": True}, [(3, 7, 2), (7, 3, 2)]),
        ({"a": {"b": 4}, "b": {"c": 9}}, {}, _CHAIN),
        ({"a": {"b": {"km": 4}}, "b": {"c": {"km": 9}}}, _KM, _CHAIN),
        ({1: [2, 3], 4: []}, {}, [(1, 2, 1), (1, 3, 1)]),
        (table(km=[4, 9]), {"columns": "from,to,km"}, _CHAIN),
        (table(km=[4, 9]), {"columns": "1,2,4"}, _CHAIN),
        (FakeIgraph(), _KM, [(0, 1, 4), (1, 0, 4), (1, 2, 9), (2, 1, 9)]),
        (PyDiGraph(4, 9.5), {}, [(0, 2, 4.0), (2, 5, 9.5)]),
        (PyDiGraph({"km": 4}, None), _KM, [(0, 2, 4), (2, 5, 1)]),
    ],
)
def test_what_people_have_at_hand_is_taken(
    data: Any, options: dict[str, Any], expected: list[Any]
) -> None:
    taken = convert(data, **options)

    assert sorted(arcs(taken)) == expected
    assert taken.n == (
        4 if data == {1: [2, 3], 4: []} else len({end for arc in expected for end in arc[:2]})
    )


@pytest.mark.parametrize(
    "data",
    [
        FakeIgraph(),
        nx.Graph([(0, 1, {"km": 4}), (1, 2, {"km": 9, "id": 7})]),
        {0: {1: {"km": 4}}, 1: {0: {"km": 4}, 2: {"km": 9}}, 2: {1: {"km": 9}}},
    ],
)
def test_a_length_without_a_weight_is_read_as_in_a_file(data: Any) -> None:
    with pytest.warns(GraphFileWarning, match="read from the attribute “km”"):
        graph = convert(data)
    assert sorted(arcs(graph)) == [(0, 1, 4), (1, 0, 4), (1, 2, 9), (2, 1, 9)]
    assert graph.weight_unit == "km"
    assert graph.interpretation is not None
    assert graph.interpretation.line.startswith("weights: attribute “km”, known by its name (km)")


def test_an_object_with_several_possible_weights_is_asked_about() -> None:
    graph = nx.Graph([(0, 1, {"length": 4, "travel_time": 5})])
    with pytest.raises(ParameterError, match="length, travel_time may each be the weights"):
        convert(graph)
    assert convert(graph, attribute="travel_time").weights.tolist() == [5, 5]


def test_an_edge_without_the_length_that_others_have() -> None:
    with (
        pytest.warns(GraphFileWarning),
        pytest.raises(ParameterError, match=r"edge 1.*no 'length'"),
    ):
        convert(nx.DiGraph([(0, 1, {"length": 4}), (1, 2, {})]))


def test_repeated_names_are_no_ids() -> None:
    graph = FakeIgraph(["stop", "stop", "end"])
    with pytest.warns(GraphFileWarning, match="called 'stop'"):
        assert sorted(arcs(convert(graph, attribute="km")))[0] == (0, 1, 4)


def test_columns_that_are_not_read_are_named() -> None:
    with pytest.warns(GraphFileWarning, match=r"Beside the weights in “km”: “note”"):
        assert convert(table(km=[4, 9])).weights.tolist() == [4, 9]
    with pytest.raises(ParameterError, match="whether “toll” holds the weights is not clear"):
        convert(table(toll=[4, 9]))


@pytest.mark.parametrize(
    "data", [nx.path_graph(2), FakeIgraph(), PyDiGraph({"km": 1}, None), {1: {2: {"km": 3}}}]
)
def test_an_attribute_that_no_edge_has_is_refused(data: Any) -> None:
    with pytest.raises((UnknownName, OptionNotApplicable), match="kmm"):
        convert(data, attribute="kmm")


@pytest.mark.parametrize(
    "data", [_CHAIN, {1: {2: 3}}, table(km=[4, 9]), PyDiGraph(4, 9), ([0, 0], [], [])]
)
def test_an_attribute_of_edges_without_attributes_is_refused(data: Any) -> None:
    with pytest.raises(OptionNotApplicable):
        convert(data, attribute="km")


def test_a_graph_of_osmnx_has_lengths_in_metres_and_coordinates() -> None:
    graph = nx.MultiDiGraph(crs="epsg:4326", created_with="OSMnx 2.0.6")
    graph.add_nodes_from([(8, {"x": 9.5, "y": 47.1}), (3, {"x": 9.6, "y": 47.2})])
    graph.add_edge(8, 3, length=35.5, travel_time=4.0)

    taken = convert(graph)

    assert (arcs(taken), taken.weight_unit) == ([(8, 3, 35.5)], "m")
    assert (taken.coordinates.xy.tolist(), taken.coordinates.geographic) == (
        [[9.6, 47.2], [9.5, 47.1]],
        True,
    )
    timed = convert(graph, attribute="travel_time")
    assert (arcs(timed), timed.weight_unit) == ([(8, 3, 4.0)], "s")


# -- SciPy and CSR arrays
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix]
)
def test_stored_zeros_are_arcs_and_repeated_entries_parallel_arcs(form: Any) -> None:
    """SciPy adds repeated entries up whenever it converts a matrix; here each format is
    built with them inside.
    """
    tails, heads, weights = np.array([0, 0, 0, 2]), np.array([1, 1, 2, 0]), np.array([5, 3, 0, 4])
    if form in (sp.coo_array, sp.coo_matrix):
        matrix = form((weights, (tails, heads)), shape=(3, 3))
    elif form in (sp.csr_array, sp.csr_matrix):
        matrix = form((weights, heads, [0, 3, 3, 4]), shape=(3, 3))
    else:
        matrix = form((np.array([4, 5, 3, 0]), np.array([2, 0, 0, 0]), [0, 1, 3, 4]), shape=(3, 3))

    taken = convert(matrix)

    assert sorted(arcs(taken)) == [(0, 1, 3), (0, 1, 5), (0, 2, 0), (2, 0, 4)]
    assert taken.directed


def test_nothing_is_shared_with_the_caller() -> None:
    matrix = sp.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))

    matrix.indptr = matrix.indptr.astype(np.int64)  # a graph's own type

    taken = convert(matrix)
    matrix.data *= 10
    matrix.indices[:], matrix.indptr[:] = 0, 0

    assert arcs(taken) == [(0, 1, 2.0), (1, 0, 1.0)]
    assert matrix.data.flags.writeable


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=4, max_size=4))
def test_rows_in_any_order_make_one_graph(rows: list[list[int]]) -> None:
    """Those that ascend are taken as they are; others, and entries, are sorted."""
    heads = np.array([head for row in rows for head in row], np.int64)
    indptr = np.cumsum([0, *map(len, rows)])
    weights = np.arange(len(heads)) + 0.5
    tails = np.repeat(np.arange(4), np.diff(indptr))

    taken = convert((indptr, heads, weights))

    sorted_ = convert(sp.coo_array((weights, (tails, heads)), shape=(4, 4)))
    assert arcs(taken) == arcs(sorted_)
    assert rows_of(taken).tolist() == rows_of(sorted_).tolist()
    assert taken.indptr.dtype == np.int64
    assert taken.indices.dtype == np.int32


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        ("bool", "int32"),
        ("uint8", "int32"),
        ("int16", "int32"),
        ("int64", "int32"),
        ("uint32", "int32"),
        ("float16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("longdouble", "float64"),
    ],
)
def test_every_numeric_type_is_taken(dtype: str, kept: str) -> None:
    taken = convert(([0, 1, 1], [1], np.ones(1, dtype=dtype)))

    assert taken.weights.dtype == kept
    assert arcs(taken) == [(0, 1, 1)]


class LazyTable:
    """As a LazyFrame of Polars: it has titles, and rows only once it is collected."""

    columns = ("from", "to", "km")

    def collect(self) -> pyarrow.Table:
        return pyarrow.table({"from": [9, 7], "to": [7, 8], "km": [1.5, 2]})


class Indexed:
    """As the table of edges of OSMnx: pandas, with the ends and the key as its index."""

    columns = ("osmid", "length")
    shape = (3, 2)

    def __init__(self, **cells: list[Any]):
        self._cells = cells
        self.index = SimpleNamespace(names=["u", "v", "key"])

    def reset_index(self) -> pyarrow.Table:
        return pyarrow.table(self._cells)


@pytest.mark.parametrize(
    "edges",
    [
        np.array([[9, 7, 1], [7, 8, 2]]),
        np.array([[9, 7, 1], [7, 8, 2]], np.uint16),
        np.array([[9, 7, 1.0], [7, 8, 2.0]]),
        np.array([[9, 7, 1], [7, 8, 2]], object),
        (edge for edge in [(9, 7, 1), (7, 8, 2)]),
        {(9, 7, 1): None, (7, 8, 2): None}.keys(),
        nx.DiGraph([(9, 7, {"w": 1}), (7, 8, {"w": 2})]).edges(data="w"),
    ],
    ids=["int64", "uint16", "float64", "objects", "generator", "keys", "view"],
)
def test_edges_of_many_kinds_are_taken(edges: Any) -> None:
    graph = convert(edges)
    assert graph.ids.tolist() == [7, 8, 9]
    assert arcs(graph) == [(7, 8, 2), (9, 7, 1)]
    assert rows_of(graph).tolist() == [1, 0]


def test_arrays_without_weights_and_of_names() -> None:
    assert arcs(convert(np.array([[3, 1]]), undirected=True)) == [(1, 3, 1), (3, 1, 1)]
    assert convert(np.array([["a", "b"]])).labels == ("a", "b")


def test_a_lazy_table_is_collected() -> None:
    assert arcs(convert(LazyTable())) == [(7, 8, 2), (9, 7, 1.5)]
    assert arcs(convert(LazyTable(), columns="to,from")) == [(7, 9, 1), (8, 7, 1)]


def test_the_edges_of_osmnx_keep_unit_and_keys() -> None:
    table = Indexed(u=[5, 5, 6], v=[6, 6, 7], key=[0, 4, 0], osmid=["x"] * 3, length=[9.5, 3, 1])
    graph = convert(table)
    assert (graph.weight_unit, arcs(graph)) == ("m", [(5, 6, 9.5), (5, 6, 3), (6, 7, 1)])
    assert arc_keys(graph, np.array([1, 2])) == [4, 0]


@pytest.mark.parametrize("kind", ["pandas.DataFrame", "polars.DataFrame", "polars.LazyFrame"])
def test_tables_of_other_libraries_are_taken(kind: str) -> None:
    module, name = kind.split(".")
    table = getattr(pytest.importorskip(module), name)
    graph = convert(table({"from": [9, 7], "to": [7, 8], "km": [1.5, 2]}))
    assert (graph.weight_unit, arcs(graph)) == ("km", [(7, 8, 2), (9, 7, 1.5)])
    stations = convert(table({"source": ["01001", "1001"], "target": ["1001", "X"]}))
    assert stations.labels == ("01001", "1001", "X")


def test_the_edges_of_osmnx_itself_keep_unit_and_keys() -> None:
    osmnx = pytest.importorskip("osmnx")
    graph = nx.MultiDiGraph(crs="epsg:4326")
    for node in (5, 6):
        graph.add_node(node, x=9.5 + node / 100, y=47.1)
    graph.add_edge(5, 6, 0, osmid=1, length=9.5)
    graph.add_edge(5, 6, 4, osmid=2, length=3.0)
    taken = convert(osmnx.graph_to_gdfs(graph, nodes=False))
    assert (taken.weight_unit, arcs(taken)) == ("m", [(5, 6, 9.5), (5, 6, 3)])
    assert arc_keys(taken, np.array([1])) == [4]


_BAD = {
    "not square": (sp.csr_array((2, 3)), "square"),
    "another format": (sp.dok_array((2, 2)), "tocsr"),
    "complex": (sp.coo_array(([1j], ([0], [1])), shape=(2, 2)), "not a real number"),
    "a dense matrix": (np.eye(2), "csr_array"),
    "a matrix of three": (np.eye(3), "may be a matrix or edges"),
    "a larger dense matrix": (np.eye(4), "csr_array"),
    "an array with an end that is no integer": (np.array([[0, 1.5]]), "target in row 0"),
    "an array of complex numbers": (np.ones((4, 2), complex), "numbers"),
    "an array with an infinite weight": (np.array([[0, 1, np.inf]]), "the arc 0 → 1"),
    "a list of numbers": ([1, 2], "edge 0"),
    "an edge of four": ([(1, 2, 3, 4)], "edge 0"),
    "a vertex that is a list": ([([1], 2)], "hashable"),
    "a dict of numbers": ({1: 2}, "neighbours of 1"),
    "a table of others": (pyarrow.table({"a": [1], "b": [2]}), "name those of source, target"),
    "a table without an end": (pyarrow.table({"from": [1, None], "to": [2, 3]}), "in row 1"),
    "rows that fall": (([0, 2, 1], [0], [1]), "must not decrease"),
    "rows that do not start at 0": (([1, 1], [0], [1]), "start with 0"),
    "no rows": (([], [], []), "start with 0"),
    "rows and heads disagree": (([0, 2], [0], [1]), "last value"),
    "a head too many": (([0, 1], [1], [1]), "from 0 to 0"),
    "a head below zero": (([0, 1], [-1], [1]), "from 0 to 0"),
    "heads that are no integers": (([0, 1], [0.0], [1]), "integers"),
    "heads in two dimensions": (([0, 1], [[0]], [1]), "one dimension"),
    "too few weights": (([0, 2], [0, 0], [1]), "2 arcs"),
    "weights in two dimensions": (([0, 1], [0], [[1]]), "one-dimensional"),
    "an infinite weight": (([0, 1], [0], [np.inf]), "finite"),
    "a weight past 64 bits": (([0, 1], [0], np.array([2**63], dtype=np.uint64)), "64-bit integer"),
}


@pytest.mark.parametrize("case", _BAD)
def test_what_makes_no_graph_is_refused_with_the_reason(case: str) -> None:
    data, reason = _BAD[case]
    with pytest.raises(ParameterError, match=reason):
        convert(data)


@pytest.mark.parametrize("form", ["graphml", "gexf", "gml"])
def test_a_missing_weight_is_told_of_an_object_as_of_a_file(tmp_path: Path, form: str) -> None:
    graph = nx.Graph([(1, 2, {"weight": 5, "cost": 3}), (2, 3, {})])
    path = tmp_path / f"graph.{form}"
    getattr(nx, f"write_{form}")(graph, path)
    told = r"1 edge has no weight; it is taken as 1\."
    with pytest.warns(GraphFileWarning, match=told):
        converted = convert(graph)
    with pytest.warns(GraphFileWarning, match=told):
        from_file = read(path)
    for found in (converted, from_file):
        assert sorted(found.weights.tolist()) == [1, 1, 5, 5]
        assert found.interpretation is not None
        assert "attribute “weight” (1 at 1 edge without it)" in found.interpretation.line
    with pytest.raises(ParameterError, match="this edge has no 'cost'"):
        convert(graph, attribute="cost")
    with pytest.raises(FileFormatError, match="1 edge has no cost"):
        read(path, attribute="cost")


def test_moments_in_an_array_of_edges_are_asked_about() -> None:
    rows = [[k, k + 1, 1_300_000_000 + 5 * k] for k in range(4)]
    with pytest.raises(ParameterError, match="may hold moments"):
        convert(np.array(rows))
    assert convert(rows).weights.max() == 1_300_000_015


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (np.array([[1, 2, 4], [2, 3, 3]]), "column 3"),
        (np.array([[1, 2], [2, 3], [3, 1]]), "none: every weight is 1"),
        ([("P", "Q", 4), ("Q", "R")], "the numbers of the edges (1 at 1 edge without it)"),
        ({"P": ["Q"]}, "none: every weight is 1"),
        (sp.csr_array(np.array([[0, 4], [3, 0]])), "the entries"),
    ],
)
def test_arrays_and_matrices_say_how_they_were_read(data: object, what: str) -> None:
    found = convert(data).interpretation
    assert found is not None
    assert found.line == f"weights: {what}"
