"""Customising on a device gives the metric of the processor, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.algorithms.hierarchy.adjacency import adjacency_of, minimum_degree_order
from solvers.algorithms.hierarchy.device_customise import customise_on_device, detour_levels
from solvers.algorithms.hierarchy.metric import customise
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, NegativeCycle
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from solvers.system.openmp import team
from tests import graphs
from tests.solvers.algorithms.hierarchy.reference import hierarchy_by

CASES = {
    "symmetric": lambda dtype: graphs.at_random(300, 420, seed=8, dtype=dtype, directed=False),
    "directed": lambda dtype: graphs.at_random(300, 700, seed=5, dtype=dtype),
    "negative": lambda dtype: graphs.hill(90, 200, 3, dtype),
}


@pytest.mark.parametrize(
    ("case", "dtype"), [*((case, "int32") for case in CASES), *(("negative", dtype) for dtype in graphs.DTYPES[1:])]
)
def test_the_metric_is_that_of_the_processor(device: Device, case: str, dtype: str) -> None:
    graph = CASES[case](dtype)
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    with team(1, "test"):
        right = customise(hierarchy, graph.weights, graph.weight_type, 1)
    found, _ = customise_on_device(graph, hierarchy, graph.weight_type, device)
    assert (found.is_symmetric, found.negative_cycle, found.guarded) == (
        right.is_symmetric, False, right.guarded,
    )  # fmt: skip
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
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
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
    solution = entry.solve(Problem(graph, source, None, entry.settle({"customise": "device"}), device))
    assert f"customising on {device.name}" in solution.note
    right = graphs.right_matrix(graph)
    np.testing.assert_array_equal(to_float(solution.distances), right if source is None else right[source])


def test_customising_is_cancelled(device: Device) -> None:
    graph, token = CASES["directed"]("int32"), CancelToken()
    hierarchy = hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))
    token.cancel()
    with pytest.raises(Cancelled):
        customise_on_device(graph, hierarchy, graph.weight_type, device, Progress(token))
