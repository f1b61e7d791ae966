"""Runs variants on one problem: availability check, warm-ups, timed trials,
verification, path and optional trace.

`run` is a generator that yields one `Result` per variant as soon as it is finished.
Timed trials are never traced, and traced runs are not timed. The failure of a variant
is recorded in its result and does not affect the others.
"""

from __future__ import annotations

import logging
import math
import os
import time
import traceback
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from solvers.algorithms.auto.evidence import key_of, note_run
from solvers.core.availability import availability
from solvers.core.problem import Problem, Solution, TrialScope, warm_graph_on
from solvers.core.result import Result, Status, Verdict
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.core.variant import Answers
from solvers.devices.device import timing_on
from solvers.errors import InputError, NegativeCycle, OutOfMemory, TautpathError
from solvers.graphs.searched import SearchedGraph, searched_graph
from solvers.running.network_results import on_network
from solvers.running.request import (
    FIRST_ANSWER_S,
    Choice,
    RunFollower,
    RunListener,
    RunListeners,
    RunRequest,
    StageProgress,
)
from solvers.running.traced_run import TracedRun, device_activity
from solvers.running.trials import Conditions, MachineSample, TrialLoop, disturbances_of, outcome_of
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.cancel import CancelToken, Progress
from solvers.system.diagnostics import crash_report
from solvers.verification import paths
from solvers.verification.prover import NetworkProver

log = logging.getLogger(__name__)

_NO_ROOM = "Every trial uploaded the graph: the device has no room to keep it beside the rest."


def new_run_id() -> str:
    """Twelve random hexadecimal digits."""
    return os.urandom(6).hex()


def run(
    request: RunRequest,
    *,
    cancel: CancelToken | None = None,
    listener: RunListener | None = None,
    run_id: str = "",
) -> Generator[Result, None, None]:
    """Run the choices one after another; yield each result as it is finished.

    After cancellation, the current variant yields a cancelled result with the trials
    made so far; it is the last. After a skip, it yields a skipped result in the same
    way, and the next variant follows.
    """
    run_id = run_id or new_run_id()
    token, heard = cancel or CancelToken(), listener or RunListener()
    shares, prover = _stage_shares(request), NetworkProver(request.graph)
    for position, choice in enumerate(request.choices):
        token.forget_skip()
        meter = StageProgress(
            choice.variant, position, len(request.choices), shares, heard.progress
        )
        result = VariantRun(request, choice, token, heard, meter, run_id, prover).result()
        yield result
        if result.status is Status.CANCELLED:
            return


def followed_run(
    request: RunRequest,
    run_id: str,
    followers: Sequence[RunFollower],
    listener: RunListener,
    cancel: CancelToken,
) -> Iterator[Result]:
    """As `run`; the followers hear of everything first, and results pass them in their order."""
    heard = RunListeners(*followers, listener)
    results: Iterator[Result] = run(request, cancel=cancel, listener=heard, run_id=run_id)
    for follower in followers:
        results = follower.follow(results)
    return results


def _stage_shares(request: RunRequest) -> tuple[float, ...]:
    """Lengths of the stages of a variant, for the progress bar: trials, verification,
    traced run.
    """
    return (8.0,) * (request.plan.trials != 0) + (1.0,) * request.verify + (1.0,) * request.trace


@dataclass
class RunFindings:
    """What the run of one variant has found so far; a failure keeps what was found before."""

    parameters: Mapping[str, Any]  # settled by the check
    is_applicable: bool = False  # true once the check found nothing against the run
    conditions: Conditions | None = None
    graph_upload_ms: float | None = None
    # all that differ, as those of racy variants may
    answers: list[AnyArray] = field(default_factory=list)
    distances: AnyArray | None = None  # the first answer, or the one with the most wrong vertices
    # the last of the trials; without trials, that of the traced run
    solution: Solution | None = None
    verdict: Verdict | None = None
    predecessors: AnyArray | None = None
    path: Int32s | None = None
    trace: ActivityTrace | MatrixTrace | None = None
    fault: Exception | None = None

    def keep(self, distances: AnyArray) -> bool:
        """Keep an answer if it differs from all earlier ones; True if it was new."""
        if any(np.array_equal(distances, answer) for answer in self.answers):
            return False
        self.answers.append(distances)
        if self.distances is None:
            self.distances = distances
        return True


