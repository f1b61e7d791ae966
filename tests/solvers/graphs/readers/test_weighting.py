"""The user's choice of weights."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.readers.weighting import parse_weighting
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
