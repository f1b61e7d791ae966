"""The warm-ups and timed trials of one variant: as many as the plan fixes, or as its precision needs."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.catalog import Variant
from solvers.contracts.problem import Problem, Solution
from solvers.contracts.results import SUMMARY_PHASES, Trial
from solvers.contracts.sample_statistics import relative_half_width
from solvers.graphs.graph import Coordinates, Graph
from solvers.host.timing import Phases
from solvers.running.listener import RunListener
from solvers.running.outcome import outcome_of
from solvers.running.plan import (
    LEAST_MEASURED_S,
    LEAST_TRIALS,
    MOST_WARMUPS,
    WARMUP_AGREEMENT,
    MeasurementPlan,
)
from solvers.running.progress import Meter

_WARMUP_SHARE = 0.1  # of the progress bar's stage


class TrialLoop:
    """Runs the warm-ups and trials of one variant.

    Parameters
    ----------
    variant : Variant
    plan : MeasurementPlan
    listener : RunListener
    meter : Meter
    keep_answer : callable(distances)
        Called with the distances of each timed trial.
    clock : callable() -> float
        Seconds; measures the time limit and the cold start.

    Attributes
    ----------
    trials : list of Trial
        Those made so far, warm-ups and a failed one included.
    cold_ms : float or None
        Wall time of the first warm-up, compilation included; None before it has ended, or without warm-ups.
    """

    def __init__(
        self,
        variant: Variant,
        plan: MeasurementPlan,
        listener: RunListener,
        meter: Meter,
        keep_answer: Callable[[NDArray[Any]], object],
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
        self._times: dict[str, list[float]] = {phase: [] for phase in SUMMARY_PHASES}
        self.trials: list[Trial] = []
        self.cold_ms: float | None = None

    def run(self, problem: Problem) -> Solution:
        """Run all warm-ups and trials; return the last solution. The plan must ask for a trial."""
        if problem.warm_graph is not None and self._warmups is not None:
            self._warmups = max(1, self._warmups)
        self._warm_up(problem)
        while True:
            self._announce(self._trial_words(), *self._trial_span())
            solution = self._solve(problem, is_warmup=False)
            if self._is_enough():
                return solution

    # -- warm-ups ----------------------------------------------------------------------------------------------------

    def _warm_up(self, problem: Problem) -> None:
        if self._warmups == 0:
            compile_kernels(self._variant, problem)
            self._started = self._clock()
            return
        most = self._warmups or MOST_WARMUPS
        before = self._clock()
        while not self._is_warm(most):
            made = len(self.trials)
            of = f" of {most}" if self._warmups else ""
            self._announce(f"warm-up {made + 1}{of}", _WARMUP_SHARE * made / most, _WARMUP_SHARE * (made + 1) / most)
            self._solve(problem, is_warmup=True)
            if made == 0:
                self._started = self._clock()
                self.cold_ms = (self._started - before) * 1e3

    def _is_warm(self, most: int) -> bool:
        if self.cold_ms is None:
            return False
        if len(self.trials) >= most or self.cold_ms >= self._plan.limit_s * 1e3 or self._is_time_up():
            return True
        if self._warmups is not None or len(self.trials) < 2:
            return False
        last, current = (trial.phases.total for trial in self.trials[-2:])
        return abs(current - last) <= WARMUP_AGREEMENT * max(current, last)

    # -- trials ------------------------------------------------------------------------------------------------------

    def _is_enough(self) -> bool:
        made = len(self._times["total"])
        if made >= self._plan.most or self._is_time_up():
            return True
        if self._plan.trials is not None or made < LEAST_TRIALS:
            return False
        measured_s = sum(self._times["total"]) / 1e3
        return measured_s >= LEAST_MEASURED_S and self._half_width() <= self._plan.precision

    def _half_width(self) -> float:
        return max(relative_half_width(times) for times in self._times.values())

    def _is_time_up(self) -> bool:
        return self._clock() - self._started >= self._plan.limit_s

    def _trial_words(self) -> str:
        made = len(self._times["total"])
        if self._plan.trials is not None:
            return f"trial {made + 1} of {self._plan.trials}"
        width = self._half_width()
        return f"trial {made + 1}" + (f", median ± {100 * width:.1f} %" if math.isfinite(width) else "")

    def _trial_span(self) -> tuple[float, float]:
        """The part of the stage that the next trial stands for: by count or by time, whichever is further."""
        made, most = len(self._times["total"]), self._plan.most
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
            with _gc_paused():
                solution = self._variant.solve(problem)
        except Exception as fault:
            status, words = outcome_of(self._variant, fault)
            self.trials.append(Trial(index, is_warmup, Phases(), status, words))
            raise
        phases = _with_upload_prepared(solution.phases, _upload_ms(problem) - uploaded)
        trial = Trial(index, is_warmup, phases, iterations=solution.iterations, relaxations=solution.relaxations)
        self.trials.append(trial)
        if not is_warmup:
            for phase, times in self._times.items():
                times.append(getattr(trial.phases, phase))
            self._keep_answer(solution.distances)
        self._listener.trial_finished(self._variant, trial)
        return solution


def _upload_ms(problem: Problem) -> float:
    return 0.0 if problem.warm_graph is None else problem.warm_graph.upload_ms


def _with_upload_prepared(phases: Phases, upload_ms: float) -> Phases:
    """The phases with the one upload of a warm graph as a part of the preparation."""
    copied = min(upload_ms, phases.h2d)
    return replace(phases, prepare=phases.prepare + copied, h2d=phases.h2d - copied)


def compile_kernels(variant: Variant, problem: Problem) -> None:
    """Solve a graph of two vertices with the same types, so that compilation is not part of a timed trial."""
    kind = problem.distance_type.dtype
    arc = np.array([0, 1, 1]), np.array([1], dtype=np.int32), np.ones(1, dtype=kind)
    graph = Graph(*arc, coordinates=Coordinates(np.eye(2)), name="warm-up")
    source, target = (None, None) if problem.source is None else (0, 1)
    variant.solve(Problem(graph, source, target, problem.parameters, problem.device, scope=problem.scope))


@contextmanager
def _gc_paused() -> Iterator[None]:
    """Disable Python's garbage collector during a trial."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
