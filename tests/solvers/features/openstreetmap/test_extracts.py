"""OpenStreetMap extracts: profiles, junctions, lengths and shapes; and files that are
no usable extract.
"""

from __future__ import annotations

import bz2
import gzip
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from solvers import all_sources
from solvers.errors import (
    FileFormatError,
    OptionNotApplicable,
    OutOfMemory,
    ParameterError,
    UnknownName,
)
from solvers.features.openstreetmap import extract
from solvers.features.openstreetmap.network import ATTRIBUTION
from solvers.features.openstreetmap.profiles import Passage, find_profile
from solvers.features.openstreetmap.tags import duration, road_class, road_name, speed_limit
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.route import itinerary, path_polyline
from solvers.graphs.search import find
from solvers.graphs.weighting import great_circle
from solvers.system.machine import Memory
from solvers.verification.paths import path_arcs
from tests.graphs import right_matrix
from tests.solvers.features.openstreetmap.town import PLACES, WAYS, Ways, write_osm
from tests.solvers.graphs.readers.test_input_file import at_checkpoint


def passage(profile: str, **tags: str) -> Passage:
    """What a profile makes of a way; a double underscore stands for a colon."""
    return find_profile(profile).passage(
        {key.replace("__", ":"): value for key, value in tags.items()}
    )


@pytest.mark.parametrize(
    ("text", "kmh"),
    [
        ("50", 50.0),
        ("50 km/h", 50.0),
        ("30 mph", 48.28032),
        ("10 knots", 18.52),
        ("none", 120.0),
        ("walk", 7.0),
        ("DE:urban", 50.0),
        ("AT:rural", 100.0),
        ("CH:rural", 80.0),
        ("DE:zone:30", 30.0),
        ("zone20", 20.0),
        ("IT:motorway", 120.0),
        ("80;50", 50.0),
        ("signals", None),
        ("variable; 60", 60.0),
    ],
)
def test_speed_limits(text: str, kmh: float | None) -> None:
    assert speed_limit(text) == (None if kmh is None else pytest.approx(kmh))


@pytest.mark.parametrize(
    "text", ["fast", "0", "5000", "-30", " ", "50 furlongs", "nan", "1e9", "DE:quickly", "٣٠٠٠"]
)
def test_nonsense_is_no_speed_limit(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text.split(";")[0])):
        speed_limit(text)
    assert passage("car", highway="residential", maxspeed=text) == Passage(
        30.0, 30.0, nonsense=text
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:20", 1200),
        ("1:30", 5400),
        ("0:00:45", 45),
        ("PT1H30M", 5400),
        ("P1DT2H", 93_600),
        ("25", 1500),
        ("soon", None),
        ("0", None),
        ("PT", None),
        ("99999:00", None),
    ],
)
def test_durations_of_ferries(text: str, seconds: float | None) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("tags", "both"),
    [
        ({"oneway": "yes"}, (True, False)),
        ({"oneway": "-1"}, (False, True)),
        ({"oneway": "no", "junction": "roundabout"}, (True, True)),
        ({"junction": "roundabout"}, (True, False)),
        ({"junction": "circular"}, (True, False)),
        ({"oneway": "alternating"}, (True, True)),
        ({"oneway": "maybe"}, (True, True)),
        ({}, (True, True)),
    ],
)
def test_directions_of_a_car(tags: dict[str, str], both: tuple[bool, bool]) -> None:
    found = passage("car", highway="residential", **tags)

    assert (found.forward > 0, found.backward > 0) == both


def test_motorways_reversible_lanes_and_limits_by_direction() -> None:
    assert passage("car", highway="motorway", maxspeed="100") == Passage(100.0, 0.0)
    assert passage("car", highway="primary", oneway="reversible") == Passage(changing=True)
    assert passage("car", highway="primary", maxspeed="70", maxspeed__backward="50") == Passage(
        70.0, 50.0
    )


