"""Intrinsics for numba CPU code: atomic operations on array elements, and the elementary
operations of rows in vector registers, of which `lane_rows` composes whole loops.

numba itself provides atomic operations for GPUs only. Each operation returns the
previous value and has acquire-release ordering: a thread that reads the new value also
sees every write made before it.

Vector instructions are explicit because numba's compiler cannot know that rows do not
overlap. `Lanes` are a row in registers; conditions are lanes of Booleans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from llvmlite.ir import IRBuilder
from numba import types
from numba.extending import intrinsic, models, register_model

_ORDER = "acq_rel"
_Codegen = Callable[..., Any]

ROW = 16  # elements of a row
_INT = ir.IntType(32)


def _in_place(operation: str) -> _Codegen:
    """Code generator of one atomic operation.

    Floats are operated on as integers of the same bits, which have the same order for
    non-negative values.
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
            operation,
            builder.bitcast(place, bits.as_pointer()),
            builder.bitcast(value, bits),
            _ORDER,
        )
        return builder.bitcast(before, value.type)

    return generate


@intrinsic
def atomic_min(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = min(array[index], value)``; floats must be non-negative. Returns
    the previous value.
    """
    return array.dtype(array, types.intp, array.dtype), _in_place("min")


@intrinsic
def atomic_add(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] += value``, integers only. Returns the previous value."""
    return array.dtype(array, types.intp, array.dtype), _in_place("add")


@intrinsic
def atomic_exchange(_context: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = value``. Returns the previous value."""
    return array.dtype(array, types.intp, array.dtype), _in_place("xchg")


class Lanes(types.Type):  # type: ignore[misc]
    """numba's type of `ROW` elements in vector registers."""

    def __init__(self, dtype: Any):
        self.dtype = dtype
        super().__init__(f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any):
        element = manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, ROW))


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, int]:
    """Address and alignment of a row, from the array and the row's number as first arguments."""
    kind = signature.args[0]
    vector = context.get_value_type(Lanes(kind.dtype))
    start = builder.mul(arguments[1], ir.Constant(arguments[1].type, ROW))
    data = context.make_array(kind)(context, builder, arguments[0]).data
    place = builder.bitcast(builder.gep(data, [start]), vector.as_pointer())
    return place, context.get_abi_sizeof(vector.element)


@intrinsic
def load(_context: Any, rows: Any, row: Any) -> Any:
    """A row of a contiguous array, (k, ROW) or (ROW,)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, align = _place(context, builder, signature, arguments)
        return builder.load(place, align=align)

    return Lanes(rows.dtype)(rows, types.intp), generate


@intrinsic
def store(_context: Any, rows: Any, row: Any, lanes: Any) -> Any:
    """Write lanes into a row of a contiguous array of their type."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, align = _place(context, builder, signature, arguments)
        builder.store(arguments[2], place, align=align)
        return context.get_dummy_value()

    return types.void(rows, types.intp, Lanes(rows.dtype)), generate


@intrinsic
def spread(_context: Any, like: Any, value: Any) -> Any:
    """A number in all lanes, of the type of an array's elements."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = context.get_value_type(signature.return_type)
        nothing = ir.Constant(vector, ir.Undefined)
        first = builder.insert_element(nothing, arguments[1], ir.Constant(_INT, 0))
        everywhere = ir.Constant(ir.VectorType(_INT, ROW), None)
        return builder.shuffle_vector(first, nothing, everywhere)

    return Lanes(like.dtype)(like, like.dtype), generate


def _elementwise(
    of_floats: Callable[..., Any], of_integers: Callable[..., Any], result: Any = None
) -> Any:
    """An intrinsic of lanes of one type, by the builder's methods."""

    def typed(_context: Any, one: Any, other: Any) -> Any:
        operate = of_floats if isinstance(one.dtype, types.Float) else of_integers

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return operate(builder, *arguments)

        return Lanes(result or one.dtype)(one, one), generate

    return intrinsic(typed)


def _comparison(sign: str) -> Any:
    return _elementwise(
        lambda builder, one, other: builder.fcmp_ordered(sign, one, other),
        lambda builder, one, other: builder.icmp_signed(sign, one, other),
        types.boolean,
    )


plus = _elementwise(IRBuilder.fadd, IRBuilder.add)
minus = _elementwise(IRBuilder.fsub, IRBuilder.sub)
times = _elementwise(IRBuilder.fmul, IRBuilder.mul)
divided = _elementwise(IRBuilder.fdiv, IRBuilder.sdiv)
both = _elementwise(IRBuilder.and_, IRBuilder.and_)
less, at_most, equal = map(_comparison, ("<", "<=", "=="))


@intrinsic
def select(_context: Any, condition: Any, one: Any, other: Any) -> Any:
    """Lanes of ``one`` where the condition holds, else those of ``other``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return one(condition, one, one), generate


@intrinsic
def converted(_context: Any, like: Any, lanes: Any) -> Any:
    """Lanes in the type of an array's elements, which is as wide or wider; true is 1."""
    wanted = like.dtype

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = context.get_value_type(signature.return_type)
        if wanted == lanes.dtype:
            return arguments[1]
        if isinstance(lanes.dtype, types.Boolean):
            return builder.zext(arguments[1], vector)
        if isinstance(lanes.dtype, types.Float):
            return builder.fpext(arguments[1], vector)
        widen = builder.sitofp if isinstance(wanted, types.Float) else builder.sext
        return widen(arguments[1], vector)

    return Lanes(wanted)(like, lanes), generate


def _same_bits(wanted: Any, given: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return wanted(given), generate


@intrinsic
def bits_of(_context: Any, condition: Any) -> Any:
    """The lanes in which a condition holds, as a mask: uint16."""
    return _same_bits(types.uint16, condition)


@intrinsic
def condition_of(_context: Any, mask: Any) -> Any:
    """The condition that holds in the lanes of a mask."""
    return _same_bits(Lanes(types.boolean), types.uint16)


@intrinsic
def total(_context: Any, lanes: Any) -> Any:
    """The sum of lanes of floats, halves added to halves."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, width = arguments[0], ROW
        while width > 1:
            width //= 2
            halves = (list(range(k, k + width)) for k in (0, width))
            chosen = (ir.Constant(ir.VectorType(_INT, width), half) for half in halves)
            vector = builder.fadd(*(builder.shuffle_vector(vector, vector, c) for c in chosen))
        return builder.extract_element(vector, ir.Constant(_INT, 0))

    return lanes.dtype(lanes), generate
