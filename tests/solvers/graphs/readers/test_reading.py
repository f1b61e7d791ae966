"""Numbers as Python's float() reads them, options that a format takes, and the user's
choice of weights.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import solvers
from solvers.errors import OptionNotApplicable
from solvers.graphs.graph import Coordinates
from solvers.graphs.readers import read_graph
from solvers.graphs.readers.scan import HARD, INTEGER, NOT_A_NUMBER, parse_number
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.weighting import great_circle, length_unit, parse_weighting
from tests.data import data_file
from tests.solvers.graphs.readers.conftest import ReadText, arcs
from tests.solvers.graphs.readers.seeds import SEEDS

ATTRIBUTED = {"graphml", "gexf", "gml", "json"}
# numbers may be read as a table
TABLES = {"edge-table", "csv", "edge-list", "algs4", "map", "tiger", "metis"}

CASES: list[tuple[str, dict[str, Any], set[str]]] = [
    ("columns", {"columns": "1,2"}, TABLES),
    ("separator", {"separator": "comma"}, TABLES),
    ("attribute", {"attribute": "km"}, ATTRIBUTED),
    ("profile", {"profile": "bicycle"}, {"osm"}),
    ("profile", {"profile": "car"}, {"osm"}),
    ("largest_part", {"largest_part": True}, {"osm"}),
    ("weights", {"weights": "metres"}, {"osm"}),
    ("undirected", {"undirected": True}, set(SEEDS) - {"osm"}),
]


@pytest.mark.parametrize("reader", sorted(set(SEEDS) - {"coordinates"}))
def test_options_that_do_not_apply_are_refused(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "g"
    path.write_bytes(SEEDS[reader])
    refused = 0
    for name, options, readers in CASES:
        if reader in readers:
            continue
        with pytest.raises(OptionNotApplicable) as caught:
            read_graph(path, ReadingOptions(**options))
        assert (caught.value.name, bool(caught.value.format), bool(caught.value.applies)) == (
            name,
            True,
            True,
        )
        refused += 1
    assert refused


def test_the_library_refuses_them_too(tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    path.write_bytes(SEEDS["dimacs"])
    for options in (
        {"attribute": "km"},
        {"profile": "car"},
        {"columns": "1,2"},
        {"weights": "seconds"},
    ):
        with pytest.raises(OptionNotApplicable, match=next(iter(options))):
            solvers.read(path, **options)
    graph = solvers.read(path)
    for options in (
        {"attribute": "km"},
        {"undirected": True},
        {"weights": "unit"},
        {"profile": "foot"},
    ):
        with pytest.raises(OptionNotApplicable, match="a Graph, which is used as it is"):
            solvers.read(graph, **options)
    with pytest.raises(OptionNotApplicable, match="a matrix or arrays"):
        solvers.read(([0, 1, 1], [1], None), attribute="km")
    with pytest.raises(OptionNotApplicable, match="files only"):
        solvers.read(([0, 1, 1], [1], None), profile="car")


def test_the_attribute_of_a_file_is_read_by_the_library(tmp_path: Path) -> None:
    path = tmp_path / "km.gml"
    path.write_text(
        "graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 km 2.5 ] ]"
    )

    assert solvers.read(path, attribute="km").weights.tolist() == [2.5]


decimals = st.from_regex(
    r"\A[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?\Z"
)


def parsed(text: str) -> float:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    kind, _, real, end = parse_number(data, 0, len(data))
    assert kind != NOT_A_NUMBER
    assert end == len(data)
    return float(data[:end].tobytes()) if kind == HARD else real


@given(decimals)
@example("0.1")
@example("-0.0")
@example("9007199254740993")
@example("231.60398908294101261")
@example("123456789012345678901234567890")
@example("0.000000000000000000000000123")
@example("1e22")
@example("1e23")
@example("2.2250738585072011e-308")
@example("1e999")
@example("1e99999999999999999999")
def test_same_bits_as_python(text: str) -> None:
    assert struct.pack("d", parsed(text)) == struct.pack("d", float(text))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_survives_its_own_text(number: float) -> None:
    assert struct.pack("d", parsed(repr(number))) == struct.pack("d", number)


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_integers_are_exact(number: int) -> None:
    data = np.frombuffer(str(number).encode(), dtype=np.uint8)

    assert parse_number(data, 0, len(data))[:2] == (INTEGER, number)


@pytest.mark.parametrize("text", ["", "-", "+", ".", "-.", "e5", "1e", "1e+", "x", "nan", "inf"])
def test_no_number(text: str) -> None:
    data = np.frombuffer(text.encode() + b" ", dtype=np.uint8)

    assert parse_number(data, 0, len(data) - 1)[0] == NOT_A_NUMBER


EDGES = "".join(f"{k} {k + 1} {k}\n" for k in range(1_000))


def test_column_is_the_files_own(read_text: ReadText) -> None:
    reading = read_text(EDGES)

    assert reading.graph.weights.tolist() == list(range(1_000))
    assert reading.report.weights_from == "column 3"


def test_random_weights_fill_their_range_and_repeat(read_text: ReadText) -> None:
    first = read_text(EDGES, weights="random:1:10:7")
    again = read_text(EDGES, weights="random:1:10:7")
    other = read_text(EDGES, weights="random:1:10:8")

    assert set(first.graph.weights.tolist()) == set(range(1, 11))
    assert np.bincount(first.graph.weights)[1:].min() > 60  # about 100 each
    assert first.graph.sha256 == again.graph.sha256 != other.graph.sha256
    assert first.report.weights_from == "random 1 to 10, seed 7"


def test_random_weights_are_the_same_everywhere(read_text: ReadText) -> None:
    """Fixed for ever: results with random weights must be repeatable on other machines
    and under later versions.
    """
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
    assert great_circle(np.array([[0.0, 0.0]]), np.array([[0.0, 1.0]]))[0] == pytest.approx(
        111_195, rel=1e-4
    )


@pytest.mark.parametrize(
    ("weights", "geographic", "unit"),
    [
        (METRES * 0.001, True, "km"),
        (METRES, True, "m"),
        (METRES * 10, True, "dm"),
        (METRES * 100, True, "cm"),
        (METRES * [1.0, 2.0, 0.5, 3.0], True, ""),  # travel times
        (np.full(4, 1.7e308), True, ""),  # ratios overflow, without a warning of NumPy
        (np.array([1.7e308, -1.7e308, 1.7e308, -1.7e308]), True, ""),
        (METRES, False, ""),
    ],
)
def test_lengths_are_recognised(weights: np.ndarray, geographic: bool, unit: str) -> None:
    assert length_unit(Coordinates(PLACES, geographic), TAILS, HEADS, weights) == unit


def test_new_york_is_measured_in_decimetres() -> None:
    path = data_file("dimacs/USA-road-d.NY.gr.gz")
    assert read_graph(path).graph.weight_unit == "dm"
    assert read_graph(path, ReadingOptions(weights="unit")).graph.weight_unit == ""
