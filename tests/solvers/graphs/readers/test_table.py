"""Rows that threads parse ahead are those that one thread finds, and faults come in the
order of the file.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.errors import FileFormatError
from solvers.graphs.readers import input_file, read_graph, table
from solvers.graphs.reading import Reading
from solvers.system import threads
from solvers.system.threads import in_background

ROWS = 400
BLOCK = 128  # bytes; some ten rows

Change = Callable[[list[str]], None]


def put(place: int, row: str) -> Change:
    """A change of the row at ``place``."""

    def change(rows: list[str]) -> None:
        rows[place] = row

    return change


CHANGES: dict[str, Change] = {
    "nothing": lambda rows: None,
    "a decimal": put(170, "a 3 4 1.25"),
    "a decimal in the first block": put(2, "a 3 4 1.25"),
    "a number for Python": put(170, "a 3 4 0.1234567890123456789"),
    "a wide id": put(170, "a 3 5000000000 2"),
    "a wide weight": put(170, "a 3 4 12345678901"),
    "past 64 bits": put(170, "a 3 4 99999999999999999999"),
    "a comment": put(170, "c comment"),
    "a second header": put(170, "p sp 9 9"),
    "a late header": lambda rows: rows.insert(170, rows.pop(0)),
    "a fault": put(170, "a 3 x 1"),
    "two faults": lambda rows: (put(170, "a 3 x 1")(rows), put(300, "b 3 4 1")(rows))[0],
    "a decimal before a fault": lambda rows: (
        put(100, "a 3 4 1.25")(rows),
        put(170, "a 3 4 y")(rows),
    )[0],
}


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, int], Reading | str]:
    monkeypatch.setattr(input_file, "BLOCK_BYTES", BLOCK)

    def read(path: Path, cores: int) -> Reading | str:
        monkeypatch.setattr(table, "cores", lambda: cores)
        try:
            return read_graph(path)
        except FileFormatError as error:
            return str(error)

    return read


def text_with(change: Change) -> bytes:
    rows = [f"a {1 + i % 50} {1 + i * 7 % 50} {i % 9 + 1}" for i in range(ROWS)]
    rows.insert(0, "p sp 50 400")
    change(rows)
    return ("\n".join(rows) + "\n").encode()


def require_same(one: Reading | str, other: Reading | str) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert one.report.warnings == other.report.warnings
    first, second = one.graph, other.graph
    assert (first.n, first.weights.dtype) == (second.n, second.weights.dtype)
    np.testing.assert_array_equal(first.indptr, second.indptr)
    np.testing.assert_array_equal(first.indices, second.indices)
    np.testing.assert_array_equal(first.weights, second.weights)


@pytest.mark.parametrize("name", CHANGES)
def test_threads_find_what_one_thread_finds(
    name: str, answer: Callable[[Path, int], Reading | str], tmp_path: Path
) -> None:
    path = tmp_path / "graph.gr"
    path.write_bytes(text_with(CHANGES[name]))
    require_same(answer(path, 4), answer(path, 1))


def test_a_fault_is_told_before_the_end_that_is_missing(
    answer: Callable[[Path, int], Reading | str], tmp_path: Path
) -> None:
    packed = gzip.compress(text_with(put(20, "a 3 x 1")))
    path = tmp_path / "graph.gr.gz"
    path.write_bytes(packed[:-20])
    told = answer(path, 4)
    assert "line 21" in str(told)
    assert told == answer(path, 1)


def test_threads_are_given_the_blocks_ahead(
    answer: Callable[[Path, int], Reading | str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []

    def submit(*call: Any) -> Any:
        given.append(call)
        return in_background(*call)

    monkeypatch.setattr(table, "in_background", submit)
    path = tmp_path / "graph.gr"
    path.write_bytes(text_with(CHANGES["nothing"]))
    answer(path, 4)
    assert len(given) > ROWS * 8 // BLOCK
    given.clear()
    answer(path, 1)
    assert not given


def test_threads_that_are_busy_are_not_waited_for(
    answer: Callable[[Path, int], Reading | str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.gr"
    path.write_bytes(text_with(CHANGES["nothing"]))
    free = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(threads, "_idle_threads", lambda: pool)
        busy = pool.submit(free.wait, 10)
        try:
            found = answer(path, 4)
            assert not busy.done()
        finally:
            free.set()
    require_same(found, answer(path, 1))