@pytest.mark.parametrize(
    ("profile", "tags", "usable"),
    [
        ("car", {"highway": "footway"}, False),
        ("car", {"highway": "track"}, False),
        ("car", {"highway": "track", "motor_vehicle": "yes"}, True),
        ("car", {"highway": "residential", "access": "private"}, False),
        ("car", {"highway": "residential", "access": "no", "motorcar": "destination"}, True),
        ("car", {"highway": "residential", "vehicle": "no"}, False),
        ("car", {"highway": "construction", "motor_vehicle": "yes"}, False),
        ("car", {"highway": "service", "area": "yes"}, False),
        ("car", {"route": "ferry"}, True),
        ("car", {"route": "ferry", "motor_vehicle": "no"}, False),
        ("car", {"route": "bus"}, False),
        ("bicycle", {"highway": "motorway"}, False),
        ("bicycle", {"highway": "cycleway"}, True),
        ("bicycle", {"highway": "footway"}, False),
        ("bicycle", {"highway": "footway", "bicycle": "yes"}, True),
        ("bicycle", {"highway": "trunk", "motorroad": "yes"}, False),
        ("bicycle", {"highway": "residential", "vehicle": "no"}, False),
        ("foot", {"highway": "steps"}, True),
        ("foot", {"highway": "motorway"}, False),
        ("foot", {"highway": "residential", "vehicle": "no"}, True),
        ("foot", {"highway": "path", "foot": "no"}, False),
        ("foot", {"highway": "pedestrian", "area": "yes"}, True),
    ],
)
def test_access(profile: str, tags: dict[str, str], usable: bool) -> None:
    assert passage(profile, **tags).usable == usable


def test_one_way_streets_that_bicycles_may_use_both_ways() -> None:
    street = {"highway": "residential", "oneway": "yes"}

    assert passage("bicycle", **street).backward == 0
    assert passage("bicycle", **street, oneway__bicycle="no").backward > 0
    assert passage("bicycle", **street, cycleway="opposite_lane").backward > 0
    assert passage("foot", **street).backward > 0


def test_limits_slow_bicycles_but_do_not_speed_them_up() -> None:
    assert passage("bicycle", highway="residential", maxspeed="10").forward == 10.0
    assert passage("bicycle", highway="residential", maxspeed="50").forward == 18.0
    assert passage("bicycle", highway="path", bicycle="dismount").forward == 4.0


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ({"highway": "motorway", "ref": "A 13", "name": "Rheintalautobahn"}, "A 13"),
        ({"highway": "primary", "ref": "17;B 2", "name": "Landstrasse"}, "Landstrasse (17, B 2)"),
        ({"highway": "primary", "ref": "17"}, "17"),
        ({"highway": "service"}, "service road"),
        ({"highway": "something"}, "road"),
        ({"route": "ferry"}, "ferry"),
        ({"highway": "path", "name": "a\u202eb\n\tc"}, "a b c"),
        ({"highway": "path", "name": "x" * 200}, "x" * 79 + "…"),
    ],
)
def test_names(tags: dict[str, str], name: str) -> None:
    assert road_name(tags) == name


def test_classes_rank_roads_and_slip_roads_as_their_road() -> None:
    kinds = [
        "motorway",
        "trunk",
        "primary",
        "secondary",
        "tertiary",
        "residential",
        "service",
        "track",
    ]
    ranks = [road_class({"highway": kind}) for kind in kinds]
    assert ranks == sorted(set(ranks), reverse=True)
    assert road_class({"highway": "trunk_link"}) == road_class({"highway": "trunk"})
    assert road_class({"route": "ferry"}) == road_class({"highway": "tertiary"})
    assert road_class({"highway": "something"}) == 0


def test_arcs_have_the_classes_of_their_roads(tmp_path: Path) -> None:
    roads = read_graph(write_osm(tmp_path / "town.osm")).graph.roads
    assert roads is not None
    assert {roads.name(arc): int(rank) for arc, rank in enumerate(roads.class_of)} == {
        "Main Street (B 1)": 5,
        "Lane": 2,
        "Back Lane": 2,
        "service road": 1,
    }
    assert roads.of_arcs(np.array([0])).class_of.tolist() == [int(roads.class_of[0])]


