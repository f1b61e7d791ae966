"""Readers of DIMACS shortest-path graphs (.gr) and their relatives: PACE treewidth graphs and TIGER/Line roads (.tmp).

DIMACS: ``c`` comments, ``p sp n m``, then ``a tail head weight``. Deviations found in published files are accepted: no
``p`` line, a ``p`` line with wrong counts, ids from 0.

PACE: ``p tw n m``, then lines ``u v``; undirected, unweighted, ids from 1.

TIGER/Line road graphs of the DIMACS challenge are undirected, with ids from 0: ``n``; n lines ``id longitude latitude``
in millionths of a degree; ``m``; then two lines per edge: its ends, and its travel time, length in metres and road
category. The weight is the length.
"""

from __future__ import annotations

from dataclasses import replace

from solvers.graphs.readers.formats import COMMENTS, GREATEST_COORDINATE, Format, Parsed, Sample, is_number, is_whole
from solvers.graphs.readers.table import Layout, Table
from solvers.text import printable

_ARC = Layout(ids=("tail", "head"), values=("weight",), tag=b"a", headers=b"ps", comments=COMMENTS, summed=True)
_BARE_ARC = Layout(ids=("tail", "head"), tag=b"a", headers=b"ps", comments=COMMENTS, ignore_rest=True)


def _recognises_dimacs(sample: Sample) -> bool:
    first = sample.rows[0]
    return first[0] in ("a", "sp") or (first[0] == "p" and first[1:2] != ("tw",) and "co" not in first)


def header_counts(table: Table) -> tuple[int | None, int | None]:
    """``n`` and ``m``, the last two words of the first header line; None if there is no header line."""
    if table.header is None:
        return None, None
    line, text = table.header
    words = text.split()
    if len(words) < 3 or not (is_whole(words[-2]) and is_whole(words[-1])):
        raise table.error(line, text, "the problem line has no counts", "Expected: p sp vertices arcs.")
    return int(words[-2]), int(words[-1])


def _read_dimacs(table: Table, sample: Sample, weighted: bool) -> Parsed:
    arcs = table.rows(_ARC if weighted else _BARE_ARC)
    n, m = header_counts(table)
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
        f"{name} has no problem line (p sp vertices arcs): its vertices are those that occur in arcs, and missing "
        "lines cannot be detected."
    )


DIMACS_FORMAT = Format("DIMACS shortest-path graph (.gr)", _recognises_dimacs, _read_dimacs)


_PACE_EDGE = Layout(ids=("vertex", "other vertex"), headers=b"p", comments=COMMENTS)


def _recognises_pace(sample: Sample) -> bool:
    return sample.rows[0][:2] == ("p", "tw")


def _read_pace(table: Table, sample: Sample, weighted: bool) -> Parsed:
    edges = table.rows(_PACE_EDGE)
    n, m = header_counts(table)
    return Parsed(edges, undirected=True, header_vertices=n, header_arcs=m, first_ids=(1,))


PACE_FORMAT = Format("PACE treewidth graph (p tw)", _recognises_pace, _read_pace)


_COUNT = Layout(ids=("count",), comments=COMMENTS)
_VERTEX = Layout(
    ids=("vertex",), values=("longitude", "latitude"), comments=COMMENTS, limit=GREATEST_COORDINATE
)  # fmt: skip
_TIGER_EDGE = Layout(
    ids=("vertex", "other vertex"), values=("travel time", "length"), comments=COMMENTS, spanning=True,
    ignore_rest=True, summed=True,
)  # fmt: skip


def _recognises_tiger(sample: Sample) -> bool:
    widths = [len(row) for row in sample.rows[:2]]
    return widths == [1, 3] and is_whole(sample.rows[0][0]) and all(map(is_number, sample.rows[1]))


def _read_tiger(table: Table, sample: Sample, weighted: bool) -> Parsed:
    n = _count(table)
    vertices = table.rows(_VERTEX, limit=n)
    m = _count(table)
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
        warnings=("The weights are the lengths; travel times and road categories are ignored.",) if weighted else (),
    )


def _count(table: Table) -> int:
    rows = table.rows(_COUNT, limit=1)
    if not len(rows):
        raise table.error(table.line, "", "the number of edges is missing", "The file may be truncated.")
    return int(rows.ids[0, 0])


TIGER_FORMAT = Format("TIGER/Line road graph (.tmp)", _recognises_tiger, _read_tiger)
