"""What a text means in a graph: notations of coordinates, and names of places and streets."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.errors import InputError, SeveralMeant, UnknownName, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.search import SpotKind, find, parse_coordinates, suggestions
from tests.solvers.features.openstreetmap.town import PLACES, write_osm, write_two_villages

VILLAGE, HAMLET, FARM = 30, 31, 32


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tags = {
        VILLAGE: {"place": "village", "name": "Zürs-Lane"},
        HAMLET: {"place": "hamlet", "name": "Zürich"},
        FARM: {"place": "farm"},
    }
    places = PLACES | {VILLAGE: (9.5032, 47.1002), HAMLET: (9.4998, 47.1), FARM: (9.5, 47.1)}
    path: Path = write_osm(
        tmp_path_factory.mktemp("town") / "town.osm", places=places, node_tags=tags
    )
    return read_graph(path).graph


@pytest.mark.parametrize(
    "text",
    [
        "47.14, 9.52",
        "47.14 9.52",
        "47.14;9.52",
        "47,14 9,52",
        "geo:47.14,9.52",
        "N47.14 E9.52",
        "47.14n 9.52e",
        "9.52E, 47.14N",
        "47°8′24″N 9°31′12″E",
        "47°8.4'N, 9°31.2'E",
        "47° 8' 24\", 9° 31' 12\"",
        "47 8 24 N 9 31 12 E",
    ],
)
def test_usual_notations_of_coordinates(text: str) -> None:
    assert parse_coordinates(text) == pytest.approx((47.14, 9.52))


@pytest.mark.parametrize(
    "text", ["40°42′46″N 74°0′22″W", "40.71278, −74.00611", "W74.00611 N40.71278"]
)
def test_south_and_west_are_negative(text: str) -> None:
    assert parse_coordinates(text) == pytest.approx((40.71278, -74.00611), abs=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "264 346",
        "264,346",
        "47.14",
        "",
        "E",
        "New Lane 4",
        "95.0, 9.0",
        "47.1N 9.5N",
        "47°72′ 9°31′",
    ],
)
def test_what_is_no_pair_of_coordinates(text: str) -> None:
    """Two whole numbers may be an id in groups of digits."""
    assert parse_coordinates(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "vertex", "said"),
    [
        ("4", SpotKind.VERTEX, 4, ""),
        (
            "N47.1 E9.5001",
            SpotKind.COORDINATES,
            1,
            "47.1, 9.5001: vertex 1 is the nearest, 8 m away.",
        ),
        ("zurich", SpotKind.PLACE, 1, "Zürich: vertex 1 is the nearest, 15 m away."),
        ("Zürs", SpotKind.PLACE, 4, "Zürs-Lane: vertex 4 is the nearest, 27 m away."),
        ("main street", SpotKind.STREET, 2, "Main Street (B 1): vertex 2, near its middle."),
    ],
)
def test_a_text_means_the_nearest_vertex_and_says_how_far_it_is(
    town: Graph, text: str, kind: SpotKind, vertex: int, said: str
) -> None:
    """Case and accents do not matter; a part of a name does where it fits one name only."""
    spot = find(town, text)
    assert (spot.kind, town.vertex_id(spot.vertex), spot.sentence(town)) == (kind, vertex, said)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("7", UnknownVertex, "a point between them is named by its coordinates"),
        ("47.1, 12.5", InputError, "is outside this graph: latitudes 47.10"),
        ("Zür", UnknownName, "Nearest: Zürs-Lane, Zürich."),
        ("Zurihc", UnknownName, "Nearest: Zürich"),
        ("3.5", InputError, "“3.5” is not a vertex id"),
    ],
)
def test_a_text_without_one_meaning_is_refused(
    town: Graph, text: str, error: type[InputError], said: str
) -> None:
    with pytest.raises(error, match=said.replace(".", "[.]")):
        find(town, text)


def test_a_street_of_two_villages_is_asked_about(tmp_path: Path) -> None:
    """“Landstrasse” was a vertex between the villages."""
    graph = read_graph(write_two_villages(tmp_path / "two.osm")).graph
    with pytest.raises(SeveralMeant) as refused:
        find(graph, "landstrasse")
    assert refused.value.choices == ("Landstrasse, Vaduz", "Landstrasse, Schaan")
    assert [spot.name for spot in suggestions(graph, "landstr", 9)] == list(refused.value.choices)
    spot = find(graph, "Landstrasse, Schaan")
    assert graph.vertex_id(spot.vertex) in (20, 21)
    assert {graph.vertex_id(v) for v in spot.vertices.tolist()} == {20, 21}


def test_what_is_typed_is_suggested_prominent_places_and_beginnings_first(town: Graph) -> None:
    assert [spot.name for spot in suggestions(town, "z", 9)] == ["Zürs-Lane", "Zürich"]
    assert [spot.name for spot in suggestions(town, "lane", 9)] == [
        "Zürs-Lane",
        "Lane",
        "Back Lane",
    ]
    assert [spot.name for spot in suggestions(town, "11", 9)] == ["11"]
    assert suggestions(town, "service", 9) == [], "the kind of a road without a name"
    assert len(suggestions(town, "lane", 2)) == 2
    assert suggestions(town, " ", 9) == []
