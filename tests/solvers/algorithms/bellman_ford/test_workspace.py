"""ELL and sliced ELL: their slots, the distances that they give, their size, and their refusal where a hub makes them
huge.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solvers.algorithms.bellman_ford.workspace import ELL, SLICED, padded_rows_on_device, padding_bytes
from solvers.core.availability import availability
from solvers.core.problem import Phases, Problem
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, NegativeCycle, OutOfMemory
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from tests import graphs
from tests.solvers.algorithms.bellman_ford.cases import TWO_ARRAYS, chain, graph_of, random_graph, solve, textbook

LAYOUTS = (ELL, SLICED)
GRAPHS = {
    "one vertex": graph_of(1),
    "no arcs": graph_of(70),
    "parallel arcs": graph_of(3, (0, 1, 9), (0, 1, 2), (0, 1, 5), (1, 2, 1), (1, 2, 0)),
    "negative arcs": graph_of(5, (0, 1, 6), (0, 2, 7), (1, 3, 5), (2, 3, -3), (3, 1, -2), (3, 4, 2)),
    "a hub": graphs.by_hand("a hub"),
    "random": random_graph(301, 1500, 1),
    "chain": chain(64),
}


def star(n: int) -> Graph:
    """Vertex 0 leads to all others, each of which leads to the next."""
    arcs = [(0, v, 1) for v in range(1, n)] + [(v, v + 1, 1) for v in range(1, n - 1)]
    return graph_of(n, *arcs)


def in_slots(graph: Graph, layout: str, device: Device) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """First slots, heads and weights as they lie on the device; bits of a slice and stride."""
    problem = Problem(graph, 0, device=device)
    with device.session() as session:
        rows = tuple(session.upload(array) for array in (graph.indptr, graph.indices, problem.weights()))
        bits, stride, *held = padded_rows_on_device(problem, session, Phases(), rows, layout)
        first, heads, weights = (session.download(buffer) for buffer in held)
    return first, heads, weights, int(bits), int(stride)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["a hub", "random", "no arcs"])
def test_every_arc_has_one_slot_and_rows_stand_side_by_side(name: str, layout: str, device: Device) -> None:
    graph = GRAPHS[name]
    first, heads, weights, bits, stride = in_slots(graph, layout, device)
    assert len(heads) == len(weights) == first[-1]
    for row, (begin, end) in enumerate(pairwise(graph.indptr)):
        slots = first[row >> bits] + row % 2**bits + stride * np.arange(end - begin)
        np.testing.assert_array_equal(heads[slots], graph.indices[begin:end])
        np.testing.assert_array_equal(weights[slots], graph.weights[begin:end])
        after = first[row >> bits] + row % 2**bits + stride * (end - begin)
        assert after >= first[(row >> bits) + 1] or heads[after] == -1, "an empty slot ends the row"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_distances_and_passes_are_those_of_compressed_rows(
    variant_id: str, name: str, layout: str, device: Device
) -> None:
    graph = GRAPHS[name]
    expected = solve(variant_id, graph, device)
    found = solve(variant_id, graph, device, layout=layout)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(to_float(found.distances), textbook(graph, 0)[0])
    assert found.iterations == expected.iterations


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_a_random_graph_is_solved_in_every_weight_type(variant_id: str, layout: str, device: Device) -> None:
    for dtype in graphs.DTYPES:
        graph = graphs.at_random(400, 2500, seed=3, dtype=dtype)
        found = solve(variant_id, graph, device, layout=layout)
        rounding = {"int32": 0.0, "int64": 0.0, "float32": 1e-6, "float64": 1e-14}[dtype]
        np.testing.assert_allclose(to_float(found.distances), graphs.right_distances(graph, 0), rtol=rounding)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_negative_cycle_is_found(layout: str, device: Device) -> None:
    with pytest.raises(NegativeCycle):
        solve("bf-strided-flag", graph_of(4, (0, 1, 1), (1, 2, 2), (2, 1, -3), (2, 3, 1)), device, layout=layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant_id", TWO_ARRAYS)
def test_stated_memory_is_what_is_held(variant_id: str, layout: str, device: Device) -> None:
    graph, entry = graphs.at_random(3000, 20_000, seed=1), find_variant(variant_id)
    assert entry.memory is not None
    assert entry.layout_memory is not None
    stated = entry.memory(graph) + entry.layout_memory(graph, entry.settle({"layout": layout}))
    assert stated == pytest.approx(solve(variant_id, graph, device, layout=layout).peak_device_bytes, rel=0.01)


def test_a_hub_makes_ell_huge_and_slices_small() -> None:
    graph = star(3000)
    rows, ell, sliced = (padding_bytes(graph, {"layout": name}) for name in ("csr", ELL, SLICED))
    assert rows == 0
    assert ell >= 3000 * 2999 * 8
    assert sliced < 32 * 2999 * 8 + 100_000


def test_rows_padded_for_a_hub_are_refused_before_the_start(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, entry = star(3000), find_variant("bf-vertex")
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 10_000_000)
    answer = availability(entry, graph, device, {"layout": ELL})
    assert "for rows padded to the greatest degree (choose layout=sliced or layout=csr to avoid it)" in answer.reason
    assert isinstance(answer.error, OutOfMemory)
    assert answer.error.needed_bytes >= 72_000_000
    assert availability(entry, graph, device, {"layout": SLICED}).available
    with pytest.raises(
        OutOfMemory, match=r"padded for layout=ell needs 7\d.* MB; .*\. Choose layout=sliced or layout=csr"
    ):
        solve("bf-vertex", graph, device, layout=ELL)


def test_filling_is_cut_into_pieces_that_cover_every_row(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.algorithms.bellman_ford.workspace._SLOTS_PER_PIECE", 64)
    graph = random_graph(500, 3000, 7)
    for layout in LAYOUTS:
        np.testing.assert_array_equal(
            to_float(solve("bf-vertex", graph, device, layout=layout).distances), textbook(graph, 0)[0]
        )


def test_filling_can_be_cancelled(device: Device) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        solve("bf-vertex", chain(40), device, layout=ELL, progress=Progress(token))
