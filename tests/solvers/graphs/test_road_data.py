"""Weights to choose from, shapes and names: exchanged, kept with closed roads, checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.errors import ParameterError, UnknownName, UnsuitableGraph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.route import itinerary, other_measure, path_course, road_facts
from solvers.graphs.writers import write_dimacs
from tests.curved import ATTRIBUTION, curved_town
from tests.graphs import from_list


def test_weights_are_exchanged_and_everything_else_is_kept() -> None:
    town = curved_town()

    by_length = town.with_weights("metres")

    assert by_length.weights.tolist() == [30, 30, 83, 65, 65, 30, 30]
    assert by_length.weight_unit == "dm"
    assert by_length.coordinates is town.coordinates
    assert by_length.roads is town.roads
    assert by_length.structure_sha256 == town.structure_sha256


@pytest.mark.parametrize("graph", [curved_town(), from_list(2, [(0, 1, 1)])], ids=["other name", "no roads"])
def test_unknown_weights_are_refused(graph) -> None:
    with pytest.raises(UnknownName, match="There is no column of weights “metre"):
        graph.with_weights("metre" if graph.roads else "metres")


def test_closed_roads_take_their_data_along() -> None:
    closed = RoadChanges().close((20, 10), one_way=True).apply(curved_town())

    assert closed.roads.name_of.tolist() == [0, 1, 2, 2, 0, 0]
    assert closed.roads.shapes.of_arc.tolist() == [0, 1, -2, 2, 0, 0]
    assert closed.roads.column("metres").values.tolist() == [30, 83, 65, 65, 30, 30]
    assert closed.with_weights("metres").m == 6


def test_data_for_another_number_of_arcs_are_refused() -> None:
    town = curved_town()

    with pytest.raises(ParameterError, match="another number of arcs"):
        replace(town, roads=town.roads.of_arcs(np.arange(3)))


def test_the_course_of_arcs() -> None:
    town = curved_town()

    np.testing.assert_array_equal(path_course(town, np.array([0, 3])), [[0, 0], [3, 0], [4, -2], [6, -2], [7, 0]])
    np.testing.assert_array_equal(path_course(town, np.array([4])), [[7, 0], [6, -2], [4, -2], [3, 0]])
    np.testing.assert_array_equal(path_course(replace(town, roads=None), np.array([0, 2])), [[0, 0], [3, 0], [7, 0]])
    assert path_course(town, np.array([], np.int64)).shape == (0, 2)
    with pytest.raises(UnsuitableGraph, match="no coordinates"):
        path_course(replace(town, coordinates=None, roads=None), np.array([0]))


def test_an_itinerary_joins_arcs_of_one_name() -> None:
    town = curved_town()

    found = itinerary(town, np.array([0, 2, 5]))

    assert [(s.name, s.arcs, s.metres, s.seconds) for s in found] == [
        ("Main Street", 1, 3.0, 1.0), ("Hill Road", 1, pytest.approx(8.3), 2.0), ("Main Street", 1, 3.0, 1.0),
    ]  # fmt: skip
    assert [s.text for s in itinerary(town, np.array([1, 0]))] == ["Main Street, 6 m"]
    assert itinerary(town, np.array([], np.int64)) == ()
    assert road_facts(town, 2) == (("road", "Hill Road"), ("length", "8 m"), ("time", "2 s"))
    with pytest.raises(ParameterError, match="no data of roads"):
        itinerary(from_list(2, [(0, 1, 1)]), np.array([0]))


def test_the_other_measure_of_a_path() -> None:
    town = curved_town()

    assert other_measure(town, np.array([0, 2])) == "11 m"
    assert other_measure(town.with_weights("metres"), np.array([0, 2])) == "3 s"
    assert other_measure(from_list(2, [(0, 1, 1)]), np.array([0])) == ""


def test_the_attribution_goes_into_the_file(tmp_path) -> None:
    write_dimacs(curved_town(), tmp_path / "town.gr")

    assert (tmp_path / "town.gr").read_text().splitlines()[:2] == ["c town", f"c {ATTRIBUTION}"]
