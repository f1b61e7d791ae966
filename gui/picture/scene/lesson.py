"""Lesson view of a small graph: tentative distances, relaxed and improving arcs of one iteration. No Qt.

Read from the trace, which records the distances after every iteration of a small graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.core.trace import ActivityTrace
from solvers.graphs.graph import Graph
from solvers.text import format_count, grouped, plural

MOST_VERTICES = 100
_MOST_NAMED = 4  # vertices listed by name in a sentence
_TOLERANCE = 1e-5  # relative, for float32 sums


class VertexState(Enum):
    """State of a vertex; the value is its legend text."""

    UNREACHED = "not reached"
    TENTATIVE = "tentative"
    ACTIVE = "relaxing its arcs"
    SETTLED = "done"


class ArcState(IntEnum):
    """State of an arc, in ascending order of importance."""

    IDLE = 0
    TREE = 1  # gives its head its tentative distance
    RELAXED = 2
    IMPROVED = 3


@dataclass(frozen=True, eq=False)
class Lesson:
    """One recorded iteration of a small graph.

    Attributes
    ----------
    graph : Graph
    trace : ActivityTrace
        Must have distances.
    position : int
        Recorded iteration.
    """

    graph: Graph
    trace: ActivityTrace
    position: int

    @cached_property
    def after(self) -> NDArray[np.float64]:
        """(n,) tentative distances after the iteration; inf if not reached."""
        assert self.trace.distances is not None  # checked by `lesson_of`
        return self.trace.distances[self.position]

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """(n,) tentative distances before the iteration."""
        if self.position > 0:
            assert self.trace.distances is not None
            return self.trace.distances[self.position - 1]
        start = np.full(self.graph.n, np.inf)
        start[self.trace.frontier(0)] = 0.0
        return start

    @cached_property
    def active(self) -> frozenset[int]:
        return frozenset(self.trace.frontier(self.position).tolist())

    @cached_property
    def improved(self) -> frozenset[int]:
        """Vertices whose distance decreased."""
        return frozenset(np.flatnonzero(self.after < self.before).tolist())

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """(n,) predecessor of each vertex by tentative distance; -1 for none.

        If the tail improved later, no arc is tight; the arc with the least slack is taken.
        """
        graph = self.graph
        known = np.isfinite(self.after[graph.tails]) & np.isfinite(self.after[graph.indices])
        arcs = np.flatnonzero(known & (graph.tails != graph.indices))
        ways = self.after[graph.tails[arcs]] + graph.weights[arcs]
        slack = self.after[graph.indices[arcs]] - ways
        fits = slack >= -_TOLERANCE * (1.0 + np.abs(ways))
        parents = np.full(graph.n, -1, np.int32)
        order = arcs[fits][np.argsort(slack[fits], kind="stable")[::-1]]
        parents[graph.indices[order]] = graph.tails[order]  # the last one written has the least slack
        parents[self.trace.frontier(0)] = -1
        return parents

    def vertex(self, vertex: int) -> VertexState:
        if vertex in self.active:
            return VertexState.ACTIVE
        if not np.isfinite(self.after[vertex]):
            return VertexState.UNREACHED
        return VertexState.SETTLED if 0 <= self.trace.last_active[vertex] < self.position else VertexState.TENTATIVE

    def arc(self, tail: int, head: int) -> ArcState:
        """State of the lightest of the parallel arcs from ``tail`` to ``head``."""
        if self.parents[head] == tail:
            return ArcState.IMPROVED if head in self.improved else ArcState.TREE
        if tail in self.active or (self.relaxes_all and np.isfinite(self.before[tail])):
            return ArcState.RELAXED
        return ArcState.IDLE

    @property
    def words(self) -> str:
        """Sentence that describes the iteration."""
        relaxing = "every vertex relaxes its arcs" if self.relaxes_all else self._relaxing_words()
        fell = sorted(self.improved)
        comes = "comes" if len(fell) == 1 else "come"
        gain = f"{named_vertices(self.graph, fell)} {comes} nearer" if fell else "no distance improves"
        return f"{_iteration(self.trace, self.position)}: {relaxing}; {gain}"

    def value(self, vertex: int) -> str:
        """The tentative distance of a vertex as text."""
        return distance_text(float(self.after[vertex]))

    def former_value(self, vertex: int) -> str:
        """The distance replaced by the iteration; "" if there was none or it did not change."""
        fell = vertex in self.improved and np.isfinite(self.before[vertex])
        return distance_text(float(self.before[vertex])) if fell else ""

    @cached_property
    def relaxes_all(self) -> bool:
        """True if the iteration relaxed all arcs, not only those of active vertices."""
        own = int(self.graph.out_degrees[sorted(self.active)].sum())
        return self.trace.stride == 1 and int(self.trace.relaxed[self.position]) == self.graph.m > own

    def _relaxing_words(self) -> str:
        active = sorted(self.active)
        return _relaxing(self.graph, active, int(self.graph.out_degrees[active].sum()))


def lesson_of(graph: Graph, trace: ActivityTrace | None, position: int) -> Lesson | None:
    """The lesson of recorded iteration ``position``; None for larger graphs or a trace without distances."""
    if trace is None or trace.distances is None or graph.n > MOST_VERTICES or not 0 <= position < len(trace):
        return None
    return Lesson(graph, trace, position)


def words_without_distances(graph: Graph, trace: ActivityTrace | None, position: int) -> str:
    """Sentence for a small graph whose trace has no distances; "" if there is a lesson."""
    if trace is None or trace.distances is not None or graph.n > MOST_VERTICES or not 0 <= position < len(trace):
        return ""
    relaxing = _relaxing(graph, sorted(trace.frontier(position).tolist()), int(trace.relaxed[position]))
    return f"{_iteration(trace, position)}: {relaxing}; this variant records no tentative distances"


def _iteration(trace: ActivityTrace, position: int) -> str:
    return f"Iteration {format_count(position * trace.stride + 1)}"


def _relaxing(graph: Graph, active: list[int], arcs: int) -> str:
    return f"{named_vertices(graph, active)} {'relaxes' if len(active) == 1 else 'relax'} {plural(arcs, 'arc')}"


def named_vertices(graph: Graph, vertices: list[int]) -> str:
    """Ids of a few vertices, or the number of many, for a sentence."""
    if len(vertices) > _MOST_NAMED:
        return plural(len(vertices), "vertex", "vertices")
    names = [graph.vertex_label(v) for v in vertices]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names) or "nothing"


def distance_text(distance: float) -> str:
    """``"∞"``, ``"1,204"``, ``"0.38"``: short, for the picture."""
    if not np.isfinite(distance):
        return "∞"
    return grouped(distance, ".0f") if distance.is_integer() else grouped(distance, ".5g")
