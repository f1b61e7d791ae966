"""Arcs of a converted NetworkX graph, in the order of its adjacency, and their lengths."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import itemgetter, methodcaller
from typing import Any, NamedTuple

import numpy as np

from solvers.errors import NotDispatched
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

EXACT = 2**53  # integers below this are the same as floats

_VALUES: Callable[[Any], Any] = dict.values
_WHOLE = {int, bool, *(np.dtype(code).type for code in "bhilqBHILQ")}
REAL = _WHOLE | {float, np.float64}

Adjacency = Mapping[Any, Mapping[Any, Any]]
"""Neighbours by node, and by neighbour the attributes of the edge, or of each edge by
key in multigraphs.
"""


def by_attribute(adjacency: Adjacency, parallel: bool, attribute: Hashable) -> list[Any]:
    """The attribute of every edge in the order of the adjacency, 1 where it is missing;
    the least of parallel edges.
    """
    if parallel:
        return [
            _least([data.get(attribute, 1) for data in edge.values()]) for edge in _edges(adjacency)
        ]
    try:  # in C alone, if these are dictionaries with the attribute
        return list(
            map(itemgetter(attribute), chain.from_iterable(map(_VALUES, adjacency.values())))
        )
    except (KeyError, TypeError):
        return [data.get(attribute, 1) for data in _edges(adjacency)]


def _edges(adjacency: Adjacency) -> chain[Any]:
    return chain.from_iterable(map(methodcaller("values"), adjacency.values()))


def _least(lengths: list[Any]) -> Any:
    if len(lengths) == 1:
        return lengths[0]
    try:
        return min(lengths)
    except TypeError as error:
        raise NotDispatched(
            "the lengths of parallel edges", f"they cannot be compared ({error})"
        ) from None


def by_function(adjacency: Adjacency, function: Callable[..., Any]) -> list[Any]:
    """What the function returns for every edge, called as NetworkX does: ``function(u,
    v, attributes)``.
    """
    return [
        function(u, v, data)
        for u, neighbours in adjacency.items()
        for v, data in neighbours.items()
    ]


def as_lengths(
    values: list[Any], describe: Callable[[int], str]
) -> tuple[Float64s, bool, Bools | None]:
    """The values as floats, NaN for None; whether all of them are integers; and, where
    only some are, which are not.

    Raises NotDispatched for values that floats cannot stand for: other types of
    numbers, which have arithmetic of their own, integers from 2^53 on, and NaN. It
    names the first such edge, which ``describe`` describes by its position.
    """
    if not values:
        return np.empty(0), True, None
    try:
        # takes nothing but integers
        lengths = np.frombuffer(array("q", values), np.int64).astype(np.float64)
        if np.abs(lengths).max() < EXACT:
            return lengths, True, None
    except (TypeError, OverflowError):
        pass
    kinds = set(map(type, values))
    if type(None) in kinds:
        hidden = np.fromiter((value is None for value in values), np.bool_, len(values))
        shown = [0 if value is None else value for value in values]
        lengths, whole, floats = as_lengths(shown, describe)
        lengths[hidden] = np.nan
        return lengths, whole, floats
    if not kinds <= REAL:
        position = next(
            position for position, value in enumerate(values) if type(value) not in REAL
        )
        raise _refusal(
            values,
            position,
            f"{type(values[position]).__name__} has arithmetic of its own",
            describe,
        )
    try:
        lengths = np.fromiter(values, np.float64, len(values))
    except OverflowError:  # of an integer
        lengths = np.array(
            [value if -EXACT < value < EXACT else np.inf for value in values], np.float64
        )
    if np.isnan(lengths).any():
        raise _refusal(values, int(np.isnan(lengths).argmax()), "it is not a number", describe)
    if kinds & _WHOLE and (np.abs(lengths) >= EXACT).any():
        for position in np.flatnonzero(np.abs(lengths) >= EXACT).tolist():
            if type(values[position]) in _WHOLE:
                raise _refusal(
                    values,
                    position,
                    "integers from 2^53 on are not exact in the compiled search",
                    describe,
                )
    is_mixed = kinds & _WHOLE and not kinds <= _WHOLE
    floats = np.array([type(value) not in _WHOLE for value in values]) if is_mixed else None
    return lengths, kinds <= _WHOLE, floats


def _refusal(
    values: list[Any], position: int, reason: str, describe: Callable[[int], str]
) -> NotDispatched:
    return NotDispatched(f"the length {values[position]!r} of {describe(position)}", reason)


class ArcRows(NamedTuple):
    """What compiled searches read of arcs."""

    indptr: Int64s  # (n + 1,)
    heads: Int32s  # (m,)
    lengths: AnyArray  # (m,), float64 or int32


@dataclass(frozen=True, eq=False)
class DispatchArcs:
    """Compressed rows without parallel arcs; the heads of a row are in NetworkX's
    order, not ascending.
    """

    indptr: Int64s  # (n + 1,)
    heads: Int32s  # (m,)
    lengths: Float64s  # (m,)
    whole: bool  # whether all lengths are integers, so that distances are, too
    floats: Bools | None = None  # (m,) which lengths are floats, if only some are

    @classmethod
    def visible(
        cls,
        indptr: Int64s,
        heads: Int32s,
        lengths: Float64s,
        whole: bool,
        floats: Bools | None = None,
    ) -> DispatchArcs:
        """Without the arcs whose length is NaN: NetworkX hides edges whose length is None."""
        hidden = np.isnan(lengths)
        if not hidden.any():
            return cls(indptr, heads, lengths, whole, floats)
        shown = None if floats is None else floats[~hidden]
        return cls(
            indptr - offsets_of(hidden)[indptr], heads[~hidden], lengths[~hidden], whole, shown
        )

    @property
    def rows(self) -> ArcRows:
        """The arrays that compiled searches read."""
        return ArcRows(self.indptr, self.heads, self.lengths)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of arcs."""
        return len(self.heads)

    @cached_property
    def tails(self) -> Int32s:
        """(m,) tail of each arc."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))

    def numbers(self, distances: AnyArray, vertices: Int32s, parents: Int32s) -> list[Any]:
        """Distances of some vertices as Python's numbers, which are integers where no
        length on the way of ``parents``, (n,), is a float; -1 where a way begins. Without
        parents, (0,), all are floats unless all lengths are integers.
        """
        found = distances[vertices]
        if self.whole:
            return found.astype(np.int64, copy=False).tolist()
        if not len(parents):
            return found.tolist()
        marks = parents >= 0
        if self.floats is not None:
            marks[:] = False
            marks[self.heads[self.floats & (parents[self.heads] == self.tails)]] = True
            _spread(vertices, parents, marks)
        pairs = zip(found.tolist(), marks[vertices].tolist(), strict=True)
        return [value if is_float else int(value) for value, is_float in pairs]

    def length_of(self, tail: int, head: int) -> int | float:
        """The length of the arc between two vertices, as Python's number."""
        arc = self.indptr[tail] + int(
            np.argmax(self.heads[self.indptr[tail] : self.indptr[tail + 1]] == head)
        )
        is_float = not self.whole and (self.floats is None or self.floats[arc])
        return float(self.lengths[arc]) if is_float else int(self.lengths[arc])

    @cached_property
    def least(self) -> float:
        """Least length, or 0 if none is negative."""
        return float(self.lengths.min(initial=0.0))

    @cached_property
    def most(self) -> float:
        """Greatest magnitude of a length."""
        return float(np.abs(self.lengths).max(initial=0.0))

    @cached_property
    def small(self) -> Int32s | None:
        """(m,) lengths as integers, if a bucket for each up to the greatest is no
        waste; else None.
        """
        if not self.whole or self.least < 0 or self.most > 4 * (self.n + self.m):
            return None
        return self.lengths.astype(np.int32)

    def require_exact(self, *, walks: bool = False) -> None:
        """Refuse integers that might add up to more than floats hold exactly.

        With ``walks`` also along walks of n² arcs, as searches meet them that look for
        negative cycles. Raises NotDispatched.
        """
        arcs = self.n * self.n if walks and self.least < 0 else self.n
        if not self.whole or self.most * arcs < EXACT:
            return
        heaviest = np.zeros(self.n)
        np.maximum.at(heaviest, self.heads, np.abs(self.lengths))
        if arcs > self.n or float(heaviest.sum()) >= EXACT:
            reason = (
                "sums of such integers could pass 2^53, up to which the compiled "
                "search is exact; use floats"
            )
            raise NotDispatched(
                f"lengths up to {self.most:.0f} in a graph of {self.n} nodes", reason
            )


@njit
def _spread(vertices: Int32s, parents: Int32s, marks: Bools) -> None:
    """Mark those of the vertices, and on their ways, behind which a vertex is marked."""
    known, stack = np.zeros(len(marks), np.bool_), np.empty(len(marks), np.int32)
    for vertex in vertices:
        depth, u = 0, vertex
        while not known[u] and parents[u] >= 0:
            known[u] = True
            stack[depth] = u
            depth += 1
            u = parents[u]
        while depth:
            depth -= 1
            u = stack[depth]
            marks[u] = marks[u] or marks[parents[u]]
