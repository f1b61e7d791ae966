"""JSON graphs of many programs, by what they have in common: a list of edges whose objects
name two ends, and perhaps a list of nodes with the names of these ends.

Node-link data of NetworkX and D3, graphology, Cytoscape, vis.js, JSON Graph Format, GoJS and
rows of edges differ in names and in nesting only. Dicts of neighbours are read as `read`
takes them in memory. GeoJSON is read by `solvers.graphs.readers.geojson`.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import networkx

from solvers.errors import FileFormatError, OptionNotApplicable
from solvers.graphs.directions import BACKWARD, BOTH, FORWARD, find_directions, value_of
from solvers.graphs.interpretation import Certainty, Decision
from solvers.graphs.readers.geojson import features_of, links_of_lines
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, decoded, whole_text
from solvers.graphs.readers.networkx_formats import made, unlisted
from solvers.graphs.readers.networkx_graph import parsed_networkx
from solvers.graphs.readers.parsed import Parsed
from solvers.graphs.titles import ends_of
from solvers.text import quoted

Object = Mapping[str, Any]

JSON_BYTES = 18.0  # of memory per byte of text
_BETWEEN = " \t\r\n\x1e,"  # values of JSON lines, and of text sequences
_SAMPLED = 1_000
# names of lists, the most usual first, and of what is around them
_EDGE_LISTS = (
    *("edges", "links", "connections", "linkDataArray", "relationships", "arcs", "Edges", "Links"),
)
_NODE_LISTS = (
    *("nodes", "vertices", "nodeDataArray", "points", "stations", "stops", "places", "Nodes"),
)
_MIXED_LISTS = ("elements", "cells", "items")
_AROUND = ("graph", "graphs", "network", "data", "elements", "adjacency", "adjacencyList")
_NESTED = ("data", "attributes", "metadata", "properties")  # attributes of a node or an edge
_NAMES = ("id", "key", "_id", "@id", "uid", "name", "label", "title")
_HEADS = ("to", "target", "node", "id", "neighbor", "neighbour", "vertex", "name", "destination")
# keys that only one format has, its name, and what to do
_ELSEWHERE = (
    ("topology", "TopoJSON", "Convert it to GeoJSON in longitude and latitude."),
    ("geometryType", "JSON of Esri", "Export GeoJSON in longitude and latitude."),
    ("nbformat", "a Jupyter notebook", "Run it, and write the graph as GraphML."),
    ("children", "a tree of nested objects", "Write its edges as a list of pairs."),
    ("CityObjects", "CityJSON", "It has buildings, and no edges."),
)
_HINT = (
    "Read are lists of nodes and edges, as of NetworkX, D3, graphology, Cytoscape and vis.js, "
    "lists of edges, dicts of neighbours, and lines of GeoJSON."
)


@dataclass(frozen=True)
class _Listed:
    """Nodes and edges as the file has them, without nesting."""

    nodes: Sequence[Any]  # objects or names
    edges: Sequence[Any]  # objects, or pairs with or without a weight
    directed: bool | None = None  # as stated
    is_multigraph: bool = False  # of NetworkX: keys tell parallel edges apart
    guess: bool = False  # whether edges are directed where nothing says so


def read_json(
    file: InputFile,
    weighted: bool,
    progress: ReadingProgress,
    attribute: str = "",
    join: str = "",
) -> Parsed:
    """Read a graph in any of the forms above, also of several values, one a line."""
    values = list(_values(file, decoded(file, whole_text(file, progress, JSON_BYTES))))
    data = values[0] if len(values) == 1 else values
    by = ""
    warnings: tuple[str, ...] = ()
    if (features := features_of(file, data)) is not None:
        nodes, edges, by, warnings = links_of_lines(features, join)
        found = _Listed(nodes, edges, bool(by) or None)
    elif join:
        raise OptionNotApplicable("join", join, "JSON without lines", "It is for GeoJSON")
    else:
        found = _listed(file, data)
    links, ends = _links(file, found)
    nodes = _named_nodes(file, found.nodes, links)
    if features is None:
        directed, links, by = _oriented(file, found, links)
    else:
        directed = found.directed
    direction = Decision(by) if by else None
    if directed is None:
        directed = found.guess
        direction = Decision("directed" if directed else "undirected", Certainty.GUESSED)
    whole = {"directed": directed, "multigraph": True, "nodes": nodes, "edges": links}
    stated = data.get("graph") if isinstance(data, Mapping) else None
    whole["graph"] = stated if isinstance(stated, dict) and "nodes" not in stated else {}
    graph = made(file, "JSON", lambda: networkx.node_link_graph(whole, edges="edges"))
    if found.nodes:
        warnings = (*warnings, *unlisted(len(graph) - len(nodes)))
    return parsed_networkx(
        file, graph, weighted, progress.check, warnings, attribute, direction, ends
    )


def _values(file: InputFile, text: str) -> Iterator[Any]:
    """The value of a JSON text, or those of JSON lines."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at] in _BETWEEN:
            at += 1
        if at and at == len(text):
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            line = (text.split("\n")[error.lineno - 1 :] or [""])[0]
            reason = f"the JSON cannot be read ({error.msg[:1].lower()}{error.msg[1:]})"
            hint = "The file may be truncated."
            raise file.error(reason, hint, line=error.lineno, text=line[:100]) from None
        except RecursionError:
            reason = "the JSON is nested too deeply"
            raise file.error(reason, "Export the graph again.") from None
        except ValueError:
            reason = "a number has too many digits"
            raise file.error(reason, "Export the graph again.") from None
        yield value


