"""Several ways between two vertices, the shortest first. Vertices are indices here.

By a hierarchy, alternatives that keep limits on detours, sharing and local optimality
(`via_paths`). Elsewhere the shortest simple paths, which often differ by a few arcs only.
Each way is proved here: its arcs lead from one to the next, and its length is their sum.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from solvers.algorithms.hierarchy.via_paths import Limits
from solvers.errors import VerificationFailed
from solvers.features.alternatives.simple_paths import shortest_simple_paths
from solvers.running.prepared_network import PreparedNetwork
from solvers.running.ways import FoundWays, Way
from solvers.system.array_types import Int64s
from solvers.units import SECONDS_PER_UNIT
from solvers.verification.paths import lightest_arcs

LIMITS = Limits()

Others = tuple[tuple[str, PreparedNetwork], ...]
"""A network with its other weights, by what is best by them."""


class WayFinder:
    """Finds ways, beside those that are the best by other weights: a `FindWays`."""

    def __init__(self) -> None:
        self._others: tuple[PreparedNetwork, Others] | None = None  # of the last network

    def __call__(
        self, state: PreparedNetwork, source: int, target: int, count: int
    ) -> FoundWays | None:
        if not state.finds_alternatives:
            return None
        if self._others is None or self._others[0] is not state:
            self._others = state, by_other_weights(state)
        return with_others(find_ways(state, source, target, count), state, self._others[1])


def find_ways(
    state: PreparedNetwork, source: int, target: int, count: int, limits: Limits = LIMITS
) -> FoundWays:
    """The shortest way and up to ``count`` alternatives.

    Raises `VerificationFailed` if a way is none.
    """
    found = _searched_ways(state, source, target, count + 1, limits)
    rules = None if found is None else limits
    if found is None:
        found = _simple_paths(state, source, target, count + 1)
    ways: list[Way] = []
    taken = set[int]()
    for arcs in found:
        ways.append(_way(state, source, target, arcs, taken, ways))
        taken.update(ways[-1].arcs.tolist())
    return FoundWays(tuple(ways), ways_note(len(ways) - 1, count, rules))


def _way(
    state: PreparedNetwork,
    source: int,
    target: int,
    found: Int64s,
    taken: Set[int],
    before: list[Way],
) -> Way:
    """A way from the arcs of what is searched, beside those before it, whose arcs are
    ``taken``; proved to lead from one end to the other.
    """
    network, (arcs, of_arcs) = state.network, state.travelled(found)
    length, weights = before[0].length if before else 0, of_arcs.tolist()
    on_taken = sum(w for arc, w in zip(arcs.tolist(), weights, strict=True) if arc in taken)
    vertices = np.concatenate(([source], network.indices[arcs])).astype(np.int32)
    if (network.tails[arcs] != vertices[:-1]).any() or vertices[-1] != target:
        text = f"From {network.vertex_text(source)} its arcs do not lead on to the target."
        raise VerificationFailed("A way", text, 1, (source,))
    return Way(vertices, arcs, sum(weights), on_taken / length if length else 0.0)


def _searched_ways(
    state: PreparedNetwork, source: int, target: int, count: int, limits: Limits
) -> list[Int64s] | None:
    """Arcs of what is searched, by a hierarchy; None where none answers, or lengths may be
    negative.
    """
    if not state.finds_alternatives:
        return None
    return state.alternatives(source, state.end(target), count, limits)


def by_other_weights(state: PreparedNetwork) -> Others:
    """A road network with its other weights, by what is best by them;
    closed roads stay closed.
    """
    network, left_out = state.network, state.weights >= state.kind.infinity
    found = []
    for column in () if network.roads is None else network.roads.weights:
        name = "fastest" if column.unit in SECONDS_PER_UNIT else "shortest"
        if column.unit != network.weight_unit:
            weights = np.where(left_out, np.inf, column.values) if left_out.any() else column.values
            found.append((name, state.with_weights(weights)))
    return tuple(found)


def with_others(ways: FoundWays, state: PreparedNetwork, others: Others) -> FoundWays:
    """The ways, beside those that are the best by other weights, measured by the weights
    of ``state``; one that is the first way, too, is not told twice.
    """
    if not ways.ways:
        return ways
    source, target = ways.ways[0].vertices[[0, -1]].tolist()
    first, found = set(ways.ways[0].arcs.tolist()), []
    for name, other in others:
        for arcs in _searched_ways(other, source, target, 1, LIMITS) or []:
            same = state.retraced(other, source, arcs)
            if same is None:
                continue
            way = _way(state, source, target, same, first, [ways.ways[0]])
            if not np.array_equal(way.arcs, ways.ways[0].arcs):
                found.append((name, way))
    return replace(ways, by_others=tuple(found))


def _simple_paths(state: PreparedNetwork, source: int, target: int, count: int) -> list[Int64s]:
    """The arcs of what is searched on the shortest way, and on those that meet no vertex
    twice, as it may where turns are forbidden.
    """
    found, searched = shortest_simple_paths(state, source, target, count), state.searched
    paths = [np.array(one.vertices, np.int32) for one in found]
    if searched is not state:
        shortest = searched.path(source, state.end(target))
        own = state.translation.path(shortest).tolist()
        if len(set(own)) < len(own):
            paths = [shortest, *paths[: count - 1]]
    return [lightest_arcs(searched.network, path, searched.weights) for path in paths]


def ways_note(found: int, asked: int, limits: Limits | None) -> str:
    """What the alternatives are, and why there are not as many as asked."""
    if found < 0:
        return "There is no way."
    number = "There is one way" if found == 0 else f"There are {found + 1} ways"
    rules = "visits no vertex twice; without a hierarchy, they may differ little"
    if limits is not None:
        stretch, sharing, optimality = (f"{100 * limit:g} %" for limit in limits)
        rules = (
            f"is at most {stretch} longer where it differs, shares at most {sharing} of the "
            f"shortest's length, meets no junction twice, and is itself shortest over every "
            f"{optimality} of its length"
        )
    return f"{number}; no further one {rules}." if found < asked else f"Each {rules}."
