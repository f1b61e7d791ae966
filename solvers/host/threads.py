"""Work on all cores: kernels let go of the interpreter's lock, as NumPy does, so plain threads do.

Not numba's own parallel loops: their thread pool may not be entered by two threads at once, and the renderer, an
export and a solver do run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

from solvers.host.machine import cores
from solvers.host.observer import SILENT, Observer

MOST_THREADS = 16
_LOOK_S = 0.03  # between two looks at whether to cancel


class ThreadTeam:
    """Threads that share pieces of work.

    Parameters
    ----------
    threads : int, optional
        As many as there are cores by default. With one, the work is done by the caller; so is a lone piece.
    """

    def __init__(self, threads: int | None = None):
        self.threads = min(MOST_THREADS, cores()) if threads is None else threads
        self._pool = ThreadPoolExecutor(self.threads, "team") if self.threads > 1 else None

    def run(self, pieces: Iterable[Callable[[], object]], observer: Observer = SILENT) -> None:
        """Do every piece, in no particular order; returns when all are done.

        Raises
        ------
        Cancelled
            Once the observer says so: pieces in hand are waited for, the others left undone.
        """
        pieces = list(pieces)
        if self._pool is None or len(pieces) == 1:
            for piece in pieces:
                observer.checkpoint()
                piece()
            return
        waiting: set[Future[object]] = {self._pool.submit(piece) for piece in pieces}
        try:
            while waiting:
                observer.checkpoint()
                done, waiting = wait(waiting, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        finally:
            for future in waiting:
                future.cancel()
            wait(waiting)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


@contextmanager
def thread_team(threads: int | None = None) -> Iterator[ThreadTeam]:
    """A team for one task."""
    team = ThreadTeam(threads)
    try:
        yield team
    finally:
        team.close()


def shares(total: int, parts: int) -> list[tuple[int, int]]:
    """``0 .. total`` cut into at most ``parts`` runs (first, last) of nearly equal length, in order; none is empty."""
    parts = max(1, min(parts, total))
    cuts = [total * i // parts for i in range(parts + 1)]
    return [(first, last) for first, last in pairwise(cuts) if last > first]


def in_turns(
    team: ThreadTeam,
    work: Callable[[int, int, int], object],
    runs: Sequence[Sequence[tuple[int, int]]],
    observer: Observer = SILENT,
) -> None:
    """Call ``work(i, first, last)`` for the pieces of every run ``i``: runs at once, pieces of one run in order.

    Raises
    ------
    Cancelled
        Between two pieces.
    """
    for turn in range(max(map(len, runs), default=0)):
        team.run((partial(work, i, *run[turn]) for i, run in enumerate(runs) if turn < len(run)), observer)
