"""Weights are lengths where they fit the ground, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.graph import Coordinates
from solvers.graphs.readers import read_graph
from solvers.graphs.readers.units import great_circle, length_unit
from tests.data import data_file

PLACES = np.array([[-74.0, 40.70], [-74.0, 40.71], [-73.98, 40.71], [-73.99, 40.73]])
TAILS, HEADS = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
METRES = great_circle(PLACES[TAILS], PLACES[HEADS])


def test_a_degree_of_latitude_is_111_km() -> None:
    assert great_circle(np.array([[0.0, 0.0]]), np.array([[0.0, 1.0]]))[0] == pytest.approx(111_195, rel=1e-4)


@pytest.mark.parametrize(("factor", "unit"), [(0.001, "km"), (1, "m"), (10, "dm"), (100, "cm")])
def test_lengths_are_recognised(factor: float, unit: str) -> None:
    assert length_unit(Coordinates(PLACES, geographic=True), TAILS, HEADS, METRES * factor) == unit


def test_travel_times_are_not() -> None:
    speeds = np.array([1.0, 2.0, 0.5, 3.0])
    assert length_unit(Coordinates(PLACES, geographic=True), TAILS, HEADS, METRES * speeds) == ""


def test_weights_near_the_range_of_float64_fit_no_unit() -> None:
    """Ratios to them overflow, which must not be told by a warning of NumPy."""
    for weights in (np.full(4, 1.7e308), np.array([1.7e308, -1.7e308, 1.7e308, -1.7e308])):
        assert length_unit(Coordinates(PLACES, geographic=True), TAILS, HEADS, weights) == ""


def test_a_plane_has_no_metres() -> None:
    assert length_unit(Coordinates(PLACES, geographic=False), TAILS, HEADS, METRES) == ""


def test_new_york_is_measured_in_decimetres() -> None:
    path = data_file("dimacs/USA-road-d.NY.gr.gz")
    assert read_graph(path).graph.weight_unit == "dm"
    assert read_graph(path, weights="unit").graph.weight_unit == ""
