"""Blocks of rows: whatever parts rows come in, whole chunks of the array are written."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers.cluster.row_array import BlockWriter, RowArray


@pytest.mark.parametrize("part", [1, 16, 25, 64])
@pytest.mark.parametrize("targets", [None, [4, 0]])
def test_rows_are_written_in_whole_chunks(part: int, targets: list[int] | None) -> None:
    rows = np.arange(60 * 5).reshape(60, 5)
    written: dict[int, Any] = {}
    writer = SimpleNamespace(dtype=rows.dtype, write=lambda first, block: written.update({first: block.copy()}))
    chosen = None if targets is None else np.array(targets)
    array = RowArray("", "", block=25, columns=5 if targets is None else 2, targets=chosen)
    blocks = BlockWriter(writer, array, first=100, count=60)
    for begin in range(0, 60, part):
        end = min(60, begin + part)
        blocks.take(slice(begin, end), rows[begin:end])
    assert {first: len(block) for first, block in written.items()} == {100: 25, 125: 25, 150: 10}
    whole = np.concatenate([written[first] for first in sorted(written)])
    np.testing.assert_array_equal(whole, rows if targets is None else rows[:, targets])
