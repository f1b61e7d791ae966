"""Floyd-Warshall: the matrix, the steps of every variant, panels of several GPUs, and
negative cycles.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers.algorithms.floyd_warshall import blocked_gpus, on_device, serial
from solvers.algorithms.floyd_warshall import matrix as matrix_module
from solvers.algorithms.floyd_warshall.matrix import (
    INT16,
    TILE,
    as_distances,
    cycle_tolerance,
    due_steps,
    matrix_bytes,
    negative_cycle,
    padded,
    start_matrix,
    without_padding,
)
from solvers.algorithms.floyd_warshall.on_device import OnDevice, bands
from solvers.algorithms.floyd_warshall.tiles import other_tiles, pivot_cross, pivot_tile
from solvers.core.availability import availability
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import MatrixRecorder
from solvers.core.trace import MOST_MATRICES, KernelLog
from solvers.core.variant import find_variant
from solvers.devices import cuda, gpu_group
from solvers.devices.device import devices_recorded, recording
from solvers.errors import Cancelled, NegativeCycle, OutOfMemory, ParameterError, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32, INT64, WeightType, to_float
from solvers.system import machine
from solvers.system.cancel import SILENT, CancelToken, Progress
from solvers.verification.verify import verify_cycle
from tests import graphs
from tests.solvers.algorithms.floyd_warshall.asynchronous_gpu import Gpu, Program, World, group_of
from tests.weight_types import skip_where_not_tested


def test_the_padded_size_is_the_next_multiple():
    assert [padded(n, 32) for n in (0, 1, 31, 32, 33)] == [0, 32, 32, 32, 64]


@pytest.mark.parametrize("name", ["parallel arcs", "self-loops", "zero weights", "no arcs"])
def test_the_start_is_the_graphs_own_matrix(name):
    graph = graphs.by_hand(name)
    np.testing.assert_array_equal(start_matrix(graph, INT32), graph.matrix())


def test_padding_is_vertices_that_no_arc_touches():
    graph = graphs.by_hand("a grid")
    matrix = start_matrix(graph, INT64, 16)
    assert matrix.shape == (32, 32)
    np.testing.assert_array_equal(matrix[:25, :25], graph.matrix(INT64))
    assert (matrix[25:] == INT64.infinity).all()
    assert (matrix[:, 25:] == INT64.infinity).all()


def test_padding_comes_off_in_place():
    matrix = np.arange(64, dtype=np.int32).reshape(8, 8)
    expected = matrix[:5, :5].copy()
    inner = without_padding(matrix, 5)
    np.testing.assert_array_equal(inner, expected)
    assert inner.flags.c_contiguous
    assert np.shares_memory(inner, matrix)
    assert without_padding(matrix, 8) is matrix


def test_cancel_is_looked_for_between_bands_of_rows(monkeypatch):
    """Whole, a matrix of 5 GB left Cancel waiting for a second before the first step
    and for another after the last.
    """
    monkeypatch.setattr("solvers.system.threads.cores", lambda: 1)
    monkeypatch.setattr("solvers.graphs.csr._CELLS", 4 * 32)
    graph = graphs.by_hand("a grid")
    looks = []
    watcher = Progress(CancelToken(lambda: looks.append(None)))
    matrix = start_matrix(graph, INT32, 16, watcher)
    assert len(looks) == 8
    np.testing.assert_array_equal(matrix, start_matrix(graph, INT32, 16))

    looks.clear()
    np.testing.assert_array_equal(without_padding(matrix, graph.n, watcher), graph.matrix())
    assert len(looks) == 5


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-loop", "fw-omp-tiled"])
def test_cancel_stops_the_building_of_the_matrix(variant_id, monkeypatch):
    entry, graph = find_variant(variant_id), graphs.by_hand("a grid")
    if not availability(entry, None, None).available:
        pytest.skip("it cannot run here")
    token, scattered = CancelToken(), []

    def scatter(*arguments):
        scattered.append(arguments[3])
        token.cancel()

    monkeypatch.setattr("solvers.system.threads.cores", lambda: 1)
    monkeypatch.setattr("solvers.graphs.csr._CELLS", graph.n)
    monkeypatch.setattr(matrix_module, "_scatter", scatter)
    with pytest.raises(Cancelled):
        entry.solve(Problem(graph, None, None, entry.settle({}), None, Progress(token)))
    assert scattered == [0], "not a row more"


def test_the_bytes_are_of_the_type_it_is_solved_in():
    assert matrix_bytes(graphs.by_hand("a grid")) == 25 * 25 * 4
    assert matrix_bytes(graphs.by_hand("a grid"), 32) == 32 * 32 * 4
    assert matrix_bytes(graphs.by_hand("heavy")) == 40 * 40 * 8, "int32 weights, widened"
    assert matrix_bytes(graphs.by_hand("a grid", "float32")) == 25 * 25 * 4


def test_what_does_not_fit_is_refused_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(2**30, 5_000))
    graph = graphs.by_hand("heavy")
    with pytest.raises(
        OutOfMemory, match=r"40 x 40 distance matrix needs 6.4 kB; this machine has 5 kB free"
    ):
        start_matrix(graph, INT32)
    machine.require_memory("A little", 5_000)


def test_a_machine_that_does_not_tell_is_not_asked_again(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(0, 0))
    machine.require_memory("Anything", 10**15)


def test_snapshots_are_few_and_end_with_the_answer():
    assert due_steps(10, 100) == frozenset(range(10))
    many = due_steps(10_876, 473_000_000)
    assert max(many) == 10_875
    assert len(many) == 16
    assert len(due_steps(10_876, 1000)) == 64
    assert len(due_steps(40_000, 6_400_000_000)) == 8
    assert due_steps(0, 0) == frozenset()


def padded_cells(kind: WeightType) -> np.ndarray:
    """A 4 x 4 matrix of which 3 x 3 are cells: 7, infinity and what is just below it."""
    cells = np.full((4, 4), 7, kind.dtype)
    cells[0, 1], cells[2, 2] = kind.infinity, kind.infinity - 1
    return cells


@pytest.mark.parametrize("rows_at_a_time", [1, 2, 100])
def test_narrow_cells_are_widened(rows_at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.graphs.csr._CELLS", 3 * rows_at_a_time)
    cells, graph = padded_cells(INT16), graphs.by_hand("a path")
    distances = as_distances(cells[:3, :3], INT16, INT32, graph)
    assert distances.dtype == np.int32
    assert not np.may_share_memory(distances, cells)
    np.testing.assert_array_equal(
        distances, [[7, INT32.infinity, 7], [7, 7, 7], [7, 7, INT16.infinity - 1]]
    )


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_infinity_lowered_by_a_negative_length_is_infinity_again(kind: WeightType) -> None:
    """It stays above every length that there is; cells of the right type keep their memory."""
    cells, graph = padded_cells(kind), graphs.by_hand("a negative arc")
    cells[1, 1] = kind.infinity - int(graph.path_bound)
    distances = as_distances(cells[:3, :3], kind, INT32, graph)
    far = INT32.infinity
    np.testing.assert_array_equal(distances, [[7, far, 7], [7, far, 7], [7, 7, far]])
    assert np.may_share_memory(distances, cells) == (kind is INT32)


def test_cells_that_are_distances_are_not_touched() -> None:
    cells, graph = padded_cells(INT32), graphs.by_hand("a path")
    distances = as_distances(cells[:3, :3], INT32, INT32, graph)
    assert np.may_share_memory(distances, cells)
    assert without_padding(cells, 3)[2, 2] == INT32.infinity - 1


ON_DEVICE = (
    "fw-cell",
    "fw-cell-loop",
    "fw-cell-shared",
    "fw-vertex",
    "fw-tiled-global",
    "fw-tiled-shared",
)


def solve(variant_id, graph, device=None, progress=SILENT, recorder=None, **parameters):
    entry = find_variant(variant_id)
    return entry.solve(
        Problem(graph, None, None, entry.settle(parameters), device, progress, recorder=recorder)
    )


def cells_of(tiles, n):
    """How often each cell of an (n, n) matrix is named by the ranges."""
    named = np.zeros((n, n), dtype=int)
    for row0, row1, column0, column1 in tiles:
        named[row0:row1, column0:column1] += 1
    return named


@pytest.mark.parametrize("step", [0, 1, 3])
def test_the_phases_write_every_cell_once(step):
    n, tile = 32, 8
    phases = [pivot_tile(step, tile), pivot_cross(step, tile, 4), other_tiles(step, tile, 4)]
    counts = [cells_of(tiles, n) for tiles in phases]
    assert (sum(counts) == 1).all()
    assert [int(count.sum()) for count in counts] == [64, 2 * 3 * 64, 9 * 64]


def test_a_single_tile_has_neither_cross_nor_rest():
    assert len(pivot_cross(0, 8, 1)) == len(other_tiles(0, 8, 1)) == 0


@pytest.mark.parametrize("variant_id", ["fw-omp-tiled", "fw-tiled-shared"])
@pytest.mark.parametrize(("n", "tile"), [(50, 16), (MOST_MATRICES + 1, 32)])
def test_a_tiled_step_shows_its_three_phases(variant_id, n, tile, device):
    graph = graphs.at_random(n, 300, seed=4)
    recorder = MatrixRecorder(graph.n)
    on = device if variant_id == "fw-tiled-shared" else None
    solution = solve(variant_id, graph, on, recorder=recorder, tile=tile)
    steps = recorder.finish().steps
    assert solution.iterations == 4
    assert [(step.step, step.phase) for step in steps] == [
        (s, p) for s in range(4) for p in (1, 2, 3)
    ]
    for s in range(4):
        written = sum(cells_of(step.tiles, n) for step in steps[3 * s : 3 * s + 3])
        assert (written == 1).all(), "clipped to the matrix: padding is not shown"
    small = n <= MOST_MATRICES  # whose lesson has the matrix after every phase
    assert all((step.snapshot is not None) == (small or step.phase == 3) for step in steps)


def test_snapshots_only_ever_fall():
    graph = graphs.at_random(40, 200, seed=4)
    recorder = MatrixRecorder(graph.n)
    solve("fw-serial", graph, recorder=recorder)
    shown = [step.snapshot for step in recorder.finish().steps if step.snapshot is not None]
    assert len(shown) == 40
    for before, after in pairwise(shown):
        assert (after <= before).all()


class _Processor:
    is_cpu = True


class _Graphics:
    is_cpu = False


def test_only_processors_cut_a_launch_into_bands(monkeypatch):
    monkeypatch.setattr(on_device, "_BAND_WORK", 1000)
    processor, graphics = (OnDevice(kind(), None, 64, None, 0) for kind in (_Processor, _Graphics))
    assert list(bands(processor, 10, 300)) == [(0, 3), (3, 3), (6, 3), (9, 1)]
    assert list(bands(processor, 3, 10**6)) == [(0, 1), (1, 1), (2, 1)]
    assert list(bands(graphics, 10, 300)) == [(0, 10)]


def test_no_grid_is_taller_than_cuda_allows():
    graphics = OnDevice(_Graphics(), None, 140_000, None, 0)
    assert list(bands(graphics, 140_000, 140_000)) == [
        (0, 65_535),
        (65_535, 65_535),
        (131_070, 8_930),
    ]


def test_cancel_is_heard_between_the_bands_of_one_step(device, monkeypatch):
    """On a processor one step of a large matrix takes longer than Cancel may wait."""
    if not device.is_cpu:
        pytest.skip("a GPU takes a step whole")
    monkeypatch.setattr(on_device, "_BAND_WORK", 1)
    looks, told = [], []

    def look():
        looks.append(len(told))
        if len(looks) == 6:
            raise Cancelled

    progress = Progress(CancelToken(look), lambda done, total: told.append(done))
    with pytest.raises(Cancelled):
        solve("fw-cell-loop", graphs.at_random(50, 200, seed=4), device, progress)
    assert looks == [0, 0, 1, 1, 1, 1], "the matrix is built; then four bands into the first step"
    assert told == [0]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 31, 64, 65])
def test_rows_that_are_no_multiple_of_what_a_thread_fetches(n, device):
    graph = graphs.at_random(n, 3 * n, seed=n)
    distances = solve("fw-vertex", graph, device, block=32).distances
    np.testing.assert_array_equal(to_float(distances), graphs.right_matrix(graph))


@pytest.mark.parametrize("variant_id", ON_DEVICE)
def test_bands_change_nothing(variant_id, device, monkeypatch):
    monkeypatch.setattr(on_device, "_BAND_WORK", 1)
    graph = graphs.at_random(90, 400, seed=4)
    np.testing.assert_array_equal(
        solve(variant_id, graph, device).distances, graphs.right_matrix(graph)
    )


def test_rows_in_bands_change_nothing(monkeypatch):
    monkeypatch.setattr(serial, "_BAND_CELLS", 700)
    graph = graphs.at_random(90, 400, seed=4)
    np.testing.assert_array_equal(solve("fw-serial", graph).distances, graphs.right_matrix(graph))


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-loop", *ON_DEVICE])
def test_cancel_is_heard_on_the_way(variant_id, device):
    token = CancelToken()
    heard = []

    def cancel_after_three(done, total):
        heard.append(done / total)
        if len(heard) == 3:
            token.cancel()

    entry = find_variant(variant_id)
    with pytest.raises(Cancelled):
        solve(
            variant_id,
            graphs.at_random(400, 1600, seed=4),
            device if entry.runs_on.needs_device else None,
            Progress(token, cancel_after_three),
        )
    assert heard == sorted(heard)
    assert len(heard) == 3
    assert heard[-1] < 1


@pytest.mark.parametrize("variant_id", ON_DEVICE)
@pytest.mark.parametrize("most_of_arcs", [0.0, 1e9])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_the_matrix_is_filled_alike_on_host_and_device(
    variant_id, most_of_arcs, dtype, device, monkeypatch
):
    """Parallel arcs, loops, a negative arc, vertices that nothing reaches, and an
    answer of several pieces.
    """
    monkeypatch.setattr(on_device, "_MOST_OF_ARCS", most_of_arcs)
    monkeypatch.setattr(on_device, "_BUFFER_BYTES", 1000)
    rng = np.random.default_rng(7)
    tails, heads = rng.integers(0, 60, (2, 300))
    weights = rng.integers(1, 90, 300).astype(dtype)
    tails, heads = np.append(tails, [3, 3, 61]), np.append(heads, [4, 4, 62])
    graph = Graph.from_arcs(70, tails, heads, np.append(weights, np.array([7, 5, -2], dtype)))
    np.testing.assert_array_equal(
        to_float(solve(variant_id, graph, device).distances),
        to_float(solve("fw-serial", graph).distances),
    )


@pytest.mark.parametrize("variant_id", ON_DEVICE)
def test_a_device_too_small_refuses_before_it_is_filled(variant_id, device, monkeypatch):
    monkeypatch.setattr(type(device), "free_bytes", lambda self: 10_000)
    monkeypatch.setattr(cuda, "_POOLED_BYTES", -1)
    with pytest.raises(OutOfMemory, match="10 kB free"):
        solve(variant_id, graphs.at_random(60, 200, seed=4), device)


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-loop", "fw-omp-tiled", *ON_DEVICE])
def test_work_and_memory_are_counted(variant_id, device):
    graph = graphs.at_random(40, 100, seed=4)
    entry = find_variant(variant_id)
    solution = solve(variant_id, graph, device if entry.runs_on.needs_device else None)
    assert solution.relaxations == 40**3
    if entry.runs_on.needs_device:
        rows_of_the_answer = 40 * 40 * 4
        assert 40 * 40 * 4 <= solution.peak_device_bytes <= 64 * 64 * 4 + 4 + rows_of_the_answer
        assert entry.memory(graph) >= 40 * 40 * 4


STREAMED, OVER_GPUS = "fw-blocked-streamed", "fw-blocked-gpus"


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Of 4 panels of 128 vertices, the last of which is not full."""
    return graphs.at_random(450, 1400, 5)


