"""Finds what may have falsified the times of a variant, from its trials and from the state of the machine.

Limits follow the benchmark programs hyperfine (outliers, slow first run) and Google Benchmark (load and clock of the
machine), but look at the median, which a few outliers do not move: they count where they are one trial in twenty.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence

from solvers.contracts.catalog import RunsOn
from solvers.contracts.disturbance import Disturbance, DisturbanceKind
from solvers.contracts.results import SUMMARY_PHASES
from solvers.contracts.sample_statistics import interquartile_range, modified_z_scores
from solvers.devices.base import Device
from solvers.running.conditions import Conditions
from solvers.text import format_duration, format_percent, plural, three_digits

# Other load slows a variant down by caches, memory bandwidth and turbo clock, even where cores are left.
_LOAD_CORES, _LOAD_SHARE = 0.25, 0.05
_OWN_WORK_CORES = 0.10  # less than of other programs, since it also takes the interpreter's lock
_STOLEN_SHARE = 0.01
_SLOWED_SHARE = 0.01

_OUTLIER_SCORE = 3.5  # Iglewicz and Hoaglin 1993
_OUTLIER_DISTANCE = 0.10  # of the median: in very even samples, the score alone finds outliers of 1 %
_OUTLIER_SHARE = (0.05, 0.25)  # if more lie far from the median, the trials are spread
_LEAST_FOR_OUTLIERS = 5

_SPREAD = 0.10

_CLOCK_STEPS = 100  # a time of fewer steps of its clock is known to no better than 1 %
_EVENT_STEP_MS = 0.5e-3  # CUDA events, according to the CUDA runtime's documentation


def disturbances_of(
    times: Mapping[str, Sequence[float]], conditions: Conditions, runs_on: RunsOn, device: Device | None
) -> tuple[Disturbance, ...]:
    """Reasons to doubt the times of a variant.

    Parameters
    ----------
    times : mapping
        Milliseconds of the successful timed trials in order, for "solve" and "total".
    conditions : Conditions
        The machine during the trials.
    runs_on : RunsOn
    device : Device or None
        The device that the variant used.
    """
    if not times["total"]:
        return ()
    return (
        *_of_device(runs_on, device),
        *_of_own_work(runs_on, conditions),
        *_of_machine(conditions),
        *_of_times(times, device),
    )


def _of_device(runs_on: RunsOn, device: Device | None) -> Iterator[Disturbance]:
    if device is not None and device.is_cpu and runs_on.needs_device:
        words = f"The kernels ran on the processor ({device.name}), not on a GPU."
        yield Disturbance(DisturbanceKind.NOT_A_GPU, words)


def _of_own_work(runs_on: RunsOn, conditions: Conditions) -> Iterator[Disturbance]:
    """Only a serial variant has all its work in the thread that runs it, so that the rest can be told from it."""
    if runs_on is RunsOn.SERIAL and conditions.cpu.own_work >= _OWN_WORK_CORES:
        words = f"Other work of this program kept {three_digits(conditions.cpu.own_work)} cores busy."
        yield Disturbance(DisturbanceKind.OWN_WORK, words)


def _of_machine(conditions: Conditions) -> Iterator[Disturbance]:
    cpu = conditions.cpu
    if cpu.load is not None and cpu.load >= max(_LOAD_CORES, _LOAD_SHARE * cpu.cores):
        words = f"Other programs kept {three_digits(cpu.load)} of {plural(cpu.cores, 'core')} busy."
        yield Disturbance(DisturbanceKind.LOAD, words)
    if cpu.stolen >= _STOLEN_SHARE * cpu.cores:
        words = f"The hypervisor withheld {format_percent(cpu.stolen / cpu.cores)} of the processor's time."
        yield Disturbance(DisturbanceKind.STEAL, words)
    if cpu.held_back >= _SLOWED_SHARE:
        words = (
            f"The CPU quota of this container was used up for {format_percent(min(1.0, cpu.held_back))} of the time."
        )
        yield Disturbance(DisturbanceKind.THROTTLED, words)
    if cpu.overheated:
        yield Disturbance(DisturbanceKind.THROTTLED, "The processor lowered its clock because of heat.")
    for share, reason in ((conditions.gpu_hot, "heat"), (conditions.gpu_power_limited, "its power limit")):
        if share >= _SLOWED_SHARE:
            words = f"The GPU lowered its clock because of {reason} for {format_percent(min(1.0, share))} of the time."
            yield Disturbance(DisturbanceKind.THROTTLED, words)


def _of_times(times: Mapping[str, Sequence[float]], device: Device | None) -> Iterator[Disturbance]:
    """Each kind at most once: of the total time or, if that shows nothing, of the solve time."""
    for finder in (slow_start, outliers, spread):
        found = (finder(times[phase]) for phase in reversed(SUMMARY_PHASES))
        yield from [disturbance for disturbance in found if disturbance is not None][:1]
    step = _EVENT_STEP_MS if device is not None and device.kind == "cuda" else _host_step_ms()
    if (disturbance := too_short(times["solve"], step)) is not None:
        yield disturbance


def slow_start(times: Sequence[float]) -> Disturbance | None:
    """A first trial that is an outlier above the others: the warm-ups were too few."""
    if len(times) < _LEAST_FOR_OUTLIERS or 0 not in _outlier_positions(times):
        return None
    median = statistics.median(times)
    if times[0] < median:
        return None
    words = f"The first trial took {format_duration(times[0])}, the median is {format_duration(median)}."
    return Disturbance(DisturbanceKind.SLOW_START, words)


def outliers(times: Sequence[float]) -> Disturbance | None:
    """Trials far from the others, if they are one in twenty to one in four; the first trial has its own mark."""
    if len(times) < _LEAST_FOR_OUTLIERS:
        return None
    positions = _outlier_positions(times)
    if slow_start(times) is not None:
        positions = [position for position in positions if position > 0]
    least, most = _OUTLIER_SHARE
    if not positions or not least <= len(positions) / len(times) <= most:
        return None
    farthest = max((times[position] for position in positions), key=lambda ms: abs(ms - statistics.median(times)))
    count = f"{len(positions)} of {plural(len(times), 'trial')}"
    words = f"{count} lie far from the others, such as {format_duration(farthest)}."
    return Disturbance(DisturbanceKind.OUTLIERS, words)


def spread(times: Sequence[float]) -> Disturbance | None:
    """The middle half of the trials covers more than a tenth of the median."""
    median = statistics.median(times)
    width = interquartile_range(times)
    if median <= 0 or width <= _SPREAD * median:
        return None
    words = f"The middle half of the trials spreads over {format_percent(width / median)} of the median."
    return Disturbance(DisturbanceKind.SPREAD, words)


def too_short(times: Sequence[float], step_ms: float) -> Disturbance | None:
    """A median of fewer than a hundred steps of the clock."""
    median = statistics.median(times)
    if median >= _CLOCK_STEPS * step_ms:
        return None
    words = f"The median solve time of {format_duration(median)} is short for a clock of {format_duration(step_ms)}."
    return Disturbance(DisturbanceKind.SHORT, words)


def _outlier_positions(times: Sequence[float]) -> list[int]:
    median = statistics.median(times)
    near = _OUTLIER_DISTANCE * median
    return [
        position
        for position, (score, ms) in enumerate(zip(modified_z_scores(times), times, strict=True))
        if abs(score) > _OUTLIER_SCORE and abs(ms - median) > near
    ]


def _host_step_ms() -> float:
    return time.get_clock_info("perf_counter").resolution * 1e3
