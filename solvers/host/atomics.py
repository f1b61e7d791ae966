"""Atomic steps on array elements, for numba loops whose threads share memory; numba has none of its own for CPUs.

Each returns the value that stood there before, and orders memory as acquire and release do: who sees the new value sees
all that was written before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_ORDER = "acq_rel"
_Codegen = Callable[..., Any]


def _in_place(operation: str) -> _Codegen:
    """Code for one atomic operation; a float is handled by its bits, which order as it does unless it is negative."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type = signature.args[0]
        array = context.make_array(array_type)(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        value = arguments[2]
        if not isinstance(array_type.dtype, types.Float):
            return builder.atomic_rmw(operation, place, value, _ORDER)
        bits = ir.IntType(array_type.dtype.bitwidth)
        before = builder.atomic_rmw(
            operation, builder.bitcast(place, bits.as_pointer()), builder.bitcast(value, bits), _ORDER
        )
        return builder.bitcast(before, value.type)

    return generate


@intrinsic
def atomic_min(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = min(array[index], value)``; floats must not be negative. The value before."""
    return array.dtype(array, types.intp, array.dtype), _in_place("min")


@intrinsic
def atomic_add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] += value``, integers only. The value before."""
    return array.dtype(array, types.intp, array.dtype), _in_place("add")


@intrinsic
def atomic_exchange(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = value``. The value before."""
    return array.dtype(array, types.intp, array.dtype), _in_place("xchg")
