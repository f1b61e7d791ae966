"""Atomic operations on array elements for numba CPU code, which numba itself provides for GPUs only.

Each operation returns the previous value and has acquire-release ordering: a thread that reads the new value also sees
every write made before it.
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
    """Code generator of one atomic operation.

    Floats are operated on as integers of the same bits, which have the same order for non-negative values.
    """

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
def atomic_min(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = min(array[index], value)``; floats must be non-negative. Returns the previous value."""
    return array.dtype(array, types.intp, array.dtype), _in_place("min")


@intrinsic
def atomic_add(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] += value``, integers only. Returns the previous value."""
    return array.dtype(array, types.intp, array.dtype), _in_place("add")


@intrinsic
def atomic_exchange(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = value``. Returns the previous value."""
    return array.dtype(array, types.intp, array.dtype), _in_place("xchg")
