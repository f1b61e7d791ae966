"""The four weight types, their infinity, the narrowest that holds a given path length,
and conversion to them.

Distances are of one of three: sums of float32 weights are float64, in which they are exact
for most graphs; in float32 they would depend on the order of additions after a few hundred
arcs. One infinity per type, chosen so that INF + INF does not wrap: a kernel may add before
it compares. Weights of any numeric type are converted to one of the four.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.errors import ParameterError, UnsuitableGraph
from solvers.system.array_types import AnyArray, Float64s
from solvers.text import grouped

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


@dataclass(frozen=True)
class WeightType:
    """A type of weights and distances."""

    name: str  # NumPy's, as written in CSV files
    define: str  # the macro that selects it for distances in a kernel (see ``devices/portable.h``)
    infinity: int | float  # the distance of an unreachable vertex

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.name)

    @cached_property
    def is_integer(self) -> bool:
        return self.dtype.kind == "i"

    @cached_property
    def longest(self) -> int | float:
        """The length that every distance must stay below: infinity, or half the range
        of a floating-point type.
        """
        return self.infinity if self.is_integer else float(np.finfo(self.dtype).max) / _SUMMANDS

    def __reduce__(self) -> tuple[Callable[[str], WeightType], tuple[str]]:
        """One of the four, in every process: they are compared by identity."""
        return weight_type, (self.name,)


INT32 = WeightType("int32", "DIST_INT32", 2**30 - 1)
INT64 = WeightType("int64", "DIST_INT64", 2**62 - 1)
FLOAT32 = WeightType("float32", "", float("inf"))  # of weights only
FLOAT64 = WeightType("float64", "DIST_FLOAT64", float("inf"))

WEIGHT_TYPES = {t.name: t for t in (INT32, INT64, FLOAT32, FLOAT64)}
_BY_DTYPE = {t.dtype: t for t in WEIGHT_TYPES.values()}  # a dtype is long in naming itself
DISTANCE_TYPES = (INT32, INT64, FLOAT64)
_WIDER = {"int32": INT64}

# All-pairs solvers add two distances, each up to the bound, before they compare.
_SUMMANDS = 2


def weight_type(dtype: Any) -> WeightType:
    """The WeightType of a NumPy dtype; KeyError for one that no kernel supports."""
    own = np.dtype(dtype)
    found = _BY_DTYPE.get(own)
    return WEIGHT_TYPES[own.name] if found is None else found


def is_weight_type(dtype: np.dtype[Any]) -> bool:
    """Whether there is a WeightType of a NumPy dtype."""
    return dtype in _BY_DTYPE or dtype.name in WEIGHT_TYPES


def type_of_sums(own: WeightType) -> WeightType:
    """The type of distances over weights of a type, unless they may be too long for it."""
    return FLOAT64 if own is FLOAT32 else own


def narrowest_type(own: WeightType, bound: int | float) -> WeightType:
    """The narrowest type, no narrower than ``own``, in which no distance can reach infinity.

    No integer sum can wrap either: a finite distance and a weight are both below
    infinity, and infinity plus infinity fits. A path longer than infinity is never
    taken for an improvement. Raises UnsuitableGraph where even the 64-bit type could
    overflow.

    ``own``: the type of the graph's weights. ``bound``: a length that no shortest path
    exceeds, and no weight.
    """
    candidate: WeightType | None = type_of_sums(own)
    while candidate is not None:
        if bound < candidate.longest:
            return candidate
        candidate = _WIDER.get(candidate.name)
    if own.is_integer:
        raise UnsuitableGraph(
            f"Path lengths could reach {grouped(bound, '')}, beyond the range of 64-bit integers; "
            "scale the weights down or load them as float64."
        )
    raise UnsuitableGraph(
        f"Path lengths could reach {bound:.3g}, beyond the range of float64 ({FLOAT64.longest:.3g} "
        "here); scale the weights down."
    )


def exact_distance(distances: AnyArray, vertex: int) -> int | float:
    """One distance without rounding: an int in integer types, inf where unreachable."""
    value = distances[vertex]
    return math.inf if value >= weight_type(distances.dtype).infinity else value.item()


def to_float(distances: AnyArray) -> Float64s:
    """Distances as float64 with ``inf`` where unreachable, whatever type they were solved in."""
    return as_float(distances, weight_type(distances.dtype))


def as_float(lengths: Any, kind: WeightType) -> Float64s:
    """One or several lengths of a type of distances as float64, inf without a path."""
    found = np.asarray(lengths).astype(np.float64)
    if kind.is_integer:
        found[np.asarray(lengths) >= kind.infinity] = np.inf
    return found


def converted(weights: AnyArray, kind: WeightType) -> AnyArray:
    """Weights in another type, infinity included."""
    with np.errstate(invalid="ignore"):
        own = weights.astype(kind.dtype)
    own[weights >= weight_type(weights.dtype).infinity] = kind.infinity
    return own


def as_weights(values: object, describe: Callable[[int], str]) -> AnyArray:
    """A new array of weights: int32 or int64 if all are integers, else float32 or float64.

    Integers become int32 if all of them fit, as in the file readers. Raises
    ParameterError for a weight that is not a number, not finite or too large for 64
    bits; names the first such arc.

    ``describe``: maps a position to a description of that arc ("the arc 1 → 2"), for
    messages.
    """
    given = _as_array(values)
    if given.ndim != 1:
        raise ParameterError(
            "read", "weights", given.shape, "it must be one-dimensional, with one weight per arc"
        )
    if given.size == 0:
        return np.empty(
            0,
            dtype=given.dtype if given.dtype.name in ("int64", "float32", "float64") else np.int32,
        )
    if given.dtype.kind not in "buif":
        given = _from_objects(given, describe)
    if given.dtype.kind in "bui":
        return _as_integers(given, describe)
    with np.errstate(over="ignore"):  # of types wider than 64 bits
        floats = given.astype(np.float32 if given.dtype.itemsize <= 4 else np.float64)
    finite = np.isfinite(floats)
    if not finite.all():
        reason = "a weight must be finite; leave out pairs without an arc"
        raise _refusal(given, int(finite.argmin()), reason, describe)
    return floats


def _as_array(values: object) -> AnyArray:
    """An array; of objects if a list contains more than integers.

    NumPy would convert 1 to a string next to "2", and 2**63 to a float.
    """
    try:
        given = np.asarray(values)
    except ValueError:  # lists of different lengths among the values
        return np.array(values, dtype=object)
    return (
        given
        if isinstance(values, np.ndarray) or given.dtype.kind in "bi"
        else np.array(values, dtype=object)
    )


def _as_integers(given: AnyArray, describe: Callable[[int], str]) -> AnyArray:
    if given.dtype.kind == "u" and int(given.max()) > _INT64.max:
        raise _refusal(
            given, int(given.argmax()), "it does not fit into a signed 64-bit integer", describe
        )
    fits = given.dtype.kind == "b" or (
        int(given.min()) >= _INT32.min and int(given.max()) <= _INT32.max
    )
    return given.astype(np.int32 if fits else np.int64)


def _from_objects(given: AnyArray, describe: Callable[[int], str]) -> AnyArray:
    """Fractions and decimals as float64; raises for integers beyond 64 bits and for non-numbers."""
    for position, value in enumerate(given.tolist()):
        if isinstance(value, int) and not _INT64.min <= value <= _INT64.max:
            raise _refusal(
                given, position, "it does not fit into a signed 64-bit integer", describe
            )
        try:
            math.isfinite(value)  # accepts whatever has a float value, but no strings
        except (TypeError, ValueError):
            raise _refusal(given, position, "it is not a real number", describe) from None
    return given.astype(np.float64)


def _refusal(
    given: AnyArray, position: int, reason: str, describe: Callable[[int], str]
) -> ParameterError:
    value = given[position]
    return ParameterError(
        "read",
        f"weight of {describe(position)}",
        value.item() if hasattr(value, "item") else value,
        reason,
    )


def narrowed(numbers: AnyArray) -> AnyArray:
    """A copy, as int32 if the numbers are integers that all fit, else in the same type."""
    if numbers.dtype.kind != "i":
        return numbers.copy()
    bounds = np.iinfo(np.int32)
    fits = numbers.size == 0 or (numbers.min() >= bounds.min and numbers.max() <= bounds.max)
    return numbers.astype(np.int32 if fits else numbers.dtype)
