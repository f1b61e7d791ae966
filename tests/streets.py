"""Small networks of streets with forbidden turns, drawn at random, and the distances in them
by plain code: an oracle for answers after roads were closed, slowed, weighed by an hour and
opened again.

It shares no code with the program and keeps nothing between two questions. A street is
known by what was drawn for it, not by arrays of a graph: which street an arc belongs to, which
turns are forbidden and what they cost is said here once more.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from solvers.features.turns.u_turns import without_u_turns
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.hours import HourTable
from solvers.graphs.road_data import RoadData
from solvers.graphs.turn_rules import TurnCosts, TurnRules

Arc = tuple[int, int, int]
"""Tail, head, and the number among parallel arcs."""

CLASSES = ("path", "service")
HOURS = ("07:00", "08:00")


@dataclass(frozen=True)
class Streets:
    """What was drawn."""

    places: tuple[tuple[float, float], ...]
    weights: Mapping[Arc, int]
    classes: Mapping[Arc, int]  # of `CLASSES`
    backs: Mapping[Arc, Arc]  # the other direction of a street
    forbidden: frozenset[tuple[Arc, ...]]
    u_turns: bool  # whether they are forbidden, but at dead ends
    costs: TurnCosts | None = None
    signals: frozenset[Arc] = frozenset()  # that end at traffic lights
    visitors: frozenset[Arc] = frozenset()  # for destination only
    factors: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(self.places)

    @property
    def arcs(self) -> list[Arc]:
        """In the order of the graph."""
        return sorted(self.weights)

    def leaving(self, vertex: int) -> list[Arc]:
        return [arc for arc in self.weights if arc[0] == vertex]

    @property
    def graph(self) -> Graph:
        arcs = self.arcs
        tails, heads, _ = (np.array(column, np.int32) for column in zip(*arcs, strict=True))
        weights = np.array([self.weights[arc] for arc in arcs], np.int32)
        number = {arc: i for i, arc in enumerate(arcs)}
        sequences = {
            tuple(number[arc] for arc in one): i + 1 for i, one in enumerate(sorted(self.forbidden))
        }
        rules = TurnRules.of(sequences, self.costs, no_u_turns=self.u_turns)
        signals, visitors = (
            np.array(sorted(number[arc] for arc in chosen), np.int64)
            for chosen in (self.signals, self.visitors)
        )
        rules = replace(rules, for_destination=visitors)
        plain = Graph.from_arcs(
            self.n,
            tails,
            heads,
            weights,
            coordinates=Coordinates(np.array(self.places, np.float64)),
            ids=10 + 3 * np.arange(self.n),
            weight_unit="s",
            name="streets",
        )
        classes = np.array([self.classes[arc] for arc in arcs], np.uint8)
        names = np.zeros(len(arcs), np.int32)
        plain = replace(plain, roads=RoadData((), None, ("",), names, class_of=classes))
        if self.costs is not None:
            return plain.with_turns(replace(rules, signals=signals))
        return plain.with_turns(without_u_turns(plain, rules, [weights]) if self.u_turns else rules)

    @property
    def hours(self) -> HourTable:
        columns = {hour: np.array(factors) for hour, factors in self.factors.items()}
        return HourTable("hours", CLASSES, columns)

    def at(self, hour: str, weights: Mapping[Arc, float]) -> dict[Arc, float]:
        """Weights as at an hour, rounded half up, and not below 1."""
        return {
            arc: max(1, math.floor(weight * self.factors[hour][self.classes[arc]] + 0.5))
            for arc, weight in weights.items()
        }


def drawn_streets(random: np.random.Generator) -> Streets:
    """One or two towns, between which roads are long, with streets that may be one-way or
    parallel, and in half of the networks for destination only. Restrictions forbid one turn
    or all others, some over a via street; U-turns are forbidden without or with costs, or
    allowed.

    In the other town, ways round a forbidden turn lead past none of the roads that changed.
    """

    weights: dict[Arc, int] = {}
    classes: dict[Arc, int] = {}
    towns, first = int(random.integers(1, 3)), 0
    for _ in range(towns):
        n = int(random.integers(3, 7))
        for _ in range(int(random.integers(n, 2 * n))):
            a, b = (first + random.choice(n, 2, replace=False)).tolist()
            _new_street(weights, classes, a, b, 1, random)
        if first:
            _new_street(weights, classes, first - 1, first, 40, random)
        first += n
    _sort_parallel(weights)
    # of parallel streets, the k-th lightest there and back are one
    backs = {arc: (arc[1], arc[0], arc[2]) for arc in weights}
    kind = str(random.choice(["listed", "listed", "listed", "costs", "allowed"]))
    angles = 2 * np.arange(first)
    share = float(random.choice([0.0, 0.0, 0.2, 0.5]))
    places = tuple(zip(np.cos(angles), np.sin(angles) + np.arange(first) / 5, strict=True))
    streets = Streets(
        places,
        weights,
        classes,
        {arc: back for arc, back in backs.items() if back in weights},
        frozenset(),
        kind != "allowed",
        TurnCosts(*random.integers(0, 6, 5).tolist()) if kind == "costs" else None,
        frozenset(arc for arc in weights if random.random() < 0.2),
        frozenset(arc for arc in weights if random.random() < share),
        {hour: tuple(random.choice([0.5, 1, 1.5, 3.7], 2).tolist()) for hour in HOURS},
    )
    return replace(streets, forbidden=frozenset(_restrictions(streets, 3 * towns, random)))


def _new_street(
    weights: dict[Arc, int],
    classes: dict[Arc, int],
    a: int,
    b: int,
    factor: int,
    random: np.random.Generator,
) -> None:
    ways = [(a, b), (b, a)] if random.random() < 0.8 else [(a, b)]
    kind = int(random.integers(2))
    for tail, head in ways:
        number = sum(arc[:2] == (tail, head) for arc in weights)
        weights[tail, head, number] = factor * int(random.integers(1, 10))
        classes[tail, head, number] = kind


def _sort_parallel(weights: dict[Arc, int]) -> None:
    """Number parallel arcs by their weights."""
    for a, b in {arc[:2] for arc in weights}:
        parallel = sorted(arc for arc in weights if arc[:2] == (a, b))
        for arc, weight in zip(parallel, sorted(weights[one] for one in parallel), strict=True):
            weights[arc] = weight


def _restrictions(streets: Streets, most: int, random: np.random.Generator) -> set[tuple[Arc, ...]]:
    found: set[tuple[Arc, ...]] = set()
    for _ in range(int(random.integers(1, most + 1))):
        walk = [streets.arcs[int(random.integers(len(streets.arcs)))]]
        for _ in range(int(random.choice([1, 1, 1, 2, 3]))):
            following = streets.leaving(walk[-1][1])
            if not following:
                break
            walk.append(following[int(random.integers(len(following)))])
        if len(walk) < 2:
            continue
        if random.random() < 0.7:
            found.add(tuple(walk))
        else:  # only this one
            others = streets.leaving(walk[-2][1])
            found |= {(*walk[:-1], arc) for arc in others if arc != walk[-1]}
    return found


def right_rows(streets: Streets, weights: Mapping[Arc, float]) -> np.ndarray:
    """Distances of all pairs, (n, n), with these weights; arcs of weight inf are closed."""
    return np.array([right_answer(streets, weights, source)[0] for source in range(streets.n)])


def right_answer(
    streets: Streets, weights: Mapping[Arc, float], source: int
) -> tuple[np.ndarray, dict[Arc, float]]:
    """The distances of the vertices, (n,), and those at which arcs can be entered: Dijkstra's
    algorithm over walks, of which the arcs are kept that a forbidden sequence may begin with.
    """
    starts: dict[Arc, float] = {}
    beginnings = {one[:i] for one in streets.forbidden for i in range(2, len(one))}
    leaving = {
        vertex: [arc for arc in streets.leaving(vertex) if weights[arc] < math.inf]
        for vertex in range(streets.n)
    }
    row = np.full(streets.n, np.inf)
    done: set[tuple[tuple[Arc, ...], str]] = set()
    waiting: list[tuple[float, tuple[Arc, ...], str]] = [(0.0, (), "")]
    while waiting:
        length, walk, kinds = heapq.heappop(waiting)
        if (walk, kinds) in done:
            continue
        done.add((walk, kinds))
        here = walk[-1][1] if walk else source
        row[here] = min(row[here], length)
        for arc in leaving[here]:
            longer = (*walk, arc)
            if any(longer[i:] in streets.forbidden for i in range(len(longer))):
                continue
            cost = 0.0
            if walk:
                is_back = streets.backs.get(walk[-1]) == arc
                if is_back and streets.u_turns and len(leaving[here]) > 1:
                    continue
                cost = turn_cost(streets, walk[-1], arc)
            kind = "v" if arc in streets.visitors else "o"
            passed = kinds if kinds.endswith(kind) else kinds + kind
            if "ovo" not in passed:
                starts[arc] = min(starts.get(arc, math.inf), length + cost)
                kept = _remembered(longer, beginnings)
                heapq.heappush(waiting, (length + weights[arc] + cost, kept, passed))
    return row, starts


def _remembered(walk: tuple[Arc, ...], beginnings: set[tuple[Arc, ...]]) -> tuple[Arc, ...]:
    """The last arcs of a walk with which a forbidden sequence begins, and at least the last."""
    return next((walk[i:] for i in range(len(walk)) if walk[i:] in beginnings), walk[-1:])


def turn_cost(streets: Streets, before: Arc, after: Arc) -> float:
    costs = streets.costs
    if costs is None:
        return 0.0
    if streets.backs.get(before) == after:
        return float(costs.around)
    (ax, ay), (bx, by), (cx, cy) = (streets.places[v] for v in (*before[:2], after[1]))
    turned = math.degrees(math.atan2(cy - by, cx - bx) - math.atan2(by - ay, bx - ax))
    turned = 180 - (180 - round(turned, 9)) % 360  # straight back is to the left
    seconds = 0.0
    ways_on = len(streets.leaving(before[1])) - (before in streets.backs)
    if ways_on >= 2 and abs(turned) > 30:
        seconds += costs.left if turned > 0 else costs.right
        seconds += costs.sharp if abs(turned) > 120 else 0.0
    if before in streets.signals:
        seconds += costs.signals
    return seconds
