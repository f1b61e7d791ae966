"""`numpy.repeat` in pieces, so that other threads run between them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 1_000_000  # elements, a few milliseconds


def repeated(values: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[Any]:
    """Each value as often as ``counts`` says.

    NumPy holds the interpreter's lock for the whole call: the window stops as long as a trace is finished.

    Parameters
    ----------
    values : ndarray, shape (k,)
    counts : ndarray of int64, shape (k,)
        Not negative.

    Returns
    -------
    ndarray, shape (counts.sum(),), of the type of ``values``
    """
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    result = np.empty(total, values.dtype)
    cuts = np.unique([0, *np.searchsorted(ends, np.arange(_PIECE, total, _PIECE)), len(counts)])
    for first, last in pairwise(cuts.tolist()):
        begin = int(ends[first - 1]) if first else 0
        result[begin : int(ends[last - 1])] = np.repeat(values[first:last], counts[first:last])
    return result
