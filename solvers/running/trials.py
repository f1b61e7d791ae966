"""The warm-ups and timed trials of one variant, how it ended, and what may have
falsified its times.

The plan fixes the number of warm-ups and trials, or the precision decides it. A run
that raised an exception ends with a status and one sentence for the user. The state of
the machine is sampled once before the trials and once after.

Limits of disturbances follow the benchmark programs hyperfine (outliers, slow first
run) and Google Benchmark (load and clock of the machine), but look at the median, which
a few outliers do not move: they count where they are one trial in twenty.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import psutil

from solvers import errors
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.result import SUMMARY_PHASES, Disturbance, DisturbanceKind, Status, Trial
from solvers.core.samples import modified_z_scores, quartiles, relative_half_width
from solvers.core.variant import RunsOn, Variant
from solvers.devices.device import Device
from solvers.devices.monitor import GpuClockSample, sample_gpu_clock
from solvers.graphs.graph import Coordinates, Graph
from solvers.running.request import (
    LEAST_MEASURED_S,
    LEAST_TRIALS,
    MOST_WARMUPS,
    WARMUP_AGREEMENT,
    MeasurementPlan,
    RunListener,
    StageProgress,
)
from solvers.system.array_types import AnyArray
from solvers.system.collections_paused import collections_paused
from solvers.system.diagnostics import log_held
from solvers.system.machine import CpuConditions, CpuSample, conditions_between, sample_cpu
from solvers.text import format_duration, format_percent, plural, three_digits

# functions, with the types, devices and parameters for which they were compiled
_compiled: set[tuple[object, ...]] = set()

_WARMUP_SHARE = 0.1  # of the progress bar's stage

_STATUS_OF = {
    errors.NegativeCycle: Status.NEGATIVE_CYCLE,
    errors.TimedOut: Status.TIMED_OUT,
    errors.Skipped: Status.SKIPPED,
    errors.Cancelled: Status.CANCELLED,
    errors.OutOfMemory: Status.OUT_OF_MEMORY,
}

CountersT = TypeVar("CountersT", CpuSample, GpuClockSample)

# Other load slows a variant down by caches, memory bandwidth and turbo clock, even
# where cores are left.
_LOAD_CORES, _LOAD_SHARE = 0.25, 0.05
_OWN_WORK_CORES = 0.10  # less than of other programs, since it also takes the interpreter's lock
_STOLEN_SHARE = 0.01
_SLOWED_SHARE = 0.01

_OUTLIER_SCORE = 3.5  # Iglewicz and Hoaglin 1993
# of the median: in very even samples, the score alone finds outliers of 1 %
_OUTLIER_DISTANCE = 0.10
_OUTLIER_SHARE = (0.05, 0.25)  # if more lie far from the median, the trials are spread
_LEAST_FOR_OUTLIERS = 5

_SPREAD = 0.10

_CLOCK_STEPS = 100  # a time of fewer steps of its clock is known to no better than 1 %
_EVENT_STEP_MS = 0.5e-3  # CUDA events, according to the CUDA runtime's documentation


class TrialLoop:
    """Runs the warm-ups and trials of one variant.

    ``trials``: those made so far, warm-ups and a failed one included. ``times``:
    milliseconds of the timed trials that succeeded, for "solve" and "total".
    ``cold_ms``: wall time of the first warm-up, compilation included; None before it
    has ended, or without warm-ups.
    """

    def __init__(
        self,
        variant: Variant,
        plan: MeasurementPlan,
        listener: RunListener,
        meter: StageProgress,
        # called with the distances of each timed trial
        keep_answer: Callable[[AnyArray], object],
        # seconds; measures the time limit and the cold start
        clock: Callable[[], float] = time.perf_counter,
    ):
        self._variant = variant
        self._plan = plan
        self._listener = listener
        self._meter = meter
        self._keep_answer = keep_answer
        self._clock = clock
        self._started = 0.0
        self._warmups = plan.warmups
        self.times: dict[str, list[float]] = {phase: [] for phase in SUMMARY_PHASES}
        self.trials: list[Trial] = []
        self.cold_ms: float | None = None

    def run(
        self, problem: Problem, between: Callable[[Solution], object] = lambda _: None
    ) -> Solution:
        """Run all warm-ups and trials, with ``between`` after each but the last,
        untimed; return the last solution.
        """
        if problem.warm_graph is not None and self._warmups is not None:
            self._warmups = max(1, self._warmups)
        self._warm_up(problem, between)
        while True:
            self._announce(self._trial_text(), *self._trial_span())
            solution = self._solve(problem, is_warmup=False)
            if self._is_enough():
                return solution
            self._interrupt(between, solution)

    def _warm_up(self, problem: Problem, between: Callable[[Solution], object]) -> None:
        if self._warmups == 0:
            compile_kernels(self._variant, problem)
            self._started = self._clock()
            return
        most = self._warmups or MOST_WARMUPS
        before = self._clock()
        while not self._is_warm(most):
            made = len(self.trials)
            of = f" of {most}" if self._warmups else ""
            self._announce(
                f"warm-up {made + 1}{of}",
                _WARMUP_SHARE * made / most,
                _WARMUP_SHARE * (made + 1) / most,
            )
            solution = self._solve(problem, is_warmup=True)
            if made == 0:
                self._started = self._clock()
                self.cold_ms = (self._started - before) * 1e3
            self._interrupt(between, solution)
            del solution  # before the next one needs the memory

    def _is_warm(self, most: int) -> bool:
        if self.cold_ms is None:
            return False
        if (
            len(self.trials) >= most
            or self.cold_ms >= self._plan.limit_s * 1e3
            or self._is_time_up()
        ):
            return True
        if self._warmups is not None or len(self.trials) < 2:
            return False
        last, current = (trial.phases.total for trial in self.trials[-2:])
        return abs(current - last) <= WARMUP_AGREEMENT * max(current, last)

    def _is_enough(self) -> bool:
        made = len(self.times["total"])
        if made >= self._plan.most or self._is_time_up():
            return True
        if self._plan.trials is not None or made < LEAST_TRIALS:
            return False
        measured_s = sum(self.times["total"]) / 1e3
        return measured_s >= LEAST_MEASURED_S and self._half_width() <= self._plan.precision

    def _half_width(self) -> float:
        return max(relative_half_width(times) for times in self.times.values())

    def _is_time_up(self) -> bool:
        return self._clock() - self._started >= self._plan.limit_s

    def _interrupt(self, between: Callable[[Solution], object], solution: Solution) -> None:
        before = self._clock()
        between(solution)
        self._started += self._clock() - before

    def _trial_text(self) -> str:
        made = len(self.times["total"])
        if self._plan.trials is not None:
            return f"trial {made + 1} of {self._plan.trials}"
        width = self._half_width()
        return f"trial {made + 1}" + (
            f", median ± {100 * width:.1f} %" if math.isfinite(width) else ""
        )

    def _trial_span(self) -> tuple[float, float]:
        """The part of the stage that the next trial covers: by count or by time,
        whichever is further.
        """
        made, most = len(self.times["total"]), self._plan.most
        by_time = (self._clock() - self._started) / self._plan.limit_s
        begin = _WARMUP_SHARE + (1 - _WARMUP_SHARE) * min(1.0, max(made / most, by_time))
        return begin, min(1.0, begin + (1 - _WARMUP_SHARE) / most)

    def _announce(self, stage: str, begin: float, end: float) -> None:
        """Announce a warm-up or trial, which spans that part of the progress bar's stage."""
        self._meter.part(stage, begin, end)
        self._listener.trial_begins(self._variant, stage)

    def _solve(self, problem: Problem, is_warmup: bool) -> Solution:
        index = len(self.trials)
        try:
            uploaded = _upload_ms(problem)
            with collections_paused(), log_held():
                solution = self._variant.solve(problem)
        except Exception as fault:
            status, text = outcome_of(self._variant, fault)
            self.trials.append(Trial(index, is_warmup, Phases(), status, text))
            raise
        phases = _with_upload_prepared(solution.phases, _upload_ms(problem) - uploaded)
        trial = Trial(
            index,
            is_warmup,
            phases,
            iterations=solution.iterations,
            relaxations=solution.relaxations,
        )
        self.trials.append(trial)
        if not is_warmup:
            for phase, times in self.times.items():
                times.append(getattr(trial.phases, phase))
            self._keep_answer(solution.distances)
        self._listener.trial_finished(self._variant, trial)
        return solution


