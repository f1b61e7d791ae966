"""Floyd-Warshall on OpenMP: threads as asked for and given back, tiles in every phase,
negative weights, Cancel.
"""

from __future__ import annotations

import threading

import numba
import numpy as np
import pytest

from solvers.algorithms.floyd_warshall import omp_loop, omp_tiled
from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.errors import Cancelled, NegativeCycle, ParameterError, Unavailable
from solvers.graphs.weights import to_float
from solvers.system import openmp
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs

VARIANTS = ("fw-omp-loop", "fw-omp-tiled")
in_both = pytest.mark.parametrize("variant_id", VARIANTS)


def solve(variant_id, graph, progress=SILENT, **parameters):
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, None, None, entry.settle(parameters), None, progress))


# --- threads
# --------------------------------------------------------------------------------------


def test_a_team_is_as_large_as_asked_for_and_is_dissolved():
    with openmp.team(1, "fw-omp-loop") as outer:
        assert (outer, numba.get_num_threads()) == (1, 1)
        with openmp.team(0, "fw-omp-loop") as inner:
            assert inner == numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS
        assert numba.get_num_threads() == 1
    assert numba.threading_layer() == "omp"


@in_both
def test_the_number_of_threads_is_given_back_after_a_failure_too(variant_id):
    graph = graphs.from_list(3, [(0, 1, 1), (1, 2, -4), (2, 0, 1)])
    # chooses OpenMP; numba would choose another layer when asked for a number first
    with openmp.team(0, variant_id):
        pass
    before = numba.get_num_threads()
    with pytest.raises(NegativeCycle):
        solve(variant_id, graph, threads=1)
    assert numba.get_num_threads() == before


@in_both
def test_more_threads_than_cores_are_refused_rather_than_pretended(variant_id):
    with pytest.raises(ParameterError, match=r"may use \d+ cores; 0 uses all of them"):
        solve(variant_id, graphs.by_hand("a grid"), threads=100_000)


@in_both
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_the_number_of_threads_changes_nothing(variant_id, dtype):
    graph = graphs.at_random(150, 700, seed=8, dtype=dtype)
    one, all_cores = (solve(variant_id, graph, threads=threads).distances for threads in (1, 0))
    np.testing.assert_array_equal(one, all_cores)
    np.testing.assert_allclose(
        to_float(one), graphs.right_matrix(graph), rtol=1e-6 if dtype == "float32" else 1e-12
    )


@in_both
def test_several_worker_threads_may_run_at_once(variant_id):
    graph = graphs.at_random(150, 700, seed=8)
    answers = []
    workers = [
        threading.Thread(target=lambda: answers.append(solve(variant_id, graph).distances))
        for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(answers) == 3
    for answer in answers:
        np.testing.assert_array_equal(to_float(answer), graphs.right_matrix(graph))


def _without_openmp(monkeypatch):
    def fail():
        raise ImportError("libgomp.so.1: cannot open shared object file")

    monkeypatch.setattr(openmp, "openmp_vendor", fail)


@in_both
def test_where_openmp_is_missing_the_variants_say_so(variant_id, monkeypatch):
    _without_openmp(monkeypatch)
    answer = availability(find_variant(variant_id), None, None)
    assert not answer.available
    assert isinstance(answer.error, Unavailable)
    assert "libgomp.so.1" in answer.reason
    assert "Install an OpenMP runtime" in answer.reason
    with pytest.raises(Unavailable, match="OpenMP"):
        solve(variant_id, graphs.by_hand("a grid"))
    assert availability(find_variant("fw-serial"), None, None).available


def test_another_layer_already_at_work_is_named(monkeypatch):
    monkeypatch.setattr(numba, "threading_layer", lambda: "workqueue")
    answer = availability(find_variant("fw-omp-loop"), graphs.by_hand("a grid"), None)
    assert "“workqueue”" in answer.reason


# --- tiles
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("n", [1, 15, 16, 17, 100])
def test_tiles_of_every_size_fit_matrices_of_every_size(tile, n):
    graph = graphs.at_random(n, 4 * n, seed=n)
    solution = solve("fw-omp-tiled", graph, tile=tile)
    np.testing.assert_array_equal(to_float(solution.distances), graphs.right_matrix(graph))
    assert solution.iterations == -(-n // tile)


@pytest.mark.parametrize(
    ("module", "name", "variant_id", "parameters"),
    [
        (omp_loop, "_CELLS_PER_THREAD", "fw-omp-loop", {}),
        (omp_tiled, "_WORK_PER_THREAD", "fw-omp-tiled", {"tile": 16}),
    ],
)
def test_short_calls_change_nothing(module, name, variant_id, parameters, monkeypatch):
    monkeypatch.setattr(module, name, 1)
    graph = graphs.at_random(90, 400, seed=4)
    distances = solve(variant_id, graph, **parameters).distances
    np.testing.assert_array_equal(to_float(distances), graphs.right_matrix(graph))


def test_cancel_is_heard_within_a_step(monkeypatch):
    monkeypatch.setattr(omp_tiled, "_WORK_PER_THREAD", 1)
    token = CancelToken()
    heard = []

    def cancel_after_three(done, total):
        heard.append(done / total)
        if len(heard) == 3:
            token.cancel()

    with pytest.raises(Cancelled):
        solve(
            "fw-omp-tiled",
            graphs.at_random(300, 900, seed=4),
            Progress(token, cancel_after_three),
            tile=16,
        )
    assert heard == [0, 0, 0], "all in the first step"
