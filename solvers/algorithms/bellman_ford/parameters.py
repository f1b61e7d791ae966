"""The parameters that several Bellman-Ford variants share, and their bytes on the device."""

from __future__ import annotations

from solvers.graphs.graph import Graph
from solvers.parameters import Parameter

EARLY_EXIT = Parameter(
    "early_exit", True, "stop once a pass changes nothing; off makes every pass, as the papers time it"
)
BLOCK = Parameter("block", 256, "threads in a block", low=32, high=1024)
GRID = Parameter(
    "grid", 1024, "blocks at most; together with block, the threads that share the vertices", low=1, high=65535
)

_STATE_BYTES = 8


def row_bytes(graph: Graph, flags: int = 0) -> int:
    """Device bytes of a CSR variant: the graph, two distance arrays and ``flags`` byte arrays over the vertices."""
    size = graph.distance_type.dtype.itemsize
    return 8 * (graph.n + 1) + (4 + size) * graph.m + (2 * size + flags) * graph.n + _STATE_BYTES


def arc_bytes(graph: Graph, flags: int = 0) -> int:
    """Device bytes of an arc-list variant: the graph, one distance array, ``flags`` byte arrays over the vertices."""
    size = graph.distance_type.dtype.itemsize
    return (8 + size) * graph.m + (size + flags) * graph.n + _STATE_BYTES
