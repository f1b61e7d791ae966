"""Every published file reads with the vertices and arcs that its publisher counts; so
do OpenStreetMap extracts.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.route import path_polyline
from solvers.graphs.weighting import great_circle
from tests.data import data_file

# file, vertices, data lines: the table of the data folder's README
COUNTS = [
    ("dimacs/USA-road-d.NY.gr.gz", 264_346, 733_846),
    ("dimacs/rome99.gr", 3_353, 8_870),
    ("snap/p2p-Gnutella04.txt", 10_876, 39_994),
    ("snap/p2p-Gnutella06.txt", 8_717, 31_525),
    ("snap/p2p-Gnutella25.txt", 22_687, 54_705),
    ("snap/p2p-Gnutella30.txt.gz", 36_682, 88_328),
    ("snap/wiki-Vote.txt.gz", 7_115, 103_689),
    ("snap/ca-GrQc.txt.gz", 5_242, 28_980),
    ("snap/facebook_combined.txt", 4_039, 88_234),
    ("snap/soc-sign-bitcoinotc.csv.gz", 5_881, 35_592),
    ("other/tinyEWD.txt", 8, 15),
    ("other/tinyEWDn.txt", 8, 15),
    ("other/tinyEWDnc.txt", 8, 15),
    ("other/1000EWD.txt", 1_000, 16_866),
    ("other/usa.txt.gz", 87_575, 121_961),
    ("other/DC.tmp.gz", 9_559, 14_909),
    ("other/256_16384.gr", 256, 16_384),
    ("other/graph_ballard.gr", 7_026, 16_510),
    ("other/pace16-FLA.gr.gz", 1_070_376, 1_343_951),
    ("malformed/USA-road-d.NY.small.gr", 1_000, 2_050),
    ("malformed/mesh.gr", 2_500, 9_800),
    ("malformed/rome99-noheader.gr", 3_353, 8_870),
    ("malformed/rome99-crlf.gr", 3_353, 8_870),
]
UNDIRECTED = ("other/usa.txt.gz", "other/DC.tmp.gz", "other/pace16-FLA.gr.gz")

pytestmark = pytest.mark.data


@pytest.mark.parametrize(("name", "vertices", "lines"), COUNTS, ids=[row[0] for row in COUNTS])
def test_one_arc_for_every_data_line_when_read_as_listed(
    name: str, vertices: int, lines: int
) -> None:
    reading = read_graph(data_file(name), ReadingOptions(undirected=False))

    assert (reading.graph.n, reading.graph.m) == (vertices, lines)
    assert (reading.report.vertices, reading.report.arcs) == (vertices, lines)


@pytest.mark.parametrize("name", UNDIRECTED)
def test_formats_that_store_an_edge_once_give_both_arcs(name: str) -> None:
    lines = {row[0]: row[2] for row in COUNTS}[name]

    graph = read_graph(data_file(name)).graph

    loops = np.count_nonzero(graph.tails == graph.indices)
    assert graph.m == 2 * lines - loops  # a self-loop is its own reverse
    assert not graph.directed


def test_new_york_lies_where_new_york_lies() -> None:
    reading = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz"))
    graph, report = reading.graph, reading.report

    assert graph.coordinates.geographic
    assert graph.coordinates.xy[graph.vertex(1)] == pytest.approx([-73.530767, 41.085396], abs=1e-9)
    assert (report.parallel_arcs, report.self_loops, report.warnings) == (3_746, 0, ())
    assert report.coordinates_from == "USA-road-d.NY.co.gz"
    assert graph.weights.dtype == np.int32


def test_plane_coordinates_are_not_taken_for_degrees() -> None:
    graph = read_graph(data_file("malformed/mesh.gr")).graph

    assert not graph.coordinates.geographic
    assert graph.coordinates.xy.max() == 49


def test_a_wrong_header_is_told_and_not_believed() -> None:
    report = read_graph(data_file("malformed/USA-road-d.NY.small.gr")).report

    assert (report.header_vertices, report.header_arcs) == (264_346, 733_846)
    assert report.warnings == (
        "The header says 264\u202f346 vertices; the file has 1\u202f000.",
        "The header says 733\u202f846 arcs; the file has 2\u202f050.",
    )


def test_ids_with_gaps_stay_the_files_own() -> None:
    graph = read_graph(data_file("snap/wiki-Vote.txt.gz")).graph

    assert (graph.ids[0], graph.ids[-1]) == (3, 8_297)
    assert graph.row(graph.vertex(8274)).stop - graph.row(graph.vertex(8274)).start > 0


def test_trust_ratings_are_weights_and_their_time_is_not() -> None:
    report = read_graph(data_file("snap/soc-sign-bitcoinotc.csv.gz")).report

    assert (report.least_weight, report.greatest_weight, report.negative_arcs) == (-10, 10, 3_563)
    assert any("column 4 is ignored" in warning for warning in report.warnings)


def test_rome_reads_the_same_with_any_line_end_and_without_a_header() -> None:
    plain = read_graph(data_file("dimacs/rome99.gr")).graph

    assert read_graph(data_file("malformed/rome99-crlf.gr")).graph.sha256 == plain.sha256
    assert read_graph(data_file("malformed/rome99-noheader.gr")).graph.sha256 == plain.sha256
    assert read_graph(data_file("dimacs/rome99.gr")).report.parallel_arcs == 11


def test_usa_map_weighs_its_edges_by_length() -> None:
    graph = read_graph(data_file("other/usa.txt.gz")).graph

    xy = graph.coordinates.xy
    assert graph.weights == pytest.approx(np.hypot(*(xy[graph.tails] - xy[graph.indices]).T))


def test_tiger_lengths_are_metres_on_the_ground() -> None:
    graph = read_graph(data_file("other/DC.tmp.gz")).graph

    assert graph.coordinates is not None
    assert graph.weight_unit == "m"
    degrees = graph.coordinates.xy[graph.indices] - graph.coordinates.xy[graph.tails]
    north = degrees[:, 1] * 111_200
    east = degrees[:, 0] * 111_200 * np.cos(np.radians(38.9))
    straight = np.hypot(east, north)
    assert np.median(graph.weights[straight > 50] / straight[straight > 50]) == pytest.approx(
        1, abs=0.02
    )


@pytest.fixture(scope="module")
def liechtenstein() -> Reading:
    return read_graph(
        data_file("osm/liechtenstein.osm.pbf"), ReadingOptions(profile="car", largest_part=True)
    )


def test_a_whole_country_is_one_network_of_junctions(liechtenstein: Reading) -> None:
    graph, report = liechtenstein.graph, liechtenstein.report

    assert (graph.n, graph.m) == (4_894, 10_796)
    matrix = csr_array(
        (np.ones(graph.m, np.int8), graph.indices, graph.indptr), shape=(graph.n, graph.n)
    )
    assert connected_components(matrix, directed=False)[0] == 1
    assert "116 vertices were left out" in report.warnings[0]
    assert (report.negative_arcs, report.outside_largest) == (0, 0)
    assert {"Landstrasse", "Äulestrasse"} <= set(graph.roads.names)


def test_lengths_are_those_of_the_curves_and_no_shorter_than_the_straight_line(
    liechtenstein: Reading,
) -> None:
    graph = liechtenstein.graph.with_weights("metres")
    straight = great_circle(graph.coordinates.xy[graph.tails], graph.coordinates.xy[graph.indices])
    arcs = np.flatnonzero(graph.roads.shapes.of_arc != 0)[::97]

    assert (graph.weights / 10 >= straight - 0.1).all()
    for arc in arcs:
        line = path_polyline(graph, np.array([arc]))
        assert graph.weights[arc] / 10 == pytest.approx(
            great_circle(line[:-1], line[1:]).sum(), abs=0.06
        )


def test_nobody_travels_faster_than_the_greatest_limit(liechtenstein: Reading) -> None:
    graph = liechtenstein.graph
    speeds = graph.roads.column("metres").values / graph.weights * 3.6

    assert speeds[graph.weights > 50].max() < 121
    assert np.median(speeds) > 20


def test_packed_xml() -> None:
    reading = read_graph(data_file("osm/West-Oakland.osm.bz2"))

    assert (reading.graph.n, reading.graph.m) == (38, 74)
    assert reading.report.format == "OpenStreetMap extract (XML, bzip2)"
