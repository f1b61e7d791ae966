"""NetworkX's Voronoi cells, without the paths that NetworkX makes for them; documented there."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from solvers.library.networkx_backend.dijkstra import searched_from
from solvers.library.networkx_backend.dispatch_graph import Weight, converted


def voronoi_cells(G: Any, center_nodes: Iterable[Hashable], weight: Weight = "weight") -> dict[Any, set[Any]]:
    """The set of nodes that are nearest to each centre."""
    graph = converted(G)
    tree = searched_from(graph, center_nodes, weight)
    index = graph.index
    roots = np.where(tree.parents < 0, np.arange(len(graph), dtype=np.int32), tree.parents)
    while not np.array_equal(above := roots[roots], roots):  # each step doubles the length of the way up
        roots = above
    reached = np.zeros(len(graph), np.bool_)
    reached[tree.order] = True
    cells: dict[Any, set[Any]] = {index.nodes[source]: set() for source in tree.sources}
    by_root = tree.order[np.argsort(roots[tree.order], kind="stable")]
    cuts = np.flatnonzero(np.diff(roots[by_root])) + 1
    for members in np.split(by_root, cuts):
        if len(members):
            cells[index.nodes[roots[members[0]]]] = set(index.named(members))
    unreachable = np.flatnonzero(~reached)
    if len(unreachable):
        cells["unreachable"] = set(index.named(unreachable))
    return cells
