"""What is searched for a network: an ordinary graph, so that every algorithm and every proof
applies, and the way back to the network.

A graph without rules for turns is searched itself. How one with rules is searched is said by
a feature, in its `TurnSearch`; without it, such a network is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from solvers.errors import TurnsNotSearched
from solvers.graphs.graph import Graph, RoadPatch
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.feature import offered
from solvers.text import format_count

if TYPE_CHECKING:
    from solvers.graphs.turn_rules import TurnRules


@dataclass(frozen=True, eq=False)
class SearchedGraph:
    """An ordinary graph that is searched in place of a network, and the translation of
    vertices, arcs, distances and paths between both: here the network itself, so that nothing
    is translated. A feature overrides what its graph needs.

    Its first n vertices are those of the network, at which paths start. A vertex of the network
    may be several vertices there, one of which stands for it as a target.

    Attributes
    ----------
    vertex_of : (searched n,) int32
        The vertex of the network that each vertex is; this and the next two are empty where
        the network itself is searched.
    arc_of : (searched m,) int64
        The arc of the network that each arc is; -1 for one that leads to the end of a vertex.
    end_of : (n,) int32
        The vertex that stands for each vertex of the network as a target.
    """

    network: Graph
    searched: Graph
    vertex_of: Int32s
    arc_of: Int64s
    end_of: Int32s

    @classmethod
    def itself(cls, network: Graph) -> SearchedGraph:
        none = np.empty(0, np.int32)
        return cls(network, network, none, none.astype(np.int64), none)

    @property
    def is_split(self) -> bool:
        """Whether another graph is searched than the network itself."""
        return self.searched is not self.network

    def arcs(self, found: Int64s) -> Int64s:
        """The arcs of the network that arcs of what is searched are; -1 as of `arc_of`."""
        return found

    def positions(self, arcs: Int64s) -> tuple[Int64s, Int64s]:
        """Where arcs of the network are in what is searched, and which of them each is."""
        return arcs, np.arange(len(arcs))

    def end(self, target: int) -> int:
        """The vertex that is searched for one of the network as a target."""
        return target

    @overload
    def ends(self, targets: AnyArray) -> AnyArray: ...
    @overload
    def ends(self, targets: AnyArray | None) -> AnyArray | None: ...
    def ends(self, targets: AnyArray | None) -> AnyArray | None:
        """Likewise of several; None for all, where the network itself is searched."""
        return targets

    def distances(self, found: AnyArray, *, all_pairs: bool = False) -> AnyArray:
        """Distances in the network, (n,) or (k, n), from those of what was searched; of all
        pairs, (n, n).
        """
        return found

    def distances_to(self, found: AnyArray) -> AnyArray:
        """Distances to a vertex from those of the network, (n,) or (k, n)."""
        return found

    def masses(self, origins: Float64s, destinations: Float64s) -> tuple[Float64s, Float64s]:
        """What starts and what ends at each vertex that is searched, (searched n,), from that
        of the network's.
        """
        return origins, destinations

    def on_vertices(self, values: Float64s) -> Float64s:
        """Sums over what each vertex of the network is, (n,), of values of what is searched."""
        return values

    def on_arcs(self, values: Float64s) -> Float64s:
        """Likewise of arcs, (m,)."""
        return values

    def starts(self, found: AnyArray) -> Float64s | None:
        """The distances at which the arcs of the network can be entered, (m,), with what the
        turn costs, from those of what was searched; inf where an arc cannot. None where they
        are those of the tails.
        """
        return None

    def path(self, found: Int32s) -> Int32s:
        """The vertices of the network along a path of what was searched."""
        return found

    def predecessors(self, found: Int32s) -> Int32s:
        """The vertex before each, (n,), on its own shortest path; -1 without one."""
        return found

    def weights(self, of_network: AnyArray, infinity: Any) -> AnyArray:
        """Weights of what is searched, where the arcs of the network have these, (m,), and
        closed ones ``infinity``.
        """
        return of_network

    def own_weights(self, found: AnyArray) -> AnyArray:
        """Weights of the arcs of the network, (m,), without turns, from `weights`."""
        return found

    def steps(self, path: AnyArray, lightest: Int64s) -> tuple[Int64s, AnyArray, Int64s]:
        """The arcs of the cheapest allowed way along vertices of the network, (k - 1,), their
        weights with those of the turns before them, and the steps at which there is none.

        ``lightest`` are the lightest arcs between the vertices, -1 where there is none.
        """
        return lightest, self.network.weights[lightest], np.flatnonzero(lightest < 0)


def _refused(network: Graph, *_: object) -> SearchedGraph:
    assert network.turns is not None
    raise TurnsNotSearched(network.name, network.turns.in_words(network.weight_unit))


def _refused_elsewhere(searched: Graph, end_of: Int32s) -> SearchedGraph:
    raise TurnsNotSearched(searched.name, "of another process")


def _as_read(network: Graph, rules: TurnRules, columns: Sequence[AnyArray]) -> TurnRules:
    return rules


def _without_cost(network: Graph, rules: TurnRules, before: Int64s, after: Int64s) -> AnyArray:
    return np.zeros(len(before), network.weights.dtype)


@dataclass(frozen=True)
class TurnSearch:
    """How networks with rules for turns are searched: ``SEARCH`` in the module that
    `Feature.search` names. The defaults hold where no feature says it.
    """

    # a network by rules that name its arcs
    searched: Callable[[Graph, TurnRules], SearchedGraph] = _refused
    # one that another process has made, with the vertices that stand for targets: of the network
    # it has the ids alone, so distances are translated, and neither paths nor flows of arcs
    elsewhere: Callable[[Graph, Int32s], SearchedGraph] = _refused_elsewhere
    # the rules of a network with changed roads, which name arcs of the network with all roads
    of_changed: Callable[[RoadPatch], TurnRules | None] = lambda patch: patch.of_network.graph.turns
    # what changed roads mean for turns, for the user; "" for nothing
    told: Callable[[Graph], str] = lambda graph: ""
    # rules that forbid U-turns, with those listed that shortest paths would make by columns of
    # weights
    completed: Callable[[Graph, TurnRules, Sequence[AnyArray]], TurnRules] = _as_read
    # what turns cost, (t,) of the weights' type, from the arcs before and after
    costs: Callable[[Graph, TurnRules, Int64s, Int64s], AnyArray] = _without_cost


@cache
def turn_search() -> TurnSearch:
    found: TurnSearch = next(iter(offered(lambda one: one.search, "SEARCH")), TurnSearch())
    return found


def searched_graph(graph: Graph) -> SearchedGraph:
    """What is searched for a graph, which is kept with it; raises `TurnsNotSearched`."""
    return _by_rules(graph, graph.turns)


def searched_whole(changed: Graph, network: Graph | None = None) -> SearchedGraph:
    """What is searched for the network, by default that with all roads, that a graph was made
    from by changes to its roads: by the rules of this graph, which may differ. Raises as
    `searched_graph`.
    """
    return _by_rules(changed.network if network is None else network, changed.turns)


def _by_rules(network: Graph, rules: TurnRules | None) -> SearchedGraph:
    if rules is None or not rules.has_effect:
        return SearchedGraph.itself(network)
    return turn_search().searched(network, rules)


def searched_text(graph: Graph) -> str:
    """What turns add to what is searched: "searched with 5,766 vertices and 12,392 arcs, 1.14
    times as many"; "" without turns, and why it cannot be searched.
    """
    try:
        found = searched_graph(graph)
    except TurnsNotSearched as error:
        return str(error)
    if not found.is_split:
        return ""
    size = found.searched.n + found.searched.m
    growth = size / max(1, graph.n + graph.m)
    counts = (format_count(found.searched.n), format_count(found.searched.m))
    return "searched with {} vertices and {} arcs, {:.2f} times as many".format(*counts, growth)
