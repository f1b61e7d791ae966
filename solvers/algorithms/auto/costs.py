"""How long each variant from one source should take, in ms, copies included.

Idea
    One row a variant: a start, copies by the vertex and by the arc, and a product of powers
    of what is quickly known of a question (`terms`). A breadth-first search from the source
    that ends after `_MOST` vertices tells whether few are reached, how many levels there
    are, and how far apart in memory the ends of arcs lie; a sample of the weights, how
    wide they are.

Why it is correct
    Any choice gives the right answer; only ratios matter, and a faster machine changes
    all of them alike.

Parameters
    The figures were fitted to medians on forty graphs of eight kinds, 300 to a million
    vertices: an H200 with 16 cores of its host, and two cores without a GPU. How they fare
    on kinds left out: ``tests/benchmarks/README.md``, "The choice of auto".

Source
    Original. `python -m tests.benchmarks.automatic` measures, and its ``--judge`` fits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.bucket_width import is_road_like, weight_sample
from solvers.graphs.graph import Graph
from solvers.system.array_types import Int32s, Int64s
from solvers.system.jit import njit

_MOST, _MOST_ARCS = 2_000, 40_000  # vertices and arcs that a look from the source takes in
_SLOTS, _SHIFT = 8_192, np.uint32(19)  # of the table of vertices seen, 2**(32 - 19)
_FAR = 2**15  # vertices between the ends of an arc from which the next one is in no near cache
_LARGE = 15.0  # logarithm of the vertices reached from which they are in no near cache
_LARGE_HIERARCHY = 21.0  # logarithm of the arcs from which a GPU's cache does not hold them
_NARROW = 5.0  # logarithm of the vertices a level from which more cores have something to do
_LEAST_GROWTH = 1.5  # exponent of the vertices within a number of levels
# Arcs of a hierarchy for each arc of the graph, where only its order is known.
_ARCS_ON_ROADS, _ARCS_ELSEWHERE = 1.8, 15.0


@dataclass(frozen=True)
class Costs:
    """One variant's row: ms, and exponents of the `SourceQuestion.terms`."""

    start: float
    vertex: float  # for each of the graph
    powers: Mapping[str, float]
    upload: float = 0.0  # of a graph that does not stay on the device
    copied: float = 0.0  # for each of its vertices and arcs
    added: float = 0.0  # for each vertex and arc of floats, added up again by one core
    arc: float = 0.0  # for each that is reached

    def ms(self, question: SourceQuestion) -> float:
        """What the variant should take for a question."""
        graph, known = question.graph, question.terms
        took = self.start + self.vertex * graph.n + self.arc * question.reached[1]
        if not question.stays:
            took += self.upload + self.copied * (graph.n + graph.m)
        if not graph.distance_type.is_integer:
            took += self.added * (graph.n + graph.m)
        return took + 2.0 ** sum(power * known[name] for name, power in self.powers.items())


@dataclass(frozen=True)
class SourceQuestion:
    """A graph and a source, on a machine."""

    graph: Graph
    source: int
    cores: int
    hierarchy_arcs: int | None = None  # None where no hierarchy has been made
    stays: bool = False  # whether the graph stays on the device

    @property
    def is_small(self) -> bool:
        """Whether all vertices that are reached were looked at."""
        return self._look.found < _MOST

    @property
    def reaches_few(self) -> bool:
        """Whether the source reaches few of the vertices."""
        return self.is_small and 2 * self._look.found < self.graph.n

    @property
    def reached(self) -> tuple[int, int]:
        """Vertices and arcs, all of them unless few are."""
        look = self._look
        return (look.found, look.arcs) if self.is_small else (self.graph.n, self.graph.m)

    @cached_property
    def terms(self) -> dict[str, float]:
        """What the powers are of, as logarithms to base 2; "far" is a share."""
        graph, look = self.graph, self._look
        reached, arcs = self.reached
        vertices = math.log2(1 + reached)
        growth = max(_LEAST_GROWTH, math.log2(look.found / max(1, look.half)))
        rounds = math.log2(1 + look.levels) + (vertices - math.log2(1 + look.found)) / growth
        far, beyond = look.far / max(1, look.arcs), max(0.0, vertices - _LARGE)
        degree = math.log2(1 + arcs / max(1, reached))
        spread = graph.cached("spread of weights", lambda: _spread(graph))
        cores, hierarchy = math.log2(self.cores), math.log2(1 + self._hierarchy_arcs)
        return {
            "one": 1.0,
            "vertices": vertices,
            "degree": degree,
            "far": far,
            "far beyond": far * beyond,
            "rounds": rounds,
            "spread": spread,
            "cores": cores,
            "cores wide": cores * max(0.0, vertices - rounds - _NARROW),
            "hierarchy": hierarchy,
            "hierarchy beyond": max(0.0, hierarchy - _LARGE_HIERARCHY),
        }

    @property
    def _hierarchy_arcs(self) -> float:
        per_arc = _ARCS_ON_ROADS if is_road_like(self.graph) else _ARCS_ELSEWHERE
        return self.hierarchy_arcs or per_arc * self.graph.m

    @cached_property
    def _look(self) -> _Look:
        graph = self.graph
        return _Look(*_look_around(graph.indptr, graph.indices, self.source))


