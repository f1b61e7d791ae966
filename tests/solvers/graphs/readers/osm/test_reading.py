"""From ways and nodes to a graph: junctions, lengths, times, shapes, names, directions, parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvers import all_sources
from solvers.graphs.graph import Graph
from solvers.graphs.readers import NetworkOptions, read_graph
from solvers.graphs.readers.osm.read import ATTRIBUTION
from solvers.graphs.readers.weighting import great_circle
from solvers.graphs.route import itinerary, path_course
from solvers.verification.paths import path_arcs
from tests.graphs import right_matrix
from tests.solvers.graphs.readers.osm.town import PLACES, WAYS, Ways, write_osm


def read(folder: Path, ways: Ways = WAYS, profile: str = "car", largest: bool = True, **choices: object) -> Graph:
    """The network of some ways."""
    node_tags = choices.pop("node_tags", None)
    path = write_osm(folder / "town.osm.pbf", ways, node_tags=node_tags)
    return read_graph(path, network=NetworkOptions(profile, largest), **choices).graph


def roads(graph: Graph) -> dict[tuple[int, int], str]:
    """Name of the road from each tail id to each head id."""
    ends = zip(graph.ids[graph.tails].tolist(), graph.ids[graph.indices].tolist(), strict=True)
    return {end: graph.roads.name(arc) for arc, end in enumerate(ends)}


def line_length(*nodes: int) -> float:
    places = np.array([PLACES[node] for node in nodes])
    return float(great_circle(places[:-1], places[1:]).sum())


def test_vertices_are_junctions_and_dead_ends_with_the_ids_of_their_nodes(tmp_path: Path) -> None:
    graph = read(tmp_path)

    # 3 joins two ways of one name; 10 and 12 lie inside ways; 4 and 11 end roads of different names
    assert graph.ids.tolist() == [1, 2, 4, 11]
    assert roads(graph) == {
        (1, 2): "Main Street (B 1)", (2, 1): "Main Street (B 1)", (2, 4): "Main Street (B 1)",
        (4, 2): "Main Street (B 1)", (2, 11): "Lane", (4, 11): "Back Lane", (11, 4): "Back Lane",
    }  # fmt: skip
    np.testing.assert_allclose(graph.coordinates.xy, [PLACES[i] for i in (1, 2, 4, 11)])
    assert graph.directed


def test_random_weights_of_two_way_roads_are_drawn_for_roads(tmp_path: Path) -> None:
    """Among them two roads between the same crossings, and one that ends where it begins."""
    two_way = {way: (nodes, {**tags, "oneway": "no"}) for way, (nodes, tags) in WAYS.items()}
    two_way[105] = ((2, 11), {"highway": "residential", "name": "Short Cut"})
    two_way[106] = ((2, 1, 20, 2), {"highway": "residential", "name": "Round"})
    graph = read(tmp_path, two_way, weights="random:1:1000000:7")

    assert not graph.directed
    assert sorted(np.unique(graph.weights, return_counts=True)[1].tolist())[-1] == 2, "a weight for each road"
    arcs = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    of_road: dict[tuple[str, frozenset[int]], set[int]] = {}
    for arc, (tail, head, weight) in enumerate(arcs):
        of_road.setdefault((graph.roads.name(arc), frozenset((tail, head))), set()).add(weight)
    assert max(map(len, of_road.values())) == 1, "both directions of a road weigh the same"
    for direction in ("out", "in"):
        found = all_sources(graph, ["eccentricity"], direction=direction)
        assert found.verdict.verified
        np.testing.assert_array_equal(found.eccentricity, right_matrix(graph).max(axis=1))


def test_random_weights_of_one_way_roads_are_drawn_for_arcs(tmp_path: Path) -> None:
    graph = read(tmp_path, weights="random:1:1000000:7")
    assert graph.directed
    assert len(np.unique(graph.weights)) == graph.m


def test_weights_are_tenths_of_seconds_and_of_metres_along_the_curve(tmp_path: Path) -> None:
    graph = read(tmp_path)
    arc = path_arcs(graph, np.array([1, 2]))[0]  # from 2 to 4, at 50 km/h

    assert (graph.weight_unit, graph.weights.dtype) == ("ds", np.int32)
    assert graph.weights[arc] == round(10 * line_length(2, 3, 4) / (50 / 3.6))
    by_length = graph.with_weights("metres")
    assert by_length.weight_unit == "dm"
    lane = path_arcs(graph, np.array([1, 3]))[0]
    assert by_length.weights[lane] == round(10 * line_length(2, 10, 11))
    assert by_length.coordinates is graph.coordinates
    assert read(tmp_path, weights="metres").weights.tolist() == by_length.weights.tolist()


def test_the_course_of_a_path_goes_through_the_bends_in_the_direction_of_travel(tmp_path: Path) -> None:
    graph = read(tmp_path)

    there = path_course(graph, path_arcs(graph, np.array([0, 1, 3, 2])))  # 1, 2, Lane to 11, Back Lane to 4
    back = path_course(graph, path_arcs(graph, np.array([2, 3])))

    np.testing.assert_allclose(there, [PLACES[i] for i in (1, 2, 10, 11, 12, 4)])
    np.testing.assert_allclose(back, [PLACES[i] for i in (4, 12, 11)])


def test_successive_arcs_of_one_road_are_one_stretch(tmp_path: Path) -> None:
    graph = read(tmp_path)

    found = itinerary(graph, path_arcs(graph, np.array([0, 1, 2, 3])))

    assert [(stretch.name, stretch.arcs) for stretch in found] == [("Main Street (B 1)", 2), ("Back Lane", 1)]
    assert found[0].metres == pytest.approx(line_length(1, 2, 3, 4), abs=0.2)
    assert found[0].text == "Main Street (B 1), 227 m"


def test_the_other_parts_are_kept_and_counted_unless_only_the_largest_is_wanted(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "town.osm")

    whole, largest = (read_graph(path, network=NetworkOptions(largest_part=only)) for only in (False, True))

    assert whole.graph.ids.tolist() == [1, 2, 4, 11, 20, 21]
    assert whole.report.outside_largest == 2
    assert "2 of 6 vertices are not connected" in whole.report.warnings[0]
    assert largest.graph.ids.tolist() == [1, 2, 4, 11]
    assert "2 vertices were left out" in largest.report.warnings[0]
    assert "service road" not in largest.graph.roads.names


@pytest.mark.parametrize("suffix", ["osm.pbf", "osm", "osm.gz", "osm.bz2"])
def test_every_format_is_told_by_content(tmp_path: Path, suffix: str) -> None:
    path = write_osm(tmp_path / f"town.{suffix}").rename(tmp_path / "town.data")

    reading = read_graph(path)

    assert reading.graph.n == 6
    assert reading.report.format.startswith("OpenStreetMap extract")
    assert reading.graph.roads.attribution == ATTRIBUTION


def test_a_pipe_is_read(tmp_path: Path) -> None:
    import os
    import threading

    content = write_osm(tmp_path / "town.osm.pbf").read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(content))
    writer.start()

    assert read_graph(pipe).graph.n == 6
    writer.join()


def test_ways_before_their_nodes_are_read(tmp_path: Path) -> None:
    text = write_osm(tmp_path / "town.osm").read_text()
    head, _, rest = text.partition("<node")
    nodes, _, ways = ("<node" + rest).partition("<way")
    ways, _, tail = ("<way" + ways).rpartition("</osm>")
    (tmp_path / "turned.osm").write_text(head + ways + nodes + "</osm>" + tail)

    assert read_graph(tmp_path / "turned.osm").graph.n == 6


def test_a_ring_without_junctions_is_one_road_from_a_vertex_to_itself(tmp_path: Path) -> None:
    ring = {1: ((1, 2, 11), {"highway": "service"}), 2: ((11, 3, 1), {"highway": "service"})}

    graph = read(tmp_path, ring)

    assert (graph.n, graph.m) == (1, 1)
    assert graph.tails.tolist() == graph.indices.tolist() == [0]
    assert len(graph.roads.shapes.of(0)) == 3


def test_chains_join_ways_drawn_in_opposite_directions_where_both_are_one_way(tmp_path: Path) -> None:
    street = {"highway": "residential", "name": "S"}
    one_way = {1: ((1, 2), {**street, "oneway": "yes"}), 2: ((3, 2), {**street, "oneway": "-1"})}
    clash = {1: ((1, 2), {**street, "oneway": "yes"}), 2: ((2, 3), street)}

    through, split = read(tmp_path, one_way), read(tmp_path, clash)

    assert list(roads(through)) == [(1, 3)]
    assert sorted(roads(split)) == [(1, 2), (2, 3), (3, 2)]


def test_two_roads_between_the_same_junctions_are_parallel_arcs(tmp_path: Path) -> None:
    ways = {
        1: ((1, 2, 4), {"highway": "residential", "name": "N"}),
        2: ((1, 12, 4), {"highway": "residential", "name": "S"}),
        3: ((4, 21), {"highway": "residential", "name": "E"}),
        4: ((1, 20), {"highway": "residential", "name": "W"}),
    }

    graph = read(tmp_path, ways)

    row = graph.row(graph.vertex(1))
    assert graph.ids[graph.indices[row]].tolist() == [4, 4, 20]
    assert {graph.roads.name(arc) for arc in range(row.start, row.stop - 1)} == {"N", "S"}


def test_a_network_without_one_way_roads_is_undirected(tmp_path: Path) -> None:
    graph = read(tmp_path, profile="foot")

    assert not graph.directed
    assert (11, 2) in roads(graph)  # against the direction of the one-way lane


def test_a_ferry_takes_its_duration_and_is_divided_by_length(tmp_path: Path) -> None:
    ways = {
        1: ((1, 2), {"highway": "residential"}),
        2: ((2, 3, 4), {"route": "ferry", "name": "Boat", "duration": "00:20"}),
        3: ((3, 12), {"highway": "residential"}),
    }

    graph = read(tmp_path, ways)

    first, second = (path_arcs(graph, np.array([graph.vertex(a), graph.vertex(b)]))[0] for a, b in ((2, 3), (3, 4)))
    assert graph.weights[first] + graph.weights[second] == 12_000
    assert graph.weights[first] == pytest.approx(graph.weights[second], abs=1)


def test_a_barrier_closes_the_way_for_whom_it_stops(tmp_path: Path) -> None:
    bollard = {10: {"barrier": "bollard"}}

    by_car, by_bicycle = (read(tmp_path, profile=who, node_tags=bollard) for who in ("car", "bicycle"))

    assert (2, 11) not in roads(by_car)
    assert (2, 11) in roads(by_bicycle)


def test_unit_weights_can_be_exchanged_for_those_of_the_file(tmp_path: Path) -> None:
    graph = read(tmp_path, weights="unit")

    assert set(graph.weights.tolist()) == {1}
    assert graph.with_weights("seconds").weights.tolist() == read(tmp_path).weights.tolist()


@pytest.mark.parametrize("suffix", ["osm", "osm.pbf", "osm.bz2"])
def test_objects_that_were_not_uploaded_have_negative_ids_and_are_read(tmp_path: Path, suffix: str) -> None:
    """As JOSM writes them, beside objects with the ids of the database."""
    new = {1: -25_359, 2: -25_360, 12: -7}
    places = {new.get(node, node): place for node, place in PLACES.items()}
    ways = {-way: ([new.get(node, node) for node in nodes], tags) for way, (nodes, tags) in WAYS.items()}
    known = read_graph(write_osm(tmp_path / f"town.{suffix}")).graph
    graph = read_graph(write_osm(tmp_path / f"new.{suffix}", ways, places, {-7: {"barrier": "gate"}})).graph

    assert {-25_359, -25_360} <= set(graph.ids.tolist())
    assert sorted(graph.weights.tolist()) == sorted(known.weights.tolist())
    assert graph.coordinates is not None
    assert graph.coordinates.xy[graph.vertex(-25_359)] == pytest.approx(PLACES[1])