def read(
    folder: Path, ways: Ways = WAYS, profile: str = "car", largest: bool = True, **choices: object
) -> Graph:
    """The network of some ways."""
    node_tags = choices.pop("node_tags", None)
    path = write_osm(folder / "town.osm.pbf", ways, node_tags=node_tags)
    return read_graph(path, ReadingOptions(profile=profile, largest_part=largest, **choices)).graph


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
        (1, 2): "Main Street (B 1)",
        (2, 1): "Main Street (B 1)",
        (2, 4): "Main Street (B 1)",
        (4, 2): "Main Street (B 1)",
        (2, 11): "Lane",
        (4, 11): "Back Lane",
        (11, 4): "Back Lane",
    }
    np.testing.assert_allclose(graph.coordinates.xy, [PLACES[i] for i in (1, 2, 4, 11)])
    assert graph.directed


def test_random_weights_of_two_way_roads_are_drawn_for_roads(tmp_path: Path) -> None:
    """Among them two roads between the same crossings, and one that ends where it begins."""
    two_way = {way: (nodes, {**tags, "oneway": "no"}) for way, (nodes, tags) in WAYS.items()}
    two_way[105] = ((2, 11), {"highway": "residential", "name": "Short Cut"})
    two_way[106] = ((2, 1, 20, 2), {"highway": "residential", "name": "Round"})
    graph = read(tmp_path, two_way, weights="random:1:1000000:7")

    assert not graph.directed
    assert sorted(np.unique(graph.weights, return_counts=True)[1].tolist())[-1] == 2, (
        "a weight for each road"
    )
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

    assert (graph.weight_unit, graph.weights.dtype) == ("0.1 s", np.int32)
    assert graph.weights[arc] == round(10 * line_length(2, 3, 4) / (50 / 3.6))
    by_length = graph.with_weights("metres")
    assert by_length.weight_unit == "0.1 m"
    lane = path_arcs(graph, np.array([1, 3]))[0]
    assert by_length.weights[lane] == round(10 * line_length(2, 10, 11))
    assert by_length.coordinates is graph.coordinates
    assert read(tmp_path, weights="metres").weights.tolist() == by_length.weights.tolist()


def test_the_course_of_a_path_goes_through_the_bends_in_the_direction_of_travel(
    tmp_path: Path,
) -> None:
    graph = read(tmp_path)

    # 1, 2, Lane to 11, Back Lane to 4
    there = path_polyline(graph, path_arcs(graph, np.array([0, 1, 3, 2])))
    back = path_polyline(graph, path_arcs(graph, np.array([2, 3])))

    np.testing.assert_allclose(there, [PLACES[i] for i in (1, 2, 10, 11, 12, 4)])
    np.testing.assert_allclose(back, [PLACES[i] for i in (4, 12, 11)])


def test_successive_arcs_of_one_road_are_one_stretch(tmp_path: Path) -> None:
    graph = read(tmp_path)

    found = itinerary(graph, path_arcs(graph, np.array([0, 1, 2, 3])))

    assert [(stretch.name, stretch.arcs) for stretch in found] == [
        ("Main Street (B 1)", 2),
        ("Back Lane", 1),
    ]
    assert found[0].metres == pytest.approx(line_length(1, 2, 3, 4), abs=0.2)
    assert found[0].text == "Main Street (B 1), 227 m"


def test_the_other_parts_are_kept_and_counted_unless_only_the_largest_is_wanted(
    tmp_path: Path,
) -> None:
    path = write_osm(tmp_path / "town.osm")

    whole, largest = (read_graph(path, ReadingOptions(largest_part=only)) for only in (False, True))

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


def test_chains_join_ways_drawn_in_opposite_directions_where_both_are_one_way(
    tmp_path: Path,
) -> None:
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

    first, second = (
        path_arcs(graph, np.array([graph.vertex(a), graph.vertex(b)]))[0]
        for a, b in ((2, 3), (3, 4))
    )
    assert graph.weights[first] + graph.weights[second] == 12_000
    assert graph.weights[first] == pytest.approx(graph.weights[second], abs=1)


