"""The state of a run: the graph, the vertices' labels, a frame for each level of the
recursion, and counters.

Compiled code can be neither interrupted nor resumed, so the recursion has one explicit
frame for each level: the caller gives it an amount of work, and it returns at the next
vertex once that is done.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from solvers.algorithms.bmssp.labels import NONE, labelled, unreached
from solvers.algorithms.bmssp.pool import BlockQueues, empty_queues
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.jit import njit

# Phases of a call. CALLED: not begun; PIVOTS: relaxing in FindPivots; CHOOSE:
# FindPivots has relaxed; PULL: between two calls of the level below; RELAX: relaxing
# what the level below has completed.
CALLED, PIVOTS, CHOOSE, PULL, RELAX = range(5)

_STATE = np.dtype(
    [
        (name, np.int64)
        for name in (
            "level",
            "completed",
            "work",
            "room",
            "passes",
            "relaxed",
            "cursor",
            "pending",
            "round",
            "side",
            "front",
            "found",
            "calls",
            "rounds",
            "pass_relaxed",
            "pass_improved",
            "logged",
            "logged_vertices",
        )
    ]
)


@dataclass(frozen=True)
class Shape:
    """The parameters of the paper for n vertices."""

    k: int  # rounds of FindPivots, and vertices that a base case completes
    t: int  # a call of level l + 1 has up to 2^t times the sources of one of level l
    levels: int  # levels above the base case

    @staticmethod
    def of(n: int, k: int = 0, t: int = 0) -> Shape:
        """The paper's k and t for n vertices where they are 0: the third root of log n,
        and its square.
        """
        log = math.log2(max(2, n))
        k = k or max(1, int(math.cbrt(log)))
        t = t or max(1, int(math.cbrt(log) ** 2))
        return Shape(k, t, math.ceil(log / t))

    def sources(self, level: int, n: int) -> int:
        """The most sources of a call of that level."""
        return 1 if level == self.levels else min(n, 2 ** (level * self.t))

    def reached(self, level: int, n: int) -> int:
        """The most vertices that FindPivots keeps in a call of that level."""
        return min(n, self.k * self.sources(level, n)) + 1


class PassLog(NamedTuple):
    """Log of the finished passes; of length 0 in unwatched runs.

    A pass is a round of FindPivots, a base case, or the relaxation of what a call has
    completed.
    """

    vertices: Int32s  # those whose arcs the passes relaxed, one pass after the other
    # (k, 3): end of each pass in ``vertices``, arcs relaxed, and how many of them
    # lowered a distance
    passes: Int64s


class Search(NamedTuple):
    # the graph
    indptr: Int64s
    indices: Int32s
    weights: AnyArray
    vertices: AnyArray  # (n,): see `labels.vertex_record`
    # (levels + 1,): the call of each level: its upper bound ``length``, ``zeros``,
    # ``vertex``; its ``phase``; where its sources and those reached by FindPivots begin,
    # and their number; ``begin``, where what it has completed begins in ``order``;
    # ``limit``, the number of vertices after which it ends
    frames: AnyArray
    ends: AnyArray  # (levels + 1,): the bound up to which the call was completed
    # lists of the frames
    sources: Int32s
    reached: Int32s
    # (n,): the completed vertices. What a call has completed is a range, those of the
    # calls that it made included
    order: Int32s
    fronts: Int32s  # (2, n): vertices of the current and of the next round of FindPivots
    pending: Int32s  # (most arcs of a vertex,): vertices to be entered into the queue
    heap: Int32s  # (n,)
    queues: BlockQueues
    log: PassLog
    state: AnyArray  # (1,) record
    k: int


def start(graph: Graph, source: int, kind: WeightType, shape: Shape, log: PassLog) -> Search:
    """A run at its beginning: the top call has one source and no bound."""
    n = graph.n
    counts = ("sources_at", "sources", "reached_at", "reached", "begin", "limit")
    frames = np.zeros(shape.levels + 1, labelled(kind.dtype, ("phase",), counts))
    levels = range(shape.levels + 1)
    most_sources, most_reached = (
        [most(level, n) for level in levels] for most in (shape.sources, shape.reached)
    )
    frames["sources_at"] = np.cumsum([0, *most_sources[:-1]])
    frames["reached_at"] = np.cumsum([0, *most_reached[:-1]])
    frames["limit"] = [min(n + 1, shape.k * 2 ** (level * shape.t)) for level in levels]
    queues = empty_queues(shape.levels + 1, kind.dtype)
    queues.queues["capacity"][1:] = [min(n, 2 ** ((level - 1) * shape.t)) for level in levels[1:]]
    vertices = unreached(n, kind.dtype, kind.infinity)
    vertices["length"][source] = 0
    sources = np.empty(sum(most_sources), np.int32)
    top = frames[-1:]
    top["length"], top["vertex"], top["sources"], top["limit"] = kind.infinity, NONE, 1, n + 1
    sources[top["sources_at"]] = source
    state = np.zeros(1, _STATE)
    state["level"] = shape.levels
    return Search(
        graph.indptr,
        graph.indices,
        graph.weights_in(kind.dtype),
        vertices,
        frames,
        np.zeros(shape.levels + 1, labelled(kind.dtype)),
        sources,
        reached=np.empty(sum(most_reached), np.int32),
        order=np.empty(n, np.int32),
        fronts=np.empty((2, n), np.int32),
        pending=np.empty(graph.greatest_degree, np.int32),
        heap=np.empty(n, np.int32),
        queues=queues,
        log=log,
        state=state,
        k=shape.k,
    )


@njit
def complete(s: Search, v: int) -> None:
    """Add ``v`` to the completed vertices."""
    state = s.state[0]
    s.vertices[v].complete = 1
    s.order[state.completed] = v
    state.completed += 1


@njit
def end_pass(s: Search, members: AnyArray) -> None:
    """Close the current pass, which relaxed the arcs of ``members``; a watched run logs it."""
    state = s.state[0]
    state.passes += 1
    state.relaxed += state.pass_relaxed
    if s.log.vertices.shape[0] > 0:
        end = state.logged_vertices + members.shape[0]
        for i in range(members.shape[0]):
            s.log.vertices[state.logged_vertices + i] = members[i]
        s.log.passes[state.logged, 0] = end
        s.log.passes[state.logged, 1] = state.pass_relaxed
        s.log.passes[state.logged, 2] = state.pass_improved
        state.logged_vertices = end
        state.logged += 1
    state.pass_relaxed = 0
    state.pass_improved = 0
