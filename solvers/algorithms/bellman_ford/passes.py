"""Loops over the passes of Bellman-Ford: of kernel variants and of sequential ones; and
the reports of their passes.

On a device the host queues a batch of passes, reads a few words back, and queues the
next: 1, 2, 4 ... 32 passes at a time, fewer where they are slow, so that Cancel takes
effect at once. A read-back costs about four launches on a big GPU; kernels notice by
themselves that the pass before changed nothing (``relax.h``), so the size of the
batches affects time only, not correctness.

Batches of 32 are recorded once and repeated, on NVIDIA as a CUDA graph, which the GPU
walks without waiting for Python. Where every pass is made, one look follows as many of
them as take some 30 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.bellman_ford.workspace import Plan, Workspace
from solvers.algorithms.negative_cycle import raise_if_negative_cycle
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.requirements import required_device, required_source
from solvers.core.variant import Algorithm, Answers, RunsOn, variant
from solvers.devices.device import DeviceSession, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.system.array_types import AnyArray

LARGEST_BATCH = 32
_BATCH_SECONDS = 0.03


device_variant = partial(
    variant, algorithm=Algorithm.BELLMAN_FORD, answers=Answers.SSSP, runs_on=RunsOn.GPU
)
"""Registers a kernel variant of this family."""


@dataclass(frozen=True)
class _Ending:
    """Outcome of the loop: passes, whether a negative cycle was detected, arcs relaxed if known."""

    iterations: int
    negative: bool
    relaxations: int | None


def solve_by_passes(
    problem: Problem,
    variant_id: str,
    kernel: Path,  # the ``.cu`` file; it includes ``relax.h``
    # allocates and uploads what the variant needs beyond the distances
    plan: Callable[[Workspace], Plan],
    *,
    passes: int,
    flagged: bool = False,  # a pass relaxes only the arcs of vertices improved in the previous pass
) -> Solution:
    """Run a kernel variant to its end.

    Raises NegativeCycle, OutOfMemory, KernelBuildError, Cancelled, DeviceUnavailable,
    ParameterError.

    ``passes``: the paper's number of passes. With negative weights n passes are made: a
    change in the n-th proves a cycle.
    """
    device, source = required_device(problem, variant_id), required_source(problem, variant_id)
    defines = {
        **distance_defines(problem.distance_type),
        "EARLY_EXIT": int(problem.parameters["early_exit"]),
    }
    program = device.compile(KernelSource.beside(str(kernel), kernel.name, **defines))
    phases = Phases()
    with device.session() as session:
        work = Workspace(problem, session, program, source, phases)
        steps = plan(work)
        with session.timer() as timer:
            work.start_distances(work.distance)
            steps.start()
            ending = _make_passes(problem, session, work, steps, passes, flagged)
        phases.solve = timer.ms
        with phases.measure("d2h"):
            distances = session.download(work.distance)
        peak = session.peak_bytes
    if ending.negative:
        raise_if_negative_cycle(problem, distances, ending.iterations)
    return Solution(
        distances, ending.iterations, phases, ending.relaxations, peak_device_bytes=peak
    )


def _make_passes(
    problem: Problem,
    session: DeviceSession,
    work: Workspace,
    steps: Plan,
    passes: int,
    flagged: bool,
) -> _Ending:
    """Queue passes until nothing changes, a distance falls below the floor, or all are made."""
    graph, progress = problem.graph, problem.progress
    early_exit = bool(problem.parameters["early_exit"])
    limit = graph.n if graph.has_negative_weights else passes
    recorder = problem.recorder
    watcher = PassWatcher(problem, recorder, work.source, flagged) if recorder is not None else None
    done = last_change = fell_through = 0
    batch, queue = 1, _PassQueue(session, work, steps)
    while done < limit and not fell_through and not (early_exit and last_change < done):
        started = time.perf_counter()
        with session.timer() if watcher else nullcontext() as timer:
            queue.make(batch)
        done += batch
        last_change, fell_through, _ = (int(word) for word in session.download(work.state))
        if watcher and timer:
            watcher.look(session.download(work.distance), timer.ms)
        if early_exit:
            progress.checkpoint()
        else:
            progress.checkpoint(done, limit)
        if not watcher:
            most = LARGEST_BATCH if early_exit else limit
            batch = min(_next_batch(batch, time.perf_counter() - started, most), limit - done)

    iterations = fell_through or (min(last_change + 1, limit) if early_exit else limit)
    negative = bool(fell_through) or (graph.has_negative_weights and last_change >= graph.n)
    if flagged:
        return _Ending(iterations, negative, watcher.relaxations if watcher else None)
    return _Ending(iterations, negative, iterations * graph.m)


def _next_batch(batch: int, seconds: float, most: int) -> int:
    """Size of the next batch: twice the last one, limited by the time between two
    cancellation checks.
    """
    affordable = int(_BATCH_SECONDS * batch / max(seconds, 1e-9))
    return max(1, min(2 * batch, most, affordable))


class _PassQueue:
    """Queues passes: small batches one by one, and those of `LARGEST_BATCH` by
    repeating what was recorded once.
    """

    def __init__(self, session: DeviceSession, work: Workspace, steps: Plan):
        self._session, self._work, self._steps = session, work, steps
        self._since = 0  # the last `end_batch`
        self._repeat: Callable[[], None] | None = None

    def make(self, passes: int) -> None:
        recorded, single = divmod(passes, LARGEST_BATCH)
        if recorded:
            if self._since:
                self._work.end_batch(self._since)
                self._since = 0
            if self._repeat is None:
                self._repeat = self._session.recorded(self._make_batch)
            for _ in range(recorded):
                self._repeat()
        self._queue(single)

    def _queue(self, passes: int) -> None:
        for _ in range(passes):
            self._since += 1
            self._steps.queue(self._since)

    def _make_batch(self) -> None:
        for step in range(1, LARGEST_BATCH + 1):
            self._steps.queue(step)
        self._work.end_batch(LARGEST_BATCH)


@dataclass(frozen=True)
class PassEnd:
    """The outcome of a pass: whether any distance fell, and whether one would have
    fallen below `distance_floor`.
    """

    fell: bool
    fell_through: bool


@dataclass(frozen=True)
class HostPass:
    """A variant's pass, and its distances after it."""

    # makes one pass over all arcs, with a checkpoint at least every 50 ms
    relax_all: Callable[[], PassEnd]
    # a copy of the distances as an (n,) array of the distance type
    distances: Callable[[], AnyArray]


