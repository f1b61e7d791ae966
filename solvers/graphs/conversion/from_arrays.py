"""Graphs from compressed sparse rows (CSR): three arrays, or a SciPy sparse matrix.

Entry (i, j) is an arc from vertex i to vertex j. Stored zeros are arcs of weight zero, and duplicate entries are
parallel arcs, of which shortest paths use the lightest; SciPy's conversions would add them up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.conversion.weights import as_weights
from solvers.graphs.graph import Graph
from solvers.graphs.readers.assemble import mirrored
from solvers.text import plural

_MOST_VERTICES = np.iinfo(np.int32).max


def from_csr(indptr: object, indices: object, weights: object, *, both_ways: bool = False) -> Graph:
    """A graph from CSR arrays; the heads of a row may be in any order.

    Parameters
    ----------
    indptr : (n + 1,) integers
        The arcs of vertex ``v`` are ``indptr[v]`` to ``indptr[v + 1] - 1``.
    indices : (m,) integers
        Head of each arc, ``0`` to ``n - 1``.
    weights : (m,) numbers, or None
        None for 1 everywhere.
    both_ways : bool
        Add the opposite of every arc.

    Raises
    ------
    ParameterError
        For inconsistent arrays and values out of range.
    """
    rows = _integers("indptr", indptr)
    heads = _integers("indices", indices)
    if len(rows) == 0 or rows[0] != 0 or (np.diff(rows) < 0).any():
        raise ParameterError("read", "indptr", f"{len(rows)} values", "it must start with 0 and must not decrease")
    if rows[-1] != len(heads):
        raise ParameterError("read", "indptr", int(rows[-1]), f"its last value must be the {len(heads)} of indices")
    n = len(rows) - 1
    tails = np.repeat(np.arange(n), np.diff(rows))
    return _from_arcs(n, tails, heads, np.ones(len(heads), np.int32) if weights is None else weights, both_ways)


def from_sparse(matrix: Any, *, both_ways: bool = False) -> Graph:
    """A graph from a square SciPy matrix or array in CSR, CSC or COO format.

    Raises
    ------
    ParameterError
        For other formats or shapes, and for invalid weights.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError("read", "matrix", matrix.shape, "the matrix must be square, with one row per vertex")
    if matrix.format == "coo":
        return _from_arcs(matrix.shape[0], matrix.row, matrix.col, matrix.data, both_ways)
    if matrix.format not in ("csr", "csc"):
        raise ParameterError("read", "matrix", matrix.format, "convert it to CSR first: matrix.tocsr()")
    stored = int(matrix.indptr[-1])
    lines = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    across = matrix.indices[:stored]
    tails, heads = (lines, across) if matrix.format == "csr" else (across, lines)
    return _from_arcs(matrix.shape[0], tails, heads, matrix.data[:stored], both_ways)


def _from_arcs(n: int, tails: NDArray[Any], heads: NDArray[Any], weights: object, both_ways: bool) -> Graph:
    if n > _MOST_VERTICES:
        raise ParameterError("read", "n", n, "too many vertices for 32-bit indices")
    for ends in (tails, heads):
        outside = np.flatnonzero((ends < 0) | (ends >= n))
        if outside.size:
            raise ParameterError(
                "read",
                "indices",
                int(ends[outside[0]]),
                f"the graph has {plural(n, 'vertex', 'vertices')}, from 0 to {n - 1}",
            )
    values = as_weights(weights, lambda arc: f"the arc {int(tails[arc])} → {int(heads[arc])}")
    if len(values) != len(heads):
        raise ParameterError(
            "read", "weights", plural(len(values), "value"), f"the graph has {plural(len(heads), 'arc')}"
        )
    ends_32 = tails.astype(np.int32), heads.astype(np.int32)
    arcs = mirrored(*ends_32, values) if both_ways else (*ends_32, values)
    return Graph.from_arcs(n, *arcs, directed=not both_ways, mirrored=both_ways)


def _integers(name: str, values: object) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ParameterError("read", name, array.shape, "it must have one dimension")
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "ui":
        raise ParameterError("read", name, array.dtype.name, "it must hold integers")
    return array
