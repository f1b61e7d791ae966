"""What it costs to keep a run: ``python -m tests.benchmarks.recording GRAPH [--variants
ID,...] [--trials N]``.

Before each trial, chance decides whether the row of a trial is written into a store;
the solves after a write are then compared with the others. Other load on the machine
falls on both alike.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from solvers.commands.solve import parse_choices
from solvers.core.problem import Phases, Problem
from solvers.core.result import Result, Trial
from solvers.core.samples import TimedSample, ratio_of_medians
from solvers.features.kept_runs.store.recorder import RunRecorder
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.running.request import Choice, RunRequest
from solvers.text import format_duration
from tests.benchmarks.graphs import machine_line

VARIANTS = "dijkstra-heap,bf-serial,sssp-delta-omp"
TRIALS = 600
WARM_UPS = 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Time solves after a write into the store, and after none."
    )
    parser.add_argument("graph", help="a graph file")
    parser.add_argument(
        "--variants",
        default=VARIANTS,
        help="ids of variants for the processor, separated by commas",
    )
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each variant")
    options = parser.parse_args()
    graph = read_graph(options.graph).graph
    print(machine_line(graph.name, f"{options.trials} trials of each variant"))
    with tempfile.TemporaryDirectory() as folder:
        for choice in parse_choices(options.variants):
            _report(graph, choice, RunStore(Path(folder) / "runs.sqlite3"), options.trials)


def _report(graph: Graph, choice: Choice, store: RunStore, trials: int) -> None:
    variant, chance = choice.variant, random.Random(7)
    recorder = RunRecorder(store, RunRequest(graph, 0, None, (choice,)), "benchmark")
    result = Result(variant, choice.parameters, graph, 0, None)
    list(recorder.follow(iter([result])))  # its rows, and the run's
    problem = Problem(graph, 0, parameters=variant.settle(choice.parameters))
    for _ in range(WARM_UPS):
        variant.solve(problem)
    written: list[float] = []
    plain: list[float] = []
    writes: list[float] = []
    trial = Trial(0, False, Phases())
    for index in range(trials):
        if after_write := chance.random() < 0.5:
            start = time.perf_counter()
            recorder.trial_finished(variant, replace(trial, index=index))
            writes.append((time.perf_counter() - start) * 1e3)
        (written if after_write else plain).append(variant.solve(problem).phases.solve)
    recorder.close()
    ratio = ratio_of_medians(TimedSample(tuple(plain)), TimedSample(tuple(written)))
    assert recorder.problem is None
    assert ratio is not None
    print(
        f"{variant.id:<18} {format_duration(statistics.median(plain))} after none, "
        f"{format_duration(statistics.median(written))} after a write; "
        f"ratio {ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f}); "
        f"a write {format_duration(statistics.median(writes))}"
    )


if __name__ == "__main__":
    main()
