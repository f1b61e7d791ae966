"""Delta-stepping that looks at few arcs, on the cores of one machine; the team of threads is in
``delta_threads.py``, its passes over all vertices in ``delta_passes.py``.

Idea
    Arcs are sorted by weight. A stage settles all vertices nearer than a bound, and no
    vertex looks at arcs that lead farther; the next stage goes on where it stopped. As
    soon as fewer arcs lead to vertices that are not settled than are left of those that
    are, the former look back along their arcs for the best offer, lightest first, and
    stop where an arc alone weighs more than it. Between two such passes, a stage settles
    what is near. How far the first bound must lie is learned from the last search.

Why it is correct
    Weights are not negative, so all vertices nearer than the bound have their last
    distances once every arc that leads nearer has been relaxed. A vertex beyond it has
    in the end either a tail that was settled, whose arc goes on or is found by looking
    back, or one that is settled in a later stage. The last stage has no bound.

Parameters
    ``delta``, the width of a bin in mean weights, and of the first step of the bound.
    ``threads``.

Source
    Original implementation, after Chakaravarthy, Checconi, Murali, Petrini and Sabharwal
    2014 (arcs beyond a bucket, and relaxing them backwards) and Yu, Wang and Luo 2025
    (arXiv 2506.19349: bounds that adapt, of each vertex the arcs below them), of whose
    method only the abstract and a review were at hand.
"""

from __future__ import annotations

import math

import numpy as np

from solvers.algorithms.bucket_width import MANY_PULLING
from solvers.algorithms.near_far.arcs_by_weight import SortedRows, arcs_by_weight, state_of_sorting
from solvers.algorithms.near_far.delta_memory import (
    BELOW,
    BOUND,
    BOUNDED,
    INTO,
    LEFT,
    PASS,
    PULLED,
    SETTLED,
)
from solvers.algorithms.near_far.delta_omp import memory, search_with, variant_on_cores
from solvers.algorithms.near_far.delta_passes import GO_ON, LOOK_BACK
from solvers.algorithms.near_far.delta_threads import BucketSearch
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Citation
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, UInt32s, UInt64s

_ID = "sssp-pull-omp"
_ENOUGH = 0.6  # of the arcs: as many as vertices should have that are settled before others look
_SURE = 1.3  # growth of a stage from which that of the next is estimated
_FEW = 0.08  # of the arcs: if fewer are not settled, the rest is one stage
_MOST_LOOKS = 5  # stages after the first look back; then the rest is one
_OVERSHOT = 0.8  # of the arcs: if the first bound settled more, the next search's is less


