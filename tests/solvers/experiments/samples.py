"""A small experiment as text, for the tests of reading, running and reporting."""

from __future__ import annotations

from pathlib import Path

from solvers.experiments.spec import Experiment
from solvers.experiments.spec_file import read_experiment

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
