"""The counterexample of Martín 2009, section 4.3: many threads relax arcs into one
vertex at the same time.

With several last vertices and scattered costs there is more contention than in the
paper's graph.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.generators import Generator
from solvers.graphs.graph import Coordinates, Graph
from solvers.parameters import Parameter
from solvers.system.array_types import Int32s
from solvers.system.cancel import Progress
from solvers.text import format_count

FALLING, SCATTERED = "falling", "scattered"
_ID = "contention"
_GOLDEN_RATIO = 0.6180339887498949
_MOST_ARCS = 200_000_000


def _make(parameters: Mapping[str, Any], progress: Progress) -> Graph:
    n, lasts = parameters["vertices"], parameters["lasts"]
    if lasts > n - 2:
        raise ParameterError(_ID, "lasts", lasts, f"{n} vertices allow at most {n - 2}")
    if (n - 1 - lasts) * lasts > _MOST_ARCS:
        raise ParameterError(
            _ID, "lasts", lasts, f"the graph would have more than {format_count(_MOST_ARCS)} arcs"
        )
    middle = np.arange(1, n - lasts, dtype=np.int32)
    last = np.arange(n - lasts, n, dtype=np.int32)
    progress.checkpoint(0, 1)
    tails = np.concatenate((np.zeros_like(middle), np.repeat(middle, lasts)))
    heads = np.concatenate((middle, np.tile(last, len(middle))))
    costs = _costs(len(middle), lasts, parameters["order"])
    weights = np.concatenate((np.ones_like(middle), costs.ravel()))
    progress.checkpoint(1, 1)
    name = f"contention-{n}" if lasts == 1 else f"contention-{n}-{lasts}"
    return Graph.from_arcs(
        n, tails, heads, weights, coordinates=_fan(len(middle), lasts), name=name
    )


def _costs(middles: int, lasts: int, order: str) -> Int32s:
    """(middles, lasts) costs, each column a permutation of 1 .. ``middles``: falling,
    or scattered by a stride.
    """
    ranks = np.arange(middles, dtype=np.int64)[:, None]
    if order == FALLING:
        return np.repeat(middles - ranks, lasts, axis=1).astype(np.int32)
    stride = max(1, round(middles * _GOLDEN_RATIO))
    while math.gcd(stride, middles) != 1:
        stride += 1
    return (1 + (ranks * stride + np.arange(lasts) * (stride + 1)) % middles).astype(np.int32)


def _fan(middles: int, lasts: int) -> Coordinates:
    """Layout: source on the left, last vertices on the right, the others in a column
    between them.
    """
    xy = np.zeros((1 + middles + lasts, 2))
    width = middles + 2
    xy[1 : 1 + middles, 0] = width / 2
    xy[1 : 1 + middles, 1] = np.arange(middles) - (middles - 1) / 2
    xy[1 + middles :, 0] = width
    xy[1 + middles :, 1] = (np.arange(lasts) - (lasts - 1) / 2) * middles / lasts
    return Coordinates(xy)


GENERATOR = Generator(
    id=_ID,
    title="Contention (Martín 2009, section 4.3)",
    idea="Vertex 0 reaches all middle vertices at cost 1, and each of them reaches the last vertex "
    "at a different cost. In the second round all of them write to it at the same time; the "
    "correct distance is 2. A kernel without atomics keeps whichever write comes last. More "
    "last vertices and scattered costs give more contention.",
    parameters=(
        Parameter(
            "vertices",
            1024,
            "Number of vertices; the paper's graph has 1\u202f024.",
            low=3,
            high=10_000_000,
        ),
        Parameter(
            "lasts",
            1,
            "Number of last vertices, each reached by all middle ones.",
            low=1,
            high=4096,
            title="Last vertices",
        ),
        Parameter(
            "order",
            FALLING,
            "Costs of the middle vertices: falling as in the paper, or scattered.",
            choices=(FALLING, SCATTERED),
        ),
    ),
    make=_make,
)
