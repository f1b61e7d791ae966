"""Contraction as it is defined, one vertex at a time, in dictionaries, which the fast
programs are held against; and the networks and solves that the tests share.
"""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.adjacency import adjacency_of, minimum_degree_order
from solvers.algorithms.hierarchy.elimination_tree import count_up_arcs, elimination_tree
from solvers.algorithms.hierarchy.supergraph import Hierarchy, build_hierarchy
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress

Weights = dict[tuple[int, int], float]

needs_metis = pytest.mark.skipif(
    importlib.util.find_spec("pymetis") is None, reason="pymetis is not installed"
)


def hierarchy_by(graph: Graph, order: NDArray[np.int32]) -> Hierarchy:
    """The hierarchy of a graph in a given order of contraction."""
    adjacency = adjacency_of(graph)
    tree = elimination_tree(adjacency, order)
    counts = count_up_arcs(adjacency, tree, 1 << 40)
    assert counts is not None
    return build_hierarchy(graph, adjacency, tree, counts)


def hierarchy_by_degree(graph: Graph) -> Hierarchy:
    return hierarchy_by(graph, minimum_degree_order(adjacency_of(graph)))


def contracted(graph: Graph, order: NDArray[np.int32]) -> Weights:
    """Weights between vertices (of the graph) of all arcs that exist at some time while
    ``order`` is contracted.
    """
    weights: Weights = {}
    for tail, head, weight in zip(
        graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True
    ):
        if tail != head:
            weights[tail, head] = min(weights.get((tail, head), math.inf), weight)
            weights.setdefault((head, tail), math.inf)
    left = set(range(graph.n))
    for v in order.tolist():
        left.remove(v)
        around = [w for w in left if (v, w) in weights]
        for u in around:
            for w in around:
                if u != w:
                    weights[u, w] = min(
                        weights.get((u, w), math.inf), weights[u, v] + weights[v, w]
                    )
    return weights


def weights_of(hierarchy: Hierarchy, up: NDArray[np.float64], down: NDArray[np.float64]) -> Weights:
    """The up arcs of a hierarchy with their weights, between vertices of the graph."""
    tree, found = hierarchy.tree, {}
    for v in range(hierarchy.n):
        at_depth, above = {}, int(tree.parent[v])
        while above >= 0:
            at_depth[int(tree.depth[above])] = above
            above = int(tree.parent[above])
        for a in range(hierarchy.up_first[v], hierarchy.up_first[v + 1]):
            low, high = int(tree.order[v]), int(tree.order[at_depth[int(hierarchy.up_depth[a])]])
            found[low, high], found[high, low] = float(up[a]), float(down[a])
    return found


def cancelled() -> Progress:
    token = CancelToken()
    token.cancel()
    return Progress(token)


def children() -> set[int]:
    """Processes that this one has started, those that have ended unnoticed, too."""
    return {child.pid for child in psutil.Process().children(recursive=True)}


def network(seed: int = 3) -> Graph:
    """Streets of a town of 40 x 40 crossings, some of them one-way."""
    side = 40
    number = np.arange(side * side).reshape(side, side)
    tails = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel(), number[:, 1:].ravel()))
    heads = np.concatenate((number[:, 1:].ravel(), number[1:].ravel(), number[:, :-1].ravel()))
    weights = np.random.default_rng(seed).integers(1, 100, len(tails)).astype(np.int32)
    return Graph.from_arcs(side * side, tails, heads, weights, name="town")


def solve(
    graph: Graph, variant_id: str = "cch-tree", target: int = 700, recorder: Recorder | None = None
) -> Solution:
    entry = find_variant(variant_id)
    return entry.solve(Problem(graph, 5, target, entry.settle({}), recorder=recorder))
