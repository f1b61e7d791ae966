"""Reader of the two text formats of *Algorithms, 4th edition*: edge-weighted digraphs, and maps such as usa.txt.

Both begin with the numbers of vertices and edges; ids start at 0. In a digraph, m lines ``tail head weight`` follow. In
a map, n lines ``id x y`` and m lines ``u v`` follow; its edges are undirected, with Euclidean lengths. The two are
distinguished by the row after the first n: it has three columns in a digraph, two in a map.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.readers.formats import (
    COMMENTS,
    Format,
    Parsed,
    Sample,
    is_comment,
    is_number,
    is_whole,
    split_words,
)
from solvers.graphs.readers.source import TextSource
from solvers.graphs.readers.table import Layout, Rows, Table

_COUNTS = Layout(ids=("number of vertices", "number of edges"), spanning=True, comments=COMMENTS)
_ARC = Layout(ids=("tail", "head"), values=("weight",), comments=COMMENTS)
_BARE_ARC = Layout(ids=("tail", "head"), ignore_rest=True, comments=COMMENTS)
_VERTEX = Layout(ids=("vertex",), values=("x", "y"), comments=COMMENTS)
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
    (n, m) = (int(count) for count in table.rows(_COUNTS, limit=1).ids[0])
    if _is_map(table.path, sample, n):
        return _read_map(table, n, m, weighted)
    arcs = table.rows(_ARC if weighted else _BARE_ARC)
    return Parsed(arcs, weights_from="column 3" if weighted else "", header_vertices=n, header_arcs=m, first_ids=(0,))


def _is_map(path: Path, sample: Sample, n: int) -> bool:
    """Whether the row after the first ``n`` has two columns; read only if the first rows have ids 0, 1, ..."""
    rows = _rows_after_counts(sample)
    counting = all(row[0] == str(k) for k, row in enumerate(rows[:n]))
    return bool(rows) and counting and _width_of_row(path, n + len(sample.rows) - len(rows)) == 2


def _width_of_row(path: Path, index: int) -> int:
    """Number of words in the row with that index, not counting blank lines and comments; 0 past the end."""
    passed = 0
    with TextSource(path) as source:
        for block in source.blocks():
            rows = [words for line in block.split(b"\n") if (words := split_words(line)) and not is_comment(words)]
            if index < passed + len(rows):
                return len(rows[index - passed])
            passed += len(rows)
    return 0


def _read_map(table: Table, n: int, m: int, weighted: bool) -> Parsed:
    vertices = table.rows(_VERTEX, limit=n)
    edges = table.rows(_EDGE)
    if weighted:
        edges = Rows(edges.ids, _lengths(vertices, edges.ids)[:, None])
    return Parsed(
        edges,
        undirected=True,
        weights_from="Euclidean length" if weighted else "",
        header_vertices=n,
        header_arcs=m,
        vertices=vertices,
    )


def _lengths(vertices: Rows, edges: NDArray[Any]) -> NDArray[np.float64]:
    """Euclidean length of each edge, (m,); arbitrary if an end is unknown, which is reported later."""
    order = np.argsort(vertices.ids[:, 0], kind="stable")
    known = vertices.ids[order, 0]
    at = order[np.minimum(np.searchsorted(known, edges), len(known) - 1)]
    xy = vertices.values.astype(np.float64)
    return np.hypot(*(xy[at[:, 0]] - xy[at[:, 1]]).T)


FORMAT = Format("algs4 weighted digraph or map", _recognises, _read)
