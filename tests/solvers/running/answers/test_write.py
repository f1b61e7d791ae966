"""Paths and distances as CSV, Parquet, GeoJSON and GPX: rows, curves, reference
systems, ids, refusals.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from solvers.errors import Cancelled, PackageMissing, ParameterError, UnsuitableGraph
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.weights import FLOAT64, INT32
from solvers.running.answers.answer import DistancesAnswer, PathAnswer
from solvers.running.answers.table import AnswerTable, distances_table, path_table
from solvers.running.answers.write import LOCAL_CRS, PLANE_NOTE, write_answer
from solvers.system.cancel import CancelToken, Progress
from tests.curved import ATTRIBUTION, curved_town

SPACE = {"g": "http://www.topografix.com/GPX/1/1"}


def plane_town(*, places: bool = True) -> Graph:
    """The town, without coordinates if ``places`` is False."""
    town = curved_town()
    return town if places else replace(town, coordinates=None)


def geographic_town(west: float = 0.0) -> Graph:
    """The town in degrees, ``west`` of where it was."""
    town = curved_town()
    return replace(
        town, coordinates=Coordinates(town.coordinates.xy - [west, 0.0], geographic=True)
    )


def named_town(*labels: str) -> LabelledGraph:
    """The town with names of its four vertices."""
    town = curved_town()
    attributes = {f.name: getattr(town, f.name) for f in fields(town) if f.init}
    return LabelledGraph(**attributes, labels=labels, numbered=True)


def path_of(graph: Graph, *vertices: int) -> AnswerTable:
    answer = PathAnswer(graph, vertices[0], vertices[-1], np.array(vertices, np.int32), 0, "hand")
    return path_table([replace(answer, length=answer.lengths[-1].item())])


def distances_of(
    graph: Graph, distances: Sequence[int | None], predecessors: Sequence[int] | None = None
) -> AnswerTable:
    """Distances from the first vertex; None is unreachable."""
    values = np.array([INT32.infinity if d is None else d for d in distances], np.int32)
    before = None if predecessors is None else np.array(predecessors, np.int32)
    return distances_table(DistancesAnswer(graph, (0,), values, before, "hand"))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def json_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


def points(root: ElementTree.Element, tag: str) -> list[tuple[float, float]]:
    """Longitude and latitude of all points of that kind."""
    return [
        (float(point.get("lon")), float(point.get("lat")))
        for point in root.iterfind(f".//g:{tag}", SPACE)
    ]


def test_a_path_has_a_row_for_each_vertex_with_the_line_that_leads_to_it(tmp_path) -> None:
    first, second, third = rows_of(
        write_answer(path_of(geographic_town(), 0, 1, 2), tmp_path / "p.csv")
    )
    assert (first["vertex"], first["longitude"], first["distance_s"], first["wkt"]) == (
        "10",
        "0.0",
        "0.0",
        "",
    )
    assert third == {
        "step": "2",
        "vertex": "30",
        "longitude": "7.0",
        "latitude": "0.0",
        "distance_s": "3.0",
        "arc_key": "0",
        "road": "Hill Road",
        "arc_s": "2.0",
        "arc_s_file": "2.0",
        "arc_m": "8.3",
        "wkt": "LINESTRING (3.0 0.0, 4.0 3.0, 6.0 3.0, 7.0 0.0)",
        "attribution": ATTRIBUTION,
    }
    assert second["road"] == "Main Street"


def test_distances_have_a_row_for_each_vertex(tmp_path) -> None:
    answer = distances_of(plane_town(), [0, 10, None, 2**30 - 2], [0, 0, -1, 1])
    rows = rows_of(write_answer(answer, tmp_path / "d.csv"))
    found = [(row["vertex"], row["x"], row["distance_s"], row["predecessor"]) for row in rows]
    assert found == [
        ("10", "0.0", "0.0", ""),
        ("20", "3.0", "1.0", "10"),
        ("30", "7.0", "", ""),
        ("40", "10.0", "107374182.2", "20"),
    ]


def test_without_coordinates_there_are_no_columns_of_them(tmp_path) -> None:
    bare = plane_town(places=False)
    assert "x" not in rows_of(write_answer(path_of(bare, 0, 1), tmp_path / "p.csv"))[0]
    assert list(rows_of(write_answer(distances_of(bare, [0] * 4), tmp_path / "d.csv"))[0]) == [
        "vertex",
        "roads",
        "distance_s",
        "attribution",
    ]


def test_names_that_spreadsheets_would_run_are_marked_unless_plain(tmp_path) -> None:
    town = named_town("=1+1", "-", "Zürich", 'say "a, b"')
    answer = distances_of(town, [0, 1, 2, 3], [-1, 0, 0, 0])
    marked = rows_of(write_answer(answer, tmp_path / "d.csv"))
    assert [row["vertex"] for row in marked] == ["'=1+1", "'-", "Zürich", 'say "a, b"']
    assert marked[3]["predecessor"] == "'=1+1"
    assert rows_of(write_answer(answer, tmp_path / "d.csv", plain=True))[0]["vertex"] == "=1+1"


def test_parquet_holds_the_same_with_types_and_facts(tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    answer = DistancesAnswer(
        plane_town(), (0,), np.array([0, 0.1, np.inf, 3]), np.array([-1, 0, -1, 1]), "hand"
    )
    assert answer.distances.dtype == FLOAT64.dtype
    table = parquet.read_table(write_answer(distances_table(answer), tmp_path / "d.parquet"))
    assert table["distance_s"].to_pylist() == [0.0, 0.01, None, 0.3]
    assert table["predecessor"].to_pylist() == [None, 10, None, 20]
    assert table.schema.metadata[b"graph"] == b"town"
    names = parquet.read_table(
        write_answer(path_of(named_town("ä", "b", "c", "\udcff"), 0, 1), tmp_path / "p.parquet")
    )
    assert names["vertex"].to_pylist() == ["ä", "b"]
    assert names["wkt"].to_pylist() == [None, "LINESTRING (0.0 0.0, 3.0 0.0)"]


def test_parquet_without_pyarrow_names_the_command(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(
        PackageMissing, match=r"^Writing d.parquet needs the package pyarrow: pip install "
    ):
        write_answer(distances_of(plane_town(), [0] * 4), tmp_path / "d.parquet")


def test_other_names_are_refused_with_those_that_are_known(tmp_path) -> None:
    with pytest.raises(ParameterError, match=r"must end in .geojson or .gpx or .csv or .parquet"):
        write_answer(path_of(plane_town(), 0, 1), tmp_path / "p.kml")
    with pytest.raises(ParameterError, match=r"must end in .csv or .parquet or .geojson"):
        write_answer(distances_of(plane_town(), [0] * 4), tmp_path / "d.gpx")


def test_a_path_follows_the_curves_of_its_roads(tmp_path) -> None:
    found = json_of(write_answer(path_of(geographic_town(), 0, 1, 2, 3), tmp_path / "p.geojson"))
    whole, *roads = found["features"]
    assert whole["geometry"]["coordinates"] == [[0, 0], [3, 0], [4, 3], [6, 3], [7, 0], [10, 0]]
    assert whole["properties"] == {
        "kind": "path",
        "from": 10,
        "to": 40,
        "distance_s": 4.0,
        "arcs": 3,
        "metres": 14.3,
        "seconds": 4.0,
        "seconds_file": 4.0,
        "found_by": "hand",
        "state": "town",
    }
    assert [road["properties"]["road"] for road in roads] == [
        "Main Street",
        "Hill Road",
        "Main Street",
    ]
    assert roads[1]["geometry"]["coordinates"] == [[3, 0], [4, 3], [6, 3], [7, 0]]
    assert roads[1]["properties"]["metres"] == 8.3
    assert found["attribution"] == ATTRIBUTION
    assert "crs" not in found  # RFC 7946: longitude and latitude of WGS 84


def test_plane_coordinates_are_said_to_be_such(tmp_path) -> None:
    found = json_of(write_answer(path_of(plane_town(), 0, 1), tmp_path / "p.geojson"))
    assert (found["crs"], found["note"]) == (LOCAL_CRS, PLANE_NOTE)


def test_a_line_over_the_antimeridian_is_cut_there(tmp_path: Path) -> None:
    """RFC 7946, section 3.1.9."""
    town = geographic_town()
    reach = np.nanmax(town.coordinates.xy[:, 0])
    fiji = replace(geographic_town(west=reach / 2 - 180), roads=None)
    path = write_answer(path_of(fiji, 0, 1, 2, 3), tmp_path / "path.geojson")

    lines = [
        feature["geometry"]
        for feature in json_of(path)["features"]
        if feature["geometry"]["type"] != "Point"
    ]
    assert [line["type"] for line in lines] == ["MultiLineString"] * len(lines)
    for line in lines:
        for part in line["coordinates"]:
            sides = {math.copysign(1, x) for x, _ in part}
            assert len(sides) == 1
            assert all(abs(x) <= 180 for x, _ in part)
        for part, after in pairwise(line["coordinates"]):
            assert abs(part[-1][0]) == 180 == abs(after[0][0])
            assert part[-1][1] == after[0][1]


def test_a_path_of_one_vertex_is_a_point(tmp_path) -> None:
    whole = json_of(write_answer(path_of(plane_town(), 2), tmp_path / "p.geojson"))["features"][0]
    assert whole["geometry"] == {"type": "Point", "coordinates": [7, 0]}


def test_distances_of_all_vertices(tmp_path) -> None:
    answer = distances_of(geographic_town(), [0, 10, 30, None], [-1, 0, 1, -1])
    features = json_of(write_answer(answer, tmp_path / "d.geojson"))["features"]
    rows = [tuple(feature["properties"].values()) for feature in features]
    assert [(row[0], *row[2:]) for row in rows] == [
        (10, 0, None),
        (20, 1, 10),
        (30, 3, 20),
        (40, None, None),
    ]
    assert [feature["properties"]["roads"] for feature in features[:1]] == ["Main Street"]
    assert features[2]["geometry"] == {"type": "Point", "coordinates": [7, 0]}


def test_names_are_ids(tmp_path) -> None:
    town = named_town("Zürich", 'the "Forum"', "a\nb", "\udcff")
    properties = json_of(write_answer(path_of(town, 0, 1), tmp_path / "p.geojson"))["features"][0][
        "properties"
    ]
    assert (properties["from"], properties["to"]) == ("Zürich", 'the "Forum"')
    features = json_of(write_answer(distances_of(town, [0, 1, 2, 3]), tmp_path / "d.geojson"))[
        "features"
    ]
    assert [feature["properties"]["vertex"] for feature in features] == list(town.labels)


def test_coordinates_are_needed(tmp_path) -> None:
    bare = plane_town(places=False)
    for answer in (path_of(bare, 0, 1), distances_of(bare, [0] * 4)):
        with pytest.raises(
            UnsuitableGraph, match=r"GeoJSON needs coordinates, and town has none. .* write a table"
        ):
            write_answer(answer, tmp_path / "x.geojson")
    assert not list(tmp_path.iterdir())


def test_cancelling_leaves_the_old_file(tmp_path) -> None:
    old = tmp_path / "d.geojson"
    old.write_text("old")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        write_answer(distances_of(plane_town(), np.arange(4)), old, Progress(token))
    assert (old.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)


def test_the_track_follows_the_curves_and_the_route_names_the_roads(tmp_path) -> None:
    root = ElementTree.parse(
        write_answer(path_of(geographic_town(), 0, 1, 2, 3), tmp_path / "p.gpx")
    ).getroot()
    assert points(root, "trkpt") == [(0, 0), (3, 0), (4, 3), (6, 3), (7, 0), (10, 0)]
    assert points(root, "rtept") == [(0, 0), (3, 0), (7, 0), (10, 0)]
    names = [name.text for name in root.iterfind(".//g:rtept/g:name", SPACE)]
    assert names == ["Main Street", "Hill Road", "Main Street", "40"]
    assert [name.text for name in root.iterfind("g:wpt/g:name", SPACE)] == ["10", "40"]
    assert root.find("g:metadata/g:desc", SPACE).text == "4 s, 14 m"
    assert root.find("g:metadata/g:copyright", SPACE).get("author") == "the people of the town"


def test_longitudes_stay_in_the_range_of_gpx(tmp_path) -> None:
    root = ElementTree.parse(
        write_answer(path_of(geographic_town(182.0), 0, 1), tmp_path / "p.gpx")
    ).getroot()
    assert points(root, "trkpt") == [(178, 0), (-179, 0)]


def test_plane_coordinates_and_none_are_refused_with_a_remedy(tmp_path) -> None:
    with pytest.raises(
        UnsuitableGraph,
        match=r"town has plane coordinates .* Write GeoJSON \(.geojson\) or a table",
    ):
        write_answer(path_of(plane_town(), 0, 1), tmp_path / "p.gpx")
    with pytest.raises(
        UnsuitableGraph,
        match=r"GPX needs coordinates, and town has none.* \(.csv\), which needs none",
    ):
        write_answer(path_of(plane_town(places=False), 0, 1), tmp_path / "p.gpx")
    assert not list(tmp_path.iterdir())


def test_names_that_xml_cannot_hold_are_escaped(tmp_path) -> None:
    town = named_town("<A & B>", "a\x1b[31m", "c", "d")
    town = replace(town, coordinates=geographic_town().coordinates)
    root = ElementTree.parse(write_answer(path_of(town, 0, 1), tmp_path / "p.gpx")).getroot()
    assert [name.text for name in root.iterfind("g:wpt/g:name", SPACE)] == ["<A & B>", "a\\x1b[31m"]
