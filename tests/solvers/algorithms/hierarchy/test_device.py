"""Hierarchies on a device: their tree, sweeps, customising and slices give what the
processor's do.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from solvers.algorithms.hierarchy import adjacency as adjacency_module
from solvers.algorithms.hierarchy import device_sweeps, supergraph
from solvers.algorithms.hierarchy import elimination_tree as elimination_tree_module
from solvers.algorithms.hierarchy import labels as labels_module
from solvers.algorithms.hierarchy.adjacency import (
    _largest_search,
    estimated_separator,
)
from solvers.algorithms.hierarchy.device_customise import customise_on_device, detour_levels
from solvers.algorithms.hierarchy.device_hierarchy import UNFINISHED, sweep_pieces
from solvers.algorithms.hierarchy.device_sweeps import (
    settle_and_reduce,
    settle_into_rows,
    settle_into_table,
)
from solvers.algorithms.hierarchy.labels import ancestor_labels, labels_on_device
from solvers.algorithms.hierarchy.metric import Metric, customise
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, NegativeCycle, OutOfMemory, ParameterError
from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.graphs.weights import FLOAT64, to_float
from solvers.system.cancel import CancelToken, Progress
from solvers.system.openmp import team
from tests import graphs
from tests.graphs import at_random, from_list
from tests.solvers.algorithms.hierarchy.reference import cancelled, hierarchy_by_degree
from tests.weight_types import skip_where_not_tested


def towns(dtype: str = "int32") -> Graph:
    return graphs.at_random(600, 800, seed=8, dtype=dtype, directed=False)


def customised(graph: Graph) -> tuple[Hierarchy, Metric]:
    hierarchy = hierarchy_by_degree(graph)
    with team(1, "test"):
        return hierarchy, customise(hierarchy, graph.weights, graph.distance_type, 1)


@pytest.mark.parametrize(("largest", "bundle"), [(1, 16), (4, 4), (64, 256), (1_000, 2_000)])
@pytest.mark.parametrize("source", [0, 77, 301])
def test_every_cut_gives_the_same_distances(
    device: Device, monkeypatch: pytest.MonkeyPatch, largest: int, bundle: int, source: int
) -> None:
    monkeypatch.setattr(labels_module, "_LEAST_SUBTREE", largest)
    monkeypatch.setattr(labels_module, "_BUNDLE", bundle)
    graph, entry = towns(), find_variant("cch-tree-device")
    solution = entry.solve(Problem(graph, source, None, entry.settle({}), device))
    np.testing.assert_array_equal(
        to_float(solution.distances), graphs.right_distances(graph, source)
    )


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_negative_weights_above_the_cut(
    device: Device, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    monkeypatch.setattr(labels_module, "_LEAST_SUBTREE", 2)
    graph, entry = graphs.hill(90, 200, 3, dtype), find_variant("cch-tree-device")
    solution = entry.solve(Problem(graph, 4, None, entry.settle({}), device))
    np.testing.assert_allclose(
        to_float(solution.distances),
        graphs.right_distances(graph, 4),
        rtol=1e-5,
        atol=1e-4 * (dtype == "float32"),
    )


@pytest.mark.parametrize("case", ["int32", "float64", "negative"])
def test_labels_of_the_device_are_those_of_the_host(
    device: Device, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    if case != "negative":
        skip_where_not_tested(case)
    monkeypatch.setattr(labels_module, "_LEAST_SUBTREE", 2)
    graph = graphs.hill(90, 200, 3) if case == "negative" else towns(case)
    hierarchy, metric = customised(graph)
    right = ancestor_labels(hierarchy, metric, graph.weight_type)
    found = labels_on_device(hierarchy, metric, graph.weight_type, device)
    assert len(right.labels)
    np.testing.assert_array_equal(found.labels, right.labels)
    np.testing.assert_array_equal(found.first, right.first)


def test_the_cut_is_lowered_until_labels_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = towns()
    hierarchy, metric = customised(graph)
    sizes = []
    for entries in (10**6, 2_000, 0):
        monkeypatch.setattr(labels_module, "_ENTRIES", entries)
        monkeypatch.setattr(labels_module, "_MOST_ENTRIES", 0)
        labels = ancestor_labels(hierarchy, metric, graph.weight_type)
        assert len(labels.labels) <= entries
        assert len(labels.above) + hierarchy.tree.size[labels.pieces].sum() == graph.n
        sizes.append(len(labels.above))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] == 0


CHOSEN = np.array([77, 3, 3, 250, 0, 11, 299])


def sparse_towns(dtype: str = "int32", *, directed: bool = False) -> Graph:
    return graphs.at_random(300, 420, seed=8, dtype=dtype, directed=directed)


def rows_of(graph: Graph, device: Device, sources: np.ndarray, **settings: int) -> np.ndarray:
    parts = list(settle_into_rows(graph, device, sources, settings=settings))
    assert [i for part, _ in parts for i in range(part.start, part.stop)] == list(
        range(len(sources))
    )
    return to_float(np.concatenate([rows for _, rows in parts]))


@pytest.mark.parametrize(
    "settings",
    [
        {"piece": 16},
        {"block": 64, "each": 1, "piece": 64, "abreast": 5},
        {"each": 4, "piece": 1000},
    ],
    ids=["small pieces", "two batches", "one piece"],
)
def test_rows_of_any_sources_whatever_the_cut(device: Device, settings: dict[str, int]) -> None:
    graph = sparse_towns(directed=True)
    np.testing.assert_array_equal(
        rows_of(graph, device, CHOSEN, **settings), graphs.right_matrix(graph)[CHOSEN]
    )


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_tables_have_the_columns_asked_for(device: Device, dtype: str) -> None:
    if lacking := device.missing_features(FLOAT64):
        pytest.skip(f"the device lacks {lacking}")
    graph = graphs.hill(90, 200, 3, dtype)
    sources, targets = np.array([7, 7, 0, 89, 40]), np.concatenate((np.arange(88, 20, -1), [5, 5]))
    table = np.full((len(sources), len(targets)), np.nan)
    settle_into_table(graph, device, sources, targets, table)
    close: Any = {"rtol": 1e-4, "atol": 1e-3} if dtype == "float32" else {"rtol": 1e-9}
    np.testing.assert_allclose(table, graphs.right_matrix(graph)[np.ix_(sources, targets)], **close)
    settle_into_table(graph, device, sources, targets[:0], table[:, :0])


def test_paths_that_do_not_fit_into_shared_memory(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_sweeps.DeviceSweeps, "_fits_shared", lambda self, stage: False)
    monkeypatch.setattr(device_sweeps, "_SCRATCH_CELLS", 1 << 15)
    graph = sparse_towns()
    np.testing.assert_array_equal(
        rows_of(graph, device, CHOSEN, piece=16), graphs.right_matrix(graph)[CHOSEN]
    )


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_reductions_are_those_of_the_rows(device: Device, dtype: str) -> None:
    graph = graphs.hill(90, 200, 3, dtype)
    right = graphs.right_matrix(graph)
    finite = np.where(np.isfinite(right), right, -np.inf)
    lengths = np.unique(right[np.isfinite(right)].round(3))
    # no distance is so near the budget that rounding decides
    middle = int(np.diff(lengths).argmax())
    budget = float(lengths[middle : middle + 2].mean())
    found = list(
        settle_and_reduce(
            graph, device, np.arange(90), budget=budget, settings={"abreast": 40, "piece": 16}
        )
    )
    assert [(part.start, part.stop) for part, _ in found] == [(0, 40), (40, 80), (80, 90)]
    close: Any = {"rtol": 1e-4, "atol": 1e-3} if dtype == "float32" else {"rtol": 1e-9}
    np.testing.assert_allclose(joined(found, "farthest"), finite.max(axis=1), **close)
    np.testing.assert_array_equal(joined(found, "reached"), np.isfinite(right).sum(axis=1))
    np.testing.assert_allclose(
        joined(found, "totals"), np.where(np.isfinite(right), right, 0).sum(axis=1), **close
    )
    np.testing.assert_array_equal(joined(found, "within"), (right <= budget).sum(axis=1))


def joined(found: list[Any], name: str) -> np.ndarray:
    return np.concatenate([getattr(summaries, name) for _, summaries in found])


def test_sums_are_exact_where_64_bits_suffice(device: Device) -> None:
    _, few = next(settle_and_reduce(sparse_towns("int64"), device, CHOSEN))
    assert few.totals.dtype == np.int64
    assert not few.within.any()
    graph = graphs.from_list(3, [(0, 1, 2**61), (1, 2, 2**60)], dtype="int64")
    _, large = next(settle_and_reduce(graph, device, np.array([0])))
    assert large.totals.tolist() == [2.0**61 + (2**61 + 2**60)]
    assert large.farthest.tolist() == [2**61 + 2**60]
    assert large.reached.tolist() == [3]


@pytest.mark.parametrize("budget", [-1.0, 1e30])
def test_budgets_beyond_the_type(device: Device, budget: float) -> None:
    _, found = next(settle_and_reduce(sparse_towns(), device, CHOSEN, budget=budget))
    np.testing.assert_array_equal(found.within, found.reached if budget > 0 else 0)


def test_no_sources_and_wrong_sources(device: Device) -> None:
    assert list(settle_and_reduce(sparse_towns(), device, np.empty(0, np.int64))) == []
    assert list(settle_into_rows(graphs.from_list(0, []), device, np.empty(0, np.int64))) == []
    with pytest.raises(ParameterError, match="0 to 299"):
        next(settle_into_rows(sparse_towns(), device, np.array([300])))


def test_cancellation_and_lack_of_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, token = sparse_towns(), CancelToken()
    batches = settle_and_reduce(
        graph, device, CHOSEN, settings={"abreast": 2}, progress=Progress(token)
    )
    next(batches)
    token.cancel()
    with pytest.raises(Cancelled):
        next(batches)
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 1000)
    with pytest.raises(OutOfMemory):
        next(settle_and_reduce(graph, device, CHOSEN))


@pytest.mark.parametrize("most", [1, 7, 16, 10_000])
def test_pieces_cover_the_tree_and_know_their_slots(most: int) -> None:
    graph = sparse_towns()
    hierarchy = hierarchy_by_degree(graph)
    pieces, tree = sweep_pieces(hierarchy, most), hierarchy.tree
    assert sorted(pieces.rank.tolist()) == list(range(graph.n))
    assert [stage.first for stage in pieces.stages[1:]] == [
        stage.last for stage in pieces.stages[:-1]
    ]
    number = len(pieces.piece_first) - 1
    assert pieces.stages[-1].last == number
    for p in range(number):
        first, last = pieces.piece_first[p : p + 2].tolist()
        boundary = pieces.boundary[pieces.boundary_first[p] : pieces.boundary_first[p + 1]].tolist()
        assert all(place < first for place in boundary)
        # what a slot holds when a vertex is settled
        holds = dict(enumerate(pieces.rank[boundary].tolist()))
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


CASES = {
    "symmetric": lambda dtype: graphs.at_random(300, 420, seed=8, dtype=dtype, directed=False),
    "directed": lambda dtype: graphs.at_random(300, 700, seed=5, dtype=dtype),
    "negative": lambda dtype: graphs.hill(90, 200, 3, dtype),
}


@pytest.mark.parametrize(
    ("case", "dtype"),
    [*((case, "int32") for case in CASES), *(("negative", dtype) for dtype in graphs.DTYPES[1:])],
)
def test_the_metric_is_that_of_the_processor(device: Device, case: str, dtype: str) -> None:
    graph = CASES[case](dtype)
    hierarchy, right = customised(graph)
    found, _ = customise_on_device(graph, hierarchy, graph.distance_type, device)
    assert (found.is_symmetric, found.negative_cycle, found.guarded) == (
        right.is_symmetric,
        False,
        right.guarded,
    )
    assert found.is_symmetric == (case == "symmetric")
    np.testing.assert_array_equal(found.up, right.up)
    np.testing.assert_array_equal(found.down, right.down)


@pytest.mark.parametrize("name", graphs.NEGATIVE_CYCLES)
def test_negative_cycles_are_named(device: Device, name: str) -> None:
    graph, _ = graphs.with_negative_cycle(name, "int32")
    entry = find_variant("cch-batch-device")
    with pytest.raises(NegativeCycle):
        entry.solve(Problem(graph, None, None, entry.settle({"customise": "device"}), device))


def test_every_arc_with_a_farther_one_is_on_a_level_above_those_below() -> None:
    graph = CASES["symmetric"]("int32")
    hierarchy = hierarchy_by_degree(graph)
    levels = detour_levels(hierarchy)
    last = set((hierarchy.up_first[1:] - 1).tolist())
    assert sorted(levels.arcs.tolist()) == [a for a in range(hierarchy.arcs) if a not in last]
    level_of = {}
    for level, (first, count, _) in enumerate(levels.launches()):
        level_of.update(dict.fromkeys(levels.tails[first : first + count].tolist(), level))
    parent = hierarchy.tree.parent
    assert all(level_of[v] < level_of[p] for v in level_of if (p := int(parent[v])) in level_of)


@pytest.mark.parametrize("variant", ["cch-tree-device", "cch-batch-device"])
def test_variants_take_the_devices_metric(device: Device, variant: str) -> None:
    graph, entry = CASES["directed"]("int32"), find_variant(variant)
    source = 4 if variant == "cch-tree-device" else None
    solution = entry.solve(
        Problem(graph, source, None, entry.settle({"customise": "device"}), device)
    )
    assert f"customising on {device.name}" in solution.note
    right = graphs.right_matrix(graph)
    np.testing.assert_array_equal(
        to_float(solution.distances), right if source is None else right[source]
    )


def test_customising_is_cancelled(device: Device) -> None:
    graph = CASES["directed"]("int32")
    with pytest.raises(Cancelled):
        customise_on_device(
            graph, hierarchy_by_degree(graph), graph.weight_type, device, cancelled()
        )


def prepared(graph: Graph, progress: Progress) -> list[tuple[Any, ...]]:
    """Everything that is prepared, step by step."""
    found: list[tuple[Any, ...]] = []
    adjacency = adjacency_module.adjacency_of(graph, progress)
    found.append((adjacency.first, adjacency.neighbours))
    found.append((estimated_separator(adjacency, progress),))
    tree = elimination_tree_module.elimination_tree(
        adjacency, np.random.default_rng(1).permutation(graph.n).astype(np.int32), progress
    )
    found.append(tuple(getattr(tree, field.name) for field in fields(tree)))
    counts = elimination_tree_module.count_up_arcs(adjacency, tree, 1 << 40, progress)
    assert counts is not None
    hierarchy = supergraph.build_hierarchy(graph, adjacency, tree, counts, progress)
    found.append(
        tuple(getattr(hierarchy, field.name) for field in fields(hierarchy) if field.name != "tree")
    )
    return found


@pytest.mark.parametrize("directed", [True, False])
def test_small_slices_give_the_same(monkeypatch: pytest.MonkeyPatch, directed: bool) -> None:
    # with several components, loops and parallel arcs
    graph = at_random(700, 1_200, 5, directed=directed)
    looks: list[None] = []
    counting = Progress(CancelToken(lambda: looks.append(None)))
    whole, few = prepared(graph, counting), len(looks)
    for place in (elimination_tree_module, supergraph):
        monkeypatch.setattr(place, "_ROWS_A_LOOK", 64)
    monkeypatch.setattr(adjacency_module, "_STEPS_A_LOOK", 50)
    for place in (adjacency_module, supergraph):
        monkeypatch.setattr(place, "slices", lambda count, size=64: slices(count, size))

    sliced = prepared(graph, counting)

    for before, after in zip(whole, sliced, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert len(looks) - few > few + 10 * (700 // 64)


@pytest.mark.parametrize("steps", [7, 1 << 19])
@pytest.mark.parametrize("first", [True, False])
def test_the_largest_component_is_searched(
    monkeypatch: pytest.MonkeyPatch, steps: int, first: bool
) -> None:
    """A path beside a star: its separator is one vertex, wherever in the numbering the path is."""
    monkeypatch.setattr(adjacency_module, "_STEPS_A_LOOK", steps)
    path = [(v, v + 1, 1) for v in (range(300) if first else range(20, 320))]
    small = [(301, v, 1) for v in range(302, 320)] if first else [(0, v, 1) for v in range(1, 19)]
    graph = from_list(321, path + small, directed=False)
    adjacency = adjacency_module.adjacency_of(graph)

    assert estimated_separator(adjacency) == 1


def test_levels_of_the_search_are_those_of_scipy() -> None:
    graph = at_random(400, 900, 3, directed=False)
    adjacency = adjacency_module.adjacency_of(graph)
    level, queue = np.full(graph.n, -1, np.int32), np.empty(graph.n, np.int32)

    sizes = _largest_search(adjacency, level, queue, Progress())

    matrix = coo_array(
        (np.ones(graph.m), (graph.tails, graph.indices)), shape=(graph.n, graph.n)
    ).tocsr()
    labels = connected_components(matrix, directed=False)[1]
    assert sizes.sum() == np.bincount(labels).max()
    order, before = breadth_first_order(matrix, int(queue[0]), directed=False)
    depth = np.zeros(graph.n, int)
    for v in order[1:]:
        depth[v] = depth[before[v]] + 1
    assert sizes.tolist() == np.bincount(depth[order]).tolist()
