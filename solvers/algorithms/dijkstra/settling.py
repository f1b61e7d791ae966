"""The loop of the variants that settle one vertex at a time, in spans between which a
run can be cancelled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from solvers.algorithms.arcs import settled_arcs
from solvers.core.problem import Phases, Problem, Recorder, Solution
from solvers.core.variant import Algorithm, Answers, RunsOn, WorkMapping, variant
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s

NO_VERTEX = -1

# Loop steps between two cancellation checks: some 30 ms.
_STEPS_PER_SPAN = 2**24
_LONGEST_SPAN = 2**16

serial_variant = partial(
    variant,
    algorithm=Algorithm.DIJKSTRA,
    answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL,
    mapping=WorkMapping.CORE_BY_VERTEX,
    needs_nonnegative=True,
)
"""Registers a variant of this family that runs on one core."""

Advance = Callable[[Int32s, Int32s], int]
"""Settles up to ``len(order)`` vertices; writes each to ``order`` and the number of
vertices it improved beside it.

Returns how many were settled: fewer than ``len(order)`` if no more can be reached.
"""


def settle_one_by_one(
    problem: Problem,
    distances: AnyArray,
    predecessors: Int32s,
    phases: Phases,
    advance: Advance,
    steps_per_vertex: float,
) -> Solution:
    """Call ``advance`` until no vertex is left to settle; a watched run reports every vertex.

    ``steps_per_vertex`` is the mean cost of settling one vertex, in steps of about a
    nanosecond.
    """
    graph, progress, recorder = problem.graph, problem.progress, problem.recorder
    one_by_one = recorder is not None and recorder.wants_distances
    order = np.empty(1 if one_by_one else span_of(steps_per_vertex), dtype=np.int32)
    improved = np.empty_like(order)
    settled, count = 0, len(order)
    with phases.measure("solve"):
        while count == len(order):
            progress.checkpoint(settled, graph.n)
            started = time.perf_counter()
            count = advance(order, improved)
            if recorder is not None:
                ms = (time.perf_counter() - started) * 1e3
                report_settled(recorder, graph, order[:count], improved[:count], distances, ms)
            settled += count
    return Solution(distances, settled, phases, settled_arcs(graph, distances), predecessors)


def span_of(steps_per_vertex: float) -> int:
    """Number of vertices to settle between two cancellation checks."""
    return max(1, int(min(_LONGEST_SPAN, _STEPS_PER_SPAN / max(1.0, steps_per_vertex))))


def report_settled(
    recorder: Recorder,
    graph: Graph,
    order: AnyArray,
    improved: AnyArray,
    distances: AnyArray,
    ms: float,
) -> None:
    """Report one iteration per vertex; the time is divided evenly, as reading a clock
    takes longer than settling.
    """
    shares = np.full(len(order), ms / max(1, len(order)))
    after = distances[None] if len(order) == 1 else None
    recorder.iterations(
        np.arange(len(order) + 1), order, graph.out_degrees[order], improved, shares, after
    )
