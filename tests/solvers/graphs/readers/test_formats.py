"""Each format in small, with all that is seen in the wild; METIS and Pajek with their damage."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError
from solvers.graphs.readers import read_graph
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
    ids=["plain", "crlf", "no-final-newline", "blank-first", "bom", "sp-min", "bare-sp-min", "no-p-line", "tabs",
         "comment-inside", "gzip"],
)  # fmt: skip
def test_dimacs_in_every_dress(read_text: ReadText, text: str | bytes) -> None:
    assert arcs(read_text(text).graph) == ROADS


def test_format_is_told_by_content_not_by_name(read_text: ReadText) -> None:
    assert read_text(DIMACS, "network.csv").report.format.startswith("DIMACS")
    assert read_text("0 1\n1 2\n", "network.gr").report.format.startswith("edge list")


@pytest.mark.parametrize(
    ("text", "ids", "warnings"),
    [
        ("p sp 5 1\na 2 3 1\n", [1, 2, 3, 4, 5], 0),
        ("p sp 5 9\na 2 3 1\n", [2, 3], 2),
        ("p sp 3 1\na 0 1 4\n", [0, 1, 2], 0),
        ("p sp 999999999999 1\na 1 2 4\n", [1, 2], 1),
    ],
    ids=["isolated vertices", "wrong arcs", "from zero", "absurd counts"],
)
def test_a_header_is_believed_where_it_agrees_with_the_arcs(
    read_text: ReadText, text: str, ids: list[int], warnings: int
) -> None:
    reading = read_text(text)

    assert (reading.graph.ids.tolist(), len(reading.report.warnings)) == (ids, warnings)


def test_a_missing_problem_line_is_told_with_what_that_means(read_text: ReadText) -> None:
    reading = read_text("c a road\na 2 3 1\na 3 7 4\n", "rome.gr")

    assert reading.graph.ids.tolist() == [2, 3, 7]
    assert reading.report.warnings == (
        "rome.gr has no problem line (p sp vertices arcs): its vertices are those that occur in arcs, and "
        "missing lines cannot be detected.",
    )
    assert not read_text(DIMACS).report.warnings


def test_huge_ids_are_compacted(read_text: ReadText) -> None:
    graph = read_text("123456789012345678 5\n5 999999999999\n").graph

    assert graph.ids.tolist() == [5, 999_999_999_999, 123_456_789_012_345_678]
    assert arcs(graph) == [(5, 999_999_999_999, 1), (123_456_789_012_345_678, 5, 1)]


@pytest.mark.parametrize("between", ["\t", " ", ",", ", ", " \t "])
def test_edge_list_columns_part_at_tabs_blanks_and_commas(read_text: ReadText, between: str) -> None:
    text = "# a comment\n" + "\n".join(between.join(row) for row in (("7", "3", "2"), ("3", "9", "4")))

    assert arcs(read_text(text).graph) == [(3, 9, 4), (7, 3, 2)]


def test_edge_list_with_column_titles(read_text: ReadText) -> None:
    reading = read_text("source,target,rating,time,note\n1,2,-3,0.5,x\n2,1,4,0.5,y\n")

    assert arcs(reading.graph) == [(1, 2, -3), (2, 1, 4)]
    assert reading.report.warnings == (
        "Only columns 1 to 3 are read (tail, head, weight); columns 4 to 5 are ignored.",
    )


def test_edge_list_header_counts_are_compared(read_text: ReadText) -> None:
    report = read_text("# Undirected graph\n# Nodes: 3 Edges: 5\n1 2\n2 1\n").report

    assert (report.header_vertices, report.header_arcs) == (3, 5)
    assert len(report.warnings) == 3
    assert "undirected" in report.warnings[-1]


def test_weights_are_one_where_there_are_none(read_text: ReadText) -> None:
    reading = read_text("1 2\n2 3\n")

    assert reading.graph.weights.tolist() == [1, 1]
    assert reading.report.weights_from == "none in the file: every weight is 1"


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
    """Its rows begin 0, 1, 2 ... as the vertices of a map do; only the row after the first n tells."""
    path = "".join(f"{v} {v + 1} 2\n" for v in range(9_999))

    graph = read_text("10000\n9999\n" + path).graph

    assert (graph.n, graph.m, graph.directed) == (10_000, 9_999, True)


def test_pace_is_undirected_and_keeps_isolated_vertices(read_text: ReadText) -> None:
    reading = read_text("c treewidth\np tw 4 2\n1 2\n2 3\n")

    assert arcs(reading.graph) == [(1, 2, 1), (2, 1, 1), (2, 3, 1), (3, 2, 1)]
    assert reading.graph.ids.tolist() == [1, 2, 3, 4]


def test_tiger_weighs_by_length(read_text: ReadText) -> None:
    reading = read_text("2\n0 -77113500 38938710\n1 -77112500 38938410\n1\n0 1\n231.6 92.64 41\n")

    assert arcs(reading.graph) == [(0, 1, 92.64), (1, 0, 92.64)]
    assert reading.graph.coordinates is not None
    assert reading.graph.coordinates.xy[0].tolist() == [-77.1135, 38.93871]
    assert reading.graph.weight_unit == "m"


def test_rows_that_span_lines_also_span_blocks(read_text: ReadText) -> None:
    """A megabyte-block may end between the two lines of a TIGER edge."""
    edges = "".join(f"0 1\n{k}.5 {k}.25 41\n" for k in range(100_000))

    graph = read_text(f"2\n0 0 0\n1 1000000 0\n100000\n{edges}", undirected=False).graph

    assert graph.weights.tolist() == [k + 0.25 for k in range(100_000)]


def test_undirected_doubles_lines_but_not_self_loops_and_warns_of_files_that_list_both_arcs(
    read_text: ReadText,
) -> None:
    assert arcs(read_text("1 2 5\n2 2 7\n", undirected=True).graph) == [(1, 2, 5), (2, 1, 5), (2, 2, 7)]
    report = read_text("1 2\n2 1\n", undirected=True).report
    assert report.parallel_arcs == 2
    assert report.warnings == (
        "The file already lists most edges in both directions; reading it as undirected stores each of them twice.",
    )


def test_report_counts_loops_parallels_and_negatives(read_text: ReadText) -> None:
    report = read_text("a 1 1 4\na 1 2 -3\na 1 2 8\na 1 2 8\na 2 1 0\n").report

    assert (report.self_loops, report.parallel_arcs, report.negative_arcs) == (1, 2, 1)
    assert (report.least_weight, report.greatest_weight) == (-3, 8)
    assert report.seconds > 0


def test_parallel_arcs_keep_the_order_of_the_file(read_text: ReadText) -> None:
    assert arcs(read_text("a 1 2 9\na 1 2 3\na 1 2 6\n").graph) == [(1, 2, 9), (1, 2, 3), (1, 2, 6)]


@pytest.mark.parametrize(("graph_name", "co_name"), [("x.gr", "x.co"), ("x.gr", "x.co.gz"), ("x.y.gr.gz", "x.y.co.gz")])
def test_coordinates_are_found_beside(tmp_path: Path, graph_name: str, co_name: str) -> None:
    (tmp_path / graph_name).write_text("a 1 2 3\n")
    (tmp_path / co_name).write_bytes(gzip.compress(b"p aux sp co 2\nv 2 1.5 -7\nv 1 0 4\n"))

    reading = read_graph(tmp_path / graph_name)

    assert reading.graph.coordinates is not None
    assert reading.graph.coordinates.xy.tolist() == [[0, 4], [1.5, -7]]
    assert reading.report.coordinates_from == co_name


def test_coordinates_may_lie_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("1 2\n")
    (tmp_path / "places.co").write_text("v 1 0 0\nv 2 1 1\n")

    assert read_graph(tmp_path / "x.txt").graph.coordinates is None
    assert read_graph(tmp_path / "x.txt", coordinates=tmp_path / "places.co").graph.coordinates is not None


def test_vertices_without_coordinates_are_drawn_among_their_neighbours(tmp_path: Path) -> None:
    (tmp_path / "x.gr").write_text("p sp 4 4\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\n")
    (tmp_path / "x.co").write_text("v 1 0 0\nv 3 10 20\n")

    reading = read_graph(tmp_path / "x.gr")

    assert reading.graph.coordinates is not None
    assert reading.graph.coordinates.xy.tolist() == [[0, 0], [5, 10], [10, 20], [5, 10]]
    assert reading.report.warnings == (
        "2 vertices have no coordinates in x.co; placed at the mean of their neighbours.",
    )


def test_coordinates_of_vertices_that_no_arc_names_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.gr").write_text("a 1 2 1\n")
    (tmp_path / "x.co").write_text("v 1 0 0\nv 2 1 1\nv 3 2 2\nv 2 5 5\n")

    reading = read_graph(tmp_path / "x.gr")

    assert reading.graph.coordinates is not None
    assert reading.graph.coordinates.xy.tolist() == [[0, 0], [5, 5]]
    assert reading.report.warnings[1:] == (
        "x.co also has 1 vertex that occur in no arc; ignored.",
        "x.co lists 1 vertex more than once; the last line is used.",
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
def test_the_narrowest_weight_type_that_holds_all(read_text: ReadText, weights: str, dtype: type) -> None:
    numbers = weights.split()

    graph = read_text("".join(f"1 {k + 2} {number}\n" for k, number in enumerate(numbers))).graph

    assert graph.weights.dtype == dtype
    assert graph.weights.tolist() == [dtype(float(w) if dtype is np.float64 else int(w)) for w in numbers]


def test_a_list_that_names_each_edge_once_is_doubted(read_text: ReadText) -> None:
    """facebook_combined.txt has no header, and one line for each friendship."""
    once = "".join(f"{i} {i + 1}\n" for i in range(200))
    report = read_text(once).report
    assert report.looks_undirected
    assert "first id is less than the second" in report.warnings[0]
    assert not read_text(once, undirected=True).report.warnings
    assert not read_text(once, undirected=False).report.warnings


def test_a_list_that_says_directed_or_has_an_arc_back_is_not_doubted(read_text: ReadText) -> None:
    once = "".join(f"{i} {i + 1}\n" for i in range(200))
    assert not read_text("# Directed graph\n" + once).report.looks_undirected
    assert not read_text(once + "5 4\n").report.looks_undirected


def test_who_followed_the_header_and_read_as_undirected_is_not_told_to_do_so_again(read_text: ReadText) -> None:
    text = "# Undirected graph\n1 2\n2 3\n"
    assert read_text(text).report.looks_undirected
    assert not read_text(text, undirected=True).report.warnings


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
    ("2 1\n2\n99999999999999999999\n", "beyond 64 bits", None),
    ("2000000000 1\n2\n1\n", "2 arcs", None),
    ("*Vertices 2\n*Arcs\n1 3\n", "there is no vertex 3", 3),
    ("*Vertices 2\n*Arcs\n1\n", "the head is missing", 3),
    ("*Vertices 2\n*Arcs\n1 2 far\n", "“far” is not a finite 64-bit number", 3),
    ("*Vertices 2\n1 a\n1 b\n", "listed twice", 3),
    ("*Vertices\n", "number of vertices is missing", 1),
    ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "a network as a matrix is not read", 2),
    ("*Vertices 2000000000\n*Arcs\n1 2\n", "but it has only 1 arc", None),
]  # fmt: skip


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


@pytest.mark.parametrize(("text", "reason", "line"), BAD, ids=[f"{row[1][:30]}-{k}" for k, row in enumerate(BAD)])
def test_bad_files_are_refused(text: str, reason: str, line: int | None, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(text, "g.graph")

    assert reason in caught.value.reason
    assert line is None or caught.value.line == line