@pytest.fixture(scope="module")
def right(graph: Graph) -> np.ndarray:
    return graphs.right_matrix(graph)


def solve_in_panels(
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
    )


def expect(solution: Solution, right: np.ndarray) -> None:
    np.testing.assert_array_equal(to_float(solution.distances), right)


@pytest.mark.parametrize(
    ("gpus", "panel", "seed"), [(1, 128, 1), (2, 128, 1), (2, 128, 2), (2, 256, 3), (6, 128, 4)]
)
def test_gpus_share_a_matrix(monkeypatch, graph, right, gpus, panel, seed):
    solution = solve_in_panels(
        monkeypatch, OVER_GPUS, graph, World(Random(seed)), gpus, panel=panel
    )
    expect(solution, right)
    assert solution.iterations == -(-512 // panel)


@pytest.mark.parametrize(("panel", "seed"), [(128, 1), (128, 2), (256, 3), (256, 4)])
def test_a_matrix_is_streamed(monkeypatch, graph, right, panel, seed):
    expect(solve_in_panels(monkeypatch, STREAMED, graph, World(Random(seed)), panel=panel), right)


@pytest.mark.parametrize(("variant_id", "gpus"), [(OVER_GPUS, 2), (STREAMED, 1)])
def test_some_order_shows_a_missing_wait(monkeypatch, graph, right, variant_id, gpus):
    """The queues of these tests find what they are for: without waits, answers are wrong."""
    world = World(Random(1), ignores_waits=True)
    found = solve_in_panels(monkeypatch, variant_id, graph, world, gpus, panel=128)
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
            a_block = {"close_pivot": 2 * tile, "copy_tiles": 2 * tile}.get(
                kernel, 2 * tile + strips
            )
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
        solve_in_panels(
            monkeypatch,
            variant_id,
            graph,
            World(Random(7)),
            gpus,
            recorder=recorder,
            panel=256,
            bits="full",
        ),
        right,
    )
    steps = recorder.finish().steps
    assert sum(step.relaxed for step in steps) == graph.n**3
    assert [step.requested_bytes for step in steps] == [4 * cells for cells in recorder.cells]
    panel = 256 * 512 * 4
    copies = {OVER_GPUS: [panel, None, None], STREAMED: [None, panel, 2 * panel]}[variant_id]
    # the first pivots are uploaded, all others stay
    first = panel if variant_id == STREAMED else copies[0]
    assert [step.copied_bytes for step in steps] == [first, *copies[1:], *copies]
    assert [(step.step, step.phase) for step in steps] == [
        (s, p) for s in range(2) for p in (1, 2, 3)
    ]
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
        solve_in_panels(
            monkeypatch, variant_id, graph, World(Random(1)), progress=progress, panel=128
        )


