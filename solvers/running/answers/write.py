"""Writing of paths and distances in the format that the name of the file tells.

Tables are for spreadsheets, and for QGIS as layers of delimited text.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.running.answers.answer import DistancesAnswer, PathAnswer, credit_of, facts_of, line_text, no_places
from solvers.running.answers.columns import TableColumn, distance_column, place_columns, vertex_column, write_columns
from solvers.running.answers.map_formats import (
    require_degrees,
    write_distances_geojson,
    write_path_geojson,
    write_path_gpx,
)
from solvers.system.cancel import SILENT, Progress
from solvers.system.optional_packages import require_parquet

PATH_KINDS = (".geojson", ".gpx", ".csv", ".parquet")
DISTANCES_KINDS = (".csv", ".parquet", ".geojson")


def write_path(answer: PathAnswer, path: Path | str, progress: Progress = SILENT, *, plain: bool = False) -> Path:
    """Write a path as GeoJSON, GPX, CSV or Parquet, by the ending of the name.

    Raises
    ------
    ParameterError
        For another ending.
    UnsuitableGraph
        If the format needs coordinates that the graph does not have.
    PackageMissing, FileNotWritten, Cancelled
    """
    path = Path(path)
    _require_kind(path, PATH_KINDS)
    if path.suffix.lower() == ".geojson":
        return write_path_geojson(answer, path, progress)
    if path.suffix.lower() == ".gpx":
        return write_path_gpx(answer, path, progress)
    return write_path_table(answer, path, progress, plain=plain)


def write_distances(
    answer: DistancesAnswer, path: Path | str, progress: Progress = SILENT, *, plain: bool = False
) -> Path:
    """Write the distances of all vertices as CSV, Parquet or GeoJSON, by the ending of the name.

    Raises
    ------
    As `write_path`.
    """
    path = Path(path)
    _require_kind(path, DISTANCES_KINDS)
    if path.suffix.lower() == ".geojson":
        return write_distances_geojson(answer, path, progress)
    return write_distances_table(answer, path, progress, plain=plain)


def require_writable_kind(path: Path, kinds: tuple[str, ...]) -> None:
    """Check, before a long computation, that a file of that name can be written here.

    Raises
    ------
    ParameterError, PackageMissing
    """
    _require_kind(path, kinds)
    require_parquet(path.name)


def require_places(graph: Graph, path: Path) -> None:
    """Check, before a long computation, that the graph has the coordinates that a file of that name needs.

    Raises
    ------
    UnsuitableGraph
    """
    if path.suffix.lower() == ".gpx":
        require_degrees(graph)
    elif path.suffix.lower() == ".geojson" and graph.coordinates is None:
        raise no_places(graph, "GeoJSON")


def _require_kind(path: Path, kinds: tuple[str, ...]) -> None:
    """Check that the name of a file ends in one of ``kinds``.

    Raises
    ------
    ParameterError
        Names them.
    """
    if path.suffix.lower() not in kinds:
        raise ParameterError("Export", "file name", path.name, f"it must end in {' or '.join(kinds)}")


def write_path_table(answer: PathAnswer, path: Path | str, progress: Progress = SILENT, *, plain: bool = False) -> Path:
    """Write one row for each vertex of a path, in its order.

    Columns: step, from 0; vertex; longitude and latitude, or x and y; distance along the path, with its unit in the
    name; road, metres and seconds of the arc that leads to the vertex, where the graph has them; wkt, the line of that
    arc along its curves, as Well-Known Text; attribution, if the data ask for it.

    Raises
    ------
    ParameterError, PackageMissing, FileNotWritten, Cancelled
        As `write_columns`.
    """
    graph, vertices = answer.graph, answer.path
    columns = [
        TableColumn("step", np.arange(len(vertices))),
        vertex_column(graph, vertices),
        *place_columns(graph, vertices),
        TableColumn(f"distance_{graph.weight_unit}" if graph.weight_unit else "distance", answer.lengths),
        *_road_columns(answer),
    ]
    if graph.coordinates is not None:
        lines = [line_text(graph, arc) for arc in answer.arcs.tolist()]
        columns.append(TableColumn("wkt", ["", *lines], _after_first(len(vertices))))
    columns += _credit_column(graph, len(vertices))
    return write_columns(columns, path, facts_of(graph, answer.found_by), progress, plain=plain)


def write_distances_table(
    answer: DistancesAnswer, path: Path | str, progress: Progress = SILENT, *, plain: bool = False
) -> Path:
    """Write one row for each vertex, in the order of ids.

    Columns: vertex; longitude and latitude, or x and y; distance, with its unit in the name, empty if unreachable;
    predecessor, the vertex before it on a shortest path, if known; attribution, if the data ask for it.

    Raises
    ------
    ParameterError, PackageMissing, FileNotWritten, Cancelled
        As `write_columns`.
    """
    graph = answer.graph
    columns = [vertex_column(graph), *place_columns(graph), distance_column(graph, answer.distances)]
    if answer.predecessors is not None:
        own = answer.predecessors == np.arange(graph.n)
        columns.append(vertex_column(graph, np.where(own, -1, answer.predecessors), "predecessor"))
    columns += _credit_column(graph, graph.n)
    return write_columns(columns, path, facts_of(graph, answer.found_by), progress, plain=plain)


def _road_columns(answer: PathAnswer) -> list[TableColumn]:
    roads = answer.graph.roads
    if roads is None:
        return []
    arcs, known = answer.arcs, _after_first(len(answer.path))
    columns = [TableColumn("road", ["", *(roads.name(arc) for arc in arcs.tolist())], known)]
    for weights in roads.weights:
        columns.append(
            TableColumn(f"arc_{weights.unit}", np.concatenate((weights.values[:1], weights.values[arcs])), known)
        )
    return columns


def _after_first(count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Every row but the first, the source, to which no arc leads."""
    return np.arange(count) > 0


def _credit_column(graph: Graph, rows: int) -> list[TableColumn]:
    credit = credit_of(graph)
    return [TableColumn("attribution", [credit] * rows)] if credit else []
