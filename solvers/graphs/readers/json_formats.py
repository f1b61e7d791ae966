"""JSON graphs: node-link data, as NetworkX and D3 write them, and what becomes such data:
graphs of graphology and Cytoscape, NetworkX's adjacency, and lines of GeoJSON.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import networkx
import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.interpretation import Certainty, Decision
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, decoded, whole_text
from solvers.graphs.readers.networkx_formats import made, parsed_networkx, unlisted
from solvers.graphs.readers.parsed import Parsed
from solvers.graphs.titles import possible_weights
from solvers.graphs.weighting import great_circle
from solvers.text import plural, quoted

_DEGREES = ("CRS84", "4326")  # names of systems of longitude and latitude
_ONE_WAY = "oneway"  # a property, as of OpenStreetMap
JSON_BYTES = 18.0  # of memory per byte of text
_ELSEWHERE = {
    "FeatureCollection": (
        "GeoJSON without lines in degrees",
        "Of GeoJSON, lines of one part are read, in degrees of longitude and latitude.",
    ),
    "Overpass": ("Overpass JSON", "Ask Overpass for XML, by [out:xml], and open that."),
}


def read_json(
    file: InputFile, weighted: bool, progress: ReadingProgress, attribute: str = ""
) -> Parsed:
    """Read node-link JSON, as NetworkX and D3 write it: an object with ``nodes`` and
    ``links`` or ``edges``.
    """
    text = decoded(file, whole_text(file, progress, JSON_BYTES))
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1] if error.lineno <= text.count("\n") + 1 else ""
        reason = f"the JSON cannot be read ({error.msg[:1].lower()}{error.msg[1:]})"
        hint = "The file may be truncated."
        raise FileFormatError(
            file.path, reason, line=error.lineno, text=line[:100], hint=hint
        ) from None
    except (RecursionError, ValueError) as error:
        reason = (
            "the JSON is nested too deeply"
            if isinstance(error, RecursionError)
            else "a number has too many digits"
        )
        raise FileFormatError(file.path, reason, hint="Export the graph again.") from None
    if (other := _elsewhere(data)) is not None:
        raise FileFormatError(file.path, f"this is {other[0]}, which is not read", hint=other[1])
    direction, source = None, data
    data = _node_link(data)
    if isinstance(data, dict) and "directed" not in data:
        direction = Decision("undirected", Certainty.GUESSED)
    links = _links_of(file, data)
    if not any(isinstance(node, dict) and "id" in node for node in data["nodes"]) and data["nodes"]:
        # D3 counts from 0
        data = data | {"nodes": [_named(k, node) for k, node in enumerate(data["nodes"])]}
    if (named := _named_twice(data["nodes"])) is not None:
        reason = f"two nodes have the id “{quoted(str(named), 40)}”"
        raise FileFormatError(file.path, reason, hint="Give each node an id of its own.")
    # With parallel edges kept unless the file says that there are none to keep.
    data = {"directed": False, "multigraph": True} | data
    # NetworkX 1 wrote a list
    data["graph"] = attributes if isinstance(attributes := data.get("graph"), dict) else {}
    graph = made(file, "node-link JSON", lambda: networkx.node_link_graph(data, edges=links))
    warnings = (*_other_features(source), *unlisted(len(graph) - len(data["nodes"])))
    return parsed_networkx(file, graph, weighted, progress.check, warnings, attribute, direction)


def _named(position: int, node: Any) -> Any:
    return {**node, "id": position} if isinstance(node, dict) else node


def _named_twice(nodes: Iterable[Any]) -> Any:
    """The id of a node that another one has, too; None if there is none."""
    seen = set()
    for node in nodes:
        name = node.get("id") if isinstance(node, dict) else None
        text = json.dumps(name)
        if name is not None and text in seen:
            return name
        seen.add(text)
    return None


def _links_of(file: InputFile, data: Any) -> str:
    hint = "Write it by networkx.node_link_data: an object with “nodes” and “edges” or “links”."
    if isinstance(data, dict) and isinstance(data.get("nodes"), list):
        for name in ("edges", "links"):
            if isinstance(data.get(name), list):
                return name
        raise FileFormatError(
            file.path, "the JSON has nodes, but no list of edges or links", hint=hint
        )
    raise FileFormatError(file.path, "this JSON is not a graph of nodes and links", hint=hint)


def _elsewhere(data: Any) -> tuple[str, str] | None:
    """The name of a JSON format that is not read, and what to do; None for others."""
    if not isinstance(data, Mapping):
        return None
    if data.get("type") in ("FeatureCollection", "Feature") and _lines(data) is None:
        return _ELSEWHERE["FeatureCollection"]
    elements = data.get("elements")
    is_osm = isinstance(elements, Sequence) and any(
        isinstance(element, Mapping) and element.get("type") in ("node", "way", "relation")
        for element in elements
    )
    return _ELSEWHERE["Overpass"] if is_osm else None


def _node_link(data: Any) -> Any:
    """The node-link data of a graph that graphology, Cytoscape or `adjacency_data` wrote;
    others as they are.
    """
    if not isinstance(data, Mapping):
        return data
    if isinstance(data.get("elements"), (Mapping, list)):
        return _of_cytoscape(data)
    if data.get("type") == "FeatureCollection" and (lines := _lines(data)) is not None:
        return _of_lines(lines)
    if not _are_objects(data.get("nodes")):
        return data
    adjacency = data.get("adjacency")
    if isinstance(adjacency, list) and len(adjacency) == len(data["nodes"]):
        return _of_adjacency(data)
    if data["nodes"] and all("key" in node and "id" not in node for node in data["nodes"]):
        return _of_graphology(data)
    return data


def _lines(data: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[Any]]] | None:
    """Properties and points of the lines of GeoJSON; None if there are none, or some are
    of several parts or not in degrees.
    """
    found = []
    crs = str(data.get("crs", "CRS84")).upper()
    if not any(name in crs for name in _DEGREES):
        return None
    for feature in data["features"] if _are_objects(data.get("features")) else ():
        geometry, properties = feature.get("geometry"), feature.get("properties")
        kind = geometry.get("type") if isinstance(geometry, Mapping) else ""
        if kind not in ("LineString", "MultiLineString"):
            continue
        line = geometry.get("coordinates")
        if kind == "MultiLineString":
            line = line[0] if isinstance(line, list) and len(line) == 1 else None
        if not isinstance(line, list) or len(line) < 2 or not all(map(_is_place, line)):
            return None
        found.append((properties if isinstance(properties, Mapping) else {}, line))
    return found or None


def _other_features(data: Any) -> tuple[str, ...]:
    """That features of GeoJSON are not lines, and were left out."""
    features = data.get("features") if isinstance(data, Mapping) else None
    others = len(features) - len(_lines(data) or ()) if isinstance(features, list) else 0
    are = plural(others, "feature that is no line is", "features that are no lines are")
    return (f"{are} left out.",) if others else ()


def _is_place(point: Any) -> bool:
    return (
        isinstance(point, list)
        and len(point) > 1
        and all(isinstance(number, (int, float)) for number in point[:2])
        and abs(point[0]) <= 360
        and abs(point[1]) <= 90
    )


def _of_lines(lines: list[tuple[Mapping[str, Any], list[Any]]]) -> Any:
    """Each line as an edge between its ends, which are one vertex where they are at one
    place; without a weight among the properties, its length.
    """
    titles = sorted({str(name) for properties, _ in lines for name in properties})
    measured = not possible_weights(titles, [False] * len(titles))
    number: dict[tuple[float, float], int] = {}
    directions = [_direction_of(properties) for properties, _ in lines]
    directed = any(directions)
    links = []
    for (properties, points), direction in zip(lines, directions, strict=True):
        ends = [number.setdefault((at[0], at[1]), len(number)) for at in (points[0], points[-1])]
        values = dict(_without_id(properties))
        values.pop(_ONE_WAY, None)
        if measured:
            xy = np.array([point[:2] for point in points], np.float64)
            values["length_m"] = float(great_circle(xy[:-1], xy[1:]).sum())
        there = [] if direction < 0 else [(ends[0], ends[1])]
        back = [(ends[1], ends[0])] if directed and direction <= 0 and ends[0] != ends[1] else []
        links += [{**values, "source": tail, "target": head} for tail, head in there + back]
    nodes = [{"id": vertex, "lon": at[0], "lat": at[1]} for at, vertex in number.items()]
    stated = {"directed": True} if directed else {}
    return {**stated, "multigraph": True, "nodes": nodes, "edges": links}


def _direction_of(properties: Mapping[str, Any]) -> int:
    """1 for a road in the direction of its line only, -1 against it, 0 for both."""
    value = str(properties.get(_ONE_WAY, "")).lower()
    if value in ("-1", "reverse"):
        return -1
    return int(value in ("yes", "true", "1"))


def _are_objects(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, Mapping) for value in values)


def _of_adjacency(data: Mapping[str, Any]) -> Any:
    """Neighbours of each node, in the order of the nodes; an undirected edge is at both."""
    directed = bool(data.get("directed"))
    names = [node.get("id") for node in data["nodes"]]
    links, earlier = [], set()
    for name, neighbours in zip(names, data["adjacency"], strict=False):
        for edge in neighbours if _are_objects(neighbours) else ():
            head = edge.get("id")
            if directed or _key(head) not in earlier:
                links.append({**edge, "source": name, "target": head})
        earlier.add(_key(name))
    return {**data, "edges": [_without_id(link) for link in links]}


def _key(name: Any) -> Hashable:
    return name if isinstance(name, Hashable) else repr(name)


def _without_id(edge: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in edge.items() if name not in ("id", "key")}


def _of_graphology(data: Mapping[str, Any]) -> Any:
    options = data.get("options")
    kind = options.get("type", "mixed") if isinstance(options, Mapping) else "mixed"
    edges = data.get("edges") if _are_objects(data.get("edges")) else []
    both = [kind == "undirected" or bool(edge.get("undirected")) for edge in edges or []]
    directed = not (both and all(both)) and kind != "undirected"
    links = []
    for edge, two in zip(edges or [], both, strict=True):
        link = {**_attributes(edge), "source": edge.get("source"), "target": edge.get("target")}
        links.append(link)
        if directed and two and link["source"] != link["target"]:
            links.append({**link, "source": link["target"], "target": link["source"]})
    nodes = [{**_attributes(node), "id": node["key"]} for node in data["nodes"]]
    return {"directed": directed, "multigraph": True, "nodes": nodes, "edges": links}


def _attributes(item: Mapping[str, Any]) -> Mapping[str, Any]:
    found = item.get("attributes")
    return found if isinstance(found, Mapping) else {}


def _of_cytoscape(data: Mapping[str, Any]) -> Any:
    """Cytoscape's elements, in two lists or in one; its y points downwards."""
    elements = data["elements"]
    lists = [elements.get("nodes"), elements.get("edges")] if isinstance(elements, Mapping) else []
    listed = elements if isinstance(elements, list) else [e for part in lists for e in part or []]
    items = [item for item in listed if isinstance(item, Mapping)]
    nodes, links = [], []
    for item in items:
        values = item.get("data")
        if not isinstance(values, Mapping):
            continue
        if "source" in values and "target" in values:
            links.append(_without_id(values))
            continue
        at = item.get("position")
        placed = isinstance(at, Mapping) and all(isinstance(at.get(k), (int, float)) for k in "xy")
        nodes.append({**values, "x": at["x"], "y": -at["y"]} if placed and at else dict(values))
    stated = {"directed": bool(data["directed"])} if "directed" in data else {}
    return {**stated, "multigraph": True, "nodes": nodes, "edges": links}
