"""A run of kernels over the vertices of a problem: what the device variants of Dijkstra's
algorithm share of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import DTypeLike

from solvers.algorithms.dijkstra.frontier_host import slices_of
from solvers.core.problem import Phases, Problem
from solvers.devices.device import DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines


@dataclass(frozen=True, eq=False)
class KernelRun:
    """The compiled kernels of a variant on a device, for one solve."""

    problem: Problem
    session: DeviceSession
    program: Program
    source: int
    block: int  # threads
    phases: Phases

    @property
    def n(self) -> int:
        return self.problem.graph.n

    def empty(self, dtype: DTypeLike, count: int | None = None) -> Any:
        """Allocate an element for each vertex, or as many as given, uninitialised."""
        with self.phases.measure("prepare"):
            return self.session.empty(self.n if count is None else count, dtype)

    def launch(self, kernel: str, *arguments: Any, threads: int | None = None) -> None:
        """Queue a kernel, whose first argument is n, with a thread for each vertex, or with
        as many as given.
        """
        blocks = -(-(self.n if threads is None else threads) // self.block)
        self.program.launch(kernel, (blocks,), (self.block,), self.n, *arguments)

    def slices(self, steps_per_vertex: float) -> tuple[tuple[int, int], ...]:
        """All vertices; on a processor in ranges, between which a run can be cancelled."""
        if not self.session.device.is_cpu:
            return ((0, self.n),)
        return tuple(slices_of(self.n, steps_per_vertex))

    def launch_slices(
        self, slices: tuple[tuple[int, int], ...], kernel: str, *arguments: Any
    ) -> None:
        """Queue a kernel, whose second argument is the first vertex, for each range.

        The last block of a range reaches into the next, whose vertices it relaxes too: once
        more never harms.
        """
        for first, last in slices:
            self.launch(kernel, first, *arguments, threads=last - first)
            if len(slices) > 1:
                self.session.synchronize()
                self.problem.progress.checkpoint()

    def timed(self, iterate: Callable[[], int]) -> int:
        """Iterate, timed as solving by the device; returns the number of iterations."""
        with self.session.timer() as timer:
            iterations = iterate()
        self.phases.solve = timer.ms
        return iterations

    def download(self, buffer: Any) -> Any:
        with self.phases.measure("d2h"):
            return self.session.download(buffer)


@contextmanager
def kernel_run(problem: Problem, kernel: Path, **defines: int | str) -> Iterator[KernelRun]:
    """Compile a variant's kernel, and free its buffers at the end of the ``with`` block.

    Raises KernelBuildError, DeviceUnavailable.
    """
    device, source = problem.given_device, problem.given_source
    more = {**distance_defines(problem.distance_type), **defines}
    program = device.compile(KernelSource.beside(str(kernel), kernel.name, **more))
    with device.session() as session:
        block = int(problem.parameters["block"])
        yield KernelRun(problem, session, program, source, block, Phases())
