"""The inner loops of the rank programs, compiled once and read from numba's cache by every rank."""

from __future__ import annotations

from typing import Any

from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.jit import njit


@njit
def fill_columns(
    indptr: Int64s, heads: Int32s, weights: AnyArray, first: int, block: AnyArray
) -> None:
    """Write the least arc from each vertex to each of the block's columns, from
    ``first`` on; keeps other cells.
    """
    for u in range(indptr.shape[0] - 1):
        for arc in range(indptr[u], indptr[u + 1]):
            column = heads[arc] - first
            if 0 <= column < block.shape[1]:
                block[u, column] = min(block[u, column], weights[arc])


@njit
def fill_rows(
    indptr: Int64s, heads: Int32s, weights: AnyArray, first: int, block: AnyArray
) -> None:
    """Write the arcs that leave the block's vertices, from ``first`` on, and 0 on the diagonal."""
    for row in range(block.shape[0]):
        u = first + row
        block[row, u] = 0
        for arc in range(indptr[u], indptr[u + 1]):
            block[row, heads[arc]] = min(block[row, heads[arc]], weights[arc])


@njit
def relax_cells(
    cells: AnyArray, u: int, length: Any, distances: AnyArray, predecessors: Int32s
) -> int:
    """Relax the arcs from ``u``, at distance ``length``, to every column; returns how
    many improved.

    Settled columns need no test: their distance is no more than ``length``, and no
    weight is negative.
    """
    improved = 0
    start = distances.dtype.type(length)
    for column in range(cells.shape[0]):
        through = distances.dtype.type(start + cells[column])
        if through < distances[column]:
            distances[column] = through
            predecessors[column] = u
            improved += 1
    return improved


@njit
def relax_arcs(
    columns: Int32s,
    weights: AnyArray,
    u: int,
    length: Any,
    distances: AnyArray,
    predecessors: Int32s,
) -> int:
    """As `relax_cells`, over a list of arcs."""
    improved = 0
    last_improved = -1
    start = distances.dtype.type(length)
    for arc in range(columns.shape[0]):
        column = columns[arc]
        through = distances.dtype.type(start + weights[arc])
        if through < distances[column]:
            distances[column] = through
            predecessors[column] = u
            if column != last_improved:
                improved += 1
                last_improved = column
    return improved


@njit
def relax_rows(
    block: AnyArray,
    first: int,
    pivot: AnyArray,
    k: int,
    infinity: Any,
    tolerance: float,
    negative_weights: bool,
) -> bool:
    """Relax rows of the matrix, from ``first`` on, through ``k``, whose row is ``pivot``.

    Returns False if the diagonal falls below zero by more than ``tolerance``, the limit
    of what rounding alone can do.
    """
    limit = block.dtype.type(infinity)
    sound = True
    for row in range(block.shape[0]):
        cells = block[row]
        to_pivot = cells[k]
        if not negative_weights:
            # Infinity plus anything is no less than infinity, so it needs no test.
            for j in range(cells.shape[0]):
                cells[j] = min(cells[j], block.dtype.type(to_pivot + pivot[j]))
        elif to_pivot < limit:
            for j in range(cells.shape[0]):
                through = block.dtype.type(to_pivot + pivot[j])
                cells[j] = through if pivot[j] < limit and through < cells[j] else cells[j]
        if cells[first + row] < 0:
            if cells[first + row] < -tolerance:
                sound = False
            else:
                cells[first + row] = 0
    return sound
