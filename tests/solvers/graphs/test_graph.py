"""The graph: rows of sorted arcs, ids of its file, the four weight types, and the bound
of its paths.
"""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import Cancelled, NotUndirected, ParameterError, UnknownVertex, UnsuitableGraph
from solvers.graphs import csr
from solvers.graphs.csr import (
    _CELLS,
    SLICE,
    cell_slices,
    row_slices,
    rows_of_arcs,
    slices,
    unpaired_arc,
)
from solvers.graphs.generators import find as find_generator
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.path_bounds import shortest_path_bound, simple_path_bound
from solvers.graphs.road_data import ArcColumn, RoadData
from solvers.graphs.weights import (
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    WEIGHT_TYPES,
    WeightType,
    to_float,
    weight_type,
)
from tests import graphs

ARCS = [(0, 1, 5), (0, 2, 3), (2, 0, 1), (0, 1, 2), (1, 1, 9), (2, 1, -4)]


@pytest.fixture
def small() -> Graph:
    return graphs.from_list(3, ARCS)


def listed(graph: Graph) -> list[tuple[int, int, float]]:
    return list(
        zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    )


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
def test_rows_are_a_stable_sort(n: int, ends: list[tuple[int, int]], dtype: str) -> None:
    """Rows longer than 32 arcs are sorted in another way than short ones: both must be stable."""
    arcs = [(tail % n, head % n, number) for number, (tail, head) in enumerate(ends)]
    columns = [np.array(column) for column in zip(*arcs, strict=True)] or [
        np.empty(0, dtype=np.int32)
    ] * 3

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


def test_weights_of_every_type_are_read_only(small: Graph) -> None:
    """For writable ones, functions would be compiled once more."""
    for dtype in (small.weights.dtype, np.float64):
        assert small.weights_in(dtype).dtype == dtype
        assert not small.weights_in(dtype).flags.writeable


def test_the_callers_arrays_stay_writeable_and_are_not_copied() -> None:
    indptr, indices = np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32)
    weights, ids, xy = np.array([4, 5], dtype=np.int32), np.array([7, 9]), np.zeros((2, 2))

    graph = Graph(indptr, indices, weights, ids=ids, coordinates=Coordinates(xy))

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
    ("weights", "attributes"),
    [
        (np.int32, {"ids": np.arange(2)}),
        (np.int32, {"coordinates": Coordinates(np.zeros((2, 2)))}),
        (np.int16, {}),
    ],
    ids=["too few ids", "too few coordinates", "a type that no kernel knows"],
)
def test_arrays_that_make_no_graph_are_refused(weights: type, attributes: dict[str, Any]) -> None:
    one = np.zeros(1, dtype=np.int32)

    with pytest.raises(ParameterError):
        Graph.from_arcs(3, one, one, one.astype(weights), **attributes)


# --- undirected
# --------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 5),
    arcs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), max_size=24),
    dropped=st.none() | st.integers(0, 47),
    dtype=st.sampled_from(["int32", "int64", "float32", "float64"]),
)
def test_an_arc_without_an_opposite_is_found(
    n: int, arcs: list[tuple[int, int, int]], dropped: int | None, dtype: str
) -> None:
    """Loops and parallel arcs, which may stand in another order in the two rows, as the
    plain count of arcs has it.
    """
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


def test_many_parallel_arcs_are_paired_in_whatever_order() -> None:
    weights = np.random.default_rng(1).permutation(100)
    both = [*((0, 1, int(w)) for w in weights), *((1, 0, int(w)) for w in sorted(weights))]
    graph = graphs.from_list(2, both)
    assert unpaired_arc(graph.indptr, graph.indices, graph.weights) == -1
    graph = graphs.from_list(2, [*both[:-1], (1, 0, 7)])
    assert unpaired_arc(graph.indptr, graph.indices, graph.weights) >= 0


