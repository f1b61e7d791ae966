"""The four weight types, their infinity, and the narrowest of them that holds a given path length.

One infinity per type, chosen so that INF + INF does not wrap: a kernel may add before it compares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph
from solvers.text import grouped


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

    @property
    def longest(self) -> int | float:
        """The length that every distance must stay below: infinity, or half the range of a floating-point type."""
        return self.infinity if self.is_integer else float(np.finfo(self.dtype).max) / _SUMMANDS


INT32 = WeightType("int32", "DIST_INT32", 2**30 - 1)
INT64 = WeightType("int64", "DIST_INT64", 2**62 - 1)
FLOAT32 = WeightType("float32", "DIST_FLOAT32", float("inf"))
FLOAT64 = WeightType("float64", "DIST_FLOAT64", float("inf"))

WEIGHT_TYPES = {t.name: t for t in (INT32, INT64, FLOAT32, FLOAT64)}
_WIDER = {"int32": INT64, "float32": FLOAT64}

# All-pairs solvers add two distances, each up to the bound, before they compare.
_SUMMANDS = 2


def weight_type(dtype: Any) -> WeightType:
    """The WeightType of a NumPy dtype.

    Raises
    ------
    KeyError
        For a dtype that no kernel supports.
    """
    return WEIGHT_TYPES[np.dtype(dtype).name]


def narrowest_type(own: WeightType, bound: int | float) -> WeightType:
    """The narrowest type, no narrower than ``own``, in which no distance can reach infinity.

    No integer sum can wrap either: a finite distance and a weight are both below infinity, and infinity plus infinity
    fits. A path longer than infinity, where there is one, is never taken for an improvement.

    Parameters
    ----------
    own : WeightType
        The type of the graph's weights.
    bound : int or float
        A length that no shortest path exceeds, and no weight.

    Raises
    ------
    UnsuitableGraph
        Where even the 64-bit type could overflow.
    """
    candidate: WeightType | None = own
    while candidate is not None:
        if bound < candidate.longest:
            return candidate
        candidate = _WIDER.get(candidate.name)
    if own.is_integer:
        raise UnsuitableGraph(
            f"Path lengths could reach {grouped(bound, '')}, past the range of 64-bit integers; scale the weights "
            "down or load them as float64."
        )
    raise UnsuitableGraph(
        f"Path lengths could reach {bound:.3g}, past the range of float64 ({FLOAT64.longest:.3g} here); scale the "
        "weights down."
    )


def exact_distance(distances: NDArray[Any], vertex: int) -> int | float:
    """One distance without rounding: an int in integer types, inf where unreachable."""
    value = distances[vertex]
    exact: int | float = math.inf if value >= weight_type(distances.dtype).infinity else value.item()
    return exact


def to_float(distances: NDArray[Any]) -> NDArray[np.float64]:
    """Distances as float64 with ``inf`` where unreachable, whatever type they were solved in."""
    kind = weight_type(distances.dtype)
    result = distances.astype(np.float64)
    if kind.is_integer:
        result[distances >= kind.infinity] = np.inf
    return result
