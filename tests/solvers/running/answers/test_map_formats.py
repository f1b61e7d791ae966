"""Paths and distances as GeoJSON, paths as GPX: curves, reference systems, ids of every kind, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from solvers.errors import Cancelled, UnsuitableGraph
from solvers.running.answers.map_formats import (
    LOCAL_CRS,
    PLANE_NOTE,
    write_distances_geojson,
    write_path_geojson,
    write_path_gpx,
)
from solvers.system.cancel import CancelToken, Progress
from tests.curved import ATTRIBUTION
from tests.solvers.running.answers.towns import distances_of, geographic_town, named_town, path_of, plane_town


def test_a_path_follows_the_curves_of_its_roads(tmp_path) -> None:
    write_path_geojson(path_of(geographic_town(), 0, 1, 2, 3), tmp_path / "p.geojson")
    found = json.loads((tmp_path / "p.geojson").read_text("utf-8"))
    whole, *roads = found["features"]
    assert whole["geometry"]["coordinates"] == [[0, 0], [3, 0], [4, 3], [6, 3], [7, 0], [10, 0]]
    assert whole["properties"] == {
        "kind": "path", "from": 10, "to": 40, "distance_ds": 40, "arcs": 3, "found_by": "hand"
    }  # fmt: skip
    assert [road["properties"]["road"] for road in roads] == ["Main Street", "Hill Road", "Main Street"]
    assert roads[1]["geometry"]["coordinates"] == [[3, 0], [4, 3], [6, 3], [7, 0]]
    assert roads[1]["properties"]["metres"] == pytest.approx(8.3)
    assert found["attribution"] == ATTRIBUTION
    assert "crs" not in found  # RFC 7946: longitude and latitude of WGS 84


def test_plane_coordinates_are_said_to_be_such(tmp_path) -> None:
    write_path_geojson(path_of(plane_town(), 0, 1), tmp_path / "p.geojson")
    found = json.loads((tmp_path / "p.geojson").read_text("utf-8"))
    assert (found["crs"], found["note"]) == (LOCAL_CRS, PLANE_NOTE)


def test_a_path_of_one_vertex_is_a_point(tmp_path) -> None:
    write_path_geojson(path_of(plane_town(), 2), tmp_path / "p.geojson")
    whole = json.loads((tmp_path / "p.geojson").read_text("utf-8"))["features"][0]
    assert whole["geometry"] == {"type": "Point", "coordinates": [7, 0]}


def test_distances_of_all_vertices(tmp_path) -> None:
    answer = distances_of(geographic_town(), [0, 10, 30, None], [-1, 0, 1, -1])
    write_distances_geojson(answer, tmp_path / "d.geojson")
    features = json.loads((tmp_path / "d.geojson").read_text("utf-8"))["features"]
    rows = [tuple(feature["properties"].values()) for feature in features]
    assert rows == [(10, 0, None), (20, 10, 10), (30, 30, 20), (40, None, None)]
    assert features[2]["geometry"] == {"type": "Point", "coordinates": [7, 0]}


def test_names_are_ids(tmp_path) -> None:
    town = named_town("Zürich", 'the "Forum"', "a\nb", "\udcff")
    write_path_geojson(path_of(town, 0, 1), tmp_path / "p.geojson")
    properties = json.loads((tmp_path / "p.geojson").read_text("utf-8"))["features"][0]["properties"]
    assert (properties["from"], properties["to"]) == ("Zürich", 'the "Forum"')
    write_distances_geojson(distances_of(town, [0, 1, 2, 3]), tmp_path / "d.geojson")
    features = json.loads((tmp_path / "d.geojson").read_text("utf-8"))["features"]
    assert [feature["properties"]["vertex"] for feature in features] == list(town.labels)


def test_coordinates_are_needed(tmp_path) -> None:
    bare = plane_town(places=False)
    for write, answer in (
        (write_path_geojson, path_of(bare, 0, 1)),
        (write_distances_geojson, distances_of(bare, [0] * 4)),
    ):
        with pytest.raises(UnsuitableGraph, match=r"GeoJSON needs coordinates, and town has none. .* write a table"):
            write(answer, tmp_path / "x.geojson")
    assert not list(tmp_path.iterdir())


def test_cancelling_leaves_the_old_file(tmp_path) -> None:
    old = tmp_path / "d.geojson"
    old.write_text("old")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        write_distances_geojson(distances_of(plane_town(), np.arange(4)), old, Progress(token))
    assert (old.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)


SPACE = {"g": "http://www.topografix.com/GPX/1/1"}


def points(root: ElementTree.Element, tag: str) -> list[tuple[float, float]]:
    """Longitude and latitude of all points of that kind."""
    return [(float(point.get("lon")), float(point.get("lat"))) for point in root.iterfind(f".//g:{tag}", SPACE)]


def test_the_track_follows_the_curves_and_the_route_names_the_roads(tmp_path) -> None:
    root = ElementTree.parse(write_path_gpx(path_of(geographic_town(), 0, 1, 2, 3), tmp_path / "p.gpx")).getroot()
    assert points(root, "trkpt") == [(0, 0), (3, 0), (4, 3), (6, 3), (7, 0), (10, 0)]
    assert points(root, "rtept") == [(0, 0), (3, 0), (7, 0), (10, 0)]
    names = [name.text for name in root.iterfind(".//g:rtept/g:name", SPACE)]
    assert names == ["Main Street", "Hill Road", "Main Street", "40"]
    assert [name.text for name in root.iterfind("g:wpt/g:name", SPACE)] == ["10", "40"]
    assert root.find("g:metadata/g:desc", SPACE).text == "4 s, 14 m"
    assert root.find("g:metadata/g:copyright", SPACE).get("author") == "the people of the town"


def test_longitudes_stay_in_the_range_of_gpx(tmp_path) -> None:
    root = ElementTree.parse(write_path_gpx(path_of(geographic_town(182.0), 0, 1), tmp_path / "p.gpx")).getroot()
    assert points(root, "trkpt") == [(178, 0), (-179, 0)]


def test_plane_coordinates_and_none_are_refused_with_a_remedy(tmp_path) -> None:
    with pytest.raises(UnsuitableGraph, match=r"town has plane coordinates .* Write GeoJSON \(.geojson\) or a table"):
        write_path_gpx(path_of(plane_town(), 0, 1), tmp_path / "p.gpx")
    with pytest.raises(UnsuitableGraph, match=r"GPX needs coordinates, and town has none.* \(.csv\), which needs none"):
        write_path_gpx(path_of(plane_town(places=False), 0, 1), tmp_path / "p.gpx")
    assert not list(tmp_path.iterdir())


def test_names_that_xml_cannot_hold_are_escaped(tmp_path) -> None:
    town = named_town("<A & B>", "a\x1b[31m", "c", "d")
    town = replace(town, coordinates=geographic_town().coordinates)
    root = ElementTree.parse(write_path_gpx(path_of(town, 0, 1), tmp_path / "p.gpx")).getroot()
    assert [name.text for name in root.iterfind("g:wpt/g:name", SPACE)] == ["<A & B>", "a\\x1b[31m"]
