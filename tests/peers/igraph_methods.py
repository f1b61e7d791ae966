"""A plugin for igraph's own tests of distances, paths and betweenness: the methods of its
graphs are ours, and the last line says how often they were called.

Left to igraph are all shortest paths, harmonic centrality and A*.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import igraph
import numpy as np

from solvers import all_sources, prepare, read, solve
from solvers.graphs.graph import Graph

VARIANTS = {
    "auto": "auto",
    "automatic": "auto",
    "dijkstra": "dijkstra-heap",
    "bellman_ford": "bf-serial",
    "johnson": "auto-apsp",
}

calls: Counter[str] = Counter()


def _read(graph: Any, weights: Any = None, mode: Any = "out") -> Graph:
    """The graph with these weights only; its vertices are numbered."""
    values = graph.es[weights] if isinstance(weights, str) else weights
    edges = graph.get_edgelist()
    if mode in ("in", igraph.IN):
        edges = [(v, u) for u, v in edges]
    directed = graph.is_directed() and mode not in ("all", igraph.ALL)
    bare = igraph.Graph(graph.vcount(), edges, directed=directed)
    if values is not None:
        bare.es["weight"] = list(values)
    return read(bare)


def _listed(vertices: Any, graph: Any) -> list[int]:
    if vertices is None:
        return list(range(graph.vcount()))
    return [vertices] if isinstance(vertices, int) else list(vertices)


def distances(
    graph: Any,
    source: Any = None,
    target: Any = None,
    weights: Any = None,
    mode: Any = "out",
    algorithm: str = "auto",
) -> Any:
    own = _read(graph, weights, mode)
    ends = _listed(target, graph)
    rows: Any
    if algorithm == "johnson":
        rows = solve(own, VARIANTS[algorithm], verify="all").distances
    else:
        rows = {
            start: solve(own, VARIANTS[algorithm], source=start).distances
            for start in _listed(source, graph)
        }
    return [rows[start][ends].tolist() for start in _listed(source, graph)]


def get_shortest_paths(
    graph: Any,
    v: int,
    to: Any = None,
    weights: Any = None,
    mode: Any = "out",
    output: str = "vpath",
    algorithm: str = "auto",
) -> Any:
    if output not in ("vpath", "epath"):
        raise ValueError("not vpath or epath")
    if algorithm == "johnson":
        raise ValueError("paths are not found by Johnson's algorithm")
    answer = solve(_read(graph, weights, mode), VARIANTS[algorithm], source=v)
    paths: list[list[Any]] = [answer.path_to(end) or [] for end in _listed(to, graph)]
    if output == "vpath":
        return [list(path) for path in paths]
    return [[graph.get_eid(*pair) for pair in itertools.pairwise(p)] for p in paths]


def get_shortest_path(graph: Any, v: int, to: int, weights: Any = None, **options: Any) -> Any:
    return get_shortest_paths(graph, v, [to], weights, **options)[0]


def get_k_shortest_paths(graph: Any, v: int, to: int, k: int = 1, weights: Any = None) -> Any:
    paths = prepare(_read(graph, weights), device=None).shortest_simple_paths(v, to, k)
    return [list(path or ()) for path in paths]


def _swept(
    graph: Any, weights: Any, cutoff: float | None, sources: Any, targets: Any, reduction: str
) -> Any:
    if cutoff is not None and (sources, targets) != (None, None):
        raise ValueError("a cutoff and subsets of vertices exclude each other")
    return all_sources(
        _read(graph, weights),
        reduce=[reduction],
        cutoff=cutoff,
        sources=sources,
        targets=targets,
        device=None,
    )


def betweenness(
    graph: Any,
    weights: Any = None,
    cutoff: float | None = None,
    sources: Any = None,
    targets: Any = None,
) -> Any:
    return _swept(graph, weights, cutoff, sources, targets, "betweenness").betweenness.tolist()


def edge_betweenness(
    graph: Any,
    weights: Any = None,
    cutoff: float | None = None,
    sources: Any = None,
    targets: Any = None,
) -> Any:
    flows = _swept(graph, weights, cutoff, sources, targets, "betweenness").flows
    own = flows.graph
    pairs = zip(own.tails.tolist(), own.indices.tolist(), strict=True)
    of_arc = dict(zip(pairs, flows.arcs.tolist(), strict=True))
    return [of_arc[pair] for pair in graph.get_edgelist()]


def closeness(graph: Any, weights: Any = None, cutoff: float | None = None) -> Any:
    found = _swept(graph, weights, cutoff, None, None, "closeness").closeness
    return [math.nan if value == 0 else value for value in found.tolist()]


def eccentricity(graph: Any, weights: Any = None) -> Any:
    if graph.vcount() == 0:
        return []
    return all_sources(_read(graph, weights), reduce=["eccentricity"]).eccentricity.tolist()


def diameter(graph: Any, directed: bool = True, unconn: bool = True, weights: Any = None) -> Any:
    own = _read(graph, weights, "out" if directed else "all")
    if not unconn and not np.isfinite(solve(own, "auto-apsp", verify="all").distances).all():
        return math.inf
    return all_sources(own, reduce=["eccentricity"]).diameter


def _counted(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*more: Any, **options: Any) -> Any:
        calls[method.__name__] += 1
        return method(*more, **options)

    return call


def pytest_configure() -> None:
    for method in (
        distances,
        get_shortest_path,
        get_shortest_paths,
        get_k_shortest_paths,
        betweenness,
        edge_betweenness,
        closeness,
        eccentricity,
        diameter,
    ):
        setattr(igraph.Graph, method.__name__, _counted(method))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"CALLS {sum(calls.values())} {len(calls)}")
