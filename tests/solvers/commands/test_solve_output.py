"""Files of the answer of ``solve``, what is refused before solving, and tables for terminals and for programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from solvers import cli
from solvers.commands.console import Console
from solvers.graphs.writers import write_dimacs
from solvers.text import THIN_SPACE, format_count
from tests.curved import curved_town


@pytest.fixture
def solve(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    graph = tmp_path / "town.gr"
    write_dimacs(curved_town(), graph)

    def call(*options: object, variants: str = "dijkstra-heap", source: str = "10", target: str = "40"):
        question = ["--source", source] * bool(source) + ["--target", target] * bool(target)
        plan = ["--trials", "1", "--warmup", "0", "--no-keep", "--variants", variants]
        status = cli.main(["solve", str(graph), *question, *plan, *map(str, options)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_path_and_distances(solve, tmp_path) -> None:
    path, table = tmp_path / "p.geojson", tmp_path / "d.csv"
    status, out, _ = solve("--path", path, "--distances", table)
    assert status == 0
    assert f"wrote {table}\nwrote {path}\n" in out
    line = json.loads(path.read_text("utf-8"))["features"][0]["geometry"]["coordinates"]
    assert line == [[0, 0], [3, 0], [7, 0], [10, 0]]
    with table.open(newline="") as file:
        assert [row["distance"] for row in csv.DictReader(file)] == ["0", "10", "30", "40"]


def test_the_matrix_is_written_as_ever_and_a_row_of_all_pairs_as_a_table(solve, tmp_path) -> None:
    solve("--distances", tmp_path / "d.npy", variants="fw-serial", source="", target="")
    assert np.load(tmp_path / "d.npy").shape == (4, 4)
    assert solve("--distances", tmp_path / "d.csv", variants="fw-serial")[0] == 0
    assert "20,3.0,0.0,10,10\n" in (tmp_path / "d.csv").read_text()


@pytest.mark.parametrize(
    ("options", "question"),
    [
        ("--path p.kml", {}),
        ("--path p.gpx", {}),
        ("--path p.csv", {"target": ""}),
        ("--distances d.csv", {"variants": "astar"}),
        ("--distances d.csv", {"variants": "fw-serial", "source": "", "target": ""}),
        ("--path none/p.csv", {}),
    ],
)
def test_what_is_refused_before_anything_is_solved(solve, tmp_path, monkeypatch, options, question, golden) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    status, out, err = solve(*options.split(), **question)
    assert (status, out) == (2, "")
    golden.check("solve", " ".join([options, *(f"--{name} '{value}'" for name, value in question.items())]), err)
    assert sorted(tmp_path.iterdir()) == before


def test_an_unreachable_target_has_no_path_to_write(solve, tmp_path) -> None:
    status, _, err = solve("--path", tmp_path / "p.csv", "--close", "30-40")
    assert "There is no path to write: 40 cannot be reached from 10." in err
    assert status == 0
    assert not (tmp_path / "p.csv").exists()


# -- tables and lists --------------------------------------------------------------------------------------------------


HEADER = ("id", "what", "arcs")
ROWS = (("first", "a long sentence about the first one, which is wide", format_count(1014331)), ("b", "", "7"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_program_reads_cells_between_tabs_and_numbers_without_spaces():
    console = Console(out=io.StringIO())
    console.table(HEADER, ROWS, right="  r")
    console.line(f"{format_count(1014331)} arcs; wrote at 10{THIN_SPACE}PM.gr")
    assert isinstance(console.out, io.StringIO)
    lines = console.out.getvalue().splitlines()
    assert [line.split("\t") for line in lines[:3]] == [list(HEADER), [*ROWS[0][:2], "1014331"], list(ROWS[1])]
    assert lines[3] == f"1014331 arcs; wrote at 10{THIN_SPACE}PM.gr"


def test_a_tab_in_a_name_begins_no_cell():
    console = Console(out=io.StringIO())
    console.table(("graph",), (("a\tb",),))
    assert isinstance(console.out, io.StringIO)
    assert console.out.getvalue() == "graph\na\\tb\n"


@pytest.mark.parametrize("width", [40, 120])
def test_a_table_fits_the_terminal_and_loses_no_word(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    console = Console(out=Terminal())
    console.table(HEADER, ROWS, right="  r")
    assert isinstance(console.out, Terminal)
    text = console.out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    words = {word for row in (HEADER, *ROWS) for cell in row for word in cell.split()}
    assert set(text.split()) == words
    assert (len(text.splitlines()) == 3) == (width == 120)
