"""Downsampling of a long series to the pixel columns it is drawn on, keeping its peaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SAMPLES = 4096  # of a series, for its median


def envelope(values: NDArray[np.float64], columns: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Minimum and maximum of each of ``columns`` equal parts of the series.

    Parameters
    ----------
    values : (T,) float64
    columns : int
        At least 1; with fewer values than columns, each value is a part of its own.

    Returns
    -------
    low, high : (min(T, columns),) float64
    """
    count = min(len(values), max(1, columns))
    if count == 0:
        return values, values
    starts = (np.arange(count) * len(values)) // count
    return np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)


def peaks(values: NDArray[np.integer], columns: int) -> NDArray[np.float64]:
    """(min(T, columns),) maximum of each of ``columns`` equal parts of a series of counts."""
    count = min(len(values), max(1, columns))
    if count == 0:
        return np.empty(0)
    return np.maximum.reduceat(values, (np.arange(count) * len(values)) // count).astype(np.float64)


def wants_log(values: NDArray[np.int64]) -> bool:
    """True if the maximum is so far above the median that a linear scale would flatten most values.

    The median is that of an even sample: sorting a run of millions of iterations would be felt.
    """
    if not len(values):
        return False
    sample = values[:: max(1, len(values) // _SAMPLES)]
    positive = sample[sample > 0]
    return len(positive) > 2 and float(values.max()) > 100 * float(np.median(positive))
