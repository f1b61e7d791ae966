"""Requests of made-up variants on a graph of five vertices, for tests of the runner."""

from __future__ import annotations

from typing import Any

from solvers.core.result import Result
from solvers.core.variant import Variant
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.solvers.fakes import diamond

TRACE_ONLY = MeasurementPlan(warmups=0, trials=0)
"""No timed trials: only the traced run is made."""


def request_for(
    *variants: Variant,
    graph: Graph | None = None,
    source: int | None = 0,
    target: int | None = 3,
    trials: int = 5,
    warmup: int = 1,
    **options: Any,
) -> RunRequest:
    choices, plan = tuple(Choice(v) for v in variants), MeasurementPlan(warmup, trials)
    return RunRequest(graph or diamond(), source, target, choices, plan=plan, **options)


def only(*variants: Variant, **options: Any) -> Result:
    """What comes of one variant."""
    (result,) = run(request_for(*variants, **options))
    return result
