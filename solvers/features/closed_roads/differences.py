"""What changed roads do to distances: for every vertex the distance before and after,
and the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float, weight_type
from solvers.running.answers.columns import TableColumn, vertex_column, with_unit, write_columns
from solvers.system.array_types import AnyArray, Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.text import format_distance, plural
from solvers.units import to_public_unit

_CHANGES = ("same", "farther", "nearer", "cut off", "now reachable", "unreachable")


@dataclass(frozen=True, eq=False)
class Differences:
    """Distances from one source before and after a change: (n,) arrays, each with the
    infinity of its own type.

    Raises ParameterError if there are not n distances on both sides.
    """

    graph: Graph  # its ids name the vertices
    before: AnyArray
    after: AnyArray

    def __post_init__(self) -> None:
        for name, distances in (("before", self.before), ("after", self.after)):
            if distances.shape != (self.graph.n,):
                raise ParameterError(
                    "Differences", name, distances.shape, f"must be of shape ({self.graph.n},)"
                )

    @cached_property
    def values(self) -> Float64s:
        """How much farther each vertex is, (n,): inf if it is cut off, -inf if it has
        become reachable, nan if it was and is unreachable.
        """
        with np.errstate(invalid="ignore"):
            return to_float(self.after) - to_float(self.before)

    @property
    def farther(self) -> int:
        """Vertices that are farther than before, without those that are cut off."""
        return int(((self.values > 0) & np.isfinite(self.values)).sum())

    @property
    def nearer(self) -> int:
        """Vertices that are nearer than before, without those that have become reachable."""
        return int(((self.values < 0) & np.isfinite(self.values)).sum())

    @property
    def cut_off(self) -> int:
        """Vertices that cannot be reached any longer."""
        return int(np.isposinf(self.values).sum())

    @property
    def connected(self) -> int:
        """Vertices that could not be reached before."""
        return int(np.isneginf(self.values).sum())

    @property
    def greatest(self) -> float:
        """The greatest finite increase; 0 if none is farther."""
        finite = self.values[np.isfinite(self.values)]
        return max(0.0, float(finite.max(initial=0.0)))

    @cached_property
    def text(self) -> str:
        """One line: how many vertices are farther, by how much at most, and how many
        are nearer, cut off, connected.
        """
        parts = []
        if self.farther:
            most = format_distance(self.greatest, self.graph.weight_unit)
            parts.append(f"{_vertices(self.farther)} farther, by {most} at most")
        for count, what in (
            (self.nearer, "nearer"),
            (self.cut_off, "cut off"),
            (self.connected, "now reachable"),
        ):
            if count:
                parts.append(f"{_vertices(count)} {what}")
        return "; ".join(parts) or "all distances as before"


def write_differences(
    differences: Differences, path: Path | str, progress: Progress = SILENT
) -> Path:
    """Write one row for each vertex, in the order of ids: vertex, before, after,
    difference, change; distances have their unit in the name.

    A table of CSV, or of Parquet if the name ends in ``.parquet``. ``change`` is one of
    same, farther, nearer, cut off, now reachable, unreachable. Distances of unreachable
    vertices and differences that are no number are left empty. Integers are exact.
    Raises PackageMissing, FileNotWritten, Cancelled.
    """
    before, after = differences.before, differences.after
    was, is_now = (values < weight_type(values.dtype).infinity for values in (before, after))
    both = was & is_now
    wide = np.int64 if all(values.dtype.kind == "i" for values in (before, after)) else np.float64
    with np.errstate(invalid="ignore"):
        change = np.where(both, after.astype(wide) - before.astype(wide), 0)
    kinds = np.select(
        [both & (change == 0), both & (change > 0), both, was, is_now],
        np.arange(len(_CHANGES) - 1),
        len(_CHANGES) - 1,
    )
    graph = differences.graph
    lengths = (("before", before, was), ("after", after, is_now), ("difference", change, both))
    columns = [
        vertex_column(graph),
        *(
            TableColumn(with_unit(name, graph), to_public_unit(values, graph.weight_unit), known)
            for name, values, known in lengths
        ),
        TableColumn("change", [_CHANGES[kind] for kind in kinds.tolist()]),
    ]
    return write_columns(columns, path, {"graph": graph.name}, progress)


def _vertices(count: int) -> str:
    return plural(count, "vertex", "vertices")
