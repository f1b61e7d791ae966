"""For tests that start ranks: the mark that skips where none can be started, graphs of
some seconds' work, and a look at which processes live.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import psutil
import pytest

import solvers
from solvers.core.availability import mpi_error
from solvers.features.mpi.handover import Arcs
from solvers.graphs.graph import Graph
from tests import graphs

ROOT = Path(solvers.__file__).parents[1]
LACKING = mpi_error()
needs_ranks = pytest.mark.skipif(LACKING is not None, reason=str(LACKING))


def long_work() -> Arcs:
    """A matrix of 2,500 x 2,500: Floyd-Warshall has seconds to do, and steps of a millisecond."""
    return arcs_of(graphs.at_random(2_500, 5_000, seed=2))


def arcs_of(graph: Graph) -> Arcs:
    return Arcs(graph.indptr, graph.indices, graph.weights)


def still_alive(processes: Iterable[int], patience_s: float = 5.0) -> list[int]:
    """Those that have not ended: it takes the system a moment after a kill."""
    deadline = time.monotonic() + patience_s
    living = list(processes)
    while living and time.monotonic() < deadline:
        living = [pid for pid in living if _is_alive(pid)]
        time.sleep(0.01)
    return living


def _is_alive(pid: int) -> bool:
    """Whether it runs; one that has ended and that nobody asked about (a zombie) does not.

    A process may end between the opening of its file below /proc and the reading;
    psutil takes both for its end.
    """
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def descendants() -> list[psutil.Process]:
    """All descendants of this process, but for the helper that Python's multiprocessing
    keeps once it is used.
    """
    return [child for child in psutil.Process().children(recursive=True) if _is_one_of_ours(child)]


def _is_one_of_ours(child: psutil.Process) -> bool:
    try:
        return "multiprocessing.resource_tracker" not in " ".join(child.cmdline())
    except psutil.NoSuchProcess:  # it has ended since it was listed
        return False
