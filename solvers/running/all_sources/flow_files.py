"""Files of betweenness: masses of vertices are read; betweenness of vertices and flows
of arcs are written.

Tables are CSV or, by their names, Parquet; flows of arcs are GeoJSON, too: a line for
each arc that carries something. What a change of roads did to flows is written with the
flows before and after.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.running.all_sources.betweenness import Flows
from solvers.running.all_sources.request import MOST_BYTES, id_of
from solvers.running.answers.answer import facts_of, line_text
from solvers.running.answers.columns import (
    TableColumn,
    budget_column,
    credit_column,
    place_columns,
    roads_column,
    vertex_column,
    with_unit,
    write_columns,
)
from solvers.running.answers.write import require_writable_kind, write_arcs_geojson
from solvers.system.array_types import Float64s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import read_regular
from solvers.text import format_amount, quoted
from solvers.units import to_public_unit

FLOW_KINDS = (".csv", ".parquet", ".geojson")
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


def write_vertices(found: Flows, path: Path, progress: Progress = SILENT) -> Path:
    """Write one row a vertex: id, coordinates, roads, betweenness, for an estimate the
    bounds of its interval.

    Raises PackageMissing, FileNotWritten, Cancelled.
    """
    graph = found.graph
    columns = [
        vertex_column(graph),
        *place_columns(graph),
        *roads_column(graph, np.arange(graph.n)),
    ]
    columns.append(TableColumn("betweenness", found.vertices))
    if found.intervals is not None:
        columns += [
            TableColumn(name, values)
            for name, values in zip(("at_least", "at_most"), found.intervals, strict=True)
        ]
    columns += budget_column(graph, found.request.budget, graph.n) + credit_column(graph, graph.n)
    return write_columns(columns, path, facts_of(graph, found.engine), progress)


def write_arcs(found: Flows, path: Path, progress: Progress = SILENT) -> Path:
    """Write one row an arc: ends, weight, flow, share of all paths; road and line on
    the map, where there are any.

    Raises ParameterError for another ending; UnsuitableGraph for GeoJSON without
    coordinates; PackageMissing, FileNotWritten, Cancelled.
    """
    graph = found.graph
    columns = [TableColumn("flow", found.arcs), TableColumn("share", found.shares)]
    return _write_arcs(found, graph, columns, np.flatnonzero(found.arcs > 0), path, progress)


def write_changes(before: Flows, after: Flows, path: Path, progress: Progress = SILENT) -> Path:
    """Write one row an arc of the graph as it was opened: as `write_arcs`, with flow
    before, after, and change.

    Both are on the same graph with different roads closed or slowed; arcs of closed
    roads carry nothing. GeoJSON has a line for each arc whose flow has changed. Raises
    ParameterError, UnsuitableGraph, PackageMissing, FileNotWritten, Cancelled as
    `write_arcs`.
    """
    graph = after.graph.network
    flows = before.of_all_roads, after.of_all_roads
    shares = flows[0] / (before.paths or 1.0), flows[1] / (after.paths or 1.0)
    change = flows[1] - flows[0]
    columns = [
        TableColumn("before", flows[0]),
        TableColumn("after", flows[1]),
        TableColumn("change", change),
        TableColumn("share_before", shares[0]),
        TableColumn("share_after", shares[1]),
        TableColumn("share_change", shares[1] - shares[0]),
    ]
    return _write_arcs(after, graph, columns, np.flatnonzero(change), path, progress)


def _write_arcs(
    found: Flows,
    graph: Graph,
    numbers: list[TableColumn],
    drawn: Int64s,
    path: Path,
    progress: Progress,
) -> Path:
    """Write ``numbers`` of the arcs of ``graph`` with what is known of the arcs; as
    GeoJSON, the ``drawn`` ones.
    """
    require_writable_kind(path, FLOW_KINDS)
    columns = [
        vertex_column(graph, graph.tails, "tail"),
        vertex_column(graph, graph.indices, "head"),
        TableColumn(with_unit("weight", graph), to_public_unit(graph.weights, graph.weight_unit)),
        *numbers,
    ]
    if graph.roads is not None:
        columns.append(TableColumn("road", [graph.roads.name(arc) for arc in range(graph.m)]))
    columns += budget_column(graph, found.request.budget, graph.m)
    if path.suffix.lower() == ".geojson":
        return write_arcs_geojson(graph, drawn, columns, path, found.engine, progress)
    if graph.coordinates is not None:
        columns.append(TableColumn("wkt", [line_text(graph, arc) for arc in range(graph.m)]))
    return write_columns(
        columns + credit_column(graph, graph.m), path, facts_of(graph, found.engine), progress
    )


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
