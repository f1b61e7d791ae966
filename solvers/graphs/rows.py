"""Which row of a table, list or matrix in memory each arc of a graph was made from."""

from __future__ import annotations

from typing import cast

from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray

_ROWS = "rows that arcs were made from"


def remember_rows(graph: Graph, rows: AnyArray | None) -> None:
    """Keep the row of each arc, (m,), if it is known, for `rows_of`."""
    if rows is not None:
        graph.cached(_ROWS, lambda: rows)


def rows_of(graph: Graph) -> AnyArray | None:
    """The row of each arc, (m,); None for graphs of other origin, and for copies."""
    return cast(AnyArray | None, graph.peek_cached(_ROWS))
