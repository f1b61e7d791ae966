"""Operations of compiled functions that numba does not have, as code for its compiler.

`solvers.system.intrinsics` names them. Each operation returns the previous value and has
acquire-release ordering: a thread that reads the new value also sees every write made
before it.

Vector instructions are explicit because numba's compiler cannot know that rows do not
overlap. `Lanes` are a row in registers; conditions are lanes of Booleans.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from llvmlite.ir import IRBuilder
from numba import types
from numba.extending import intrinsic, models, register_model

from solvers.system.intrinsics import ROW

_ORDER = "seq_cst"
_Codegen = Callable[..., Any]

_INT = ir.IntType(32)
_BYTES = ir.IntType(8).as_pointer()
_GIVE_WAY, _SLEEP = "tautpath_give_way", "tautpath_sleep"


def _element(builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Where an element of a row lies: of every second place, if the row has gaps."""
    if kind.layout != "C":
        index = builder.shl(index, ir.Constant(index.type, 1))
    return builder.gep(array.data, [index])


def _prefetch(to_write: int) -> _Codegen:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = _element(builder, signature.args[0], array, arguments[1])
        place = builder.bitcast(place, _BYTES)
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, _INT, _INT, _INT])
        function = builder.module.declare_intrinsic("llvm.prefetch", [_BYTES], kind)
        builder.call(function, [place, *(ir.Constant(_INT, flag) for flag in (to_write, 3, 1))])
        return context.get_dummy_value()

    return generate


def _nothing(context: Any, *_: Any) -> Any:
    return context.get_dummy_value()


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
def compare_exchange(_context: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
    """``array[index] = value`` if it is ``expected``, integers only. Returns the previous
    value.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        found = builder.cmpxchg(place, arguments[2], arguments[3], _ORDER, _ORDER)
        return builder.extract_value(found, 0)

    return array.dtype(array, types.intp, array.dtype, array.dtype), generate


@intrinsic
def load_shared(_context: Any, array: Any, index: Any) -> Any:
    """``array[index]`` as it is now, integers only: what another thread waits to be told."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        return builder.load_atomic(place, _ORDER, context.get_abi_sizeof(place.type.pointee))

    return array.dtype(array, types.intp), generate


@intrinsic
def array_at(_context: Any, like: Any, address: Any) -> Any:
    """An array of the type and shape of another, whose elements begin at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.return_type)(context, builder, arguments[0])
        made.data = builder.inttoptr(arguments[1], made.data.type)
        return made._getvalue()

    return like(like, types.int64), generate


@intrinsic
def every_second_at(_context: Any, like: Any, address: Any) -> Any:
    """An array of the element type and length of a row, whose elements are every second one from
    an address on.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.return_type)(context, builder, arguments[0])
        made.data = builder.inttoptr(arguments[1], made.data.type)
        apart = builder.add(made.itemsize, made.itemsize)
        made.strides = builder.insert_value(made.strides, apart, 0)
        return made._getvalue()

    return like.copy(layout="A")(like, types.int64), generate


@intrinsic
def element(_context: Any, array: Any, index: Any) -> Any:
    """``array[index]`` of a row, (n,), that is contiguous or every second element of one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        row = context.make_array(kind)(context, builder, arguments[0])
        return context.unpack_value(builder, kind.dtype, _element(builder, kind, row, arguments[1]))

    return array.dtype(array, types.intp), generate


@intrinsic
def prefetch(_context: Any, array: Any, index: Any) -> Any:
    """Begin to load the cache line of ``array[index]``."""
    return types.void(array, types.intp), _prefetch(to_write=0)


@intrinsic
def prefetch_gapped(_context: Any, array: Any, index: Any) -> Any:
    """As `prefetch`, but nothing where ``array`` is contiguous."""
    kind = types.void(array, types.intp)
    return kind, _nothing if array.layout == "C" else _prefetch(to_write=0)


@intrinsic
def prefetch_to_write(_context: Any, array: Any, index: Any) -> Any:
    """Begin to load the cache line of ``array[index]``, which other cores lose."""
    return types.void(array, types.intp), _prefetch(to_write=1)


@intrinsic
def spin_once(_context: Any) -> Any:
    """Tell the core that this thread waits for another: some 40 to 140 cycles."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        on_x86 = platform.machine().lower() in ("x86_64", "amd64")
        name, given = ("llvm.x86.sse2.pause", []) if on_x86 else ("llvm.aarch64.hint", [_INT])
        kind = ir.FunctionType(ir.VoidType(), given)
        known = builder.module.globals
        function = known.get(name) or ir.Function(builder.module, kind, name)
        builder.call(function, [ir.Constant(each, 1) for each in given])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def give_way(_context: Any) -> Any:
    """Let another thread run on this core, if one waits for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_INT, [])
        known = builder.module.globals
        function = known.get(_GIVE_WAY) or ir.Function(builder.module, kind, _GIVE_WAY)
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def sleep_briefly(_context: Any) -> Any:
    """Leave this core to others for some ten microseconds, on Windows a millisecond or more."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_INT, [_INT])
        known = builder.module.globals
        function = known.get(_SLEEP) or ir.Function(builder.module, kind, _SLEEP)
        builder.call(function, [ir.Constant(_INT, 1 if sys.platform == "win32" else 20)])
        return context.get_dummy_value()

    return types.void(), generate


def _name_functions() -> None:
    """Tell the compiler where functions of the system are, by names of our own."""
    system: Any = ctypes
    if sys.platform == "win32":
        yielding, sleeping = system.windll.kernel32.SwitchToThread, system.windll.kernel32.Sleep
    else:
        yielding, sleeping = ctypes.CDLL(None).sched_yield, ctypes.CDLL(None).usleep
    for name, function in ((_GIVE_WAY, yielding), (_SLEEP, sleeping)):
        binding.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


_name_functions()


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
