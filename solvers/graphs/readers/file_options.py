"""All that was chosen for the reading of one file, and which of it applies to which format."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solvers.errors import OptionNotApplicable
from solvers.graphs.readers.edge_tables.options import TableOptions
from solvers.graphs.readers.network_options import NetworkOptions

_ANY = ("weights", "coordinates", "undirected")
TABLE, TEXT_TABLE = (*_ANY, "columns"), (*_ANY, "columns", "separator", "header")
ATTRIBUTED = (*_ANY, "attribute")
NETWORK = ("weights", "profile", "largest_part")
PLAIN = _ANY
"""Options that apply to tables in Parquet and in text, to graphs with attributes, to road networks and to others."""

_FOR: Mapping[str, str] = {
    "columns": "tables of edges, CSV or Parquet",
    "separator": "tables of edges in text",
    "header": "tables of edges in text",
    "attribute": "GraphML, GEXF, GML and node-link JSON",
    "profile": "OpenStreetMap extracts",
    "largest_part": "OpenStreetMap extracts",
    "coordinates": "files other than OpenStreetMap extracts, which have their own coordinates",
    "undirected": "files other than OpenStreetMap extracts, which have their own directions",
}


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
        """Refuse what was chosen and is none of the options of a format.

        Parameters
        ----------
        applicable : collection of str
            `TABLE`, `TEXT_TABLE`, `ATTRIBUTED`, `NETWORK` or `PLAIN`.
        form : str
            Title of the format.

        Raises
        ------
        OptionNotApplicable
        """
        given = {
            "columns": self.table.columns, "separator": self.table.separator, "header": self.table.header,
            "attribute": self.attribute, "profile": self.network.profile, "largest_part": self.network.largest_part,
            "coordinates": str(self.coordinates or ""), "undirected": self.undirected or None,
        }  # fmt: skip
        for name, value in given.items():
            if name not in applicable and value not in ("", None, False):
                raise OptionNotApplicable(name, value, form, f"It is for {_FOR[name]}; here apply {_words(applicable)}")
        if self.weights in ("metres", "seconds") and "profile" not in applicable:
            words = "This file has one weight for each arc at most; metres and seconds are for OpenStreetMap extracts"
            raise OptionNotApplicable("weights", self.weights, form, words)
        if self.attribute and self.weights != "column":
            words = f"The weights are “{self.weights[:40]}”; an attribute is read by weights “column” only"
            raise OptionNotApplicable("attribute", self.attribute, form, words)


def _words(names: Collection[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}"
