"""Has the ranks of a program solve a problem on this machine; those of earlier trials, if there are any."""

from __future__ import annotations

from typing import Any

from solvers.algorithms.mpi.control import MOST_RANKS
from solvers.algorithms.mpi.handover import Answer, Arcs
from solvers.algorithms.mpi.rank_group import Look, RankGroup
from solvers.contracts.trial_scope import TrialScope
from solvers.host import machine
from solvers.host.mpi_discovery import availability_error
from solvers.host.observer import Observer
from solvers.parameters import Parameter

RANKS = Parameter("ranks", 2, "MPI processes on this machine; 0 takes one per core", low=0, high=MOST_RANKS)


def count_of_ranks(asked: int) -> int:
    """Number of ranks for the parameter ``ranks``: 0 means one per core."""
    return asked or min(MOST_RANKS, machine.cores())


def solve_by_ranks(
    program: str,
    arcs: Arcs,
    settings: Any,
    ranks: int,
    observer: Observer,
    look: Look = lambda hand_over: None,
    scope: TrialScope | None = None,
) -> Answer:
    """Have the ranks of a program solve one task.

    Parameters
    ----------
    program : str
        Its module ("solvers.algorithms.dijkstra.mpi_rank").
    arcs : Arcs
    settings : dataclass instance
        The program's own settings, a dataclass.
    ranks : int
    observer : Observer
        Receives progress and is checked for cancellation.
    look : callable
        Called every few milliseconds with the open folder.
    scope : TrialScope or None
        Keeps the ranks for the next trial; None: they end with this one. An error or a cancellation always ends them.

    Raises
    ------
    MpiUnavailable, RankFailed, FileNotWritten, Cancelled
    """
    unavailable = availability_error()
    if unavailable is not None:
        raise unavailable
    observer.checkpoint()
    if scope is None:
        with TrialScope() as only:
            return solve_by_ranks(program, arcs, settings, ranks, observer, look, only)
    key = program, ranks
    group = scope.keep(key, lambda: RankGroup(program, ranks))
    try:
        return group.solve(arcs, settings, observer, look)
    except BaseException:
        scope.drop(key)
        raise
