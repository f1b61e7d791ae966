"""Each format in small, with all that is seen in the wild; METIS and Pajek with their damage."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
from tests.solvers.graphs.readers.conftest import ReadText, arcs

DIMACS = "c a road\np sp 3 3\na 1 2 5\na 2 3 7\na 1 3 20\n"
ROADS = [(1, 2, 5), (1, 3, 20), (2, 3, 7)]


@pytest.mark.parametrize(
    "text",
    [
        DIMACS,
        DIMACS.replace("\n", "\r\n"),
        DIMACS.rstrip("\n"),
        "\n\n  \n" + DIMACS,
        "\ufeff" + DIMACS,
        DIMACS.replace("p sp", "p sp min"),
        DIMACS.replace("p sp", "sp min"),
        DIMACS.replace("p sp 3 3\n", ""),
        DIMACS.replace(" ", "  \t"),
        DIMACS.replace("a 2 3", "c in the middle\n\na 2 3"),
        gzip.compress(DIMACS.encode()),
    ],
    ids=[
        "plain",
        "crlf",
        "no-final-newline",
        "blank-first",
        "bom",
        "sp-min",
        "bare-sp-min",
        "no-p-line",
        "tabs",
        "comment-inside",
        "gzip",
    ],
)
def test_dimacs_in_every_dress(read_text: ReadText, text: str | bytes) -> None:
    assert arcs(read_text(text).graph) == ROADS


def test_format_is_told_by_content_not_by_name(read_text: ReadText) -> None:
    assert read_text(DIMACS, "network.csv").report.format.startswith("DIMACS")
    assert read_text("0 1\n1 2\n", "network.gr").report.format.startswith("edge list")


@pytest.mark.parametrize("between", ["\t", " ", ",", ", ", " \t "])
def test_edge_list_columns_part_at_tabs_blanks_and_commas(
    read_text: ReadText, between: str
) -> None:
    text = "# a comment\n" + "\n".join(
        between.join(row) for row in (("7", "3", "2"), ("3", "9", "4"))
    )

    assert arcs(read_text(text).graph) == [(3, 9, 4), (7, 3, 2)]


@pytest.mark.parametrize("counts", ["3\n3\n", "\n3\n\n3\n", "3 3\n"])
def test_algs4_digraph(read_text: ReadText, counts: str) -> None:
    reading = read_text(counts + "0 1  0.5\n1 2 -1.25\n0 2 1e2\n")

    assert arcs(reading.graph) == [(0, 1, 0.5), (0, 2, 100.0), (1, 2, -1.25)]
    assert reading.report.negative_arcs == 1


@pytest.mark.parametrize("counts", ["3\n2\n", "3 2\n"])
def test_algs4_map(read_text: ReadText, counts: str) -> None:
    reading = read_text(counts + "0 0 0\n1 3 4\n2 3 10.5\n\n0 1\n  1 2\n \n")

    assert arcs(reading.graph) == [(0, 1, 5.0), (1, 0, 5.0), (1, 2, 6.5), (2, 1, 6.5)]
    assert reading.graph.coordinates is not None
    assert reading.report.coordinates_from == "the file itself"
    assert not reading.graph.directed


def test_a_path_in_order_is_no_map(read_text: ReadText) -> None:
    """Its rows begin 0, 1, 2 ... as the vertices of a map do; only the row after the
    first n tells.
    """
    path = "".join(f"{v} {v + 1} 2\n" for v in range(9_999))

    graph = read_text("10000\n9999\n" + path).graph

    assert (graph.n, graph.m, graph.directed) == (10_000, 9_999, True)


def test_rows_that_span_lines_also_span_blocks(read_text: ReadText) -> None:
    """A megabyte-block may end between the two lines of a TIGER edge."""
    edges = "".join(f"0 1\n{k}.5 {k}.25 41\n" for k in range(100_000))

    graph = read_text(f"2\n0 0 0\n1 1000000 0\n100000\n{edges}", undirected=False).graph

    assert graph.weights.tolist() == [k + 0.25 for k in range(100_000)]


@pytest.mark.parametrize(
    ("graph_name", "co_name"), [("x.gr", "x.co"), ("x.gr", "x.co.gz"), ("x.y.gr.gz", "x.y.co.gz")]
)
def test_coordinates_are_found_beside(tmp_path: Path, graph_name: str, co_name: str) -> None:
    (tmp_path / graph_name).write_text("a 1 2 3\n")
    (tmp_path / co_name).write_bytes(gzip.compress(b"p aux sp co 2\nv 2 1.5 -7\nv 1 0 4\n"))

    reading = read_graph(tmp_path / graph_name)

    assert reading.graph.coordinates.xy.tolist() == [[0, 4], [1.5, -7]]
    assert reading.report.coordinates_from == co_name


def test_coordinates_may_lie_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("1 2\n")
    (tmp_path / "places.co").write_text("v 1 0 0\nv 2 1 1\n")

    assert read_graph(tmp_path / "x.txt").graph.coordinates is None
    assert (
        read_graph(
            tmp_path / "x.txt", ReadingOptions(coordinates=str(tmp_path / "places.co"))
        ).graph.coordinates
        is not None
    )


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ("1 -2147483648 2147483647", np.int32),
        ("1 2147483648", np.int64),
        ("9223372036854775807 -9223372036854775807", np.int64),
        ("1.5 9223372036854775808", np.float64),
        ("1 2 3.0", np.float64),
        ("1 1e3", np.float64),
    ],
)
def test_the_narrowest_weight_type_that_holds_all(
    read_text: ReadText, weights: str, dtype: type
) -> None:
    numbers = weights.split()

    graph = read_text("".join(f"1 {k + 2} {number}\n" for k, number in enumerate(numbers))).graph

    assert graph.weights.dtype == dtype
    assert graph.weights.tolist() == [
        dtype(float(w) if dtype is np.float64 else int(w)) for w in numbers
    ]


@st.composite
def metis_graphs(draw: Any) -> tuple[int, dict[tuple[int, int], int], bool]:
    """Number of vertices, edges with weights, and whether these are written."""
    n = draw(st.integers(2, 6))
    edges = draw(
        st.lists(st.sampled_from(list(combinations(range(1, n + 1), 2))), min_size=1, unique=True)
    )
    weighted = draw(st.booleans())
    return n, {edge: draw(st.integers(0, 10**12)) if weighted else 1 for edge in edges}, weighted


def written(n: int, edges: dict[tuple[int, int], int], weighted: bool) -> str:
    both = edges | {(head, tail): weight for (tail, head), weight in edges.items()}
    lines = [f"% a comment\n{n} {len(edges)}{' 1' * weighted}"]
    for vertex in range(1, n + 1):
        rows = [
            f"{head} {weight}" if weighted else f"{head}"
            for (tail, head), weight in both.items()
            if tail == vertex
        ]
        lines.append(" ".join(rows))
    return "\n".join(lines) + "\n"


@given(made=metis_graphs())
@settings(max_examples=25)
def test_round_trip(
    made: tuple[int, dict[tuple[int, int], int], bool], read_text: ReadText
) -> None:
    n, edges, _ = made
    reading = read_text(written(*made), "graph.graph")

    assert reading.graph.ids.tolist() == list(range(1, n + 1))
    assert {
        (tail, head): weight for tail, head, weight in arcs(reading.graph) if tail < head
    } == edges
    assert reading.report.warnings == ()
    assert not reading.graph.directed


QUICK = settings(max_examples=15)


@given(
    graph=st.sampled_from((networkx.MultiGraph, networkx.MultiDiGraph)),
    ends=st.lists(
        st.tuples(*[st.sampled_from("abc")] * 2, st.integers(-5, 5)), min_size=1, max_size=5
    ),
)
@QUICK
def test_pajek_round_trip(
    graph: Any, ends: list[tuple[str, str, int]], read_text: ReadText
) -> None:
    made = graph()
    made.add_nodes_from("abc", x=0.25, y=0.5)
    made.add_weighted_edges_from(ends)
    read = read_text("\n".join(networkx.generate_pajek(made))).graph

    both = ends if made.is_directed() else ends + [(b, a, w) for a, b, w in ends if a != b]
    names = "abc"
    found = zip(read.tails, read.indices, read.weights, strict=True)
    assert sorted((names[tail], names[head], weight) for tail, head, weight in found) == sorted(
        both
    )
    assert [read.vertex(name) for name in names] == [0, 1, 2]
    assert read.directed == made.is_directed()
    assert read.coordinates is not None


def test_xml_that_only_resembles_a_road_network_is_told(tmp_path: Path) -> None:
    """Its first element has the right name, in a namespace that OpenStreetMap has not."""
    file = tmp_path / "town.osm"
    file.write_bytes(b'<?xml version="1.0"?>\n<a:osm version="0.6"></a:osm>\n')
    with pytest.raises(FileFormatError, match="first element is “osm”, but no graph"):
        read_graph(file)
