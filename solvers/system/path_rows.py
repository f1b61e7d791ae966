"""Vector instructions for numba CPU code that counts shortest paths, and shares flows
over them, in sixteen lanes.

A row holds one element for each lane. Counts and flows are float64; distances are of
any distance type. Which lanes an arc is tight in, that is, on a shortest path, is a
mask of sixteen bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from solvers.system.intrinsics import ROW, spread, truth

_INT, _MASK, _DOUBLE = ir.IntType(32), ir.IntType(ROW), ir.DoubleType()
_BITS, _DOUBLES = ir.VectorType(ir.IntType(1), ROW), ir.VectorType(_DOUBLE, ROW)
_ZEROS, _FIRST = ir.Constant(_DOUBLES, None), ir.Constant(ir.IntType(64), 0)


@intrinsic
def count_rows(
    typing_context: Any,
    distances: Any,
    counts: Any,
    row: Any,
    keeps: Any,
    picked: Any,
    weights: Any,
    factors: Any,
    masks: Any,
    begin: Any,
    end: Any,
    infinity: Any,
) -> Any:
    """Add the counts of all arcs that are tight to those of a row, and write down in
    which lanes each arc is tight.

    Arc i, from ``begin`` to ``end``, is tight where ``distances[picked[i]] + weights[i]
    == distances[row]``, both finite; it adds ``counts[picked[i]] * factors[i]`` to
    ``counts[row]``, and its lanes are ``masks[i]``.

    Parameters
    ----------
    distances : (k, ROW) contiguous array
    counts : (k, ROW) contiguous float64
        If ``keeps`` is false, ``counts[row]`` need not be initialised.
    row, begin, end : int
    picked : (m,) contiguous array of unsigned integers
    weights : (m,) contiguous array of the distances' type
    factors : (m,) contiguous float64
    masks : (m,) contiguous uint16
    infinity : number of the distances' type
    """
    whole = types.intp
    arguments = (
        distances,
        counts,
        whole,
        types.boolean,
        picked,
        weights,
        factors,
        masks,
        whole,
        whole,
        distances.dtype,
    )
    return types.void(*arguments), _generate_count_rows


@intrinsic
def reached_rows(
    typing_context: Any, distances: Any, row: Any, limit: Any, mass: Any, totals: Any, arrived: Any
) -> Any:
    """The lanes in which ``distances[row]`` is at most ``limit``.

    Adds ``mass`` times these distances to ``totals``, and ``mass`` to ``arrived``, in
    these lanes.

    ``distances``: (k, ROW) contiguous, of the type of ``limit``; ``totals``,
    ``arrived``: (ROW,) contiguous float64. Returns uint16.
    """
    arguments = (distances, types.intp, distances.dtype, types.float64, totals, arrived)
    return types.uint16(*arguments), _generate_reached_rows


@intrinsic
def end_rows(
    typing_context: Any, shares: Any, counts: Any, row: Any, mask: Any, mass: Any, origins: Any
) -> Any:
    """Let paths end at a vertex: adds ``mass * origins / counts[row]`` to
    ``shares[row]`` in the lanes of ``mask``.

    ``shares``, ``counts``: (k, ROW) contiguous float64. ``mask``: uint16. ``mass``: of
    the vertex, as a destination. ``origins``: (ROW,) contiguous float64, masses of the
    lanes' sources. Returns the sum of ``mass * origins`` in these lanes.
    """
    return types.float64(
        shares, counts, types.intp, types.uint16, types.float64, origins
    ), _generate_end_rows


@intrinsic
def share_rows(
    typing_context: Any,
    shares: Any,
    counts: Any,
    row: Any,
    picked: Any,
    factors: Any,
    masks: Any,
    flows: Any,
    begin: Any,
    end: Any,
) -> Any:
    """Pass ``shares[row]`` on over tight arcs: the reverse of `count_rows`.

    Arc i, in the lanes of ``masks[i]``, adds ``shares[row] * factors[i]`` to
    ``shares[picked[i]]``, and the sum over these lanes of that times
    ``counts[picked[i]]`` to ``flows[i]``.
    """
    whole = types.intp
    return types.void(
        shares, counts, whole, picked, factors, masks, flows, whole, whole
    ), _generate_share_rows


class _Rows:
    """Addresses of the rows of an array argument."""

    def __init__(self, context: Any, builder: Any, kind: Any, argument: Any):
        self._builder = builder
        self.data = context.make_array(kind)(context, builder, argument).data
        self.vector = ir.VectorType(context.get_value_type(kind.dtype), ROW)
        self._align = context.get_abi_sizeof(self.vector.element)

    def load(self, index: Any) -> Any:
        return self._builder.load(self._at(index), align=self._align)

    def store(self, index: Any, value: Any) -> None:
        self._builder.store(value, self._at(index), align=self._align)

    def load_element(self, index: Any) -> Any:
        return self._builder.load(self._builder.gep(self.data, [index]))

    def store_element(self, index: Any, value: Any) -> None:
        self._builder.store(value, self._builder.gep(self.data, [index]))

    def _at(self, index: Any) -> Any:
        start = self._builder.gep(
            self.data, [self._builder.mul(index, ir.Constant(index.type, ROW))]
        )
        return self._builder.bitcast(start, self.vector.as_pointer())


def _generate_count_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    distances, counts, picked, weights, factors, masks = (
        _Rows(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 4, 5, 6, 7)
    )
    row, keeps, (begin, end, infinity) = arguments[2], arguments[3], arguments[8:11]
    is_float = isinstance(signature.args[0].dtype, types.Float)
    compare = builder.fcmp_ordered if is_float else builder.icmp_signed
    add = builder.fadd if is_float else builder.add
    infinite, least = spread(builder, infinity, distances.vector), distances.load(row)
    first = builder.select(truth(builder, keeps), counts.load(row), _ZEROS)
    before = builder.block
    loop, tight_block, onward, after = (
        builder.append_basic_block(name) for name in ("count", "tight", "counted", "done")
    )
    builder.cbranch(builder.icmp_signed("<", begin, end), loop, after)

    builder.position_at_end(loop)
    i, so_far = builder.phi(begin.type), builder.phi(_DOUBLES)
    other = builder.zext(picked.load_element(i), begin.type)
    above, weight = (
        distances.load(other),
        spread(builder, weights.load_element(i), distances.vector),
    )
    finite = builder.and_(compare("<", above, infinite), compare("<", weight, infinite))
    tight = builder.and_(finite, compare("==", add(above, weight), least))
    mask = builder.bitcast(tight, _MASK)
    masks.store_element(i, mask)
    builder.cbranch(builder.icmp_unsigned("==", mask, ir.Constant(_MASK, 0)), onward, tight_block)

    builder.position_at_end(tight_block)
    paths = builder.fmul(counts.load(other), spread(builder, factors.load_element(i), _DOUBLES))
    more = builder.fadd(so_far, builder.select(tight, paths, _ZEROS))
    builder.branch(onward)

    builder.position_at_end(onward)
    total = builder.phi(_DOUBLES)
    total.add_incoming(so_far, loop)
    total.add_incoming(more, tight_block)
    following = builder.add(i, ir.Constant(i.type, 1))
    builder.cbranch(builder.icmp_signed("<", following, end), loop, after)
    for phi, start, later in ((i, begin, following), (so_far, first, total)):
        phi.add_incoming(start, before)
        phi.add_incoming(later, onward)

    builder.position_at_end(after)
    last = builder.phi(_DOUBLES)
    last.add_incoming(first, before)
    last.add_incoming(total, onward)
    counts.store(row, last)
    return context.get_dummy_value()


def _generate_reached_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    distances, totals, arrived = (
        _Rows(context, builder, signature.args[i], arguments[i]) for i in (0, 4, 5)
    )
    kind = signature.args[0].dtype
    is_float = isinstance(kind, types.Float)
    found = distances.load(arguments[1])
    limit = spread(builder, arguments[2], distances.vector)
    inside = (builder.fcmp_ordered if is_float else builder.icmp_signed)("<=", found, limit)
    if not is_float:
        wide = builder.sitofp(found, _DOUBLES)
    else:
        wide = found if kind.bitwidth == 64 else builder.fpext(found, _DOUBLES)
    mass = spread(builder, arguments[3], _DOUBLES)
    for sums, addend in ((totals, builder.fmul(wide, mass)), (arrived, mass)):
        sums.store(_FIRST, builder.fadd(sums.load(_FIRST), builder.select(inside, addend, _ZEROS)))
    return builder.bitcast(inside, _MASK)


def _generate_end_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    shares, counts, origins = (
        _Rows(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 5)
    )
    row, bits = arguments[2], builder.bitcast(arguments[3], _BITS)
    ends = builder.fmul(origins.load(_FIRST), spread(builder, arguments[4], _DOUBLES))
    each = builder.select(bits, builder.fdiv(ends, counts.load(row)), _ZEROS)
    shares.store(row, builder.fadd(shares.load(row), each))
    return _sum(builder, builder.select(bits, ends, _ZEROS))


def _generate_share_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    shares, counts, picked, factors, masks, flows = (
        _Rows(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 3, 4, 5, 6)
    )
    begin, end = arguments[7], arguments[8]
    share = shares.load(arguments[2])
    before = builder.block
    loop, tight_block, onward, after = (
        builder.append_basic_block(name) for name in ("share", "tight", "shared", "done")
    )
    builder.cbranch(builder.icmp_signed("<", begin, end), loop, after)

    builder.position_at_end(loop)
    i = builder.phi(begin.type)
    mask = masks.load_element(i)
    builder.cbranch(builder.icmp_unsigned("==", mask, ir.Constant(_MASK, 0)), onward, tight_block)

    builder.position_at_end(tight_block)
    other = builder.zext(picked.load_element(i), begin.type)
    passed = builder.fmul(share, spread(builder, factors.load_element(i), _DOUBLES))
    passed = builder.select(builder.bitcast(mask, _BITS), passed, _ZEROS)
    shares.store(other, builder.fadd(shares.load(other), passed))
    flow = _sum(builder, builder.fmul(passed, counts.load(other)))
    flows.store_element(i, builder.fadd(flows.load_element(i), flow))
    builder.branch(onward)

    builder.position_at_end(onward)
    following = builder.add(i, ir.Constant(i.type, 1))
    builder.cbranch(builder.icmp_signed("<", following, end), loop, after)
    i.add_incoming(begin, before)
    i.add_incoming(following, onward)

    builder.position_at_end(after)
    return context.get_dummy_value()


def _sum(builder: Any, vector: Any) -> Any:
    width = ROW
    while width > 1:
        width //= 2
        parts = [
            builder.shuffle_vector(
                vector, vector, ir.Constant(ir.VectorType(_INT, width), list(range(k, k + width)))
            )
            for k in (0, width)
        ]
        vector = builder.fadd(*parts)
    return builder.extract_element(vector, ir.Constant(_INT, 0))
