"""Blocked Floyd-Warshall as three min-plus products a step, tiled in registers; explained in ``blocked.cu``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.on_device import DeviceScheme, OnDevice, Phase, solve_on_device
from solvers.algorithms.floyd_warshall.tiles import other_tiles, pivot_cross, pivot_tile
from solvers.algorithms.negative_cycle import cycle_weight, find_negative_cycle
from solvers.contracts.catalog import Algorithm, Answers, Citation, RunsOn, variant
from solvers.contracts.mapping import WorkMapping
from solvers.contracts.problem import NegativeCycle, Problem, Solution
from solvers.contracts.pseudocode import BLOCKED_FLOYD_WARSHALL
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

_ID = "fw-blocked"
_BITS = Parameter(
    "bits",
    "auto",
    "cells of 16 bits where that is exact (auto), always (16), or never (full)",
    choices=("auto", "16", "full"),
)


@variant(
    id=_ID,
    title="blocked in registers",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.BLOCK_PER_TILE,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(Citation("beyond the papers", "after Lund and Smith 2010, Sao et al. 2021"),),
    parameters=(_BITS,),
    idea=(
        "Tiles of 128 by 128 cells; every thread keeps 64 cells in registers. Each number loaded from shared memory "
        "is used eight times, so arithmetic is the limit, not memory. Addition and minimum are one instruction; where "
        "all distances fit into 16 bits, it handles two cells at once."
    ),
    watch=(
        "The same three phases as every tiled Floyd-Warshall, in far fewer and larger steps. From the second step on "
        "the first phase takes no time of its own, because the previous step closed the pivot tile in parallel."
    ),
    cost="2n/128 launches; n³ cells relaxed, limited by arithmetic; n² memory, half of it with 16 bits.",
    caveat="Needs CUDA. For graphs with negative weights the host searches for negative cycles first.",
    cuda_only=True,
    kernel="blocked.cu",
    memory=lambda graph: matrix_bytes(graph, TILE),
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises
    ------
    NegativeCycle, UnsuitableGraph, OutOfMemory, KernelBuildError, ParameterError, Cancelled
    """
    graph = problem.graph
    if graph.has_negative_weights:
        _refuse_negative_cycle(problem)
    kind = _cell_type(graph, problem.distance_type, str(problem.parameters["bits"]))
    defines = (("PACKED", 1),) if kind is INT16 else ()
    restore = partial(_as_distances, kind=kind, wanted=problem.distance_type, graph=graph)
    return solve_on_device(problem, _ID, DeviceScheme(__file__, "blocked.cu", TILE, _phases, defines, kind, restore))


def _phases(on: OnDevice, step: int) -> Iterator[Phase]:
    across = on.size // TILE
    arguments = (on.matrix, np.int64(on.size), np.int32(step))
    closing = (("close_pivot", (1, 1), THREADS, arguments),) if step == 0 else ()
    yield Phase(step, 1, closing, lambda: pivot_tile(step, TILE), False)
    crossing = ("relax_cross", (across - 1, 2), THREADS, arguments)
    yield Phase(step, 2, (crossing,), lambda: pivot_cross(step, TILE, across), False)
    rest = ("relax_rest", (across - 1, across - 1), THREADS, arguments)
    yield Phase(step, 3, (rest,), lambda: other_tiles(step, TILE, across))


def _refuse_negative_cycle(problem: Problem) -> None:
    graph = problem.graph
    cycle = find_negative_cycle(graph, np.ones(graph.n, dtype=np.bool_), problem.observer)
    if cycle:
        raise NegativeCycle(graph, cycle, cycle_weight(graph, cycle))


def _cell_type(graph: Graph, kind: WeightType, bits: str) -> WeightType:
    """The narrowest cell type in which no sum of two cells overflows and no length equals infinity."""
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


def _as_distances(cells: NDArray[Any], kind: WeightType, wanted: WeightType, graph: Graph) -> NDArray[Any]:
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
