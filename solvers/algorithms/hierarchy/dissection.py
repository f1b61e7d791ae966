"""Nested dissection: an order in which vertices that separate the graph come after what
they separate.

Vertices with few neighbours come first, without METIS (``low_degrees.py``). It orders the
rest of a graph in one call, if these are up to `_LEAF` vertices. A larger graph is bisected
first; the vertices at one end or the other of the edges between the halves, as few as
cover all of these edges, separate the rest into two parts, which are ordered at the
same time, and come last themselves. Each call of METIS is a process, so that cancelling
takes effect at once and several run at the same time.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np

from solvers.algorithms.hierarchy.adjacency import (
    MOST_VERTICES,
    Adjacency,
    induced,
    minimum_degree_order,
)
from solvers.algorithms.hierarchy.low_degrees import eliminate_low_degrees
from solvers.errors import OrderFailed, Unavailable
from solvers.program import script_command
from solvers.system.array_types import AnyArray, Int8s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.machine import cores

log = logging.getLogger(__name__)

_LEAF = 300_000  # vertices that METIS orders in one call
_POLL_S = 0.03
_TASKS = ("order", "bisect")  # as numbers for the process
_SCRIPT = Path(__file__).with_name("metis_process.py")
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # a console, on Windows
_NEITHER = 2  # the half of a vertex of the separator


def has_pymetis() -> bool:
    """Whether METIS can be called."""
    return PathFinder.find_spec("pymetis") is not None


def require_pymetis(variant_id: str) -> None:
    """Check that METIS can be called; raises Unavailable."""
    if has_pymetis():
        return
    needs = f"{variant_id} needs the package pymetis to order a graph"
    if sys.platform == "win32":
        raise Unavailable(f"{needs}, which does not support Windows. Choose another variant.")
    raise Unavailable(
        f"{needs}, and it is not installed. Install it with “pip install pymetis”, "
        "or choose another variant."
    )


def dissection_order(adjacency: Adjacency, progress: Progress = SILENT) -> Int32s:
    """The vertices in order of contraction, (n,); raises OrderFailed, Cancelled."""
    with Dissection() as run:
        run.begin(adjacency, progress)
        return run.finish(progress)


@dataclass(frozen=True)
class _Part:
    """Vertices to be ordered, and where they belong in the order."""

    vertices: Int32s
    place: int


class Dissection:
    """A graph that is ordered by processes of METIS, which end with this, at the latest."""

    def __init__(self) -> None:
        self._working: dict[Future[AnyArray], tuple[_Part, Adjacency, str]] = {}
        self._calls: list[_MetisCall] = []
        self._ready: list[_MetisCall] = []  # those that `start` has made
        self._ordered = 0
        self._pool = ThreadPoolExecutor(max(1, cores()), "metis")

    def __enter__(self) -> Dissection:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self) -> None:
        """Start a process that loads METIS, before there is a graph to be ordered."""
        self._ready.append(self._new_call())
        self._ready[-1].start()

    def begin(self, adjacency: Adjacency, progress: Progress) -> None:
        """Let METIS work on a graph, for `finish`; raises OrderFailed, Cancelled."""
        first, self._rest, self._left = eliminate_low_degrees(adjacency, progress)
        self._ordered, self._first = len(first), first
        self._order = np.empty(self._left.n, np.int32)
        self._scratch = np.full(self._left.n, -1, np.int32)
        if self._left.n:
            self._add(_Part(np.arange(self._left.n, dtype=np.int32), 0))

    def finish(self, progress: Progress) -> Int32s:
        """The vertices in order of contraction, (n,); raises OrderFailed, Cancelled."""
        while self._working:
            progress.checkpoint(self._ordered, len(self._first) + self._left.n)
            done, _ = wait(self._working, timeout=_POLL_S, return_when=FIRST_COMPLETED)
            for future in done:
                part, graph, task = self._working.pop(future)
                if task == "order":
                    self._put(part, future.result())
                else:
                    self._split(part, graph, future.result())
        return np.concatenate((self._first, self._rest[self._order]))

    def end(self) -> None:
        """End all processes."""
        for future in self._working:
            future.cancel()
        for call in self._calls:
            call.end()
        self._pool.shutdown()

    def _add(self, part: _Part) -> None:
        graph = self._left if len(part.vertices) == self._left.n else self._inside(part)
        if graph.n <= MOST_VERTICES or not graph.edges:
            self._put(part, minimum_degree_order(graph) if graph.edges else np.arange(graph.n))
            return
        task = "order" if graph.n <= _LEAF else "bisect"
        call = self._ready.pop() if self._ready else self._new_call()
        self._working[self._pool.submit(call.answer, task, graph)] = part, graph, task

    def _new_call(self) -> _MetisCall:
        self._calls.append(_MetisCall())
        return self._calls[-1]

    def _inside(self, part: _Part) -> Adjacency:
        return induced(self._left, part.vertices, self._scratch)

    def _split(self, part: _Part, graph: Adjacency, half: Int8s) -> None:
        half = half.copy()
        half[separator(graph, half)] = _NEITHER
        place = part.place
        for side in (0, 1):
            vertices = part.vertices[half == side]
            if len(vertices):
                self._add(_Part(vertices, place))
            place += len(vertices)
        between = part.vertices[half == _NEITHER]
        self._order[place : place + len(between)] = between
        self._ordered += len(between)

    def _put(self, part: _Part, order: AnyArray) -> None:
        self._order[part.place : part.place + len(part.vertices)] = part.vertices[order]
        self._ordered += len(part.vertices)


class _MetisCall:
    """One run of ``metis_process.py``."""

    def __init__(self) -> None:
        self._guard, self._ended, self._asked = threading.Lock(), False, False
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, which loads METIS until it is asked."""
        with self._guard:
            self._process = self._started()

    def answer(self, task: str, graph: Adjacency) -> AnyArray:
        """Have the process do a task, and wait for it; called in a thread; raises OrderFailed."""
        kind = np.dtype(np.int32 if task == "order" else np.int8)
        with self._guard:
            if self._ended:
                raise OrderFailed(0, "")
            log.debug("METIS: %s of %d vertices", task, graph.n)
            process = self._process = self._process or self._started()
            self._asked = True
        parts = (
            np.array([_TASKS.index(task), graph.n, len(graph.neighbours)], np.int64),
            graph.first,
            graph.neighbours,
        )
        out, said = process.communicate(b"".join(part.tobytes() for part in parts))
        if process.returncode or len(out) != graph.n * kind.itemsize:
            log.info("METIS ended with status %d", process.returncode)
            raise OrderFailed(process.returncode, said.decode(errors="replace"))
        answer = np.frombuffer(out, kind)
        if not _is_right(answer, task, graph.n):
            raise OrderFailed(0, "METIS gave no order of these vertices")
        return answer

    def end(self) -> None:
        """End the process, if it runs, and start none later."""
        with self._guard:
            self._ended = True
            if self._process is None:
                return
            if self._process.poll() is None:
                self._process.kill()
            if not self._asked:  # or else `answer` waits for it
                self._process.communicate()

    @staticmethod
    def _started() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            script_command(_SCRIPT, options=("-P",)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=_NO_WINDOW,
        )


