"""Negative cycles: found without overflow, however dense; told from cycles that only rounding makes negative."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall.matrix import cycle_tolerance, negative_cycle
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.errors import NegativeCycle, UnsuitableGraph
from solvers.graphs.weights import to_float
from solvers.system.cancel import SILENT
from solvers.verification.verify import verify_cycle
from tests import graphs
from tests.weight_types import skip_where_not_tested

VARIANTS = (
    "fw-serial",
    "fw-omp-loop",
    "fw-cell",
    "fw-cell-loop",
    "fw-cell-shared",
    "fw-vertex",
    "fw-tiled-global",
    "fw-tiled-shared",
)


def solve(variant_id, graph, device):
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, None, None, entry.settle({}), device if entry.runs_on.needs_device else None))


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_where_everything_is_negative_nothing_wraps(variant_id, dtype, device):
    """A complete graph of -1s: in a hundred steps without a stop its cells would reach -(2^100), and wrap round."""
    skip_where_not_tested(variant_id, dtype)
    n = 100
    arcs = [(u, v, -1) for u in range(n) for v in range(n) if u != v]
    graph = graphs.from_list(n, arcs, dtype)
    with pytest.raises(NegativeCycle) as found:
        solve(variant_id, graph, device)
    assert verify_cycle(graph, found.value.vertices).verified
    assert found.value.iterations <= 32, "seen at once: in the first step, or the first tile of steps"


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("position", [0, 31, 32, 40, 69])
def test_a_cycle_is_found_wherever_it_lies(variant_id, position, device):
    """In the pivot's tile, in the tiles of its row and column, or past them; 70 vertices are three tiles of 32."""
    n = 70
    arcs = [(i, i + 1, 3) for i in range(n - 1)] + [
        (position, (position + 35) % n, -4),
        ((position + 35) % n, position, 3),
    ]
    graph = graphs.from_list(n, arcs)
    with pytest.raises(NegativeCycle) as found:
        solve(variant_id, graph, device)
    assert set(found.value.vertices) >= {position, (position + 35) % n}
    assert verify_cycle(graph, found.value.vertices).verified


@pytest.mark.parametrize("variant_id", VARIANTS)
def test_heavy_arcs_round_a_negative_cycle_do_not_wrap(variant_id, device):
    """Weights near the edge of int32, where one sum too many would come out positive."""
    n = 40
    arcs = [(i, (i + 1) % n, -26_000_000) for i in range(n)]
    graph = graphs.from_list(n, arcs)
    assert Problem(graph, None).distance_type.name == "int32"
    with pytest.raises(NegativeCycle) as found:
        solve(variant_id, graph, device)
    assert found.value.weight == -26_000_000 * n


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_cycle_negative_by_rounding_alone_is_none(variant_id, dtype, device):
    """0.3 - 0.1 - 0.2 is below zero in binary. Left on the diagonal it would double with every pivot that it meets."""
    n = 60
    arcs = [(3 * i + j, 3 * i + (j + 1) % 3, w) for i in range(n // 3) for j, w in enumerate((0.3, -0.1, -0.2))]
    arcs += [(i, (i + 3) % n, 1.0) for i in range(n)]
    graph = graphs.from_list(n, arcs, dtype)
    weights = np.array([0.3, -0.1, -0.2], dtype=dtype)
    assert (weights[0] + weights[1]) + weights[2] < 0 or dtype == "float32"
    distances = to_float(solve(variant_id, graph, device).distances)
    assert (distances.diagonal() == 0).all()
    in_tenths = graphs.from_list(n, [(u, v, round(10 * w)) for u, v, w in arcs])
    np.testing.assert_allclose(distances, graphs.right_matrix(in_tenths) / 10, atol=1e-5)


@pytest.mark.parametrize("variant_id", VARIANTS)
def test_what_cannot_be_reached_stays_out_of_reach(variant_id, device):
    """Infinity plus a negative weight is less than infinity, and must not pass for a distance."""
    graph = graphs.by_hand("negative into the unreachable")
    distances = to_float(solve(variant_id, graph, device).distances)
    np.testing.assert_array_equal(distances, graphs.right_matrix(graph))


def test_integers_have_no_tolerance():
    assert cycle_tolerance(graphs.by_hand("below zero"), Problem(graphs.by_hand("below zero"), None).distance_type) == 0


def test_a_cycle_that_cannot_be_shown_is_an_error_in_words():
    with pytest.raises(UnsuitableGraph, match="load its weights as float64"):
        negative_cycle(graphs.by_hand("a grid"), 3, SILENT)
