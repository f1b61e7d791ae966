"""Random integer weights, drawn alike by every family that has them."""

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

_OTHER_SEED = np.uint64(0x5EED)  # apart from the numbers that shape the graph


def draw_weights(parameters: Mapping[str, Any], count: int, observer: Observer) -> NDArray[np.int32]:
    """``count`` integers from ``low`` to ``high``, by ``seed``.

    Raises
    ------
    ParameterError
        ``low`` is greater than ``high``.
    """
    low, high = parameters["low"], parameters["high"]
    if low > high:
        raise ParameterError("generator", "low", low, f"it is greater than “high”, {high}")
    weights = np.empty(count, dtype=np.int32)
    seed = np.uint64(parameters["seed"]) ^ _OTHER_SEED
    for begin, end in slices(count):
        fill_whole(seed, begin, low, high, weights[begin:end])
        observer.checkpoint()
    return weights
