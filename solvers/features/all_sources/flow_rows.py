"""Numbers of arcs as a table."""

from __future__ import annotations

import numpy as np

from solvers.features.all_sources.request import AllSourcesRequest
from solvers.graphs.graph import Graph
from solvers.graphs.rows import arc_keys
from solvers.running.answers.columns import (
    TableColumn,
    budget_column,
    id_column,
    vertex_column,
    with_unit,
)
from solvers.running.answers.table import MAP_KINDS, AnswerTable, arc_shapes
from solvers.system.array_types import Int64s
from solvers.units import to_public_unit


def arcs_table(
    request: AllSourcesRequest,
    engine: str,
    graph: Graph,
    numbers: list[TableColumn],
    drawn: Int64s,
) -> AnswerTable:
    """One row an arc: ends, key among parallel arcs, weight, ``numbers``, road and budget where
    there are any.

    The first of the numbers is the series. GeoJSON has the arcs that are ``drawn``.
    """
    columns = [
        vertex_column(graph, graph.tails, "tail"),
        vertex_column(graph, graph.indices, "head"),
        id_column("key", arc_keys(graph, np.arange(graph.m))),
        TableColumn(with_unit("weight", graph), to_public_unit(graph.weights, graph.weight_unit)),
        *numbers,
    ]
    if graph.roads is not None:
        columns.append(TableColumn("road", [graph.roads.name(arc) for arc in range(graph.m)]))
    columns += budget_column(graph, request.budget, graph.m)
    return AnswerTable(
        graph,
        f"arcs of {graph.name}",
        engine,
        columns,
        ("tail", "head", "key"),
        numbers[0].name,
        MAP_KINDS,
        arc_shapes(graph),
        has_lines=True,
        drawn=drawn,
    )
