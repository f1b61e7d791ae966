"""Weights as whole numbers, in which lengths of paths are compared exactly.

Sums of floats depend on the order of additions, so equal lengths would not be told as
such: 0.1 + 0.2 is not 0.3. So every float is a whole number of one unit that is the same
for the whole graph.

Where all weights are decimals of few digits, the decimals are meant: 0.1 is a tenth. The
unit is a power of ten. Otherwise weights were computed, and each is the binary fraction
that the float is. The unit is a power of two. Both are exact.

Path lengths may then have more digits than 64 bits hold. Such weights have two parts,
`WideWeights`, of which sums are exact; and they are rounded to whole numbers of a greater
unit, in which programs that know nothing of parts compute. `exact_flows` proves for each
source that rounding changes no comparison, or does without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from solvers.errors import UnsuitableGraph
from solvers.graphs.graph import AS_READ, Graph, Overlay
from solvers.system.array_types import AnyArray, Float64s, Int64s
from solvers.verification.flows import TOLERANCE, LengthClaim

_DIGITS = {"float32": 6, "float64": 15}  # of decimals that floats tell from one another
_EXACT_POWERS = 22  # greatest power of ten that is a float64

_MOST, _MOST_ROUNDED = 2**61, 2**60  # units of the longest path, exact and rounded
_MOST_POWER = {10: 18, 2: 62}  # of a base in int64, twice which does not wrap


class WideWeights(NamedTuple):
    """Exact weights of arcs: ``high * base + low`` fine units, of which ``base`` are a unit."""

    high: Int64s  # (m,)
    low: Int64s  # (m,) from 0 to base - 1
    base: int

    def take(self, arcs: AnyArray) -> WideWeights:
        return WideWeights(self.high[arcs], self.low[arcs], self.base)


class LengthLimit(NamedTuple):
    """A greatest length, in the parts of `WideWeights`; ``low`` is 0 without them."""

    high: Any  # a finite distance
    low: Any = 0


@dataclass(frozen=True, eq=False)
class WholeWeights:
    """A graph with whole weights, in units of ``unit``, which is 1 for a graph that has
    them anyway.
    """

    graph: Graph
    unit: Fraction = Fraction(1)
    # 10 or 2: floats are read as decimals, or as they are; 1 for weights that were integers
    base: int = 1
    wide: WideWeights | None = None  # the exact weights, if those of the graph are rounded

    @property
    def meaning(self) -> str:
        """What equal lengths are, a sentence for the user; "" for integers."""
        words = {2: "as floats, to the last bit", 10: "as decimals"}
        return (
            f"Lengths of paths are equal if they are {words[self.base]}." if self.base > 1 else ""
        )

    @property
    def key(self) -> str:
        """Tells graphs apart whose lengths are not in the same units."""
        return f"{self.unit}" if self.wide is None else f"{self.unit} / {self.wide.base}"

    def length_claim(self, arcs: Float64s, length: float) -> LengthClaim:
        """That flows of arcs have the length of all paths, in whole units: up to one for each
        arc of a path where weights are rounded to them.
        """
        found = float((arcs * self.graph.weights).sum())
        rounding = 0.0 if self.wide is None else float(arcs.sum())
        allowed = TOLERANCE * length + rounding
        return LengthClaim("the length of all paths", found, length, allowed)

    def limit(self, budget: float | None) -> LengthLimit:
        """The greatest length within ``budget``, of which floats are read as weights are."""
        kind = self.graph.distance_type
        most = int(kind.longest) - 1 if kind.is_integer else kind.longest
        if budget is None or budget >= most * self.unit:
            return LengthLimit(kind.dtype.type(most))
        exact = Fraction(budget if self.base == 2 else repr(float(budget))) / self.unit
        whole, rest = divmod(exact, 1)
        low = 0 if self.wide is None else int(rest * self.wide.base)
        return LengthLimit(kind.dtype.type(whole if kind.is_integer else exact), low)


def whole_weights(graph: Graph) -> WholeWeights:
    """Exact weights of a graph without negative ones.

    Raises UnsuitableGraph if they span so many powers of ten that sums are not exact in
    two 64-bit integers.
    """
    if graph.weight_type.is_integer or not len(graph.weights):
        return WholeWeights(graph)
    return graph.cached("whole weights", lambda: _of_floats(graph))


def _of_floats(graph: Graph) -> WholeWeights:
    graph.distance_type  # noqa: B018 - raises for lengths beyond float64
    base = graph.base
    # in the unit of the whole network, whose order then serves, too
    if base is not None and not len(base.slowed):
        whole = whole_weights(base.graph)
        if Fraction(graph.path_bound) < whole.unit * _MOST_ROUNDED:
            own = whole.graph.weights[base.arcs]
            rest = replace(base, graph=whole.graph, weights=own[:0])
            wide = None if whole.wide is None else whole.wide.take(base.arcs)
            changed = replace(graph, weights=own, overlay=Overlay(base=rest))
            return replace(whole, graph=changed, wide=wide)
    scaled = _decimals(graph.weights) or _binary_fractions(graph.weights)
    longest = Fraction(graph.path_bound) / scaled.unit
    power = 0
    if longest >= _MOST:
        while longest >= _MOST_ROUNDED * scaled.base**power:
            power += 1
    if power > _MOST_POWER[scaled.base]:
        raise UnsuitableGraph(
            f"Weights of {graph.name} span too many powers of ten, from "
            f"{graph.weights[graph.weights > 0].min():.3g} to a length of {graph.path_bound:.3g}: "
            "which paths are equally short cannot be decided. Round the weights, or leave out "
            "the heaviest arcs."
        )
    wide = scaled.in_parts(power)
    unit = scaled.unit * scaled.base**power
    weights, is_exact = wide.high, not wide.low.any()
    if not is_exact:  # to the nearest, but not to 0: that would make cycles of weight 0
        weights = weights + (wide.low >= wide.base - wide.low)
        weights = np.maximum(weights, scaled.counts > 0)
    return WholeWeights(
        replace(graph, weights=weights, overlay=AS_READ),
        unit,
        scaled.base,
        None if is_exact else wide,
    )


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Numbers that are ``counts * base**powers`` units."""

    counts: Int64s
    powers: Int64s  # none is negative
    base: int
    unit: Fraction

    @classmethod
    def of(cls, counts: Int64s, powers: Int64s, base: int) -> _Scaled:
        """In a unit with the factors that all have; 0 has any power."""
        some = counts > 0
        if not some.any():
            return cls(counts, np.zeros_like(powers), base, Fraction(1))
        least, common = int(powers[some].min()), int(np.gcd.reduce(counts))
        powers = np.where(some, powers - least, 0)
        return cls(counts // common, powers, base, common * Fraction(base) ** least)

    def in_parts(self, power: int) -> WideWeights:
        """In units ``base**power`` times as great, and what is left over in these."""
        most = _MOST_POWER[self.base]
        table = np.array([self.base**k for k in range(most + 1)], np.int64)
        # of counts that are divided; others are less than one unit, or multiplied
        cut = table[np.clip(power - self.powers, 0, most)]
        grown = table[np.clip(self.powers - power, 0, most)]
        high, low = np.divmod(self.counts, cut)
        return WideWeights(
            high * grown, low * table[np.clip(self.powers, 0, power)], int(table[power])
        )


def _decimals(weights: AnyArray) -> _Scaled | None:
    """Weights as decimals; None if one of them is the nearest float to none of few digits."""
    digits, wide = _DIGITS[weights.dtype.name], weights.astype(np.float64)
    if ((weights > 0) & (weights < np.finfo(weights.dtype).tiny)).any():  # of fewer digits
        return None
    with np.errstate(divide="ignore", over="ignore"):
        leading = np.floor(np.log10(wide, where=wide > 0, out=np.zeros_like(wide)))
        places = (digits - 1 - leading).astype(np.int64)
        # in two steps: a power of ten beyond 308 is no float
        half = places // 2
        counts = np.rint(wide * 10.0**half * 10.0 ** (places - half)).astype(np.int64)
    if not (_quotients(counts, places).astype(weights.dtype) == weights).all():
        return None
    while (round_ := (counts % 10 == 0) & (counts > 0)).any():
        counts[round_] //= 10
        places[round_] -= 1
    return _Scaled.of(counts, -places, 10)


def _quotients(counts: Int64s, places: Int64s) -> Float64s:
    """``counts / 10**places``, correctly rounded: of floats that are exact, else by text."""
    near = np.abs(places) <= _EXACT_POWERS
    power = 10.0 ** np.where(near, np.abs(places), 0)
    found: Float64s = np.where(places > 0, counts / power, counts * power)
    for at in np.flatnonzero(~near).tolist():
        found[at] = float(f"{counts[at]}e{-places[at]}")
    return found


def _binary_fractions(weights: AnyArray) -> _Scaled:
    fraction, exponent = np.frexp(weights.astype(np.float64))
    counts = np.ldexp(fraction, 53).astype(np.int64)
    # trailing zeros, of which 0 has any number
    zeros = np.frexp((counts & -counts).astype(np.float64))[1] - 1
    zeros = np.maximum(zeros, 0)
    return _Scaled.of(counts >> zeros, (exponent - 53 + zeros).astype(np.int64), 2)