def _refusal(file: InputFile, reason: str, hint: str = _HINT) -> FileFormatError:
    return file.error(reason, hint)


def _listed(file: InputFile, data: Any) -> _Listed:
    """Nodes and edges of a file; `FileFormatError` if it has none."""
    _refuse_others(file, data)
    found = _lists_in(data)
    if found is None and isinstance(data, Mapping):
        inner = [data[name] for name in _AROUND if isinstance(data.get(name), Mapping | list)]
        inner += list(data.values()) if len(data) == 1 else []
        inner += [value[0] for value in inner if isinstance(value, list) and len(value) == 1]
        found = next(filter(None, map(_lists_in, inner)), None)
        if found is not None and (stated := _stated_direction(data)) is not None:
            found = replace(found, directed=stated)
    if found is not None:
        return found
    if isinstance(data, Mapping) and any(isinstance(data.get(name), list) for name in _NODE_LISTS):
        raise _refusal(file, "the JSON has nodes, but no list of edges or links")
    if _may_be_matrix(data):
        reason = "this may be a matrix of distances, or a list of edges"
        raise _refusal(file, reason, "Write a matrix as Matrix Market, edges as CSV.")
    raise _refusal(file, "this JSON is not a graph of nodes and links")


def _refuse_others(file: InputFile, data: Any) -> None:
    if not isinstance(data, Mapping):
        return
    elements: Any = data.get("elements")
    if _are_objects(elements) and any(
        one.get("type") in ("node", "way", "relation") and "data" not in one for one in elements
    ):
        hint = "Ask Overpass for XML, by [out:xml], and open that."
        raise _refusal(file, "this is Overpass JSON, which is not read", hint)
    for key, name, hint in _ELSEWHERE:
        is_so = key in data or str(data.get("type", "")).lower() == key
        if is_so and not any(data.get(one) for one in _NODE_LISTS):
            raise _refusal(file, f"this is {name}, which is not read", hint)


def _lists_in(data: Any) -> _Listed | None:
    """Nodes and edges of an object or a list; None if it has none."""
    if isinstance(data, list):
        return _of_list(data)
    if not isinstance(data, Mapping):
        return None
    directed, nodes = _stated_direction(data), _list_named(data, _NODE_LISTS)
    adjacency = data.get("adjacency")
    if nodes is not None and isinstance(adjacency, list) and len(adjacency) == len(nodes):
        return _Listed(nodes, _of_adjacency(nodes, adjacency, bool(directed)), bool(directed))
    edges = _list_named(data, _EDGE_LISTS)
    if edges is None and nodes is not None:
        # under any name, if one list alone names ends
        others = [one for one in data.values() if _are_objects(one) and one and _ends(one)]
        edges = others[0] if len(others) == 1 else None
    if edges is not None:
        is_bare = nodes is None
        if nodes is None and (mixed := _list_named(data, _MIXED_LISTS)) is not None:
            nodes, is_bare = mixed, False
        multigraph = bool(data.get("multigraph"))
        return _Listed(nodes or (), edges, directed, multigraph, guess=is_bare)
    mixed = next((data[name] for name in _MIXED_LISTS if _are_objects(data.get(name))), None)
    if mixed is not None and (found := _of_list(mixed)) is not None:
        return _Listed(found.nodes, found.edges, directed)
    return _of_neighbours(data)


def _list_named(data: Object, names: Iterable[str]) -> list[Any] | None:
    """The first list of one of these names; an object of objects by their names is one, too."""
    for name in names:
        found = data.get(name)
        if isinstance(found, list):
            return found
        if isinstance(found, Mapping) and found and _are_objects(list(found.values())):
            return [{"id": key, **one} for key, one in found.items()]
    return None


