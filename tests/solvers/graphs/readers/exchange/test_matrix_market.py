"""Matrix Market: what SciPy writes is read; malformed files are refused with the line, and none ends the process."""

from __future__ import annotations

import io
from typing import Any

import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings

from solvers.errors import FileFormatError
from tests.solvers.graphs.readers.conftest import ReadText, arcs
from tests.solvers.graphs.readers.exchange.sparse import entries_of, matrices

QUICK = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
MARKET = "%%MatrixMarket matrix {}\n"
REAL = MARKET.format("coordinate real general")


@given(matrix=matrices())
@QUICK
def test_round_trip(matrix: Any, read_text: ReadText) -> None:
    scipy.io.mmwrite(stream := io.BytesIO(), matrix, symmetry="general")
    graph = read_text(stream.getvalue()).graph

    assert (graph.ids[0], graph.n) == (1, matrix.shape[0])
    assert sorted(arcs(graph)) == entries_of(matrix, 1)


@given(matrix=matrices())
@QUICK
def test_dense_round_trip(matrix: Any, read_text: ReadText) -> None:
    symmetric = matrix.toarray() + matrix.toarray().T
    for dense, symmetry in ((matrix.toarray(), "general"), (symmetric, "symmetric")):
        scipy.io.mmwrite(stream := io.BytesIO(), dense, symmetry=symmetry)
        graph = read_text(stream.getvalue()).graph

        assert graph.directed == (symmetry == "general")
        assert sorted(arcs(graph)) == sorted(entries_of(scipy.sparse.coo_array(dense), 1))


def test_a_symmetric_matrix_is_undirected_and_a_pattern_unweighted(read_text: ReadText) -> None:
    reading = read_text(MARKET.format("coordinate pattern symmetric") + "3 3 3\n1 1\n2 1\n3 2\n")

    assert not reading.graph.directed
    assert arcs(reading.graph) == [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 3, 1), (3, 2, 1)]
    assert reading.report.warnings == ()


def test_cells_of_a_dense_matrix_other_than_0_are_arcs(read_text: ReadText) -> None:
    reading = read_text(MARKET.format("array integer general") + "2 2\n0\n5\n0\n7\n")

    assert arcs(reading.graph) == [(2, 1, 5), (2, 2, 7)]


def test_weights_are_left_out_on_request_and_integers_stay_exact(read_text: ReadText) -> None:
    text = MARKET.format("coordinate integer general") + "% by hand\n2 2 2\n1 2 9007199254740993\n2 1 4\n"

    assert arcs(read_text(text).graph) == [(1, 2, 9007199254740993), (2, 1, 4)]
    assert arcs(read_text(text, weights="unit").graph) == [(1, 2, 1), (2, 1, 1)]


@pytest.mark.parametrize("end", [b"7\xe1", b"7\xff", b"1e", b"0." + b"1" * 900])
def test_a_number_cut_short_at_the_end_of_the_file_does_not_crash(end: bytes, read_text: ReadText) -> None:
    """SciPy's reader reads on past the end of the text, into a segmentation fault."""
    text = REAL.encode() + b"3 3 2\n1 2 0.5\n3 1 " + end
    if end.startswith(b"0.1"):
        assert arcs(read_text(text).graph) == [(1, 2, 0.5), (3, 1, 1 / 9)]
    else:
        with pytest.raises(FileFormatError, match="is not a finite number"):
            read_text(text)


BAD = [
    (REAL + "2 2 2\n1 2 1\n", "it has 1 entry; its header says 2", None),
    (REAL + "2 2 1\n1 2 1\n2 1 1\n", "it has 2 entries; its header says 1", None),
    (REAL + "2 2 2\n1 2 1\n\n% x\n1 3 1\n", "the entry (1, 3) is outside the matrix of 2 × 2", 6),
    (REAL + "2 2 1\n0 1 1\n", "the entry (0, 1) is outside", 3),
    (REAL + "2 2 1\n1 2 x\n", "the weight “x” is not a finite number", 3),
    (REAL + "2 2 1\n1 2\n", "the weight is missing", 3),
    (REAL + "2 2 1\n1 2 nan\n", "the weight “nan” is not a finite number", 3),
    (REAL + "2 3 1\n1 2 1\n", "2 × 3, not square", None),
    (REAL + "2 2\n", "the entry count is missing", 2),
    (REAL, "the line of sizes is missing", None),
    (REAL + "0 0 0\n", "no vertices", None),
    (REAL + "2 2 999999999\n1 2 1\n", "its header says 999999999", None),
    (REAL + "2000000000 2000000000 1\n1 2 1\n", "but it has only 1 arc", None),
    ("%%MatrixMarket\n1 1 1\n", "no header of a matrix", 1),
    ("%%MatrixMarket vector coordinate real general\n1 1 1\n", "no header of a matrix", 1),
    (MARKET.format("coordinate complex general") + "1 1 1\n1 1 1 1\n", "complex", 1),
    (MARKET.format("coordinate real skew-symmetric") + "2 2 1\n2 1 1\n", "skew-symmetric", 1),
    (MARKET.format("array pattern general") + "1 1\n1\n", "array pattern", 1),
    (MARKET.format("array real symmetric") + "2 2\n1\n1\n", "it has 2 cells; its header says 3", None),
    (MARKET.format("coordinate pattern general") + "2 2 1\n1 2 3\n", "text after the last column: “3”", 3),
    (MARKET.format("coordinate unsigned-integer general") + "2 2 1\n1 2 9223372036854775808\n",
     "the weight “9223372036854775808” is past 2^63 - 1", 3),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "line"), BAD, ids=[f"{row[1][:30]}-{k}" for k, row in enumerate(BAD)])
def test_malformed_text_is_refused(text: str, reason: str, line: int | None, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(text)

    assert reason in caught.value.reason
    assert caught.value.line == line
