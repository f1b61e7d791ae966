"""A rank program for the tests: solves every graph of `tests.graphs` with both rank
programs, in one start of MPI.

Starting ranks takes a second and solving a small graph a millisecond. Rank 0 compares
with the tests' own answers, and fails with the name of the graph; the last line says
how many were right.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import cycle_tolerance
from solvers.features.mpi import dijkstra_rank as dijkstra
from solvers.features.mpi import floyd_warshall_rank as floyd_warshall
from solvers.features.mpi.handover import Arcs, Control, Ending
from solvers.features.mpi.ranks import _PAIRS, Nearest, Ranks
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from tests import graphs


def all_graphs() -> Iterator[Graph]:
    for dtype in graphs.DTYPES:
        for name in (*graphs.BY_HAND, *graphs.NEGATIVE):
            yield graphs.by_hand(name, dtype)
        yield graphs.at_random(61, 200, seed=11, dtype=dtype)
        yield graphs.hill(53, 180, seed=12, dtype=dtype)


def arcs_of(graph: Graph) -> Arcs:
    return Arcs(graph.indptr, graph.indices, graph.weights.astype(graph.distance_type.dtype))


def expect_dijkstra(ranks: Ranks, graph: Graph, layout: str) -> None:
    source = graph.n // 3
    answer = dijkstra.solve(
        ranks, arcs_of(graph), dijkstra.DijkstraSettings(source, layout), Control.unattended()
    )
    if answer is not None:
        right = graphs.right_distances(graph, source)
        expect_equal(answer.arrays["distances"], right, f"{graph.name}, {layout}")
        assert answer.iterations == np.isfinite(right).sum(), (
            f"{graph.name}: every vertex in reach settles once"
        )


def expect_floyd_warshall(ranks: Ranks, graph: Graph) -> None:
    arcs = arcs_of(graph)
    settings = floyd_warshall.FloydWarshallSettings(
        cycle_tolerance(graph, graph.distance_type), graph.has_negative_weights
    )
    target = np.empty((graph.n, graph.n), dtype=arcs.weights.dtype) if ranks.is_first else None
    answer = floyd_warshall.solve(ranks, arcs, settings, Control.unattended(), target)
    if target is not None:
        assert answer is not None
        assert answer.ending is Ending.SOLVED
        expect_equal(target, graphs.right_matrix(graph), graph.name)


def expect_equal(found: np.ndarray, right: np.ndarray, name: str) -> None:
    exact = found.dtype.kind == "i"
    tolerance = 0 if exact else 20 * np.finfo(found.dtype).eps
    np.testing.assert_allclose(
        to_float(found), right, rtol=tolerance, atol=tolerance * 100, err_msg=name
    )


def expect_negative_cycles(ranks: Ranks) -> int:
    """All ranks stop together, in a step that the serial loop would stop in, whichever
    rank saw the diagonal fall.
    """
    for name in graphs.NEGATIVE_CYCLES:
        graph, _ = graphs.with_negative_cycle(name)
        target = np.empty((graph.n, graph.n), dtype=np.int32) if ranks.is_first else None
        answer = floyd_warshall.solve(
            ranks,
            arcs_of(graph),
            floyd_warshall.FloydWarshallSettings(0, True),
            Control.unattended(),
            target,
        )
        if answer is not None:
            assert answer.ending is Ending.NEGATIVE_CYCLE, name
            assert 1 <= answer.iterations <= graph.n, name
    return len(graphs.NEGATIVE_CYCLES)


def expect_nearest(ranks: Ranks) -> None:
    """The least length wins, among equals the least vertex; with a pair type of MPI,
    and without as on Windows.
    """
    for dtype in _PAIRS:
        with_pair = ranks.nearest(dtype)
        without = Nearest(ranks, ranks._comm, ranks._mpi, with_pair._mine.dtype, None)
        for nearest in (with_pair, without):
            assert nearest.agree(10 - ranks.rank, 100 + ranks.rank) == (
                11 - ranks.size,
                99 + ranks.size,
            )
            assert nearest.agree(7, 100 + ranks.rank) == (7, 100)
            assert nearest.agree(2**30 - 1 if ranks.rank else -1, 0) == (-1, 0)


def main() -> None:
    ranks = Ranks(cores=2)
    expect_nearest(ranks)
    right = expect_negative_cycles(ranks)
    for graph in all_graphs():
        if not graph.has_negative_weights:
            expect_dijkstra(ranks, graph, "matrix")
            expect_dijkstra(ranks, graph, "csr")
        expect_floyd_warshall(ranks, graph)
        right += 1
    if ranks.is_first:
        sys.stdout.write(f"{right} graphs right on {ranks.size} ranks\n")
    ranks.end()


if __name__ == "__main__":
    main()
