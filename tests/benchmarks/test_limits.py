"""Limits are counted from the graph and the chip; here by hand, on graphs and a chip
with round figures.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import FLOAT32, INT32
from tests import graphs
from tests.benchmarks import ceilings
from tests.benchmarks.ceilings import Chip, lines, measure
from tests.benchmarks.limits import (
    COUNTED,
    Facts,
    Work,
    chip_of,
    fewest_steps,
    limit,
    limits_of,
    reach_of,
    reach_of_all,
)
from tests.kernels import compile_for_cuda

CHIP = Chip(
    name="round",
    multiprocessors=100,
    copy_bytes_per_s=4.3e12,
    l2_bytes=60e6,
    l2_bytes_per_s=5e12,
    look_ups_per_s=1e11,
    l2_read_us=0.2,
    l2_atomic_us=0.3,
    shared_read_us=0.02,
    shared_atomic_us=0.03,
    block_barrier_us=0.01,
    relaxations_32=16.4e12,
    relaxations_16=32.5e12,
    shared_words_per_s=8.36e12,
    grid_barrier_us=1.0,
    launch_us=0.86,
)


def chain(n: int) -> Graph:
    """A path of n vertices, and a heavy arc past all of it, which no shortest path takes."""
    arcs = [(v, v + 1, 1.0) for v in range(n - 1)] + [(0, n - 1, 10.0 * n)]
    return graphs.from_list(n, arcs)


def nothing(n: int, *, weight: int = 1) -> Graph:
    """n vertices and one arc; the matrix need not exist for its size to count."""
    return graphs.from_list(n, [(0, 1, weight)])


def test_the_greatest_binds_and_unknown_ceilings_are_left_out() -> None:
    found = limit(Work(memory_bytes=4.3e9, relaxations_32=32.8e9, chain_us=1500.0), CHIP)
    assert found.parts == {
        "memory": pytest.approx(1.0),
        "arithmetic": pytest.approx(2.0),
        "latency": 1.5,
    }
    assert (found.ms, found.binds) == (pytest.approx(2.0), "arithmetic")


def test_what_one_source_must_do() -> None:
    graph = chain(50)
    reach = reach_of(graph, 0, np.arange(50, dtype=np.int32))
    assert (reach.vertices, reach.arcs, reach.hops) == (50, 50, 49)
    unreached = np.array([INT32.infinity] * 49 + [0], dtype=np.int32)
    reach = reach_of(graph, 49, unreached)
    assert (reach.vertices, reach.arcs, reach.hops) == (1, 0, 0)


def test_of_two_shortest_paths_the_one_with_fewer_hops_counts() -> None:
    graph = graphs.from_list(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 3, 3)])
    assert reach_of(graph, 0, np.array([0, 1, 2, 3], dtype=np.int32)).hops == 2


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_hops_by_brute_force(dtype: type) -> None:
    graph = graphs.at_random(60, 200, seed=5, dtype=dtype, low=1)
    lengths = graphs.right_distances(graph, 0)
    infinity = (INT32 if dtype is np.int32 else FLOAT32).infinity
    distances = np.where(np.isinf(lengths), infinity, lengths).astype(dtype)
    hops = np.where(np.arange(60) == 0, 0.0, np.inf)
    tight = np.isclose(lengths[graph.tails] + graph.weights, lengths[graph.indices])
    for _ in range(60):
        np.minimum.at(hops, graph.indices[tight], hops[graph.tails[tight]] + 1)
    assert reach_of(graph, 0, distances).hops == hops[np.isfinite(hops)].max()


def test_steps_from_part_to_part() -> None:
    graph, distances = chain(50), np.arange(50, dtype=np.int32)
    assert fewest_steps(graph, 0, distances, np.arange(50, dtype=np.int32) // 10) == 4
    assert fewest_steps(graph, 0, distances, np.zeros(50, dtype=np.int32)) == 0
    # Vertex 3 is two parts away through 1, but its own part is entered at 2 in the first step.
    detour = graphs.from_list(4, [(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1)])
    parts = np.array([0, 1, 2, 2], dtype=np.int32)
    assert fewest_steps(detour, 0, np.array([0, 1, 1, 2], dtype=np.int32), parts) == 1


def test_what_all_pairs_must_do() -> None:
    graph = chain(40)
    matrix = np.where(
        np.isinf(graphs.right_matrix(graph)), INT32.infinity, graphs.right_matrix(graph)
    ).astype(np.int32)
    reach = reach_of_all(graph, matrix)
    assert reach.vertices == 40 * 41 // 2
    # a row's arcs, and the heavy one
    assert reach.arcs == sum(40 - source - 1 for source in range(1, 40)) + 40
    assert reach.hops == sum(range(40))


@pytest.mark.parametrize(
    ("name", "weight", "binds", "ms"),
    [
        ("fw-blocked", 1, "arithmetic", 39.6),  # with 16 bits; the README's figures for an H200
        ("fw-blocked", 20_000, "arithmetic", 78.4),
        ("fw-tiled-shared", 1, "shared memory", 1.25 * 10_876**3 / 8.36e9),
    ],
)
def test_what_holds_floyd_warshall(name: str, weight: int, binds: str, ms: float) -> None:
    found = limits_of([name], nothing(10_876, weight=weight), None, np.empty(0), CHIP)[name]
    assert (found.binds, found.ms) == (binds, pytest.approx(ms, rel=2e-3))


def test_a_long_road_is_held_by_latency() -> None:
    graph, distances = chain(1000), np.arange(1000, dtype=np.int32)
    found = limits_of(tuple(COUNTED), graph, 0, distances, CHIP)
    for name in ("sssp-near-far", "sssp-near-far-cluster", "bf-strided-flag", "sssp-blocked"):
        assert found[name].binds == "latency", name
    assert found["sssp-near-far-cluster"].ms == pytest.approx(
        999 * (0.2 + 0.3 + 0.02 + 0.03 + 0.02) / 1e3
    )
    assert found["bf-strided-flag"].ms == pytest.approx(1000 * 2 * 0.86 / 1e3)
    assert found["sssp-blocked"].ms < found["sssp-near-far-cluster"].ms < found["sssp-near-far"].ms


def test_steps_from_part_to_part_count_once_the_graph_is_cut() -> None:
    from solvers.algorithms.near_far.partition import partition_graph

    graph, distances = chain(1000), np.arange(1000, dtype=np.int32)
    before = limits_of(["sssp-blocked"], graph, 0, distances, CHIP)["sssp-blocked"].ms
    graph.cached(("partition", 100, 1000), lambda: partition_graph(graph, 100, 1000))
    after = limits_of(["sssp-blocked"], graph, 0, distances, CHIP)["sssp-blocked"].ms
    # into each of nine more parts, and back into the first, where the heavy arc had put
    # the last vertex
    steps = 10
    assert after == pytest.approx(before + steps * (3 * 0.2 + 0.3) / 1e3)


def test_a_sweep_past_the_cache_costs_memory() -> None:
    small, large = (
        Facts(nothing(1000), 0, np.zeros(1000)),
        Facts(nothing(8_000_000), 0, np.zeros(0)),
    )
    small.__dict__["reach"] = large.__dict__["reach"] = reach_of(
        chain(100), 0, np.arange(100, dtype=np.int32)
    )
    passes, swept = 100, 8_000_000 * 9.0
    assert COUNTED["bf-strided-flag"](small, CHIP).memory_bytes < 1e5
    assert COUNTED["bf-strided-flag"](large, CHIP).memory_bytes > swept + (passes - 1) * (
        swept - 60e6
    )


def test_only_variants_that_exist_are_counted() -> None:
    for name in COUNTED:
        assert find_variant(name).runs_on.needs_device


def test_a_processor_has_no_limits(device: Device) -> None:
    assert (chip_of(device) is None) == device.is_cpu
    assert chip_of(None) is None


def test_every_ceiling_is_measured(device: Device) -> None:
    chip = measure(device)
    for _, figure in lines(chip):
        assert figure
    assert chip.l2_read_us > 0
    assert chip.copy_bytes_per_s > 0
    assert chip.look_ups_per_s > 0


def test_the_ring_is_one_cycle() -> None:
    ring = ceilings._ring(1024, 8)
    at, seen = 0, []
    for _ in range(1024):
        seen.append(at)
        at = int(ring[at])
    assert at == 0
    assert len(set(seen)) == 1024
    assert all(place % 8 == 0 for place in seen)


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_the_kernels_compile_for_gpus(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    monkeypatch.setattr("tests.kernels.kernel_id", lambda path: path.name)
    assert compile_for_cuda(Path(ceilings.__file__).with_suffix(".cu"), INT32, architecture) == ""
