"""Sentences about the threads of an iteration and the figures of the device. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.style.numbers import format_rate
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, KernelLaunches, MatrixStep, MatrixTrace
from solvers.core.variant import Algorithm, WorkMapping
from solvers.running.thread_states import ThreadStates
from solvers.running.traced_run import DeviceActivity, Series, timed_arcs_per_s
from solvers.text import format_count, format_duration, plural, three_digits

_MOST_KERNELS = 3  # named one by one
_NO_USEFUL = (
    "Useful threads: not known. A thread of this variant handles several cells or rows, as many as it finds, and no "
    "kernel counts them."
)
_NO_BYTES = (
    "Memory: not known. What the threads of this phase ask for depends on what blocks share, and no kernel counts it."
)
NO_FIGURES = (
    "No launches to show: the steps of this variant's watched run are made on the processor, or a timed run makes many "
    "in one launch."
)


@dataclass(frozen=True)
class IterationFigures:
    """Text on one iteration.

    Attributes
    ----------
    heading : str
    lines : tuple of str
    """

    heading: str
    lines: tuple[str, ...]


def figures_of(result: Result, activity: DeviceActivity, position: int) -> IterationFigures:
    """The figures of kept iteration ``position``; what is not known has no line."""
    trace = result.trace
    assert isinstance(trace, ActivityTrace)  # there is an activity
    device = f"{activity.device_name}{', a CPU' if activity.is_cpu else ''}"
    heading = f"{trace.place(position)[:1].upper()}{trace.place(position)[1:]} on {device}"
    lines = (
        _launched(activity, position),
        _arcs(result, trace, activity, position),
        _bytes(activity, position),
    )
    return IterationFigures(heading, tuple(filter(None, lines)))


def matrix_figures_of(result: Result, trace: MatrixTrace, activity: DeviceActivity, position: int) -> IterationFigures:
    """The figures of a phase of an all-pairs run; what is not known is said, not estimated."""
    step = trace.steps[position]
    phases = len({other.phase for other in trace.steps})
    phase = f", phase {step.phase} of {phases}" if phases > 1 else ""
    steps = format_count(trace.steps[-1].step + 1)
    device = f"{trace.device_words}{', a CPU' if trace.is_cpu else ''}"
    heading = f"Step {format_count(step.step + 1)} of {steps}{phase} on {device}"
    lines = [_kernel(launched, is_cpu=trace.is_cpu) for launched in step.launches[:_MOST_KERNELS]]
    if others := step.launches[_MOST_KERNELS:]:
        lines.append(f"Other kernels: {plural(sum(other.launches for other in others), 'launch', 'launches')}.")
    lines.append(_cells(step))
    lines.append(_relaxed(result, step, activity, position))
    lines.append(_bytes(activity, position) if step.requested_bytes is not None else _NO_BYTES)
    lines.append(_copied(step, trace))
    threads = sum(launched.threads for launched in step.launches)
    if result.variant.mapping is WorkMapping.THREAD_PER_CELL and len(step.launches) == 1 and threads >= step.cells > 0:
        lines.append(
            f"{format_count(step.cells)} of {_threads(threads)} have a cell ({_percent(step.cells / threads)})."
        )
    else:
        lines.append(_NO_USEFUL)
    return IterationFigures(heading, tuple(filter(None, lines)))


def _kernel(launched: KernelLaunches, *, is_cpu: bool) -> str:
    """ "Launched: phase_3 in 25 blocks of 1 024 threads: 25 600 threads, 800 warps."."""
    times = "" if launched.launches == 1 else f", {format_count(launched.launches)} times,"
    warps = "" if is_cpu else f", {plural(launched.warps, 'warp')}"
    blocks = f"{plural(launched.blocks, 'block')} of {format_count(launched.block)} threads"
    return f"Launched: {launched.kernel}{times} in {blocks}: {_threads(launched.threads)}{warps}."


def _cells(step: MatrixStep) -> str:
    if step.ms <= 0.0 or not step.cells:
        return ""
    rate = format_rate(step.cells / (step.ms * 1e-3), " cells")
    return f"Cells: {format_count(step.cells)} written in {format_duration(step.ms)}, {rate} when watched."


def _relaxed(result: Result, step: MatrixStep, activity: DeviceActivity, position: int) -> str:
    """ "Relaxed: 115 200 cells, 57.6 M cells/s when watched; timed, over the whole run, 80 M cells/s."."""
    rate = float(activity.arcs_per_s[position])
    if not step.relaxed or not np.isfinite(rate):
        return ""
    unit = "cells" if result.variant.algorithm is Algorithm.FLOYD_WARSHALL else "arcs"
    least = "" if result.relaxations is not None else "at least "  # how often an arc is relaxed again, none counts
    words = f"Relaxed: {least}{format_count(step.relaxed)} {unit}, {format_rate(rate, f' {unit}')} when watched"
    timed = timed_arcs_per_s(result)
    return f"{words}; timed, over the whole run, {format_rate(timed, f' {unit}')}." if timed else f"{words}."


def _copied(step: MatrixStep, trace: MatrixTrace) -> str:
    """ "Copied: 8.39 MB between host and device, 5.2 GB/s when watched."."""
    if not step.copied_bytes or step.ms <= 0.0:
        return ""
    ends = "between host and device" if trace.devices == 1 else "from one GPU to the others"
    rate = format_rate(step.copied_bytes / (step.ms * 1e-3), "B")
    return f"Copied: {_size(step.copied_bytes)} {ends}, {rate} when watched."


def words_of(states: ThreadStates, activity: DeviceActivity, position: int) -> str:
    """How many threads are useful, and how well they fill their warps."""
    useful, threads = _at(activity.useful, position), _at(activity.threads, position)
    parts = []
    if useful is not None and threads:
        share = useful / threads
        parts.append(f"{format_count(round(useful))} of {_threads(round(threads))} useful ({_percent(share)}).")
    if activity.is_cpu:
        parts.append("Rows are groups of 32 threads, which a GPU would run as warps; a CPU runs a block on one core.")
        return " ".join(parts)
    busy, warps = _at(activity.busy_warps, position), _at(activity.warps, position)
    if busy is not None and warps:
        parts.append(f"They keep {format_count(round(busy))} of {plural(round(warps), 'warp')}.")
    if states.lane_use is not None:
        parts.append(f"Divergence: {_percent(states.lane_use)} of the lanes of these warps are useful.")
    if states.loop_use is not None:
        parts.append(f"With unequal degrees, {_percent(states.loop_use)} of the lanes' steps relax an arc.")
    return " ".join(parts)


def _threads(count: int) -> str:
    return plural(count, "thread")


def _launched(activity: DeviceActivity, position: int) -> str:
    launches, blocks = _at(activity.launches, position), _at(activity.blocks, position)
    if launches is None or blocks is None:
        return "Launches: a timed run makes several iterations in one, so that they are not divided."
    kernels = plural(round(launches), "kernel") if launches >= 0.5 else "less than one kernel"
    return f"Launched: {kernels}; the one that relaxes in {plural(round(blocks), 'block')} of {activity.block} threads."


def _arcs(result: Result, trace: ActivityTrace, activity: DeviceActivity, position: int) -> str:
    rate = float(activity.arcs_per_s[position])
    arcs, ms = trace.relaxed[position] / trace.stride, float(trace.ms[position]) / trace.stride
    if not np.isfinite(rate):
        return ""
    text = f"Arcs: {format_count(round(arcs))} in {format_duration(ms)}, {format_rate(rate, ' arcs')} when watched"
    timed = timed_arcs_per_s(result)
    return f"{text}; timed, over the whole run, {format_rate(timed, ' arcs')}." if timed else f"{text}."


def _bytes(activity: DeviceActivity, position: int) -> str:
    rate, asked = _at(activity.bytes_per_s, position), _at(activity.requested_bytes, position)
    if rate is None or asked is None or not np.isfinite(rate):
        return ""
    text = f"Memory: threads ask for at least {_size(asked)}, {format_rate(rate, 'B')}"
    if not activity.bandwidth:
        return f"{text}."
    share = rate / activity.bandwidth
    words = _percent(share) if share <= 1 else f"{three_digits(share)} times"
    reached = f"a copy reaches{f' on all {activity.devices} together' if activity.devices > 1 else ''}"
    return f"{text}: {words} of the {format_rate(activity.bandwidth, 'B')} that {reached}."


def _percent(share: float) -> str:
    """``"0.455 %"``, ``"12 %"``."""
    return f"{three_digits(100 * share) if share < 0.1 else format(100 * share, '.0f')} %"


def _size(count: float) -> str:
    return format_rate(count, "B").removesuffix("/s")


def _at(series: Series | None, position: int) -> float | None:
    return None if series is None else float(series[position])
