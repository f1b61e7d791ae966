"""`from_networkx` and `to_networkx`: graphs of NetworkX taken and given back."""

from __future__ import annotations

from typing import Any

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.library.graphs import read


def from_networkx(graph: Any, *, attribute: str = "weight", undirected: bool | None = None) -> Graph:
    """Convert a NetworkX graph: what `read` does with one, and nothing else is accepted.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Integer nodes become the vertex ids, in ascending order; nodes of any other type stay the names of vertices.
    attribute : str
        The edge attribute that holds the weight; an edge without it weighs 1.
    undirected : bool, optional
        True adds the opposite of every arc of a directed graph.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        For anything but a NetworkX graph, for a weight that is not a finite number (names the edge), and for
        ``undirected=False`` on an undirected graph.

    Examples
    --------
    >>> import networkx
    >>> from solvers import from_networkx
    >>> from_networkx(networkx.path_graph(["home", "bridge", "school"]))
    LabelledGraph('graph', n=3, m=4, int32, directed=False)
    """
    import networkx

    if not isinstance(graph, networkx.Graph):
        name = f"{type(graph).__module__}.{type(graph).__qualname__}"
        raise ParameterError("from_networkx", "graph", name, "it takes a NetworkX graph; read takes other sources")
    return read(graph, attribute=attribute, undirected=undirected)


def to_networkx(graph: object, *, attribute: str = "weight", multigraph: bool | None = None) -> Any:
    """Convert a graph for NetworkX, with ids or names as nodes, weights, coordinates, name and unit.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    attribute : str
        Name of the edge attribute that takes the weights.
    multigraph : bool, optional
        True keeps parallel arcs, False only the lightest between two vertices; None makes a multigraph if there are
        any.

    Returns
    -------
    networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Coordinates are the node attributes ``x`` and ``y``; ``name``, ``weight_unit`` and, for degrees, ``crs`` are
        graph attributes.

    Raises
    ------
    FileFormatError, ParameterError
        As `read`.

    Examples
    --------
    >>> from solvers import to_networkx
    >>> roads = to_networkx(([0, 2, 3, 3], [1, 2, 2], [4, 9, 3]))
    >>> list(roads.edges(data="weight"))
    [(0, 1, 4), (0, 2, 9), (1, 2, 3)]
    """
    from solvers.graphs.conversion.to_networkx import to_networkx as convert_back  # imported only when needed

    return convert_back(read(graph), attribute, multigraph)
