"""Networks with turns whose roads are closed, slowed, weighed by an hour, cut and opened again,
in any order: every answer is that of a network that was never anything else, and is proved, and
the network is that which is made anew of its overlay.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from solvers import prepare, solve
from solvers.features.router.router import Router
from solvers.features.turns.u_turns import without_u_turns
from solvers.graphs.arc_columns import ArcColumn
from solvers.graphs.following_arcs import opposite_arcs
from solvers.graphs.graph import Graph
from solvers.graphs.hours import AtHour
from solvers.graphs.places import RoadPoint, RoadPoints, place_ends
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.road_patch import GivenWeights, changed_graph
from tests.quick import THOROUGH, first_quick
from tests.solvers.verification.changed import two_towns, weighed_at
from tests.streets import HOURS, Arc, Streets, drawn_streets, right_rows

SEQUENCES = 100 if THOROUGH else 60  # of one block
STEPS = 6


def road(graph: Graph, tail: int, head: int) -> tuple[int, int]:
    return int(graph.ids[tail]), int(graph.ids[head])


def test_a_dead_end_that_is_open_again_is_none() -> None:
    """Where another road is slowed, so that rules for it are kept."""
    graph = two_towns()
    ends = {"source": int(graph.ids[0]), "target": int(graph.ids[2])}
    slowed = RoadChanges().slow(30.0, road(graph, 8, 9))
    closed = slowed.close(road(graph, 3, 4))
    for changes, length in ((slowed, 8), (closed, 6), (slowed, 8), (RoadChanges(), 8)):
        found = solve(changes.apply(graph), "dijkstra-heap", **ends)
        assert (found.distance, found.verified) == (length, True)


def test_a_dead_end_of_a_router_that_is_open_again_is_none() -> None:
    graph = two_towns()
    router = prepare(graph, device=None)
    a, b = int(graph.ids[0]), int(graph.ids[2])
    for _ in range(2):
        router.update({road(graph, 8, 9): 30, road(graph, 9, 8): 30})
        router.close([road(graph, 3, 4)])
        assert router.distance(a, b) == 6
        router.update({road(graph, 3, 4): 1})
        assert router.distance(a, b) == 8
        assert prepare(router.graph, device=None).distance(a, b) == 8
        assert solve(router.graph, "dijkstra-heap", source=a, target=b).verified


def test_a_network_with_fractional_weights_keeps_its_turns() -> None:
    graph = two_towns()
    router = prepare(graph, device=None, verify="all")
    a, b = int(graph.ids[0]), int(graph.ids[2])
    weights = graph.weights + 0.25
    weights[graph.row(8)] = np.inf
    router.update(weights)
    assert router.graph.has_turns
    assert router.distance(a, b) == 8 + 6 * 0.25
    assert router.path(a, b) == [int(graph.ids[v]) for v in (0, 1, 3, 4, 3, 1, 2)]
    found = solve(router.graph, "dijkstra-heap", source=a, target=b)
    assert (found.distance, found.verified) == (9.5, True)


def test_a_router_on_a_changed_graph_with_other_weights_keeps_its_turns() -> None:
    graph = two_towns()
    router = prepare(graph, device=None)
    router.close([road(graph, 8, 9)])
    weights = router.graph.weights.copy()
    weights[router.graph.row(0)] += 7
    again = prepare(router.graph, weights=weights, device=None, verify="all")
    a, b = int(graph.ids[0]), int(graph.ids[2])
    assert again.distance(a, b) == 15
    assert solve(again.graph, "dijkstra-heap", source=a, target=b).distance == 15


@dataclass
class Changing:
    """A router and the graph of a list of changes, and what their weights should be."""

    streets: Streets
    random: np.random.Generator
    graph: Graph = field(init=False)
    router: Router = field(init=False)
    arcs: list[Arc] = field(init=False)  # of the router's network
    read: dict[Arc, float] = field(init=False)  # their weights when it was prepared
    now: dict[Arc, float] = field(init=False)
    changes: RoadChanges = field(default_factory=RoadChanges)
    hour: str = ""
    in_integers: bool = True  # whether the router's network has such weights
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.graph = self.streets.graph
        self.router = prepare(self.graph, device=None, verify="all")
        self.arcs = self.streets.arcs
        self.read = {arc: float(weight) for arc, weight in self.streets.weights.items()}
        self.now = dict(self.read)

    def step(self) -> None:
        steps: list[Callable[[], None]] = [
            self.close,
            self.update_pairs,
            self.update_all,
            self.open_all,
            self.weigh_at,
            self.prepare_again,
            self.prepare_with_weights,
            self.change_list,
            self.change_list,
            self.change_list,
        ]
        one = steps[int(self.random.integers(len(steps)))]
        self.said.append(one.__name__)
        one()

    def _some_arcs(self) -> list[Arc]:
        count = min(len(self.arcs), int(self.random.integers(1, 4)))
        return [self.arcs[i] for i in self.random.choice(len(self.arcs), count, replace=False)]

    def _name(self, vertex: int) -> int:
        return int(self.graph.ids[vertex])

    def _all_between(self, arc: Arc) -> list[Arc]:
        return [other for other in self.arcs if other[:2] == arc[:2]]

    def close(self) -> None:
        chosen, both_ways = self._some_arcs(), bool(self.random.integers(2))
        pairs = [(self._name(arc[0]), self._name(arc[1])) for arc in chosen]
        self.router.close(np.array(pairs).reshape(-1, 2), both_ways=both_ways)
        for tail, head, _ in chosen:
            for arc in self.arcs:
                if arc[:2] == (tail, head) or (both_ways and arc[:2] == (head, tail)):
                    self.now[arc] = math.inf

    def _drawn_weight(self, arc: Arc) -> float:
        factor = float(self.random.choice([1, 1, 2, 30, 0.5, math.inf]))
        return self.read[arc] * factor if factor != 0.5 else self.read[arc] + 0.5

    def update_pairs(self) -> None:
        wanted = {}
        for arc in self._some_arcs():
            weight = self._drawn_weight(arc)
            wanted[self._name(arc[0]), self._name(arc[1])] = weight
            for other in self._all_between(arc):
                self.now[other] = weight
        self.router.update(wanted)

    def update_all(self) -> None:
        for arc in self.arcs:
            self.now[arc] = self.read[arc]
        for arc in self._some_arcs():
            self.now[arc] = self._drawn_weight(arc)
        self.router.update([self.now[arc] for arc in self.arcs])

    def open_all(self) -> None:
        self.now = dict(self.read)
        self.router.update(np.array([self.read[arc] for arc in self.arcs]))

    def weigh_at(self) -> None:
        if not self.in_integers:
            return  # floats are not rounded
        hour = str(self.random.choice(HOURS))
        self.router = self.router.at(hour, self.streets.hours)
        self.now = self.streets.at(hour, self.read)

    def prepare_again(self) -> None:
        """On the graph as it is now: closed arcs are gone for good."""
        self.router = prepare(self.router.graph, device=None, verify="all")
        self.in_integers = self.router.graph.weight_type.is_integer
        self._forget_closed()

    def prepare_with_weights(self) -> None:
        graph = self.router.graph
        self._forget_closed()
        for arc in self._some_arcs() if self.arcs else []:
            self.read[arc] = self.now[arc] = self.read[arc] + float(self.random.choice([7, 0.5]))
        weights = np.array([self.read[arc] for arc in self.arcs])
        self.router = prepare(graph, weights, device=None, verify="all")
        self.in_integers = self.router.graph.weight_type.is_integer

    def _forget_closed(self) -> None:
        self.arcs = [arc for arc in self.arcs if self.now[arc] < math.inf]
        self.read = {arc: self.now[arc] for arc in self.arcs}
        self.now = dict(self.read)

    def change_list(self) -> None:
        """As the window does: a list of closed and slowed roads, and an hour."""
        arc = self.streets.arcs[int(self.random.integers(len(self.streets.arcs)))]
        road = self._name(arc[0]), self._name(arc[1])
        what = self.random.integers(4)
        if what == 0:
            self.changes = self.changes.close(road, one_way=bool(self.random.integers(2)))
        elif what == 1:
            self.changes = self.changes.slow(30.0, road, one_way=bool(self.random.integers(2)))
        elif what == 2 and self.changes.roads:
            one = self.changes.roads[int(self.random.integers(len(self.changes.roads)))]
            self.changes = self.changes.without((one.tail, one.head))
        else:
            self.hour = str(self.random.choice(["", *HOURS]))

    def check(self) -> None:
        self._check_router()
        self._check_list()

    def _check_router(self) -> None:
        weights = dict.fromkeys(self.streets.weights, math.inf) | self.now
        expected = right_rows(self.streets, weights)
        ids = self.router.ids
        assert np.array_equal(self.router.table(ids, ids), expected), self.said
        self._check_solved(self.router.graph, expected)
        source, target = self.random.integers(self.streets.n, size=2).tolist()
        path = self.router.path(self._name(source), self._name(target))
        assert (path is None) == math.isinf(expected[source, target])

    def _check_list(self) -> None:
        whole = self.streets.graph if self.random.integers(2) else self.graph
        opened = weighed_at(whole, self.streets.hours, self.hour) if self.hour else whole
        changed = self.changes.apply(opened)
        base = self.streets.weights
        opened_weights = self.streets.at(self.hour, base) if self.hour else dict(base)
        weights = dict(opened_weights)
        for road in self.changes.roads:  # where two change one arc, the later counts
            for arc in weights:
                if (self._name(arc[0]), self._name(arc[1])) in road.arcs:
                    weights[arc] = opened_weights[arc] * road.factor
        expected = right_rows(self.streets, weights)
        self._check_solved(changed, expected)
        # elsewhere one may turn round at a point of a road
        if not changed.m or not self.streets.u_turns:
            return
        self._check_solved(self._cut(changed), expected)

    def _cut(self, graph: Graph) -> Graph:
        """The network with a point of one of its roads as a further vertex."""
        there, share = int(self.random.integers(graph.m)), float(self.random.uniform(0.1, 0.9))
        tail, head = int(graph.tails[there]), int(graph.indices[there])
        back = int(opposite_arcs(graph)[there])
        assert graph.coordinates is not None
        a, b = graph.coordinates.xy[[tail, head]]
        x, y = (a + share * (b - a)).tolist()
        point = RoadPoint(0, 0, 0, (x, y), tail, head, share, there, back)
        return place_ends().cut(graph, [point])[0]

    def _check_solved(self, graph: Graph, expected: np.ndarray) -> None:
        source = int(self.random.integers(self.streets.n))
        found = solve(graph, "dijkstra-heap", source=self._name(source))
        assert np.array_equal(found.distances[: self.streets.n], expected[source]), self.said
        assert found.verified, (found.verdict, self.said)
        again = made_anew(graph)
        assert again.overlay == graph.overlay, self.said
        assert np.array_equal(again.indptr, graph.indptr), self.said
        assert np.array_equal(again.indices, graph.indices), self.said
        assert np.array_equal(again.weights, graph.weights), self.said


def made_anew(graph: Graph) -> Graph:
    """The graph of the overlay of one, from the network as it was read."""
    made = graph.as_read
    for one in graph.overlay.said:
        if isinstance(one, RoadChanges):
            made = one.apply(made)
        elif isinstance(one, AtHour):
            made = weighed_at(made, one.table, one.at)
        elif isinstance(one, GivenWeights):
            made = changed_graph(made, one.weights)
        else:
            assert isinstance(one, RoadPoints)
            made = place_ends().cut(made, one.points)[0]
    return made


@pytest.mark.parametrize("block", first_quick(range(100)))
def test_roads_that_change_in_any_order_are_answered_as_if_they_had_not(block: int) -> None:
    for number in range(SEQUENCES):
        random = np.random.default_rng([block, number])
        changing = Changing(drawn_streets(random), random)
        for _ in range(STEPS):
            changing.step()
            changing.check()


@pytest.mark.parametrize("seed", [(1, 151), (7, 23), (18, 61), (1, 57), (1, 189), (2, 176)])
def test_a_cut_network_has_ways_back_and_costs_as_read(seed: tuple[int, int]) -> None:
    """Where an hour changes which of two parallel roads without shapes is the lightest, and
    where a closed road leaves one way on at a junction whose turns cost.
    """
    random = np.random.default_rng(seed)
    changing = Changing(drawn_streets(random), random)
    for _ in range(STEPS):
        changing.step()
        changing.check()


@pytest.mark.parametrize("seed", [249, 353, 357])
def test_ways_back_are_as_read_by_whichever_weights(seed: int) -> None:
    """Where another column of weights has another one of two parallel roads as the lightest."""
    random = np.random.default_rng([seed, 5])
    streets = drawn_streets(random)
    graph, roads = streets.graph, streets.graph.roads
    assert roads is not None
    assert graph.turns is not None
    drawn = random.integers(1, 10, graph.m).astype(np.int32)
    columns = ArcColumn("seconds", "s", graph.weights), ArcColumn("metres", "m", drawn)
    rules = without_u_turns(graph, graph.turns, [column.values for column in columns])
    graph = replace(graph.with_turns(rules), roads=replace(roads, weights=columns))
    metres = graph.with_weights("metres")
    expected = right_rows(streets, dict(zip(streets.arcs, drawn.tolist(), strict=True)))
    for source in range(streets.n):
        found = solve(metres, "dijkstra-heap", source=int(graph.ids[source]))
        assert found.verified
        assert np.array_equal(found.distances, expected[source])
