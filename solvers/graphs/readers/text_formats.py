"""Readers of text formats with fixed columns of numbers: DIMACS, PACE, TIGER/Line and
algs4; and all such formats, with SNAP edge lists, in the order tried.

DIMACS shortest-path graphs (.gr): ``c`` comments, ``p sp n m``, then ``a tail head
weight``. Deviations found in published files are accepted: no ``p`` line, a ``p`` line
with wrong counts, ids from 0.

PACE treewidth graphs: ``p tw n m``, then lines ``u v``; undirected, unweighted, ids
from 1.

TIGER/Line road graphs of the DIMACS challenge (.tmp) are undirected, with ids from 0:
``n``; n lines ``id longitude latitude`` in millionths of a degree; ``m``; then two
lines per edge: its ends, and its travel time, length in metres and road category. The
weight is the length.

*Algorithms, 4th edition* has edge-weighted digraphs, and maps such as usa.txt. Both
begin with the numbers of vertices and edges; ids start at 0. In a digraph, m lines
``tail head weight`` follow. In a map, n lines ``id x y`` and m lines ``u v`` follow;
its edges are undirected, with Euclidean lengths. The row after the first n
distinguishes them: it has three columns in a digraph, two in a map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.csr import slices
from solvers.graphs.quantities import is_number, is_whole
from solvers.graphs.readers.edge_list import COUNT, EDGE_LIST_FORMAT
from solvers.graphs.readers.input_file import TextSource
from solvers.graphs.readers.parsed import (
    COMMENTS,
    GREATEST_COORDINATE,
    SAMPLE_LINES,
    Format,
    Parsed,
    Sample,
    split_words,
)
from solvers.graphs.readers.table import Layout, Rows, Table, find_row
from solvers.text import printable

_DIMACS_ARC = Layout(
    ids=("tail", "head"),
    values=("weight",),
    tag=b"a",
    headers=b"ps",
    comments=COMMENTS,
    summed=True,
)
_BARE_DIMACS_ARC = Layout(
    ids=("tail", "head"), tag=b"a", headers=b"ps", comments=COMMENTS, ignore_rest=True
)

_OTHER_PROBLEMS = {
    "max": "maximum flow: its numbers are capacities",
    "min": "minimum-cost flow",
    "asn": "assignment",
    "edge": "colouring: edges without lengths",
    "col": "colouring: edges without lengths",
    "cnf": "satisfiability",
}
_AUXILIARY = {
    "co": "coordinates",
    "ss": "sources",
    "p2p": "pairs of sources and targets",
    "chk": "checks of distances",
}
"""Files beside those of the 9th DIMACS challenge: p aux sp KIND."""

_PACE_EDGE = Layout(ids=("vertex", "other vertex"), headers=b"p", comments=COMMENTS)

_TIGER_VERTEX = Layout(
    ids=("vertex",), values=("longitude", "latitude"), comments=COMMENTS, limit=GREATEST_COORDINATE
)
_TIGER_EDGE = Layout(
    ids=("vertex", "other vertex"),
    values=("travel time", "length"),
    comments=COMMENTS,
    spanning=True,
    ignore_rest=True,
    summed=True,
)

_ALGS4_COUNTS = Layout(
    ids=("number of vertices", "number of edges"), spanning=True, comments=COMMENTS
)
_ALGS4_ARC = Layout(ids=("tail", "head"), values=("weight",), comments=COMMENTS, summed=True)
_BARE_ALGS4_ARC = Layout(ids=("tail", "head"), ignore_rest=True, comments=COMMENTS)
_MAP_VERTEX = Layout(
    ids=("vertex",), values=("x", "y"), comments=COMMENTS, limit=GREATEST_COORDINATE
)
_MAP_EDGE = Layout(ids=("vertex", "other vertex"), comments=COMMENTS)


def is_dimacs(sample: Sample) -> bool:
    """Whether the first row is a problem line, an arc or the coordinates of a vertex; not
    where a, p or v is the name of a vertex.
    """
    first = sample.rows[0]
    if "," in sample.line:  # a table
        return False
    if first[0] in ("p", "sp"):
        known = first[1:2] and first[1] in ("sp", "tw", "aux", *_OTHER_PROBLEMS)
        return bool(known) or (len(first) > 3 and all(map(is_whole, first[-2:])))
    numbers = len(first) > 2 and all(map(is_number, first[1:3]))
    # an arc without its weight, unless other rows begin with other names
    whole = len(first) > 3 or {row[0] for row in sample.rows} <= {"a", "p", "sp"}
    return first[0] in ("a", "v") and numbers and whole


def other_dimacs(sample: Sample) -> tuple[str, str] | None:
    """What a DIMACS file is that has no graph, and what to open; None for others."""
    first = sample.rows[0]
    if not is_dimacs(sample):
        return None
    if first[0] == "v":
        return "this is a DIMACS coordinates file, not a graph", "Open the .gr file instead."
    beside = next((_AUXILIARY[word] for word in first if word in _AUXILIARY), "")
    if first[0] == "p" and beside:
        return f"this is a DIMACS file of {beside}, not a graph", "Open the .gr file instead."
    if first[0] == "p" and first[1] in _OTHER_PROBLEMS:
        return (
            f"this is the DIMACS problem “{first[1]}” ({_OTHER_PROBLEMS[first[1]]})",
            "Of DIMACS, shortest-path graphs are read: p sp vertices arcs.",
        )
    return None


def _problem_line_counts(table: Table) -> tuple[int | None, int | None]:
    """``n`` and ``m``, the last two words of the first header line; None if there is no
    header line.
    """
    if table.header is None:
        return None, None
    line, text = table.header
    words = text.split()
    if len(words) < 3 or not (is_whole(words[-2]) and is_whole(words[-1])):
        raise table.error(
            line, text, "the problem line has no counts", "Expected: p sp vertices arcs."
        )
    return int(words[-2]), int(words[-1])


def _read_dimacs(table: Table, sample: Sample, weighted: bool) -> Parsed:
    arcs = table.rows(_DIMACS_ARC if weighted else _BARE_DIMACS_ARC)
    n, m = _problem_line_counts(table)
    return Parsed(
        arcs,
        weights_from="column 3" if weighted else "",
        header_vertices=n,
        header_arcs=m,
        first_ids=(1, 0),
        warnings=() if table.header else (_no_problem_line(table),),
    )


def _no_problem_line(table: Table) -> str:
    name = printable(table.path.name)
    return (
        f"{name} has no problem line (p sp vertices arcs): its vertices are those that occur in "
        "arcs, and missing lines cannot be detected."
    )


DIMACS_FORMAT = Format("DIMACS shortest-path graph (.gr)", is_dimacs, _read_dimacs)


def _read_pace(table: Table, sample: Sample, weighted: bool) -> Parsed:
    edges = table.rows(_PACE_EDGE)
    n, m = _problem_line_counts(table)
    return Parsed(edges, undirected=True, header_vertices=n, header_arcs=m, first_ids=(1,))


PACE_FORMAT = Format(
    "PACE treewidth graph (p tw)", lambda sample: sample.rows[0][:2] == ("p", "tw"), _read_pace
)


def _recognises_tiger(sample: Sample) -> bool:
    """Whether a count is followed by vertices from 0 or 1 on; edges may follow one, too."""
    first, *rows = sample.rows
    if len(first) != 1 or not is_whole(first[0]) or not rows:
        return False
    n = int(first[0])
    ids = [row[0] for row in rows[:n]]
    begin = int(ids[0]) if ids and ids[0] in ("0", "1") else 0
    listed = ids == [str(begin + k) for k in range(len(ids))]
    counted = len(rows) > n and len(rows[n]) == 1
    if len(rows[0]) != 3 or not all(map(is_number, rows[0])) or not (listed or counted):
        return False
    # of all rows, which may be edges: whether there is a longitude that is no vertex
    few = len(sample.rows) < SAMPLE_LINES and not counted
    return not few or any(len(row) < 2 or row[1] not in {*ids, str(n)} for row in rows)


def _read_tiger(table: Table, sample: Sample, weighted: bool) -> Parsed:
    n = _tiger_count(table)
    vertices = table.rows(_TIGER_VERTEX, limit=n)
    m = _tiger_count(table)
    edges = table.rows(_TIGER_EDGE)
    return Parsed(
        replace(edges, values=edges.values[:, 1:]),
        undirected=True,
        weights_from="length in metres" if weighted else "",
        header_vertices=n,
        header_arcs=m,
        vertices=vertices,
        geographic=True,
        weight_unit="m" if weighted else "",
        warnings=("The weights are the lengths; travel times and road categories are ignored.",)
        if weighted
        else (),
    )


def _tiger_count(table: Table) -> int:
    rows = table.rows(COUNT, limit=1)
    if not len(rows):
        raise table.error(
            table.line, "", "the number of edges is missing", "The file may be truncated."
        )
    return int(rows.ids[0, 0])


TIGER_FORMAT = Format("TIGER/Line road graph (.tmp)", _recognises_tiger, _read_tiger)


def _rows_after_counts(sample: Sample) -> tuple[tuple[str, ...], ...] | None:
    """The rows after n and m, which are on one line or on two; None if the sample does
    not start with them.
    """
    widths = [len(row) for row in sample.rows]
    if widths[:2] == [1, 1] and all(is_whole(row[0]) for row in sample.rows[:2]):
        return sample.rows[2:]
    if widths[:2] == [2, 3] and all(map(is_whole, sample.rows[0])):
        return sample.rows[1:]
    return None


def _recognises_algs4(sample: Sample) -> bool:
    if "," in sample.line:  # a table, one of whose rows is too short
        return False
    rows = _rows_after_counts(sample)
    if not rows:  # nothing but counts, or none
        return rows is not None
    return len(rows[0]) == 3 and all(map(is_number, rows[0]))


def _read_algs4(table: Table, sample: Sample, weighted: bool) -> Parsed:
    counts = table.rows(_ALGS4_COUNTS, limit=1)
    if not len(counts):
        raise table.error(
            table.line,
            "",
            "the numbers of vertices and edges are missing",
            "The file may be truncated.",
        )
    (n, m) = (int(count) for count in counts.ids[0])
    if _is_map(table, sample, n):
        return _read_map(table, n, m, weighted)
    arcs = table.rows(_ALGS4_ARC if weighted else _BARE_ALGS4_ARC)
    return Parsed(
        arcs,
        weights_from="column 3" if weighted else "",
        header_vertices=n,
        header_arcs=m,
        first_ids=(0, 1),
    )


def _is_map(table: Table, sample: Sample, n: int) -> bool:
    """Whether the row after the first ``n`` has two columns; read only if the first
    rows have ids 0, 1, ...
    """
    rows = _rows_after_counts(sample)
    if not rows or any(row[0] != str(k) for k, row in enumerate(rows[:n])):
        return False
    with TextSource(table.source.file, table.source.progress, counted=False) as ahead:
        _, row = find_row(ahead, n + len(sample.rows) - len(rows), COMMENTS)
    return len(split_words(row.encode())) == 2


def _read_map(table: Table, n: int, m: int, weighted: bool) -> Parsed:
    vertices = table.rows(_MAP_VERTEX, limit=n)
    edges = table.rows(_MAP_EDGE)
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


def _lengths(
    vertices: Rows, edges: NDArray[Any], checkpoint: Callable[[], None]
) -> NDArray[np.float64]:
    """Euclidean length of each edge, (m,); finite. Arbitrary if an end is unknown,
    which is reported later.
    """
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


ALGS4_FORMAT = Format("algs4 weighted digraph or map", _recognises_algs4, _read_algs4)


# In the order tried: strictest recognition first.
FORMATS = (PACE_FORMAT, DIMACS_FORMAT, TIGER_FORMAT, ALGS4_FORMAT, EDGE_LIST_FORMAT)
