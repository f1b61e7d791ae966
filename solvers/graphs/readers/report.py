"""The result of reading a graph file: the graph and a report."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.errors import MOST_REASON, quoted
from solvers.graphs.graph import Graph


@dataclass(frozen=True)
class ReadReport:
    """Properties of a graph file as found by the reader.

    Attributes
    ----------
    format : str
        Name of the file's format ("DIMACS shortest-path graph (.gr)").
    vertices, arcs : int
        As stored in the graph, counting both arcs of undirected edges.
    self_loops, parallel_arcs : int
        Arcs from a vertex to itself; arcs that repeat another's tail and head.
    least_weight, greatest_weight : float
        0 if there are no arcs.
    negative_arcs : int
    header_vertices, header_arcs : int or None
        Counts stated by the file's header; None if it states none.
    warnings : tuple of str
        Sentences for the user: header mismatches, vertices without coordinates, ignored columns.
    weights_from : str
        Origin of the weights ("column 3", "unit", "random 1 to 10, seed 7", "Euclidean length").
    coordinates_from : str
        File name of the coordinates, "the file itself", or "" if there are none.
    seconds : float
        Wall time of reading and building, in seconds.
    looks_undirected : bool
        True if it was read as directed but looks like a list of undirected edges, each listed once.
    outside_largest : int
        Vertices not connected with the largest part of a road network, if the reader looked for it.
    """

    format: str
    vertices: int
    arcs: int
    self_loops: int
    parallel_arcs: int
    least_weight: float
    greatest_weight: float
    negative_arcs: int
    header_vertices: int | None
    header_arcs: int | None
    warnings: tuple[str, ...]
    weights_from: str
    coordinates_from: str
    seconds: float
    looks_undirected: bool = False
    outside_largest: int = 0

    def __post_init__(self) -> None:
        """What quotes the file is kept short, whichever reader wrote it."""
        for name in ("format", "weights_from", "coordinates_from"):
            object.__setattr__(self, name, quoted(getattr(self, name)))
        object.__setattr__(self, "warnings", tuple(quoted(warning, MOST_REASON) for warning in self.warnings))


@dataclass(frozen=True)
class Reading:
    """A graph and its read report."""

    graph: Graph
    report: ReadReport
