"""The loop over passes of the sequential variants."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.bellman_ford.watching import PassWatcher
from solvers.algorithms.negative_cycle import raise_if_negative_cycle
from solvers.algorithms.requirements import required_source
from solvers.contracts.problem import Problem, Solution
from solvers.host.timing import Phases


@dataclass(frozen=True)
class PassEnd:
    """The outcome of a pass: whether any distance fell, and whether one would have fallen below `distance_floor`."""

    fell: bool
    fell_through: bool


@dataclass(frozen=True)
class HostPass:
    """A variant's pass, and its distances after it.

    Attributes
    ----------
    relax_all : callable
        Makes one pass over all arcs, calling the observer's checkpoint at least every 50 ms.
    distances : callable
        A copy of the distances as an (n,) array of the distance type.
    """

    relax_all: Callable[[], PassEnd]
    distances: Callable[[], NDArray[Any]]


def start_distances(problem: Problem, variant_id: str) -> NDArray[Any]:
    """0 at the source, infinity elsewhere: (n,) of the distance type."""
    kind = problem.distance_type
    distances = np.full(problem.graph.n, kind.infinity, dtype=kind.dtype)
    distances[required_source(problem, variant_id)] = 0
    return distances


def solve_on_host(problem: Problem, variant_id: str, prepare: Callable[[Problem], HostPass]) -> Solution:
    """Make passes until one changes nothing (or all n - 1, or n with negative weights).

    Raises
    ------
    NegativeCycle, Cancelled, ParameterError
    """
    source = required_source(problem, variant_id)
    graph, observer = problem.graph, problem.observer
    early_exit = bool(problem.parameters["early_exit"])
    phases = Phases()
    with phases.measure("prepare"):
        one = prepare(problem)
    watcher = PassWatcher(problem, source, flagged=False) if observer.watching else None
    limit = graph.n if graph.has_negative_weights else graph.n - 1
    passes, end = 0, PassEnd(fell=True, fell_through=False)
    with phases.measure("solve"):
        while passes < limit and not end.fell_through and (end.fell or not early_exit):
            started = time.perf_counter()
            end = one.relax_all()
            passes += 1
            if watcher:
                watcher.look(one.distances(), (time.perf_counter() - started) * 1e3)
            if not early_exit:
                observer.checkpoint(passes, limit)
    distances = one.distances()
    if end.fell_through or (graph.has_negative_weights and end.fell):
        raise_if_negative_cycle(problem, distances, passes)
    return Solution(distances, passes, phases, passes * graph.m)
