"""``all-sources``: what it prints and writes, and how it refuses."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest

from solvers import cli
from solvers.graphs.writers import write_dimacs
from tests import graphs
from tests.golden import Golden

pytestmark = pytest.mark.openmp


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A path of four vertices, 10, 13, 16 and 19, whose ends are 6 apart."""
    graph = graphs.from_list(4, [(0, 1, 2), (1, 2, 3), (2, 3, 1)], directed=False)
    write_dimacs(graph, tmp_path / "path.gr")
    return tmp_path / "path.gr"


def test_numbers_of_every_vertex(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, state = path.parent / "out.csv", path.parent / "state"
    arguments = ["all-sources", str(path), "--reduce", "reach, eccentricity", "--budget", "3.5", "--csv", str(table)]
    assert cli.main([*arguments, "--resume", str(state)]) == 0
    out = capsys.readouterr().out
    assert "Radius 4, at vertex" in out
    assert "Diameter 6, from" in out
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["vertex", "reach", "eccentricity", "reached", "budget"]
    assert [row["eccentricity"] for row in rows] == ["6", "4", "5", "6"]
    assert [row["reach"] for row in rows] == ["2", "3", "3", "2"]
    assert cli.main([*arguments, "--resume", str(state)]) == 0
    assert "4 of 4 vertices were read from the state file" in capsys.readouterr().out.replace("\u202f", " ")


def test_a_histogram(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["all-sources", str(path), "--reduce", "histogram", "--bins", "9:2"]) == 0
    out = capsys.readouterr().out
    assert [line.split() for line in out.splitlines() if line.endswith("%")] == [
        ["0", "2", "16.67", "%"],
        ["2", "4", "33.33", "%"],
        ["4", "4", "33.33", "%"],
        ["6", "2", "16.67", "%"],
    ]
    assert cli.main(["all-sources", str(path), "--reduce", "histogram", "--bins", "2:2000"]) == 0
    assert "2\u202f000 and more" not in capsys.readouterr().out, "nothing is there"
    assert cli.main(["all-sources", str(path), "--reduce", "histogram", "--bins", "2:2"]) == 0
    assert "2 and more" in capsys.readouterr().out
    table = path.parent / "bins.csv"
    assert cli.main(["all-sources", str(path), "--histogram", str(table)]) == 0
    assert table.read_text().splitlines()[:4] == ["from,to,pairs", "0.0,1.0,0", "1.0,2.0,2", "2.0,4.0,4"]
    assert table.read_text().splitlines()[-1].split(",")[1] == ""


@pytest.mark.parametrize("given", ["16,13", "16,13," * 1000, "file", "2"])
def test_chosen_sources(path: Path, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    (path.parent / "file").write_text("16\n\n13\n")
    table, sources = path.parent / "out.csv", str(path.parent / "file") if given == "file" else given
    assert cli.main(["all-sources", str(path), "--sources", sources, "--csv", str(table)]) == 0
    with table.open(newline="") as file:
        rows = {row["vertex"]: row["eccentricity"] for row in csv.DictReader(file)}
    if given == "2":
        assert len(rows) == 2
    else:
        assert list(rows.items()) == [("16", "5"), ("13", "4")]
    assert "Of 2 sources among 4 vertices" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        "--reduce closness", "--reduce reach", "--reduce reach --budget -2", "--csv nowhere/out.csv",
        "--reduce histogram --bins ten", "--sources 5", "--sources nowhere", "--sources 99,", "--sources ''",
        "--flows flows.txt", "--flows flows.geojson",
    ],
)  # fmt: skip
def test_refusals(
    path: Path, options: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(path.parent)
    assert cli.main(["all-sources", str(path), *shlex.split(options)]) == 2
    said = capsys.readouterr()
    assert not said.out, "nothing was computed"
    golden.check("all-sources", options, said.err)
