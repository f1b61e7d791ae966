"""Matrices in panels, over several GPUs and streamed from the host: right in every order that the marks allow."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall import blocked_gpus
from solvers.algorithms.floyd_warshall.matrix import TILE
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import MatrixRecorder
from solvers.core.trace import KernelLog
from solvers.core.variant import find_variant
from solvers.devices import gpu_group
from solvers.devices.device import devices_recorded, recording
from solvers.errors import Cancelled, OutOfMemory, ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs
from tests.solvers.algorithms.floyd_warshall.asynchronous_gpu import Gpu, Program, World, group_of

STREAMED, OVER_GPUS = "fw-blocked-streamed", "fw-blocked-gpus"


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Of 4 panels of 128 vertices, the last of which is not full."""
    return graphs.at_random(450, 1400, 5)


@pytest.fixture(scope="module")
def right(graph: Graph) -> np.ndarray:
    return graphs.right_matrix(graph)


def solve(
    monkeypatch: pytest.MonkeyPatch,
    variant_id: str,
    graph: Graph,
    world: World,
    here: int = 1,
    progress: Progress = SILENT,
    recorder: Recorder | None = None,
    **parameters: Any,
) -> Solution:
    """By a variant on a machine with so many GPUs."""
    devices = tuple(Gpu(world, number) for number in range(here))
    monkeypatch.setattr(blocked_gpus, "gpus_like", lambda device: devices)
    monkeypatch.setattr(blocked_gpus, "gpu_group", group_of)
    return find_variant(variant_id).solve(
        Problem(graph, None, None, parameters, devices[0], progress, recorder=recorder)
    )  # type: ignore[arg-type]


def expect(solution: Solution, right: np.ndarray) -> None:
    np.testing.assert_array_equal(to_float(solution.distances), right)


