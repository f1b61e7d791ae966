"""Cells of the matrix that the kernels of ``blocked.cu`` work on: their type, and distances made of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.floyd_warshall.matrix import without_padding
from solvers.algorithms.negative_cycle import cycle_weight, find_negative_cycle
from solvers.contracts.problem import NegativeCycle, Problem
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.rows import cell_slices
from solvers.graphs.weights import INT32, INT64, WeightType
from solvers.host.threads import thread_team
from solvers.parameters import Parameter
from solvers.text import format_count, grouped

TILE = 128
THREADS = (256, 1)

# Two cells to a word: infinity twice is 32,766, which a signed 16-bit number holds.
INT16 = WeightType("int16", "DIST_INT32", 2**14 - 1)

BITS = Parameter(
    "bits",
    "auto",
    "cells of 16 bits where that is exact (auto), always (16), or never (full)",
    choices=("auto", "16", "full"),
)


def kernel_defines(kind: WeightType) -> tuple[tuple[str, int], ...]:
    """Macros of ``blocked.cu`` for cells of that type, beside those of its distances."""
    return (("PACKED", 1),) if kind is INT16 else ()


def refuse_negative_cycle(problem: Problem) -> None:
    """Search for a negative cycle on the host, if there can be one: the kernels do not watch the diagonal.

    Raises
    ------
    NegativeCycle, Cancelled
    """
    graph = problem.graph
    if not graph.has_negative_weights:
        return
    cycle = find_negative_cycle(graph, np.ones(graph.n, dtype=np.bool_), problem.observer)
    if cycle:
        raise NegativeCycle(graph, cycle, cycle_weight(graph, cycle))


def cell_type(graph: Graph, kind: WeightType, bits: str) -> WeightType:
    """The narrowest cell type in which no sum of two cells overflows and no length equals infinity.

    Parameters
    ----------
    graph : Graph
    kind : WeightType
        Of the distances.
    bits : str
        Value of the parameter `BITS`.

    Raises
    ------
    UnsuitableGraph
        If 16 bits are demanded and do not suffice.
    """
    fits = kind.is_integer and not graph.has_negative_weights and graph.path_bound < INT16.infinity
    if bits == "16" and not fits:
        raise UnsuitableGraph(
            f"{graph.name}: path lengths could reach {grouped(graph.path_bound, '.0f')}, or are not non-negative "
            f"integers; 16-bit cells hold {format_count(int(INT16.infinity) - 1)}. Choose bits = auto."
        )
    if fits and bits != "full":
        return INT16
    if kind is INT32 and graph.has_negative_weights and 2 * graph.path_bound >= INT32.infinity:
        return INT64
    return kind


def distances_of(host: NDArray[Any], problem: Problem, kind: WeightType) -> NDArray[Any]:
    """The (n, n) distances in a padded matrix; in its memory where they have its type."""
    n = problem.graph.n
    distances = as_distances(host[:n, :n], kind, problem.distance_type, problem.graph)
    return without_padding(host, n, problem.observer) if np.may_share_memory(distances, host) else distances


def as_distances(cells: NDArray[Any], kind: WeightType, wanted: WeightType, graph: Graph) -> NDArray[Any]:
    """Cells converted to distances of the problem's type; lengths beyond any simple path become infinity."""
    if kind is wanted and not (kind.is_integer and graph.has_negative_weights):
        return cells
    farthest = kind.infinity - (graph.path_bound if graph.has_negative_weights else 0)
    distances = cells if kind is wanted else np.empty(cells.shape, wanted.dtype)

    def convert(piece: slice) -> None:  # so few rows that they stay in the cache from one line to the next
        unreachable = cells[piece] >= farthest
        if distances is not cells:
            distances[piece] = cells[piece]
        np.copyto(distances[piece], wanted.infinity, where=unreachable)

    with thread_team() as team:
        team.run(partial(convert, slice(*rows)) for rows in cell_slices(*cells.shape))
    return distances
