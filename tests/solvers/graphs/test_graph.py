"""The graph keeps what it was given, in rows, for good.

Vertices are found by the ids of their file; unknown ids come with their neighbours.
"""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import Cancelled, NotUndirected, ParameterError, UnknownVertex
from solvers.graphs.csr import rows_of_arcs, unpaired_arc
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_data import RoadData, WeightColumn
from solvers.graphs.weights import FLOAT64, INT32
from tests import graphs

ARCS = [(0, 1, 5), (0, 2, 3), (2, 0, 1), (0, 1, 2), (1, 1, 9), (2, 1, -4)]


@pytest.fixture
def small() -> Graph:
    return graphs.from_list(3, ARCS)


def listed(graph: Graph) -> list[tuple[int, int, float]]:
    return list(zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


def test_rows_are_sorted_and_parallel_arcs_keep_their_order(small: Graph) -> None:
    assert listed(small) == [(0, 1, 5), (0, 1, 2), (0, 2, 3), (1, 1, 9), (2, 0, 1), (2, 1, -4)]
    assert small.indptr.tolist() == [0, 3, 4, 6]
    assert (small.n, small.m) == (3, 6)
    assert small.row(2) == slice(4, 6)
    assert small.out_degrees.tolist() == [3, 1, 2]


@given(
    n=st.integers(1, 9),
    ends=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=400),
    dtype=st.sampled_from(graphs.DTYPES),
)
@settings(deadline=None)
def test_rows_are_a_stable_sort(n: int, ends: list[tuple[int, int]], dtype: str) -> None:
    """Rows longer than 32 arcs are sorted in another way than short ones: both must be stable."""
    arcs = [(tail % n, head % n, number) for number, (tail, head) in enumerate(ends)]
    columns = [np.array(column) for column in zip(*arcs, strict=True)] or [np.empty(0, dtype=np.int32)] * 3

    graph = Graph.from_arcs(n, columns[0], columns[1], columns[2].astype(dtype))

    assert listed(graph) == sorted(arcs)  # the weight is the number in the file
    assert graph.weights.dtype == dtype


def test_sorting_looks_whether_to_go_on() -> None:
    def stop() -> None:
        raise Cancelled

    one = np.zeros(1, dtype=np.int32)
    with pytest.raises(Cancelled):
        rows_of_arcs(1, one, one, one, stop)


def test_reverse_turns_every_arc_and_twice_is_none(small: Graph) -> None:
    turned = sorted((head, tail, weight) for tail, head, weight in listed(small))

    assert sorted(listed(small.reverse)) == turned
    assert sorted(listed(small.reverse.reverse)) == sorted(listed(small))
    assert small.reverse.ids.tolist() == small.ids.tolist()


def test_matrix_has_least_parallel_arc_and_zero_diagonal(small: Graph) -> None:
    inf = INT32.infinity

    assert small.matrix().tolist() == [[0, 2, 3], [inf, 0, inf], [1, -4, 0]]
    assert np.isinf(small.matrix(FLOAT64)[1, 0])


def test_a_negative_self_loop_stands_on_the_diagonal() -> None:
    assert graphs.from_list(2, [(0, 0, -3), (1, 1, 3)]).matrix().diagonal().tolist() == [-3, 0]


def test_nothing_can_be_changed(small: Graph) -> None:
    coordinates = Coordinates(np.zeros((3, 2)))
    graph = Graph(small.indptr, small.indices, small.weights, coordinates=coordinates)
    assert graph.coordinates is coordinates
    own = (graph.indptr, graph.indices, graph.weights, graph.ids, graph.tails, graph.out_degrees)
    for array in (*own, coordinates.xy):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_callers_arrays_stay_writeable_and_are_not_copied() -> None:
    indptr, indices = np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32)
    weights, ids, xy = np.array([4, 5], dtype=np.int32), np.array([7, 9]), np.zeros((2, 2))

    graph = Graph(indptr, indices, weights, ids=ids, coordinates=Coordinates(xy))

    assert graph.coordinates is not None
    kept = (graph.indptr, graph.indices, graph.weights, graph.ids, graph.coordinates.xy)
    for own, view in zip((indptr, indices, weights, ids, xy), kept, strict=True):
        assert np.shares_memory(own, view)
        assert own.flags.writeable
        assert not view.flags.writeable
    weights[0] = 6  # whoever does this changes the graph, as its docstring says
    assert graph.weights[0] == 6


def test_it_shows_itself_in_one_line(small: Graph) -> None:
    assert repr(small) == "Graph('test', n=3, m=6, int32, directed=True)"


def test_ids_count_from_zero_where_none_are_given() -> None:
    arrays: list[Any] = [np.array([0]), np.array([1]), np.array([1], dtype=np.int32)]

    assert Graph.from_arcs(2, *arrays).ids.tolist() == [0, 1]


def test_negative_weights_are_noticed(small: Graph) -> None:
    assert small.has_negative_weights
    assert small.least_weight == -4
    assert not graphs.from_list(2, [(0, 1, 0)]).has_negative_weights


def test_a_graph_without_arcs() -> None:
    none = np.empty(0, dtype=np.int32)
    graph = Graph.from_arcs(3, none, none, none)

    assert (graph.n, graph.m, graph.least_weight) == (3, 0, 0)
    assert graph.matrix().tolist() == np.where(np.eye(3), 0, INT32.infinity).tolist()
    assert graph.reverse.m == 0


