"""Blocked Floyd-Warshall as three min-plus products a step, tiled in registers;
explained in ``blocked.cu``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import (
    BITS,
    THREADS,
    TILE,
    as_distances,
    cell_type,
    kernel_defines,
    matrix_bytes,
    refuse_negative_cycle,
)
from solvers.algorithms.floyd_warshall.on_device import (
    DeviceScheme,
    OnDevice,
    Phase,
    device_variant,
    solve_on_device,
)
from solvers.algorithms.floyd_warshall.tiles import (
    CLOSED_TILE,
    other_tiles,
    pivot_cross,
    pivot_tile,
    product_cells,
)
from solvers.core.problem import Problem, Solution
from solvers.core.pseudocode import BLOCKED_FLOYD_WARSHALL
from solvers.core.variant import Citation, WorkMapping

_ID = "fw-blocked"


@device_variant(
    id=_ID,
    title="blocked in registers",
    mapping=WorkMapping.BLOCK_PER_TILE,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(Citation("beyond the papers", "after Lund and Smith 2010, Sao et al. 2021"),),
    parameters=(BITS,),
    idea=(
        "Tiles of 128 by 128 cells; every thread keeps 64 cells in registers. "
        "Each number loaded from shared memory is used eight times, "
        "so arithmetic is the limit, not memory. One instruction does addition and minimum, "
        "for two cells at once if all distances fit into 16 bits."
    ),
    watch=(
        "The same three phases as every tiled Floyd-Warshall, in far fewer and larger steps. From "
        "the second step on the first phase takes no time of its own, because the previous step "
        "closed the pivot tile in parallel."
    ),
    cost="2n/128 launches; n³ cells relaxed, limited by arithmetic; "
    "n² memory, half of it with 16 bits.",
    caveat="Needs CUDA. For graphs with negative weights "
    "the host searches for negative cycles first.",
    cuda_only=True,
    kernel="blocked.cu",
    memory=lambda graph: matrix_bytes(graph, TILE),
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, UnsuitableGraph, OutOfMemory, KernelBuildError,
    ParameterError, Cancelled.
    """
    graph = problem.graph
    refuse_negative_cycle(problem)
    kind = cell_type(graph, problem.distance_type, str(problem.parameters["bits"]))
    restore = partial(as_distances, kind=kind, wanted=problem.distance_type, graph=graph)
    return solve_on_device(
        problem,
        _ID,
        DeviceScheme(__file__, "blocked.cu", TILE, _phases, kernel_defines(kind), kind, restore),
    )


def _phases(on: OnDevice, step: int) -> Iterator[Phase]:
    across = on.size // TILE
    arguments = (on.matrix, np.int64(0), np.int64(on.size), np.int32(step))
    closing = (("close_pivot", (1, 1), THREADS, arguments),) if step == 0 else ()
    yield Phase(
        step, 1, closing, lambda: pivot_tile(step, TILE), lambda: len(closing) * CLOSED_TILE, False
    )
    crossing = ("relax_cross", (across - 1, 2), THREADS, arguments)
    cross_values = 2 * product_cells(TILE, on.size - TILE)
    yield Phase(
        step, 2, (crossing,), lambda: pivot_cross(step, TILE, across), lambda: cross_values, False
    )
    rest = ("relax_rest", (across - 1, across - 1), THREADS, arguments)
    has_next = step + 1 < across
    rest_values = product_cells(on.size - TILE, on.size - TILE) + has_next * CLOSED_TILE
    yield Phase(
        step,
        3,
        (rest,),
        lambda: other_tiles(step, TILE, across),
        lambda: rest_values,
        ahead=(lambda: pivot_tile(step + 1, TILE)) if has_next else None,
    )
