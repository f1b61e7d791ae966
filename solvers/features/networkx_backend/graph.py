"""A NetworkX graph converted for the backend: its nodes and their positions, with its arcs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

from solvers.errors import NotDispatched
from solvers.features.networkx_backend.arcs import (
    Adjacency,
    DispatchArcs,
    as_lengths,
    by_attribute,
    by_function,
)
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.ranges import offsets_of

Weight = Hashable | Callable[..., Any] | None
"""What NetworkX's functions take as ``weight``: an attribute's name, a function of the
edge, or None for 1 each.
"""

_INT64 = np.iinfo(np.int64)
_GAPS = 4  # a table may have so many times more positions than there are nodes
ABSENT = -1


def is_function(weight: object) -> bool:
    """Whether lengths are computed by a function of the edge.

    Where mypy narrows `callable` of a hashable, it keeps a type in its cache that it does
    not find again, and ends in an internal error.
    """
    return callable(weight)


class DispatchGraph:
    """Rows of arcs in the order of NetworkX's adjacency, and lengths by attribute, made
    when first asked for.

    It refers to the adjacency of the graph that it was made from, not to the graph
    itself, so that a graph which keeps its conversion in its cache is freed without the
    garbage collector. NetworkX drops the conversion when the graph changes; a
    `DispatchGraph` that a program keeps itself is not to be used after that.

    A view of a graph is copied, for three reasons: its mappings may say that they are
    longer than they are, each look-up passes through all its filters, and it changes
    with its parents.

    Parameters
    ----------
    adjacency : mapping
        ``G._adj`` of a NetworkX graph: successors, or neighbours.
    predecessors : mapping or None
        ``G._pred`` of a directed graph; None for an undirected one.
    parallel : bool
        Whether it is a multigraph.
    contents : pair of mappings
        Attributes of the graph and of its nodes, for `to_networkx`.
    viewed : bool
        Whether it is a view. One of a directed graph as an undirected one may have an
        edge of two lengths, one from each end, and a directed view of that has other
        lengths in its predecessors than in its successors.
    """

    __networkx_backend__ = "tautpath"

    def __init__(
        self,
        adjacency: Adjacency,
        predecessors: Adjacency | None,
        parallel: bool,
        index: NodeIndex,
        contents: tuple[Any, Any],
        *,
        viewed: bool = False,
    ):
        self._adj = adjacency  # the name that NetworkX's own helpers read
        self._predecessors = predecessors
        self._parallel = parallel
        self.index = index  # positions of the nodes
        self._contents = contents
        self._viewed = viewed
        self._arcs: dict[Hashable, DispatchArcs] = {}  # by attribute, and turned round
        self._backward: dict[Hashable, DispatchArcs] = {}

    @classmethod
    def of(cls, graph: Any) -> DispatchGraph:
        """Convert a NetworkX graph of any of the four classes, or a view of one."""
        parallel, viewed = graph.is_multigraph(), is_view(graph)
        adjacency, predecessors = graph._adj, graph._pred if graph.is_directed() else None
        if viewed:
            adjacency = _copied(adjacency, parallel)
            predecessors = None if predecessors is None else _copied(predecessors, parallel)
        contents = graph.graph, graph._node
        return cls(adjacency, predecessors, parallel, NodeIndex(adjacency), contents, viewed=viewed)

    def degrees(self) -> dict[Any, int]:
        """Numbers of ends of edges at each node, as NetworkX counts them."""
        found = dict.fromkeys(self._adj, 0)
        for u, near in self._adj.items():
            for v, edges in near.items():
                count = len(edges) if self._parallel else 1
                found[u] += count
                if self.is_directed() or u == v:
                    found[v] += count
        return found

    def to_networkx(self, labels: Mapping[Any, Any] | None = None) -> Any:
        """A new NetworkX graph with the attributes of the original, and its nodes or
        their ``labels``.
        """
        classes = {
            (False, False): nx.Graph,
            (False, True): nx.MultiGraph,
            (True, False): nx.DiGraph,
            (True, True): nx.MultiDiGraph,
        }
        graph = classes[self.is_directed(), self._parallel]()
        graph.graph.update(self._contents[0])
        named: Callable[[Any], Any] = (lambda node: node) if labels is None else labels.__getitem__
        graph.add_nodes_from((named(node), self._contents[1][node]) for node in self._adj)
        if self._parallel:
            graph.add_edges_from(
                (named(u), named(v), key, data)
                for u, near in self._adj.items()
                for v, edges in near.items()
                if self.is_directed() or not graph.has_edge(named(u), named(v))
                for key, data in edges.items()
            )
        else:
            graph.add_edges_from(
                (named(u), named(v), data)
                for u, near in self._adj.items()
                for v, data in near.items()
            )
        return graph

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.index.nodes)

    def __contains__(self, node: Hashable) -> bool:
        return self.index.position(node) != ABSENT

    def required(self, node: Hashable, message: str) -> int:
        """Position of a node.

        Raises NetworkX's NodeNotFound with the message, in which {} stands for the
        node.
        """
        position = self.index.position(node)
        if position == ABSENT:
            raise nx.NodeNotFound(message.format(node))
        return position

    def __str__(self) -> str:
        return str(self.to_networkx())  # NetworkX's words, for its exceptions

    def is_directed(self) -> bool:
        """Whether edges have a direction; under NetworkX's name."""
        return self._predecessors is not None

    def is_multigraph(self) -> bool:
        """Whether two nodes may have several edges; under NetworkX's name."""
        return self._parallel

    @cached_property
    def _rows(self) -> tuple[Int64s, Int32s]:
        indptr = offsets_of(np.fromiter(map(len, self._adj.values()), np.int64, len(self)))
        return indptr, self.index.positions(
            chain.from_iterable(self._adj.values()), int(indptr[-1])
        )

    def arcs(self, weight: Weight = None) -> DispatchArcs:
        """The arcs with their lengths: 1 each, those of an attribute, or those that a
        function returns.

        Lengths of a function are not kept: it may return others the next time.

        Raises NotDispatched for lengths that floats cannot stand for.
        """
        if callable(weight):
            return self._with_lengths(by_function(self._adj, weight))
        if weight not in self._arcs:
            if weight is None:
                indptr, heads = self._rows
                self._arcs[None] = DispatchArcs(indptr, heads, np.ones(len(heads)), True)
            else:
                self._arcs[weight] = self._with_lengths(
                    by_attribute(self._adj, self._parallel, weight)
                )
        return self._arcs[weight]

    def complete_arcs(
        self,
        weight: Weight,
        what: str = "edges whose length is None",
        reason: str = "only Dijkstra's algorithm and A* leave them out",
    ) -> DispatchArcs:
        """As `arcs`; raises NotDispatched, too, if edges are hidden: unlike Dijkstra's
        algorithm, NetworkX's others do not pass over them.
        """
        arcs = self.arcs(weight)
        if arcs.m < self.arcs().m:
            raise NotDispatched(what, reason)
        return arcs

    def _with_lengths(self, values: list[Any]) -> DispatchArcs:
        indptr, heads = self._rows
        made = DispatchArcs.visible(indptr, heads, *as_lengths(values, self._edge))
        made.require_exact()
        return made

    def _edge(self, arc: int) -> str:
        indptr, heads = self._rows
        tail = int(np.searchsorted(indptr, arc, side="right")) - 1
        return f"the edge {self.index.nodes[tail]!r} → {self.index.nodes[heads[arc]]!r}"

    @cached_property
    def reverse(self) -> DispatchGraph:
        """The graph with every arc reversed, in the order of NetworkX's predecessors;
        itself if undirected.
        """
        if self._predecessors is None:
            return self
        return DispatchGraph(
            self._predecessors,
            self._adj,
            self._parallel,
            self.index,
            self._contents,
            viewed=self._viewed,
        )

    @cached_property
    def reversed_copy(self) -> DispatchGraph:
        """As ``G.reverse()``, whose lengths are those of the successors; in views they
        may differ from `reverse`.
        """
        if self._predecessors is None or not self._viewed:
            return self.reverse
        return DispatchGraph.of(self.to_networkx().reverse(copy=False))

    def is_symmetric(self, weight: Weight, arcs: DispatchArcs) -> bool:
        """Whether each of ``arcs(weight)`` has one of the same length in the other
        direction; False if directed.

        A function of the edge may return another length for the other direction, and
        views may have one.
        """
        if self.is_directed():
            return False
        if not (self._viewed or callable(weight)):
            return True
        forth = np.lexsort((arcs.heads, arcs.tails))
        back = np.lexsort((arcs.tails, arcs.heads))
        return (
            np.array_equal(arcs.tails[forth], arcs.heads[back])
            and np.array_equal(arcs.heads[forth], arcs.tails[back])
            and np.array_equal(arcs.lengths[forth], arcs.lengths[back])
        )

    def backward(self, weight: Weight, arcs: DispatchArcs) -> DispatchArcs:
        """``arcs(weight)`` turned round, in the order of NetworkX's predecessors."""
        if self._predecessors is None and not callable(weight):
            return arcs
        if self._viewed:
            return self._backward_of_view(weight)
        if callable(weight):
            return self._turned(arcs)
        if weight not in self._backward:
            self._backward[weight] = self._turned(arcs)
        return self._backward[weight]

    def _turned(self, arcs: DispatchArcs) -> DispatchArcs:
        indptr, heads = self.reverse._rows
        n = len(self)
        tails = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
        lengths = np.full(len(heads), np.nan)
        wanted = heads.astype(np.int64) * n + tails
        own = arcs.tails.astype(np.int64) * n + arcs.heads
        order = np.argsort(own)
        if len(own):
            positions = order[np.minimum(np.searchsorted(own, wanted, sorter=order), len(own) - 1)]
            found = own[positions] == wanted
            lengths[found] = arcs.lengths[positions[found]]
        return DispatchArcs.visible(indptr, heads, lengths, arcs.whole)

    def _backward_of_view(self, weight: Weight) -> DispatchArcs:
        """By the attributes of the predecessors themselves."""
        if not callable(weight):
            return self.reverse.arcs(weight)
        return self.reverse._with_lengths(
            by_function(self.reverse._adj, lambda u, v, data: weight(v, u, data))
        )


