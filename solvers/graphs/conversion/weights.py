"""Weights of any numeric type as one of the four weight types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def as_weights(values: object, describe: Callable[[int], str]) -> NDArray[Any]:
    """A new array of weights: int32 or int64 where all are integers, float32 or float64 elsewhere.

    Integers become int32 where every one fits, as in the readers of files.

    Parameters
    ----------
    values : array or sequence of m numbers
    describe : callable
        From a position to words for that arc ("the arc 1 → 2"), for messages.

    Raises
    ------
    ParameterError
        For what is no number, not finite or past 64 bits; names the first such arc.
    """
    given = _as_array(values)
    if given.ndim != 1:
        raise ParameterError("read", "weights", given.shape, "one weight an arc is needed, in one dimension")
    if given.size == 0:
        return np.empty(0, dtype=given.dtype if given.dtype.name in ("int64", "float32", "float64") else np.int32)
    if given.dtype.kind not in "buif":
        given = _from_objects(given, describe)
    if given.dtype.kind in "bui":
        return _as_integers(given, describe)
    floats = given.astype(np.float32 if given.dtype.itemsize <= 4 else np.float64)
    wrong = np.flatnonzero(~np.isfinite(floats))
    if wrong.size:
        reason = "a weight must be finite; where there is no arc, leave it out"
        raise _refusal(given, int(wrong[0]), reason, describe)
    return floats


def _as_array(values: object) -> NDArray[Any]:
    """An array; from a list with more than integers in it one of objects, for NumPy would make text of 1 beside "2",
    and a float of 2**63.
    """
    try:
        given = np.asarray(values)
    except ValueError:  # lists of different lengths among the values
        return np.array(values, dtype=object)
    return given if isinstance(values, np.ndarray) or given.dtype.kind in "bi" else np.array(values, dtype=object)


def _as_integers(given: NDArray[Any], describe: Callable[[int], str]) -> NDArray[Any]:
    if given.dtype.kind == "u" and int(given.max()) > _INT64.max:
        raise _refusal(given, int(given.argmax()), "it does not fit into 64 bits with a sign", describe)
    fits = given.dtype.kind == "b" or (int(given.min()) >= _INT32.min and int(given.max()) <= _INT32.max)
    return given.astype(np.int32 if fits else np.int64)


def _from_objects(given: NDArray[Any], describe: Callable[[int], str]) -> NDArray[Any]:
    """Fractions and decimals as float64; Python integers past 64 bits and all that is no number are refused."""
    for position, value in enumerate(given.tolist()):
        if isinstance(value, int) and not _INT64.min <= value <= _INT64.max:
            raise _refusal(given, position, "it does not fit into 64 bits with a sign", describe)
        try:
            math.isfinite(value)  # takes what has a float value, and no text
        except (TypeError, ValueError):
            raise _refusal(given, position, "it is no real number", describe) from None
    return given.astype(np.float64)


def _refusal(given: NDArray[Any], position: int, reason: str, describe: Callable[[int], str]) -> ParameterError:
    value = given[position]
    return ParameterError(
        "read", f"weight of {describe(position)}", value.item() if hasattr(value, "item") else value, reason
    )
