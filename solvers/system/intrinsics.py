"""Intrinsics for numba CPU code: atomic operations on array elements, and vector
instructions for rows.

numba itself provides atomic operations for GPUs only. Each operation returns the
previous value and has acquire-release ordering: a thread that reads the new value also
sees every write made before it.

Vector instructions are explicit because numba's compiler cannot know that rows do not
overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

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


@intrinsic
def relax_rows(
    typing_context: Any,
    rows: Any,
    row: Any,
    keeps: Any,
    others: Any,
    other: Any,
    picked: Any,
    weights: Any,
    begin: Any,
    end: Any,
    infinity: Any,
) -> Any:
    """Set ``rows[row]`` and ``others[other]`` to the least of ``others[picked[i]] +
    weights[i]``, element by element.

    With i from ``begin`` to ``end``. What is infinite in a row or among the weights is
    left out. If ``keeps`` is true, ``rows[row]`` itself is one of the candidates; else
    it need not be initialised.

    Parameters
    ----------
    rows, others : (k, ROW) and (l, ROW) contiguous arrays
        Of the same type.
    row, other, begin, end : int
    keeps : bool
    picked : (m,) contiguous array of unsigned integers
    weights : (m,) contiguous array
        Of the rows' type.
    infinity : number of that type
    """
    whole = types.intp
    arguments = (
        rows,
        whole,
        types.boolean,
        others,
        whole,
        picked,
        weights,
        whole,
        whole,
        rows.dtype,
    )
    return types.void(*arguments), _generate_relax_rows


def _generate_relax_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    rows, others, picked, weights = (
        context.make_array(signature.args[i])(context, builder, arguments[i]).data
        for i in (0, 3, 5, 6)
    )
    keeps, begin, end = arguments[2], arguments[7], arguments[8]
    kind = signature.args[0].dtype
    vector = ir.VectorType(context.get_value_type(kind), ROW)
    align, is_float = context.get_abi_sizeof(vector.element), isinstance(kind, types.Float)
    less = builder.fcmp_ordered if is_float else builder.icmp_signed
    infinite = spread(builder, arguments[9], vector)

    def place(array: Any, index: Any) -> Any:
        start = builder.gep(array, [builder.mul(index, ir.Constant(index.type, ROW))])
        return builder.bitcast(start, vector.as_pointer())

    before, target = builder.block, place(rows, arguments[1])
    first = builder.select(truth(builder, keeps), builder.load(target, align=align), infinite)
    loop, after = builder.append_basic_block("relax"), builder.append_basic_block("relaxed")
    builder.cbranch(builder.icmp_signed("<", begin, end), loop, after)

    builder.position_at_end(loop)
    i, least = builder.phi(begin.type), builder.phi(vector)
    above = builder.load(
        place(others, builder.zext(builder.load(builder.gep(picked, [i])), begin.type)), align=align
    )
    weight = spread(builder, builder.load(builder.gep(weights, [i])), vector)
    offered = builder.fadd(above, weight) if is_float else builder.add(above, weight)
    finite = builder.and_(less("<", above, infinite), less("<", weight, infinite))
    lower = builder.select(builder.and_(less("<", offered, least), finite), offered, least)
    following = builder.add(i, ir.Constant(i.type, 1))
    builder.cbranch(builder.icmp_signed("<", following, end), loop, after)
    for phi, start, onward in ((i, begin, following), (least, first, lower)):
        phi.add_incoming(start, before)
        phi.add_incoming(onward, loop)

    builder.position_at_end(after)
    last = builder.phi(vector)
    last.add_incoming(first, before)
    last.add_incoming(lower, loop)
    builder.store(last, target, align=align)
    builder.store(last, place(others, arguments[4]), align=align)
    return context.get_dummy_value()


@intrinsic
def summarise_rows(
    typing_context: Any,
    rows: Any,
    begin: Any,
    end: Any,
    step: Any,
    infinity: Any,
    budget: Any,
    farthest: Any,
    totals: Any,
    reached: Any,
    within: Any,
) -> Any:
    """Add rows of distances to the greatest, the sum and two counts of each column.

    The rows are ``begin``, ``begin + step``, ... below ``end``. What is infinite is
    left out.

    Parameters
    ----------
    rows : (k, ROW) contiguous array
    begin, end, step : int
    infinity, budget : numbers of the rows' type
    farthest : (ROW,) contiguous array of the rows' type
        Greatest elements so far.
    totals : (ROW,) contiguous int64 or float64 array
        Sums so far; float64 where the rows hold floats.
    reached, within : (ROW,) contiguous int32 arrays
        Numbers of finite elements so far, and of those that are at most ``budget``.
    """
    whole, kind = types.intp, rows.dtype
    arguments = (rows, whole, whole, whole, kind, kind, farthest, totals, reached, within)
    return types.void(*arguments), _generate_summarise_rows


def _generate_summarise_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    def data(i: int) -> Any:
        return context.make_array(signature.args[i])(context, builder, arguments[i]).data

    rows, (begin, end, step) = data(0), arguments[1:4]
    kind, sum_kind = signature.args[0].dtype, signature.args[7].dtype
    vector = ir.VectorType(context.get_value_type(kind), ROW)
    sums, counts = ir.VectorType(context.get_value_type(sum_kind), ROW), ir.VectorType(_INT, ROW)
    align, is_float = context.get_abi_sizeof(vector.element), isinstance(kind, types.Float)
    compare = builder.fcmp_ordered if is_float else builder.icmp_signed
    infinite, most = spread(builder, arguments[4], vector), spread(builder, arguments[5], vector)
    zero = ir.Constant(vector, None)

    kept = [
        (builder.bitcast(data(i), shape.as_pointer()), shape, context.get_abi_sizeof(shape.element))
        for i, shape in zip(range(6, 10), (vector, sums, counts, counts), strict=True)
    ]
    first = [builder.load(place, align=width) for place, _, width in kept]
    before, loop, after = (
        builder.block,
        builder.append_basic_block("summarise"),
        builder.append_basic_block("summarised"),
    )
    builder.cbranch(builder.icmp_signed("<", begin, end), loop, after)

    builder.position_at_end(loop)
    i = builder.phi(begin.type)
    farthest, total, reached, within = (builder.phi(shape) for _, shape, _ in kept)
    start = builder.gep(rows, [builder.mul(i, ir.Constant(i.type, ROW))])
    row = builder.load(builder.bitcast(start, vector.as_pointer()), align=align)
    finite = compare("<", row, infinite)
    greater = builder.and_(finite, compare(">", row, farthest))
    near = builder.and_(finite, compare("<=", row, most))
    following = [
        builder.select(greater, row, farthest),
        _add(builder, total, builder.select(finite, row, zero), kind, sum_kind),
        builder.add(reached, builder.zext(finite, counts)),
        builder.add(within, builder.zext(near, counts)),
    ]
    onward = builder.add(i, step)
    builder.cbranch(builder.icmp_signed("<", onward, end), loop, after)
    for phi, initial, later in zip(
        (i, farthest, total, reached, within), (begin, *first), (onward, *following), strict=True
    ):
        phi.add_incoming(initial, before)
        phi.add_incoming(later, loop)

    builder.position_at_end(after)
    lasts = [builder.phi(shape) for _, shape, _ in kept]
    for last, (place, _, width), initial, later in zip(lasts, kept, first, following, strict=True):
        last.add_incoming(initial, before)
        last.add_incoming(later, loop)
        builder.store(last, place, align=width)
    return context.get_dummy_value()


def _add(builder: Any, totals: Any, addends: Any, kind: Any, sum_kind: Any) -> Any:
    """``totals + addends``, where the totals are of a type that is at least as wide."""
    if not isinstance(sum_kind, types.Float):
        wide = addends if kind.bitwidth == sum_kind.bitwidth else builder.sext(addends, totals.type)
        return builder.add(totals, wide)
    if not isinstance(kind, types.Float):
        return builder.fadd(totals, builder.sitofp(addends, totals.type))
    wide = addends if kind.bitwidth == sum_kind.bitwidth else builder.fpext(addends, totals.type)
    return builder.fadd(totals, wide)


def truth(builder: Any, value: Any) -> Any:
    """A Boolean as one bit, whatever it is stored in."""
    return (
        value
        if value.type == ir.IntType(1)
        else builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))
    )


def spread(builder: Any, value: Any, vector: Any) -> Any:
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INT, ROW), None))
