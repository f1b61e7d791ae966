"""A small experiment as text, for the tests of reading, running and reporting."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from solvers.core.problem import Problem
from solvers.devices.device import Device
from solvers.features.experiments.forecast import forecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import ExperimentRequest
from solvers.features.experiments.spec import Experiment, ExperimentScale
from solvers.features.experiments.spec_file import read_experiment

TEXT = """\
id = "own"
title = "An own experiment"
question = "Is a heap faster than a scan?"
baseline = "scan"

[small]
trials = 2
warmups = 1

[[graph]]
generator = "random"
parameters = { vertices = [20, 40], degree = 3 }

[[series]]
label = "scan"
variant = "dijkstra-array"

[[series]]
label = "heap"
variant = "dijkstra-heap"
parameters = { arity = [2, 4] }

[[chart]]
kind = "time"
title = "Time by size"

[[published]]
series = "scan"
source = "Table 1"
hardware = "Some machine"
points = [{ vertices = 40, time = 0.5 }]

[[claim]]
text = "A scan takes longer."
source = "Section 2"
of = { series = "scan" }
to = { series = "heap", arity = 4 }
at_least = 0.000001
"""


def write_experiment(folder: Path, *changes: tuple[str, str], text: str = TEXT) -> Path:
    """Write the sample with replacements, each of which must apply."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def sample(folder: Path, *changes: tuple[str, str]) -> Experiment:
    return read_experiment(write_experiment(folder, *changes))


def waiting_for_ever(experiment: Experiment) -> Experiment:
    """The sample, whose heap never ends by itself."""

    def wait(problem: Problem) -> NoReturn:
        while True:
            problem.progress.checkpoint()
            time.sleep(0.005)

    scan, heap = experiment.series
    return replace(
        experiment, series=(scan, replace(heap, variant=replace(heap.variant, function=wait)))
    )


def request_on(experiment: Experiment, device: Device | None) -> ExperimentRequest:
    """A request for the small scale, with its forecast for a device."""
    scale, files = ExperimentScale.SMALL, GraphFiles()
    look = forecast(experiment, scale, files, device)
    return ExperimentRequest(experiment, scale, look, files, experiment.measuring[scale], device)