def solve_on_host(
    problem: Problem, variant_id: str, prepare: Callable[[Problem], HostPass]
) -> Solution:
    """Make passes until one changes nothing (or all n - 1, or n with negative weights).

    Raises NegativeCycle, Cancelled, ParameterError.
    """
    source = required_source(problem, variant_id)
    graph, progress = problem.graph, problem.progress
    early_exit = bool(problem.parameters["early_exit"])
    phases = Phases()
    with phases.measure("prepare"):
        one = prepare(problem)
    recorder = problem.recorder
    watcher = (
        PassWatcher(problem, recorder, source, flagged=False) if recorder is not None else None
    )
    limit = graph.n if graph.has_negative_weights else graph.n - 1
    passes, end = 0, PassEnd(fell=True, fell_through=False)
    with phases.measure("solve"):
        while passes < limit and not end.fell_through and (end.fell or not early_exit):
            started = time.perf_counter()
            end = one.relax_all()
            passes += 1
            if watcher:
                watcher.look(one.distances(), (time.perf_counter() - started) * 1e3)
            if not early_exit:
                progress.checkpoint(passes, limit)
    distances = one.distances()
    if end.fell_through or (graph.has_negative_weights and end.fell):
        raise_if_negative_cycle(problem, distances, passes)
    return Solution(distances, passes, phases, passes * graph.m)


class PassWatcher:
    """Reports every pass of a watched run, and adds up the arcs relaxed.

    If ``flagged``, a pass relaxes the arcs of the active vertices only, rather than
    all.
    """

    def __init__(self, problem: Problem, recorder: Recorder, source: int, flagged: bool):
        graph = problem.graph
        self._recorder = recorder
        self._arcs = graph.m
        self._degrees = graph.out_degrees if flagged else None
        self._before = problem.start_distances(source)
        self._active: NDArray[np.intp] = np.array([source], dtype=np.intp)
        self.relaxations = 0

    def look(self, distances: AnyArray, ms: float) -> None:
        """Report a pass that ended with ``distances`` (n,); the array is kept, so pass
        a copy if it will change.
        """
        fell = np.flatnonzero(distances < self._before)
        relaxed = self._arcs if self._degrees is None else int(self._degrees[self._active].sum())
        self._recorder.iteration(self._active, relaxed, len(fell), ms, distances)
        self.relaxations += relaxed
        self._before, self._active = distances, fell
