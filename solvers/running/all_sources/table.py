"""Table of an all-sources run, CSV or, by its name, Parquet: one row a source."""

from __future__ import annotations

from pathlib import Path

from solvers.host.observer import SILENT, Observer
from solvers.running.all_sources.outcome import AllSources
from solvers.running.answers.columns import TableColumn, vertex_column, write_columns


def write_table(found: AllSources, path: Path, observer: Observer = SILENT) -> Path:
    """Write vertex ids, the reductions that were asked for, and the number of vertices reached.

    Columns are named after the reductions, with the unit of the weights if it is known: ``eccentricity_m``.

    Raises
    ------
    PackageMissing, FileNotWritten, Cancelled
    """
    graph, chosen = found.graph, found.request.reductions
    columns = [
        vertex_column(graph, found.sources),
        *(TableColumn(reduction.column(graph.weight_unit), found.values_of(reduction)) for reduction in chosen),
        TableColumn("reached", found.reached),
    ]
    return write_columns(columns, path, {"graph": graph.name, "unit": graph.weight_unit}, observer)
