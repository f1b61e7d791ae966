"""Edge tables in Parquet: types, names, missing cells, damage, and the sentence without pyarrow."""

from __future__ import annotations

import decimal
import gzip
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import ColumnsUnknown, FileFormatError, OutOfMemory, PackageMissing
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.system import machine
from solvers.system.machine import Memory
from tests.solvers.graphs.readers.test_table_files import arcs

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def written(folder: Path, **columns: object) -> Path:
    parquet.write_table(pyarrow.table(columns), folder / "t.parquet", row_group_size=2)
    return folder / "t.parquet"


def test_titles_tell_the_columns_and_names_are_kept(tmp_path) -> None:
    towns = pyarrow.array(["Bern", "Zürich", "Bern"]).dictionary_encode()
    path = written(
        tmp_path,
        note=["x", "y", "z"],
        to=["Zürich", "Basel", "Chur"],
        **{"from": towns},
        km=[125, 85, 240],
    )
    reading = read_graph(path)
    assert arcs(reading.graph) == [
        ("Bern", "Zürich", 125),
        ("Bern", "Chur", 240),
        ("Zürich", "Basel", 85),
    ]
    assert (reading.report.format, reading.report.weights_from) == (
        "edge table (Parquet)",
        "column “km”",
    )


def test_columns_are_chosen_and_whole_numbers_are_exact(tmp_path) -> None:
    big = 2**53 + 1
    path = written(
        tmp_path, a=[big, 3], b=[3, -1], c=[decimal.Decimal("0.5"), decimal.Decimal("2.25")]
    )
    assert arcs(read_graph(path, ReadingOptions(columns="a,b,c")).graph) == [
        (3, -1, 2.25),
        (big, 3, 0.5),
    ]
    with pytest.raises(ColumnsUnknown, match=r"not clear from this table \(a, b, c\)"):
        read_graph(path)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(-(2**62), 2**62)), min_size=1
    )
)
@settings(max_examples=20)
def test_round_trip(tmp_path, rows) -> None:
    tails, heads, weights = (list(column) for column in zip(*rows, strict=True))
    graph = read_graph(written(tmp_path, source=tails, target=heads, weight=weights)).graph
    assert sorted(arcs(graph)) == sorted(rows)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"u": [1, 2, None], "v": [2, 3, 1], "w": [1, 2, 3]},
            "row 3: the source is missing. Leave out rows",
        ),
        ({"u": [1, 2, 3], "v": [2, 3, 1], "w": [1, 2, None]}, "row 3: the weight is missing"),
        (
            {"u": [1, 2, 3], "v": [2, 3, 1], "w": [1, 2.5, float("inf")]},
            "row 3: the weight is not a finite number",
        ),
        (
            {"u": [1, 2], "v": [2, 3], "w": ["1", "2"]},
            "the column “w” holds string, which cannot be weights",
        ),
        (
            {"u": [1.5, 2.5], "v": [2, 3], "w": [1, 2]},
            "the column “u” holds double, which cannot be ids of vertices",
        ),
        (
            {"u": [1], "v": [2], "w": pyarrow.array([2**63], pyarrow.uint64())},
            "row 1: the weight does not fit into 64",
        ),
    ],
)
def test_what_cannot_be_an_edge_is_refused(tmp_path, columns, sentence) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_graph(written(tmp_path, **columns), ReadingOptions(columns="u,v,w"))
    assert sentence in str(caught.value)


def test_damage_is_told(tmp_path) -> None:
    path = written(tmp_path, u=[1, 2], v=[2, 3])
    content = path.read_bytes()
    for broken in (content[:-20], b"PAR1" + b"\0" * 50, content[:4] + b"\xff" * 40 + content[44:]):
        path.write_bytes(broken)
        with pytest.raises(FileFormatError, match="the Parquet file is damaged or cannot be read"):
            read_graph(path)


def test_packed_parquet_is_refused(tmp_path) -> None:
    (tmp_path / "t.parquet.gz").write_bytes(
        gzip.compress(written(tmp_path, u=[1], v=[2]).read_bytes())
    )
    with pytest.raises(
        FileFormatError, match=r"this is a compressed Parquet file\. Unpack it first"
    ):
        read_graph(tmp_path / "t.parquet.gz")


def test_memory_is_asked_for_before_it_is_spent(tmp_path, monkeypatch) -> None:
    path = written(tmp_path, u=[1, 2], v=[2, 3])
    monkeypatch.setattr(machine, "memory", lambda: Memory(10, 10))
    with pytest.raises(OutOfMemory, match=r"Reading t\.parquet needs"):
        read_graph(path)


def test_without_pyarrow_the_command_is_named(tmp_path, monkeypatch) -> None:
    path = written(tmp_path, u=[1, 2], v=[2, 3])
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PackageMissing) as caught:
        read_graph(path)
    assert str(caught.value) == "Reading t.parquet needs the package pyarrow: pip install pyarrow."
