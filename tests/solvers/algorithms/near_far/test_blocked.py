"""Near-far by parts: however the graph is cut and the work is limited, the answer stays; the parts are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.algorithms.near_far import blocked
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.variant import find_variant
from solvers.devices.device import Device, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.graphs.generators import find as generator
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WEIGHT_TYPES, WeightType
from solvers.verification.verify import verify_sssp
from tests import graphs


def solve(
    graph: Graph, device: Device, source: int = 0, recorder: Recorder | None = None, **parameters: Any
) -> Solution:
    return blocked.solve(
        Problem(graph, source, None, find_variant("sssp-blocked").settle(parameters), device, recorder=recorder)
    )


@pytest.fixture(scope="module")
def roads() -> Graph:
    return generator("road").generate({"vertices": 20_000})


@pytest.mark.parametrize(("part", "block"), [(256, 256), (256, 64), (1_024, 512)])
@pytest.mark.parametrize("delta", [1, 100, 1e6])
@pytest.mark.parametrize("hops", [0, 1, 7])
def test_many_parts_settle_to_one_answer(
    device: Device, roads: Graph, part: int, block: int, delta: float, hops: int
) -> None:
    solution = solve(roads, device, 5_000, part=part, block=block, delta=delta, hops=hops)
    verdict = verify_sssp(roads, 5_000, solution.distances)
    assert verdict.verified, verdict.text


def test_a_wave_crosses_a_part_in_a_round(device: Device, roads: Graph) -> None:
    """That is what it is for: far fewer rounds than arcs on the deepest path, and than with one hop a round."""
    rounds = []
    for hops in (0, 1):
        recorder = TraceRecorder(roads.n)
        solve(roads, device, recorder=recorder, hops=hops)
        rounds.append(len(recorder.finish()))
    assert 5 * rounds[0] < rounds[1]


def test_a_long_run_is_cut_into_launches(device: Device, roads: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits when a launch ends is found again by the next."""
    right = solve(roads, device).distances
    for taken in (2, 3, 7):
        monkeypatch.setattr(blocked, "_ROUNDS_A_BATCH", taken)
        monkeypatch.setattr(blocked, "_TAKEN_A_LAUNCH", taken)
        np.testing.assert_array_equal(solve(roads, device).distances, right)


def test_the_graph_is_partitioned_once(device: Device, roads: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    first = solve(roads, device)

    def again(*_: Any) -> None:
        raise AssertionError("partitioned a second time")

    monkeypatch.setattr(blocked, "partition_graph", again)
    second = solve(roads, device, 7)
    assert "parts" in first.note
    assert "partitioned before" in second.note
    verdict = verify_sssp(roads, 7, second.distances)
    assert verdict.verified, verdict.text


def test_a_hub_with_more_arcs_than_a_part(device: Device) -> None:
    arcs = [(0, i, 1 + i % 9) for i in range(1, 9_000)] + [(i, i + 1, 1) for i in range(1, 8_999)]
    graph = graphs.from_list(9_000, arcs, "int32", name="a hub")
    np.testing.assert_array_equal(solve(graph, device).distances, graphs.right_distances(graph, 0))


def test_the_trace_counts_what_was_done(device: Device, roads: Graph) -> None:
    """A vertex is named once a round, however often it was relaxed; every arc is relaxed at least once in all."""
    recorder = TraceRecorder(roads.n)
    solution = solve(roads, device, recorder=recorder)
    trace = recorder.finish()
    for i in range(len(trace)):
        frontier = trace.frontier(i)
        assert len(set(frontier.tolist())) == len(frontier)
    reached = solution.distances < solution.distances.max() + 1
    assert trace.total_relaxed >= roads.out_degrees[reached].sum()
    assert trace.improved.sum() >= reached.sum() - 1


@pytest.mark.parametrize("kind", WEIGHT_TYPES.values(), ids=lambda kind: kind.name)
def test_the_kernel_lays_its_limits_out_as_the_host_does(device: Device, kind: WeightType, tmp_path: Path) -> None:
    """Size and offsets as the device's compiler has them, and the values as a kernel receives them."""
    folder = Path(blocked.__file__).parent
    fields = blocked._limits_type(kind).names
    assert fields is not None
    offsets = "".join(f"out[{i + 1}] = (char *)&limits.{name} - (char *)&limits;" for i, name in enumerate(fields))
    values = "".join(f"out[{i + 20}] = (index_t)limits.{name};" for i, name in enumerate(fields))
    probe = "KERNEL void probe(Limits limits, GLOBAL index_t *out) { out[0] = sizeof(Limits); %s %s }"
    file = tmp_path / "probe.cu"
    file.write_text((folder / "blocked.cu").read_text(encoding="utf-8") + probe % (offsets, values), encoding="utf-8")
    limits = np.zeros((), blocked._limits_type(kind))
    for i, name in enumerate(fields):
        limits[name] = 3 + i
    program = device.compile(KernelSource(file, tuple(sorted(distance_defines(kind).items()))))
    with device.session() as session:
        out = session.upload(np.zeros(40, np.int64))
        program.launch("probe", (1,), (1,), limits, out)
        found = session.download(out).tolist()
    table = limits.dtype.fields
    assert table is not None
    assert found[0] == limits.dtype.itemsize
    assert found[1 : len(fields) + 1] == [table[name][1] for name in fields]
    assert found[20 : 20 + len(fields)] == [3 + i for i in range(len(fields))]
