"""Readers of text formats with fixed columns of numbers: DIMACS, PACE, TIGER/Line,
algs4 and SNAP edge lists.

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

SNAP edge lists: ``tail head [weight ...]`` separated by tabs, blanks or commas; ``#``
comments. Of several columns of numbers without titles the weights are asked for, unless
the others can hold none. The header of KONECT, ``% sym|asym weights``, states that the
third column holds them, and the direction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ColumnsUnknown
from solvers.graphs.csr import slices
from solvers.graphs.edge_columns import unclear_weights, why_no_weights
from solvers.graphs.interpretation import Certainty, Decision, Interpretation
from solvers.graphs.quantities import is_number, is_whole
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
from solvers.text import listed, printable

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

_COUNT = Layout(ids=("count",), comments=COMMENTS)
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

_FEWEST_COUNTED = 3  # rows, of which the first may be counts: fewer fit by chance
_KONECT = re.compile(r"%\s*(sym|asym|bip)\s+[a-z]+$")
_KONECT_DIRECTIONS = {"sym": Decision("undirected"), "asym": Decision("directed")}
_COMMENT_COUNTS = re.compile(r"Nodes:\s*(\d{1,18})\s+Edges:\s*(\d{1,18})\b", re.IGNORECASE)


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
    rows = table.rows(_COUNT, limit=1)
    if not len(rows):
        raise table.error(
            table.line, "", "the number of edges is missing", "The file may be truncated."
        )
    return int(rows.ids[0, 0])


TIGER_FORMAT = Format("TIGER/Line road graph (.tmp)", _recognises_tiger, _read_tiger)


def _rows_after_counts(sample: Sample) -> tuple[tuple[str, ...], ...]:
    """The rows after n and m, which are on one line or on two; () if the sample does
    not start with them.
    """
    widths = [len(row) for row in sample.rows]
    if widths[:2] == [1, 1] and all(is_whole(row[0]) for row in sample.rows[:2]):
        return sample.rows[2:]
    if widths[:2] == [2, 3] and all(map(is_whole, sample.rows[0])):
        return sample.rows[1:]
    return ()


def _recognises_algs4(sample: Sample) -> bool:
    if "," in sample.line:  # a table, one of whose rows is too short
        return False
    rows = _rows_after_counts(sample)
    counts_only = [len(row) for row in sample.rows] == [1, 1] and all(
        is_whole(row[0]) for row in sample.rows
    )
    return counts_only or bool(rows and len(rows[0]) == 3 and all(map(is_number, rows[0])))


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


def _recognises_edge_list(sample: Sample) -> bool:
    if _count_lines(sample):
        return True
    row = _first_row(sample)
    return len(row) >= 2 and is_whole(row[0]) and is_whole(row[1])


def _has_titles(sample: Sample) -> bool:
    """Whether the first row holds column titles."""
    return (
        len(sample.rows) > 1
        and len(sample.rows[0]) >= 2
        and not any(map(is_number, sample.rows[0]))
    )


def _first_row(sample: Sample) -> tuple[str, ...]:
    return sample.rows[1] if _has_titles(sample) else sample.rows[0]


def _count_lines(sample: Sample) -> int:
    """How many lines with one count each, of vertices or edges, are before edges of two or
    three columns.
    """
    alone = 0
    while alone < len(sample.rows) and len(sample.rows[alone]) == 1:
        alone += 1
    rows = sample.rows[:alone], sample.rows[alone:]
    widths = {len(row) for row in rows[1]}
    fits = all(is_whole(row[0]) for row in rows[0]) and widths in ({2}, {3})
    return alone if alone < 3 and fits and all(map(is_whole, rows[1][0][:2])) else 0


def _read_edge_list(table: Table, sample: Sample, weighted: bool) -> Parsed:
    alone = _count_lines(sample)
    counts = table.rows(_COUNT, limit=alone).ids[:, 0].tolist() if alone else []
    sample = replace(sample, rows=sample.rows[alone:])
    titled, konect = _has_titles(sample), _konect_header(table, sample)
    why = ""
    if weighted and not titled and not konect:
        why = _require_clear_weights(table, sample)
    if titled:
        table.skip_titles()
    columns = len(_first_row(sample))
    has_weights, separator = weighted and columns >= 3, _separator(sample.line)
    layout = Layout(
        ids=("tail", "head"),
        values=("weight",) if has_weights else (),
        comments=COMMENTS,
        may_be_padded=False,
        ignore_rest=columns > 3 or not weighted,
        separator=separator if has_weights or separator == b"," else b"",
        summed=True,
    )
    arcs = table.rows(layout)
    if has_weights and columns == 3 and not titled and not konect:
        _ask_if(table, 3, unclear_weights({2: arcs.values[:, 0]}))
    n, m = _comment_counts(sample)
    told = _ignored_columns(columns)
    is_bare = not (counts or titled or sample.comments)
    is_size = columns == 3 and _begins_with_size(arcs)
    if is_size or (is_bare and columns < 4 and _begins_with_counts(arcs)):
        counts = [int(arcs.ids[0, 0]), len(arcs) - 1] if is_size else arcs.ids[0].tolist()
        arcs = replace(arcs, ids=arcs.ids[1:], values=arcs.values[1:])
    if counts:
        n, m = _as_counts(counts, arcs)
        shown = " ".join(sample.rows[0] if not alone else map(str, counts))
        choice = "1,2,3" if columns == 3 else "1,2"
        rest = "" if alone else f"; if it is an edge, choose columns, such as “{choice}”"
        told += (f"“{shown}” before the edges is taken for counts of vertices or edges{rest}.",)
    return Parsed(
        arcs,
        undirected=konect == "sym",
        weights_from="column 3" if has_weights else "",
        header_vertices=n,
        header_arcs=m,
        first_ids=(1, 0) if counts else (),
        warnings=told,
        interpretation=_interpretation(sample, columns, why, konect),
    )


def _begins_with_counts(arcs: Rows) -> bool:
    """Whether the first row has the number of vertices, none of which is beyond it, and that
    of the rows below, or of edges that these list in both directions.
    """
    if len(arcs) < _FEWEST_COUNTED:
        return False
    n, m = arcs.ids[0].tolist()
    return len(arcs) - 1 in (m, 2 * m) and bool(arcs.ids[1:].max() <= n)


def _begins_with_size(arcs: Rows) -> bool:
    """Whether the first row is the size of a square matrix, without a banner: rows and
    columns, beyond which no vertex is, and the number of entries below.
    """
    if len(arcs) < _FEWEST_COUNTED or not arcs.values.shape[1]:
        return False
    rows, columns = arcs.ids[0].tolist()
    below = rows == columns and bool(arcs.ids[1:].max() <= rows)
    return below and arcs.values[0, 0] == len(arcs) - 1


def _as_counts(counts: list[int], arcs: Rows) -> tuple[int | None, int | None]:
    """Numbers of vertices and of rows; of one count alone, whichever it fits."""
    if len(counts) == 2:
        n, m = counts
        return n, len(arcs) if len(arcs) == 2 * m else m
    return (None, counts[0]) if counts[0] == len(arcs) else (counts[0], len(arcs))


def _konect_header(table: Table, sample: Sample) -> str:
    """The first word of a header of KONECT, "sym" or "asym"; "" where there is none."""
    found = _KONECT.match(sample.comments[0]) if sample.comments else None
    if found and found[1] == "bip":
        reason = "by its header, % bip, the two columns name different vertices by the same numbers"
        hint = "Give the vertices of the second column other numbers, and remove the header."
        raise table.error(1, sample.comments[0], reason, hint)
    return found[1] if found else ""


def _require_clear_weights(table: Table, sample: Sample) -> str:
    """Raise `ColumnsUnknown` if columns beside the third may be the weights, too; else why
    they are in the third, "" where it is the only one of numbers.

    Where the first rows leave only the third, all rows are looked at.
    """
    width = len(sample.rows[0])
    columns = {}
    for place in range(2, width):
        cells = [row[place] for row in sample.rows if len(row) > place]
        if all(map(is_number, cells)):
            columns[place] = np.array(cells, np.float64)
    if list(columns) in ([], [2]):
        return ""
    names = tuple(f"number in column {k + 1}" for k in range(2, max(columns) + 1))
    if all(len(row) > max(columns) for row in sample.rows):  # else the first other is named
        _ask_if(table, width, unclear_weights(columns))
    if len(columns) < len(names):
        _ask_if(table, width, f"columns {listed([str(k + 1) for k in columns])} hold numbers")
    layout = Layout(
        ids=("tail", "head"),
        values=names,
        comments=COMMENTS,
        may_be_padded=False,
        ignore_rest=width > max(columns) + 1,
        separator=_separator(sample.line),
    )
    with TextSource(table.source.file, table.source.progress, counted=False) as ahead:
        values = Table(ahead).rows(layout).values
    found = {place: values[:, place - 2] for place in columns}
    _ask_if(table, width, unclear_weights(found))
    others = [f"column {k + 1} {why_no_weights(found[k])}" for k in columns if k > 2]
    return f"its place, as {listed(others)}"


def _ask_if(table: Table, width: int, unclear: str) -> None:
    if unclear:
        raise ColumnsUnknown(table.path, [str(k + 1) for k in range(width)], unclear)


def _interpretation(sample: Sample, columns: int, why: str, konect: str) -> Interpretation | None:
    """The third column by its title, or by its place."""
    direction = _KONECT_DIRECTIONS.get(konect)
    if columns < 3:
        return None if direction is None else Interpretation(Decision(""), direction=direction)
    if _has_titles(sample):
        return Interpretation(
            Decision(f"column 3 “{sample.rows[0][2]}”", Certainty.KNOWN, "its title"),
            ignored=sample.rows[0][3:],
        )
    certainty = Certainty.STATED if columns == 3 or konect else Certainty.KNOWN
    return Interpretation(
        Decision("column 3", certainty, why or "its place"),
        direction=direction,
        ignored=tuple(f"column {place}" for place in range(4, columns + 1)),
    )


def _separator(line: str) -> bytes:
    """Whether cells are separated by commas, or only by blanks, as the first row shows."""
    found = re.match(r",*[^\s,]+([\s,]+)", line)
    return b"," if found and "," in found[1] else b" "


def _comment_counts(sample: Sample) -> tuple[int | None, int | None]:
    for comment in sample.comments:
        if found := _COMMENT_COUNTS.search(comment):
            return int(found[1]), int(found[2])
    return None, None


def _ignored_columns(columns: int) -> tuple[str, ...]:
    if columns <= 3:
        return ()
    beyond = "column 4 is" if columns == 4 else f"columns 4 to {columns} are"
    return (f"Only columns 1 to 3 are read (tail, head, weight); {beyond} ignored.",)


EDGE_LIST_FORMAT = Format("edge list (SNAP)", _recognises_edge_list, _read_edge_list)

# In the order tried: strictest recognition first.
FORMATS = (PACE_FORMAT, DIMACS_FORMAT, TIGER_FORMAT, ALGS4_FORMAT, EDGE_LIST_FORMAT)
