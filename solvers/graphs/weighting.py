"""The source of weights chosen by the user: the file's column, all 1, or random; and
the unit of length of weights.

Road files do not state their unit, so it is inferred by comparing weights with
great-circle distances. The "-d" files of the DIMACS challenge, for example, turn out to
be in decimetres.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.csr import slices
from solvers.graphs.graph import Coordinates
from solvers.graphs.random_numbers import fill_real, fill_whole
from solvers.graphs.weights import narrowed
from solvers.system.array_types import AnyArray, Float64s
from solvers.units import EARTH_METRES

NAMED = ("metres", "seconds")  # weights of a file with several
_EXPECTED = (
    "use “column”, “metres”, “seconds”, “unit” or “random:LOW:HIGH:SEED”, as in random:1:10:7"
)

SAMPLE = 10_000
_PER_METRE = {"km": 0.001, "m": 1.0, "dm": 10.0, "cm": 100.0, "mm": 1000.0}
_TOLERANCE = 0.02


@dataclass(frozen=True)
class Weighting:
    """Where the weights of a graph come from."""

    kind: str  # "column", "metres", "seconds", "unit" or "random"
    # least random weight; if this and the greatest are integers, integers are drawn
    low: int | float = 1
    high: int | float = 1
    seed: int = 0

    def describe(self) -> str:
        return (
            f"random {self.low:g} to {self.high:g}, seed {self.seed}"
            if self.kind == "random"
            else "unit"
        )

    def draw(self, count: int, checkpoint: Callable[[], None]) -> AnyArray:
        """``count`` weights: int32 if they fit, else int64; float64 for a real range.
        The k-th is always the same.
        """
        if self.kind != "random":
            return np.ones(count, dtype=np.int32)
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        fill = fill_whole if whole else fill_real
        weights: AnyArray = np.empty(count, dtype=np.int64 if whole else np.float64)
        for begin, end in slices(count):
            fill(np.uint64(self.seed), begin, self.low, self.high, weights[begin:end])
            checkpoint()
        return narrowed(weights)


def parse_weighting(text: str) -> Weighting:
    """Parse "column", "metres", "seconds", "unit" or "random:LOW:HIGH:SEED";
    `ParameterError` for others.
    """
    kind, *numbers = str(text).split(":")
    if kind in ("column", *NAMED, "unit") and not numbers:
        return Weighting(kind)
    if kind != "random" or len(numbers) != 3:
        raise ParameterError("Reading", "weights", text, _EXPECTED)
    try:
        low, high, seed = _number(numbers[0]), _number(numbers[1]), int(numbers[2])
    except ValueError:
        raise ParameterError("Reading", "weights", text, _EXPECTED) from None
    if not (0 <= seed < 2**64):
        raise ParameterError("Reading", "weights", text, "the seed must be from 0 to 2^64 - 1")
    if not (abs(low) < 2**62 and abs(high) < 2**62 and low <= high):
        raise ParameterError(
            "Reading", "weights", text, "LOW must be no greater than HIGH, and both be below 2^62"
        )
    return Weighting(kind, low, high, seed)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def length_unit(
    coordinates: Coordinates | None, tails: AnyArray, heads: AnyArray, weights: AnyArray
) -> str:
    """The unit of length of the weights of arcs: "km", "m", "dm", "cm", "mm", or "" if none fits.

    None fits travel times and synthetic weights, because their ratio to the distance
    varies widely. Without geographic coordinates, the unit is unknown.
    """
    if coordinates is None or not coordinates.geographic or not len(tails):
        return ""
    chosen = np.linspace(0, len(tails) - 1, min(SAMPLE, len(tails)), dtype=np.int64)
    metres = great_circle(coordinates.xy[tails[chosen]], coordinates.xy[heads[chosen]])
    long_enough = metres > 5  # shorter arcs are dominated by the rounding of coordinates
    if not long_enough.any():
        return ""
    # weights near the range of float64 fit no unit
    with np.errstate(over="ignore", invalid="ignore"):
        quartiles = np.percentile(weights[chosen][long_enough] / metres[long_enough], [25, 50, 75])
        for unit, factor in _PER_METRE.items():
            if np.all(np.abs(quartiles / factor - 1) < _TOLERANCE):
                return unit
    return ""


def great_circle(a: Float64s, b: Float64s) -> Float64s:
    """Great-circle distance in metres, (k,), between points given as (k, 2) longitude
    and latitude in degrees.
    """
    (lon_a, lat_a), (lon_b, lat_b) = np.radians(a).T, np.radians(b).T
    half = (
        np.sin((lat_b - lat_a) / 2) ** 2
        + np.cos(lat_a) * np.cos(lat_b) * np.sin((lon_b - lon_a) / 2) ** 2
    )
    return 2 * EARTH_METRES * np.arcsin(np.sqrt(half))