@pytest.mark.parametrize(("gpus", "panel", "seed"), [(1, 128, 1), (2, 128, 1), (2, 128, 2), (2, 256, 3), (6, 128, 4)])
def test_gpus_share_a_matrix(monkeypatch, graph, right, gpus, panel, seed):
    solution = solve(monkeypatch, OVER_GPUS, graph, World(Random(seed)), gpus, panel=panel)
    expect(solution, right)
    assert solution.iterations == -(-512 // panel)


@pytest.mark.parametrize(("panel", "seed"), [(128, 1), (128, 2), (256, 3), (256, 4)])
def test_a_matrix_is_streamed(monkeypatch, graph, right, panel, seed):
    expect(solve(monkeypatch, STREAMED, graph, World(Random(seed)), panel=panel), right)


@pytest.mark.parametrize(("variant_id", "gpus"), [(OVER_GPUS, 2), (STREAMED, 1)])
def test_some_order_shows_a_missing_wait(monkeypatch, graph, right, variant_id, gpus):
    """The queues of these tests find what they are for: without waits, answers are wrong."""
    world = World(Random(1), ignores_waits=True)
    found = solve(monkeypatch, variant_id, graph, world, gpus, panel=128)
    assert (to_float(found.distances) != right).any()


class CountingRecorder(MatrixRecorder):
    """Counts, block by block, the cells that the fake kernels of each phase read and write."""

    def __init__(self, n: int, monkeypatch: pytest.MonkeyPatch):
        super().__init__(n, pixels=n)
        self.cells: list[int] = []
        self._waiting = 0
        launch = Program.launch

        def counted(program: Program, kernel: str, grid: Any, block: Any, *arguments: Any) -> None:
            depth = int(arguments[-3]) if kernel == "multiply" else TILE
            tile, strips = TILE * TILE, 2 * TILE * depth
            a_block = {"close_pivot": 2 * tile, "copy_tiles": 2 * tile}.get(kernel, 2 * tile + strips)
            self._waiting += sum(a_block for _ in range(grid[0]) for _ in range(grid[1]))
            if kernel == "relax_rest" and int(arguments[-1]) < grid[0]:
                self._waiting += 2 * tile  # the next pivot tile is closed
            launch(program, kernel, grid, block, *arguments)

        monkeypatch.setattr(Program, "launch", counted)

    def matrix_step(self, *arguments: Any) -> None:
        self.cells.append(self._waiting)
        self._waiting = 0
        super().matrix_step(*arguments)


@pytest.mark.parametrize(("variant_id", "gpus"), [(OVER_GPUS, 2), (STREAMED, 1)])
def test_a_watched_run_reports_three_phases_a_step(monkeypatch, graph, right, variant_id, gpus):
    recorder = CountingRecorder(graph.n, monkeypatch)
    expect(
        solve(monkeypatch, variant_id, graph, World(Random(7)), gpus, recorder=recorder, panel=256, bits="full"), right
    )
    steps = recorder.finish().steps
    assert sum(step.relaxed for step in steps) == graph.n**3
    assert [step.requested_bytes for step in steps] == [4 * cells for cells in recorder.cells]
    panel = 256 * 512 * 4
    copies = {OVER_GPUS: [panel, None, None], STREAMED: [None, panel, 2 * panel]}[variant_id]
    first = panel if variant_id == STREAMED else copies[0]  # the first pivots are uploaded, all others stay
    assert [step.copied_bytes for step in steps] == [first, *copies[1:], *copies]
    assert [(step.step, step.phase) for step in steps] == [(s, p) for s in range(2) for p in (1, 2, 3)]
    written = np.zeros((graph.n, graph.n), int)
    for row0, row1, column0, column1 in np.concatenate([step.tiles for step in steps[:3]]):
        written[row0:row1, column0:column1] += 1
    assert (written == 1).all(), "a step writes every cell once"
    np.testing.assert_array_equal(steps[-1].snapshot, right.astype(np.float32))


def test_all_gpus_of_a_traced_run_are_recorded(monkeypatch):
    """The launches and the bandwidth of the first alone would be compared with the bytes of all."""
    gpus = [Gpu(World(Random(1)), number) for number in range(3)]
    monkeypatch.setattr(gpu_group, "discover", lambda: SimpleNamespace(devices=gpus))
    monkeypatch.setattr(Program, "launch", lambda *_, **__: None)
    log = KernelLog("Fake Ninety", is_cpu=False)
    found = gpu_group.gpus_like(recording(gpus[0], log.launched))  # type: ignore[arg-type]
    assert [device.key for device in found] == ["cuda:0", "cuda:1", "cuda:2"]
    for device in found[:2]:
        device.compile(None).launch("copy_tiles", (2, 1), (256, 1))  # type: ignore[arg-type]
    (launched,) = log.take()
    assert (launched.launches, launched.blocks) == (2, 4)
    assert devices_recorded(found[0]) == tuple(gpus[:2])
    assert gpu_group.gpus_like(gpus[1]) == (gpus[1], gpus[0], gpus[2])  # type: ignore[arg-type]


@pytest.mark.parametrize("variant_id", [OVER_GPUS, STREAMED])
def test_a_cancelled_run_ends(monkeypatch, graph, variant_id):
    token = CancelToken()
    progress = Progress(token, lambda done, total: token.cancel() if done else None)
    with pytest.raises(Cancelled):
        solve(monkeypatch, variant_id, graph, World(Random(1)), progress=progress, panel=128)


def test_more_gpus_than_there_are(monkeypatch, graph):
    with pytest.raises(ParameterError, match="this machine has 2 GPUs of the kind Fake Ninety"):
        solve(monkeypatch, OVER_GPUS, graph, World(Random(1)), 2, gpus=3)


def test_memory_that_does_not_suffice(monkeypatch, graph):
    for variant_id in (OVER_GPUS, STREAMED):
        with pytest.raises(OutOfMemory, match=f"{variant_id}: .* Fake Ninety has"):
            solve(monkeypatch, variant_id, graph, World(Random(1)), panel=128, device_gb=1e-4)


def test_panels_are_as_high_as_memory_allows(monkeypatch, graph, right):
    solution = solve(monkeypatch, STREAMED, graph, World(Random(4)), device_gb=0.0016)
    assert solution.iterations == 4, "128 rows fit, 256 do not"
    expect(solution, right)
