"""Edge tables in text: columns told by their titles or chosen, separators, names, and what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import ColumnsUnknown, FileFormatError, OptionNotApplicable, ParameterError, UnknownName
from solvers.graphs.graph import Graph
from solvers.graphs.readers import Reading, TableOptions, read_graph
from solvers.graphs.readers.reading import SEPARATORS
from solvers.graphs.readers.table_files import _TEXT_ROWS


def read(folder: Path, text: str | bytes, *, name: str = "t.csv", **options: Any) -> Reading:
    """Read a text with `TableOptions`."""
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_graph(folder / name, table=TableOptions(**options))


def arcs(graph: Graph) -> list[tuple[object, object, int | float]]:
    ends = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    return [(graph.vertex_id(tail), graph.vertex_id(head), weight) for tail, head, weight in ends]


def test_titles_tell_the_columns(tmp_path) -> None:
    reading = read(tmp_path, "id,Length (km),From Node,to_node\n1,2.5,30,7\n2,4,7,30\n".replace(" (km)", ""))
    assert arcs(reading.graph) == [(7, 30, 4.0), (30, 7, 2.5)]
    assert (reading.report.format, reading.report.weights_from) == ("edge table (CSV)", "column “Length”")


def test_names_of_vertices_are_kept(tmp_path) -> None:
    text = '# of a friend\nfrom;to;km\nZürich;"St. Gallen; Bahnhof";84\n"St. Gallen; Bahnhof";Bern;200\n'
    graph = read(tmp_path, text).graph
    assert arcs(graph) == [("Zürich", "St. Gallen; Bahnhof", 84), ("St. Gallen; Bahnhof", "Bern", 200)]
    assert graph.vertex("Bern") == 2


def test_two_columns_of_names_without_titles(tmp_path) -> None:
    assert arcs(read(tmp_path, "a|b\nb|c\n").graph) == [("a", "b", 1), ("b", "c", 1)]
    assert arcs(read(tmp_path, "x\tb\t3\nb\tc\t4\n").graph) == [("x", "b", 3), ("b", "c", 4)]


@pytest.mark.parametrize("columns", ["way,end point,toll", "3, 2, 4", '3,"end point",toll'])
def test_columns_are_chosen_by_title_or_number(tmp_path, columns) -> None:
    text = "n,end point,way,toll\n1,b,a,5\n2,c,b,6\n"
    assert arcs(read(tmp_path, text, columns=columns).graph) == [("a", "b", 5), ("b", "c", 6)]
    assert arcs(read(tmp_path, text, columns="3,2").graph) == [("a", "b", 1), ("b", "c", 1)]


def test_header_and_separator_can_be_said(tmp_path) -> None:
    assert read(tmp_path, "1 2\n2 3\n", header=True, columns="1,2").graph.m == 1
    assert read(tmp_path, "from,to\nto,from\n", header=False, columns="1,2").graph.m == 2
    assert arcs(read(tmp_path, "a,b c\nb,c d\n", separator="comma", columns="1,2").graph)[0][1] == "b c"


def test_parallel_edges_and_loops_are_kept_and_ids_past_2_to_53_are_exact(tmp_path) -> None:
    big = 2**53 + 1
    graph = read(tmp_path, f"u,v,w\n{big},{big},1\n{big},-3,2\n{big},-3,2\n").graph
    assert arcs(graph) == [(big, -3, 2), (big, -3, 2), (big, big, 1)]


def test_integers_that_decimals_round_are_told(tmp_path) -> None:
    reading = read(tmp_path, f"u,v,w\na,b,{2**53 + 1}\nb,c,0.5\n")
    assert "1 integer loses digits: 9007199254740993" in reading.report.warnings[0]


def test_undirected_and_unit_weights(tmp_path) -> None:
    (tmp_path / "t.csv").write_text("u,v,w\na,b,x\n")
    reading = read_graph(tmp_path / "t.csv", undirected=True, weights="unit", table=TableOptions("u,v,w"))
    assert arcs(reading.graph) == [("a", "b", 1), ("b", "a", 1)]


ODD_CELLS = [
    ("from,to,km\na,b,1\nb,c,\nc,d,2\n", 3, "the weight is missing", "Correct the cell, choose another column"),
    ("from,to,km\na,b,n/a\nb,c,2\nc,d,2\n", 2, "“n/a” is not a finite", "or take every weight as 1 (weights “unit”)"),
    ("from;to;km\na;b;1,5\nb;c;2,25\n", 2, "“1,5” is not a finite", "Write decimals with a point"),
    ("from;to;km\na;b;1 234.5\nb;c;2\n", 2, "“1 234.5” is not a finite", "without separators between their digits"),
    ("a;b;1\nb;c;\n", 2, "the weight is missing", "Correct the cell"),
    ("x,y,toll\na,b,1\nb,c,\n", None, "", ""),
    ("from,to,km\n1,2,3\n2,3,\n", 3, "the weight is missing", ""),
    ("from,to,km\n1,2,3\n2,3,n/a\n", 3, "“n/a” is not a finite", ""),
    ("1,2,1 234.5,x\n2,3,7,x\n", 1, "a cell has a blank or a comma in it, before “234.5”", "--separator comma"),
    ("1,2,3,x\n2,3,1 234,x\n", 2, "a cell has a blank or a comma in it, before “234”", "--separator comma"),
    ("1 2 1,5 x\n2 3 7 x\n", 1, "a cell has a blank or a comma in it, before “5”", "with a decimal point"),
]


@pytest.mark.parametrize(("text", "line", "reason", "remedy"), ODD_CELLS, ids=[row[0] for row in ODD_CELLS])
def test_an_odd_cell_among_weights_is_an_error_of_its_line(tmp_path, text, line, reason, remedy) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    assert reason in caught.value.reason
    assert remedy in caught.value.hint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "from,to,km\na,b,far\nb,c,near\n",
            "No column is read as weights: every weight is 1. Not read: “km” (no numbers: “far”).",
        ),
        ("from,to,km\na,b,\nb,c,\n", "No column is read as weights: every weight is 1. Not read: “km” (empty)."),
        ("from,to,km\n1,2,\n2,3,\n", "No column is read as weights: every weight is 1. Not read: “km” (empty)."),
        (
            "from,to,toll\na,b,1\nb,c,2\n",
            "No column is read as weights: every weight is 1. Not read: “toll” (numbers). Choose one, such as by "
            "--columns from,to,toll.",
        ),
        ("from,to,km,name\na,b,1,x\nb,c,2,y\n", "Not read: “name” (no numbers: “x”); the weights are in “km”."),
    ],
)
def test_columns_that_are_not_read_are_told(tmp_path, text, told) -> None:
    assert read(tmp_path, text).report.warnings == (told,)
    assert read_graph(tmp_path / "t.csv", weights="unit").report.warnings == ()


names = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=6).filter(
    lambda name: name.strip() == name and not name.startswith("#")
)
rows = st.lists(st.tuples(names, names, st.integers(-(2**40), 2**40)), min_size=1, max_size=5)


@given(rows=rows, separator=st.sampled_from([name for name in SEPARATORS if name != "blank"]))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip_through_csv(tmp_path, rows, separator) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=SEPARATORS[separator], quoting=csv.QUOTE_ALL).writerows([("from", "to", "km"), *rows])
    graph = read(tmp_path, text.getvalue().replace("\r\n", "\n"), separator=separator, columns="from,to,km").graph
    found = sorted((str(tail), str(head), weight) for tail, head, weight in arcs(graph))
    assert found == sorted(rows)


TOO_FEW = "u,v,w\na,b,1\n" + "b,c,1\n" * _TEXT_ROWS + "c\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("u,v,w\na,b,1\nb,c,nan\n", "t.csv, line 3: the weight “nan” is not a finite 64-bit number — “b, c, nan”."),
        ("u,v,w\na,b,1\nb,c,99999999999999999999\n", "line 3: the weight “99999999999999999999” is not"),
        ("u,v,w\na,b,1\n,c,2\n", "line 3: the source is missing"),
        ('u,v,w\na,"b\n\n",1\nb,,2\n', "line 5: the target is missing"),
        (TOO_FEW, f"line {_TEXT_ROWS + 3}: the row has 1 cells, but column 3 was chosen — “c”."),
        ('u,v,w\na,b,1\nb,"c,2\n' + "x" * 140_000, "the row cannot be split (field larger than field limit (131072))"),
    ],
)
def test_a_row_that_is_refused_is_named(tmp_path, text, sentence) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, text, columns="1,2,3")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ("u,x", UnknownName, "There is no column “x”"),
        ("u,9", UnknownName, "There is no column “9”"),
        ("u", ParameterError, "name two or three columns"),
        ("u,v,u", ParameterError, "names a column twice"),
    ],
)
def test_columns_that_are_not_there(tmp_path, columns, error, words) -> None:
    with pytest.raises(error, match=words):
        read(tmp_path, "u,v,w\na,b,1\n", columns=columns)


def test_columns_of_a_file_without_columns(tmp_path) -> None:
    with pytest.raises(OptionNotApplicable, match=r"“columns” does not apply .*Pajek.*for tables"):
        read(tmp_path, "*Vertices 1\n", columns="1,2")
    with pytest.raises(OptionNotApplicable, match=r"“separator” .*DIMACS"):
        read(tmp_path, "p sp 2 1\na 1 2 3\n", separator="comma")
    with pytest.raises(UnknownName, match="There is no separator “colon”"):
        TableOptions(separator="colon")


@pytest.mark.parametrize("text", ["hello world\nof words\n", "a, b\n", "# nothing\n"])
def test_prose_is_no_table(tmp_path, text) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, text)
    assert not isinstance(caught.value, ColumnsUnknown)
