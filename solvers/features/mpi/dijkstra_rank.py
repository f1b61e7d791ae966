"""Dijkstra's algorithm over MPI ranks (Song 2025, Algorithm 2).

The vertices are padded to a multiple of the number of ranks and divided into equal
ranges; a rank owns the columns of its vertices in the adjacency matrix, or the arcs
that lead to them. In each round every rank contributes its nearest unsettled vertex,
one Allreduce (MINLOC) finds the nearest of all, and every rank relaxes its own columns
from it. The paper's listing leaves that relaxation out; without it no distance but the
source's would ever be found. At the end the parts are gathered in rank 0.

Manually, on a cluster, with its own launcher and a host file::

    mpiexec -n 8 -hostfile hosts python -m solvers.features.mpi.dijkstra_rank \\
        --graph road.gr --source 1 --output distances.npy

Each machine needs Tautpath, and an mpi4py built for the cluster's MPI; only rank 0
needs to see the graph file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.algorithms.dijkstra.nearest import nearest_unsettled
from solvers.features.mpi import kernels
from solvers.features.mpi.handover import Answer, Arcs, Control, Ending, HandOver
from solvers.features.mpi.ranks import (
    Ranks,
    parse_command_line,
    read_on_first,
    report_unattended,
    save_unattended,
    serve_task,
)
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Int32s, UInt8s

CSR, MATRIX = "csr", "matrix"

# as a length it is less than any, so it wins the reduction, and all ranks stop in the
# same round
_STOP = -1

Relax = Callable[[int, Any], int]
"""Relaxes the rank's own columns from a vertex at a length; how many improved."""


@dataclass(frozen=True)
class DijkstraSettings:
    source: int  # vertex index
    layout: str = MATRIX  # "matrix" or "csr"
    # also bring, for each round, the vertex settled, the vertices improved and the time
    watched: bool = False


