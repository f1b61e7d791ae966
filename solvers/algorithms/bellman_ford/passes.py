"""The loop over passes that every Bellman-Ford kernel variant runs in.

The host queues a batch of passes, reads two words back, and queues the next: 1, 2, 4 ... 32 passes at a time, fewer
where they are slow, so that Cancel answers at once. A read-back costs about four launches on a big GPU; kernels notice
by themselves that the pass before changed nothing (``relax.h``), so nothing depends on the size of the batches but
time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from solvers.algorithms.bellman_ford.watching import PassWatcher
from solvers.algorithms.bellman_ford.workspace import Plan, Workspace
from solvers.algorithms.negative_cycle import raise_if_negative_cycle
from solvers.algorithms.requirements import required_device, required_source
from solvers.contracts.problem import Problem, Solution
from solvers.devices.base import DeviceSession, KernelSource
from solvers.devices.dialect import distance_defines
from solvers.host.timing import Phases

LARGEST_BATCH = 32
_BATCH_SECONDS = 0.03


@dataclass(frozen=True)
class _Ending:
    """Outcome of the loop: passes, whether a negative cycle was detected, arcs relaxed if known."""

    iterations: int
    negative: bool
    relaxations: int | None


def solve_by_passes(
    problem: Problem,
    variant_id: str,
    kernel: Path,
    plan: Callable[[Workspace], Plan],
    *,
    passes: int,
    flagged: bool = False,
) -> Solution:
    """Run a kernel variant to its end.

    Parameters
    ----------
    kernel : Path
        The ``.cu`` file; it includes ``relax.h``.
    plan : callable
        Allocates and uploads what the variant needs beyond the distances.
    passes : int
        The paper's number of passes. With negative weights n passes are made: a change in the n-th proves a cycle.
    flagged : bool
        A pass relaxes only the arcs of vertices improved in the previous pass.

    Raises
    ------
    NegativeCycle, OutOfMemory, KernelBuildError, Cancelled, DeviceUnavailable, ParameterError
    """
    device, source = required_device(problem, variant_id), required_source(problem, variant_id)
    defines = {**distance_defines(problem.distance_type), "EARLY_EXIT": int(problem.parameters["early_exit"])}
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
    return Solution(distances, ending.iterations, phases, ending.relaxations, peak_device_bytes=peak)


def _make_passes(
    problem: Problem, session: DeviceSession, work: Workspace, steps: Plan, passes: int, flagged: bool
) -> _Ending:
    """Queue passes until nothing changes, a distance falls below the floor, or all are made."""
    graph, observer = problem.graph, problem.observer
    early_exit = bool(problem.parameters["early_exit"])
    limit = graph.n if graph.has_negative_weights else passes
    watcher = PassWatcher(problem, work.source, flagged) if observer.watching else None
    done = last_change = fell_through = 0
    batch = 1
    while done < limit and not fell_through and not (early_exit and last_change < done):
        started = time.perf_counter()
        with session.timer() if watcher else nullcontext() as timer:
            for number in range(done + 1, done + batch + 1):
                steps.queue(number)
        done += batch
        last_change, fell_through = (int(word) for word in session.download(work.state))
        if watcher and timer:
            watcher.look(session.download(work.distance), timer.ms)
        if early_exit:
            observer.checkpoint()
        else:
            observer.checkpoint(done, limit)
        batch = 1 if watcher else min(_next_batch(batch, time.perf_counter() - started), limit - done)

    iterations = fell_through or (min(last_change + 1, limit) if early_exit else limit)
    negative = bool(fell_through) or (graph.has_negative_weights and last_change >= graph.n)
    if flagged:
        return _Ending(iterations, negative, watcher.relaxations if watcher else None)
    return _Ending(iterations, negative, iterations * graph.m)


def _next_batch(batch: int, seconds: float) -> int:
    """Size of the next batch: twice the last one, limited by the time between two cancellation checks."""
    affordable = int(_BATCH_SECONDS * batch / max(seconds, 1e-9))
    return max(1, min(2 * batch, LARGEST_BATCH, affordable))
