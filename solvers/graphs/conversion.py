"""Graphs from those of other libraries: NetworkX, igraph and rustworkx, matrices of
SciPy, tables, lists and dicts.

NetworkX graphs are directed or undirected, simple graphs or multigraphs, with nodes of
any type. Graphs of igraph and rustworkx, and tables of pandas, Polars and Arrow, are known
by their types' methods; none of these libraries is imported.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

import networkx
import numpy as np
import scipy.sparse

from solvers.errors import GraphFileWarning, OptionNotApplicable, ParameterError, UnknownName
from solvers.graphs.arc_columns import columns_of
from solvers.graphs.directions import oriented, value_of
from solvers.graphs.edge_columns import PREVIEW_ROWS, EdgeColumns, TablePreview, find_columns
from solvers.graphs.graph import WGS84, Coordinates, Graph
from solvers.graphs.interpretation import (
    Certainty,
    Decision,
    Interpretation,
    missing_weights,
    where_missing,
)
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.matrices import from_array, from_csr, from_sparse, graph_of_rows
from solvers.graphs.rows import remember_keys
from solvers.graphs.titles import possible_weights, unit_of
from solvers.graphs.weights import as_weights
from solvers.system.warned import warn
from solvers.text import listed, quoted

__all__ = ["convert"]

_TAKEN = (
    "it takes a file name, a Graph, a graph of NetworkX, igraph or rustworkx, (u, v) or "
    "(u, v, weight) in a list, a generator or an array of NumPy, a dict {u: {v: weight}} or "
    "{u: [v, ...]}, a table of pandas, Polars or Arrow, "
    "a SciPy sparse matrix, or a tuple (indptr, indices, weights)"
)
_OSMNX_UNITS = {"length": "m", "travel_time": "s"}
_NO_WEIGHTS = "none: every weight is 1"
_NUMBERED = "a matrix or arrays"


_INT64 = np.iinfo(np.int64)


def convert(
    data: object,
    *,
    attribute: str | None = None,
    undirected: bool | None = None,
    columns: str | None = None,
) -> Graph:
    """Build a graph from what `_TAKEN` lists; all arrays are copied.

    Raises ParameterError for other types, and for data that do not form a graph;
    `OptionNotApplicable` for options of others; UnknownName for an attribute that no
    edge has, and a column that the table does not have.

    ``attribute``: where edges have attributes: the one that holds the weight, "weight"
    by default ("length" of OSMnx); an edge without it weighs 1. ``undirected``: true
    adds the opposite of every arc. None follows the graph; other data are directed.
    ``columns``: of a table, as in `TableOptions`.
    """
    if isinstance(data, networkx.Graph):
        convert_graph: Any = from_networkx
    elif hasattr(data, "get_edgelist"):
        convert_graph = _from_igraph
    elif hasattr(data, "weighted_edge_list"):
        convert_graph = _from_rustworkx
    else:
        convert_graph, data = None, _collected(data)
    if columns is not None and not _is_table(data):
        raise OptionNotApplicable(
            "columns", columns, f"a {type(data).__name__}", "It is for tables and their files"
        )
    if convert_graph is not None:
        return cast(Graph, convert_graph(data, attribute, undirected))
    if isinstance(data, Mapping) and not scipy.sparse.issparse(data):
        return _from_pairs(list(data), _edges_of_dict(data), attribute, undirected)
    if isinstance(data, list):
        return _from_pairs([], data, attribute, undirected)
    if attribute is not None:
        kind = "a table" if _is_table(data) else _NUMBERED
        raise OptionNotApplicable(
            "attribute", attribute, kind, "It is for graphs whose edges have attributes"
        )
    if _is_table(data):
        return _from_table(data, columns or "", undirected)
    if scipy.sparse.issparse(data):
        return from_sparse(data, both_ways=bool(undirected))
    if isinstance(data, tuple) and len(data) == 3:
        return from_csr(*data, both_ways=bool(undirected))
    if hasattr(data, "__array__"):
        array = np.asarray(data)
        if array.dtype.kind in "OUS" and array.ndim == 2:  # names
            return _from_pairs([], array.tolist(), None, bool(undirected))
        return from_array(array, both_ways=bool(undirected))
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    raise ParameterError("read", "source", name, _TAKEN)


def from_networkx(graph: Any, attribute: str | None, undirected: bool | None) -> Graph:
    """A graph from a NetworkX graph; parameters as for `convert`.

    If all nodes are integers, they become the ids, in ascending order. Otherwise the
    vertices keep the order of ``graph.nodes``, and the result is a `LabelledGraph` with
    the nodes as labels. Node attributes ``x`` and ``y`` are the coordinates, as in
    OSMnx, where all nodes have them. Raises ParameterError for a weight that is not a
    finite number (names the edge), and for ``undirected=False`` on an undirected graph.
    """
    of_osmnx = "OSMnx" in str(graph.graph.get("created_with", ""))
    if attribute is None and of_osmnx:
        attribute = "length"
    unit = _OSMNX_UNITS.get(attribute or "", "") if of_osmnx else ""
    positions = [(node.get("x"), node.get("y")) for _, node in graph.nodes(data=True)]
    made = _from_pairs(
        list(graph),
        list(graph.edges(data=True)),
        attribute,
        undirected,
        undirected_only=not graph.is_directed(),
        name=str(graph.name or "graph"),
        weight_unit=unit,
        positions=positions,
        crs=str(graph.graph.get("crs", "")),
    )
    if graph.is_multigraph():
        remember_keys(made, [key for _, _, key in graph.edges(keys=True)])
    return made


def _from_igraph(graph: Any, attribute: str | None, undirected: bool | None) -> Graph:
    """Its vertices are named by the attribute ``name``, else numbered from 0."""
    known = graph.es.attributes()
    if attribute is not None and attribute not in known:
        raise UnknownName("attribute of edges", attribute, known)
    columns = {name: graph.es[name] for name in known}
    payloads = [
        {name: column[k] for name, column in columns.items()} for k in range(graph.ecount())
    ]
    names = list(range(graph.vcount()))
    if "name" in graph.vs.attributes():
        if len(set(graph.vs["name"])) == graph.vcount():
            names = graph.vs["name"]
        else:
            repeated = next(name for name, count in Counter(graph.vs["name"]).items() if count > 1)
            warn(
                f"The vertices are numbered from 0, because several are called {repeated!r}.",
                GraphFileWarning,
            )
    edges = [
        (names[u], names[v], payload)
        for (u, v), payload in zip(graph.get_edgelist(), payloads, strict=True)
    ]
    return _from_pairs(names, edges, attribute, undirected, undirected_only=not graph.is_directed())


def _from_rustworkx(graph: Any, attribute: str | None, undirected: bool | None) -> Graph:
    """Its vertices have the indices of its nodes as ids; an edge without a payload weighs 1."""
    edges = [
        (u, v) if payload is None else (u, v, payload)
        for u, v, payload in graph.weighted_edge_list()
    ]
    directed = "PyDiGraph" in {kind.__name__ for kind in type(graph).__mro__}
    return _from_pairs(
        list(graph.node_indices()), edges, attribute, undirected, undirected_only=not directed
    )


def _edges_of_dict(adjacency: Mapping[Any, Any]) -> Iterable[tuple[Any, ...]]:
    for tail, heads in adjacency.items():
        if isinstance(heads, Mapping):
            yield from ((tail, head, weight) for head, weight in heads.items())
        elif isinstance(heads, str) or not isinstance(heads, Iterable):
            raise ParameterError(
                "read",
                f"neighbours of {tail!r}",
                heads,
                "they must be a dict, or a list of vertices",
            )
        else:
            yield from ((tail, head) for head in heads)


def _from_pairs(
    nodes: list[Any],
    edges: Iterable[Any],
    attribute: str | None,
    undirected: bool | None,
    *,
    undirected_only: bool = False,
    name: str = "graph",
    weight_unit: str = "",
    interpretation: Interpretation | None = None,
    positions: Sequence[tuple[Any, Any]] = (),
    crs: str = "",
    cells: Mapping[str, Sequence[object]] | None = None,
) -> Graph:
    """A graph from edges (u, v) or (u, v, weight); ``nodes`` are those that need not
    have edges, and come first.

    ``positions`` are those of the nodes, in their order; ``cells`` other values of the
    edges, by their names, if these are not what the edges carry.
    """
    if undirected is False and undirected_only:
        raise ParameterError(
            "read", "undirected", False, "the edges of an undirected graph have no direction"
        )
    pairs = list(edges)
    for place, edge in enumerate(pairs):
        if not isinstance(edge, (tuple, list)) or len(edge) not in (2, 3):
            raise ParameterError(
                "read", f"edge {place}", edge, "an edge is (u, v) or (u, v, weight)"
            )
    try:
        number = dict.fromkeys([*nodes, *(end for edge in pairs for end in edge[:2])])
    except TypeError as error:
        raise ParameterError(
            "read", "vertex", str(error), "vertices are named by hashable values"
        ) from None
    named: list[Any] = list(number)
    whole = all(map(_is_id, named))
    order = (
        sorted(range(len(named)), key=lambda place: operator.index(named[place]))
        if whole
        else range(len(named))
    )
    ordered = [named[place] for place in order]
    index = {node: position for position, node in enumerate(ordered)}
    tails, heads = (
        np.array([index[edge[end]] for edge in pairs], dtype=np.int32) for end in (0, 1)
    )
    payloads = [edge[2] if len(edge) == 3 else 1 for edge in pairs]
    values, of_values = _values(payloads, attribute)
    found = interpretation or of_values
    columns = columns_of(_cells_of(payloads, found) if cells is None else cells)
    found = found.keeping(column.name for column in columns)
    bare = sum(len(edge) == 2 for edge in pairs)
    if interpretation is None and bare:
        what = f"{found.weights.what}{where_missing(bare)}" if bare < len(pairs) else _NO_WEIGHTS
        found = replace(found, weights=replace(found.weights, what=what))
    weights = as_weights(values, lambda edge: f"the edge {pairs[edge][0]!r} → {pairs[edge][1]!r}")
    arcs = len(named), tails, heads, weights, undirected_only or bool(undirected), columns
    attributes: dict[str, Any] = {
        "name": name,
        "weight_unit": weight_unit or found.unit,
        "interpretation": replace(found, unit=weight_unit or found.unit),
        "coordinates": _coordinates([positions[place] for place in order], crs)
        if positions
        else None,
    }
    if whole:
        return graph_of_rows(Graph, *arcs, ids=np.array(ordered, dtype=np.int64), **attributes)
    return graph_of_rows(LabelledGraph, *arcs, labels=tuple(ordered), **attributes)


def _values(payloads: list[Any], attribute: str | None) -> tuple[list[Any], Interpretation]:
    """Weights from what edges carry: numbers, or attributes.

    Without ``attribute`` it is "weight" or, where no edge has it, the only one whose
    name tells a length, a time or a cost; raises `ParameterError` if several do.
    """
    attributes = [payload for payload in payloads if isinstance(payload, Mapping)]
    if not attributes:
        if attribute is not None and payloads:
            raise OptionNotApplicable(
                "attribute", attribute, "edges without attributes", "Leave it out"
            )
        return payloads, Interpretation(Decision("the numbers of the edges"))
    known = {key: None for payload in attributes for key in payload}
    if attribute is not None and attribute not in known:
        raise UnknownName("attribute of edges", attribute, map(str, known))
    chosen, certainty = attribute or "weight", Certainty.STATED
    unit = ""
    if chosen not in known and (named := _named_weight(attributes, known)):
        chosen, certainty, unit = named, Certainty.KNOWN, unit_of(named)
        warn(f"The weights are read from the attribute “{quoted(named, 40)}”.", GraphFileWarning)
    values = [
        payload.get(chosen, 1) if isinstance(payload, Mapping) else payload for payload in payloads
    ]
    if chosen not in known:
        return values, Interpretation(Decision(_NO_WEIGHTS), ignored=tuple(map(str, known)))
    missing = [place for place, payload in enumerate(payloads) if _lacks(payload, chosen)]
    if missing and chosen != "weight":
        reason = (
            f"this edge has no {chosen!r}, which others have; add it, or name another attribute"
        )
        raise ParameterError("read", f"edge {missing[0]}", payloads[missing[0]], reason)
    if missing:
        warn(f"{missing_weights(len(missing), chosen)}.", GraphFileWarning)
    what = f"attribute “{quoted(str(chosen), 40)}”{where_missing(len(missing))}"
    part = Decision(what, certainty, "its name")
    ignored = tuple(str(key) for key in known if key != chosen)
    return values, Interpretation(part, unit, ignored=ignored)


def _cells_of(payloads: list[Any], found: Interpretation) -> dict[str, list[object]]:
    """What edges carry that is not read as their weight, by attribute."""
    carried = [payload if isinstance(payload, Mapping) else {} for payload in payloads]
    return {name: [payload.get(name) for payload in carried] for name in found.ignored}


def _lacks(payload: Any, attribute: Hashable) -> bool:
    return isinstance(payload, Mapping) and attribute not in payload


def _named_weight(attributes: Sequence[Mapping[Any, Any]], known: Iterable[Any]) -> str:
    """The only attribute that is called like weights; "" if none is."""
    titles = [key for key in known if isinstance(key, str)]
    found = [titles[place] for place in possible_weights(titles, [False] * len(titles))]
    found = [
        name
        for name in found
        if any(isinstance(data.get(name), (int, float, np.number)) for data in attributes)
    ]
    if len(found) > 1:
        reason = f"{', '.join(found)} may each be the weights: name one, as attribute={found[0]!r}"
        raise ParameterError("read", "attribute", None, reason)
    return found[0] if found else ""


def _coordinates(positions: Sequence[tuple[Any, Any]], crs: str) -> Coordinates | None:
    """Those of all vertices, in their order; None where one has none."""
    if not all(
        isinstance(value, (int, float, np.number)) for position in positions for value in position
    ):
        return None
    return Coordinates(np.array(positions, np.float64), crs.lower() == WGS84, crs)


def _is_table(data: object) -> bool:
    """Whether it is a table of pandas, Polars or Arrow."""
    return hasattr(data, "columns") and hasattr(data, "shape")


def _from_table(table: Any, chosen: str, undirected: bool | None) -> Graph:
    """A row is an edge; the columns are chosen by title or place, or have the titles
    that files may have.
    """
    table, chosen, unit = _without_index(table, chosen)
    titles = tuple(str(title) for title in getattr(table, "column_names", table.columns))
    cells = [_cells(table, place) for place in range(len(titles))]
    rows = islice(zip(*cells, strict=True), PREVIEW_ROWS)
    preview = TablePreview(
        "", True, titles, tuple(tuple("" if c is None else str(c) for c in row) for row in rows)
    )
    found = find_columns(chosen, titles) if chosen else preview.guess
    if found is None:
        unclear = preview.unclear(weighted=True)
        reason = (
            f"{unclear}{'; ' if unclear else ''}name those of source, target and weight, such as "
            f'columns="{preview.example(weighted=True)}"; it has {", ".join(titles)}'
        )
        raise ParameterError("read", "columns", None, reason)
    if not chosen:
        for sentence in preview.unread(found):
            warn(sentence, GraphFileWarning)
    ends = [cells[place] for place in found.places[:2]]
    for end, place in zip(ends, found.places[:2], strict=True):
        for row, value in enumerate(end):
            if not isinstance(value, (int, str)):
                reason = "a vertex is named by an integer or a text"
                raise ParameterError("read", f"{titles[place]} in row {row}", value, reason)
    if undirected is not None or unit or (preview.directions and preview.directions.unclear):
        found = replace(found, direction=None)
    elif preview.direction not in found.places:
        found = replace(found, direction=preview.direction)
    interpretation = preview.interpretation(found, chosen=bool(chosen))
    cells, both_ways = _oriented(preview, found, cells)
    ends = [cells[place] for place in found.places]
    graph = _from_pairs(
        [],
        list(zip(*ends, strict=True)),
        None,
        undirected or both_ways,
        weight_unit=unit or preview.unit(found),
        interpretation=interpretation,
        cells={preview.name(place): cells[place] for place in preview.others(found)},
    )
    if unit and "key" in titles:
        remember_keys(graph, cells[titles.index("key")])
    return graph


def _oriented(
    preview: TablePreview, found: EdgeColumns, cells: list[list[Any]]
) -> tuple[list[list[Any]], bool]:
    """The rows of a table as arcs, by its column of directions; whether they are undirected
    edges instead.
    """
    said = preview.directions
    if said is None or found.direction is None:
        return cells, False
    along = []
    for row, cell in enumerate(cells[found.direction]):
        if (one := said.meanings.get(value_of(cell))) is None:
            known = listed([value for value in said.meanings if value])
            raise ParameterError(
                "read", f"{said.title} in row {row}", cell, f"it is one of {known}"
            )
        along.append(one)
    number: dict[Any, int] = {}
    tails, heads = (
        np.array([number.setdefault(name, len(number)) for name in cells[place]], np.int64)
        for place in (found.source, found.target)
    )
    rows, turned, both_ways = oriented(np.array(along, np.int64), tails, heads)
    arcs = [[column[row] for row in rows.tolist()] for column in cells]
    for k in np.flatnonzero(turned).tolist():
        arcs[found.source][k], arcs[found.target][k] = (
            arcs[found.target][k],
            arcs[found.source][k],
        )
    return arcs, both_ways


def _cells(table: Any, place: int) -> list[Any]:
    """A column of a table as a list of Python's own values."""
    if hasattr(table, "iloc"):
        column = table.iloc[:, place]
    else:
        column = table.column(place) if hasattr(table, "column") else table[:, place]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def _is_id(node: Hashable) -> bool:
    whole = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    return whole and _INT64.min <= operator.index(node) <= _INT64.max  # type: ignore[arg-type]


def _collected(data: Any) -> Any:
    """The list of edges that a generator yields, or the table that a Polars LazyFrame
    describes; anything else as it is.
    """
    if callable(getattr(data, "collect", None)) and not hasattr(data, "shape"):
        return data.collect()
    is_known = isinstance(data, (str, bytes, tuple, list, Mapping)) or hasattr(data, "shape")
    return list(data) if isinstance(data, Iterable) and not is_known else data


def _without_index(table: Any, chosen: str) -> tuple[Any, str, str]:
    """A table whose rows are indexed by their ends, as those of OSMnx are, with these as
    columns; the columns to be read, and the unit of the weights. Others as they are.
    """
    names = list(getattr(getattr(table, "index", None), "names", None) or ())
    if len(names) < 2 or None in names[:2]:
        return table, chosen, ""
    table = table.reset_index()
    if names[:2] != ["u", "v"]:
        return table, chosen, ""
    titles = list(getattr(table, "column_names", table.columns))
    columns = chosen or ("u,v,length" if "length" in titles else "u,v")
    return table, columns, _OSMNX_UNITS.get(columns.rpartition(",")[2].strip(), "")