def _stated_direction(data: Object) -> bool | None:
    options = data.get("options")
    if isinstance(options, Mapping) and "type" in options:  # of graphology, also "mixed"
        return bool(options["type"] != "undirected")
    return bool(data["directed"]) if isinstance(data.get("directed"), bool | int) else None


def _of_list(data: list[Any]) -> _Listed | None:
    """Edges and nodes in one list: those that name two ends are edges."""
    if not data:
        return None
    if _are_objects(data):
        items = list(map(_flat, data))
        ends = _ends(items)
        if ends is None:
            return None
        edges = [item for item in items if all(end in item for end in ends)]
        nodes = [item for item in items if not any(end in item for end in ends)]
        is_neo4j = any(item.get("type") == "relationship" for item in edges)
        return _Listed(nodes, edges, guess=is_neo4j or not nodes)
    pairs = all(isinstance(row, list) and len(row) in (2, 3) for row in data)
    if not pairs or _may_be_matrix(data) or any(isinstance(v, Mapping) for r in data for v in r):
        return None
    return _Listed((), data, guess=True)


def _may_be_matrix(data: Any) -> bool:
    rows = isinstance(data, list) and all(
        isinstance(row, list) and len(row) == len(data) for row in data
    )
    return rows and all(isinstance(cell, (int, float)) for row in data for cell in row)


def _of_neighbours(data: Object) -> _Listed | None:
    """A dict of neighbours: {u: {v: weight}}, {u: [v, ...]}, {u: [[v, weight], ...]}."""
    edges = []
    for tail, neighbours in data.items():
        if isinstance(neighbours, Mapping):
            items: list[Any] = [[head, value] for head, value in neighbours.items()]
        elif isinstance(neighbours, list):
            items = neighbours
        else:
            return None
        for item in items:
            if (found := _neighbour(item)) is None:
                return None
            head, carried = found
            parallel = carried.values() if carried and _are_objects([*carried.values()]) else ()
            for values in parallel or (carried,):
                edges.append({**values, "source": tail, "target": head})
    if not any(edge["target"] in data for edge in edges):
        return None
    return _Listed([{"id": name} for name in data], edges, guess=True)


def _neighbour(item: Any) -> tuple[str, Object] | None:
    """The name of a neighbour and what its edge carries; None for anything else."""
    if isinstance(item, Mapping):
        name = next((name for name in _HEADS if name in item), None)
        if name is None or isinstance(item[name], Mapping | list):
            return None
        return str(item[name]), {key: value for key, value in item.items() if key != name}
    if not isinstance(item, list):
        return None if isinstance(item, bool) or item is None else (str(item), {})
    if len(item) != 2 or isinstance(item[0], Mapping | list):
        return None
    head, value = item
    if isinstance(value, Mapping):
        return str(head), value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return (str(head), {"weight": value}) if is_number else None


def _of_adjacency(nodes: Sequence[Any], lists: list[Any], directed: bool) -> list[Any]:
    """Neighbours of each node, in the order of the nodes; an undirected edge is at both."""
    names = [node.get("id") for node in nodes if isinstance(node, Mapping)]
    links, earlier = [], set()
    for name, neighbours in zip(names, lists, strict=False):
        for edge in neighbours if _are_objects(neighbours) else ():
            head = edge.get("id")
            if directed or _key(head) not in earlier:
                rest = {key: value for key, value in edge.items() if key not in ("id", "key")}
                links.append({**rest, "source": name, "target": head})
        earlier.add(_key(name))
    return links


def _are_objects(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, Mapping) for value in values)


def _flat(item: Object) -> Object:
    """An object with what its nested objects say of it; y of a position points downwards."""
    found = {key: value for key, value in item.items() if key not in _NESTED}
    for name in _NESTED:
        if isinstance(inner := item.get(name), Mapping):
            found = {**inner, **found} if name != "data" else {**found, **inner}
    at = item.get("position")
    if isinstance(at, Mapping) and all(isinstance(at.get(k), (int, float)) for k in "xy"):
        found |= {"x": at["x"], "y": -at["y"]}
    return found


def _ends(edges: Sequence[Any]) -> tuple[str, str] | None:
    """The keys of source and target, by their names; None without any."""
    keys = {str(key): None for edge in edges[:_SAMPLED] for key in _flat(edge)}
    titles = list(keys)
    pairs = [(titles[a], titles[b]) for a, b in ends_of(titles)]
    usual = [pair for pair in pairs if pair == ("source", "target")]
    return next(iter(usual or pairs), None)


