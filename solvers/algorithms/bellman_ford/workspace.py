"""Device memory of a kernel variant's passes: the graph, the distances and two state values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvers.algorithms.bellman_ford.padded_rows import CSR, padded_rows_on_device
from solvers.contracts.problem import Problem
from solvers.devices.base import DeviceSession, Program
from solvers.host.timing import Phases


@dataclass(frozen=True)
class Plan:
    """A variant's initialisation of its arrays, and the launches of one pass.

    Attributes
    ----------
    start : callable
        Queues the initial values of the arrays that are the variant's own.
    queue : callable
        Queues the pass of the given number, counted from 1.
    """

    start: Callable[[], None]
    queue: Callable[[int], None]


class Workspace:
    """Buffers and launches of one run, each timed in its phase.

    Attributes
    ----------
    source : int
    distance : Buffer
        (n,) of the distance type.
    state : Buffer
        (2,) int32, laid out as ``relax.h`` says.
    """

    def __init__(self, problem: Problem, session: DeviceSession, program: Program, source: int, phases: Phases):
        self._problem = problem
        self._session = session
        self._program = program
        self._phases = phases
        self._block = int(problem.parameters["block"])
        self.source = source
        self._kind = problem.distance_type
        self._floor = distance_floor(problem)
        self.n = np.int32(problem.graph.n)
        self.m = np.int64(problem.graph.m)
        self.distance = self.distances()
        self.state = self._upload(np.zeros(2, dtype=np.int32), session)

    def rows(self) -> tuple[Any, Any, Any]:
        """The graph as rows: ``indptr`` (n + 1,) int64, ``indices`` (m,) int32, ``weights`` (m,)."""
        graph = self._problem.graph
        return self._graph_arrays("rows", lambda: (graph.indptr, graph.indices, self._problem.weights()))

    def rows_in_layout(self) -> tuple[str, tuple[Any, ...]]:
        """The kernel that relaxes rows of the layout chosen, and the graph as it takes it.

        Raises
        ------
        OutOfMemory, Cancelled
            As `padded_rows_on_device`.
        """
        layout = self._problem.parameters["layout"]
        return ("relax", self.rows()) if layout == CSR else ("relax_padded", self._padded_rows(layout))

    def _padded_rows(self, layout: str) -> tuple[Any, ...]:
        problem, phases = self._problem, self._phases

        def build(session: DeviceSession) -> tuple[Any, ...]:
            graph = problem.graph
            first, second, third = (
                self._upload(array, self._session) for array in (graph.indptr, graph.indices, problem.weights())
            )  # in the trial's session: they go when it ends
            return padded_rows_on_device(problem, session, phases, (first, second, third), layout)

        return problem.graph_on(self._session, layout, build)

    def arcs(self) -> tuple[Any, Any, Any]:
        """The graph as a list of arcs: ``tails``, ``heads`` (m,) int32, ``weights`` (m,)."""
        graph = self._problem.graph
        with self._phases.measure("prepare"):
            tails = graph.tails
        return self._graph_arrays("arcs", lambda: (tails, graph.indices, self._problem.weights()))

    def distances(self) -> Any:
        """Allocate another array of distances, uninitialised."""
        return self._empty(self._problem.graph.n, self._kind.dtype)

    def flags(self) -> Any:
        """Allocate a flag per vertex, (n,) uint8, uninitialised."""
        return self._empty(self._problem.graph.n, np.uint8)

    def start_distances(self, distances: Any) -> None:
        """Queue the initial distances: 0 at the source, infinity elsewhere."""
        self.launch("start_distances", self.n, np.int32(self.source), distances)

    def start_flags(self, flags: Any, *, source: bool) -> None:
        """Queue the initial flags: all cleared, the source's set if ``source``."""
        self.launch("start_flags", self.n, np.int32(self.source if source else -1), flags)

    def launch(self, kernel: str, items: np.signedinteger[Any], *arguments: Any, grid: int | None = None) -> None:
        """Queue ``kernel`` with a thread for each item, or with ``grid`` blocks where that is fewer.

        ``items`` is also the kernel's first argument, in the type it has here.
        """
        blocks = -(-int(items) // self._block)
        self._program.launch(kernel, (min(blocks, grid or blocks),), (self._block,), items, *arguments)

    def limits(self, number: int) -> tuple[Any, ...]:
        """The last three arguments of every relax kernel in pass ``number``: floor, state, pass."""
        return self._floor, self.state, np.int32(number)

    def progress(self, number: int) -> tuple[Any, ...]:
        """The last two arguments of the kernels that follow it in pass ``number``: state, pass."""
        return self.state, np.int32(number)

    def _empty(self, shape: int, dtype: DTypeLike) -> Any:
        with self._phases.measure("prepare"):
            return self._session.empty(shape, dtype)

    def _graph_arrays(self, key: str, arrays: Callable[[], tuple[NDArray[Any], ...]]) -> tuple[Any, Any, Any]:
        def build(session: DeviceSession) -> tuple[Any, Any, Any]:
            first, second, third = (self._upload(array, session) for array in arrays())
            return first, second, third

        return self._problem.graph_on(self._session, key, build)

    def _upload(self, array: NDArray[Any], session: DeviceSession) -> Any:
        with self._phases.measure("prepare"):
            buffer = session.empty(len(array), array.dtype)
        with self._phases.measure("h2d"):
            session.write(buffer, array)
        return buffer


def distance_floor(problem: Problem) -> np.generic:
    """A lower bound on the length of any simple path, as a scalar of the distance type.

    A walk below it has gone round a negative cycle. Integers: minus the bound on path lengths, widened by what
    float64 may have rounded off it. Floating point: twice as low, beyond all that rounding adds up to on a path.
    """
    kind, bound = problem.distance_type, problem.graph.path_bound
    if kind.is_integer:
        return kind.dtype.type(-min(int(bound * (1 + 1e-9)) + 1, int(kind.infinity)))
    return kind.dtype.type(-2 * bound)