def test_more_gpus_than_there_are(monkeypatch, graph):
    with pytest.raises(ParameterError, match="this machine has 2 GPUs of the kind Fake Ninety"):
        solve_in_panels(monkeypatch, OVER_GPUS, graph, World(Random(1)), 2, gpus=3)


def test_memory_that_does_not_suffice(monkeypatch, graph):
    for variant_id in (OVER_GPUS, STREAMED):
        with pytest.raises(OutOfMemory, match=f"{variant_id}: .* Fake Ninety has"):
            solve_in_panels(
                monkeypatch, variant_id, graph, World(Random(1)), panel=128, device_gb=1e-4
            )


def test_panels_are_as_high_as_memory_allows(monkeypatch, graph, right):
    solution = solve_in_panels(monkeypatch, STREAMED, graph, World(Random(4)), device_gb=0.0016)
    assert solution.iterations == 4, "128 rows fit, 256 do not"
    expect(solution, right)


VARIANTS = ("fw-serial", "fw-omp-loop", "fw-omp-tiled", *ON_DEVICE)


def solve_with_cycles(variant_id, graph, device):
    parameters = {"tile": 16} if variant_id == "fw-omp-tiled" else {}
    return solve(
        variant_id,
        graph,
        device if find_variant(variant_id).runs_on.needs_device else None,
        **parameters,
    )


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_where_everything_is_negative_nothing_wraps(variant_id, dtype, device):
    """A complete graph of -1s: in a hundred steps without a stop its cells would reach
    -(2^100), and wrap round.
    """
    n = 100
    arcs = [(u, v, -1) for u in range(n) for v in range(n) if u != v]
    graph = graphs.from_list(n, arcs, dtype)
    with pytest.raises(NegativeCycle) as found:
        solve_with_cycles(variant_id, graph, device)
    assert verify_cycle(graph, found.value.vertices).verified
    assert found.value.iterations <= 32, (
        "seen at once: in the first step, or the first tile of steps"
    )


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("position", [0, 15, 16, 31, 32, 40, 69])
def test_a_cycle_is_found_wherever_it_lies(variant_id, position, device):
    """In the pivot's tile, in the tiles of its row and column, or past them; 70
    vertices are three tiles of 32.
    """
    n = 70
    other = (position + 35) % n
    arcs = [(i, i + 1, 3) for i in range(n - 1)] + [(position, other, -4), (other, position, 3)]
    graph = graphs.from_list(n, arcs)
    with pytest.raises(NegativeCycle) as found:
        solve_with_cycles(variant_id, graph, device)
    assert set(found.value.vertices) >= {position, other}
    assert verify_cycle(graph, found.value.vertices).verified


