"""Floyd-Warshall over MPI ranks (Wang 2024, section 4.2).

Every rank owns a run of rows. In step k the owner of row k broadcasts it, and every
rank relaxes its own rows through k. Nothing else crosses until the end, when rank 0
collects the rows, band by band, into a mapped file: no rank ever holds the whole matrix
in memory.

Manually, on a cluster, with its own launcher and a host file::

    mpiexec -n 8 -hostfile hosts python -m solvers.features.mpi.floyd_warshall_rank \\
        --graph small.gr --output distances.npy

Each machine needs Tautpath, and an mpi4py built for the cluster's MPI; only rank 0
needs to see the graph file.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.format import open_memmap

from solvers.features.mpi import kernels
from solvers.features.mpi.handover import Answer, Arcs, Control, Ending, HandOver
from solvers.features.mpi.ranks import (
    Ranks,
    parse_command_line,
    read_on_first,
    report_unattended,
    serve_task,
)
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float, weight_type
from solvers.system.array_types import AnyArray, Float64s
from solvers.system.cancel import SILENT

_GO_ON, _CANCELLED, _NEGATIVE = 0, 1, 2
_CELLS_BETWEEN_CHECKS = 20_000_000  # about 10 ms
_BAND_BYTES = 2**26


@dataclass(frozen=True)
class FloydWarshallSettings:
    # how far below zero rounding alone may take the diagonal
    # (`floyd_warshall.matrix.cycle_tolerance`)
    tolerance: float
    negative_weights: bool  # the diagonal is then checked after every step
    # steps, from 0, after which the matrix is collected and held out; none in unwatched runs
    shown_steps: Sequence[int] = ()


def solve(
    ranks: Ranks,
    arcs: Arcs,
    settings: FloydWarshallSettings,
    control: Control,
    target: AnyArray | None,
    step_ms: Float64s | None = None,
) -> Answer | None:
    """All distances, collected in rank 0; None in the others. Called in every rank.

    In rank 0, ``target``, (n, n), takes the matrix, of the weights' type, or float64
    with inf where unreachable, and ``step_ms``, (n,), the time of every step as it is
    made; None in unwatched runs.
    """
    bounds = row_bounds(arcs.n, ranks.size)
    first, last = bounds[ranks.rank], bounds[ranks.rank + 1]
    block = np.full(
        (last - first, arcs.n), weight_type(arcs.weights.dtype).infinity, dtype=arcs.weights.dtype
    )
    kernels.fill_rows(arcs.indptr, arcs.indices, arcs.weights, first, block)
    rows = _Rows(ranks, bounds, block, target)
    rows.warm_up(settings)
    ranks.barrier()
    started = time.perf_counter()
    steps, word = _relax_all(rows, settings, control, step_ms)
    ranks.barrier()
    solve_ms = (time.perf_counter() - started) * 1e3
    if word == _GO_ON:
        rows.collect()
    if target is None:
        return None
    ending = {
        _GO_ON: Ending.SOLVED,
        _CANCELLED: Ending.CANCELLED,
        _NEGATIVE: Ending.NEGATIVE_CYCLE,
    }[word]
    return Answer(ending, steps, solve_ms, {"distances": target} if ending is Ending.SOLVED else {})


def row_bounds(n: int, ranks: int) -> tuple[int, ...]:
    """Bounds of the ranks' rows: rank r owns ``bounds[r]`` to ``bounds[r + 1] - 1``;
    counts differ by at most one.
    """
    return tuple(n * rank // ranks for rank in range(ranks + 1))


class _Rows:
    """The rows of one rank, and their exchange with the others."""

    def __init__(
        self,
        ranks: Ranks,
        bounds: tuple[int, ...],
        block: AnyArray,
        target: AnyArray | None,
    ):
        self.ranks = ranks
        self.block = block
        self.n = block.shape[1]
        self.first = bounds[ranks.rank]
        self._bounds = bounds
        self._target = target
        self._pivot = np.empty(self.n, dtype=block.dtype)
        self._infinity = weight_type(block.dtype).infinity

    def warm_up(self, settings: FloydWarshallSettings) -> None:
        """Compile the kernel, or load it from the cache, before timing."""
        self._relax(self.block[:0], 0, settings)

    def relax_through(self, k: int, settings: FloydWarshallSettings) -> bool:
        """Step k: receive row k from its owner, then relax this rank's rows; False if
        its diagonal turns negative.
        """
        owner = int(np.searchsorted(self._bounds, k, side="right")) - 1
        if owner == self.ranks.rank:
            self._pivot[:] = self.block[k - self.first]
        self.ranks.broadcast(self._pivot, owner)
        return self._relax(self.block, k, settings)

    def _relax(self, block: AnyArray, k: int, settings: FloydWarshallSettings) -> bool:
        return kernels.relax_rows(
            block,
            self.first,
            self._pivot,
            k,
            self._infinity,
            settings.tolerance,
            settings.negative_weights,
        )

    def collect(self) -> None:
        """Collect all rows in rank 0's target, band by band."""
        height = max(1, _BAND_BYTES // max(1, self.n * self.block.itemsize))
        if self._target is None:
            for top in range(0, len(self.block), height):
                self.ranks.send_to_first(self.block[top : top + height])
            return
        _write(self._target, self.first, self.block)
        for sender in range(1, self.ranks.size):
            for top in range(self._bounds[sender], self._bounds[sender + 1], height):
                band = np.empty(
                    (min(height, self._bounds[sender + 1] - top), self.n), dtype=self.block.dtype
                )
                self.ranks.receive(band, sender)
                _write(self._target, top, band)


def _write(target: AnyArray, top: int, band: AnyArray) -> None:
    target[top : top + len(band)] = band if band.dtype == target.dtype else to_float(band)


def _relax_all(
    rows: _Rows,
    settings: FloydWarshallSettings,
    control: Control,
    step_ms: Float64s | None,
) -> tuple[int, int]:
    """Make steps until all are done or all ranks stop together; returns their number
    and how the run ended.
    """
    ranks, shown = rows.ranks, frozenset(settings.shown_steps)
    largest = -(-rows.n // ranks.size)
    between = (
        1
        if settings.negative_weights
        else max(1, _CELLS_BETWEEN_CHECKS // max(1, largest * rows.n))
    )
    for k in range(rows.n):
        begun = time.perf_counter()
        word = _GO_ON if rows.relax_through(k, settings) else _NEGATIVE
        if k % between == 0:
            if word == _GO_ON and ranks.is_first and control.stop_wanted():
                word = _CANCELLED
            word = ranks.most(word)
            if word != _GO_ON:
                return k + 1, word
        if step_ms is not None:
            step_ms[k] = (time.perf_counter() - begun) * 1e3
        control.report(k + 1)
        if k in shown:
            rows.collect()
            if ranks.is_first:
                control.show(k + 1)
    return rows.n, _GO_ON


def main() -> None:
    """Run as one rank, started manually or by Tautpath's launcher."""
    arguments = parse_command_line(__doc__, lambda parser: None)
    if arguments.folder:
        serve_task(arguments.folder, FloydWarshallSettings, _solve_task)
    ranks = Ranks()
    arcs, settings, graph = read_on_first(ranks, arguments, FloydWarshallSettings, _settings)
    _solve_unattended(ranks, arcs, settings, graph, arguments.output)
    ranks.end()


def _solve_task(
    ranks: Ranks, hand_over: HandOver, arcs: Arcs, settings: FloydWarshallSettings
) -> Answer | None:
    target = step_ms = None
    if ranks.is_first:
        target = hand_over.result("distances", (arcs.n, arcs.n), arcs.weights.dtype)
        step_ms = (
            hand_over.result("step_ms", (arcs.n,), np.float64) if settings.shown_steps else None
        )
    return solve(ranks, arcs, settings, hand_over.control, target, step_ms)


def _solve_unattended(
    ranks: Ranks, arcs: Arcs, settings: FloydWarshallSettings, graph: Graph | None, output: str
) -> None:
    """Solve in a manually started run; rank 0, which alone has the graph, writes
    ``output`` atomically.
    """
    from solvers.algorithms.floyd_warshall.matrix import negative_cycle
    from solvers.system.files import replace_atomically

    if graph is None:
        solve(ranks, arcs, settings, Control.unattended(), None)
        return
    with replace_atomically(output) as beside:
        target = open_memmap(beside, mode="w+", dtype=np.float64, shape=(arcs.n, arcs.n))
        answer = solve(ranks, arcs, settings, Control.unattended(), target)
        assert answer is not None  # rank 0 has it
        if answer.ending is Ending.NEGATIVE_CYCLE:
            raise negative_cycle(graph, answer.iterations, SILENT)
    report_unattended(ranks, arcs, answer, output)


def _settings(graph: Graph) -> FloydWarshallSettings:
    from solvers.algorithms.floyd_warshall.matrix import cycle_tolerance

    return FloydWarshallSettings(
        cycle_tolerance(graph, graph.distance_type), graph.has_negative_weights
    )


if __name__ == "__main__":
    main()
