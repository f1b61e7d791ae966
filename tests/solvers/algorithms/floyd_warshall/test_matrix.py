"""The matrix before and after: least arcs, padding that comes off, memory refused before it is taken.

What the host does for the blocked kernels: cells of any type become distances, infinity stays infinity.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall import matrix as matrix_module
from solvers.algorithms.floyd_warshall.matrix import (
    INT16,
    as_distances,
    due_steps,
    matrix_bytes,
    padded,
    require_host_memory,
    start_matrix,
    without_padding,
)
from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.errors import Cancelled, OutOfMemory
from solvers.graphs.weights import INT32, INT64, WeightType
from solvers.system import machine
from solvers.system.cancel import CancelToken, Progress
from tests import graphs


def test_the_padded_size_is_the_next_multiple():
    assert [padded(n, 32) for n in (0, 1, 31, 32, 33)] == [0, 32, 32, 32, 64]


@pytest.mark.parametrize("name", ["parallel arcs", "self-loops", "zero weights", "no arcs"])
def test_the_start_is_the_graphs_own_matrix(name):
    graph = graphs.by_hand(name)
    np.testing.assert_array_equal(start_matrix(graph, INT32), graph.matrix())


def test_padding_is_vertices_that_no_arc_touches():
    graph = graphs.by_hand("a grid")
    matrix = start_matrix(graph, INT64, 16)
    assert matrix.shape == (32, 32)
    np.testing.assert_array_equal(matrix[:25, :25], graph.matrix(INT64))
    assert (matrix[25:] == INT64.infinity).all()
    assert (matrix[:, 25:] == INT64.infinity).all()


def test_padding_comes_off_in_place():
    matrix = np.arange(64, dtype=np.int32).reshape(8, 8)
    expected = matrix[:5, :5].copy()
    inner = without_padding(matrix, 5)
    np.testing.assert_array_equal(inner, expected)
    assert inner.flags.c_contiguous
    assert np.shares_memory(inner, matrix)
    assert without_padding(matrix, 8) is matrix


def test_cancel_is_looked_for_between_bands_of_rows(monkeypatch):
    """Whole, a matrix of 5 GB left Cancel waiting for a second before the first step and for another after the last."""
    monkeypatch.setattr("solvers.system.threads.cores", lambda: 1)
    monkeypatch.setattr("solvers.graphs.csr._CELLS", 4 * 32)
    graph = graphs.by_hand("a grid")
    looks = []
    watcher = Progress(CancelToken(lambda: looks.append(None)))
    matrix = start_matrix(graph, INT32, 16, watcher)
    assert len(looks) == 8
    np.testing.assert_array_equal(matrix, start_matrix(graph, INT32, 16))

    looks.clear()
    np.testing.assert_array_equal(without_padding(matrix, graph.n, watcher), graph.matrix())
    assert len(looks) == 5


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-loop", "fw-omp-tiled"])
def test_cancel_stops_the_building_of_the_matrix(variant_id, monkeypatch):
    entry, graph = find_variant(variant_id), graphs.by_hand("a grid")
    if not availability(entry, None, None).available:
        pytest.skip("it cannot run here")
    token, scattered = CancelToken(), []

    def scatter(*arguments):
        scattered.append(arguments[3])
        token.cancel()

    monkeypatch.setattr("solvers.system.threads.cores", lambda: 1)
    monkeypatch.setattr("solvers.graphs.csr._CELLS", graph.n)
    monkeypatch.setattr(matrix_module, "_scatter", scatter)
    with pytest.raises(Cancelled):
        entry.solve(Problem(graph, None, None, entry.settle({}), None, Progress(token)))
    assert scattered == [0], "not a row more"


def test_the_bytes_are_of_the_type_it_is_solved_in():
    assert matrix_bytes(graphs.by_hand("a grid")) == 25 * 25 * 4
    assert matrix_bytes(graphs.by_hand("a grid"), 32) == 32 * 32 * 4
    assert matrix_bytes(graphs.by_hand("heavy")) == 40 * 40 * 8, "int32 weights, widened"
    assert matrix_bytes(graphs.by_hand("a grid", "float32")) == 25 * 25 * 4


def test_what_does_not_fit_is_refused_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(2**30, 5_000))
    graph = graphs.by_hand("heavy")
    with pytest.raises(OutOfMemory, match=r"40 x 40 distance matrix needs 6.4 kB; this machine has 5 kB free"):
        start_matrix(graph, INT32)
    require_host_memory("A little", 5_000)


def test_a_machine_that_does_not_tell_is_not_asked_again(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(0, 0))
    require_host_memory("Anything", 10**15)


def test_snapshots_are_few_and_end_with_the_answer():
    assert due_steps(10, 100) == frozenset(range(10))
    many = due_steps(10_876, 473_000_000)
    assert max(many) == 10_875
    assert len(many) == 16
    assert len(due_steps(10_876, 1000)) == 64
    assert len(due_steps(40_000, 6_400_000_000)) == 8
    assert due_steps(0, 0) == frozenset()


def padded_cells(kind: WeightType) -> np.ndarray:
    """A 4 x 4 matrix of which 3 x 3 are cells: 7, infinity and what is just below it."""
    cells = np.full((4, 4), 7, kind.dtype)
    cells[0, 1], cells[2, 2] = kind.infinity, kind.infinity - 1
    return cells


@pytest.mark.parametrize("rows_at_a_time", [1, 2, 100])
def test_narrow_cells_are_widened(rows_at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.graphs.csr._CELLS", 3 * rows_at_a_time)
    cells, graph = padded_cells(INT16), graphs.by_hand("a path")
    distances = as_distances(cells[:3, :3], INT16, INT32, graph)
    assert distances.dtype == np.int32
    assert not np.may_share_memory(distances, cells)
    np.testing.assert_array_equal(distances, [[7, INT32.infinity, 7], [7, 7, 7], [7, 7, INT16.infinity - 1]])


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_infinity_lowered_by_a_negative_length_is_infinity_again(kind: WeightType) -> None:
    """It stays above every length that there is; cells of the right type keep their memory."""
    cells, graph = padded_cells(kind), graphs.by_hand("a negative arc")
    cells[1, 1] = kind.infinity - int(graph.path_bound)
    distances = as_distances(cells[:3, :3], kind, INT32, graph)
    far = INT32.infinity
    np.testing.assert_array_equal(distances, [[7, far, 7], [7, far, 7], [7, 7, far]])
    assert np.may_share_memory(distances, cells) == (kind is INT32)


def test_cells_that_are_distances_are_not_touched() -> None:
    cells, graph = padded_cells(INT32), graphs.by_hand("a path")
    distances = as_distances(cells[:3, :3], INT32, INT32, graph)
    assert np.may_share_memory(distances, cells)
    assert without_padding(cells, 3)[2, 2] == INT32.infinity - 1
