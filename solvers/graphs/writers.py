"""DIMACS writer: a .gr file for the arcs and, if the graph has coordinates, a .co file in the same folder."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers.coordinates import DEGREES, PLANE
from solvers.graphs.rows import slices
from solvers.host.files import replace_atomically
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

_SLICE = 2**17
_MAX_COLUMN_BYTES = 21  # an int64 with its sign and the blank before it
_MILLIONTH = 1e6
_BLANK, _NEWLINE, _MINUS, _ZERO = 32, 10, 45, 48


def write_dimacs(graph: Graph, path: Path | str, observer: Observer = SILENT) -> tuple[Path, ...]:
    """Write ``graph`` to a .gr file, and its coordinates to the .co file of the same name.

    Writes are atomic; files whose name ends in ``.gz`` are compressed. Weights and plane coordinates are preserved
    exactly, degrees are rounded to millionths. Vertex ids are kept if the format can represent them; a graph with both
    gaps in its ids and vertices without arcs is renumbered from 1, which a comment in the file states.

    Parameters
    ----------
    graph : Graph
    path : Path or str
    observer : Observer

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    UnsuitableGraph
        If a weight is not finite.
    FileNotWritten
        If a file cannot be written.
    Cancelled
        If the observer is cancelled; no file is left behind.
    """
    path = Path(path)
    if not np.isfinite(graph.weights).all():
        raise UnsuitableGraph(f"{graph.name} has infinite weights, which a DIMACS file cannot hold.")
    ids, kept = writable_ids(graph)
    work = graph.m + (graph.n if graph.coordinates else 0)
    with ExitStack() as files:
        arcs_path = files.enter_context(replace_atomically(path))
        with create_file(arcs_path) as stream:
            stream.write(_heading(graph, kept))
            for begin, end in slices(graph.m, _SLICE):
                tails, heads = ids[graph.tails[begin:end]], ids[graph.indices[begin:end]]
                stream.write(_lines(b"a", (tails, heads), graph.weights[begin:end, None]))
                observer.checkpoint(end, work)
        if graph.coordinates is None:
            return (path,)
        coordinates_file = coordinates_path(path)
        with create_file(files.enter_context(replace_atomically(coordinates_file))) as stream:
            for done, piece in _coordinate_pieces(graph.coordinates, ids):
                stream.write(piece)
                observer.checkpoint(graph.m + done, work)
    return path, coordinates_file


def coordinates_path(path: Path) -> Path:
    """Path of the coordinates file of a graph file: ``X.co.gz`` for ``X.gr.gz``."""
    suffix = ".gz" if path.name.endswith(".gz") else ""
    name = path.name.removesuffix(".gz")
    return path.with_name((name.rpartition(".")[0] or name) + ".co" + suffix)


def writable_ids(graph: Graph) -> tuple[NDArray[np.int64], bool]:
    """The vertex ids to write, and whether they are the graph's own.

    A reader derives ids 1 to n from the header. Other ids are known only from the arcs, so then every vertex needs one.
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
    note = "" if kept else "c vertices are renumbered from 1: this format cannot represent their ids\n"
    source = f"c {graph.roads.attribution}\n" if graph.roads is not None and graph.roads.attribution else ""
    return f"c {name}\n{source}{note}p sp {graph.n} {graph.m}\n".encode()


def _coordinate_pieces(coordinates: Coordinates, ids: NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    """The .co file in pieces, each with the number of vertices written so far."""
    xy = np.rint(coordinates.xy * _MILLIONTH) if coordinates.geographic else coordinates.xy
    comment = DEGREES if coordinates.geographic else PLANE
    yield 0, f"{comment}\np aux sp co {len(ids)}\n".encode()
    whole = bool((xy == np.rint(xy)).all() and np.abs(xy).max(initial=0) < 2**53)
    numbers = xy.astype(np.int64) if whole else xy
    for begin, end in slices(len(ids), _SLICE):
        yield end, _lines(b"v", (ids[begin:end],), numbers[begin:end])


@contextmanager
def create_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write to, compressed if its name ends in ``.gz``."""
    with path.open("wb") as file:
        if not path.name.endswith(".gz"):
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
            yield packed  # type: ignore[misc]


def _lines(tag: bytes, ids: tuple[NDArray[Any], ...], numbers: NDArray[Any]) -> bytes:
    """Text with one line per row: tag, ids, numbers."""
    if numbers.dtype.kind == "i":
        columns = np.column_stack((*ids, numbers)).astype(np.int64, copy=False)
        text = np.empty(len(columns) * (2 + _MAX_COLUMN_BYTES * columns.shape[1]), dtype=np.uint8)
        return text[: _format_rows(tag[0], columns, text)].tobytes()
    words = [map(str, column.tolist()) for column in ids]
    words += [map(repr, column.tolist()) for column in numbers.T]  # repr: the shortest text that reads back equal
    mark = tag.decode()
    return "".join([f"{mark} {' '.join(row)}\n" for row in zip(*words, strict=True)]).encode()


@njit(cache=True, nogil=True)
def _format_rows(tag: int, columns: NDArray[np.int64], text: NDArray[np.uint8]) -> int:
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
