"""``all-sources``: what it prints and writes, and how it refuses."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from solvers import cli
from solvers.graphs.writers import write_dimacs
from tests import graphs

pytestmark = pytest.mark.openmp


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A path of four vertices, 10, 13, 16 and 19, whose ends are 6 apart."""
    graph = graphs.from_list(4, [(0, 1, 2), (1, 2, 3), (2, 3, 1)], directed=False)
    write_dimacs(graph, tmp_path / "path.gr")
    return tmp_path / "path.gr"


def test_numbers_of_every_vertex(path: Path) -> None:
    table = path.parent / "out.csv"
    arguments = [
        "all-sources",
        str(path),
        "--reduce",
        "reach, eccentricity",
        "--budget",
        "3.5",
        "--csv",
        str(table),
    ]
    assert cli.main(arguments) == 0
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["vertex", "reach", "eccentricity", "reached", "budget"]
    assert [row["eccentricity"] for row in rows] == ["6", "4", "5", "6"]
    assert [row["reach"] for row in rows] == ["2", "3", "3", "2"]


def test_a_histogram(path: Path) -> None:
    table = path.parent / "bins.csv"
    assert cli.main(["all-sources", str(path), "--histogram", str(table)]) == 0
    assert table.read_text().splitlines()[:4] == [
        "from,to,pairs",
        "0.0,1.0,0",
        "1.0,2.0,2",
        "2.0,4.0,4",
    ]
    assert table.read_text().splitlines()[-1].split(",")[1] == ""


@pytest.mark.parametrize("given", ["16,13", "16,13," * 1000, "file", "2"])
def test_chosen_sources(path: Path, given: str) -> None:
    (path.parent / "file").write_text("16\n\n13\n")
    table, sources = (
        path.parent / "out.csv",
        str(path.parent / "file") if given == "file" else given,
    )
    assert cli.main(["all-sources", str(path), "--sources", sources, "--csv", str(table)]) == 0
    with table.open(newline="") as file:
        rows = {row["vertex"]: row["eccentricity"] for row in csv.DictReader(file)}
    if given == "2":
        assert len(rows) == 2
    else:
        assert list(rows.items()) == [("16", "5"), ("13", "4")]