def is_view(graph: Any) -> bool:
    """Whether the graph shows another one, and changes with it; NetworkX keeps that one
    in ``_graph``.

    NetworkX drops conversions when a graph is changed, but not those of its views, and
    the filters of a view may depend on anything. So conversions of views are not kept.
    """
    return getattr(graph, "_graph", None) is not None


def _copied(adjacency: Adjacency, parallel: bool) -> Adjacency:
    """The mappings of a view as dictionaries, in the order of iteration; dictionaries
    of edges' attributes are shared.

    Lengths of these mappings are not asked for: in multigraphs with filtered edges
    NetworkX counts hidden neighbours.
    """
    if parallel:
        return {
            u: {v: dict(edges.items()) for v, edges in near.items()}
            for u, near in adjacency.items()
        }
    return {u: dict(near.items()) for u, near in adjacency.items()}


def converted(graph: Any) -> DispatchGraph:
    """The graph itself if it is converted, else its conversion."""
    return graph if isinstance(graph, DispatchGraph) else DispatchGraph.of(graph)


class NodeIndex:
    """Positions of the nodes of a graph, and nodes by position.

    Integers in a narrow range, the usual case, are looked up in a table without
    touching a Python object.

    The nodes are hashable and all different.
    """

    def __init__(self, nodes: Iterable[Hashable]):
        self.nodes: list[Any] = list(nodes)  # by position
        self._ids = self._as_ids()
        self._table: Int32s | None = None
        self._low = 0
        self._positions: dict[Hashable, int] | None = None
        self._objects: AnyArray | None = None
        if self._ids is not None and len(self._ids):
            low, high = int(self._ids.min()), int(self._ids.max())
            if high - low < _GAPS * (len(self._ids) + 1000):
                self._low = low
                self._table = np.full(high - low + 1, ABSENT, np.int32)
                self._table[self._ids - low] = np.arange(len(self._ids), dtype=np.int32)
        if self._table is None:
            self._positions = {node: position for position, node in enumerate(self.nodes)}

    def _as_ids(self) -> Int64s | None:
        if set(map(type, self.nodes)) != {int}:
            return None
        try:
            return np.fromiter(self.nodes, np.int64, len(self.nodes))
        except OverflowError:
            return None

    def __len__(self) -> int:
        return len(self.nodes)

    def position(self, node: Hashable) -> int:
        """Position of a node; `ABSENT` for anything that is none, as for what cannot be hashed."""
        try:
            hash(node)
        except TypeError:
            return ABSENT
        if self._positions is not None:
            return self._positions.get(node, ABSENT)
        try:
            whole = int(node)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            return ABSENT
        if whole != node or not 0 <= whole - self._low < len(self._table):  # type: ignore[arg-type]
            return ABSENT
        return int(self._table[whole - self._low])  # type: ignore[index]

    def positions(self, nodes: Iterable[Any], count: int) -> Int32s:
        """Positions of ``count`` nodes, all of which exist."""
        if self._table is not None:
            return self._table[np.fromiter(nodes, np.int64, count) - self._low]
        assert self._positions is not None
        return np.fromiter(map(self._positions.__getitem__, nodes), np.int32, count)

    def named(self, positions: AnyArray) -> list[Any]:
        """The nodes at these positions."""
        if self._ids is not None:
            return self._ids[positions].tolist()
        if self._objects is None:
            self._objects = np.fromiter(self.nodes, object, len(self.nodes))
        return self._objects[positions].tolist()