class VariantRun:
    """The run of one variant: check, trials, verification, path, traced run, result."""

    def __init__(
        self,
        request: RunRequest,
        choice: Choice,
        cancel: CancelToken,
        listener: RunListener,
        meter: StageProgress,
        run_id: str,
        prover: NetworkProver,  # of the request's graph
    ):
        self._translation, self._target = searched_graph(request.graph), request.target
        self._request, self._prover = _of_searched(request, self._translation), prover
        self._run_id = run_id
        self._started = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._variant = choice.variant
        self._cancel = cancel
        self._listener = listener
        self._meter = meter
        self._device = request.device if choice.variant.runs_on.takes_device else None
        self._scope = TrialScope()
        self._found = RunFindings(choice.parameters)
        self._loop = self._new_loop()
        self._before: MachineSample | None = None  # measuring
        self._untold = math.inf  # from when on the first answer is told, by the clock

    def result(self) -> Result:
        """Run the variant; every `Exception` is recorded in the result instead of raised."""
        try:
            self._cancel.check()
            self._check()
            with self._scope:
                self._solve()
        except Exception as fault:  # a failure of one variant must not stop the others
            self._found.fault = fault
            if isinstance(fault, NegativeCycle) and self._request.verify:
                self._found.verdict = self._prover.cycle(fault.vertices)
        self._meter.finished()
        return on_network(self._result(), self._translation, self._target)

    def _check(self) -> None:
        """Check the variant's requirements before anything is allocated; raises the
        reason if it cannot run.
        """
        parameters = self._found.parameters = self._variant.settle(self._found.parameters)
        if self._variant.answers is not Answers.APSP and self._request.source is None:
            raise InputError(f"{self._variant.id} needs a source: choose a source vertex.")
        if self._variant.answers is Answers.TARGET and self._request.target is None:
            raise InputError(f"{self._variant.id} needs a target: choose a target vertex.")
        here = availability(self._variant, self._request.graph, self._device, parameters)
        if here.error is not None:
            raise here.error
        self._found.is_applicable = True

    def _solve(self) -> None:
        """Make the trials and the traced run; the latter also if the trials end with a
        negative cycle.
        """
        if self._request.plan.trials != 0:
            try:
                with timing_on(self._device.key if self._device else None):
                    solution = self._measure()
            except NegativeCycle:
                if self._request.trace:
                    self._run_traced()
                raise
            self._judge(solution)
            self._note_times()
        if self._request.trace:
            self._run_traced()

    def _note_times(self) -> None:
        """Have the automatic choice know what a variant on its defaults took."""
        request, variant = self._request, self._variant
        if self._found.parameters == variant.settle({}):
            key = key_of(variant, self._device, self._found.graph_upload_ms is not None)
            times = (trial.phases.total for trial in self._loop.trials)
            note_run(variant, request.graph, request.source, key, times)

    def _problem(self, progress: Progress) -> Problem:
        request = self._request
        source = None if self._variant.answers is Answers.APSP else request.source
        parameters = self._found.parameters
        return Problem(
            request.graph,
            source,
            request.target,
            parameters,
            self._device,
            progress,
            scope=self._scope,
        )

    def _measure(self) -> Solution:
        """Run the warm-ups and timed trials; return the last solution."""
        problem = self._problem(Progress(self._cancel, self._meter.within))
        _ = problem.distance_type  # computed once, untimed; raises if weights could overflow
        self._meter.stage("warm-up")
        try:
            self._listener.measuring_begins(self._variant)
            self._untold = time.perf_counter() + FIRST_ANSWER_S
            if self._request.plan.is_measurement:
                self._before = MachineSample.take(self._device)
            return self._run_trials(problem)
        finally:
            if self._before is not None:
                self._found.conditions = self._before.until(MachineSample.take(self._device))
            self._listener.measuring_ends(self._variant)

    def _run_trials(self, problem: Problem) -> Solution:
        """All trials; with a warm graph if the plan asks for it and the device has room for it."""
        if not self._request.plan.warm_graph or self._device is None:
            return self._loop.run(problem, self._tell_first_answer)
        with warm_graph_on(self._device) as warm:
            try:
                solution = self._loop.run(
                    replace(problem, warm_graph=warm), self._tell_first_answer
                )
                return replace(solution, peak_device_bytes=solution.peak_device_bytes + warm.nbytes)
            except OutOfMemory:
                if not warm.is_used:
                    raise
            finally:
                self._found.graph_upload_ms = warm.upload_ms if warm.is_used else None
        self._found.graph_upload_ms = None
        log.info(
            "%s starts again without keeping the graph on the device, which has no room for it",
            self._variant.id,
        )
        self._found.answers.clear()
        self._loop = self._new_loop()
        solution = self._loop.run(problem, self._tell_first_answer)
        return replace(solution, note=f"{solution.note} {_NO_ROOM}".lstrip())

    def _new_loop(self) -> TrialLoop:
        """A loop that does not refer to this object: in a cycle, both would keep the
        graph after the run.
        """
        return TrialLoop(
            self._variant, self._request.plan, self._listener, self._meter, self._found.keep
        )

    def _tell_first_answer(self, solution: Solution) -> None:
        if time.perf_counter() < self._untold or self._before is None:
            return
        self._untold = math.inf
        paused = MachineSample.take(self._device)
        self._listener.answer_found(self._variant, lambda: self._first_result(solution))
        self._before = self._before.leaving_out(paused, MachineSample.take(self._device))

    def _first_result(self, solution: Solution) -> Result:
        """The result if this were all; what is found for it is forgotten, since all
        answers are verified at the end.
        """
        found = self._found
        self._found = replace(found, distances=solution.distances)
        try:
            if self._request.verify:
                self._verify(solution.distances)
            self._find_path(solution)
            self._found.solution = solution
            return on_network(self._result(), self._translation, self._target)
        finally:
            self._found = found

    def _judge(self, solution: Solution) -> None:
        """Verify every distinct answer and keep the worst verdict; then find the path."""
        self._found.solution = solution
        if solution.note:
            log.info("%s: %s", self._variant.id, solution.note)
        if self._request.verify:
            self._meter.stage("verifying the answer")
            for answer in self._found.answers:
                self._verify(answer)
        self._find_path(solution)

    def _verify(self, answer: AnyArray) -> None:
        request, found = self._request, self._found
        progress = Progress(self._cancel, self._meter.within)
        verdict = self._prover.answer(
            self._variant.answers, answer, request.source, request.target, progress
        )
        if found.verdict is None or verdict.wrong_vertices > found.verdict.wrong_vertices:
            found.verdict, found.distances = verdict, answer
        if not verdict.verified:
            found.predecessors = found.path = None

    def _find_path(self, solution: Solution) -> None:
        """Find predecessors and the path, unless the distances are wrong."""
        found, source, target = self._found, self._request.source, self._request.target
        if source is None or (found.verdict is not None and not found.verdict.verified):
            return
        row, distances = solution.predecessors, found.distances
        if row is None and target is None and not self._request.tree:
            return
        assert distances is not None  # some trial went well, or there would be no solution
        if distances.ndim == 2:
            row, distances = (None if row is None else row[source]), distances[source]
        graph = self._request.graph
        if row is None or not paths.is_tight_tree(graph, source, distances, row):
            row = paths.recover_predecessors(graph, source, distances)
        found.predecessors = row
        found.path = (
            None
            if target is None
            else paths.path_that_adds_up(graph, row, distances, source, target)
        )
        if found.path is not None and found.verdict is not None:
            self._prove_path(found.path, distances[target])

    def _prove_path(self, path: Int32s, distance: Any) -> None:
        """Prove that a path of what is searched is one of the network; if not, forget it."""
        verdict = self._prover.path(self._translation.path(path), distance.item())
        if not verdict.verified:
            self._found.verdict, self._found.path = verdict, None

    def _run_traced(self) -> None:
        """Make one traced run; its answer is verified if it differs from those of the trials."""
        self._meter.stage("recording the trace")
        n, cap = self._request.graph.n, self._request.trace_cap_bytes
        recording = TracedRun(self._variant, n, self._device, cap)
        try:
            traced = recording.solve(self._problem(Progress(self._cancel, self._meter.within)))
        except NegativeCycle:
            self._keep_trace(recording.trace())
            raise
        is_new = self._found.keep(traced.distances)
        if self._request.plan.trials == 0:
            self._judge(traced)
        elif is_new and self._request.verify:
            self._verify(traced.distances)
        self._keep_trace(recording.trace())

    def _keep_trace(self, trace: ActivityTrace | MatrixTrace) -> None:
        """Keep the trace, and compute here what the window would otherwise have to compute."""
        self._found.trace = trace
        device_activity(self._result())

    def _result(self) -> Result:
        """The result of what was found; a fault in it loses its traceback."""
        request, found, loop = self._request, self._found, self._loop
        solution, conditions = found.solution, found.conditions
        cycle = found.fault if isinstance(found.fault, NegativeCycle) else None
        iterations = None if solution is None else solution.iterations
        relaxations = None if solution is None else solution.relaxations
        if relaxations is None and cycle is None and isinstance(found.trace, ActivityTrace):
            relaxations = found.trace.total_relaxed
        result = Result(
            variant=self._variant,
            parameters=found.parameters,
            graph=request.graph,
            source=request.source,
            target=request.target,
            device_name=self._device.name if self._device else "",
            driver=self._device.driver if self._device else "",
            trials=tuple(loop.trials),
            cold_ms=loop.cold_ms,
            graph_upload_ms=found.graph_upload_ms,
            disturbances=disturbances_of(
                loop.times, conditions, self._variant.runs_on, self._device
            ),
            load=None if conditions is None else conditions.cpu.load,
            distances=found.distances,
            predecessors=found.predecessors,
            iterations=iterations if cycle is None else cycle.iterations,
            relaxations=relaxations,
            verdict=found.verdict,
            trace=found.trace,
            cycle=() if cycle is None else cycle.vertices,
            path=found.path,
            peak_device_bytes=0 if solution is None else solution.peak_device_bytes,
            note="" if solution is None else solution.note,
            run_id=self._run_id,
            timestamp_utc=self._started,
        )
        return result if found.fault is None else self._with_failure(result, found.fault)

    def _with_failure(self, result: Result, fault: Exception) -> Result:
        status, text = outcome_of(self._variant, fault, applicable=self._found.is_applicable)
        log.info("%s ended: %s", self._variant.id, text)
        log.debug("%s ended", self._variant.id, exc_info=fault)
        unforeseen = not isinstance(fault, TautpathError)
        trace = "".join(traceback.format_exception(fault)) if unforeseen else ""
        report = (
            crash_report(fault, (result.device_name,))
            if unforeseen and status is Status.ERROR
            else ""
        )
        return replace(
            result,
            status=status,
            error=text,
            fault=_without_frames(fault),
            traceback=trace,
            report=report,
        )


def _of_searched(request: RunRequest, translation: SearchedGraph) -> RunRequest:
    """The request for what is searched."""
    target = None if request.target is None else translation.end(request.target)
    return replace(request, graph=translation.searched, target=target)


def _without_frames(fault: Exception) -> Exception:
    """The exception without tracebacks and causes, whose frames would keep their arrays
    alive with the result.
    """
    fault.__cause__ = fault.__context__ = None
    return fault.with_traceback(None)
