"""Arcs are sorted into rows, slice by slice, however few arcs or vertices there are."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs import csr
from solvers.graphs.csr import _CELLS, SLICE, cell_slices, row_slices, rows_of_arcs, slices


@pytest.mark.parametrize("n", [1, 5, SLICE + 3])
def test_the_rows_are_those_of_a_stable_sort(n: int) -> None:
    rng = np.random.default_rng(7)
    tails, heads = rng.integers(0, n, (2, 1_000), dtype=np.int32)
    weights = np.arange(1_000, dtype=np.int32)

    indptr, indices, ordered = rows_of_arcs(n, tails, heads, weights)

    order = np.lexsort((weights, heads, tails))
    assert indices.tolist() == heads[order].tolist()
    assert ordered.tolist() == weights[order].tolist()
    assert indptr.tolist() == np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=n)))).tolist()


def test_cancel_is_looked_for_in_every_pass_over_many_vertices() -> None:
    """Adding up the counts is a pass over all vertices of its own, beside the sorting of their rows."""
    looks: list[int] = []
    none = np.empty(0, dtype=np.int32)

    rows_of_arcs(3 * SLICE, none, none, none, lambda: looks.append(1))

    assert len(looks) == 3 + 3


def test_a_row_too_long_for_one_sort_is_sorted_between_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vertex with five million arcs left Cancel waiting for 300 ms."""
    monkeypatch.setattr(csr, "_LONGEST_SORTED", 100)
    monkeypatch.setattr(csr, "_sort_rows", None)  # must not be called
    rng = np.random.default_rng(8)
    tails, heads = rng.integers(0, 4, 2_000, dtype=np.int32), rng.integers(0, 30, 2_000, dtype=np.int32)
    weights = np.arange(2_000, dtype=np.int32)

    indptr, indices, ordered = rows_of_arcs(30, tails, heads, weights)

    order = np.lexsort((weights, heads, tails))
    assert indices.tolist() == heads[order].tolist()
    assert ordered.tolist() == weights[order].tolist()
    assert indptr.tolist() == np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=30)))).tolist()


def test_slices_of_rows_hold_so_many_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr, "SLICE", 4)
    indptr = np.array([0, 1, 3, 4, 20, 21, 22])

    assert list(row_slices(indptr)) == [(0, 3), (3, 4), (4, 6)]
    assert list(row_slices(np.zeros(1, dtype=np.int64))) == []


def test_slices_cover_a_range_in_order() -> None:
    assert list(slices(7, 3)) == [(0, 3), (3, 6), (6, 7)]
    assert list(slices(0, 3)) == []


def test_slices_of_a_matrix_hold_whole_rows_of_so_many_cells() -> None:
    third = _CELLS // 3
    assert list(cell_slices(7, third)) == [(0, 3), (3, 6), (6, 7)]
    assert list(cell_slices(2, 2 * _CELLS)) == [(0, 1), (1, 2)], "a row at least"
    assert list(cell_slices(2, 0)) == [(0, 2)]
