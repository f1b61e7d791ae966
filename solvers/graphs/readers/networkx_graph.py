"""What a graph of NetworkX becomes that was made of a file: weights and coordinates are taken
from the attributes of its edges and nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnknownName
from solvers.graphs.arc_columns import columns_of
from solvers.graphs.interpretation import (
    Certainty,
    Decision,
    Interpretation,
    missing_weights,
    where_missing,
)
from solvers.graphs.quantities import number_of
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.parsed import GREATEST_COORDINATE, Parsed, column, in_order
from solvers.graphs.readers.table import Rows
from solvers.graphs.titles import possible_weights, unit_of
from solvers.text import plural, quoted

_POSITIONS = (("lon", "lat"), ("lng", "lat"), ("longitude", "latitude"), ("x", "y"))
_NO_WEIGHTS = ("id", "key")  # which NetworkX makes of what names an edge
_SAMPLED = 1_000  # edges whose attributes are checked for numbers
_DEGREES = "epsg:4326"
_CHECKED = 2**14  # nodes or edges between two checks for cancellation


def parsed_networkx(
    file: InputFile,
    graph: Any,
    weighted: bool,
    check: Callable[[], None],
    warnings: Sequence[str] = (),
    attribute: str = "",
    direction: Decision | None = None,
    end_names: tuple[str, str] | None = None,
) -> Parsed:
    """Nodes, edges and attributes of a NetworkX graph.

    Integer nodes become ids, in ascending order, also if the file has them as text;
    others become labels. The weight is ``attribute`` or, if that is "", the only one that
    is called like weights; edges without “weight” weigh 1. Raises UnknownName if no edge
    has ``attribute``; FileFormatError if several may be meant, for a missing weight of
    another name, and for a weight or a coordinate that is not a finite number, or too
    large; names the edge or the node.
    """
    _apply_defaults(graph)
    nodes = list(graph)
    if not nodes:
        raise file.error("the graph has no vertices")
    index = {node: position for position, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    drop_edge_view(graph)
    of_osmnx = "OSMnx" in str(graph.graph.get("created_with", ""))
    ends = np.empty((len(edges), 2), np.int32)
    for k, (tail, head, _) in enumerate(edges):
        ends[k] = index[tail], index[head]
        if k % _CHECKED == 0:
            check()
    values, weights_from, lacking, found = (
        _weights(file, edges, attribute, of_osmnx)
        if weighted
        else (np.empty((len(edges), 0)), "", 0, ())
    )
    shown = f"{weights_from}{where_missing(lacking)}"
    part = Decision(shown, Certainty.STATED if attribute else Certainty.KNOWN, "its name")
    others = {str(name) for *_, data in edges for name in data}.difference(_NO_WEIGHTS)
    ignored = sorted(name for name in others if _origin(name) != weights_from)
    columns = columns_of({name: [data.get(name) for *_, data in edges] for name in ignored})
    xy, in_degrees, missing = _coordinates(file, graph, nodes)
    names, vertices, ends = in_order(nodes, ends, xy)
    read_as = Interpretation(part, direction=direction, ignored=tuple(ignored))
    if end_names is not None:
        source, target = (Decision(f"“{quoted(end, 30)}”") for end in end_names)
        read_as = replace(read_as, source=source, target=target)
    return Parsed(
        Rows(ends, values),
        undirected=not graph.is_directed(),
        weights_from=weights_from,
        vertices=vertices,
        in_degrees=in_degrees,
        names=names,
        weight_unit=_unit(graph, weights_from),
        warnings=(*warnings, *found, *missing),
        interpretation=read_as.keeping(column.name for column in columns),
        attributes=columns,
    )


def _apply_defaults(graph: Any) -> None:
    """Give nodes and edges the values that GraphML and GEXF state for those without."""
    of_edges, of_nodes = (graph.graph.get(f"{kind}_default") for kind in ("edge", "node"))
    for defaults, views in ((of_edges, graph.edges), (of_nodes, graph.nodes)):
        for *_, data in views(data=True) if isinstance(defaults, dict) and defaults else ():
            data.update(defaults | data)


def _unit(graph: Any, weights_from: str) -> str:
    """The unit of the weights, as the file or the name of their attribute says."""
    stated = str(graph.graph.get("weight_unit", ""))
    if not weights_from:
        return ""
    return stated if stated in ("m", "s") else unit_of(weights_from)


def drop_edge_view(graph: Any) -> None:
    """Drop the view of the edges that NetworkX keeps with a graph: a reference cycle
    would delay freeing the graph.
    """
    vars(graph).pop("edges", None)


def _weights(
    file: InputFile,
    edges: Sequence[tuple[Any, Any, dict[str, Any]]],
    chosen: str,
    of_osmnx: bool,
) -> tuple[Any, str, int, tuple[str, ...]]:
    """(m, 1) numbers, where they come from, how many edges have none, and warnings."""
    known = sorted({str(name) for *_, data in edges for name in data})
    if chosen and chosen not in known:
        raise UnknownName("attribute of edges", chosen, known)
    attribute = chosen or _known_weight(file, known, of_osmnx)
    if not attribute:
        return np.empty((len(edges), 0)), "", 0, _unread(edges)
    numbers = []
    missing = 0
    for tail, head, data in edges:
        missing += attribute not in data
        numbers.append(number_of(data.get(attribute, 1)))
        if numbers[-1] is None:
            edge = f"{quoted(str(tail), 40)} – {quoted(str(head), 40)}"
            shown = quoted(str(data[attribute]), 40)
            reason = (
                f"the {quoted(attribute)} of the edge {edge} is “{shown}”, "
                "not a finite 64-bit number"
            )
            hint = (
                "Correct it, choose another attribute, or take every weight as 1 (weights “unit”)."
            )
            raise file.error(reason, hint)
    if missing and attribute != "weight":  # which is 1 where it is not written
        hint = "Correct it, choose another attribute, or take every weight as 1 (weights “unit”)."
        have = plural(missing, "edge has", "edges have")
        raise file.error(f"{have} no {quoted(attribute)}", hint)
    warnings = (f"{missing_weights(missing, attribute)}.",) if missing else ()
    return column(numbers), _origin(attribute), missing, warnings


def _origin(attribute: str) -> str:
    """Origin of the weights, for the report."""
    return f"attribute “{quoted(attribute, 50)}”"


def _known_weight(file: InputFile, known: Sequence[str], of_osmnx: bool) -> str:
    """The attribute that is called like weights; "" if none is. Raises `FileFormatError`
    if several are.
    """
    if of_osmnx and "length" in known:
        return "length"
    found = [known[place] for place in possible_weights(known, [False] * len(known))]
    if len(found) > 1:
        shown = ", ".join(f"“{quoted(name, 30)}”" for name in found)
        reason = f"{shown} may each be the weights"
        hint = f"Choose the attribute, such as “{found[0]}”, or weights “unit”."
        raise file.error(reason, hint)
    return found[0] if found else ""


def _unread(edges: Sequence[tuple[Any, Any, dict[str, Any]]]) -> tuple[str, ...]:
    """A warning that names numeric attributes, one of which may be meant to be the weight."""
    counts: Counter[str] = Counter()
    for *_, data in edges[:_SAMPLED]:
        counts.update(str(name) for name, value in data.items() if number_of(value) is not None)
    sampled = min(len(edges), _SAMPLED)
    names = [
        name for name, count in counts.items() if 2 * count > sampled and name not in _NO_WEIGHTS
    ]
    if not names:
        return ()
    shown = ", ".join(f"“{quoted(name, 30)}”" for name in names[:8]) + (
        ", …" if len(names) > 8 else ""
    )
    return (
        "No attribute of the edges is read as the weight, so every weight is 1. These have "
        f"numbers: {shown}; to read one, name it (attribute).",
    )


def _coordinates(
    file: InputFile, graph: Any, nodes: Sequence[Any]
) -> tuple[NDArray[Any], bool, tuple[str, ...]]:
    """Coordinates (n, 2), NaN where a node has none; (n, 0) if none has. Whether they
    are degrees. Warnings.
    """
    found = [_position(graph.nodes[node]) for node in nodes]
    systems = {system for system, _ in found if system}
    if not systems:
        return np.empty((len(nodes), 0)), False, ()
    if len(systems) > 1:
        reason = "Coordinates are left out: some vertices have degrees, others x and y."
        return np.empty((len(nodes), 0)), False, (reason,)
    xy = np.full((len(nodes), 2), np.nan)
    for k, (_, pair) in enumerate(found):
        if pair is None:
            continue
        numbers = [number_of(value) for value in pair]
        if any(number is None or abs(number) > GREATEST_COORDINATE for number in numbers):
            shown = quoted(", ".join(map(str, pair)), 40)
            reason = (
                f"the coordinates of the vertex {quoted(str(nodes[k]))} are "
                f"“{shown}”, not two numbers in range"
            )
            raise file.error(reason, "Correct or remove them.")
        xy[k] = numbers
    said = str(graph.graph.get("crs", "")).lower() == _DEGREES
    in_degrees = "degrees" in systems or said
    if in_degrees and (np.nanmax(np.abs(xy[:, 0])) > 360 or np.nanmax(np.abs(xy[:, 1])) > 90):
        return (
            xy,
            False,
            (
                (
                    "The coordinates are no longitude and latitude; "
                    "they are taken as plane coordinates."
                ),
            ),
        )
    return xy, in_degrees, ()


def _position(data: dict[str, Any]) -> tuple[str | None, tuple[Any, Any] | None]:
    """The system, "degrees" or "plane", and the pair of coordinates of a node; None if
    it has none.
    """
    for across, up in _POSITIONS:
        for names in ((across, up), (across.upper(), up.upper())):
            if all(name in data for name in names):
                return "plane" if across == "x" else "degrees", (data[names[0]], data[names[1]])
    viz = data.get("viz")
    for nested in (data.get("graphics"), viz.get("position") if isinstance(viz, dict) else None):
        if isinstance(nested, dict) and "x" in nested and "y" in nested:
            return "plane", (nested["x"], nested["y"])
    position = data.get("pos")
    if isinstance(position, str):
        position = position.strip("()[] !").replace(",", " ").split()
    if isinstance(position, (list, tuple)) and len(position) in (2, 3):
        return "plane", (position[0], position[1])
    return None, None
