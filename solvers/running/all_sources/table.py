"""CSV of an all-sources run: one row a vertex."""

from __future__ import annotations

import csv
from pathlib import Path

from solvers.host.files import replace_atomically
from solvers.running.all_sources.outcome import AllSources


def write_csv(found: AllSources, path: Path) -> None:
    """Write vertex ids, the reductions that were asked for, and the number of vertices reached.

    Columns are named after the reductions, with the unit of the weights if it is known: ``eccentricity_m``.

    Raises
    ------
    FileNotWritten
    """
    graph = found.graph
    chosen = found.request.reductions
    names = ["vertex", *(reduction.column(graph.weight_unit) for reduction in chosen), "reached"]
    ids = [graph.vertex_id(v) for v in range(graph.n)]
    columns = [ids, *(found.values_of(reduction).tolist() for reduction in chosen), found.reached.tolist()]
    with replace_atomically(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(zip(*columns, strict=True))
