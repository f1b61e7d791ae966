"""A word names a graph, and a word names where to start on it."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import InputError, TautlineError
from tests.benchmarks.graphs import graph_of, start_of
from tests.data import data_file


@pytest.mark.parametrize(
    ("spec", "vertices", "arcs"),
    [
        ("road:500", 500, None),
        ("road:500:lattice", 500, None),
        ("rmat:7", 128, 2048),
        ("rmat:7:5", 128, 640),
        ("grid:3x5", 15, 44),
        ("random:9:4", 9, 36),
    ],
)
def test_a_family_and_its_size(spec: str, vertices: int, arcs: int | None) -> None:
    graph = graph_of(spec)
    assert graph.n == vertices
    assert arcs is None or graph.m == arcs


def test_rows_come_before_columns() -> None:
    graph = graph_of("grid:3x5")
    assert graph.coordinates is not None
    assert graph.coordinates.xy.max(axis=0).tolist() == [4, 2]


@pytest.mark.parametrize(
    "spec", ["road:many", "road:500:", "road:500:hexagons", "grid:30", "rmat:", "random:10", "ring:10", "nowhere.gr"]
)
def test_what_cannot_be_made_is_told(spec: str) -> None:
    with pytest.raises(TautlineError):
        graph_of(spec)


def test_weights_are_chosen_as_on_the_command_line(tmp_path) -> None:
    file = tmp_path / "four.txt"
    file.write_text("".join(f"{i} {(i + 1) % 200}\n" for i in range(200)))
    for spec in ("rmat:7", str(file)):
        weights = graph_of(spec, "random:50:60:7").weights
        assert 50 <= weights.min() < weights.max() <= 60
        assert np.array_equal(weights, graph_of(spec, "random:50:60:7").weights)
        assert set(graph_of(spec, "unit").weights.tolist()) == {1}
    with pytest.raises(InputError, match="its lengths"):
        graph_of("road:500", "unit")


def test_both_arcs_of_an_edge_weigh_the_same() -> None:
    graph = graph_of(str(data_file("other/pace16-FLA.gr.gz")), "random:1:1000:7")
    back = graph.reverse
    assert (graph.n, graph.m) == (1_070_376, 2_687_902)
    assert np.array_equal(graph.indices, back.indices)
    assert np.array_equal(graph.weights, back.weights)


def test_where_to_start() -> None:
    grid = graph_of("grid:5x7")
    assert start_of(grid, "centre") == 2 * 7 + 3
    assert start_of(grid, "corner") == 0
    rmat = graph_of("rmat:7")
    assert rmat.out_degrees[start_of(rmat, "hub")] == rmat.out_degrees.max()
    assert start_of(rmat, "good") == start_of(rmat, "hub")  # many of its vertices have no arcs
    with pytest.raises(InputError, match="no coordinates"):
        start_of(rmat, "corner")
