"""Tables of columns as CSV or Parquet, by the name of the file."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.graphs.route import road_names_at
from solvers.graphs.weights import weight_type
from solvers.running.answers.answer import DEGREE_DIGITS, credit_of, within_180
from solvers.running.records import csv_text
from solvers.system.array_types import AnyArray, Bools, Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.system.optional_packages import pyarrow_for
from solvers.units import public_unit, to_public_unit

_SLICE = 2**15  # rows written between two checks for cancellation
_GROUP = 2**17  # rows of a row group of Parquet


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column of an exported table."""

    name: str
    values: AnyArray | Sequence[str]  # one for each row
    known: Bools | None = None  # False for empty cells; None if no cell is empty
    objects: Sequence[Any] | None = None  # what frames have in place of texts
    is_place: bool = False  # a coordinate, which files of geometry have in another way

    def take(self, rows: AnyArray) -> TableColumn:
        """Some of the rows."""
        known = None if self.known is None else self.known[rows]
        if isinstance(self.values, np.ndarray):
            return replace(self, values=self.values[rows], known=known)
        texts, objects = [self.values[i] for i in rows.tolist()], self.objects
        chosen = None if objects is None else [objects[i] for i in rows.tolist()]
        return replace(self, values=texts, known=known, objects=chosen)

    def cells(self, begin: int, end: int) -> list[Any]:
        """Python values of some rows, None for empty cells."""
        part = self.values[begin:end]
        values = part.tolist() if isinstance(part, np.ndarray) else list(part)
        if self.known is None:
            return values
        return [
            value if known else None
            for value, known in zip(values, self.known[begin:end].tolist(), strict=True)
        ]


def write_columns(
    columns: Sequence[TableColumn],
    path: Path | str,
    facts: Mapping[str, str] | None = None,
    progress: Progress = SILENT,
    *,
    plain: bool = False,
) -> Path:
    """Write a table of at least one column, atomically: as Parquet if ``path`` ends in
    ``.parquet``, else as CSV.

    Parquet keeps the ``facts`` in its metadata; CSV cannot hold them. ``plain`` writes
    texts that spreadsheets take for formulas unchanged; Parquet always does.

    Raises PackageMissing for Parquet without pyarrow; FileNotWritten, Cancelled, after
    which an existing file stays.
    """
    path = Path(path)
    if path.suffix.lower() == ".parquet":
        _write_parquet(columns, path, facts or {}, progress)
    else:
        _write_csv(columns, path, progress, plain)
    return path


