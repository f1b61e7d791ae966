"""Graphs from matrices of SciPy and arrays of NumPy.

In arrays and matrices entry (i, j) is an arc from vertex i to vertex j. Stored zeros
are arcs of weight zero, and duplicate entries are parallel arcs, of which shortest
paths use the lightest; SciPy's conversions would add them up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.csr import mirrored, rows_of_arcs
from solvers.graphs.edge_columns import unclear_weights
from solvers.graphs.graph import Graph
from solvers.graphs.interpretation import Decision, Interpretation
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.rows import remember_rows
from solvers.graphs.weights import as_weights
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.text import plural

_MATRIX = "for a dense matrix give scipy.sparse.csr_array(matrix)"
_EXACT = 1 << 53  # from which on not every integer is a float64
_MOST_VERTICES = np.iinfo(np.int32).max


def from_csr(indptr: object, indices: object, weights: object, *, both_ways: bool = False) -> Graph:
    """A graph from CSR arrays; the heads of a row may be in any order.

    Raises ParameterError for inconsistent arrays and values out of range.

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
    """
    rows, heads = _rows_and_heads(indptr, indices)
    n, given = len(rows) - 1, np.ones(len(heads), np.int32) if weights is None else weights
    if both_ways or not _ascend(rows, heads):
        return _from_arcs(n, _tails(rows), heads, given, both_ways)

    def named(arc: int) -> str:
        tail = int(np.searchsorted(rows, arc, side="right")) - 1
        return f"the arc {tail} → {int(heads[arc])}" if arc < len(heads) else f"arc {arc}"

    heads = _checked_ends(n, heads)
    values = _checked_weights(given, len(heads), named)
    graph = Graph(rows.copy(), heads, values, interpretation=_of_entries())
    remember_rows(graph, np.arange(len(heads), dtype=np.int32))
    return graph


def ends_of_rows(indptr: object, indices: object) -> tuple[int, AnyArray, AnyArray]:
    """The number of vertices of CSR arrays, and the tails and heads of their arcs, (m,).

    Raises ParameterError for inconsistent arrays.
    """
    rows, heads = _rows_and_heads(indptr, indices)
    return len(rows) - 1, _tails(rows), heads


def _rows_and_heads(indptr: object, indices: object) -> tuple[Int64s, AnyArray]:
    rows = _integers("indptr", indptr).astype(np.int64, copy=False)
    heads = _integers("indices", indices)
    if len(rows) == 0 or rows[0] != 0 or (rows[1:] < rows[:-1]).any():
        raise ParameterError(
            "read", "indptr", f"{len(rows)} values", "it must start with 0 and must not decrease"
        )
    if rows[-1] != len(heads):
        raise ParameterError(
            "read", "indptr", int(rows[-1]), f"its last value must be the {len(heads)} of indices"
        )
    return rows, heads


def _tails(rows: Int64s) -> AnyArray:
    return np.repeat(np.arange(len(rows) - 1), np.diff(rows))


def _ascend(rows: Int64s, heads: AnyArray) -> bool:
    """Whether the heads of each row ascend; then nothing needs to be sorted."""
    falls = np.zeros(len(heads) + 1, np.bool_)
    np.less(heads[1:], heads[:-1], out=falls[1:-1])
    falls[rows] = False
    return not falls.any()


def from_sparse(matrix: Any, *, both_ways: bool = False) -> Graph:
    """A graph from a square SciPy matrix or array in CSR, CSC or COO format; raises
    `ParameterError` for others.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(
            "read", "matrix", matrix.shape, "the matrix must be square, with one row per vertex"
        )
    if matrix.format == "coo":
        return _from_arcs(matrix.shape[0], matrix.row, matrix.col, matrix.data, both_ways)
    if matrix.format not in ("csr", "csc"):
        raise ParameterError(
            "read", "matrix", matrix.format, "convert it to CSR first: matrix.tocsr()"
        )
    stored = int(matrix.indptr[-1])  # there may be room for more
    arrays = matrix.indptr, matrix.indices[:stored], matrix.data[:stored]
    if matrix.format == "csr":
        return from_csr(*arrays, both_ways=both_ways)
    n, heads, tails = ends_of_rows(*arrays[:2])
    return _from_arcs(n, tails, heads, arrays[2], both_ways)


def from_array(array: AnyArray, *, both_ways: bool = False) -> Graph:
    """A graph from numbers in an array of edges, (m, 2) or (m, 3); raises ParameterError for
    other shapes and types.
    """
    ids, ends, weights = _edges_of_array(array)
    values = as_weights(
        np.ones(len(ends), np.int32) if weights is None else weights,
        lambda row: f"the arc {ids[ends[row, 0]]} → {ids[ends[row, 1]]}",
    )
    unclear = "" if weights is None else unclear_weights({2: weights})
    if unclear:
        reason = f"{unclear}; if it holds weights, give array.tolist()"
        raise ParameterError("read", "source", f"an array of shape {array.shape}", reason)
    found = Interpretation(Decision("none: every weight is 1" if weights is None else "column 3"))
    tails, heads = ends.astype(np.int32).T
    return graph_of_rows(
        Graph,
        len(ids),
        tails.copy(),
        heads.copy(),
        values,
        both_ways,
        ids=ids,
        interpretation=found,
    )


