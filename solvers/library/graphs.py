"""`read`, `generate`, `from_networkx` and `to_networkx`: graphs for `solvers.solve`,
and for NetworkX.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from solvers.errors import GraphFileWarning, OptionNotApplicable, ParameterError
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.readers import ReadingOptions, read_graph
from solvers.system.warned import warn
from solvers.text import quoted

READ_OPTIONS = frozenset(
    ("coordinates", "undirected", "weights", "profile", "turns", "columns", "attribute", "join")
)
"""Names that `read` takes, for the error of functions that do not."""


def read(
    source: object,
    *,
    coordinates: str | os.PathLike[str] | None = None,
    undirected: bool | None = None,
    weights: str | None = None,
    profile: str | None = None,
    turns: str | None = None,
    columns: str | None = None,
    attribute: str | None = None,
    join: str | None = None,
) -> Graph:
    """Read a graph from a file, or convert one from another library.

    Parameters
    ----------
    source : str, Path, list, array, dict, table, tuple, Graph, or graph or matrix
        A file: DIMACS .gr, SNAP edge list, algs4, PACE, TIGER, GraphML, GEXF, GML,
        Pajek, node-link JSON or Matrix Market, plain or gzip, a table of edges in CSV
        or Parquet, .npz of SciPy, or an OpenStreetMap extract; recognised by its
        content.

        A graph of NetworkX, OSMnx, igraph or rustworkx: directed or not, with parallel
        edges or without. Integer nodes become the vertex ids, in ascending order; nodes
        of any other type are used as vertex names in calls and results. Vertices of
        igraph have their attribute ``name`` or are numbered from 0, those of rustworkx
        have the indices of their nodes. Node attributes ``x`` and ``y`` of NetworkX and
        OSMnx graphs are coordinates.

        A list or generator of edges, ``(u, v)`` or ``(u, v, weight)``, an array of them,
        (m, 2) or (m, 3), or a dict of neighbours, ``{u: {v: weight}}`` or ``{u: [v,
        ...]}``: each is an arc from u to v, and vertices are named as those of NetworkX.
        An array with as many rows as columns is refused: it could be a matrix.

        A table of pandas, Polars, lazy or not, or Arrow, with an edge in each row; see
        ``columns``. The ends may be the index of a table of pandas, as in the tables of
        edges of OSMnx, whose length is read by default.

        A SciPy sparse matrix or array in CSR, CSC or COO format, or a tuple ``(indptr,
        indices, weights)`` of CSR arrays: entry (i, j) is an arc from i to j. Stored
        zeros are arcs of weight 0, repeated entries are parallel arcs and never added
        up, and rows need not be sorted. ``weights`` may be None for 1 everywhere.

        A `Graph` is returned as it is.
    coordinates : str or Path, optional
        A DIMACS .co file; one in the folder of a .gr file, with the same name, is found
        automatically.
    undirected : bool, optional
        True stores both arcs of every line, edge or entry. None follows the file's
        format or the graph; lists, dicts, tables, matrices and CSR arrays are directed.
    weights : str, optional
        Files: "column" (the default: the file's own, 1 where it has none), "unit" or
        "random:LO:HI:SEED". OpenStreetMap: also "seconds", the default, or "metres".
    profile : str, optional
        OpenStreetMap: who travels, "car" (the default), "bicycle" or "foot".
    turns : str, optional
        OpenStreetMap: "restrictions", the default, forbids what the file's turn
        restrictions forbid, U-turns but at dead ends, and by car to pass through roads
        for destination only; "costs" also makes turns cost
        time, "costs:left=10,signals=0" with other seconds than those of `TurnCosts`;
        "ignore" allows all. Vertices stay the junctions, and ``graph.turns`` says what was
        used.
    columns : str, optional
        A table of edges, a file or one in memory: the columns of source, target and
        weight, by title or by number from 1, such as "from,to,km". Where the titles are
        usual ones, such as these, they need not be given.
    attribute : str, optional
        Where edges have attributes (graphs, dicts, GraphML, GEXF, GML and node-link
        JSON): the one that holds the weight; an edge without it weighs 1. The default
        is "weight", and "length" for OSMnx; where no edge has it, the only one called
        like a length, a time or a cost.
    join : str, optional
        GeoJSON: how far the end of a line may be from another line that it meets, such as
        "1m". By default lines meet only where they share a point; a warning tells how many
        parts are not connected, and how many ends nearly meet another line.

    Returns
    -------
    Graph
        It shares no memory with ``source``: changing a matrix afterwards does not
        change the graph. Integer weights are int32 where every one fits, else int64;
        others are float32 or float64.

    Raises
    ------
    FileMissing
    FileFormatError
        If the file cannot be read; names the line, the reason and the remedy.
    ParameterError
        For data that do not form a graph (inconsistent shapes, indices out of range,
        weights that are not finite numbers), a source of another type;
        `OptionNotApplicable` for options that do not apply to it.
    UnknownName
        For an attribute that does not exist.

    Warns
    -----
    GraphFileWarning
        For each possible defect of a file: a header that does not match, vertices
        without coordinates; and for columns of a table that are not read, if none were
        chosen.

    Examples
    --------
    >>> from solvers import read
    >>> read([("home", "bridge", 4), ("bridge", "school", 9)])
    LabelledGraph('graph', n=3, m=2, int32, directed=True)
    >>> read({1: {2: 4, 3: 9}, 2: {3: 3}})
    Graph('graph', n=3, m=3, int32, directed=True)
    >>> read(([0, 2, 3, 3], [1, 2, 2], [4, 9, 3]))
    Graph('graph', n=3, m=3, int32, directed=True)
    >>> import networkx
    >>> read(networkx.path_graph(["home", "bridge", "school"]))
    LabelledGraph('graph', n=3, m=4, int32, directed=False)
    """
    of_files = {
        "coordinates": coordinates,
        "weights": weights,
        "profile": profile,
        "turns": turns,
        "join": join,
    }
    if isinstance(source, Graph):
        others = {"columns": columns, "attribute": attribute, "undirected": undirected}
        _refuse("a Graph, which is used as it is", **of_files, **others)
        return source
    if isinstance(source, (str, os.PathLike)):
        options = ReadingOptions(
            "" if coordinates is None else os.fspath(coordinates),
            undirected,
            weights or "column",
            profile or "",
            columns=columns or "",
            attribute=attribute or "",
            join=join or "",
            turns=turns or "",
        )
        return _read_file(Path(source), options)
    _refuse(f"a {type(source).__name__}", **of_files)
    from solvers.graphs.conversion import convert  # NetworkX and SciPy: imported only when needed

    return convert(source, attribute=attribute, undirected=undirected, columns=columns)


def _read_file(path: Path, options: ReadingOptions) -> Graph:
    reading = read_graph(path, options)
    for doubt in reading.report.warnings:
        warn(f"{quoted(path.name)}: {doubt}", GraphFileWarning)
    return reading.graph


def _refuse(source: str, **given: object) -> None:
    """Refuse options that are given and do not apply to ``source``."""
    for name, value in given.items():
        if value is not None:
            others = "graphs of other libraries"
            applies = {
                "undirected": f"files, matrices and {others}",
                "attribute": f"files and {others}",
                "columns": "tables",
            }
            raise OptionNotApplicable(
                name, value, source, f"It is for {applies.get(name, 'files only')}"
            )


def generate(family: str, **parameters: bool | int | float | str) -> Graph:
    """Generate a synthetic graph; the same parameters and seed give the same graph on
    every machine.

    Parameters
    ----------
    family : str
        "road", "random", "rmat", "grid" or "contention".
    **parameters
        The family's parameters, overriding its defaults (``tautpath generate FAMILY
        --help`` lists them); ``seed`` is the random seed.

    Returns
    -------
    Graph

    Raises
    ------
    UnknownName
        For an unknown family or parameter; names similar ones.
    ParameterError
        For a value outside its range.

    Examples
    --------
    >>> from solvers import generate
    >>> generate("grid", rows=20, columns=30).n
    600
    """
    return generators.find(family).generate(parameters)


def from_networkx(
    graph: Any, *, attribute: str | None = None, undirected: bool | None = None
) -> Graph:
    """Convert a NetworkX graph: what `read` does with one, and nothing else is accepted.

    The edge ``attribute`` that holds the weight is "weight" by default, and an edge
    without it weighs 1. Raises ParameterError also for anything but a NetworkX graph.

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
        raise ParameterError(
            "from_networkx", "graph", name, "it takes a NetworkX graph; read takes other sources"
        )
    return read(graph, attribute=attribute, undirected=undirected)


def to_networkx(graph: object, *, attribute: str = "weight", multigraph: bool | None = None) -> Any:
    """Convert a graph for NetworkX, with ids or names as nodes, weights, coordinates,
    name and unit.

    Turns are left out: NetworkX finds paths that make forbidden ones.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    attribute : str
        Name of the edge attribute that takes the weights.
    multigraph : bool, optional
        True keeps parallel arcs, False only the lightest between two vertices; None
        makes a multigraph if there are any.

    Returns
    -------
    networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Coordinates are the node attributes ``x`` and ``y``; ``name``, ``weight_unit``
        and, for degrees, ``crs`` are graph attributes. It has no turns: where some are
        forbidden or cost something, `TurnsLeftOut` is warned, and the graph attribute
        ``turns`` says what was left out.

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
    from solvers.library.networkx_export import (
        to_networkx as convert_back,  # imported only when needed
    )

    return convert_back(read(graph), attribute, multigraph)
