"""What comes back from reading a file: the graph, and what was found on the way."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.graphs.graph import Graph


@dataclass(frozen=True)
class ReadReport:
    """What the reader found in a file.

    Attributes
    ----------
    format : str
        The file's format in words ("DIMACS shortest path (.gr)").
    vertices, arcs : int
        As stored in the graph, both arcs of undirected edges counted.
    self_loops, parallel_arcs : int
        Arcs from a vertex to itself; arcs that repeat another's tail and head.
    least_weight, greatest_weight : float
        0 where there are no arcs.
    negative_arcs : int
    header_vertices, header_arcs : int or None
        What the file's header claims; None where it claims nothing.
    warnings : tuple of str
        Sentences for people: header mismatches, vertices without coordinates, columns left out ...
    weights_from : str
        Where the weights come from ("column 3", "unit", "random 1 to 10, seed 7", "Euclidean length").
    coordinates_from : str
        File name of the coordinates, "the file itself", or "" where there are none.
    seconds : float
        Wall time of reading and building.
    looks_undirected : bool
        Read as directed, but it looks like a list of undirected edges that names each once.
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


@dataclass(frozen=True)
class Reading:
    """A graph and the report on how it was read."""

    graph: Graph
    report: ReadReport