def _write_csv(columns: Sequence[TableColumn], path: Path, progress: Progress, plain: bool) -> None:
    count = len(columns[0].values)
    with (
        replace_atomically(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        table = csv.writer(file, lineterminator="\n")
        table.writerow([column.name for column in columns])
        for begin, end in slices(count, _SLICE):
            rows = zip(*(column.cells(begin, end) for column in columns), strict=True)
            table.writerows(
                [csv_text(cell, plain) if isinstance(cell, str) else cell for cell in row]
                for row in rows
            )
            progress.checkpoint(end, max(1, count))


def _write_parquet(
    columns: Sequence[TableColumn], path: Path, facts: Mapping[str, str], progress: Progress
) -> None:
    parquet = pyarrow_for(f"Writing {path.name}")
    import pyarrow

    count = len(columns[0].values)

    types = [
        pyarrow.from_numpy_dtype(c.values.dtype)
        if isinstance(c.values, np.ndarray)
        else pyarrow.string()
        for c in columns
    ]
    fields = [pyarrow.field(column.name, kind) for column, kind in zip(columns, types, strict=True)]
    schema = pyarrow.schema(
        fields, metadata={name: _utf8(fact) for name, fact in facts.items() if fact}
    )
    with (
        replace_atomically(path) as temporary,
        temporary.open("wb") as file,
        parquet.ParquetWriter(file, schema) as table,
    ):
        for begin, end in slices(count, _GROUP):
            table.write_table(
                pyarrow.table([_arrow(column, begin, end) for column in columns], schema=schema)
            )
            progress.checkpoint(end, max(1, count))


def _arrow(column: TableColumn, begin: int, end: int) -> Any:
    import pyarrow

    if not isinstance(column.values, np.ndarray):
        cells = [None if text is None else _utf8(text) for text in column.cells(begin, end)]
        return pyarrow.array(cells, pyarrow.string())
    mask = None if column.known is None else ~column.known[begin:end]
    return pyarrow.array(column.values[begin:end], mask=mask)


def _utf8(text: str) -> str:
    """The text with everything that UTF-8 cannot hold escaped, which file names may contain."""
    return text.encode("utf-8", "backslashreplace").decode()


def vertex_column(
    graph: Graph, vertices: AnyArray | None = None, name: str = "vertex"
) -> TableColumn:
    """Ids of vertices, all by default: integers, or the labels as text, among which points
    of roads have their names; frames have the ids themselves. Negative indices have an empty
    cell.
    """
    chosen = np.arange(graph.n) if vertices is None else np.asarray(vertices)
    known = chosen >= 0
    mask = None if known.all() else known
    if not graph.has_labels and graph.cut is None:
        return TableColumn(name, graph.ids[np.maximum(chosen, 0)] if graph.n else graph.ids, mask)
    ids = [graph.vertex_id(v) if v >= 0 else None for v in chosen.tolist()]
    if graph.cut is None:
        return id_column(name, ids, mask)
    texts = [str(graph.written_id(v)) if v >= 0 else "" for v in chosen.tolist()]
    return TableColumn(name, texts, mask, ids)


def id_column(name: str, ids: Sequence[Any], known: Bools | None = None) -> TableColumn:
    """Ids of any kind as texts, beside which frames have the ids themselves."""
    return TableColumn(name, ["" if one is None else str(one) for one in ids], known, ids)


def place_columns(graph: Graph, vertices: AnyArray | None = None) -> list[TableColumn]:
    """Longitude and latitude in degrees, or plane x and y; none without coordinates."""
    coordinates = graph.coordinates
    if coordinates is None:
        return []
    xy = coordinates.xy if vertices is None else coordinates.xy[vertices]
    return point_columns(xy, geographic=coordinates.geographic)


def point_columns(xy: Float64s, *, geographic: bool) -> list[TableColumn]:
    """As `place_columns`, of points, (k, 2)."""
    names = ("longitude", "latitude") if geographic else ("x", "y")
    xy = within_180(xy).round(DEGREE_DIGITS) if geographic else xy
    return [
        TableColumn(name, np.ascontiguousarray(xy[:, k]), _known(xy[:, k]), is_place=True)
        for k, name in enumerate(names)
    ]


def roads_column(graph: Graph, vertices: AnyArray) -> list[TableColumn]:
    """Names of the roads that begin at each vertex; none if the graph has no data of roads."""
    if graph.roads is None:
        return []
    return [TableColumn("roads", [road_names_at(graph, vertex) for vertex in vertices.tolist()])]


def budget_column(graph: Graph, budget: float | None, rows: int) -> list[TableColumn]:
    """The budget of a run, in each row; none without one."""
    if budget is None:
        return []
    return [
        TableColumn(
            with_unit("budget", graph), np.full(rows, to_public_unit(budget, graph.weight_unit))
        )
    ]


def credit_column(graph: Graph, rows: int) -> list[TableColumn]:
    """What the licence of the data asks to be named, in each row; none if nothing."""
    credit = credit_of(graph)
    return [TableColumn("attribution", [credit] * rows)] if credit else []


def distance_column(graph: Graph, distances: AnyArray) -> TableColumn:
    """Distances, exact where they are integers; empty for unreachable vertices. The
    name has the unit, if known.
    """
    reached = distances < weight_type(distances.dtype).infinity
    return TableColumn(
        with_unit("distance", graph),
        to_public_unit(distances, graph.weight_unit),
        None if reached.all() else reached,
    )


def with_unit(name: str, graph: Graph) -> str:
    """The name of a column of weights or distances, with their public unit if it is
    known: ``distance_m``.
    """
    return f"{name}_{public_unit(graph.weight_unit)}" if graph.weight_unit else name


def _known(values: AnyArray) -> Bools | None:
    finite = np.isfinite(values)
    return None if finite.all() else finite
