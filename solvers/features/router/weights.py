"""Weights for a `Router`, in the order that the caller names: of arcs, of the rows of a
table, or by the ends of arcs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from solvers.errors import ParameterError, UnknownArc
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import ROUTER_NAME, VertexIds
from solvers.graphs.road_patch import GivenWeights
from solvers.graphs.rows import rows_of
from solvers.graphs.weights import INT32, INT64, as_weights, converted, weight_type
from solvers.running.prepared_network import PreparedNetwork
from solvers.system.array_types import AnyArray, Int64s
from solvers.text import plural

Order = Literal["arcs", "rows"]
Weights = ArrayLike | Mapping[tuple[Hashable, Hashable], float]
_ORDERS = ("arcs", "rows")
_EXACT = 2.0**53


def own_weights(
    network: Graph, weights: Weights, order: Order, present: AnyArray, *, closing: bool = False
) -> AnyArray:
    """Weights of all arcs, (m,) in a weight type, with the infinity of that type for
    arcs that inf closes, where ``closing`` allows it.

    ``present`` are those that a mapping leaves as they are, in such a type. Raises
    ParameterError, UnknownVertex, UnknownArc.
    """
    if order not in _ORDERS:
        raise ParameterError(ROUTER_NAME, "order", order, f"it takes {' or '.join(_ORDERS)}")
    if isinstance(weights, Mapping):
        return _with_changes(network, weights, present, closing)
    given, rows = _as_array(weights), rows_of(network) if order == "rows" else None
    if order == "rows" and rows is None:
        reason = f"{network.name} was not made from a table, a matrix or a list of edges"
        raise ParameterError(ROUTER_NAME, "order", order, reason)
    count = network.m if rows is None else int(rows.max(initial=-1)) + 1
    if given.shape != (count,):
        shown = plural(len(given), "weight") if given.ndim == 1 else f"of shape {given.shape}"
        has = plural(count, "arc" if rows is None else "row")
        raise ParameterError(ROUTER_NAME, "weights", shown, f"{network.name} has {has}")

    def describe(i: int) -> str:
        arc = f"the arc {network.vertex_id(int(network.tails[i]))} → "
        return f"{arc}{network.vertex_id(int(network.indices[i]))}"

    checked = _checked(given, describe if rows is None else "row {}".format, network, closing)
    return checked if rows is None else checked[rows]


def present_weights(state: PreparedNetwork) -> AnyArray:
    """The weights of all arcs, in the type of the state, as they were given last; what
    answers has them, too, but may be wrong.
    """
    said = state.graph.overlay.said
    if not said or not isinstance(said[-1], GivenWeights):
        return state.weights
    given = said[-1].weights
    if len(given) != state.network.m:
        return state.weights
    return converted(given, state.kind)


def arcs_between(network: Graph, tail: int, head: int, *, both_ways: bool) -> Int64s:
    """The arcs from one vertex to another, and the opposite ones if ``both_ways``;
    raises UnknownArc.
    """
    row = network.row(tail)
    found = row.start + np.flatnonzero(network.indices[row] == head)
    if not len(found):
        names = network.vertex_id(tail), network.vertex_id(head)
        heads = [f"{names[0]} → {network.vertex_id(int(v))}" for v in network.indices[row][:3]]
        raise UnknownArc(*names, network.name, heads)
    if not both_ways:
        return cast(Int64s, found)
    back = network.row(head)
    return np.append(found, back.start + np.flatnonzero(network.indices[back] == tail))


def _with_changes(
    network: Graph,
    changes: Mapping[tuple[Hashable, Hashable], float],
    present: AnyArray,
    closing: bool,
) -> AnyArray:
    if not changes:
        return present
    pairs = list(changes)
    starts, ends = VertexIds(network).ends(pairs)
    values = _checked(
        _as_array(list(changes.values())),
        lambda i: f"the arc {pairs[i][0]} → {pairs[i][1]}",
        network,
        closing,
    )
    own, kind = weight_type(values.dtype), weight_type(np.result_type(present, values))
    whole = converted(present, kind)
    # Where a mapping names both directions of an edge, each has its own weight.
    for both_ways in (True, False) if not network.directed else (False,):
        for start, end, value in zip(starts.tolist(), ends.tolist(), values, strict=True):
            arcs = arcs_between(network, start, end, both_ways=both_ways)
            whole[arcs] = value if value < own.infinity else kind.infinity
    return whole


def _as_array(weights: ArrayLike) -> AnyArray:
    try:
        return np.asarray(weights)
    except ValueError:  # lists of different lengths
        return np.array(weights, object)[:, None]


def _checked(
    given: AnyArray, describe: Callable[[int], str], network: Graph, closing: bool
) -> AnyArray:
    """Numbers in a weight type, inf as its infinity; ``describe`` names one of them."""
    closed = np.zeros(given.shape, np.bool_)
    if closing and given.dtype.kind == "f":
        closed = np.isposinf(given)
    open_ones = np.flatnonzero(~closed)
    try:
        own = as_weights(given[open_ones], lambda i: describe(int(open_ones[i])))
    except ParameterError as error:
        remedy = "; inf closes an arc" if closing else ""
        raise ParameterError(
            ROUTER_NAME, error.name, error.value, error.reason.partition(";")[0] + remedy
        ) from None
    is_float = own.dtype.kind == "f"
    if is_float and network.weight_type.is_integer and closed.any() and _are_whole(own):
        own = own.astype(np.int64)  # only inf made them floats
    if own.dtype.kind == "i" and own.size and own.max() >= INT32.infinity:
        own = own.astype(np.int64)
    if own.dtype == np.int64:
        _require_in_range(own, lambda i: describe(int(open_ones[i])))
    kind = weight_type(own.dtype)
    whole = np.full(len(given), kind.infinity, kind.dtype)
    whole[open_ones] = own
    return whole


def _are_whole(numbers: AnyArray) -> bool:
    """Whether floats are whole numbers that a float holds exactly."""
    return bool(((np.abs(numbers) < _EXACT) & (numbers == np.rint(numbers))).all())


def _require_in_range(own: AnyArray, describe: Callable[[int], str]) -> None:
    """Raise ParameterError for a weight that is, or is beyond, what stands for no path."""
    inside = (own < INT64.infinity) & (own > -INT64.infinity)
    if not inside.all():
        first = int(np.argmin(inside))
        reason = "beyond the range of 64-bit integers; scale the weights down or give floats"
        value = int(own[first])
        raise ParameterError(ROUTER_NAME, f"weight of {describe(first)}", value, reason)
