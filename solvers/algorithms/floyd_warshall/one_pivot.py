"""Launch a kernel once per pivot: every step has one phase, which writes the whole matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from solvers.algorithms.floyd_warshall.on_device import DeviceScheme, OnDevice, Phase, bands, solve_on_device
from solvers.contracts.problem import Problem, Solution
from solvers.parameters import Parameter

# 256 is where Wang's figure 6 has its peak.
ROW_BLOCK = Parameter("block", 256, "threads in a block, all on one row", choices=(32, 64, 128, 256, 512, 1024))


@dataclass(frozen=True)
class Blocks:
    """A launch's blocks, and the part of the matrix that each works on.

    Attributes
    ----------
    threads : (int, int)
        Across and down.
    rows, columns : int
        Cells covered, down and across; one block across covers all where it is the width.
    values : callable
        From the rows of the matrix to the cells that the threads of a step read at least; a cell that two threads read
        counts twice. What falls, and so is written, depends on the graph.
    slowness : int
        How many times longer than in shared tiles a cell takes on a processor.
    """

    threads: tuple[int, int]
    rows: int
    columns: int
    values: Callable[[int], int]
    slowness: int = 8


def solve_by_pivots(problem: Problem, variant_id: str, module_file: str, kernel: str, blocks: Blocks) -> Solution:
    """Distances between all pairs by the kernel ``<name>`` in ``<name>.cu``, the file beside ``module_file``.

    Raises
    ------
    NegativeCycle, OutOfMemory, KernelBuildError, Cancelled
    """
    entry = kernel.removesuffix(".cu")

    def phases(on: OnDevice, step: int) -> Iterator[Phase]:
        across, down = -(-on.size // blocks.columns), -(-on.size // blocks.rows)
        launches = tuple(
            (
                entry,
                (across, count),
                blocks.threads,
                (on.matrix, np.int32(on.size), np.int32(first * blocks.rows), np.int32(step), on.unsound, on.tolerance),
            )
            for first, count in bands(on, down, on.size * blocks.rows * blocks.slowness)
        )
        yield Phase(step, 1, launches, lambda: np.array([[0, on.size, 0, on.size]]), lambda: blocks.values(on.size))

    return solve_on_device(problem, variant_id, DeviceScheme(module_file, kernel, 1, phases))


def cell_values(size: int) -> int:
    """Of ``cell.cu``: for each cell its own value, that of the pivot's column and that of the pivot's row."""
    return 3 * size**2
