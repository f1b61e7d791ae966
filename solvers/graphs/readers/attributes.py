"""From a NetworkX graph that a file holds to what all readers return: ends, weights and coordinates from attributes."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError, UnknownName
from solvers.graphs.readers.formats import GREATEST_COORDINATE, Parsed
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.recognition import WEIGHT_ATTRIBUTES
from solvers.graphs.readers.table import Rows, narrowed
from solvers.text import plural, quoted

_POSITIONS = (("lon", "lat"), ("lng", "lat"), ("longitude", "latitude"), ("x", "y"))
_NO_WEIGHTS = ("id", "key")  # which NetworkX makes of what names an edge
_SAMPLED = 1_000  # edges whose attributes are looked at for numbers
_DEGREES = "epsg:4326"
_INT64 = np.iinfo(np.int64)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
_CHECKED = 2**14  # nodes or edges between two checks for cancellation


def parsed_networkx(
    file: InputFile,
    graph: Any,
    weighted: bool,
    check: Callable[[], None],
    warnings: Sequence[str] = (),
    attribute: str = "",
) -> Parsed:
    """Nodes, edges and attributes of a NetworkX graph.

    Integer nodes become ids, in ascending order, also if the file has them as text; others become labels. The weight is
    ``attribute`` or, if that is "", the first of `WEIGHT_ATTRIBUTES` that an edge has; edges without it weigh 1.

    Raises
    ------
    UnknownName
        If no edge has ``attribute``.
    FileFormatError
        For a weight or a coordinate that is not a finite number, or too large; names the edge or the node.
    """
    nodes = list(graph)
    if not nodes:
        raise FileFormatError(file.path, "the graph has no vertices")
    names = whole_names(nodes)
    order = sorted(range(len(nodes)), key=names.__getitem__) if names else range(len(nodes))
    index = {nodes[place]: position for position, place in enumerate(order)}
    edges = list(graph.edges(data=True))
    drop_edge_view(graph)
    ends = np.empty((len(edges), 2), np.int32)
    for k, (tail, head, _) in enumerate(edges):
        ends[k] = index[tail], index[head]
        if k % _CHECKED == 0:
            check()
    values, weights_from, found = _weights(file, edges, attribute) if weighted else (np.empty((len(edges), 0)), "", ())
    xy, in_degrees, missing = _coordinates(file, graph, nodes)
    return Parsed(
        Rows(ends, values),
        undirected=not graph.is_directed(),
        weights_from=weights_from,
        vertices=Rows(np.arange(len(nodes))[:, None], xy[list(order)]),
        in_degrees=in_degrees,
        names=tuple(names[place] for place in order) if names else tuple(nodes),
        weight_unit=unit if (unit := str(graph.graph.get("weight_unit", ""))) in ("m", "s") and weights_from else "",
        warnings=(*warnings, *found, *missing),
    )


def drop_edge_view(graph: Any) -> None:
    """Drop the view of the edges that NetworkX keeps with a graph: a reference cycle would delay freeing the graph."""
    vars(graph).pop("edges", None)


def whole_names(nodes: Sequence[Hashable]) -> list[int]:
    """The nodes as 64-bit integers if all are integers, or all are texts of integers; else []."""
    if all(isinstance(node, int) and not isinstance(node, bool) for node in nodes):
        numbers = [operator.index(node) for node in nodes]  # type: ignore[arg-type]
    elif all(isinstance(node, str) and _WHOLE.fullmatch(node) and node != "-0" for node in nodes):
        numbers = [int(node) for node in nodes]  # type: ignore[call-overload]
    else:
        return []
    return numbers if all(_INT64.min <= number <= _INT64.max for number in numbers) else []


def _weights(
    file: InputFile, edges: Sequence[tuple[Any, Any, dict[str, Any]]], chosen: str
) -> tuple[Any, str, tuple[str, ...]]:
    candidates = (chosen,) if chosen else WEIGHT_ATTRIBUTES
    attribute = next((name for name in candidates if any(name in data for *_, data in edges)), None)
    if attribute is None and chosen:
        known = sorted({str(name) for *_, data in edges for name in data})
        raise UnknownName("attribute of edges", chosen, known)
    if attribute is None:
        return np.empty((len(edges), 0)), "", _unread(edges)
    numbers = []
    missing = 0
    for tail, head, data in edges:
        missing += attribute not in data
        numbers.append(number_of(data.get(attribute, 1)))
        if numbers[-1] is None:
            edge = f"{quoted(str(tail), 40)} – {quoted(str(head), 40)}"
            shown = quoted(str(data[attribute]), 40)
            reason = f"the {quoted(attribute)} of the edge {edge} is “{shown}”, not a finite number of 64 bits"
            hint = "Correct it, choose another attribute, or take every weight as 1 (weights “unit”)."
            raise FileFormatError(file.path, reason, hint=hint)
    have = plural(missing, "edge has", "edges have")
    warnings = (f"{have} no {quoted(attribute)}; it is taken as 1.",) if missing else ()
    return column(numbers), f"attribute “{quoted(attribute, 50)}”", warnings


def _unread(edges: Sequence[tuple[Any, Any, dict[str, Any]]]) -> tuple[str, ...]:
    """A warning that names numeric attributes, one of which may be meant to be the weight."""
    counts: Counter[str] = Counter()
    for *_, data in edges[:_SAMPLED]:
        counts.update(str(name) for name, value in data.items() if number_of(value) is not None)
    sampled = min(len(edges), _SAMPLED)
    names = [name for name, count in counts.items() if 2 * count > sampled and name not in _NO_WEIGHTS]
    if not names:
        return ()
    shown = ", ".join(f"“{quoted(name, 30)}”" for name in names[:8]) + (", …" if len(names) > 8 else "")
    return (f"No attribute of the edges is read as weight: every weight is 1. Numbers are in {shown}; name one to "
            "read it (attribute).",)  # fmt: skip


def column(numbers: Sequence[Any]) -> NDArray[Any]:
    """Numbers as an (m, 1) array: int32 or int64 if all are integers, else float64."""
    whole = all(isinstance(number, int) for number in numbers)
    return narrowed(np.array(numbers, np.int64 if whole else np.float64))[:, None]


def number_of(value: object) -> int | float | None:
    """A value, or its text, as a number; None if it is no number, not finite, or an integer past 64 bits."""
    if isinstance(value, str):
        if _WHOLE.fullmatch(value.strip()):
            value = int(value)
        else:
            try:
                value = float(value) if "_" not in value else None
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return value if _INT64.min <= value <= _INT64.max else None
    return value if math.isfinite(value) else None


def _coordinates(file: InputFile, graph: Any, nodes: Sequence[Any]) -> tuple[NDArray[Any], bool, tuple[str, ...]]:
    """Coordinates (n, 2), NaN where a node has none; (n, 0) if none has. Whether they are degrees. Warnings."""
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
            reason = f"the coordinates of the vertex {quoted(str(nodes[k]))} are “{shown}”, not two numbers in range"
            raise FileFormatError(file.path, reason, hint="Correct or remove them.")
        xy[k] = numbers
    said = str(graph.graph.get("crs", "")).lower() == _DEGREES
    in_degrees = "degrees" in systems or said
    if in_degrees and (np.nanmax(np.abs(xy[:, 0])) > 360 or np.nanmax(np.abs(xy[:, 1])) > 90):
        return xy, False, ("The coordinates are out of the range of longitude and latitude; taken as plane ones.",)
    return xy, in_degrees, ()


def _position(data: dict[str, Any]) -> tuple[str | None, tuple[Any, Any] | None]:
    """The system, "degrees" or "plane", and the pair of coordinates of a node; None if it has none."""
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
