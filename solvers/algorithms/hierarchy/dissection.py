"""Nested dissection: an order in which vertices that separate the graph come after what
they separate.

METIS orders graphs of up to `_LEAF` vertices in one call. A larger graph is bisected
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
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np

from solvers.algorithms.hierarchy.adjacency import (
    MOST_VERTICES,
    Adjacency,
    induced,
    minimum_degree_order,
)
from solvers.errors import OrderFailed, Unavailable
from solvers.program import script_command
from solvers.system.array_types import AnyArray, Int8s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.machine import cores

log = logging.getLogger(__name__)

_LEAF = 300_000  # vertices that METIS orders in one call
_POLL_S = 0.03
_SCRIPT = Path(__file__).with_name("metis_process.py")
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # a console, on Windows
_NEITHER = 2  # the half of a vertex of the separator


def require_pymetis(variant_id: str) -> None:
    """Check that METIS can be called; raises Unavailable."""
    if PathFinder.find_spec("pymetis") is not None:
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
    order = np.empty(adjacency.n, np.int32)
    degrees = np.diff(adjacency.first)
    alone = np.flatnonzero(degrees == 0).astype(np.int32)  # METIS takes no graph without edges
    order[: len(alone)] = alone
    rest = np.flatnonzero(degrees > 0).astype(np.int32)
    if len(rest):
        with _Dissection(adjacency, order, progress) as run:
            run.add(_Part(rest, len(alone)))
            run.finish()
    return order


@dataclass(frozen=True)
class _Part:
    """Vertices to be ordered, and where they belong in the order."""

    vertices: Int32s
    place: int


@dataclass
class _Dissection:
    """The processes at work, and the parts that wait for one."""

    whole: Adjacency
    order: Int32s
    progress: Progress
    _working: dict[Future[AnyArray], tuple[_Part, Adjacency, str]] = field(default_factory=dict)
    _calls: list[_MetisCall] = field(default_factory=list)
    _ordered: int = 0

    def __enter__(self) -> _Dissection:
        self._pool = ThreadPoolExecutor(max(1, cores()), "metis")
        self._scratch = np.full(self.whole.n, -1, np.int32)
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._working:
            future.cancel()
        for call in self._calls:
            call.end()
        self._pool.shutdown()

    def add(self, part: _Part) -> None:
        graph = self.whole if len(part.vertices) == self.whole.n else self._inside(part)
        if graph.n <= MOST_VERTICES or not graph.edges:
            self._put(part, minimum_degree_order(graph) if graph.edges else np.arange(graph.n))
            return
        task = "order" if graph.n <= _LEAF else "bisect"
        call = _MetisCall(task, graph)
        self._calls.append(call)
        self._working[self._pool.submit(call.answer)] = part, graph, task

    def finish(self) -> None:
        while self._working:
            self.progress.checkpoint(self._ordered, self.whole.n)
            done, _ = wait(self._working, timeout=_POLL_S, return_when=FIRST_COMPLETED)
            for future in done:
                part, graph, task = self._working.pop(future)
                if task == "order":
                    self._put(part, future.result())
                else:
                    self._split(part, graph, future.result())

    def _inside(self, part: _Part) -> Adjacency:
        return induced(self.whole, part.vertices, self._scratch)

    def _split(self, part: _Part, graph: Adjacency, half: Int8s) -> None:
        half = half.copy()
        half[separator(graph, half)] = _NEITHER
        place = part.place
        for side in (0, 1):
            vertices = part.vertices[half == side]
            if len(vertices):
                self.add(_Part(vertices, place))
            place += len(vertices)
        between = part.vertices[half == _NEITHER]
        self.order[place : place + len(between)] = between
        self._ordered += len(between)

    def _put(self, part: _Part, order: AnyArray) -> None:
        self.order[part.place : part.place + len(part.vertices)] = part.vertices[order]
        self._ordered += len(part.vertices)


class _MetisCall:
    """One run of ``metis_process.py``."""

    def __init__(self, task: str, graph: Adjacency):
        self._task, self._graph = task, graph
        self._guard, self._ended = threading.Lock(), False
        self._process: subprocess.Popen[bytes] | None = None

    def answer(self) -> AnyArray:
        """Start the process and wait for its answer; called in a thread; raises OrderFailed."""
        graph = self._graph
        kind = np.dtype(np.int32 if self._task == "order" else np.int8)
        with self._guard:
            if self._ended:
                raise OrderFailed(0, "")
            log.debug("METIS: %s of %d vertices", self._task, graph.n)
            self._process = subprocess.Popen(
                script_command(_SCRIPT, self._task, options=("-P",)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=_NO_WINDOW,
            )
        parts = (
            np.array([graph.n, len(graph.neighbours)], np.int64),
            graph.first,
            graph.neighbours,
        )
        out, said = self._process.communicate(b"".join(part.tobytes() for part in parts))
        if self._process.returncode or len(out) != graph.n * kind.itemsize:
            log.info("METIS ended with status %d", self._process.returncode)
            raise OrderFailed(self._process.returncode, said.decode(errors="replace"))
        answer = np.frombuffer(out, kind)
        if not _is_right(answer, self._task, graph.n):
            raise OrderFailed(0, "METIS gave no order of these vertices")
        return answer

    def end(self) -> None:
        """End the process, if it runs, and start none later."""
        with self._guard:
            self._ended = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()


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