def test_a_barrier_ends_the_road_on_both_sides_for_whom_it_stops(tmp_path: Path) -> None:
    bollard = {10: {"barrier": "bollard"}}

    by_car, by_bicycle = (
        read(tmp_path, profile=who, largest=False, node_tags=bollard) for who in ("car", "bicycle")
    )

    assert (2, 11) in roads(by_bicycle)
    beyond = max(by_car.ids.tolist())  # the other side of the bollard
    assert (2, 11) not in roads(by_car)
    assert {(2, beyond), (10, 11)} <= roads(by_car).keys()
    assert 10 not in by_bicycle.ids
    sides = by_car.coordinates.xy[[by_car.vertex(10), by_car.vertex(beyond)]]
    assert sides[0].tolist() == sides[1].tolist()


def test_a_road_over_the_antimeridian_is_one(tmp_path: Path) -> None:
    places = {1: (179.999, -17.0), 2: (-179.999, -17.0), 3: (-179.998, -17.0), 4: (-179.998, -17.1)}
    ways = {1: ((1, 2, 3), {"highway": "primary"}), 2: ((3, 4), {"highway": "service"})}
    path = write_osm(tmp_path / "fiji.osm.pbf", ways, places)

    graph = read_graph(path).graph

    assert graph.coordinates.xy[:, 0] == pytest.approx([179.999, 180.002, 180.002])
    assert graph.with_weights("metres").weights[0] == 3_190
    assert find(graph, "-17, -179.9981").vertex == graph.vertex(3)


def test_unit_weights_can_be_exchanged_for_those_of_the_file(tmp_path: Path) -> None:
    graph = read(tmp_path, weights="unit")

    assert set(graph.weights.tolist()) == {1}
    assert graph.with_weights("seconds").weights.tolist() == read(tmp_path).weights.tolist()


@pytest.mark.parametrize("suffix", ["osm", "osm.pbf", "osm.bz2"])
def test_objects_that_were_not_uploaded_have_negative_ids_and_are_read(
    tmp_path: Path, suffix: str
) -> None:
    """As JOSM writes them, beside objects with the ids of the database."""
    new = {1: -25_359, 2: -25_360, 12: -7}
    places = {new.get(node, node): place for node, place in PLACES.items()}
    ways = {
        -way: ([new.get(node, node) for node in nodes], tags) for way, (nodes, tags) in WAYS.items()
    }
    known = read_graph(write_osm(tmp_path / f"town.{suffix}")).graph
    graph = read_graph(
        write_osm(tmp_path / f"new.{suffix}", ways, places, {-7: {"barrier": "gate"}})
    ).graph

    assert {-25_359, -25_360} <= set(graph.ids.tolist())
    assert sorted(graph.weights.tolist()) == sorted(known.weights.tolist())
    assert graph.coordinates.xy[graph.vertex(-25_359)] == pytest.approx(PLACES[1])


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_blank_lines_do_not_hide_what_follows(tmp_path: Path, ends: bytes) -> None:
    """The beginning that tells the format was counted in bytes, of which line ends can
    be one or two.
    """
    (tmp_path / "way.osm").write_bytes(ends * 2653 + b'<way id="-3"></way>')
    with pytest.raises(FileFormatError, match="whose first element is “way”"):
        read_graph(tmp_path / "way.osm")


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_osm(tmp_path / "town.osm.pbf")


def without_end(content: bytes) -> bytes:
    return content[:-40]


