"""Counter-based random numbers, identical on every platform and independent of library
versions and of call order.

The k-th number of a seed is a hash of both (the finaliser of SplitMix64), so there is
no state. `draw_weights` gives the random integer weights that several generator
families use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.csr import slices
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Float64s, Int32s
from solvers.system.cancel import Progress
from solvers.system.jit import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53

LOW = Parameter("low", 1, "Least weight.", low=-(10**6), high=10**9, title="Least weight")
HIGH = Parameter("high", 10, "Greatest weight.", low=-(10**6), high=10**9, title="Greatest weight")

_SEED_MASK = np.uint64(0x5EED)  # makes weights independent of the numbers that determine the arcs


@njit
def mix(seed: Any, counter: Any) -> Any:
    """The ``counter``-th 64-bit random number of ``seed``."""
    z = _finish(np.uint64(seed) + _GOLDEN) + np.uint64(counter) * _GOLDEN
    return _finish(z)


@njit
def _finish(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@njit
def unit(seed: Any, counter: Any) -> float:
    """A random number in [0, 1)."""
    return float(mix(seed, counter) >> np.uint64(11)) * _UNIT


@njit
def whole(seed: Any, counter: Any, low: int, high: int) -> Any:
    """A random integer from ``low`` to ``high``, both included; ``high - low`` below 2**63."""
    return low + np.int64(mix(seed, counter) % np.uint64(high - low + 1))


@njit
def fill_whole(seed: Any, first: int, low: int, high: int, out: AnyArray) -> None:
    """Fill ``out`` with the integers of counters ``first``, ``first + 1`` ..."""
    for k in range(len(out)):
        out[k] = whole(seed, first + k, low, high)


@njit
def fill_real(seed: Any, first: int, low: float, high: float, out: Float64s) -> None:
    """Fill ``out`` with numbers in [``low``, ``high``) of counters ``first``, ``first + 1`` ..."""
    for k in range(len(out)):
        out[k] = low + (high - low) * unit(seed, first + k)


def draw_weights(parameters: Mapping[str, Any], count: int, progress: Progress) -> Int32s:
    """Draw ``count`` integers from ``low`` to ``high``, both included; `ParameterError`
    if ``low`` is greater.
    """
    low, high = parameters["low"], parameters["high"]
    if low > high:
        raise ParameterError("generator", "low", low, f"it is greater than “high”, {high}")
    weights = np.empty(count, dtype=np.int32)
    seed = np.uint64(parameters["seed"]) ^ _SEED_MASK
    for begin, end in slices(count):
        fill_whole(seed, begin, low, high, weights[begin:end])
        progress.checkpoint()
    return weights
