"""A whole country, and a neighbourhood as packed XML."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from solvers.graphs.readers import NetworkOptions, Reading, read_graph
from solvers.graphs.readers.weighting import great_circle
from tests.data import data_file

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def liechtenstein() -> Reading:
    return read_graph(data_file("osm/liechtenstein.osm.pbf"), network=NetworkOptions("car", largest_part=True))


def test_a_whole_country_is_one_network_of_junctions(liechtenstein: Reading) -> None:
    graph, report = liechtenstein.graph, liechtenstein.report

    assert (graph.n, graph.m) == (4_873, 10_754)
    assert connected_components(_matrix(graph), directed=False)[0] == 1
    assert "112 vertices were left out" in report.warnings[0]
    assert (report.negative_arcs, report.outside_largest) == (0, 0)
    assert {"Landstrasse", "Äulestrasse"} <= set(graph.roads.names)


def test_lengths_are_those_of_the_curves_and_no_shorter_than_the_straight_line(liechtenstein: Reading) -> None:
    graph = liechtenstein.graph.with_weights("metres")
    straight = great_circle(graph.coordinates.xy[graph.tails], graph.coordinates.xy[graph.indices])
    arcs = np.flatnonzero(graph.roads.shapes.of_arc != 0)[::97]

    assert (graph.weights / 10 >= straight - 0.1).all()
    for arc in arcs:
        line = np.concatenate(
            (
                graph.coordinates.xy[graph.tails[[arc]]],
                graph.roads.shapes.of(arc),
                graph.coordinates.xy[graph.indices[[arc]]],
            )
        )
        assert graph.weights[arc] / 10 == pytest.approx(great_circle(line[:-1], line[1:]).sum(), abs=0.06)


def test_nobody_travels_faster_than_the_greatest_limit(liechtenstein: Reading) -> None:
    graph = liechtenstein.graph
    speeds = graph.roads.column("metres").values / graph.weights * 3.6

    assert speeds[graph.weights > 50].max() < 121
    assert np.median(speeds) > 20


def test_packed_xml() -> None:
    reading = read_graph(data_file("osm/West-Oakland.osm.bz2"))

    assert (reading.graph.n, reading.graph.m) == (38, 74)
    assert reading.report.format == "OpenStreetMap extract (XML, bzip2)"


def _matrix(graph):
    from scipy.sparse import csr_array

    return csr_array((np.ones(graph.m, np.int8), graph.indices, graph.indptr), shape=(graph.n, graph.n))