class BoundedSearch(BucketSearch):
    """Searches of one graph in stages, each up to a bound."""

    _many = MANY_PULLING

    def __init__(
        self, graph: Graph, kind: WeightType, threads: int, rows: tuple[SortedRows, SortedRows]
    ):
        super().__init__(graph, kind, threads)
        self._may_pair = False  # sorted arcs are others
        out, into = rows
        self._sorted = out.indptr.view(np.uint64), out.indices.view(np.uint32), out.weights
        self._into = into
        self._learned = 0.0  # the bound that served, beyond the lightest arc of the source

    def _arcs(self, weights: AnyArray) -> tuple[UInt64s, UInt32s, AnyArray]:
        return self._sorted

    def _begin(self, width: float, sources: Int32s) -> None:
        self._width = self._step = self._rounded(width)
        self._lightest = self._lightest_arc(sources)
        self._settled = 0.0  # arcs of vertices settled before the last stage
        self._stages = self._looks = 0
        self._is_last = False
        words = self.work.words
        words[BOUNDED] = 1
        words[INTO : INTO + 3] = [array.ctypes.data for array in self._into]
        self.work.bounds[:] = 0
        self.work.bounds[BOUND] = max(self._step, self._learned + self._lightest)

    def _has_next_stage(self) -> bool:
        counts, bounds = self.work.counts, self.work.bounds
        settled, left = (float(sum(counts[:, which].tolist())) for which in (SETTLED, LEFT))
        if self._is_last or (left == 0 and self._looks == 0):
            return False
        others = self._graph.m - settled
        if self._looks or left > others:
            self._look_back(settled, others)
        else:
            self.work.words[PASS] = GO_ON
            self._step = self._next_step(settled)
        self._settled = settled
        self._stages += 1
        counts[:, SETTLED] = counts[:, LEFT] = 0
        bounds[BELOW] = bounds[BOUND]
        farther = float(bounds[BOUND]) + self._step
        self._is_last = self._is_last or farther >= self._kind.longest
        bounds[BOUND] = self._kind.infinity if self._is_last else farther
        return True

    def _look_back(self, settled: float, others: float) -> None:
        """Set the next pass, in which other vertices than the settled look at their arcs."""
        bounds = self.work.bounds
        if self._looks == 0:
            self._learned = float(bounds[BOUND]) - self._lightest
            if self._stages == 0 and settled > _OVERSHOT * self._graph.m:
                self._learned -= self._width
        bounds[PULLED] = bounds[BELOW] if self._looks else 0
        self._step = 2 * self._step if self._looks else self._width
        self._is_last = others < _FEW * self._graph.m or self._looks == _MOST_LOOKS
        self._looks += 1
        self.work.words[PASS] = LOOK_BACK

    def _next_step(self, settled: float) -> float:
        """How much farther the next bound lies: twice as far as before, or so far that enough
        will be settled if their number grows as in the last stage.
        """
        if self._stages == 0:
            return max(self._step, self._rounded(float(self.work.bounds[BOUND]) / 32))
        farthest = 2 * self._step
        if settled <= _SURE * self._settled or self._settled == 0:
            return farthest
        rate = math.log(settled / self._settled) / self._step
        wanted = math.log(max(1.05, _ENOUGH * self._graph.m / settled)) / rate
        return self._rounded(min(farthest, max(wanted, self._step / 8)))

    def _rounded(self, step: float) -> float:
        return float(max(1, round(step))) if self._kind.is_integer else step

    def _lightest_arc(self, sources: Int32s) -> float:
        indptr, _, weights = self._sorted
        first, end = indptr[sources], indptr[sources + 1]
        return float(min(weights[first[first < end]], default=0))


def _memory(graph: Graph) -> int:
    """Bytes of delta-stepping, and of the arcs both ways."""
    ways = 2 if graph.directed else 1
    return memory(graph) + ways * (graph.m * (4 + graph.distance_type.dtype.itemsize) + graph.n * 8)


@variant_on_cores(
    id=_ID,
    title="delta-stepping with pulling",
    short_title="delta with pulling",
    papers=(
        Citation(
            "beyond the papers",
            "after Chakaravarthy et al. 2014, pruning by pulling; Yu, Wang and Luo 2025, "
            "bounds that adapt",
        ),
    ),
    idea=(
        "Arcs are sorted by weight, so that a vertex stops at the first that leads beyond the "
        "present bound. Once few arcs lead to vertices that are not settled, these look back for "
        "their best offer, lightest arc first, and stop where an arc alone weighs more: on "
        "graphs of many arcs a vertex, most arcs are never looked at."
    ),
    watch=(
        "The bands of distance of delta-stepping. Compare the number of relaxed arcs of a timed "
        "run with that of delta-stepping: a fifth where a few hubs have most arcs."
    ),
    cost=(
        "O(n) for each of some ten passes, and 20 to 52 % of the m relaxations of delta-stepping "
        "on graphs of many arcs a vertex. Memory: both directions of all arcs."
    ),
    caveat=(
        "Needs the arcs out of each vertex and into it, sorted by weight; sorting them counts as "
        "preparation, once per graph, and takes longer than a search. On road networks the passes "
        "cost more than they save. A watched run relaxes all arcs."
    ),
    memory=_memory,
    prepared=state_of_sorting,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,); raises UnsuitableGraph, ParameterError, Cancelled."""
    graph, kind = problem.graph, problem.distance_type

    def make(threads: int) -> BoundedSearch:
        return BoundedSearch(graph, kind, threads, arcs_by_weight(graph, kind, problem.progress))

    return search_with(problem, _ID, make)
