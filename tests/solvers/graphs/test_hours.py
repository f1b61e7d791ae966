"""Weights by hour: tables of factors and speeds, and what a router makes of them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from solvers import all_sources, generate, prepare, read, to_networkx
from solvers.errors import FileFormatError, ParameterError, UnknownVertex, UnsuitableGraph
from solvers.graphs.graph import Graph
from solvers.graphs.hours import Hour, HourTable, read_hours
from solvers.graphs.readers import read_graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.road_data import ArcColumn, RoadData, RoadKinds
from tests.curved import curved_town
from tests.solvers.features.openstreetmap.town import write_osm

FACTORS = "class,17:30,8:00\nmotorway,1.5,2\nresidential,1.25,1.1\nothers,1.05,1\n"
TOML = """
[factors."08:00"]
motorway = 2
residential = 1.1
[factors."17:30"]
motorway = 1.5
residential = 1.25
others = 1.05
"""


def at(hour: str, folder: Path, graph: Graph) -> Graph:
    return RoadChanges(hour=Hour.of(folder / "hours.csv", hour)).apply(graph)


def table(folder: Path, text: str, name: str = "hours.csv") -> HourTable:
    (folder / name).write_text(text)
    return read_hours(folder / name)


@pytest.fixture
def roads() -> Graph:
    """A road network with a class for each arc."""
    graph = generate("road", vertices=900, seed=4)
    classes = np.random.default_rng(1).integers(0, 8, graph.m).astype(np.uint8)
    kinds = RoadKinds({"residential": 2, "living_street": 2, "road": 2, "motorway": 7})
    names = ("",), np.zeros(graph.m, np.int32)
    data = RoadData((), None, *names, class_of=classes, kinds=kinds)
    return dataclasses.replace(graph, roads=data, directed=True, assume_symmetric=True)


def test_a_router_answers_as_networkx_does_with_the_weights_of_the_hour(roads, tmp_path) -> None:
    hours, first = table(tmp_path, FACTORS), prepare(roads, device=None, verify="all")
    assert hours.hours == ("08:00", "17:30")
    pairs = np.random.default_rng(2).choice(roads.ids, (10, 2)).tolist()
    before = first.lengths(pairs)
    for hour, factor_of in (("08:00", {7: 2, 2: 1.1}), ("17:30", {7: 1.5, 2: 1.25})):
        rest = 1.0 if hour == "08:00" else 1.05
        factors = np.array([factor_of.get(kind, rest) for kind in roads.roads.class_of.tolist()])
        right = np.floor(roads.weights * factors + 0.5).astype(np.int32)
        plain = to_networkx(dataclasses.replace(roads, weights=right, assume_symmetric=True))
        router = first.at(hour, hours)
        found = [nx.dijkstra_path_length(plain, *pair) for pair in pairs]
        assert router.lengths(pairs).tolist() == found
        assert router.path(*pairs[0]).length == found[0]
        assert router.alternatives(*pairs[0], 1)[0].length == found[0]
    np.testing.assert_array_equal(first.lengths(pairs), before)


def test_toml_and_csv_are_the_same_table(roads, tmp_path) -> None:
    by_csv, by_toml = table(tmp_path, FACTORS), table(tmp_path, TOML, "hours.toml")
    for hour in by_csv.hours:
        np.testing.assert_array_equal(
            by_csv.weights_at(roads, hour), by_toml.weights_at(roads, hour)
        )
    assert by_toml.hours == by_csv.hours


def test_speeds_of_arcs_make_their_times(tmp_path) -> None:
    town = curved_town()
    hours = table(tmp_path, "from,to,08:00\n10,20,3.6\n20,30,36\n")
    path = prepare(town, device=None).at("8:00", hours).path(10, 40)
    assert path == [10, 20, 30, 40]
    assert path.values("road")[1] == "Valley Road"  # the shorter of two, at the same speed
    metres = path.values("metres")
    assert path.values("weight") == [metres[0] / 1, round(metres[1] / 10, 1), 1.0]
    changed = at("08:00", tmp_path, town)
    assert (changed.base.graph, changed.roads) == (town, town.roads)
    assert changed.name == f"{town.name} at 08:00"
    assert prepare(changed, device=None).distance(10, 40) == path.length


def test_speeds_from_parquet_are_those_from_csv(tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    columns = pyarrow.table({"from": [10, 20], "to": [20, 30], "08:00": [3.6, 36.0]})
    parquet.write_table(columns, tmp_path / "hours.parquet")
    text = table(tmp_path, "from,to,08:00\n10,20,3.6\n20,30,36\n")
    town = curved_town()
    np.testing.assert_array_equal(
        read_hours(tmp_path / "hours.parquet").weights_at(town, "08:00"),
        text.weights_at(town, "08:00"),
    )


@pytest.mark.parametrize("hour", ["09:00", "8", "25:00", "noon", ""])
def test_an_hour_without_factors_is_an_error_that_names_those_there_are(
    roads, tmp_path, hour
) -> None:
    with pytest.raises(ParameterError, match="08:00"):
        prepare(roads, device=None).at(hour, table(tmp_path, FACTORS))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "no table"),
        ("class\nmotorway\n", "no table"),
        ("kind,08:00\nmotorway,1\n", "no table"),
        ("class,08:00\nmotorway,0\n", "row 1: it takes a number above 0"),
        ("class,08:00\nmotorway,nan\n", "row 1"),
        ("class,08:00\nmotorway,1,2\n", "row 1"),
        ("class,08:00\nmotorway,1\nmotorway,2\n", "row 2: the class has a row already"),
        ("class,08:00\nhighway,1\n", "a class is one of path, service"),
        ("class,8h\nmotorway,1\n", "an hour such as 08:00"),
        ("class,07:00-09:00\nmotorway,1\n", "an hour such as 08:00"),
        ("class,08:00,8:00\nmotorway,1,2\n", "the hour 08:00 is there twice: leave one"),
        ("class,08:00\nmotorway,-1\n", "row 1: it takes a number above 0"),
        ("class,08:00,09:00\nmotorway,1,\n", "row 1: it takes a number above 0 for each hour"),
        ("\0", "no table"),
    ],
)
def test_tables_that_are_none_are_refused(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(FileFormatError, match=match):
        table(tmp_path, text)
    with pytest.raises(FileFormatError):
        table(tmp_path, f"x = [{text}", "hours.toml")
    with pytest.raises(FileFormatError):
        read_hours(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('[factors."08:00"]\nmotorway = 1\n[factors."8:00"]\nmotorway = 2', "is there twice"),
        ('[factors."08:00"]\nmotorway = 1\n[factors."09:00"]\npath = 2', "08:00 has no factor for"),
        ('[factors."08:00"]\nothers = 1\n[factors."09:00"]', "09:00 has no factor for others"),
        ('[factors."08:00"]\nmotorway = 0', "row 1: it takes a number above 0"),
    ],
)
def test_hours_that_lack_factors_or_meet_are_refused(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(FileFormatError, match=match):
        table(tmp_path, text, "hours.toml")


def test_what_a_table_leaves_out_is_told(roads: Graph, tmp_path: Path, tautpath: Any) -> None:
    left_out = table(tmp_path, "class,08:00\nmotorway,2\npath,1\n").left_out(roads)
    assert "no factors for service, residential, tertiary, secondary, primary and trunk" in left_out
    assert left_out.endswith("Add rows for them, or one for “others”.")
    assert table(tmp_path, FACTORS).left_out(roads) == ""
    also = table(tmp_path, "class,08:00\nresidential,2\nmotorway,3\n").stands_for(roads)
    assert also == "“residential” is also for living_street, road"
    assert table(tmp_path, "class,08:00\nothers,2\n").stands_for(roads) == ""
    (tmp_path / "g.csv").write_text("from,to,time\n1,2,10\n2,3,10\n")
    assert table(tmp_path, "from,to,08:00\n1,2,50\n").left_out(read_graph(tmp_path / "g.csv").graph)
    table(tmp_path, "class,08:00\nothers,2\n")
    command = (
        "all-sources",
        tmp_path / "g.csv",
        "--hours",
        tmp_path / "hours.csv",
        "--device",
        "none",
    )
    status, out, _ = tautpath(*command, "--at", "8:00", "--json")
    assert (status, json.loads(out)["hour"], json.loads(out)["diameter"]) == (0, "08:00", 40)
    assert "has 08:00" in tautpath(*command, "--at", "9:00")[2]
    town = write_osm(tmp_path / "town.osm")
    table(tmp_path, "class,08:00\nmotorway,2\n")
    err = tautpath("all-sources", town, *command[2:], "--at", "8:00")[2]
    assert "warning: hours.csv has no factors for" in err


def test_what_a_table_needs_of_the_graph_is_said(tmp_path) -> None:
    plain, town = read([(1, 2, 5)]), curved_town()
    with pytest.raises(UnsuitableGraph, match="has no classes"):
        table(tmp_path, FACTORS).weights_at(plain, "08:00")
    assert table(tmp_path, "class,08:00\nothers,1.5\n").weights_at(plain, "08:00") == [8]
    speeds = "from,to,08:00\n{},50\n"
    with pytest.raises(UnsuitableGraph, match="lengths of arcs"):
        table(tmp_path, speeds.format("1,2")).weights_at(plain, "08:00")
    with pytest.raises(UnsuitableGraph, match="weighted by length"):
        table(tmp_path, FACTORS).weights_at(town.with_weights("metres"), "08:00")
    with pytest.raises(ParameterError, match="there is none"):
        table(tmp_path, speeds.format("10,40")).weights_at(town, "08:00")
    for unknown in ("11,20", "a,20"):
        with pytest.raises(UnknownVertex):
            table(tmp_path, speeds.format(unknown)).weights_at(town, "08:00")
    with pytest.raises(ParameterError, match="range"):
        table(tmp_path, "class,08:00\nothers,1e9\n").weights_at(plain, "08:00")


def test_the_command_line_solves_at_an_hour(tautpath: Any, roads: Graph, tmp_path: Path) -> None:
    file, hours = tmp_path / "g.csv", tmp_path / "hours.csv"
    file.write_text("from,to,time\n1,2,10\n2,3,10\n1,3,30\n")
    hours.write_text("class,08:00\nothers,1.5\n")
    common = (
        "solve",
        file,
        "--variants",
        "dijkstra-heap,cch-pair",
        "--source",
        "1",
        "--target",
        "3",
    )
    common = (*common, "--trials", "1")
    status, out, _ = tautpath(*common, "--hours", hours, "--at", "8:00", "--close", "2-3")
    assert status == 0
    assert "no time-dependent search" in out
    assert "path: 2 vertices, length 45" in out
    status, out, _ = tautpath(*common, "--hours", hours, "--at", "08:00")
    assert "path: 3 vertices, length 30" in out
    assert tautpath(*common, "--at", "08:00")[::2] == (
        2,
        "tautpath: --hours and --at go together: give a table, and one of its hours.\n",
    )
    assert "hours.csv has 08:00" in tautpath(*common, "--hours", hours, "--at", "9:00")[2]
    assert len(read_graph(file).graph.weights) == 3


def test_an_undirected_graph_stays_so_unless_an_hour_changes_one_way(tmp_path: Path) -> None:
    """Its betweenness counts both ways of a pair once."""
    edges = [("a", "b", {"weight": 10}), ("b", "c", {"weight": 4}), ("a", "c", {"weight": 20})]
    graph = dataclasses.replace(read(nx.Graph(edges)), weight_unit="s")
    table(tmp_path, "class,08:00\nothers,1.5\n")
    at_eight = at("08:00", tmp_path, graph)
    assert not at_eight.directed
    found = all_sources(at_eight, ["betweenness"]).betweenness.tolist()
    assert found == all_sources(graph, ["betweenness"]).betweenness.tolist() == [0, 1, 0]
    metres = ArcColumn("length", "m", np.full(graph.m, 100))
    measured = dataclasses.replace(graph, attributes=(metres,))
    table(tmp_path, "from,to,08:00\na,b,9\n")
    one_way = at("08:00", tmp_path, measured)
    assert one_way.directed


def test_an_hour_of_changed_roads_is_a_change_of_the_network(roads, tmp_path) -> None:
    table(tmp_path, FACTORS)
    ends = [tuple(int(roads.ids[v[k]]) for v in (roads.tails, roads.indices)) for k in (3, 90)]
    changes = RoadChanges().close(ends[0]).slow(3.0, ends[1])
    changed = at("17:30", tmp_path, changes.apply(roads))
    assert changed.as_read is roads
    expected = prepare(changed.with_turns(None))
    for source in roads.ids[::150].tolist():
        found = prepare(changed).distances(source).tolist()
        assert found == expected.distances(source).tolist()
