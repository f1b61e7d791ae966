"""The shipped graphs are what their README says, and the generator still makes the harbour to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from solvers.graphs.generators import find
from solvers.graphs.readers import read_graph

SAMPLES = Path(__file__).resolve().parents[4] / "resources" / "samples"


def test_harbour_is_what_the_generator_makes() -> None:
    """Holds on every platform: floating point, hash and order are all fixed."""
    reading = read_graph(SAMPLES / "harbour.gr.gz")
    made = find("road").generate({"vertices": 3000, "seed": 3, "pattern": "lattice"})

    assert reading.graph.sha256 == made.sha256
    assert reading.graph.coordinates is not None
    assert made.coordinates is not None
    assert np.array_equal(reading.graph.coordinates.xy, made.coordinates.xy)
    assert reading.report.warnings == ()


def test_textbook_paths_cost_what_its_comment_says() -> None:
    graph = read_graph(SAMPLES / "textbook.gr").graph
    matrix = csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))

    distances, before = dijkstra(matrix, indices=0, return_predecessors=True)
    path = [7]
    while path[-1] != 0:
        path.append(int(before[path[-1]]))

    assert distances[7] == 13
    assert [int(graph.ids[v]) for v in reversed(path)] == [1, 2, 5, 3, 7, 8]
    assert matrix[0, 3] + matrix[3, 5] + matrix[5, 7] == 19
    assert graph.coordinates is not None


def test_the_readme_counts_right() -> None:
    text = (SAMPLES / "README.md").read_text(encoding="utf-8")

    for name in ("harbour.gr.gz", "textbook.gr", "negative-arcs.gr", "negative-cycle.gr", "contention.gr", "grid.gr"):
        report = read_graph(SAMPLES / name).report
        assert f"| {report.vertices:,} | {report.arcs:,} |" in next(line for line in text.splitlines() if name in line)
