"""Graphs from and for other libraries: NetworkX graphs, SciPy sparse matrices, compressed sparse rows (CSR) as arrays.

In arrays and matrices entry (i, j) is an arc from vertex i to vertex j. Stored zeros are arcs of weight zero, and
duplicate entries are parallel arcs, of which shortest paths use the lightest; SciPy's conversions would add them up.

NetworkX graphs are directed or undirected, simple graphs or multigraphs, with nodes of any type. A graph given to
NetworkX has the type that loses nothing, with ids, weights and coordinates as attributes.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable
from typing import Any

import networkx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.readers.assemble import mirrored
from solvers.graphs.weights import as_weights
from solvers.graphs.writers import WGS84
from solvers.text import plural
from solvers.units import public, public_unit

__all__ = ["convert"]

_TAKEN = "it takes a file name, a Graph, a NetworkX graph, a SciPy sparse matrix or a tuple (indptr, indices, weights)"


def convert(data: object, *, attribute: str = "weight", undirected: bool | None = None) -> Graph:
    """Build a graph from a NetworkX graph, SciPy sparse matrix or (indptr, indices, weights); all arrays are copied.

    Parameters
    ----------
    attribute : str
        NetworkX: the edge attribute that holds the weight; an edge without it weighs 1.
    undirected : bool, optional
        True adds the opposite of every arc. None follows the NetworkX graph; matrices and arrays are directed.

    Raises
    ------
    ParameterError
        For other types, and for data that do not form a graph.
    """
    if isinstance(data, networkx.Graph):
        return from_networkx(data, attribute, undirected)
    if scipy.sparse.issparse(data):
        return from_sparse(data, both_ways=bool(undirected))
    if isinstance(data, tuple) and len(data) == 3:
        return from_csr(*data, both_ways=bool(undirected))
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    remedy = "; for a dense matrix give scipy.sparse.csr_array(matrix)" if hasattr(data, "__array__") else ""
    raise ParameterError("read", "source", name, _TAKEN + remedy)


_MOST_VERTICES = np.iinfo(np.int32).max


def from_csr(indptr: object, indices: object, weights: object, *, both_ways: bool = False) -> Graph:
    """A graph from CSR arrays; the heads of a row may be in any order.

    Parameters
    ----------
    indptr : (n + 1,) integers
        The arcs of vertex ``v`` are ``indptr[v]`` to ``indptr[v + 1] - 1``.
    indices : (m,) integers
        Head of each arc, ``0`` to ``n - 1``.
    weights : (m,) numbers, or None
        None for 1 everywhere.
    both_ways : bool
        Add the opposite of every arc.

    Raises
    ------
    ParameterError
        For inconsistent arrays and values out of range.
    """
    rows = _integers("indptr", indptr)
    heads = _integers("indices", indices)
    if len(rows) == 0 or rows[0] != 0 or (np.diff(rows) < 0).any():
        raise ParameterError("read", "indptr", f"{len(rows)} values", "it must start with 0 and must not decrease")
    if rows[-1] != len(heads):
        raise ParameterError("read", "indptr", int(rows[-1]), f"its last value must be the {len(heads)} of indices")
    n = len(rows) - 1
    tails = np.repeat(np.arange(n), np.diff(rows))
    return _from_arcs(n, tails, heads, np.ones(len(heads), np.int32) if weights is None else weights, both_ways)


def from_sparse(matrix: Any, *, both_ways: bool = False) -> Graph:
    """A graph from a square SciPy matrix or array in CSR, CSC or COO format; raises `ParameterError` for others."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError("read", "matrix", matrix.shape, "the matrix must be square, with one row per vertex")
    if matrix.format == "coo":
        return _from_arcs(matrix.shape[0], matrix.row, matrix.col, matrix.data, both_ways)
    if matrix.format not in ("csr", "csc"):
        raise ParameterError("read", "matrix", matrix.format, "convert it to CSR first: matrix.tocsr()")
    stored = int(matrix.indptr[-1])
    lines = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    across = matrix.indices[:stored]
    tails, heads = (lines, across) if matrix.format == "csr" else (across, lines)
    return _from_arcs(matrix.shape[0], tails, heads, matrix.data[:stored], both_ways)


def _from_arcs(n: int, tails: NDArray[Any], heads: NDArray[Any], weights: object, both_ways: bool) -> Graph:
    if n > _MOST_VERTICES:
        raise ParameterError("read", "n", n, "too many vertices for 32-bit indices")
    for ends in (tails, heads):
        outside = np.flatnonzero((ends < 0) | (ends >= n))
        if outside.size:
            raise ParameterError(
                "read",
                "indices",
                int(ends[outside[0]]),
                f"the graph has {plural(n, 'vertex', 'vertices')}, from 0 to {n - 1}",
            )
    values = as_weights(weights, lambda arc: f"the arc {int(tails[arc])} → {int(heads[arc])}")
    if len(values) != len(heads):
        raise ParameterError(
            "read", "weights", plural(len(values), "value"), f"the graph has {plural(len(heads), 'arc')}"
        )
    ends_32 = tails.astype(np.int32), heads.astype(np.int32)
    arcs = mirrored(*ends_32, values) if both_ways else (*ends_32, values)
    return Graph.from_arcs(n, *arcs, directed=not both_ways, mirrored=both_ways)


