"""Reports of passes to the observer, derived from the distances after each pass; shared by all variants."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.problem import Problem


class PassWatcher:
    """Reports every pass of an observed run.

    Parameters
    ----------
    problem : Problem
    source : int
    flagged : bool
        A pass relaxes the arcs of the active vertices only, rather than all.

    Attributes
    ----------
    relaxations : int
        Arcs relaxed so far.
    """

    def __init__(self, problem: Problem, source: int, flagged: bool):
        graph, kind = problem.graph, problem.distance_type
        self._observer = problem.observer
        self._arcs = graph.m
        self._degrees = graph.out_degrees if flagged else None
        self._before: NDArray[Any] = np.full(graph.n, kind.infinity, dtype=kind.dtype)
        self._before[source] = 0
        self._active: NDArray[np.intp] = np.array([source], dtype=np.intp)
        self.relaxations = 0

    def look(self, distances: NDArray[Any], ms: float) -> None:
        """Report a pass that ended with ``distances`` (n,); the array is kept, so pass a copy if it will change."""
        fell = np.flatnonzero(distances < self._before)
        relaxed = self._arcs if self._degrees is None else int(self._degrees[self._active].sum())
        self._observer.iteration(self._active, relaxed, len(fell), ms, distances)
        self.relaxations += relaxed
        self._before, self._active = distances, fell
