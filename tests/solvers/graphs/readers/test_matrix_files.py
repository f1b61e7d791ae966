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
from hypothesis import given, settings

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.readers.matrix_files import machine
from solvers.system.machine import Memory
from tests.solvers.graphs.readers.conftest import ReadText, arcs
from tests.solvers.graphs.readers.sparse import entries_of, matrices

QUICK = settings(max_examples=15)
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


@pytest.mark.parametrize("end", [b"7\xe1", b"7\xff", b"1e", b"0." + b"1" * 900])
def test_a_number_cut_short_at_the_end_of_the_file_does_not_crash(
    end: bytes, read_text: ReadText
) -> None:
    """SciPy's reader reads on past the end of the text, into a segmentation fault."""
    text = REAL.encode() + b"3 3 2\n1 2 0.5\n3 1 " + end
    if end.startswith(b"0.1"):
        assert arcs(read_text(text).graph) == [(1, 2, 0.5), (3, 1, 1 / 9)]
    else:
        with pytest.raises(FileFormatError, match="is not a finite number"):
            read_text(text)


def test_a_whole_number_past_63_bits_is_refused(read_text: ReadText) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(
            MARKET.format("coordinate unsigned-integer general")
            + "2 2 1\n1 2 9223372036854775808\n"
        )
    assert caught.value.line == 3


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


GOOD = {
    "data": np.ones(1),
    "indices": np.array([1]),
    "indptr": np.array([0, 1, 1]),
    "shape": np.array([2, 2]),
}


def test_an_archive_that_unpacks_to_more_than_is_free_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_text: ReadText
) -> None:
    monkeypatch.setattr(machine, "memory", lambda: Memory(1 << 30, 100))
    with pytest.raises(OutOfMemory, match="needs"):
        read_text(archive(**GOOD), "m.npz")


def test_damaged_archives_never_fail_otherwise(read_text: ReadText) -> None:
    content = saved(scipy.sparse.csr_array(np.eye(3)))
    for at in range(0, len(content), 5):
        for damaged in (
            content[:at],
            content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :],
        ):
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
        members = {member: good.read(member) for member in good.namelist()} | {
            f"{name}.npy": content
        }
    with zipfile.ZipFile(stream := io.BytesIO(), "w", packing) as changed:
        for member, kept in members.items():
            changed.writestr(member, kept)
    return stream.getvalue()


def array_with(header: bytes, values: bytes = bytes(16)) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + values


SHAPED = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
BAD_HEADERS = [
    b"'" * 3,  # tokenize.TokenError
    b"  {\n 1\n  (",  # IndentationError
    b"{'descr': '<i8', 'fortran_order': False, 'shape': (1,",  # SyntaxError
    b"(" * 3_000,  # MemoryError of the parser
    b"-" * 4_000 + b"1",
    (SHAPED % ("<i8", "-2,")).encode(),
    (SHAPED % ("<i8", "10000000000000,")).encode(),
    (SHAPED % ("<i8", "1,")).encode(),  # fewer than there are
    (SHAPED % ("<U999999999", "1,")).encode(),
    (SHAPED % ("<m8[s]", "2,")).encode(),
    (SHAPED % ("<i8", "1, 2")).encode(),
    (SHAPED % ("|O", "2,")).encode(),
]


@pytest.mark.parametrize("header", BAD_HEADERS, ids=[str(row[:40]) for row in BAD_HEADERS])
@pytest.mark.parametrize("name", ["data", "shape"])
def test_damaged_headers_of_arrays_are_refused(
    header: bytes, name: str, read_text: ReadText
) -> None:
    with pytest.raises(FileFormatError, match=f"its array “{name}” cannot be read"):
        read_text(with_member(name, array_with(header)), "m.npz")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_unpack_without_limit_are_refused(packing: int, read_text: ReadText) -> None:
    content = array_with((SHAPED % ("<i8", "2,")).encode())
    with pytest.raises(FileFormatError, match="compressed by a method that NumPy does not use"):
        read_text(with_member("data", content, packing), "m.npz")


def test_a_bomb_is_refused_before_it_takes_memory(
    read_text: ReadText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells of one byte: 3 MB as they are stored, and far more once a graph is made of them."""
    ones = np.ones(10**6, np.uint8)
    np.savez_compressed(
        stream := io.BytesIO(),
        data=ones,
        row=ones,
        col=ones,
        shape=np.array([2, 2]),
        format=np.array(b"coo"),
    )
    assert len(stream.getvalue()) < 10_000
    for free, needed in ((10**6, 3 * 10**6), (50 * 10**6, 80 * 10**6)):
        monkeypatch.setattr(machine, "memory", lambda free=free: Memory(1 << 30, free))
        with pytest.raises(OutOfMemory) as caught:
            read_text(stream.getvalue(), "m.npz")
        assert needed <= caught.value.needed_bytes < needed + 1_000


def test_two_arrays_of_a_name_are_refused(read_text: ReadText) -> None:
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as twice:
        twice.writestr("data.npy", b"x")
        with pytest.warns(UserWarning, match="Duplicate"):
            twice.writestr("data.npy", b"x")
    with pytest.raises(FileFormatError, match="two arrays of the same name"):
        read_text(stream.getvalue(), "m.npz")
