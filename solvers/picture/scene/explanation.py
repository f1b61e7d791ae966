"""What is explained of one recorded iteration of a small graph. No Qt.

A picture draws it: states of vertices and arcs, distances so far, and a sentence. A feature
makes it; without one, small graphs are drawn as large ones are.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from solvers.core.labelling import Labelling, VertexState
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.graphs.graph import Graph
from solvers.picture.scene.figure import ArcState
from solvers.system.array_types import Float64s
from solvers.system.feature import offered


class Explanation(Protocol):
    """A recorded iteration or phase, or how far it has come."""

    @property
    def trace(self) -> ActivityTrace | MatrixTrace: ...

    @property
    def position(self) -> int:
        """The recorded iteration."""

    @property
    def labelling(self) -> Labelling:
        """The family whose words say what vertices are."""

    @property
    def at_end(self) -> bool:
        """Whether the run has ended."""

    @property
    def words(self) -> str:
        """A sentence about it."""

    @property
    def relaxing(self) -> Set[int]:
        """Vertices that are at work."""

    @property
    def improved(self) -> Set[int]:
        """Vertices whose distance has decreased."""

    @property
    def step_path(self) -> tuple[int, ...] | None:
        """Vertices of the arc or path that is marked."""

    @property
    def after(self) -> Float64s:
        """(n,) distances so far, in the unit of the weights."""

    def vertex(self, vertex: int) -> VertexState: ...

    def arc(self, tail: int, head: int) -> ArcState:
        """State of the lightest of the parallel arcs from ``tail`` to ``head``."""

    def value(self, vertex: int) -> str:
        """The distance so far as text, in the public unit, which is not written."""

    def former_value(self, vertex: int) -> str:
        """The distance that it replaces; "" for none."""

    def history(self, vertex: int) -> Float64s:
        """The distances that may be shown at a vertex."""


@dataclass(frozen=True)
class Explanations:
    """``EXPLANATIONS`` in the module that `Feature.explanations` names."""

    # the explanation of a recorded iteration, of several rows that of a source; None for larger
    # graphs, and traces without what it needs
    of: Callable[[Graph, ActivityTrace | MatrixTrace, int, int | None], Explanation | None]
    # a sentence about an iteration without one; "" for larger graphs
    sentence: Callable[[Graph, ActivityTrace | MatrixTrace, int], str]


def explanation_of(
    graph: Graph,
    trace: ActivityTrace | MatrixTrace | None,
    position: int,
    source: int | None = None,
    begun: Explanation | None = None,
) -> Explanation | None:
    """What is explained of recorded iteration ``position``: what is given of it as ``begun``,
    else all of it.
    """
    if begun is not None and begun.trace is trace and begun.position == position:
        return begun
    made = _explanations()
    return None if made is None or trace is None else made.of(graph, trace, position, source)


def sentence_without(graph: Graph, trace: ActivityTrace | MatrixTrace | None, position: int) -> str:
    """A sentence about an iteration of which nothing else is explained; may be ""."""
    made = _explanations()
    return "" if made is None or trace is None else made.sentence(graph, trace, position)


@cache
def _explanations() -> Explanations | None:
    """Those of the feature that has some."""
    found: Explanations | None
    found = next(iter(offered(lambda one: one.explanations, "EXPLANATIONS")), None)
    return found
