"""The negative cycle behind a negative diagonal.

Floyd-Warshall detects that there is a negative cycle: some vertex has a negative distance to itself. The matrix does
not show which cycle it is; relaxing from all vertices at the same time does.

Why the matrix cannot overflow meanwhile: until a cell of the diagonal is negative, every cell is the length of a simple
path (or infinity), so no sum of two passes twice the path bound. The variants check the diagonal after every step and
stop there, because each further step could double the negative lengths.
"""

from __future__ import annotations

import numpy as np

from solvers.algorithms.negative_cycle import cycle_weight, find_negative_cycle
from solvers.contracts.problem import NegativeCycle
from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.host.observer import Observer


def negative_cycle(graph: Graph, iterations: int, observer: Observer) -> NegativeCycle:
    """The error to raise once the diagonal has turned negative.

    Parameters
    ----------
    graph : Graph
    iterations : int
        Steps made until then.
    observer : Observer
        Asked whether to stop.

    Raises
    ------
    UnsuitableGraph
        Where the cycle is negative only by the rounding of its type.
    Cancelled
    """
    vertices = find_negative_cycle(graph, np.ones(graph.n, dtype=np.bool_), observer)
    if not vertices:
        raise UnsuitableGraph(
            f"{graph.name} has a cycle that adds up to less than 0 in {graph.weights.dtype.name}, but not exactly; "
            "load its weights as float64, or as integers."
        )
    return NegativeCycle(graph, vertices, cycle_weight(graph, vertices), iterations)
