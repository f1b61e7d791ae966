"""The compound-frontier loop split between host and device (Martín's UH1 to UH3).

The minimum is always the host's. Relaxing, updating or both are the device's, and whatever one side wrote and the
other needs crosses between them in every iteration. The phases add those crossings up: they are what the paper set out
to show.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.dijkstra.frontier_device import DeviceSteps
from solvers.algorithms.dijkstra.frontier_host import (
    FrontierState,
    FrontierWatch,
    least_unresolved,
    promote,
    relax_predecessors,
    slices_of,
)
from solvers.algorithms.dijkstra.layouts import rows_on_device
from solvers.algorithms.requirements import require_nonnegative, required_device, required_source
from solvers.algorithms.settled_arcs import settled_arcs
from solvers.contracts.problem import Problem, Solution
from solvers.devices.base import DeviceSession, KernelSource
from solvers.devices.dialect import distance_defines
from solvers.host.timing import Phases

KERNEL = Path(__file__).with_name("u_gpu.cu")


@dataclass(frozen=True)
class Split:
    """Which steps are kernels; the others run on the host."""

    relax_on_device: bool
    update_on_device: bool


def solve_hybrid(problem: Problem, variant_id: str, split: Split) -> Solution:
    """Run the loop, each step where ``split`` puts it.

    Raises
    ------
    UnsuitableGraph, OutOfMemory, KernelBuildError, Cancelled, DeviceUnavailable
    """
    require_nonnegative(problem.graph, variant_id)
    device, source = required_device(problem, variant_id), required_source(problem, variant_id)
    defines = {**distance_defines(problem.distance_type), "BLOCK": int(problem.parameters["block"])}
    program = device.compile(KernelSource.beside(__file__, KERNEL.name, **defines))
    phases = Phases()
    with device.session() as session:
        steps = DeviceSteps(problem, session, program, phases, source, int(problem.parameters["block"]))
        loop = _Loop(problem, session, steps, phases, source, split)
        iterations = loop.run()
        peak = session.peak_bytes
    distances = loop.distances
    return Solution(distances, iterations, phases, settled_arcs(problem.graph, distances), peak_device_bytes=peak)


class _Loop:
    """One run: the arrays on host and device, and when each is copied.

    A side that writes an array is the one that holds it; it is sent over just before the other side reads it.
    """

    def __init__(
        self,
        problem: Problem,
        session: DeviceSession,
        steps: DeviceSteps,
        phases: Phases,
        source: int,
        split: Split,
    ):
        self._problem = problem
        self._session = session
        self._steps = steps
        self._phases = phases
        self._split = split
        self._infinity = steps.dtype.type(problem.distance_type.infinity)
        with phases.measure("prepare"):
            start = FrontierState.at_start(problem.graph.n, source, problem.distance_type)
            self.distances, self._frontier, self._unresolved = start.distances, start.frontier, start.unresolved
            rows = problem.graph.reverse
        self._host_rows = (rows.indptr, rows.indices, rows.weights.astype(steps.dtype, copy=False))
        self._slices = tuple(slices_of(rows.n, 1 + rows.m / rows.n))
        self._device_rows: tuple[Any, ...] = ()
        if split.relax_on_device:
            self._device_rows = rows_on_device(problem, session, rows, phases)
        self._send_distances()
        self._send_flags()

    def run(self) -> int:
        """Iterate until no unresolved vertex can be reached; the number of iterations."""
        watch = FrontierWatch(self._problem, lambda: self.distances, self._current_frontier)
        least, iterations = self._steps.dtype.type(0), 0
        while least < self._infinity:
            watch.begin()
            self._relax_on_device() if self._split.relax_on_device else self._relax_on_host()
            with self._phases.measure("solve"):
                least = least_unresolved(self.distances, self._unresolved, self._infinity)
            if least < self._infinity:
                self._update_on_device(least) if self._split.update_on_device else self._update_on_host(least)
            watch.end()
            iterations += 1
            self._problem.observer.checkpoint()
        return iterations

    def _relax_on_host(self) -> None:
        with self._phases.measure("solve"):
            for first, last in self._slices:
                self._problem.observer.checkpoint()
                relax_predecessors(*self._host_rows, self.distances, self._frontier, self._unresolved, first, last)

    def _relax_on_device(self) -> None:
        """The device holds the distances; the host reads them for the minimum."""
        n = self._steps.n
        with self._phases.measure("solve"):
            self._steps.launch("relax", n, np.int32(n), np.int64(0), *self._device_rows, *self._steps.arrays)
            self._session.synchronize()
        with self._phases.measure("d2h"):
            self.distances = self._session.download(self._steps.distance)

    def _update_on_host(self, least: Any) -> None:
        """The host holds the flags; the device reads them when it relaxes."""
        with self._phases.measure("solve"):
            promote(self.distances, self._frontier, self._unresolved, least)
        self._send_flags()

    def _update_on_device(self, least: Any) -> None:
        """The device holds the flags; the host reads them for the minimum and, if it relaxes, for that."""
        if not self._split.relax_on_device:
            self._send_distances()
        with self._phases.measure("solve"):
            self._steps.update(least)
            self._session.synchronize()
        with self._phases.measure("d2h"):
            self._unresolved = self._session.download(self._steps.unresolved)
            if not self._split.relax_on_device:
                self._frontier = self._session.download(self._steps.frontier)

    def _send_distances(self) -> None:
        with self._phases.measure("h2d"):
            self._session.write(self._steps.distance, self.distances)

    def _send_flags(self) -> None:
        with self._phases.measure("h2d"):
            self._session.write(self._steps.frontier, self._frontier)
            self._session.write(self._steps.unresolved, self._unresolved)

    def _current_frontier(self) -> NDArray[Any]:
        """The frontier flags, fetched from the device where only it has them (for the picture alone)."""
        if self._split == Split(relax_on_device=True, update_on_device=True):
            return self._session.download(self._steps.frontier)
        return self._frontier