class _Look(NamedTuple):
    """What lies around a source."""

    found: int  # vertices
    arcs: int
    levels: int
    half: int  # vertices within half of the levels
    far: int  # arcs whose ends are far apart


def _spread(graph: Graph) -> float:
    """Logarithm of the mean of the weights over their median, 0 where they are even."""
    some = weight_sample(graph)
    middle = float(some[len(some) // 2]) if len(some) else 0.0
    return math.log2(max(1.0, float(some.mean()) / middle)) if middle > 0 else 0.0


@njit
def _look_around(indptr: Int64s, indices: Int32s, source: int) -> tuple[int, int, int, int, int]:
    """The counts of a `_Look`, by levels."""
    seen, queue = np.full(_SLOTS, -1, np.int32), np.empty(_MOST, np.int32)
    first = np.zeros(_MOST + 1, np.int32)  # of each level, in the queue
    seen[_slot(source)], queue[0] = source, source
    found, arcs, far, levels, done = 1, 0, 0, 0, 0
    while done < found and found < _MOST and arcs < _MOST_ARCS:
        first[levels] = done
        levels += 1
        end = found
        while done < end and found < _MOST and arcs < _MOST_ARCS:
            u = queue[done]
            done += 1
            for arc in range(indptr[u], min(indptr[u + 1], indptr[u] + _MOST_ARCS)):
                v = indices[arc]
                arcs += 1
                far += abs(v - u) >= _FAR
                slot = _slot(v)
                while seen[slot] >= 0 and seen[slot] != v:
                    slot = (slot + 1) % _SLOTS
                if seen[slot] < 0:
                    seen[slot], queue[found] = v, v
                    found += 1
                    if found == _MOST:
                        break
    if done < found or arcs >= _MOST_ARCS:
        found = _MOST
    return found, arcs, levels, first[(levels + 1) // 2], far


@njit
def _slot(vertex: Any) -> Any:
    mixed = np.uint32(np.uint32(vertex) * np.uint32(0x9E3779B9))
    mixed = np.uint32((mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA6B))
    return np.int64(mixed >> _SHIFT)


COSTS: dict[str, Costs] = {
    "dijkstra-heap": Costs(
        start=0.0127,
        vertex=5.2e-07,
        powers={
            "one": -15.8,
            "vertices": 1.14,
            "far": 2.72,
            "far beyond": -0.176,
            "degree": 0.134,
            "spread": 0.0665,
        },
        arc=2.45e-06,
    ),
    "sssp-delta-omp": Costs(
        start=0.0272,
        vertex=2.24e-07,
        powers={
            "one": -13.5,
            "vertices": 1.04,
            "far": 2.73,
            "far beyond": -0.193,
            "rounds": -0.193,
            "cores wide": -0.123,
        },
        arc=7.83e-07,
    ),
    "sssp-near-far": Costs(
        start=0.392,
        vertex=4.21e-07,
        powers={"one": -13.3, "vertices": 0.567, "degree": 0.45, "rounds": 0.595, "spread": 0.389},
        upload=0.0652,
        copied=8.77e-07,
    ),
    "sssp-near-far-cluster": Costs(
        start=0.143,
        vertex=1.04e-06,
        powers={
            "one": -11.7,
            "vertices": 0.674,
            "degree": 0.511,
            "rounds": -0.0552,
            "spread": 0.24,
        },
        upload=0.0865,
        copied=1.05e-06,
    ),
    "sssp-blocked": Costs(
        start=0.308,
        vertex=2.01e-07,
        powers={"one": -10.7, "vertices": 0.358, "degree": 0.439, "rounds": 0.345, "spread": 0.187},
        upload=0.183,
        copied=1.22e-06,
    ),
    "cch-tree": Costs(
        start=0.107,
        vertex=8.61e-07,
        powers={"one": -16.6, "hierarchy": 0.887, "cores": -0.341},
        added=3.2e-05,
    ),
    "cch-tree-device": Costs(
        start=0.308,
        vertex=5.7e-08,
        powers={"one": -17.3, "hierarchy": 0.772, "hierarchy beyond": 0.822},
        upload=0.148,
        copied=2.54e-06,
        added=3.2e-05,
    ),
}
