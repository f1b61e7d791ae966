"""Edges as other libraries hold them: arrays of NumPy, tables with an index of ends, and
tables that are still to be computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.system.array_types import AnyArray, Int64s

OSMNX_UNITS = {"length": "m", "travel_time": "s"}

_MATRIX = "for a dense matrix give scipy.sparse.csr_array(matrix)"
_EXACT = 1 << 53  # from which on not every integer is a float64


def collected(data: Any) -> Any:
    """The list of edges that a generator yields, or the table that a Polars LazyFrame
    describes; anything else as it is.
    """
    if callable(getattr(data, "collect", None)) and not hasattr(data, "shape"):
        return data.collect()
    is_known = isinstance(data, (str, bytes, tuple, list, Mapping)) or hasattr(data, "shape")
    return list(data) if isinstance(data, Iterable) and not is_known else data


def edges_of_array(array: AnyArray) -> tuple[Int64s, Int64s, AnyArray | None]:
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


def without_index(table: Any, chosen: str) -> tuple[Any, str, str]:
    """A table whose rows are indexed by their ends, as those of OSMnx are, with these as
    columns; the columns to be read, and the unit of the weights. Others as they are.
    """
    names = list(getattr(getattr(table, "index", None), "names", None) or ())
    if len(names) < 2 or None in names[:2]:
        return table, chosen, ""
    table = table.reset_index()
    if names[:2] != ["u", "v"]:
        return table, chosen, ""
    titles = list(getattr(table, "column_names", table.columns))
    columns = chosen or ("u,v,length" if "length" in titles else "u,v")
    return table, columns, OSMNX_UNITS.get(columns.rpartition(",")[2].strip(), "")