def zeroed(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(20) + content[middle + 20 :]


@pytest.mark.parametrize(
    ("suffix", "damaged"),
    [
        ("osm.pbf", lambda content: content[: len(content) // 2]),
        ("osm.pbf", without_end),
        ("osm.pbf", zeroed),
        ("osm", without_end),
        ("osm.gz", without_end),
        ("osm.bz2", without_end),
        ("osm", lambda content: content.replace(b'lat="', b'lat="x', 1)),
    ],
)
def test_damaged_files_are_refused(
    tmp_path: Path, suffix: str, damaged: Callable[[bytes], bytes]
) -> None:
    path = write_osm(tmp_path / f"town.{suffix}")
    path.write_bytes(damaged(path.read_bytes()))

    with pytest.raises(
        FileFormatError, match=r"town\.osm.*: .*damaged or truncated.*Download or copy"
    ):
        read_graph(path)


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2")])
def test_a_packed_pbf_is_refused_with_the_remedy(town: Path, pack, name: str) -> None:
    town.write_bytes(pack(town.read_bytes()))

    with pytest.raises(
        FileFormatError, match=rf"PBF file compressed with {name}\. Unpack it first\."
    ):
        read_graph(town)


def test_a_file_of_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "changes.osc"
    path.write_text('<?xml version="1.0"?><osmChange version="0.6"></osmChange>')

    with pytest.raises(FileFormatError, match=r"file of changes to OpenStreetMap.*\.osm\.pbf"):
        read_graph(path)


def test_an_extract_without_nodes_of_its_roads_is_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "bare.osm", places={99: (9.0, 47.0)})

    with pytest.raises(
        FileFormatError, match=r"the nodes of its 5 roads are missing.*complete ways"
    ):
        read_graph(path)


def test_a_profile_that_may_use_no_road_is_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "hills.osm", {1: ((1, 2), {"highway": "path"})})

    with pytest.raises(FileFormatError, match=r"a car may use none of its 1 road.*another profile"):
        read_graph(path)
    assert read_graph(path, ReadingOptions(profile="foot")).graph.n == 2


def test_roads_cut_at_the_border_of_the_extract_are_counted(tmp_path: Path) -> None:
    path = write_osm(
        tmp_path / "cut.osm", places={node: place for node, place in PLACES.items() if node != 12}
    )

    reading = read_graph(path)

    assert "2 pieces of roads were left out, because nodes are missing in the file" in " ".join(
        reading.report.warnings
    )
    assert 11 in reading.graph.ids


def test_places_outside_the_earth_are_missing(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "town.osm")
    path.write_text(path.read_text().replace('lat="47.0985"', 'lat="147.0985"'))

    warnings = read_graph(path).report.warnings

    assert "2 pieces of roads were left out" in " ".join(warnings)


def test_the_memory_is_planned_before_it_is_spent(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = extract.MemoryPlan(InputFile(town), "pbf").location_bytes
    # not for the nodes; not for all ways
    free = [needed - 1, needed + extract.network_bytes(refs=4, ways=1)]
    monkeypatch.setattr(extract.machine, "memory", lambda: Memory(1 << 30, free[0]))
    monkeypatch.setattr(extract, "_STEP", 1)
    with pytest.raises(OutOfMemory, match=r"Reading the roads of town\.osm\.pbf needs .* free\."):
        read_graph(town)
    free.pop(0)
    with pytest.raises(OutOfMemory) as caught:
        read_graph(town)
    assert caught.value.needed_bytes > free[0]


def test_another_profile_than_the_three_is_refused(town: Path) -> None:
    with pytest.raises(UnknownName, match="There is no profile “tank”"):
        read_graph(town, ReadingOptions(profile="tank"))


def test_metres_of_another_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("0 1 5\n1 2 7\n")

    with pytest.raises(ParameterError, match="metres and seconds are for OpenStreetMap"):
        read_graph(tmp_path / "g.txt", ReadingOptions(weights="metres"))


def test_options_that_do_not_apply_are_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "town.osm", {way: WAYS[way] for way in (100, 101)})

    with pytest.raises(
        OptionNotApplicable,
        match="have their own directions; this file takes weights, profile, largest",
    ):
        read_graph(path, ReadingOptions(undirected=True))
    with pytest.raises(
        OptionNotApplicable, match=r"“coordinates” .* which have their own coordinates"
    ):
        read_graph(path, ReadingOptions(coordinates=str(path)))


def test_an_extract_that_is_exchanged_while_it_is_read_is_said_to_change(town: Path) -> None:
    with pytest.raises(FileFormatError, match="the file changed while it was read"):
        read_graph(
            town, progress=at_checkpoint(0, lambda: town.write_bytes(town.read_bytes()[:100]))
        )
