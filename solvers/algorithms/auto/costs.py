"""How long each variant from one source should take, in ms, copies included.

Idea
    Work over throughput, and steps that wait for one another: each variant has a row of ns
    for each of what it does (`SourceQuestion.amounts`): bytes copied, vertices filled and
    settled, arcs looked at, distances that fall, rounds, levels of a hierarchy. Where one
    worker alone may be done before all have met, the lesser of both sums counts. The amounts
    follow from what lies around the source (`source_look`): how many are reached, how many
    rounds that takes, how many arcs the greatest hub has, and how far apart in memory the ends
    of arcs lie, and vertices that are found one after the other; a sample of the weights tells
    how often a vertex is relaxed again. How many threads share the work, and whether bins are
    narrowed, is known from the variants' rules.

Why it is correct
    Any choice gives the right answer; only ratios matter, and a faster machine changes
    all of them alike.

Parameters
    The figures were fitted to the least times on 98 graphs of 22 kinds, 300 to a million
    vertices: H200s with 16 cores of their hosts, and two of these without a GPU. How they fare
    on kinds left out, and on other graphs: ``tests/benchmarks/2026-11/auto.md``.

Source
    Original. `python -m tests.benchmarks.automatic` measures, and its ``--judge`` fits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from solvers.algorithms.auto.source_look import SourceLook, levels_of_all, look_around
from solvers.algorithms.bucket_width import (
    LARGE_GRAPH,
    MANY,
    MANY_PULLING,
    ROAD_MEAN,
    is_road_like,
    narrowing,
    threads_worth,
    weight_sample,
)
from solvers.graphs.graph import Graph

_UNCACHED = 2**16  # vertices of a graph whose rows are in no cache of a core
_EVENLY = 0.55  # variation of weights that are spread evenly from 0
_EVEN, _LONG = 1.0, 64.0  # doublings of the mean over the median; rounds
_MANY_ARCS = 6  # for each vertex, from which pulling may save more than its passes cost
_CACHED = 3_500_000  # arcs of a hierarchy in a device's cache
# Arcs of a hierarchy for each arc of the graph, and its levels for each square root of its
# arcs, where nothing is known of it.
_ARCS_ON_ROADS, _ARCS_ELSEWHERE = 1.8, 15.0
_LEVELS_ON_ROADS, _LEVELS_ELSEWHERE = 0.3, 1.0

Rates = Mapping[str, float]  # ns for each of what is named


@dataclass(frozen=True)
class Costs:
    """One variant's row: ns for each of the `SourceQuestion.amounts`.

    ``alone`` and ``together`` are two ways, of which the faster is taken, if there are both;
    ``shared`` is added to the latter, divided by the threads. With ``many``, one thread is
    alone where `threads_worth` says so.
    """

    always: Rates
    alone: Rates = field(default_factory=dict)
    together: Rates = field(default_factory=dict)
    shared: Rates = field(default_factory=dict)
    many: int = 0

    def threads(self, question: SourceQuestion) -> int:
        """Those that share the work."""
        if not self.many:
            return question.cores
        return threads_worth(question.graph.m, question.cores, self.many)

    def ms(self, question: SourceQuestion) -> float:
        """What the variant should take for a question."""
        amounts, threads = question.amounts, self.threads(question)
        ways = []
        if threads > 1 or not self.many:
            ways.append(_ns(self.together, amounts) + _ns(self.shared, amounts) / threads)
        if self.alone:
            ways.append(_ns(self.alone, amounts))
        return 1e-6 * (_ns(self.always, amounts) + min(ways))


def _ns(rates: Rates, amounts: Mapping[str, float]) -> float:
    total = 0.0
    for name, rate in rates.items():  # a comprehension takes half as long again
        total += rate * amounts[name]
    return total


@dataclass(frozen=True)
class SourceQuestion:
    """A graph and a source, on a machine."""

    graph: Graph
    source: int
    cores: int
    hierarchy_arcs: int | None = None  # None where no hierarchy has been made
    hierarchy_levels: int | None = None
    stays: bool = False  # whether the graph stays on the device

    @property
    def reaches_few(self) -> bool:
        """Whether the source reaches few of the vertices, and all were looked at."""
        return self._look.is_whole and 2 * self._look.found < self.graph.n

    @property
    def reached(self) -> tuple[int, int]:
        """Vertices and arcs, all of them unless few are."""
        look, graph = self._look, self.graph
        if look.is_whole:
            return look.found, look.arcs
        vertices = look.pocket or graph.n
        return vertices, graph.m * vertices // graph.n

    @property
    def may_pull(self) -> bool:
        """Whether it may save time to sort arcs by weight: if vertices have many, the network is
        not long, and no few weights are so heavy that they are most of the sum.
        """
        has_many = self.graph.m >= _MANY_ARCS * self.graph.n
        return has_many and self._weights.spread < _EVEN and self.amounts["rounds"] < _LONG

    @cached_property
    def amounts(self) -> dict[str, float]:
        """How often what has a rate is done."""
        graph, look = self.graph, self._look
        reached, arcs = self.reached
        vertices = math.log2(1 + reached)
        # Where all arcs weigh the same, paths have as few arcs as levels, and a vertex's distance
        # falls once; else as often as one of its arcs is the best so far.
        differ = min(1.0, self._weights.variation / _EVENLY)
        again = max(0.0, math.log2(1 + arcs / max(1, reached)) - 1)
        falls = reached * (1 + differ * again)
        rounds = (1 + differ) / 2 * levels_of_all(graph, self.source, reached, look)
        between_parts = graph.m * look.apart / max(1, look.arcs)
        misses = arcs * look.apart / max(1, look.arcs)
        far_misses = arcs * look.far_apart / max(1, look.arcs)
        size, is_copied = graph.distance_type.dtype.itemsize, not self.stays
        narrowed = narrowing(graph, self.cores)
        hierarchy, levels = self._hierarchy
        return {
            "start": 1.0,
            "upload": float(is_copied),
            "bytes": float(is_copied * (8 * graph.n + (4 + size) * graph.m)),
            "part bytes": is_copied * (4 * graph.n + (2 + size) * graph.m + 10 * between_parts),
            "hierarchy bytes": is_copied * (4 + size) * hierarchy,
            "vertices": float(graph.n),
            "floats": 0.0 if graph.distance_type.is_integer else float(graph.n + graph.m),
            "rounds": rounds,
            # bins of delta-stepping on cores, which on roads are wide
            "narrow bins": rounds * (graph.m > ROAD_MEAN * graph.n),
            # what is done again, for each doubling of the mean weight over the median, by a
            # device; by cores, where bins are not narrowed instead
            "rounds again": self._weights.spread * rounds,
            "arcs again": self._weights.spread * arcs,
            "narrowed bins": narrowed * rounds,
            "arcs repeated": 0.0 if narrowed else self._weights.spread * arcs,
            "settled": float(reached),
            # of these, the ones whose rows are waited for, a core's cache being too small
            "scattered": reached * (graph.n >= _UNCACHED) * look.scattered / look.found,
            "arcs": float(arcs),
            "arcs a block": arcs / (16 if graph.n >= LARGE_GRAPH else 8),
            # turns that the threads of a device that share a row take for the longest
            "longest row": look.longest * graph.n / max(1, graph.m),
            "falls": falls,
            "pushes": falls * vertices,
            "misses": misses,
            "far misses": far_misses,
            "levels": levels,
            "hierarchy": hierarchy,
            "beyond cache": max(0.0, hierarchy - _CACHED),
        }

    @property
    def _hierarchy(self) -> tuple[float, float]:
        """Arcs and levels; if there is no hierarchy yet, those of usual ones."""
        is_road = is_road_like(self.graph)
        usual = (_ARCS_ON_ROADS if is_road else _ARCS_ELSEWHERE) * self.graph.m
        arcs = self.hierarchy_arcs or usual
        per_root = _LEVELS_ON_ROADS if is_road else _LEVELS_ELSEWHERE
        return arcs, self.hierarchy_levels or per_root * math.sqrt(arcs)

    @cached_property
    def _weights(self) -> _Weights:
        return self.graph.cached("variation of weights", lambda: _weights_of(self.graph))

    @cached_property
    def _look(self) -> SourceLook:
        return look_around(self.graph, self.source)


class _Weights(NamedTuple):
    """How the weights differ, by a sample."""

    spread: float  # logarithm of the mean over the median, 0 where they are even
    variation: float  # standard deviation over the mean


def _weights_of(graph: Graph) -> _Weights:
    some = weight_sample(graph)
    mean, middle = (float(some.mean()), float(some[len(some) // 2])) if len(some) else (0.0, 0.0)
    if not 0 < middle < math.inf:
        return _Weights(0.0, 1.0)
    return _Weights(math.log2(max(1.0, mean / middle)), float(some.std()) / mean)


COSTS: dict[str, Costs] = {
    "dijkstra-heap": Costs(
        {
            "start": 14700.0,
            "vertices": 0.704,
            "falls": 0.218,
            "pushes": 3.13,
            "arcs": 0.206,
            "misses": 4.57,
            "far misses": 125.0,
        },
    ),
    "sssp-delta-omp": Costs(
        {
            "start": 12900.0,
            "vertices": 0.324,
        },
        {
            "settled": 11.2,
            "scattered": 16.6,
            "falls": 4.71,
            "arcs": 0.893,
            "misses": 1.26,
            "far misses": 11.7,
            "rounds": 122.0,
            "narrowed bins": 983.0,
            "arcs repeated": 1.55,
        },
        {
            "start": 120000.0,
            "rounds": 2080.0,
            "narrow bins": 4700.0,
            "falls": 0.262,
            "arcs": 0.136,
            "misses": 0.0794,
            "far misses": 0.198,
            "narrowed bins": 39200.0,
        },
        {
            "settled": 24.3,
            "falls": 12.8,
            "arcs": 1.13,
            "misses": 2.12,
            "far misses": 7.45,
            "arcs repeated": 2.22,
        },
        MANY,
    ),
    "sssp-pull-omp": Costs(
        {
            "start": 155000.0,
            "vertices": 0.366,
        },
        {
            "settled": 54.6,
            "falls": 0.096,
            "arcs": 0.0143,
            "misses": 8.19,
            "far misses": 15.3,
            "rounds": 163.0,
            "narrowed bins": 1040.0,
            "arcs repeated": 1.77,
        },
        {
            "start": 22000.0,
            "rounds": 2020.0,
            "narrow bins": 3690.0,
            "falls": 0.231,
            "arcs": 0.0989,
            "misses": 0.00387,
            "far misses": 0.313,
            "narrowed bins": 35200.0,
        },
        {
            "settled": 62.7,
            "falls": 0.8,
            "arcs": 0.217,
            "misses": 0.405,
            "far misses": 12.9,
            "arcs repeated": 3.51,
        },
        MANY_PULLING,
    ),
    "sssp-near-far": Costs(
        {
            "start": 393000.0,
            "upload": 47300.0,
            "bytes": 0.121,
            "vertices": 0.43,
        },
        {
            "rounds": 2140.0,
            "longest row": 1690.0,
            "arcs": 8.5,
            "rounds again": 298.0,
            "arcs again": 7.94,
        },
        {
            "rounds": 52500.0,
            "longest row": 73.2,
            "arcs": 0.162,
            "rounds again": 14100.0,
            "arcs again": 0.0292,
        },
    ),
    "sssp-near-far-cluster": Costs(
        {
            "start": 227000.0,
            "upload": 73500.0,
            "bytes": 0.155,
            "vertices": 0.437,
            "rounds": 1220.0,
            "longest row": 1350.0,
            "arcs a block": 16.7,
            "rounds again": 562.0,
            "arcs again": 0.68,
            "narrowed bins": 1.0,
            "arcs repeated": 0.556,
        },
    ),
    "sssp-blocked": Costs(
        {
            "start": 379000.0,
            "upload": 188000.0,
            "part bytes": 0.174,
            "vertices": 0.39,
            "rounds": 717.0,
            "arcs": 0.137,
            "rounds again": 339.0,
            "arcs again": 0.0199,
        },
    ),
    "cch-tree": Costs(
        {
            "start": 118000.0,
            "levels": 215.0,
            "floats": 32.0,
        },
        {},
        {
            "vertices": 0.96,
            "hierarchy": 0.427,
        },
        {
            "vertices": 5.42,
            "hierarchy": 0.552,
        },
    ),
    "cch-tree-device": Costs(
        {
            "start": 326000.0,
            "upload": 157000.0,
            "hierarchy bytes": 0.149,
            "vertices": 0.416,
            "levels": 176.0,
            "hierarchy": 0.0455,
            "beyond cache": 0.864,
            "floats": 32.0,
        },
    ),
}
