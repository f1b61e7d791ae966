"""Answers as series, frames and files have the same rows, by the ids that the user knows."""

from __future__ import annotations

import csv
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from solvers import all_sources, generate, prepare, read, solve, to_networkx
from solvers.errors import InputError, PackageMissing, ParameterError, UnknownName, UnsuitableGraph
from tests.solvers.features.ends_on_roads.test_road_points import network, places_in

pandas = pytest.importorskip("pandas")

STREETS = [
    (10, 11, "Main Street", 700.0),
    (10, 11, "Lane", 900.0),
    (11, 12, "Hill Road", 1300.0),
    (12, 13, None, 1200.0),
    (10, 13, "Valley", 1000.0),
]
ANSWERS = {
    "tree": lambda router, graph: router.tree(10),
    "path": lambda router, graph: router.path(10, 12),
    "path of a place": lambda router, graph: router.path((47.1, 9.503), 12),
    "alternatives": lambda router, graph: router.alternatives(10, 12),
    "alternatives of a place": lambda router, graph: router.alternatives((47.1, 9.503), 12),
    "nearest": lambda router, graph: router.nearest(10, [13, 11, 12], 2),
    "nearest place": lambda router, graph: router.nearest(10, [11, (47.1, 9.503)], 2),
    "within": lambda router, graph: router.within((47.1, 9.503), 1000),
    "table": lambda router, graph: router.table([10, 12], [13, 11]),
    "paths": lambda router, graph: router.paths([(10, 12), (13, 13)]),
    "simple paths": lambda router, graph: router.shortest_simple_paths(10, 12, 2),
    "one source": lambda router, graph: solve(graph, source=10),
    "one target": lambda router, graph: solve(graph, source=10, target=12),
    "two sources": lambda router, graph: solve(graph, sources=[12, 10]),
    "all pairs": lambda router, graph: solve(graph),
    "outline": lambda router, graph: router.isochrone(10, [500, 1500]).outline,
    "all sources": lambda router, graph: all_sources(graph, ["closeness", "betweenness"]),
    "flows": lambda router, graph: all_sources(graph, ["betweenness"]).flows,
}
WITHOUT_MAP = {"table", "two sources", "all pairs"}


@pytest.fixture(scope="module")
def town() -> nx.MultiDiGraph:
    """As OSMnx has it."""
    graph = nx.MultiDiGraph(crs="epsg:4326")
    places = [(9.50, 47.10), (9.51, 47.10), (9.52, 47.11), (9.5, 47.12)]
    graph.add_nodes_from((10 + i, {"x": x, "y": y}) for i, (x, y) in enumerate(places))
    for tail, head, name, metres in STREETS:
        graph.add_edge(tail, head, name=name, length=metres)
        graph.add_edge(head, tail, name=name, length=metres)
    return graph


