"""Reader of the two text formats of *Algorithms, 4th edition*: edge-weighted digraphs, and maps such as usa.txt.

Both begin with the numbers of vertices and edges; ids start at 0. In a digraph, m lines ``tail head weight`` follow. In
a map, n lines ``id x y`` and m lines ``u v`` follow; its edges are undirected, with Euclidean lengths. The two are
distinguished by the row after the first n: it has three columns in a digraph, two in a map.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.csr import slices
from solvers.graphs.readers.formats import (
    COMMENTS,
    GREATEST_COORDINATE,
    Format,
    Parsed,
    Sample,
    is_number,
    is_whole,
    split_words,
)
from solvers.graphs.readers.input_file import TextSource
from solvers.graphs.readers.table import Layout, Rows, Table, find_row

_COUNTS = Layout(ids=("number of vertices", "number of edges"), spanning=True, comments=COMMENTS)
_ARC = Layout(ids=("tail", "head"), values=("weight",), comments=COMMENTS, summed=True)
_BARE_ARC = Layout(ids=("tail", "head"), ignore_rest=True, comments=COMMENTS)
_VERTEX = Layout(ids=("vertex",), values=("x", "y"), comments=COMMENTS, limit=GREATEST_COORDINATE)
_EDGE = Layout(ids=("vertex", "other vertex"), comments=COMMENTS)


def _rows_after_counts(sample: Sample) -> tuple[tuple[str, ...], ...]:
    """The rows after n and m, which are on one line or on two; () if the sample does not start with them."""
    widths = [len(row) for row in sample.rows]
    if widths[:2] == [1, 1] and all(is_whole(row[0]) for row in sample.rows[:2]):
        return sample.rows[2:]
    if widths[:2] == [2, 3] and all(map(is_whole, sample.rows[0])):
        return sample.rows[1:]
    return ()


def _recognises(sample: Sample) -> bool:
    rows = _rows_after_counts(sample)
    counts_only = [len(row) for row in sample.rows] == [1, 1] and all(is_whole(row[0]) for row in sample.rows)
    return counts_only or bool(rows and len(rows[0]) == 3 and all(map(is_number, rows[0])))


def _read(table: Table, sample: Sample, weighted: bool) -> Parsed:
    counts = table.rows(_COUNTS, limit=1)
    if not len(counts):
        raise table.error(table.line, "", "the numbers of vertices and edges are missing", "The file may be truncated.")
    (n, m) = (int(count) for count in counts.ids[0])
    if _is_map(table, sample, n):
        return _read_map(table, n, m, weighted)
    arcs = table.rows(_ARC if weighted else _BARE_ARC)
    return Parsed(arcs, weights_from="column 3" if weighted else "", header_vertices=n, header_arcs=m, first_ids=(0,))


def _is_map(table: Table, sample: Sample, n: int) -> bool:
    """Whether the row after the first ``n`` has two columns; read only if the first rows have ids 0, 1, ..."""
    rows = _rows_after_counts(sample)
    if not rows or any(row[0] != str(k) for k, row in enumerate(rows[:n])):
        return False
    with TextSource(table.source.file, table.source.progress, counted=False) as ahead:
        _, row = find_row(ahead, n + len(sample.rows) - len(rows), COMMENTS)
    return len(split_words(row.encode())) == 2


def _read_map(table: Table, n: int, m: int, weighted: bool) -> Parsed:
    vertices = table.rows(_VERTEX, limit=n)
    edges = table.rows(_EDGE)
    if weighted:
        edges = Rows(edges.ids, _lengths(vertices, edges.ids, table.source.check)[:, None])
    return Parsed(
        edges,
        undirected=True,
        weights_from="Euclidean length" if weighted else "",
        header_vertices=n,
        header_arcs=m,
        vertices=vertices,
    )


def _lengths(vertices: Rows, edges: NDArray[Any], checkpoint: Callable[[], None]) -> NDArray[np.float64]:
    """Euclidean length of each edge, (m,); finite. Arbitrary if an end is unknown, which is reported later."""
    lengths = np.zeros(len(edges))
    if not len(vertices):
        return lengths
    order = np.argsort(vertices.ids[:, 0], kind="stable")
    known = vertices.ids[order, 0]
    xy = vertices.values.astype(np.float64)
    for begin, end in slices(len(edges), 2**15):
        at = order[np.minimum(np.searchsorted(known, edges[begin:end]), len(known) - 1)]
        lengths[begin:end] = np.hypot(*(xy[at[:, 0]] - xy[at[:, 1]]).T)
        checkpoint()
    return lengths


FORMAT = Format("algs4 weighted digraph or map", _recognises, _read)
