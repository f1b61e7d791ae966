"""One traced run of a variant, and how it used its device, iteration by iteration.

The run has a recorder, and one of the launches of its kernels. The use of the device is
threads launched and useful, arcs and bytes per second. For all-pairs runs an iteration
is a phase, and what counts as an arc is a relaxation: a detour compared with a cell.

Nothing is estimated. Launches are those that the run made; useful threads follow from
the variant's mapping and the frontiers; times are those of the traced run. Values that
cannot be known are None: threads if a launch makes several iterations, reached vertices
if only every k-th frontier was kept, bytes if no traffic is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from solvers.core.problem import Problem, Solution
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.result import Result
from solvers.core.trace import WARP, ActivityTrace, KernelLog, LaunchLog, LaunchTrace, MatrixTrace
from solvers.core.variant import Answers, Variant, WorkMapping
from solvers.devices.device import Device, devices_recorded, recording
from solvers.devices.monitor import bandwidth_of_all, memory_bandwidth
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Float64s, Int64s
from solvers.system.ranges import numbers_in


class TracedRun:
    """Records what a variant does, in at most ``cap_bytes`` of memory; ``n`` is the
    number of vertices.
    """

    def __init__(self, variant: Variant, n: int, device: Device | None, cap_bytes: int):
        self._variant, self._device = variant, device
        self._recorded: Device | None = None
        self._log: LaunchLog | KernelLog | None = None
        self.recorder: TraceRecorder | MatrixRecorder
        if variant.answers is Answers.APSP:
            kernels = None if device is None else KernelLog(device.name, device.is_cpu)
            self._log = kernels
            self.recorder = MatrixRecorder(n, launches=kernels)
            return
        launches = None
        if device is not None and variant.device_work is not None:
            launches = LaunchLog(device.name, device.is_cpu, variant.device_work)
        self._log = launches
        self.recorder = TraceRecorder(n, cap_bytes, launches)

    def solve(self, problem: Problem) -> Solution:
        """Solve ``problem`` and record it; raises as the variant does."""
        problem = replace(problem, recorder=self.recorder)
        if self._log is not None and self._device is not None:
            self._recorded = recording(self._device, self._log.launched)
            problem = replace(problem, device=self._recorded)
        return self._variant.solve(problem)

    def trace(self) -> ActivityTrace | MatrixTrace:
        """What was recorded so far; measures the bandwidth of the devices if kernels
        were traced.
        """
        if isinstance(self.recorder, MatrixRecorder):
            if self._recorded is None or self._device is None:
                return self.recorder.finish()
            used = devices_recorded(self._recorded) or (self._device,)
            return self.recorder.finish(bandwidth_of_all(used), len(used))
        device = None if self._log is None else self._device
        bandwidth = None if device is None else memory_bandwidth(device)
        return replace(self.recorder.finish(bandwidth), labelling=self._variant.labelling)


Series = Float64s

ROWS_LAYOUT = "csr"
_SPAN = 1_000_000  # frontier vertices that are processed together

PER_VERTEX = (WorkMapping.THREAD_PER_VERTEX, WorkMapping.THREAD_PER_ROW)
PER_FRONTIER_VERTEX = (WorkMapping.THREAD_PER_FRONTIER_VERTEX,)
PER_UNSETTLED_VERTEX = (
    WorkMapping.THREAD_PER_UNRESOLVED_VERTEX,
    WorkMapping.CORE_AND_THREAD_PER_VERTEX,
)
STRIDED = (WorkMapping.THREADS_STRIDED, WorkMapping.THREADS_STRIDED_FLAGGED)
PER_ARC = (WorkMapping.THREAD_PER_ARC, WorkMapping.THREAD_PER_FLAGGED_ARC)

_kept: WeakKeyDictionary[ActivityTrace | MatrixTrace, DeviceActivity] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class DeviceActivity:
    """Per kept iteration of a traced run, or phase of an all-pairs run; means over
    those that a kept one represents.

    ``launches``, ``blocks``, ``warps``, ``threads`` (T,): launches of all kernels;
    blocks, groups of 32 threads and threads of the kernel that relaxes. ``useful``
    (T,): threads whose work was due: their vertex is in the frontier, or their arc
    leaves one that is; if threads look for offers to their vertex, those that found a
    better one.
    """

    device_name: str
    is_cpu: bool
    # threads in a block of the kernel that relaxes; 0 if launches are not divided into
    # iterations
    block: int
    launches: Series | None
    blocks: Series | None
    warps: Series | None
    threads: Series | None
    working: Series | None  # (T,) threads that found something to do, even if without result
    useful: Series | None
    busy_warps: Series | None  # (T,) groups of 32 threads with at least one useful one
    arcs_per_s: Series  # (T,) arcs relaxed per second; NaN if no time was measured
    requested_bytes: Series | None  # (T,) bytes that the threads asked for, at least
    bytes_per_s: Series | None
    bandwidth: float | None  # bytes per second that the memory of all devices moved in copies
    devices: int = 1


def device_activity(result: Result) -> DeviceActivity | None:
    """The activity of a result with a trace of kernels; None for others.

    Computed once for each trace, in proportion to the frontiers of all iterations
    together; the runner does so.
    """
    trace = result.trace
    if trace is None or not len(trace):
        return None
    found = _kept.get(trace)
    if found is None:
        if isinstance(trace, MatrixTrace):
            found = _matrix_activity(result, trace) if trace.device_name else None
        elif trace.launches is not None:
            found = _activity(result, trace, trace.launches)
        if found is not None:
            _kept[trace] = found
    return found


def share_activity(trace: ActivityTrace | MatrixTrace, other: ActivityTrace | MatrixTrace) -> None:
    """Have ``other`` show the activity of ``trace``, if this has been computed."""
    if trace in _kept:
        _kept[other] = _kept[trace]


def _matrix_activity(result: Result, trace: MatrixTrace) -> DeviceActivity:
    """The activity of the phases of an all-pairs run; NaN in phases for which a count
    is not known.
    """
    seconds = np.array([step.ms * 1e-3 for step in trace.steps])
    asked = _known([step.requested_bytes for step in trace.steps])
    relaxed = _known([step.relaxed for step in trace.steps])

    def launched(name: str) -> Series:
        return np.array(
            [sum(getattr(kernel, name) for kernel in step.launches) for step in trace.steps],
            np.float64,
        )

    threads = launched("threads")
    per_cell = result.variant.mapping is WorkMapping.THREAD_PER_CELL
    return DeviceActivity(
        device_name=trace.device_words,
        is_cpu=trace.is_cpu,
        block=max((kernel.block for step in trace.steps for kernel in step.launches), default=0),
        launches=launched("launches"),
        blocks=launched("blocks"),
        warps=launched("warps"),
        threads=threads,
        working=None,
        useful=np.minimum([step.cells for step in trace.steps], threads) if per_cell else None,
        busy_warps=None,
        arcs_per_s=np.full(len(trace), np.nan) if relaxed is None else _rate(relaxed, seconds),
        requested_bytes=asked,
        bytes_per_s=None if asked is None else _rate(asked, seconds),
        bandwidth=trace.bandwidth,
        devices=trace.devices,
    )


def _known(counts: Sequence[int | None]) -> Series | None:
    """Counts as numbers, NaN for unknown ones; None if all are unknown."""
    values = np.array([np.nan if count is None else count for count in counts], np.float64)
    return None if np.isnan(values).all() else values


def _activity(result: Result, trace: ActivityTrace, launched: LaunchTrace) -> DeviceActivity:
    stride = float(trace.stride)
    counts = _counts(result.graph, trace)
    mapping = result.variant.mapping
    known = launched.known
    threads = launched.threads / stride if known else None
    asked = _bytes(result, counts)
    seconds = trace.ms * 1e-3 / stride
    working, useful = _threads(mapping, counts, trace, threads) if known else (None, None)
    return DeviceActivity(
        device_name=launched.device_name,
        is_cpu=launched.is_cpu,
        block=launched.block,
        launches=launched.launches / stride if known else None,
        blocks=launched.blocks / stride if known else None,
        warps=launched.warps / stride if known else None,
        threads=threads,
        working=working,
        useful=useful,
        busy_warps=_busy_warps(result.graph, trace, mapping)
        if known and not launched.is_cpu
        else None,
        arcs_per_s=_rate(trace.relaxed / stride, seconds),
        requested_bytes=asked,
        bytes_per_s=None if asked is None else _rate(asked, seconds),
        bandwidth=launched.bandwidth,
    )


def timed_arcs_per_s(result: Result) -> float | None:
    """Arcs relaxed per second of the solve phase of the timed runs; None if either is unknown."""
    median = result.median("solve")
    if not median or result.relaxations is None:
        return None
    return result.relaxations / (median * 1e-3)


def _rate(amount: Series, seconds: Series) -> Series:
    return np.divide(amount, seconds, out=np.full(len(amount), np.nan), where=seconds > 0)


def _counts(graph: Graph, trace: ActivityTrace) -> dict[str, Series]:
    """The counts that `Traffic` names, as far as they are known."""
    stride, length = float(trace.stride), len(trace)
    counts = {
        "vertex": np.full(length, float(graph.n)),
        "arc": np.full(length, float(graph.m)),
        "active": trace.active / stride,
        "relaxed": trace.relaxed / stride,
        "improved": trace.improved / stride,
    }
    if trace.stride == 1:
        degrees, reverse = graph.out_degrees, np.bincount(graph.indices, minlength=graph.n)
        seen = trace.first_active >= 0
        first = trace.first_active[seen]
        for name, weights in (
            ("reached", None),
            ("reached_arc", degrees[seen]),
            ("settled_arc", reverse[seen]),
        ):
            counts[name] = np.cumsum(np.bincount(first, weights=weights, minlength=length)).astype(
                np.float64
            )
        counts["unsettled"] = graph.n - counts["reached"]
        counts["unsettled_arc"] = graph.m - counts.pop("settled_arc")
        counts["active_arc"] = _frontier_sums(trace, degrees)
    return counts


def _frontier_sums(trace: ActivityTrace, values: AnyArray) -> Series:
    """(T,) sum of ``values`` over the vertices of each frontier."""
    sums = np.concatenate(([0], np.cumsum(values[trace.vertices])))
    return (sums[trace.offsets[1:]] - sums[trace.offsets[:-1]]).astype(np.float64)


def _bytes(result: Result, counts: Mapping[str, Series]) -> Series | None:
    work = result.variant.device_work
    if (
        work is None
        or work.traffic is None
        or result.parameters.get("layout", ROWS_LAYOUT) != ROWS_LAYOUT
    ):
        return None
    if not work.traffic.needed() <= set(counts):
        return None
    total = work.traffic.total(counts, result.graph.distance_type.dtype.itemsize)
    return np.asarray(total, dtype=np.float64)


def _threads(
    mapping: WorkMapping, counts: Mapping[str, Series], trace: ActivityTrace, threads: Series | None
) -> tuple[Series | None, Series | None]:
    """Threads that found something to do, and those whose work was due."""
    if mapping in PER_VERTEX:
        return counts.get("reached"), counts["active"]
    if mapping in PER_FRONTIER_VERTEX:
        return counts["active"], counts["active"]
    if mapping in PER_UNSETTLED_VERTEX:
        return counts.get("unsettled"), counts["improved"]
    if mapping is WorkMapping.THREAD_PER_ARC:
        return counts.get("reached_arc"), counts.get("active_arc")
    if mapping is WorkMapping.THREAD_PER_FLAGGED_ARC:
        return counts["relaxed"], counts["relaxed"]
    if mapping in STRIDED and threads is not None and len(threads) and trace.launches is not None:
        width = trace.launches.grid * trace.launches.block
        useful = _distinct(trace, lambda vertices: vertices % width, width)
        return (useful if mapping is WorkMapping.THREADS_STRIDED_FLAGGED else None), useful
    return None, None


def _busy_warps(graph: Graph, trace: ActivityTrace, mapping: WorkMapping) -> Series | None:
    """(T,) groups of 32 threads with a useful one, or None if unknown."""
    if trace.launches is None:
        return None
    if mapping in PER_VERTEX + PER_FRONTIER_VERTEX:
        return _distinct(trace, lambda vertices: vertices // WARP, -(-graph.n // WARP))
    if mapping in STRIDED:
        width = trace.launches.grid * trace.launches.block
        return _distinct(trace, lambda vertices: vertices % width // WARP, -(-width // WARP))
    if mapping in PER_ARC:
        return _distinct_ranges(graph, trace)
    return None


def _distinct(trace: ActivityTrace, keys: Callable[[Int64s], Int64s], count: int) -> Series:
    """(T,) number of different keys, each below ``count``, of the vertices of each frontier."""
    found = np.zeros(len(trace))
    for first, last in _spans(trace):
        vertices = trace.vertices[trace.offsets[first] : trace.offsets[last]].astype(np.int64)
        when = np.repeat(np.arange(last - first), np.diff(trace.offsets[first : last + 1]))
        found[first:last] = _different(when * count + keys(vertices), count, last - first)
    return found


def _distinct_ranges(graph: Graph, trace: ActivityTrace) -> Series:
    """(T,) number of different warps whose arcs leave a vertex of the frontier."""
    found, count = np.zeros(len(trace)), max(1, -(-graph.m // WARP))
    for begin, end in _spans(trace):
        vertices = trace.vertices[trace.offsets[begin] : trace.offsets[end]]
        first, last = graph.indptr[vertices] // WARP, (graph.indptr[vertices + 1] - 1) // WARP
        lengths = np.where(graph.out_degrees[vertices] > 0, last - first + 1, 0)
        when = np.repeat(np.arange(end - begin), np.diff(trace.offsets[begin : end + 1]))
        warps = numbers_in(first, lengths)
        found[begin:end] = _different(np.repeat(when, lengths) * count + warps, count, end - begin)
    return found


def _different(keys: Int64s, count: int, iterations: int) -> Series:
    """(iterations,) number of different keys of each, a key being ``iteration * count``
    and more; sorts if needed.
    """
    if len(keys) and (np.diff(keys) < 0).any():
        keys = np.sort(keys)
    new = keys[np.concatenate(([True], np.diff(keys) > 0))] if len(keys) else keys
    return np.bincount(new // count, minlength=iterations).astype(np.float64)


def _spans(trace: ActivityTrace) -> Iterator[tuple[int, int]]:
    """Ranges of iterations with about `_SPAN` frontier vertices, so that little memory
    is needed.
    """
    first = 0
    while first < len(trace):
        last = int(np.searchsorted(trace.offsets, trace.offsets[first] + _SPAN, side="right")) - 1
        last = min(max(first + 1, last), len(trace))
        yield first, last
        first = last
