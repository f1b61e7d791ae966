"""Sparse matrices for round trips through files."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st


@st.composite
def matrices(draw: Any) -> Any:
    """Square matrices in COO form with repeated entries and stored zeros."""
    n = draw(st.integers(1, 5))
    entries = draw(
        st.lists(st.tuples(*[st.integers(0, n - 1)] * 2, st.integers(-9, 9)), max_size=8)
    )
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    kind = draw(st.sampled_from((np.int32, np.float64)))
    return scipy.sparse.coo_array(
        (np.array(values, kind), (np.array(rows, int), np.array(columns, int))), (n, n)
    )


def entries_of(matrix: Any, first: int) -> list[tuple[int, int, float]]:
    coo = matrix.tocoo()
    return sorted(
        zip((coo.row + first).tolist(), (coo.col + first).tolist(), coo.data.tolist(), strict=True)
    )
