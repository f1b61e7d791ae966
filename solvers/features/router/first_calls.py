"""Calls of a router that many programs begin with, so that what they need is compiled."""

from __future__ import annotations

from solvers.features.router.router import prepare
from solvers.graphs.graph import Graph


def rehearse(graph: Graph) -> None:
    first, last = graph.vertex_id(0), graph.vertex_id(graph.n - 1)
    router = prepare(graph)
    router.distance(first, last)
    path = router.path(first, last)
    router.table([first, last])
    router.table([first, last], [last])
    router.lengths([(first, last)])
    router.paths([(first, last)])
    router.distances(first)
    router.tree(first)
    router.nearest(first, [last])
    router.within(first, 5)
    router.map(first, within=5)._repr_mimebundle_()
    router.alternatives(first, last, 2)
    router.shortest_simple_paths(first, last, 2)
    router.update(graph.weights * 2)
    if path is not None:
        router.close([(path[0], path[1])])
    router.distance(first, last)
