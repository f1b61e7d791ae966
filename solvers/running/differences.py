"""What changed roads do to distances: for every vertex the distance before and after, and the difference."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.rows import slices
from solvers.graphs.weights import to_float, weight_type
from solvers.host.files import replace_atomically
from solvers.host.observer import SILENT, Observer
from solvers.text import format_distance, plural

_SLICE = 2**15
_COLUMNS = ("vertex", "before", "after", "difference", "change")


@dataclass(frozen=True, eq=False)
class Differences:
    """Distances from one source before and after a change.

    Attributes
    ----------
    graph : Graph
        Whose ids name the vertices.
    before, after : (n,) arrays of distance types
        Each with its own infinity for unreachable vertices.

    Raises
    ------
    ParameterError
        If there are not n distances on both sides.
    """

    graph: Graph
    before: NDArray[Any]
    after: NDArray[Any]

    def __post_init__(self) -> None:
        for name, distances in (("before", self.before), ("after", self.after)):
            if distances.shape != (self.graph.n,):
                raise ParameterError("Differences", name, distances.shape, f"must be of shape ({self.graph.n},)")

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """How much farther each vertex is, (n,): inf if it is cut off, -inf if it has become reachable, nan if it
        was and is unreachable."""
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
        """One line: how many vertices are farther, by how much at most, and how many are nearer, cut off, connected."""
        parts = []
        if self.farther:
            most = format_distance(self.greatest, self.graph.weight_unit)
            parts.append(f"{_vertices(self.farther)} farther, by {most} at most")
        for count, what in ((self.nearer, "nearer"), (self.cut_off, "cut off"), (self.connected, "now reachable")):
            if count:
                parts.append(f"{_vertices(count)} {what}")
        return "; ".join(parts) or "all distances as before"


def write_differences(differences: Differences, path: Path | str, observer: Observer = SILENT) -> Path:
    """Write one row for each vertex, in the order of ids: vertex, before, after, difference, change.

    ``change`` is one of same, farther, nearer, cut off, now reachable, unreachable. Distances of unreachable vertices
    and differences that are no number are left empty. Integers are exact.

    Raises
    ------
    FileNotWritten, Cancelled
    """
    path = Path(path)
    with replace_atomically(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for begin, end in slices(differences.graph.n, _SLICE):
            writer.writerows(_rows(differences, begin, end))
            observer.checkpoint(end, differences.graph.n)
    return path


def _rows(differences: Differences, begin: int, end: int) -> Iterator[tuple[object, ...]]:
    graph, before, after = differences.graph, differences.before, differences.after
    infinities = [weight_type(distances.dtype).infinity for distances in (before, after)]
    both = (before[begin:end].tolist(), after[begin:end].tolist())
    for vertex, was, is_now in zip(range(begin, end), *both, strict=True):
        yield graph.vertex_id(vertex), *_row(was, is_now, *infinities)


def _row(before: float, after: float, infinity: float, infinity_after: float) -> tuple[object, ...]:
    was, is_now = before < infinity, after < infinity_after
    if was and is_now:
        change = "same" if after == before else "farther" if after > before else "nearer"
        return before, after, after - before, change
    if was:
        return before, "", "", "cut off"
    return ("", after, "", "now reachable") if is_now else ("", "", "", "unreachable")


def _vertices(count: int) -> str:
    return plural(count, "vertex", "vertices")