def graph_of_rows(
    kind: type[Graph],
    n: int,
    tails: Int32s,
    heads: Int32s,
    weights: AnyArray,
    both_ways: bool,
    columns: Sequence[ArcColumn] = (),
    **attributes: Any,
) -> Graph:
    """A graph from rows in any order, which it remembers; see `rows_of`. ``columns`` has
    values of the rows.
    """
    of_rows = np.int32 if len(tails) <= _MOST_VERTICES else np.int64
    arcs = tails, heads, np.arange(len(tails), dtype=of_rows)
    indptr, indices, rows = rows_of_arcs(n, *(mirrored(*arcs) if both_ways else arcs))
    graph = kind(
        indptr,
        indices,
        weights[rows],
        directed=not both_ways,
        assume_symmetric=both_ways,
        attributes=tuple(column.of_arcs(rows) for column in columns),
        **attributes,
    )
    remember_rows(graph, rows)
    return graph


def _from_arcs(n: int, tails: AnyArray, heads: AnyArray, weights: object, both_ways: bool) -> Graph:
    arcs = checked_arcs(n, tails, heads, weights)
    return graph_of_rows(Graph, n, *arcs, both_ways, interpretation=_of_entries())


def _of_entries() -> Interpretation:
    return Interpretation(Decision("the entries"))


def checked_arcs(
    n: int, tails: AnyArray, heads: AnyArray, weights: object
) -> tuple[Int32s, Int32s, AnyArray]:
    """Tails, heads and weights of arcs, (m,) each, in the types of a graph.

    Raises ParameterError for values out of range and arrays of different lengths.
    """

    def named(arc: int) -> str:
        known = arc < min(len(tails), len(heads))
        return f"the arc {int(tails[arc])} → {int(heads[arc])}" if known else f"arc {arc}"

    ends = _checked_ends(n, tails), _checked_ends(n, heads)
    values = _checked_weights(weights, len(heads), named)
    _require_length("indices", tails, len(heads))
    return *ends, values


def _checked_ends(n: int, ends: AnyArray) -> Int32s:
    """A copy, in the type of a graph."""
    if n > _MOST_VERTICES:
        raise ParameterError("read", "n", n, "too many vertices for 32-bit indices")
    if _integers("indices", ends).size and not 0 <= ends.min() <= ends.max() < n:
        outside = ends[(ends < 0) | (ends >= n)]
        there = f"the graph has {plural(n, 'vertex', 'vertices')}, from 0 to {n - 1}"
        raise ParameterError("read", "indices", int(outside[0]), there)
    return ends.astype(np.int32)


def _checked_weights(weights: object, arcs: int, named: Callable[[int], str]) -> AnyArray:
    """A copy, in a type of weights; ``named`` describes the arc at a position."""
    values = as_weights(weights, named)
    _require_length("weights", values, arcs)
    return values


def _require_length(name: str, array: AnyArray, arcs: int) -> None:
    if len(array) != arcs:
        of_graph = f"the graph has {plural(arcs, 'arc')}"
        raise ParameterError("read", name, plural(len(array), "value"), of_graph)


def _integers(name: str, values: object) -> AnyArray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ParameterError("read", name, array.shape, "it must have one dimension")
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "ui":
        raise ParameterError("read", name, array.dtype.name, "it must hold integers")
    return array


def _edges_of_array(array: AnyArray) -> tuple[Int64s, Int64s, AnyArray | None]:
    """Ids, (k,) ascending; the ends of each row as positions in them, (m, 2); and
    weights, (m,), None without.

    ``array`` is (m, 2) or (m, 3) of numbers. Raises ParameterError for other shapes and
    types, ends that are no integers, and a shape that a matrix may have.
    """
    if array.ndim != 2 or array.shape[1] not in (2, 3) or array.shape[0] == array.shape[1]:
        reason = f"an array of edges is (m, 2) or (m, 3); {_MATRIX}"
        if array.ndim == 2 and array.shape[0] == array.shape[1]:
            reason = f"it may be a matrix or edges; {_MATRIX}, for edges array.tolist()"
        raise ParameterError("read", "source", f"an array of shape {array.shape}", reason)
    ends = array[:, :2]
    if array.dtype.kind not in "iuf":
        raise ParameterError("read", "source", array.dtype.name, "it must hold numbers")
    whole = np.ones(ends.shape, np.bool_)
    if array.dtype.kind == "f":
        whole = (np.rint(ends) == ends) & (np.abs(ends) < _EXACT)
    elif array.dtype == np.uint64:  # NumPy 2.1.0 ends the process if smaller ones are compared so
        whole = ends <= np.iinfo(np.int64).max
    if not whole.all():
        row, column = np.argwhere(~whole)[0].tolist()
        name = f"{('source', 'target')[column]} in row {row}"
        reason = "a vertex is named by an integer"
        raise ParameterError("read", name, ends[row, column].item(), reason)
    ids, places = np.unique(ends.astype(np.int64), return_inverse=True)
    weights = array[:, 2] if array.shape[1] == 3 else None
    return ids, places.reshape(ends.shape), weights
