"""Paths as GPX: track, route and way points, and what cannot be written as such."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from solvers.errors import UnsuitableGraph
from solvers.running.answers.gpx import write_path_gpx
from tests.solvers.running.answers.towns import geographic_town, named_town, path_of, plane_town

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