def _integers(name: str, values: object) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ParameterError("read", name, array.shape, "it must have one dimension")
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "ui":
        raise ParameterError("read", name, array.dtype.name, "it must hold integers")
    return array


_INT64 = np.iinfo(np.int64)


def from_networkx(graph: Any, attribute: str, undirected: bool | None) -> Graph:
    """A graph from a NetworkX graph; parameters as for `convert`.

    If all nodes are integers, they become the ids, in ascending order. Otherwise the vertices keep the order of
    ``graph.nodes``, and the result is a `LabelledGraph` with the nodes as labels.

    Raises
    ------
    ParameterError
        For a weight that is not a finite number (names the edge), and for ``undirected=False`` on an undirected graph.
    """
    if undirected is False and not graph.is_directed():
        raise ParameterError("read", "undirected", False, "the edges of an undirected NetworkX graph have no direction")
    nodes: list[Any] = list(graph)
    whole = all(_is_id(node) for node in nodes)
    if whole:
        nodes.sort(key=operator.index)
    index = {node: position for position, node in enumerate(nodes)}
    edges = list(graph.edges(data=attribute, default=1))
    tails, heads = (np.array([index[edge[end]] for edge in edges], dtype=np.int32) for end in (0, 1))
    weights = as_weights([edge[2] for edge in edges], lambda edge: f"the edge {edges[edge][0]!r} → {edges[edge][1]!r}")
    both_ways = not graph.is_directed() or bool(undirected)
    arcs = mirrored(tails, heads, weights) if both_ways else (tails, heads, weights)
    attributes: dict[str, Any] = {"name": graph.name or "graph", "directed": not both_ways, "mirrored": both_ways}
    if whole:
        return Graph.from_arcs(len(nodes), *arcs, ids=np.array(nodes, dtype=np.int64), **attributes)
    return LabelledGraph.from_arcs(len(nodes), *arcs, labels=tuple(nodes), **attributes)


def _is_id(node: Hashable) -> bool:
    whole = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    return whole and _INT64.min <= operator.index(node) <= _INT64.max  # type: ignore[arg-type]


def to_networkx(graph: Graph, attribute: str, multigraph: bool | None) -> Any:
    """A NetworkX graph with the same vertices, arcs and weights, and each edge of an undirected graph once.

    Parameters
    ----------
    attribute : str
        Name of the edge attribute that takes the weights.
    multigraph : bool, optional
        True keeps parallel arcs, False only the lightest of them; None makes a multigraph if there are any.

    Returns
    -------
    networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Nodes are the ids, in the order of the vertices, or the labels that the graph was made with. Coordinates are the
        node attributes ``x`` and ``y``; ``name``, ``weight_unit`` and, for degrees, ``crs`` are graph attributes.
        Tenths of metres and seconds become metres and seconds.
    """
    tails, heads, weights = graph.tails, graph.indices, public(graph.weights, graph.weight_unit)
    if not graph.directed:
        once = tails <= heads
        tails, heads, weights = tails[once], heads[once], weights[once]
    first = _lightest(tails, heads, weights)
    parallel = len(first) < len(tails) if multigraph is None else multigraph
    if not parallel:
        tails, heads, weights = tails[first], heads[first], weights[first]
    kinds = {
        (True, True): networkx.MultiDiGraph, (True, False): networkx.DiGraph,
        (False, True): networkx.MultiGraph, (False, False): networkx.Graph,
    }  # fmt: skip
    made = kinds[graph.directed, parallel]()
    made.graph.update(_graph_attributes(graph))
    names = [graph.vertex_id(vertex) for vertex in range(graph.n)]
    made.add_nodes_from(zip(names, _node_attributes(graph), strict=True))
    ends = ((names[tail], names[head]) for tail, head in zip(tails.tolist(), heads.tolist(), strict=True))
    made.add_edges_from((*pair, {attribute: weight}) for pair, weight in zip(ends, weights.tolist(), strict=True))
    return made


def _graph_attributes(graph: Graph) -> dict[str, str]:
    attributes = {"name": graph.name}
    if graph.weight_unit:
        attributes["weight_unit"] = public_unit(graph.weight_unit)
    if graph.coordinates is not None and graph.coordinates.geographic:
        attributes["crs"] = WGS84
    return attributes


def _node_attributes(graph: Graph) -> list[dict[str, float]]:
    if graph.coordinates is None:
        return [{} for _ in range(graph.n)]
    return [{"x": x, "y": y} for x, y in graph.coordinates.xy.tolist()]


def _lightest(tails: NDArray[np.int32], heads: NDArray[np.int32], weights: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the lightest arc between each two vertices, ascending."""
    order = np.lexsort((weights, heads, tails))
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(tails[order]) != 0) | (np.diff(heads[order]) != 0)
    return np.sort(order[new])
