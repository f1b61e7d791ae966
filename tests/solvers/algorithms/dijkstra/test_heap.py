"""The heap variant: settles each vertex once, in the order of distance; tells of each; stops when asked to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import solvers.algorithms.dijkstra.heap as heap
from solvers.core.problem import Problem
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import Cancelled, UnsuitableGraph
from solvers.graphs.readers import read_graph
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs
from tests.data import data_file


def solve(graph, source=0, progress=SILENT, recorder=None, **parameters):
    entry = find_variant("dijkstra-heap")
    return entry.solve(Problem(graph, source, None, entry.settle(parameters), None, progress, recorder=recorder))


def watched(graph, **parameters):
    recorder = TraceRecorder(graph.n)
    solution = solve(graph, recorder=recorder, **parameters)
    return solution, recorder.finish()


@pytest.mark.parametrize("arity", [2, 4, 8])
def test_vertices_are_settled_once_each_in_the_order_of_distance(arity):
    graph = graphs.at_random(500, 2500, seed=1)
    solution, trace = watched(graph, arity=arity)
    settled = trace.vertices
    assert len(set(settled.tolist())) == len(settled) == solution.iterations
    assert (np.diff(solution.distances[settled]) >= 0).all()


def test_every_arc_that_leaves_a_settled_vertex_is_relaxed_once():
    graph = graphs.by_hand("two components")
    solution, trace = watched(graph)
    assert solution.iterations == 3
    assert solution.relaxations == 4
    assert trace.relaxed.tolist() == [1, 2, 1]
    assert trace.improved.tolist() == [1, 1, 0]


def test_an_improvement_moves_a_vertex_up_instead_of_adding_it_again():
    """Each spoke offers the rim's end a shorter way than the one before: 39 falls, one place in the heap."""
    graph = graphs.by_hand("a hub")
    solution, trace = watched(graph)
    assert solution.iterations == 40
    assert trace.vertices.tolist().count(39) == 1


def test_long_runs_are_cut_into_batches_that_change_nothing(monkeypatch):
    graph = graphs.at_random(500, 2500, seed=1)
    whole, whole_trace = watched(graph)
    monkeypatch.setattr(heap, "_BATCH", 7)
    cut, cut_trace = watched(graph)
    np.testing.assert_array_equal(cut.distances, whole.distances)
    np.testing.assert_array_equal(cut_trace.vertices, whole_trace.vertices)
    assert cut.relaxations == whole.relaxations


def test_cancel_is_heard_between_batches(monkeypatch):
    monkeypatch.setattr(heap, "_BATCH", 10)
    token = CancelToken()
    heard = []

    def cancel_at_fifty(done, total):
        heard.append(done)
        assert total == 500
        if done >= 50:
            token.cancel()

    with pytest.raises(Cancelled):
        solve(graphs.at_random(500, 2500, seed=1), progress=Progress(token, cancel_at_fifty))
    assert heard == [0, 10, 20, 30, 40, 50]


def test_negative_weights_are_refused_by_the_arc():
    with pytest.raises(UnsuitableGraph, match=r"16 → 13.*Bellman-Ford"):
        solve(graphs.by_hand("a negative arc"))


@pytest.mark.data
def test_new_york_as_scipy_has_it():
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    tails, heads = graph.tails, graph.indices
    last = np.append((tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1]), True)
    order = np.lexsort((-graph.weights, heads, tails))[last]  # of parallel arcs the lightest stands last
    weights = graph.weights[order].astype(float)
    right = dijkstra(csr_matrix((weights, (tails[order], heads[order])), shape=(graph.n, graph.n)), indices=1000)
    solution = solve(graph, source=1000)
    np.testing.assert_array_equal(solution.distances, right)
    assert solution.distances.dtype == np.int32
    assert (solution.iterations, solution.relaxations) == (264_346, 733_846)
