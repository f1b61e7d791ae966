"""The bucket width and its parameter: one rule for all near-far and delta-stepping variants.

A bucket is settled in several rounds, in which a vertex may be relaxed more than once.
Narrow buckets waste rounds, wide ones relaxations. On roads, where few arcs leave any
vertex, a path of many arcs crosses a bucket, and a GPU is limited by rounds: 40 mean
weights were best on every road graph tried. Elsewhere the whole graph is few arcs away,
and a wide bucket soon holds all of it: a GPU does best with some four, a processor with
fewer the more arcs there are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray

DELTA = Parameter(
    "delta",
    0.0,
    "width of a bucket, in mean weights; 0 chooses by mean degree and device",
    low=0.0,
    high=1e6,
)

# Threads, of which fewer take longer than one for a graph of few arcs; where they pull.
MANY, MANY_PULLING = 8, 4
_ALONE = 200_000  # arcs of a graph, for which no thread is asked to help, unless many are
_ARCS_A_THREAD = 15_000  # of a graph: with less for each, more threads take longer
LARGE_GRAPH = 1_000_000  # vertices from which frontiers are wide enough for a cluster of 16 blocks
ROAD_MEAN, _ROAD_MOST = 4.0, 10  # arcs a vertex, up to which a graph is taken for a road network
_ON_ROADS = 40.0
_ON_ROADS_ON_CPU = 10.0  # rounds are cheap where no device must be asked for them
_ELSEWHERE = 4.0
_HUB = 8  # part of the vertices to which one has arcs
_NARROWEST = 1e-6  # of bins, which a weight of 0 would make infinitely many
_SAMPLE = 1_000  # weights
_FEW_ARCS = 1_000_000  # several threads would find too little in bins as narrow as elsewhere
_ARCS_ON_CPU = 10.0  # a bucket as wide as a path of mean weight through so many arcs a vertex


def is_road_like(graph: Graph) -> bool:
    """Whether degrees are so small that most vertices are many arcs apart."""
    return graph.m <= ROAD_MEAN * graph.n and graph.greatest_degree <= _ROAD_MOST


def mean_weights(graph: Graph, on_cpu: bool) -> float:
    """The width of a bucket, in mean weights, where the user leaves the choice to the program."""
    degree = graph.m / max(1, graph.n)
    if on_cpu:
        return _ON_ROADS_ON_CPU if degree <= ROAD_MEAN else max(0.5, _ARCS_ON_CPU / degree)
    return _ON_ROADS if is_road_like(graph) else _ELSEWHERE


def threads_worth(arcs: int, threads: int, many: int) -> int:
    """Of so many threads those that a search of a graph on cores may use; 1 where it has so few
    arcs that others help only if they are ``many``.
    """
    found = max(1, min(threads, arcs // _ARCS_A_THREAD))
    return found if arcs > _ALONE or found >= many else 1


def bin_width(graph: Graph, kind: WeightType, chosen: float, threads: int) -> Any:
    """Delta where buckets cost next to nothing, as bucket_width: so narrow that about one
    arc of a vertex stays within it, and wider for more threads, which find more to do so.
    """
    width = chosen or graph.cached(("bins", threads), lambda: _bins(graph, threads))
    return bucket_width(graph, kind, width, on_cpu=True)


def narrowing(graph: Graph, threads: int) -> float:
    """How often the width of bins is halved where few heavy arcs raise the mean, by a sample."""
    return graph.cached(("narrowing", threads), lambda: _narrowing(graph, threads))


def _narrowing(graph: Graph, threads: int) -> float:
    mean = float(weight_sample(graph).mean()) if graph.m else 0.0
    width = _even_bins(graph, threads)
    return math.log2(width / _narrowed(graph, width, mean))


def _bins(graph: Graph, threads: int) -> float:
    return _narrowed(graph, _even_bins(graph, threads), graph.mean_weight)


def _narrowed(graph: Graph, width: float, mean: float) -> float:
    """The width in mean weights; where few heavy arcs raise the mean, the weight that as many
    arcs are below as would be among even weights, of which twice a share of the mean has this
    share below. But little is repeated on roads, and where a hub leads to much of the graph.
    """
    if graph.m <= ROAD_MEAN * graph.n or not mean > 0:
        return width
    sample = weight_sample(graph)
    below = max(_NARROWEST, float(sample[int(width / 2 * len(sample))]) / mean)
    is_uneven = below < width / 2 and _HUB * graph.greatest_degree <= graph.n
    return below if is_uneven else width


def _even_bins(graph: Graph, threads: int) -> float:
    """The width in mean weights, were the weights even."""
    degree = graph.m / max(1, graph.n)
    width = min(1.0, 2.0 / max(degree, 1e-9))
    if degree <= ROAD_MEAN:
        width *= min(threads**2, max(4, min(8, threads // 2)))
    elif graph.m < _FEW_ARCS and threads > 1:
        width *= 2
    return width


def weight_sample(graph: Graph) -> AnyArray:
    """Some weights, ascending."""
    stride = max(1, graph.m // _SAMPLE) | 1
    return graph.cached("some weights", lambda: np.sort(graph.weights[::stride]))


def bucket_width(graph: Graph, kind: WeightType, chosen: float, on_cpu: bool) -> Any:
    """Delta as a number of the distance type: positive, and small enough to be added to
    any distance.
    """
    width = (chosen or mean_weights(graph, on_cpu)) * (graph.mean_weight or 1.0)
    if kind.is_integer:
        return kind.dtype.type(min(max(width, 1.0), float(kind.infinity) / 4))
    return kind.dtype.type(min(max(width, 1e-30), kind.longest / 4))
