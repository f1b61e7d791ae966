"""Paths and distances as GeoJSON: along the curves, in degrees or plane coordinates, with ids of every kind."""

from __future__ import annotations

import json

import numpy as np
import pytest

from solvers.errors import Cancelled, UnsuitableGraph
from solvers.host.observer import CancelToken, Observer
from solvers.running.answers.geojson import LOCAL_CRS, PLANE_NOTE, write_distances_geojson, write_path_geojson
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
        write_distances_geojson(distances_of(plane_town(), np.arange(4)), old, Observer(token))
    assert (old.read_text(), len(list(tmp_path.iterdir()))) == ("old", 1)
