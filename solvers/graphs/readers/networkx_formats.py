"""GraphML, GEXF and GML by the readers of NetworkX, whose failures become errors of the
file. In a file with directed and undirected edges, each undirected one becomes two directed
ones, as in Pajek.

Weights and coordinates are taken from the attributes of edges and nodes.

XML text is checked before a tree is made of it: it may not contain entities, which
expand without limit, nor deep nesting. The parser of this check makes no tree, so that
a harmful file costs no memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

import networkx
import numpy as np
from networkx.readwrite.gexf import GEXFReader
from networkx.readwrite.graphml import GraphMLReader
from numpy.typing import NDArray

from solvers.errors import TautpathError, UnknownName
from solvers.graphs.arc_columns import columns_of
from solvers.graphs.interpretation import (
    Certainty,
    Decision,
    Interpretation,
    missing_weights,
    where_missing,
)
from solvers.graphs.quantities import number_of, whole_names
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, decoded, whole_text
from solvers.graphs.readers.parsed import GREATEST_COORDINATE, Parsed, column, in_order
from solvers.graphs.readers.table import Rows
from solvers.graphs.titles import possible_weights, unit_of
from solvers.text import plural, quoted

XML_BYTES, GML_BYTES = 30.0, 28.0  # of memory per byte of text
_AT = re.compile(r"\(?(?:at )?\(?line:? ?(\d+)|\((\d+), \d+\)")
_GML_GRAPH = re.compile(r"^(\s*(?:#[^\n]*\n|[^\n\[]*\n)*?\s*)graph(\s*)\[", re.IGNORECASE)
_GML_WORDS = re.compile(r"^(\s*[A-Za-z]\w*[ \t]+)(?!NAN\b|INF\b)([A-Za-z][^\"\[\]#]*?)\s*$")

_DEEPEST = 200  # elements in one another; graph files have fewer than ten
_PIECE = 2**20

_POSITIONS = (("lon", "lat"), ("lng", "lat"), ("longitude", "latitude"), ("x", "y"))
_NO_WEIGHTS = ("id", "key")  # which NetworkX makes of what names an edge
_SAMPLED = 1_000  # edges whose attributes are checked for numbers
_DEGREES = "epsg:4326"
_YED = b"http://www.yworks.com/xml/"
_DYNAMIC_EDGES = re.compile(
    rb"<attributes\b(?=[^>]*class=[\"']edge[\"'])(?=[^>]*mode=[\"']dynamic[\"'])"
)
_PASSING_EDGE = re.compile(
    rb"<(?:\w+:)?(?:spell|edge\s[^>]*\b(?:start|end|timestamps?|intervals?)\s*=)"
)
_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_GEXF_SPACE = re.compile(r"^(?:https?://(?:www\.)?gexf\.net/[\d.]+(?:draft)?)?")
_TEXT = "string"
# whose values may have blanks around them
_TOKENS = frozenset(("id", "source", "target", "key", "for", "value", "directed", "type", "weight"))
_BOTH_WAYS = ("undirected", "mutual", "false")
_CHECKED = 2**14  # nodes or edges between two checks for cancellation


def read_graphml(
    file: InputFile, weighted: bool, progress: ReadingProgress, attribute: str = ""
) -> Parsed:
    """Read the first graph of a GraphML file."""
    text = _xml_text(file, progress)
    root = _tidied(ElementTree.fromstring(text), lambda space: space or _GRAPHML)
    graphs = [element for element in root if _name(element) == "graph"]  # nested ones are parts
    warnings: tuple[str, ...] = ()
    if len(graphs) > 1:
        warnings = (f"The file holds {len(graphs)} graphs; only the first is read.",)

    def make() -> Any:
        if not graphs:
            raise networkx.NetworkXError("file not successfully read as graphml")
        reader = GraphMLReader(str, str)
        return reader.make_graph(graphs[0], *reader.find_graphml_keys(root))

    graph = made(file, "GraphML", make)
    if _YED in text[:4096]:
        graph = _labelled_by_yed(graph)
    return parsed_networkx(file, graph, weighted, progress.check, warnings, attribute)


def _labelled_by_yed(graph: Any) -> Any:
    """A graph of yEd with the labels as names where they are distinct, and y upwards."""
    labels = {node: str(data.get("label", "")).strip() for node, data in graph.nodes(data=True)}
    names = {node: label or node for node, label in labels.items()}
    for _, data in graph.nodes(data=True):
        if (y := number_of(data.get("y"))) is not None:
            data["y"] = -y
    distinct = len(set(names.values())) == len(names)
    return networkx.relabel_nodes(graph, names) if distinct else graph


def read_gexf(
    file: InputFile, weighted: bool, progress: ReadingProgress, attribute: str = ""
) -> Parsed:
    """Read a GEXF file, of any version that NetworkX knows."""
    text = _xml_text(file, progress)
    if _PASSING_EDGE.search(text, max(0, text.find(b"<edges"))):
        reason = "some of its edges exist for a time only"
        raise file.error(reason, "Export one moment.")
    if weighted and not attribute and _DYNAMIC_EDGES.search(text):
        reason = "the attributes of its edges change with time, so their weights may too"
        hint = (
            "Export one moment, or choose the attribute “weight” for the weights of the edges "
            "themselves."
        )
        raise file.error(reason, hint)
    version = "1.1draft" if b"1.1draft" in text[:1000] else "1.2draft"
    root = _tidied(
        ElementTree.fromstring(text),
        lambda space: _GEXF_SPACE.sub(rf"http://www.gexf.net/{version}", space, count=1),
    )
    reader = GEXFReader(version=version)

    def make() -> Any:
        if (found := root.find(f"{{{reader.NS_GEXF}}}graph")) is None:
            raise networkx.NetworkXError("no <graph> element in GEXF file")
        return reader.make_graph(found)

    graph = made(file, "GEXF", make)
    if "" in graph:
        reason = "an edge has no source or no target"
        raise file.error(reason, "Correct or remove it.")
    warnings = unlisted(sum("label" not in data for _, data in graph.nodes(data=True)))
    return parsed_networkx(file, graph, weighted, progress.check, warnings, attribute)


def unlisted(count: int) -> tuple[str, ...]:
    occur = plural(count, "vertex occurs", "vertices occur")
    return (f"{occur} in edges only.",) if count > 0 else ()


def _xml_text(file: InputFile, progress: ReadingProgress) -> bytes:
    text = whole_text(file, progress, XML_BYTES)
    require_plain_xml(file, text, progress)
    return text


def read_gml(
    file: InputFile, weighted: bool, progress: ReadingProgress, attribute: str = ""
) -> Parsed:
    """Read a GML file. The nodes are named by their labels where these are distinct,
    else by their ids.
    """
    text = decoded(file, whole_text(file, progress, GML_BYTES))
    # NetworkX refuses parallel edges unless the graph says that it has some, which no
    # other program writes.
    text = _GML_GRAPH.sub(r"\1graph\2[ multigraph 1 ", text, count=1)

    def lines() -> Any:
        quoted_text = False
        for k, line in enumerate(text.split("\n")):
            if k % 4096 == 0:
                progress.check()
            # as Gephi once wrote: Creator Gephi
            yield line if quoted_text else _GML_WORDS.sub(r'\1"\2"', line)
            quoted_text ^= line.count('"') % 2 == 1

    graph = made(file, "GML", lambda: networkx.parse_gml(lines(), label="id"))
    labels = [data.get("label") for _, data in graph.nodes(data=True)]
    if all(isinstance(label, (str, int)) for label in labels) and len(set(map(str, labels))) == len(
        labels
    ):
        texts = list(map(str, labels))
        names: list[Any] = whole_names(texts) or texts
        numbered, graph = graph, networkx.relabel_nodes(graph, dict(zip(graph, names, strict=True)))
        drop_edge_view(numbered)
    return parsed_networkx(file, graph, weighted, progress.check, attribute=attribute)


def made(file: InputFile, form: str, make: Callable[[], Any]) -> Any:
    """What ``make`` returns; its failures as an error of the file."""
    try:
        return make()
    except (TautpathError, MemoryError):
        raise
    except Exception as error:  # NetworkX fails at what it does not expect, in any way
        refuse(file, form, error)


def refuse(file: InputFile, form: str, error: BaseException) -> NoReturn:
    """Raise `FileFormatError` for what a library says of a file."""
    message = (
        "it is nested too deeply"
        if isinstance(error, RecursionError)
        else " ".join(str(error).split())[:200]
    )
    if isinstance(error, KeyError):
        message = f"{message} is missing"
    found = _AT.search(message)
    line = int(found[1] or found[2]) if found else None
    reason = f"this {form} cannot be read ({message.rstrip('.') or type(error).__name__})"
    hint = "Compare it with a file that another program writes in this format."
    raise file.error(reason, line=line, hint=hint) from None


def require_plain_xml(file: InputFile, text: bytes, progress: ReadingProgress) -> None:
    """Raise `FileFormatError` for XML text that is not well formed, defines entities or
    nests elements deeply.
    """
    parser = expat.ParserCreate()
    depth = 0

    def refuse(reason: str, hint: str) -> NoReturn:
        raise file.error(reason, line=parser.CurrentLineNumber, hint=hint)

    def declared(*_: Any) -> None:
        refuse(
            "it defines XML entities, which can expand without limit", "Replace them by their text."
        )

    def started(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            refuse(f"its elements are nested more than {_DEEPEST} deep", "Export the graph again.")

    def ended(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    try:
        for begin in range(0, len(text), _PIECE):
            parser.Parse(text[begin : begin + _PIECE], False)
            progress.check()
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = getattr(error, "lineno", 1)
        code = getattr(error, "code", None)
        reason = (
            "the XML is not well formed "
            f"({str(error) if code is None else expat.ErrorString(code)})"
        )
        raise file.error(reason, line=line, hint="The file may be truncated.") from None


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


def _tidied(root: ElementTree.Element, space_of: Callable[[str], str]) -> ElementTree.Element:
    """The tree of GraphML or GEXF as NetworkX takes it: in the namespace that ``space_of``
    makes of that of an element, without blanks around values, with types of all keys and
    without ports, of which NetworkX would warn; with both kinds of edges, all are directed.
    """
    types = {
        key.get("id", "").strip(): key.get("attr.type", _TEXT)
        for key in root.iter()
        if _name(key) == "key"
    }
    for element in root.iter():
        space, _, name = element.tag.rpartition("}")
        space = space_of(space.removeprefix("{"))
        element.tag = f"{{{space}}}{name}" if space else name
        for attribute in _TOKENS.intersection(element.attrib):
            element.set(attribute, element.attrib[attribute].strip())
        if name == "key":
            element.attrib.setdefault("attr.type", _TEXT)
            children = [child for child in element if _name(child) == "default"]
        elif name in ("node", "edge", "graph"):
            for port in [child for child in element if _name(child) == "port"]:
                element.remove(port)
            children = [child for child in element if _name(child) == "data"]
        else:
            continue
        for child in children:
            key = child.get("key", element.get("id", "")).strip()
            if child.text and types.get(key, _TEXT) != _TEXT:
                child.text = child.text.strip()
        if name == "graph":
            _direct(element)
    return root


def _direct(graph: ElementTree.Element) -> None:
    """Make all edges directed in a graph with both kinds."""
    holders = [element for element in graph.iter() if _has_edges(element)]
    edges = [(holder, edge) for holder in holders for edge in holder if _name(edge) == "edge"]
    default = graph.get("edgedefault") or graph.get("defaultedgetype") or "undirected"
    both = [_kind(edge, default) in _BOTH_WAYS for _, edge in edges]
    if all(both) or (not any(both) and default == "directed"):
        return
    for key in ("edgedefault", "defaultedgetype"):
        if key in graph.attrib:
            graph.set(key, "directed")
    for (holder, edge), two in zip(edges, both, strict=True):
        edge.attrib.pop("type", None)
        edge.attrib.pop("directed", None)
        if two and edge.get("source") != edge.get("target"):
            holder.append(_turned(edge))


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
