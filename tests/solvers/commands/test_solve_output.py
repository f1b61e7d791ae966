"""Files of the answer of ``solve``, and tables for terminals and for programs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from solvers import generate, prepare
from solvers.commands.console import Console
from solvers.graphs.readers import read_graph
from solvers.graphs.writers import write_dimacs
from solvers.text import THIN_SPACE, format_count
from tests.curved import curved_town

ONE = ("--trials", "1", "--warmup", "0", "--no-keep", "--variants")


def rows_of(table: Path) -> list[dict[str, str]]:
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def test_path_and_distances(tautpath, tmp_path) -> None:
    path, table, graph = tmp_path / "p.geojson", tmp_path / "d.csv", tmp_path / "town.gr"
    write_dimacs(curved_town(), graph)
    ends = ("--source", "10", "--target", "40")
    assert (
        tautpath(
            "solve", graph, *ends, *ONE, "dijkstra-heap", "--path", path, "--distances", table
        )[0]
        == 0
    )
    line = json.loads(path.read_text("utf-8"))["features"][0]["geometry"]["coordinates"]
    assert line == [[0, 0], [3, 0], [7, 0], [10, 0]]
    assert [row["distance"] for row in rows_of(table)] == ["0", "10", "30", "40"]
    tautpath("solve", graph, *ONE, "fw-serial", "--distances", tmp_path / "d.npy")
    assert np.load(tmp_path / "d.npy").shape == (4, 4)
    assert tautpath("solve", graph, *ends, *ONE, "fw-serial", "--distances", table)[0] == 0
    assert "20,3.0,0.0,10,10\n" in table.read_text(), "a row of all pairs is a table"


def test_alternatives_are_shown_and_written_one_track_each(tautpath, tmp_path) -> None:
    graph = generate("road", vertices=1500, seed=2)
    places = dataclasses.replace(graph.coordinates, geographic=True)
    places = dataclasses.replace(places, xy=places.xy / np.abs(places.xy).max())
    file = tmp_path / "roads.gr"
    write_dimacs(dataclasses.replace(graph, coordinates=places, assume_symmetric=True), file)
    ends = ("--source", "409", "--target", "1241", "--alternatives", "4")
    written = [tmp_path / f"ways.{kind}" for kind in ("gpx", "geojson", "csv")]

    for path in written:
        status, out, _ = tautpath("solve", file, *ends, *ONE, "dijkstra-heap", "--path", path)
        assert status == 0
    rows = [line.split("\t") for line in out.splitlines() if line[:1].isdigit()]
    assert len(rows) > 1

    tracks = ElementTree.parse(written[0]).getroot().findall("{*}trk")
    assert [track.find("{*}name").text[-5:] for track in tracks] == [
        f"way {number}" for number in range(1, len(rows) + 1)
    ]
    features = json.loads(written[1].read_text("utf-8"))["features"]
    assert [feature["properties"]["way"] for feature in features] == [int(row[0]) for row in rows]
    lengths = [feature["properties"]["distance"] for feature in features]
    ways = prepare(read_graph(file).graph).alternatives(409, 1241, 4)
    assert lengths == [way.length for way in ways]
    table = rows_of(written[2])
    assert [row["vertex"] for row in table] == [str(v) for way in ways for v in way]
    last = {row["way"]: int(row["distance"]) for row in table}
    assert list(last.values()) == lengths


def test_alternatives_between_places_begin_and_end_on_roads(tautpath, tmp_path) -> None:
    graph = generate("road", vertices=1500, seed=2)
    xy = np.array((9.0, 47.0)) + graph.coordinates.xy / np.abs(graph.coordinates.xy).max() / 10
    places = dataclasses.replace(graph.coordinates, xy=xy, geographic=True)
    graph = dataclasses.replace(graph, coordinates=places, assume_symmetric=True)
    write_dimacs(graph, tmp_path / "roads.gr")
    a, b = ((xy[graph.tails[arc]] * 0.6 + xy[graph.indices[arc]] * 0.4)[::-1] for arc in (0, 3000))
    ends = [f"{point[0]}, {point[1]}" for point in (a, b)]
    options = ("--source", ends[0], "--target", ends[1], "--alternatives", "3", "--json")
    found = tautpath("solve", tmp_path / "roads.gr", *options, *ONE, "dijkstra-heap")
    told = json.loads(found[1])
    ways = told["alternatives"]["ways"]
    assert all(point is not None for point in told["points"])
    for way in ways:
        assert [way["path"][0], way["path"][-1]] == [told["source"], told["target"]]
    assert ways[0]["distance"] == told["results"][0]["distance"]
    assert told["source"] > graph.ids[-1]


def test_files_of_differences_and_of_the_changed_network(tautpath, streets, tmp_path) -> None:
    table, network = tmp_path / "d.csv", tmp_path / "changed.gr"
    options = (*ONE, "dijkstra-heap", "--source", "1", "--write-graph", network)
    assert tautpath("solve", streets, *options)[0] == 0
    assert read_graph(network).graph.m == 10, "written without changes, too"
    assert (
        tautpath(
            "solve", streets, *options, "--close", "2-4", "--slow", "3:4=2", "--differences", table
        )[0]
        == 0
    )
    row = rows_of(table)[3]
    assert [row[name] for name in ("vertex", "before", "after", "difference")] == [
        "4",
        "20",
        "60",
        "40",
    ]
    again = read_graph(network).graph
    assert (again.m, again.weights[again.row(again.vertex(3))].tolist()) == (8, [20, 40])


# -- tables and lists
# --------------------------------------------------------------------------------------------------


HEADER = ("id", "what", "arcs")
ROWS = (
    ("first", "a long sentence about the first one, which is wide", format_count(1014331)),
    ("b", "", "7"),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_program_reads_cells_between_tabs_and_numbers_without_spaces():
    console = Console(out=io.StringIO())
    console.table(HEADER, ROWS, right="  r")
    console.line(f"{format_count(1014331)} arcs; wrote at 10{THIN_SPACE}PM.gr")
    assert isinstance(console.out, io.StringIO)
    lines = console.out.getvalue().splitlines()
    assert [line.split("\t") for line in lines[:3]] == [
        list(HEADER),
        [*ROWS[0][:2], "1014331"],
        list(ROWS[1]),
    ]
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
