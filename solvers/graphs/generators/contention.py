"""The counterexample of Martín 2009, section 4.3: many threads relax arcs into one vertex at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.graphs.generators import Generator
from solvers.graphs.graph import Coordinates, Graph
from solvers.host.observer import Observer
from solvers.parameters import Parameter


def _make(parameters: Mapping[str, Any], observer: Observer) -> Graph:
    n = parameters["vertices"]
    middle = np.arange(1, n - 1, dtype=np.int32)
    tails = np.concatenate((np.zeros_like(middle), middle))
    heads = np.concatenate((middle, np.full_like(middle, n - 1)))
    weights = np.concatenate((np.ones_like(middle), n - 1 - middle))
    observer.checkpoint(1, 1)
    return Graph.from_arcs(n, tails, heads, weights, coordinates=_fan(n), name=f"contention-{n}")


def _fan(n: int) -> Coordinates:
    """Layout: source on the left, target on the right, the others in a column between them."""
    xy = np.zeros((n, 2))
    xy[1:-1, 0] = n / 2
    xy[1:-1, 1] = np.arange(n - 2) - (n - 3) / 2
    xy[-1, 0] = n
    return Coordinates(xy)


GENERATOR = Generator(
    id="contention",
    title="Contention (Martín 2009, section 4.3)",
    idea="Vertex 0 reaches n - 2 vertices at cost 1, and each of them reaches n - 1 at a different cost. In the "
    "second round all of them write to n - 1 at the same time; the correct distance is 2. A kernel without atomics "
    "keeps whichever write comes last.",
    parameters=(
        Parameter("vertices", 1024, "Number of vertices; the paper's graph has 1\u202f024.", low=3, high=10_000_000),
    ),
    make=_make,
)
