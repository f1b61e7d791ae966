"""A plugin for SciPy's own tests of shortest paths: the functions of
``scipy.sparse.csgraph`` are ours, and the last line says how often they were called.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse import csgraph
from scipy.sparse.csgraph._validation import validate_graph

from solvers import NegativeCycle, prepare, read, solve
from solvers.graphs.graph import Graph
from solvers.verification.paths import recover_predecessors

NOTHING = -9999  # SciPy's predecessor where there is none
VARIANTS = {"D": "dijkstra-heap", "BF": "bf-serial", "FW": "fw-serial", "J": "auto-apsp"}

calls: Counter[str] = Counter()


def shortest_path(
    graph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    calls["shortest_path"] += 1
    if method == "FW" and indices is not None:
        raise ValueError("the Floyd-Warshall algorithm takes no indices")
    own = _graph(graph, directed, unweighted)
    chosen = "J" if method == "auto" else method
    starts = np.arange(own.n) if indices is None else np.asarray(indices)
    rows = _rows(own, VARIANTS[chosen], starts.ravel())
    return _answer(own, starts, rows, return_predecessors)


def dijkstra(
    graph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    calls["dijkstra"] += 1
    own = _graph(graph, directed, unweighted)
    starts = np.arange(own.n) if indices is None else np.asarray(indices)
    rows = _rows(own, VARIANTS["D"], starts.ravel())
    rows[rows > limit] = np.inf
    if not min_only:
        return _answer(own, starts, rows, return_predecessors)
    nearest = rows.argmin(axis=0), np.arange(own.n)
    distances = rows[nearest]
    if not return_predecessors:
        return distances
    sources = np.where(np.isfinite(distances), starts.ravel()[nearest[0]], NOTHING)
    return distances, _predecessors(own, starts.ravel(), rows)[nearest], sources


def _of_method(name: str, method: str) -> Any:
    def function(graph: Any, directed: bool = True, indices: Any = None, **more: Any) -> Any:
        calls[name] += 1
        return shortest_path(graph, method, directed, indices=indices, **more)

    return function


def yen(
    graph: Any,
    source: int,
    sink: int,
    K: int,  # noqa: N803  # SciPy's name
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    calls["yen"] += 1
    own = _graph(graph, directed, unweighted)
    if not (0 <= source < own.n and 0 <= sink < own.n):
        raise ValueError(f"source and sink must have 0 <= vertex < {own.n}")
    try:
        paths = prepare(own, device=None).shortest_simple_paths(source, sink, K)
    except NegativeCycle as error:
        raise csgraph.NegativeCycleError(str(error)) from error
    before = np.full((len(paths), own.n), NOTHING)
    for row, path in zip(before, list[Any](paths), strict=True):
        row[path[1:]] = path[:-1]
    return (paths.distances, before) if return_predecessors else paths.distances


def _graph(graph: Any, directed: bool, unweighted: bool) -> Graph:
    rows = scipy.sparse.coo_array(validate_graph(graph, True, dense_output=False))
    tails, heads, weights = rows.row, rows.col, np.ones_like(rows.data) if unweighted else rows.data
    if not directed:  # SciPy takes the lighter of the two
        tails, heads = np.append(tails, heads), np.append(heads, tails)
        weights = np.append(weights, weights)
    return read(scipy.sparse.coo_array((weights, (tails, heads)), shape=rows.shape))


def _rows(graph: Graph, variant: str, starts: Any) -> Any:
    try:
        if variant in (VARIANTS["FW"], VARIANTS["J"]):
            return solve(graph, variant, verify="all").distances[starts]
        rows = [solve(graph, variant, source=int(start)).distances for start in starts]
    except NegativeCycle as error:
        raise csgraph.NegativeCycleError(str(error)) from error
    return np.array(rows).reshape(len(starts), graph.n)


def _answer(graph: Graph, starts: Any, rows: Any, with_predecessors: bool) -> Any:
    shape = (*starts.shape, graph.n)
    if not with_predecessors:
        return rows.reshape(shape)
    return rows.reshape(shape), _predecessors(graph, starts.ravel(), rows).reshape(shape)


def _predecessors(graph: Graph, starts: Any, rows: Any) -> Any:
    found = [
        recover_predecessors(graph, int(start), row)
        for start, row in zip(starts, rows, strict=True)
    ]
    before = np.array(found, np.int32).reshape(len(starts), graph.n)
    return np.where(before < 0, np.int32(NOTHING), before)


def pytest_configure() -> None:
    ours = {
        "shortest_path": shortest_path,
        "dijkstra": dijkstra,
        "bellman_ford": _of_method("bellman_ford", "BF"),
        "johnson": _of_method("johnson", "J"),
        "floyd_warshall": _of_method("floyd_warshall", "FW"),
        "yen": yen,
    }
    for name, function in ours.items():
        setattr(csgraph, name, function)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"CALLS {sum(calls.values())} {len(calls)}")
