"""Launch the three kernels of a blocked step: ``pivot_tile``, ``pivot_cross``, ``other_tiles``; a thread per cell.

The tiled variants differ in where their kernels read from, not in what is launched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import matrix_bytes
from solvers.algorithms.floyd_warshall.on_device import DeviceScheme, OnDevice, Phase, bands, solve_on_device
from solvers.algorithms.floyd_warshall.tiles import TILES, other_tiles, pivot_cross, pivot_tile
from solvers.contracts.problem import Problem, Solution
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter

TILE = Parameter("tile", 32, "side of a tile in cells: tile x tile threads a block", choices=TILES)


@dataclass(frozen=True)
class TileValues:
    """Cells that a thread reads from global memory and writes to it, at least, by kernel.

    Attributes
    ----------
    pivot_tile, pivot_cross, other_tiles : int
    """

    pivot_tile: int
    pivot_cross: int
    other_tiles: int


def working_bytes(graph: Graph) -> int:
    """The matrix, padded to the largest tile."""
    return matrix_bytes(graph, max(TILES))


def solve_in_three_phases(
    problem: Problem, variant_id: str, module_file: str, kernel: str, values: TileValues, slowness: int = 1
) -> Solution:
    """Distances between all pairs by the kernels in ``kernel``, in tiles of the parameter ``tile``.

    Parameters
    ----------
    problem : Problem
    variant_id : str
    module_file, kernel : str
        The variant's ``__file__``, and the kernel file beside it.
    values : TileValues
    slowness : int
        How many times longer than in shared tiles a cell takes on a processor.

    Raises
    ------
    NegativeCycle, OutOfMemory, KernelBuildError, Cancelled
    """
    tile = int(problem.parameters["tile"])
    block = (tile, tile)

    def phases(on: OnDevice, step: int) -> Iterator[Phase]:
        stride, pivot, across = np.int64(on.size), np.int32(step), on.size // tile
        one, two, three = (np.int32(3 * step + phase) for phase in range(3))
        arguments = (on.matrix, stride, pivot, one, on.unsound, on.tolerance)
        closing = ("pivot_tile", (1, 1), block, arguments)
        yield Phase(step, 1, (closing,), lambda: pivot_tile(step, tile), lambda: values.pivot_tile * tile**2, False)
        crossing = ("pivot_cross", (across, 2), block, (on.matrix, stride, pivot, two, on.unsound))
        cross_values = 2 * (across - 1) * tile**2 * values.pivot_cross
        yield Phase(step, 2, (crossing,), lambda: pivot_cross(step, tile, across), lambda: cross_values, False)
        others = tuple(
            (
                "other_tiles",
                (across, count),
                block,
                (on.matrix, stride, np.int32(first), pivot, three, on.unsound, on.tolerance),
            )
            for first, count in bands(on, across, on.size * tile * tile * slowness)
        )
        other_values = (across - 1) ** 2 * tile**2 * values.other_tiles
        yield Phase(step, 3, others, lambda: other_tiles(step, tile, across), lambda: other_values)

    return solve_on_device(problem, variant_id, DeviceScheme(module_file, kernel, tile, phases, (("TILE", tile),)))