def _upload_ms(problem: Problem) -> float:
    return 0.0 if problem.warm_graph is None else problem.warm_graph.upload_ms


def _with_upload_prepared(phases: Phases, upload_ms: float) -> Phases:
    """The phases with the one upload of a warm graph counted as preparation."""
    copied = min(upload_ms, phases.h2d)
    if copied == 0:
        return phases
    return replace(phases, prepare=phases.prepare + copied, h2d=phases.h2d - copied)


def compile_kernels(variant: Variant, problem: Problem) -> None:
    """Solve a graph of two vertices with the same types, so that compilation is not
    part of a timed trial; once a process, unless its resources are kept for one run only.
    """
    kind, device = problem.distance_type.dtype, problem.device
    place = None if device is None else device.key
    has_source, parameters = problem.source is not None, sorted(problem.parameters.items())
    compiled = (variant.function, kind, place, has_source, *parameters)
    if compiled in _compiled:
        return
    arc = np.array([0, 1, 1]), np.array([1], dtype=np.int32), np.ones(1, dtype=kind)
    graph = Graph(*arc, coordinates=Coordinates(np.eye(2)), name="warm-up")
    source, target = (None, None) if problem.source is None else (0, 1)
    variant.solve(Problem(graph, source, target, problem.parameters, device, scope=problem.scope))
    if problem.scope is None or problem.scope.is_empty:
        _compiled.add(compiled)