def _is_right(answer: AnyArray, task: str, n: int) -> bool:
    """Whether an order has every vertex once, or each vertex has half 0 or 1: compiled
    code follows both.
    """
    if answer.min() < 0 or answer.max() >= (2 if task == "bisect" else n):
        return False
    return task == "bisect" or bool((np.bincount(answer, minlength=n) == 1).all())


def separator(graph: Adjacency, half: Int8s) -> Int64s:
    """As few vertices as touch every edge between the halves 0 and 1: a least vertex
    cover of a bipartite graph.

    By Kőnig's theorem: with a maximum matching, take the vertices of the right half
    that alternating paths reach from unmatched vertices of the left, and those of the
    left that none reaches.
    """
    left, right = _edges_between(graph, half)
    if not len(left):
        return np.empty(0, np.int64)
    left_names, tails = np.unique(left, return_inverse=True)
    right_names, heads = np.unique(right, return_inverse=True)
    neighbours: list[list[int]] = [[] for _ in left_names]
    for u, v in zip(tails.tolist(), heads.tolist(), strict=True):
        neighbours[u].append(v)
    mate = _matching(tails, heads, len(left_names), len(right_names))
    partner = {v: u for u, v in enumerate(mate) if v >= 0}
    reached_left = {u for u, v in enumerate(mate) if v < 0}
    reached_right: set[int] = set()
    waiting = list(reached_left)
    while waiting:
        for v in neighbours[waiting.pop()]:
            if v not in reached_right:
                reached_right.add(v)
                u = partner[v]  # it has one, or the matching would not be a maximum
                if u not in reached_left:
                    reached_left.add(u)
                    waiting.append(u)
    cover_left = [u for u in range(len(left_names)) if u not in reached_left]
    return np.concatenate((left_names[cover_left], right_names[sorted(reached_right)])).astype(
        np.int64
    )


def _edges_between(graph: Adjacency, half: Int8s) -> tuple[Int32s, Int32s]:
    found = [np.empty((2, 0), np.int32)]
    for first, last in _ranges(graph.n):
        begin, end = graph.first[first], graph.first[last]
        tails = np.repeat(
            np.arange(first, last, dtype=np.int32), np.diff(graph.first[first : last + 1])
        )
        heads = graph.neighbours[begin:end]
        cut = (half[tails] == 0) & (half[heads] == 1)
        found.append(np.stack((tails[cut], heads[cut])))
    left, right = np.concatenate(found, axis=1)
    return left, right


def _ranges(n: int, size: int = 1 << 20) -> Iterator[tuple[int, int]]:
    for first in range(0, n, size):
        yield first, min(n, first + size)


def _matching(left: AnyArray, right: AnyArray, lefts: int, rights: int) -> list[int]:
    """The partner of each left vertex in a maximum matching, -1 for none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    edges = csr_array((np.ones(len(left), np.int8), (left, right)), shape=(lefts, rights))
    mates: list[int] = maximum_bipartite_matching(edges, perm_type="column").tolist()
    return mates
