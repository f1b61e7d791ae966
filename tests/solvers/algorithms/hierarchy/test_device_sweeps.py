"""Sweeps from many sources on a device: any cut, any list of sources, rows and what they are reduced to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers.algorithms.hierarchy import device_sweeps
from solvers.algorithms.hierarchy.adjacency import adjacency_of, minimum_degree_order
from solvers.algorithms.hierarchy.device_hierarchy import UNFINISHED, sweep_pieces
from solvers.algorithms.hierarchy.device_sweeps import settle_and_reduce, settle_into_rows
from solvers.devices.device import Device
from solvers.errors import Cancelled, OutOfMemory, ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import hierarchy_by
from tests.weight_types import types_of

CHOSEN = np.array([77, 3, 3, 250, 0, 11, 299])


def towns(dtype: str = "int32", *, directed: bool = False) -> Graph:
    return graphs.at_random(300, 420, seed=8, dtype=dtype, directed=directed)


def rows_of(graph: Graph, device: Device, sources: np.ndarray, **settings: int) -> np.ndarray:
    parts = list(settle_into_rows(graph, device, sources, settings=settings))
    assert [i for part, _ in parts for i in range(part.start, part.stop)] == list(range(len(sources)))
    return to_float(np.concatenate([rows for _, rows in parts]))


@pytest.mark.parametrize(
    "settings",
    [{"piece": 16}, {"block": 64, "each": 1, "piece": 64, "abreast": 5}, {"each": 4, "piece": 1000}],
    ids=["small pieces", "two batches", "one piece"],
)
def test_rows_of_any_sources_whatever_the_cut(device: Device, settings: dict[str, int]) -> None:
    graph = towns(directed=True)
    np.testing.assert_array_equal(rows_of(graph, device, CHOSEN, **settings), graphs.right_matrix(graph)[CHOSEN])


def test_paths_that_do_not_fit_into_shared_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_sweeps.DeviceSweeps, "_fits_shared", lambda self, stage: False)
    monkeypatch.setattr(device_sweeps, "_SCRATCH_CELLS", 1 << 15)
    graph = towns()
    np.testing.assert_array_equal(rows_of(graph, device, CHOSEN, piece=16), graphs.right_matrix(graph)[CHOSEN])


@pytest.mark.parametrize("dtype", types_of("cch-batch-device"))
def test_reductions_are_those_of_the_rows(device: Device, dtype: str) -> None:
    graph = graphs.hill(90, 200, 3, dtype)
    right = graphs.right_matrix(graph)
    finite = np.where(np.isfinite(right), right, -np.inf)
    lengths = np.unique(right[np.isfinite(right)].round(3))
    middle = int(np.diff(lengths).argmax())  # no distance is so near the budget that rounding decides
    budget = float(lengths[middle : middle + 2].mean())
    found = list(settle_and_reduce(graph, device, np.arange(90), budget=budget, settings={"abreast": 40, "piece": 16}))
    assert [(part.first, part.last) for part in found] == [(0, 40), (40, 80), (80, 90)]
    close: Any = {"rtol": 1e-4, "atol": 1e-3} if dtype == "float32" else {"rtol": 1e-9}
    np.testing.assert_allclose(joined(found, "farthest"), finite.max(axis=1), **close)
    np.testing.assert_array_equal(joined(found, "reached"), np.isfinite(right).sum(axis=1))
    np.testing.assert_allclose(joined(found, "total"), np.where(np.isfinite(right), right, 0).sum(axis=1), **close)
    np.testing.assert_array_equal(joined(found, "within"), (right <= budget).sum(axis=1))


def joined(found: list[Any], name: str) -> np.ndarray:
    return np.concatenate([getattr(part, name) for part in found])


def test_sums_are_exact_where_64_bits_suffice(device: Device) -> None:
    few = next(settle_and_reduce(towns("int64"), device, CHOSEN))
    assert few.total.dtype == np.int64
    assert not few.within.any()
    graph = graphs.from_list(3, [(0, 1, 2**61), (1, 2, 2**60)], dtype="int64")
    large = next(settle_and_reduce(graph, device, np.array([0])))
    assert large.total.tolist() == [2.0**61 + (2**61 + 2**60)]
    assert large.farthest.tolist() == [2**61 + 2**60]
    assert large.reached.tolist() == [3]


@pytest.mark.parametrize("budget", [-1.0, 1e30])
def test_budgets_beyond_the_type(device: Device, budget: float) -> None:
    found = next(settle_and_reduce(towns(), device, CHOSEN, budget=budget))
    np.testing.assert_array_equal(found.within, found.reached if budget > 0 else 0)


def test_no_sources_and_wrong_sources(device: Device) -> None:
    assert list(settle_and_reduce(towns(), device, np.empty(0, np.int64))) == []
    assert list(settle_into_rows(graphs.from_list(0, []), device, np.empty(0, np.int64))) == []
    with pytest.raises(ParameterError, match="0 to 299"):
        next(settle_into_rows(towns(), device, np.array([300])))


def test_cancellation_and_lack_of_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, token = towns(), CancelToken()
    batches = settle_and_reduce(graph, device, CHOSEN, settings={"abreast": 2}, progress=Progress(token))
    next(batches)
    token.cancel()
    with pytest.raises(Cancelled):
        next(batches)
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 1000)
    with pytest.raises(OutOfMemory):
        next(settle_and_reduce(graph, device, CHOSEN))


@pytest.mark.parametrize("most", [1, 7, 16, 10_000])
def test_pieces_cover_the_tree_and_know_their_slots(most: int) -> None:
    graph = towns()
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    pieces, tree = sweep_pieces(hierarchy, most), hierarchy.tree
    assert sorted(pieces.rank.tolist()) == list(range(graph.n))
    assert [stage.first for stage in pieces.stages[1:]] == [stage.last for stage in pieces.stages[:-1]]
    assert pieces.stages[-1].last == pieces.pieces
    for p in range(pieces.pieces):
        first, last = pieces.piece_first[p : p + 2].tolist()
        boundary = pieces.boundary[pieces.boundary_first[p] : pieces.boundary_first[p + 1]].tolist()
        assert all(place < first for place in boundary)
        holds = dict(enumerate(pieces.rank[boundary].tolist()))  # what a slot holds when a vertex is settled
        for place in range(first, last):
            v = int(pieces.rank[place])
            row = slice(int(hierarchy.up_first[v]), int(hierarchy.up_first[v + 1]))
            first_quad, last_quad = pieces.quad_first[place : place + 2].tolist()
            slots = pieces.slots[4 * first_quad : 4 * last_quad].tolist()
            degree = row.stop - row.start
            assert last_quad - first_quad == max(1, -(-degree // 4))
            upper = [holds[slot] for slot in slots[:degree]]
            assert tree.depth[upper].tolist() == hierarchy.up_depth[row].tolist()
            assert all(u - tree.size[u] < v < u for u in upper)
            assert set(slots[degree:]) <= {slots[degree - 1] if degree else 0}
            *unfinished, own = pieces.ends[first_quad:last_quad].tolist()
            assert set(unfinished) <= {UNFINISHED}
            holds[own] = v
    assert pieces.inner <= graph.n
