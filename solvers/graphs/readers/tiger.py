"""Reader of the TIGER/Line road graphs of the DIMACS challenge (.tmp): undirected, ids from 0.

``n``; n lines ``id longitude latitude`` in millionths of a degree; ``m``; then two lines per edge: its ends, and its
travel time, length in metres and road category. The weight is the length.
"""

from __future__ import annotations

from dataclasses import replace

from solvers.graphs.readers.formats import COMMENTS, GREATEST_COORDINATE, Format, Parsed, Sample, is_number, is_whole
from solvers.graphs.readers.table import Layout, Table

_COUNT = Layout(ids=("count",), comments=COMMENTS)
_VERTEX = Layout(
    ids=("vertex",), values=("longitude", "latitude"), comments=COMMENTS, limit=GREATEST_COORDINATE
)  # fmt: skip
_EDGE = Layout(
    ids=("vertex", "other vertex"), values=("travel time", "length"), comments=COMMENTS, spanning=True,
    ignore_rest=True, summed=True,
)  # fmt: skip


def _recognises(sample: Sample) -> bool:
    widths = [len(row) for row in sample.rows[:2]]
    return widths == [1, 3] and is_whole(sample.rows[0][0]) and all(map(is_number, sample.rows[1]))


def _read(table: Table, sample: Sample, weighted: bool) -> Parsed:
    n = _count(table)
    vertices = table.rows(_VERTEX, limit=n)
    m = _count(table)
    edges = table.rows(_EDGE)
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


FORMAT = Format("TIGER/Line road graph (.tmp)", _recognises, _read)