def _links(file: InputFile, found: _Listed) -> tuple[list[dict[str, Any]], tuple[str, str] | None]:
    """Edges with “source” and “target”, and the names that these have in the file."""
    links: list[dict[str, Any]] = []
    objects = [edge for edge in found.edges if isinstance(edge, Mapping)]
    ends = _ends(objects) if objects else None
    for place, edge in enumerate(found.edges):
        if isinstance(edge, list) and len(edge) in (2, 3):
            weight = {"weight": edge[2]} if len(edge) == 3 else {}
            carried = weight if not isinstance(weight.get("weight"), Mapping) else edge[2]
            links.append({**carried, "source": edge[0], "target": edge[1]})
            continue
        flat = _flat(edge) if isinstance(edge, Mapping) else {}
        if ends is None or not all(end in flat for end in ends):
            shown = quoted(json.dumps(edge), 80)
            raise _refusal(file, f"edge {place + 1} names no source and target: {shown}")
        dropped = () if found.is_multigraph else ("key", "id")
        rest = {key: value for key, value in flat.items() if key not in (*dropped, *ends)}
        tail, head = (_end(flat[end]) for end in ends)
        links.append({**rest, "source": tail, "target": head})
    return links, None if ends in (None, ("source", "target")) else ends


def _end(value: Any) -> Any:
    """The name of an end, also where the node itself is written, as by D3 and Neo4j."""
    if not isinstance(value, Mapping):
        return value
    return next((value[name] for name in _NAMES if name in value), None)


def _named_nodes(
    file: InputFile, nodes: Sequence[Any], links: Sequence[Object]
) -> list[dict[str, Any]]:
    """Nodes with “id”: what the ends of edges name, else their positions, as in D3."""
    items = [dict(_flat(node)) if isinstance(node, Mapping) else {"id": node} for node in nodes]
    ends = {_key(link[end]) for link in links for end in ("source", "target")}
    known = [name for name in _NAMES if items and all(name in item for item in items)]
    fitting = [name for name in known if ends <= {_key(item[name]) for item in items}]
    name = next(iter(fitting), next(iter(known), None))
    if known and known[0] == "id" and not ends.isdisjoint(_key(item["id"]) for item in items):
        name = "id"  # though some nodes are not listed
    counted = ends <= {_key(place) for place in range(len(items))}
    if name is None or (name != "id" and name not in fitting and counted):
        items = [{**item, "id": place} for place, item in enumerate(items)]
    elif name != "id":
        items = [{**item, "id": item[name]} for item in items]
    seen = set()
    for item in items:
        text = json.dumps(item["id"])
        if item["id"] is not None and text in seen:
            reason = f"two nodes have the id “{quoted(str(item['id']), 40)}”"
            raise file.error(reason, "Give each node an id of its own.")
        seen.add(text)
    return items


def _key(name: Any) -> Hashable:
    return name if isinstance(name, Hashable) else json.dumps(name)


def _oriented(
    file: InputFile, found: _Listed, links: list[dict[str, Any]]
) -> tuple[bool | None, list[dict[str, Any]], str]:
    """Whether edges are directed, None if nothing says so; the edges, each in the direction
    that its attributes say; which of these say it.
    """
    keys = dict.fromkeys(key for link in links[:_SAMPLED] for key in link)
    told = [key for key in keys if key not in ("source", "target")]
    said = find_directions({key: [link.get(key) for link in links] for key in told})
    default = BOTH if found.directed is False else FORWARD
    if said is not None:
        if said.unclear:
            raise file.error(said.unclear, "Write true and false.")
        own = [
            default
            if link.get(said.title) is None and said.title == "directed"
            else said.meanings.get(value_of(link.get(said.title)), default)
            for link in links
        ]
        dropped = said.title
    elif "arrows" in keys:
        own, dropped = [_along_arrows(link.get("arrows")) for link in links], "arrows"
    else:
        return found.directed, links, ""
    by = "“arrows”" if said is None else str(said)
    links = [{key: value for key, value in link.items() if key != dropped} for link in links]
    if found.directed is False or all(along == BOTH for along in own):
        return False, links, by
    arcs = []
    for along, link in zip(own, links, strict=True):
        back = {**link, "source": link["target"], "target": link["source"]}
        is_loop = link["source"] == link["target"]
        arcs += [link] * (along in (FORWARD, BOTH))
        arcs += [back] * (along == BACKWARD or (along == BOTH and not is_loop))
    return True, arcs, by


def _along_arrows(arrows: Any) -> int:
    """The direction by the heads that vis.js draws."""
    if isinstance(arrows, Mapping):
        drawn = {
            name
            for name, one in arrows.items()
            if one is True or (isinstance(one, Mapping) and one.get("enabled", True))
        }
    else:
        drawn = set(str(arrows or "").replace(";", ",").replace(" ", "").split(","))
    if ("to" in drawn) == ("from" in drawn):
        return BOTH
    return FORWARD if "to" in drawn else BACKWARD
