"""The four weight types, their infinity, and which of them a graph must be solved in.

One infinity per type, chosen so that INF + INF does not wrap: a kernel may add before it compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph

if TYPE_CHECKING:
    from solvers.graph import Graph


@dataclass(frozen=True)
class WeightType:
    """One numeric type for weights and distances.

    Attributes
    ----------
    name : str
        NumPy's name, as written in CSV files.
    define : str
        The macro that selects the type in a kernel (see ``devices/portable.h``).
    infinity : int or float
        The distance of an unreachable vertex.
    """

    name: str
    define: str
    infinity: int | float

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.name)

    @property
    def is_integer(self) -> bool:
        return self.dtype.kind == "i"


INT32 = WeightType("int32", "DIST_INT32", 2**30 - 1)
INT64 = WeightType("int64", "DIST_INT64", 2**62 - 1)
FLOAT32 = WeightType("float32", "DIST_FLOAT32", float("inf"))
FLOAT64 = WeightType("float64", "DIST_FLOAT64", float("inf"))

WEIGHT_TYPES = {t.name: t for t in (INT32, INT64, FLOAT32, FLOAT64)}
_WIDER = {"int32": INT64}


def weight_type(dtype: Any) -> WeightType:
    """The WeightType of a NumPy dtype.

    Raises
    ------
    KeyError
        For a dtype that no kernel knows.
    """
    return WEIGHT_TYPES[np.dtype(dtype).name]


def longest_path_bound(graph: Graph) -> float:
    """An upper bound on the magnitude of any simple path's length.

    A simple path enters each vertex at most once, so the sum over vertices of the heaviest arc into each bounds
    it; far tighter than ``max weight * (n - 1)`` on road networks (New York: 4e8 rather than 1e10).
    """
    if graph.m == 0:
        return 0.0
    heaviest = np.zeros(graph.n, dtype=np.float64)
    np.maximum.at(heaviest, graph.indices, np.abs(graph.weights.astype(np.float64)))
    return float(heaviest.sum())


def distance_type(graph: Graph) -> WeightType:
    """The narrowest type, no narrower than the graph's own, in which no distance can reach infinity.

    Nor can a sum wrap: a finite distance and a weight are both below infinity. A longer way than infinity, where there
    is one, is not taken for an improvement.

    Raises
    ------
    UnsuitableGraph
        Where even 64-bit integers could overflow.
    """
    own = weight_type(graph.weights.dtype)
    if not own.is_integer:
        return own
    bound = graph.path_bound
    candidate: WeightType | None = own
    while candidate is not None:
        if bound < candidate.infinity:
            return candidate
        candidate = _WIDER.get(candidate.name)
    raise UnsuitableGraph(
        f"Path lengths could reach {bound:.3g}, past the range of 64-bit integers; scale the weights down or load "
        "them as float64."
    )


def to_float(distances: NDArray[Any]) -> NDArray[np.float64]:
    """Distances as float64 with ``inf`` where unreachable, whatever type they were solved in."""
    kind = weight_type(distances.dtype)
    result = distances.astype(np.float64)
    if kind.is_integer:
        result[distances >= kind.infinity] = np.inf
    return result
