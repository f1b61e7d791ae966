"""Shapes in which other programs write JSON and XML graphs, as those that NetworkX reads.

JSON: graphology, Cytoscape, NetworkX's adjacency and lines of GeoJSON become node-link
data. XML: in a GraphML or GEXF file with directed and undirected edges, each undirected
one becomes two directed ones, as in Pajek.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from solvers.graphs.titles import possible_weights
from solvers.graphs.weighting import great_circle

_TYPED_EDGE = re.compile(rb"<(?:\w+:)?edge\s[^>]*\b(?:directed|type)\s*=")
_BOTH_WAYS = ("undirected", "mutual", "false")
_ELSEWHERE = {
    "FeatureCollection": (
        "GeoJSON without lines in degrees",
        "Of GeoJSON, lines of one part are read, in degrees of longitude and latitude.",
    ),
    "Overpass": ("Overpass JSON", "Ask Overpass for XML, by [out:xml], and open that."),
}


def directed_edges(text: bytes) -> bytes:
    """GraphML or GEXF in which all edges of a graph with both kinds are directed."""
    if not _TYPED_EDGE.search(text):
        return text
    root = ElementTree.fromstring(text)
    changed = False
    for graph in root.iter():
        if _name(graph) != "graph":
            continue
        holders = [element for element in graph.iter() if _has_edges(element)]
        edges = [(holder, edge) for holder in holders for edge in holder if _name(edge) == "edge"]
        default = graph.get("edgedefault") or graph.get("defaultedgetype") or "undirected"
        both = [_kind(edge, default) in _BOTH_WAYS for _, edge in edges]
        if all(both) or (not any(both) and default == "directed"):
            continue
        changed = True
        for key in ("edgedefault", "defaultedgetype"):
            if key in graph.attrib:
                graph.set(key, "directed")
        for (holder, edge), two in zip(edges, both, strict=True):
            edge.attrib.pop("type", None)
            edge.attrib.pop("directed", None)
            if two and edge.get("source") != edge.get("target"):
                holder.append(_turned(edge))
    return ElementTree.tostring(root) if changed else text


def _turned(edge: ElementTree.Element) -> ElementTree.Element:
    back = ElementTree.Element(edge.tag, dict(edge.attrib))
    back.set("source", edge.get("target", ""))
    back.set("target", edge.get("source", ""))
    if "id" in back.attrib:
        back.set("id", f"{back.get('id')} back")
    back.extend(list(edge))
    return back


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _has_edges(element: ElementTree.Element) -> bool:
    return any(_name(child) == "edge" for child in element)


def _kind(edge: ElementTree.Element, default: str) -> str:
    directed = {"true": "directed", "1": "directed", "0": "false"}
    given = edge.get("directed") or edge.get("type") or default
    return directed.get(given.lower(), given.lower())


def elsewhere(data: Any) -> tuple[str, str] | None:
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


def node_link(data: Any) -> Any:
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
    if isinstance(data.get("adjacency"), list):
        return _of_adjacency(data)
    if data["nodes"] and all("key" in node and "id" not in node for node in data["nodes"]):
        return _of_graphology(data)
    return data


def _lines(data: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[Any]]] | None:
    """Properties and points of the lines of GeoJSON; None if there are none, or some are
    of several parts or not in degrees.
    """
    found = []
    for feature in data["features"] if _are_objects(data.get("features")) else ():
        geometry, properties = feature.get("geometry"), feature.get("properties")
        kind = geometry.get("type") if isinstance(geometry, Mapping) else ""
        parts = geometry["coordinates"] if kind in ("LineString", "MultiLineString") else []
        if kind == "LineString":
            parts = [parts]
        if kind == "MultiLineString" and len(parts) != 1:
            return None
        if parts and not (len(parts[0]) > 1 and all(map(_is_place, parts[0]))):
            return None
        found += [(properties if isinstance(properties, Mapping) else {}, part) for part in parts]
    return found or None


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
    links = []
    for properties, points in lines:
        ends = [number.setdefault((at[0], at[1]), len(number)) for at in (points[0], points[-1])]
        link = {**_without_id(properties), "source": ends[0], "target": ends[1]}
        if measured:
            xy = np.array([point[:2] for point in points], np.float64)
            link["length_m"] = float(great_circle(xy[:-1], xy[1:]).sum())
        links.append(link)
    nodes = [{"id": vertex, "lon": at[0], "lat": at[1]} for at, vertex in number.items()]
    return {"multigraph": True, "nodes": nodes, "edges": links}


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
