"""A small graph, and results of it."""

from __future__ import annotations

import numpy as np

from gui.model.question import Question
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run


def diamond() -> Graph:
    """1 -> 2 -> 4 costs 3, 1 -> 3 -> 4 costs 5; ids from 1."""
    return Graph.from_arcs(
        4,
        np.array([0, 0, 1, 2]),
        np.array([1, 2, 3, 3]),
        np.array([1, 1, 2, 4], dtype=np.int32),
        ids=np.array([1, 2, 3, 4]),
        name="diamond",
    )


def solve(question: Question, variant_id: str = "dijkstra-heap") -> Result:
    """The result of one timed trial."""
    assert question.graph is not None
    choices = (Choice(find_variant(variant_id)),)
    request = RunRequest(
        question.graph, question.source, question.target, choices, plan=MeasurementPlan(0, 1)
    )
    return next(run(request))
