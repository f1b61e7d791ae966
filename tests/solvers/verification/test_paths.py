"""Predecessors from distances alone: the least id wins, zero-weight cycles do not trap
them, paths add up.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from solvers.errors import ParameterError
from solvers.graphs.weights import weight_type
from solvers.verification.paths import (
    depths,
    is_tight_tree,
    path_arcs,
    path_length,
    path_to,
    recover_predecessors,
)
from tests import graphs


def recovered(graph, source=0):
    return recover_predecessors(
        graph, source, graphs.as_solved(graphs.right_distances(graph, source), graph.weight_type)
    )


def expect_tree(graph, predecessors, source=0):
    """Every vertex in reach has a path of arcs from the source, as long as its
    distance; no other has any.
    """
    right = graphs.right_distances(graph, source)
    for target in range(graph.n):
        path = path_to(predecessors, source, target)
        if np.isinf(right[target]):
            assert path is None
            assert predecessors[target] == -1
        else:
            assert path is not None, f"vertex {target} hangs loose"
            np.testing.assert_allclose(
                path_length(graph, path), right[target], rtol=1e-5, atol=1e-4
            )
    assert predecessors[source] == -1


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("name", [*graphs.BY_HAND, *graphs.NEGATIVE])
def test_every_difficulty(name, dtype):
    graph = graphs.by_hand(name, dtype)
    kind = weight_type("int64") if dtype == "int32" else graph.weight_type
    distances = graphs.as_solved(graphs.right_distances(graph, 0), kind)
    predecessors = recover_predecessors(graph, 0, distances)
    assert predecessors.dtype == np.int32
    expect_tree(graph, predecessors)


def test_the_least_predecessor_wins():
    graph = graphs.by_hand("ties")  # 4 can be reached by 1, 2 and 3 alike; 5 by 4 or by 1
    assert recovered(graph).tolist() == [-1, 0, 0, 0, 1, 1]


def test_a_cycle_of_zeros_traps_nobody():
    """1 -> 2 -> 3 -> 1 weighs nothing, and of 1's tight arcs the one from the source
    has the least tail. Turned round, the least tails chase each other: 3 is reached
    from the source, and 1 and 2 name each other.
    """
    arcs = [(5, 2, 1), (2, 0, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0), (0, 3, 2)]
    graph = graphs.from_list(6, arcs)
    predecessors = recovered(graph, source=5)
    assert predecessors.tolist() == [2, 0, 5, 0, -1, -1]
    expect_tree(graph, predecessors, source=5)
    cancelling = graphs.from_list(4, [(3, 2, 4), (2, 0, 1), (0, 1, 3), (1, 0, -3), (1, 2, -4)])
    expect_tree(cancelling, recovered(cancelling, source=3), source=3)


def test_a_weight_lost_in_rounding_is_like_a_zero():
    """1e9 + 1 is 1e9 in float32, so 0 and 1 could each vouch for the other."""
    arcs = [(2, 0, 1e9), (0, 1, 1.0), (1, 0, 1.0)]
    graph = graphs.from_list(3, arcs, np.float32)
    distances = np.array([1e9, 1e9, 0], dtype=np.float32)
    assert recover_predecessors(graph, 2, distances).tolist() == [2, 0, -1]


@given(graph=graphs.graphs(negative=True))
def test_every_chain_ends_at_the_source(graph):
    expect_tree(graph, recovered(graph))


@given(graph=graphs.graphs())
def test_equal_distances_give_equal_paths(graph):
    """However they came about; here by way of an all-pairs row and in a wider type."""
    right = graphs.right_matrix(graph)
    matrix = graphs.as_solved(right, graph.weight_type)
    wide = graphs.as_solved(
        right[0], weight_type("int64" if graph.weight_type.is_integer else "float64")
    )
    row = recover_predecessors(graph, 0, matrix[0])
    np.testing.assert_array_equal(row, recovered(graph))
    if graph.weights.dtype.name != "float32":
        np.testing.assert_array_equal(row, recover_predecessors(graph, 0, wide))


def test_a_distance_that_no_arc_accounts_for_has_no_predecessor():
    """Wrong distances (of a racy variant, say) give a shorter tree, never an endless chain."""
    graph = graphs.by_hand("a path")
    distances = graphs.as_solved(graphs.right_distances(graph, 0), graph.weight_type)
    distances[3] -= 1
    predecessors = recover_predecessors(graph, 0, distances)
    assert predecessors[3] == -1
    assert path_to(predecessors, 0, 2).tolist() == [0, 1, 2]
    assert path_to(predecessors, 0, 5) is None


def test_predecessors_that_go_round_lead_nowhere():
    """A racing kernel may write such; asking for a path must still end."""
    assert path_to(np.array([-1, 2, 1], dtype=np.int32), 0, 1) is None
    assert depths(np.array([-1, 2, 1], dtype=np.int32), 0).tolist() == [0, -1, -1]


def test_a_path_is_made_of_its_lightest_arcs():
    graph = graphs.by_hand("parallel arcs")  # 0 -> 1 weighs 7, 2 and 5
    path = path_to(recovered(graph), 0, 2)
    arcs = path_arcs(graph, path)
    assert graph.indices[arcs].tolist() == [1, 2]
    assert graph.weights[arcs].tolist() == [2, 3]
    assert path_length(graph, path) == 5
    assert path_to(recovered(graph), 0, 0).tolist() == path[:1].tolist() == [0]
    assert path_arcs(graph, path[:1]).tolist() == []
    assert path_length(graph, path[:1]) == 0


def test_a_path_longer_than_int32_can_count():
    graph = graphs.by_hand("heavy")
    assert path_length(graph, np.arange(40)) == 39 * 63_730_080


def test_a_path_along_no_arc_is_refused_by_the_names_of_the_file():
    graph = graphs.by_hand("a path")
    with pytest.raises(ParameterError, match="there is no arc 10 → 16"):
        path_arcs(graph, np.array([0, 2], dtype=np.int32))


def test_depths_count_arcs_from_the_source():
    graph = graphs.by_hand("two components")
    assert depths(recovered(graph), 0).tolist() == [0, 1, 2, -1, -1, -1]
    backwards = graphs.by_hand("a path against the numbering")
    assert depths(recovered(backwards), 0).tolist() == [0, 6, 5, 4, 3, 2, 1]
    assert depths(np.array([-1, -1], dtype=np.int32), 1).tolist() == [-1, 0]


@pytest.mark.parametrize("place", [0, 3, 4])  # the source, a reached vertex, one out of reach
@pytest.mark.parametrize("value", [-2, 6, 10**8])
def test_predecessors_that_are_no_vertices_are_not_followed(value, place):
    """A variant may return any. Compiled code takes -2 for the last but one, and reads beyond
    the end.
    """
    graph = graphs.from_list(6, [(0, 1, 1), (1, 2, 1), (2, 3, 1)])
    distances = graphs.as_solved(graphs.right_distances(graph, 0), graph.weight_type)
    right = recovered(graph)
    assert is_tight_tree(graph, 0, distances, right)
    wrong = right.copy()
    wrong[place] = value
    assert not is_tight_tree(graph, 0, distances, wrong)
    assert path_to(wrong, 0, place) is None or place == 0
    assert depths(wrong, 0)[place] == (-1 if place else 0)


def test_predecessors_of_another_shape_or_type_are_no_tree():
    graph = graphs.from_list(3, [(0, 1, 1), (1, 2, 1)])
    distances = graphs.as_solved(graphs.right_distances(graph, 0), graph.weight_type)
    right = np.array([-1, 0, 1], np.int32)
    for wrong in (right[:2], right[None], right.astype(np.int64), right.astype(float)):
        assert not is_tight_tree(graph, 0, distances, wrong)
