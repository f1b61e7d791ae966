"""Files of all sources: masses of vertices are read; betweenness of vertices and flows of arcs
are tables to be written, what a change of roads did to flows with the flows before and after;
bins of a histogram are written.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError, UnknownVertex
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.flow_rows import arcs_table
from solvers.features.all_sources.reductions import BETWEENNESS, Histogram
from solvers.features.all_sources.request import MOST_BYTES, id_of
from solvers.graphs.graph import Graph
from solvers.running.answers.answer import facts_of
from solvers.running.answers.columns import (
    TableColumn,
    budget_column,
    place_columns,
    roads_column,
    vertex_column,
    with_unit,
    write_columns,
)
from solvers.running.answers.table import MAP_KINDS, AnswerTable, point_shapes
from solvers.system.array_types import Float64s
from solvers.system.files import read_regular
from solvers.text import format_amount, quoted

_LISTED = 10  # arcs of greatest flow, for display
_LISTED_FROM = 4096  # among which separate roads are sought


def read_masses(graph: Graph, path: str) -> Float64s:
    """Masses of the vertices, (n,), from a CSV file with an id and a number a line; 0
    for those that it leaves out.

    A heading in the first line is passed over. Raises FileFormatError if the file
    cannot be read, or a line is none of these, names a vertex again, or has no mass of
    0 or more.
    """
    file = Path(path)
    try:
        text = read_regular(file, MOST_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(
            file, f"it cannot be read ({error})", hint="Write “id,mass” lines."
        ) from error
    masses = np.full(graph.n, np.nan)
    for number, row in enumerate(csv.reader(io.StringIO(text)), 1):
        if not row:
            continue
        vertex, mass = _vertex_of(graph, row[0]), _number_of(row[-1])
        if number == 1 and vertex is None and mass is None:
            continue
        reason = ""
        if len(row) != 2 or mass is None:
            reason = "it holds no mass"
        elif vertex is None:
            reason = "there is no such vertex"
        elif not 0 <= mass < np.inf:
            reason = "a mass is finite, 0 or more"
        elif masses[vertex] >= 0:
            reason = "the vertex has a mass already"
        if reason:
            hint = "Each line has the id of another vertex and a number, such as “17,250”."
            raise FileFormatError(file, reason, line=number, text=",".join(row), hint=hint)
        masses[vertex] = mass
    return np.nan_to_num(masses)


def _vertex_of(graph: Graph, name: str) -> int | None:
    try:
        return graph.vertex(id_of(graph, name))
    except UnknownVertex:
        return None


def _number_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def betweenness_table(found: Flows) -> AnswerTable:
    """One row a vertex: id, coordinates, roads, betweenness, for an estimate the bounds of
    its interval.
    """
    graph = found.graph
    columns = [
        vertex_column(graph),
        *place_columns(graph),
        *roads_column(graph, np.arange(graph.n)),
        TableColumn(BETWEENNESS, found.betweenness),
    ]
    if found.intervals is not None:
        columns += [
            TableColumn(name, values * found.pair_share)
            for name, values in zip(("at_least", "at_most"), found.intervals, strict=True)
        ]
    columns += budget_column(graph, found.request.budget, graph.n)
    title = f"betweenness of {graph.name}"
    shapes = point_shapes(graph)
    return AnswerTable(
        graph, title, found.engine, columns, ("vertex",), BETWEENNESS, MAP_KINDS, shapes
    )


def changes_table(before: Flows, after: Flows) -> AnswerTable:
    """One row an arc of the graph as it was opened: as of `Flows`, with flow before,
    after, and change.

    Both are on the same graph with different roads closed or slowed; arcs of closed
    roads carry nothing. GeoJSON has the arcs whose flow has changed.
    """
    graph = after.graph.network
    flows = before.of_all_roads, after.of_all_roads
    shares = flows[0] / (before.paths or 1.0), flows[1] / (after.paths or 1.0)
    change = flows[1] - flows[0]
    columns = [
        TableColumn("change", change),
        TableColumn("before", flows[0]),
        TableColumn("after", flows[1]),
        TableColumn("share_before", shares[0]),
        TableColumn("share_after", shares[1]),
        TableColumn("share_change", shares[1] - shares[0]),
    ]
    return arcs_table(after.request, after.engine, graph, columns, np.flatnonzero(change))


def greatest_flows(found: Flows) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heading and rows of the arcs that carry most, for display: one of each road."""
    graph, rows = found.graph, []
    for arc in separate_roads(graph, found.arcs, _LISTED):
        road = "" if graph.roads is None else graph.roads.name(arc)
        ends = (graph.vertex_id(int(graph.tails[arc])), graph.vertex_id(int(graph.indices[arc])))
        flow, share = format_amount(found.arcs[arc], 6), f"{100 * found.shares[arc]:.2f} %"
        rows.append((*map(str, ends), flow, share, quoted(road) if road else ""))
    return ("from", "to", "flow", "share", "road"), rows


def separate_roads(graph: Graph, values: Float64s, count: int) -> list[int]:
    """Arcs of the roads of greatest value, (m,), regardless of its sign; the greatest first.

    Of arcs with the same sign and name, or that meet, only the first counts: a motorway
    is not listed piece by piece.
    """
    sizes = np.abs(values)
    most = min(len(sizes), _LISTED_FROM)
    among = np.argpartition(-sizes, most - 1)[:most] if most else np.empty(0, np.int64)
    found: list[int] = []
    met: set[tuple[int | str, bool]] = set()
    for arc in among[np.argsort(-sizes[among], kind="stable")].tolist():
        if sizes[arc] == 0 or len(found) == count:
            break
        name = "" if graph.roads is None else graph.roads.name(arc)
        marks: list[int | str] = [int(graph.tails[arc]), int(graph.indices[arc]), name]
        signed = {(mark, bool(values[arc] > 0)) for mark in marks if mark != ""}
        if not signed & met:
            found.append(arc)
        met |= signed
    return found


def write_histogram(found: Histogram, graph: Graph, path: Path) -> Path:
    """Write begin, end and pairs of every bin as CSV or, by the name of the file,
    Parquet; the last bin has no end.

    Raises PackageMissing, FileNotWritten.
    """
    lower = found.bins.lower
    has_end = np.arange(len(lower)) < len(lower) - 1
    columns = [
        TableColumn(with_unit("from", graph), lower),
        TableColumn(with_unit("to", graph), np.append(lower[1:], 0.0), has_end),
        TableColumn("pairs", found.pairs),
    ]
    return write_columns(columns, path, facts_of(graph))
