"""Code shared by both rank programs: reading the graph and writing the answer.

Started by `launcher`, they receive a folder. Started manually, rank 0 reads the graph file and sends it to the others
through MPI, so that only the first machine of a cluster needs access to the file.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.mpi.handover import Answer, Arcs, HandOver
from solvers.algorithms.mpi.ranks import Ranks
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.text import plural


def parse(description: str, configure: Callable[[argparse.ArgumentParser], None]) -> argparse.Namespace:
    """Parse the command line of a rank program; ``configure`` adds the program's own options.

    ``folder`` is set where the launcher started it, ``graph`` and ``output`` where a person did.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--graph", metavar="FILE", help="DIMACS .gr, SNAP edge list, algs4, PACE or TIGER; or gzip")
    where.add_argument("--folder", metavar="DIR", help="a hand-over folder; how Tautline itself starts the ranks")
    parser.add_argument("--output", metavar="FILE.npy", help="where rank 0 writes the distances: float64, inf for none")
    parser.add_argument("--undirected", action="store_true", help="take every line as an edge, both ways")
    parser.add_argument("--weights", default="column", metavar="unit|column|random:LO:HI:SEED")
    configure(parser)
    arguments = parser.parse_args()
    if arguments.graph and not arguments.output:
        parser.error("--graph needs --output FILE.npy for the distances")
    return arguments


def open_folder(folder: str) -> tuple[Ranks, HandOver]:
    """Start as one of the launcher's ranks; returns the ranks and the folder.

    Raises
    ------
    RuntimeError
        Where the ranks do not find one another: mpiexec and mpi4py are of different makes.
    """
    hand_over = HandOver(Path(folder))
    expected, cores = hand_over.counts()
    ranks = Ranks(cores)
    hand_over.control.announce(ranks.rank)
    ranks.report_waits(hand_over.control.report_wait)
    if ranks.size != expected:
        raise RuntimeError(
            f"mpiexec started {plural(expected, 'rank')}, but each finds {ranks.size}: mpi4py was built for "
            "another MPI than this mpiexec belongs to; install both from the same source"
        )
    return ranks, hand_over


def serve(folder: str, solve: Callable[[Ranks, HandOver, Arcs, dict[str, Any]], Answer | None]) -> NoReturn:
    """Start as one of the launcher's ranks, solve task after task until there is none, and end the process.

    Parameters
    ----------
    solve : callable(ranks, hand_over, arcs, settings)
        Solves one task; returns the answer in rank 0, None in the others.
    """
    # numba, before it runs its first function, imports SciPy's linear algebra, which no rank uses; it takes as long as
    # the rest of that call.
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    ranks, hand_over = open_folder(folder)

    def solve_next() -> bool:  # whose arrays are freed when it ends: the wait for the next task may be long
        task = hand_over.next_task()
        if task is None:
            return False
        answer = solve(ranks, hand_over, *task)
        if answer is not None:
            hand_over.finish(answer)
        return True

    gc.disable()  # during a task, as in the trials of other variants
    solve_next()
    gc.freeze()  # what the first task has imported need not be looked at after each of the others
    while solve_next():
        gc.collect()
    ranks.end()


def read_on_first(
    ranks: Ranks, arguments: argparse.Namespace, prepare: Callable[[Graph], Any]
) -> tuple[Arcs, Any, Graph | None]:
    """Read the graph file in rank 0 and send it to all.

    Parameters
    ----------
    prepare : callable
        Makes the program's settings from the graph; may refuse it. Called in rank 0.

    Returns
    -------
    Arcs, settings, and in rank 0 the Graph

    Raises
    ------
    InputError
        In rank 0, for a bad file or option; it ends all ranks (see `Ranks`).
    """
    graph, settings, shapes = None, None, []
    arrays: tuple[NDArray[Any], ...] = ()
    if ranks.is_first:
        from solvers.graphs.readers import read_graph  # only who reads a file needs the parsers

        undirected = True if arguments.undirected else None
        graph = read_graph(arguments.graph, undirected=undirected, weights=arguments.weights).graph
        settings = prepare(graph)
        kind = graph.distance_type
        arrays = (graph.indptr, graph.indices, graph.weights.astype(kind.dtype, copy=False))
        shapes = [(len(array), array.dtype.str) for array in arrays]
    settings, shapes = ranks.broadcast_object((settings, shapes))
    arrays = arrays or tuple(np.empty(length, dtype=dtype) for length, dtype in shapes)
    for array in arrays:
        ranks.broadcast(array, root=0)
    return Arcs(*arrays), settings, graph


def save_unattended(output: str, distances: NDArray[Any]) -> None:
    """Write distances as float64, inf if unreachable, replacing an existing file atomically."""
    from solvers.host.files import replace_atomically

    with replace_atomically(output) as beside, open(beside, "wb") as file:
        np.save(file, to_float(distances))


def report_unattended(ranks: Ranks, arcs: Arcs, answer: Answer, output: str) -> None:
    """Print one line about the run."""
    sys.stdout.write(
        f"{plural(arcs.n, 'vertex', 'vertices')}, {plural(len(arcs.indices), 'arc')}, {plural(ranks.size, 'rank')}: "
        f"{plural(answer.iterations, 'iteration')} in {answer.solve_ms:.1f} ms; wrote {output}\n"
    )
