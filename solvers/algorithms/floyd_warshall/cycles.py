"""The negative cycle behind a negative diagonal.

Floyd-Warshall tells *that* there is a negative cycle: some vertex comes nearer to itself than 0. Which cycle it is, the
matrix no longer says; relaxing from all vertices at once does.

Why the matrix cannot overflow meanwhile: until a cell of the diagonal is negative, every cell is the length of a simple
path (or infinity), so no sum of two passes twice the path bound. The variants look at the diagonal after every step and
stop there; each step more could double what a negative cycle has made.
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
