"""Writers of graphs: DIMACS, Matrix Market, GraphML and edge lists; `write_graph`
chooses by file name.

The DIMACS writer makes a .gr file for the arcs and, if the graph has coordinates, a .co
file in the same folder.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from solvers.errors import ParameterError, UnsuitableGraph
from solvers.graphs.csr import slices
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers.coordinates import DEGREES, PLANE, find_coordinates_file
from solvers.system.array_types import AnyArray, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.system.jit import njit
from solvers.text import printable
from solvers.units import public_unit, to_public_unit

TURNS_LEFT_OUT = "No format that is written has turns: restrictions and costs are left out."


_DIMACS_LINES = 2**17
_MAX_COLUMN_BYTES = 21  # an int64 with its sign and the blank before it
_MILLIONTH = 1e6
_BLANK, _NEWLINE, _MINUS, _ZERO = 32, 10, 45, 48

_EXCHANGE_LINES = 2**14  # lines written between two checks for cancellation
_GRAPHML_TYPES = {"int32": "long", "int64": "long", "float32": "double", "float64": "double"}


def write_dimacs(graph: Graph, path: Path | str, progress: Progress = SILENT) -> tuple[Path, ...]:
    """Write a graph to a .gr file, and its coordinates to the .co file of the same
    name; returns the paths written.

    Writes are atomic; files whose name ends in ``.gz`` are compressed. Weights and
    plane coordinates are preserved exactly, degrees are rounded to millionths. Vertex
    ids are kept if the format can represent them; a graph with both gaps in its ids and
    vertices without arcs is renumbered from 1, which a comment in the file states.

    Raises
    ------
    UnsuitableGraph
        If a weight is not finite.
    FileNotWritten
    Cancelled
        No file is left behind.
    """
    path = Path(path)
    if not np.isfinite(graph.weights).all():
        raise UnsuitableGraph(
            f"{graph.name} has infinite weights, which a DIMACS file cannot hold."
        )
    ids, kept = writable_ids(graph)
    _require_no_others(graph, path, coordinates_path(path) if graph.coordinates else None)
    work = graph.m + (graph.n if graph.coordinates else 0)
    with ExitStack() as files:
        arcs_path = files.enter_context(replace_atomically(path))
        with create_file(arcs_path) as stream:
            stream.write(_heading(graph, kept))
            for begin, end in slices(graph.m, _DIMACS_LINES):
                tails, heads = ids[graph.tails[begin:end]], ids[graph.indices[begin:end]]
                stream.write(_lines(b"a", (tails, heads), graph.weights[begin:end, None]))
                progress.checkpoint(end, work)
        if graph.coordinates is None:
            return (path,)
        coordinates_file = coordinates_path(path)
        with create_file(files.enter_context(replace_atomically(coordinates_file))) as stream:
            for done, piece in _coordinate_pieces(graph.coordinates, ids):
                stream.write(piece)
                progress.checkpoint(graph.m + done, work)
    return path, coordinates_file


def _require_no_others(graph: Graph, path: Path, own: Path | None) -> None:
    """Raise ParameterError if readers would take an older file beside a graph for its
    coordinates; ``own`` is the one that is written, if any.
    """
    found = find_coordinates_file(path)
    if found is None or found == own or (own is not None and own.suffix == ".co"):
        return
    text, places, (ids, _) = b"", graph.coordinates, writable_ids(graph)
    with suppress(OSError, EOFError, zlib.error):
        text = found.read_bytes()
        text = gzip.decompress(text) if found.suffix == ".gz" else text
    if places is None or text != b"".join(piece for _, piece in _coordinate_pieces(places, ids)):
        reason = f"{found.name} beside it would be taken for its coordinates; remove it first"
        raise ParameterError("Export", "file name", path.name, f"{reason}, or write elsewhere")


def coordinates_path(path: Path) -> Path:
    """Path of the coordinates file of a graph file: ``X.co.gz`` for ``X.gr.gz``."""
    suffix = ".gz" if path.name.endswith(".gz") else ""
    name = path.name.removesuffix(".gz")
    return path.with_name((name.rpartition(".")[0] or name) + ".co" + suffix)


def writable_ids(graph: Graph) -> tuple[Int64s, bool]:
    """The vertex ids to write, and whether they are the graph's own.

    A reader derives ids 1 to n from the header. Other ids are known only from the arcs,
    so then every vertex needs one.
    """
    counting = graph.n == 0 or (graph.ids[0] == 1 and graph.ids[-1] == graph.n)
    if counting or (graph.ids[0] >= 0 and _every_vertex_has_an_arc(graph)):
        return graph.ids, True
    return np.arange(1, graph.n + 1, dtype=np.int64), False


def _every_vertex_has_an_arc(graph: Graph) -> bool:
    named = graph.out_degrees > 0
    named[graph.indices] = True
    return bool(named.all())


def _heading(graph: Graph, kept: bool) -> bytes:
    name = " ".join(graph.name.split())
    note = (
        "" if kept else "c vertices are renumbered from 1: this format cannot represent their ids\n"
    )
    source = (
        f"c {graph.roads.attribution}\n"
        if graph.roads is not None and graph.roads.attribution
        else ""
    )
    unit = f"c {words}\n" if (words := _unit_note(graph)) else ""
    turns = f"c {words}\n" if (words := _turns_note(graph)) else ""
    return f"c {name}\n{source}{unit}{turns}{note}p sp {graph.n} {graph.m}\n".encode()


def _coordinate_pieces(coordinates: Coordinates, ids: Int64s) -> Iterator[tuple[int, bytes]]:
    """The .co file in pieces, each with the number of vertices written so far."""
    xy = np.rint(coordinates.xy * _MILLIONTH) if coordinates.geographic else coordinates.xy
    comment = DEGREES if coordinates.geographic else PLANE
    yield 0, f"{comment}\np aux sp co {len(ids)}\n".encode()
    whole = bool((xy == np.rint(xy)).all() and np.abs(xy).max(initial=0) < 2**53)
    numbers = xy.astype(np.int64) if whole else xy
    for begin, end in slices(len(ids), _DIMACS_LINES):
        yield end, _lines(b"v", (ids[begin:end],), numbers[begin:end])


@contextmanager
def create_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write to, compressed if its name ends in ``.gz``."""
    with path.open("wb") as file:
        if not path.name.endswith(".gz"):
            yield file
            return
        with gzip.GzipFile(
            filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6
        ) as packed:
            yield packed  # type: ignore[misc]


