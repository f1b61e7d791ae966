"""Dijkstra's one condition, checked in one place: no arc may have a negative weight."""

from __future__ import annotations

import numpy as np

from solvers.errors import UnsuitableGraph
from solvers.graph import Graph
from solvers.text import format_distance


def require_nonnegative(graph: Graph, variant_id: str) -> None:
    """Let only graphs through on which a settled vertex stays settled.

    Raises
    ------
    UnsuitableGraph
        Naming the arc of least weight by the file's own ids, and what to use instead.
    """
    if not graph.has_negative_weights:
        return
    arc = int(np.argmin(graph.weights))
    tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
    head = int(graph.indices[arc])
    raise UnsuitableGraph(
        f"{variant_id} needs weights of zero or more, and arc {graph.ids[tail]} → {graph.ids[head]} of {graph.name} "
        f"weighs {format_distance(graph.least_weight)}; choose a Bellman-Ford variant."
    )
