"""Vertices counted by their outgoing arcs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.graphs.graph import Graph
from solvers.system.array_types import Int64s
from solvers.text import format_count, plural


@dataclass(frozen=True)
class DegreeCounts:
    """How many vertices of a graph have each number of outgoing arcs that occurs."""

    n: int
    m: int
    degrees: Int64s  # ascending
    vertices: Int64s  # that have each

    @property
    def summary(self) -> str:
        """One sentence."""
        if self.n == 0:
            return "No vertices."
        least, most = int(self.degrees[0]), int(self.degrees[-1])
        arcs = f"{format_count(least)} to {plural(most, 'outgoing arc')}"
        return (
            f"{plural(self.n, 'vertex', 'vertices')} of {arcs}, {self.m / self.n:.3g} on average."
        )

    def rows(self) -> list[tuple[str, str, str]]:
        """Outgoing arcs, vertices and their share, as texts."""
        return [
            (format_count(int(degree)), format_count(int(count)), f"{100 * count / self.n:.3g} %")
            for degree, count in zip(self.degrees, self.vertices, strict=True)
        ]


HEADER = ("Outgoing arcs", "Vertices", "Share")


def count_degrees(graph: Graph) -> DegreeCounts:
    """Count the vertices of a graph."""
    vertices = np.bincount(np.diff(graph.indptr))
    degrees = np.flatnonzero(vertices)
    return DegreeCounts(graph.n, graph.m, degrees, vertices[degrees])
