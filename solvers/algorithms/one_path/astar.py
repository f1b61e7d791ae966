"""A*: Dijkstra's algorithm directed towards the target by the coordinates of the vertices.

Idea
    Vertices are taken in the order of distance plus a lower bound of what is left: the
    straight line to the target times `pace`, the least weight per unit of straight
    distance over all arcs. So the bound needs no knowledge of the weights' unit.
    Degrees are first mapped to the unit sphere, where the chord is a distance.

Why it is correct
    No path is lighter than pace times the straight line, so the bound never exceeds the
    rest of the path; and it obeys the triangle inequality, so a vertex that was taken
    is settled. When the target is taken, its distance is final.

Parameters
    None.

Source
    After Hart, Nilsson and Raphael 1968.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.one_path.search import Bound, search_memory, solve_from_source
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import A_STAR
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.jit import njit

_ID = "astar"
_ROUNDING = 1 - 1e-6  # far more than rounding can add to a bound


def memory(graph: Graph) -> int:
    """Bytes as for one search, and up to three coordinates per vertex."""
    return search_memory(graph) + 3 * 8 * graph.n


@variant(
    id=_ID,
    title="A*",
    algorithm=Algorithm.MODERN,
    answers=Answers.TARGET,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    pseudocode=A_STAR,
    papers=(Citation("beyond the papers", "after Hart, Nilsson and Raphael 1968"),),
    idea=(
        "Dijkstra's algorithm searches in all directions alike. A* uses the target's position: to "
        "each distance it adds a lower bound of the remaining distance, the straight line times "
        "the least weight per length of any arc, and takes the vertex with the least sum."
    ),
    watch=(
        "The settled region is elongated towards the target. Where arcs differ much in weight per "
        "length the bound is weak, and the region is nearly a disc."
    ),
    cost=(
        "As Dijkstra to the target, for fewer vertices, plus a square root per improvement. "
        "Finding the least weight per length reads every arc and counts as preparation."
    ),
    caveat="Needs coordinates. One very light arc between distant "
    "vertices weakens the bound everywhere.",
    needs_nonnegative=True,
    needs_coordinates=True,
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances of the settled vertices, (n,), including the target if it can be reached.

    Raises InputError, UnsuitableGraph, Cancelled.
    """
    graph = problem.graph
    if graph.coordinates is None:
        raise UnsuitableGraph(
            f"{_ID} needs coordinates, and {graph.name} has none; open it with its .co file."
        )
    coordinates = graph.coordinates
    return solve_from_source(
        problem, lambda: lower_bound(graph, coordinates, problem.distance_type)
    )


def lower_bound(graph: Graph, coordinates: Coordinates, kind: WeightType) -> Bound:
    """A lower bound on the length of every path to the target."""
    points = _points(coordinates)
    pace = _least_pace(graph.indptr, graph.indices, graph.weights, points)
    most = float(kind.infinity) if kind.is_integer else np.inf
    return Bound(points, pace * _ROUNDING if np.isfinite(pace) else 0.0, most)


@njit
def _least_pace(indptr: Int64s, indices: Int32s, weights: AnyArray, points: Float64s) -> float:
    """Least weight per straight-line distance over all arcs between different points;
    infinity if there are none.
    """
    least = np.inf
    for u in range(indptr.shape[0] - 1):
        for arc in range(indptr[u], indptr[u + 1]):
            square = 0.0
            for axis in range(points.shape[1]):
                square += (points[u, axis] - points[indices[arc], axis]) ** 2
            if square > 0.0:
                least = min(least, weights[arc] / np.sqrt(square))
    return least


def _points(coordinates: Coordinates) -> Float64s:
    """(n, 2) in the plane, or (n, 3) on the unit sphere for degrees."""
    if not coordinates.geographic:
        return np.ascontiguousarray(coordinates.xy)
    longitude, latitude = np.radians(coordinates.xy).T
    around = np.cos(latitude)
    return np.column_stack(
        (around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude))
    )
