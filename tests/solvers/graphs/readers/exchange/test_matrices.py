"""Matrix Market, ``.npz`` and Pajek: what SciPy and NetworkX write is read; damaged files are refused."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.readers.exchange import npz
from solvers.host.machine import Memory
from tests.solvers.graphs.readers.conftest import ReadText, arcs

QUICK = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def matrices(draw: Any) -> Any:
    """Square matrices in COO form with repeated entries and stored zeros."""
    n = draw(st.integers(1, 5))
    entries = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2, st.integers(-9, 9)), max_size=8))
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    kind = draw(st.sampled_from((np.int32, np.float64)))
    return scipy.sparse.coo_array((np.array(values, kind), (np.array(rows, int), np.array(columns, int))), (n, n))


def entries_of(matrix: Any, first: int) -> list[tuple[int, int, float]]:
    coo = matrix.tocoo()
    return sorted(zip((coo.row + first).tolist(), (coo.col + first).tolist(), coo.data.tolist(), strict=True))


def saved(matrix: Any) -> bytes:
    scipy.sparse.save_npz(stream := io.BytesIO(), matrix)
    return stream.getvalue()


@given(matrix=matrices())
@QUICK
def test_matrix_market_round_trip(matrix: Any, read_text: ReadText) -> None:
    scipy.io.mmwrite(stream := io.BytesIO(), matrix, symmetry="general")
    graph = read_text(stream.getvalue()).graph

    assert (graph.ids[0], graph.n) == (1, matrix.shape[0])
    assert sorted(arcs(graph)) == entries_of(matrix, 1)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@given(matrix=matrices())
@QUICK
def test_npz_round_trip(form: str, matrix: Any, read_text: ReadText) -> None:
    matrix = matrix.asformat(form)
    graph = read_text(saved(matrix), "m.npz").graph

    assert (graph.ids[0], graph.n) == (0, matrix.shape[0])
    assert sorted(arcs(graph)) == entries_of(matrix, 0)


MARKET = "%%MatrixMarket matrix {}\n"


def test_a_symmetric_matrix_is_undirected_and_a_pattern_unweighted(read_text: ReadText) -> None:
    reading = read_text(MARKET.format("coordinate pattern symmetric") + "3 3 3\n1 1\n2 1\n3 2\n")

    assert not reading.graph.directed
    assert arcs(reading.graph) == [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 3, 1), (3, 2, 1)]
    assert reading.report.warnings == ()


def test_cells_of_a_dense_matrix_other_than_0_are_arcs(read_text: ReadText) -> None:
    reading = read_text(MARKET.format("array integer general") + "2 2\n0\n5\n0\n7\n")

    assert arcs(reading.graph) == [(2, 1, 5), (2, 2, 7)]


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
    (MARKET.format("coordinate real general") + "2 2 2\n1 2 1\n", "cannot be read", None),
    (MARKET.format("coordinate real general") + "2 2 1\n1 3 1\n", "cannot be read", 3),
    (MARKET.format("coordinate real general") + "2 2 1\n1 2 x\n", "cannot be read", 3),
    (MARKET.format("coordinate real general") + "2 2 1\n1 2 nan\n", "entry (1, 2) is not a finite number", None),
    (MARKET.format("coordinate real general") + "2 3 1\n1 2 1\n", "2 × 3, not square", None),
    (MARKET.format("coordinate real general") + "0 0 0\n", "no vertices", None),
    (MARKET.format("coordinate real general") + "2 2 999999999\n1 2 1\n", "cannot hold", None),
    (MARKET.format("coordinate real general") + "2000000000 2000000000 1\n1 2 1\n", "but it has only 1 arc", None),
    (MARKET.format("coordinate complex general") + "1 1 1\n1 1 1 1\n", "complex", None),
    (MARKET.format("coordinate real skew-symmetric") + "2 2 1\n2 1 1\n", "skew-symmetric", None),
    (MARKET.format("coordinate unsigned-integer general") + "2 2 1\n1 2 9223372036854775808\n",
     "the weight of the entry (1, 2) does not fit into a signed 64-bit integer", None),
    ("*Vertices 2\n*Arcs\n1 3\n", "there is no vertex 3", 3),
    ("*Vertices 2\n*Arcs\n1\n", "the head is missing", 3),
    ("*Vertices 2\n*Arcs\n1 2 far\n", "“far” is not a finite number", 3),
    ("*Vertices 2\n1 a\n1 b\n", "listed twice", 3),
    ("*Vertices\n", "number of vertices is missing", 1),
    ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "a network as a matrix is not read", 2),
    ("*Vertices 2000000000\n*Arcs\n1 2\n", "but it has only 1 arc", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "line"), BAD, ids=[f"{row[1][:30]}-{k}" for k, row in enumerate(BAD)])
def test_bad_text_is_refused(text: str, reason: str, line: int | None, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(text)

    assert reason in caught.value.reason
    assert line is None or caught.value.line == line


def archive(**arrays: Any) -> bytes:
    np.savez(stream := io.BytesIO(), **arrays)
    return stream.getvalue()


GOOD = {"data": np.ones(1), "indices": np.array([1]), "indptr": np.array([0, 1, 1]), "shape": np.array([2, 2])}
BAD_ARCHIVES = [
    (GOOD | {"data": np.array([{}], object)}, "Python objects, which are never loaded"),
    (GOOD | {"indices": np.array([2])}, "out of the range 0 to 1"),
    (GOOD | {"indices": np.array([-1])}, "out of the range"),
    (GOOD | {"indptr": np.array([0, 2**40, 1])}, "indptr"),
    (GOOD | {"shape": np.array([2, 3])}, "not square"),
    (GOOD | {"shape": np.array([2**40, 2**40])}, "too many"),
    (GOOD | {"data": np.array([np.nan])}, "not a finite number"),
    (GOOD | {"data": np.array(1.0)}, "not real numbers in a row"),
    (GOOD | {"data": np.array([np.longdouble("1e4000")])}, "not a finite number of 64 bits"),
    (GOOD | {"data": np.array([2**63], np.uint64)}, "does not fit into a signed 64-bit integer"),
    (GOOD | {"data": np.array([1j])}, "complex128, not real numbers"),
    (GOOD | {"data": np.ones(2)}, "1 places of entries, but 2 values"),
    (GOOD | {"format": np.array("bsr")}, "format “bsr”"),
    ({"a": np.ones(3)}, "holds no sparse matrix"),
]


@pytest.mark.parametrize(("arrays", "reason"), BAD_ARCHIVES, ids=[row[1][:24] for row in BAD_ARCHIVES])
def test_bad_archives_are_refused(arrays: dict[str, Any], reason: str, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(archive(**arrays), "m.npz")

    assert reason in caught.value.reason


def test_an_archive_that_unpacks_to_more_than_is_free_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_text: ReadText
) -> None:
    monkeypatch.setattr(npz.machine, "memory", lambda: Memory(1 << 30, 1000))
    with pytest.raises(OutOfMemory, match="needs"):
        read_text(archive(**GOOD), "m.npz")


def test_damaged_archives_never_fail_otherwise(read_text: ReadText) -> None:
    content = saved(scipy.sparse.csr_array(np.eye(3)))
    for at in range(0, len(content), 5):
        for damaged in (content[:at], content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]):
            with suppress(FileFormatError):
                assert read_text(damaged, "m.npz").graph.n > 0


def test_a_zip_archive_of_something_else_is_no_matrix(read_text: ReadText) -> None:
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as packed:
        packed.writestr("notes.txt", "1 2 3")
    with pytest.raises(FileFormatError, match="binary file"):
        read_text(stream.getvalue(), "m.zip")
