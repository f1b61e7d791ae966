"""Repeating in pieces gives what NumPy gives in one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.host import repeats


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 12))
def test_pieces_make_the_whole(counts: list[int], piece: int) -> None:
    values, times = np.arange(len(counts), dtype=np.int32), np.array(counts, dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "_PIECE", piece)
        found = repeats.repeated(values, times)
    assert found.dtype == np.int32
    assert found.tolist() == np.repeat(values, times).tolist()


def test_one_count_may_be_longer_than_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "_PIECE", 3)
    assert repeats.repeated(np.array([True, False]), np.array([10, 1])).tolist() == [True] * 10 + [False]
