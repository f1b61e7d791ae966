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
    """A new array of weights: int32 or int64 if all are integers, else float32 or float64.

    Integers become int32 if all of them fit, as in the file readers.

    Parameters
    ----------
    values : array or sequence of m numbers
    describe : callable
        Maps a position to a description of that arc ("the arc 1 → 2"), for messages.

    Raises
    ------
    ParameterError
        For a weight that is not a number, not finite or too large for 64 bits; names the first such arc.
    """
    given = _as_array(values)
    if given.ndim != 1:
        raise ParameterError("read", "weights", given.shape, "it must be one-dimensional, with one weight per arc")
    if given.size == 0:
        return np.empty(0, dtype=given.dtype if given.dtype.name in ("int64", "float32", "float64") else np.int32)
    if given.dtype.kind not in "buif":
        given = _from_objects(given, describe)
    if given.dtype.kind in "bui":
        return _as_integers(given, describe)
    floats = given.astype(np.float32 if given.dtype.itemsize <= 4 else np.float64)
    wrong = np.flatnonzero(~np.isfinite(floats))
    if wrong.size:
        reason = "a weight must be finite; leave out pairs without an arc"
        raise _refusal(given, int(wrong[0]), reason, describe)
    return floats


def _as_array(values: object) -> NDArray[Any]:
    """An array; of objects if a list contains more than integers.

    NumPy would convert 1 to a string next to "2", and 2**63 to a float.
    """
    try:
        given = np.asarray(values)
    except ValueError:  # lists of different lengths among the values
        return np.array(values, dtype=object)
    return given if isinstance(values, np.ndarray) or given.dtype.kind in "bi" else np.array(values, dtype=object)


def _as_integers(given: NDArray[Any], describe: Callable[[int], str]) -> NDArray[Any]:
    if given.dtype.kind == "u" and int(given.max()) > _INT64.max:
        raise _refusal(given, int(given.argmax()), "it does not fit into a signed 64-bit integer", describe)
    fits = given.dtype.kind == "b" or (int(given.min()) >= _INT32.min and int(given.max()) <= _INT32.max)
    return given.astype(np.int32 if fits else np.int64)


def _from_objects(given: NDArray[Any], describe: Callable[[int], str]) -> NDArray[Any]:
    """Fractions and decimals as float64; raises for integers beyond 64 bits and for non-numbers."""
    for position, value in enumerate(given.tolist()):
        if isinstance(value, int) and not _INT64.min <= value <= _INT64.max:
            raise _refusal(given, position, "it does not fit into a signed 64-bit integer", describe)
        try:
            math.isfinite(value)  # accepts whatever has a float value, but no strings
        except (TypeError, ValueError):
            raise _refusal(given, position, "it is not a real number", describe) from None
    return given.astype(np.float64)


def _refusal(given: NDArray[Any], position: int, reason: str, describe: Callable[[int], str]) -> ParameterError:
    value = given[position]
    return ParameterError(
        "read", f"weight of {describe(position)}", value.item() if hasattr(value, "item") else value, reason
    )