def _lines(tag: bytes, ids: tuple[AnyArray, ...], numbers: AnyArray) -> bytes:
    """Text with one line per row: tag, ids, numbers."""
    if numbers.dtype.kind == "i":
        columns = np.column_stack((*ids, numbers)).astype(np.int64, copy=False)
        text = np.empty(len(columns) * (2 + _MAX_COLUMN_BYTES * columns.shape[1]), dtype=np.uint8)
        return text[: _format_rows(tag[0], columns, text)].tobytes()
    texts = [map(str, column.tolist()) for column in ids]
    # repr: the shortest text that reads back equal
    texts += [map(repr, column.tolist()) for column in numbers.T]
    return "".join(
        [f"{tag.decode()} {' '.join(row)}\n" for row in zip(*texts, strict=True)]
    ).encode()


@njit
def _format_rows(tag: int, columns: Int64s, text: UInt8s) -> int:
    """Write rows of integers as text into ``text``; return the number of bytes written."""
    at = 0
    digits = np.empty(20, dtype=np.uint8)
    for row in columns:
        text[at] = tag
        at += 1
        for number in row:
            text[at] = _BLANK
            at += 1
            if number < 0:
                text[at] = _MINUS
                at += 1
            rest = np.uint64(-number) if number < 0 else np.uint64(number)
            count = 0
            while count == 0 or rest > 0:
                digits[count] = _ZERO + rest % np.uint64(10)
                rest //= np.uint64(10)
                count += 1
            for k in range(count):
                text[at + k] = digits[count - 1 - k]
            at += count
        text[at] = _NEWLINE
        at += 1
    return at


