"""The four weight types, their infinities, and the selection of the narrowest sufficient type.

Integer infinities are chosen so that INF + INF does not overflow, because kernels add before they compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph


@dataclass(frozen=True)
class WeightType:
    """A numeric type of weights and distances.

    Attributes
    ----------
    name : str
        NumPy's name of the type, also used in CSV files.
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
        If the dtype is not one of the four.
    """
    return WEIGHT_TYPES[np.dtype(dtype).name]


def narrowest_type(own: WeightType, bound: float) -> WeightType:
    """The narrowest type, at least as wide as ``own``, in which no shortest distance can reach infinity.

    Sums cannot overflow either: a finite distance and a weight are each below infinity. A sum of infinity or more never
    counts as an improvement.

    Parameters
    ----------
    own : WeightType
        The type of the graph's weights.
    bound : float
        Upper bound on the length of any shortest path and on any weight.

    Raises
    ------
    UnsuitableGraph
        If even 64-bit integers could overflow.
    """
    if not own.is_integer:
        return own
    candidate: WeightType | None = own
    while candidate is not None:
        if bound < candidate.infinity:
            return candidate
        candidate = _WIDER.get(candidate.name)
    raise UnsuitableGraph(
        f"Path lengths could reach {bound:.3g}, which exceeds 64-bit integers; scale the weights down or load them as "
        "float64."
    )


def to_float(distances: NDArray[Any]) -> NDArray[np.float64]:
    """Distances of any weight type as float64, ``inf`` for unreachable vertices; a copy."""
    kind = weight_type(distances.dtype)
    result = distances.astype(np.float64)
    if kind.is_integer:
        result[distances >= kind.infinity] = np.inf
    return result