@pytest.mark.filterwarnings("ignore:The weights are read")
@pytest.mark.parametrize("kind", ANSWERS)
def test_frames_files_and_maps_have_the_same_rows(
    kind: str, town: nx.MultiDiGraph, tmp_path: Path
) -> None:
    pytest.importorskip("geopandas")
    answer = ANSWERS[kind](prepare(town), town)
    frame, series = answer.to_frame(), answer.to_series()

    with answer.save(tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    inner = slice(1, -1) if "place" in kind else slice(None)  # in files points have names
    for name in frame.index.names:
        ids = list(map(str, frame.index.get_level_values(name)))
        assert [row[name] for row in rows][inner] == ids[inner]
    assert [float(row[series.name]) for row in rows] == series.tolist()
    assert set(frame) | {*frame.index.names, "wkt"} == set(rows[0]) | {"wkt"}
    parquet = pandas.read_parquet(answer.save(tmp_path / "a.parquet"))
    assert parquet[series.name].tolist() == series.tolist()

    if kind in WITHOUT_MAP:
        with pytest.raises(InputError, match="no geometry"):
            answer.to_geodataframe()
        with pytest.raises(ParameterError, match=r"must end in \.csv or \.parquet"):
            answer.save(tmp_path / "a.geojson")
        return
    places = answer.to_geodataframe()
    assert places.crs == "EPSG:4326"
    assert not places.geometry.is_empty.any()
    features = json.loads(answer.save(tmp_path / "a.geojson").read_text())["features"]
    if "vertex" not in frame.index.names:
        assert [one["properties"][series.name] for one in features] == [
            value for value in series.tolist() if kind != "flows" or value > 0
        ]
    if "path" in kind or kind in ("one target", "alternatives"):
        assert places.union_all().bounds == pytest.approx(
            (places.bounds.minx.min(), 47.1, 9.52, places.bounds.maxy.max())
        )


@pytest.mark.filterwarnings("ignore:The weights are read")
def test_a_path_has_names_of_streets_and_joins_the_edges_of_osmnx(town: nx.MultiDiGraph) -> None:
    pytest.importorskip("geopandas")
    path = prepare(town).path(10, 12)
    assert path.to_frame()["arc_name"].tolist()[1:] == ["Main Street", "Hill Road"]
    edges = path.to_geodataframe()
    assert edges.index.tolist() == [(10, 11, 0), (11, 12, 0)]
    assert edges.attrs == {"graph": "graph", "found_by": "router", "state": "graph"}
    assert edges["arc_name"].tolist() == ["Main Street", "Hill Road"]

    index = pandas.MultiIndex.from_tuples(town.edges(keys=True), names=["u", "v", "key"])
    table = pandas.DataFrame({"name": [name for *_, name in town.edges(data="name")]}, index=index)
    flows = all_sources(town, ["betweenness"]).flows
    table["flow"] = flows.to_series()
    right = nx.edge_betweenness_centrality(town, normalized=False, weight="length")
    assert table["flow"].to_dict() == pytest.approx(right)


@pytest.mark.filterwarnings("ignore:The weights are read")
def test_a_place_among_targets_lies_where_it_was_said_to_be(town: nx.MultiDiGraph) -> None:
    pytest.importorskip("geopandas")
    place = (47.1, 9.503)
    found = prepare(town).nearest(10, [11, place], 2).to_geodataframe()
    assert found.index.tolist() == [place, 11]
    assert found.geometry.x.tolist() == [9.503, 9.51]
    assert found.geometry.y.tolist() == [47.1, 47.1]


@pytest.mark.filterwarnings("ignore:The weights are read")
@pytest.mark.parametrize("name", ["EPSG:32632", "a plan of the town", ""])
def test_a_projected_graph_keeps_its_reference_system(town: nx.MultiDiGraph, name: str) -> None:
    pytest.importorskip("geopandas")
    plane = town.copy()
    plane.graph["crs"] = name
    found = prepare(plane).tree(10).to_geodataframe()
    assert found.crs == (name if name.startswith("EPSG") else None)
    assert to_networkx(read(plane)).graph.get("crs", "") == name


@pytest.mark.parametrize(("seed", "are_places"), [(14, False), (26, True)])
def test_alternatives_are_tracks_and_lines(seed: int, are_places: bool, tmp_path: Path) -> None:
    graph = network(seed)
    ends = places_in(graph, 2, seed) if are_places else graph.ids[[0, -1]].tolist()
    found = prepare(graph).alternatives(*ends)
    assert found.save(tmp_path / "a.gpx").read_text().count("<trk>") == len(found) == 2
    features = json.loads(found.save(tmp_path / "a.geojson").read_text())["features"]
    assert [one["properties"]["way"] for one in features] == [1, 2]
    for way, path in enumerate(found, 1):
        assert path.save(tmp_path / "b.gpx").read_text().count("<trkpt") >= len(path)
        own = found.to_series().loc[str(way)]
        assert own.index.tolist() == list(path)
        assert own.iloc[-1] == pytest.approx(path.length)


def test_a_closed_road_is_in_no_file(tmp_path: Path) -> None:
    router = prepare([("a", "b", 1), ("b", "c", 1), ("a", "c", 5)])
    router.close([("a", "b")])
    assert router.path("a", "c").to_series().to_dict() == {"a": 0, "c": 5}
    assert router.tree("a").to_frame()["predecessor"].tolist()[2] == "a"
    with pytest.raises(InputError, match="no path from a to b"):
        solve([("a", "c", 5), ("b", "c", 5)], source="a", target="b").to_frame()


def test_what_is_near_is_a_pair_of_arrays_that_knows_its_rows() -> None:
    router = prepare(generate("road", vertices=200, seed=1))
    near, far = router.nearest(1, [150, 40, 7], 3), router.within(1, 2000)
    ids, distances = near
    assert (near[0] is ids, near.distances is distances, len(near)) == (True, True, 2)
    assert near.to_series().to_dict() == dict(zip(ids.tolist(), distances.tolist(), strict=True))
    assert far.to_frame().index.tolist() == far.ids.tolist()
    assert type(pickle.loads(pickle.dumps(near))) is tuple
    assert router.within(1, 0).to_series().to_dict() == {1: 0}


def test_ids_stay_what_they_are() -> None:
    router = prepare(nx.grid_2d_graph(2, 2))
    assert router.within((0, 0), 1).to_series().to_dict() == {(0, 0): 0, (0, 1): 1, (1, 0): 1}
    assert router.nearest((0, 0), [(1, 1)]).to_series().to_dict() == {(1, 1): 2}
    tree = router.tree((0, 0))
    assert tree.to_series().to_dict() == {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 2}
    assert tree.to_dict()[1, 0] == (0, 0)
    assert list(tree.ids) == list(router.ids)
    assert router.table([(0, 0)], [(1, 1), (0, 1)]).to_series().to_dict() == {
        ((0, 0), (1, 1)): 2.0,
        ((0, 0), (0, 1)): 1.0,
    }
    assert prepare([(1, 2, 3)]).tree(2).to_dict() == {2: None}


def test_cells_that_are_not_known_stay_empty() -> None:
    frame = solve([(1, 2, 3), (3, 2, 1)], source=1).to_frame()
    assert frame["distance"].dtype == "Int32"
    assert frame["predecessor"].dtype == "Int64"
    assert frame["distance"].isna().tolist() == [False, False, True]
    assert prepare([(1, 2, 3), (3, 2, 1)]).tree(1).to_series().dtype == "float64"


def test_what_is_made_of_a_table_is_a_plain_array() -> None:
    table = prepare([(1, 2, 3)]).table([1, 2])
    plain: list[Any] = [table[0], table[:1], table + 1, table.max(axis=0), np.isfinite(table)]
    assert {type(one) for one in plain} == {np.ndarray}
    assert type(pickle.loads(pickle.dumps(table))) is np.ndarray
    assert isinstance(table.max(), np.float64)
    with pytest.raises(InputError, match="part of a table"):
        table.T.to_frame()


def test_errors_name_what_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("geopandas")
    tree = prepare(generate("random", vertices=20, seed=1)).tree(1)
    with pytest.raises(UnknownName, match="column"):
        tree.to_series("time")
    assert tree.to_series("predecessor").name == "predecessor"
    with pytest.raises(UnsuitableGraph, match="A GeoDataFrame needs coordinates"):
        tree.to_geodataframe()
    with pytest.raises(UnsuitableGraph, match="GeoJSON needs coordinates"):
        tree.save(tmp_path / "a.geojson")
    for package in ("pandas", "geopandas"):
        monkeypatch.setitem(sys.modules, package, None)
    for ask in (tree.to_frame, tree.to_series, tree.to_geodataframe):
        with pytest.raises(PackageMissing, match="pip install pandas geopandas"):
            ask()