def write_graph(graph: Graph, path: Path | str, progress: Progress = SILENT) -> tuple[Path, ...]:
    """Write a graph in the format of its file name, as `write_dimacs` does; ``.gz``
    after it compresses.

    Parameters
    ----------
    path : Path or str
        ``.gr`` DIMACS, ``.mtx`` Matrix Market, ``.graphml`` GraphML, ``.txt``,
        ``.edges`` or ``.edgelist`` edge list.

    Raises
    ------
    ParameterError
        For another name; if an older .co file beside it would be read with it.
    UnsuitableGraph
        If the format cannot hold the graph.
    FileNotWritten
    Cancelled
        No file is left behind.
    """
    path = Path(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix == ".gr":
        return write_dimacs(graph, path, progress)
    if suffix not in _WRITERS:
        known = ", ".join((".gr", *_WRITERS))
        raise ParameterError(
            "Export", "file name", path.name, f"it must end with one of {known}, or these and .gz"
        )
    if not np.isfinite(graph.weights).all():
        raise UnsuitableGraph(f"{graph.name} has infinite weights, which such a file cannot hold.")
    _require_no_others(graph, path, None)
    with replace_atomically(path) as file, create_file(file) as stream:
        for done, text in _WRITERS[suffix](graph):
            stream.write(text.encode())
            progress.checkpoint(done, max(1, graph.m))
    return (path,)


def _edges_once(
    graph: Graph, keeps: Callable[[Any, Any], Any]
) -> tuple[tuple[AnyArray, ...], bool]:
    """Tails, heads and weights, each edge of an undirected graph once; and whether the
    arcs are directed.
    """
    arcs = graph.tails, graph.indices, graph.weights
    if graph.directed:
        return arcs, True
    once = keeps(graph.tails, graph.indices)
    return tuple(column[once] for column in arcs), False


def _pieces(columns: Sequence[AnyArray]) -> Iterator[tuple[int, Iterable[tuple[Any, ...]]]]:
    for begin, end in slices(len(columns[0]), _EXCHANGE_LINES):
        yield end, zip(*(column[begin:end].tolist() for column in columns), strict=True)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _credit(graph: Graph) -> str:
    return graph.roads.attribution if graph.roads is not None else ""


def _turns_note(graph: Graph) -> str:
    return TURNS_LEFT_OUT if graph.has_turns else ""


def _unit_note(graph: Graph) -> str:
    """For formats that keep whole weights and name no unit: that they are tenths; "" for others."""
    return (
        ""
        if public_unit(graph.weight_unit) == graph.weight_unit
        else f"weights in {graph.weight_unit}"
    )


def _matrix_market(graph: Graph) -> Iterator[tuple[int, str]]:
    """Entry (i, j) is the arc from the i-th vertex to the j-th; of an undirected graph
    the lower triangle.
    """
    (tails, heads, weights), directed = _edges_once(graph, np.greater_equal)
    field = "integer" if weights.dtype.kind == "i" else "real"
    notes = [graph.name, _credit(graph), _unit_note(graph), _turns_note(graph)]
    if not np.array_equal(graph.ids, np.arange(1, graph.n + 1)):
        notes.append("row k is the k-th vertex: this format has no ids")
    comments = "".join(f"% {_one_line(note)}\n" for note in notes if note)
    kind = "general" if directed else "symmetric"
    yield (
        0,
        (
            f"%%MatrixMarket matrix coordinate {field} {kind}\n"
            f"{comments}{graph.n} {graph.n} {len(tails)}\n"
        ),
    )
    for done, rows in _pieces((tails.astype(np.int64) + 1, heads.astype(np.int64) + 1, weights)):
        yield done, "".join(f"{tail} {head} {weight!r}\n" for tail, head, weight in rows)


def _edge_list(graph: Graph) -> Iterator[tuple[int, str]]:
    ids, kept = writable_ids(graph)
    notes = [
        graph.name,
        _credit(graph),
        _unit_note(graph),
        _turns_note(graph),
        "Directed: a line for every arc, both of an undirected edge",
    ]
    if not kept:
        notes.append("vertices are renumbered from 1: this format cannot represent their ids")
    comments = "".join(f"# {_one_line(note)}\n" for note in notes if note)
    yield 0, f"{comments}# Nodes: {graph.n} Edges: {graph.m}\n"
    for done, rows in _pieces((ids[graph.tails], ids[graph.indices], graph.weights)):
        yield done, "".join(f"{tail}\t{head}\t{weight!r}\n" for tail, head, weight in rows)


def _graphml(graph: Graph) -> Iterator[tuple[int, str]]:
    # imported here: it imports Python's network libraries
    from xml.sax.saxutils import escape, quoteattr

    (tails, heads, weights), directed = _edges_once(graph, np.less_equal)
    weights = to_public_unit(weights, graph.weight_unit)
    names = [quoteattr(_xml_text(graph, str(graph.vertex_id(vertex)))) for vertex in range(graph.n)]
    kind = _GRAPHML_TYPES[weights.dtype.name]
    facts = {
        "name": graph.name,
        "weight_unit": public_unit(graph.weight_unit),
        "attribution": _credit(graph),
    }
    if graph.coordinates is not None and graph.coordinates.reference_system:
        facts["crs"] = graph.coordinates.reference_system
    keys = "".join(
        f'<key id="{name}" for="graph" attr.name="{name}" attr.type="string"/>\n' for name in facts
    )
    keys += f'<key id="weight" for="edge" attr.name="weight" attr.type="{kind}"/>\n'
    if graph.coordinates is not None:
        keys += "".join(
            f'<key id="{name}" for="node" attr.name="{name}" attr.type="double"/>\n'
            for name in "xy"
        )
    data = "".join(
        f'<data key="{name}">{escape(_xml_text(graph, fact))}</data>\n'
        for name, fact in facts.items()
        if fact
    )
    yield (
        0,
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            f'{keys}<graph edgedefault="{"directed" if directed else "undirected"}">\n{data}'
        ),
    )
    for begin, end in slices(graph.n, _EXCHANGE_LINES):
        yield 0, "".join(_node(graph, vertex, names[vertex]) for vertex in range(begin, end))
    for done, rows in _pieces((tails, heads, weights)):
        yield (
            done,
            "".join(
                (
                    f"<edge source={names[tail]} target={names[head]}><data "
                    f'key="weight">{weight!r}</data></edge>\n'
                )
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
    if any(
        (ord(c) < 32 and c not in "\t\n\r") or 0xD800 <= ord(c) <= 0xDFFF or c in "\ufffe\uffff"
        for c in text
    ):
        raise UnsuitableGraph(
            f"{graph.name} has the name “{printable(text)}”, whose characters XML cannot hold."
        )
    return text


_WRITERS: dict[str, Callable[[Graph], Iterator[tuple[int, str]]]] = {
    ".mtx": _matrix_market,
    ".graphml": _graphml,
    ".txt": _edge_list,
    ".edges": _edge_list,
    ".edgelist": _edge_list,
}