@dataclass(frozen=True, eq=False)
class Columns:
    """State of the vertices that a rank owns, starting at ``first``."""

    first: int
    distances: AnyArray
    predecessors: Int32s
    settled: UInt8s

    @classmethod
    def owned_by(cls, ranks: Ranks, arcs: Arcs, source: int) -> Columns:
        """Columns of one rank: all ranks have equally many; columns past the last
        vertex are padding without arcs.
        """
        count = -(-arcs.n // ranks.size)
        first = ranks.rank * count
        distances = np.full(
            count, weight_type(arcs.weights.dtype).infinity, dtype=arcs.weights.dtype
        )
        if first <= source < first + count:
            distances[source - first] = 0
        return cls(
            first, distances, np.full(count, -1, dtype=np.int32), np.zeros(count, dtype=np.uint8)
        )


def solve(ranks: Ranks, arcs: Arcs, settings: DijkstraSettings, control: Control) -> Answer | None:
    """Distances and predecessors from the source, in rank 0; None in the others. Called
    in every rank.
    """
    columns = Columns.owned_by(ranks, arcs, settings.source)
    relax = (_matrix_relaxation if settings.layout == MATRIX else _arc_relaxation)(arcs, columns)
    _warm_up(arcs, columns, relax)
    log = _RoundLog(arcs.n) if settings.watched else None
    ranks.barrier()
    started = time.perf_counter()
    rounds, stopped = _settle_all(ranks, columns, relax, control, log)
    distances, predecessors = ranks.gather(columns.distances), ranks.gather(columns.predecessors)
    ranks.barrier()
    solve_ms = (time.perf_counter() - started) * 1e3
    arrays = {} if log is None else log.arrays(ranks, rounds)
    if distances is None or predecessors is None:
        return None
    arrays |= {"distances": distances[: arcs.n], "predecessors": predecessors[: arcs.n]}
    return Answer(Ending.CANCELLED if stopped else Ending.SOLVED, rounds, solve_ms, arrays)


def _settle_all(
    ranks: Ranks, columns: Columns, relax: Relax, control: Control, log: _RoundLog | None
) -> tuple[int, bool]:
    """Settle vertices until none can be reached or the run is cancelled; returns the
    rounds, and whether cancelled.
    """
    infinity = weight_type(columns.distances.dtype).infinity
    nearest = ranks.nearest(columns.distances.dtype)
    rounds = 0
    while True:
        own = nearest_unsettled(columns.distances, columns.settled, infinity)
        length, vertex = (infinity, 0) if own < 0 else (columns.distances[own], columns.first + own)
        if ranks.is_first and control.stop_wanted():
            length, vertex = _STOP, 0
        length, vertex = nearest.agree(length, vertex)
        if length == _STOP or length >= infinity:
            return rounds, length == _STOP
        if own >= 0 and vertex == columns.first + own:
            columns.settled[own] = 1
        improved = relax(vertex, length)
        if log is not None:
            log.note(rounds, vertex, improved)
        rounds += 1
        control.report(rounds)


def _matrix_relaxation(arcs: Arcs, columns: Columns) -> Relax:
    """A function that relaxes the rank's columns of a matrix row."""
    count = len(columns.distances)
    block = np.full(
        (arcs.n, count), weight_type(arcs.weights.dtype).infinity, dtype=arcs.weights.dtype
    )
    kernels.fill_columns(arcs.indptr, arcs.indices, arcs.weights, columns.first, block)
    return lambda u, length: kernels.relax_cells(
        block[u], u, length, columns.distances, columns.predecessors
    )


def _arc_relaxation(arcs: Arcs, columns: Columns) -> Relax:
    """A function that relaxes the arcs from a vertex to the rank's columns."""
    first, last = columns.first, columns.first + len(columns.distances)
    own = np.flatnonzero((arcs.indices >= first) & (arcs.indices < last))
    bounds = np.searchsorted(own, arcs.indptr)
    heads = (arcs.indices[own] - first).astype(np.int32)
    weights = np.asarray(arcs.weights[own])

    def relax(u: int, length: Any) -> int:
        row = slice(bounds[u], bounds[u + 1])
        return kernels.relax_arcs(
            heads[row], weights[row], u, length, columns.distances, columns.predecessors
        )

    return relax


def _warm_up(arcs: Arcs, columns: Columns, relax: Relax) -> None:
    """Compile both kernels, or load them from the cache, before timing; from infinity
    nothing improves.
    """
    infinity = weight_type(arcs.weights.dtype).infinity
    relax(0, infinity)
    nearest_unsettled(columns.distances, columns.settled, infinity)


class _RoundLog:
    """Log of this rank's work in every round."""

    def __init__(self, n: int):
        self._order = np.empty(n, dtype=np.int32)
        self._improved = np.empty(n, dtype=np.int32)
        self._ms = np.empty(n)
        self._last = time.perf_counter()

    def note(self, round_number: int, vertex: int, improved: int) -> None:
        now = time.perf_counter()
        self._order[round_number] = vertex
        self._improved[round_number] = improved
        self._ms[round_number] = (now - self._last) * 1e3
        self._last = now

    def arrays(self, ranks: Ranks, rounds: int) -> dict[str, AnyArray]:
        """Arrays for the answer, with the improvements of all ranks added up; empty
        except in rank 0.
        """
        improved = ranks.total(self._improved[:rounds])
        if improved is None:
            return {}
        return {"order": self._order[:rounds], "improved": improved, "ms": self._ms[:rounds]}


def main() -> None:
    """Run as one rank, started manually or by Tautpath's launcher."""
    arguments = parse_command_line(__doc__, _configure)
    if arguments.folder:
        serve_task(arguments.folder, DijkstraSettings, _solve_task)
    ranks = Ranks()
    arcs, settings, _ = read_on_first(
        ranks, arguments, DijkstraSettings, lambda graph: _settings(graph, arguments)
    )
    answer = solve(ranks, arcs, settings, Control.unattended())
    if answer is not None:
        save_unattended(arguments.output, answer.arrays["distances"])
        report_unattended(ranks, arcs, answer, arguments.output)
    ranks.end()


def _solve_task(
    ranks: Ranks, hand_over: HandOver, arcs: Arcs, settings: DijkstraSettings
) -> Answer | None:
    return solve(ranks, arcs, settings, hand_over.control)


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--source",
        type=int,
        metavar="ID",
        help="source vertex, by the file's id (default: its first)",
    )
    parser.add_argument(
        "--layout",
        choices=(CSR, MATRIX),
        default=MATRIX,
        help="what a rank holds (default: matrix)",
    )


def _settings(graph: Graph, arguments: argparse.Namespace) -> DijkstraSettings:
    """Settings from the command line; raises `UnknownVertex` or `UnsuitableGraph`."""
    from solvers.core.requirements import require_nonnegative

    require_nonnegative(graph, "dijkstra-mpi")
    return DijkstraSettings(
        0 if arguments.source is None else graph.vertex(arguments.source), arguments.layout
    )


if __name__ == "__main__":
    main()
