"""Which row of a table, or of a list or matrix in memory, each arc of a graph was made from, and
the keys of arcs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

import numpy as np

from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int64s

_ROWS, _KEYS = "rows that arcs were made from", "keys of those rows"


def remember_rows(graph: Graph, rows: AnyArray | None) -> None:
    """Keep the row of each arc, (m,), if it is known, for `rows_of`."""
    if rows is not None:
        graph.cached(_ROWS, lambda: rows)


def rows_of(graph: Graph) -> AnyArray | None:
    """The row of each arc, (m,); None for graphs of other origin, and for copies."""
    return cast(AnyArray | None, graph.peek_cached(_ROWS))


def remember_keys(graph: Graph, keys: Sequence[Hashable]) -> None:
    """Keep the key of each row, by which a multigraph tells parallel edges apart."""
    graph.cached(_KEYS, lambda: keys)


def arc_keys(graph: Graph, arcs: Int64s) -> list[Hashable]:
    """The keys of some arcs: those of the multigraph or table that the graph was made
    from, else numbers from 0 among parallel arcs, in their order.
    """
    keys, rows = graph.peek_cached(_KEYS), rows_of(graph)
    if keys is not None and rows is not None:
        known = cast(Sequence[Hashable], keys)
        return [known[row] for row in rows[arcs].tolist()]
    first = [
        graph.row(int(tail)).start + int(np.searchsorted(graph.indices[graph.row(int(tail))], head))
        for tail, head in zip(graph.tails[arcs], graph.indices[arcs], strict=True)
    ]
    return [arc - start for arc, start in zip(arcs.tolist(), first, strict=True)]
