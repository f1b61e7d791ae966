"""METIS graphs: told by counts, read with every edge once, and refused where they are damaged."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError
from tests.solvers.graphs.readers.conftest import ReadText, arcs


@st.composite
def metis_graphs(draw: Any) -> tuple[int, dict[tuple[int, int], int], bool]:
    """Number of vertices, edges with weights, and whether these are written."""
    n = draw(st.integers(2, 6))
    edges = draw(st.lists(st.sampled_from(list(combinations(range(1, n + 1), 2))), min_size=1, unique=True))
    weighted = draw(st.booleans())
    return n, {edge: draw(st.integers(0, 10**12)) if weighted else 1 for edge in edges}, weighted


def written(n: int, edges: dict[tuple[int, int], int], weighted: bool) -> str:
    both = edges | {(head, tail): weight for (tail, head), weight in edges.items()}
    lines = [f"% a comment\n{n} {len(edges)}{' 1' * weighted}"]
    for vertex in range(1, n + 1):
        rows = [
            f"{head} {weight}" if weighted else f"{head}" for (tail, head), weight in both.items() if tail == vertex
        ]
        lines.append(" ".join(rows))
    return "\n".join(lines) + "\n"


@given(made=metis_graphs())
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip(made: tuple[int, dict[tuple[int, int], int], bool], read_text: ReadText) -> None:
    n, edges, _ = made
    reading = read_text(written(*made), "graph.graph")

    assert reading.graph.ids.tolist() == list(range(1, n + 1))
    assert {(tail, head): weight for tail, head, weight in arcs(reading.graph) if tail < head} == edges
    assert reading.report.warnings == ()
    assert not reading.graph.directed


def test_it_is_told_by_its_counts_and_blank_lines_are_vertices(read_text: ReadText) -> None:
    reading = read_text("5 3\n2 4\n1 4\n\n1 2\n\n")

    assert reading.report.format == "METIS graph"
    assert arcs(reading.graph) == [(1, 2, 1), (1, 4, 1), (2, 1, 1), (2, 4, 1), (4, 1, 1), (4, 2, 1)]


def test_weights_of_vertices_are_skipped_and_that_is_said(read_text: ReadText) -> None:
    reading = read_text("2 1 011 2\n7 8 2 5\n7 8 1 5\n")

    assert arcs(reading.graph) == [(1, 2, 5), (2, 1, 5)]
    assert reading.report.warnings == ("Weights and sizes of vertices are ignored.",)


def test_an_edge_list_is_no_metis_graph(read_text: ReadText) -> None:
    assert read_text("3 3\n1 2\n2 3\n3 1\n4 4\n").report.format == "edge list (SNAP)"


BAD = [
    ("3 2\n2\n1 3\n", "2 lines of neighbours; its header says 3 vertices", None),
    ("3 2\n2\n1 3\n9\n", "vertex 3 has the neighbour 9, but there are 3 vertices", None),
    ("3 2\n2\n1 3\n1\n", "is not at both ends", None),
    ("2 1 1\n2 5\n1 6\n", "the edge 1 – 2 is not at both ends with the same weight", None),
    ("2 1 1\n2\n1 6\n", "the line of vertex 1 has 1 number", None),
    ("2 1\n2\nx\n", "“x” is not part of a number", 3),
    ("% x marks\n2 1\n2\nx\n", "“x” is not part of a number", 4),
    ("2 1\n2\n99999999999999999999\n", "past 64 bits", None),
    ("2000000000 1\n2\n1\n", "2 arcs", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "line"), BAD, ids=[f"{row[1][:30]}-{k}" for k, row in enumerate(BAD)])
def test_bad_files_are_refused(text: str, reason: str, line: int | None, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(text, "g.graph")

    assert reason in caught.value.reason
    assert line is None or caught.value.line == line
