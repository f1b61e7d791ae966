"""Writers of formats for other programs: Matrix Market, GraphML and edge lists; `write_graph` chooses by file name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnsuitableGraph, printable
from solvers.graphs.exchange_facts import DEGREES
from solvers.graphs.graph import Graph
from solvers.graphs.rows import slices
from solvers.graphs.writers import create_file, writable_ids, write_dimacs
from solvers.host.files import replace_atomically
from solvers.host.observer import SILENT, Observer

_SLICE = 2**14  # lines written between two checks for cancellation
_GRAPHML_TYPES = {"int32": "long", "int64": "long", "float32": "double", "float64": "double"}


def write_graph(graph: Graph, path: Path | str, observer: Observer = SILENT) -> tuple[Path, ...]:
    """Write a graph in the format that the file name tells; ``.gz`` after it compresses.

    Parameters
    ----------
    graph : Graph
    path : Path or str
        ``.gr`` DIMACS, ``.mtx`` Matrix Market, ``.graphml`` GraphML, ``.txt``, ``.edges`` or ``.edgelist`` edge list.
    observer : Observer

    Returns
    -------
    tuple of Path
        The files written; of DIMACS also that of the coordinates.

    Raises
    ------
    ParameterError
        For another name.
    UnsuitableGraph
        If the format cannot hold the graph.
    FileNotWritten
    Cancelled
        No file is left behind.
    """
    path = Path(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix == ".gr":
        return write_dimacs(graph, path, observer)
    if suffix not in _WRITERS:
        known = ", ".join((".gr", *_WRITERS))
        raise ParameterError("Export", "file name", path.name, f"it must end with one of {known}, or these and .gz")
    if not np.isfinite(graph.weights).all():
        raise UnsuitableGraph(f"{graph.name} has infinite weights, which such a file cannot hold.")
    with replace_atomically(path) as file, create_file(file) as stream:
        for done, text in _WRITERS[suffix](graph):
            stream.write(text.encode())
            observer.checkpoint(done, max(1, graph.m))
    return (path,)


def _edges_once(graph: Graph, keeps: Callable[[Any, Any], Any]) -> tuple[tuple[NDArray[Any], ...], bool]:
    """Tails, heads and weights, each edge of an undirected graph once; and whether the arcs are directed."""
    arcs = graph.tails, graph.indices, graph.weights
    if graph.directed:
        return arcs, True
    once = keeps(graph.tails, graph.indices)
    return tuple(column[once] for column in arcs), False


def _pieces(columns: Sequence[NDArray[Any]]) -> Iterator[tuple[int, Iterable[tuple[Any, ...]]]]:
    for begin, end in slices(len(columns[0]), _SLICE):
        yield end, zip(*(column[begin:end].tolist() for column in columns), strict=True)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _credit(graph: Graph) -> str:
    return graph.roads.attribution if graph.roads is not None else ""


def _matrix_market(graph: Graph) -> Iterator[tuple[int, str]]:
    """Entry (i, j) is the arc from the i-th vertex to the j-th; of an undirected graph the lower triangle."""
    (tails, heads, weights), directed = _edges_once(graph, np.greater_equal)
    field = "integer" if weights.dtype.kind == "i" else "real"
    notes = [graph.name, _credit(graph)]
    if not np.array_equal(graph.ids, np.arange(1, graph.n + 1)):
        notes.append("row k is the k-th vertex: this format has no ids")
    comments = "".join(f"% {_one_line(note)}\n" for note in notes if note)
    kind = "general" if directed else "symmetric"
    yield 0, f"%%MatrixMarket matrix coordinate {field} {kind}\n{comments}{graph.n} {graph.n} {len(tails)}\n"
    for done, rows in _pieces((tails.astype(np.int64) + 1, heads.astype(np.int64) + 1, weights)):
        yield done, "".join(f"{tail} {head} {weight!r}\n" for tail, head, weight in rows)


def _edge_list(graph: Graph) -> Iterator[tuple[int, str]]:
    ids, kept = writable_ids(graph)
    notes = [graph.name, _credit(graph), "Directed: a line for every arc, both of an undirected edge"]
    if not kept:
        notes.append("vertices are renumbered from 1: this format cannot represent their ids")
    comments = "".join(f"# {_one_line(note)}\n" for note in notes if note)
    yield 0, f"{comments}# Nodes: {graph.n} Edges: {graph.m}\n"
    for done, rows in _pieces((ids[graph.tails], ids[graph.indices], graph.weights)):
        yield done, "".join(f"{tail}\t{head}\t{weight!r}\n" for tail, head, weight in rows)


def _graphml(graph: Graph) -> Iterator[tuple[int, str]]:
    from xml.sax.saxutils import escape, quoteattr  # imported here: it imports Python's network libraries

    (tails, heads, weights), directed = _edges_once(graph, np.less_equal)
    names = [quoteattr(_xml_text(graph, str(graph.vertex_id(vertex)))) for vertex in range(graph.n)]
    kind = _GRAPHML_TYPES[weights.dtype.name]
    facts = {"name": graph.name, "weight_unit": graph.weight_unit, "attribution": _credit(graph)}
    if graph.coordinates is not None and graph.coordinates.geographic:
        facts["crs"] = DEGREES
    keys = "".join(f'<key id="{name}" for="graph" attr.name="{name}" attr.type="string"/>\n' for name in facts)
    keys += f'<key id="weight" for="edge" attr.name="weight" attr.type="{kind}"/>\n'
    if graph.coordinates is not None:
        keys += "".join(f'<key id="{name}" for="node" attr.name="{name}" attr.type="double"/>\n' for name in "xy")
    data = "".join(
        f'<data key="{name}">{escape(_xml_text(graph, fact))}</data>\n' for name, fact in facts.items() if fact
    )
    yield (
        0,
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            f'{keys}<graph edgedefault="{"directed" if directed else "undirected"}">\n{data}'
        ),
    )
    for begin, end in slices(graph.n, _SLICE):
        yield 0, "".join(_node(graph, vertex, names[vertex]) for vertex in range(begin, end))
    for done, rows in _pieces((tails, heads, weights)):
        yield (
            done,
            "".join(
                f'<edge source={names[tail]} target={names[head]}><data key="weight">{weight!r}</data></edge>\n'
                for tail, head, weight in rows
            ),
        )
    yield graph.m, "</graph>\n</graphml>\n"


def _node(graph: Graph, vertex: int, name: str) -> str:
    if graph.coordinates is None:
        return f"<node id={name}/>\n"
    x, y = graph.coordinates.xy[vertex].tolist()
    return f'<node id={name}><data key="x">{x!r}</data><data key="y">{y!r}</data></node>\n'


def _xml_text(graph: Graph, text: str) -> str:
    """The text, if XML can hold it: of control characters it has only tab and line ends."""
    if any((ord(c) < 32 and c not in "\t\n\r") or 0xD800 <= ord(c) <= 0xDFFF or c in "\ufffe\uffff" for c in text):
        raise UnsuitableGraph(f"{graph.name} has the name “{printable(text)}”, whose characters XML cannot hold.")
    return text


_WRITERS: dict[str, Callable[[Graph], Iterator[tuple[int, str]]]] = {
    ".mtx": _matrix_market, ".graphml": _graphml, ".txt": _edge_list, ".edges": _edge_list, ".edgelist": _edge_list,
}  # fmt: skip
