"""Matrix Market and SciPy's ``.npz``: what SciPy writes is read, and damaged files are refused."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.readers.matrix_files import _Description, machine
from solvers.system.machine import Memory
from tests.solvers.graphs.readers.conftest import ReadText, arcs
from tests.solvers.graphs.readers.sparse import entries_of, matrices

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
    ("%%MatrixMarket\n1 1 1\n", "not a header of a matrix", 1),
    ("%%MatrixMarket vector coordinate real general\n1 1 1\n", "not a header of a matrix", 1),
    (MARKET.format("coordinate complex general") + "1 1 1\n1 1 1 1\n", "complex", 1),
    (MARKET.format("coordinate real skew-symmetric") + "2 2 1\n2 1 1\n", "skew-symmetric", 1),
    (MARKET.format("array pattern general") + "1 1\n1\n", "array pattern", 1),
    (MARKET.format("array real symmetric") + "2 2\n1\n1\n", "it has 2 cells; its header says 3", None),
    (MARKET.format("coordinate pattern general") + "2 2 1\n1 2 3\n", "text after the last column: “3”", 3),
    (MARKET.format("coordinate unsigned-integer general") + "2 2 1\n1 2 9223372036854775808\n",
     "the weight “9223372036854775808” is greater than 2^63 - 1", 3),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "line"), BAD, ids=[f"{row[1][:30]}-{k}" for k, row in enumerate(BAD)])
def test_malformed_text_is_refused(text: str, reason: str, line: int | None, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(text)

    assert reason in caught.value.reason
    assert caught.value.line == line


def saved(matrix: Any) -> bytes:
    scipy.sparse.save_npz(stream := io.BytesIO(), matrix)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@given(matrix=matrices())
@QUICK
def test_npz_round_trip(form: str, matrix: Any, read_text: ReadText) -> None:
    matrix = matrix.asformat(form)
    graph = read_text(saved(matrix), "m.npz").graph

    assert (graph.ids[0], graph.n) == (0, matrix.shape[0])
    assert sorted(arcs(graph)) == entries_of(matrix, 0)


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
    (GOOD | {"data": np.array([np.nan])}, "not a finite 64-bit number"),
    (GOOD | {"data": np.array(1.0)}, "not real numbers in a row"),
    (GOOD | {"data": np.array([np.longdouble("1e4000")])}, "not a finite 64-bit number"),
    (GOOD | {"data": np.array([2**63], np.uint64)}, "does not fit into a signed 64-bit integer"),
    (GOOD | {"data": np.array([1j])}, "complex128, not real numbers"),
    (GOOD | {"data": np.ones(2)}, "1 positions of entries, but 2 values"),
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
    monkeypatch.setattr(machine, "memory", lambda: Memory(1 << 30, 100))
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


def with_member(name: str, content: bytes, packing: int = zipfile.ZIP_STORED) -> bytes:
    """`GOOD` as an archive with another member in place of that one, whose checksum is right."""
    with zipfile.ZipFile(io.BytesIO(archive(**GOOD))) as good:
        members = {member: good.read(member) for member in good.namelist()} | {f"{name}.npy": content}
    with zipfile.ZipFile(stream := io.BytesIO(), "w", packing) as changed:
        for member, kept in members.items():
            changed.writestr(member, kept)
    return stream.getvalue()


def array_with(header: bytes, values: bytes = bytes(16)) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + values


SHAPED = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
BAD_HEADERS = [
    (b"'" * 3, "its header is damaged"),  # tokenize.TokenError
    (b"  {\n 1\n  (", "its header is damaged"),  # IndentationError
    (b"{'descr': '<i8', 'fortran_order': False, 'shape': (1,", "its header is damaged"),  # SyntaxError
    (b"(" * 3_000, "its header is damaged"),  # MemoryError of the parser
    (b"-" * 4_000 + b"1", "its header is damaged"),
    ((SHAPED % ("<i8", "-2,")).encode(), "its header is damaged|not a number"),
    ((SHAPED % ("<i8", "10000000000000,")).encode(), "longer than its header says|too large"),
    ((SHAPED % ("<U999999999", "1,")).encode(), "its header is damaged"),
    ((SHAPED % ("<m8[s]", "2,")).encode(), "not a number"),
    ((SHAPED % ("|O", "2,")).encode(), "Python objects, which are never loaded"),
]


@pytest.mark.parametrize(("header", "reason"), BAD_HEADERS, ids=[str(row[0][:40]) for row in BAD_HEADERS])
@pytest.mark.parametrize("name", ["data", "shape"])
def test_damaged_headers_of_arrays_are_refused(header: bytes, reason: str, name: str, read_text: ReadText) -> None:
    with pytest.raises(FileFormatError, match=f"its array “{name}” cannot be read .*({reason})"):
        read_text(with_member(name, array_with(header)), "m.npz")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_unpack_without_limit_are_refused(packing: int, read_text: ReadText) -> None:
    content = array_with((SHAPED % ("<i8", "2,")).encode())
    with pytest.raises(FileFormatError, match="compressed by a method that NumPy does not use"):
        read_text(with_member("data", content, packing), "m.npz")


def test_a_bomb_is_refused_before_it_is_unpacked(read_text: ReadText, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of one byte: 3 MB in memory as they are stored, and far more once a graph is made of them."""
    ones = np.ones(10**6, np.uint8)
    np.savez_compressed(
        stream := io.BytesIO(), data=ones, row=ones, col=ones, shape=np.array([2, 2]), format=np.array(b"coo")
    )
    assert len(stream.getvalue()) < 10_000
    monkeypatch.setattr(machine, "memory", lambda: Memory(1 << 30, 50 * 10**6))
    monkeypatch.setattr(_Description, "read", lambda *_: pytest.fail("it was unpacked"))

    with pytest.raises(OutOfMemory) as caught:
        read_text(stream.getvalue(), "m.npz")

    assert caught.value.needed_bytes == 3 * 10**6 + 16 + 3 + 80 * 10**6


def test_two_arrays_of_a_name_are_refused(read_text: ReadText) -> None:
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as twice:
        twice.writestr("data.npy", b"x")
        with pytest.warns(UserWarning, match="Duplicate"):
            twice.writestr("data.npy", b"x")
    with pytest.raises(FileFormatError, match="two arrays of the same name"):
        read_text(stream.getvalue(), "m.npz")
