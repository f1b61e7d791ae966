"""Options and result of reading a graph file: columns of tables, rules of road networks,
the graph and its report.
"""

from __future__ import annotations

from dataclasses import dataclass

from solvers.errors import UnknownName
from solvers.graphs.graph import Graph
from solvers.text import MOST_REASON, quoted

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}


@dataclass(frozen=True)
class TableOptions:
    """Choices for tables; the others follow from the content."""

    # columns of source, target and weight, by title or by number from 1, separated by
    # commas: "from,to,km" or "1,2". Without the third all weights are 1
    columns: str = ""
    separator: str = ""  # a key of `SEPARATORS`, or ""
    header: bool | None = None  # whether the first row holds titles; None: as it seems

    def __post_init__(self) -> None:
        if self.separator and self.separator not in SEPARATORS:
            raise UnknownName("separator", self.separator, SEPARATORS)

    @property
    def given(self) -> bool:
        """Whether anything was chosen."""
        return self != TableOptions()


@dataclass(frozen=True)
class ReadingOptions:
    """How a graph file is read, or was read, so that it can be read again."""

    # path of a DIMACS .co file; "" for the one of the same name in the same folder, if
    # there is one
    coordinates: str = ""
    # True stores both arcs of every line, False one; None: as the format says
    undirected: bool | None = None
    # "column" (the file's weights, or 1 if it has none), "unit", or "random:LO:HI:SEED";
    # for an OpenStreetMap extract also "seconds", the same as "column", or "metres"
    weights: str = "column"
    profile: str = ""  # who travels in an OpenStreetMap extract; "" for the first
    largest_part: bool = False  # leave out what is not connected with the largest part of it
    columns: str = ""  # of a table of edges, like the next two: as `TableOptions`
    separator: str = ""
    header: bool | None = None
    # of GraphML, GEXF, GML and node-link JSON: the attribute of edges that holds the weight;
    # "" for "weight" or, without it, the only one called like a length, a time or a cost
    attribute: str = ""
    # of lines of GeoJSON: how far their ends may be from others that they meet, such as "1m"
    join: str = ""
    turns: str = ""  # of an OpenStreetMap extract: as `TurnOptions.parse`; "" for restrictions

    @property
    def table(self) -> TableOptions:
        """Raises UnknownName if there is no such separator."""
        return TableOptions(self.columns, self.separator, self.header)


AS_FOUND = ReadingOptions()
"""Nothing is chosen."""


@dataclass(frozen=True)
class ReadReport:
    """Properties of a graph file as found by the reader."""

    format: str  # name of the file's format ("DIMACS shortest-path graph (.gr)")
    vertices: int
    arcs: int  # as stored in the graph, counting both of undirected edges
    self_loops: int  # arcs from a vertex to itself
    parallel_arcs: int  # arcs that repeat another's tail and head
    least_weight: int | float  # 0 if there are no arcs
    greatest_weight: int | float
    negative_arcs: int
    header_vertices: int | None  # counts stated by the file's header
    header_arcs: int | None
    warnings: tuple[str, ...]  # sentences for the user
    # origin of the weights ("column 3", "unit", "random 1 to 10, seed 7", "Euclidean
    # length")
    weights_from: str
    # file name of the coordinates, "the file itself", or "" if there are none
    coordinates_from: str
    seconds: float  # wall time of reading and building
    # it was read as directed but looks like a list of edges, each listed once
    looks_undirected: bool = False
    # vertices not connected with the largest part of a road network, if it was looked
    # for
    outside_largest: int = 0

    def __post_init__(self) -> None:
        """Shorten quotations of the file."""
        for name in ("format", "weights_from", "coordinates_from"):
            object.__setattr__(self, name, quoted(getattr(self, name)))
        object.__setattr__(
            self, "warnings", tuple(quoted(warning, MOST_REASON) for warning in self.warnings)
        )


@dataclass(frozen=True)
class Reading:
    """A graph that was read, and what is to be told of its file."""

    graph: Graph
    report: ReadReport
