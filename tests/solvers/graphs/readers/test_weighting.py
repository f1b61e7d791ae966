"""The user's choice of weights.

Weights are lengths where they fit the ground, and only there.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.graph import Coordinates
from solvers.graphs.readers import read_graph
from solvers.graphs.readers.weighting import great_circle, length_unit, parse_weighting
from tests.data import data_file
from tests.solvers.graphs.readers.conftest import ReadText, arcs

EDGES = "".join(f"{k} {k + 1} {k}\n" for k in range(1_000))


def test_column_is_the_files_own(read_text: ReadText) -> None:
    reading = read_text(EDGES)

    assert reading.graph.weights.tolist() == list(range(1_000))
    assert reading.report.weights_from == "column 3"


def test_unit_never_looks_at_the_column(read_text: ReadText) -> None:
    reading = read_text("a 1 2 nonsense\na 2 3 x y z\n", weights="unit")

    assert arcs(reading.graph) == [(1, 2, 1), (2, 3, 1)]
    assert reading.report.weights_from == "unit"


def test_random_weights_fill_their_range_and_repeat(read_text: ReadText) -> None:
    first = read_text(EDGES, weights="random:1:10:7")
    again = read_text(EDGES, weights="random:1:10:7")
    other = read_text(EDGES, weights="random:1:10:8")

    assert set(first.graph.weights.tolist()) == set(range(1, 11))
    assert np.bincount(first.graph.weights)[1:].min() > 60  # about 100 each
    assert first.graph.sha256 == again.graph.sha256 != other.graph.sha256
    assert first.report.weights_from == "random 1 to 10, seed 7"


def test_random_weights_are_the_same_everywhere(read_text: ReadText) -> None:
    """Fixed for ever: results with random weights must be repeatable on other machines and under later versions."""
    graph = read_text(EDGES, weights="random:1:1000:42").graph

    assert graph.weights[:6].tolist() == [12, 669, 318, 803, 697, 882]


def test_both_arcs_of_an_edge_weigh_the_same(read_text: ReadText) -> None:
    graph = read_text("p tw 3 2\n1 2\n2 3\n", weights="random:1:1000000:3").graph

    weights = {(tail, head): weight for tail, head, weight in arcs(graph)}
    assert weights[1, 2] == weights[2, 1]
    assert weights[2, 3] == weights[3, 2]


@pytest.mark.parametrize(
    ("choice", "dtype", "low", "high"),
    [
        ("random:-5:5:1", np.int32, -5, 5),
        ("random:0:1099511627776:1", np.int64, 0, 2**40),
        ("random:0.5:1:1", np.float64, 0.5, 1),
        ("random:3:3:1", np.int32, 3, 3),
    ],
)
def test_the_range_gives_the_type(choice: str, dtype: type, low: float, high: float) -> None:
    weights = parse_weighting(choice).draw(10_000, lambda: None)

    assert weights.dtype == dtype
    assert low <= weights.min() <= low + (high - low) / 100
    assert high - (high - low) / 100 <= weights.max() <= high


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