def outcome_of(
    variant: Variant, fault: Exception, *, applicable: bool = True
) -> tuple[Status, str]:
    """The status of a result that ended with ``fault``, and one sentence for the user.

    ``applicable`` is False if the check of the variant's requirements raised ``fault``.
    """
    for kind, status in _STATUS_OF.items():
        if isinstance(fault, kind):
            return status, str(fault)
    if isinstance(fault, MemoryError):
        reason = str(fault) or "the system refused an allocation"
        return Status.OUT_OF_MEMORY, f"{variant.id} ran out of memory: {reason}."
    if isinstance(fault, errors.TautpathError):
        unsuitable = isinstance(fault, errors.InputError | errors.Unavailable)
        refused = not applicable and unsuitable and not isinstance(fault, errors.ParameterError)
        return Status.NOT_APPLICABLE if refused else Status.ERROR, str(fault)
    return (
        Status.ERROR,
        f"{variant.id} failed inside Tautpath ({type(fault).__name__}: {fault}); please report it.",
    )


@dataclass(frozen=True)
class Conditions:
    """What happened on the machine during the trials."""

    cpu: CpuConditions
    # fraction of the time during which heat held an NVIDIA GPU below its clock; 0 if
    # unknown
    gpu_hot: float = 0.0
    gpu_power_limited: float = 0.0  # likewise by its power limit


@dataclass(frozen=True)
class MachineSample:
    """Counters of the processor and, if kernels run on one, of the NVIDIA GPU; None if
    they cannot be read.
    """

    cpu: CpuSample | None
    gpu: GpuClockSample | None

    @classmethod
    def take(cls, device: Device | None) -> MachineSample:
        """Read the counters now; ``device`` is the one that the variant uses."""
        try:
            cpu = sample_cpu()
        except (psutil.Error, OSError):  # a system that hides its processes or counters
            cpu = None
        return cls(cpu, sample_gpu_clock(device))

    def leaving_out(self, begin: MachineSample, end: MachineSample) -> MachineSample:
        """This sample, moved so that what is counted from it does not contain the time
        between two later ones.
        """
        return MachineSample(
            _moved(self.cpu, begin.cpu, end.cpu), _moved(self.gpu, begin.gpu, end.gpu)
        )

    def until(self, after: MachineSample) -> Conditions:
        """What happened between this sample and a later one."""
        cores = psutil.cpu_count() or 1
        if self.cpu is None or after.cpu is None:
            return Conditions(CpuConditions(cores))
        cpu = conditions_between(self.cpu, after.cpu, cores)
        wall = after.cpu.wall_s - self.cpu.wall_s
        if self.gpu is None or after.gpu is None or wall <= 0:
            return Conditions(cpu)
        return Conditions(
            cpu,
            (after.gpu.hot_s - self.gpu.hot_s) / wall,
            (after.gpu.power_s - self.gpu.power_s) / wall,
        )


def _moved(
    sample: CountersT | None, begin: CountersT | None, end: CountersT | None
) -> CountersT | None:
    """The counters of ``sample``, increased by what was counted from ``begin`` to
    ``end``; None if one is unknown.
    """
    if sample is None or begin is None or end is None:
        return None
    passed = {
        key: value + getattr(end, key) - getattr(begin, key) for key, value in vars(sample).items()
    }
    return replace(sample, **passed)


