"""Several ways between two vertices, the shortest first. Vertices are indices here.

By a hierarchy, alternatives that keep limits on detours, sharing and local optimality
(`via_paths`). Elsewhere the shortest simple paths, which often differ by a few arcs only.
Each way is proved here: its arcs lead from one to the next, and its length is their sum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.algorithms.hierarchy.via_paths import Limits
from solvers.errors import VerificationFailed
from solvers.graphs.graph import Graph
from solvers.graphs.route import other_measures
from solvers.running.network_state import FoundWays, Others, RouterState, Way
from solvers.running.router_state import HierarchyState
from solvers.running.simple_paths import shortest_simple_paths
from solvers.system.array_types import Int32s, Int64s
from solvers.text import format_count, format_distance
from solvers.units import SECONDS_PER_UNIT
from solvers.verification.paths import path_arcs

LIMITS = Limits()


def find_ways(
    state: RouterState, source: int, target: int, count: int, limits: Limits = LIMITS
) -> FoundWays:
    """The shortest way and up to ``count`` alternatives.

    Raises `VerificationFailed` if a way is none.
    """
    rules: Limits | None = limits
    if isinstance(state, HierarchyState) and state.finds_alternatives:
        found = state.alternatives(source, target, count + 1, limits)
    else:
        found, rules = _simple_paths(state, source, target, count + 1), None
    length = sum(_lengths(state, found[0])) if found else 0
    taken, ways = set[int](), []
    for arcs in found:
        weights = _lengths(state, arcs)
        on_taken = [w for arc, w in zip(arcs.tolist(), weights, strict=True) if arc in taken]
        shared = sum(on_taken) / length if length > 0 else 0.0
        vertices = _vertices(state.network, source, target, arcs)
        ways.append(Way(vertices, arcs, sum(weights), shared))
        taken.update(arcs.tolist())
    return FoundWays(tuple(ways), _note(len(ways) - 1, count, rules))


def by_other_weights(state: RouterState) -> Others:
    """The states for the other weights of a road network, by what is best by them;
    closed roads stay closed.
    """
    network, closed = state.network, state.weights >= state.kind.infinity
    found = []
    for column in () if network.roads is None else network.roads.weights:
        name = "fastest" if column.unit in SECONDS_PER_UNIT else "shortest"
        if column.unit != network.weight_unit:
            weights = np.where(closed, np.inf, column.values) if closed.any() else column.values
            found.append((name, state.with_weights(weights)))
    return tuple(found)


def with_others(ways: FoundWays, state: RouterState, others: Others) -> FoundWays:
    """The ways, beside those that are the best by other weights, measured by the weights
    of ``state``.
    """
    if not ways.ways:
        return ways
    found = []
    source, target = ways.ways[0].vertices[[0, -1]].tolist()
    first, length = set(ways.ways[0].arcs.tolist()), ways.ways[0].length
    for name, other in others:
        vertices = other.path(source, target)
        arcs = path_arcs(state.network, vertices, other.weights)
        weights = _lengths(state, arcs)
        on_first = [w for arc, w in zip(arcs.tolist(), weights, strict=True) if arc in first]
        shared = sum(on_first) / length if length > 0 else 0.0
        found.append((name, Way(vertices, arcs, sum(weights), shared)))
    return replace(ways, by_others=tuple(found))


def way_cells(graph: Graph, way: Way, ways: FoundWays, shared: str = "") -> tuple[str, ...]:
    """What is said of a way in a table: its length, other measures if there are any, how
    much longer it is than the shortest, what it shares with those before it, and arcs.
    ``shared`` is a word behind that share.
    """
    first = ways.ways[0]
    others = ", ".join(other_measures(graph, way.arcs))
    longer = 100 * (way.length / first.length - 1) if first.length else 0.0
    common = f"{100 * way.shared:.0f} %{shared}"
    compared = ("", "") if way is first else (f"+{longer:.1f} %", common)
    length = format_distance(way.length, graph.weight_unit, exact=False)
    return (length, *((others,) if others else ()), *compared, format_count(len(way.arcs)))


def _simple_paths(state: RouterState, source: int, target: int, count: int) -> list[Int64s]:
    paths = shortest_simple_paths(state, source, target, count)
    vertices = [np.array(path, np.int32) for _, path in paths]
    return [path_arcs(state.network, path, state.weights) for path in vertices]


def _lengths(state: RouterState, arcs: Int64s) -> list[int | float]:
    found: list[int | float] = state.weights[arcs].tolist()
    return found


def _vertices(network: Graph, source: int, target: int, arcs: Int64s) -> Int32s:
    """The vertices along successive arcs from the source to the target."""
    vertices = np.concatenate(([source], network.indices[arcs])).astype(np.int32)
    if (network.tails[arcs] != vertices[:-1]).any() or vertices[-1] != target:
        ends = network.vertex_text(source), network.vertex_text(target)
        text = f"From {ends[0]} to {ends[1]} its arcs do not follow one another."
        raise VerificationFailed("A way", text, 1, (source,))
    return vertices


def _note(found: int, asked: int, limits: Limits | None) -> str:
    if found < 0:
        return "There is no way."
    number = "There is one way" if found == 0 else f"There are {found + 1} ways"
    rules = "visits no vertex twice; without a hierarchy, they may differ little"
    if limits is not None:
        stretch, sharing, optimality = (f"{100 * limit:g} %" for limit in limits)
        rules = (
            f"is at most {stretch} longer where it differs, shares at most {sharing} of the "
            f"shortest, and is itself shortest over every {optimality} of its length"
        )
    return f"{number}; no further one {rules}." if found < asked else f"Each {rules}."
