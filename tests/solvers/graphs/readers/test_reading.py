"""Options that a format has no use for are refused, by name, before the file is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import solvers
from solvers.errors import OptionNotApplicable
from solvers.graphs.readers import NetworkOptions, TableOptions, read_graph
from tests.solvers.graphs.readers.seeds import SEEDS

ATTRIBUTED = {"graphml", "gexf", "gml", "json"}
TABLES = {"edge-table", "csv", "edge-list", "algs4", "map", "tiger", "metis"}  # numbers may be read as a table

CASES: list[tuple[str, dict[str, Any], set[str]]] = [
    ("columns", {"table": TableOptions("1,2")}, TABLES),
    ("separator", {"table": TableOptions(separator="comma")}, TABLES),
    ("attribute", {"attribute": "km"}, ATTRIBUTED),
    ("profile", {"network": NetworkOptions("bicycle")}, {"osm"}),
    ("profile", {"network": NetworkOptions("car")}, {"osm"}),
    ("largest_part", {"network": NetworkOptions(largest_part=True)}, {"osm"}),
    ("weights", {"weights": "metres"}, {"osm"}),
    ("undirected", {"undirected": True}, set(SEEDS) - {"osm"}),
]


@pytest.mark.parametrize("reader", sorted(set(SEEDS) - {"coordinates"}))
def test_options_that_do_not_apply_are_refused(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "g"
    path.write_bytes(SEEDS[reader])
    refused = 0
    for name, options, readers in CASES:
        if reader in readers:
            continue
        with pytest.raises(OptionNotApplicable) as caught:
            read_graph(path, **options)
        assert (caught.value.name, bool(caught.value.format), bool(caught.value.applies)) == (name, True, True)
        refused += 1
    assert refused


def test_the_library_refuses_them_too(tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    path.write_bytes(SEEDS["dimacs"])
    for options in ({"attribute": "km"}, {"profile": "car"}, {"columns": "1,2"}, {"weights": "seconds"}):
        with pytest.raises(OptionNotApplicable, match=next(iter(options))):
            solvers.read(path, **options)
    graph = solvers.read(path)
    for options in ({"attribute": "km"}, {"undirected": True}, {"weights": "unit"}, {"profile": "foot"}):
        with pytest.raises(OptionNotApplicable, match="a Graph, which is used as it is"):
            solvers.read(graph, **options)
    with pytest.raises(OptionNotApplicable, match="a matrix or arrays"):
        solvers.read(([0, 1, 1], [1], None), attribute="km")
    with pytest.raises(OptionNotApplicable, match="files only"):
        solvers.read(([0, 1, 1], [1], None), profile="car")


def test_the_attribute_of_a_file_is_read_by_the_library(tmp_path: Path) -> None:
    path = tmp_path / "km.gml"
    path.write_text("graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 km 2.5 ] ]")

    assert solvers.read(path, attribute="km").weights.tolist() == [2.5]
