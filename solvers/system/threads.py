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
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from solvers.system.array_types import AnyArray
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import give_way, spin_once
from solvers.system.jit import njit
from solvers.system.machine import cores

MAX_THREADS = 16
_MOST_ASLEEP = 2 * MAX_THREADS  # helpers, though many callers may have wanted more at once
_CANCEL_POLL_S = 0.03
# The pause of a core is some 40 to 140 cycles. A thread looks every few pauses,
# and lets others run after some hundred microseconds.
_POLL, _SPINS = 6, 500

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
        """End the threads, for which nobody waits: on busy cores that takes longer than much
        of what they do.
        """
        if self._pool is not None:
            self._pool.shutdown(wait=False)


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

    For kernels that take some hundred microseconds or more: helpers are asked, and what
    none of them has begun when this thread is free is done here. A loop over arrays that is
    written inside of a ``prange`` is some per cent faster, as numba then knows that they do
    not overlap, but takes longer to compile than most kernels.
    """
    if threads == 1:
        return [work(0, *given)]
    shared = _Shared(threads, partial(_called, work, given))
    ask_for_help(threads - 1, shared.take)
    shared.take()
    try:
        shared.wait()
    except BaseException:  # by Ctrl-C: helpers still write to what they were given
        shared.wait()
        raise
    return shared.results()


def _called(work: Callable[..., Result], given: tuple[object, ...], t: int) -> Result:
    return work(t, *given)


class _Shared(Generic[Result]):
    """Calls of ``work``, each of which some thread takes."""

    def __init__(self, calls: int, work: Callable[[int], Result]):
        self._left, self._ended = deque(range(calls)), deque[int]()
        self._calls, self._work = calls, work
        self._results: dict[int, Result] = {}
        self._failures: dict[int, BaseException] = {}
        self._all_ended = threading.Event()

    def take(self, _: int = 0) -> None:
        """Take calls while there are any; of those that fail, `results` tells."""
        while True:
            try:
                t = self._left.popleft()
            except IndexError:
                return
            try:
                self._results[t] = self._work(t)
            except BaseException as error:  # raised where the results are wanted
                self._failures[t] = error
            self._ended.append(t)
            if len(self._ended) == self._calls:
                self._all_ended.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Whether all calls have ended, at the latest after some seconds."""
        return self._all_ended.wait(timeout)

    def results(self) -> list[Result]:
        """After the last call, in order; raises what the first that failed has raised."""
        if self._failures:
            failure = self._failures[min(self._failures)]
            self._failures.clear()  # what it has raised would hold itself, and what was given
            try:
                raise failure
            finally:
                del failure
        return [self._results[t] for t in range(self._calls)]


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
    """Threads that sleep meanwhile: as many as are wanted at once, of which `_MOST_ASLEEP`
    are kept.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[int, int, Callable[[int], object]]] = SimpleQueue()
        self._free = 0  # threads that neither work nor are asked to
        self._counting = threading.Lock()

    def ask(self, helpers: int, work: Callable[[int], object]) -> None:
        with self._counting:
            self._free -= helpers
            fresh = max(0, -self._free)
            self._free += fresh
        for _ in range(fresh):
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
            with self._counting:
                if self._free >= _MOST_ASLEEP:
                    return
                self._free += 1


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

    For work of seconds: it has threads of its own meanwhile, so that short work need not
    wait for it.
    """
    shared = _Shared(threads, partial(_called, work, given))
    ask_for_help(threads, shared.take)
    try:
        while not shared.wait(_CANCEL_POLL_S):
            watch()
    finally:
        stop[0] = 1
        shared.wait()
    shared.results()


@njit(forceinline=True, _nrt=False)
def pause(idle: int) -> None:
    """Wait a moment for another thread, in compiled code, for the ``idle``-th time: at first
    less than a microsecond, after some hundred microseconds until others have run.
    """
    for _ in range(_POLL if idle > _POLL else 1):
        spin_once()
    if idle > _SPINS:
        give_way()


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
