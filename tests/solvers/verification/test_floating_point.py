"""What "proved" means in floating point: nothing that rounding does not account for,
and everything that it does.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from solvers import all_sources, prepare, solve
from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import Answers, RunsOn, Variant, all_variants, find_variant
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.verification.reference import exact_reference
from solvers.verification.verify import verify_apsp, verify_sssp, verify_target
from tests import graphs

HOST_VARIANTS = [v for v in all_variants() if v.runs_on is RunsOn.SERIAL]
MATRIX_VARIANTS = [
    v for v in HOST_VARIANTS if v.answers is Answers.APSP and not v.needs_nonnegative
]


def chain(weights: list[float], dtype: str) -> Graph:
    return graphs.from_list(len(weights) + 1, [(v, v + 1, w) for v, w in enumerate(weights)], dtype)


# --- sums past the type's range
# ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", all_variants(), ids=lambda v: v.id)
def test_lengths_past_float64_are_refused_in_words_by_every_variant(entry: Variant) -> None:
    """1e308 + 1e308 is infinite, which read as unreachable and was proved so."""
    graph = chain([1e308, 1e308], "float64")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnsuitableGraph, match="beyond the range of float64"):
            _ = graph.distance_type
        assert not availability(entry, graph, None).available


def test_lengths_past_float32_are_solved_in_float64() -> None:
    graph = chain([2e38, 2e38], "float32")
    assert graph.distance_type.name == "float64"
    solution = find_variant("dijkstra-heap").solve(Problem(graph, 0, parameters={"arity": 4}))
    step = float(np.float32(2e38))
    assert solution.distances.tolist() == [0, step, 2 * step]
    assert verify_sssp(graph, 0, solution.distances).verified


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lengths_just_within_the_range_are_solved(dtype: str) -> None:
    big = float(np.finfo(dtype).max) / 5
    graph = chain([big, big], dtype)
    assert graph.distance_type.name == "float64"


def test_integer_bounds_are_summed_exactly() -> None:
    """Three arcs of 255 vanish beside 2^62 - 512 in float64, and carry the sum past infinity."""
    weights = [4611686018427387392, 255, 255, 255]
    graph = chain(weights, "int64")
    assert graph.path_bound == sum(weights)
    with pytest.raises(UnsuitableGraph, match="64-bit integers"):
        _ = graph.distance_type
    assert chain([-(2**63)], "int64").path_bound == 2**63, "the least integer has a magnitude, too"


# --- what rounding does not account for
# -------------------------------------------------------------------------------


def test_small_errors_that_add_up_along_a_path_are_found() -> None:
    """Each step within a rounding or two, the end far off: a tolerance an arc let this pass."""
    n = 100_000
    graph = chain([0.1] * n, "float64")
    right = np.cumsum([0.0] + [0.1] * n)
    assert verify_sssp(graph, 0, right).verified
    drifting = right * np.linspace(1, 1 + 1e-10, n + 1)
    assert not verify_sssp(graph, 0, drifting).verified
    assert not verify_sssp(graph, 0, np.nextafter(right, np.inf) * (right > 0)).verified


@pytest.mark.parametrize(("claimed", "is_right"), [(1.0, True), (16.0, False), (-16.0, False)])
def test_cancelling_weights_do_not_cover_a_wrong_answer(claimed: float, is_right: bool) -> None:
    graph = chain([1e16, -1e16, 1.0], "float64")
    distances = np.array([0.0, 1e16, 0.0, claimed])
    assert verify_sssp(graph, 0, distances).verified is is_right
    matrix = np.full((4, 4), np.inf)
    matrix[0] = distances
    matrix[1, 1:], matrix[2, 2:], matrix[3, 3] = (0.0, -1e16, -1e16), (0.0, 1.0), 0.0
    assert verify_apsp(graph, matrix).verified is is_right


@pytest.mark.parametrize("off", [1e-9, -1e-9])
def test_one_path_is_held_to_its_own_rounding(off: float) -> None:
    graph = chain([0.1] * 10, "float64")
    right = np.cumsum([0.0] + [0.1] * 10)
    assert verify_target(graph, 0, 10, right).verified
    wrong = right.copy()
    wrong[10] *= 1 + off
    assert not verify_target(graph, 0, 10, wrong).verified


# --- what rounding does account for
# -----------------------------------------------------------------------------------


@given(st.integers(0, 2**30), st.integers(3, 24), st.sampled_from([1.0, 1e9]))
def test_right_matrices_of_cancelling_weights_are_proved(seed: int, n: int, spread: float) -> None:
    """Weights w + h(tail) - h(head): large, of both signs, and without a negative cycle."""
    rng = np.random.default_rng(seed)
    m = 4 * n
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    height = rng.random(n) * spread
    weights = rng.random(m) + height[tails] - height[heads]
    weights[tails == heads] = 1.0
    graph = Graph.from_arcs(n, tails, heads, weights)
    for entry in MATRIX_VARIANTS:
        matrix = entry.solve(Problem(graph, None, parameters=entry.settle({}))).distances
        verdict = verify_apsp(graph, matrix)
        assert verdict.verified, f"{entry.id}: {verdict.text}"


def test_many_short_arcs_that_round_below_one_long_arc_are_proved() -> None:
    """Ten thousand steps of 0.0001 round to less than the one step of 1 that is shorter
    in exact arithmetic.
    """
    k = 10_000
    arcs = [(v, v + 1, 0.0001) for v in range(k)] + [(0, k, 1.0)]
    graph = graphs.from_list(k + 1, arcs, "float64")
    right = np.concatenate(([0.0], np.cumsum(np.full(k, 0.0001))))
    right[k] = min(right[k], 1.0)
    assert right[k] < 1.0
    assert verify_sssp(graph, 0, right).verified


def test_sums_of_float32_are_float64() -> None:
    """They were 19,959.39 in float32, and called proved."""
    graph = chain([0.1] * 199_999, "float32")
    exact = np.arange(200_000) * float(np.float32(0.1))  # 24 bits and 18 of the number of arcs
    found = solve(graph, source=10, variant="dijkstra-heap")
    assert found.verified
    np.testing.assert_array_equal(found.distances, exact)
    assert prepare(graph).distance(10, graph.vertex_id(199_999)) == exact[-1]
    row = all_sources(graph, ["eccentricity"], sources=[10])
    assert row.eccentricity.tolist() == [exact[-1]]
    in_float32 = np.cumsum(np.append(np.float32(0), graph.weights), dtype=np.float32)
    for verdict in (
        verify_sssp(graph, 0, in_float32),
        verify_target(graph, 0, 199_999, in_float32),
    ):
        assert not verdict.verified
        assert "float32, which cannot represent sums" in verdict.text


@given(graphs.graphs(negative=True, dtypes=("float64",)))
def test_reference_lengths_are_those_of_rational_arithmetic(graph: Graph) -> None:
    reference = exact_reference(graph, 0)
    if reference is None or reference.lengths is None:
        return
    for v, right in enumerate(rational_distances(graph)):
        if right is not None:
            got = Fraction(float(reference.lengths.high[v])) + Fraction(
                float(reference.lengths.low[v])
            )
            assert abs(got - right) <= Fraction(float(reference.lengths.magnitude[v])) / 2**80


def rational_distances(graph: Graph) -> list[Fraction | None]:
    """Bellman-Ford over rational numbers."""
    distances: list[Fraction | None] = [None] * graph.n
    distances[0] = Fraction(0)
    arcs = list(
        zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    )
    for _ in range(graph.n):
        for tail, head, weight in arcs:
            before = distances[tail]
            if before is not None:
                through = before + Fraction(weight)
                known = distances[head]
                distances[head] = through if known is None else min(known, through)
    return distances


# --- what the verdict says
# --------------------------------------------------------------------------------------------


def test_a_sample_of_rows_is_called_a_sample() -> None:
    graph = graphs.at_random(40, 200, seed=1)
    matrix: NDArray[np.int32] = find_variant("fw-serial").solve(Problem(graph, None)).distances
    assert verify_apsp(graph, matrix).answer == "yes"
    assert verify_apsp(graph, matrix, rows=7).answer == "sampled, 7 rows"
    matrix[:] += 1
    assert verify_apsp(graph, matrix, rows=7).answer == "no"