@pytest.mark.parametrize("variant_id", VARIANTS)
def test_heavy_arcs_round_a_negative_cycle_do_not_wrap(variant_id, device):
    """Weights near the edge of int32, where one sum too many would come out positive."""
    n = 40
    arcs = [(i, (i + 1) % n, -26_000_000) for i in range(n)]
    graph = graphs.from_list(n, arcs)
    assert Problem(graph, None).distance_type.name == "int32"
    with pytest.raises(NegativeCycle) as found:
        solve_with_cycles(variant_id, graph, device)
    assert found.value.weight == -26_000_000 * n


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_cycle_negative_by_rounding_alone_is_none(variant_id, dtype, device):
    """0.3 - 0.1 - 0.2 is below zero in binary. Left on the diagonal it would double
    with every pivot that it meets.
    """
    skip_where_not_tested(dtype)
    n = 60
    arcs = [
        (3 * i + j, 3 * i + (j + 1) % 3, w)
        for i in range(n // 3)
        for j, w in enumerate((0.3, -0.1, -0.2))
    ]
    arcs += [(i, (i + 3) % n, 1.0) for i in range(n)]
    graph = graphs.from_list(n, arcs, dtype)
    weights = np.array([0.3, -0.1, -0.2], dtype=dtype)
    assert (weights[0] + weights[1]) + weights[2] < 0 or dtype == "float32"
    distances = to_float(solve_with_cycles(variant_id, graph, device).distances)
    assert (distances.diagonal() == 0).all()
    in_tenths = graphs.from_list(n, [(u, v, round(10 * w)) for u, v, w in arcs])
    np.testing.assert_allclose(distances, graphs.right_matrix(in_tenths) / 10, atol=1e-5)


@pytest.mark.parametrize("variant_id", VARIANTS)
@pytest.mark.parametrize("tiles", [1, 4])
def test_what_cannot_be_reached_stays_out_of_reach(variant_id, tiles, device):
    """Infinity plus a negative weight is less than infinity, and must not pass for a
    distance in any phase.
    """
    graph = graphs.by_hand("negative into the unreachable")
    if tiles > 1:
        arcs = [(i + 1, i, -2) for i in range(32)] + [(i, i + 1, 5) for i in range(32, 63)]
        graph = graphs.from_list(64, arcs)
    distances = to_float(solve_with_cycles(variant_id, graph, device).distances)
    np.testing.assert_array_equal(distances, graphs.right_matrix(graph))


def test_integers_have_no_tolerance():
    assert (
        cycle_tolerance(
            graphs.by_hand("below zero"), Problem(graphs.by_hand("below zero"), None).distance_type
        )
        == 0
    )


def test_a_cycle_that_cannot_be_shown_is_an_error_in_words():
    with pytest.raises(UnsuitableGraph, match="load its weights as float64"):
        negative_cycle(graphs.by_hand("a grid"), 3, SILENT)
