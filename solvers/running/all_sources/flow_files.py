"""Files of betweenness: masses of vertices are read; betweenness of vertices and flows of arcs are written.

Tables are CSV or, by their names, Parquet; flows of arcs are GeoJSON, too: a line for each arc that carries something.
What a change of roads did to flows is written with the flows before and after.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError, ParameterError
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
from solvers.running.answers.write import write_arcs_geojson
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import read_regular
from solvers.text import grouped, quoted
from solvers.units import public

FLOW_KINDS = (".csv", ".parquet", ".geojson")
_LISTED = 10  # arcs of greatest flow, for display


def read_masses(graph: Graph, path: str) -> NDArray[np.float64]:
    """Masses of the vertices, (n,), from a CSV file with an id and a number a line; 0 for those that it leaves out.

    Raises FileFormatError if the file cannot be read, or a line is none of these; a heading in the first line is passed
    over; UnknownVertex.
    """
    file = Path(path)
    try:
        text = read_regular(file, MOST_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(file, f"it cannot be read ({error})", hint="Write “id,mass” lines.") from error
    masses = np.zeros(graph.n)
    for number, row in enumerate(csv.reader(io.StringIO(text)), 1):
        if not row:
            continue
        try:
            name, value = row
            mass = float(value)
        except ValueError:
            if number == 1:
                continue
            hint = "A line has a vertex id and a number, such as “17,250”."
            raise FileFormatError(file, "it holds no mass", line=number, text=",".join(row), hint=hint) from None
        masses[graph.vertex(id_of(graph, name))] = mass
    return masses


def write_vertices(found: Flows, path: Path, progress: Progress = SILENT) -> Path:
    """Write one row a vertex: id, coordinates, roads, betweenness, for an estimate the bounds of its interval.

    Raises PackageMissing, FileNotWritten, Cancelled.
    """
    graph = found.graph
    columns = [vertex_column(graph), *place_columns(graph), *roads_column(graph, np.arange(graph.n))]
    columns.append(TableColumn("betweenness", found.vertices))
    if found.intervals is not None:
        columns += [
            TableColumn(name, values) for name, values in zip(("at_least", "at_most"), found.intervals, strict=True)
        ]
    columns += budget_column(graph, found.request.budget, graph.n) + credit_column(graph, graph.n)
    return write_columns(columns, path, facts_of(graph, found.engine), progress)


def write_arcs(found: Flows, path: Path, progress: Progress = SILENT) -> Path:
    """Write one row an arc: ends, weight, flow, share of all paths; road and line on the map, where there are any.

    Raises ParameterError for another ending; UnsuitableGraph for GeoJSON without coordinates; PackageMissing,
    FileNotWritten, Cancelled.
    """
    graph = found.graph
    columns = [TableColumn("flow", found.arcs), TableColumn("share", found.shares)]
    return _write_arcs(found, graph, columns, np.flatnonzero(found.arcs > 0), path, progress)


def write_changes(before: Flows, after: Flows, path: Path, progress: Progress = SILENT) -> Path:
    """Write one row an arc of the graph as it was opened: as `write_arcs`, with flow before, after, and change.

    Both are on the same graph with different roads closed or slowed; arcs of closed roads carry nothing. GeoJSON has a
    line for each arc whose flow has changed. Raises ParameterError, UnsuitableGraph, PackageMissing, FileNotWritten,
    Cancelled as `write_arcs`.
    """
    graph = after.graph if after.graph.base is None else after.graph.base.graph
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
    found: Flows, graph: Graph, numbers: list[TableColumn], drawn: NDArray[np.int64], path: Path, progress: Progress
) -> Path:
    """Write ``numbers`` of the arcs of ``graph`` with what is known of the arcs; as GeoJSON, the ``drawn`` ones."""
    kind = path.suffix.lower()
    if kind not in FLOW_KINDS:
        raise ParameterError("Export", "file name", path.name, f"it must end in {' or '.join(FLOW_KINDS)}")
    columns = [
        vertex_column(graph, graph.tails, "tail"),
        vertex_column(graph, graph.indices, "head"),
        TableColumn(with_unit("weight", graph), public(graph.weights, graph.weight_unit)),
        *numbers,
    ]
    if graph.roads is not None:
        columns.append(TableColumn("road", [graph.roads.name(arc) for arc in range(graph.m)]))
    columns += budget_column(graph, found.request.budget, graph.m)
    if kind == ".geojson":
        return write_arcs_geojson(graph, drawn, columns, path, found.engine, progress)
    if graph.coordinates is not None:
        columns.append(TableColumn("wkt", [line_text(graph, arc) for arc in range(graph.m)]))
    return write_columns(columns + credit_column(graph, graph.m), path, facts_of(graph, found.engine), progress)


def greatest_flows(found: Flows) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heading and rows of the arcs that carry most, for display."""
    graph, rows = found.graph, []
    for arc in found.greatest(_LISTED).tolist():
        road = "" if graph.roads is None else graph.roads.name(arc)
        ends = (graph.vertex_id(int(graph.tails[arc])), graph.vertex_id(int(graph.indices[arc])))
        flow, share = grouped(found.arcs[arc], ".6g"), f"{100 * found.shares[arc]:.2f} %"
        rows.append((*map(str, ends), flow, share, quoted(road) if road else ""))
    return ("from", "to", "flow", "share", "road"), rows
