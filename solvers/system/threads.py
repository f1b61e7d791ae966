"""Thread teams that run compiled kernels on all cores.

Plain threads suffice because numba kernels and NumPy release the interpreter lock.
numba's own parallel loops are not used: not every threading layer may be entered by two
threads at once, and the renderer, an export and a solver run concurrently. No thread
has a lower priority than another: on a busy machine it would keep the interpreter's
lock from the window for as long as it waits for a processor.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, TypeVar

from solvers.system.array_types import AnyArray
from solvers.system.cancel import SILENT, Progress
from solvers.system.machine import cores

MAX_THREADS = 16
_CANCEL_POLL_S = 0.03

Result = TypeVar("Result")


class ThreadTeam:
    """A pool of threads that runs independent tasks; by default one for each available
    core, at most `MAX_THREADS`.

    With one thread, or one task, the caller's thread does the work.
    """

    def __init__(self, threads: int | None = None):
        self.threads = min(MAX_THREADS, cores()) if threads is None else threads
        self._pool = ThreadPoolExecutor(self.threads, "team") if self.threads > 1 else None

    def run(self, tasks: Iterable[Callable[[], object]], progress: Progress = SILENT) -> None:
        """Run every task, in no particular order. If `Cancelled`, running tasks are awaited."""
        tasks = list(tasks)
        if self._pool is None or len(tasks) == 1:
            for task in tasks:
                progress.checkpoint()
                task()
            return
        pending: set[Future[object]] = {self._pool.submit(task) for task in tasks}
        try:
            while pending:
                progress.checkpoint()
                done, pending = wait(pending, timeout=_CANCEL_POLL_S, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        finally:
            for future in pending:
                future.cancel()
            wait(pending)

    def run_over(
        self,
        ranges: Iterable[tuple[int, int]],
        work: Callable[..., object],
        *given: object,
        progress: Progress = SILENT,
    ) -> None:
        """Call ``work(*given, first, last)`` for each of the half-open ranges, as `run`."""
        self.run((partial(work, *given, *each) for each in ranges), progress)

    def run_on_rows(
        self,
        bands: Iterable[tuple[int, int]],
        work: Callable[..., object],
        arrays: Sequence[Any],
        *given: object,
    ) -> None:
        """Call ``work(*rows, *given)`` with the rows of the arrays in each band, as `run`."""
        self.run(
            partial(work, *(array[first:last] for array in arrays), *given) for first, last in bands
        )

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


@contextmanager
def thread_team(threads: int | None = None) -> Iterator[ThreadTeam]:
    """A team that is closed at the end of the ``with`` block."""
    team = ThreadTeam(threads)
    try:
        yield team
    finally:
        team.close()


def in_threads(threads: int, work: Callable[..., Result], *given: object) -> list[Result]:
    """Results of ``work(t, *given)`` for each ``t`` below ``threads``, all at once.

    For kernels that take some milliseconds or more. A ``prange`` around one starts in
    less time, but takes longer to compile than most kernels; a loop over arrays that is
    written inside of it is some per cent faster, as numba then knows that they do not overlap.
    """
    others = [_idle_threads().submit(work, t, *given) for t in range(1, threads)]
    try:
        return [work(0, *given), *(other.result() for other in others)]
    finally:
        wait(others)


def in_background(work: Callable[..., Result], *given: object) -> Future[Result]:
    """``work(*given)``, by an idle thread. For short work: nothing cancels it."""
    return _idle_threads().submit(work, *given)


def ask_for_help(helpers: int, work: Callable[[int], object]) -> None:
    """``work(t)`` for each ``t`` from 1 to ``helpers``, by kept threads, as soon as they can.

    Returns at once. For work that can be done without them, and that ends by itself
    where it comes too late: nobody waits for it.
    """
    _helpers().ask(helpers, work)


class _Helpers:
    """As many threads as have been asked for at once, which sleep meanwhile."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[int, int, Callable[[int], object]]] = SimpleQueue()
        self._threads = 0
        self._growing = threading.Lock()

    def ask(self, helpers: int, work: Callable[[int], object]) -> None:
        if helpers > self._threads:
            with self._growing:
                while self._threads < helpers:
                    self._threads += 1
                    threading.Thread(target=self._serve, name="helper", daemon=True).start()
        self._asked.put((1, helpers, work))

    def _serve(self) -> None:
        while True:
            first, last, work = self._asked.get()
            middle = (first + 1 + last) // 2
            for begin, end in ((first + 1, middle), (middle + 1, last)):  # they wake others
                if begin <= end:
                    self._asked.put((begin, end, work))
            work(first)
            del work  # with the arrays that it was given, while this thread sleeps


def in_watched_threads(
    threads: int,
    watch: Callable[[], object],
    stop: AnyArray,
    work: Callable[..., object],
    *given: object,
) -> None:
    """Call ``work(t, *given)`` for each ``t`` below ``threads``, all at once, while this
    thread calls ``watch`` some thirty times a second. If that raises, ``stop[0]`` becomes 1,
    at which the work ends.

    For work of seconds: its threads are its own, so that short work need not wait for it.
    """
    with ThreadPoolExecutor(threads, "watched") as pool:
        pending = [pool.submit(work, t, *given) for t in range(threads)]
        try:
            while wait(pending, timeout=_CANCEL_POLL_S).not_done:
                watch()
            for one in pending:
                one.result()
        finally:
            stop[0] = 1


@cache
def _idle_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), "share")


@cache
def _helpers() -> _Helpers:
    return _Helpers()


if hasattr(os, "register_at_fork"):  # threads stay with the parent
    os.register_at_fork(after_in_child=_idle_threads.cache_clear)
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def split_evenly(total: int, parts: int) -> list[tuple[int, int]]:
    """Split ``range(total)`` into at most ``parts`` non-empty half-open ranges of
    nearly equal length, in order.
    """
    parts = max(1, min(parts, total))
    cuts = [total * i // parts for i in range(parts + 1)]
    return [(first, last) for first, last in pairwise(cuts) if last > first]


def run_sequences(
    team: ThreadTeam,
    work: Callable[[int, int, int], object],
    sequences: Sequence[Sequence[tuple[int, int]]],
    progress: Progress = SILENT,
) -> None:
    """Call ``work(i, first, last)`` for every range of every sequence ``i``.

    Sequences run concurrently; the ranges of one sequence run in order. Raises
    `Cancelled` between two ranges.
    """
    for step in range(max(map(len, sequences), default=0)):
        tasks = (
            partial(work, i, *ranges[step])
            for i, ranges in enumerate(sequences)
            if step < len(ranges)
        )
        team.run(tasks, progress)