def disturbances_of(
    times: Mapping[str, Sequence[float]],
    conditions: Conditions | None,
    runs_on: RunsOn,
    device: Device | None,
) -> tuple[Disturbance, ...]:
    """Reasons to doubt the times of a variant, which are milliseconds in order, for
    "solve" and "total".

    ``conditions`` is None if there were no trials; ``device`` is the one that the
    variant used.
    """
    if conditions is None or not times["total"]:
        return ()
    return (
        *_of_device(runs_on, device),
        *_of_own_work(runs_on, conditions),
        *_of_machine(conditions),
        *_of_times(times, device),
    )


def _of_device(runs_on: RunsOn, device: Device | None) -> Iterator[Disturbance]:
    if device is not None and device.is_cpu and runs_on.needs_device:
        text = f"The kernels ran on the processor ({device.name}), not on a GPU."
        yield Disturbance(DisturbanceKind.NOT_A_GPU, text)


def _of_own_work(runs_on: RunsOn, conditions: Conditions) -> Iterator[Disturbance]:
    """Only a serial variant does all its work in the thread that runs it, so that other
    work can be told apart.
    """
    if runs_on is RunsOn.SERIAL and conditions.cpu.own_work >= _OWN_WORK_CORES:
        text = (
            f"Other work of this program kept {three_digits(conditions.cpu.own_work)} cores busy."
        )
        yield Disturbance(DisturbanceKind.OWN_WORK, text)


def _of_machine(conditions: Conditions) -> Iterator[Disturbance]:
    cpu = conditions.cpu
    if cpu.load is not None and cpu.load >= max(_LOAD_CORES, _LOAD_SHARE * cpu.cores):
        text = f"Other programs kept {three_digits(cpu.load)} of {plural(cpu.cores, 'core')} busy."
        yield Disturbance(DisturbanceKind.LOAD, text)
    if cpu.stolen >= _STOLEN_SHARE * cpu.cores:
        text = (
            f"The hypervisor withheld {format_percent(cpu.stolen / cpu.cores)} "
            "of the processor's time."
        )
        yield Disturbance(DisturbanceKind.STEAL, text)
    if cpu.held_back >= _SLOWED_SHARE:
        text = (
            "The CPU quota of this container was used up for "
            f"{format_percent(min(1.0, cpu.held_back))} of the time."
        )
        yield Disturbance(DisturbanceKind.THROTTLED, text)
    if cpu.overheated:
        yield Disturbance(
            DisturbanceKind.THROTTLED, "The processor lowered its clock because of heat."
        )
    for share, reason in (
        (conditions.gpu_hot, "heat"),
        (conditions.gpu_power_limited, "its power limit"),
    ):
        if share >= _SLOWED_SHARE:
            text = (
                f"The GPU lowered its clock because of {reason} for "
                f"{format_percent(min(1.0, share))} of the time."
            )
            yield Disturbance(DisturbanceKind.THROTTLED, text)


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
    text = (
        f"The first trial took {format_duration(times[0])}, "
        f"the median is {format_duration(median)}."
    )
    return Disturbance(DisturbanceKind.SLOW_START, text)


def outliers(times: Sequence[float]) -> Disturbance | None:
    """Trials far from the others, if they are one in twenty to one in four; the first
    trial has its own mark.
    """
    if len(times) < _LEAST_FOR_OUTLIERS:
        return None
    positions = _outlier_positions(times)
    if slow_start(times) is not None:
        positions = [position for position in positions if position > 0]
    least, most = _OUTLIER_SHARE
    if not positions or not least <= len(positions) / len(times) <= most:
        return None
    farthest = max(
        (times[position] for position in positions),
        key=lambda ms: abs(ms - statistics.median(times)),
    )
    count = f"{len(positions)} of {plural(len(times), 'trial')}"
    text = f"{count} lie far from the others, such as {format_duration(farthest)}."
    return Disturbance(DisturbanceKind.OUTLIERS, text)


def spread(times: Sequence[float]) -> Disturbance | None:
    """The middle half of the trials covers more than a tenth of the median."""
    median = statistics.median(times)
    first, third = quartiles(times)
    width = third - first
    if median <= 0 or width <= _SPREAD * median:
        return None
    text = (
        "The middle half of the trials spreads over "
        f"{format_percent(width / median)} of the median."
    )
    return Disturbance(DisturbanceKind.SPREAD, text)


def too_short(times: Sequence[float], step_ms: float) -> Disturbance | None:
    """A median of fewer than a hundred steps of the clock."""
    median = statistics.median(times)
    if median >= _CLOCK_STEPS * step_ms:
        return None
    text = (
        f"The median solve time of {format_duration(median)} is short for a clock of "
        f"{format_duration(step_ms)}."
    )
    return Disturbance(DisturbanceKind.SHORT, text)


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
