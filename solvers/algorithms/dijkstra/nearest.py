"""The search of an array for the nearest unsettled vertex, compiled once."""

from __future__ import annotations

from typing import Any

from solvers.system.array_types import AnyArray, UInt8s
from solvers.system.jit import njit


@njit
def nearest_unsettled(distances: AnyArray, settled: UInt8s, infinity: Any) -> int:
    """The unsettled column of least distance, with the least number on ties; -1 if none
    can be reached.
    """
    nearest = -1
    least = distances.dtype.type(infinity)
    for column in range(distances.shape[0]):
        if distances[column] < least and settled[column] == 0:
            least = distances[column]
            nearest = column
    return nearest
