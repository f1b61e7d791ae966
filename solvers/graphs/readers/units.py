"""The unit of length of a file's weights, inferred by comparing them with great-circle distances.

Road files do not state their unit. The "-d" files of the DIMACS challenge, for example, turn out to be in decimetres.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Coordinates

EARTH_METRES = 6_371_008.8
SAMPLE = 10_000
_PER_METRE = {"km": 0.001, "m": 1.0, "dm": 10.0, "cm": 100.0, "mm": 1000.0}
_TOLERANCE = 0.02


def length_unit(
    coordinates: Coordinates | None, tails: NDArray[Any], heads: NDArray[Any], weights: NDArray[Any]
) -> str:
    """The unit of length of the weights: "km", "m", "dm", "cm", "mm", or "" if none fits.

    None fits travel times and synthetic weights, because their ratio to the distance varies widely.

    Parameters
    ----------
    coordinates : Coordinates or None
        Only geographic ones are used.
    tails, heads : (m,) integers
    weights : (m,) array
    """
    if coordinates is None or not coordinates.geographic or not len(tails):
        return ""
    chosen = np.linspace(0, len(tails) - 1, min(SAMPLE, len(tails)), dtype=np.int64)
    metres = great_circle(coordinates.xy[tails[chosen]], coordinates.xy[heads[chosen]])
    long_enough = metres > 5  # shorter arcs are dominated by the rounding of coordinates
    if not long_enough.any():
        return ""
    with np.errstate(over="ignore", invalid="ignore"):  # weights near the range of float64 fit no unit
        quartiles = np.percentile(weights[chosen][long_enough] / metres[long_enough], [25, 50, 75])
        for unit, factor in _PER_METRE.items():
            if np.all(np.abs(quartiles / factor - 1) < _TOLERANCE):
                return unit
    return ""


def great_circle(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Great-circle distance in metres, (k,), between points given as (k, 2) longitude and latitude in degrees."""
    (lon_a, lat_a), (lon_b, lat_b) = np.radians(a).T, np.radians(b).T
    half = np.sin((lat_b - lat_a) / 2) ** 2 + np.cos(lat_a) * np.cos(lat_b) * np.sin((lon_b - lon_a) / 2) ** 2
    return 2 * EARTH_METRES * np.arcsin(np.sqrt(half))
