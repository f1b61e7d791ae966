"""Paths and distances as tables, which spreadsheets read, and QGIS as layers of delimited text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from solvers.graphs.graph import Graph
from solvers.host.observer import SILENT, Observer
from solvers.running.answers.answer import DistancesAnswer, PathAnswer, credit_of, facts_of
from solvers.running.answers.columns import TableColumn, distance_column, place_columns, vertex_column, write_columns
from solvers.running.answers.places import line_text


def write_path_table(answer: PathAnswer, path: Path | str, observer: Observer = SILENT, *, plain: bool = False) -> Path:
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
    return write_columns(columns, path, facts_of(graph, answer.found_by), observer, plain=plain)


def write_distances_table(
    answer: DistancesAnswer, path: Path | str, observer: Observer = SILENT, *, plain: bool = False
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
    return write_columns(columns, path, facts_of(graph, answer.found_by), observer, plain=plain)


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