@pytest.mark.parametrize(
    "attributes",
    [{"ids": np.arange(2)}, {"coordinates": Coordinates(np.zeros((2, 2)))}],
    ids=["too few ids", "too few coordinates"],
)
def test_arrays_that_disagree_are_refused(attributes: dict[str, Any]) -> None:
    one = np.zeros(1, dtype=np.int32)

    with pytest.raises(ParameterError):
        Graph.from_arcs(3, one, one, one, **attributes)


def test_a_weight_type_that_no_kernel_knows_is_refused() -> None:
    one = np.zeros(1, dtype=np.int32)

    with pytest.raises(ParameterError, match="int32, int64, float32, float64"):
        Graph.from_arcs(1, one, one, np.zeros(1, dtype=np.int16))


# --- undirected -------------------------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 5),
    arcs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), max_size=24),
    dropped=st.none() | st.integers(0, 47),
    dtype=st.sampled_from(["int32", "int64", "float32", "float64"]),
)
@settings(deadline=None)
def test_an_arc_without_an_opposite_is_found(
    n: int, arcs: list[tuple[int, int, int]], dropped: int | None, dtype: str
) -> None:
    """Loops and parallel arcs, which may stand in another order in the two rows, as the plain count of arcs has it."""
    edges = [(u % n, v % n, weight) for u, v, weight in arcs]
    both = [*edges, *((v, u, weight) for u, v, weight in edges if u != v)]
    if dropped is not None and both:
        del both[dropped % len(both)]
    if not both:
        return
    graph = graphs.from_list(n, both, dtype)
    count = Counter(listed(graph))
    alone = {(u, v, w) for (u, v, w), times in count.items() if count[v, u, w] < times}

    found = unpaired_arc(graph.indptr, graph.indices, graph.weights)

    assert (found < 0) == (not alone)
    if alone:
        assert listed(graph)[found] in alone
        with pytest.raises(NotUndirected):
            replace(graph, directed=False)
    else:
        assert not replace(graph, directed=False).directed


def test_a_graph_that_is_not_undirected_cannot_say_so() -> None:
    arcs = np.array([0, 1, 1]), np.array([1, 0, 0]), np.array([5, 5, 7], np.int32)
    with pytest.raises(NotUndirected) as found:
        Graph.from_arcs(2, *arcs, directed=False, ids=np.array([30, 40]), name="lane")
    error = pickle.loads(pickle.dumps(found.value))
    assert isinstance(error, ParameterError)
    assert (error.graph, error.tail, error.head, error.weight) == ("lane", 40, 30, 7)
    assert str(error) == (
        "lane cannot be undirected: the arc 40 → 30 of weight 7 has no opposite of the same weight. Make it directed, "
        "or give each edge two opposite arcs of one weight."
    )
    with pytest.raises(NotUndirected, match="the arc b → a of weight 7"):
        LabelledGraph.from_arcs(2, *arcs, directed=False, labels=("a", "b"))


def test_arcs_are_compared_by_value_also_where_rows_are_not_ascending() -> None:
    rows = np.array([0, 2, 3, 4]), np.array([2, 1, 0, 0], np.int32)
    weights = np.array([4.0, -0.0, 0.0, 4.0])
    assert not Graph(*rows, weights, directed=False).directed
    with pytest.raises(NotUndirected, match="2 → 0 of weight 3 "):
        Graph(*rows, np.array([4.0, 1.0, 1.0, 3.0]), directed=False)


def test_weights_that_differ_by_direction_make_a_network_directed() -> None:
    columns = (
        WeightColumn("metres", "m", np.array([5, 5], np.int32)),
        WeightColumn("seconds", "s", np.array([5, 6], np.int32)),
    )
    roads = RoadData(columns, None, ("Lane",), np.zeros(2, np.int32))
    rows = np.array([0, 1, 2]), np.array([1, 0], np.int32)
    graph = Graph(*rows, columns[0].values, directed=False, roads=roads)
    assert not graph.with_weights("metres").directed
    assert graph.with_weights("seconds").directed


@pytest.fixture
def vertex_ids_small() -> Graph:
    return graphs.from_list(3, [(0, 1, 5), (1, 2, 3)])


def test_ids_are_found_and_strangers_get_their_neighbours(vertex_ids_small: Graph) -> None:
    assert [vertex_ids_small.vertex(int(vertex_id)) for vertex_id in vertex_ids_small.ids] == [0, 1, 2]
    with pytest.raises(UnknownVertex) as caught:
        vertex_ids_small.vertex(14)
    assert caught.value.nearest == ("13", "16")
    for stranger in (17, 10**30, "13", None):
        with pytest.raises(UnknownVertex):
            vertex_ids_small.vertex(stranger)
    assert [vertex_ids_small.vertex_id(index) for index in range(3)] == [10, 13, 16]


def test_several_ids_are_found_together_and_the_unknown_one_is_named(vertex_ids_small: Graph) -> None:
    assert vertex_ids_small.vertices([16, 10, 16]).tolist() == [2, 0, 2]
    assert vertex_ids_small.vertices([]).tolist() == []
    for ids, unknown, nearest in (([10, 14, 16], "14", ("13", "16")), ([10, "13", 14], "13", ())):
        with pytest.raises(UnknownVertex) as caught:
            vertex_ids_small.vertices(ids)
        assert unknown in str(caught.value)
        assert caught.value.nearest == nearest
