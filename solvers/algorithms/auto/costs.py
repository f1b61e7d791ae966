"""How long each variant from one source should take, in ms, copies included.

The figures were fitted to medians on thirteen graphs of 3,353 to a million vertices: an
H100 with 16 cores of its host, and two of these cores without a GPU
(``tests/benchmarks/README.md``, "The choice of auto"). `python -m
tests.benchmarks.automatic` measures how far the choice is from the fastest. Only ratios
matter: a faster machine changes all of them alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from solvers.algorithms.bucket_width import is_road_like
from solvers.graphs.graph import Graph

# Arcs from which a processor's caches hold none of them for the next vertex.
_BEYOND_CACHES = 2**18
# Vertices and arcs from which they do not even hold the distances.
_BEYOND_LAST_CACHE = 2**24
# Arcs of a hierarchy for each arc of the graph, where only its order is known.
_ARCS_ON_ROADS, _ARCS_ELSEWHERE = 1.8, 15.0
# ms that a team of threads takes longer to start beside the threads of a GPU's driver.
_TEAM_BESIDE_GPU = 0.7


@dataclass(frozen=True)
class Costs:
    """Estimates for a graph and a machine.

    ``hierarchy_arcs`` is None where no hierarchy has been made; ``gpu`` says whether
    there is one, ``warm`` whether the graph stays on it.
    """

    graph: Graph
    cores: int
    hierarchy_arcs: int | None = None
    gpu: bool = False
    warm: bool = False

    def heap(self) -> float:
        return 1.6e-4 * self._reachable + 2.7e-6 * self.graph.m

    def delta(self) -> float:
        """Cores share the wide frontiers of graphs that are no road networks."""
        arc = 1.5e-6 if self.graph.m < _BEYOND_CACHES else 5e-6
        work = 0.9e-4 * self._reachable + arc * self.graph.m
        shared = min(self.cores, 5)
        if shared != 2 and self._on_roads:  # which takes longer to find out than a small search
            shared = 2
        return 0.27 + work * 2 / max(1, shared) + _TEAM_BESIDE_GPU * self.gpu

    def cluster(self) -> float:
        """One cluster's rounds are as many as a road network is wide."""
        wide = 0.15 + 5.5e-3 * math.sqrt(self.graph.n)
        rounds = wide if self._on_roads else 0.5 + 4.5e-6 * self.graph.m
        return rounds + self._upload(0.2, 0.95e-6)

    def near_far(self) -> float:
        wide = 0.03 * math.sqrt(self.graph.n)
        elsewhere = 1 + 1e-6 * self.graph.n + 0.2e-6 * self.graph.m
        return (wide if self._on_roads else elsewhere) + self._upload(0.2, 0.95e-6)

    def blocked(self) -> float:
        wide = 0.7 + 1.6e-3 * math.sqrt(self.graph.n)
        rounds = wide if self._on_roads else 0.6 + 0.1e-6 * self.graph.m
        return rounds + self._upload(0.45, 1.5e-6)

    def tree(self) -> float:
        """A sweep by cores waits for memory, however many there are."""
        arc = max(0.95e-6, 3.6e-6 / self.cores)
        if self.graph.n + self.graph.m >= _BEYOND_LAST_CACHE:
            arc *= 2.4
        return 0.4 + 0.1 * self.gpu + arc * self._arcs + self._adding_up()

    def tree_on_device(self) -> float:
        copies = 0 if self.warm else 0.2 + 1.9e-6 * self._arcs + 3.4e-6 * self.graph.n
        return 0.65 + 0.26e-6 * self._arcs + copies + self._adding_up()

    def _adding_up(self) -> float:
        """Sums in floating point are added up again by one core, along their paths."""
        return 0 if self.graph.distance_type.is_integer else 3.2e-5 * (self.graph.n + self.graph.m)

    def _upload(self, start: float, arc: float) -> float:
        """Copies of graph and distances, 0 where the graph stays on the device."""
        return 0 if self.warm else start + 3.4e-6 * self.graph.n + arc * self.graph.m

    @property
    def _on_roads(self) -> bool:
        return is_road_like(self.graph)

    @property
    def _reachable(self) -> int:
        """At most so many vertices are reached: the source, and those with an arc to them."""
        graph = self.graph
        if not graph.directed or graph.m >= _BEYOND_CACHES:
            return graph.n
        return graph.cached("heads", lambda: int(np.count_nonzero(np.bincount(graph.indices))))

    @property
    def _arcs(self) -> float:
        if self.hierarchy_arcs is not None:
            return self.hierarchy_arcs
        return self.graph.m * (_ARCS_ON_ROADS if self._on_roads else _ARCS_ELSEWHERE)
