"""Edge tables in text: columns told by their titles or chosen, separators, names, and
what is refused.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import ColumnsUnknown, FileFormatError, OptionNotApplicable, UnknownName
from solvers.graphs.edge_columns import SEPARATORS
from solvers.graphs.graph import Graph
from solvers.graphs.readers import Reading, TableOptions, read_graph
from solvers.graphs.reading import ReadingOptions


def read(folder: Path, text: str | bytes, *, name: str = "t.csv", **options: Any) -> Reading:
    """Read a text with `ReadingOptions`."""
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_graph(folder / name, ReadingOptions(**options))


def arcs(graph: Graph) -> list[tuple[object, object, int | float]]:
    ends = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    return [(graph.vertex_id(tail), graph.vertex_id(head), weight) for tail, head, weight in ends]


names = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=6
).filter(lambda name: name.strip() == name and not name.startswith("#"))
rows = st.lists(st.tuples(names, names, st.integers(-(2**40), 2**40)), min_size=1, max_size=5)


@given(rows=rows, separator=st.sampled_from([name for name in SEPARATORS if name != "blank"]))
def test_round_trip_through_csv(tmp_path, rows, separator) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=SEPARATORS[separator], quoting=csv.QUOTE_ALL).writerows(
        [("from", "to", "km"), *rows]
    )
    graph = read(
        tmp_path, text.getvalue().replace("\r\n", "\n"), separator=separator, columns="from,to,km"
    ).graph
    found = sorted((str(tail), str(head), weight) for tail, head, weight in arcs(graph))
    assert found == sorted(rows)


def test_columns_of_a_file_without_columns(tmp_path) -> None:
    with pytest.raises(OptionNotApplicable, match=r"“columns” does not apply .*Pajek.*for tables"):
        read(tmp_path, "*Vertices 1\n", columns="1,2")
    with pytest.raises(OptionNotApplicable, match=r"“separator” .*DIMACS"):
        read(tmp_path, "p sp 2 1\na 1 2 3\n", separator="comma")
    with pytest.raises(UnknownName, match="There is no separator “colon”"):
        TableOptions(separator="colon")


@pytest.mark.parametrize("row", ["1,2,3,5", "1,2,3,x"])
def test_more_cells_than_titles_are_no_weights_and_a_rest(tmp_path: Path, row: str) -> None:
    """3,5 with a decimal comma was read as 3."""
    with pytest.raises(FileFormatError, match="the row has 4 cells, but there are 3 titles"):
        read(tmp_path, f"source,target,weight\n{row}\n")
    plain = read(tmp_path, "source,target,weight\n1,2,3,\n").graph
    assert arcs(plain) == [(1, 2, 3)]


def test_columns_that_a_table_has_no_longer_are_asked_for(tmp_path: Path) -> None:
    """As of a session whose table was edited: the window then asks for its columns."""
    with pytest.raises(ColumnsUnknown, match=r"t\.csv: there is no column “km” \(u, v, miles\)"):
        read(tmp_path, "u,v,miles\na,b,1\n", columns="u,v,km")
    with pytest.raises(FileFormatError, match="the file is empty"):
        read(tmp_path, "", columns="u,v,km")


def test_points_that_may_separate_thousands_are_asked_about(tmp_path) -> None:
    titles, rows = "source;target;weight\n", "1;2;1.000\n2;3;2.500\n"
    with pytest.raises(ColumnsUnknown, match=r"the point in “1\.000” may be before decimals"):
        read(tmp_path, titles + rows)
    chosen = read(tmp_path, titles + rows, columns="source,target,weight").graph
    assert chosen.weights.tolist() == [1, 2.5]
    for clear in (rows + "3;1;2.5\n", rows + "3;1;0.500\n"):
        assert read(tmp_path, titles + clear).graph.weights.tolist()[:2] == [1, 2.5]
    assert read(tmp_path, (titles + rows).replace(";", ",")).graph.weights.tolist() == [1, 2.5]


@pytest.mark.parametrize("titles", ["source,target,weight", "from;to", "u,v,w"])
def test_titles_alone_are_told(tmp_path, titles: str) -> None:
    with pytest.raises(FileFormatError, match="titles of columns, and no rows below them"):
        read(tmp_path, titles + "\n")


def test_thousands_in_quotation_marks_are_refused_with_the_reason(tmp_path) -> None:
    with pytest.raises(FileFormatError, match=r"weight “1,000” .* thousands without a comma"):
        read(tmp_path, 'u,v,w\n1,2,"1,000"\n2,3,"2,500"\n')


_STREETS = "from,to,km,{title}\na,b,1,yes\nb,c,2,no\nc,d,3,-1\nd,e,4,FT\ne,f,5,tf\nf,g,6,B\n"


@pytest.mark.parametrize("title", ["oneway", "OneWay", "one_way"])
@pytest.mark.parametrize("stated", [True, None])
def test_one_way_roads_of_an_undirected_table(tmp_path, title: str, stated: bool | None) -> None:
    path = tmp_path / "streets.csv"
    path.write_text(_STREETS.format(title=title))
    graph = read_graph(path, ReadingOptions(undirected=stated)).graph
    assert sorted(arcs(graph)) == [
        ("a", "b", 1),
        ("b", "c", 2),
        ("c", "b", 2),
        ("d", "c", 3),
        ("d", "e", 4),
        ("f", "e", 5),
        ("f", "g", 6),
        ("g", "f", 6),
    ]
    assert graph.directed
    line = graph.interpretation.line
    assert f"direction: “{title}” (-1 against the row, b both ways, ft along the row," in line
    directed = read_graph(path, ReadingOptions(undirected=False)).graph
    assert len(arcs(directed)) == 6
    assert title in directed.interpretation.ignored


def test_one_way_roads_that_are_not_understood(tmp_path) -> None:
    path = tmp_path / "streets.csv"
    path.write_text("from,to,km,oneway\n" + "a,b,1,yes\n" * 30 + "b,c,2,perhaps\n")
    with pytest.raises(
        FileFormatError, match=r"line 32: “perhaps” is none of the directions yes, true,"
    ):
        read_graph(path, ReadingOptions(undirected=True))
    path.write_text("from,to,km,oneway\na,b,1,perhaps\n")  # no such column
    assert not read_graph(path, ReadingOptions(undirected=True)).graph.directed


def test_an_undirected_table_without_one_way_roads_stays_undirected(tmp_path) -> None:
    path = tmp_path / "streets.csv"
    path.write_text("from,to,km,oneway\na,b,1,no\nb,c,2,no\n")
    graph = read_graph(path, ReadingOptions(undirected=True)).graph
    assert not graph.directed
    assert graph.m == 4


def test_one_way_roads_of_parquet(tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"from": ["a", "b"], "to": ["b", "c"], "km": [1, 2], "oneway": [True, False]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "streets.parquet")
    graph = read_graph(tmp_path / "streets.parquet", ReadingOptions(undirected=True)).graph
    assert sorted(arcs(graph)) == [("a", "b", 1), ("b", "c", 2), ("c", "b", 2)]
