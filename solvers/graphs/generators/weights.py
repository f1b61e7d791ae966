"""Random integer weights, shared by the generator families that use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.randomness import fill_whole
from solvers.graphs.rows import slices
from solvers.host.observer import Observer
from solvers.parameters import Parameter

LOW = Parameter("low", 1, "Least weight.", low=-(10**6), high=10**9)
HIGH = Parameter("high", 10, "Greatest weight.", low=-(10**6), high=10**9)

_SEED_MASK = np.uint64(0x5EED)  # makes weights independent of the numbers that determine the arcs


def draw_weights(parameters: Mapping[str, Any], count: int, observer: Observer) -> NDArray[np.int32]:
    """Draw ``count`` integers from ``low`` to ``high``, both included.

    Raises
    ------
    ParameterError
        If ``low`` is greater than ``high``.
    """
    low, high = parameters["low"], parameters["high"]
    if low > high:
        raise ParameterError("generator", "low", low, f"it is greater than “high”, {high}")
    weights = np.empty(count, dtype=np.int32)
    seed = np.uint64(parameters["seed"]) ^ _SEED_MASK
    for begin, end in slices(count):
        fill_whole(seed, begin, low, high, weights[begin:end])
        observer.checkpoint()
    return weights
