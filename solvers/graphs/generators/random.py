"""Random graphs of fixed out-degree, as used in Martín 2009 (degree 7, weights 1 to 10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.graphs.csr import rows_of_arcs, slices
from solvers.graphs.generators import SEED, Generator
from solvers.graphs.graph import Graph
from solvers.graphs.random_numbers import HIGH, LOW, draw_weights, whole
from solvers.parameters import Parameter
from solvers.system.array_types import Int32s
from solvers.system.cancel import Progress
from solvers.system.jit import njit


@njit
def _draw_heads(seed: Any, n: int, degree: int, begin: int, end: int, heads: Int32s) -> None:
    """Draw the heads of arcs ``begin`` to ``end``; arc k leaves vertex k // degree and
    is not a self-loop.
    """
    for arc in range(begin, end):
        tail = arc // degree
        head = whole(seed, arc, 0, n - 2)
        heads[arc] = head + (head >= tail)


def _make(parameters: Mapping[str, Any], progress: Progress) -> Graph:
    n, degree, seed = parameters["vertices"], parameters["degree"], np.uint64(parameters["seed"])
    m = n * degree
    heads = np.empty(m, dtype=np.int32)
    for begin, end in slices(m):
        _draw_heads(seed, n, degree, begin, end, heads)
        progress.checkpoint(0.4 * end, m)
    weights = draw_weights(parameters, m, progress)
    tails = np.repeat(np.arange(n, dtype=np.int32), degree)
    rows = rows_of_arcs(n, tails, heads, weights, progress.checkpoint)
    return Graph(*rows, ids=np.arange(1, n + 1, dtype=np.int64), name=f"random-{n}-{degree}-{seed}")


GENERATOR = Generator(
    id="random",
    title="Random graph of fixed degree",
    idea="Every vertex has the same number of arcs to random heads. The graph is shallow: a few "
    "tens of rounds reach every vertex, with large frontiers, which suits GPUs. Martín 2009 "
    "uses degree 7 and weights 1 to 10.",
    parameters=(
        Parameter("vertices", 2**17, "Number of vertices.", low=2, high=100_000_000),
        Parameter(
            "degree", 7, "Arcs that leave each vertex.", low=0, high=10_000, title="Arcs per vertex"
        ),
        LOW,
        HIGH,
        SEED,
    ),
    make=_make,
)
