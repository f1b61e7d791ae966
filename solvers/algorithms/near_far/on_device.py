"""Code shared by the near-far variants on a device: the loop over launches, the phases,
and the solution.

A variant supplies a `NearFarRun`: its arrays on the device, the launches of a batch,
and the check whether a vertex is left.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.devices.device import Device, DeviceSession
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.text import format_count


class NearFarRun(ABC):
    """The graph and the queues on the device, and the launches until no vertex is left.

    The shell calls `queue_batch` and `end_batch` in turn in a timed run, and
    `queue_rounds` and `report_rounds` in a watched one. Only what the two ``queue``
    methods do is timed as solving.
    """

    @abstractmethod
    def queue_batch(self) -> None:
        """Queue the launches of the next batch of a timed run."""

    @abstractmethod
    def end_batch(self, seconds: float) -> int | None:
        """The number of rounds once no vertex is left, else None; ``seconds`` is how
        long the batch took.
        """

    @abstractmethod
    def begin_watching(self, recorder: Recorder) -> None:
        """Allocate the log of a watched run, whose rounds are reported to ``recorder``."""

    def before_rounds(self) -> None:  # noqa: B027 - most variants have nothing to reset
        """Clear the log of the last rounds; not timed."""

    @abstractmethod
    def queue_rounds(self) -> None:
        """Queue the next rounds of a watched run, including their logging."""

    @abstractmethod
    def report_rounds(self, ms: float) -> int | None:
        """Report the rounds that were queued, which took ``ms``; the number of all
        rounds once no vertex is left.
        """

    @abstractmethod
    def answer(self) -> Any:
        """Distances in the order of the graph's vertices, on the device; called once,
        at the end.
        """


def require_arcs_in_32_bits(graph: Graph, variant_id: str) -> None:
    """Raise UnsuitableGraph for more arcs than a kernel can count."""
    if graph.m > np.iinfo(np.int32).max:
        raise UnsuitableGraph(
            f"{graph.name} has {format_count(graph.m)} arcs; "
            f"the kernel of {variant_id} counts them in 32 bits."
        )


def suitable_lanes(graph: Graph) -> int:
    """Threads to share a vertex's arcs: the power of two next above the mean degree,
    between 4 and 32.
    """
    mean = graph.m / max(1, graph.n)
    return int(min(32, max(4, 2 ** int(np.ceil(np.log2(max(mean, 1)))))))


def solve_on_device(
    problem: Problem,
    device: Device,
    begin: Callable[[DeviceSession, Phases], NearFarRun],
    phases: Phases | None = None,
    note: str = "",
) -> Solution:
    """Distances from the source, (n,); raises OutOfMemory, Cancelled.

    ``begin`` puts the graph on the device; ``phases`` hold what was prepared on the
    host, if anything was.
    """
    phases = phases or Phases()
    with device.session() as session:
        run = begin(session, phases)
        if problem.recorder is None:
            rounds = _timed(problem, run, session, phases)
        else:
            rounds = _watched(problem, problem.recorder, run, session, phases)
        with phases.measure("d2h"):
            distances = session.download(run.answer())
        return Solution(distances, rounds, phases, peak_device_bytes=session.peak_bytes, note=note)


def _timed(problem: Problem, run: NearFarRun, session: DeviceSession, phases: Phases) -> int:
    rounds = None
    while rounds is None:
        problem.progress.checkpoint()
        began = time.perf_counter()
        with session.timer() as timer:
            run.queue_batch()
        phases.solve += timer.ms
        rounds = run.end_batch(time.perf_counter() - began)
    return rounds


def _watched(
    problem: Problem, recorder: Recorder, run: NearFarRun, session: DeviceSession, phases: Phases
) -> int:
    run.begin_watching(recorder)
    rounds = None
    while rounds is None:
        problem.progress.checkpoint()
        run.before_rounds()
        with session.timer() as timer:
            run.queue_rounds()
        phases.solve += timer.ms
        rounds = run.report_rounds(timer.ms)
    return rounds
