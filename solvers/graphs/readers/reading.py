"""Options and result of reading a graph file: columns of edge tables, rules of road
networks, the graph and its report.

`FileOptions` holds all options of one file; one that does not apply to its format is
refused.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solvers.errors import OptionNotApplicable, ParameterError, UnknownName
from solvers.graphs.graph import Graph
from solvers.graphs.readers.recognition import WITH_ATTRIBUTES
from solvers.text import MOST_REASON, quoted

PROFILES = ("car", "bicycle", "foot")

_ANY = ("weights", "coordinates", "undirected")
TABLE, TEXT_TABLE = (*_ANY, "columns"), (*_ANY, "columns", "separator", "header")
ATTRIBUTED = (*_ANY, "attribute")
NETWORK = ("weights", "profile", "largest_part")
PLAIN = _ANY
"""Options that apply to tables in Parquet and in text, to graphs with attributes, to
road networks and to others.
"""

_FOR: Mapping[str, str] = {
    "columns": "tables of edges, CSV or Parquet",
    "separator": "tables of edges in text",
    "header": "tables of edges in text",
    "attribute": WITH_ATTRIBUTES,
    "profile": "OpenStreetMap extracts",
    "largest_part": "OpenStreetMap extracts",
    "coordinates": "files other than OpenStreetMap extracts, which have their own coordinates",
    "undirected": "files other than OpenStreetMap extracts, which have their own directions",
}


@dataclass(frozen=True)
class NetworkOptions:
    """Choices for OpenStreetMap extracts."""

    profile: str = ""  # who travels: one of `PROFILES`; "" for the first
    largest_part: bool = False  # leave out what is not connected with the largest part


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
class EdgeColumns:
    """Indices of the columns of a table; ``weight`` is None if every weight is 1."""

    source: int
    target: int
    weight: int | None = None
    # a column that says whether each edge is directed, as in Gephi's tables
    direction: int | None = field(default=None, compare=False)

    @property
    def places(self) -> tuple[int, ...]:
        return (
            (self.source, self.target)
            if self.weight is None
            else (self.source, self.target, self.weight)
        )

    def text(self, titles: tuple[str, ...]) -> str:
        """As `TableOptions.columns`: by title where it is the only one of its name,
        else by number.
        """
        return ",".join(
            _quoted(titles[i]) if titles.count(titles[i]) == 1 and titles[i].strip() else str(i + 1)
            for i in self.places
        )


def find_columns(text: str, titles: tuple[str, ...]) -> EdgeColumns:
    """The columns that `TableOptions.columns` names, among the titles, which are
    numbers from 1 for a table without.

    Raises ParameterError if these are not two or three different columns; UnknownName
    if there is none of that name.
    """
    names = next(csv.reader([text], skipinitialspace=True), [])
    if len(names) not in (2, 3):
        reason = "name two or three columns: source, target and, if there is one, weight"
        raise ParameterError("Reading", "columns", text, reason)
    indices = [_column_index(name.strip(), titles) for name in names]
    if len(set(indices)) < len(indices):
        raise ParameterError("Reading", "columns", text, "it names a column twice")
    return EdgeColumns(*indices)


def _column_index(name: str, titles: tuple[str, ...]) -> int:
    stripped = [title.strip() for title in titles]
    if name in stripped:
        return stripped.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(titles):
        return int(name) - 1
    raise UnknownName("column", name, stripped)


def _quoted(title: str) -> str:
    title = title.strip()
    return '"' + title.replace('"', '""') + '"' if "," in title or '"' in title else title


@dataclass(frozen=True)
class FileOptions:
    """The arguments of `solvers.graphs.readers.read_graph`."""

    table: TableOptions = field(default_factory=TableOptions)
    network: NetworkOptions = field(default_factory=NetworkOptions)
    attribute: str = ""
    weights: str = "column"
    undirected: bool | None = None
    coordinates: Path | None = None

    def require_applicable(self, applicable: Collection[str], form: str) -> None:
        """Raise `OptionNotApplicable` for a chosen option that is not ``applicable`` to
        the format titled ``form``.
        """
        given = {
            "columns": self.table.columns,
            "separator": self.table.separator,
            "header": self.table.header,
            "attribute": self.attribute,
            "profile": self.network.profile,
            "largest_part": self.network.largest_part,
            "coordinates": str(self.coordinates or ""),
            "undirected": self.undirected or None,
        }
        for name, value in given.items():
            if name not in applicable and value not in ("", None, False):
                *first, last = applicable
                listed = f"{', '.join(first)} and {last}"
                raise OptionNotApplicable(
                    name, value, form, f"It is for {_FOR[name]}; this file takes {listed}"
                )
        if self.weights in ("metres", "seconds") and "profile" not in applicable:
            reason = (
                "This file has one weight for each arc at most; "
                "metres and seconds are for OpenStreetMap extracts"
            )
            raise OptionNotApplicable("weights", self.weights, form, reason)
        if self.attribute and self.weights != "column":
            reason = (
                f"The weights are “{self.weights[:40]}”; "
                "an attribute is read only with weights “column”"
            )
            raise OptionNotApplicable("attribute", self.attribute, form, reason)


@dataclass(frozen=True)
class ReadReport:
    """Properties of a graph file as found by the reader."""

    format: str  # name of the file's format ("DIMACS shortest-path graph (.gr)")
    vertices: int
    arcs: int  # as stored in the graph, counting both of undirected edges
    self_loops: int  # arcs from a vertex to itself
    parallel_arcs: int  # arcs that repeat another's tail and head
    least_weight: float  # 0 if there are no arcs
    greatest_weight: float
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
    graph: Graph
    report: ReadReport
