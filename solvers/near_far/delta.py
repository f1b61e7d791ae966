"""How wide a bucket is, and the parameter that says so: one rule for all near-far and delta-stepping variants.

A bucket is settled in several rounds, in which a vertex may be relaxed more than once. Narrow buckets waste rounds,
wide ones relaxations. Where few arcs leave a vertex (roads), a path of many arcs crosses a bucket, and on a GPU rounds
are what costs: 40 mean weights were best on every road graph tried. Where many do, a wide bucket holds the whole graph.
"""

from __future__ import annotations

from typing import Any

from solvers.catalog import Parameter
from solvers.graph import Graph
from solvers.weights import WeightType

DELTA = Parameter(
    "delta", 0.0, "width of a bucket, in mean weights; 0 chooses by mean degree and device", low=0.0, high=1e6
)

_ROAD_DEGREE = 3.0  # mean, up to which a graph is taken for a road network
_ON_ROADS = 40.0
_ON_ROADS_ON_CPU = 10.0  # rounds are cheap where no device must be asked for them
_ARCS = 10.0  # beyond roads: a bucket as wide as a path of mean weight through so many arcs a vertex


def mean_weights(graph: Graph, on_cpu: bool) -> float:
    """The width of a bucket, in mean weights, where the user leaves the choice to the program."""
    degree = graph.m / max(1, graph.n)
    if degree > _ROAD_DEGREE:
        return max(0.5, _ARCS / degree)
    return _ON_ROADS_ON_CPU if on_cpu else _ON_ROADS


def bucket_width(graph: Graph, kind: WeightType, chosen: float, on_cpu: bool) -> Any:
    """Delta as a number of the distance type: positive, and small enough to be added to any distance."""
    width = (chosen or mean_weights(graph, on_cpu)) * (graph.mean_weight or 1.0)
    if kind.is_integer:
        return kind.dtype.type(min(max(width, 1.0), float(kind.infinity) / 4))
    return kind.dtype.type(max(width, 1e-30))
