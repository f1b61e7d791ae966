"""Made-up measurements of the sample experiment, for the tests of claims, charts and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Status, Trial, Verdict
from solvers.features.experiments.grid import Point, points_of
from solvers.features.experiments.measurement import Measurement
from solvers.features.experiments.spec import Experiment, ExperimentScale
from solvers.running.kept_run import (
    GraphFacts,
    GraphSource,
    KeptRun,
    KeptVariant,
    MachineFacts,
)

ON_PROCESSOR = (Disturbance(DisturbanceKind.NOT_A_GPU, "The kernels ran on the processor."),)
RIGHT = Verdict(True, 0, "All distances proved")


def points(experiment: Experiment) -> list[Point]:
    return [point for _, found in points_of(experiment, ExperimentScale.SMALL) for point in found]


def measured(point: Point, times: Sequence[float], **attributes: Any) -> Measurement:
    """A point whose timed trials solved for so many ms, after a copy of 1 ms."""
    trials = tuple(
        Trial(i, False, Phases(h2d=1.0, solve=ms), relaxations=100) for i, ms in enumerate(times)
    )
    variant, graph = point.series.variant, point.graph
    made = KeptVariant(
        variant.id,
        variant.algorithm,
        variant.runs_on,
        parameters=point.parameters,
        status=Status.OK,
        trials=trials,
        verdict=RIGHT,
        iterations=12,
        started_utc="2026-11-20T10:00:00.000+00:00",
    )
    facts = GraphFacts(
        graph.title,
        f"{graph.vertices:064x}",
        graph.vertices,
        graph.arcs,
        "int32",
        source=GraphSource(generator="random", parameters=graph.parameters),
    )
    kept = replace(made, **attributes)
    machine = MachineFacts("Test processor", 2, "Linux 6")
    run = KeptRun("0123456789ab", kept.started_utc, "0.1.0", "", facts, 1, None, machine)
    return Measurement(point, run, kept)


def by_label(
    experiment: Experiment, times: Mapping[str, Sequence[float]], **attributes: Any
) -> list[Measurement]:
    """Every point of the experiment with the times of its title, multiplied by its
    number of vertices.
    """
    return [
        measured(point, [ms * point.graph.vertices for ms in times[point.title]], **attributes)
        for point in points(experiment)
        if point.title in times
    ]
