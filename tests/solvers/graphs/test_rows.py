"""Arcs are sorted into rows, slice by slice, however few arcs or vertices there are."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.rows import SLICE, rows_of_arcs


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
