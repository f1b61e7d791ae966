"""Delta-stepping on threads: shared tasks and lonely ones agree, queues hold a vertex once, threads are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.errors import ParameterError
from solvers.graphs.generators import find as find_generator
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.verification.verify import verify_sssp
from tests import graphs
from tests.weight_types import types_of


def solve(graph: Graph, source: int = 0, recorder: Recorder | None = None, **parameters: Any) -> Solution:
    entry = find_variant("sssp-delta-omp")
    return entry.solve(Problem(graph, source, None, entry.settle(parameters), recorder=recorder))


@pytest.fixture(scope="module")
def social() -> Graph:
    """Frontiers of thousands: every thread has a share."""
    return find_generator("rmat").generate({"scale": 13})


def hub(graph: Graph) -> int:
    return int(np.argmax(graph.out_degrees))


@pytest.mark.parametrize("delta", [0.5, 5.0, 1e6])
def test_wide_frontiers_shared_by_all_threads(social: Graph, delta: float) -> None:
    solution = solve(social, hub(social), delta=delta)
    verdict = verify_sssp(social, hub(social), solution.distances)
    assert verdict.verified, verdict.text


@pytest.mark.parametrize("dtype", types_of("sssp-delta-omp"))
def test_one_thread_and_all_agree(dtype: str) -> None:
    graph = graphs.at_random(4_000, 16_000, seed=2, dtype=dtype, directed=False)
    together, alone = solve(graph), solve(graph, threads=1)
    np.testing.assert_array_equal(together.distances, alone.distances)
    np.testing.assert_allclose(to_float(alone.distances), graphs.right_distances(graph, 0), rtol=1e-5)


def test_again_and_again_threads_lose_nothing(social: Graph) -> None:
    """What one run in a hundred would lose is what this looks for."""
    right = solve(social, hub(social), threads=1).distances
    for _ in range(40):
        np.testing.assert_array_equal(solve(social, hub(social), delta=2.0).distances, right)


def test_fused_rounds_are_fewer() -> None:
    """A long street: every hop is one vertex, and the thread that finds it goes on by itself."""
    street = graphs.from_list(500, [(i, i + 1, 1) for i in range(499)], np.int32, name="a street")
    recorder = TraceRecorder(street.n)
    watched = solve(street, recorder=recorder, delta=100.0)
    assert watched.iterations == len(recorder.finish()) == 500, "watched, every hop is a round"
    assert solve(street, delta=100.0).iterations <= 6, "timed, about one a bucket"


def test_a_vertex_stands_once_in_a_frontier(social: Graph) -> None:
    recorder = TraceRecorder(social.n)
    watched = solve(social, hub(social), recorder=recorder)
    trace = recorder.finish()
    for k in range(len(trace)):
        assert len(set(trace.frontier(k).tolist())) == len(trace.frontier(k))
    reached = np.isfinite(to_float(watched.distances))
    assert trace.improved.sum() >= reached.sum() - 1
    assert trace.total_relaxed == watched.relaxations


def test_more_threads_than_cores_are_refused_in_words() -> None:
    with pytest.raises(ParameterError, match="cores"):
        solve(graphs.by_hand("a grid"), threads=100_000)
