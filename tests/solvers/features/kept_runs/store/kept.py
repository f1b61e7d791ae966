"""Kept runs for the tests of store, comparison and window: real results of plain
variants on a small graph.
"""

from __future__ import annotations

from dataclasses import replace

from solvers.core.problem import Phases
from solvers.core.result import Result, Status, Trial
from solvers.core.variant import Algorithm, RunsOn, Variant
from solvers.features.kept_runs.store.recorder import RunRecorder
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.running.kept_run import (
    GraphFacts,
    GraphSource,
    KeptRun,
    KeptVariant,
    MachineFacts,
)
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.solvers.fakes import diamond, fake_variant


def record(
    store: RunStore,
    *variants: Variant,
    graph: Graph | None = None,
    trials: int = 5,
    source: GraphSource | None = None,
) -> tuple[str, list[Result]]:
    """Run variants from vertex 10 to 40, recorded as in the window; returns the id and
    the results.
    """
    choices, plan = (
        tuple(Choice(v) for v in variants or (fake_variant(),)),
        MeasurementPlan(1, trials),
    )
    request = RunRequest(graph or diamond(), 0, 3, choices, plan=plan)
    recorder = RunRecorder(store, request, "window", source)
    results = list(recorder.follow(run(request, listener=recorder, run_id=recorder.run_id)))
    assert recorder.problem is None
    return recorder.run_id, results


def kept_variant_of(name: str, *solve_ms: float, **attributes: object) -> KeptVariant:
    """A finished variant of the catalogue whose timed trials took so long, after a
    warm-up of 99 ms.
    """
    times = (99.0, *solve_ms)
    trials = tuple(Trial(i, i == 0, Phases(solve=ms)) for i, ms in enumerate(times))
    made = KeptVariant(name, Algorithm.DIJKSTRA, RunsOn.SERIAL, status=Status.OK, trials=trials)
    return replace(made, **attributes)  # type: ignore[arg-type]


def kept_run_of(
    run_id: str, *variants: KeptVariant, graph: Graph | None = None, **attributes: object
) -> KeptRun:
    """A finished run from the first to the last vertex of the graph."""
    on = graph or diamond()
    made = KeptRun(
        run_id,
        "2026-11-20T10:00:00.000+00:00",
        "0.1.0",
        "window",
        GraphFacts.of(on),
        int(on.ids[0]),
        int(on.ids[-1]),
        MachineFacts("Test processor", 2, "Linux 6"),
        variants,
        "2026-11-20T10:01:00.000+00:00",
    )
    return replace(made, **attributes)  # type: ignore[arg-type]
