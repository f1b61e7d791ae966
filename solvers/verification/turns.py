"""Proof that a path makes no forbidden turn, by the rules as they were read.

It shares no code with `solvers.graphs.junctions`, which makes of the rules what is
searched: it follows the path arc by arc, remembers the last ones, and compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from solvers.core.result import Verdict
from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import U_TURN, ZONE
from solvers.graphs.turns import opposite_arcs, turn_costs
from solvers.system.array_types import AnyArray
from solvers.text import format_distance, plural
from solvers.verification.paths import lightest_arcs

Walk = tuple[int, ...]


def verify_path(graph: Graph, path: AnyArray, distance: int | float | None = None) -> Verdict:
    """Verify that arcs lead along the vertices of a path, (k,), by allowed turns, and that
    the path has the length ``distance`` where it is given and integer.
    """
    vertices = path.tolist()
    arcs = lightest_arcs(graph, path)
    if graph.turns is None and (arcs >= 0).all():
        wide = np.int64 if graph.weight_type.is_integer else np.float64
        length: int | float = graph.weights[arcs].sum(dtype=wide).item()
    else:
        walked = _walked(graph, vertices)
        if isinstance(walked, str):
            return Verdict(False, 1, f"Not a path: {walked}.")
        length = walked
    if isinstance(distance, int) and length != distance:
        own, claimed = (format_distance(d, graph.weight_unit) for d in (length, distance))
        return Verdict(False, 1, f"The path has the length {own}, but {claimed} is claimed.")
    return Verdict(True, 0, f"{plural(max(0, len(vertices) - 2), 'turn')} allowed.")


def _walked(graph: Graph, vertices: list[int]) -> int | float | str:
    """Length of a path by allowed turns, arc by arc; what is wrong if it is none."""
    checker = _Turns(graph)
    walks: dict[Walk, int | float] = {(): 0}
    for tail, head in pairwise(vertices):
        following: dict[Walk, int | float] = {}
        fault = f"there is no arc {graph.vertex_id(tail)} → {graph.vertex_id(head)}"
        for walk, length in walks.items():
            for arc in checker.arcs(tail, head):
                relation = checker.forbidden_by((*walk, arc))
                if relation is not None:
                    fault = _words(graph, tail, head, relation)
                    continue
                longer = length + checker.weight(walk, arc)
                kept = (*walk, arc)[-checker.memory :]
                following[kept] = min(longer, following.get(kept, longer))
        if not following:
            return fault
        walks = following
    return min(walks.values())


def _words(graph: Graph, tail: int, head: int, relation: int) -> str:
    turn = f"the turn into {graph.vertex_id(tail)} → {graph.vertex_id(head)}"
    if relation == U_TURN:
        return f"{turn} is a U-turn, and no dead end is there"
    if relation == ZONE:
        return f"{turn} leads through {graph.vertex_id(tail)}, a zone where paths begin and end"
    return f"{turn} is forbidden by relation {relation}"


class _Turns:
    def __init__(self, graph: Graph):
        self._graph = graph
        self._whole = graph.network  # whose arcs the rules name
        self._rules = graph.turns
        self._forbidden = {} if graph.turns is None else graph.turns.forbidden
        self.memory = max([2, *map(len, self._forbidden)]) - 1
        rules = graph.turns
        is_ruled = rules is not None and rules.forbids_u_turns
        self._opposite = opposite_arcs(self._whole) if is_ruled else None

    def arcs(self, tail: int, head: int) -> Iterator[int]:
        """Arcs between two vertices, as the rules name them."""
        row = self._graph.row(tail)
        found = row.start + np.flatnonzero(self._graph.indices[row] == head)
        base = self._graph.base
        yield from (found if base is None else base.arcs[found]).tolist()

    def forbidden_by(self, walk: Walk) -> int | None:
        """The relation that forbids the last arc of a walk, or `U_TURN`; None if none does."""
        found = (self._forbidden.get(walk[i:]) for i in range(len(walk) - 1))
        relation = next((one for one in found if one is not None), None)
        if relation is None and self._is_u_turn(walk):
            return U_TURN
        return relation

    def _is_u_turn(self, walk: Walk) -> bool:
        if self._opposite is None or len(walk) < 2 or self._opposite[walk[-2]] != walk[-1]:
            return False
        # the road back is open, or nobody would be on it
        return bool(self._graph.out_degrees[self._whole.tails[walk[-1]]] > 1)

    def weight(self, walk: Walk, arc: int) -> int | float:
        """Of an arc, with what the turn into it costs."""
        graph, base = self._graph, self._graph.base
        own = arc if base is None else int(np.searchsorted(base.arcs, arc))
        weight: int | float = graph.weights[own].item()
        if walk and self._rules is not None and self._rules.costs is not None:
            turn = np.array([walk[-1]]), np.array([arc])
            weight += turn_costs(self._whole, self._rules, *turn)[0].item()
        return weight
