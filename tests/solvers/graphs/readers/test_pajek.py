"""Pajek: what NetworkX writes is read; malformed files are refused with the line."""

from __future__ import annotations

from typing import Any

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError
from tests.solvers.graphs.readers.conftest import ReadText, arcs

QUICK = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(graph=st.sampled_from((networkx.MultiGraph, networkx.MultiDiGraph)), ends=st.lists(st.tuples(
    *[st.sampled_from("abc")] * 2, st.integers(-5, 5)), min_size=1, max_size=5))  # fmt: skip
@QUICK
def test_pajek_round_trip(graph: Any, ends: list[tuple[str, str, int]], read_text: ReadText) -> None:
    made = graph()
    made.add_nodes_from("abc", x=0.25, y=0.5)
    made.add_weighted_edges_from(ends)
    read = read_text("\n".join(networkx.generate_pajek(made))).graph

    both = ends if made.is_directed() else ends + [(b, a, w) for a, b, w in ends if a != b]
    names = "abc"
    found = zip(read.tails, read.indices, read.weights, strict=True)
    assert sorted((names[tail], names[head], weight) for tail, head, weight in found) == sorted(both)
    assert [read.vertex(name) for name in names] == [0, 1, 2]
    assert read.directed == made.is_directed()
    assert read.coordinates is not None


def test_pajek_with_arcs_and_edges_keeps_both(read_text: ReadText) -> None:
    graph = read_text("% c\n*Network x\n*Vertices 3\n*Arcs\n1 2 5\n*Edges\n2 3 7\n*Arcslist\n3 1 2\n").graph

    assert graph.directed
    assert arcs(graph) == [(1, 2, 5), (2, 3, 7), (3, 1, 1), (3, 2, 1), (3, 2, 7)]


BAD = [
    ("*Vertices 2\n*Arcs\n1 3\n", "there is no vertex 3", 3),
    ("*Vertices 2\n*Arcs\n1\n", "the head is missing", 3),
    ("*Vertices 2\n*Arcs\n1 2 far\n", "“far” is not a finite number", 3),
    ("*Vertices 2\n1 a\n1 b\n", "listed twice", 3),
    ("*Vertices\n", "number of vertices is missing", 1),
    ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "a network as a matrix is not read", 2),
    ("*Vertices 2000000000\n*Arcs\n1 2\n", "but it has only 1 arc", None),
]


@pytest.mark.parametrize(("text", "reason", "line"), BAD, ids=[f"{row[1][:30]}-{k}" for k, row in enumerate(BAD)])
def test_malformed_text_is_refused(text: str, reason: str, line: int | None, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(text)

    assert reason in caught.value.reason
    assert line is None or caught.value.line == line