def test_a_graph_that_is_not_undirected_cannot_say_so() -> None:
    arcs = np.array([0, 1, 1]), np.array([1, 0, 0]), np.array([5, 5, 7], np.int32)
    with pytest.raises(NotUndirected) as found:
        Graph.from_arcs(2, *arcs, directed=False, ids=np.array([30, 40]), name="lane")
    error = pickle.loads(pickle.dumps(found.value))
    assert isinstance(error, ParameterError)
    assert (error.graph, error.tail, error.head, error.weight) == ("lane", 40, 30, 7)
    assert str(error) == (
        "lane cannot be undirected: the arc 40 → 30 of weight 7 has no opposite of the same "
        "weight. Make it directed, or give each edge two opposite arcs of one weight."
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
        ArcColumn("metres", "m", np.array([5, 5], np.int32)),
        ArcColumn("seconds", "s", np.array([5, 6], np.int32)),
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
    assert [vertex_ids_small.vertex(int(vertex_id)) for vertex_id in vertex_ids_small.ids] == [
        0,
        1,
        2,
    ]
    with pytest.raises(UnknownVertex) as caught:
        vertex_ids_small.vertex(14)
    assert caught.value.nearest == ("13", "16")
    for stranger in (17, 10**30, "13", None):
        with pytest.raises(UnknownVertex):
            vertex_ids_small.vertex(stranger)
    assert [vertex_ids_small.vertex_id(index) for index in range(3)] == [10, 13, 16]


def test_several_ids_are_found_together_and_the_unknown_one_is_named(
    vertex_ids_small: Graph,
) -> None:
    assert vertex_ids_small.vertices([16, 10, 16]).tolist() == [2, 0, 2]
    assert vertex_ids_small.vertices([]).tolist() == []
    for ids, unknown, nearest in (
        ([10, 14, 16], "14", ("13", "16")),
        ([10, "13", 14], "'13'", ("13 (int)",)),
    ):
        with pytest.raises(UnknownVertex) as caught:
            vertex_ids_small.vertices(ids)
        assert unknown in str(caught.value)
        assert caught.value.nearest == nearest


@pytest.mark.parametrize(("n", "longest"), [(SLICE + 3, None), (4, None), (4, 100)])
def test_many_rows_and_long_rows_are_sorted_between_checks(
    n: int, longest: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vertex with five million arcs left Cancel waiting for 300 ms."""
    if longest is not None:
        monkeypatch.setattr(csr, "_LONGEST_SORTED", longest)
        monkeypatch.setattr(csr, "_sort_rows", None)  # must not be called
    rng = np.random.default_rng(7)
    tails, heads = rng.integers(0, n, (2, 2_000), dtype=np.int32)
    weights = np.arange(2_000, dtype=np.int32)

    indptr, indices, ordered = rows_of_arcs(n, tails, heads, weights)

    order = np.lexsort((weights, heads, tails))
    assert indices.tolist() == heads[order].tolist()
    assert ordered.tolist() == weights[order].tolist()
    assert (
        indptr.tolist()
        == np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=n)))).tolist()
    )


def test_cancel_is_looked_for_in_every_pass_over_many_vertices() -> None:
    """Adding up the counts is a pass over all vertices of its own, beside the sorting
    of their rows.
    """
    looks: list[int] = []
    tails, heads = np.array([[1, 0], [0, 0]], np.int32)

    rows_of_arcs(3 * SLICE, tails, heads, heads, lambda: looks.append(1))

    assert len(looks) == 1 + 1 + 3 + 1 + 3  # whether they are sorted; count, add, place, sort


def test_slices_of_rows_hold_so_many_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr, "SLICE", 4)
    indptr = np.array([0, 1, 3, 4, 20, 21, 22])

    assert list(row_slices(indptr)) == [(0, 3), (3, 4), (4, 6)]
    assert list(row_slices(np.zeros(1, dtype=np.int64))) == []


def test_slices_cover_a_range_in_order() -> None:
    assert list(slices(7, 3)) == [(0, 3), (3, 6), (6, 7)]
    assert list(slices(0, 3)) == []


def test_slices_of_a_matrix_hold_whole_rows_of_so_many_cells() -> None:
    third = _CELLS // 3
    assert list(cell_slices(7, third)) == [(0, 3), (3, 6), (6, 7)]
    assert list(cell_slices(2, 2 * _CELLS)) == [(0, 1), (1, 2)], "a row at least"
    assert list(cell_slices(2, 0)) == [(0, 2)]


@pytest.mark.parametrize("kind", WEIGHT_TYPES.values(), ids=WEIGHT_TYPES)
def test_infinity_plus_infinity_does_not_wrap(kind: WeightType) -> None:
    infinity = kind.dtype.type(kind.infinity)

    with np.errstate(over="raise"):
        assert infinity + infinity > infinity or np.isinf(infinity)
    assert infinity == kind.infinity  # exact in its own type


def test_types_are_known_by_their_dtype() -> None:
    kinds = [weight_type(name) for name in ("int32", np.int64, np.dtype("f4"), float)]
    assert kinds == [INT32, INT64, FLOAT32, FLOAT64]
    assert [kind.is_integer for kind in kinds] == [True, True, False, False]
    with pytest.raises(KeyError):
        weight_type(np.int16)


def test_a_path_enters_each_vertex_at_most_once() -> None:
    graph = graphs.from_list(3, [(0, 1, 5), (2, 1, 9), (1, 2, -7), (0, 2, 1)])

    assert graph.path_bound == 9 + 7
    assert graphs.from_list(3, [(0, 1, 0)]).path_bound == 0


def chain(weight: float, dtype: str, length: int = 3) -> WeightType:
    return graphs.from_list(
        length + 1, [(v, v + 1, weight) for v in range(length)], dtype
    ).distance_type


def test_sums_are_solved_in_the_narrowest_type_that_holds_them() -> None:
    assert chain(INT32.infinity // 3 - 1, "int32") is INT32
    assert chain(INT32.infinity // 3 + 1, "int32") is INT64
    assert chain(-(INT32.infinity // 3) - 1, "int32") is INT64  # a sum can run below, too
    assert chain(1, "int64") is INT64
    assert chain(1, "float32") is FLOAT64  # 200,000 steps of 0.1 are off by 41 in float32
    assert chain(1e30, "float64") is FLOAT64
    with pytest.raises(UnsuitableGraph, match="load them as float64"):
        chain(2**61, "int64")


def test_unreachable_is_infinite_in_floats() -> None:
    assert to_float(np.array([0, 7, INT32.infinity], dtype=np.int32)).tolist() == [0, 7, np.inf]
    assert to_float(np.array([0, INT64.infinity], dtype=np.int64)).tolist() == [0, np.inf]
    assert to_float(np.array([0.5, np.inf], dtype=np.float32)).tolist() == [0.5, np.inf]
    assert to_float(np.array([1], dtype=np.int32)).dtype == np.float64


def tree_bound(graph: Graph) -> float:
    bound = shortest_path_bound(graph.indptr, graph.indices, graph.weights)
    return np.inf if bound is None else bound


@given(st.integers(1, 12), st.integers(0, 40), st.integers(0, 2**20), st.booleans())
def test_no_shortest_path_is_longer_and_every_undirected_graph_is_bounded(
    n: int, m: int, seed: int, directed: bool
) -> None:
    graph = graphs.at_random(n, m, seed, directed=directed)
    right = graphs.right_matrix(graph)
    assert right[np.isfinite(right)].max(initial=0) <= tree_bound(graph)
    assert directed or np.isfinite(tree_bound(graph))


def test_up_and_down_weigh_as_they_are() -> None:
    graph = graphs.from_list(3, [(0, 1, 5), (1, 0, 7), (1, 2, 10), (2, 1, 20)])
    assert tree_bound(graph) == 15 + 27


def test_components_are_bounded_each_for_itself() -> None:
    two = graphs.from_list(4, [(0, 1, 5), (2, 3, 9)], directed=False)
    assert tree_bound(two) == 18
    assert (
        tree_bound(graphs.from_list(4, [(0, 1, 5), (1, 0, 5), (2, 3, 9), (3, 2, 9), (3, 0, 1)]))
        == np.inf
    )


def test_one_way_streets_are_no_hindrance_where_another_way_leads_back() -> None:
    ring = [(v, (v + 1) % 5, 4) for v in range(5)]
    both_ways = ring + [(head, tail, weight) for tail, head, weight in ring]
    assert tree_bound(graphs.from_list(5, [*both_ways, (0, 2, 1), (3, 0, 1)])) == 16
    assert tree_bound(graphs.from_list(5, ring)) == np.inf


@pytest.mark.parametrize("has_zeros", [False, True])
def test_a_road_network_of_heavy_weights_is_solved_in_32_bits(has_zeros: bool) -> None:
    road = find_generator("road").generate({"vertices": 5_000})
    weights = (road.weights - road.weights.min() * has_zeros) * 5_000
    heavy = Graph(road.indptr, road.indices, weights.astype(np.int32), directed=True)
    assert simple_path_bound(heavy.n, heavy.indices, heavy.weights) > INT32.infinity
    assert heavy.path_bound < INT32.infinity
    assert heavy.distance_type is INT32


@pytest.mark.parametrize("weight", [2**30 - 2, 2**30 - 1])
def test_weights_themselves_must_fit(weight: int) -> None:
    triangle = graphs.from_list(
        3, [(0, 1, 1), (0, 2, 1), (1, 2, weight), (0, 0, weight)], directed=False
    )
    assert triangle.distance_type is (INT32 if weight < INT32.infinity else INT64)
