"""Proof that a graph with changed roads is what was said of its network, in O(n + m) once for
each graph: a proof of an answer holds for the arcs of the graph that it is given, and a graph
with a road too many, or with the weights of another hour, would have right answers of its own.

Open arcs and their weights are derived here, anew, from the network as it was read and from
what was said since (`Overlay.said`): its closed and slowed roads, its hour, other weights, and
the points at which its roads were cut. Neither the patch of the graph nor what makes one is
asked (`solvers.graphs.road_patch`, `RoadChanges.apply`, `HourTable.weights_at`).
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np

from solvers.core.result import Verdict
from solvers.graphs.arc_columns import column_named
from solvers.graphs.graph import Graph, Overlay, Said
from solvers.graphs.hours import CLASSES, AtHour, HourTable
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.road_patch import GivenWeights
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Float64s, Int64s
from solvers.text import format_distance
from solvers.units import METRES_PER_UNIT, SECONDS_PER_UNIT
from solvers.verification.networks import cut_rules_differ
from solvers.verification.ways_back import arcs_back, cut_arcs, points_of

_OTHERS = "others"  # classes of roads, in a table
_KMH = 3.6


def changed_roads_failure(graph: Graph) -> Verdict | None:
    """In what a graph is not what was said of its network; None if it is. Kept with the graph,
    which does not change.
    """
    overlay = graph.overlay
    if not (overlay.said or overlay.base or overlay.cut):
        return None
    return graph.cached("changed roads", lambda: _failure(graph))


def _failure(graph: Graph) -> Verdict | None:
    before = graph.network if graph.base is not None else graph.uncut
    known = () if before is graph else before.overlay.said
    said = graph.overlay.said[len(known) :]
    if before is graph or graph.overlay.said[: len(known)] != known:
        return _refused(1, "something else was said of the network that it was made from", said)
    derive = _of_changes if graph.base is not None else _of_cut
    return changed_roads_failure(before) or derive(graph, before, said)


def _of_changes(graph: Graph, network: Graph, said: tuple[Said, ...]) -> Verdict | None:
    derived = _Derived(network)
    for one in said:
        derived.change(one)
    open_arcs = np.flatnonzero(derived.is_open)
    if not _leads_alike(graph, network, open_arcs):
        return _other_arcs(graph, network, open_arcs, said)
    right = derived.weights[open_arcs]
    wrong = np.flatnonzero(graph.weights != right)
    if len(wrong):
        arc = int(wrong[0])
        own, true = (
            format_distance(of[arc].item(), graph.weight_unit) for of in (graph.weights, right)
        )
        reason = f"{_arc(graph, graph.tails[arc], graph.indices[arc])} weighs {own}, not {true}"
        return _refused(len(np.unique(graph.indices[wrong])), reason, said)
    assert graph.base is not None
    if not np.array_equal(graph.base.closed, np.flatnonzero(~derived.is_open)):
        return _refused(1, "its arcs are not those of the network that it names", said)
    return None


class _Derived:
    """The arcs of a network that are open, and their weights, (m,)."""

    def __init__(self, network: Graph):
        self._network = network
        self.is_open = np.ones(network.m, np.bool_)
        self.weights = network.weights

    def change(self, said: Said) -> None:
        if isinstance(said, GivenWeights):
            self._give(said.weights)
        elif isinstance(said, AtHour):
            self._keep_type()
            self._weigh(said.table, said.at)
        elif isinstance(said, RoadChanges):
            self._keep_type()
            if said.hour is not None:
                self._weigh(said.hour.table, said.at)
            if said:
                self._multiply(said)

    def _give(self, weights: AnyArray) -> None:
        """Other weights of all open arcs, infinity for those that are closed now."""
        own = np.zeros(len(self.is_open), weights.dtype)
        if len(weights) == np.count_nonzero(self.is_open):
            own[self.is_open] = weights
        self.weights = own
        self.is_open = self.is_open & (own < weight_type(own.dtype).infinity)

    def _keep_type(self) -> None:
        """Have weights in the type of the network, if that holds all of them."""
        own, kind = self.weights, self._network.weights.dtype
        if own.dtype == kind:
            return
        with np.errstate(invalid="ignore"):
            narrow = np.where(self.is_open, own, 0).astype(kind)
        if np.array_equal(narrow[self.is_open], own[self.is_open]):
            self.weights = narrow

    def _weigh(self, table: HourTable, hour: str) -> None:
        before, values = self.weights, table.values[hour]
        found = before.astype(np.float64)
        if table.has_speeds:
            self._drive(table, values, found)
        else:
            found = found * self._factors(table, values)
        if before.dtype.kind == "i":  # half up, and no road becomes free
            found = np.where(before > 0, np.maximum(np.floor(found + 0.5), 1), before)
        weights = before.copy()  # of closed roads, too, whose weights may be infinite
        weights[self.is_open] = found[self.is_open].astype(before.dtype)
        self.weights = weights

    def _factors(self, table: HourTable, values: Float64s) -> AnyArray:
        roads, of_class = self._network.roads, dict(zip(table.rows, values.tolist(), strict=True))
        others = of_class.get(_OTHERS, 1.0)
        if roads is None or roads.class_of is None:
            return np.array(others)
        factors = np.array([of_class.get(name, others) for name in CLASSES])
        return factors[roads.class_of]

    def _drive(self, table: HourTable, speeds: Float64s, found: Float64s) -> None:
        network = self._network
        columns = (*(network.roads.weights if network.roads else ()), *network.attributes)
        lengths = column_named(columns, "length")
        assert lengths is not None
        metres = lengths.values * METRES_PER_UNIT[lengths.unit]
        seconds_of_unit = SECONDS_PER_UNIT[network.weight_unit]
        ends = [
            [row[side] if network.has_labels else int(row[side]) for row in table.rows]
            for side in (0, 1)
        ]
        arcs, rows = self._arcs_between(*map(network.vertices, ends))
        found[arcs] = metres[arcs] / (speeds[rows] / _KMH) / seconds_of_unit

    def _multiply(self, changes: RoadChanges) -> None:
        """Later areas over earlier ones, later roads over earlier ones and over all areas."""
        factors = np.ones(len(self.is_open))
        for area in changes.areas:
            ends = self._network.vertices(area.ends.ravel().tolist()).reshape(-1, 2).T
            for tails, heads in (ends, ends[::-1]):
                factors[self._arcs_between(tails, heads)[0]] = area.factor
        listed: list[tuple[Hashable, Hashable, float]] = []
        for road in changes.roads:
            listed.append((road.tail, road.head, road.factor))
            if not road.one_way:
                listed.append((road.head, road.tail, road.factor))
        tails, heads = (self._network.vertices([one[side] for one in listed]) for side in (0, 1))
        arcs, rows = self._arcs_between(tails, heads)
        factors[arcs] = np.array([factor for *_, factor in listed])[rows]
        self.is_open = self.is_open & np.isfinite(factors)
        slowed = np.flatnonzero(self.is_open & (factors != 1))
        weights = self.weights.copy()
        weights[slowed] = _products(weights[slowed], factors[slowed])
        self.weights = weights

    def _arcs_between(self, tails: Int64s, heads: Int64s) -> tuple[Int64s, Int64s]:
        """The arcs from each of some vertices to another, and which pair each is of; in the
        order of the pairs.
        """
        wanted = np.asarray(tails, np.int64) * self._network.n + heads
        first, last = (np.searchsorted(self._ends, wanted, side) for side in ("left", "right"))
        counts = last - first
        rows = np.repeat(np.arange(len(wanted)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return first[rows] + within, rows

    @cached_property
    def _ends(self) -> Int64s:
        """Tail and head of each arc as one number, (m,) ascending."""
        return _keys(self._network)


def _keys(graph: Graph) -> Int64s:
    return graph.tails.astype(np.int64) * graph.n + graph.indices


def _products(weights: AnyArray, factors: Float64s) -> AnyArray:
    """Weights times factors, (k,); whole numbers exactly and to the nearest, half up, and none
    above 0 becomes 0.
    """
    if weights.dtype.kind != "i":
        return (weights.astype(np.float64) * factors).astype(weights.dtype)
    found = weights.copy()
    for factor in np.unique(factors).tolist():
        above, below = factor.as_integer_ratio()
        chosen = (factors == factor) & (weights > 0)
        own, which = np.unique(weights[chosen], return_inverse=True)
        nearest = ((2 * weight * above + below) // (2 * below) for weight in own.tolist())
        products = np.array([max(1, weight) for weight in nearest], weights.dtype)
        found[chosen] = products[which]
    return found


def _leads_alike(graph: Graph, network: Graph, arcs: Int64s) -> bool:
    """Whether the arcs of a graph lead where those of its network do."""
    if graph.n != network.n or graph.m != len(arcs):
        return False
    if len(arcs) == network.m:
        return np.array_equal(graph.indptr, network.indptr) and np.array_equal(
            graph.indices, network.indices
        )
    degrees = np.bincount(network.tails[arcs], minlength=network.n)
    return np.array_equal(np.diff(graph.indptr), degrees) and np.array_equal(
        graph.indices, network.indices[arcs]
    )


def _other_arcs(graph: Graph, network: Graph, arcs: Int64s, said: tuple[Said, ...]) -> Verdict:
    if graph.n != network.n:
        return _refused(graph.n, f"it has {graph.n} vertices, not {network.n}", said)
    own, right = _keys(graph), _keys(network)[arcs]
    keys, which = np.unique(np.concatenate((own, right)), return_inverse=True)
    signs = np.repeat((1, -1), (len(own), len(right)))
    more = np.zeros(len(keys), np.int64)
    np.add.at(more, which.reshape(-1), signs)
    differ = np.flatnonzero(more)
    first = differ[0]
    tail, head = divmod(int(keys[first]), network.n)
    state = "is open, but closed" if more[first] > 0 else "is missing, but open"
    heads = np.unique(keys[differ] % network.n)
    return _refused(len(heads), f"{_arc(network, tail, head)} {state}", said)


def _of_cut(graph: Graph, whole: Graph, said: tuple[Said, ...]) -> Verdict | None:
    """What is wrong with the parts of roads that were cut; other arcs must be as before."""
    points = points_of(graph)
    if graph.n != whole.n + len(points):
        return _refused(1, f"it has {graph.n - whole.n} points, not {len(points)}", said)
    there, backs = (np.array([getattr(one, way) for one in points]) for way in ("there", "back"))
    wrong = there[backs != arcs_back(whole, there)]
    if len(wrong):
        road = _arc(graph, whole.tails[wrong[0]], whole.indices[wrong[0]])
        return _refused(1, f"another road than {road} is cut as its way back", ())
    right = cut_arcs(graph)
    if graph.m != len(right.of):
        return _refused(1, f"it has {graph.m} arcs, not {len(right.of)}", ())
    found = (graph.tails, graph.indices, graph.weights)
    pairs = zip(found, (right.tails, right.heads, right.weights), strict=True)
    differ = np.any([own != true for own, true in pairs], axis=0)
    if not differ.any():
        lost = "other turns are forbidden, or cost something, than before its roads were cut"
        return _refused(1, lost, ()) if cut_rules_differ(graph) else None
    arc = int(np.argmax(differ))
    road = _arc(graph, right.tails[arc], right.heads[arc])
    is_whole = np.count_nonzero(right.of == right.of[arc]) == 1
    what = "as before" if is_whole else "the part of its road"
    return _refused(1, f"{road} is not {what}", ())


def _arc(graph: Graph, tail: Any, head: Any) -> str:
    return f"{graph.vertex_id(int(tail))} → {graph.vertex_id(int(head))}"


def _refused(wrong: int, reason: str, said: tuple[Said, ...]) -> Verdict:
    words = str(Overlay(said))
    by = f" by what was said ({words})" if words else ""
    return Verdict(False, max(1, wrong), f"Not the network of the question: {reason}{by}.")
