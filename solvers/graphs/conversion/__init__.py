"""Graphs from the data structures of other libraries: NetworkX graphs, SciPy sparse matrices, CSR arrays."""

from __future__ import annotations

import networkx
import scipy.sparse

from solvers.errors import ParameterError
from solvers.graphs.conversion.from_arrays import from_csr, from_sparse
from solvers.graphs.conversion.from_networkx import from_networkx
from solvers.graphs.graph import Graph

__all__ = ["convert"]

_TAKEN = "it takes a file name, a Graph, a NetworkX graph, a SciPy sparse matrix or a tuple (indptr, indices, weights)"


def convert(data: object, *, attribute: str = "weight", undirected: bool | None = None) -> Graph:
    """Build a graph from another library's data structure; all arrays are copied.

    Parameters
    ----------
    data : NetworkX graph, SciPy sparse matrix or (indptr, indices, weights)
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
