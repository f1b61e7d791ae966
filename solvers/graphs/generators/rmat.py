"""R-MAT graphs (Chakrabarti, Zhan, Faloutsos 2004) with the Graph500 constants; degrees
are highly skewed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.graphs.csr import rows_of_arcs, slices
from solvers.graphs.generators import SEED, Generator
from solvers.graphs.graph import Graph
from solvers.graphs.random_numbers import HIGH, LOW, draw_weights, unit
from solvers.parameters import Parameter
from solvers.system.array_types import Int32s
from solvers.system.cancel import Progress
from solvers.system.jit import njit

_A, _B, _C = 0.57, 0.19, 0.19
_DEPTH = 64  # random counters reserved per arc; more than the greatest scale


@njit
def _draw_arcs(seed: Any, scale: int, begin: int, end: int, tails: Int32s, heads: Int32s) -> None:
    """Draw arcs ``begin`` to ``end``: choose a quadrant of the adjacency matrix,
    recursively, ``scale`` times.
    """
    for arc in range(begin, end):
        tail = head = 0
        for level in range(scale):
            r = unit(seed, arc * _DEPTH + level)
            tail = 2 * tail + (r >= _A + _B)
            head = 2 * head + ((r >= _A and r < _A + _B) or r >= _A + _B + _C)
        tails[arc], heads[arc] = tail, head


def _make(parameters: Mapping[str, Any], progress: Progress) -> Graph:
    scale, seed = parameters["scale"], np.uint64(parameters["seed"])
    n = 2**scale
    m = n * parameters["edge_factor"]
    tails, heads = np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int32)
    for begin, end in slices(m, 2**17):
        _draw_arcs(seed, scale, begin, end, tails, heads)
        progress.checkpoint(0.8 * end, m)
    weights = draw_weights(parameters, m, progress)
    rows = rows_of_arcs(n, tails, heads, weights, progress.checkpoint)
    return Graph(*rows, ids=np.arange(1, n + 1, dtype=np.int64), name=f"rmat-{scale}-{seed}")


GENERATOR = Generator(
    id="rmat",
    title="R-MAT (social network)",
    idea="A few vertices have very many arcs, most have few or none, as in social networks and the "
    "web; this makes load balancing among threads hard. Parallel arcs and self-loops occur. "
    "The quadrants of the adjacency matrix get 57, 19, 19 and 5 % of the arcs.",
    parameters=(
        Parameter("scale", 14, "The graph has 2^scale vertices.", low=1, high=27),
        Parameter(
            "edge_factor",
            16,
            "Arcs per vertex, on average.",
            low=1,
            high=64,
            title="Arcs per vertex",
        ),
        LOW,
        HIGH,
        SEED,
    ),
    make=_make,
)
