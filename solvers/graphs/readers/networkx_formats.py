"""GraphML, GEXF and GML by the readers of NetworkX, whose failures become errors of the
file. In a file with directed and undirected edges, each undirected one becomes two directed
ones, as in Pajek.

XML text is checked before a tree is made of it: it may not contain entities, which
expand without limit, nor deep nesting. The parser of this check makes no tree, so that
a harmful file costs no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

import networkx
from networkx.readwrite.gexf import GEXFReader
from networkx.readwrite.graphml import GraphMLReader

from solvers.errors import TautpathError
from solvers.graphs.quantities import number_of, whole_names
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, decoded, whole_text
from solvers.graphs.readers.networkx_graph import drop_edge_view, parsed_networkx
from solvers.graphs.readers.parsed import Parsed
from solvers.text import plural

XML_BYTES, GML_BYTES = 30.0, 28.0  # of memory per byte of text
_AT = re.compile(r"\(?(?:at )?\(?line:? ?(\d+)|\((\d+), \d+\)")
_GML_GRAPH = re.compile(r"^(\s*(?:#[^\n]*\n|[^\n\[]*\n)*?\s*)graph(\s*)\[", re.IGNORECASE)
_GML_WORDS = re.compile(r"^(\s*[A-Za-z]\w*[ \t]+)(?!NAN\b|INF\b)([A-Za-z][^\"\[\]#]*?)\s*$")

_DEEPEST = 200  # elements in one another; graph files have fewer than ten
_PIECE = 2**20

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
