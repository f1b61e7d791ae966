"""A rectangular grid with random weights, regular and easy to check by eye."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.generators import SEED, Generator
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.random_numbers import HIGH, LOW, draw_weights
from solvers.parameters import Parameter
from solvers.system.cancel import Progress
from solvers.text import format_count

_MOST_VERTICES = 100_000_000


def _make(parameters: Mapping[str, Any], progress: Progress) -> Graph:
    columns, rows = parameters["columns"], parameters["rows"]
    n = columns * rows
    if n > _MOST_VERTICES:
        raise ParameterError(
            "grid",
            "rows",
            rows,
            f"the grid may have at most {format_count(_MOST_VERTICES)} vertices",
        )
    vertices = np.arange(n, dtype=np.int32).reshape(rows, columns)
    west, south = vertices[:, :-1].ravel(), vertices[:-1, :].ravel()
    tails, heads = np.concatenate((west, south)), np.concatenate((west + 1, south + columns))
    weights = draw_weights(parameters, len(tails), progress)
    progress.checkpoint(0.5, 1)
    x, y = np.meshgrid(np.arange(columns, dtype=np.float64), np.arange(rows, dtype=np.float64))
    return Graph.from_arcs(
        n,
        np.concatenate((tails, heads)),
        np.concatenate((heads, tails)),
        np.concatenate((weights, weights)),
        coordinates=Coordinates(np.column_stack((x.ravel(), y.ravel()))),
        ids=np.arange(1, n + 1, dtype=np.int64),
        name=f"grid-{columns}x{rows}-{parameters['seed']}",
        directed=False,
        assume_symmetric=True,
    )


GENERATOR = Generator(
    id="grid",
    title="Grid",
    idea="Vertices in rows and columns; neighbours are joined by two opposite arcs of the same "
    "random weight. Small enough to follow every iteration by eye.",
    parameters=(
        Parameter("columns", 30, "Vertices from west to east.", low=1, high=20_000),
        Parameter("rows", 20, "Vertices from south to north.", low=1, high=20_000),
        LOW,
        HIGH,
        SEED,
    ),
    make=_make,
)
