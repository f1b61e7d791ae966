"""SciPy's ``.npz``: what it saves is read; damaged archives are refused."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings

from solvers.errors import FileFormatError, OutOfMemory
from solvers.graphs.readers.exchange import npz
from solvers.host.machine import Memory
from tests.solvers.graphs.readers.conftest import ReadText, arcs
from tests.solvers.graphs.readers.exchange.sparse import entries_of, matrices

QUICK = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


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
