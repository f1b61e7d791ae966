"""BMSSP: single-source shortest paths in O(m log^(2/3) n), without sorting the vertices
by distance.

Idea
    Dijkstra's algorithm takes vertices out one by one in the order of their distance,
    and so sorts them. BMSSP divides them by distance instead, only as far as needed: a
    call has many sources and a bound, and completes what is below the bound by calls on
    fewer sources with nearer bounds. Before that, k rounds of Bellman-Ford complete all
    that is near the sources, and of these only the pivots remain, which have k vertices
    or more behind them: a k-th of the vertices are handled one by one, not all of them.
    A queue hands out the least pivots in batches, neither of which is sorted.

Why it is correct
    Every call guarantees: given sources and a bound such that the shortest path to each
    incomplete vertex below the bound visits a complete source, it completes all
    descendants of the sources below the bound, or below a nearer one that it reports. A
    base case is Dijkstra's algorithm, cut off after k vertices. Above, a vertex below
    the bound is either within k arcs of its complete source, and complete after the
    rounds, or behind a pivot. Invariant of the loop: the shortest path to each vertex
    that is behind a pivot, and not below what has been completed, visits a complete
    vertex whose entry in the queue has its label. If the least batch of entries below a
    separator is taken, the paths to all incomplete vertices below it visit one of the
    batch: that is the guarantee one level lower. What comes back complete is relaxed,
    and each path across its border is entered into the queue by the vertex behind the
    border; sources that were not completed are entered again. An entry whose label is
    no longer its vertex's is not covered by the invariant, and is dropped. The paper
    assumes that no two paths have the same length. Labels make up for that, see
    ``labels.py``: ties, arcs of weight 0 and sums that are rounded are decided by a
    strict order throughout, not repaired afterwards. The distances do not depend on how
    ties are decided, and the predecessors are those of that order.

Parameters
    ``k``: rounds of FindPivots and vertices of a base case; 0 for the paper's, the
    third root of log2 n, rounded down. ``t``: a call has 2^t times the sources of the
    level below; 0 for the paper's, the square of that root, rounded down.

Source
    Duan, Mao, Mao, Shu and Yin 2025, "Breaking the Sorting Barrier for Directed
    Single-Source Shortest Paths", Algorithms 1 to 3 and Lemma 3.3. This is an original
    implementation in arrays.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.bmssp.labels import vertex_record
from solvers.algorithms.bmssp.pool import with_room
from solvers.algorithms.bmssp.recursion import DONE, NEEDS_ROOM, advance
from solvers.algorithms.bmssp.search import PassLog, Search, Shape, start
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.pseudocode import BMSSP
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray

# Arcs and vertices between two cancellation checks: some 5 to 20 ms.
_BUDGET = 2**16

# Passes, and vertices beyond n, that the log of a watched run holds.
_LOGGED = 2**16


def _memory(graph: Graph) -> int:
    """Vertices and the lists of them; the queues, which grow as they need, as if half
    of the vertices were in them.
    """
    shape = Shape.of(graph.n)
    lists = sum(
        shape.sources(level, graph.n) + shape.reached(level, graph.n)
        for level in range(shape.levels + 1)
    )
    return graph.n * (vertex_record(graph.distance_type.dtype).itemsize + 4 * 4 + 50) + 4 * lists


@variant(
    id="bmssp",
    title="BMSSP",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=BMSSP,
    papers=(Citation("beyond the papers", "Duan, Mao, Mao, Shu and Yin 2025, Algorithms 1–3"),),
    needs_nonnegative=True,
    idea=(
        "Dijkstra's algorithm sorts the vertices by distance. BMSSP only divides them, "
        "recursively: a call has many sources and a bound. A few rounds of Bellman-Ford complete "
        "the nearest vertices; sources of large trees remain as pivots and are completed by calls "
        "with fewer sources and smaller bounds. It is the first algorithm that is asymptotically "
        "faster than Dijkstra's on sparse directed graphs."
    ),
    parameters=(
        Parameter(
            "k",
            0,
            "rounds of FindPivots, vertices of a base case (0: third root of log2 n)",
            low=0,
            high=64,
        ),
        Parameter(
            "t",
            0,
            "2^t times the sources per level of the recursion (0: root squared)",
            low=0,
            high=20,
        ),
    ),
    watch=(
        "The frontier is small while base cases complete a few vertices each. When a call of a "
        "higher level ends, all vertices that it completed are active once more, since their arcs "
        "are relaxed together. The trace does not record levels, but the more vertices, the higher "
        "the level. Vertices ahead of these belong to rounds of FindPivots."
    ),
    cost=(
        "O(m log^(2/3) n) time on one core where degrees are bounded, O(n) memory; every arc is "
        "relaxed on several levels. Sequential."
    ),
    caveat=(
        "Several times slower than Dijkstra's algorithm with a heap wherever it was measured, more "
        "so on road networks than on random graphs, where it is faster than with a Fibonacci heap. "
        "The reason is that k is 2 from 256 vertices to 134 million, which saves little sorting, "
        "while each arc is relaxed several times. The bound needs bounded degrees, for which the "
        "paper replaces each vertex by a cycle of vertices. That is not done here: neither the "
        "answer nor road networks need it, but in graphs with hubs the bound does not hold. "
        "Medians take linear time on average here, and always in the paper. Ties are decided by "
        "the paper's order of tuples, with the last arcs of weight zero counted in place of all "
        "arcs, which is also correct if sums are rounded."
    ),
    memory=_memory,
)
def solve(problem: Problem) -> Solution:
    """Complete vertices by the recursion; raises UnsuitableGraph, ParameterError, Cancelled."""
    graph, progress, recorder = problem.graph, problem.progress, problem.recorder
    source = problem.given_source
    phases = Phases()
    with phases.measure("prepare"):
        shape = Shape.of(graph.n, problem.parameters["k"], problem.parameters["t"])
        most = 1 if recorder is not None and recorder.wants_distances else _LOGGED
        log = _log(0, 0) if recorder is None else _log(graph.n + _LOGGED, most)
        search = start(graph, source, problem.distance_type, shape, log)
    status, reported = -1, 0.0
    while status != DONE:
        progress.checkpoint(int(search.state["completed"][0]), graph.n)
        with phases.measure("solve"):
            if status == NEEDS_ROOM:
                search = search._replace(
                    queues=with_room(search.queues, int(search.state["room"][0]))
                )
            status = advance(search, _BUDGET)
        if recorder is not None and search.state["logged"][0]:
            _report(recorder, search, phases.solve - reported)
            reported = phases.solve
    distances = np.ascontiguousarray(search.vertices["length"])
    predecessors = np.ascontiguousarray(search.vertices["predecessor"])
    passes, relaxed = (int(search.state[name][0]) for name in ("passes", "relaxed"))
    return Solution(distances, passes, phases, relaxed, predecessors)


def _log(vertices: int, passes: int) -> PassLog:
    return PassLog(np.empty(vertices, np.int32), np.zeros((passes, 3), np.int64))


def _report(recorder: Recorder, search: Search, ms: float) -> None:
    """Report the logged passes, each with an equal share of the time, and empty the log."""
    state = search.state[0]
    count, vertices = int(state["logged"]), search.log.vertices[: state["logged_vertices"]]
    ends, relaxed, improved = search.log.passes[:count].T
    after: AnyArray | None = search.vertices["length"][None] if count == 1 else None
    offsets = np.concatenate(([0], ends))
    recorder.iterations(offsets, vertices, relaxed, improved, np.full(count, ms / count), after)
    state["logged"], state["logged_vertices"] = 0, 0
